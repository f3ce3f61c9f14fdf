"""Judges and rewards as environments and the command line take them: by name, as weights, or as such."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from webenv.errors import InvalidArgument, did_you_mean
from webenv.judge import Judge, Reward
from webenv.models import Model, make_model
from webenv.rewards.answers import AnswerJudge
from webenv.rewards.browsecomp import BrowseCompJudge, FinalAnswerJudge
from webenv.rewards.citations import CitationJudge
from webenv.rewards.failure_attribution import FailureAttributionJudge
from webenv.rewards.key_points import KeyPointJudge
from webenv.rewards.needle import VARIANTS, EntailmentJudge, PageJudge
from webenv.rewards.ranking import RankingJudge
from webenv.rewards.report import ReportJudge
from webenv.rewards.research import ResearchJudge, StatedPointsJudge
from webenv.rewards.short_answer import ShortAnswerJudge
from webenv.rewards.standard_reward import MEASURES, Measure, StandardReward
from webenv.rewards.tables.grader import TableJudge
from webenv.task import TaskSet


class ByModel(NamedTuple):
    """A judge that asks a chat model; its name is followed by ``:<model>``.

    Attributes:
        make: makes it from the model, a prompt (a file, a name, or ``None``) and how many replies are asked for.
        alone: makes it without a model, where it can do without.
    """

    make: Callable[[Model, str | Path | None, int], Judge]
    alone: Callable[[], Judge] | None = None


JudgeMaker = Callable[[], Judge] | ByModel


class PaperJudge(NamedTuple):
    """Who judged for a paper.

    Attributes:
        paper: its name.
        judge: the name in the identity of that judge here.
        models: the beginning of the model's name.
        temperature: what the paper set; empty: nothing.
        how: what to give for it, as options of the command line.
        prompts: which of its prompts it used.
    """

    paper: str
    judge: str
    models: str
    temperature: str
    how: str
    prompts: str

    def notice(self, judge: Judge, official_prompt: bool) -> str:
        """That a judge is not the paper's, and what to give for that one; empty where it is.

        Args:
            judge: who judges.
            official_prompt: whether it was given prompt files.
        """
        identity = judge.identity
        model = identity.get("model", "").rpartition("/")[2]
        temperature = identity.get("model_temperature", "")
        lacking = [
            what
            for what, there in (
                (f"the judge {identity['name']}", identity["name"] == self.judge),
                (f"the model {model}", model.startswith(self.models)),
                ("our prompt", official_prompt),
                (f"temperature {temperature or 'unset'}", not self.temperature or temperature == self.temperature),
            )
            if not there
        ]
        if not lacking or identity["name"] == "released":
            return ""
        found = lacking[0] if identity["name"] != self.judge else ", ".join(lacking)
        return (
            f"judged otherwise than in the paper ({found}), so figures do not compare with published ones: "
            f"{self.paper} has {self.models} with {self.prompts}. For that: {self.how}"
        )


NEEDLE_PAPER = PaperJudge(
    "Needle in the Web",
    "entailment",
    "gemini-2.5-flash",
    "",
    "--judge llm:gemini-2.5-flash --judge-prompt DIR, a folder with criterion.json and claim.json.",
    "its prompts C.4 and C.5",
)
NEWS_PAPER = PaperJudge(
    "LiveNewsBench",
    "short_answer",
    "gpt-4.1",
    "0",
    "--judge llm:gpt-4.1,temperature=0 --judge-prompt FILE, with {question}, {target} and {predicted_answer}.",
    "its prompt (figure 8) at temperature 0",
)


def _entailment(model: Model, prompt: str | Path | None, votes: int) -> Judge:
    if prompt in VARIANTS:
        return EntailmentJudge(model, variant=str(prompt), votes=votes)
    return EntailmentJudge(model, prompt=prompt, votes=votes)


def _failure_attribution(model: Model, prompt: str | Path | None, votes: int) -> Judge:
    return FailureAttributionJudge(model, prompt, votes if votes > 1 else 3)  # AgentWebBench asks three times


ENTAILMENT = ByModel(_entailment)
"""Needle in the Web's, criterion by criterion; ``entailed`` (by default) and ``mentioned`` are prompts of ours."""

SHORT = ByModel(ShortAnswerJudge)
"""Three grades of a short answer."""

BROWSECOMP = ByModel(BrowseCompJudge)
"""The final answer of a response, yes or no, and its confidence."""

TABLE = ByModel(TableJudge, TableJudge)
"""Tables; without a model names and cells are right as the same text alone."""

