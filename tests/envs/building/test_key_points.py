"""Key points of new questions, built over HTTP with a scripted model."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.openai_server import Messages, OpenAIServer, Script, serve
from webenv.cli.app import run
from webenv.corpora import build as build_corpus
from webenv.envs.agent_web_bench.official import load_official

PAGES = {
    "mill": "Flour dust burns easily. Mills were lit by candles.",
    "fire": "Candles set fire to dust. Many mills burned in winter.",
    "bees": "Why bees hum nobody knows; why mills burn is another matter.",
}
QUESTIONS = [{"id": 7, "question": "Why did mills burn?"}, {"id": "8", "query": "zzz"}]

Builder = Callable[..., tuple[int, OpenAIServer]]


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Builder:
    monkeypatch.chdir(tmp_path)
    pages = [{"url": f"https://{name}.example/", "title": name, "text": text} for name, text in PAGES.items()]
    Path("pages.jsonl").write_text("".join(json.dumps(page) + "\n" for page in pages))
    Path("questions.json").write_text(json.dumps(QUESTIONS))
    build_corpus("web", ["jsonl:pages.jsonl"], workers=1)

    def build(script: Script, *words: str) -> tuple[int, OpenAIServer]:
        with serve(script) as server:
            monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
            line = ("tasks", "build", "research", "--questions", "questions.json", "--web", "web", "--model", "writer")
            return run((*line, "--out", "out", *words)), server

    return build


def ours(messages: Messages) -> str:
    text = messages[-1]["content"]
    token = re.findall(r'id="([0-9a-f]{16})"', text)[-1]
    document = re.search(rf'<document id="{token}">\n(.*)\n</document', text, re.DOTALL)
    if document is None:
        return f'<point id="{token}">Dust burns, and candles lit it.</point><from id="{token}">1, 2, 9</from>'
    if "bees" in document[1]:
        return "Nothing there."
    span = "Flour dust burns easily." if "Flour" in document[1] else "Candles set fire to dust."
    return "".join(
        f'<point id="{token}">{point}</point><span id="{token}">{quoted}</span>'
        for point, quoted in ((f"Point: {span}", span), ("Forged.", "not there"))
    )


def records() -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path("out/research.jsonl").read_text().splitlines()]


def test_points_are_drawn_and_put_together(build: Builder, capsys: pytest.CaptureFixture[str]) -> None:
    """Each passage stands in its document, each point names those it is made of; the file is one of tasks."""
    code, server = build(ours, "--json")
    assert code == 0
    (record,) = records()
    assert record["key_points"] == [
        {"point_number": 1, "point_content": "Dust burns, and candles lit it.", "original_point_number": [1, 2]}
    ]
    assert set(record["documents"]) == {f"https://{name}.example/" for name in PAGES}
    (task,) = load_official("research", ["out/research.jsonl"], lambda kind, text: text)
    assert (task.question, task.gold.data["key_points"]) == (
        "Why did mills burn?",
        ("Dust burns, and candles lit it.",),
    )
    stages = {one["stage"]: one for one in json.loads(capsys.readouterr().out)["stages"]}
    assert (stages["search"]["rejected"], stages["extraction"]["rejected"]) == (
        {"no document was found": 1},
        {"nothing helps to answer the question": 1},
    )
    assert len(server.requests) == 4  # three documents and one list
    assert build(ours)[1].requests == []  # nothing is asked twice


def test_official_prompts(build: Builder) -> None:
    """Under the released prompts replies are JSON: points with spans, then points with original numbers."""
    prompts = Path("prompts")
    prompts.mkdir()
    (prompts / "extraction.txt").write_text('Respond {{"points": []}}\n[Query]: {question}\n[Text]: {text}')
    (prompts / "aggregation.txt").write_text(
        'Respond {{"points": []}}\n[Original Points]\n{original_points_with_number}'
    )

    def script(messages: Messages) -> str:
        text = messages[-1]["content"]
        if "[Query]" in text:
            spans = ["Candles set fire to dust."] if "Candles set" in text else ["none"]
            return json.dumps({"points": [{"point_number": 1, "point_content": "Candles.", "spans": spans}]})
        assert text == "Respond {\"points\": []}\n[Original Points]\n{1: 'Candles.'}"
        return json.dumps({"points": [{"point_number": 1, "point_content": "Candles!", "original_point_number": [1]}]})

    assert build(script, "--prompts", "prompts")[0] == 0
    assert [one["point_content"] for one in records()[0]["key_points"]] == ["Candles!"]


def test_bad_questions(build: Builder, capsys: pytest.CaptureFixture[str]) -> None:
    """A file without questions, or with an id twice, is refused."""
    Path("questions.json").write_text(json.dumps([QUESTIONS[0], QUESTIONS[0]]))
    assert build(ours)[0] == 1
    assert "expected an object with an id of its own and a question" in capsys.readouterr().err
