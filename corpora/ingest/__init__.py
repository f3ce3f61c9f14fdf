"""What a corpus can be built from."""

from webenv.corpora.ingest.files import HtmlTree
from webenv.corpora.ingest.jsonl import ClueWebTexts, JsonLines, NeedleFiles
from webenv.corpora.ingest.parquet import ParquetTables
from webenv.corpora.ingest.record import id_address
from webenv.corpora.ingest.source import Source, parse_source
from webenv.corpora.ingest.warc import WebArchives

__all__ = [
    "ClueWebTexts",
    "HtmlTree",
    "JsonLines",
    "NeedleFiles",
    "ParquetTables",
    "Source",
    "WebArchives",
    "id_address",
    "parse_source",
]
