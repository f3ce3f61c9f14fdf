"""Sentences of real pages, the words that carry them, and which sentence states a claim."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import NamedTuple

from webenv.corpora.analysis import analyzer
from webenv.corpora.procedural import Lexicon

_FEWEST, _MOST = 6, 60  # words of a sentence that is taken for a statement
_LONGEST = 600  # its characters: what looks around each of its parts takes time that grows with the square
_END = re.compile(r"[.!?][\"”’')\]*_]{0,3}(?=\s|$)")
_ABBREVIATED = re.compile(
    r"(?:\b(?:[A-Z]|[Dd]r|[Mm]rs?|[Ss]t|[Nn]o|[Vv]ol|[Ff]ig|[Jj]r|vs|etc|e\.g|i\.e|approx|cf|al)\.)$"
)
_MARKUP = ("#", ">", "```", "    ", "\t")


class Statement(NamedTuple):
    """A statement of a page: where it stands in the text, the text itself, and its stems, each once.

    ``prose`` is False for a row of a table or a line of a list, which are replaced by their like alone.
    """

    start: int
    end: int
    text: str
    stems: frozenset[str]
    prose: bool


def sentences_of(text: str) -> list[Statement]:
    """The statements of a text in plain words or markdown, in their order.

    Prose: sentences of 6 to 60 words that begin with a capital and have a full stop. Other statements: rows of
    tables and items of lists of at least two words. Headings, code and quotations are passed over.
    """
    found: list[Statement] = []
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        body = line.strip()
        if body.startswith("|"):
            if body.strip("|-: ") and len(body) <= _LONGEST and len(body.split()) > 2:
                found.append(Statement(start, end, line, stems_of(line), prose=False))
        elif body and not body.startswith(_MARKUP) and not line.startswith(_MARKUP):
            prose = list(_prose(line, start))
            if not prose and body[0] in "-*+•" and len(body) <= _LONGEST and len(body.split()) > 2:
                prose = [Statement(start, end, line, stems_of(line), prose=False)]
            found += prose
        start = end + 1
    return found


def _prose(line: str, offset: int) -> Iterator[Statement]:
    start = 0
    for match in _END.finditer(line):
        end = match.end()
        if _ABBREVIATED.search(line[max(start, end - 8) : match.start() + 1]):
            continue
        body = line[start:end].lstrip(" -*+•0123456789.)\t") if start == 0 else line[start:end].lstrip()
        if len(body) <= _LONGEST and _FEWEST <= len(body.split()) <= _MOST and body.lstrip("*_\"'“‘[(")[:1].isupper():
            yield Statement(offset + end - len(body), offset + end, body, stems_of(body), prose=True)
        start = end


@lru_cache(maxsize=65_536)
def stems_of(text: str) -> frozenset[str]:
    """The stems of a text as the index has them, without stop words."""
    return frozenset(_analyze(text))


def _analyze(text: str) -> Sequence[str]:
    tokens: Sequence[str] = _ANALYZER.analyze(text)
    return tokens


_ANALYZER = analyzer()


@dataclass(frozen=True)
class TextPage:
    """A page with its statements."""

    url: str
    title: str
    text: str
    date: str = ""

    @cached_property
    def sentences(self) -> list[Statement]:
        """The statements, in their order."""
        return sentences_of(self.text)


def put_for(text: str, old: str, new: str) -> str:
    """A text in which something else stands for a phrase, wherever no letter, digit or hyphen is beside it."""
    parts, end = [], 0
    while (start := text.find(old, end)) >= 0:
        after = start + len(old)
        whole = not _inside(text[start - 1 : start]) and not _inside(text[after : after + 1])
        parts += [text[end:start], new if whole else old]
        end = after
    return "".join([*parts, text[end:]])


def _inside(neighbour: str) -> bool:
    return neighbour.isalnum() or neighbour in ("-", "_", "–") if neighbour else False


class SiteStatistics:
    """How rare each stem is on a site, and the statements that hold it.

    Args:
        pages: the site's pages, or a fair share of them.
    """

    def __init__(self, pages: Sequence[TextPage]) -> None:
        self.pages = pages
        self._frequency: Counter[str] = Counter()
        self.holders: dict[str, list[tuple[int, int]]] = {}  # stem → (page, sentence), 400 of each at most
        for number, page in enumerate(pages):
            of_page: set[str] = set()
            for place, sentence in enumerate(page.sentences):
                of_page |= sentence.stems
                for stem in sentence.stems:
                    holders = self.holders.setdefault(stem, [])
                    if len(holders) < _MOST_HOLDERS:
                        holders.append((number, place))
            self._frequency.update(of_page)

    def weight(self, stem: str) -> float:
        """Inverse document frequency, smoothed: log((N + 1) / (n + 0.5))."""
        return math.log((len(self.pages) + 1) / (self._frequency[stem] + 0.5))

    def weights(self, stems: Iterable[str]) -> Mapping[str, float]:
        """The weight of each stem, those that say nothing left out."""
        return {stem: weight for stem in stems if (weight := self.weight(stem)) > 0.0}

    def share(self, claim: frozenset[str], stems: frozenset[str]) -> float:
        """How much of a claim's weight other stems hold, 0 to 1; of a claim without weight 0."""
        weights = self.weights(claim)
        whole = sum(weights.values())
        return sum(weight for stem, weight in weights.items() if stem in stems) / whole if whole else 0.0


