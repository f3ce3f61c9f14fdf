"""A scripted model that writes pages anew, and errs on a share of them in known ways."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from hashlib import sha256

from tests.openai_server import Messages, Script

_WANTED = re.compile(r'<wanted id="(\w+)">\n(.*?)\n</wanted id="\1">', re.DOTALL)
_PAIRS = re.compile(r'<pairs id="(\w+)">\n(.*?)\n</pairs id="\1">', re.DOTALL)
_PAGE = re.compile(r'<page id="\w+">\n(.*?)\n', re.DOTALL)
_OPENINGS = ("It is on record that ", "As many remember, ", "By all accounts, ", "So the story goes: ")
_NUMBER = re.compile(r"\d[\d,]*")
_NAME = re.compile(r"(?<=[a-z,] )(?!(?:When|While|After|Before|For|In|On|At|As) )[A-Z][a-z]+ [A-Z][a-z]+")

Spoil = Callable[[str, str], str]
"""From a new sentence and the words to keep of it to a wrong one; to the same where it cannot be wrong in that way."""


def _number(text: str, _: str) -> str:
    return _NUMBER.sub(lambda found: f"{int(found[0].replace(',', '')) + 1}", text, count=1)


def _term(text: str, keep: str) -> str:
    """Another phrase in place of a value that is to be kept."""
    terms = re.findall(r"“([^”]+)”", keep)
    term = next((one for one in terms if " / " not in one and one.islower() and one in text), "")
    return text.replace(term, "something else") if term else text


def _exchanged(pattern: re.Pattern[str]) -> Spoil:
    """The first two different things of a sort in each other's place."""

    def exchange(text: str, _: str) -> str:
        found = list(dict.fromkeys(pattern.findall(text)))[:2]
        if len(found) < 2:
            return text
        one, other = found
        return re.sub(f"{one}|{other}", lambda match: other if match[0] == one else one, text)

    return exchange


ERRORS: dict[str, Spoil] = {
    "a sentence is left out": lambda text, keep: "",
    "a number is changed": _number,
    "a number is dropped": lambda text, keep: _NUMBER.sub("some", text, count=1),
    "a name is dropped": lambda text, keep: _NAME.sub("somebody", text, count=1),
    "a name is invented": lambda text, keep: text[:-1] + ", which pleased Aurelia Vantongeren.",
    "a year is invented": lambda text, keep: text[:-1] + ", and again in 1871.",
    "a value is dropped": _term,
    "a value is invented": lambda text, keep: text[:-1] + ", beside a glass floor.",
    "it is denied": lambda text, keep: text[:-1] + ", which was never true.",
    "two years are exchanged": _exchanged(re.compile(r"\b(?:1\d{3}|20\d{2})\b")),
    "a plain fact is invented": lambda text, keep: text[:-1] + ", and visitors are given tea.",
    "two names are exchanged": _exchanged(_NAME),
}
"""Ways to err by what they do to a sentence."""
UNPARSED = ("a plain fact is invented", "two names are exchanged")
"""Those that leave no trace that can be parsed."""


class ScriptedWriter:
    """Writes each sentence with another beginning; on a share of the pages, when first asked, one of them is wrong.

    Attributes:
        wrong: what was written wrong, by what was done to it.
        asked: pages, by how often sentences of theirs were asked for.
    """

    def __init__(self, share: float = 0.2, errors: Sequence[str] = tuple(ERRORS), always: bool = False) -> None:
        self.wrong: dict[str, list[str]] = {}
        self.asked: Counter[str] = Counter()
        self._share, self._errors, self._always = share, errors, always

    def script(self) -> Script:
        """What a server is given."""
        return self._reply

    def _reply(self, messages: Messages) -> str:
        prompt = messages[-1]["content"]
        if found := _PAIRS.search(prompt):
            return self._judged(found[1], found[2])
        wanted, title = _WANTED.search(prompt), _PAGE.search(prompt)
        assert wanted is not None
        assert title is not None
        page = title[1]
        self.asked[page] += 1
        dice = sha256(page.encode()).digest()
        errs = dice[0] < 256 * self._share and (self._always or self.asked[page] == 1)
        error = self._errors[dice[1] % len(self._errors)]
        sentences = []
        for line in wanted[2].split("\n"):
            sentence, _, keep = line.partition(" | keep: ")
            number, _, old = sentence.partition(". ")
            new = reworded(old.partition(" | wrong the last time")[0])
            if errs:
                spoilt = ERRORS[error](new, keep)
                if spoilt != new:
                    self.wrong.setdefault(error, []).append(spoilt)
                    new, errs = spoilt, self._always
            sentences.append(f"{number}. {new}")
        return json.dumps({"id": wanted[1], "sentence": sentences})

    def _judged(self, token: str, pairs: str) -> str:
        """A judge that knows what was written wrong."""
        wrong = {text for some in self.wrong.values() for text in some if text}
        numbers = [new.partition(". ")[0] for _, new in (pair.split("\n") for pair in pairs.split("\n\n"))
                   if new.partition(". ")[2] in wrong]  # fmt: skip
        verdict = "different" if numbers else "same"
        return json.dumps({"id": token, "verdict": verdict, "wrong": [f"{one}. it differs" for one in numbers]})


def reworded(sentence: str) -> str:
    """A sentence that says the same with another beginning.

    >>> reworded("The roof is green.")
    'By all accounts, the roof is green.'
    """
    opening = _OPENINGS[len(sentence) % len(_OPENINGS)]
    first, space, rest = sentence.partition(" ")
    small = first.lower() if first in ("The", "It", "In", "A", "An", "He", "She", "His", "Her", "At", "On") else first
    return f"{opening}{small}{space}{rest}"
