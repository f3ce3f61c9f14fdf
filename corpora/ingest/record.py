"""Records: pages as fields of JSON or columns of a table, under the names that data sets give them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, quote

from webenv.corpora.document import Skipped, SourcePage
from webenv.errors import CorpusError, did_you_mean
from webenv.urls import canonical_url

NAMES: Mapping[str, tuple[str, ...]] = {
    "url": ("url", "uri"),
    "text": ("text", "contents", "content", "body"),
    "html": ("html",),
    "title": ("title",),
    "date": ("date",),
    "aliases": ("aliases",),
    "id": ("id", "docid", "doc_id", "_id"),
}
"""What each part of a page may be called; the first that a record has counts."""

_PATH = re.compile(r"(?P<path>.+?)(?:@(?P<site>https?://[^?]*))?(?:\?(?P<fields>[A-Za-z_]+=[^/?]*))?", re.DOTALL)
_FRONT = re.compile(r"---\n(.{0,4000}?)\n---(?:\n|\Z)", re.DOTALL)
_FRONT_LINE = re.compile(r"^(title|date):(.+)$", re.MULTILINE)


class SourcePlace(NamedTuple):
    """Where records are, as a command line says it: ``PATH@https://site?text=body&url=link``, or less.

    Attributes:
        path: the file or folder.
        site: where records stand on the web that have an id and no URL; empty: not given.
        names: what the parts of a page are called there.
    """

    path: str
    site: str
    names: Mapping[str, tuple[str, ...]]


def parse_place(spec: str) -> SourcePlace:
    """What follows the kind in the specification of a source of records.

    Raises:
        CorpusError: if pages do not have a part that is given a name.
    """
    match = _PATH.fullmatch(spec.partition(":")[2])
    if match is None:
        raise CorpusError(
            f"source {spec!r} cannot be read: expected {spec.partition(':')[0]}:PATH@https://site?text=NAME."
        )
    return SourcePlace(match["path"], match["site"] or "", _read_fields(spec, match["fields"] or ""))


def _read_fields(spec: str, fields: str) -> Mapping[str, tuple[str, ...]]:
    """:data:`NAMES`, with those replaced that ``text=body&url=link`` gives; CorpusError for a part pages lack."""
    names = dict(NAMES)
    for part, name in parse_qsl(fields, keep_blank_values=True):
        if part not in names:
            raise CorpusError(f"source {spec!r}: a page has no {part!r}. {did_you_mean(part, names)}")
        names[part] = (name,)
    return names


def write_fields(names: Mapping[str, tuple[str, ...]]) -> str:
    """The end of a specification that gives these names; empty for :data:`NAMES`."""
    given = [f"{part}={found[0]}" for part, found in names.items() if found != NAMES[part]]
    return "?" + "&".join(given) if given else ""


def made_site(spec: str, path: Path, site: str = "") -> str:
    """The site of pages that name none: the one given, else ``https://<name of the file or folder>.example``.

    Returns:
        A canonical address that ends in ``/``.

    Raises:
        CorpusError: if the site is no web address.
    """
    if not site:
        name = path.resolve().name if path.is_dir() else path.name.split(".")[0]
        name = re.sub(r"[^a-z0-9.-]+", "-", name.lower()).strip("-.")
        site = f"https://{name or 'site'}.example"
    base = canonical_url(site)
    if base is None or "://" not in site or "?" in site:
        raise CorpusError(f"source {spec!r}: {site!r} is no site; expected one as in https://docs.example.")
    return base if base.endswith("/") else base + "/"


def id_address(base: str, identifier: str) -> str:
    """The address that leads to the document of an id, whatever its own address is.

    >>> id_address("https://clueweb22.example/", "clueweb22-en0000-00-00004")
    'https://clueweb22.example/clueweb22-en0000-00-00004'
    """
    quoted = quote(identifier, safe="", errors="replace")
    return base + (quoted if quoted.strip(".") else quoted.replace(".", "dot-"))


def read_record(
    record: Any, origin: str, base: str = "", names: Mapping[str, tuple[str, ...]] = NAMES
) -> SourcePage | Skipped:
    """The page that a record describes.

    A record with an id is also found at :func:`id_address`, which is its address where it has no other.
    Where it has no title or date, those count that stand at the head of its text between lines ``---``.

    Args:
        record: a mapping; another thing is skipped.
        origin: where it stands.
        base: the site of ids; empty: ids count for nothing.
        names: what the parts of a page are called.
    """
    if not isinstance(record, Mapping):
        return Skipped("record is no JSON object", origin)
    given = {part: _first(record, candidates) for part, candidates in names.items()}
    parts = {part: value for part, value in given.items() if isinstance(value, str)}
    address = ""
    identifier = str(given["id"]) if isinstance(given["id"], int | str) else ""
    if base and identifier.strip():
        address = id_address(base, identifier.strip())
    url = parts.get("url", "").strip() or address
    if not url:
        return Skipped("record without url or id", origin)
    if "text" not in parts and not isinstance(given["html"], str | bytes):
        return Skipped("record without text or html", origin)
    text, title, date = parts.get("text", ""), parts.get("title", ""), parts.get("date", "")
    if text.startswith("---\n") and not (title and date):
        stated = _front(text)
        title, date = title or stated.get("title", ""), date or stated.get("date", "")
    others = given["aliases"]
    aliases = [others] if isinstance(others, str) else others if isinstance(others, list) else []
    return SourcePage(
        url=url,
        title=title,
        text=text,
        html=None if text else given["html"] if isinstance(given["html"], str | bytes) else None,
        date=date,
        aliases=tuple(alias for alias in (*aliases, address) if isinstance(alias, str) and alias and alias != url),
        origin=origin,
    )


def _first(record: Mapping[str, Any], candidates: tuple[str, ...]) -> Any:
    for name in candidates:
        value = record.get(name)
        if value is not None:
            return value
    return None


def _front(text: str) -> dict[str, str]:
    """Title and date at the head of a text, as trafilatura writes them there."""
    head = _FRONT.match(text)
    found = [] if head is None else _FRONT_LINE.findall(head[1])
    return {part: value.strip(" \t").strip("\"'") for part, value in found if value.strip(" \t")}
