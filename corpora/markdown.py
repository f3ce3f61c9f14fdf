"""Main texts as HTML: what little of Markdown they have, with nothing of a text becoming other markup."""

from __future__ import annotations

import re
from html import escape

_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
LINK = re.compile(r"\[([^\[\]\n]{1,300})\]\((https?://[^\s()<>\"*]{1,2000})\)")
"""A link in a text: what it says, and where it leads."""
_BOLD = re.compile(r"(?<![\w*])\*\*([^\s*<][^*<>\n]{0,600})\*\*(?![\w*])")
_SLANTED = re.compile(r"^\*([^\s*<][^*<>\n]{0,2000})\*$", re.MULTILINE)  # a whole line
_QUOTE = "> "
_HEADING = re.compile(r"(#{2,4}) (?=\S)")
_RULE = re.compile(r"\|(?: *:?-{3,}:? *\|)+\Z")
_ITEM = "- "


def text_html(text: str) -> str:
    """A text as it stands between tags and in attributes: escaped, without what HTML cannot hold."""
    return escape(_CONTROLS.sub("", text))


def inline_html(text: str) -> str:
    """A line with its links and what stands in bold, or slanted where that is the whole line.

    >>> inline_html("**Ann** met **[Bo & Co](https://a.example/b)**.")
    '<strong>Ann</strong> met <strong><a href="https://a.example/b">Bo &amp; Co</a></strong>.'
    """
    marked = _SLANTED.sub(r"<em>\1</em>", _BOLD.sub(r"<strong>\1</strong>", text_html(text)))
    return LINK.sub(r'<a href="\2">\1</a>', marked)


def plain_text(text: str) -> str:
    """A text as its readers see it: links by what they say, without the marks of headings, quotes, bold and tables.

    >>> plain_text("## Ann\\n\\n**Ann** met [Bo](https://a.example/b).")
    'Ann\\n\\nAnn met Bo.'
    """
    lines = (_HEADING.sub("", line.removeprefix(_QUOTE)) for line in text.split("\n") if not _RULE.match(line))
    return _SLANTED.sub(r"\1", _BOLD.sub(r"\1", LINK.sub(r"\1", "\n".join(lines))))


def markdown_html(text: str, table: str = "") -> str:
    """The main text of a page as headings, paragraphs, lists and tables.

    A line is a paragraph, one that begins with ``> `` a quotation; lines that begin with ``- `` are a list, lines of
    cells between ``|`` a table, whose first is its head where a rule follows it. Links lead to http and https alone.

    Args:
        text: the text.
        table: class of a table of two columns whose head names one thing, as boxes beside articles have.
    """
    parts: list[str] = []
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    place = 0
    while place < len(lines):
        kind, first = _kind(lines[place]), place
        place += 1
        while kind in ("list", "table") and place < len(lines) and _kind(lines[place]) == kind:
            place += 1
        if kind == "list":
            items = (f"<li>{inline_html(line[len(_ITEM) :])}</li>\n" for line in lines[first:place])
            parts.append(f"<ul>\n{''.join(items)}</ul>\n")
        elif kind == "table":
            parts.append(_table(lines[first:place], table))
        elif kind == "heading":
            mark, _, said = lines[first].partition(" ")
            parts.append(f"<h{len(mark)}>{inline_html(said.strip())}</h{len(mark)}>\n")
        elif kind == "quote":
            parts.append(f"<blockquote><p>{inline_html(lines[first][len(_QUOTE) :].strip())}</p></blockquote>\n")
        elif kind == "text":
            parts.append(f"<p>{inline_html(lines[first].rstrip())}</p>\n")
    return "".join(parts)


def _kind(line: str) -> str:
    if not line.strip():
        return ""
    if line.startswith(_ITEM):
        return "list"
    if line.startswith("|") and line.rstrip().endswith("|") and len(line) > 2:
        return "table"
    if line.startswith(_QUOTE):
        return "quote"
    return "heading" if _HEADING.match(line) else "text"


def _table(lines: list[str], box: str) -> str:
    rows = [[inline_html(cell.strip()) for cell in _cells(line)] for line in lines]
    headed = len(lines) > 1 and _RULE.match(lines[1].strip()) is not None
    if not headed:
        return "<table>\n" + "".join(f"{_row(row, 'td')}\n" for row in rows) + "</table>\n"
    head, body = rows[0], rows[2:]
    boxed = len(head) == 2 and not head[1]
    top = f'<tr><th colspan="2">{head[0]}</th></tr>' if boxed else _row(head, "th")
    mark = f' class="{text_html(box)}"' if boxed and box else ""
    whole = "".join(f"{_row(row, 'td')}\n" for row in body)
    return f"<table{mark}>\n<thead>{top}</thead>\n<tbody>\n{whole}</tbody>\n</table>\n"


def _cells(line: str) -> list[str]:
    return line.strip()[1:-1].split("|")


def _row(cells: list[str], tag: str) -> str:
    return "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>"
