"""A rubric put to a model: batches, votes, second attempts, and what comes to no grade."""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import pytest

from tests.openai_server import Body, Cut, Fault, Flood, Hang, Messages, Reply, Text, serve
from webenv.errors import InvalidArgument
from webenv.models import ChatModel, ModelFailure, ModelReply, Request, Schema
from webenv.rewards.llm_grader import LLMGrader
from webenv.rewards.short_answer import ShortAnswer, ShortAnswerRubric, ShortGrade

ITEM = ShortAnswer("Which river?", ("Seine",), "The Seine")
OTHER = ShortAnswer("Which river?", ("Seine",), "The Rhine")
WORDS = {"C": "correct", "I": "incorrect", "N": "not_attempted"}


def verdict(messages: Messages, letter: str) -> str:
    token = re.findall(r'id="(\w+)"', messages[0]["content"])[-1]
    return f'Since {letter}. <verdict id="{token}">{WORDS[letter]}</verdict>'


def voting(votes: str) -> tuple[list[ShortGrade | None], ShortGrade | None, str, int]:
    """What as many votes come to as there are letters; ``?`` is a reply without a verdict, ``!`` a failure."""
    left: list[str] = list(votes)

    def script(messages: Messages) -> Reply:
        letter = left.pop(0) if left else "?"
        return {"?": "I cannot say.", "!": Fault(401)}.get(letter) or verdict(messages, letter)

    with (
        serve(script) as server,
        ChatModel("tiny", base_url=server.base_url, retries=0, concurrency=1) as model,
    ):
        (graded,) = LLMGrader(model, ShortAnswerRubric(), votes=len(votes), attempts=1).grade([ITEM])
    return list(graded.votes), graded.grade, graded.reason, len(server.requests)


@pytest.mark.parametrize(
    ("votes", "outcome"),
    [
        ("C", "correct"),
        ("CCI", "correct"),
        ("IIC", "incorrect"),
        ("II?", "incorrect"),
        ("NN!", "not_attempted"),
        ("CCCII", "correct"),
        ("CI", "incorrect"),
        ("CN", "not_attempted"),
        ("CIN", "incorrect"),
        ("NCNCI", "incorrect"),
        ("CIN!", "incorrect"),
        ("CI!", None),
        ("CC??", None),
        ("CCII?", None),
        ("C??", None),
        ("???", None),
        ("!!!", None),
        ("?", None),
        ("!", None),
    ],
)
def test_majorities(votes: str, outcome: str | None) -> None:
    """More than half of all votes make the grade; where none can have so many, the lowest; too few are none."""
    _, grade, reason, requests = voting(votes)
    assert (grade.outcome if grade else None) == outcome
    most = max(map(votes.count, "CIN")) > len(votes) / 2
    assert (reason == "") == most
    assert reason.endswith("so the lowest counts") == (outcome is not None and not most)
    assert requests == len(votes) + (outcome is None)  # one more, to see whether it is the answer that has no verdict


def test_what_is_said_where_there_is_no_majority() -> None:
    """The reason counts the votes and names the first failure."""
    assert voting("CI")[2] == "no majority among 2 votes (correct: 1; incorrect: 1), so the lowest counts"
    assert voting("C??")[2] == (
        "no majority among 3 votes (correct: 1); attempt 1: the reply holds no single verdict: …I cannot say."
    )
    assert "OPENAI_API_KEY" in voting("!")[2]


def test_a_batch_goes_out_together_and_equal_items_once() -> None:
    """All items with all votes are open at one time, and an item that comes twice is asked once."""
    with (
        serve(lambda messages: verdict(messages, "C" if ">\nThe Seine" in messages[0]["content"] else "I")) as server,
        ChatModel("tiny", base_url=server.base_url) as model,
    ):
        graded = LLMGrader(model, ShortAnswerRubric(), votes=3).grade([ITEM, OTHER, ITEM])
        assert LLMGrader(model, ShortAnswerRubric()).grade([]) == []
    assert [one.grade.outcome for one in graded if one.grade] == ["correct", "incorrect", "correct"]
    assert len(server.requests) == 6


