"""Prose: sentences from facts, digressions, and pages from plans."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache

from webenv.corpora.document import day_of
from webenv.corpora.procedural.language.language import Language
from webenv.corpora.procedural.language.phrasing import (
    Phrasing,
    Relation,
    ThingKind,
    of_mode,
    relations,
    side_phrasings,
)
from webenv.corpora.procedural.pages.compose import Composer, Reference
from webenv.corpora.procedural.pages.pages import PAGES
from webenv.corpora.procedural.pages.plan import PagePlan, Planner
from webenv.corpora.procedural.rng import Rng
from webenv.corpora.procedural.world.facts import Fact, Value
from webenv.corpora.procedural.world.sites import Voice, Website, voices
from webenv.errors import InvalidArgument

_QUOTES, _LETTERS, _GLOSSARIES, _LISTS = 0.36, 0.46, 0.53, 0.7  # cumulated; the rest are words and their meanings


class Digressions:
    """Quotations, letters, glossaries, lists of things, words and their meanings.

    Args:
        language: whose words.
    """

    def __init__(self, language: Language) -> None:
        self._language = language
        self._quotes = tuple((quote, language.halves(quote)) for quote in language.sentences())
        self._plain = tuple(quote for quote, _ in self._quotes if language.plain(quote))
        self._definitions = language.definitions()
        self._glossed = language.texts["glossed"][0]

    def draw(self, voice: Voice, rng: Rng) -> str:
        """A sentence, or a few."""
        roll = rng.random()
        if roll < _QUOTES:
            text = self._quote(voice, rng)
        elif roll < _LETTERS:
            text = rng.pick(voice["letters"])
            for place in ("{x}", "{y}", "{z}"):
                if place in text:
                    text = text.replace(place, rng.pick(self._plain))
        elif roll < _GLOSSARIES:
            text = rng.pick(voice["glossary"]).replace("{g}", self._glossary(rng))
        elif roll < _LISTS and "lists" in voice:
            text = rng.pick(voice["lists"]).replace("{g}", self._language.things(rng))
        else:
            word, meaning, use = rng.pick(self._definitions)
            text = rng.pick(voice[use]).replace("{x}", meaning).replace("{w}", word)
        return self._language.sentence(text.replace("{who}", rng.pick(voice["who"])))

    def _quote(self, voice: Voice, rng: Rng) -> str:
        quote, halves = rng.pick(self._quotes)
        if halves and "halves" in voice:
            return rng.pick(voice["halves"]).replace("{x}", halves[0]).replace("{y}", halves[1])
        return self._language.quoted(rng.pick(voice["quotes"]), quote)

    def _glossary(self, rng: Rng) -> str:
        words = [rng.pick(self._definitions) for _ in range(rng.between(3, 5))]
        items = (self._glossed.replace("{x}", meaning).replace("{w}", word) for word, meaning, _ in words)
        return self._language.semicolon.join(items)


_GRAMMARS = {"person": "base_person", "place": "base_place", "org": "base_org"}
_RESTATED = (3, 2, 2)
_EPITHETS = 4


@dataclass(frozen=True, slots=True)
class FactSentence:
    """A fact and the very sentence (or line) of the page that states it."""

    fact: Fact
    sentence: str


@dataclass(frozen=True, slots=True)
class Text:
    """A page's main text, and what it states where."""

    text: str
    statements: tuple[FactSentence, ...]


@dataclass(frozen=True, slots=True)
class _Subject:
    """How a page speaks of its subject: by name and by kind, at times with an epithet, or by a pronoun."""

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    pronoun: str
    own: str

    @classmethod
    def of(cls, name: str, kind: ThingKind, epithets: Iterable[str], language: Language) -> _Subject:
        """A member of a distractor set, of whom epithets may be used."""
        noun = language.definite(kind.name, kind.measure)
        nouns = [noun, noun]
        names = [name, name, name]
        for epithet in epithets:
            nouns.append(language.definite(f"{epithet}{language.space}{kind.name}"))
            names.append(language.epithet(epithet, name))
        return cls(tuple(names), tuple(nouns), *language.pronouns[kind.pronoun])

    @classmethod
    def named(cls, name: str, language: Language) -> _Subject:
        """Somebody who is always spoken of by name."""
        return cls((name,), (name,), name, language.possessive(name))


