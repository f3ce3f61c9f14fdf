"""Pages as texts: their blocks written out in the manner of the site, in Markdown."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from webenv.corpora.world.choosing import Block
from webenv.corpora.world.claims import WorldPagePlan
from webenv.corpora.world.plan import WorldPlanner
from webenv.corpora.world.writing_lists import ListBlocks
from webenv.corpora.world.writing_prose import ProseBlocks
from webenv.corpora.world.writing_users import UserBlocks


class WrittenPage(NamedTuple):
    """A page, written.

    Attributes:
        text: its main text.
        told: what the text says of each fact, by the fact's key: "O" its object, "Y" its year, further values by name.
        touched: what it names of facts in sentences that only touch on them, and leave to the reader what was so.
    """

    text: str
    told: Mapping[tuple[int, int], Collection[str]]
    touched: Mapping[tuple[int, int], Collection[str]]


def write_page(planner: WorldPlanner, plan: WorldPagePlan) -> WrittenPage:
    """Writes a page out.

    Args:
        planner: of the page's world.
        plan: what the page claims.
    """
    page = _Page(planner, plan)
    return WrittenPage(page.text(), page.told, page.touched)


class _Page(ProseBlocks, ListBlocks, UserBlocks):
    """A page with all its forms of blocks."""

    def text(self) -> str:
        parts: list[str] = []
        for block in self._plan.blocks:
            parts += self._block(block)
        return self._language.polished("\n\n".join(parts), self._style)

    def _block(self, block: Block) -> list[str]:
        parts = [part for part in getattr(self, f"_{block.form}")(block) if part]
        return [f"## {block.head}", *parts] if block.head and parts else parts