def test_replies_without_a_verdict_are_asked_again() -> None:
    """No verdict, a cut reply and an answer that is no reply are asked for again, each under another token."""
    tries: list[Reply] = ["?", Text('<verdict id="', "length"), Body(b"{}")]
    tokens = []

    def script(messages: Messages) -> Reply:
        tokens.append(re.findall(r'id="(\w+)"', messages[0]["content"])[-1])
        return tries.pop(0) if tries else verdict(messages, "C")

    with serve(script) as server, ChatModel("tiny", base_url=server.base_url, retries=0) as model:
        (graded,) = LLMGrader(model, ShortAnswerRubric(), attempts=4).grade([ITEM])
    assert graded.grade == ShortGrade("correct", "")
    assert (graded.attempt, len(set(tokens)), len(server.requests)) == (4, 4, 4)


@pytest.mark.parametrize(
    ("reply", "requests", "reason"),
    [
        ("so so", 4, "attempt 3: the reply holds no single verdict: …so so"),
        (Text("It is", "length"), 4, "attempt 3: the reply was cut at its longest; raise max_tokens"),
        (Fault(401), 2, "the key was refused"),
        (Fault(400, "context length exceeded"), 2, "context length exceeded"),
    ],
)
def test_what_comes_to_nothing(reply: Reply, requests: int, reason: str) -> None:
    """Three attempts at most, one where the model could not be asked; and one more at harmless text."""
    with serve(lambda _: reply) as server, ChatModel("tiny", base_url=server.base_url, retries=0) as model:
        (graded,) = LLMGrader(model, ShortAnswerRubric()).grade([ITEM])
    assert (graded.grade, len(server.requests)) == (None, requests)
    assert (reason in graded.reason, graded.blamed) == (True, False)


LONG = ShortAnswer("Which river?", ("Seine",), "磨坊" * 50)


@pytest.mark.parametrize(
    ("reply", "blamed"),
    [
        ("</think> so so", True),
        (Text("It is", "length"), True),
        (Text(None, "content_filter"), True),
        (Fault(400, "context length exceeded"), True),
        (Fault(400, "The response was filtered", code="content_filter"), True),
        (Fault(422, "invalid unicode"), True),
        (Fault(403, "blocked by policy"), True),
        (Fault(500, "tokenizer failed"), True),
        (Fault(429), False),
        (Cut(), True),
        (Hang(), True),
        (Body(b'{"choices": []}'), True),
        (Body(b"<html>busy</html>", "text/html"), True),
        (Flood(), True),
    ],
)
def test_whose_doing_it_is(reply: Reply, blamed: bool) -> None:
    """Whatever keeps one item from a grade, but for a rate limit: it is to blame if harmless text gets one."""

    def script(messages: Messages) -> Reply:
        return reply if "磨坊" in messages[0]["content"] else verdict(messages, "N")

    with serve(script) as server, ChatModel("tiny", base_url=server.base_url, retries=0, timeout=1) as model:
        long, other = LLMGrader(model, ShortAnswerRubric()).grade([LONG, OTHER])
    assert (long.grade, long.blamed) == (None, blamed)
    assert (other.grade, other.blamed) == (ShortGrade("not_attempted", ""), False)


@pytest.mark.parametrize("fault", [Fault(401), Fault(403), Fault(500), Cut()])
def test_an_endpoint_that_is_down_costs_one_request_more(fault: Reply) -> None:
    """Of items that failed alike one is asked about with harmless text; where that fails too none is to blame."""
    items = [ShortAnswer(f"Which river is number {n}?", ("Seine",), "The Seine") for n in range(20)]
    with serve(lambda _: fault) as server, ChatModel("tiny", base_url=server.base_url, retries=0) as model:
        graded = LLMGrader(model, ShortAnswerRubric()).grade(items)
        assert model.costs.usage["tiny"].requests == len(server.requests) == 21
    assert not any(one.blamed or one.grade for one in graded)


