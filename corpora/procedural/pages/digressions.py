"""Digressions: sentences beside the point, in words that people wrote."""

from __future__ import annotations

from webenv.corpora.procedural.dice import Dice
from webenv.corpora.procedural.language.language import Language
from webenv.corpora.procedural.world.sites import Voice

_QUOTES, _LETTERS, _GLOSSARIES, _LISTS = 0.36, 0.46, 0.53, 0.7  # cumulated; the rest are words and their meanings


class Digressions:
    """Quotations, letters, glossaries, lists of things, words and their meanings.

    Args:
        language: whose words.
    """

    def __init__(self, language: Language) -> None:
        self._language = language
        self._quotes = tuple((quote, language.halves(quote)) for quote in language.sentences())
        self._plain = tuple(quote for quote, _ in self._quotes if language.plain(quote))
        self._definitions = language.definitions()
        self._glossed = language.texts["glossed"][0]

    def draw(self, voice: Voice, dice: Dice) -> str:
        """A sentence, or a few."""
        roll = dice.random()
        if roll < _QUOTES:
            text = self._quote(voice, dice)
        elif roll < _LETTERS:
            text = dice.pick(voice["letters"])
            for place in ("{x}", "{y}", "{z}"):
                if place in text:
                    text = text.replace(place, dice.pick(self._plain))
        elif roll < _GLOSSARIES:
            text = dice.pick(voice["glossary"]).replace("{g}", self._glossary(dice))
        elif roll < _LISTS and "lists" in voice:
            text = dice.pick(voice["lists"]).replace("{g}", self._language.things(dice))
        else:
            word, meaning, use = dice.pick(self._definitions)
            text = dice.pick(voice[use]).replace("{x}", meaning).replace("{w}", word)
        return self._language.sentence(text.replace("{who}", dice.pick(voice["who"])))

    def _quote(self, voice: Voice, dice: Dice) -> str:
        quote, halves = dice.pick(self._quotes)
        if halves and "halves" in voice:
            return dice.pick(voice["halves"]).replace("{x}", halves[0]).replace("{y}", halves[1])
        return self._language.quoted(dice.pick(voice["quotes"]), quote)

    def _glossary(self, dice: Dice) -> str:
        words = [dice.pick(self._definitions) for _ in range(dice.between(3, 5))]
        items = (self._glossed.replace("{x}", meaning).replace("{w}", word) for word, meaning, _ in words)
        return self._language.semicolon.join(items)
