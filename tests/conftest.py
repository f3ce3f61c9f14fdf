"""Settings of every test: property tests draw the same examples on every machine, and keep none on disk."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("webenv", derandomize=True, database=None, deadline=None)
settings.load_profile("webenv")
