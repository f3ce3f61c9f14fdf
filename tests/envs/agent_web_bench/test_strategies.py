"""The six strategies: what each reaches, by which tool, and what it is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import webenv
from tests.envs.agent_web_bench.small import PAGES, SITES, corpus, questions, ranked
from tests.extras import needs_extra
from tests.webs import DictWeb
from webenv.actions import answer, ask, search
from webenv.benchmark import Benchmark
from webenv.corpora import Corpus, build
from webenv.corpora.procedural import Worlds
from webenv.corpora.site_vectors import SiteVectors
from webenv.envs.agent_web_bench import agent_web_bench
from webenv.envs.agent_web_bench.listing import DescribedSites
from webenv.envs.agent_web_bench.strategies import STRATEGIES
from webenv.errors import InvalidArgument, WebenvError
from webenv.observations import Reply
from webenv.policies import make_policy
from webenv.rollout import EpisodeSpec, play_episodes
from webenv.task import Gold, Task, TaskSet
from webenv.web import AskRequest, Scope


def made(strategy: str, kind: str = "search", **settings: Any) -> Benchmark:
    tasks = questions() if kind == "qa" else ranked()
    return agent_web_bench(kind, web=corpus(), tasks=tasks, descriptions=SITES, strategy=strategy, **settings)


@pytest.mark.parametrize(
    ("strategy", "told", "budget"),
    [
        ("multi_agent", True, [0, 0, 1_500, 15]),
        ("tool_p", True, [0, 0, 1_500, 15]),
        ("tool_e", False, [15, 0, 0, 15]),
        ("classical", False, [15, 0, 0, 15]),
        ("classic_ir", False, [15, 0, 0, 15]),
        ("query_gen", False, [15, 0, 0, 15]),
    ],
)
def test_who_is_told_of_sites(strategy: str, told: bool, budget: list[int]) -> None:
    """Only who names sites is told which there are, once, at reset; nobody can visit."""
    env = webenv.SearchEnv(made(strategy))
    first, _ = env.reset(options={"task": "mill"})
    assert first["budget"].tolist() == budget
    assert {reply["site"]: reply["text"] for reply in first["replies"]} == (SITES if told else {})
    later, *_ = env.step(ask("mill", "sea.example") if told else search("mill"))
    assert len(later["replies"]) == int(told)


def test_results_are_whole() -> None:
    """A search of one index brings three pages, whole, and their ids; no snippet."""
    env = webenv.SearchEnv(made("classical"))
    env.reset(options={"task": "mill"})
    seen, *_ = env.step(search("mill of Lund"))
    assert len(seen["results"]) == 3
    assert [hit["url"] for hit in seen["results"]] == [page["url"] for page in seen["pages"]]
    assert [hit["snippet"] for hit in seen["results"]] == [""] * 3
    texts = {url: text for url, _, text in PAGES}
    assert [page["text"] for page in seen["pages"]] == [texts[page["url"]] for page in seen["pages"]]


def test_classic_ir_brings_ten() -> None:
    """One search of up to ten results."""
    env = webenv.SearchEnv(made("classic_ir"))
    env.reset(options={"task": "mill"})
    seen, *_ = env.step(search("mill Lund boat Ystad Malmo tides"))
    assert len(seen["results"]) == 8


def test_tools_search_the_named_sites() -> None:
    """Each named site is searched for itself; the reply is its best pages, whole, without a summary."""
    env = webenv.SearchEnv(made("tool_p"))
    env.reset(options={"task": "mill"})
    seen, *_ = env.step(ask("mill of Lund", "news.example", "mills.example", "people.example"))
    assert [reply["site"] for reply in seen["replies"]] == ["news.example", "mills.example", "people.example"]
    assert [reply["text"] for reply in seen["replies"]] == [""] * 3
    found = [[document["url"] for document in reply["documents"]] for reply in seen["replies"]]
    assert sorted(found[1]) == ["https://mills.example/new", "https://mills.example/old"]
    assert found[2] == []


def test_nearest_sites_alone_are_searched() -> None:
    """Tool_E: three sites are chosen by the means of their pages, and each is searched for itself: no global search."""
    pages = [
        {
            "url": f"https://s{site}.example/{n}",
            "title": f"Page {n}",
            "text": f"word{site} topic{n} common shared{site % 2}",
        }
        for site in range(6)
        for n in range(5)
    ]
    web = Corpus.of([*pages, {"url": "https://far.example/1", "title": "Far", "text": "Other things are said here."}])
    chosen = SiteVectors(web).nearest_sites([("word2 shared0", Scope()), ("zzz", Scope())], 3)
    assert chosen[0][0] == "s2.example"
    assert set(chosen[0]) == {"s2.example", "s0.example", "s4.example"}
    assert chosen[1] == []
    tasks = TaskSet([Task("t", "Find:\nword2", gold=Gold(("https://s2.example/0",)))])
    env = webenv.SearchEnv(agent_web_bench("search", web=web, tasks=tasks, strategy="tool_e"))
    env.reset(seed=0)
    seen, *_ = env.step(search("common word2 shared0"))
    assert [hit["site"] for hit in seen["results"]] == [site for site in chosen[0] for _ in range(3)]


def test_a_small_site_is_known_by_a_tenth_of_its_pages() -> None:
    """What chooses sites has read two of a site's twenty pages: it is no index of the site."""
    pages = [{"url": f"https://s.example/{n}", "title": f"Page {n}", "text": f"word{n}x"} for n in range(20)]
    vectors = SiteVectors(Corpus.of(pages))
    known = [n for n in range(20) if vectors.nearest_sites([(f"word{n}x", Scope())], 3) == [["s.example"]]]
    assert len(known) == 2


