"""The benchmarks as environments, a folder each."""

if __name__ != "webenv.envs":
    raise ImportError(f"this folder is a part of webenv: import webenv.envs, not {__name__}")

from webenv.envs.benchmark_env import register

__all__ = ["register"]
