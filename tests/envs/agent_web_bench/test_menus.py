"""The menu on a web of agents: sites that were listed are asked, by fives; a ranking has the other candidates too."""

from __future__ import annotations

import numpy as np
import pytest

import webenv
from tests.envs.agent_web_bench.small import SITES, corpus, ranked
from webenv.actions import Kind
from webenv.benchmark import Benchmark
from webenv.corpora import Corpus
from webenv.envs.agent_web_bench import agent_web_bench
from webenv.policies.agent_web import ScriptedUser
from webenv.rewards import AnswerJudge
from webenv.rollout import EpisodeSpec, play_episodes
from webenv.task import Gold, Task, TaskSet
from webenv.wrappers import Menu, MenuSize, MenuWrapper, TextWrapper, VectorMenuWrapper


def test_listed_sites_are_asked_by_fives() -> None:
    """Rows of asks are the best five, ten, … of the listed sites that were not asked, by how they fit."""
    env = webenv.SearchEnv(agent_web_bench("search", web=corpus(), tasks=ranked(), descriptions=SITES))
    observation, _ = env.reset(options={"task": "mill"})
    menu = Menu(MenuSize(criteria=1, candidates=4, sites=2), "ranking").begin(observation)
    may = [menu.names[number] for number in np.flatnonzero(menu.mask())]
    assert may[0] == "ask site 1"
    assert len(may) == 2
    action = menu.action(menu.names.index("ask site 1"))
    assert action.kind == Kind.ASK
    assert action.arguments[:2] == ("old mill burnt", "mills.example")
    assert set(action.arguments[1:]) == set(SITES)
    observation, *_ = env.step(action)
    menu.update(action, observation)
    assert "ask site 1" not in [menu.names[number] for number in np.flatnonzero(menu.mask())]


def test_a_ranking_has_the_other_candidates() -> None:
    """To answer a candidate is to rank it first, and the others behind it."""
    env = MenuWrapper(
        webenv.SearchEnv(agent_web_bench("search", web=corpus(), tasks=ranked(), descriptions=SITES)),
        MenuSize(criteria=1, candidates=8, sites=2),
    )
    features, _ = env.reset(options={"task": "mill"})
    assert features["sites"][0][[0, 3]].tolist() == [1.0, pytest.approx(1.0)]
    env.step(env.menu.names.index("ask site 1"))
    action = env.menu.action(env.menu.names.index("answer candidate 2"))
    assert len(action.arguments) > 2
    assert len(set(action.arguments)) == len(action.arguments)
    first = env.menu.action(env.menu.names.index("answer candidate 1")).arguments
    assert action.arguments[:2] == (first[1], first[0])
    *_, info = env.step(env.menu.names.index("answer candidate 1"))
    assert info["verdict"]["value"] > 0.6


def _asked_all(kind: str, question: str) -> Menu:
    """A menu on the small web after all four sites were asked a question."""
    tasks = TaskSet([Task("one", f"Do this:\n{question}", gold=Gold(answers=("Ystad",)))])
    env = webenv.SearchEnv(agent_web_bench(kind, web=corpus(), tasks=tasks, descriptions=SITES, judge=AnswerJudge()))
    observation, _ = env.reset(seed=0)
    menu = Menu(MenuSize(criteria=1, candidates=8, sites=2), "report" if kind == "research" else "phrase")
    menu.begin(observation)
    action = menu.action(menu.names.index("ask site 1"))
    observation, *_ = env.step(action)
    menu.update(action, observation)
    return menu


def test_a_report_tells_of_all_candidates() -> None:
    """To answer a candidate is a report that begins with it; the sites can be asked about a candidate's title."""
    menu = _asked_all("research", "What is known about the Old Mill of Lund and Otto Berg?")
    written = menu.action(menu.names.index("answer candidate 2")).arguments[0]
    assert "Otto Berg owns it. [" in written
    assert written.partition("References\n")[2].count("[") >= 2
    about = menu.action(menu.names.index("search the title of candidate 1"))
    assert about.kind == Kind.ASK
    assert set(about.arguments[1:]) == set(SITES)
    assert about.arguments[0] != menu.queries.whole


def test_a_history_is_asked_for_what_its_titles_share() -> None:
    """Of a browsing history the sites are asked what its titles share, and its own pages are ranked only on demand."""
    visits = "- The new mill https://mills.example/new\n- Fire at the mill https://news.example/fire"
    told = f"Find what they would read next:\n{visits}"
    tasks = TaskSet([Task("one", told, gold=Gold(("https://mills.example/old",)))])
    env = webenv.SearchEnv(agent_web_bench("recommendation", web=corpus(), tasks=tasks, descriptions=SITES))
    observation, _ = env.reset(seed=0)
    menu = Menu(MenuSize(criteria=1, candidates=8, sites=2), "ranking").begin(observation)
    action = menu.action(menu.names.index("ask site 1"))
    assert action.arguments[0].split()[0] == "mill"
    assert "example" not in action.arguments[0]
    observation, *_ = env.step(action)
    menu.update(action, observation)
    may = [menu.names[number] for number in np.flatnonzero(menu.mask())]
    first = menu.action(menu.names.index(next(name for name in may if name.startswith("answer candidate")))).arguments
    assert "https://mills.example/old" in first
    assert not {"https://mills.example/new", "https://news.example/fire"} & set(first[1:])


