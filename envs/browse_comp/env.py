"""BrowseComp: questions that are hard to find an answer to, and easy to check."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Unpack

from webenv.benchmark import Benchmark
from webenv.budget import Budget
from webenv.corpora.procedural import Worlds
from webenv.envs.benchmark_env import About, BenchmarkEnv, CommonKeywords, assembled, vector_env
from webenv.envs.browse_comp.generate import GROUPS, GeneratedChains, chain_source
from webenv.envs.browse_comp.tasks import load_tasks
from webenv.envs.generated_tasks import generated_count
from webenv.envs.webs import TasksArgument, WebArgument, load_web_and_tasks
from webenv.rewards.browsecomp import FinalAnswerJudge
from webenv.rewards.registry import BROWSECOMP, JudgeMaker
from webenv.rules import Rules
from webenv.task import TaskSet

BUDGET = Budget(searches=30, visits=30, asks=0, turns=61)
RULES = Rules(unanswered="incorrect")
JUDGES: Mapping[str, JudgeMaker] = {"answer": FinalAnswerJudge, "browsecomp": BROWSECOMP, "llm": BROWSECOMP}

_NAME = "BrowseComp-v0"


def browse_comp(
    *,
    language: str | None = None,
    pages: str | Iterable[str] | None = None,
    topic: str | Iterable[str] | None = None,
    split: str | None = None,
    web: WebArgument = "procedural",
    tasks: TasksArgument = None,
    password: str | None = None,
    **common: Unpack[CommonKeywords],
) -> Benchmark:
    """The benchmark behind ``BrowseComp-v0``; for its arguments see :class:`BrowseCompEnv`."""
    config = {} if language is None else {"language": language}
    load = partial(load_tasks, password=password)
    found = load_web_and_tasks(web, tasks, split, generate=_generated, load=load, config=config)
    chosen = found.tasks.filter(pages=pages, language=language, topic=topic, split=split)
    return assembled(found, chosen, _NAME, BUDGET, RULES, JUDGES, common)


def _generated(worlds: Worlds, spec: str) -> TaskSet:
    count = generated_count(spec, worlds.count, each="of each number of pages")
    return GeneratedChains(chain_source(worlds), count if ":" in spec else max(1, count // len(GROUPS)))


class BrowseCompEnv(BenchmarkEnv):
    """``BrowseComp-v0``: one short answer, hard to find and easy to check.

    Description: Each task tells of somebody or something by obscure facts, none of which names it, and asks for its
    name. Source: BrowseComp (Wei et al., 2025); BrowseComp-ZH (Zhou et al., 2025), questions written in Chinese;
    BrowseComp-Plus (Chen et al., 2025), a fixed corpus.

    Action Space: :func:`webenv.spaces.action_space`. The answer is one text: ``Explanation: …``, ``Exact Answer: …``
    and ``Confidence: …``, a line each; a text without these labels is an answer as a whole.

    Observation Space: :func:`webenv.spaces.observation_space`.

    Rewards: the weighted sum of the terms ``answer`` (the verdict's value, weight 1 by default), ``recall``, ``ndcg``,
    ``citation`` and ``cost`` (weight 0 by default). Gold pages are one for each fact of a generated chain, and the
    evidence documents of BrowseComp-Plus: ``recall`` is evidence recall.

    Episode End: an answer terminates, and so does the last turn, with the outcome ``incorrect``. Bad actions are told
    in a notice and cost their turn. A web or a judge that failed truncates, unscored.

    Information: ``task``, ``reward_terms``; at the end ``scored``, ``spent``, ``ending``, and ``verdict`` with the
    outcome ``correct`` (value 1), ``incorrect``, ``not_attempted`` (0) or ``unscored``, and the score ``confidence``
    where the answer states one, of which a run's summary tells the calibration error (5 bins).

    Arguments:
        language: ``"en"`` or ``"zh"``; all by default. On ``"procedural"`` it is the web's language too.
        pages: of generated tasks, how many pages a chain leads over at the least, ``"2"`` to ``"6"``; all by default.
        topic: of official tasks; all by default.
        split: ``"train"``, ``"validation"`` or ``"test"``, of generated tasks.
        web: ``"procedural"``, the default, a generated web; or the folder of a corpus (of BrowseComp-Plus' documents,
            say), ``"live:…"``, ``"cassette:…"`` and others (:func:`webenv.envs.webs.open_web`), or a Web.
        tasks: ``"generated"``, the default on a procedural web: 600; ``"generated:count=1000"``: as many of each
            number of pages. Official files, encrypted or not, a folder of them, or a TaskSet.
        password: of encrypted files whose records bring no canary.
        judge: ``"answer"``, the default (rules, without a model: the exact answer is the gold),
            ``"browsecomp:<model>"`` or ``"llm:<model>"`` (the benchmark's, by a model at OPENAI_BASE_URL), or a Judge.
        judge_prompt: for a judge with a model: a file with another prompt.
        judge_votes: for a judge with a model: how many replies it asks for; more than half must agree.
        budget: limits that differ from 30 searches, 30 visits, 0 asks, 61 turns.
        reward: weights of the reward terms, or a Reward.
        render_mode: ``"ansi"`` or ``None``.

    Differs from the releases: what their graders get wrong (:class:`webenv.rewards.browsecomp.BrowseCompJudge`); they
    have no budget.

    Version History: v0: first version.
    """

    id = _NAME
    benchmark_of = staticmethod(browse_comp)
    about = About(
        task="find the one name that a chain of obscure facts leads to",
        budget=BUDGET,
        judges={
            "answer": "by rule: the exact answer is the gold answer, or another way to write it",
            "browsecomp:MODEL": "a model extracts the final answer, and says yes or no",
            "llm:MODEL": "the same",
        },
        tasks={"generated": "600 chains of a generated web's facts; generated:count=1000 for as many of each length"},
        tags=("split", "language", "pages", "topic"),
        prompt="{question}, {response} and {correct_answer}",
    )


BrowseCompVectorEnv = vector_env(BrowseCompEnv)
