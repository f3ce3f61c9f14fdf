"""WideSearch: questions whose answer is a table, complete to the last row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Unpack

from webenv.benchmark import Benchmark
from webenv.budget import Budget
from webenv.corpora.procedural import Worlds
from webenv.envs.benchmark_env import About, BenchmarkEnv, CommonKeywords, assembled, vector_env
from webenv.envs.generated_tasks import generated_count
from webenv.envs.webs import TasksArgument, WebArgument, load_web_and_tasks
from webenv.envs.wide_search.generate import GeneratedTables, sizes_of, table_source
from webenv.envs.wide_search.tasks import load_tasks
from webenv.rewards.registry import TABLE, JudgeMaker
from webenv.rules import Rules
from webenv.task import TaskSet

BUDGET = Budget(searches=100, visits=100, asks=0, turns=60)
RULES = Rules(unanswered="wrong")
JUDGES: Mapping[str, JudgeMaker] = {"table": TABLE, "llm": TABLE}

_NAME = "WideSearch-v0"
_POLICIES = {"table-reader": "webenv.envs.wide_search.reader:TableReaderPolicy"}


def wide_search(
    *,
    size: str | Iterable[str] | None = None,
    language: str | None = None,
    split: str | None = None,
    web: WebArgument = "procedural",
    tasks: TasksArgument = None,
    **common: Unpack[CommonKeywords],
) -> Benchmark:
    """The benchmark behind ``WideSearch-v0``; for its arguments see :class:`WideSearchEnv`."""
    config = {} if language is None else {"language": language}
    found = load_web_and_tasks(web, tasks, split, generate=_generated, load=load_tasks, config=config)
    chosen = found.tasks.filter(size=size, language=language, split=split)
    return assembled(found, chosen, _NAME, BUDGET, RULES, JUDGES, common, _POLICIES)


def _generated(worlds: Worlds, spec: str) -> TaskSet:
    sizes = sizes_of(worlds)
    count = generated_count(spec, worlds.count, each="of each size")
    return GeneratedTables(table_source(worlds), count if ":" in spec else max(1, count // len(sizes)), sizes)


class WideSearchEnv(BenchmarkEnv):
    """``WideSearch-v0``: answer with a table, complete to the last row and cell.

    Description: Each task asks for a table: all entities of some kind, a row for each, with the columns that the
    question names. What belongs to one table lies on many pages of several sites. Source: WideSearch (Wong et al.,
    2025); InfoSeeker evaluates on it.

    Action Space: :func:`webenv.spaces.action_space`. The answer is one text of up to 200,000 characters that holds a
    table in markdown: the first in a fence marked ``markdown``, else the first pipe table.

    Observation Space: :func:`webenv.spaces.observation_space`.

    Rewards: the weighted sum of the terms ``answer`` (item F1, weight 1 by default), ``recall``, ``ndcg``,
    ``citation`` and ``cost``, and others by name, as ``score:row_f1`` (weight 0 by default). Gold pages are, for each
    cell of a generated table, the first page that states it; official tasks have none.

    Episode End: an answer terminates, and so does the last turn, with the outcome ``wrong``. Bad actions are told in a
    notice and cost their turn. A web or a judge that failed truncates, unscored.

    Information: ``task``, ``reward_terms``; at the end ``scored``, ``spent``, ``ending``, and ``verdict`` with the
    outcome ``complete`` (value 1: every row, every cell, nothing more), ``partial`` (item F1), ``wrong`` (0) or
    ``unscored``, and the scores ``success``, ``row_precision``, ``row_recall``, ``row_f1``, ``item_precision``,
    ``item_recall`` and ``item_f1``.

    Arguments:
        size: of generated tables, ``"small"`` (5 to 20 rows), ``"medium"`` (21 to 100) or ``"large"`` (101 to 500); all
            that the web has by default.
        language: ``"en"`` or ``"zh"``; all by default. On ``"procedural"`` it is the web's language too.
        split: ``"train"``, ``"validation"`` or ``"test"``, of generated tasks.
        web: ``"procedural"``, the default, a generated web; or the folder of a corpus, ``"live:…"``, ``"cassette:…"``
            and others (:func:`webenv.envs.webs.open_web`), or a Web.
        tasks: ``"generated"``, the default on a procedural web: 600; ``"generated:count=1000"``: as
            many of each size.
            Official files (``widesearch.jsonl`` beside ``widesearch_gold/``), a folder of them, or a TaskSet.
        judge: ``"table"``, the default: by rules alone, names and cells that need a model are right as the same text;
            ``"table:<model>"`` (or ``"llm:<model>"``): a model at OPENAI_BASE_URL aligns names that differ and judges
            the cells that need one; or a Judge.
        judge_prompt: for a judge with a model: a file with another prompt for cells.
        judge_votes: for a judge with a model: how many replies it asks for; more than half must agree.
        budget: limits that differ from 100 searches, 100 visits, 0 asks, 60 turns.
        reward: weights of the reward terms, or a Reward.
        render_mode: ``"ansi"`` or ``None``.

    Differs from the release: what its metric gets wrong (:class:`webenv.rewards.tables.grader.TableJudge`); the
    release has no budget.

    Version History: v0: first version.
    """

    id = _NAME
    benchmark_of = staticmethod(wide_search)
    about = About(
        task="answer with a table, complete to the last row and cell",
        budget=BUDGET,
        judges={
            "table": "by rule: names and cells as the gold table has them",
            "table:MODEL": "a model aligns names that differ, and judges the cells that need one",
            "llm:MODEL": "the same",
        },
        tasks={"generated": "600 tables of a generated web's facts; generated:count=1000 for as many of each size"},
        tags=("split", "language", "size"),
        prompt="{criterion} and {response}",
    )


WideSearchVectorEnv = vector_env(WideSearchEnv)
