"""Prose: sentences from facts, and pages from plans."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

from webenv.corpora.procedural.dice import Dice
from webenv.corpora.procedural.facts import Fact, Value
from webenv.corpora.procedural.phrasing import Kind, Phrasing, Relation, relations, side_phrasings, with_article
from webenv.corpora.procedural.plan import Plan, Planner
from webenv.corpora.procedural.reference import Reference
from webenv.corpora.procedural.sites import Voice, voices
from webenv.errors import InvalidArgument

__all__ = ["Statement", "Text", "Writer"]

_PRONOUNS = {"it": ("it", "its"), "she": ("she", "her"), "he": ("he", "his")}
_GRAMMARS = {"person": "base_person", "place": "base_place", "org": "base_org"}
_RESTATED = (3, 2, 2)


@dataclass(frozen=True, slots=True)
class Statement:
    """A fact and the very sentence (or line) of the page that states it."""

    fact: Fact
    sentence: str


@dataclass(frozen=True, slots=True)
class Text:
    """A page's main text, and what it states where."""

    text: str
    statements: tuple[Statement, ...]


class _Subject:
    """How a page speaks of its subject: by name, by kind, or by a pronoun."""

    __slots__ = ("kind", "name", "possessives", "pronoun")

    def __init__(self, name: str, kind: str, pronoun: str) -> None:
        noun = "the " + kind
        self.name = name
        self.kind = noun
        self.pronoun, own = _PRONOUNS[pronoun]
        self.possessives = {name: _possessive(name), noun: _possessive(noun), self.pronoun: own}


