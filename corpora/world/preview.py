"""Shows what a kind's file says: ``python -m webenv.corpora.world.preview KIND [SEED] [runs] [zh]``.

Checks the file, simulates worlds that have the kind, and prints for some things of it their facts, each in all of
its uses, as pages would tell them.
"""

from __future__ import annotations

import re
import sys

from webenv.corpora.procedural.config import WebConfig
from webenv.corpora.procedural.rng import Rng
from webenv.corpora.world.model import Claim, WorldEntity
from webenv.corpora.world.reading import schema
from webenv.corpora.world.schema import ENTITY_KINDS, FactSpec, Schema
from webenv.corpora.world.sentences import Telling
from webenv.corpora.world.templates import Wording
from webenv.corpora.world.wording import Style
from webenv.corpora.world.world import SimulatedWorld
from webenv.errors import DataError

_SHOWN = 4
_RUN = 5
_PEOPLE = {
    "clientele", "trade", "hero", "villain", "benefactor", "narrator", "exception", "guest", "group", "devotee",
    "user", "funder", "founders", "except", "offender",
}  # fmt: skip
"""Pools whose values are people: "Who is exempt?"."""
_ASKS = (
    (r"(?i)\bhow (?:many|much|long|tall|large|wide|deep|high|far|old|heavy|loud|warm)\b", ("number", "money")),
    (r"多少|多[长高重宽大深远久]|几", ("number", "money")),
    (r"^(?:When|(?:In|Since) (?:which|what) year|For what sum)\b|什么时候|哪年", ("year", "pool", "money")),
    (r"^(?:Who|Whom|Whose|For whom|With whom|From whom)\b|谁", ("person", "org", "thing", "people")),
    (r"^(?:From where|Where)\b|哪里", ("place", "org", "thing", "name", "pool")),
    (r"^(?:Why|How (?:is|was|did|does|has)|For what)\b|为什么|因什么|因何", ("pool",)),
    (r"\b[Ww]hich (?:firm|company|club|paper|bank|museum|hotel|choir|school|farm)\b", ("org", "thing", "pool")),
    (r"\b[Ww]hich (?:town|country|street)\b|哪所", ("place", "org", "thing")),
    (r"\b[Ww]hat\b|什么", ("org", "thing", "place", "number", "money", "pool", "noun", "name", "people")),
)
"""How a question asks, and what its answer, the fact's object, may then be."""
_NAMING = 4  # facts of a kind, at least, whose claims say of what they are
_SUBJECT = {"n", "S", "S's", "s"}
_SLOTS = {"n", "S", "S's", "s", "O", "O's", "o", "Y", "Z", "M", "D", "W", "P", "R", "C", "A", "T"}


def problems(data: Schema) -> list[str]:
    """What is wrong with the kinds: slots that nothing fills, pools and things that are not there, missing words."""
    found = []
    for kind in data.kinds.values():
        naming = sum(any(way.slots & _SUBJECT for way in fact.wordings.get("c", ())) for fact in kind.facts.values())
        if naming < _NAMING < len(kind.facts):
            found.append(f"{kind.name}: {naming} facts have a c-line with {{S}} or {{s}}; no needle begins with others")
        for fact in kind.facts.values():
            where = f"{kind.name}, {fact.name}"
            for use, ways in fact.wordings.items():
                for way in ways:
                    extra = {f"{name}{s}" for name in fact.extras for s in ("", "'s")}
                    for slot in sorted(way.slots - _SLOTS - extra):
                        found.append(f"{where}: {use} {way.text!r:.80} has the slot {{{slot}}}, which nothing fills")
                    if way.slots & set("YMD") and fact.at is None and kind.group != "person":
                        found.append(f"{where}: {use} {way.text!r:.80} names a time, and the fact has none (no @)")
            for use in ("e", "c"):
                if not fact.wordings.get(use):
                    found.append(f"{where}: no {use}-line")
            for value in (fact.object, *fact.extras.values()):
                if value.kind == "pool" and not data.pool(kind.name, value.of):
                    found.append(f"{where}: no pool {value.of!r}")
                if value.kind == "thing" and value.of not in ("same", "peer", *data.kinds):
                    found.append(f"{where}: no kind {value.of!r} (yet?)")
            found += [f"{where}: a {way.text!r:.80} asks for something else than {{O}}" for way in _misasked(fact)]
            if (
                fact.object.kind in ENTITY_KINDS
                and not fact.wordings.get("i")
                and fact.object.of not in ("street", "country")
            ):
                found.append(f"{where}: no i-line, though {{O}} is an entity")
    return found