LEE = ("https://people.example/lee", "Ada Lee", "Ada Lee was a miller of Lund. She died in 1901.")
READ = (
    (
        "https://mills.example/old",
        "The old mill",
        "The old mill of Lund was built by [Ada Lee](https://people.example/lee).",
    ),
    ("https://news.example/fire", "Fire", "A fire took a barn. Ada Lee saw it burn."),
    ("https://sea.example/tides", "Tides", "Spring tides are high."),
)


def _history() -> Benchmark:
    """A browsing history of which two pages name one person, and what is told of her on a site that it has not."""
    pages = [{"url": url, "title": title, "text": text} for url, title, text in (*READ, LEE)]
    visits = "\n".join(f"- {title} ({number}.0) {url}" for number, (url, title, _) in enumerate(READ))
    tasks = TaskSet([Task("one", f"Find what they would visit next:\n{visits}", gold=Gold((LEE[0],)))])
    return agent_web_bench("recommendation", web=Corpus.of(pages), tasks=tasks, descriptions=SITES)


def test_a_menu_gets_the_pages_of_a_history_again() -> None:
    """Their sites are asked for them at once; then a row is a name that they share, and pages about it stand first."""
    env = webenv.SearchEnv(_history())
    observation, _ = env.reset(seed=0)
    menu = Menu(MenuSize(criteria=1, candidates=8, sites=2), "ranking").begin(observation)
    for name, query in (("visit the next candidates", "The old mill Fire Tides"), ("ask site 1", "Ada Lee")):
        action = menu.action(menu.names.index(name))
        assert action.arguments[0] == query
        observation, *_ = env.step(action)
        menu.update(action, observation)
        assert not menu.mask()[menu.names.index(name)]  # all four sites were asked
    _, reward, *_ = env.step(menu.action(menu.names.index("answer candidate 1")))
    assert reward == 1.0


def test_a_scripted_user_reads_a_history() -> None:
    """It finds the page about whom several pages name, which their titles do not tell."""
    (records,) = play_episodes(_history(), ScriptedUser("recommendation"), [EpisodeSpec("one", 0, 0)], 1)
    assert [turn.texts[0] for turn in records[0].turns[:2]] == ["The old mill Fire Tides", "Ada Lee"]
    assert records[0].verdict["value"] == 1.0


def test_a_gap_is_filled_from_pages() -> None:
    """Of a question with a gap each candidate fills it, and sites can be asked about whom its first part leads to."""
    menu = _asked_all(
        "qa",
        "The new mill of Lund is owned by a certain person. And that same person was born in ___. What fills the gap?",
    )
    rows = [name for number, name in enumerate(menu.names) if menu.mask()[number]]
    answers = {menu.action(menu.names.index(name)).arguments[0] for name in rows if name.startswith("answer candidate")}
    asked = [menu.action(menu.names.index(name)).arguments[0] for name in rows if name.startswith("search the title")]
    assert "Ystad" in answers
    assert any("Otto Berg" in query and "born" in query for query in asked)


@pytest.mark.parametrize("strategy", ["multi_agent", "tool_p", "tool_e", "classical"])
def test_slots_are_as_single_environments(strategy: str) -> None:
    """The vector of menus gives what a single one gives, step for step, whatever the strategy."""
    benchmark = agent_web_bench("search", web=corpus(), tasks=ranked(), descriptions=SITES, strategy=strategy)
    size = MenuSize(criteria=1, candidates=4, sites=2)
    many = VectorMenuWrapper(webenv.SearchVectorEnv(benchmark, 2), size, workers=1)
    one = MenuWrapper(webenv.SearchEnv(benchmark), size)
    seen, _ = many.reset(options={"task": "mill"})
    alone, _ = one.reset(options={"task": "mill"})
    rng = np.random.default_rng(0)
    for _ in range(5):
        for name, rows in alone.items():
            assert (seen[name] == rows).all()
        number = int(rng.choice(np.flatnonzero(one.action_masks()[:-1]))) if one.action_masks()[:-1].any() else 0
        seen, rewards, ended, _, _ = many.step(np.array([number, number]))
        alone, reward, over, _, _ = one.step(number)
        assert rewards.tolist() == [reward] * 2
        if over:
            assert ended.all()
            return


def test_in_words() -> None:
    """A language model asks by a tag, is told of the sites at first, and answers with a list."""
    env = TextWrapper(webenv.SearchEnv(agent_web_bench("search", web=corpus(), tasks=ranked(), descriptions=SITES)))
    text, _ = env.reset(options={"task": "tides"})
    assert all(f"Reply of {site}:\n{about}" in text for site, about in SITES.items())
    text, *_ = env.step('<ask site="sea.example, news.example">neap tides</ask>')
    assert "Neap tides are low." in text
    _, reward, terminated, _, _ = env.step('<answer>["https://sea.example/tides"]</answer>')
    assert (reward, terminated) == (1.0, True)
