"""Short answers graded by a model, over HTTP."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.openai_server import Fault, OpenAIServer, Reply
from tests.rewards.replying import Asked, replying, tagged
from tests.rewards.submissions import answered
from webenv.errors import DataError, InvalidArgument
from webenv.judge import Judge, Submission, Verdict
from webenv.models import ChatModel
from webenv.rewards import ShortAnswerJudge
from webenv.rewards.prompt import NEUTRAL
from webenv.rewards.short_answer import LONGEST_ANSWER

QUESTION = "What is the capital of France?"


def judge(
    script: Callable[[Asked], Reply], *submissions: Submission, **settings: object
) -> tuple[list[Verdict], OpenAIServer]:
    with replying(script) as (model, server):
        return ShortAnswerJudge(model, **settings).score(submissions), server  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("word", "outcome", "value"),
    [("correct", "correct", 1.0), ("incorrect", "incorrect", 0.0), ("not_attempted", "not_attempted", 0.0)],
)
def test_three_grades(word: str, outcome: str, value: float) -> None:
    """Each grade in a tag with the token, or in JSON with it, is the outcome; JSON brings its reason along."""
    (verdict,), _ = judge(lambda asked: tagged(asked, verdict=word), answered("Paris", "Paris"))
    assert (verdict.outcome, verdict.value, verdict.judge) == (outcome, value, "short_answer")
    assert verdict.explanation == f"the model's grade is {word.replace('_', ' ')}"
    (verdict,), _ = judge(
        lambda asked: json.dumps({"id": asked.token, "reason": "so it is", "verdict": word}), answered("Paris", "Paris")
    )
    assert (verdict.outcome, verdict.value, verdict.explanation) == (outcome, value, "so it is")


def test_what_the_model_reads() -> None:
    """It reads question, each gold on a line of its own, and the answer, each within its fence."""
    _, server = judge(
        lambda asked: tagged(asked, verdict="correct"), answered("Lutetia", "Paris", " ", "City of Light")
    )
    asked = Asked(server.conversations()[0])
    assert (asked["question"], asked["gold"], asked["answer"]) == (QUESTION, "Paris\nCity of Light", "Lutetia")


def test_decided_without_a_call() -> None:
    """No answer is not attempted, a huge one incorrect, and a question without gold unscored: nobody is asked."""
    verdicts, server = judge(
        lambda asked: tagged(asked, verdict="correct"),
        answered(" \n", "Paris"),
        answered("Paris " * LONGEST_ANSWER, "Paris"),
        answered("Paris"),
        answered("Paris", " "),
    )
    assert [(verdict.outcome, verdict.value) for verdict in verdicts] == [
        ("not_attempted", 0.0),
        ("incorrect", 0.0),
        ("unscored", None),
        ("unscored", None),
    ]
    assert verdicts[1].explanation == "the answer has 60000 characters; this judge takes 10000 at most"
    assert verdicts[2].explanation == "task 't1' has no gold answer to judge by"
    assert server.requests == []


@pytest.mark.parametrize("reply", ["A", "correct", '{"verdict": "correct"}', "<verdict>correct</verdict>", ""])
def test_no_verdict_is_unscored(reply: str) -> None:
    """A reply without the token is no verdict: unscored after three attempts, and one at a harmless answer."""
    (verdict,), server = judge(lambda _: reply, answered("Paris", "Paris"))
    assert (verdict.outcome, verdict.value, len(server.requests)) == ("unscored", None, 4)


def test_a_failure_is_unscored() -> None:
    """A model that fails leaves its own submissions unscored, and the others scored, in their order."""
    verdicts, _ = judge(
        lambda asked: Fault(401) if asked["answer"] in ("Rome", NEUTRAL) else tagged(asked, verdict="correct"),
        answered("Rome", "Paris"),
        answered("Paris", "Paris"),
        answered("", "Paris"),
    )
    assert [verdict.outcome for verdict in verdicts] == ["unscored", "correct", "not_attempted"]
    assert "the key was refused" in verdicts[0].explanation


def test_votes() -> None:
    """With several votes more than half must agree, else the lowest counts; all of them go out together."""
    words = ["correct", "incorrect", "correct"]
    (verdict,), server = judge(lambda asked: tagged(asked, verdict=words.pop()), answered("Paris", "Paris"), votes=3)
    assert (verdict.outcome, len(server.requests)) == ("correct", 3)
    words = ["correct", "incorrect"]
    (verdict,), _ = judge(lambda asked: tagged(asked, verdict=words.pop()), answered("Paris", "Paris"), votes=2)
    assert (verdict.outcome, verdict.value) == ("incorrect", 0.0)
    assert "no majority among 2 votes (correct: 1; incorrect: 1), so the lowest counts" in verdict.explanation


OFFICIAL = [
    "Question: {question}\nGold target: {target}\nPredicted answer: {predicted_answer}\n",
    "Q {question} E {expected_answer} A {answer}",
    "Q {question} G {gold} R {response}",
]


@pytest.mark.parametrize("text", OFFICIAL)
@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        ("A", "correct"),
        (" B\n", "incorrect"),
        ("C", "not_attempted"),
        ("<think>A or B?</think>\nA", "correct"),
        ("Because", "unscored"),
        ("A.", "correct"),
        ("(A)", "correct"),
        ("**A**", "correct"),
        ("`B`.", "incorrect"),
        ("[C]", "not_attempted"),
        ("A: CORRECT", "correct"),
        ("**A**: Correct.", "correct"),
        ("A) correct", "correct"),
        ("B (incorrect)", "incorrect"),
        ("**B: INCORRECT**", "incorrect"),
        ("C - NOT_ATTEMPTED", "not_attempted"),
        ("C: not attempted", "not_attempted"),
        ("A: INCORRECT", "unscored"),
        ("B: CORRECT", "unscored"),
        ("A: NOT CORRECT", "unscored"),
        ("A or B", "unscored"),
        ("A, B", "unscored"),
        ("A/B", "unscored"),
        ("Not A", "unscored"),
        ("A?", "unscored"),
        ("A: correct, but B", "unscored"),
        ("Answer: A", "unscored"),
        ("a", "unscored"),
        ("A B", "unscored"),
        ("CORRECT", "unscored"),
        ("Ａ", "unscored"),
        ("А", "unscored"),
        ("D", "unscored"),
        ("", "unscored"),
    ],
)
def test_official_prompts(tmp_path: Path, text: str, reply: str, outcome: str) -> None:
    """Under an official prompt, whatever it calls the fields, the reply is one letter, with markup or its word."""
    path = tmp_path / "prompt.txt"
    path.write_text(text)
    (verdict,), server = judge(lambda _: reply, answered("Paris", "Paris"), prompt=path, attempts=1)
    assert verdict.outcome == outcome
    sent = server.conversations()[0][0]["content"]
    assert sent.startswith(("Question: What is the capital of France?\nGold target: Paris\n", "Q What is the capital"))
    assert "response_format" not in server.requests[0]


def test_a_letter_as_the_answer(tmp_path: Path) -> None:
    """Under an official prompt an answer of "A" is not made right by a model that repeats it; the gold "A" is."""
    path = tmp_path / "prompt.txt"
    path.write_text(OFFICIAL[0])
    verdicts, _ = judge(
        lambda _: "A", answered("A", "Paris"), answered("</think>A", "Paris"), answered("A", "A"), prompt=path
    )
    assert [verdict.outcome for verdict in verdicts] == ["unjudgeable", "unjudgeable", "correct"]
    (verdict,), _ = judge(lambda _: "**A**.", answered("A", "Paris"), prompt=path)
    assert verdict.value == 0.0
    (verdict,), _ = judge(lambda _: "B", answered("A", "Paris"), prompt=path)
    assert verdict.outcome == "incorrect"


def test_a_retry_differs(tmp_path: Path) -> None:
    """The first request is the official prompt to the letter; each retry says that the reply could not be read."""
    path = tmp_path / "prompt.txt"
    path.write_text("Q {question} G {gold} R {response}")
    _, server = judge(lambda _: "Well.", answered("Rome", "Paris"), prompt=path)
    sent = [messages[0]["content"] for messages in server.conversations()]
    assert sent[0] == "Q What is the capital of France? G Paris R Rome"
    assert [one.startswith(sent[0]) for one in sent[1:3]] == [True, True]
    assert "the last reply could not be read" in sent[1]
    assert len(set(sent)) == len(sent) == 4


def test_a_prompt_file_with_a_token(tmp_path: Path) -> None:
    """A user's prompt with {token} asks for a verdict with it; a bare letter is none there."""
    path = tmp_path / "prompt.txt"
    path.write_text('{question}|{gold}|{answer}| <verdict id="{token}">…</verdict>')
    (verdict,), _ = judge(lambda asked: tagged(asked, verdict="Correct"), answered("x", "Paris"), prompt=path)
    assert verdict.outcome == "correct"
    (verdict,), _ = judge(lambda _: "A", answered("x", "Paris"), prompt=path)
    assert verdict.outcome == "unscored"


