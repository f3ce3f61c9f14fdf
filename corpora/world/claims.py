"""What a page claims: its blocks, before a word of them is written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from webenv.corpora.procedural.rng import Rng
from webenv.corpora.world.builds import BUILDS, PERSON_BUILDS
from webenv.corpora.world.choosing import Block
from webenv.corpora.world.choosing_others import OtherParts
from webenv.corpora.world.choosing_subject import SubjectParts
from webenv.corpora.world.conflicts import NOTE
from webenv.corpora.world.model import Claim
from webenv.corpora.world.plan import PageHead, WorldPlanner

_FIRST = {
    "report": 0, "specs": 1, "box": 2, "keys": 2, "roles": 3, "series": 3, "qa": 3, "quote": 3, "voices": 3,
    "reviews": 3, "comments": 3, "context": 3, "chron": 4, "lead": 5, "sections": 6, "story": 6, "life": 6,
    "mentions": 7, "people": 8, "contrast": 8,
}  # fmt: skip
"""The order in which parts come to their facts; what is not named comes at 5, and contrasts last."""
_BARE = ("note", "lead", "links", "context", "statement", "argument")
_LONG = 10  # facts of a page


class WorldPagePlan(NamedTuple):
    """A page before it is written."""

    head: PageHead
    blocks: tuple[Block, ...]

    @property
    def claims(self) -> tuple[Claim, ...]:
        """All that it claims, each once."""
        return tuple(dict.fromkeys(claim for block in self.blocks for claim in block.claims))


def plan_page(planner: WorldPlanner, number: int) -> WorldPagePlan:
    """A page with all that it claims.

    Args:
        planner: of the page's world.
        number: of the page.
    """
    region, head = planner.region_of(number), planner.head(number)
    rng = Rng(*planner.world.setting.seed, "plan", number)
    return WorldPagePlan(head, tuple(_Blocks(planner, region, head, rng).made()))


class _Blocks(SubjectParts, OtherParts):
    """Decides what a page claims, block by block."""

    def made(self) -> Iterable[Block]:
        """The blocks of the page, in their order: parts that pick facts come first to theirs, prose takes the rest."""
        form, person = self._head.form, self._subject is not None and self._subject.kind == "person"
        builds = (PERSON_BUILDS if person and form in PERSON_BUILDS else BUILDS)[form]
        if len(self._left) > _LONG:  # much is told under headings, not in one go
            builds = tuple(one for one in builds if "sections" in one) or builds
        build = self._rng.pick(builds).split()
        blocks: dict[str, list[Block]] = {}
        for part in sorted(build, key=lambda one: _FIRST.get(one, 5)):
            name, _, use = part.partition(":")
            found = getattr(self, f"_{name}")(*([use] if use else []))
            blocks[part] = [block for block in found if block.claims or block.form in _BARE]
        if self._conflict is not None:
            build, blocks[NOTE] = [*build, NOTE], list(self._note(NOTE))
        return [block for part in build for block in blocks[part]]