def _misasked(fact: FactSpec) -> list[Wording]:
    """The questions of a fact whose answer cannot be its object: "How many …?" of a cause; or that tell it."""
    kind = "people" if fact.object.kind == "pool" and fact.object.of in _PEOPLE else fact.object.kind
    kinds = (kind, "pool") if kind == "people" else (kind,)

    def asks(question: str) -> bool:
        allowed = next((known for pattern, known in _ASKS if re.search(pattern, question)), kinds)
        return not set(kinds).isdisjoint(allowed)

    return [way for way in fact.wordings.get("a", ()) if {"O", "O's"} & way.slots or not asks(way.text)]


def fixed_runs(data: Schema, kind: str) -> list[tuple[int, str]]:
    """The sentences of a kind that have five or more words in a row without a choice or a slot, longest runs first.

    Such runs stand word for word on every page that uses the sentence, which readers and counting both notice.
    """
    found = []
    for fact in data.kinds[kind].facts.values():
        for use in ("e", "p", "i", "n", "w", "f", "q", "d", "x"):
            for way in fact.wordings.get(use, ()):
                longest = max((len(part.split()) for part in way.parts if isinstance(part, str)), default=0)
                if longest >= _RUN:
                    found.append((longest, f"{fact.name}: {use} {way.text}"))
    return sorted(found, reverse=True)


def _show(world: SimulatedWorld, region: int, entity: WorldEntity) -> None:
    rng = Rng("preview", entity.number)
    telling = Telling(world.setting, lambda n: world.known(region, n), world.place, Style(), rng)
    kind = world.setting.kinds[entity.kind]
    years = f"{entity.begin}–{entity.end or ''}"
    print(f"\n═══ {entity.name} ({kind.name}, {years}, {', '.join(world.place(entity))}) {entity.profession}")
    for fact in entity.facts:
        claim = Claim(fact)
        value = fact.object.text or str(fact.object.number)
        extras = ", ".join(f"{name}={v.text or v.number}" for name, v in fact.extras)
        print(f"  ── {fact.relation}: {value} {fact.year or ''}{'–' + str(fact.until) if fact.until else ''} {extras}")
        telling.focus(entity)
        for use in ("e", "e", "d", "n", "w", "f", "q", "a", "c", "c~", "t", "x"):
            if telling.ways(claim, use):
                told = Claim(fact, use != "x")
                text = telling.sentence(told, use, speaker=rng.pick(world.setting.language.speakers))
                print(f"     {use:2} {text}")
        other = world.known(region, fact.object.entity)
        if other is not None and telling.ways(claim, "i"):
            telling.focus(other)
            print(f"     i  {telling.sentence(claim, 'i')}")


def _config(arguments: list[str]) -> WebConfig:
    seed = next((int(one) for one in arguments[1:] if one.isdigit()), 0)
    language = "zh" if "zh" in arguments else "en"
    return WebConfig(pages=960, split="test", seed=seed, language=language)


def main(arguments: list[str]) -> int:
    """Prints; 1 where a file is wrong."""
    try:
        data = schema("zh" if "zh" in arguments else "")
    except DataError as error:
        print(error)
        return 1
    wrong = problems(data)
    chosen = arguments[0].replace("_", " ") if arguments and arguments[0] != "zh" else ""
    for line in wrong:
        if not chosen or line.startswith(chosen):
            print("!", line)
    if chosen not in data.kinds:
        print(f"kinds: {', '.join(data.kinds)}")
        return int(bool(chosen))
    runs = fixed_runs(data, chosen)
    lines = sum(len(ways) for fact in data.kinds[chosen].facts.values() for ways in fact.wordings.values())
    print(f"{len(runs)} of {lines} sentences have five fixed words in a row; the longest:")
    for length, text in runs if "runs" in arguments else runs[:5]:
        print(f"  {length:3} {text}")
    world = SimulatedWorld(_config(arguments), data)
    shown = 0
    for number in range(world.setting.regions):
        for entity in world.region(number).entities:
            if entity.kind == chosen and shown < _SHOWN and entity.facts:
                _show(world, number, entity)
                shown += 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
