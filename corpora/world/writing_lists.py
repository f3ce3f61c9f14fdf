"""Lists and tables of a page: items, keys, rows, dates and links."""

from __future__ import annotations

from collections.abc import Iterator

from webenv.corpora.procedural.rng import Rng
from webenv.corpora.world.choosing import Block
from webenv.corpora.world.model import Claim, WorldEntity
from webenv.corpora.world.schema import PLACED
from webenv.corpora.world.wording import day_of_fact
from webenv.corpora.world.writing import PageSentences

_OWN = 3  # pages of its own that a site's list has at least
_LINKS = (3, 8)


class ListBlocks(PageSentences):
    """Blocks written line by line or cell by cell: a method for each form of block."""

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
            who = self._years_and_trade(entity) if entity.kind == "person" else self._sort(entity)
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
                items.append(f"- **{name}**{who}{dash}{self._language.space.join(said)}")
            elif said:
                items.append(f"- {self._language.named(name + who, self._language.space.join(said))}")
        yield "\n".join(items)

    def _sort(self, entity: WorldEntity) -> str:
        """The kind in brackets, "(dam)", after the name of a thing of another kind than the page."""
        subject = self._entity(self._head.about[0]) if self._head.about else None
        kind = self._world.setting.kinds[entity.kind]
        if self._head.form == "list" and entity.town >= 0:
            town = self._world.place(entity)[0]
            return "" if town in entity.name else self._language.cell("", town)
        if subject is None or subject.kind == entity.kind or kind.noun in entity.name.lower():
            return ""
        return self._language.cell("", kind.noun)

    def _years_and_trade(self, person: WorldEntity) -> str:
        """What stands after a person's name in a list."""
        over = person.end and person.end <= self._head.year
        given = {"born": str(person.begin), "died": str(person.end), "profession": person.profession}
        told = self._planner.line("item_dead" if over else "item_alive", self._rng, given) if person.profession else ""
        return f" {told}" if told else ""

    def _keys(self, block: Block) -> Iterator[str]:
        rows = []
        for claim in block.claims:
            label = self._label(claim)
            rows.append(self._language.named(f"**{label}**", self._cell(claim, label)))
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
            sentence = self._telling.sentence(claim, "e", undated=True)
            if sentence:
                self._telling.note(claim.fact, "Y")
                sentence = self._language.undated(sentence, claim.fact.year)
                items.append(f"- {self._language.named(f'**{claim.fact.year}**', sentence)}")
        yield "\n".join(items)

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
            told = self._telling.sentence(claim, "e", naming=True, undated=True)
            told = self._language.undated(told, year, day=not decades)
            said = self._whole(claim, told)
            entity = self._entity(claim.fact.subject)
            if entity is not None and said.startswith(label := self._language.named(entity.title, "").rstrip()):
                sort = self._sort(entity)  # "Lavender Peak (volcano): …"
                said = self._language.named(entity.title + sort, "").rstrip() + said[len(label) :] if sort else said
            items.append(f"- {self._language.named(f'**{when}**', said)}")
        yield "\n".join(items)

    # ── tables ────────────────────────────────────────────────────────────────

    def _infobox(self, block: Block) -> Iterator[str]:
        entity = self._entity(block.about)
        head = "" if entity is None or block.head else entity.title
        rows = [f"| {head} | |", "| --- | --- |"]
        for claim in block.claims:
            label = self._label(claim)
            rows.append(f"| {label} | {self._cell(claim, label)} |")
        if entity is not None and self._world.setting.kinds[entity.kind].group in PLACED and self._rng.chance(0.6):
            rows.append(f"| {self._language.say('Coordinates')} | {self._coordinates(entity)} |")
        yield "\n".join(rows)

    def _coordinates(self, entity: WorldEntity) -> str:
        """Where something stands: within some kilometres of its town, the same wherever it is told."""
        rng = Rng(*self._world.setting.seed, "coordinates", entity.town if entity.town >= 0 else entity.number)
        north, east = rng.between(38_000, 61_999), rng.between(1_000, 29_999)
        if entity.town >= 0:
            rng = Rng(*self._world.setting.seed, "coordinates", entity.number)
            north, east = north + rng.between(-60, 60), east + rng.between(-60, 60)
        return f"{north / 1_000:.3f} N, {east / 1_000:.3f} E"

    def _table(self, block: Block) -> Iterator[str]:
        by_subject: dict[int, dict[str, Claim]] = {}
        labels: dict[str, str] = {}
        for claim in block.claims:
            by_subject.setdefault(claim.fact.subject, {})[claim.fact.relation] = claim
            labels.setdefault(claim.fact.relation, self._label(claim))
        columns = [name for name in block.columns if name in labels]
        placed = self._head.form == "list" and all((e := self._entity(one)) and e.town >= 0 for one in by_subject)
        heads = [*([self._language.say("Town")] if placed else []), *(labels[name] for name in columns)]
        rows = ["| | " + " | ".join(heads) + " |", "| --- " * (len(heads) + 1) + "|"]
        for subject, cells in by_subject.items():
            entity = self._entity(subject)
            name = self._telling.mention(entity, full=True) if entity is not None else ""
            row = [self._world.place(entity)[0]] if placed and entity is not None else []
            row += [self._cell(cells[c], labels[c]) if c in cells else "–" for c in columns]
            rows.append(f"| {name} | " + " | ".join(row) + " |")
        yield "\n".join(rows)

    def _label(self, claim: Claim) -> str:
        spec = self._world.setting.kinds[claim.fact.kind].facts[claim.fact.relation]
        return self._rng.pick(spec.labels) if spec.labels else claim.fact.relation.replace("_", " ").capitalize()

    def _cell(self, claim: Claim, label: str) -> str:
        fact = claim.fact
        text = self._telling.value(fact.object, full=True)
        if fact.object.type == "number":
            text = self._language.unlabelled(text, fact.object.unit, label)
        text = text[:1].upper() + text[1:] if not text.startswith("[") else text
        self._telling.note(fact, "O", *(("Y",) if fact.year else ()), *(("Z",) if fact.until else ()))
        if fact.object.type == "year" or not fact.year:
            return text
        spec = self._world.setting.kinds[fact.kind].facts[fact.relation]
        if spec.tenure is not None:
            return self._language.cell(text, f"{fact.year}–{fact.until or ''}")
        return self._language.cell(text, str(fact.year))

    # ── links ─────────────────────────────────────────────────────────────────

    def _links(self, block: Block) -> Iterator[str]:
        rng = self._rng
        heads = self._known.heads
        if self._head.form == "hub":
            site = self._head.site.number
            # a site lists its own; one that has few sends its readers to others, and says so
            chosen = [head for head in heads if head.site.number == site and head.form != "hub"][:40]
            if len(chosen) < _OWN:
                chosen += [head for head in rng.sample(heads, 12) if head.form != "hub"]
        else:
            about = self._near
            near = {head.number: head for one in sorted(about) for head in self._known.about.get(one, ())}
            chosen = rng.sample(tuple(near.values()), rng.between(*_LINKS)) or rng.sample(heads, 3)
            if self._head.form == "news":  # whoever reads of it wants more of it, or of whoever else is in it
                lead = self._head.lead
                named = (*self._head.about, *(() if lead is None else (lead.object.entity,)))
                own = {head.number: head for one in named for head in self._known.about.get(one, ())}
                own = {number: head for number, head in own.items() if head.form not in ("hub", "list", "timeline")}
                chosen = [*rng.sample(tuple(own.values()), 3), *chosen[:2]] if len(own) > 2 else chosen[:4]
        titled = {head.title: head for head in chosen if head.number != self._head.number}  # no title twice in a list
        yield "\n".join(f"- [{title}]({head.url})" for title, head in titled.items())
