"""Which pages are to be read again once all rows are known: those that name rows of which they have stated nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from webenv.policies.hierarchical.kinds import PAIR
from webenv.policies.hierarchical.ledger import Ledger
from webenv.policies.hierarchical.messages import CitedStatement, ReadPage
from webenv.policies.hierarchical.names import mentions
from webenv.policies.hierarchical.rows import folded


def unheard(
    ledger: Ledger, statements: Iterable[CitedStatement], pages: Iterable[ReadPage]
) -> list[tuple[ReadPage, tuple[str, ...]]]:
    """The pages that name rows of which they have stated nothing, with these rows: they were read before it was known
    that there are such rows, and what they tell of them was taken for something else's."""
    said: dict[str, set[str]] = {}
    for one in statements:
        said.setdefault(one.url, set()).add(folded(one.entity.partition(PAIR)[0]))
    found = []
    for page in {one.url: one for one in pages}.values():
        known, text = said.get(page.url, set()), f"{page.title}\n{page.text}"
        rows = tuple(one for one in ledger.entities if mentions(text, one) and folded(one) not in known)
        if rows:
            found.append((page, rows))
    return found


def replaced(
    statements: Iterable[CitedStatement], again: Sequence[CitedStatement], urls: Iterable[str]
) -> list[CitedStatement]:
    """All statements, those of who held a post of the second reading instead of the first."""
    twice = set(urls)
    return [*(one for one in statements if one.url not in twice or PAIR not in one.entity), *again]
