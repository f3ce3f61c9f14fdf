"""The first sheet of an Excel file (.xlsx), as texts: BrowseComp-ZH is released as one."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from xml.etree import ElementTree

from webenv.errors import TaskFileError

_NAMES = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_SHEET = re.compile(r"xl/worksheets/sheet\d+\.xml")
_LETTERS = re.compile(r"[A-Z]{1,3}")
_MOST = 32 << 20  # bytes of a part: its tree takes ten times as many


def read_sheet(path: Path) -> list[dict[str, str]]:
    """The rows below the first, each as texts by the names in the first; empty cells are left out.

    Read by hand, as a stranger's file: nothing is extracted, no formula computed, no entity expanded.

    Raises:
        TaskFileError: if it is no such file, or too large.
    """
    try:
        with zipfile.ZipFile(path) as file:
            sheets = sorted(filter(_SHEET.fullmatch, file.namelist()), key=lambda name: (len(name), name))
            if not sheets:
                raise TaskFileError(f"tasks {str(path)!r} holds no sheet; expected an Excel table (.xlsx).")
            shared = "xl/sharedStrings.xml"
            texts = _strings(_part(file, shared, path)) if shared in file.namelist() else []
            rows = [_cells(row, texts) for row in _part(file, sheets[0], path).iter(f"{_NAMES}row")]
    except (OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError, ElementTree.ParseError) as error:
        raise TaskFileError(f"tasks {str(path)!r} is no Excel table that can be read: {error!s:.100}.") from error
    except (IndexError, ValueError) as error:
        raise TaskFileError(f"tasks {str(path)!r} is a damaged Excel table.") from error
    head, body = (rows[0], rows[1:]) if rows else ({}, [])
    return [{head[place]: text for place, text in row.items() if head.get(place)} for row in body if row]


def _part(file: zipfile.ZipFile, name: str, path: Path) -> ElementTree.Element:
    if file.getinfo(name).file_size > _MOST:  # zipfile reads no more of a part than its size says
        raise TaskFileError(f"tasks {str(path)!r}: {name} has more than {_MOST >> 20} MiB; split it.")
    data = file.read(name)
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise TaskFileError(f"tasks {str(path)!r}: {name} declares entities, as no spreadsheet does; it is not read.")
    return ElementTree.fromstring(data)


def _strings(part: ElementTree.Element) -> list[str]:
    return [_text(item) for item in part.iter(f"{_NAMES}si")]


def _text(item: ElementTree.Element) -> str:
    return "".join(one.text or "" for one in item.iter(f"{_NAMES}t"))


def _cells(row: ElementTree.Element, shared: list[str]) -> dict[str, str]:
    """The cells of a row by the letters of their columns."""
    found: dict[str, str] = {}
    for cell in row.iter(f"{_NAMES}c"):
        letters = _LETTERS.match(cell.get("r", ""))
        if cell.get("t") == "inlineStr":
            text = _text(cell)
        else:
            text = cell.findtext(f"{_NAMES}v", "")
            text = shared[int(text)] if cell.get("t") == "s" and text else text
        if letters and text:
            found[letters[0]] = text
    return found
