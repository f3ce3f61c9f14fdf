"""Inflected forms from lemminflect's tables and WordNet's lists of exceptions; used by make_lexicon.py alone."""

from __future__ import annotations

import importlib
import re
from typing import Any

from wordnet import WordNet

TAGS = {"n": ("NNS",), "v": ("VBZ", "VBD", "VBN", "VBG"), "a": ("JJR", "JJS"), "r": ("RBR", "RBS")}
"""Penn Treebank tags of the forms, in the order in which they are stored, by part of speech."""

_PARTS = {"n": "NOUN", "v": "VERB", "a": "ADJ", "r": "ADV"}


class Inflections:
    """The forms of a lemma: one of each kind, the commonest in American spelling."""

    def __init__(self, net: WordNet) -> None:
        self._tables: Any = importlib.import_module("lemminflect")
        self._irregular = net.irregular

    def forms(self, lemma: str, part: str) -> tuple[str, ...]:
        """The forms in the order of TAGS; for adjectives and adverbs none where "more" is said."""
        head, last = lemma.rsplit(" ", 1) if " " in lemma else ("", lemma)
        if part == "v" and head:
            first, rest = lemma.split(" ", 1)
            return tuple(f"{form} {rest}" for form in self.forms(first, part))
        table = self._tables.getAllInflections(last, _PARTS[part])
        found = [self._form(last, part, tag, table) for tag in TAGS[part]]
        if part in "ar" and not all(found):
            return ()
        return tuple(f"{head} {form}" if head else form for form in found)

    def has_plural(self, noun: str) -> bool:
        """Whether the table knows a plural that differs from the noun, or does not know the noun at all."""
        table = self._tables.getAllInflections(noun.rsplit(" ", 1)[-1], "NOUN")
        return not table or table.get("NNS", (noun,))[0] != noun

    def _form(self, lemma: str, part: str, tag: str, table: dict[str, tuple[str, ...]]) -> str:
        if tag == "VBN" and tag not in table:
            tag = "VBD" if "VBD" in table else tag
        if tag in table and not (tag == "VBN" and lemma == "get"):
            return table[tag][0]
        irregular = self._irregular.get((lemma, part), [])
        if part == "n":
            return irregular[0] if irregular else _regular_plural(lemma)
        if part == "v":
            return "got" if lemma == "get" else _regular_verb(lemma, tag, irregular)
        return ""


def _regular_plural(noun: str) -> str:
    if re.search(r"[^aiosu]s$", noun):
        return noun
    if re.search(r"[^aeiou]y$", noun):
        return noun[:-1] + "ies"
    if noun.endswith("man") and not noun.endswith(("human", "german", "roman", "shaman", "talisman")):
        return noun[:-3] + "men"
    if noun.endswith("sis"):
        return noun[:-2] + "es"
    return noun + ("es" if re.search(r"(s|x|z|ch|sh)$", noun) else "s")


def _regular_verb(verb: str, tag: str, irregular: list[str]) -> str:
    if tag == "VBZ":
        return (
            verb + ("es" if re.search(r"(s|x|z|ch|sh)$", verb) else "s") if verb[-1] != "y" else _regular_plural(verb)
        )
    ending = "ing" if tag == "VBG" else "ed"
    for form in irregular:
        if form.endswith("ing") == (tag == "VBG"):
            return form
    if verb.endswith("ie") and ending == "ing":
        return verb[:-2] + "ying"
    if verb.endswith("e") and not (ending == "ing" and verb.endswith(("ee", "oe", "ye"))):
        return verb[:-1] + ending
    if ending == "ed" and re.search(r"[^aeiou]y$", verb):
        return verb[:-1] + "ied"
    if re.fullmatch(r"[^aeiou]*[aeiou][bdgklmnprtz]", verb):
        return verb + verb[-1] + ending
    return verb + ending
