"""Parquet tables with one page a row."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from webenv.corpora.document import Skipped, SourcePage
from webenv.corpora.ingest.files import FILE_NAMES, find_files, stamp_files
from webenv.corpora.ingest.record import NAMES, made_site, read_record, write_fields
from webenv.errors import CorpusError, MissingExtra

_BATCH_BYTES = 8_000_000
_BATCH_ROWS = 2_000
_BUFFER = 1_000_000  # bytes read at once of each column, else the whole of it in a row group
_NO_TEXT = "invalid UTF-8"


class ParquetTables:
    """One page a row: columns ``url`` or ``id``; ``text`` or ``html``; if wanted ``title``, ``date``, ``aliases``.

    Other columns are not read. What may be called otherwise: :data:`webenv.corpora.ingest.record.NAMES`; the
    tables of BrowseComp-Plus (``docid``, ``text``, ``url``) are read as they are. A row that has neither URL nor
    id stands at the number of its row. Rows are read in batches of about eight megabytes.

    Args:
        path: a .parquet file, or a folder of them.
        site: where rows stand that have an id and no URL, and by their id also the others; empty:
            ``https://<name of the file or folder>.example``.
        names: what the columns are called.

    Raises:
        CorpusError: if a file is not there, is no Parquet file or cut off, or lacks a column, or one is no text.
        MissingExtra: without pyarrow.
    """

    def __init__(
        self, path: str | os.PathLike[str], site: str = "", names: Mapping[str, tuple[str, ...]] = NAMES
    ) -> None:
        self.path = Path(path)
        self.spec = f"parquet:{path}" + (f"@{site}" if site else "") + write_fields(names)
        self._arrow, self._parquet = _pyarrow()
        self._base = made_site(self.spec, self.path, site)
        self._names = names
        self._files = find_files(self.spec, self.path, FILE_NAMES["parquet"], ".parquet")
        self._rows = 0
        for file in self._files:
            try:
                with self._parquet.ParquetFile(file) as table:
                    self._columns(file, table)
                    self._rows += table.metadata.num_rows
            except (OSError, self._arrow.ArrowException) as error:
                reason = str(error).splitlines()[0].rstrip(".")
                raise CorpusError(f"source {self.spec!r}: {file} is no whole Parquet file ({reason}).") from error

    def _columns(self, file: Path, table: Any) -> dict[str, str]:
        """The column of each part that there is one for."""
        schema = table.schema_arrow
        found = {}
        for part, candidates in self._names.items():
            column = next((name for name in candidates if name in schema.names), None)
            if column is None:
                if candidates != NAMES[part]:
                    raise self._lacks(file, f"the column {candidates[0]!r}", schema.names)
                continue
            kind = schema.field(column).type
            if not self._fits(part, kind):
                if part not in ("url", "text", "html", "id"):
                    continue
                raise CorpusError(
                    f"source {self.spec!r}: column {column!r} of {file} is {kind}, expected text: "
                    f"name another by ?{part}=NAME."
                )
            found[part] = column
        if "text" not in found and "html" not in found:
            raise self._lacks(file, "a column text or html", schema.names)
        return found

    def _lacks(self, file: Path, what: str, there: list[str]) -> CorpusError:
        columns = ", ".join(map(str, there[:12])) + (", …" if len(there) > 12 else "")
        return CorpusError(
            f"source {self.spec!r}: {file} lacks {what}, it has {columns}: name them, as in ?text=NAME&url=NAME."
        )

    def _fits(self, part: str, kind: Any) -> bool:
        types = self._arrow.types
        while types.is_dictionary(kind):
            kind = kind.value_type
        text = (types.is_string, types.is_large_string, types.is_string_view, types.is_binary, types.is_large_binary)
        if any(test(kind) for test in text):
            return True
        if part == "id":
            return bool(types.is_integer(kind))
        if part == "date":
            return bool(types.is_date(kind) or types.is_timestamp(kind))
        return bool(part == "aliases" and (types.is_list(kind) or types.is_large_list(kind)))

    def count(self) -> int | None:
        return self._rows

    def stamp(self) -> str | None:
        return stamp_files(self._files)

    def __iter__(self) -> Iterator[SourcePage | Skipped]:
        for file in self._files:
            origin = f"parquet:{file}"
            try:
                with self._parquet.ParquetFile(file, buffer_size=_BUFFER, pre_buffer=False) as table:
                    yield from self._read(file, table, origin)
            except (OSError, self._arrow.ArrowException):
                yield Skipped("unreadable file", origin)

    def _read(self, file: Path, table: Any, origin: str) -> Iterator[SourcePage | Skipped]:
        columns = self._columns(file, table)
        place = "" if file == self.path else file.relative_to(self.path).with_suffix("").as_posix() + "/"
        first = 0
        for group in range(table.metadata.num_row_groups):
            metadata = table.metadata.row_group(group)
            size = max(1, metadata.total_byte_size // max(1, metadata.num_rows))
            rows = max(1, min(_BATCH_ROWS, _BATCH_BYTES // size))
            row = first
            batches = table.iter_batches(rows, row_groups=[group], columns=list(columns.values()), use_threads=False)
            try:
                for batch in batches:
                    for record in self._records(batch, columns):
                        row += 1
                        yield self._page(record, f"{origin}:{row}", f"{place}{row}")
            except (OSError, self._arrow.ArrowException):
                yield Skipped("corrupt row group", f"{origin}:{row + 1}")
            first += metadata.num_rows

    def _records(self, batch: Any, columns: dict[str, str]) -> Iterator[dict[str, Any]]:
        values = [self._values(batch.column(name), part) for part, name in columns.items()]
        for row in zip(*values, strict=True):
            yield dict(zip(columns, row, strict=True))

    def _values(self, column: Any, part: str) -> list[Any]:
        """A column's values: text; bytes where they are HTML; what cannot be decoded is a :class:`UnicodeError`."""
        if self._arrow.types.is_dictionary(column.type):
            column = column.dictionary_decode()
        try:
            values = column.to_pylist()
        except UnicodeDecodeError:
            values = column.cast(self._arrow.large_binary()).to_pylist()
        if part == "html":
            return list(values)
        return [_decoded(value) for value in values]

    def _page(self, record: dict[str, Any], origin: str, place: str) -> SourcePage | Skipped:
        if any(isinstance(value, UnicodeError) for value in record.values()):
            return Skipped(_NO_TEXT, origin)
        if not record.get("url") and record.get("id") is None:
            record["id"] = place
        return read_record(record, origin, self._base, _PARTS)


_PARTS = {part: (part,) for part in NAMES}


def _decoded(value: Any) -> Any:
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError as error:
            return error
    return value.isoformat() if hasattr(value, "isoformat") else value


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra("pyarrow", "ingest", "a parquet: source") from None
    return pyarrow, pyarrow.parquet
