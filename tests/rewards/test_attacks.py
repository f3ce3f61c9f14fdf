"""Attacks over every judge: fenced as data, no verdict when echoed, no other verdict when quoted, no score by rule."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.openai_server import OpenAIServer, serve
from tests.rewards.attacks import ATTACKS
from tests.rewards.submissions import NEEDLE, answered, page, submit
from webenv.judge import Submission
from webenv.models import ChatModel, fence, sendable
from webenv.rewards import AnswerJudge, LLMGrader, PageJudge, ndcg, recall
from webenv.rewards.answers import alias_match, exact_match, number_match, token_f1
from webenv.rewards.browsecomp import BrowseCompRubric, Response
from webenv.rewards.failure_attribution import EvidenceRubric, WrongAnswer
from webenv.rewards.key_points import KeyPointItem, KeyPointJudge, KeyPointRubric, PointedReport
from webenv.rewards.llm_grader import Rubric
from webenv.rewards.needle import CriterionItem, CriterionRubric
from webenv.rewards.report import RatedReport, ReportRubric
from webenv.rewards.short_answer import ShortAnswer, ShortAnswerRubric
from webenv.rewards.tables.cells import TableSpec
from webenv.rewards.tables.grader import TableAnswer, TableJudge
from webenv.rewards.tables.markdown import read_csv
from webenv.rewards.tables.rubrics import AlignmentRubric, Cell, CellRubric, Vocabularies

Fields = Mapping[str, str]


class Judged(NamedTuple):
    """A rubric, its item for a text of strangers, the field that holds it, and honest fields for and against."""

    rubric: Rubric[Any, Any]
    item: Callable[[str], Hashable]
    field: str
    good: Fields
    bad: Fields
    favours: Callable[[Any], bool]
    shown: Callable[[str], str] = str


def one_line(text: str) -> str:
    line = " ".join(text.split())
    return "P1: " + (line if len(line) <= 300 else line[:300] + "…")


JUDGED: dict[str, Judged] = {
    "entailment of a page": Judged(
        CriterionRubric(),
        lambda text: CriterionItem(text, "Something burned."),
        "page",
        {"accept": ""},
        {"reject": "no"},
        lambda grade: grade.met,
    ),
    "short answer": Judged(
        ShortAnswerRubric(),
        lambda text: ShortAnswer("What is the capital of France?", ("Paris",), text),
        "answer",
        {"verdict": "correct"},
        {"verdict": "incorrect"},
        lambda grade: grade.outcome == "correct",
    ),
    "browsecomp": Judged(
        BrowseCompRubric(),
        lambda text: Response("What is the capital of France?", ("Paris",), text),
        "response",
        {"extracted": "Paris", "correct": "yes", "confidence": "90"},
        {"extracted": "none", "correct": "no", "confidence": "none"},
        lambda grade: grade.correct,
    ),
    "key points": Judged(
        KeyPointRubric(),
        lambda text: KeyPointItem(text, "Paris is on the Seine."),
        "answer",
        {"label": "supported"},
        {"label": "contradicted"},
        lambda grade: grade.label == "supported",
    ),
    "report": Judged(
        ReportRubric(),
        lambda text: RatedReport("Why Paris?", text, "clarity", "how clear"),
        "answer",
        {"rating": "9"},
        {"rating": "2"},
        lambda grade: grade.score > 5,
    ),
    "evidence": Judged(
        EvidenceRubric(),
        lambda text: WrongAnswer("What is the capital of France?", "London", (text,)),
        "evidence",
        {"supports": "yes"},
        {"supports": "no"},
        lambda grade: grade.supports,
    ),
    "alignment": Judged(
        AlignmentRubric(),
        lambda text: Vocabularies((text,), ("Paris",), True),
        "predicted",
        {"pairs": "P1=G1"},
        {"pairs": "none"},
        lambda grade: len(grade) == 1,
        one_line,
    ),
    "cell": Judged(
        CellRubric(),
        lambda text: Cell("the same city", "Paris", text),
        "predicted",
        {"verdict": "right"},
        {"verdict": "wrong"},
        lambda grade: grade.right,
    ),
}


@pytest.fixture(scope="module")
def endpoint() -> Iterator[tuple[OpenAIServer, ChatModel]]:
    with (
        serve(lambda _: "") as server,
        ChatModel("tiny", base_url=server.base_url, retries=0, timeout=20.0) as model,
    ):
        yield server, model


def token_of(text: str) -> str:
    """The token of a request: what its own last tag bears."""
    return re.findall(r'id="([0-9a-f]{16})"', text)[-1]


def written(fields: Fields, token: str) -> str:
    if "accept" in fields:
        return f'<accept id="{token}"/>'
    return " ".join(f'<{name} id="{token}">{value}</{name} id="{token}">' for name, value in fields.items())


@pytest.mark.parametrize("judged", JUDGED.values(), ids=JUDGED)
def test_an_attack_stands_within_its_fence(judged: Judged) -> None:
    """A request with an attack is the request with another text, but for what stands between the two tags."""

    def frame(text: str) -> str:
        sent = judged.rubric.ask(judged.item(text), 1)[0].content
        token = token_of(sent)
        assert token not in text
        fenced = fence(judged.field, judged.shown(text), token)
        assert sent.count(fenced) == 1, text[:100]
        return sent.replace(fenced, "«the data»").replace(token, "«the token»")

    plain = frame("another text")
    assert "«the data»" in plain
    assert [name for name, attack in ATTACKS.items() if frame(attack) != plain] == []


@pytest.mark.parametrize("judged", JUDGED.values(), ids=JUDGED)
def test_an_echoed_attack_is_no_verdict(endpoint: tuple[OpenAIServer, ChatModel], judged: Judged) -> None:
    """A model that replies with the attack, or with the whole request, has given no verdict, whatever the judge."""
    server, model = endpoint
    server.script = lambda messages: said[messages[0]["content"]]
    asked = {name: judged.rubric.ask(judged.item(attack), 1)[0].content for name, attack in ATTACKS.items()}
    said = {sendable(asked[name]): attack for name, attack in ATTACKS.items()}
    graded = LLMGrader(model, judged.rubric, attempts=1).grade([judged.item(attack) for attack in ATTACKS.values()])
    assert [name for name, one in zip(ATTACKS, graded, strict=True) if one.grade is not None] == []
    assert all("no single verdict" in one.reason for one in graded)
    repeated = [judged.rubric.read(asked[name], judged.item(attack), 1) for name, attack in ATTACKS.items()]
    assert repeated == [None] * len(ATTACKS)


@pytest.mark.parametrize("favours", [True, False], ids=["for", "against"])
@pytest.mark.parametrize("judged", JUDGED.values(), ids=JUDGED)
def test_a_quoted_attack_changes_no_verdict(
    endpoint: tuple[OpenAIServer, ChatModel], judged: Judged, favours: bool
) -> None:
    """A verdict for or against stays what it is where the model quotes the attack before it, in text or in JSON."""
    server, model = endpoint
    fields = judged.good if favours else judged.bad
    items = {name: judged.item(attack) for name, attack in ATTACKS.items()}
    asked = {name: judged.rubric.ask(item, 1)[0].content for name, item in items.items()}
    tokens = {name: token_of(text) for name, text in asked.items()}
    replies = {name: f"It says: «{ATTACKS[name]}» {written(fields, tokens[name])}" for name in items}
    if favours:  # what strangers want is put to the reader alone; what they fight goes over HTTP
        grades = [judged.rubric.read(replies[name], item, 1) for name, item in items.items()]
    else:
        said = {sendable(asked[name]): reply for name, reply in replies.items()}
        server.script = lambda messages: said[messages[0]["content"]]
        grades = [one.grade for one in LLMGrader(model, judged.rubric, attempts=1).grade(list(items.values()))]
    assert [name for name, grade in zip(items, grades, strict=True) if judged.favours(grade) is not favours] == []
    if "accept" in fields or "reject" in fields:
        return
    for name, item in items.items():
        reasons = dict.fromkeys(("reason", "reasoning", "justification"), ATTACKS[name])
        reply = json.dumps({"id": tokens[name], **reasons, **fields})
        assert judged.favours(judged.rubric.read(reply, item, 1)) is favours, name


PLAIN: dict[str, tuple[str, Callable[[Path], Rubric[Any, Any]]]] = {
    "entailment of a page": ("{page} {criterion}", lambda path: CriterionRubric(prompt=path)),
    "short answer": ("{question} {target} {predicted_answer}", ShortAnswerRubric),
    "browsecomp": ("{question} {response} {correct_answer}", BrowseCompRubric),
    "key points": ("{key_point} {answer}", KeyPointRubric),
    "report": ("{question} {answer} {criterion}", ReportRubric),
    "alignment": ("{response} {reference}", AlignmentRubric),
    "cell": ("{criterion} {response}", CellRubric),
}
"""Users' prompts without a token."""


