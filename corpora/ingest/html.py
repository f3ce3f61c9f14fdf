"""A folder of HTML files as a website."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from webenv.corpora.document import Skipped, SourcePage
from webenv.corpora.ingest.files import FILE_NAMES, stamp_files
from webenv.corpora.ingest.record import made_site
from webenv.errors import CorpusError

_INDEX = re.compile(r"(?<![^/])index\.x?html?$", re.IGNORECASE)


class HtmlTree:
    """Every .html, .htm and .xhtml file under a folder; its path there is its path on the site.

    An ``index.html`` is also found at the address of its folder. Files come in the order of
    their paths; links to folders are not followed.

    Args:
        path: the folder, or a single file.
        site: where it stands on the web, as in ``https://docs.example`` or ``https://example.org/docs``;
            empty: ``https://<name of the folder>.example``.

    Raises:
        CorpusError: if there is no such folder, no such file in it, or the site is no web address.
    """

    def __init__(self, path: str | os.PathLike[str], site: str = "") -> None:
        self.path = Path(path)
        self.spec = f"html:{path}" + (f"@{site}" if site else "")
        if not self.path.exists():
            raise CorpusError(f"source {self.spec!r}: there is no {self.path}.")
        self.base = made_site(self.spec, self.path, site)
        if self.path.is_dir() and next(self._files(), None) is None:
            raise CorpusError(f"source {self.spec!r}: {self.path} holds no .html file.")

    def _files(self) -> Iterator[str]:
        """Paths of the files, relative to the folder, with slashes."""
        for folder, folders, names in os.walk(self.path):
            folders.sort()
            for name in sorted(names):
                if FILE_NAMES["html"].search(name):
                    yield os.path.relpath(os.path.join(folder, name), self.path).replace(os.sep, "/")

    def count(self) -> int | None:
        return sum(1 for _ in self._files()) if self.path.is_dir() else 1

    def stamp(self) -> str | None:
        if not self.path.is_dir():
            return stamp_files([self.path])
        return stamp_files(os.path.join(self.path, relative) for relative in self._files())

    def __iter__(self) -> Iterator[SourcePage | Skipped]:
        if not self.path.is_dir():
            yield self._page(self.path.name, str(self.path))
            return
        for relative in self._files():
            yield self._page(relative, os.path.join(self.path, relative))

    def _page(self, relative: str, path: str) -> SourcePage:
        url = self.base + quote(os.fsencode(relative))
        folder = _INDEX.search(relative)
        aliases = (self.base + quote(os.fsencode(relative[: folder.start()])),) if folder else ()
        return SourcePage(url, path=path, aliases=aliases, origin=f"html:{path}")
