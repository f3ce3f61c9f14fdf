"""Citations: sentences and their sources, visibility, and support by a model, over HTTP."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.openai_server import Fault, OpenAIServer, Reply
from tests.rewards.replying import Asked, replying, tagged
from tests.rewards.submissions import answered
from webenv.judge import Submission, Verdict
from webenv.observations import Document, Page
from webenv.observations import Reply as SiteReply
from webenv.rewards import CitationJudge
from webenv.rewards.citations import CitedSentence, cited_sentences, evidence, visibility

REPORT = """\
# On mills
Flour dust burns [1][2]. Water mills are older, says the U.S. survey [2, 3].
- They grind corn (https://c.example/corn).

| Mill | Year |
| Old Mill | 1802 | [1]

**References**
[1] www.a.example
[2] https://b.example/dust
[9] never.example
"""


def test_sentences_and_their_sources() -> None:
    """Marks lead to the references, whatever their form; unlisted ones cite nothing; a URL cites itself."""
    assert cited_sentences(REPORT) == (
        CitedSentence("On mills", ()),
        CitedSentence("Flour dust burns.", ("www.a.example", "https://b.example/dust")),
        CitedSentence("Water mills are older, says the U.S. survey.", ("https://b.example/dust",)),
        CitedSentence("They grind corn (https://c.example/corn).", ("https://c.example/corn",)),
        CitedSentence("| Mill | Year |", ()),
        CitedSentence("| Old Mill | 1802 |", ("www.a.example",)),
    )
    assert cited_sentences("References\n[1] a.example") == ()


def test_visibility_by_hand() -> None:
    """Of three sentences: words longer than 2 characters, exp(-i/2), both; shared among the sites of a sentence."""
    report = "Old mills burn [1]. In it they grind corn [1][2]. So it is.\nReferences\n1. www.a.example\n2. b.example/x"
    word, position, overall = visibility(report)
    assert word == pytest.approx({"a.example": 4.5 / 6, "b.example": 1.5 / 6})
    late = math.exp(-0.5)
    assert position == pytest.approx({"a.example": (1 + late / 2) / (1 + late), "b.example": late / 2 / (1 + late)})
    both = 3 + 3 * late
    assert overall == pytest.approx({"a.example": (3 + 1.5 * late) / both, "b.example": 1.5 * late / both})
    assert visibility("Mills burn [1].\nReferences\n[1] a.example").position == {"a.example": 1.0}
    assert visibility("Mills burn [1].").word == {}


def submission(text: str) -> Submission:
    documents = (Document("https://b.example/dust", "", "Dust is fuel."),)
    return replace(
        answered(text),
        replies=(SiteReply("a.example", "Mills burn.", (Document("https://a.example/x", "", "Flour burns."),)),
                 SiteReply("b.example", "Of dust.", documents)),
        shown=(Page("https://c.example/corn", "", "Corn is ground."),),
    )  # fmt: skip


def test_evidence() -> None:
    """A website is borne out by its summaries, documents and pages, a URL by that page alone; all else by nothing."""
    one = submission("")
    assert evidence(one, ["www.a.example"]) == ("Mills burn.", "Flour burns.")
    assert evidence(one, ["https://b.example/dust", "b.example/dust"]) == ("Dust is fuel.",)
    assert evidence(one, ["https://c.example"]) == ("Corn is ground.",)
    assert evidence(one, ["https://a.example/other", "d.example"]) == ()


def score(script: Callable[[Asked], Reply], *texts: str, **settings: object) -> tuple[list[Verdict], OpenAIServer]:
    with replying(script) as (model, server):
        return CitationJudge(model, **settings).score([submission(text) for text in texts]), server  # type: ignore[arg-type]


def test_precision() -> None:
    """Full support counts 1, partial 0.5, none 0; a source that was never seen supports nothing, without a call."""
    given = {"Flour burns.": "full_support", "Corn flies.": "partial_support", "Mills sing.": "no_support"}
    text = "Flour burns [1]. Corn flies [2]. Mills sing [1]. Mills swim [3]. Nobody knows.\n"
    text += "References\n[1] a.example\n[2] https://c.example/corn\n[3] d.example"
    (verdict,), server = score(lambda asked: tagged(asked, support=given[asked["statement"]]), text)
    assert (verdict.outcome, verdict.value, len(server.requests)) == ("partial", 0.375, 3)
    assert verdict.scores == {
        "citation_precision": 0.375,
        "citation_full": 0.25,
        "citation_partial": 0.25,
        "citation_none": 0.5,
        "cited": 0.8,
    }
    asked = {one["statement"]: one["citations"] for one in map(Asked, server.conversations())}  # they go out together
    assert asked["Flour burns."] == "[1] Mills burn.\n\n[2] Flour burns."


def test_without_citations_and_without_a_label() -> None:
    """A report that cites nothing has 0, one of which a statement got no label is unscored; the others stand."""
    cited = "Flour burns [1].\nReferences\n[1] a.example"
    verdicts, _ = score(lambda asked: Fault(401), "Mills burn.", "", cited)
    assert [one.outcome for one in verdicts] == ["unsupported", "unsupported", "unscored"]


def test_official_prompts(tmp_path: Path) -> None:
    """With the release's prompts a model extracts claims as JSON, and replies with JSON that holds a support."""
    claims, support = tmp_path / "claims.txt", tmp_path / "citation.txt"
    claims.write_text('Extract {{"claims": []}} of {answer}')
    support.write_text("Statement: {claim}\nCitations: {citations_text}")
    found = {
        "claims": [{"claim_id": 1, "claim": "Flour burns", "sources": ["a.example"]}, {"claim": "x", "sources": []}]
    }

    def script(asked: Asked) -> str:
        if asked.text.startswith("Extract"):
            assert asked.text == 'Extract {"claims": []} of Flour burns, says a.example.'
            return json.dumps(found)
        assert asked.text == "Statement: Flour burns\nCitations: [1] Mills burn.\n\n[2] Flour burns."
        return '{"support": "partial_support", "justification": "half"}'

    (verdict,), _ = score(script, "Flour burns, says a.example.", prompt=support, claims=claims)
    assert (verdict.value, verdict.scores["cited"]) == (0.5, 0.5)