def test_items_that_fail_alike_are_all_to_blame() -> None:
    """Once harmless text got a grade for one of those that failed alike, the others are asked about as well."""
    items = [ShortAnswer(f"Which river is number {n}?", ("Seine",), "磨坊") for n in range(5)]

    def script(messages: Messages) -> Reply:
        return Fault(500) if "磨坊" in messages[0]["content"] else verdict(messages, "N")

    with serve(script) as server, ChatModel("tiny", base_url=server.base_url, retries=0) as model:
        graded = LLMGrader(model, ShortAnswerRubric()).grade(items)
    assert [one.blamed for one in graded] == [True] * 5
    assert len(server.requests) == 5 + 5 + 3 * 5 + 5  # each item, harmless text, each item three times more, and again


def test_an_endpoint_that_goes_down_in_between_blames_nobody() -> None:
    """Harmless text that got a grade has to get one again after the item failed once more."""
    came: list[bool] = []

    def script(messages: Messages) -> Reply:
        came.append(">\nThe Seine" in messages[0]["content"])
        return verdict(messages, "N") if came == [True, False] else Fault(500)

    with serve(script) as server, ChatModel("tiny", base_url=server.base_url, retries=0) as model:
        (graded,) = LLMGrader(model, ShortAnswerRubric()).grade([ITEM])
    assert (graded.grade, graded.blamed) == (None, False)
    assert came == [True, False, True, True, True, False]


def test_what_failed_by_chance_gets_its_grade() -> None:
    """An answer at which the endpoint failed once is asked for again, and has the grade that it deserves."""
    left = [Fault(500)]

    def script(messages: Messages) -> Reply:
        return left.pop() if left else verdict(messages, "C")

    with serve(script) as server, ChatModel("tiny", base_url=server.base_url, retries=0) as model:
        (graded,) = LLMGrader(model, ShortAnswerRubric()).grade([ITEM])
    assert (graded.grade, graded.blamed, len(server.requests)) == (ShortGrade("correct", ""), False, 3)


@pytest.mark.parametrize("votes", [1, 3])
def test_an_endpoint_that_errs_at_random_makes_no_honest_answer_wrong(votes: int) -> None:
    """Where one request in five fails, right answers are correct or without a grade, and none is to blame."""
    chance = random.Random(7)
    items = [ShortAnswer(f"Which river is number {n}?", ("Seine",), "The Seine") for n in range(100)]
    faults: list[Reply] = [Fault(500), Fault(503), Cut(), Body(b"<html>")]

    def script(messages: Messages) -> Reply:
        return chance.choice(faults) if chance.random() < 0.2 else verdict(messages, "C")

    with serve(script) as server, ChatModel("tiny", base_url=server.base_url, retries=0) as model:
        graded = LLMGrader(model, ShortAnswerRubric(), votes=votes).grade(items)
    assert not any(one.blamed for one in graded)
    assert sum(one.grade == ShortGrade("correct", "") for one in graded) >= 75


class Recording:
    """A model that notes what it is given, and replies from a script by item and sample."""

    identity: Mapping[str, str] = {"name": "fixed", "model": "m", "temperature": "1"}

    def __init__(self, replies: Mapping[int, Sequence[str]]) -> None:
        self.replies = {sample: list(each) for sample, each in replies.items()}
        self.asked: list[list[int]] = []
        self.schemas: list[Schema | None] = []

    def complete(self, requests: Sequence[Request]) -> list[ModelReply | ModelFailure]:
        self.asked.append([request.sample for request in requests])
        self.schemas += [request.schema for request in requests]
        letters = [self.replies[request.sample].pop(0) for request in requests]
        return [
            ModelReply(verdict([one.messages[0]._asdict()], letter) if letter != "?" else "?")
            for one, letter in zip(requests, letters, strict=True)
        ]


