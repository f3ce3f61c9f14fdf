"""The realism card: figures by which a generated web can be held beside real pages.

All figures are of pages' main text as an agent reads it (plain text or markdown). Each depends on how much text
is read, so webs are compared at one number of words, their pages in an order that a fixed seed shuffles.
"""

from __future__ import annotations

import lzma
import math
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from webenv.corpora.document import without_link_targets
from webenv.errors import InvalidArgument
from webenv.observations import Page
from webenv.runtime.plots import new_figure

WORDS = 300_000
"""Words that are read of a corpus by default: enough for repeated n-grams, some 2 MB of text."""

_LEAST_WORDS = 2_000  # with fewer no share of repeated n-grams and no growth means anything
_GROWTH_FROM = 1_000  # words; the first few hundred grow faster than any power
_GRAM, _SENTENCE = 5, 6  # words
_MASK = "_"
_COLOURS = ("#8a8a85", "#2a78d6", "#1baf7a", "#eda100", "#4a3aa7")

_TOKEN = re.compile(r"[^\W\d_]+|\d+|[.!?:\n]")
_LINK = re.compile(r"\]\((?:https?://|/|#)|https?://")
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?"
_DATE = re.compile(
    rf"\b\d{{4}}-\d\d-\d\d\b|\b\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}\b"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th)? {_MONTH},? \d{{4}}\b|\b{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}\b"
    r"|\d{4}年\d{1,2}月\d{1,2}日"
)
_NUMBER = re.compile(r"\d[\d.,:]*")
_CJK = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")


class RealismCard(NamedTuple):
    """Figures of a corpus's text.

    Attributes:
        pages: pages read.
        words: words read (a Chinese character counts as one).
        bits_per_character: of the text compressed as a whole by LZMA, over its characters. Natural prose has about
            2 to 2.5 at this size; templates fall towards 1.
        vocabulary_growth: β of Heaps' law V(n) = K·n^β, the least-squares slope of log V on log n from 1,000 words on.
        repeated_5grams: share of the 5-grams of words that stand on another page too, 0 to 1.
        repeated_sentences: share of the sentences of at least six words that stand on another page too, once
            numbers and capitalised words are masked, 0 to 1: the frames of templates.
        words_median, words_p10, words_p90: words a page.
        headings, list_items, table_rows, links, dates, numbers: each per 1,000 words.
        fact_words: share of words that stand in a sentence with a number or a name, 0 to 1.
    """

    pages: int
    words: int
    bits_per_character: float
    vocabulary_growth: float
    repeated_5grams: float
    repeated_sentences: float
    words_median: float
    words_p10: float
    words_p90: float
    headings: float
    list_items: float
    table_rows: float
    links: float
    dates: float
    numbers: float
    fact_words: float


def realism_card(pages: Iterable[Page | str], words: int = WORDS, seed: int = 0) -> RealismCard:
    """Measures a corpus's text.

    Args:
        pages: all its pages, or their texts.
        words: the most words that are read; whole pages, in an order that ``seed`` shuffles.
        seed: of that order.

    Raises:
        InvalidArgument: for a corpus of under 2,000 words, of which no figure would mean anything.
    """
    texts = [page if isinstance(page, str) else page.text for page in pages]
    random.Random(seed).shuffle(texts)
    read = list(_first(map(_PageText, texts), words))
    total = sum(page.words for page in read)
    if total < _LEAST_WORDS:
        raise InvalidArgument(
            f"realism: the corpus has {total:,} words of prose; expected at least {_LEAST_WORDS:,} to measure."
        )
    lengths = sorted(page.words for page in read)
    lines = [line.lstrip() for page in read for line in page.text.split("\n")]
    text = "\n\n".join(page.text for page in read)
    per_thousand = 1_000 / total
    return RealismCard(
        pages=len(read),
        words=total,
        bits_per_character=_bits_per_character(without_link_targets(text)),
        vocabulary_growth=_growth(read),
        repeated_5grams=_repeated([page.grams() for page in read]),
        repeated_sentences=_repeated([page.frames for page in read]),
        words_median=_quantile(lengths, 0.5),
        words_p10=_quantile(lengths, 0.1),
        words_p90=_quantile(lengths, 0.9),
        headings=per_thousand * sum(_is_heading(line) for line in lines),
        list_items=per_thousand * sum(line.startswith(("- ", "* ", "+ ")) for line in lines),
        table_rows=per_thousand * sum(line.startswith("|") and line.count("|") > 2 for line in lines),
        links=per_thousand * sum(1 for _ in _LINK.finditer(text)),
        dates=per_thousand * sum(1 for _ in _DATE.finditer(text)),
        numbers=per_thousand * sum(1 for _ in _NUMBER.finditer(text)),
        fact_words=sum(page.fact_words for page in read) / total,
    )


def realism_cards(webs: Mapping[str, Sequence[str]], words: int = WORDS) -> dict[str, RealismCard]:
    """Measures several corpora at one number of words: ``words``, or what the smallest of them has.

    Args:
        webs: of each corpus, by its name, the texts of all its pages.
        words: the most words that are read of each.

    Raises:
        InvalidArgument: for a corpus of under 2,000 words.
    """
    cards = {name: realism_card(texts, words) for name, texts in webs.items()}
    least = min(card.words for card in cards.values())
    # a page's end is where reading stops, so up to a page more than asked for is no difference in size
    return cards if least >= words else {name: realism_card(texts, least) for name, texts in webs.items()}


