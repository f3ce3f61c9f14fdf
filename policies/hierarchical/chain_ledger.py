"""What is known of a chain of names: which names pages put together, and the chain that holds best."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from webenv.policies.hierarchical.chinese import is_chinese
from webenv.policies.hierarchical.clauses import ChainQuestion, LinkClause, agreement, weights_of
from webenv.policies.hierarchical.links import DESCRIBES, KIND, kindness
from webenv.policies.hierarchical.messages import CitedStatement, Gap
from webenv.policies.hierarchical.names import bare
from webenv.urls import host_of

_TRIED = 4  # chains whose missing links are looked for
_SITE = 0.1  # what another site that says the same adds
_WEAK = 0.45  # of a link: another sentence is looked for
_UNSAID = 1.0  # what it costs a chain that nothing states a link
_TELLS = 1.6  # what a link that is wholly said adds at the most
_WIDTH = 40  # names that are kept for each letter
_THINGS = frozenset(
    re.findall(
        r"[a-z]+",
        """
        school university college museum gallery library theatre theater playhouse hotel church bridge dam park
        choir festival prize hospital station farm lighthouse brewery bank newspaper novel election
        garden expedition court harbour painting play album poem film song club team company firm party street
        road railway magazine ship boat award town village city county register council restaurant shop case
        accident fire flood viaduct foundry works yard record series pamphlet statue monument house
        """,
    )
)


class NamePath(NamedTuple):
    """Names for the letters of a question, as far as known (empty: not), and how well all of it holds."""

    names: tuple[str, ...]
    score: float


class ChainLedger:
    """What was stated of the links of a chain; the part of a table's ledger (:class:`~.ledger.Ledger`) for chains.

    Args:
        question: the chain.
    """

    columns: tuple[str, ...] = ("Letter", "Name", "Source")
    asked: tuple[str, ...] = ()
    within: Mapping[str, str] = {}
    doubts: tuple[tuple[str, str], ...] = ()

    def __init__(self, question: ChainQuestion) -> None:
        self.question = question
        self._links: dict[int, dict[tuple[str, str], dict[str, CitedStatement]]] = {}
        self._names: dict[str, str] = {}
        self._kinds: dict[str, set[str]] = {}
        self._fit: dict[tuple[str, int], float] = {}
        self._sure: dict[tuple[int, tuple[str, str]], float] = {}
        self._best: list[NamePath] | None = None

    def add(self, statements: Iterable[CitedStatement]) -> int:
        """Takes statements; how many links had none before."""
        new = 0
        for one in statements:
            if one.column == KIND:
                kinds = self._kinds.setdefault(self._folded(one.entity), set())
                if one.value not in kinds:
                    kinds.add(one.value)
                    self._fit.clear()
                    self._sure.clear()
                    self._best = None
                continue
            number = int(one.column) if one.column.isdigit() else -1
            if not 0 <= number < len(self.question.clauses) or not one.entity:
                continue
            pair = (self._folded(one.entity), one.value if one.value == DESCRIBES else self._folded(one.value))
            stated = self._links.setdefault(number, {}).setdefault(pair, {})
            new += not stated
            before = stated.get(one.url)
            if before is None or self._said(number, before) < self._said(number, one):
                stated[one.url] = one
                self._sure.pop((number, pair), None)
            self._best = None
        return new

    def _folded(self, name: str) -> str:
        folded = " ".join(bare(name).split()).casefold()
        self._names.setdefault(folded, name)
        return folded

    def _said(self, number: int, one: CitedStatement) -> float:
        return agreement(self.question.clauses[number].text, one.quote)

    # ── the chain ─────────────────────────────────────────────────────────────

    @property
    def entities(self) -> tuple[str, ...]:
        """The names of the best chain."""
        return tuple(one for one in self.best[0].names if one) if self.best else ()

    @property
    def best(self) -> list[NamePath]:
        """Chains, the best first: of names for all letters the scores of the links that pages state, added up."""
        if self._best is None:
            self._best = self._found()
        return self._best

    def _found(self) -> list[NamePath]:
        kinds = self.question.kinds
        paths: dict[str, NamePath] = {}
        for place in range(len(kinds)):
            said = self._described(place)
            described = any(one.source == place and not one.links for one in self.question.clauses)
            links = self._linked(place) if place else {}
            names = {
                *said,
                *(two for _, two in links),
                *(one for one, _ in (self._linked(place + 1) if place + 1 < len(kinds) else {})),
            }
            into: dict[str, list[tuple[str, float]]] = {}
            for (one, two), score in links.items():
                into.setdefault(two, []).append((one, score))
            free = max(paths.values(), key=lambda one: one.score, default=NamePath((), 0.0))
            free = free._replace(score=free.score - _UNSAID * bool(place))
            reached: dict[str, NamePath] = {}
            for name in sorted(names):
                fits = self._fits(name, place)
                if fits <= 0:
                    continue
                own = said.get(name, -_UNSAID if described else 0.0) + 0.3 * fits
                before = free
                for one, score in into.get(name, ()):
                    path = paths.get(one)
                    if path is not None and name not in path.names and path.score + score > before.score:
                        before = NamePath(path.names, path.score + score)
                if name not in before.names:
                    reached[name] = NamePath((*before.names, name), before.score + own)
            best = sorted(reached.values(), key=lambda one: (-one.score, one.names))[:_WIDTH]
            paths = {one.names[-1]: one for one in best}
            if not paths:
                paths = {"": NamePath((*free.names, ""), free.score)}
        return sorted(paths.values(), key=lambda one: (-one.score, one.names))

    def _described(self, place: int) -> dict[str, float]:
        """How well each name fits what the question says of a letter."""
        found: dict[str, float] = {}
        for clause in self.question.clauses:
            if clause.links or clause.source != place:
                continue
            for pair, stated in self._links.get(clause.number, {}).items():
                name = pair[0]
                found[name] = found.get(name, 0.0) + self._score(clause, pair, stated)
        return found

    def _linked(self, place: int) -> dict[tuple[str, str], float]:
        """How well each pair of names fits the clause that leads to a letter."""
        found: dict[tuple[str, str], float] = {}
        for clause in self.question.clauses:
            if clause.links and clause.target == place:
                for pair, stated in self._links.get(clause.number, {}).items():
                    found[pair] = found.get(pair, 0.0) + self._score(clause, pair, stated)
        return found

    def _score(self, clause: LinkClause, pair: tuple[str, str], stated: Mapping[str, CitedStatement]) -> float:
        """What a link adds to a chain: from what it costs where nothing is said of it, up to what its clause tells."""
        said = self._strength(clause, pair, stated)
        return _UNSAID * (said - 1) + said * min(_TELLS, sum(weights_of(clause.text).values()) / 3)

    def _strength(self, clause: LinkClause, pair: tuple[str, str], stated: Mapping[str, CitedStatement]) -> float:
        """How sure a link is, from 0 to about 1: by what is said of it, on how many sites, by the kinds of names."""
        key = (clause.number, pair)
        if key not in self._sure:
            best = max(self._said(clause.number, one) for one in stated.values())
            fits = 0.4 + 0.6 * self._fits(pair[0], clause.source)
            if clause.links:
                fits *= 0.4 + 0.6 * self._fits(pair[1], clause.target)
            sites = len({host_of(url) for url in stated})
            self._sure[key] = fits * (0.1 + 0.9 * best + _SITE * min(2, sites - 1))
        return self._sure[key]

    def _fits(self, name: str, place: int) -> float:
        """How well a name fits what a letter stands for."""
        if (name, place) not in self._fit:
            self._fit[name, place] = self._fitting(name, place)
        return self._fit[name, place]

    def _fitting(self, name: str, place: int) -> float:
        kind, shown = self.question.kinds[place], self._names[name]
        known = self._kinds.get(name, ())
        if kind == "person" and any(_THINGS & set(one.casefold().split()[-1:]) for one in known):
            return 0.0
        form = "{}，一个{}" if is_chinese(shown) else "{} is a {}"
        return max(kindness(shown, kind, form.format(shown, one)) for one in (known or ("",)))

    # ── what is missing ───────────────────────────────────────────────────────

    def gaps(self) -> tuple[Gap, ...]:
        """The links that the best chains lack, most promising first: a name, and the number of the clause that leads on
        from it, or back to what was before it."""
        found: dict[tuple[str, int], None] = {}
        for chain in self._beginnings()[:_TRIED]:
            clause = self._leading_to(len(chain.names))
            found[self._names.get(chain.names[-1], ""), clause.number] = None
        for chain in self.best[:_TRIED]:
            for clause in self.question.clauses:
                source, target = (chain.names[place] for place in (clause.source, clause.target))
                pair = (source, target if clause.links else DESCRIBES)
                stated = self._links.get(clause.number, {}).get(pair)
                if stated is None or self._strength(clause, pair, stated) < _WEAK:
                    for name in (source, target) if clause.links else (source,):
                        found[self._names.get(name, ""), clause.number] = None
        return tuple(Gap(name, (str(number),)) for name, number in found if name)

    def _leading_to(self, place: int) -> LinkClause:
        return next(one for one in self.question.clauses if one.links and one.target == place)

    def _beginnings(self) -> list[NamePath]:
        """Beginnings of the chain that pages state whole, but not how they go on; those that hold best first."""
        kinds = self.question.kinds
        paths = {name: NamePath((name,), score) for name, score in self._described(0).items()}
        for one, _ in self._linked(1) if len(kinds) > 1 else ():
            paths.setdefault(one, NamePath((one,), -_UNSAID if paths else 0.0))
        paths = {name: path for name, path in paths.items() if self._fits(name, 0) > 0}
        ended: list[NamePath] = []
        for place in range(1, len(kinds)):
            links, said = self._linked(place), self._described(place)
            reached: dict[str, NamePath] = {}
            going: set[str] = set()
            for (one, two), score in sorted(links.items()):
                path = paths.get(one)
                if path is None or two in path.names or self._fits(two, place) <= 0:
                    continue
                if score > 0:
                    going.add(one)
                total = path.score + score + said.get(two, 0.0)
                if two not in reached or reached[two].score < total:
                    reached[two] = NamePath((*path.names, two), total)
            ended += [path for name, path in paths.items() if name not in going]
            paths = dict(sorted(reached.items(), key=lambda one: (-one[1].score, one[0]))[:_WIDTH])
        return sorted(ended, key=lambda one: (-one.score, one.names))

    # ── what helps to read ────────────────────────────────────────────────────

    def known(self, entity: str) -> tuple[tuple[str, str, str], ...]:
        return ()

    def examples(self, column: str) -> tuple[str, ...]:
        return ()

    def cues(self, column: str) -> tuple[str, ...]:
        return ()

    # ── the answer ────────────────────────────────────────────────────────────

    def rows(self) -> list[tuple[str, ...]]:
        """The best chain: letter, name, and the address that states it."""
        if not self.best:
            return []
        names = self.best[0].names
        return [
            (chr(ord("A") + place), self._names.get(name, ""), self._source(place, names))
            for place, name in enumerate(names)
        ]

    def _source(self, place: int, names: Sequence[str]) -> str:
        for clause in self.question.clauses:
            pair = (names[clause.source], names[clause.target] if clause.links else DESCRIBES)
            stated = self._links.get(clause.number, {}).get(pair)
            if clause.target == place and stated:
                return max(stated.values(), key=lambda one: self._said(clause.number, one)).url
        return ""

    def answer(self) -> str:
        """The answer in three lines; its confidence is how well pages state it, on average and at the weakest."""
        rows = self.rows()
        if not rows or not rows[self.question.asked][1]:
            return "Explanation: no page led to a name.\nExact Answer: N/A\nConfidence: 0%"
        told = "; ".join(f"{letter} is {name}{f' ({url})' if url else ''}" for letter, name, url in rows if name)
        sure = self._sure_of(self.best[0].names)
        return f"Explanation: {told}\nExact Answer: {rows[self.question.asked][1]}\nConfidence: {100 * sure:.0f}%"

    def _sure_of(self, names: Sequence[str]) -> float:
        """How well pages state the clauses of some names: between the average and the weakest one."""
        said: list[float] = []
        for clause in self.question.clauses:
            pair = (names[clause.source], names[clause.target] if clause.links else DESCRIBES)
            stated = self._links.get(clause.number, {}).get(pair)
            said.append(min(1.0, self._strength(clause, pair, stated)) if stated else 0.0)
        return (sum(said) / len(said) + min(said)) / 2