class Writer:
    """Writes pages from their plans; equal plans give equal texts.

    Args:
        planner: whose pages.
    """

    def __init__(self, planner: Planner) -> None:
        self._planner = planner
        self._world = planner.world
        self._mode = planner.world.dials.phrasings

    def write(self, plan: Plan) -> Text:
        """The main text of a page."""
        dice = Dice(*self._world.seed, "prose", plan.number)
        if plan.role == "copy":
            return self._copy(plan, dice)
        if plan.role == "entry":
            return Text(self._reference.leaf(plan.number - self._planner.number("entry", 0), dice), ())
        if plan.role == "list":
            return self._list(plan, dice)
        if plan.role == "profile":
            return self._profile(plan, dice)
        return self._article(plan, dice)

    # ── words ─────────────────────────────────────────────────────────────────

    @cached_property
    def _reference(self) -> Reference:
        return Reference(self._world, self._planner.counts["entry"])

    @cached_property
    def _examples(self) -> list[str]:
        texts = [item.text for item in self._world.lexicon.sentences()]
        return [text[0].upper() + text[1:] for text in texts if 5 <= text.count(" ") + 1 <= 24]

    @cached_property
    def _plain(self) -> list[str]:
        """The examples that no mark ends."""
        return [text for text in self._examples if text[-1] not in "!?"]

    @cached_property
    def _definitions(self) -> list[tuple[str, str, str]]:
        """Words with their meanings and the voice's forms for words of their part of speech."""
        forms = {"noun": "nouns", "verb": "verbs"}
        found = [(item.word, item.text, forms.get(item.part, "others")) for item in self._world.lexicon.definitions()]
        return [entry for entry in found if " " not in entry[0] and 3 <= entry[1].count(" ") + 1 <= 24]

    @lru_cache(maxsize=1024)  # noqa: B019 - one writer a web
    def _known(self, grammar: str) -> dict[str, Relation]:
        return {relation.name: relation for relation in relations(grammar)}

    @lru_cache(maxsize=4096)  # noqa: B019 - one writer a web
    def _phrasings(self, grammar: str, name: str) -> tuple[Phrasing, ...]:
        every = self._known(grammar)[name].phrasings
        if self._mode == "all":
            return every
        return tuple(phrasing for phrasing in every if phrasing.held == (self._mode == "held"))

    def _filler(self, voice: Voice, dice: Dice) -> str:
        """A digression in words that people wrote: a quotation, a letter, a word and its meaning."""
        pick = dice.pick
        roll = dice.random()
        if roll < 0.42:
            quote = pick(self._examples)
            form = pick(voice["quotes"])
            if quote[-1] in "!?":
                form = form.replace("{x},”", "{x}”").replace("{x}.”", "{x}”").replace("{x}!”", "{x}”")
            return _sentence(form.replace("{who}", pick(voice["who"])).replace("{x}", quote))
        if roll < 0.58:
            form = pick(voice["letters"]).replace("{who}", pick(voice["who"]))
            for place in ("{x}", "{y}", "{z}"):
                if place in form:
                    form = form.replace(place, pick(self._plain))
            return _sentence(form)
        if roll < 0.66:
            words = [pick(self._definitions)[:2] for _ in range(dice.between(3, 5))]
            glossary = "; ".join(f"{word}, {meaning}" for word, meaning in words)
            return _sentence(pick(voice["glossary"]).replace("{who}", pick(voice["who"])).replace("{g}", glossary))
        word, meaning, forms = pick(self._definitions)
        form = pick(voice[forms]).replace("{who}", pick(voice["who"]))
        return _sentence(form.replace("{x}", meaning).replace("{w}", word))

    # ── facts ─────────────────────────────────────────────────────────────────

    def _clause(self, fact: Fact, grammar: str, subject: _Subject, used: set[str], after_own: bool, dice: Dice) -> str:
        """A clause that states a fact, in a phrasing that the page has not used, where there is one."""
        phrasings = self._phrasings(grammar, fact.relation)
        phrasing = dice.pick(phrasings)
        for _ in range(4):
            if phrasing.id not in used:
                break
            phrasing = dice.pick(phrasings)
        used.add(phrasing.id)
        roll = dice.random()
        if after_own and phrasing.leads and roll < 0.4:
            name = subject.pronoun
        else:
            name = subject.name if roll < 0.62 else subject.kind
        value = fact.object.text
        bare = value.partition(" ")[2] if fact.object.type == "vehicle" else value
        form = dice.pick(phrasing.near)
        return form.format(name, subject.possessives[name], value, fact.qualifier.text, bare, with_article(value))

    def _aside(self, facts: tuple[Fact, ...], dice: Dice) -> list[tuple[str, tuple[Fact, ...]]]:
        """Sentences about other things: one fact each, now and then two."""
        by_type = side_phrasings()[1]
        clauses = []
        for fact in facts:
            _, kind, number = fact.relation.split(".")
            value = fact.object.text
            form = dice.pick(by_type[kind][int(number)].near)
            clauses.append(form.format(fact.kind, "", value, fact.qualifier.text, value, with_article(value)))
        found: list[tuple[str, tuple[Fact, ...]]] = []
        place = 0
        while place < len(clauses):
            if place + 1 < len(clauses) and dice.random() < 0.3:
                link = dice.pick((", and ", "; ", ", while "))
                found.append((_sentence(clauses[place] + link + clauses[place + 1]), facts[place : place + 2]))
                place += 2
            else:
                found.append((_sentence(clauses[place]), facts[place : place + 1]))
                place += 1
        return found

    # ── pages ─────────────────────────────────────────────────────────────────

    def _article(self, plan: Plan, dice: Dice) -> Text:
        """An article, a brief or a rumour: everything that is about one member of a family."""
        family = self._world.family(plan.family)
        kind = family.kind
        whole = plan.role == "article"
        voice = voices()[plan.site.voice]
        subject = _Subject(family.names[plan.member], kind.name, kind.pronoun)
        known = self._known(kind.grammar)
        used: set[str] = set()
        statements: list[Statement] = []
        opening = _opening(voice, subject.name, kind, family.home, dice)
        in_table = whole and dice.chance(0.45)
        units: list[tuple[float, str, Fact | None]] = []
        lead: list[Fact] = []
        random = dice.random
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
        for text, _ in self._aside(plan.sides, dice):
            units.append((random() * 1.1, text, None))
        fillers = dice.skewed(3, 72) if whole else dice.between(2, 9)
        units.extend((random() * 1.15, self._filler(voice, dice), None) for _ in range(fillers))
        units.sort(key=lambda unit: unit[0])

        def state(fact: Fact, after_own: bool) -> str:
            clause = self._clause(fact, kind.grammar, subject, used, after_own, dice)
            if random() < 0.2:
                clause = f"{dice.pick(voice['joins'])} {clause}"
            sentence = _sentence(clause)
            statements.append(Statement(fact, sentence))
            return sentence

        paragraphs = [" ".join([_sentence(opening), *(state(fact, True) for fact in lead)])]
        if in_table:
            rows = [f"{dice.pick(voice['facts'])}"]
            for fact in plan.facts:
                relation = known[fact.relation]
                if relation.tier == 0:
                    row = f"{relation.label}: {fact.object.text} ({fact.qualifier.text})"
                    rows.append("- " + row)
                    statements.append(Statement(fact, row))
            paragraphs.append("\n".join(rows))
        heads = dice.sample(voice["heads"], max(1, min(len(voice["heads"]), len(units) // 11)))
        sections = _spread(len(units), len(heads))
        start = 0
        for head, size in zip(heads, sections, strict=True):
            if whole:
                paragraphs.append(head)
            body: list[str] = []
            after_own = False
            room = dice.between(2, 6)
            for _, text, own in units[start : start + size]:
                body.append(text or (state(own, after_own) if own else ""))
                after_own = own is not None
                if len(body) >= room:
                    paragraphs.append(" ".join(body))
                    body, room, after_own = [], dice.between(2, 6), False
            if body:
                paragraphs.append(" ".join(body))
            start += size
        paragraphs.append(_fill(dice.pick(voice["close"]), subject.name, kind, family.home))
        return Text("\n\n".join(paragraphs), tuple(statements))

    def _list(self, plan: Plan, dice: Dice) -> Text:
        family = self._world.family(plan.family)
        voice = voices()[plan.site.voice]
        known = self._known(family.kind.grammar)
        labels = list(dict.fromkeys(known[fact.relation].label for fact in plan.facts))
        lines = [" | ".join(["Name", *(label for label in labels)])]
        statements: list[Statement] = []
        width = len(labels)
        for member, name in enumerate(family.names):
            row = plan.facts[member * width : (member + 1) * width]
            cells = [f"{fact.object.text}, {fact.qualifier.text}" for fact in row]
            lines.append(" | ".join([name.strip("“”"), *cells]))
            statements.extend(Statement(fact, lines[-1]) for fact in row)
        known_as = f"the {family.kind.plural} of the country around {family.home.text}"
        intro = f"This is a list of {known_as}, as far as they are known."
        fillers = " ".join(self._filler(voice, dice) for _ in range(dice.between(2, 6)))
        return Text("\n\n".join([intro, "\n".join(lines), fillers]), tuple(statements))

    def _profile(self, plan: Plan, dice: Dice) -> Text:
        if plan.entity is None:
            raise InvalidArgument(f"page {plan.number} is a profile of nobody.")
        value = plan.entity.value
        grammar = _GRAMMARS[value.type]
        voice = voices()[plan.site.voice]
        noun = {"person": "person", "place": "place", "org": "body"}[value.type]
        subject = _Subject(value.text, noun, "it")
        subject.kind = value.text
        subject.pronoun = value.text
        used: set[str] = set()
        statements: list[Statement] = []
        body = []
        for fact in plan.facts:
            sentence = _sentence(self._clause(fact, grammar, subject, used, False, dice))
            statements.append(Statement(fact, sentence))
            body.append(sentence)
        extra = [self._filler(voice, dice) for _ in range(dice.between(4, 14))]
        paragraphs = [" ".join(body[: len(body) // 2]), " ".join(extra[::2])]
        paragraphs += [" ".join(body[len(body) // 2 :]), " ".join(extra[1::2])]
        return Text("\n\n".join(paragraphs), tuple(statements))

    def _copy(self, plan: Plan, dice: Dice) -> Text:
        original = self._planner.plan(plan.copy_of)
        text = self.write(original)
        note = dice.pick(
            (
                "This text first appeared on {}.",
                "Reprinted with the leave of {}.",
                "From our partner {}.",
                "Taken over from {}, with small changes.",
            )
        ).format(original.site.name)
        body = text.text
        return Text(f"{body}\n\n{note}" if dice.chance(0.5) else f"{note}\n\n{body}", text.statements)


def _opening(voice: Voice, name: str, kind: Kind, home: Value, dice: Dice) -> str:
    return _fill(dice.pick(voice["open"]), name, kind, home)


def _fill(text: str, name: str, kind: Kind, home: Value) -> str:
    article = "an" if kind.name[0] in "aeio" else "a"
    return (
        text.replace("{name}", name)
        .replace("{kinds}", kind.plural)
        .replace("{kind}", f"{article} {kind.name}")
        .replace("{bare}", kind.name)
        .replace("{home}", home.text)
    )


def _sentence(clause: str) -> str:
    """A clause as a sentence: capital first, a stop at the end where it has none."""
    place = 1 if clause[0] == "“" else 0
    text = clause[:place] + clause[place].upper() + clause[place + 1 :]
    return text if text[-1] in ".!?" or text[-2:] in (".”", "!”", "?”") else text + "."


def _possessive(name: str) -> str:
    return name + ("'" if name.endswith("s") else "'s")


def _spread(count: int, parts: int) -> list[int]:
    """Sizes of parts that differ by one at most and sum to the count."""
    return [count // parts + (1 if part < count % parts else 0) for part in range(parts)]