def test_the_mean_is_of_seeded_pages() -> None:
    """Equal seeds choose equal samples; a blocked site is not chosen."""
    web = corpus()
    query = ("neap tides and boats", Scope())
    first = SiteVectors(web, sampled=1, seed=3).nearest_sites([query], 4)
    assert first == SiteVectors(web, sampled=1, seed=3).nearest_sites([query], 4)
    blocked = (query[0], Scope(blocked=("sea.example",)))
    assert "sea.example" in SiteVectors(web).nearest_sites([query], 4)[0]
    assert "sea.example" not in SiteVectors(web).nearest_sites([blocked], 4)[0]


@pytest.mark.parametrize("kind", ["search", "qa"])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_each_has_a_form_without_a_model(kind: str, strategy: str) -> None:
    """Each strategy plays offline to the end, and names itself in the record of a run."""
    benchmark = made(strategy, kind)
    policy = make_policy(strategy, benchmark)
    assert policy.identity["strategy"] == strategy
    records = [
        one for ended in play_episodes(benchmark, policy, [EpisodeSpec(benchmark.tasks[0].id, 0, 0)]) for one in ended
    ]
    assert records[0].ending == "answered"
    if kind == "search":
        assert records[0].verdict["value"] == 1.0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"access": "agent"}, "access='agent'. Did you mean 'agents'"),
        ({"strategy": "tool"}, "strategy='tool'"),
        ({"access": "central", "strategy": "tool_p"}, "the strategy has access='tools'; leave one of the two out"),
        ({"backend": "bm52"}, "backend='bm52'. Did you mean 'bm25'"),
        ({"backend": "dense"}, "needs the folder of a corpus with vectors"),
        ({"descriptions": {"nowhere.example": "Nothing."}}, "there is no site 'nowhere.example'"),
        ({"descriptions": "no/such/file.json"}, "cannot be read as JSON"),
        ({"documents": 0}, "documents=0: expected how many pages a reply has at most"),
        ({"web": DictWeb([])}, "does not list its sites"),
    ],
)
def test_wrong_settings(settings: dict[str, Any], message: str) -> None:
    """What does not fit is refused in one line."""
    with pytest.raises(WebenvError) as error:
        agent_web_bench("search", **{"web": corpus(), "tasks": ranked(), **settings})
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("strategy", ["multi_agent", "tool_p"])
def test_documents_of_a_reply(strategy: str) -> None:
    """``documents=`` limits the pages of each site's reply, not what its agent finds."""
    for documents, count in ((None, 2), (1, 1)):
        benchmark = agent_web_bench(
            "search", web=corpus(), tasks=ranked(), descriptions=SITES, strategy=strategy, documents=documents
        )
        assert benchmark.asker is not None
        (reply,) = benchmark.asker.ask([AskRequest("mill Lund", "mills.example")])
        assert isinstance(reply, Reply)
        assert len(reply.documents) == count
        assert not reply.trace or len(reply.trace["turns"][0]["results"]) == 2


def test_access_is_enough() -> None:
    """``access=`` names a strategy: the first of it."""
    names = {one: made_by(one).identity["asker"]["name"] for one in ("agents", "tools")}
    assert names == {"agents": "content agents", "tools": "site tools"}
    assert made_by("central").budget.searches == 15
    with pytest.raises(InvalidArgument):
        made_by("none")


