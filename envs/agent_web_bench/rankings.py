"""Tasks whose answer is a ranking of pages: queries of web search, and browsing histories of recommendation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from webenv.corpora.procedural import Rng
from webenv.envs.agent_web_bench.facts import Drawn, Facts, StatementSource, label
from webenv.envs.fact_graph import GraphEntity
from webenv.task import Gold
from webenv.urls import host_of

_SITES = (1, 3)  # of the relevant pages of a query
_MOST_PAGES = 5
_CLUES = (2, 3)  # visits of a history that tell of the intent
_NOISE = (3, 6)
_START = 29_000_000  # minutes, as in the released histories


def draw_query(facts: Facts, group: str, rng: Rng) -> Drawn | None:
    """A query whose relevant pages stand on 1 to 3 sites.

    ``named``: an entity by its name, and what of it is sought; relevant is every page that states it. ``about``: an
    entity by its name alone; relevant is every page that states something of it. ``described``: an entity by its kind
    and two things that hold of it alone; relevant is every page that states both.
    """
    entity = rng.pick(facts.entities)
    own = facts.of[entity.number]
    chosen = [rng.pick(own)]
    urls, text = chosen[0].urls, f"{entity.name} {label(chosen[0])}"
    if group == "about":
        chosen = list(own)
        urls, text = tuple(dict.fromkeys(url for one in own for url in one.urls)), entity.name
        if len(set(map(host_of, urls))) == 1 and rng.chance(0.8):
            return None  # most things are told on one site; those told on several are what is to be ranked
    if group == "described":
        if len(own) < 2:
            return None
        chosen = rng.sample(list(own), 2)
        if all(one.statement.object is None for one in chosen):
            return None  # what holds of nobody else of this part may hold of somebody elsewhere; a name ties it down
        urls = tuple(url for url in chosen[0].urls if url in chosen[1].urls)
        if _holders(facts, chosen) != {entity.number}:
            return None
        text = f"{entity.kind} " + ", ".join(f"{label(one)} {one.statement.text}" for one in chosen)
    sites = sorted(set(map(host_of, urls)))
    if not _SITES[0] <= len(sites) <= _SITES[1] or len(urls) > _MOST_PAGES:
        return None
    cases = facts.cases(chosen) + (["entity"] if group == "described" else [])
    return Drawn(text, Gold(urls=urls, data={"sites": sites}), tuple(chosen), tuple(cases))


def _holders(facts: Facts, sources: Iterable[StatementSource]) -> set[int]:
    """The entities of which all of some statements hold."""
    found: set[int] | None = None
    for one in sources:
        same = (one.statement.relation.name, one.statement.text)
        holders = {
            other.statement.subject.number
            for other in facts.sources
            if (other.statement.relation.name, other.statement.text) == same
        }
        found = holders if found is None else found & holders
    return found or set()


# ── histories ─────────────────────────────────────────────────────────────────


def draw_history(facts: Facts, group: str, rng: Rng) -> Drawn | None:
    """A browsing history with a latent intent: pages that name one entity, among pages that have nothing to do with it.

    The next visit is a page about that entity, which the history never shows: that the entity is sought follows from
    what the pages have in common.
    """
    entity = rng.pick(facts.entities)
    telling = facts.leading_to.get(entity.number, ())
    about = {url for one in facts.of[entity.number] for url in one.urls}
    by_entity = {one.statement.subject.number: url for one in telling for url in one.urls if url not in about}
    if len(by_entity) < _CLUES[0]:
        return None
    target = _best_page(facts, entity, about)
    if target is None:
        return None
    clues = rng.sample(sorted(by_entity.values()), min(len(by_entity), rng.between(*_CLUES)))
    tied = {*by_entity, entity.number}
    noise: list[str] = []
    for _ in range(rng.between(*_NOISE)):
        other = rng.pick(facts.sources)
        url = rng.pick(other.urls)
        free = {one.statement.subject.number for one in facts.stated[url]}.isdisjoint(tied)
        named = {one.statement.object.number for one in facts.stated[url] if one.statement.object is not None}
        if free and entity.number not in named and url not in (*clues, *noise):
            noise.append(url)
    time, lines = _START + rng.below(100_000), []
    for url in rng.shuffle([*clues, *noise]):
        lines.append(f"- {facts.title(url)} ({time:.1f}) {url}")
        time += 1 + rng.below(90)
    chosen = tuple(one for one in facts.of[entity.number] if target in one.urls)
    sites = [host_of(target)]
    gold = Gold(urls=(target,), data={"sites": sites})
    lost = ["entity"] if len(noise) >= 2 * len(clues) else []  # what is sought is easily lost among other things
    return Drawn("\n".join(lines), gold, chosen, (*facts.cases(chosen), *lost), entity.name)


def _best_page(facts: Facts, entity: GraphEntity, about: Iterable[str]) -> str | None:
    """The page that states most of an entity, and of nobody else as much; ``None`` where there is none."""
    told = {url: Counter(one.statement.subject.number for one in facts.stated[url]) for url in sorted(about)}
    own = {
        url: counter[entity.number] for url, counter in told.items() if counter.most_common(1)[0][0] == entity.number
    }
    return max(own, key=lambda url: own[url]) if own else None
