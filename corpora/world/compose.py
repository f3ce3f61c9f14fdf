"""Pages as texts: their blocks written out in the manner of the site, in Markdown."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from webenv.corpora.procedural.rng import Rng
from webenv.corpora.world.claims import Block, WorldPagePlan
from webenv.corpora.world.model import Claim, WorldEntity, WorldFact
from webenv.corpora.world.plan import READ_ABOUT, PageHead, RegionPages, WorldPlanner
from webenv.corpora.world.wording import LAST_MONTH, MEMORY, NAMING, Telling, day_of_fact

_USES = {
    "encyclopedia": ("e",), "heritage": ("e",), "directory": ("w", "e"), "catalogue": ("e",), "forum": ("f", "e"),
    "blog": ("e",), "council": ("n", "e"), "guide": ("e",), "journal": ("e",), "magazine": ("e",),
    "club": ("w", "e"), "news": ("n", "e"), "obituary": ("e",),
}  # fmt: skip
_LED = ("encyclopedia", "heritage", "journal", "club", "magazine", "directory", "obituary")  # begin with what it is
_PARAGRAPH = (2, 5)
_LINKS = (3, 8)


class WrittenPage(NamedTuple):
    """A page, written.

    Attributes:
        text: its main text.
        told: what the text tells of each fact, by the fact's key: "O" its object, "Y" its year, further values by name.
    """

    text: str
    told: Mapping[tuple[int, int], Collection[str]]


def write_page(planner: WorldPlanner, plan: WorldPagePlan) -> WrittenPage:
    """Writes a page out.

    Args:
        planner: of the page's world.
        plan: what the page claims.
    """
    page = _Page(planner, plan)
    return WrittenPage(page.text(), page.told)


def _links_of(head: PageHead, known: RegionPages) -> Callable[[WorldEntity], str]:
    """Where a page links to for an entity: nowhere for whom it is about itself."""
    homes, own = known.homes, head.url

    def link(entity: WorldEntity) -> str:
        url = homes.get(entity.number, "")
        return "" if url == own else url

    return link


class _Page:
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
        self._telling: Telling = planner.telling(
            self._region, self._style, self._rng, _links_of(plan.head, self._known), self._turn
        )
        self._telling.year = plan.head.year
        self._written: set[str] = set()  # sentences, so that none comes twice
        self._heard: set[int] = set()  # who has been quoted
        # entities that the title or a sentence has named
        self._said = {one for one in self._head.about if (e := self._entity(one)) and e.title in self._head.title}
        self._uses = _USES.get(plan.head.form, ("e",))

    @property
    def told(self) -> Mapping[tuple[int, int], Collection[str]]:
        return self._telling.said

    def text(self) -> str:
        parts: list[str] = []
        for block in self._plan.blocks:
            parts += self._block(block)
        return self._language.polished("\n\n".join(parts), self._style)

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
        return _sentence(self._planner.line(use, self._rng, self._given()))

    # ── parts ─────────────────────────────────────────────────────────────────

    def _block(self, block: Block) -> list[str]:
        parts = [part for part in getattr(self, f"_{block.form}")(block) if part]
        return [f"## {block.head}", *parts] if block.head and parts else parts

    def _note(self, block: Block) -> Iterator[str]:
        yield self._say(block.columns[0]).replace("\\n", "\n")

    def _lead(self, block: Block) -> Iterator[str]:
        """The first sentence, and what belongs to it, as one paragraph."""
        subject = self._entity(self._head.about[0]) if self._head.about else None
        if self._head.form in _LED and subject is not None:
            first = self._first(subject)
            if self._head.form == "journal":
                first = self._language.led(self._say("abstract"), _sentence(first))
        else:
            about = "_about" if self._read_about(subject) else ""
            first = self._say(f"intro_{self._head.form}{about}") or self._say(f"intro_{self._head.form}")
        sentences = [*([_sentence(first)] if first else []), *self._sentences(block, known=bool(first))]
        yield self._language.space.join(sentences)

    def _read_about(self, subject: WorldEntity | None) -> bool:
        """Whether a blog tells of what nobody walks past."""
        if self._head.form != "blog" or subject is None:
            return False
        return self._world.setting.kinds[subject.kind].group in READ_ABOUT

    def _report(self, block: Block) -> Iterator[str]:
        """What is news, after the dateline or without one, as the paper does it."""
        told = self._language.space.join(self._sentences(block))
        if told and self._rng.chance(0.6):
            dateline = self._language.dateline(self._given()["town"], self._when(), self._head.site.name)
            told = f"{dateline}{self._language.space}{told}"
        yield told

    def _first(self, subject: WorldEntity) -> str:
        """What it is, and where: the first sentence of an article."""
        kind = self._world.setting.kinds[subject.kind]
        given = self._given()
        if subject.kind == "person":
            given |= {"born": str(subject.begin), "died": str(subject.end)}
            given["a_profession"] = self._language.a_kind(subject.profession or kind.noun, kind)
            over = subject.end and subject.end <= self._head.year
            return self._planner.line("lead_dead" if over else "lead_alive", self._rng, given)
        noun = self._rng.pick((kind.noun, kind.noun, *kind.wider[:1], *kind.words[:1]))
        given["a_kind"] = self._language.a_kind(noun, kind)
        placed = kind.group in ("structure", "place", "public", "firm", "club", "press")
        use = "lead_thing" if placed else "lead_other"
        return self._planner.line("lead_town" if subject.town < 0 else use, self._rng, given) or self._planner.line(
            use, self._rng, given
        )

    # ── forms of blocks ───────────────────────────────────────────────────────

    def _sentences(self, block: Block, known: bool = False) -> list[str]:
        """What a block claims, sentence after sentence, each joined to the one before."""
        self._telling.focus(self._entity(block.about))
        if known:
            self._telling.know()
        found: list[str] = []
        last = 0
        for claim in self._introduced(block.claims):
            new = claim.fact.subject not in self._said
            told = self._telling.sentence(claim, *self._uses_of(claim), naming=new or not found)
            sentence = self._named(claim, told, block)
            if not sentence or sentence in self._written:
                continue
            self._written.add(sentence)
            if not claim.asserted:
                sentence = self._language.led("" if block.form == "corrections" else self._denial(), sentence)
            elif found and not self._style.informal:
                sentence = self._language.joined(sentence, claim.fact.year, last, self._rng)
            last = claim.fact.year or last
            found.append(sentence)
        return found

    def _introduced(self, claims: tuple[Claim, ...]) -> tuple[Claim, ...]:
        """Claims about somebody not named so far: one first whose sentence says of whom it is."""
        if not claims or claims[0].fact.subject in self._said:
            return claims
        telling = self._telling
        for place, claim in enumerate(claims):
            if claim.asserted and all(not NAMING.isdisjoint(way.slots) for way in telling.ways(claim, "e")):
                return (claim, *claims[:place], *claims[place + 1 :])
        return claims

    def _uses_of(self, claim: Claim) -> tuple[str, ...]:
        """Nobody says "we" of another, nor of what is no more."""
        subject = self._entity(claim.fact.subject)
        over = subject is not None and 0 < subject.end <= self._head.year
        if claim.fact.subject not in self._head.about or (over and "w" in self._uses):
            return ("e",)
        return (*self._uses, "e")

    def _denial(self) -> str:
        return self._planner.line("denial", self._rng, self._given()) if self._rng.chance(0.3) else ""

    def _prose(self, block: Block) -> Iterator[str]:
        if block.about < 0:  # whoever comes next has a paragraph of his own, or "it" would be anybody's
            for number in dict.fromkeys(claim.fact.subject for claim in block.claims):
                own = tuple(claim for claim in block.claims if claim.fact.subject == number)
                yield from self._paragraphs(self._sentences(block._replace(about=number, claims=own)))
        else:
            yield from self._paragraphs(self._sentences(block))

    def _paragraphs(self, sentences: list[str]) -> Iterator[str]:
        """Sentences in paragraphs of two and more."""
        while sentences:
            length = self._rng.between(*_PARAGRAPH)
            if len(sentences) - length < 2:
                length = len(sentences)
            yield self._language.space.join(sentences[:length])
            sentences = sentences[length:]

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

    def _items(self, block: Block) -> Iterator[str]:
        """Others, a line each: the name, and what there is to say."""
        dash = self._rng.pick(self._language.dashes)
        bold = dash != self._language.dashes[-1]
        items = []
        for number in dict.fromkeys(claim.fact.subject for claim in block.claims):
            entity = self._entity(number)
            if entity is None:
                continue
            self._telling.focus(entity)
            name = self._telling.mention(entity, full=True)
            self._said.add(number)
            self._telling.know()
            said = []
            for claim in block.claims:
                if claim.fact.subject == number:
                    sentence = self._telling.sentence(claim, "e")
                    if sentence and sentence not in self._written:
                        self._written.add(sentence)
                        said.append(sentence)
            if said and bold:
                items.append(f"- **{name}**{dash}{self._language.space.join(said)}")
            elif said:
                items.append(f"- {self._language.named(name, self._language.space.join(said))}")
        yield "\n".join(items)

    def _keys(self, block: Block) -> Iterator[str]:
        rows = [f"{self._language.named(f'**{self._label(claim)}**', self._cell(claim))}" for claim in block.claims]
        if self._rng.chance(0.3):
            yield " · ".join(rows)
        else:
            yield "\n".join(f"- {row}" for row in rows)

    def _roles(self, block: Block) -> Iterator[str]:
        """Who held a role: a line each, or a table."""
        rows = []
        for claim in block.claims:
            fact = claim.fact
            self._telling.note(fact, "O", "Y", *(("Z",) if fact.until else ()))
            until = str(fact.until) if fact.until else self._language.say("today")
            rows.append((f"{fact.year}–{until}", self._telling.value(fact.object, full=True)))
        yield from self._two_columns(rows, block.head)

    def _series(self, block: Block) -> Iterator[str]:
        rows = []
        for claim in block.claims:
            self._telling.note(claim.fact, "O", "Y")
            rows.append((str(claim.fact.year), self._telling.value(claim.fact.object)))
        yield from self._two_columns(rows, block.head)

    def _two_columns(self, rows: list[tuple[str, str]], head: str) -> Iterator[str]:
        if self._rng.chance(0.45):
            lines = [f"| {self._language.say('Year')} | {head} |", "| --- | --- |"]
            yield "\n".join((*lines, *(f"| {when} | {what} |" for when, what in rows)))
        elif self._rng.chance(0.5):
            yield "\n".join(f"- {self._language.named(when, what)}" for when, what in rows)
        else:
            yield "\n".join(f"- {self._language.cell(what, when)}" for when, what in rows)

    def _years(self, block: Block) -> Iterator[str]:
        """The subject's own dates, a line each."""
        self._telling.focus(self._entity(block.about))
        items = []
        for claim in block.claims:
            sentence = self._telling.sentence(claim, "e")
            if sentence:
                self._telling.note(claim.fact, "Y")
                items.append(f"- {self._language.named(f'**{claim.fact.year}**', sentence)}")
        yield "\n".join(items)

    def _named(self, claim: Claim, sentence: str, block: Block) -> str:
        """The sentence; with the name of whom it is about, where no sentence, heading or title has told it before."""
        entity = self._entity(claim.fact.subject)
        if not sentence or entity is None or entity.number in self._said:
            return sentence
        self._said.add(entity.number)
        shown = entity.title if entity.title in block.head else entity.name
        return sentence if shown in block.head or shown in sentence else self._language.named(entity.title, sentence)

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

    def _speaker(self, claim: Claim) -> str:
        """Whoever is asked: somebody who had to do with it, if anybody lives; else any of the county."""
        year = self._head.year
        near = self._persons_near
        persons = self._known.by_kind.get("person", ())
        for place in range(10 if persons else 0):
            one = self._rng.pick(near) if near and place < 4 else self._rng.pick(persons)
            alive = 16 < year - one.begin < 85 and (one.end == 0 or one.end > year)
            if (
                alive
                and one.number not in self._heard
                and one.number not in (claim.fact.subject, claim.fact.object.entity)
            ):
                self._heard.add(one.number)
                if one.number in self._said or not one.profession:
                    return one.name
                return self._language.with_role(one.name, one.profession, self._rng)
        return self._rng.pick(self._language.speakers)

    def _quotes(self, block: Block) -> Iterator[str]:
        self._telling.focus(self._entity(block.about))
        said = [self._telling.sentence(claim, "q", speaker=self._speaker(claim)) for claim in block.claims]
        yield from said

    def _quote(self, block: Block) -> Iterator[str]:
        for part in self._quotes(block):
            yield f"> {part}" if part else ""

    def _reviews(self, block: Block) -> Iterator[str]:
        rng = self._rng
        stars, helpful = rng.chance(0.6), rng.chance(0.4)
        for claim in block.claims:
            self._telling.focus(self._entity(block.about))
            said = self._telling.sentence(claim, "f", whole=True)
            if not said:
                continue
            count = rng.between(1, 5)
            mark = f"{'★' * count}{'☆' * (5 - count)}" if stars else f"{count}/5"
            who = self._user() if rng.chance(0.6) else self._planner.line("reviewer", rng, {}) or self._user()
            tail = self._planner.line("helpful", rng, {"number": str(rng.between(2, 40))}) if helpful else ""
            yield f"{self._language.named(f'**{mark} {who}**', _sentence(said))}{' ' + tail if tail else ''}"

    def _user(self) -> str:
        return self._planner.line("user", self._rng, {"number": str(self._rng.between(2, 99))})

    def _comments(self, block: Block) -> Iterator[str]:
        """Under a post: first-hand remarks, and somebody who comes with another of the kind."""
        for claim in block.claims:
            own = claim.fact.subject in self._head.about
            self._telling.focus(self._entity(block.about) if own else None)
            said = self._telling.sentence(claim, "f", "e", naming=not own, whole=True)
            if not own and said:
                said = self._language.led(self._planner.line("comment_other", self._rng, self._given()), said)
            yield self._language.named(f"**{self._user()}**", _sentence(said)) if said else ""

    def _infobox(self, block: Block) -> Iterator[str]:
        entity = self._entity(block.about)
        head = "" if entity is None or block.head else entity.title
        rows = [f"| {head} | |", "| --- | --- |"]
        for claim in block.claims:
            rows.append(f"| {self._label(claim)} | {self._cell(claim)} |")
        yield "\n".join(rows)

    def _label(self, claim: Claim) -> str:
        spec = self._world.setting.kinds[claim.fact.kind].facts[claim.fact.relation]
        return self._rng.pick(spec.labels) if spec.labels else claim.fact.relation.replace("_", " ").capitalize()

    def _cell(self, claim: Claim) -> str:
        fact = claim.fact
        text = self._telling.value(fact.object, full=True)
        text = text[:1].upper() + text[1:] if not text.startswith("[") else text
        self._telling.note(fact, "O", *(("Y",) if fact.year else ()), *(("Z",) if fact.until else ()))
        if fact.object.type == "year" or not fact.year:
            return text
        spec = self._world.setting.kinds[fact.kind].facts[fact.relation]
        if spec.tenure is not None:
            return self._language.cell(text, f"{fact.year}–{fact.until or ''}")
        return self._language.cell(text, str(fact.year))

    def _table(self, block: Block) -> Iterator[str]:
        by_subject: dict[int, dict[str, Claim]] = {}
        labels: dict[str, str] = {}
        for claim in block.claims:
            by_subject.setdefault(claim.fact.subject, {})[claim.fact.relation] = claim
            labels.setdefault(claim.fact.relation, self._label(claim))
        columns = [name for name in block.columns if name in labels]
        rows = ["| | " + " | ".join(labels[name] for name in columns) + " |", "| --- " * (len(columns) + 1) + "|"]
        for subject, cells in by_subject.items():
            entity = self._entity(subject)
            name = self._telling.mention(entity, full=True) if entity is not None else ""
            rows.append(
                f"| {name} | " + " | ".join(self._cell(cells[c]) if c in cells else "–" for c in columns) + " |"
            )
        yield "\n".join(rows)

    def _dates(self, block: Block) -> Iterator[str]:
        decades = "decades" in block.columns
        before = 0
        items: list[str] = []
        for claim in block.claims:
            year = claim.fact.year
            if decades and year // 10 != before // 10:
                if items:
                    yield "\n".join(items)
                items = []
                yield f"## {self._language.years_of(year // 10 * 10)}"
            before = year
            self._telling.focus(None)
            month, day = day_of_fact(claim.fact)
            when = str(year) if decades else self._language.date(year, month, day, self._style.dates)
            self._telling.note(claim.fact, "Y")
            said = self._whole(claim, self._telling.sentence(claim, "e", naming=True))
            items.append(f"- {self._language.named(f'**{when}**', said)}")
        yield "\n".join(items)

    def _faq(self, block: Block) -> Iterator[str]:
        rng = self._rng
        plain = rng.below(3)  # the answer alone before its sentence, always, now and then, or never
        for claim in block.claims:
            self._telling.focus(None)
            question = self._telling.sentence(claim, "a")
            self._telling.focus(self._entity(block.about))
            short = ""
            if claim.fact.object.type != "year" and (plain == 0 or (plain == 1 and rng.chance(0.4))):
                short = self._telling.value(claim.fact.object)
                self._telling.note(claim.fact, "O")
            answer = self._telling.sentence(claim, *(("w", "e") if self._head.form == "club" else ("e",)))
            if not question or not answer:
                continue
            if short:
                answer = f"{self._language.closed(_sentence(short))}{self._language.space}{answer}"
            yield f"### {question}" if self._head.form == "faq" else f"**{question}**"
            yield answer

    def _thread(self, block: Block) -> Iterator[str]:
        rng = self._rng
        users = [self._user() for _ in range(5)]
        year, month, day = (int(part) for part in self._head.date.split("-"))
        shown = rng.chance(0.6)  # whether posts bear dates

        def post(user: str, text: str) -> str:
            when = f" · {self._language.date(year, month, day, self._style.dates)}" if shown else ""
            return f"**{user}**{when}\n{text}"

        opening = self._planner.line("forum_open", rng, {})
        more = self._say("forum_why") if rng.chance(0.5) else ""
        asked = self._language.opened(opening, self._head.title)
        yield post(users[0], f"{asked}{self._language.space}{more}".strip())
        posts: list[list[Claim]] = []

        def chats(claim: Claim) -> bool:
            recent = not claim.fact.year or self._world.setting.now - claim.fact.year <= MEMORY
            return recent and claim.asserted and self._planner.has(claim.fact, "f")

        for claim in block.claims:  # a post is about one thing, says two or three things of it, and in one voice
            last_post = posts[-1] if posts else []
            same = bool(last_post) and last_post[0].fact.subject == claim.fact.subject
            if same and chats(last_post[0]) == chats(claim) and len(last_post) < rng.between(1, 3):
                posts[-1].append(claim)
            else:
                posts.append([claim])
        last = users[0]
        for place, told in enumerate(posts):
            own = told[0].fact.subject in self._head.about
            entity = self._entity(told[0].fact.subject)
            other = "" if entity is None else entity.title
            lead = ""
            if place and rng.chance(0.55 if own else 0.8):
                use = "forum_reply" if own else "forum_other"
                lead = self._planner.line(use, rng, {**self._given(), "user": last, "other": other})
            self._telling.focus(self._entity(block.about) if own and place else None)
            if other and other in lead:
                self._telling.focus(entity)
                self._telling.know()
            said: list[str] = []
            for claim in told:
                sentence = self._telling.sentence(claim, "f", "e", naming=not said, whole=True)
                said.append(sentence if own and said else self._whole(claim, sentence) if not lead else sentence)
                self._telling.focus(entity)
                self._telling.know()
            text = self._language.space.join(one for one in said if one)
            if not text:
                continue
            user = rng.pick([one for one in users[1:] if one != last])
            text = f"{lead}{self._language.space}{text}".strip() if lead else text
            last = user
            day = min(28, day + rng.below(2))
            yield post(user, text)
        if rng.chance(0.7):
            yield post(users[0], self._planner.line("forum_thanks", rng, {}))

    def _links(self, block: Block) -> Iterator[str]:
        rng = self._rng
        heads = self._known.heads
        if self._head.form == "hub":
            site = self._head.site.number
            chosen = [head for head in heads if head.site.number == site] + list(rng.sample(heads, 12))
            chosen = list({head.number: head for head in chosen}.values())[:40]
        else:
            about = self._near
            near = {head.number: head for one in sorted(about) for head in self._known.about.get(one, ())}
            chosen = rng.sample(tuple(near.values()), rng.between(*_LINKS)) or rng.sample(heads, 3)
        titled = {head.title: head for head in chosen if head.number != self._head.number}  # no title twice in a list
        yield "\n".join(f"- [{title}]({head.url})" for title, head in titled.items())

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


def _sentence(text: str) -> str:
    """A text with a capital, links left alone."""
    return text[:1].upper() + text[1:]