JUDGES: Mapping[str, JudgeMaker] = {
    "page": PageJudge,
    "answer": AnswerJudge,
    "ranking": RankingJudge,
    "llm": ENTAILMENT,
    "entailment": ENTAILMENT,
    "short": SHORT,
    "browsecomp": BROWSECOMP,
    "final_answer": FinalAnswerJudge,
    "table": TABLE,
    "key_points": ByModel(KeyPointJudge),
    "report": ByModel(ReportJudge),
    "citation": ByModel(CitationJudge),
    "research": ByModel(ResearchJudge),
    "stated": StatedPointsJudge,
    "evidence": ByModel(_failure_attribution),
}
"""Every judge by its name. A benchmark has a table of those that are its own (``exact``), or that it calls by another
name (``llm``); all others are there for tasks that hold the gold that they need."""

_GOLD: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("page", "ranking"), ("urls",)),
    **dict.fromkeys(("answer", "final_answer", "short", "browsecomp", "evidence"), ("answers",)),
    "table": ("table", "evaluation"),
    **dict.fromkeys(("key_points", "research", "stated"), ("key_points",)),
}
"""What of the gold a judge holds an answer against: ``urls``, ``answers``, or names within ``data``."""


def make_judge(
    judge: str | Judge,
    judges: Mapping[str, JudgeMaker] = JUDGES,
    prompt: str | Path | None = None,
    votes: int = 1,
    tasks: TaskSet | None = None,
) -> Judge:
    """A judge by its name.

    Args:
        judge: one of the names of ``judges`` (or, with ``tasks``, of :data:`JUDGES`), followed by ``:<model>`` where
            it asks a model (at the endpoint that OPENAI_BASE_URL and OPENAI_API_KEY set); or a Judge, which is given
            back.
        judges: the judges that are a benchmark's own, by name.
        prompt: for a judge with a model, a file in place of our prompt, or a name that the judge knows.
        votes: for a judge with a model: how many replies are asked for; more than half decide, else the lowest counts.
        tasks: what is to be judged: a judge that is not of ``judges`` is refused where the first of them lacks the
            gold that it needs, before anything is played.

    Raises:
        InvalidArgument: for an unknown name, a missing model, a prompt or votes for a judge that takes none, or tasks
            without the gold that it needs.
        DataError: for a prompt file that cannot be used.
        ModelError: where a judge with a model has no endpoint.
        MissingExtra: where it lacks its library.
    """
    every = judges if tasks is None else {**JUDGES, **judges}
    names = [f"{name}:<model>" if isinstance(maker, ByModel) else name for name, maker in every.items()]
    if not isinstance(judge, str):
        if not isinstance(judge, Judge):
            known = ", ".join(f"'{name}'" for name in names)
            raise InvalidArgument(f"judge={judge!r:.100}: expected {known}, or a Judge.")
        if prompt is not None or votes != 1:
            example = next((f"judge='{name}'" for name in names if ":" in name), "a judge with a model")
            raise InvalidArgument(f"judge_prompt and judge_votes go with {example}; a Judge brings its own.")
        return judge
    name, _, model = judge.partition(":")
    if name not in every:
        raise InvalidArgument(f"no judge is called {judge!r}. {did_you_mean(name, every)}")
    if name not in judges and tasks:
        _check_gold(name, tasks)
    maker = every[name]
    alone = maker.alone if isinstance(maker, ByModel) and not model else None
    if isinstance(maker, ByModel) and alone is None:
        if not model:
            raise InvalidArgument(f"judge {name!r} needs a model: write {name}:<model>, as in {name}:gpt-4.1-mini.")
        return maker.make(make_model(model), prompt, votes)
    if model or prompt is not None or votes != 1:
        raise InvalidArgument(
            f"judge {judge!r} asks no model, so it takes no model name and no prompt, and one vote."
            if alone is None
            else f"judge {name!r} without a model takes no prompt, and one vote; with one it is {name}:<model>."
        )
    return alone() if alone is not None else maker()  # type: ignore[operator]


def _check_gold(name: str, tasks: TaskSet) -> None:
    """Refuses a judge whose gold the first task lacks."""
    task = tasks[0]
    gold: Mapping[str, object] = {"urls": task.gold.urls, "answers": task.gold.answers, **task.gold.data}
    for needed in _GOLD.get(name, ()):
        if not gold.get(needed):
            where = f"gold.{needed}" if needed in ("urls", "answers") else f"gold.data[{needed!r}]"
            raise InvalidArgument(f"judge {name!r} needs {where}, and task {task.id!r} of {tasks.name} has none.")


def make_reward(reward: Mapping[str, float] | Reward | None, measures: Mapping[str, Measure] = MEASURES) -> Reward:
    """The standard reward with these weights, or a Reward, which is given back.

    Args:
        reward: the weight of each term, as in ``{"ndcg@3": 1, "cost": 0.1}``.
        measures: what terms there are; a benchmark may have more than the standard ones.

    Raises:
        InvalidArgument: for an unknown term or parameter, or a weight that is no finite number.
    """
    return StandardReward(reward, measures) if reward is None or isinstance(reward, Mapping) else reward
