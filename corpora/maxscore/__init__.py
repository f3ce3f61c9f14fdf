"""Exact top-k ranking that skips postings which cannot matter (MaxScore), compiled by numba; the extra ``fast``."""

from webenv.corpora.maxscore.build import build_maxscore
from webenv.corpora.maxscore.index import SETTINGS, MaxScoreIndex, check_numba, open_maxscore
from webenv.corpora.maxscore.machine_code import machine_code
from webenv.corpora.maxscore.texts import show_records

__all__ = [
    "SETTINGS",
    "MaxScoreIndex",
    "build_maxscore",
    "check_numba",
    "machine_code",
    "open_maxscore",
    "show_records",
]
