"""Queries for single pages of real sites, made by a model."""

from webenv.envs.building.needle_in_web.build import NeedleBuilder, sampled

__all__ = ["NeedleBuilder", "sampled"]
