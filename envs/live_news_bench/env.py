"""LiveNewsBench: short questions about the news, answered by searching where the source is blocked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Unpack

from webenv.benchmark import Benchmark
from webenv.budget import Budget
from webenv.corpora.procedural import Worlds
from webenv.envs.benchmark_env import About, BenchmarkEnv, CommonKeywords, assembled, vector_env
from webenv.envs.generated_tasks import GeneratedTasks, generated_count
from webenv.envs.live_news_bench.simulated import GeneratedSimulatedNews, simulated_news_source
from webenv.envs.live_news_bench.tasks import load_tasks
from webenv.envs.webs import TasksArgument, WebArgument, load_web_and_tasks
from webenv.rewards import AnswerJudge
from webenv.rewards.registry import NEWS_PAPER, SHORT, JudgeMaker
from webenv.rules import Rules
from webenv.task import TaskSet

BUDGET = Budget(searches=5, visits=5, asks=0, turns=11)

PAGE_CHARACTERS = 32_768
"""Where a page is cut: the 8,192 tokens of the release, at four characters a token."""


def read_answer(texts: tuple[str, ...]) -> tuple[str, ...]:
    """The answer: the first line that is not blank.

    >>> read_answer(("  Ada Lovelace\\nbecause …",))
    ('Ada Lovelace',)
    """
    return tuple(line.strip() for line in (texts[0] if texts else "").splitlines() if line.strip())[:1]


RULES = Rules(
    page_characters=PAGE_CHARACTERS,
    invalid="fail",
    overrun="fail",
    unseen="notice",
    read_answer=read_answer,
    unanswered="not_attempted",
    endings={
        "answered": "proper_finish",
        "no_action": "no_action_block",
        "invalid_action": "no_action_block",
        "unknown_action": "unknown_action_type",
        "search_overrun": "exceeded_search_budget",
        "visit_overrun": "exceeded_click_budget",
        "ask_overrun": "unknown_action_type",
        "out_of_turns": "max_turns_reached",
        "web_failed": "search_failure",
        "out_of_time": "search_failure",
        "policy_failed": "model_generation_failure",
    },
)

_WITH_ASKS = replace(RULES, endings={word: own for word, own in RULES.endings.items() if word != "ask_overrun"})

JUDGES: Mapping[str, JudgeMaker] = {"answer": AnswerJudge, "short": SHORT, "llm": SHORT}

_NAME = "LiveNewsBench-v0"
_POLICIES = {
    "keyword": "webenv.policies.scripted:NewsKeywordPolicy",
    "closed-book": "webenv.policies.scripted:NewsClosedBookPolicy",
    "investigator": "webenv.policies.scripted:NewsInvestigatorPolicy",
}
_CONFIG = {"news": 0.4}  # share of a generated web's pages
_HELD_OUT = 6  # generated webs of validation and test, where the web names no number


def live_news_bench(
    *,
    split: str | None = None,
    month: str | Iterable[str] | None = None,
    kind: str | Iterable[str] | None = None,
    web: WebArgument = "procedural",
    tasks: TasksArgument = None,
    **common: Unpack[CommonKeywords],
) -> Benchmark:
    """The benchmark behind ``LiveNewsBench-v0``; for its arguments see :class:`LiveNewsBenchEnv`."""
    found = load_web_and_tasks(
        web, tasks, split, generate=_generated, load=load_tasks, config=_CONFIG, held_out=_HELD_OUT
    )
    chosen = found.tasks.filter(split=split, month=month, kind=kind)
    common["budget"] = limits = _budget(common.get("budget"))
    made = assembled(found, chosen, _NAME, BUDGET, _WITH_ASKS if limits.asks else RULES, JUDGES, common, _POLICIES)
    if isinstance(chosen, GeneratedTasks):
        return made
    return replace(made, notice=NEWS_PAPER.notice(made.judge, common.get("judge_prompt") is not None))


class LiveNewsBenchEnv(BenchmarkEnv):
    """``LiveNewsBench-v0``: answer a short question about recent events, without the article behind it.

    Description: Each task asks for a name, a place, a day or a number. The site of the article that
    the question was made from is blocked, and so are web archives: what it said has to be put
    together from other pages. Source: LiveNewsBench, sections 2 to 3.

    Action Space: :func:`webenv.spaces.action_space`. Meant are search, visit and answer, of which a
    turn takes one; the first line of an answer counts. A note costs a turn.

    Observation Space: :func:`webenv.spaces.observation_space`. The question's first line says what
    to do, its second is the question. A query gives ten results at most. A page is cut at 32,768
    characters. Nothing tells what is blocked: such a page is not found.

    Rewards: the weighted sum of the terms ``answer`` (the verdict's value, weight 1 by default),
    ``recall``, ``ndcg``, ``citation`` and ``cost`` (weight 0 by default). Gold pages are one for each
    of the two facts that a generated question joins.

    Episode End: an answer terminates, and so do the last turn, an action that is none, and one that
    wants more than the budget has left, which is refused whole. A URL that was never shown costs its
    visit and is not available. A web or a judge that failed truncates, unscored.

    Information: ``task``, ``reward_terms``; at the end ``scored``, ``spent``, ``ending``, one of the
    released reasons ``proper_finish``, ``no_action_block``, ``unknown_action_type``,
    ``exceeded_search_budget``, ``exceeded_click_budget``, ``max_turns_reached``, ``search_failure`` and
    ``model_generation_failure``, and ``verdict`` with the outcome ``correct`` (value 1), ``incorrect``,
    ``not_attempted`` (0; also without an answer) or ``unscored``.

    Arguments:
        split: ``"train"`` (by default), ``"validation"`` or ``"test"``. Generated tasks differ in two ways: test
            worlds share no page and no fact with others, and test questions are about events of the newest
            two months (August and September 2025), validation questions about the third, training
            questions about older ones; the latest event of a question decides.
        month: the month(s) of the latest event, as in ``"2025-08"``; all by default.
        kind: of generated tasks, the kind(s) of thing that is asked about, as in ``"person"`` or ``"bridge"``; all by
            default.
        web: ``"procedural"``, the default: a generated web of 3,000 pages, 40% of them news (for the splits
            ``validation`` and ``test`` six such webs, whose tasks take turns), or with dials
            (:class:`webenv.corpora.procedural.WebConfig`), as in ``"procedural:worlds=100,news=0.3"``; with 60
            pages of news a world surely has tasks, smaller ones without any are refused. Or the folder of a
            corpus, ``"live:…"``, ``"cassette:…"`` and others (:func:`webenv.envs.webs.open_web`), or a Web.
        tasks: ``"generated"``, the default on a procedural web: 600, of several worlds 100 of each if that is
            more; ``"generated:count=1000"`` for another number. Official question files, a folder of them, or a
            TaskSet.
        judge: ``"answer"``, the default (rules, without a model), ``"short:<model>"`` or ``"llm:<model>"`` (the
            benchmark's three grades, by a model at OPENAI_BASE_URL), or a Judge.
        judge_prompt: for a judge with a model: a file with another prompt.
        judge_votes: for a judge with a model: how many replies it asks for; more than half must agree.
        budget: limits that differ from 5 searches, 5 visits, 0 asks, 11 turns; where turns are not named they
            are searches + visits + asks + 1. ``{"searches": 0, "visits": 0}`` is closed book.
        reward: weights of the reward terms, or a Reward.
        render_mode: ``"ansi"`` or ``None``.

    Differs from the release: an episode that ends in another way than by an answer is scored as
    ``not_attempted``, where the launcher judges the last message; archive.today itself is blocked, and
    so are more archives, caches and translators (:mod:`webenv.envs.live_news_bench.tasks`); a page is cut by
    characters, not tokens; a note is an action (the release has search, click and finish alone).

    Version History: v0: first version.
    """

    id = _NAME
    benchmark_of = staticmethod(live_news_bench)
    about = About(
        task="answer a short question about recent events, where the source's site is blocked",
        budget=BUDGET,
        judges={
            "answer": "by rule: the gold answer, or another way to write it",
            "short:MODEL": "a model gives one of three grades: correct, incorrect, not attempted",
            "llm:MODEL": "the same",
        },
        tasks={"generated": "600 about a generated web's news; generated:count=1000 for more"},
        tags=("split", "month", "kind"),
        prompt="{question}, {target} and {predicted_answer}",
        builder=("livenews", "questions on news, each drafted from one article and checked by another model"),
    )


LiveNewsBenchVectorEnv = vector_env(LiveNewsBenchEnv)


def _generated(worlds: Worlds, spec: str) -> TaskSet:
    count = generated_count(spec, worlds.count, each="in all")
    return GeneratedSimulatedNews(simulated_news_source(worlds), count)


def _budget(given: Budget | Mapping[str, object] | None) -> Budget:
    """The budget; turns that are not named follow from the rest, as in the release."""
    budget = Budget.of(given, BUDGET)
    if isinstance(given, Mapping) and "turns" not in given:
        return replace(budget, turns=budget.searches + budget.visits + budget.asks + 1)
    return budget
