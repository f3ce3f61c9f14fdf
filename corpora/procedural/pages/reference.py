"""The reference site: a web that teaches its own words."""

from __future__ import annotations

from functools import cached_property

from webenv.corpora.procedural.dice import Dice
from webenv.corpora.procedural.language.phrasing import synonyms
from webenv.corpora.procedural.world.values import listed
from webenv.corpora.procedural.world.world import World

_TERMS = 36


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
        self._language = world.language

    @cached_property
    def _terms(self) -> list[tuple[bool, str, tuple[str, ...]]]:
        """(whether a wider name, the term, what it stands beside) in an order of the world's own."""
        found: list[tuple[bool, str, tuple[str, ...]]] = [
            (False, word, near) for word, near in synonyms(self._language).items()
        ]
        for groups in listed(self._language).values():
            for group, values in groups.items():
                for value in values:
                    found.append((True, value.text, (group,)))
                    if value.far:
                        found.append((False, value.far, (value.text,)))
        return Dice(*self._world.seed, "reference").shuffle(found)

    @cached_property
    def _meanings(self) -> tuple[tuple[str, str], ...]:
        return self._language.meanings()

    def leaf(self, number: int, dice: Dice) -> str:
        """The text of one leaf: some terms of this world, among words of the lexicon."""
        each = -(-len(self._terms) // self._leaves)
        mine = self._terms[number * each : (number + 1) * each]
        if not mine:
            mine = dice.sample(self._terms, 6)
        texts = self._language.texts
        lines = []
        for below, term, beside in mine:
            form = dice.pick(texts["wider" if below else "near"])
            other = self._language.either(beside)
            lines.append(form.replace("{a}", f"“{term}”").replace("{b}", other))
        for _ in range(max(20, _TERMS - len(lines))):
            word, meaning = dice.pick(self._meanings)
            lines.append(dice.pick(texts["means"]).replace("{w}", f"“{word}”").replace("{x}", meaning))
        ready = [self._language.entry(line) for line in dice.shuffle(lines)]
        half = len(ready) // 2
        return "\n".join(ready[:half]) + "\n\n" + "\n".join(ready[half:])
