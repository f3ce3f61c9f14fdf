"""The sample web as a corpus in memory."""

from __future__ import annotations

from functools import cache

from webenv.corpora.corpus import Corpus
from webenv.corpora.document import SourcePage
from webenv.corpora.ingest.jsonl import JsonLines
from webenv.corpora.sample import PAGES


@cache
def sample_web() -> Corpus:
    """The sample web; made once a process, in a fraction of a second."""
    return Corpus.of(page for page in JsonLines(PAGES) if isinstance(page, SourcePage))
