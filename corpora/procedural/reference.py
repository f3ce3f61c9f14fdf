"""The reference site: a web that teaches its own words."""

from __future__ import annotations

from functools import cached_property

from webenv.corpora.procedural.dice import Dice
from webenv.corpora.procedural.phrasing import synonyms
from webenv.corpora.procedural.values import listed
from webenv.corpora.procedural.world import World

__all__ = ["Reference"]

_TERMS = 36
_FORMS = (
    "{a} says much the same as {b}",
    "some write {a}, some {b}",
    "{a}: {b}",
    "{b} can be put as {a}",
    "for {a} plain speakers prefer {b}",
    "{a} is a grander way to say {b}",
    "look under {b}: {a} means no more",
    "between {a} and {b} the sense hardly differs",
)
_BELOW = (
    "{a} is {b}",
    "{b}, of which {a} is one",
    "under {b} our list has {a}",
    "whoever says {a} means {b}",
    "{a}, counted as {b}",
)
_MEANS = (
    "{w}: {x}",
    "by {w} is meant: {x}",
    "{w} ({x})",
    "the entry for {w} runs: {x}",
    "{w} stands for {x}",
)


class Reference:
    """Leaves of a dictionary of near words, wider names, and meanings.

    Every word that criteria use and pages do not stands on some leaf beside the pages' words.

    Args:
        world: whose words.
        leaves: how many pages.
    """

    def __init__(self, world: World, leaves: int) -> None:
        self._world = world
        self._leaves = leaves

    @cached_property
    def _terms(self) -> list[tuple[bool, str, tuple[str, ...]]]:
        """(whether a wider name, the term, what it stands beside) in an order of the world's own."""
        found: list[tuple[bool, str, tuple[str, ...]]] = [(False, word, near) for word, near in synonyms().items()]
        for groups in listed().values():
            for group, values in groups.items():
                for value in values:
                    found.append((True, value.text, (group,)))
                    if value.far:
                        found.append((False, value.far, (value.text,)))
        return Dice(*self._world.seed, "reference").shuffle(found)

    @cached_property
    def _meanings(self) -> list[tuple[str, str]]:
        return [(item.word, item.text) for item in self._world.lexicon.definitions()]

    def leaf(self, number: int, dice: Dice) -> str:
        """The text of one leaf: some terms of this world, among words of the lexicon."""
        each = -(-len(self._terms) // self._leaves)
        mine = self._terms[number * each : (number + 1) * each]
        if not mine:
            mine = dice.sample(self._terms, 6)
        lines = []
        for below, term, beside in mine:
            form = dice.pick(_BELOW if below else _FORMS)
            other = " or ".join(f"“{word}”" for word in beside)
            lines.append(form.replace("{a}", f"“{term}”").replace("{b}", other))
        for _ in range(max(20, _TERMS - len(lines))):
            word, meaning = dice.pick(self._meanings)
            lines.append(dice.pick(_MEANS).replace("{w}", f"“{word}”").replace("{x}", meaning))
        ready = [line[0].upper() + line[1:] + "." if line[0] != "“" else line + "." for line in dice.shuffle(lines)]
        half = len(ready) // 2
        return "\n".join(ready[:half]) + "\n\n" + "\n".join(ready[half:])
