"""What is known of a table, cell by cell, with sources."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise

from webenv.policies.hierarchical.kinds import KIND, OWN, PAIR, SEEN, WITHIN
from webenv.policies.hierarchical.messages import CitedStatement, Gap
from webenv.policies.hierarchical.names import bare
from webenv.policies.hierarchical.places import ELSEWHERE, Atlas
from webenv.policies.hierarchical.rows import RowDecision, folded
from webenv.policies.hierarchical.tables import NOT_STATED, Wanted, written
from webenv.policies.hierarchical.terms import PostTerm, by_home, common_stems, learned_cues, succession
from webenv.policies.hierarchical.values import AskedColumn, clean, cues_of, number_in
from webenv.urls import host_of

_ELSE = re.compile(r" (?:for|in|of|at|on|to|with)$")  # labels of something else about the same: "Founded for"
_EXAMPLES, _CUES = 40, 10  # of a column, told to whoever reads for it
_ALIKE = 2  # values in which a page's label must agree with a column to stand for it


class Ledger:
    """What was stated of the cells of a table.

    Args:
        wanted: the table.
        reconciles: whether conflicting statements are weighed; else the last one stands.
    """

    def __init__(self, wanted: Wanted, *, reconciles: bool = True) -> None:
        self.wanted = wanted
        self.columns = wanted.columns
        self.reconciles = reconciles
        self._names: dict[str, Counter[str]] = {}
        self._cells: dict[tuple[str, str], list[CitedStatement]] = {}
        self._labels: dict[str, set[str]] = {}
        self._terms: dict[str, list[CitedStatement]] = {}
        self._same: dict[str, tuple[str, ...]] | None = None
        self._seen: dict[str, dict[str, CitedStatement]] = {}
        self._rows_found: tuple[tuple[str, ...], tuple[str, ...]] | None = None
        self._gaps: tuple[Gap, ...] | None = None
        self._learned: frozenset[str] | None = None
        self._doubts: tuple[tuple[str, str], ...] | None = None
        self._examples: dict[str, tuple[str, ...]] = {}
        self._stems: dict[str, Counter[str]] = {}  # of the sentences that state each column's values
        self._every_stem: Counter[str] = Counter()
        self.within: dict[str, str] = {}
        self._atlas = Atlas(wanted.places, self.within)
        self._decision = RowDecision(wanted, self._atlas, self.within, self._names, self._seen)

    def add(self, statements: Iterable[CitedStatement]) -> int:
        """Takes statements; how many cells had none before."""
        new = 0
        self._same = self._rows_found = self._gaps = self._learned = self._doubts = None
        self._examples = {}
        for one in statements:
            entity = folded(one.entity)
            if not entity:
                continue
            if one.column == WITHIN:
                if one.value in self.wanted.places:
                    self.within.setdefault(one.entity, one.value)
                self._atlas.learn(f"{one.entity}, {one.value}")
                continue
            if one.column == SEEN:
                new += one.url not in self._seen.setdefault(entity, {})
                self._seen[entity].setdefault(one.url, one)
                self._atlas.learn(one.place)
                continue
            self._atlas.learn(one.place)
            subject, pair, _ = one.entity.partition(PAIR)
            if pair and self.wanted.keys == 2:
                self._terms.setdefault(folded(subject), []).append(one)
                entity = folded(subject) + PAIR + folded(one.entity[len(subject) + len(PAIR) :])
            elif one.column == self.columns[0]:
                self._names.setdefault(entity, Counter())[one.value] += 1
            elif self.wanted.keys == 1 and one.column in self.columns and not one.quote and entity not in self._seen:
                self._names.setdefault(entity, Counter())[one.entity] += 1  # whose cells are told is a row
            stated = self._cells.setdefault((entity, one.column), [])
            new += not stated
            if one.quote and all(one.quote != other.quote for other in stated):
                found = common_stems(one.quote)
                self._stems.setdefault(one.column, Counter()).update(found)
                self._every_stem.update(found)
            stated.append(one)
            self._labels.setdefault(entity, set()).add(one.column)
        return new

    @property
    def entities(self) -> tuple[str, ...]:
        """The names of the rows, in the order of first sight, each as most pages write it: those of lists, those whose
        own pages say what and where they are, and those that several pages about the places name."""
        return self._found()[0]

    @property
    def candidates(self) -> tuple[str, ...]:
        """What may be rows, and is to be looked up."""
        return self._found()[1]

    def _found(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        if self._rows_found is None:
            self._rows_found = self._decision.rows()
        return self._rows_found

    def best(self, entity: str, column: str) -> CitedStatement | None:
        """What stands in a cell: what most sites of today say, else the latest that an old version says."""
        stated = self._stated(entity, column)
        if not stated:
            return None
        if not self.reconciles:
            return stated[-1]
        current = [one for one in stated if not one.date] or stated
        sites = Counter(value for value, _ in {(folded(one.value), host_of(one.url)) for one in current})
        tables = {folded(one.value) for one in current if not one.quote}  # a label is clearer than a sentence
        found = max(current, key=lambda one: (folded(one.value) in tables, sites[folded(one.value)]))  # else the first
        return found._replace(value=self._fitting(column, found.value))

    def _fitting(self, column: str, value: str) -> str:
        label, unit = AskedColumn.of(column)[1:]
        plain = clean(value)
        if not unit and re.fullmatch(rf"[\d,.]+ {re.escape(label.casefold())}", plain.casefold()):
            unit = label.casefold()  # so many pupils, under "Pupils"
        return number_in(value, unit) or plain if unit else plain

    def _stated(self, entity: str, column: str) -> list[CitedStatement]:
        name = folded(entity)
        own = self._cells.get((name, column), [])
        for label in self._aliases().get(column, ()) if not own else ():
            own = own or self._cells.get((name, label), [])
        return own

    def _aliases(self) -> dict[str, tuple[str, ...]]:
        """Labels of pages that stand for a column: its own without the unit; those that agree in values; those that
        have a word of its family."""
        if self._same is None:
            self._same = {column: self._like(column) for column in (*self.wanted.asked, *self._further())}
        return self._same

    def _further(self) -> tuple[str, ...]:
        return tuple(further for _, further in self.wanted.joins)

    def _like(self, column: str) -> tuple[str, ...]:
        label = AskedColumn.of(column).label.casefold()
        agree: Counter[str] = Counter()
        differ: Counter[str] = Counter()
        every: set[str] = set()
        for entity, labels in self._labels.items():
            every |= labels
            mine = self._cells.get((entity, column))
            if not mine:
                continue
            for other in sorted(labels):
                same = folded(clean(self._cells[entity, other][0].value)) == folded(clean(mine[0].value))
                (agree if same else differ)[other] += 1
        exact = [one for one in sorted(every) if one.casefold() == label and one != column]
        alike = [one for one in agree if agree[one] >= _ALIKE and not differ[one]]
        kin = [
            one for one in sorted(every) if not differ[one] and cues_of(one) & cues_of(label) and not _ELSE.search(one)
        ]
        taken = {*self.columns, *self.wanted.asked, column}
        return tuple(dict.fromkeys(one for one in (*exact, *sorted(alike), *kin) if one not in taken or one in exact))

    def known(self, entity: str) -> tuple[tuple[str, str, str], ...]:
        """The values of an entity that are known: entity, column, value."""
        found = [(column, self.best(entity, column)) for column in self.wanted.asked]
        return tuple((entity, column, one.value) for column, one in found if one is not None)

    @property
    def asked(self) -> tuple[str, ...]:
        """The columns that each row is asked for."""
        return self.wanted.asked

    def answer(self) -> str:
        """The table as an answer."""
        return written(self.columns, self.rows()) if self.entities else NOT_STATED

    @property
    def doubts(self) -> tuple[tuple[str, str], ...]:
        """What is to be searched, and for whose sake: smaller places of which no page says where they lie; things of
        which a page elsewhere tells, who may be namesakes there; whatever the post is held at, once."""
        if self._doubts is not None:
            return self._doubts
        found = dict.fromkeys((one, one) for one in self._atlas.unplaced())
        for subject, told in self._terms.items() if self.wanted.region else ():
            seen = [one for one in self._seen.get(subject, {}).values() if not one.place.startswith("~")]
            homes = {home.partition("/")[0] for one in seen if (home := self._atlas.home(one.place)) is not None}
            here = {home for home in homes if not home.startswith(ELSEWHERE)}
            for home in sorted(here) if len(homes) > 1 else ():
                name = told[0].entity.partition(PAIR)[0]
                found[f"{name} {home}", name] = None
            for one in told:
                home = self._atlas.home(one.place) if one.place.startswith("~") else None
                if home is not None and home.startswith(ELSEWHERE) and home.partition("/")[0] not in homes:
                    name = one.entity.partition(PAIR)[0]
                    found[f"{name} {home[1:].partition('/')[0]}", name] = None
        if self.wanted.keys == 2:  # others may have been there before those who are known
            post = self.columns[1]
            for known in (*self.entities, *self.candidates):
                name = bare(known) if " " in bare(known) else f"the {bare(known)}"
                found |= {(f'"{bare(known)}" {post}', known): None, (f'"{post.lower()} of {name}"', known): None}
        self._doubts = tuple(found)
        return self._doubts

    # ── what is missing ───────────────────────────────────────────────────────

    def gaps(self) -> tuple[Gap, ...]:
        """What is missing: values of today, of entities that are known; posts with years that nobody is known for; and
        of those that joins lead to what is asked of them."""
        if self._gaps is None:
            self._gaps = self._missing()
        return self._gaps

    def _missing(self) -> tuple[Gap, ...]:
        found: dict[str, dict[str, None]] = {}
        for entity in (*self.entities, *self.candidates):
            if self.wanted.keys == 2:
                terms = self.terms(entity)
                whole = terms and all(one.since and one.until for one in terms) and not _holes(terms)
                if not whole or not self._own_pages(entity):
                    found.setdefault(entity, {})[self.columns[1]] = None
                for base, further in self.wanted.joins if self.columns[1:2] else ():
                    people = [one.person for one in terms if base == self.columns[1]]
                    people += self._undated(entity) if base == self.columns[1] else ()
                    found.update({one: {further: None} for one in people if not self._current(one, further)})
                continue
            lacking = [column for column in self.wanted.asked if not self._current(entity, column)]
            if lacking:
                found.setdefault(entity, {}).update(dict.fromkeys(lacking))
            for base, further in self.wanted.joins:
                value = self.best(entity, base)
                if value is not None and not self._current(value.value, further):
                    found.setdefault(value.value, {})[further] = None
        return tuple(Gap(entity, tuple(columns)) for entity, columns in found.items())

    def _undated(self, entity: str) -> list[str]:
        """Who is said to take up the post at something, and no page says when: their own pages may."""
        told: dict[str, bool] = {}
        for one in self._terms.get(folded(entity), ()):
            person = one.entity.partition(PAIR)[2]
            told[person] = told.get(person, False) or bool(self.wanted.year(one.column))
        return [person for person, dated in told.items() if not dated]

    def _current(self, entity: str, column: str) -> bool:
        return any(not one.date for one in self._stated(entity, column))

    # ── what helps to read ────────────────────────────────────────────────────

    def examples(self, column: str) -> tuple[str, ...]:
        """Some values of a column, each once."""
        if column not in self._examples:
            labels = {column, *self._aliases().get(column, ())}
            values = (
                self._fitting(column, stated[0].value) for (_, name), stated in self._cells.items() if name in labels
            )
            self._examples[column] = tuple(islice(_distinct(values), _EXAMPLES))
        return self._examples[column]

    def cues(self, column: str) -> tuple[str, ...]:
        """The stems of words that sentences with a column's values have more often than those with other columns'."""
        own, every = self._stems.get(column, Counter[str]()), self._every_stem
        total = max(1, own.total())
        rest = max(1, every.total() - own.total())
        chosen = [one for one, count in own.items() if count >= 3 and count / total > 2 * (every[one] - count) / rest]
        return tuple(sorted(chosen, key=lambda one: (-own[one], one))[:_CUES])

    # ── the table ─────────────────────────────────────────────────────────────

    def terms(self, entity: str) -> list[PostTerm]:
        """Who held the post at something, one after the other."""
        name = folded(entity)
        told, own = self._terms.get(name, ()), self._own_pages(entity)
        home, near = self._decision.home, self._decision.is_near
        homes = {url: home(one.place) for url, one in self._seen.get(name, {}).items() if not near(one)}
        named = {one.url: home(one.place) for one in told if one.place and one.place[0] != "h" and not near(one)}
        around = {one.url: home(one.place.removeprefix("~")) for one in told if near(one)}
        placed = {url: home for url, home in (*named.items(), *homes.items()) if home is not None}
        parts = by_home(told, placed, around, self.wanted)
        return [
            term
            for part in parts
            for term in succession(part, self.wanted, self._post_cues(), own, weighed=self.reconciles)
        ]

    def _own_pages(self, entity: str) -> frozenset[str]:
        """The addresses of the pages that are about something."""
        seen = self._seen.get(folded(entity), {})
        return frozenset(url for url, one in seen.items() if one.value in (OWN, KIND))

    def _post_cues(self) -> frozenset[str]:
        """The stems of words by which sentences are known to speak of the post: those that several sentences have about
        holders whom others, or tables, say to have held it in the same years."""
        if self._learned is None:
            self._learned = learned_cues(self._terms.values(), self.wanted)
        return self._learned

    def rows(self) -> list[tuple[str, ...]]:
        """The table; cells that nothing states are N/A."""
        return [tuple(value for value, _ in row) for row in self._rows()]

    def sources(self) -> dict[tuple[str, str], str]:
        """Of each cell that is known, by its row's key and its column, the address that states it."""
        keys = self.wanted.keys
        return {
            (PAIR.join(value for value, _ in row[:keys]), column): url
            for row in self._rows()
            for column, (_, url) in zip(self.columns[keys:], row[keys:], strict=True)
            if url
        }

    def _rows(self) -> Iterable[list[tuple[str, str]]]:
        nothing = (NOT_STATED, "")
        for entity in self.entities:
            if self.wanted.keys == 1:
                yield [(entity, ""), *(self._cell(entity, column) or nothing for column in self.columns[1:])]
                continue
            people = set[str]()
            for one in self.terms(entity):
                if not one.former or one.person in people:
                    continue
                people.add(one.person)
                cells = [(entity, ""), (one.person, one.url)]
                for column in self.columns[2:]:
                    year = self.wanted.year(column)
                    if year:
                        value = one.since if year == "since" else one.until
                        cells.append((value, one.url) if value else nothing)
                    else:
                        found = self.best(one.person, column.partition(": ")[2])
                        cells.append((found.value, found.url) if found else nothing)
                yield cells

    def _cell(self, entity: str, column: str) -> tuple[str, str] | None:
        base, join, further = column.partition(": ")
        found = self.best(entity, base if join else column)
        if join and found is not None:
            found = self.best(found.value, further)
        return None if found is None else (found.value, found.url)


def _holes(terms: Sequence[PostTerm]) -> bool:
    return any(one.until != other.since for one, other in pairwise(terms))


def _distinct(values: Iterable[str]) -> Iterator[str]:
    seen = set[str]()
    for one in values:
        if one not in seen:
            seen.add(one)
            yield one