_MOST_HOLDERS = 400


def supporting(claim: frozenset[str], page: TextPage, site: SiteStatistics, least: float) -> list[int]:
    """The statements of a page that say what a claim says, as far as words tell: those that hold at least this
    share of its weight, less what the page's title gives away; the best first.

    A pair of neighbours is looked at too: claims are often drawn from two sentences, the first of which names the
    subject and the second calls it "it".
    """
    told = stems_of(page.title)
    own = claim - told or claim
    scored = [(site.share(own, sentence.stems), place) for place, sentence in enumerate(page.sentences)]
    return [place for score, place in sorted(scored, key=lambda pair: (-pair[0], pair[1])) if score >= least]


class SentencePart(NamedTuple):
    """A name, number or noun of a sentence: where it stands, and its sort, which says what may take its place."""

    start: int
    end: int
    text: str
    sort: tuple[str, str]

    def replaced(self, sentence: str, new: str) -> str:
        """The sentence with something else in its place; "a" and "an" before it as they are spoken."""
        before = sentence[: self.start]
        article = _ARTICLE.search(before)
        if article is not None:
            spoken = Lexicon.article(new)
            written = spoken.capitalize() if article[1][0] == "A" else spoken
            before = f"{before[: article.start(1)]}{written} "
        return before + new + sentence[self.end :]


_ARTICLE = re.compile(r"\b([Aa]n?) $")
_NAME = re.compile(r"[A-Z][\w’'-]+(?: (?:(?:of|the|de|van|von|and) )?[A-Z][\w’'-]+){0,4}")
_NUMERAL = re.compile(r"(?<![\w.,-])\d[\d,]*(?:\.\d+)?(?![\w-])")
_LOWER = re.compile(r"(?<![\w’'-])[a-z]{4,}(?![\w’'-])")


@lru_cache(maxsize=65_536)
def parts_of(text: str) -> tuple[SentencePart, ...]:
    """The names, numbers and nouns of a sentence that another of their sort may replace without breaking grammar.

    A name is sorted by how many words it has, a number by whether it can be a year, a noun by its class in WordNet
    and by whether it is a plural; words that are mostly something else than a noun are passed over.
    """
    found: list[SentencePart] = []
    for match in _NAME.finditer(text):
        if match.start() > 0 and not text[: match.start()].rstrip().endswith((".", "!", "?", ":", "|", "-")):
            words = match[0].count(" ") + 1
            found.append(SentencePart(*match.span(), match[0], ("name", "one" if words == 1 else "several")))
    for match in _NUMERAL.finditer(text):
        year = len(match[0]) == 4 and match[0].isdigit() and 1000 <= int(match[0]) <= 2100
        found.append(SentencePart(*match.span(), match[0], ("year", "") if year else ("number", "")))
    lexicon = Lexicon.load()
    for match in _LOWER.finditer(text):
        sort = _noun_sort(match[0], lexicon)
        if sort:
            found.append(SentencePart(*match.span(), match[0], ("noun", sort)))
    return tuple(found)


@cache
def _noun_sort(word: str, lexicon: Lexicon) -> str:
    base, number = word, "one"
    if not lexicon.has(word, "noun"):
        base = _singular(word, lexicon)
        number = "many"
    if not base or lexicon.frequency(base, "noun") < 1:
        return ""
    others = (
        max(lexicon.frequency(word, part) for part in ("verb", "adjective", "adverb") if lexicon.has(word, part))
        if any(lexicon.has(word, part) for part in ("verb", "adjective", "adverb"))
        else 0
    )
    if others * 2 > lexicon.frequency(base, "noun"):
        return ""
    category = lexicon.category(base, "noun") or ""
    return f"{category} {number}" if category else ""


def _singular(word: str, lexicon: Lexicon) -> str:
    for ending, instead in (("ies", "y"), ("es", ""), ("s", "")):
        base = word.removesuffix(ending) + instead
        if word.endswith(ending) and lexicon.has(base, "noun") and lexicon.inflect(base, "noun", "plural") == word:
            return base
    return ""


def is_plural(word: str) -> bool:
    """Whether a word is a noun's plural."""
    return bool(_singular(word, Lexicon.load()))


def holds(text: str, phrase: str) -> bool:
    """Whether a phrase stands in a text as a whole."""
    return put_for(text, phrase, "") != text


def akin(noun: str, other: str) -> bool:
    """Whether two nouns mean nearly the same, or one is the wider of the other, or they have a wider one in common."""
    lexicon = Lexicon.load()

    def around(word: str) -> set[str]:
        base = word if lexicon.has(word, "noun") else _singular(word, lexicon)
        near = {base, *lexicon.synonyms(base, "noun"), *lexicon.hypernyms(base, "noun")[:3]} if base else {word}
        return near | {
            wider for one in tuple(near) if lexicon.has(one, "noun") for wider in lexicon.synonyms(one, "noun")
        }

    return not around(noun).isdisjoint(around(other))