class _PageText:
    """One page's words in small letters, its sentences as masked frames, and how many words state facts."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.small: list[str] = []
        self.frames: list[str] = []
        self.fact_words = 0
        sentence: list[str] = []
        for token in _tokens(text):
            if token in ".!?:\n":
                self._close(sentence)
                sentence = []
            else:
                sentence.append(token)
        self._close(sentence)
        self.words = len(self.small)

    def _close(self, sentence: list[str]) -> None:
        self.small += [token.lower() for token in sentence]
        names = [(place > 0 and token[0].isupper()) or token[0].isdigit() for place, token in enumerate(sentence)]
        if any(names):
            self.fact_words += len(sentence)
        if len(sentence) >= _SENTENCE:
            masked = [_MASK if name else token.lower() for token, name in zip(sentence, names, strict=True)]
            if masked.count(_MASK) * 2 < len(masked):  # mostly names: no frame
                self.frames.append(" ".join(masked))

    def grams(self) -> Iterator[str]:
        return (" ".join(self.small[place : place + _GRAM]) for place in range(len(self.small) - _GRAM + 1))


def _tokens(text: str) -> Iterator[str]:
    for token in _TOKEN.findall(without_link_targets(text)):  # addresses are no prose
        if len(token) > 1 and _CJK.match(token):
            yield from token  # Chinese writes no spaces: a character is the nearest thing to a word
        else:
            yield token


def _first(pages: Iterable[_PageText], words: int) -> Iterator[_PageText]:
    total = 0
    for page in pages:
        if page.words:
            yield page
        total += page.words
        if total >= words:
            return


def _bits_per_character(text: str) -> float:
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME}]
    packed = lzma.compress(text.encode(errors="replace"), format=lzma.FORMAT_RAW, filters=filters)
    return 8 * len(packed) / max(1, len(text))


def _growth(pages: Sequence[_PageText]) -> float:
    """The slope of log vocabulary on log words, measured at 20 places a decade."""
    known: set[str] = set()
    points, seen, place = [], 0, float(_GROWTH_FROM)
    for page in pages:
        for word in page.small:
            known.add(word)
            seen += 1
            if seen >= place:
                points.append((math.log(seen), math.log(len(known))))
                place *= 10**0.05
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)


def _repeated(of_pages: Sequence[Iterable[str]]) -> float:
    """The share of items, of all pages together, that stand on more than one page."""
    counts: Counter[int] = Counter()
    owner: dict[int, int] = {}
    shared: set[int] = set()
    for number, items in enumerate(of_pages):
        for item in items:
            digest = hash(item)  # within one process: texts would take five times the memory
            counts[digest] += 1
            if owner.setdefault(digest, number) != number:
                shared.add(digest)
    return sum(counts[digest] for digest in shared) / max(1, counts.total())


def _quantile(ordered: Sequence[int], share: float) -> float:
    return float(ordered[min(len(ordered) - 1, int(len(ordered) * share))])


def _is_heading(line: str) -> bool:
    return line.startswith("#") and line.lstrip("#").startswith(" ")


ROWS: tuple[tuple[str, str, str], ...] = (
    ("pages", "pages read", ",.0f"),
    ("words", "words read", ",.0f"),
    ("bits_per_character", "bits a character (LZMA)", ".2f"),
    ("vocabulary_growth", "growth of vocabulary (Heaps' β)", ".2f"),
    ("repeated_5grams", "5-grams repeated elsewhere", ".1%"),
    ("repeated_sentences", "masked sentences repeated elsewhere", ".1%"),
    ("words_p10", "words a page: 10%", ",.0f"),
    ("words_median", "half", ",.0f"),
    ("words_p90", "90%", ",.0f"),
    ("headings", "headings in 1,000 words", ".1f"),
    ("list_items", "list items", ".1f"),
    ("table_rows", "table rows", ".1f"),
    ("links", "links", ".1f"),
    ("dates", "full dates", ".1f"),
    ("numbers", "numbers", ".1f"),
    ("fact_words", "words in sentences with facts", ".1%"),
)
"""Each figure's name, what it is called in a table, and its format."""


def draw_cards(cards: Mapping[str, RealismCard], path: Path) -> None:
    """Draws corpora beside each other: a small bar chart for each figure, a bar for each corpus.

    Args:
        cards: of each corpus, by its name.
        path: the file: .png, .svg or .pdf.

    Raises:
        MissingExtra: if matplotlib is not installed.
    """
    shown = [row for row in ROWS if row[0] not in ("pages", "words", "words_p10", "words_p90")]
    figure = new_figure(11, 6.5, "a realism card's picture")
    panels = figure.subplots(3, 4)
    for panel, (name, label, form) in zip(panels.flat, shown, strict=True):
        values = [getattr(card, name) for card in cards.values()]
        bars = panel.bar(range(len(values)), values, color=[_COLOURS[n % len(_COLOURS)] for n in range(len(values))])
        panel.bar_label(bars, [format(value, form) for value in values], fontsize=8)
        panel.set_title("words a page, median" if name == "words_median" else label, fontsize=9)
        panel.set_xticks([])
        panel.margins(y=0.2)
        panel.spines[["top", "right"]].set_visible(False)
        panel.tick_params(labelsize=7)
    figure.legend(bars.patches, list(cards), loc="outside lower center", ncols=min(4, len(cards)), frameon=False)
    figure.savefig(path, dpi=120)
