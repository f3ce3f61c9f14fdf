"""How questions about the news are worded: forms from ``wording.txt``, filled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from webenv.corpora.procedural import Fact, NewsEvent, Rng, day_text
from webenv.envs.live_news_bench.multi_hop import MultiHopQuestion

TASK_LINE = "Answer this question about the news with a short phrase:"
"""The first line of every question; the second is the question itself."""

_FILE = Path(__file__).with_name("wording.txt")
_ASK = {"person": ("Who {did}?",), "org": ("Which organisation {did}?", "What body {did}?")}
_VOWELS = frozenset("aeiou")


def render_question(question: str) -> str:
    """What an agent reads: what to do, then the question, on a line of its own."""
    return f"{TASK_LINE}\n{' '.join(question.split())}"


def latest(question: str) -> str:
    """The same, where the answer has changed: its last sentence is about what is known now.

    >>> latest("There was a flood. By what day was the dyke to be raised?")
    'There was a flood. By the latest reports, by what day was the dyke to be raised?'
    """
    before, stop, last = question.rpartition(". ")
    return f"{before}{stop}By the latest reports, {last[0].lower()}{last[1:]}"


def worded(join: MultiHopQuestion, year: bool, rng: Rng) -> str:
    """A question whose answer is the object of the join's second fact; it names neither fact's page.

    Args:
        join: what is asked.
        year: whether what a clue tells is said with its year, without which it would not be the only one.
        dice: chance.
    """
    if join.kind == "detail":
        assert join.clue is not None
        told = _by_clue(join.event, join.clue, join.clue.object.text, year, rng)
        if rng.chance(0.5):
            return _ask(join.second.fact, told, rng)
        return f"There was {_indefinite(told)}. {_ask(join.second.fact, _kind(join.event).that, rng)}"
    who = _whoever(join, rng)
    if join.other is None or join.role is None:
        return _ask(join.second.fact, who, rng)
    if rng.chance(0.5):
        return _ask(join.second.fact, _by_clue(join.other, join.role, who, year, rng), rng)
    kind = _kind(join.other)
    one = f"{kind.one} in {_year(join.other)}" if year else kind.one
    did = rng.pick(_form(join.role).did).format(e=one)
    return f"{who[0].upper()}{who[1:]} also {did}. {_ask(join.second.fact, kind.that, rng)}"


def nouns(fact: Fact) -> tuple[str, ...]:
    """What an answer may have beside the number that the fact tells: "votes", "km"; none for other facts."""
    return _form(fact).nouns


# ── parts of questions ────────────────────────────────────────────────────────


def _ask(fact: Fact, told: str, rng: Rng) -> str:
    form = _form(fact)
    if form.did:
        did = rng.pick(form.did).format(e=told)
        return rng.pick(_ASK[fact.object.type]).format(did=did)
    when = fact.qualifier.text
    return rng.pick(form.asks).format(e=told, Q=when[:1].upper() + when[1:])


def _whoever(join: MultiHopQuestion, rng: Rng) -> str:
    """Whoever had a part in an event that is told by its place and day."""
    fact = join.first.fact
    event = rng.pick(_kind(join.event).dated)
    told = event.format(place=join.event.place.text, day=day_text(join.event.day))
    return rng.pick(_kinds()[fact.object.type].dated).format(did=rng.pick(_form(fact).did).format(e=told))


def _by_clue(event: NewsEvent, clue: Fact, text: str, year: bool, rng: Rng) -> str:
    kind = _kind(event)
    told = rng.pick(_form(clue).told).format(o=text)
    return (kind.of_year if year else kind.plain).format(year=_year(event), clue=told)


def _indefinite(told: str) -> str:
    """The same with an indefinite article.

    >>> _indefinite("the award given by it"), _indefinite("the 2024 election lost by her")
    ('an award given by it', 'a 2024 election lost by her')
    """
    return ("an " if told[4] in _VOWELS else "a ") + told[4:]


def _year(event: NewsEvent) -> str:
    return day_text(event.day).rpartition(" ")[2]


# ── the forms ─────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Form:
    """How a relation is asked for: by what somebody did, or in questions; how an event is told by it; its nouns."""

    did: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    nouns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Kind:
    """How an event is told: by place and day, by year and clue, by a clue; one of its kind, and the one spoken of."""

    dated: tuple[str, ...]
    of_year: str = ""
    plain: str = ""
    one: str = ""
    that: str = ""
    relations: dict[str, _Form] = field(default_factory=dict)


def _kind(event: NewsEvent) -> _Kind:
    return _kinds()[event.template.kind]


def _form(fact: Fact) -> _Form:
    kind, _, name = fact.relation.partition(".")
    return _kinds()[kind.removeprefix("base_")].relations[name]


@cache
def _kinds() -> dict[str, _Kind]:
    found: dict[str, _Kind] = {}
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("#") or not line.strip():
            continue
        name, *cells = (cell.strip() for cell in line.removeprefix("&").split("|"))
        if line.startswith("&"):
            dated, *others = cells
            of_year, plain, one, that = (*others, "", "", "", "")[:4]
            found[name] = kind = _Kind(_forms(dated), of_year, plain, one, that)
        else:
            kind.relations[name] = _read_form(cells)
    return found


def _read_form(cells: Sequence[str]) -> _Form:
    first, told, beside = (*cells, "", "")[:3]
    if first.endswith("?"):
        return _Form(asks=_forms(first), told=_forms(told), nouns=_forms(beside))
    return _Form(did=_forms(first), told=_forms(told))


def _forms(cell: str) -> tuple[str, ...]:
    return tuple(form.strip() for form in cell.split(" / ") if form.strip())
