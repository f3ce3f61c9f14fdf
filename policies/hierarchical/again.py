"""Which pages are to be read again once all rows are known: those that name rows of which they have stated nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from webenv.policies.hierarchical.kinds import PAIR
from webenv.policies.hierarchical.ledger import Ledger
from webenv.policies.hierarchical.messages import CitedStatement, ReadPage
from webenv.policies.hierarchical.names import bare, mentions
from webenv.policies.hierarchical.pages import YEAR, sentences
from webenv.policies.hierarchical.rows import folded


def unheard(
    ledger: Ledger, statements: Iterable[CitedStatement], pages: Iterable[ReadPage]
) -> list[tuple[ReadPage, tuple[str, ...]]]:
    """The pages that name rows of which they have stated nothing, with these rows: they were read before it was known
    that there are such rows, and what they tell of them was taken for something else's."""
    said: dict[str, set[str]] = {}
    posts = ledger.wanted.keys == 2
    for one in (one for one in statements if not posts or PAIR in one.entity):
        said.setdefault(one.url, set()).add(folded(one.entity.partition(PAIR)[0]))
    found = []
    for page in {one.url: one for one in pages}.values():
        known, text = said.get(page.url, set()), f"{page.title}\n{page.text}"
        rows = tuple(one for one in ledger.entities if folded(one) not in known and _told_of(one, text, dated=posts))
        if rows:
            found.append((page, rows))
    return found


def _told_of(name: str, text: str, *, dated: bool) -> bool:
    """Whether a text names something; in a sentence with a year, where years are asked for."""
    if not dated or bare(name) not in text:
        return mentions(text, name)
    return any(mentions(one, name) and YEAR.search(one) for line in text.splitlines() for one in sentences(line))


def replaced(
    statements: Iterable[CitedStatement], again: Sequence[CitedStatement], urls: Iterable[str]
) -> list[CitedStatement]:
    """All statements, those of who held a post of the second reading instead of the first."""
    twice = set(urls)
    return [*(one for one in statements if one.url not in twice or PAIR not in one.entity), *again]
