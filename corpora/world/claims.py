"""What a page claims: its blocks, before a word of them is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from webenv.corpora.procedural.rng import Rng
from webenv.corpora.world.builds import BUILDS
from webenv.corpora.world.model import Claim, WorldEntity, WorldFact
from webenv.corpora.world.plan import LEAST_FACTS, PageHead, WorldPlanner
from webenv.corpora.world.schema import FactSpec
from webenv.corpora.world.wording import MEMORY, day_of_fact

_FALSE = 0.05  # share of own facts beside which a page tells the same of a wrong object, denied
_TOLD = {
    "encyclopedia": 0.8,
    "heritage": 0.75,
    "journal": 0.9,
    "catalogue": 0.8,
    "news": 0.45,
    "blog": 0.55,
    "forum": 0.45,
}
_TOLD_ELSE = 0.65
_LATELY = 8  # years before a report that belong to what it tells
_FIRST = {
    "report": 0, "specs": 1, "box": 2, "keys": 2, "roles": 3, "series": 3, "qa": 3, "quote": 3, "voices": 3,
    "reviews": 3, "comments": 3, "chron": 4, "lead": 5, "sections": 6, "story": 6, "mentions": 7, "people": 8,
    "contrast": 8,
}  # fmt: skip
"""The order in which parts come to their facts; what is not named comes at 5, and contrasts last."""
_SUMMED = ("encyclopedia", "heritage", "directory", "club", "magazine", "journal", "obituary", "blog", "guide")
_BARE = ("note", "lead", "links")
_SIGHTS = ("structure", "place", "public", "firm", "club", "event")  # groups that a guide to a town tells of


class Block(NamedTuple):
    """A part of a page.

    Attributes:
        form: how it is written: a method of the composer.
        head: its heading; empty where it has none.
        about: whom its sentences are about; −1 where they are about several.
        claims: what it tells, in this order.
        columns: relations that a table has columns of.
    """

    form: str
    head: str
    about: int
    claims: tuple[Claim, ...]
    columns: tuple[str, ...] = ()


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


class _Blocks:
    """Decides what a page claims, block by block."""

    def __init__(self, planner: WorldPlanner, region: int, head: PageHead, rng: Rng) -> None:
        self._planner = planner
        self._world = planner.world
        self._kinds = planner.world.setting.kinds
        self._region = region
        self._head = head
        self._rng = rng
        self._known = planner.pages(region)
        self._entity = planner.world.known_to(region).__getitem__
        self._given: Mapping[str, str] = {}
        self._used: set[tuple[int, int]] = set()
        subject = self._entity(head.about[0]) if head.about else None
        self._subject = subject
        self._many = head.form in ("list", "timeline", "hub", "comparison")
        self._left: list[WorldFact] = []
        self._told: list[WorldFact] = []
        if subject is not None and not self._many:
            self._gather(subject)

    def made(self) -> Iterable[Block]:
        """The blocks of the page, in their order: parts that pick facts come first to theirs, prose takes the rest."""
        build = self._rng.pick(BUILDS[self._head.form]).split()
        blocks: dict[str, list[Block]] = {}
        for part in sorted(build, key=lambda one: _FIRST.get(one, 5)):
            name, _, use = part.partition(":")
            found = getattr(self, f"_{name}")(*([use] if use else []))
            blocks[part] = [block for block in found if block.claims or block.form in _BARE]
        return [block for part in build for block in blocks[part]]

    # ── choosing facts ────────────────────────────────────────────────────────

    def _gather(self, entity: WorldEntity) -> None:
        """What the page tells of its subject, and of others that it had to do with."""
        rng, head = self._rng, self._head
        own = self._own(entity, _TOLD.get(head.form, _TOLD_ELSE))
        told = [fact for fact in entity.told if fact.year <= head.year]
        told = self._as_of(rng.sample(told, rng.between(2, 6) if entity.kind != "person" else 12))
        if entity.kind != "person":  # who was on the staff is told of everybody, and of no interest here
            told = [fact for place, fact in enumerate(told) if fact.kind != "person" or place < 2]
        if head.form == "news" and head.lead is not None:
            own = [fact for fact in own if fact.key != head.lead.key]
            near = sorted(rng.shuffle(own), key=self._distance)[: rng.between(2, 5)]
            own, told = [fact for fact in own if fact in near], told[:1]
        self._left, self._told = own, told

    def _distance(self, fact: WorldFact) -> int:
        """How far a fact is from what a report tells: its background is what was there before of the same."""
        lead = self._head.lead
        if lead is None:
            return 0
        near = 4 * (fact.relation == lead.relation) + 2 * (self._spec(fact).section == self._spec(lead).section)
        near += 2 * (fact.object.entity >= 0 and fact.object.entity == lead.object.entity)
        return -(near + (0 < abs(fact.year - lead.year) <= _LATELY if fact.year else 0))

    def _as_of(self, facts: Iterable[WorldFact]) -> list[WorldFact]:
        """Facts that were known when the page was written, roles as they stood then."""
        year = self._head.year
        return [fact if fact.until <= year else fact._replace(until=0) for fact in facts if fact.year <= year]

    def _own(self, entity: WorldEntity, share: float) -> list[WorldFact]:
        known = self._as_of(entity.facts)
        chosen = [fact for fact in known if self._rng.chance(share)]
        return chosen if len(chosen) >= LEAST_FACTS else known

    def _spec(self, fact: WorldFact) -> FactSpec:
        return self._kinds[fact.kind].facts[fact.relation]

    def _claims(self, facts: Iterable[WorldFact]) -> tuple[Claim, ...]:
        claims = tuple([Claim(fact) for fact in facts])
        self._used.update([claim.fact.key for claim in claims])
        return claims

    def _false(self, fact: WorldFact) -> Claim | None:
        """The same said of an object that it has not, out of what is true of another of its kind; told as denied."""
        if not self._spec(fact).wordings.get("x"):
            return None
        entity = self._entity(fact.subject)
        if entity is None:
            return None
        true = {one.object[:3] for one in entity.facts if one.relation == fact.relation}
        others = self._known.objects.get((fact.kind, fact.relation), ())
        for _ in range(4 if others else 0):
            value = self._rng.pick(others)
            if value[:3] not in true:
                return Claim(fact._replace(object=value), False)
        return None

    def _with_false(self, claims: Sequence[Claim]) -> tuple[Claim, ...]:
        """Claims, some with what is said wrongly of the same after them."""
        found: list[Claim] = []
        for claim in claims:
            found.append(claim)
            wrong = self._false(claim.fact) if self._rng.chance(_FALSE) else None
            if wrong is not None:
                found.append(wrong)
        return tuple(found)

    def _siblings(self, entity: WorldEntity, most: int) -> list[WorldEntity]:
        others = self._known.stated.get(entity.kind, ())
        return [one for one in self._rng.sample(others, most + 1) if one.number != entity.number][:most]

    def _linked(self, entity: WorldEntity, most: int) -> list[WorldEntity]:
        """Others of the region that the entity's facts tie it to."""
        numbers = [f.object.entity for f in entity.facts if f.object.entity >= 0] + [f.subject for f in entity.told]
        found = []
        for number in self._rng.shuffle(list(dict.fromkeys(numbers))):
            other = self._entity(number)
            if other is not None and other.number != entity.number and (other.facts or other.told):
                found.append(other)
        return found[:most]

    def _some(self, entity: WorldEntity, most: int, told: bool = True) -> list[WorldFact]:
        """Some of what is true of an entity, its own facts and those of others that it is the object of."""
        used, year = self._used, self._head.year
        known = entity.facts + entity.told if told else entity.facts
        pool = [fact for fact in known if fact.year <= year and (fact.subject, fact.serial) not in used]
        return sorted(self._as_of(self._rng.sample(pool, most)), key=_by_time)

    def _take(self, facts: Sequence[WorldFact]) -> tuple[Claim, ...]:
        """Facts of the subject that a part tells, so that no other part does."""
        keys = {fact.key for fact in facts}
        self._left = [fact for fact in self._left if fact.key not in keys]
        return self._claims(facts)

    def _line(self, use: str) -> str:
        if not self._given:
            self._given = self._planner.given(self._region, self._subject, self._head.site)
        return self._planner.line(use, self._rng, self._given)

    # ── parts that pick facts of the subject ──────────────────────────────────

    def _block(self, form: str, head: str, claims: tuple[Claim, ...], columns: tuple[str, ...] = ()) -> Block:
        return Block(form, head, -1 if self._subject is None else self._subject.number, claims, columns)

    def _note(self, use: str) -> Iterable[Block]:
        yield Block("note", "", -1, (), (use,))

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
        """Specifications stand in the table alone."""
        facts = self._labelled(self._rng.between(4, 8))
        yield self._block("infobox", self._line("table_head") if self._rng.chance(0.3) else "", self._take(facts))

    def _rows(self, holds: Callable[[FactSpec], bool], least: int) -> list[WorldFact]:
        """All facts of the relation that the page tells most of, in the order of time."""
        found: dict[str, list[WorldFact]] = {}
        for fact in self._left:
            if fact.year and holds(self._spec(fact)):
                found.setdefault(fact.relation, []).append(fact)
        best = max(found.values(), key=len, default=[])
        return sorted(best, key=_by_time) if len(best) >= least else []

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
        if len(dated) >= 4:
            chosen = sorted(self._rng.sample(dated, self._rng.between(4, 8)), key=_by_time)
            yield self._block("years", self._line("chron_head"), self._take(chosen))
        elif self._head.form in ("council", "obituary", "timeline"):
            yield from self._story()

    def _qa(self) -> Iterable[Block]:
        counts: dict[str, int] = {}
        asked: list[WorldFact] = []
        for fact in self._rng.shuffle(self._left):
            counts[fact.relation] = counts.get(fact.relation, 0) + 1
            if counts[fact.relation] == 1 and self._planner.has(fact, "a"):
                asked.append(fact)
        most = self._rng.between(5, 9) if self._head.form == "faq" else self._rng.between(2, 4)
        head = "" if self._head.form == "faq" else self._line("qa_head")
        yield self._block("faq", head, self._take(self._rng.sample(asked, most)))

    def _spoken(self, most: int) -> tuple[Claim, ...]:
        recent = self._world.setting.now - MEMORY
        told = [fact for fact in self._left if fact.year == 0 or fact.year >= recent]
        if self._head.lead is not None and self._head.form == "news":
            told = [self._head.lead, *told]
        spoken = [fact for fact in self._as_of(told) if self._planner.has(fact, "q")]
        lead = [fact for fact in spoken if self._head.lead is not None and fact.key == self._head.lead.key]
        chosen = (lead + [f for f in self._rng.shuffle(spoken) if f not in lead])[:most]
        return self._claims(chosen)

    def _quote(self) -> Iterable[Block]:
        yield self._block("quote", "", self._spoken(1))

    def _voices(self) -> Iterable[Block]:
        most = 1 if self._head.form == "news" else self._rng.between(1, 3)
        claims = self._spoken(most)
        yield self._block("quotes", self._line("quotes_head") if len(claims) > 1 else "", claims)

    def _first_hand(self, most: int) -> tuple[Claim, ...]:
        recent = self._world.setting.now - MEMORY
        told = [fact for fact in self._left if (fact.year == 0 or fact.year >= recent) and self._planner.has(fact, "f")]
        return self._claims(self._rng.sample(told, most))

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

    # ── prose about the subject ───────────────────────────────────────────────

    def _few(self) -> None:
        """Of roles and of figures that repeat, prose tells the last few."""
        kept: list[WorldFact] = []
        counts: dict[str, int] = {}
        for fact in sorted(self._left, key=lambda one: -one.year):
            spec = self._spec(fact)
            most = 3 if spec.tenure is not None else 2
            counts[fact.relation] = counts.get(fact.relation, 0) + 1
            if counts[fact.relation] <= most:
                kept.append(fact)
        keys = {fact.key for fact in kept}
        self._left = [fact for fact in self._left if fact.key in keys]

    def _lead(self) -> Iterable[Block]:
        """What it is; with it what a person would say first."""
        facts: list[WorldFact] = []
        if not self._many and self._head.form in _SUMMED:
            self._few()
            by_section = self._by_section()
            first = min(by_section, default=-1)
            # small sections are told at the beginning, where they need no heading
            small = [fact for section, known in by_section.items() if len(known) < 3 for fact in known]
            facts = [*sorted(by_section.get(first, ()), key=_by_time)[:2], *small][: self._rng.between(2, 4)]
            facts = list(dict.fromkeys(facts))
        yield self._block("lead", "", self._take(facts))

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
        """By subject, each in the order of time; what a section of one or two would tell joins the one before."""
        self._few()
        assert self._subject is not None
        heads = self._kinds[self._subject.kind].sections
        parts: list[tuple[str, list[WorldFact]]] = []
        for section, facts in sorted(self._by_section().items()):
            if parts and len(facts) < 3:
                parts[-1][1].extend(facts)
                continue
            head = self._rng.pick(heads[section]) if 0 <= section < len(heads) and len(facts) >= 3 else ""
            parts.append((head, list(facts)))
        bare = self._head.form in ("council", "obituary", "news") or len(parts) < 2
        for head, facts in parts:
            told = self._take(sorted(facts, key=_by_time))
            yield self._block("prose", "" if bare else head, self._with_false(told))

    def _story(self) -> Iterable[Block]:
        """From the beginning to now, without headings; what has no date comes where its subject does."""
        self._few()
        facts = sorted(self._left, key=lambda fact: (self._spec(fact).section, *_by_time(fact)))
        dated = [fact for fact in facts if fact.year]
        ordered = sorted(dated, key=_by_time)
        timeless = [fact for fact in facts if not fact.year]
        half = len(timeless) // 2
        told = [*timeless[:half], *ordered, *timeless[half:]]
        head = self._line("background_head") if self._head.form == "news" and self._rng.chance(0.25) else ""
        yield self._block("prose", head, self._with_false(self._take(told)))

    def _denials(self) -> Iterable[Block]:
        """A correction at the foot of a page."""
        wrong = [one for fact in self._rng.sample(self._left, 3) if (one := self._false(fact)) is not None]
        yield self._block("corrections", "", tuple(wrong[:1]))

    def _tail(self) -> Iterable[Block]:
        return self._denials() if self._rng.chance(0.4) else ()

    # ── others that belong here ───────────────────────────────────────────────

    def _mentions(self) -> Iterable[Block]:
        """What others had to do with the subject."""
        told, self._told = self._told, []
        told = sorted((fact for fact in told if fact.key not in self._used), key=_by_time)
        head = self._line("context_head") if len(told) > 2 and self._rng.chance(0.6) else ""
        yield self._block("prose", head, self._claims(told))

    def _near(self) -> Iterable[Block]:
        """Others of its kind: a line each."""
        assert self._subject is not None
        claims: list[Claim] = []
        for other in self._siblings(self._subject, self._rng.between(2, 5)):
            claims += self._claims(self._some(other, self._rng.between(1, 2), told=False))
        yield self._block("items", self._line("compare_head"), tuple(claims))

    def _people(self) -> Iterable[Block]:
        """Whom its facts tie it to: a line each."""
        assert self._subject is not None
        claims: list[Claim] = []
        for other in self._linked(self._subject, self._rng.between(4, 8)):
            # what ties them comes first, unless it has been told
            ties = [fact for fact in self._subject.told if fact.subject == other.number]
            if not ties and not any(
                f.object.entity == other.number and f.key in self._used for f in self._subject.facts
            ):
                continue
            claims += self._claims([fact for fact in self._as_of(ties) if fact.key not in self._used][:1])
            claims += self._claims(self._some(other, self._rng.between(1, 2), told=False))
        yield self._block("items", self._line("people_head"), tuple(claims))

    def _contrast(self) -> Iterable[Block]:
        """Of one or two others of its kind the same that has been told of it."""
        assert self._subject is not None
        asked = {fact.relation for fact in self._subject.facts if fact.key in self._used}
        claims: list[Claim] = []
        for other in self._siblings(self._subject, self._rng.between(1, 2)):
            alike = [fact for fact in self._as_of(other.facts) if fact.relation in asked]
            claims += self._claims(sorted(self._rng.sample(alike, self._rng.between(2, 3)), key=_by_time))
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

    def _verdict(self) -> Iterable[Block]:
        yield from self._note("note_verdict")

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
        for entity in sorted(self._rng.sample(self._all(), 14), key=lambda one: one.title):
            claims += self._claims(self._some(entity, self._rng.between(1, 3), told=False))
        yield Block("items", "", -1, tuple(claims))

    def _each(self) -> Iterable[Block]:
        for entity in self._all():
            facts = self._some(entity, self._rng.between(4, 7), told=False)
            yield Block("prose", entity.title, entity.number, self._with_false(self._claims(facts)))

    def _dated(self) -> tuple[Claim, ...]:
        facts = [
            fact
            for known in self._known.by_kind.values()
            for entity in known
            for fact in self._as_of(entity.facts)
            if fact.year
        ]
        chosen = sorted(self._rng.sample(facts, self._rng.between(14, 26)), key=_by_time)
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
        return [entity for entity in things if entity.town == self._subject.number]

    def _sights(self) -> Iterable[Block]:
        for entity in self._rng.sample(self._here(), self._rng.between(4, 8)):
            facts = self._some(entity, self._rng.between(2, 4), told=False)
            yield Block("prose", entity.title, entity.number, self._claims(facts))

    def _walk(self) -> Iterable[Block]:
        """By the time of the day: what lies together is told in one paragraph."""
        stops = self._rng.sample(self._here(), self._rng.between(4, 7))
        hours = ("guide_morning", "guide_noon", "guide_evening")
        for place, hour in enumerate(hours):
            claims: list[Claim] = []
            for entity in stops[place::3]:
                claims += self._claims(self._some(entity, self._rng.between(2, 4), told=False))
            yield Block("prose", self._line(hour), -1, tuple(claims))

    def _spots(self) -> Iterable[Block]:
        claims: list[Claim] = []
        for entity in self._rng.sample(self._here(), self._rng.between(5, 9)):
            claims += self._claims(self._some(entity, self._rng.between(1, 3), told=False))
        yield Block("items", "", -1, tuple(claims))

    def _thread(self) -> Iterable[Block]:
        """What is asked is answered first, or nearly so; the rest is about the same, and at the end of another."""
        rng, subject = self._rng, self._subject
        assert subject is not None
        claims = list(self._with_false(self._claims(rng.shuffle(self._left))))
        others: list[Claim] = []
        for other in self._siblings(subject, rng.between(1, 3)):
            others += self._claims(self._some(other, rng.between(1, 3), told=False))
        asked = self._head.lead
        if asked is not None:
            first = list(self._claims(self._as_of([asked])))
            rest = [claim for claim in claims if claim.fact.key != asked.key]
            claims = [*rest[:1], *first, *rest[1:]] if rest and rng.chance(0.3) else [*first, *rest]
        yield Block("thread", "", subject.number, (*claims, *others))


def _by_time(fact: WorldFact) -> tuple[int, int, int, int]:
    return (fact.year, *day_of_fact(fact), fact.serial)
