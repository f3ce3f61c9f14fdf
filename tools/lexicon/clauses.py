"""Cleans WordNet's glosses and examples and tells clauses from phrases; used by make_lexicon.py alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from wordlists import word_list

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_QUOTED = re.compile(r'"([^"]*)"\s*(?=([^;\s])|;|$)')
_ATTRIBUTED = re.compile(r'"\s*(?:-|--|by |;\s*(?:-|--))')

_SUBJECTS = word_list("subjects")
_FINITE = word_list("finite")
_DETERMINERS = word_list("determiners")
_PREPOSITIONS = word_list("prepositions")
_OTHER = word_list("other")
CLOSED = _SUBJECTS | _FINITE | _DETERMINERS | _PREPOSITIONS | _OTHER
"""Function words, which WordNet does not list."""

_RELATIVE = word_list("relative")
_STARTS_FRAGMENT = word_list("starts fragment")
_PRONOUNS = word_list("pronouns")
_STRONG = word_list("strong")
_GENDERED = {"his": "he", "him": "she", "himself": "he", "her": "she", "herself": "she"}
_OPENING = word_list("opening")
_INTERROGATIVE = word_list("interrogative")
_ASKING = word_list("asking")
_CAPITAL = word_list("capital")


def words_of(text: str) -> list[str]:
    """The words of a text, lower-case, with inner hyphens and apostrophes."""
    return [word.lower() for word in _WORD.findall(text)]


def clean_definition(gloss: str) -> str:
    """The first definition of a gloss without brackets, examples and remarks; empty where none is left."""
    text = gloss.split('"')[0].replace("_", " ").replace("’", "'")
    while (bare := re.sub(r"\s*\([^()]*\)", "", text)) != text:
        text = bare
    parts = [part.strip(" ,:.") for part in text.split(";")]
    text = re.sub(r"\s+", " ", next((part for part in parts if len(part.split()) > 1), parts[0]))
    head, _, rest = text.partition(": ")
    if rest:  # "math: determine the length of", or a remark behind the definition
        text = rest if len(head.split()) < 3 else head
    plain = re.fullmatch(r"[a-z ,'-]*", text) and not re.search(r"(^|\s)'|--|\s[,-]|( as| by|including)$", text)
    return text if plain else ""


def quoted_examples(gloss: str) -> list[str]:
    """The examples of a gloss that no author is named for."""
    if _ATTRIBUTED.search(gloss):
        return []
    return [match[1].strip() for match in _QUOTED.finditer(gloss) if match[2] is None]


@dataclass(frozen=True)
class Grammar:
    """What is known of word forms: all known ones, those of verbs, of nouns, and pasts that are no participles."""

    known: Callable[[str], bool]
    past: frozenset[str]
    certain_past: frozenset[str]
    third: frozenset[str]
    base: frozenset[str]
    nouns: frozenset[str]
    plurals: frozenset[str]
    adjectives: frozenset[str]

    def clause(self, example: str) -> str:
        """The example as text that starts in lower case and has no final stop, or empty if it is unfit.

        Unfit: names, figures, brackets, words that are not in the lexicon.
        """
        text = re.sub(r"\s+", " ", example.replace("`", "'").replace("’", "'")).strip(" .;,:-")
        if not re.fullmatch(r"[A-Za-z][A-Za-z ,;:'?!-]*", text) or re.search(
            r"(^|\s)'|'(\s|$)|--|\s[,;:?!]| -|- ", text
        ):
            return ""
        tokens = _WORD.findall(text)
        first = tokens[0] if tokens else ""
        for place, token in enumerate(tokens):
            if token not in _CAPITAL and token[1:] != token[1:].lower():
                return ""
            if (
                token[0].isupper()
                and token not in _CAPITAL
                and (place or not self.known(token.lower().removesuffix("'s")))
            ):
                return ""
        if not all(self.known(token.lower().removesuffix("'s")) for token in tokens):
            return ""
        return text if first in _CAPITAL else text[0].lower() + text[1:]

    def phrase(self, text: str) -> bool:
        """Whether a cleaned example without a verb is a noun phrase: ends in a noun, starts as one may."""
        words = words_of(text)
        if text.endswith(("?", "!")) or "," in text or words[0] in CLOSED - _DETERMINERS or words[0] in _SUBJECTS:
            return False
        if words[0] in self.past and words[0] not in self.adjectives:
            return False
        if self.doubtful(text):
            return False
        starts = words[0] in _DETERMINERS or words[0] in self.adjectives or words[0] in self.nouns | self.plurals
        return starts and (words[-1] in self.nouns or words[-1] in self.plurals)

    def with_subject(self, text: str) -> str:
        """An example that starts with its finite verb ("was proud of his grades") with "he" or "she" before it."""
        words = words_of(text)
        if len(words) < 4 or text.endswith(("?", "!")) or words[0] in self.nouns:
            return text
        if words[0] not in ("is", "was", "has", "had") and words[0] not in self.certain_past | _STRONG:
            return text
        own = next((word for word in words if word in _GENDERED), "")
        if words[0] in _STRONG and words[1] not in _DETERMINERS | _PREPOSITIONS:
            return text
        return f"{_GENDERED[own] if own else ('she', 'he')[len(text) % 2]} {text}"

    def finite(self, text: str, shown: frozenset[str]) -> bool:
        """Whether a cleaned example has a subject and a finite verb, or is a command.

        ``shown`` are the forms of the verb that it is an example of; commands are taken only of verbs.
        """
        words = words_of(text)
        first = words[0]
        if text.endswith("?"):
            return first in _ASKING or first in _INTERROGATIVE or first in _SUBJECTS
        if first in _STARTS_FRAGMENT or first in _ASKING - {"do", "have"}:
            return False
        if first in _FINITE and "'" in first:
            return True
        if shown and first in self.base and first not in _SUBJECTS:
            if first not in self.nouns or words[1] in _DETERMINERS or words[1] in _PREPOSITIONS:
                return True
        elif first in self.past and first not in self.nouns and first not in self.adjectives:
            return False
        if first in _RELATIVE and first not in _SUBJECTS:
            if "," not in text:
                return False
            words = ["", *words_of(text.split(",", 1)[1])]
        subordinate = False
        for place in range(1, len(words)):
            if words[place] in _OPENING and words[place - 1] not in ("", "and", "or"):
                subordinate = True
            elif self._verb_at(words, place, shown):
                if not subordinate:
                    return True
                subordinate = False
        return False

    def doubtful(self, text: str) -> bool:
        """Whether an example that is not surely a clause may be one."""
        words = words_of(text)
        return any(
            words[place] in _FINITE
            or (
                (words[place] in self.past or words[place] in self.third or words[place] in self.base)
                and (
                    words[place - 1] in self.nouns or words[place - 1] in self.plurals or words[place - 1] in _SUBJECTS
                )
                and place + 1 < len(words)
            )
            for place in range(1, len(words))
        )

    def _verb_at(self, words: list[str], place: int, shown: frozenset[str]) -> bool:
        word, before = words[place], words[place - 1]
        after = words[place + 1] if place + 1 < len(words) else ""
        if word in _FINITE:
            return before != "to"
        verb = word in self.past or word in self.third or word in self.base
        if before in _DETERMINERS - _SUBJECTS or before in _PREPOSITIONS or before in ("to", "and", "or", "be", "been"):
            return False
        if verb and any(words[back] in _PRONOUNS for back in range(max(0, place - 2), place)):
            return (
                before in _PRONOUNS or before.endswith("ly") or before in ("never", "always", "often", "just", "really")
            )
        if word in shown:
            return word not in self.adjectives or after in _DETERMINERS or before in self.nouns | self.plurals
        if word in self.certain_past or word in _STRONG:
            return True
        if word in self.third and (word not in self.plurals or after == "to"):
            return True
        if before not in self.nouns and before not in self.plurals:
            return False
        if word in self.past or (word in self.third and before in self.nouns):
            return after in _DETERMINERS or after in ("", "that")
        return word in self.base and before in self.plurals and word not in self.nouns and word not in self.adjectives
