"""English names of people, places, bodies and works, from syllables that each world draws for itself."""

from __future__ import annotations

from collections.abc import Mapping

from webenv.corpora.procedural.dice import Dice
from webenv.corpora.procedural.language.lexicon import Lexicon, PartOfSpeech


def _split(text: str) -> list[str]:
    return text.split()


_ONSETS = _split(
    "b c d f g h j k l m n p r s t v w y z br cr dr fr gr kr pr tr vr bl cl fl gl kl pl sl sm sn st str sk sp th ch sh "
    "qu zh ts dw tw"
)
_VOWELS = _split("a e i o u a e i o u a e i o u y ai au ea ei eo ia ie oa ou")
_CODAS = _split("b d f g k l m n p r s t v x z nd nt rk rn rt lk lm ln ld ss th sh ck mb nk rd rm sk st")
_ENDS = {
    "place": ("ey", "ow", "mere", "wick", "holm", "stead", "gard", "berg", "ora", "isk", "una", "ad", "os", "enna"),
    "first": ("a", "e", "is", "en", "o", "an", "ette", "il", "us", "ine"),
}
_PARTS: tuple[PartOfSpeech, ...] = ("noun", "verb", "adjective", "adverb")


class Names:
    """Makes the names of one world.

    Names look like those of one world because each draws its own syllables; none is a word of
    the lexicon.

    Args:
        lexicon: whose words no name may be.
        seed: parts of the world's seed.
        texts: the forms of names of "bodies", "works" and "studies".
    """

    def __init__(self, lexicon: Lexicon, *seed: int | str, texts: Mapping[str, tuple[str, ...]]) -> None:
        dice = Dice(*seed, "names")
        self._texts = texts
        self._lexicon = lexicon
        self._onsets = dice.sample(_ONSETS, 26)
        self._vowels = dice.sample(_VOWELS, 9)
        self._codas = dice.sample(_CODAS, 18)
        self._ends = {kind: dice.sample(ends, 7) for kind, ends in _ENDS.items()}

    def word(self, dice: Dice, end: str = "") -> str:
        """A capitalised name of two or three syllables, not a word of English."""
        while True:
            text = self._syllables(dice, end)
            if len(text) > 4 and not any(self._is_word(form) for form in (text, *_stripped(text))):
                return text.capitalize()

    def _is_word(self, text: str) -> bool:
        return any(self._lexicon.has(text, part) for part in _PARTS)

    def _syllables(self, dice: Dice, end: str) -> str:
        pick = dice.pick
        text = pick(self._onsets) + pick(self._vowels)
        if dice.chance(0.35):
            text += pick(self._codas)[0] + pick(self._vowels)
        text += pick(self._codas)
        if end:
            return text + pick(self._ends[end])
        return text + (pick(self._vowels)[0] + pick(self._codas) if len(text) < 6 else "")

    def person(self, dice: Dice) -> str:
        """A first name and a surname."""
        return f"{self.word(dice, 'first')} {self.word(dice)}"

    def place(self, dice: Dice) -> str:
        """The name of a place."""
        return self.word(dice, "place")

    def body(self, dice: Dice) -> str:
        """The name of a body of people, as it stands in a sentence ("the Vessin Institute")."""
        return dice.pick(self._texts["bodies"]).format(self.word(dice))

    def member(self, grammar: str, kind: str, dice: Dice) -> str:
        """The name of something that pages are about ("the Vessin Lighthouse", "Sallow", "“Tolmar Nights”")."""
        if grammar == "person":
            return self.person(dice)
        if grammar == "place":
            return self.place(dice)
        if grammar == "work":
            return f"“{self.word(dice)} {dice.pick(self._texts['works'])}”"
        if grammar == "study":
            return f"the {self.word(dice)} {dice.pick(self._texts['studies'])}"
        return f"the {self.word(dice)} {kind.split()[-1].capitalize()}"


def _stripped(text: str) -> list[str]:
    """What is left of a word without an ending: perhaps the base form of an inflected one."""
    return [text[: -len(end)] for end in ("s", "es", "ed", "d", "er", "r", "est", "ing") if text.endswith(end)]
