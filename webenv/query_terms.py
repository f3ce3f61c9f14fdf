"""A question in words: its criteria, the query that a criterion makes, and its content words."""

from __future__ import annotations

import re

_QUERY_CHARACTERS = 1_000
_OPERATORS = re.compile(r'["“”:]|(?<!\w)-')  # what a search engine may read as a command
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])(?=.)")
_WORD = re.compile(r"\w+")
_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_CONTENT = rf"(?![的了在是由被于与和及从把将对某一这那其之所过着])[{_HAN}]"
_WORDS = re.compile(rf"(?=({_CONTENT}{_CONTENT}))|[^\W{_HAN}]+")  # Chinese has no spaces: two characters are a word
_NAME = re.compile(r"[A-Z][\w'’.&-]*(?: (?:(?:of|and|the|de|&) )?[A-Z][\w'’.&-]*)*")
STOP_WORDS = frozenset(
    _WORD.findall(
        "a about after all also an and another any are as at be been before being between both but by can certain "
        "could did do does during each either every few for from had has have he her his how if in into is it its "
        "many may more most much no not of on one or other over own several she should since so some somebody "
        "someone something sometime somewhere such than that the their them then there these they this those "
        "through to under until was way were what when where which while who whom whose why will with within "
        "without would you"
    )
)
"""Words of English that say nothing of what is sought."""
UNITS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
"""The numbers below twenty in words, each at its own place."""
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
SENTENCE_END = re.compile(r"(?<=[.!?。！？])[”\"]?\s+|(?<=[。！？])|\n+")
"""Where a text of pages is cut into sentences; a quotation mark at the end of one falls away."""


def criteria_of(question: str) -> list[str]:
    """The criteria of a question, at least one: its ``- `` lines, or its lines, or its sentences.

    >>> criteria_of("Find a page.\\n- It names a river.\\n- It tells of a flood.")
    ['It names a river.', 'It tells of a flood.']
    >>> criteria_of("Who won? Where was it?")
    ['Who won?', 'Where was it?']
    """
    lines = [line.strip() for line in question.splitlines() if line.strip()]
    listed = [line[2:].strip() for line in lines if line.startswith("- ") and line[2:].strip()]
    if listed:
        return listed
    return lines if len(lines) > 1 else _SENTENCE.split(lines[0]) if lines else [question]


def query_of(text: str) -> str:
    """A text as a query: without what a search engine may read as a command, and of at most 1,000 characters."""
    plain = " ".join(_OPERATORS.sub(" ", text).split())
    if len(plain) <= _QUERY_CHARACTERS:
        return plain
    cut = plain[:_QUERY_CHARACTERS]
    return cut.rpartition(" ")[0] or cut


def content_words(text: str) -> frozenset[str]:
    """The words of a text that are no stop words, lower-cased."""
    return frozenset(words_of(text)) - STOP_WORDS


def words_of(text: str) -> list[str]:
    """The words of a text, lower-cased; of Chinese each two characters that stand side by side."""
    return [match[1] or match[0] for match in _WORDS.finditer(text.lower())]


def names_of(text: str) -> list[str]:
    """The names in a text: runs of words with capitals, without "The" and words that only begin a sentence.

    >>> names_of("In 1848 Declan Angell took on the musician Ernesto Bellamy.")
    ['Declan Angell', 'Ernesto Bellamy']
    """
    found = []
    for match in _NAME.finditer(text):
        name = match[0].removesuffix("'s").removesuffix("’s").rstrip(".")
        first, _, rest = name.partition(" ")
        if first.lower() in STOP_WORDS:
            name = rest
        if len(name) > 2 and (name != first or match.start() > 0):
            found.append(name)
    return found
