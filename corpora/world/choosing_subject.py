"""Parts of a page about its subject: what each of them tells of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from webenv.corpora.world import lives
from webenv.corpora.world.choosing import Block, FactChoice, by_time
from webenv.corpora.world.model import Claim, WorldEntity, WorldFact
from webenv.corpora.world.plan import LEAST_FACTS
from webenv.corpora.world.schema import FactSpec
from webenv.corpora.world.wording import MEMORY

_TWO = 2  # of roles and of figures that prose tells of one relation
_SUMMED = ("encyclopedia", "heritage", "directory", "club", "magazine", "journal", "obituary", "blog", "guide")


class SubjectParts(FactChoice):
    """Parts that tell of the subject: a method for each, named as in :mod:`webenv.corpora.world.builds`."""

    # ── parts that pick facts ─────────────────────────────────────────────────

    def _labelled(self, most: int) -> list[WorldFact]:
        latest = {fact.relation: fact for fact in self._left if self._spec(fact).labels}  # of several heads the last
        chosen = {fact.key for fact in self._rng.sample(tuple(latest.values()), most)}
        return [fact for fact in latest.values() if fact.key in chosen]

    def _box(self) -> Iterable[Block]:
        yield self._block("infobox", "", self._claims(self._labelled(self._rng.between(4, 8))))

    def _keys(self) -> Iterable[Block]:
        head = self._line("keys_head") if self._rng.chance(0.6) else ""
        yield self._block("keys", head, self._claims(self._labelled(self._rng.between(3, 6))))

    def _specs(self) -> Iterable[Block]:
        """Specifications stand in the table alone, unless hardly anything else is known."""
        told = self._apart(self._labelled(self._rng.between(4, 8)))
        yield self._block("infobox", self._line("specs_head") if self._rng.chance(0.3) else "", told)

    def _rows(self, holds: Callable[[FactSpec], bool], least: int) -> list[WorldFact]:
        """All facts of the relation that the page tells most of, in the order of time."""
        found: dict[str, list[WorldFact]] = {}
        for fact in self._left:
            if fact.year and holds(self._spec(fact)):
                found.setdefault(fact.relation, []).append(fact)
        best = max(found.values(), key=len, default=[])
        if len(best) < least or self._subject is None:
            return []
        # a list of them has no gaps
        return sorted(
            (fact for fact in self._as_of(self._subject.facts) if fact.relation == best[0].relation), key=by_time
        )

    def _roles(self) -> Iterable[Block]:
        """Who held a role, one after the other."""
        facts = self._rows(lambda spec: spec.tenure is not None and bool(spec.labels), 3)
        if facts:
            yield self._block("roles", self._label(facts[0]), self._take(facts))

    def _series(self) -> Iterable[Block]:
        """The same number at several times."""
        facts = self._rows(lambda spec: spec.object.kind in ("number", "money") and bool(spec.labels), 3)
        if facts:
            yield self._block("series", self._label(facts[0]), self._take(facts))

    def _label(self, fact: WorldFact) -> str:
        return self._rng.pick(self._spec(fact).labels)

    def _chron(self) -> Iterable[Block]:
        dated = [fact for fact in self._left if fact.year and self._planner.has(fact, "e")]
        dated = [fact for fact in dated if self._spec(fact).tenure is None]  # a term of office is no event
        if len(dated) >= 4 and len({fact.year for fact in dated}) >= 3:
            chosen = sorted(self._rng.sample(dated, self._rng.between(4, 8)), key=by_time)
            yield self._block("years", self._line("chron_head"), self._take(chosen))
        elif self._head.form != "heritage":
            yield from self._story()

    def _argument(self) -> Iterable[Block]:
        """What a paper makes of all that it has told."""
        yield self._block("argument", "", ())

    def _qa(self) -> Iterable[Block]:
        counts: dict[str, int] = {}
        asked: list[WorldFact] = []
        for fact in self._rng.shuffle(self._left):
            counts[fact.relation] = counts.get(fact.relation, 0) + 1
            if counts[fact.relation] == 1 and self._planner.has(fact, "a"):
                asked.append(fact)
        most = self._rng.between(5, 9) if self._head.form == "faq" else self._rng.between(2, 4)
        head = "" if self._head.form == "faq" else self._line("qa_head")
        chosen = sorted(self._rng.sample(asked, most), key=lambda fact: (self._spec(fact).section, *by_time(fact)))
        yield self._block("faq", head, self._take(chosen))

    def _spoken(self, most: int) -> tuple[Claim, ...]:
        recent = self._world.setting.now - MEMORY
        told = [fact for fact in self._left if fact.year == 0 or fact.year >= recent]
        if self._head.form == "obituary" and self._subject is not None:
            told = [fact for fact in told if fact == lives.death_of(self._subject)]
        if self._subject is not None and 0 < self._subject.end < recent:
            told = []  # of whoever died long ago nobody has heard a word
        elif self._subject is not None and self._subject.kind == "person" and 0 < self._subject.end <= self._head.year:
            told = [fact for fact in told if fact.relation in lives.END]  # nor do the dead speak
        spoken = [fact for fact in self._as_of(told) if self._planner.has(fact, "q")]
        chosen = self._rng.sample(spoken, most)
        if self._subject is not None and self._subject.kind == "person":
            # what is said in full is told by that alone: what is remarked on, elsewhere too
            whole = [fact for fact in chosen if all(way.asserts for way in self._spec(fact).wordings["q"])]
            return (*self._claims([fact for fact in chosen if fact not in whole]), *self._apart(whole))
        # whoever is spoken of is told of elsewhere too, or nobody would know who that is
        named = [fact for fact in chosen if fact.object.entity >= 0]
        return (*self._claims(named), *self._apart([fact for fact in chosen if fact.object.entity < 0]))

    def _quote(self) -> Iterable[Block]:
        yield self._block("quote", "", self._spoken(1))

    def _voices(self) -> Iterable[Block]:
        claims = self._spoken(self._rng.between(1, 3))
        yield self._block("quotes", self._line("quotes_head") if len(claims) > 1 else "", claims)

    def _statement(self) -> Iterable[Block]:
        """What is said on the news of a report."""
        lead = self._head.lead
        facts = [] if lead is None or not self._planner.has(lead, "q") else self._as_of([lead])
        yield self._block("statement", "", self._claims(facts))

    def _context(self) -> Iterable[Block]:
        """Of whom a report speaks; of whoever else is in it what he or she had done by then."""
        lead = self._head.lead
        other = None if lead is None else self._entity(lead.object.entity)
        claims: tuple[Claim, ...] = ()
        if lead is not None and other is not None and other.kind == "person" and other is not self._subject:
            known = [fact for fact in other.told if fact.year < lead.year and fact.kind != "person"]
            known += [f for f in other.facts if f.year < lead.year and f.until and self._spec(f).section == lives.WORK]
            claims = self._claims(sorted(self._as_of(self._rng.sample(known, 2)), key=by_time))
        yield Block("context", "", -1 if other is None else other.number, claims)

    def _first_hand(self, most: int) -> tuple[Claim, ...]:
        recent = self._world.setting.now - MEMORY
        told = [fact for fact in self._left if (fact.year == 0 or fact.year >= recent) and self._planner.has(fact, "f")]
        most = min(most, len(self._left) - LEAST_FACTS)  # what only repeats the page is not worth a remark
        return self._take(self._rng.sample(told, most)) if most > 0 else ()

    def _apart(self, facts: Sequence[WorldFact]) -> tuple[Claim, ...]:
        """Facts that are told here alone, unless hardly anything else is known."""
        return self._take(facts) if len(self._left) - len(facts) > LEAST_FACTS else self._claims(facts)

    def _reviews(self) -> Iterable[Block]:
        if self._many and self._subject is not None:
            self._left = self._as_of(self._subject.facts)
        yield self._block("reviews", self._line("reviews_head"), self._first_hand(self._rng.between(2, 4)))

    def _comments(self) -> Iterable[Block]:
        claims = self._first_hand(self._rng.between(1, 3))
        if self._subject is not None and self._rng.chance(0.5):
            for other in self._siblings(self._subject, 1):
                claims += self._claims(self._some(other, 1, told=False))
        yield self._block("comments", self._line("comments_head"), claims)

    # ── prose ─────────────────────────────────────────────────────────────────

    def _few(self) -> None:
        """Of roles and of figures that repeat, prose tells the last few."""
        kept: list[WorldFact] = []
        counts: dict[str, int] = {}
        for fact in sorted(self._left, key=lambda one: -one.year):
            counts[fact.relation] = counts.get(fact.relation, 0) + 1
            if counts[fact.relation] <= _TWO:
                kept.append(fact)
        keys = {fact.key for fact in kept}
        self._left = [fact for fact in self._left if fact.key in keys]

    def _lead(self) -> Iterable[Block]:
        """What it is; with it what a person would say first."""
        facts: list[WorldFact] = []
        if self._subject is not None and self._subject.kind == "person":
            facts = self._known_for(self._subject)
        elif not self._many and self._head.form in _SUMMED:
            self._few()
            by_section = self._by_section()
            first = self._begun(by_section.get(min(by_section, default=-1), ()))
            made = [fact for fact in first if self._made(fact)][:1]  # by whom comes first
            # small sections are told at the beginning, where they need no heading
            small = [fact for section, known in sorted(by_section.items()) if len(known) < 2 for fact in known]
            facts = list(dict.fromkeys((*made, *first[:2], *small)))[: self._rng.between(3, 5)]
        yield self._block("lead", "", self._take(facts))

    def _begun(self, facts: Iterable[WorldFact]) -> list[WorldFact]:
        """Facts in the order of time, those without a date first; before these how the subject began."""
        begin = 0 if self._subject is None else self._subject.begin
        return sorted(facts, key=lambda fact: (0, fact.serial) if fact.year == begin else (1, *by_time(fact)))

    def _known_for(self, person: WorldEntity) -> list[WorldFact]:
        """What a person is known for: a post held long, a work; else an honour or a book."""
        held = [fact for fact in self._told if self._spec(fact).tenure is not None]
        long = max(held, key=lambda one: (one.until or self._head.year) - one.year, default=None)
        if long is not None:
            return [long]
        works = [fact for fact in self._told if fact.kind not in ("person", "town")]
        own = [fact for fact in self._left if fact.object.type in ("pool", "name")]
        return list(
            self._rng.sample(
                works or [fact for fact in own if self._spec(fact).section == lives.WORK and lives.grown(person, fact)],
                1,
            )
        )

    def _report(self) -> Iterable[Block]:
        """What is news."""
        lead = self._head.lead
        facts = [] if lead is None else [next(iter(self._as_of([lead])), lead)]
        yield self._block("report", "", self._take(facts))

    def _by_section(self) -> dict[int, list[WorldFact]]:
        found: dict[int, list[WorldFact]] = {}
        for fact in self._left:
            found.setdefault(self._spec(fact).section, []).append(fact)
        return found

    def _sections(self) -> Iterable[Block]:
        """By subject, each in the order of time; what a section of one would tell joins the one before."""
        self._few()
        assert self._subject is not None
        heads = self._kinds[self._subject.kind].sections
        parts: list[tuple[str, list[WorldFact]]] = []
        for section, facts in sorted(self._by_section().items()):
            if parts and len(facts) < 2:
                parts[-1][1].extend(facts)
                continue
            head = self._rng.pick(heads[section]) if 0 <= section < len(heads) and len(facts) >= 2 else ""
            parts.append((head, list(facts)))
        if len(parts) > 1 and len(parts[0][1]) < 2:  # a lone sentence would stand under what comes before it
            parts[1][1].extend(parts.pop(0)[1])
        bare = self._head.form in ("obituary", "news", "blog") or (len(parts) < 2 and self._head.form != "journal")
        for head, facts in parts:
            told = self._take(self._begun(facts))
            yield self._block("prose", "" if bare else head, self._with_false(told))

    def _life(self) -> Iterable[Block]:
        """A life from its beginning to its end, chapter by chapter, with what others' facts tell of it."""
        subject = self._subject
        assert subject is not None
        self._few()
        kind = self._kinds[subject.kind]
        told = [fact for fact in self._told if fact.key not in self._used]
        self._told = []
        parts: list[tuple[str, list[WorldFact]]] = []
        for section, facts in lives.chapters(subject, kind, [*self._left, *told]):
            last = section + 1 == len(kind.sections)
            before = max((fact.year for fact in parts[-1][1]), default=0) if parts else 0
            if parts and len(facts) < 2 and not last and not 0 < facts[0].year < before:  # a lone habit is no chapter
                parts[-1][1].extend(facts)
                continue
            parts.append((self._rng.pick(kind.sections[section]) if last or len(facts) > 1 else "", facts))
        headed = self._head.form == "encyclopedia" and len(parts) > 2
        for head, facts in parts:
            claims = self._take(facts)
            claims = claims if self._head.form == "obituary" else self._with_false(claims)
            yield self._block("prose", head if headed else "", claims)

    def _story(self) -> Iterable[Block]:
        """From the beginning to now, without headings; what has no date comes where its subject does."""
        self._few()
        if self._head.form == "news":  # what was before, in its order, and nothing beside
            head = self._line("background_head") if len(self._left) > 2 and self._rng.chance(0.25) else ""
            yield self._block("prose", head, self._take(sorted(self._left, key=by_time)))
            return
        facts = sorted(self._left, key=lambda fact: (self._spec(fact).section, *by_time(fact)))
        dated = [fact for fact in facts if fact.year]
        ordered = self._begun(dated)
        # how it began, what it is like, then what happened: what has no date would hang at the end
        first = 1 if ordered and self._spec(ordered[0]).section == 0 else 0
        told = [*ordered[:first], *(fact for fact in facts if not fact.year), *ordered[first:]]
        yield self._block("prose", "", self._with_false(self._take(told)))

    def _denials(self) -> Iterable[Block]:
        """A correction at the foot of a page: of a report, of what it reports."""
        lead = self._head.lead if self._head.form == "news" else None
        told = self._left if lead is None else [lead] if lead.kind != "person" or lead.relation in lives.END else []
        wrong = [one for fact in self._rng.sample(told, 3) if (one := self._false(fact)) is not None]
        yield self._block("corrections", "", tuple(wrong[:1]))

    def _tail(self) -> Iterable[Block]:
        return self._denials() if self._rng.chance(0.4) else ()

    def _verdict(self) -> Iterable[Block]:
        yield from self._note("note_verdict")
