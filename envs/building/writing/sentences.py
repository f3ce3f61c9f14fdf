"""A page of a generated web cut into sentences that can be written anew, and what stands between them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

from webenv.corpora.markdown import LINK

# What a line may have before its first sentence: the mark of an item or quotation, and a lead in bold.
_LEAD = re.compile(r"(?:- |> )?(?:\*\*[^*\n]+\*\*(?: – |: |\. |, | )?)?")
_END = re.compile(r"(?<=[.!?])[\"”’)]*\s+(?=[\"“‘(\[]*[A-Z0-9])")
_ABBREVIATION = re.compile(r"(?:\b[A-Z]|\b(?:St|Dr|Mr|Mrs|Ms|No|no|vs|c|ca|Jr|Co|Rev|Prof|Capt|Lt))\.$")
_SENTENCE = re.compile(r"[^*_`|<>#]*[.!?][\"”’)]*")
_FEWEST = 4  # words of what is taken for a sentence


class CutPage(NamedTuple):
    """A page in pieces.

    Attributes:
        pieces: joined they are the text.
        numbers: those of the pieces that are whole sentences of prose; headings, tables, labelled values, the
            heads of posts and slanted lines are none.
    """

    pieces: tuple[str, ...]
    numbers: tuple[int, ...]

    def marked(self, numbers: Collection[int]) -> str:
        """The text with ``[number]`` before some sentences, as a model is shown it."""
        plain = [LINK.sub(r"\1", piece) for piece in self.pieces]
        return "".join(f"[{place}] {piece}" if place in numbers else piece for place, piece in enumerate(plain))

    def with_sentences(self, written: Mapping[int, str]) -> str:
        """The text with other sentences in place of some; what was a link in one is a link in the other."""
        pieces = list(self.pieces)
        for number, sentence in written.items():
            links = list(LINK.finditer(self.pieces[number]))
            for place, link in enumerate(links):  # first marks, or a link would be put into another's address
                said = link[1] if link[1] in sentence else without_article(link[1])
                sentence = sentence.replace(said, f"\x00{place}\x00{said}\x00", 1)
            for place, link in enumerate(links):
                sentence = re.sub(f"\x00{place}\x00([^\x00]*)\x00", rf"[\1]({link[2]})", sentence)
            pieces[number] = sentence
        return "".join(pieces)


def without_article(name: str) -> str:
    """A name as it stands within a sentence."""
    return name.removeprefix("The ").removeprefix("the ")


def cut_page(text: str) -> CutPage:
    """Cuts a page in Markdown.

    >>> cut_page("## Use\\n\\nIt was built by J. B. Lee in 1902. The roof is green.").numbers
    (3, 5)
    """
    pieces: list[str] = []
    numbers: list[int] = []

    def keep(piece: str) -> None:
        if piece:
            pieces.append(piece)

    for place, line in enumerate(text.split("\n")):
        if place:
            keep("\n")
        if not line or line[0] in "#|" or line.count("**") > 2:
            keep(line)
            continue
        lead = _LEAD.match(line)
        start = lead.end() if lead else 0
        keep(line[:start])
        for sentence in _sentences(line[start:]):
            body = sentence.rstrip()
            if _SENTENCE.fullmatch(LINK.sub(r"\1", body)) and len(body.split()) >= _FEWEST:
                numbers.append(len(pieces))
            keep(body)
            keep(sentence[len(body) :])
    return CutPage(tuple(pieces), tuple(numbers))


def _sentences(line: str) -> list[str]:
    """The sentences of a line, each with the blanks behind it."""
    found, start = [], 0
    for end in _END.finditer(line):
        if not _ABBREVIATION.search(line[: end.start()]):
            found.append(line[start : end.end()])
            start = end.end()
    return [*found, line[start:]]
