"""AgentWebBench's four environments: web search, web recommendation, question answering and deep research."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from webenv.benchmark import Benchmark
from webenv.budget import Budget
from webenv.corpora import ContentAgents
from webenv.envs.agent_web_bench.generate import CONFIG, COUNT, generated
from webenv.envs.agent_web_bench.judges import JUDGES_TOLD, PROMPT_TOLD, judges_of, reward_of
from webenv.envs.agent_web_bench.listing import DescribedSites, Descriptions
from webenv.envs.agent_web_bench.strategies import STRATEGIES, chosen, reach, selector_of, with_backend
from webenv.envs.agent_web_bench.tasks import LONGEST, RANKED, load_tasks, read_ranking
from webenv.envs.benchmark_env import About, BenchmarkEnv, vector_env
from webenv.envs.generated_tasks import GeneratedTasks
from webenv.envs.webs import TasksArgument, WebArgument, load_web_and_tasks, open_world
from webenv.errors import InvalidArgument
from webenv.judge import Judge, Reward
from webenv.models import make_model
from webenv.policies.agent_web import ContentAgentModel, ScriptedUser
from webenv.policy import Policy
from webenv.rewards.registry import make_judge, make_reward
from webenv.rules import Rules
from webenv.web import Web

TURNS = 15
_ASKS = 1_500  # every turn all of 100 sites: the paper limits turns alone
_NAMES = {
    "search": "AgentWebSearch-v0",
    "recommendation": "AgentWebRecommendation-v0",
    "qa": "AgentWebQA-v0",
    "research": "AgentWebResearch-v0",
}


def budget_of(strategy: str) -> Budget:
    """The limits of a user agent: 15 turns, and in each what its strategy has, searches or questions to sites."""
    if STRATEGIES[strategy].named:
        return Budget(searches=0, visits=0, asks=_ASKS, turns=TURNS)
    return Budget(searches=TURNS, visits=0, asks=0, turns=TURNS)


def _rules(kind: str, results: int) -> Rules:
    rules = Rules(results, whole_results=True, keep_pages=kind == "research", unanswered="no_answer")
    return replace(rules, answers=LONGEST, read_answer=read_ranking) if kind in RANKED else rules


def _agents(agents: str | Policy | None) -> Policy | None:
    if agents is None or agents == "extractive" or isinstance(agents, Policy):
        return None if isinstance(agents, str) else agents
    kind, _, name = agents.partition(":") if isinstance(agents, str) else ("", "", "")
    if kind != "model" or not name:
        raise InvalidArgument(f"agents={agents!r:.80}: expected 'extractive', 'model:NAME', or a Policy.")
    return ContentAgentModel(make_model(name))


def agent_web_bench(
    kind: str,
    *,
    access: str | None = None,
    strategy: str | None = None,
    backend: str | None = None,
    agents: str | Policy | None = None,
    documents: int | None = None,
    descriptions: Descriptions | None = None,
    group: str | Iterable[str] | None = None,
    sites: str | Iterable[str] | None = None,
    case: str | Iterable[str] | None = None,
    split: str | None = None,
    web: WebArgument = "procedural",
    tasks: TasksArgument = None,
    judge: str | Judge | None = None,
    judge_prompt: str | Path | None = None,
    judge_votes: int = 1,
    budget: Budget | Mapping[str, object] | None = None,
    reward: Mapping[str, float] | Reward | None = None,
) -> Benchmark:
    """The benchmark behind the four environments; for its arguments see :class:`AgentWebSearchEnv`.

    Args:
        kind: one of :data:`webenv.envs.agent_web_bench.tasks.KINDS`.
    """
    name = chosen(access, strategy)
    if documents is not None and (not isinstance(documents, int) or isinstance(documents, bool) or documents < 1):
        raise InvalidArgument(f"documents={documents!r:.80}: expected how many pages a reply has at most, from 1.")
    web = with_backend(web, backend)
    found = load_web_and_tasks(
        web,
        tasks,
        split,
        generate=partial(generated, kind),
        load=partial(load_tasks, kind),
        config=CONFIG,
    )
    picked = found.tasks.filter(group=group, sites=sites, case=case, split=split)
    judges = judges_of(kind, found.tasks)
    made_judge = make_judge(next(iter(judges)) if judge is None else judge, judges, judge_prompt, judge_votes, picked)
    made_reward = make_reward(reward_of(kind) if reward is None else reward)
    limits = Budget.of(budget, budget_of(name))
    opened = found.finished(picked)  # last: a generated one may have to be written
    worlds = found.tasks.source.worlds if isinstance(found.tasks, GeneratedTasks) else found.worlds
    listing = DescribedSites(opened, worlds, descriptions)
    if STRATEGIES[name].named and not listing.known:
        raise InvalidArgument(
            f"web={str(web)!r:.100} does not list its sites, which strategy={name!r} names: give descriptions=, a text "
            "for each host, or strategy='classical'."
        )
    reached = reach(name, opened, selector_of(opened, listing), listing, _agents(agents), documents)
    return Benchmark(
        tasks=picked,
        judge=made_judge,
        rules=_rules(kind, reached.results),
        budget=limits,
        reward=made_reward,
        web=reached.web,
        name=_NAMES[kind],
        policies={one: partial(ScriptedUser, kind, name) for one in ("scripted", name)},
        asker=reached.asker,
        listing=listing if STRATEGIES[name].named else None,
    )


class SiteAgents(NamedTuple):
    """A web, the content agents of its sites, and the list of them."""

    web: Web
    asker: ContentAgents
    listing: DescribedSites


def site_agents(web: str, agents: str | Policy | None = None, descriptions: Descriptions | None = None) -> SiteAgents:
    """The content agents of a web without any task, as the environments have them.

    Args:
        web: the name of a web that knows its sites; a generated one has one world.
        agents: as in :class:`AgentWebSearchEnv`.
        descriptions: the same.

    Raises:
        InvalidArgument: for a web of several worlds, one that does not know its sites, or a setting that does not fit.
        CorpusError, MissingExtra: as :func:`webenv.envs.webs.open_web`.
    """
    policy = _agents(agents)
    opened, worlds = open_world(web, CONFIG)
    listing = DescribedSites(opened, worlds, descriptions)
    if not listing.known:
        raise InvalidArgument(f"web={web!r:.100} does not list its sites: give descriptions, a text for each host.")
    return SiteAgents(opened, ContentAgents(opened, policy, listing), listing)


_BUILDERS = {"research": ("research", "key points for questions of your own, drawn from documents and put together")}


def _about(kind: str, task: str) -> About:
    return About(
        task=task,
        budget=budget_of("multi_agent"),
        judges=JUDGES_TOLD[kind],
        tasks={"generated": f"{COUNT} of each group from a generated web's facts; generated:count=1000 for more"},
        tags=("group", "sites", "case", "split"),
        prompt=PROMPT_TOLD[kind],
        builder=_BUILDERS.get(kind, ("", "")),
    )


class AgentWebSearchEnv(BenchmarkEnv):
    """``AgentWebSearch-v0``: find the pages that answer a query on a web whose sites answer for themselves.

    Description: a query; the answer is a ranking of pages. The agent has no index of the web: it asks the content
    agents of sites (``access="agents"``), searches sites that it names or that are nearest to its query (``"tools"``),
    or, to compare with, one index of the whole web (``"central"``). A content agent has an episode of its own on its
    site, of 15 turns, sees nothing else, and replies with a summary and at most three whole pages
    (:class:`webenv.corpora.ContentAgents`). Source: AgentWebBench (Zhong et al., 2026), section 3.

    Action Space: :func:`webenv.spaces.action_space`. ``ask(question, site, …)`` puts a question to any number of sites
    at once, each of which is one ask; it must name one at least. ``search(query)`` where the strategy searches for
    itself. Nothing is visited: results and replies bring pages whole. A note is a plan, a draft or a summary. An
    answer is addresses of pages, best first: several texts, or one with a JSON list or a line for each; 100 count.

    Observation Space: :func:`webenv.spaces.observation_space`. The question's first line says what to do, the rest is
    the query. Where the agent names sites, the first observation's ``replies`` list them all, each with its
    description, and only then. A search brings ``results`` without snippets, and these ``pages`` whole.

    Rewards: the weighted sum of the terms ``answer`` (NDCG@5, weight 1 by default), ``recall``, ``ndcg``,
    ``citation`` and ``cost``, and others by name, as ``ndcg@3`` (weight 0 by default).

    Episode End: an answer terminates, and so does the last of 15 turns, with the outcome ``no_answer``. A bad action
    (none, a question without a site, an unknown action, more than the budget has) is told in a notice and costs its
    turn, whoever plays. A web that failed truncates, unscored; a content agent that failed is a reply that says so.

    Information: ``task``, ``reward_terms``; at the end ``scored``, ``spent``, ``ending``, and ``verdict`` with the
    outcome ``found`` (value 1), ``partial``, ``missed`` or ``no_answer`` (0), or ``unscored``, and the scores
    ``ndcg@1``, ``ndcg@3``, ``ndcg@5`` and ``recall@1``, ``recall@3``, ``recall@5``.

    Arguments:
        access: ``"agents"``, the default, ``"tools"`` or ``"central"``.
        strategy: ``"multi_agent"`` (the default), ``"tool_p"`` (names sites), ``"tool_e"`` (the three sites whose mean
            of 100 pages is nearest to the query), ``"classical"`` (3 results of one index), ``"classic_ir"`` and
            ``"query_gen"`` (10). One of ``access`` and ``strategy`` is enough.
        backend: what ranks pages, of sites and of the whole: ``"bm25"``, the default, ``"dense"`` or ``"hybrid"``,
            which need the vectors of a corpus folder (``webenv corpus index DIR dense``). With vectors ``tool_e`` takes
            the nearest sites by them, else by words (:class:`webenv.corpora.site_vectors.SiteVectors`).
        agents: who plays content agents: ``"extractive"``, the default, without a model; ``"model:NAME"``, a chat
            model in the paper's protocol (endpoint from OPENAI_BASE_URL); or a Policy.
        documents: the most pages that a reply of a site brings (or a search, where none is named); the strategy's own
            by default, 3 for most. Fewer suit a user agent with a small context: a content agent still finds three by
            each search, and has to choose.
        descriptions: texts of sites by host, or a JSON file of them, in place of those that the web's own sites give.
        group: the group(s) of tasks; all by default.
        sites: on how many sites the pages sought stand, as ``"1"``; all by default.
        case: the failure(s) that a task is made to provoke (appendix F); all by default.
        split: ``"train"``, ``"validation"`` or ``"test"``, of generated tasks.
        web: ``"procedural"``, the default: a generated web of 100 sites; or the folder of a corpus, ``"live:…"``,
            ``"cassette:…"`` and others (:func:`webenv.envs.webs.open_web`), or a Web.
        tasks: ``"generated"``, the default on a procedural web; ``"generated:count=1000"`` for another number
            of each group. Official files, a folder of them, or a TaskSet.
        judge: ``"ranking"``, the default, or another by name, or a Judge.
        judge_prompt: for a judge with a model: a file with another prompt.
        judge_votes: for a judge with a model: how many replies it asks for; more than half must agree.
        budget: limits that differ from 15 turns, and 1,500 asks (strategies that name sites) or 15 searches.
        reward: weights of the reward terms, or a Reward.
        render_mode: ``"ansi"`` or ``None``.

    Differs from the release: repeated pages of a ranking are dropped; an empty list of sites is a bad action, where the
    release then searches the whole web; Tool_E chooses sites, where the release's is a global search.

    Version History: v0: first version.
    """

    id = _NAMES["search"]
    benchmark_of = partial(agent_web_bench, "search")
    about = _about("search", "rank the pages that answer a query, on a web whose sites answer for themselves")


AgentWebSearchVectorEnv = vector_env(AgentWebSearchEnv)


class AgentWebRecommendationEnv(BenchmarkEnv):
    """``AgentWebRecommendation-v0``: from what somebody has read, find what they would read next.

    Description: a browsing history, each visited page with its title; the answer is a ranking of pages that its reader
    would visit next. Source: AgentWebBench (Zhong et al., 2026), section 3.3.2. All else is as in
    :class:`AgentWebSearchEnv`.

    Action Space: :func:`webenv.spaces.action_space`, as there.
    Observation Space: :func:`webenv.spaces.observation_space`, as there; each line of the question but the first is
    ``- ``, a title, a time where it is known, and an address, oldest first.
    Rewards: as there.
    Episode End: as there.
    Information: as there.
    Arguments: as there.
    Version History: v0: first version.
    """

    id = _NAMES["recommendation"]
    benchmark_of = partial(agent_web_bench, "recommendation")
    about = _about("recommendation", "rank the pages that somebody would visit next, by what they have visited")


AgentWebRecommendationVectorEnv = vector_env(AgentWebRecommendationEnv)


class AgentWebQAEnv(BenchmarkEnv):
    """``AgentWebQA-v0``: answer a question whose facts stand on several sites.

    Description: a question with a short answer, which no site has alone. Source: AgentWebBench (Zhong et al., 2026),
    section 3.3.3. All else is as in :class:`AgentWebSearchEnv`.

    Action Space: :func:`webenv.spaces.action_space`, as there; an answer is one short text.
    Observation Space: :func:`webenv.spaces.observation_space`, as there.
    Rewards: the weighted sum of the terms, as there; ``answer`` is 1 for a right answer.
    Episode End: as there.
    Information: as there; the verdict has an outcome of its judge's, such as ``correct``.
    Arguments: as there; ``judge``: ``"answer"`` (by rule, the default), ``"short:<model>"`` and others.
    Version History: v0: first version.
    """

    id = _NAMES["qa"]
    benchmark_of = partial(agent_web_bench, "qa")
    about = _about("qa", "answer a question whose facts stand on several sites")


AgentWebQAVectorEnv = vector_env(AgentWebQAEnv)


class AgentWebResearchEnv(BenchmarkEnv):
    """``AgentWebResearch-v0``: write a report on what many sites know, with citations.

    Description: an open question; the answer is a report in which [n] cites a site, with a list of References at its
    end. Source: AgentWebBench (Zhong et al., 2026), section 3.3.4. All else is as in :class:`AgentWebSearchEnv`.

    Action Space: :func:`webenv.spaces.action_space`, as there; an answer is one long text, notes are plans and drafts.
    Observation Space: :func:`webenv.spaces.observation_space`, as there.
    Rewards: the weighted sum of the terms, as there; ``answer`` is key point recall (KPR).
    Episode End: as there.
    Information: as there; the verdict's scores are its judge's, such as ``kpr`` and ``kpc``.
    Arguments: as there; ``judge``: by rule for generated tasks, ``"key_points:<model>"``, ``"research:<model>"``.
    Version History: v0: first version.
    """

    id = _NAMES["research"]
    benchmark_of = partial(agent_web_bench, "research")
    about = _about("research", "write a report on what many sites know, with citations")


AgentWebResearchVectorEnv = vector_env(AgentWebResearchEnv)
