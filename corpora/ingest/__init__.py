"""What a corpus can be built from."""

from webenv.corpora.ingest.html import HtmlTree
from webenv.corpora.ingest.jsonl import JsonLines
from webenv.corpora.ingest.needle import NeedleFiles
from webenv.corpora.ingest.source import Source, parse_source

__all__ = ["HtmlTree", "JsonLines", "NeedleFiles", "Source", "parse_source"]
