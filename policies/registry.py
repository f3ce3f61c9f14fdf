"""Policies by name, as the command line takes them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from webenv.benchmark import Benchmark
from webenv.chat import FORMATS
from webenv.errors import DataError, InvalidArgument, MissingExtra, did_you_mean
from webenv.models import Model, make_model
from webenv.policies.agent_web import KINDS, UserAgentModel
from webenv.policies.baselines import ClosedBookPolicy, KeywordPolicy, OraclePolicy, RandomPolicy
from webenv.policies.integrated import IntegratedPolicy
from webenv.policies.react import ReactPolicy
from webenv.policy import Policy
from webenv.runtime.spec import Reader, one_of, read_spec, split_settings, whole
from webenv.task import TaskSet
from webenv.wrappers.menu import answers_of

OF_MODELS = ("react", "react-blocks", "integrated", "user-agent")
"""The names of policies that a chat model decides for: ``react`` or ``react:<model>``."""

OF_LAYERS = ("hierarchical", "flat")
"""The names of policies of layers that are scripts or models, and of the one agent that they are compared with."""

POLICIES = ("random", "oracle", "keyword", "investigator", "closed-book", *OF_LAYERS, *OF_MODELS)
"""The names that :func:`make_policy` knows."""

_SETTINGS: Mapping[str, Reader] = {
    "format": one_of(*FORMATS),
    "token_budget": whole(1),
    "page_characters": whole(100),
    "results": whole(1),
    "references": one_of("true", "false"),
    "keep_thinking": one_of("true", "false"),
}
"""What may stand behind the model's name of ``react``, beside the model's own settings."""

_LEARNED = re.compile(r"(.+\.pt)(?::(url|ranking|phrase))?", re.DOTALL)  # a file, and the kind of answers to give

_FILE = "policy.pt"  # of a training run

POLICIES_OF_ALL: Mapping[str, Callable[[], Policy]] = {"random": RandomPolicy, "keyword": KeywordPolicy}
"""Scripted policies for any benchmark, where it names none of its own under that name."""


def make_policy(
    name: str,
    benchmark: Benchmark | None = None,
    *,
    model: Model | None = None,
    prompt: str | Path | None = None,
    training: TaskSet | Callable[[], TaskSet] | None = None,
    base_url: str | None = None,
    blocklist: str = "",
) -> Policy:
    """A policy by its name.

    Args:
        name: one of ``POLICIES``, or another that the benchmark names; for the settings of ``hierarchical`` and
            ``flat`` see :func:`webenv.policies.hierarchical.named.make_hierarchical`;
            ``react:<model>`` is ``react`` with a chat model of that name, at the
            endpoint that OPENAI_BASE_URL and OPENAI_API_KEY set; so are ``react-blocks:<model>`` (actions
            as in LiveNewsBench), ``integrated:<model>`` (an endpoint that searches for itself) and
            ``user-agent:<model>`` (AgentWebBench's protocol, in its four environments alone). Settings may
            follow, the model's and those of the conversation (see :class:`webenv.wrappers.TextWrapper`):
            ``react:<model>,format=tools,token_budget=8000,references=true``. A path that
            ends with ``.pt`` is the file of a policy that learned; ``<path>:url``, ``<path>:ranking`` and
            ``<path>:phrase`` have it give answers of that kind, whatever kind it was trained to give.
        benchmark: what it is to play, which ``oracle``, ``integrated`` and ``investigator`` need. Its own scripted
            policies come before the general ones; a policy that learned to give other answers than it wants is
            refused.
        model: the model of ``hierarchical``, ``react``, ``react-blocks`` and ``integrated``.
        prompt: a file with the system message of these.
        training: tasks of the split ``train``, or what makes them, from which ``closed-book`` learns.
        base_url: the endpoint of a model that is named; ``None``: OPENAI_BASE_URL.
        blocklist: the request parameter that takes the hosts that a task blocks, for ``integrated``; see
            :class:`webenv.policies.integrated.IntegratedPolicy`.

    Raises:
        InvalidArgument: for an unknown name, or where something that the policy needs is missing.
        DataError: for a prompt file that cannot be used, or a policy file that is none, or does not fit.
        ModelError: where a model that is named has no endpoint.
        MissingExtra: where it lacks its library.
    """
    answers = None if benchmark is None else answers_of(benchmark)
    learned = _LEARNED.fullmatch(name)
    if learned is not None:
        if prompt is not None or blocklist:
            raise InvalidArgument(f"policy {name!r} takes no {'prompt' if prompt is not None else 'blocklist'}.")
        return _learned(learned[1], learned[2], answers)
    kind, separator, model_name = name.partition(":")
    own_policies = {} if benchmark is None else benchmark.policies
    if kind not in (*POLICIES, *own_policies):
        if (Path(name) / _FILE).is_file():
            raise InvalidArgument(f"policy {name!r:.200} is a folder; name the file: {Path(name) / _FILE}")
        has = [one for one in own_policies if one not in POLICIES]
        own = f" {benchmark.name} as it is set has {' and '.join(has)} of its own." if benchmark and has else ""
        own += " One of your own plays in Python: webenv.evaluation.evaluate." if separator else ""
        raise InvalidArgument(f"no policy is called {name!r}. {did_you_mean(kind, (*POLICIES, *own_policies))}{own}")
    if kind in OF_LAYERS and kind not in own_policies and prompt is None and not blocklist:
        from webenv.policies.hierarchical.named import make_hierarchical

        latency = None if benchmark is None else benchmark.latency
        return make_hierarchical(name, latency, lambda one: make_model(one, base_url=base_url), model)
    if kind not in OF_MODELS and (separator or prompt is not None):
        what = "prompt" if prompt is not None else f"settings, as in {name!r}"
        raise InvalidArgument(f"policy {kind!r} takes no {what}; only react, react-blocks and integrated do.")
    if kind != "integrated" and blocklist:
        raise InvalidArgument(f"policy {kind!r} takes no blocklist; only integrated does.")
    given: list[TaskSet] = []
    if kind == "closed-book":
        if training is None:
            raise InvalidArgument("policy 'closed-book' needs training tasks: make_policy('closed-book', training=…).")
        given = [training if isinstance(training, TaskSet) else training()]
    if kind in own_policies:
        return _made(own_policies[kind], kind, *given)
    if kind in POLICIES_OF_ALL:
        return POLICIES_OF_ALL[kind]()
    if kind == "investigator":
        raise InvalidArgument(_not_scripted(kind, benchmark))
    if kind == "closed-book":
        return ClosedBookPolicy(*given)
    if kind in ("oracle", "integrated", "user-agent") and benchmark is None:
        raise InvalidArgument(f"policy {kind!r} needs the benchmark's tasks: make_policy({name!r}, benchmark).")
    if kind == "oracle":
        assert benchmark is not None
        return OraclePolicy(benchmark.tasks, ranked=benchmark.rules.answers > 1)
    if bool(model_name) == (model is not None):
        raise InvalidArgument(f"policy {name!r} needs one model: write {kind}:<model>, or pass model=.")
    settings: dict[str, Any] = {}
    if kind != "integrated":
        model_name, settings = _split(model_name)
    chosen = make_model(model_name, base_url=base_url) if model is None else model
    if kind == "integrated":
        assert benchmark is not None
        return IntegratedPolicy(chosen, benchmark.tasks, prompt, blocklist)
    if kind == "user-agent":
        return _user_agent(chosen, benchmark, prompt, settings)
    if kind == "react-blocks":
        settings = {"format": "blocks", **settings}
    return ReactPolicy(chosen, prompt, url_answers=answers in ("url", "ranking"), **settings)


def _user_agent(
    model: Model, benchmark: Benchmark | None, prompt: str | Path | None, settings: Mapping[str, Any]
) -> Policy:
    tasks = KINDS.get(benchmark.name if benchmark is not None else "")
    if tasks is None:
        raise InvalidArgument(f"policy 'user-agent' plays {', '.join(KINDS)}; expected react:<model> elsewhere.")
    for name in settings:
        if name != "token_budget":
            raise InvalidArgument(
                f"policy 'user-agent' takes no {name}; of a conversation's settings, token_budget alone."
            )
    return UserAgentModel(model, tasks, prompt, **settings)


def _made(maker: str | Callable[..., Policy], kind: str, *given: TaskSet) -> Policy:
    if isinstance(maker, str):
        module, _, name = maker.partition(":")
        policy: object = getattr(import_module(module), name)(*given)
    else:
        policy = maker(*given)
    if not isinstance(policy, Policy):
        raise InvalidArgument(f"Benchmark.policies[{kind!r}] made {policy!r:.80}; expected a Policy.")
    return policy


def _not_scripted(kind: str, benchmark: Benchmark | None) -> str:
    if benchmark is None:
        return f"policy {kind!r} is written for a benchmark's questions: make_policy({kind!r}, benchmark)."
    own = [name for name in benchmark.policies if name not in POLICIES]
    others = ", ".join((*own, *(name for name in POLICIES if name != kind)))
    return (
        f"{benchmark.name} has no scripted policy {kind!r}: Benchmark.policies names none. Expected one of: {others}."
    )


def _split(name: str) -> tuple[str, dict[str, Any]]:
    """A model's name with its own settings, and those of the conversation.

    >>> _split("lab/model,temperature=0.7,format=tools,references=true")
    ('lab/model,temperature=0.7', {'format': 'tools', 'references': True})
    """
    model, _, rest = name.partition(",")
    parts = split_settings(rest, name)
    own = ",".join(one.text for one in parts if one.name in _SETTINGS)
    settings = read_spec(own, _SETTINGS, name, "react")
    settings = {key: value == "true" if value in ("true", "false") else value for key, value in settings.items()}
    return ",".join([model, *(one.text for one in parts if one.name not in _SETTINGS)]), settings


def _learned(path: str, own: str | None, wanted: str | None) -> Policy:
    """A policy that learned; refused where it would give answers that the environment does not want."""
    try:
        from webenv.policies.learned.policy import LearnedPolicy
    except MissingExtra:
        raise
    except ImportError as error:
        raise MissingExtra("torch", "train", "a policy that learned") from error
    policy = LearnedPolicy.load(path, answers=own)
    if wanted not in (None, policy.answers):
        raise DataError(
            f"policy file {path!r} answers with a {policy.answers} (trained on {policy.saved.env}); this environment "
            f"wants a {wanted}. To play it all the same: {path}:{wanted}"
        )
    return policy
