"""Outlets: the news sites that articles are taken from."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlsplit

from webenv.corpora.url import canonical_url, host_of, parents
from webenv.errors import DataError
from webenv.runtime.files import read_text


class Outlets:
    """An allowlist of hosts, each with its subdomains, or of parts of a host, as in ``lemonde.fr/en``.

    Args:
        entries: hosts, with a path where only a part is meant; ``None``: every site is allowed.

    Raises:
        DataError: for an entry that names no host, or an empty list.
    """

    def __init__(self, entries: Iterable[str] | None) -> None:
        self._paths: dict[str, list[str]] = {}
        self._any = entries is None
        for entry in entries or ():
            host, _, path = entry.strip().removeprefix("https://").removeprefix("http://").partition("/")
            known = host_of(host)
            if not known or "." not in known:
                raise DataError(f"outlet {entry!r:.80} names no host; expected one as in apnews.com or lemonde.fr/en.")
            self._paths.setdefault(known, []).append(f"/{path.strip('/*')}/" if path.strip("/*") else "/")
        if not self._any and not self._paths:
            raise DataError("the list of outlets is empty; expected one host a line, or 'any'.")

    @classmethod
    def default(cls) -> Outlets:
        """The 95 outlets of the paper (Figure 4), misspelt names put right."""
        return cls(_lines(files(__package__).joinpath("outlets.txt").read_text(encoding="utf-8")))

    @classmethod
    def read(cls, name: str | Path | None) -> Outlets:
        """The outlets of a file, one host a line, ``#`` before a comment.

        Args:
            name: the file; ``None``: :meth:`default`; ``any``: every site.

        Raises:
            DataError: if the file cannot be read, or holds none.
        """
        if name is None:
            return cls.default()
        if str(name) == "any":
            return cls(None)
        return cls(_lines(read_text(name, "outlets")))

    @property
    def entries(self) -> tuple[str, ...]:
        """Hosts with their paths, in alphabetical order; none where every site is allowed."""
        return tuple(sorted(f"{host}{path.rstrip('/')}" for host, paths in self._paths.items() for path in paths))

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts, in alphabetical order; none where every site is allowed."""
        return tuple(sorted(self._paths))

    def allows(self, url: str) -> bool:
        """Whether an address is of one of them."""
        if self._any:
            return True
        canonical = canonical_url(url)
        if canonical is None:
            return False
        path = urlsplit(canonical).path.rstrip("/") + "/"
        return any(
            path.startswith(prefix) for host in parents(host_of(canonical)) for prefix in self._paths.get(host, ())
        )


def _lines(text: str) -> list[str]:
    lines = (line.partition("#")[0].strip() for line in text.split("\n"))
    return [line for line in lines if line]
