"""Coordination: how an agent worked with the agents of sites, who failed, and whom it cited; of records, by rule.

Source: AgentWebBench, sections 5.2, 5.4 and 5.5, appendices A, C and J.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from typing import Any, NamedTuple

from webenv.rewards.citations import visibility
from webenv.rollout.record import Record
from webenv.urls import host_of

USER, CONTENT = "user agent", "content agents"
"""Who failed."""

EFFICIENCY = ("agents", "requests", "valid", "content_turns", "content_requests", "content_valid")
"""Of each episode: distinct sites that replied; requests sent (each question to each site, and each query, is one); the
share of them that were well formed, ran and named a site that there is; turns of a content agent, its retrievals, and
the share of these that found anything."""

EFFORT = ("user_tokens", "user_seconds", "user_dollars", "content_tokens", "content_seconds", "web_seconds")
"""Tokens, seconds and US dollars by role: the user agent's model, the content agents', and the web; 0 where nothing
says."""

VISIBILITY = ("visibility_word", "visibility_position", "visibility_overall")
"""Of a report that cites: the population standard deviation of the visibility of the sites that it cites
(:func:`webenv.rewards.citations.visibility`); lower is more balanced."""

CITING = ("cited_sites", "uncited", *VISIBILITY)
"""Of a report: the sites that it cites, whether it cites none (0 or 1), and how visible each is."""


class Coordination(NamedTuple):
    """What is told of an episode.

    Attributes:
        numbers: those of :data:`EFFICIENCY`, :data:`EFFORT` and :data:`CITING` that it has.
        culprit: who failed, :data:`USER` or :data:`CONTENT`; empty where nobody did, or nobody can tell.
        cited: the sites that its report cites, each once.
    """

    numbers: Mapping[str, float]
    culprit: str
    cited: tuple[str, ...]


def coordination(record: Record, asks: bool) -> Coordination:
    """What is told of an episode.

    Args:
        record: the episode.
        asks: whether sites could be asked in it: only then a site may have been passed over.
    """
    numbers = _efforts(record)
    cited: tuple[str, ...] = ()
    if asks or any(turn.kind in ("search", "ask") for turn in record.turns):
        numbers |= _efficiency(record)
    if "key_points" in record.gold.get("data", {}):
        told = visibility(record.answer)
        cited = tuple(told.word)
        numbers |= {"cited_sites": float(len(cited)), "uncited": float(not cited)}
        if cited:  # the spread of a report's own shares, as a whole: a report of one source has none
            numbers |= {name: statistics.pstdev(shares.values()) for name, shares in zip(VISIBILITY, told, strict=True)}
    return Coordination(numbers, _culprit(record, asks), cited)


def _efforts(record: Record) -> dict[str, float]:
    traces = [trace for turn in record.turns for trace in turn.traces if trace is not None]
    return {
        "user_tokens": float(sum(turn.effort.tokens for turn in record.turns)),
        "user_seconds": sum(turn.effort.seconds for turn in record.turns),
        "user_dollars": sum(turn.effort.dollars for turn in record.turns),
        "content_tokens": float(sum(trace["tokens"] for trace in traces)),
        "content_seconds": float(sum(trace["seconds"] for trace in traces)),
        "web_seconds": sum(turn.seconds for turn in record.turns),
    }


def _efficiency(record: Record) -> dict[str, float]:
    sent = ran = 0
    sites: set[str] = set()
    before = record.first["budget"]
    for turn in record.turns:
        after = turn.observation["budget"]
        if turn.kind == "ask":
            sent += max(1, len(turn.texts) - 1)
            ran += len(turn.observation["replies"])
            sites |= {host_of(reply["site"]) or reply["site"] for reply in turn.observation["replies"]}
        elif turn.kind == "search":
            sent += max(1, len(turn.texts))
            ran += max(0, before[0] - after[0])  # an action that is refused is not charged
        elif turn.kind == "invalid":
            sent += 1
        before = after
    found = {"agents": float(len(sites)), "requests": float(sent)}
    if sent:
        found["valid"] = min(1.0, ran / sent)
    traces = [trace for turn in record.turns for trace in turn.traces if trace is not None]
    if traces:
        asked = sum(trace["requests"] for trace in traces)
        found["content_turns"] = statistics.fmean(len(trace["turns"]) for trace in traces)
        found["content_requests"] = float(asked)
        if asked:
            found["content_valid"] = sum(trace["valid"] for trace in traces) / asked
    return found


def _culprit(record: Record, asks: bool) -> str:
    """Who failed: of a ranking by rule, of a short answer by the verdict of :class:`FailureAttributionJudge`.

    A ranking failed where no relevant page is among its first 5. It is the user agent's failure if no site that hosts
    a relevant page ever replied to it, else the content agents' (appendix J.2).
    """
    outcome = record.verdict["outcome"]
    if outcome in ("content_agents", "user_agent"):
        return outcome.replace("_", " ")
    hosts: Any = record.gold.get("data", {}).get("sites", ())
    if not asks or not hosts or record.verdict["scores"].get("recall@5") != 0.0:
        return ""
    replied = {host_of(reply["site"]) for turn in record.turns for reply in turn.observation["replies"]}
    return CONTENT if replied.intersection(map(host_of, hosts)) else USER
