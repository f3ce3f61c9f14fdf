"""The languages that a web can be written in."""

from __future__ import annotations

from webenv.corpora.procedural.language.chinese import CHINESE
from webenv.corpora.procedural.language.english import ENGLISH
from webenv.corpora.procedural.language.language import Language

LANGUAGES: dict[str, Language] = {language.code: language for language in (ENGLISH, CHINESE)}


def language_of(code: str) -> Language:
    """The language of a code, as the dial ``language`` has it."""
    return LANGUAGES[code]
