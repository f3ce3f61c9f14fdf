"""Plain HTML pages from titles and main texts, which may hold anything."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from webenv.observations import Page, Result

_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_ITEM = "- "


def text_html(text: str) -> str:
    """A text as it stands between tags and in attributes: escaped, without what HTML cannot hold."""
    return escape(_CONTROLS.sub("", text))


def body_html(text: str) -> str:
    """The main text of a page as paragraphs, lists and tables.

    A line is a paragraph; lines that begin with ``- `` are a list, and lines of cells between
    ``|`` a table.
    """
    parts: list[str] = []
    kind = ""
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        before, kind = kind, _kind(line)
        if kind != before:
            parts += [_ENDS[before], _STARTS[kind]]
        if kind == "list":
            parts.append(f"<li>{text_html(line[len(_ITEM) :])}</li>")
        elif kind == "table":
            cells = line.strip().strip("|").split("|")
            parts.append("<tr>" + "".join(f"<td>{text_html(cell.strip())}</td>" for cell in cells) + "</tr>")
        elif kind == "text":
            parts.append(f"<p>{text_html(line.rstrip())}</p>")
    parts.append(_ENDS[kind])
    return "".join(f"{part}\n" for part in parts if part)


_STARTS = {"": "", "text": "", "list": "<ul>", "table": "<table>"}
_ENDS = {"": "", "text": "", "list": "</ul>", "table": "</table>"}


def _kind(line: str) -> str:
    if not line.strip():
        return ""
    if line.startswith(_ITEM):
        return "list"
    return "table" if line.startswith("|") and line.rstrip().endswith("|") and len(line) > 2 else "text"


def page_html(page: Page, site: str, related: Sequence[Result] = ()) -> str:
    """A whole document.

    Args:
        page: its address, title, date and main text.
        site: the host under which it stands.
        related: other pages, to which it links.
    """
    title, url, date = text_html(" ".join(page.title.split())), text_html(page.url), text_html(page.date)
    published = f'<meta property="article:published_time" content="{date}">\n' if date else ""
    stamp = f'<p><time datetime="{date}">{date}</time></p>' if date else ""
    links = "".join(f'<li><a href="{text_html(hit.url)}">{text_html(hit.title or hit.url)}</a></li>' for hit in related)
    more = f"<aside><h2>Related</h2><ul>{links}</ul></aside>\n" if links else ""
    return (
        f'<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
        f'<meta property="og:title" content="{title}">\n<link rel="canonical" href="{url}">\n'
        f"{published}</head>\n<body>\n"
        f'<header><a href="/">{text_html(site)}</a></header>\n<h1>{title}</h1>{stamp}\n'
        f"<article>\n{body_html(page.text)}</article>\n{more}"
        f'<footer><a href="/">{text_html(site)}</a></footer>\n</body>\n</html>\n'
    )
