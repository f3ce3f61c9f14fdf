"""Parts of a page about others: those that its subject had to do with or is compared with, and pages about many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from webenv.corpora.world import lives
from webenv.corpora.world.choosing import Block, FactChoice, by_time
from webenv.corpora.world.model import Claim, WorldEntity, WorldFact
from webenv.corpora.world.wording import MEMORY

_HONOURS = ("award", "prize")
_SIGHTS = ("structure", "place", "public", "firm", "club")  # groups that a guide to a town tells of
_NO_SIGHTS = ("bank", "circus", "software company", "construction company", "machine works", "hospital", "school")
_TRAVELLING = ("circus",)
_STOPS = 3  # sights that a guide leads to at least
_LATELY = 15  # years in which the same has happened to another, for a report to mention it
_LEGACIES = 2  # persons of whom a list tells the same


class OtherParts(FactChoice):
    """Parts that tell of others: a method for each, named as in :mod:`webenv.corpora.world.builds`."""

    # ── others that belong here ───────────────────────────────────────────────

    def _mentions(self) -> Iterable[Block]:
        """What others had to do with the subject."""
        told, self._told = self._told, []
        told = sorted((fact for fact in told if fact.key not in self._used), key=by_time)
        head = self._line("context_head") if len(told) > 1 else ""
        yield self._block("prose", head, self._claims(told))

    def _near(self) -> Iterable[Block]:
        """Others of its kind: a line each."""
        assert self._subject is not None
        claims: list[Claim] = []
        others, kind = self._siblings(self._subject, self._rng.between(2, 5)), self._subject.kind
        counts: dict[str, int] = {}
        for one in others:
            for name in {fact.relation for fact in self._as_of(one.facts) if fact.year and self._planner.naming(fact)}:
                counts[name] = counts.get(name, 0) + 1
        # of all the same is told, as far as it is known: a list, and no pile
        told = sorted(counts, key=lambda name: (-counts[name], self._kinds[kind].facts[name].section, name))
        for other in others:
            facts = {fact.relation: fact for fact in self._as_of(other.facts)}
            alike = [facts[name] for name in told[: self._rng.between(1, 2)] if name in facts]
            alike = [fact for fact in alike if self._clear(fact)]
            claims += self._claims(sorted(alike, key=by_time) or self._some(other, 1, told=False))
        yield self._block("items", self._line("compare_head"), tuple(claims))

    def _people(self) -> Iterable[Block]:
        """Whom its facts tie it to: a line each."""
        assert self._subject is not None
        claims: list[Claim] = []
        alike: dict[str, int] = {}
        for other in self._linked(self._subject, self._rng.between(4, 8)):
            if other.kind == "town":
                continue
            # what ties them comes first, unless it has been told
            ties = [fact for fact in self._subject.told if fact.subject == other.number]
            if not ties and not any(
                f.object.entity == other.number and f.key in self._used for f in self._subject.facts
            ):
                continue
            tied = [fact for fact in self._as_of(ties) if fact.key not in self._used][:1]
            alike[tied[0].relation if tied else ""] = alike.get(tied[0].relation if tied else "", 0) + 1
            if tied and alike[tied[0].relation] > _LEGACIES:  # not everybody on a page left it something
                continue
            claims += self._claims(tied if tied and other.kind == "person" else (*tied, *self._brief(other, 1)))
        yield self._block("items", self._line("people_head"), tuple(claims))

    def _brief(self, entity: WorldEntity, most: int) -> list[WorldFact]:
        """What one would say of somebody or something in a line: work; how it began."""
        section = lives.WORK if entity.kind == "person" else 0
        known = self._as_of(fact for fact in entity.facts if fact.key not in self._used and fact.year)
        own = [fact for fact in known if self._spec(fact).section == section]
        if entity.kind == "person":  # a deed, an honour or a book rather than a job or a candidacy
            own = [fact for fact in own if lives.grown(entity, fact)]
            own = [fact for fact in own if fact.object.type in ("pool", "name")] or own
        return sorted(self._rng.sample(own, most), key=by_time) or self._some(entity, 1, told=False)

    def _contrast(self) -> Iterable[Block]:
        """Of another of its kind the same that has been told of it; of what is news, that alone."""
        assert self._subject is not None
        asked = {fact.relation for fact in self._subject.facts if fact.key in self._used}
        claims: list[Claim] = []
        if self._head.form == "news" and self._head.lead is not None:
            for other in self._siblings(self._subject, 3) if self._subject.kind != "person" else ():
                alike = [one for one in self._as_of(other.facts) if one.relation == self._head.lead.relation]
                alike = [one for one in alike if self._head.year - one.year <= _LATELY and self._clear(one)]
                alike = [one for one in alike if self._planner.naming(one)]
                claims += self._claims(sorted(alike, key=by_time)[-1:])
            yield Block("contrast", "", -1, tuple(claims[:1]))
            return
        for other in self._siblings(self._subject, 1):
            alike = [fact for fact in self._as_of(other.facts) if fact.relation in asked and self._planner.naming(fact)]
            alike = [fact for fact in alike if self._clear(fact)]
            claims += self._claims(sorted(self._rng.sample(alike, self._rng.between(1, 2)), key=by_time))
        yield Block("contrast", "", -1, tuple(claims))

    def _compare(self) -> Iterable[Block]:
        assert self._subject is not None
        siblings = self._siblings(self._subject, self._rng.between(2, 4))
        if siblings:
            yield self._tabled([self._subject, *siblings], self._line("compare_head"))

    def _see(self) -> Iterable[Block]:
        yield self._block("links", self._line("see_also"), ())

    def _links(self) -> Iterable[Block]:
        yield self._block("links", self._line("hub_head"), ())

    def _tabled(self, entities: Sequence[WorldEntity], head: str) -> Block:
        """A table of several things of a kind by some relations; a cell is a claim."""
        rng = self._rng
        specs = self._kinds[entities[0].kind].facts
        known = {e.number: {f.relation: f for f in reversed(self._as_of(e.facts))} for e in entities}
        shares = {name: sum(name in facts for facts in known.values()) / len(entities) for name in specs}
        shared = [n for n, spec in specs.items() if spec.labels and spec.tenure is None and shares[n] >= 0.5]
        chosen = rng.sample(shared, rng.between(2, 4))
        columns = tuple(sorted(chosen, key=lambda name: -shares[name]))
        cells = [known[e.number][column] for e in entities for column in columns if column in known[e.number]]
        return Block("table", head, -1, self._claims(cells), columns)

    # ── pages about many ──────────────────────────────────────────────────────

    def _all(self) -> list[WorldEntity]:
        return [e for n in self._head.about if (e := self._entity(n)) is not None and e.facts]

    def _table(self) -> Iterable[Block]:
        entities = self._all()
        chosen = entities if self._head.form == "comparison" else self._rng.sample(entities, 24)
        order = sorted(chosen, key=lambda one: one.title) if self._rng.chance(0.5) else chosen
        yield self._tabled(order, self._line("table_head") if self._head.form == "comparison" else "")

    def _remarks(self) -> Iterable[Block]:
        for entity in self._rng.sample(self._all(), self._rng.between(2, 4)):
            facts = self._some(entity, self._rng.between(2, 4), told=False)
            yield Block("prose", entity.title, entity.number, self._claims(facts))

    def _entries(self) -> Iterable[Block]:
        claims: list[Claim] = []
        entities = sorted(self._rng.sample(self._all(), 14), key=lambda one: one.title)
        known = {one.number: {fact.relation: fact for fact in reversed(self._as_of(one.facts))} for one in entities}
        counts: dict[str, int] = {}
        for name in (name for facts in known.values() for name in facts):
            counts[name] = counts.get(name, 0) + 1
        specs = self._kinds[entities[0].kind].facts if entities else {}
        order = list(specs)
        # of each the same first, so that one can run an eye down the list
        alike = sorted(
            (name for name in counts if specs[name].tenure is None), key=lambda name: (-counts[name], order.index(name))
        )[: self._rng.between(1, 2)]
        for entity in entities:
            first = [
                known[entity.number][name] for name in sorted(alike, key=order.index) if name in known[entity.number]
            ]
            first = [fact for fact in first if fact.key not in self._used and self._clear(fact)]
            claims += self._claims(first)
            claims += self._claims(self._some(entity, self._rng.between(0 if first else 1, 1), told=False))
        yield Block("items", "", -1, tuple(claims))

    def _each(self) -> Iterable[Block]:
        """Of both the same, as far as it is known, and of each something of its own."""
        entities = self._all()
        known = {one.number: {f.relation: f for f in self._as_of(one.facts) if self._clear(f)} for one in entities}
        common = [name for name in known[entities[0].number] if all(name in facts for facts in known.values())]
        told = set(self._rng.sample(common, self._rng.between(3, 5)))
        for entity in entities:
            own = [fact for name, fact in known[entity.number].items() if name not in told]
            facts = [fact for name, fact in known[entity.number].items() if name in told]
            facts += self._rng.sample(own, self._rng.between(1, 2) if len(facts) > 2 else 4)
            facts.sort(key=lambda fact: (self._spec(fact).section, *by_time(fact)))
            yield Block("prose", entity.title, entity.number, self._with_false(self._claims(facts)))

    def _dated(self) -> tuple[Claim, ...]:
        """What the papers of a county told of: nobody's house or hobby."""
        public = {
            (kind, name): bool(spec.wordings.get("n"))
            and spec.tenure is None
            and (kind != "person" or name in _HONOURS)
            for kind in self._known.by_kind
            for name, spec in self._kinds[kind].facts.items()
        }
        # a term of office is no event
        facts = [
            fact
            for known in self._known.by_kind.values()
            for entity in known
            for fact in entity.facts
            if 0 < fact.year <= self._head.year and public[fact.kind, fact.relation]
        ]
        drawn = self._rng.sample(facts, self._rng.between(16, 30))
        once = {fact.subject: fact for fact in drawn}  # one thing of each
        chosen = sorted(self._as_of(once.values()), key=by_time)
        return self._claims(chosen)

    def _days(self) -> Iterable[Block]:
        yield Block("dates", "", -1, self._dated())

    def _decades(self) -> Iterable[Block]:
        yield Block("dates", "", -1, self._dated(), ("decades",))

    def _here(self) -> list[WorldEntity]:
        """What a guide to the town leads to."""
        assert self._subject is not None
        sights = [kind for kind in self._known.by_kind if self._kinds[kind].group in _SIGHTS]
        things = [entity for kind in sights for entity in self._known.by_kind[kind] if entity.facts]
        here = [entity for entity in things if entity.town == self._subject.number]
        standing = [one for one in here if not 0 < one.end <= self._head.year and one.kind not in _NO_SIGHTS]
        settled = [one for one in here if one.kind not in _TRAVELLING]
        return standing if len(standing) >= _STOPS else settled if len(settled) >= _STOPS else here

    def _stop(self, entity: WorldEntity) -> tuple[Claim, ...]:
        """What a guide tells of a sight: a few things that belong together, and not who ran it when."""
        known = [fact for fact in self._as_of(entity.facts) if fact.key not in self._used and self._clear(fact)]
        known = [fact for fact in known if self._spec(fact).tenure is None]
        seen = [fact for fact in known if not fact.year or self._made(fact)]  # what one sees there, and who built it
        known = seen if len(seen) > 1 else known
        by_section: dict[int, list[WorldFact]] = {}
        for fact in known:
            by_section.setdefault(self._spec(fact).section, []).append(fact)
        told = [facts for _, facts in sorted(by_section.items()) if len(facts) > 1]
        facts = self._rng.pick(told[:2]) if told else known
        return self._claims(sorted(self._rng.sample(facts, self._rng.between(2, 4)), key=by_time))

    def _sights(self) -> Iterable[Block]:
        for entity in self._rng.sample(self._here(), self._rng.between(4, 6)):
            yield Block("prose", entity.title, entity.number, self._stop(entity))

    def _walk(self) -> Iterable[Block]:
        """By the time of the day: what lies together is told in one paragraph."""
        stops = self._rng.sample(self._here(), self._rng.between(4, 6))
        hours = ("guide_morning", "guide_noon", "guide_evening")
        for place, hour in enumerate(hours):
            claims: list[Claim] = []
            for entity in stops[place::3]:
                claims += self._stop(entity)
            yield Block("prose", self._line(hour), -1, tuple(claims))

    def _spots(self) -> Iterable[Block]:
        claims: list[Claim] = []
        for entity in self._rng.sample(self._here(), self._rng.between(5, 7)):
            claims += self._stop(entity)
        yield Block("items", "", -1, tuple(claims))

    def _thread(self) -> Iterable[Block]:
        """What is asked is answered first; what belongs with it comes next, then the rest; at the end another."""
        rng, subject = self._rng, self._subject
        assert subject is not None
        # people tell what they have seen, and leave the rest to the encyclopedias
        recent = self._world.setting.now - MEMORY
        chat = [f for f in self._left if (not f.year or f.year >= recent) and self._planner.has(f, "f")]
        claims = list(self._claims(rng.shuffle(chat if len(chat) > 1 else self._left)))
        others: list[Claim] = []
        asked = self._head.lead
        for other in self._siblings(subject, rng.between(0, 2)):  # whoever comes with another tells the same of it
            alike = [fact for fact in self._as_of(other.facts) if asked is not None and fact.relation == asked.relation]
            alike = [fact for fact in alike if self._clear(fact)][-1:]
            others += self._claims(alike if asked is not None else self._some(other, 1, told=False))
        if asked is not None:
            first = list(self._claims(self._as_of([asked])))
            section = self._spec(asked).section
            rest = [claim for claim in claims if claim.fact.key != asked.key]
            near = [claim for claim in rest if self._spec(claim.fact).section == section]
            far = [claim for claim in rest if self._spec(claim.fact).section != section]
            near = near[: rng.between(2, 4)]
            far = sorted(far[: rng.between(1, 3)], key=lambda claim: self._spec(claim.fact).section)
            claims = [*first, *near, *far]
        yield Block("thread", "", subject.number, (*claims, *others))
