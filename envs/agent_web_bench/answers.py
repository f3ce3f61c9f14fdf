"""Tasks whose answer is a text: questions over two sites, and topics of reports with their key points."""

from __future__ import annotations

from collections.abc import Sequence

from webenv.corpora.procedural import Rng
from webenv.envs.agent_web_bench.facts import (
    NUMERIC,
    WORD,
    Drawn,
    Facts,
    StatementSource,
    bare,
    cue_words,
    filled,
    plain,
)
from webenv.envs.fact_graph import GraphEntity, written
from webenv.rewards.research import denies, stated_labels
from webenv.task import Gold, Json

_LEAST_DIGITS = 3  # of an answer: smaller numbers are guessed
_POINTS = (6, 14)
_NAMED = 6  # others that a topic names
POINT_SITES = 5
"""The fewest sites that key points are spread over."""

_WRONG = 40


def draw_question(facts: Facts, group: str, rng: Rng) -> Drawn | None:
    """A question over two facts that no site has both of: one leads to somebody who is not named, the other answers."""
    first = rng.pick(facts.sources)
    middle = first.statement.object
    if middle is None or middle.number not in facts.of or not facts.single(first):
        return None
    seconds = [
        one
        for one in facts.of[middle.number]
        if one.sites.isdisjoint(first.sites)
        and facts.single(one)
        and not (one.statement.relation.type in NUMERIC and len(one.statement.text) < _LEAST_DIGITS)
        and (one.statement.object is None or one.statement.object.number != first.statement.subject.number)
    ]
    if not seconds:
        return None
    second = rng.pick(seconds)
    kind = f"a certain {middle.kind}"
    clue = filled(first.statement, rng, first.statement.subject.name, kind)
    asked = filled(second.statement, rng, f"that same {middle.kind}", "___")
    if clue is None or asked is None or second.statement.text in f"{clue} {asked}":
        return None
    text = f"{clue} And {asked[0].lower()}{asked[1:]} What stands in the gap?"
    cases = ["entity", *facts.cases([first, second])]
    if second.statement.relation.type in ("place", "day", "number", "count", "money"):
        cases.append("granularity")
    urls = tuple(dict.fromkeys((first.urls[0], second.urls[0])))
    gold = Gold(urls=urls, answers=facts.written(second.statement), data={"sites": sorted(first.sites | second.sites)})
    return Drawn(text, gold, (first, second), tuple(cases))


# ── topics ────────────────────────────────────────────────────────────────────


def draw_topic(facts: Facts, group: str, rng: Rng) -> Drawn | None:
    """A topic for a report: an entity and those tied to it; its key points are spread over 5 sites at least."""
    entity = rng.pick(facts.entities)
    sources = [one for one in facts.of[entity.number] if _reportable(facts, one)]
    tied = [one.statement.subject for one in facts.leading_to.get(entity.number, ())]
    tied += [one.statement.object for one in sources if one.statement.object is not None]
    others: list[GraphEntity] = []
    for other in dict.fromkeys(rng.shuffle(tied)):
        if len(sources) >= _POINTS[1]:
            break
        if other.number in facts.of and other.number != entity.number:
            others.append(other)
            sources += [one for one in facts.of[other.number] if _reportable(facts, one)]
    sources = sources[: _POINTS[1]]
    others = [one for one in others if any(source.statement.subject == one for source in sources)]
    sites = frozenset().union(*(one.sites for one in sources))
    if len(sources) < _POINTS[0] or len(sites) < POINT_SITES or not others:
        return None
    names = [one.name for one in others[:_NAMED]]
    told = ", ".join(names[:-1]) + (" and " if len(names) > 1 else "") + names[-1]
    text = f"What is known about {entity.name}, and about those tied to it: {told}?"
    told_of = {one.statement.subject.name for one in sources} | {one.statement.text for one in sources}
    points = [_point(facts, one, told_of) for one in sources]
    urls = tuple(dict.fromkeys(one.urls[0] for one in sources))
    data: dict[str, Json] = {"key_points": points, "sites": sorted(sites)}
    report = _report(entity, sources)
    if any(label != "supported" for label in stated_labels(report, data)):
        return None  # two values that hold one another, or a name that is a word: the rule could not tell
    gold = Gold(urls=urls, answers=(report,), data=data)
    return Drawn(text, gold, tuple(sources), tuple(facts.cases(sources)))


def _reportable(facts: Facts, source: StatementSource) -> bool:
    """Whether a report can state a fact so that the rule sees it: subject and value, in words that deny nothing."""
    statement, told = source.statement, plain(source.statement)
    value = next((way for way in facts.written(statement) if way in told), "")
    named = next((way for way in written(statement.subject.name) if way in told), "")
    return bool(value and named) and not denies(told.replace(value, " ").replace(named, " "))


def _point(facts: Facts, source: StatementSource, told: set[str]) -> dict[str, Json]:
    """A key point as :class:`webenv.rewards.StatedPointsJudge` reads it.

    What another key point tells is no wrong value: a sentence that ties two of a topic's subjects tells of both.
    """
    statement, relation = source.statement, source.statement.relation
    known = {*told, *facts.values_of(statement)}
    # a number says little: what else is told of a subject may hold the same one
    exact = relation.type not in NUMERIC and (statement.object is not None or " " in statement.text)
    others = [] if relation.type in NUMERIC else [value for value in facts.values[relation.name] if value not in known]
    cues = [word for word in cue_words(relation) if facts.cue_counts[word] == 1]
    if not all(set(cues).intersection(WORD.findall(bare(form).lower())) for form in relation.forms):
        cues = cue_words(relation)  # some way to tell it has no word of its own
    return {
        "point_content": plain(statement),
        "subjects": list(written(statement.subject.name)),
        "values": list(facts.written(statement)),
        "wrong": [form for value in others[:_WRONG] for form in written(value)],
        "cues": [] if exact else cues,
        "wrong_cues": cue_words(relation),
        "sites": sorted(source.sites),
    }


def _report(entity: GraphEntity, sources: Sequence[StatementSource]) -> str:
    """A report that states every key point and cites a site for each."""
    numbers: dict[str, int] = {}
    lines = [f"# {entity.name}", ""]
    for one in sources:
        site = min(one.sites)
        lines.append(f"- {plain(one.statement)[:-1]} [{numbers.setdefault(site, len(numbers) + 1)}].")
    return "\n".join([*lines, "", "## References", *(f"[{number}] {site}" for site, number in numbers.items())])