class Writer:
    """Writes pages from their plans; equal plans give equal texts.

    Args:
        planner: whose pages.
    """

    def __init__(self, planner: Planner) -> None:
        self._planner = planner
        self._world = planner.world
        self._language = planner.world.language
        self._mode = planner.world.config.phrasings

    def write(self, plan: PagePlan) -> Text:
        """The main text of a page."""
        rng = Rng(*self._world.seed, "prose", plan.number)
        if plan.role == "copy":
            return self._copy(plan, rng)
        if plan.role == "entry":
            return Text(self._reference.leaf(plan.number - self._planner.number("entry", 0), rng), ())
        if plan.role == "list":
            return self._list(plan, rng)
        if plan.role == "profile":
            return self._profile(plan, rng)
        if plan.role in PAGES:
            return self._composed(plan, rng)
        return self._article(plan, rng)

    def description(self, site: Website) -> str:
        """What a site writes about, in a paragraph."""
        return self._composer.description(site)

    def _composed(self, plan: PagePlan, rng: Rng) -> Text:
        role, place = self._planner.role(plan.number)
        day = day_of(plan.date) if plan.date else 0
        text, stated = self._composer.write(role, place, plan.site, day, plan.facts, rng)
        return Text(text, tuple(FactSentence(fact, sentence) for fact, sentence in stated))

    # ── words ─────────────────────────────────────────────────────────────────

    @cached_property
    def _reference(self) -> Reference:
        return Reference(self._world, self._planner.counts["entry"])

    @cached_property
    def _composer(self) -> Composer:
        return Composer(self._world, self._planner.pages, self._voices, self._filler)

    @cached_property
    def _voices(self) -> dict[str, Voice]:
        return voices(self._language)

    @cached_property
    def _digressions(self) -> Digressions:
        return Digressions(self._language)

    @lru_cache(maxsize=1024)  # noqa: B019 - one writer a web
    def _known(self, grammar: str) -> dict[str, Relation]:
        return {relation.name: relation for relation in relations(grammar, self._language)}

    @lru_cache(maxsize=4096)  # noqa: B019 - one writer a web
    def _phrasings(self, grammar: str, name: str) -> tuple[Phrasing, ...]:
        return of_mode(self._known(grammar)[name].phrasings, self._mode)

    def _filler(self, voice: Voice, rng: Rng) -> str:
        return self._digressions.draw(voice, rng)

    def _fill(self, text: str, name: str, kind: ThingKind, home: Value) -> str:
        return (
            text.replace("{name}", name)
            .replace("{kinds}", kind.plural)
            .replace("{kind}", self._language.with_article(kind.name, kind.measure))
            .replace("{bare}", kind.name)
            .replace("{home}", home.text)
        )

    # ── facts ─────────────────────────────────────────────────────────────────

    def _clause(self, fact: Fact, grammar: str, subject: _Subject, used: set[str], after_own: bool, rng: Rng) -> str:
        """A clause that states a fact, in a phrasing that the page has not used, where there is one."""
        phrasings = self._phrasings(grammar, fact.relation)
        phrasing = rng.pick(phrasings)
        for _ in range(4):
            if phrasing.id not in used:
                break
            phrasing = rng.pick(phrasings)
        used.add(phrasing.id)
        roll = rng.random()
        if after_own and phrasing.leads and roll < 0.4:
            name = subject.pronoun
        else:
            name = rng.pick(subject.names if roll < 0.58 else subject.kinds)
        value = fact.object.text
        form = rng.pick(phrasing.near)
        possessive = bare = indefinite = ""
        if "{1}" in form:
            possessive = subject.own if name == subject.pronoun else self._language.possessive(name)
        if "{4}" in form or "{5}" in form:
            bare, indefinite = self._language.forms(value, fact.object.type)
        return form.format(name, possessive, value, fact.qualifier.text, bare, indefinite)

    def _aside(self, facts: tuple[Fact, ...], rng: Rng) -> list[tuple[str, tuple[Fact, ...]]]:
        """Sentences about other things: one fact each, now and then two."""
        language = self._language
        by_type = side_phrasings(language)[1]
        pairs = language.texts["pairs"]
        clauses = []
        for fact in facts:
            _, kind, number = fact.relation.split(".")
            value = fact.object.text
            form = rng.pick(by_type[kind][int(number)].near)
            bare = indefinite = ""
            if "{4}" in form or "{5}" in form:
                bare, indefinite = language.forms(value, "")
            clauses.append(form.format(fact.kind, "", value, fact.qualifier.text, bare, indefinite))
        found: list[tuple[str, tuple[Fact, ...]]] = []
        place = 0
        while place < len(clauses):
            if place + 1 < len(clauses) and rng.random() < 0.3:
                pair = rng.pick(pairs).replace("{b}", clauses[place + 1]).replace("{a}", clauses[place])
                found.append((language.sentence(pair), facts[place : place + 2]))
                place += 2
            else:
                found.append((language.sentence(clauses[place]), facts[place : place + 1]))
                place += 1
        return found

    # ── pages ─────────────────────────────────────────────────────────────────

    def _article(self, plan: PagePlan, rng: Rng) -> Text:
        """An article, a brief or a rumour: everything that is about one member of a distractor set."""
        distractors = self._world.distractor_set(plan.distractor_set)
        kind = distractors.kind
        whole = plan.role == "article"
        voice = self._voices[plan.site.voice]
        language = self._language
        space = language.space
        words = voice.get(f"epithets {kind.grammar}") or voice.get("epithets")
        epithets = [rng.pick(words) for _ in range(_EPITHETS)] if words else []
        subject = _Subject.of(distractors.names[plan.member], kind, epithets, language)
        known = self._known(kind.grammar)
        used: set[str] = set()
        statements: list[FactSentence] = []
        name = distractors.names[plan.member]
        opening = self._fill(rng.pick(voice["open"]), name, kind, distractors.home)
        in_table = whole and rng.chance(0.45)
        units: list[tuple[float, str, Fact | None]] = []
        lead: list[Fact] = []
        random = rng.random
        for fact in plan.facts:
            tier = known[fact.relation].tier
            again = _RESTATED[tier] if whole else 1
            if tier == 0:
                if len(lead) < 2:
                    lead.append(fact)
                    again -= 1
                if in_table:
                    again -= 1
            for _ in range(again):
                units.append((random() * 0.8 + (0.35 if tier == 2 else 0.0), "", fact))
        for text, _ in self._aside(plan.sides, rng):
            units.append((random() * 1.1, text, None))
        fillers = rng.skewed(3, 72) if whole else rng.between(2, 9)
        units.extend((random() * 1.15, self._filler(voice, rng), None) for _ in range(fillers))
        units.sort(key=lambda unit: unit[0])

        def state(fact: Fact, after_own: bool) -> str:
            clause = self._clause(fact, kind.grammar, subject, used, after_own, rng)
            roll = random()
            if roll < 0.2:
                join = rng.pick(voice["joins"])
                clause = f"{join.replace('{who}', rng.pick(voice['who'])) if '{' in join else join}{space}{clause}"
            elif roll < 0.4:
                clause = _interrupted(clause, fact.qualifier.text, voice, rng)
            sentence = language.sentence(clause)
            statements.append(FactSentence(fact, sentence))
            return sentence

        paragraphs = [space.join([language.sentence(opening), *(state(fact, True) for fact in lead)])]
        if in_table:
            rows = [f"{rng.pick(voice['facts'])}"]
            for fact in rng.shuffle(plan.facts):
                relation = known[fact.relation]
                if relation.tier == 0:
                    row = _filled(language.texts["row"][0], relation.label, fact)
                    rows.append("- " + row)
                    statements.append(FactSentence(fact, row))
            paragraphs.append("\n".join(rows))
        heads = rng.sample(voice["heads"], max(1, min(len(voice["heads"]), len(units) // 11)))
        sections = _spread(len(units), len(heads))
        start = 0
        for head, size in zip(heads, sections, strict=True):
            if whole:
                paragraphs.append(head)
            body: list[str] = []
            after_own = False
            room = rng.between(2, 6)
            for _, text, own in units[start : start + size]:
                body.append(text or (state(own, after_own) if own else ""))
                after_own = own is not None
                if len(body) >= room:
                    paragraphs.append(space.join(body))
                    body, room, after_own = [], rng.between(2, 6), False
            if body:
                paragraphs.append(space.join(body))
            start += size
        paragraphs.append(self._fill(rng.pick(voice["close"]), name, kind, distractors.home))
        return Text("\n\n".join(paragraphs), tuple(statements))

    def _list(self, plan: PagePlan, rng: Rng) -> Text:
        distractors = self._world.distractor_set(plan.distractor_set)
        voice = self._voices[plan.site.voice]
        known = self._known(distractors.kind.grammar)
        labels = list(dict.fromkeys(known[fact.relation].label for fact in plan.facts))
        texts = self._language.texts
        lines = [" | ".join([texts["name"][0], *labels])]
        statements: list[FactSentence] = []
        width = len(labels)
        for member, name in enumerate(distractors.names):
            row = plan.facts[member * width : (member + 1) * width]
            cells = [_filled(texts["cell"][0], "", fact) for fact in row]
            lines.append(" | ".join([self._language.unquoted(name), *cells]))
            statements.extend(FactSentence(fact, lines[-1]) for fact in row)
        intro = self._fill(texts["list"][0], "", distractors.kind, distractors.home)
        fillers = self._language.space.join(self._filler(voice, rng) for _ in range(rng.between(2, 6)))
        return Text("\n\n".join([intro, "\n".join(lines), fillers]), tuple(statements))

    def _profile(self, plan: PagePlan, rng: Rng) -> Text:
        if plan.entity is None:
            raise InvalidArgument(f"page {plan.number} is a profile of nobody.")
        value = plan.entity.value
        grammar = _GRAMMARS[value.type]
        voice = self._voices[plan.site.voice]
        space = self._language.space
        subject = _Subject.named(value.text, self._language)
        used: set[str] = set()
        statements: list[FactSentence] = []
        body = []
        for fact in plan.facts:
            sentence = self._language.sentence(self._clause(fact, grammar, subject, used, False, rng))
            statements.append(FactSentence(fact, sentence))
            body.append(sentence)
        extra = [self._filler(voice, rng) for _ in range(rng.between(4, 14))]
        paragraphs = [space.join(body[: len(body) // 2]), space.join(extra[::2])]
        paragraphs += [space.join(body[len(body) // 2 :]), space.join(extra[1::2])]
        return Text("\n\n".join(paragraphs), tuple(statements))

    def _copy(self, plan: PagePlan, rng: Rng) -> Text:
        original = self._planner.plan(plan.copy_of)
        text = self.write(original)
        note = rng.pick(self._language.texts["copied"]).format(original.site.name)
        body = text.text
        return Text(f"{body}\n\n{note}" if rng.chance(0.5) else f"{note}\n\n{body}", text.statements)


def _interrupted(clause: str, qualifier: str, voice: Voice, rng: Rng) -> str:
    """A clause with a remark before the qualifier that it ends with; others stay as they are."""
    head, found, tail = clause.rpartition(" " + qualifier)
    if not found or tail or "asides" not in voice:
        return clause
    aside = rng.pick(voice["asides"]).replace("{who}", rng.pick(voice["who"]))
    return f"{head.rstrip(',')}, {aside}, {qualifier}"


def _filled(form: str, label: str, fact: Fact) -> str:
    return form.replace("{label}", label).replace("{o}", fact.object.text).replace("{q}", fact.qualifier.text)


def _spread(count: int, parts: int) -> list[int]:
    """Sizes of parts that differ by one at most and sum to the count."""
    return [count // parts + (1 if part < count % parts else 0) for part in range(parts)]
