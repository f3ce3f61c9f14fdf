"""Record: one played episode, as it stands in a run folder."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from webenv.actions import Action, Kind, read_action
from webenv.budget import NO_EFFORT, Effort, SpendingDict
from webenv.judge import VerdictDict
from webenv.observations import ObservationDict, Trace, check_trace
from webenv.policy import Decision, History
from webenv.task import GoldDict

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_LARGEST = 2**63  # of any number in a record
_DEEPEST = 32
_NONE, _UNKNOWN = -1, -2  # kinds of what is no action at all, and of one of a kind that there is not
_LONGEST = 1_000  # characters of a repr in a record; a longer one is not ours, and is not handed to Python's parser
_HEAD = re.compile(r"Action\(kind=(-?\d{1,9}), arguments=")


class ObservationRecord(TypedDict):
    """An observation as the agent got it, but for the question, which the record holds once."""

    results: list[dict[str, str]]
    pages: list[dict[str, str]]
    replies: list[dict[str, Any]]
    notice: str
    budget: list[int]


def plain_observation(observation: ObservationDict) -> ObservationRecord:
    """An observation as plain data."""
    return {
        "results": list(observation["results"]),
        "pages": list(observation["pages"]),
        "replies": list(observation["replies"]),
        "notice": observation["notice"],
        "budget": [int(left) for left in observation["budget"]],
    }


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    """One turn of an episode.

    Attributes:
        kind: ``search``, ``visit``, ``ask``, ``answer``, ``note``; ``invalid`` for what was no action.
        texts: the action's arguments; of what was no action, its ``repr``.
        thought: what the policy kept of how it came to the action.
        observation: what the agent saw next.
        reward: the reward of the turn.
        reward_terms: its terms, before they are weighed.
        memory: what the policy kept for itself.
        traces: of each reply of the observation, how its content agent came to it; empty where none was traced.
        seconds: how long what went out in the turn took, where that is data; 0 where it is not.
        effort: what it took to decide, where that is known.
    """

    kind: str
    texts: tuple[str, ...]
    thought: str
    observation: ObservationRecord
    reward: float
    reward_terms: Mapping[str, float]
    memory: str = ""
    traces: tuple[Trace | None, ...] = ()
    seconds: float = 0.0
    effort: Effort = NO_EFFORT

    @classmethod
    def of(
        cls,
        decision: Decision,
        observation: ObservationDict,
        reward: float,
        terms: Mapping[str, float],
        traces: tuple[Trace | None, ...] = (),
        seconds: float = 0.0,
    ) -> PlayedTurn:
        """A turn from what the policy sent, whatever it is, and what came of it."""
        raw: object = decision.action
        action = read_action(raw)
        kind = "invalid" if action is None else Kind(action.kind).name.lower()
        texts = (repr(raw)[:1000],) if action is None else action.arguments
        kept = traces if any(traces) else ()
        shown, memory = plain_observation(observation), decision.memory
        return cls(kind, texts, decision.thought, shown, reward, terms, memory, kept, seconds, decision.effort)


@dataclass(frozen=True, slots=True)
class Record:
    """One played episode: the whole trajectory, and what became of it.

    Holds the gold, so that a person can read it and a judge can score it again; it is not to be
    shown to agents.

    Attributes:
        task: the task's id.
        attempt: which time the run played this task, from 0.
        seed: what the policy's chance depended on.
        tags: the task's tags.
        question: the question.
        first: the first observation.
        turns: the turns, at least one unless the policy failed at once.
        ending: why the episode ended: ``answered``, a reason of the rules, or ``policy_failed``.
        scored: whether there is a value.
        verdict: what the judge found.
        spent: searches, visits, asks and turns.
        reward: the sum of the turns' rewards.
        seen: URL and content key of each page that came before the agent, in the order of first sight.
        gold: the task's gold.
    """

    task: str
    attempt: int
    seed: int
    tags: Mapping[str, str]
    question: str
    first: ObservationRecord
    turns: tuple[PlayedTurn, ...]
    ending: str
    scored: bool
    verdict: VerdictDict
    spent: SpendingDict
    reward: float
    seen: tuple[tuple[str, str], ...]
    gold: GoldDict

    @property
    def answer(self) -> str:
        """What the agent answered, to the letter, of several texts a line each; empty where it did not."""
        last = self.turns[-1] if self.turns else None
        return "\n".join(last.texts) if last is not None and last.kind == "answer" else ""

    @property
    def key(self) -> tuple[str, int]:
        return self.task, self.attempt

    def observation(self, step: int) -> ObservationDict:
        """What the agent saw after so many turns, 0 to all of them, as the environment gave it."""
        then = self.turns[step - 1].observation if step else self.first
        return {
            "question": self.question,
            "results": tuple(then["results"]),
            "pages": tuple(then["pages"]),
            "replies": tuple(then["replies"]),
            "notice": then["notice"],
            "budget": np.array(then["budget"], dtype=np.int32),
        }

    def history(self, step: int) -> History:
        """The episode after so many turns as its policy saw it, thoughts and memory included, to go on from there."""
        decisions = [
            Decision(played_action(turn), turn.thought, turn.memory, turn.effort) for turn in self.turns[:step]
        ]
        observations = [self.observation(number) for number in range(len(decisions) + 1)]
        return History(self.task, self.seed, observations, decisions, self.attempt)

    def to_line(self) -> bytes:
        """One line of JSON (:func:`json_line`)."""
        turns = [
            {
                "action": [turn.kind, turn.texts],
                "thought": turn.thought,
                **({"memory": turn.memory} if turn.memory else {}),
                **({"traces": turn.traces} if turn.traces else {}),
                **({"seconds": turn.seconds} if turn.seconds else {}),
                **({"effort": _effort_dict(turn.effort)} if turn.effort != NO_EFFORT else {}),
                "observation": turn.observation,
                "reward": turn.reward,
                "reward_terms": turn.reward_terms,
            }
            for turn in self.turns
        ]
        return json_line({**fields_of(self), "turns": turns}, (",", ":"))

    @classmethod
    def from_line(cls, line: bytes) -> Record:
        """The record of a line that :meth:`to_line` gave; where verdicts had no identity or scores yet, they are empty.

        Raises:
            ValueError: if the line is not of that form.
        """
        try:
            data = json.loads(line, parse_constant=_no_constant)
            check_depth(data)
            _check_types(data)
            data["verdict"] = {"identity": "", "scores": {}} | data["verdict"]
            turns = tuple(
                PlayedTurn(
                    turn["action"][0],
                    tuple(turn["action"][1]),
                    turn["thought"],
                    turn["observation"],
                    turn["reward"],
                    turn["reward_terms"],
                    turn.get("memory", ""),
                    tuple(turn.get("traces", ())),
                    turn.get("seconds", 0.0),
                    Effort(**turn.get("effort", {})),
                )
                for turn in data.pop("turns")
            )
            seen = tuple((url, key) for url, key in data.pop("seen"))
            return cls(turns=turns, seen=seen, **data)
        except (KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"not a record of an episode: {error!r:.200}") from error


def _effort_dict(effort: Effort) -> dict[str, float]:
    """What is known of an effort, as plain data."""
    return {name: value for name, value in effort._asdict().items() if value is not None}


def fields_of(data: DataclassInstance) -> dict[str, Any]:
    """The fields of a dataclass by name, as they are: ``asdict`` copies all that is in them."""
    return {field.name: getattr(data, field.name) for field in fields(data)}


def json_line(data: Mapping[str, Any], separators: tuple[str, str] | None = None) -> bytes:
    """One line of JSON in UTF-8, with its end of line.

    Any text survives; one with lone surrogates, which UTF-8 has no form for, makes the line ASCII, with escapes.
    """
    try:
        return (json.dumps(data, ensure_ascii=False, separators=separators, default=dict) + "\n").encode()
    except UnicodeEncodeError:
        return (json.dumps(data, separators=separators, default=dict) + "\n").encode()


def played_action(turn: PlayedTurn) -> Action:
    """The action of a recorded turn, as it can be sent again.

    What was no action is read from its ``repr``: it becomes one whose kind is none, which the rules treat as they
    treated it then. Of one that the record cut, or that is no plain data, the kind alone is known, if it was an
    :class:`Action`; else it counts as no action at all, and not as one of an unknown kind.

    >>> turn = PlayedTurn("invalid", ("Action(kind=-2, arguments=('Think', 'so'))",), "", {}, 0.0, {})
    >>> played_action(turn)
    Action(kind=-2, arguments=('Think', 'so'))
    """
    kind = Kind.__members__.get(turn.kind.upper())
    if kind is not None:
        return Action(kind, turn.texts)
    text = "".join(turn.texts)[:_LONGEST]
    head = _HEAD.match(text)
    try:
        raw = ast.literal_eval(f"({head[1]}, {text[head.end() :]}" if head else text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raw = (int(head[1]), (text,)) if head else None
    if not isinstance(raw, tuple | list) or len(raw) != 2 or isinstance(raw[0], bool) or not isinstance(raw[0], int):
        return Action(_NONE, (text,))
    arguments = raw[1] if isinstance(raw[1], tuple | list) else (text,)
    known = tuple(arguments) if all(isinstance(one, str) for one in arguments) else (text,)
    return Action(_UNKNOWN if 0 <= raw[0] < len(Kind) else raw[0], known)


_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "task": str,
    "attempt": int,
    "seed": int,
    "tags": dict,
    "question": str,
    "first": dict,
    "ending": str,
    "scored": bool,
    "verdict": dict,
    "spent": dict,
    "reward": (int, float),
    "gold": dict,
}


def _check_types(data: Any) -> None:
    check_types(data, _TYPES)
    check_numbers({name: data[name] for name in ("attempt", "seed", "reward")}, "record")
    verdict, spent = data["verdict"], data["spent"]
    check_verdict(verdict)
    if data["scored"] != (verdict["value"] is not None):
        raise TypeError(f"scored is {data['scored']}, the value {verdict['value']!r:.60}")
    for unit in ("searches", "visits", "asks", "turns"):
        if type(spent[unit]) is not int or not 0 <= spent[unit] < 2**31:
            raise TypeError(f"spent {unit} is {spent[unit]!r:.60}")
    _check_texts(spent.get("unknown", ()), "spent")
    check_numbers({unit: spent.get(unit, 0.0) for unit in ("seconds", "dollars")}, "spent")
    _check_texts(data["tags"].values(), "tags")
    for name in ("urls", "answers", "claims"):
        _check_texts(data["gold"][name], name)
    if not isinstance(data["gold"].get("data", {}), dict):
        raise TypeError(f"gold data is {data['gold']['data']!r:.60}")
    for page in data["seen"]:
        _check_texts(page, "seen")
    _check_shown(data["first"])
    for turn in data["turns"]:
        _check_texts((turn["action"][0], turn["thought"], turn.get("memory", "")), "action, thought or memory")
        _check_texts(turn["action"][1], "action")
        check_numbers({**turn["reward_terms"], "reward": turn["reward"]}, "reward terms")
        check_numbers({"seconds": turn.get("seconds", 0.0), **turn.get("effort", {})}, "seconds and effort")
        _check_shown(turn["observation"])
        for trace in turn.get("traces", ()):
            check_trace(trace)


def _check_shown(shown: Any) -> None:
    pages = [*shown["pages"], *(document for reply in shown["replies"] for document in reply["documents"])]
    texts = [one[name] for one in shown["results"] for name in ("title", "url", "snippet")]
    texts += [page[name] for page in pages for name in ("title", "url", "text")]
    texts += [reply[name] for reply in shown["replies"] for name in ("site", "text")]
    _check_texts([shown["notice"], *texts], "observation")
    budget = shown["budget"]
    if len(budget) != 4 or not all(type(left) is int and 0 <= left < 2**31 for left in budget):
        raise TypeError(f"budget is {budget!r:.60}")


def _check_texts(texts: Any, name: str) -> None:
    if isinstance(texts, str):
        raise TypeError(f"{name} is {texts!r:.60}")
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"{name} has {text!r:.60}")


def check_types(data: Any, kinds: Mapping[str, type | tuple[type, ...]]) -> None:
    """Refuses a part that is missing, or of another type."""
    for name, kind in kinds.items():
        if not isinstance(data[name], kind):
            raise TypeError(f"{name} is {data[name]!r:.60}")


def check_numbers(numbers: Mapping[str, Any], name: str) -> None:
    """Refuses what is no finite number that a record could hold."""
    for part, number in numbers.items():
        if not isinstance(number, int | float) or not -_LARGEST < number < _LARGEST:  # 1e999 of JSON is infinite
            raise TypeError(f"{name}: {part} is {number!r:.60}")


def check_verdict(verdict: Any) -> None:
    """Refuses what is no verdict as plain data, with the errors that a wrong type or a missing key raises."""
    texts = verdict["outcome"], verdict["explanation"], verdict["judge"], verdict.get("identity", "")
    if not all(isinstance(text, str) for text in texts):
        raise TypeError(f"verdict is {verdict!r:.60}")
    scores = verdict.get("scores", {})
    check_numbers(scores if verdict["value"] is None else {**scores, "value": verdict["value"]}, "verdict")


def check_depth(value: Any, most: int = _DEEPEST) -> None:
    """Refuses data of a stranger that is nested so deep that walking it again could overflow the stack."""
    if isinstance(value, dict | list):
        if not most:
            raise TypeError(f"it is nested more than {_DEEPEST} deep")
        for item in value.values() if isinstance(value, dict) else value:
            check_depth(item, most - 1)


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")
