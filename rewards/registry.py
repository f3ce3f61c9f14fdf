"""Judges and rewards as environments and the command line take them: by name, as weights, or as such."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from webenv.errors import InvalidArgument, did_you_mean
from webenv.judge import Judge, Reward
from webenv.models import Model, make_model
from webenv.rewards.answers import AnswerJudge
from webenv.rewards.browsecomp import BrowseCompJudge
from webenv.rewards.needle import VARIANTS, EntailmentJudge, PageJudge
from webenv.rewards.short_answer import ShortAnswerJudge
from webenv.rewards.standard_reward import MEASURES, Measure, StandardReward


class ByModel(NamedTuple):
    """A judge that asks a chat model; its name is followed by ``:<model>``.

    Attributes:
        make: makes it from the model, a prompt (a file, a name, or ``None``) and how many replies are asked for.
    """

    make: Callable[[Model, str | Path | None, int], Judge]


JudgeMaker = Callable[[], Judge] | ByModel


def _entailment(model: Model, prompt: str | Path | None, votes: int) -> Judge:
    if prompt in VARIANTS:
        return EntailmentJudge(model, variant=str(prompt), votes=votes)
    return EntailmentJudge(model, prompt=prompt, votes=votes)


ENTAILMENT = ByModel(_entailment)
"""Needle in the Web's, criterion by criterion; ``entailed`` (by default) and ``mentioned`` are prompts of ours."""

SHORT, BROWSECOMP = ByModel(ShortAnswerJudge), ByModel(BrowseCompJudge)
"""Three grades of a short answer; final answer right or not, and confidence."""

JUDGES: Mapping[str, JudgeMaker] = {
    "page": PageJudge,
    "answer": AnswerJudge,
    "llm": ENTAILMENT,
    "short": SHORT,
    "browsecomp": BROWSECOMP,
}
"""What judges are called where no benchmark says; each benchmark has such a table, of those that fit its tasks."""


def make_judge(
    judge: str | Judge,
    judges: Mapping[str, JudgeMaker] = JUDGES,
    prompt: str | Path | None = None,
    votes: int = 1,
) -> Judge:
    """A judge by its name.

    Args:
        judge: one of the names of ``judges``, followed by ``:<model>`` where it asks a model (at the endpoint that
            OPENAI_BASE_URL and OPENAI_API_KEY set); or a Judge, which is given back.
        judges: the judges that there are, by name.
        prompt: for a judge with a model, a file in place of our prompt, or a name that the judge knows.
        votes: for a judge with a model: how many replies are asked for; more than half must agree.

    Raises:
        InvalidArgument: for an unknown name, a missing model, or a prompt or votes for a judge that takes none.
        DataError: for a prompt file that cannot be used.
        ModelError: where a judge with a model has no endpoint.
        MissingExtra: where it lacks its library.
    """
    names = [f"{name}:<model>" if isinstance(maker, ByModel) else name for name, maker in judges.items()]
    if not isinstance(judge, str):
        if not isinstance(judge, Judge):
            known = ", ".join(f"'{name}'" for name in names)
            raise InvalidArgument(f"judge={judge!r:.100}: expected {known}, or a Judge.")
        if prompt is not None or votes != 1:
            example = next((f"judge='{name}'" for name in names if ":" in name), "a judge with a model")
            raise InvalidArgument(f"judge_prompt and judge_votes go with {example}; a Judge brings its own.")
        return judge
    name, _, model = judge.partition(":")
    if name not in judges:
        raise InvalidArgument(f"no judge is called {judge!r}. {did_you_mean(name, judges)}")
    maker = judges[name]
    if not isinstance(maker, ByModel):
        if model or prompt is not None or votes != 1:
            raise InvalidArgument(
                f"judge {judge!r}: {name!r} asks no model, so it takes no model name and no prompt, and one vote."
            )
        return maker()
    if not model:
        raise InvalidArgument(f"judge {name!r} needs a model: write {name}:<model>, as in {name}:gpt-4.1-mini.")
    return maker.make(make_model(model), prompt, votes)


def make_reward(reward: Mapping[str, float] | Reward | None, measures: Mapping[str, Measure] = MEASURES) -> Reward:
    """The standard reward with these weights, or a Reward, which is given back.

    Args:
        reward: the weight of each term, as in ``{"ndcg@3": 1, "cost": 0.1}``.
        measures: what terms there are; a benchmark may have more than the standard ones.

    Raises:
        InvalidArgument: for an unknown term or parameter, or a weight that is no finite number.
    """
    return StandardReward(reward, measures) if reward is None or isinstance(reward, Mapping) else reward