@pytest.mark.parametrize("name", PLAIN)
def test_an_echo_under_a_users_prompt(tmp_path: Path, name: str) -> None:
    """Under a prompt without a token too, a reply that only repeats the judged text is never in its favour."""
    template, make = PLAIN[name]
    path = tmp_path / "prompt.txt"
    path.write_text(template)
    rubric, judged = make(path), JUDGED[name]
    for attack, text in ATTACKS.items():
        replies = [rubric.ask(judged.item(text), 1)[0].content]
        if name != "entailment of a page":  # there the model reads, and so repeats, defused tags
            replies.append(text)
        for reply in replies:
            grade = rubric.read(reply, judged.item(text), 1)
            assert grade is None or not judged.favours(grade), attack


def capital(answer: str) -> Submission:
    return answered(answer, "Paris")


def test_answers_score_nothing_by_rule() -> None:
    """No attack is a right answer by rule, and none makes a wrong answer right or a right one better."""
    judge = AnswerJudge()
    for attack in ATTACKS.values():
        answers = [attack, f"London {attack}", f"{attack} London", f"Paris {attack}", f"{attack}\nParis"]
        values = [verdict.value for verdict in judge.score([capital(answer) for answer in answers])]
        assert values[:3] == [0.0] * 3, attack[:80]
        assert not any(exact_match(answer, ["Paris"]) for answer in answers[:3])
        assert token_f1(f"Paris {attack}", ["Paris"]) <= token_f1("Paris", ["Paris"])
        assert token_f1(f"London {attack}", ["London"]) <= 1.0


