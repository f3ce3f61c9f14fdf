"""The same small benchmark as the tests of evaluation play."""

from tests.evaluation.conftest import benchmark

__all__ = ["benchmark"]
