"""What lists name, and where that is, for a reader without a model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from webenv.policies.hierarchical.names import bare, mentions, names_in
from webenv.policies.hierarchical.pages import FACT, ITEM, NAMED_ITEM, cells_of, without_links

_PLACED_ITEM = re.compile(r"^- (?:\*\*)?([^:()|*“”]{3,60}?)(?:\*\*)? \(([^\W\d_a-z][^()\d]{1,40})\):")


def towns_in_list(text: str) -> dict[str, str]:
    """Where the things of a list are: by what stands in brackets behind their names, or under "Town".

    >>> towns_in_list("- [Corvo](https://a.example/c) (Ay): a ferry.\\n\\n| | Town |\\n| --- | --- |\\n| Delos | Bee |")
    {'Corvo': 'Ay', 'Delos': 'Bee'}
    """
    found = {}
    for line in text.splitlines():
        item = _PLACED_ITEM.match(without_links(line))
        if item:
            found[item[1]] = item[2]
    return found | {row.name: row.value for row in cells_of(text, "") if row.label in ("Town", "Place", "Where")}


def items_of(text: str, kind: str = "") -> Iterator[str]:
    """The names that the items of a page's lists begin with, in bold, and its headings which the text below them has
    too: no labels, which have a value or come again.

    >>> list(items_of("- **[Corvo](https://a.example/c)** (Ay): a ferry.\\n- **1901**: It was built."))
    ['Corvo']
    """
    for section in re.split(r"^#+ ", without_links(text), flags=re.MULTILINE)[1:]:
        head, _, below = section.partition("\n")
        if names_in(f"x {head}") == (head,) and mentions(below, head):
            yield head
    plain = [NAMED_ITEM.match(without_links(line)) for line in text.splitlines() if line.startswith("- ")]
    end = f" {kind}" if kind else ""  # a station's name may end in small letters
    yield from (one[1] for one in plain if one and names_in(f"x {one[1]}") == (bare(one[1]).removesuffix(end),))
    items = [without_links(line) for line in text.splitlines() if line.startswith(("- **", "**"))]
    found = [one[1] for line in items if (one := ITEM.match(line)) and not (FACT.match(line) and line[-1] not in ".!?")]
    often = Counter(found)
    yield from (one for one in often if often[one] == 1 and names_in(f"x {one}") == (one.removesuffix(end),))