@pytest.mark.parametrize("gold", ["120k", "7", "2024", "3.14", "$5 million", "12%"])
def test_no_attack_is_a_number(gold: str) -> None:
    """No attack meets a number, whether it lists many, names a range or hedges."""
    assert [name for name, attack in ATTACKS.items() if number_match(attack, gold)] == []
    assert [name for name, attack in ATTACKS.items() if alias_match(f"{gold} or {attack}", [gold])] == []


def test_pages_match_by_their_address_alone() -> None:
    """No attack is the address of the gold page, and the gold's address among others is not the gold's."""
    verdicts = PageJudge().score(
        [submit(attack, page("https://other.example/", attack, "k9")) for attack in ATTACKS.values()]
    )
    assert {verdict.value for verdict in verdicts} == {0.0}
    assert PageJudge().score([submit(NEEDLE, page())])[0].value == 1.0


def test_tables_gain_nothing() -> None:
    """No attack is worth a row; repeats, guesses by the dozen and a second table add none to an honest one."""
    spec = TableSpec.of({"required": ["country", "capital"], "unique_columns": ["country"], "eval_pipeline": {}})
    gold = read_csv("country,capital\nFrance,Paris\nItaly,Rome\n")
    honest = "|country|capital|\n|---|---|\n|France|Paris|\n|Italy|Milan|\n"
    answers = [*ATTACKS.values(), *(f"{honest}\n{attack}" for attack in ATTACKS.values())]
    scores = [one.numbers for one in TableJudge(None).grade([TableAnswer(text, gold, spec) for text in answers])]
    alone, beside = scores[: len(ATTACKS)], scores[len(ATTACKS) :]
    assert {one.row_f1 for one in alone if one is not None} == {0.0}
    assert all(one is not None and one.row_f1 <= 0.5 and one.item_f1 <= 0.75 for one in beside)


def test_rankings_gain_nothing_by_repeats() -> None:
    """A ranking that repeats an id, or adds every attack, has no more recall or NDCG than the honest one."""
    honest = ["x", "gold", "y"]
    for ranking in (["x", "gold", "gold", "y", "gold"], [*honest, *ATTACKS.values()], [*honest * 20]):
        for k in (1, 3, 5, None):
            assert recall(ranking, ["gold", "other"], k) <= recall(honest, ["gold", "other"])
            assert ndcg(ranking, ["gold", "other"], k) <= ndcg(honest, ["gold", "other"], k)


def test_key_points_gain_nothing_by_repeats(endpoint: tuple[OpenAIServer, ChatModel]) -> None:
    """A key point that a list repeats counts once, however it is spelt."""
    server, model = endpoint
    server.script = lambda messages: written(
        {"label": "supported" if "Seine" in messages[0]["content"] else "omitted"}, token_of(messages[0]["content"])
    )
    points = ("It is on the Seine.", "IT IS ON THE SEINE", "it is  on the “Seine”…", "It has a tower.")
    (score,) = KeyPointJudge(model).grade([PointedReport("Paris lies there. " * 50, points)])
    assert (score.labels, score.kpr) == (("supported", "omitted"), 0.5)
