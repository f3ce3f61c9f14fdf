"""Prose of a page: how it begins, what it reports, its paragraphs, and what is said in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

from webenv.corpora.world import lives
from webenv.corpora.world.choosing import Block
from webenv.corpora.world.model import Claim, WorldEntity, WorldFact, WorldValue
from webenv.corpora.world.plan import OWN, READ_ABOUT
from webenv.corpora.world.schema import PLACED
from webenv.corpora.world.wording import day_of_fact
from webenv.corpora.world.writing import PageSentences, capital

_LED = ("encyclopedia", "heritage", "journal", "club", "magazine", "directory", "obituary")  # begin with what it is
_SCENES = ("feature", "feature_end")  # notes that tell of a magazine's writer, and have lines of their own for persons
_SCENIC = ("structure", "public", "firm", "club", "press")  # groups of what a reporter goes to see
_PARAGRAPH = (2, 5)
_SOMEBODY = "\x00"  # in place of a speaker who is not yet known
_WE = re.compile(r"\b(?:[Ww]e|[Oo]urs?)\b")
_OUTSIDE = ("mine", "farm", "vineyard", "dam", "excavation")  # what lies outside a town
_ASIDE = 0.45  # share of a blog's paragraphs after which its writer speaks of himself
_DATED, _GAP = 4, 13  # dates of which a paper can say how they lie, and years without one of which it speaks


class ProseBlocks(PageSentences):
    """Blocks written as paragraphs: a method for each form of block."""

    # ── beginnings ────────────────────────────────────────────────────────────

    def _note(self, block: Block) -> Iterator[str]:
        use = block.columns[0]
        if use == "blog_end" and self._read_about(self._entity(self._head.about[0])):
            use = "blog_end_about"
        if use in _SCENES:
            use = f"{use}_{self._scene()}"
        yield self._say(use).replace("\\n", "\n")

    def _scene(self) -> str:
        """Where a magazine's writer went: to the thing, to what is written about it, or about somebody."""
        subject = self._entity(self._head.about[0])
        group = "" if subject is None else self._world.setting.kinds[subject.kind].group
        return "person" if group == "person" else "thing" if group in _SCENIC and self._open(subject) else "about"

    def _open(self, subject: WorldEntity | None) -> bool:
        return subject is not None and not 0 < subject.end <= self._head.year

    def _argument(self, block: Block) -> Iterator[str]:
        """What a paper concludes from its own dates: from when to when they run, and where they leave a gap."""
        spans = sorted(
            (claim.fact.year, claim.fact.until or (self._head.year if self._runs(claim.fact) else claim.fact.year))
            for claim in self._plan.claims
            if claim.asserted and claim.fact.subject == block.about and "Y" in self.told.get(claim.fact.key, ())
        )
        last, gaps = 0, []
        for start, stop in spans:
            gaps += [(start - last, last, start)] if last else []
            last = max(last, stop)
        years, low, high = max(gaps, default=(0, 0, 0))
        starts = sorted({start for start, _ in spans})
        if not years:  # somebody in office all the time is no gap; what else is dated lies apart all the same
            years = min(_GAP - 1, max((late - early for early, late in pairwise(starts)), default=0))
        use = "journal_gap" if years >= _GAP else "journal_even"
        use = use if years and len(spans) >= _DATED else "journal_undated"
        given = {"first_year": str(spans[0][0]), "last_year": str(last)} if spans else {}
        span = WorldValue("number", "", years, "year")
        given |= {"gap": self._language.amount(span, years), "gap_from": str(low), "gap_to": str(high)}
        yield self._planner.line(use, self._rng, self._given() | given).replace("\\n", "\n")

    def _runs(self, fact: WorldFact) -> bool:
        """Whether a fact is of a role that is held still."""
        return self._world.setting.kinds[fact.kind].facts[fact.relation].tenure is not None

    def _lead(self, block: Block) -> Iterator[str]:
        """The first sentence, and what belongs to it, as one paragraph."""
        subject = self._entity(self._head.about[0]) if self._head.about else None
        if subject is not None and subject.kind == "person":
            return (yield self._presented(subject, block))
        if self._head.form in _LED and subject is not None:
            first = self._own_page(subject) or self._first(subject)
            if self._head.form == "journal":
                first = self._language.led(self._say("abstract"), capital(first))
                first = self._language.space.join(one for one in (first, self._say("journal_aim")) if one)
        else:
            about = (
                "_about" if self._read_about(subject) else "_town" if subject is not None and subject.town < 0 else ""
            )
            first = self._say(f"intro_{self._head.form}{about}") or self._say(f"intro_{self._head.form}")
            if self._head.form == "catalogue" and subject is not None:  # whoever writes of it has had it in his hands
                tried = self._say(f"tried_{subject.kind.replace(' ', '_')}")
                kind = self._world.setting.kinds[subject.kind]
                known = "maker" not in kind.facts or any(fact.relation == "maker" for fact in subject.facts)
                unnamed = "" if known or not tried else self._say("no_maker")
                first = self._language.space.join(one for one in (first, tried, unnamed) if one)
        sentences = [*([capital(first)] if first else []), *self._sentences(block, known=bool(first))]
        yield self._language.space.join(sentences)

    def _read_about(self, subject: WorldEntity | None) -> bool:
        """Whether a blog tells of what nobody walks past."""
        if self._head.form != "blog" or subject is None:
            return False
        return self._world.setting.kinds[subject.kind].group in READ_ABOUT

    def _presented(self, person: WorldEntity, block: Block) -> str:
        """Who somebody is or was, and what for: the days of birth and death, the profession, the post held longest."""
        self._telling.focus(person)
        given = self._given() | {
            "born": str(person.begin),
            "died": str(person.end),
            "a_profession": self._trade(person),
            "last": self._language.surname(person.name),
        }
        birth, death = lives.birth_and_death(person, (claim.fact for claim in self._plan.claims if claim.asserted))
        for name, fact, year in (("birth", birth, person.begin), ("death", death, person.end)):
            given[name] = str(year)
            if fact is not None and fact.year:
                given[name] = self._language.date(fact.year, *day_of_fact(fact), self._style.dates & 1)
                self._telling.note(fact, "Y")
        over = person.end and person.end <= self._head.year
        given["age"] = str(self._age(person))
        use = "lead_obituary" if self._head.form == "obituary" else "lead_dead" if over else "lead_alive"
        claims = block.claims
        role = self._role(claims[0].fact, given) if claims and claims[0].fact.subject != person.number else ""
        first = self._planner.line(f"{use}_role", self._rng, given | {"role": role}) if role else ""
        if first:
            fact = claims[0].fact
            self._telling.note(fact, "O", "Y", *(("Z",) if fact.until else ()))
            claims = claims[1:]
        first = first or self._planner.line(use, self._rng, given)
        first = first or self._planner.line("lead_dead", self._rng, given)
        return self._language.space.join((capital(first), *self._sentences(block._replace(claims=claims), True)))

    def _role(self, fact: WorldFact, given: Mapping[str, str]) -> str:
        """A post as part of a sentence: "captain of the Angel from 1985 to 1992"; empty for what is no post."""
        spec = self._world.setting.kinds[fact.kind].facts[fact.relation]
        where = self._entity(fact.subject)
        if spec.tenure is None or not spec.labels or where is None:
            return ""
        post = self._language.post(min(spec.labels, key=len))
        filled = {**given, "post": post, "year": str(fact.year), "until": str(fact.until)}
        use = "role_past" if fact.until else "role_now"
        if not self._world.setting.schema.lines.get(use):
            return ""
        role = self._planner.line(use, self._rng, {**filled, "other": self._telling.mention(where)})
        return role[:1].lower() + role[1:]

    def _trade(self, person: WorldEntity) -> str:
        kind = self._world.setting.kinds[person.kind]
        return self._language.a_kind(person.profession or kind.noun, kind)

    def _own_page(self, subject: WorldEntity) -> str:
        """How those who are there begin a page of their own; empty where others tell of what is no more."""
        over = 0 < subject.end <= self._head.year
        if over or self._head.form not in OWN or self._rng.chance(0.15):
            return ""
        kind = self._world.setting.kinds[subject.kind]
        given = self._given() | {"a_kind": self._language.a_kind(kind.noun, kind)}
        use = "lead_own_named" if kind.noun.lower() in subject.name.lower() else "lead_own"
        return self._planner.line(use, self._rng, given)

    def _first(self, subject: WorldEntity) -> str:
        """What it is, and where: the first sentence of an article."""
        kind = self._world.setting.kinds[subject.kind]
        given = self._given()
        noun = self._rng.pick((kind.noun, kind.noun, *kind.wider[:1], *kind.words[:1]))
        given["a_kind"] = self._language.a_kind(noun, kind)
        use = "lead_town" if subject.town < 0 else f"lead_{kind.name.replace(' ', '_')}"
        general = "lead_thing" if kind.group in PLACED else "lead_other"
        line = self._planner.line(use, self._rng, given) or self._planner.line(general, self._rng, given)
        return self._language.introduced(line, given["name"], given["town"], 0 < subject.end <= self._head.year)

    # ── reports ───────────────────────────────────────────────────────────────

    def _report(self, block: Block) -> Iterator[str]:
        """What is news, after the dateline or without one, as the paper does it; whom it is of comes after it."""
        self._said.update(self._head.about)
        told = self._language.space.join(self._sentences(block))
        when = self._when()  # a report says on which day it was; one says it once
        if told and when not in told and (self._rng.chance(0.6) or str(self._head.year) not in told):
            dateline = self._language.dateline(self._given()["town"], when, self._head.site.name)
            told = f"{dateline}{self._language.space}{told}"
        self._reported = told
        more = self._particulars() if told else ""
        yield self._language.space.join((told, more)) if more else told

    def _particulars(self) -> str:
        """What readers ask of such news: what owners are to do, of which office somebody was sworn in, by what vote."""
        lead = self._head.lead
        if lead is None:
            return ""
        other = self._entity(lead.object.entity)
        given = self._given() | {"name": self._entity_name(lead.subject)}
        if other is not None:
            given["last"] = self._language.surname(other.name)
        own = self._planner.line(f"detail_{lead.kind.replace(' ', '_')}_{lead.relation}", self._rng, given)
        return capital(own or self._planner.line(f"detail_{lead.relation}", self._rng, given))

    def _context(self, block: Block) -> Iterator[str]:
        """Of whom a report speaks, for readers who have not heard of it, with what others in it did before."""
        subject, other = self._entity(self._head.about[0]), self._entity(block.about)
        sentences: list[str] = []
        if subject is not None and subject.kind != "person" and not self._tells_all(subject):
            kind = self._world.setting.kinds[subject.kind]
            given = self._given() | {"a_kind": self._language.a_kind(kind.noun, kind), "name": subject.name}
            use = "news_town" if subject.town < 0 else f"lead_{kind.name.replace(' ', '_')}"
            general = "news_what" if kind.group in PLACED else "news_thing"
            line = self._planner.line(use, self._rng, given) or self._planner.line(general, self._rng, given)
            over = 0 < subject.end < self._head.year
            sentences.append(capital(self._language.introduced(line, given["name"], given["town"], over)))
        for person in (subject, other):
            if person is None or person.kind != "person" or person is other is subject:
                continue
            if not person.profession:
                continue
            place = self._world.place(person)[0]
            given = {"name": self._language.surname(person.name), "a_profession": self._trade(person), "town": place}
            given["age"] = str(self._age(person))
            self._said.add(person.number)
            over = self._head.lead is not None and self._head.lead.relation in lives.END
            use = "news_was" if over else "news_trade" if given["age"] in self._reported else "news_who"
            if person.profession in f"{self._head.title} {self._reported}".lower() and not over:
                use = "news_from"  # an abbot is elected abbot: what he is has been told
            use = use if self._world.setting.schema.lines.get(use) else "news_who"
            sentences.append(capital(self._planner.line(use, self._rng, given)))
        told = self._sentences(block, known=True)
        yield self._language.space.join(one for one in (*sentences, *told) if one)

    def _age(self, person: WorldEntity) -> int:
        """How old somebody is on the day of the page, or was at death."""
        death = lives.death_of(person)
        if death is not None and death.year <= self._head.year:
            return lives.age(person, death.year, *day_of_fact(death))
        return lives.age(person, self._head.year, *(int(part) for part in self._head.date.split("-")[1:]))

    def _tells_all(self, subject: WorldEntity) -> bool:
        """Whether a name that has been told says what it is of, and where: "Fletgrove Curling Club"."""
        if subject.name not in self._reported and subject.title not in f"{self._reported} {self._head.title}":
            return False
        noun, town = self._world.setting.kinds[subject.kind].noun.lower(), self._given()["town"]
        if town in subject.name:  # "the Lubioglu Organ of Munlow": nobody asks what that is
            noun = noun.rpartition(" ")[2]
        return noun in subject.name.lower() and (town in subject.name or town.upper() in self._reported)

    def _statement(self, block: Block) -> Iterator[str]:
        """What is said on the news: of the fact, or, where nobody can say more of it yet, in general."""
        said = [one for one in self._quotes(block) if one]
        if not said and (lead := self._head.lead) is not None:
            spec = self._world.setting.kinds[lead.kind].facts[lead.relation]
            other = self._entity(lead.object.entity)
            use = "news_role" if spec.tenure is not None else f"news_{lead.relation}"
            given = self._given() | {
                "speaker": self._speaker(Claim(lead), inside=True),
                "name": self._entity_name(lead.subject),
            }
            if other is not None:
                person = other.kind == "person" and self._telling.named(other)
                given["other"] = self._language.surname(other.name) if person else other.name
            said = [capital(self._planner.line(use, self._rng, given)).replace(",.", ".")]
        yield from said
        yield self._aftermath()

    def _aftermath(self) -> str:
        """What people make of the news, and what happens next; of some nothing."""
        lead = self._head.lead
        if lead is None or self._rng.chance(0.4):
            return ""
        kind = self._world.setting.kinds[lead.kind]
        lines = self._world.setting.schema.lines
        role = "role" if kind.facts[lead.relation].tenure is not None else lead.relation
        use = next((one for one in (f"after_{role}", f"after_{kind.group}") if lines.get(one)), "")
        line = self._planner.line(use, self._rng, {**self._given(), "speaker": _SOMEBODY})
        if _SOMEBODY in line:
            # somebody without a part in it: whoever has one has been quoted
            speaker = self._planner.line(f"speaker_{kind.group}", self._rng, {}) or self._rng.pick(
                self._language.speakers
            )
            line = line.replace(_SOMEBODY, speaker[:1].lower() + speaker[1:].rstrip(","))
        return capital(line)

    def _entity_name(self, number: int) -> str:
        entity = self._entity(number)
        return "" if entity is None else entity.name

    def _quotes(self, block: Block) -> Iterator[str]:
        self._telling.focus(self._entity(block.about))
        for claim in block.claims:
            # who says "we" belongs there; so the words come first, and whose they are after them
            said = self._telling.sentence(claim, "q", speaker=_SOMEBODY)
            speaker = self._speaker(claim, inside=_WE.search(said) is not None) if _SOMEBODY in said else ""
            yield self._language.quoted(said.replace(_SOMEBODY, speaker))

    def _quote(self, block: Block) -> Iterator[str]:
        for part in self._quotes(block):
            yield f"> {part}" if part else ""

    # ── paragraphs ────────────────────────────────────────────────────────────

    def _prose(self, block: Block) -> Iterator[str]:
        if block.about < 0:  # whoever comes next has a paragraph of his own, or "it" would be anybody's
            for number in dict.fromkeys(claim.fact.subject for claim in block.claims):
                own = tuple(claim for claim in block.claims if claim.fact.subject == number)
                yield from self._prose(block._replace(about=number, claims=own))
        elif self._head.form == "news" and not block.head and (parts := self._apart(block)):
            near, far = parts
            yield from self._paragraphs(self._sentences(near))
            if rest := list(self._paragraphs(self._sentences(far, known=True))):
                yield f"## {self._say('report_head')}"
                yield from rest
        else:
            first = self._stop(block)
            yield from self._paragraphs([*first, *self._sentences(block, known=bool(first))])

    def _apart(self, block: Block) -> tuple[Block, Block] | None:
        """What belongs with the news of a thing, and what is only told for those who do not know it."""
        lead, subject = self._head.lead, self._entity(self._head.about[0])
        if lead is None or subject is None or subject.kind == "person":
            return None
        if not self._world.setting.schema.lines.get("report_head"):
            return None
        specs = self._world.setting.kinds[lead.kind].facts
        spec = specs[lead.relation]
        near = tuple(
            claim
            for claim in block.claims
            if claim.fact.relation == lead.relation  # of a new mayor those before, and no twin towns
            or (spec.tenure is None and specs[claim.fact.relation].section == spec.section)
        )
        far = tuple(claim for claim in block.claims if claim not in near)
        if not far or (not near and len(far) == 1):  # one sentence needs no heading
            return None
        return block._replace(claims=near), block._replace(claims=far)

    def _stop(self, block: Block) -> list[str]:
        """In a guide what a sight is, before anything is told of it."""
        sight = self._entity(block.about)
        if self._head.form != "guide" or sight is None or sight.number in self._head.about:
            return []
        kind = self._world.setting.kinds[sight.kind]
        given = {"name": self._telling.mention(sight), "a_kind": self._language.a_kind(kind.noun, kind)}
        stops = dict.fromkeys(
            claim.fact.subject for one in self._plan.blocks if one.form == "prose" for claim in one.claims
        )
        order = [number for number in stops if number not in self._head.about]
        use = {order[-1]: "guide_last", order[0]: "guide_first"}.get(sight.number, "guide_stop")
        if kind.group == "place" or kind.name in _OUTSIDE:  # nobody comes upon a glacier round the corner
            use = "guide_out"
        use = use if self._world.setting.schema.lines.get(use) else "guide_stop"
        first = self._led_to(use, given)
        if kind.noun in sight.name.lower():  # "Irondale Observatory, an observatory"
            first = first.replace(f", {given['a_kind']},", "").replace(f", {given['a_kind']}", "")
        if first:
            self._said.add(sight.number)
        return [capital(first)] if first else []

    def _led_to(self, use: str, given: Mapping[str, str]) -> str:
        """How a guide comes to a sight: in no words in which it has come to another."""
        first, words = "", set[str]()
        for _ in range(9):
            first = self._planner.line(use, self._rng, given)
            plain = first.replace(given["name"], "\x00").replace(given["a_kind"], "\x00").lower().split()
            words = {" ".join(part) for part in pairwise(plain) if "\x00" not in "".join(part)}
            if words.isdisjoint(self._ways):
                break
        self._ways |= words
        return first

    def _paragraphs(self, sentences: list[str]) -> Iterator[str]:
        """Sentences in paragraphs of two and more."""
        while sentences:
            length = self._rng.between(*_PARAGRAPH)
            if len(sentences) - length < 2:
                length = len(sentences)
            told, sentences = sentences[:length], sentences[length:]
            if self._head.form == "blog" and len(told) > 1 and self._rng.chance(_ASIDE):
                told = [*told, self._aside()]
            yield self._language.space.join(one for one in told if one)

    def _aside(self) -> str:
        """What happened to a blog's writer meanwhile; nothing twice."""
        subject = self._entity(self._head.about[0]) if self._head.about else None
        said = self._say("blog_aside_about" if self._read_about(subject) else "blog_aside")
        if said in self._written:
            return ""
        self._written.add(said)
        return said

    def _contrast(self, block: Block) -> Iterator[str]:
        """Others of the kind beside the subject: what is other with them."""
        parts: list[str] = []
        for number in dict.fromkeys(claim.fact.subject for claim in block.claims):
            entity = self._entity(number)
            own = tuple(claim for claim in block.claims if claim.fact.subject == number)
            sentences = self._sentences(block._replace(about=number, claims=own))
            if entity is not None and sentences:
                named = entity.name in sentences[0] or entity.title in sentences[0]
                if named and not sentences[0].startswith(self._language.named(entity.title, "").rstrip()):
                    sentences[0] = self._language.led(self._say("contrast"), sentences[0])
                parts.append(self._language.space.join(sentences))
        yield from parts

    def _corrections(self, block: Block) -> Iterator[str]:
        for sentence in self._sentences(block):
            yield f"*{self._language.led(self._say('correction'), sentence)}*"