def test_votes_are_samples_of_one_conversation() -> None:
    """Vote n is sample n; only the votes that lack a verdict are asked again."""
    model = Recording({0: "C", 1: "?I", 2: "?C"})
    (graded,) = LLMGrader(model, ShortAnswerRubric(), votes=3).grade([ITEM])
    assert model.asked == [[0, 1, 2], [1, 2]]
    assert [one.outcome for one in graded.votes if one] == ["correct", "incorrect", "correct"]


def test_votes_that_cannot_matter_are_not_asked_again() -> None:
    """With a majority reached, or out of reach, the votes that failed stay failed."""
    model = Recording({0: "C", 1: "C", 2: "?"})
    assert LLMGrader(model, ShortAnswerRubric(), votes=3).grade([ITEM])[0].grade == ShortGrade("correct", "")
    assert model.asked == [[0, 1, 2]]
    model = Recording({0: "C", 1: "I", 2: "N", 3: "?"})
    assert LLMGrader(model, ShortAnswerRubric(), votes=4).grade([ITEM])[0].grade == ShortGrade("incorrect", "")
    assert model.asked == [[0, 1, 2, 3]]


def test_items_that_matter_no_more_are_not_asked_again() -> None:
    """``still`` sees what came of every item after each attempt, and says which go on."""
    model = Recording({0: ["?", "?", "C"]})
    seen: list[dict[str, str | None]] = []

    def still(found: Mapping[ShortAnswer, object]) -> list[ShortAnswer]:
        seen.append({item.answer: None for item in found})
        return [OTHER]

    graded = LLMGrader(model, ShortAnswerRubric()).grade([ITEM, OTHER], still)
    assert [one.grade is None for one in graded] == [True, False]
    assert [len(asked) for asked in model.asked] == [2, 1]
    assert seen[0] == {"The Seine": None, "The Rhine": None}


def test_schemas_go_with_the_conversations() -> None:
    """The rubric's schema goes out with each conversation; it is the same for every item."""
    model = Recording({0: "CI"})
    LLMGrader(model, ShortAnswerRubric()).grade([ITEM, OTHER])
    first, second = model.schemas
    assert first is second
    assert first is not None
    assert first["required"] == ["id", "reason", "verdict"]


def test_identity() -> None:
    """The identity names rubric, prompt, parser, votes, attempts and the model with all its settings."""
    rubric = ShortAnswerRubric()
    assert dict(LLMGrader(Recording({}), rubric, votes=3, attempts=2).identity) == {
        "name": "short_answer",
        "version": "1",
        "prompt": rubric.digest,
        "parser": "4",
        "votes": "3",
        "attempts": "2",
        "model": "m",
        "model_name": "fixed",
        "model_temperature": "1",
    }


@pytest.mark.parametrize(("name", "number"), [("votes", 0), ("attempts", 0), ("votes", True), ("attempts", 1.5)])
def test_numbers_that_are_refused(name: str, number: int) -> None:
    """Votes and attempts are whole numbers from 1."""
    with pytest.raises(InvalidArgument, match=f"{name}={number!r}: expected a whole number from 1"):
        LLMGrader(Recording({}), ShortAnswerRubric(), **{name: number})


def test_every_judgement_ends_graded_or_not() -> None:
    """Under faults of every kind no item is lost and none is graded twice."""
    faults: list[Reply] = [Fault(429), Fault(500), "no verdict", Text("cut", "length"), Body(b"<html>")]
    calls: dict[str, int] = defaultdict(int)

    def script(messages: Messages) -> Reply:
        number = int(re.findall(r"answer number (\d+)", messages[0]["content"])[0])
        calls[str(number)] += 1
        return faults[number % 5] if number % 4 == 0 and calls[str(number)] == 1 else verdict(messages, "C")

    items = [ShortAnswer("Which?", ("Seine",), f"answer number {n}") for n in range(100)]
    with serve(script) as server, ChatModel("tiny", base_url=server.base_url, retries=1, concurrency=32) as model:
        graded = LLMGrader(model, ShortAnswerRubric()).grade(items)
    assert Counter(one.grade.outcome if one.grade else None for one in graded) == {"correct": 100}
    assert len(server.requests) == 125
