"""Reads a page as a browser would: its elements, and what its data say."""

from __future__ import annotations

import base64
import json
import zlib
from html.parser import HTMLParser
from pathlib import Path
from typing import Any


class Parts(HTMLParser):
    """The elements of a page, the texts of its scripts and styles, and its data."""

    def __init__(self, page: Path) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, dict[str, str | None], str]] = []
        self.feed(page.read_text(encoding="utf-8"))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        self.tags.append((f"/{tag}", {}))

    def handle_data(self, data: str) -> None:
        if self.tags:
            self.texts.append((*self.tags[-1], data))

    def named(self, tag: str) -> list[dict[str, str | None]]:
        """The attributes of the elements of a name."""
        return [attributes for name, attributes in self.tags if name == tag]

    def own(self, tag: str) -> str:
        """The text of the page's own script or style."""
        return "".join(text for name, attributes, text in self.texts if name == tag and not attributes)

    def data(self, name: str) -> Any:
        """What a block of data holds."""
        texts = [text for tag, attributes, text in self.texts if tag == "script" and attributes.get("id") == name]
        return json.loads(zlib.decompress(base64.b64decode("".join(texts))))

    def episode(self, row: dict[str, Any]) -> dict[str, Any]:
        """What the page holds of the episode of a row."""
        found: dict[str, Any] = self.data(f"episodes-{row['block']}")[row["at"]]
        return found

    def text(self, number: int) -> str:
        """A text by its number."""
        starts = self.data("overview")["starts"]
        block = max(n for n, start in enumerate(starts) if start <= number)
        found: str = self.data(f"texts-{block}")[number - starts[block]]
        return found
