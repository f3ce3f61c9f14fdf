"""The sentences of a page: each in the manner of the site, none twice, and nobody in them unnamed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cached_property

from webenv.corpora.procedural.rng import Rng
from webenv.corpora.world import lives
from webenv.corpora.world.choosing import Block
from webenv.corpora.world.claims import WorldPagePlan
from webenv.corpora.world.model import Claim, WorldEntity, WorldFact
from webenv.corpora.world.plan import OWN, PageHead, RegionPages, WorldPlanner
from webenv.corpora.world.schema import KindSpec
from webenv.corpora.world.sentences import Telling
from webenv.corpora.world.templates import NAMING
from webenv.corpora.world.wording import LAST_MONTH

_USES = {
    "encyclopedia": ("e",), "heritage": ("e",), "directory": ("w", "e"), "catalogue": ("e",), "forum": ("f", "e"),
    "blog": ("e",), "council": ("e",), "guide": ("e",), "journal": ("e",), "magazine": ("e",),
    "club": ("w", "e"), "news": ("n", "e"), "obituary": ("e",),
}  # fmt: skip


def _links_of(head: PageHead, known: RegionPages) -> Callable[[WorldEntity], str]:
    """Where a page links to for an entity: nowhere for whom it is about itself."""
    homes, own = known.homes, head.url

    def link(entity: WorldEntity) -> str:
        url = homes.get(entity.number, "")
        return "" if url == own else url

    return link


_DETAILED = {
    "encyclopedia": 0.25, "heritage": 0.25, "magazine": 0.45, "blog": 0.4, "news": 0.5, "club": 0.25, "guide": 0.25,
    "obituary": 0.35, "journal": 0.2, "forum": 0.25, "council": 0.15, "directory": 0.2,
}  # fmt: skip
"""Of how many facts pages of a form tell a detail, where there is one."""
_MERGED = 0.65  # of two short sentences about one subject how often they become one
_IN_OFFICE = 0.4  # of what happened in somebody's time how often it is said
_LED = 0.15  # of denials how often something leads to them
_ASKED = 4  # people near to it that are asked


class PageSentences:
    """What all parts of a page are written with: its voice, what it has said so far, and its sentences.

    Args:
        planner: of the page's world.
        plan: what the page claims.
    """

    def __init__(self, planner: WorldPlanner, plan: WorldPagePlan) -> None:
        self._planner = planner
        self._world = planner.world
        self._language = planner.language
        self._plan = plan
        self._head = plan.head
        self._region = planner.region_of(plan.head.number)
        self._known = planner.pages(self._region)
        self._entity = planner.world.known_to(self._region).__getitem__
        self._rng = Rng(*planner.world.setting.seed, "text", plan.head.number)
        self._style = plan.head.site.style
        if plan.head.form == "guide":  # where one wades to the knee nobody reckons in two units
            self._style = self._style._replace(imperial=False)
        self._telling: Telling = planner.telling(
            self._region, self._style, self._rng, _links_of(plan.head, self._known), self._turn
        )
        self._telling.year = plan.head.year
        self._telling.own = plan.head.form in OWN
        self._written: set[str] = set()  # sentences, so that none comes twice
        self._ways: set[str] = set()  # words, two and two, in which a guide has led to a sight
        self._heard: set[int] = set()  # who has been quoted
        self._asked: set[str] = set()  # and those without a name
        self._reported = ""  # the news, as told
        self._terms: list[tuple[int, int, str, str]] = []  # from when to when the page has told that who held a post
        # entities that the title or a sentence has named
        self._said = {one for one in self._head.about if (e := self._entity(one)) and e.title in self._head.title}
        self._uses = _USES.get(plan.head.form, ("e",))

    @property
    def told(self) -> Mapping[tuple[int, int], Collection[str]]:
        return self._telling.said

    @property
    def touched(self) -> Mapping[tuple[int, int], Collection[str]]:
        return self._telling.touched

    def _turn(self, fact: WorldFact) -> int:
        """The place of the page among those about whom a fact is of; others come after these, in any order."""
        pages = self._known.about.get(fact.subject, ())
        own = next((place for place, head in enumerate(pages) if head.number == self._head.number), -1)
        return own if own >= 0 else len(pages) + self._head.number % 7

    def _given(self) -> dict[str, str]:
        return self._givens.copy()

    @cached_property
    def _givens(self) -> dict[str, str]:
        head = self._head
        subject = self._entity(head.about[0]) if head.about else None
        other = self._entity(head.about[1]) if head.form == "comparison" else None
        given = self._planner.given(self._region, subject, head.site, other=other)
        if subject is not None:
            given["name"] = subject.name
        if other is not None:
            given["other"] = other.name
        if head.form in ("list", "comparison"):
            kind = None if subject is None else self._world.setting.kinds[subject.kind]
            given["number"] = self._language.numbered(len(head.about), kind)
        return {**given, "date": self._when(), "year": str(head.year)}

    def _when(self) -> str:
        """The day on which the page was written, in the site's form."""
        if self._head.date:
            year, month, day = (int(part) for part in self._head.date.split("-"))
        else:  # a page without a date of its own was edited on some day of its year
            year, month, day = self._head.year, self._head.number % LAST_MONTH + 1, self._head.number % 28 + 1
        return self._language.date(year, month, day, self._style.dates & 1)

    def _say(self, use: str) -> str:
        return capital(self._planner.line(use, self._rng, self._given()))

    # ── sentences ─────────────────────────────────────────────────────────────

    def _sentences(self, block: Block, known: bool = False) -> list[str]:
        """What a block claims, sentence after sentence, each joined to the one before."""
        self._telling.focus(self._entity(block.about))
        if known:
            self._telling.know()
        found: list[str] = []
        last, span = 0, False
        whole: WorldFact | None = None  # what the last sentence told, if another may join it
        for claim in self._introduced(block.claims):
            new = claim.fact.subject not in self._said
            told = self._telling.sentence(claim, *self._uses_of(claim), naming=new or not found)
            sentence = self._named(claim, told, block)
            if not sentence or sentence in self._written:
                continue
            self._written.add(sentence)
            if not claim.asserted:
                bare = block.form == "corrections" or claim.fact.kind == "person"
                sentence = self._language.led("" if bare else self._denial(), sentence)
            elif found and not self._style.informal:
                # years are counted from the sentence before, and not in every sentence
                near = 0 if " later" in found[-1] or " years on" in found[-1] else last
                near = 0 if span and claim.fact.year == last else near  # which of the two "that same year" is, is open
                sentence = self._language.joined(sentence, claim.fact.year, near, self._rng)
            if claim.asserted and claim.fact.kind != "person" and claim.fact.subject == block.about:
                sentence = self._in_office(claim, sentence)
            opening = self._telling.opening
            joins = claim.asserted and self._telling.ends_own and claim.fact.subject == block.about
            until = claim.fact.until  # what comes next is counted from the end that the reader has just been told
            year = claim.fact.year
            # after what has no date nobody knows any more which year "that same year" was
            last = until if until and str(until) in sentence else year if str(year) in sentence else 0
            last = 0 if ". " in sentence else last
            span = 0 < until == last and str(year) in sentence
            one = ""
            near_it = whole is not None and claim.asserted and lives.akin(whole, claim.fact, self._kind_of(claim.fact))
            if near_it and not self._style.informal and self._rng.chance(_MERGED):
                one = self._language.merged(found[-1], sentence, opening)
            whole = claim.fact if joins and not one else None
            if one:
                found[-1] = one
            else:
                found.append(sentence)
            if claim.asserted and claim.fact.subject == block.about and (detail := self._detail(claim)):
                found[-1] = self._language.space.join((found[-1], detail))  # never in another paragraph
                whole = None
        return found

    def _detail(self, claim: Claim) -> str:
        """A sentence that goes on about a fact just told; of most none, and none on pages of mere entries."""
        share = _DETAILED.get(self._head.form, 0.0)
        if self._head.form == "news" and claim.fact.year == self._head.year:
            return ""  # details tell consequences, which are not known on the day of the news
        if not share or not self._telling.ways(claim, "d") or not self._rng.chance(share):
            return ""
        detail = self._telling.sentence(claim, "d")
        if not detail or detail in self._written:
            return ""
        self._written.add(detail)
        return detail

    def _kind_of(self, fact: WorldFact) -> KindSpec:
        return self._world.setting.kinds[fact.kind]

    def _in_office(self, claim: Claim, sentence: str) -> str:
        """A sentence with who was in office then, of whom the page has told it: what happens happens to somebody."""
        fact = claim.fact
        spec = self._kind_of(fact).facts[fact.relation]
        if spec.tenure is not None:
            holder = self._entity(fact.object.entity)
            told = self.told.get(fact.key, ())
            if holder is not None and fact.until and "Y" in told and "Z" in told:
                post = self._language.post(min(spec.labels, key=len, default=""))
                self._terms.append((fact.year, fact.until, post, self._language.surname(holder.name)))
            return sentence
        for term in self._terms if fact.year and str(fact.year) in sentence else ():
            start, until, post, name = term
            if start < fact.year < until and post and self._rng.chance(_IN_OFFICE):
                self._terms.remove(term)
                return self._language.in_office(sentence, name, post)
        return sentence

    def _introduced(self, claims: tuple[Claim, ...]) -> tuple[Claim, ...]:
        """Claims about somebody not named so far: one first whose sentence says of whom it is."""
        if not claims:
            return claims
        telling = self._telling
        near = len(claims)
        if not self._said.isdisjoint(
            (claims[0].fact.subject, claims[0].fact.object.entity)
        ):  # named by a title or the line before: better again, if time allows
            near = next((place for place, claim in enumerate(claims) if claim.fact.year), near)
        for place, claim in enumerate(claims[:near]):
            if claim.asserted and all(not NAMING.isdisjoint(way.slots) for way in telling.ways(claim, "e")):
                return (claim, *claims[:place], *claims[place + 1 :])
        return claims

    def _uses_of(self, claim: Claim) -> tuple[str, ...]:
        """Nobody says "we" of another, nor of what is no more; what is not new is no news."""
        if self._head.lead is not None and self._head.form == "news" and claim.fact.key != self._head.lead.key:
            return ("e",)
        subject = self._entity(claim.fact.subject)
        over = subject is not None and 0 < subject.end <= self._head.year
        if claim.fact.subject not in self._head.about or (over and "w" in self._uses):
            return ("e",)
        return (*self._uses, "e")

    def _denial(self) -> str:
        return self._planner.line("denial", self._rng, self._given()) if self._rng.chance(_LED) else ""

    def _named(self, claim: Claim, sentence: str, block: Block) -> str:
        """The sentence; with the name of whom it is about, where no sentence, heading or title has told it before."""
        entity = self._entity(claim.fact.subject)
        if not sentence or entity is None or entity.number in self._said:
            return sentence
        self._said.add(entity.number)
        shown = entity.title if entity.title in block.head else entity.name
        known = shown in block.head or shown in sentence or entity.title in sentence
        if known or (self._telling.named(entity) and self._language.surname(entity.name) in sentence):
            return sentence  # of whoever has been named in full the surname is enough
        return self._language.named(entity.title, sentence)

    def _whole(self, claim: Claim, sentence: str) -> str:
        """A sentence that stands alone: with the name of whom it is about, unless the whole page is about that."""
        entity = self._entity(claim.fact.subject)
        if (
            not sentence
            or entity is None
            or entity.name in sentence
            or entity.title in sentence
            or entity.number in self._said
        ):
            return sentence
        return self._language.named(entity.title, sentence)

    # ── people who know of it ─────────────────────────────────────────────────

    def _speaker(self, claim: Claim, inside: bool = False) -> str:
        """Whoever is asked: somebody who had to do with it, if anybody lives; else, unless ``inside``, any nearby."""
        year = self._head.year
        near = self._persons_near
        persons = self._known.by_kind.get("person", ())
        for place in range(8 if persons else 0):
            if place == _ASKED and (inside or self._head.form in OWN or self._rng.chance(0.85)):
                # nobody near: rather somebody of whom one sees why
                break
            if not near and place < _ASKED and inside:
                continue
            one = self._rng.pick(near) if near and place < _ASKED else self._rng.pick(persons)
            alive = 16 < year - one.begin < 85 and (one.end == 0 or one.end > year)
            if (
                alive
                and one.number not in self._heard
                and one.number not in (claim.fact.subject, claim.fact.object.entity)
            ):
                self._heard.add(one.number)
                if self._telling.named(one):
                    return self._language.surname(one.name)
                if post := self._post(claim, one):
                    return post
                if one.number in self._said or not one.profession:
                    return one.name
                return self._language.with_role(one.name, one.profession, self._rng)
        subject = self._entity(claim.fact.subject)
        group = "" if subject is None else self._world.setting.kinds[subject.kind].group
        for _ in range(4):
            speaker = self._planner.line(f"inside_{group}" if inside else f"speaker_{group}", self._rng, {})
            speaker = speaker[:1].lower() + speaker[1:] or self._rng.pick(self._language.speakers)
            if speaker not in self._asked:
                break
        self._asked.add(speaker)
        return speaker

    def _post(self, claim: Claim, person: WorldEntity) -> str:
        """Whoever is quoted by the post that he or she holds, or held, in what the claim is about; else empty."""
        subject = self._entity(claim.fact.subject)
        specs = self._world.setting.kinds[claim.fact.kind].facts
        for fact in () if subject is None else subject.facts:
            labels = specs[fact.relation].labels
            if fact.object.entity == person.number and specs[fact.relation].tenure is not None and labels:
                if fact.year > self._head.year:
                    continue
                self._telling.note(fact, "O")
                post = self._language.post(min(labels, key=len))
                over = 0 < fact.until <= self._head.year
                return self._language.with_profession(self._language.former(post) if over else post, person.name)
        return ""

    @cached_property
    def _persons_near(self) -> list[WorldEntity]:
        return [e for n in sorted(self._near) if (e := self._entity(n)) is not None and e.kind == "person"]

    @cached_property
    def _near(self) -> set[int]:
        """Whom the page is about, and whom their facts tie them to."""
        numbers = set(self._head.about)
        for number in self._head.about:
            entity = self._entity(number)
            if entity is not None:
                numbers.update(fact.object.entity for fact in entity.facts if fact.object.entity >= 0)
                numbers.update(fact.subject for fact in entity.told)
        return numbers


def capital(text: str) -> str:
    """A text with a capital, links left alone."""
    return text[:1].upper() + text[1:]