@pytest.mark.parametrize(
    ("descriptions", "message"),
    [
        ({"mils.example": "Mills."}, "there is no site 'mils.example' on this web. Did you mean 'mills.example'"),
        ({"mills.example": 3}, "'mills.example' with 3; expected a host with a text"),
        ({"": "Mills."}, "'' with 'Mills.'; expected a host with a text"),
        (["mills.example"], "expected texts by host, or a JSON file of them"),
    ],
)
def test_descriptions_that_cannot_be_used(descriptions: Any, message: str) -> None:
    """A description is a text, and of a site that there is."""
    with pytest.raises(InvalidArgument, match=message):
        agent_web_bench("search", web=corpus(), tasks=ranked(), descriptions=descriptions)


def test_descriptions_of_several_worlds() -> None:
    """Where a web has several worlds, a description is of a site of any of them."""
    worlds = Worlds.parse("procedural:worlds=2,pages=60,sites=16")
    second = DescribedSites(corpus(), worlds).hosts(str(worlds[1]))[0]
    assert (
        DescribedSites(corpus(), worlds, {second: "Theirs."}).listed(Scope(world=str(worlds[1])))[0].text == "Theirs."
    )
    with pytest.raises(InvalidArgument, match=r"there is no site 'nowhere\.example' on this web"):
        DescribedSites(corpus(), worlds, {"nowhere.example": "Nothing."})


def made_by(access: str) -> Benchmark:
    return agent_web_bench("search", web=corpus(), tasks=ranked(), descriptions=SITES, access=access)


@pytest.mark.parametrize(
    ("texts", "value"),
    [
        (("https://mills.example/old", "https://news.example/fire"), 1.0),
        (('["https://mills.example/old", "https://news.example/fire"]',), 1.0),
        (("https://mills.example/old\nhttps://news.example/fire",), 1.0),
        (("https://mills.example/old", "https://mills.example/old", "https://news.example/fire"), 1.0),
        (("nonsense", "https://sea.example/tides"), 0.0),
        (("[]",), 0.0),
    ],
)
def test_rankings(texts: tuple[str, ...], value: float) -> None:
    """A ranking is several texts, a JSON list, or lines; repeats are dropped, unknown ids take their ranks."""
    env = webenv.SearchEnv(made("multi_agent"))
    env.reset(options={"task": "mill"})
    *_, info = env.step(answer(*texts))
    assert info["verdict"]["value"] == value


def test_vectors_of_a_corpus_choose_and_rank(tmp_path: Path) -> None:
    """With a dense engine sites are chosen, and pages ranked, by its vectors."""
    needs_extra("dense")
    from webenv.corpora.engines import add_dense

    source = tmp_path / "pages.jsonl"
    source.write_text("".join(json.dumps({"url": u, "title": t, "text": x}) + "\n" for u, t, x in PAGES))
    build(tmp_path / "web", [f"jsonl:{source}"])
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(len(PAGES), 8)).astype(np.float32)
    lines = [
        json.dumps({"url": url, "embedding": row.tolist()}) for (url, _, _), row in zip(PAGES, vectors, strict=True)
    ]
    (tmp_path / "vectors.jsonl").write_text("\n".join(lines))
    add_dense(tmp_path / "web", vectors=tmp_path / "vectors.jsonl")
    (tmp_path / "queries.jsonl").write_text(json.dumps({"text": "old mill", "embedding": vectors[3].tolist()}))
    web = Corpus.open(tmp_path / "web", engine=f"dense:queries={tmp_path}/queries.jsonl")
    env = webenv.SearchEnv(agent_web_bench("search", web=web, tasks=ranked(), strategy="classical"))
    env.reset(options={"task": "mill"})
    seen, *_ = env.step(search("old mill"))
    assert seen["results"][0]["url"] == "https://sea.example/harbour"
    env = webenv.SearchEnv(agent_web_bench("search", web=web, tasks=ranked(), strategy="tool_e"))
    env.reset(options={"task": "mill"})
    seen, *_ = env.step(search("old mill"))
    means = {host: vectors[[n for n, (url, _, _) in enumerate(PAGES) if host in url]] for host in SITES}
    units = {host: (rows / np.linalg.norm(rows, axis=1, keepdims=True)).mean(axis=0) for host, rows in means.items()}
    cosines = {host: float(row @ vectors[3] / np.linalg.norm(row)) for host, row in units.items()}
    order = list(dict.fromkeys(hit["site"] for hit in seen["results"]))
    assert order == sorted(cosines, key=lambda host: -cosines[host])[:3]