def test_what_is_refused(tmp_path: Path) -> None:
    """A prompt file without a field, and numbers below 1, are refused when the judge is made."""
    path = tmp_path / "prompt.txt"
    path.write_text("{question} {answer}")
    model = ChatModel("tiny", base_url="http://localhost:8000/v1")
    with pytest.raises(DataError, match=r"has no \{gold\} \(or \{target\}, \{expected_answer\}"):
        ShortAnswerJudge(model, path)
    with pytest.raises(InvalidArgument, match="votes=0"):
        ShortAnswerJudge(model, votes=0)


def test_identity() -> None:
    """It is a Judge whose identity is its panel's; another prompt is another identity."""
    model = ChatModel("tiny", base_url="http://localhost:8000/v1")
    one = ShortAnswerJudge(model, votes=3)
    assert isinstance(one, Judge)
    assert {name: one.identity[name] for name in ("name", "version", "parser", "votes", "attempts", "model")} == {
        "name": "short_answer",
        "version": "1",
        "parser": "4",
        "votes": "3",
        "attempts": "3",
        "model": "tiny",
    }
    assert len(one.identity["prompt"]) == 64


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        ('{"rationale": "the same city", "judgement": "correct"}', "correct"),
        ('```json\n{"judgement": "Incorrect"}\n```', "incorrect"),
        ('{"judgement": "perhaps"}', "unscored"),
        ('{"score": 1}', "unscored"),
    ],
)
def test_a_judgement_in_json(tmp_path: Path, reply: str, outcome: str) -> None:
    """AgentWebBench's form: fields gt_answer and pred_answer, and a JSON object with a judgement."""
    path = tmp_path / "prompt.txt"
    path.write_text('{question} {gt_answer} {pred_answer} {{"judgement": "…"}}')
    (verdict,), server = judge(lambda _: reply, answered("It is Paris", "Paris"), prompt=path, attempts=1)
    assert verdict.outcome == outcome
    assert server.conversations()[0][0]["content"].endswith('Paris It is Paris {"judgement": "…"}')


def test_scores() -> None:
    """A model's verdict has the F1 of the answer beside it, and silence the F1 of nothing."""
    verdicts, _ = judge(
        lambda asked: tagged(asked, verdict="correct"), answered("old Paris", "Paris"), answered("", "Paris")
    )
    assert [round(one.scores["f1"], 4) for one in verdicts] == [0.6667, 0.0]
