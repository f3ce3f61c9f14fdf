"""Chinese characters in letters, for addresses."""

from __future__ import annotations

from functools import cache
from importlib import resources


def romanised(text: str) -> str:
    """A text with its Chinese characters in pinyin without tones; characters that are not known are left out.

    >>> romanised("青岚灯塔"), romanised("Müller")
    ('qinglandengta', 'Müller')
    """
    if text.isascii() or not any("\u4e00" <= character <= "\u9fff" for character in text):
        return text
    known = _syllables()
    return "".join(known.get(character, "" if "\u4e00" <= character <= "\u9fff" else character) for character in text)


@cache
def _syllables() -> dict[str, str]:
    """The syllable of each character, from lines of a syllable and the characters that are read so."""
    file = resources.files("webenv.corpora.world") / "pinyin.txt"
    lines = (line.split() for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    return {character: syllable for syllable, *groups in lines for character in "".join(groups)}
