"""Needle in the Web: find the one page that meets vague criteria."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from itertools import islice
from pathlib import Path

from webenv.benchmark import Benchmark
from webenv.budget import Budget
from webenv.corpora.procedural import Worlds
from webenv.curriculum import AUTO, Curriculum
from webenv.envs.benchmark_env import About, BenchmarkEnv, vector_env
from webenv.envs.generated_tasks import GeneratedTasks, generated_count
from webenv.envs.needle_in_web.judge import ExactJudge
from webenv.envs.needle_in_web.release import RELEASED, ReleasedJudge, read_release, system_name
from webenv.envs.needle_in_web.simulated import GeneratedSimulatedNeedles, simulated_source
from webenv.envs.needle_in_web.tasks import DIFFICULTIES, SITES, load_tasks, read_answer
from webenv.envs.needle_in_web.traps import CONFLICT_SHARE, NeedleGroup, read_traps
from webenv.envs.webs import TasksArgument, WebArgument, load_web_and_tasks, open_asker
from webenv.errors import InvalidArgument, did_you_mean
from webenv.judge import Judge, Reward
from webenv.rewards import PageJudge
from webenv.rewards.needle import VARIANTS
from webenv.rewards.registry import ENTAILMENT, NEEDLE_PAPER, JudgeMaker, make_judge, make_reward
from webenv.rules import Rules
from webenv.task import TaskSet

BUDGET = Budget(searches=10, visits=10, asks=0, turns=20)
RULES = Rules(fetch_answer=True, read_answer=read_answer, unanswered="no_source")
JUDGES: Mapping[str, JudgeMaker] = {"page": PageJudge, "llm": ENTAILMENT}
"""Judges of all tasks; generated ones have ``exact`` too."""

_NAME = "NeedleInWeb-v0"
_POLICIES = {"investigator": "webenv.policies.scripted:InvestigatorPolicy"}
_OWN = {"sample": Path(__file__).parent / "sample"}


def needle_in_web(
    *,
    difficulty: str | Iterable[str] | None = None,
    site: str | Iterable[str] | None = None,
    split: str | None = None,
    web: WebArgument = "procedural",
    tasks: TasksArgument = None,
    flagged: bool = False,
    judge: str | Judge | None = None,
    judge_prompt: str | Path | None = None,
    judge_votes: int = 1,
    honeypot: int | None = None,
    conflict: str | None = None,
    budget: Budget | Mapping[str, object] | None = None,
    reward: Mapping[str, float] | Reward | None = None,
) -> Benchmark:
    """The benchmark behind ``NeedleInWeb-v0``; for its arguments see :class:`NeedleInWebEnv`."""
    difficulty = _read_difficulty(difficulty)
    traps, auto = read_traps(honeypot, conflict), difficulty == AUTO
    found = load_web_and_tasks(
        web,
        tasks,
        split,
        generate=partial(_generated, groups=_groups(traps, auto)),
        load=partial(load_tasks, flagged=flagged),
        own=_OWN,
        config={"conflicts": CONFLICT_SHARE} if conflict else None,
    )
    _check_traps(traps, found.tasks)
    if not auto:
        _check_difficulty(difficulty, found.tasks)
    chosen = found.tasks.filter(difficulty=None if auto else difficulty, site=site, split=split)
    judges = _judges(found.tasks)
    if judge is None:
        judge = "exact" if "exact" in judges and judge_prompt is None else "page"
    if judge == "exact" and "exact" not in judges:
        raise InvalidArgument("judge='exact' judges generated tasks alone (web='procedural'); expected 'page'.")
    if isinstance(judge, str) and judge.startswith(RELEASED):
        folder = judge.removeprefix(RELEASED)
        judge = ReleasedJudge(read_release(folder, found.tasks), system_name(folder))
    limits = Budget.of(budget, BUDGET)
    made = make_judge(judge, judges, judge_prompt, judge_votes, chosen)
    official = any(SITES.intersection(task.tags.values()) for task in islice(chosen, 1))
    return Benchmark(
        tasks=chosen,
        judge=made,
        rules=RULES,
        budget=limits,
        reward=make_reward(reward),
        web=(opened_web := found.finished(chosen)),  # last: a generated one may have to be written
        name=_NAME,
        policies=_POLICIES,
        curriculum=_curriculum(chosen) if auto else None,
        asker=open_asker(opened_web) if limits.asks else None,
        notice=NEEDLE_PAPER.notice(made, judge_prompt is not None and judge_prompt not in VARIANTS) if official else "",
    )


class NeedleInWebEnv(BenchmarkEnv):
    """``NeedleInWeb-v0``: given vague criteria, find the one page that mentions them all.

    Description: Each task gives three criteria as a rule, in each of which a central element is
    replaced by a generic expression. The agent searches, visits pages, and answers with the URL
    of the page, or with ``No source found.``, a legal and wrong answer. The page that it answers
    is fetched and judged whether or not it was visited. Source: Needle in the Web (Wang et al.),
    sections 3 and 4.

    Action Space: :func:`webenv.spaces.action_space`: search, visit, ask, answer, note. An answer
    is one text: a URL, a markdown link, or either within ``<source>…</source>``.

    Observation Space: :func:`webenv.spaces.observation_space`. The question's first line says
    what to do; each further line is ``- `` and a criterion.

    Rewards: the weighted sum of the terms ``answer`` (the verdict's value, weight 1 by default),
    ``recall``, ``ndcg``, ``citation`` and ``cost`` (weight 0 by default).

    Episode End: an answer or the last turn terminates; an episode without an answer has the
    outcome ``no_source``. A bad action spends its turn and is told in ``notice``: no action, an
    empty or over-long text, or more than the budget has left (refused whole, nothing charged).
    Any URL may be visited. A web or a judge that failed truncates, unscored.

    Information: ``task``, ``reward_terms``; at the end ``ending``, ``scored``, ``spent``, and
    ``verdict`` with one of the outcomes ``no_source``, ``unreachable`` (the answered page cannot
    be had), ``wrong_page``, ``criteria_match`` (all criteria), ``ground_truth_match`` (all
    unmasked claims too), or ``unscored``. The two matches have the value 1, the others 0.

    Arguments:
        difficulty: ``"easy"``, ``"medium"``, ``"hard"``, or several; all by default. ``"auto"``: each task is of the
            difficulty at which about half of the agent's episodes succeed, by the results of those before it
            (:class:`webenv.curriculum.Curriculum`); with ``honeypot`` or ``conflict`` hard tasks that have it come
            after those that have not.
        site: the website(s) of the page sought, by the tasks' file names; all by default.
        split: the split, where the tasks have some; of ``"procedural"`` webs ``"train"`` (by default),
            ``"validation"`` or ``"test"``: worlds that share no name and no fact.
        web: ``"procedural"``, the default: 3,000 pages made from a seed, or with dials, as in
            ``"procedural:pages=10000,seed=3"`` (:class:`webenv.corpora.procedural.WebConfig`), kept in
            the user's cache folder or in WEBENV_CACHE; ``"procedural:worlds=1000"`` is as many webs,
            of one seed after the other, each written when a task of it comes up; ``"sample"``
            (65 pages written by hand, in the package); the folder of a corpus, ``"live:…"``,
            ``"cassette:…"`` and others (:func:`webenv.envs.webs.open_web`), or a Web.
        tasks: ``"generated"``, the default on a procedural web (or a corpus that was built from one
            alone): 600 of each difficulty (of several worlds 100 of each, if that is more), each
            made when it is drawn; ``"generated:count=100000"`` for more. Several worlds take turns.
            ``"procedural:…"``: those of one procedural web, however its pages are reached (served over HTTP,
            from a cassette). Official files, a folder of them, or a TaskSet; ``"sample"`` has tasks of its own.
        flagged: keeps official records whose criteria and claims do not match one to one.
        judge: ``"exact"`` (knows the facts of every page; for generated tasks, and their default),
            ``"page"`` (the gold page or a copy of it, the default of other tasks), ``"llm:<model>"``
            (endpoint from OPENAI_BASE_URL), ``"released:<folder>"`` (the verdicts that were released with the answers
            of a system, as of ``Needle_in_the_Web/experiments/gemini``), or a Judge.
        judge_prompt: for ``"llm:<model>"``: ``"entailed"`` (the paper's definition, by default) or
            ``"mentioned"`` (as the official prompt asks), a file with another prompt, or a folder of two:
            ``criterion`` and ``claim``, ``.txt`` or ``.json``.
        judge_votes: for ``"llm:<model>"``: how many replies it asks for; more than half must agree.
        honeypot: rank, 1 to 10, that a page which is false in exactly one criterion has among the hits of the
            criteria as one query: tasks are drawn until one has. None by default. After the end ``verdict`` tells of it
            if it was answered, and records have it in ``gold``. Generated tasks alone, up to seconds a task.
        conflict: ``"newest"`` or ``"official"``: an older page says all that is asked of something else, and a newer
            page about that corrects it; the question's first line says that the newest page counts, or a named site.
            The web has ``conflicts=0.5`` then, unless it says more or less. Generated tasks alone.
        budget: limits that differ from 10 searches, 10 visits, 0 asks, 20 turns.
        reward: weights of the reward terms, or a Reward.
        render_mode: ``"ansi"`` or ``None``.

    Differs from the paper: the budget is ours (the paper sets none for agents it calls as they
    are), and ``unreachable`` is set apart from ``wrong_page`` (the release judges an empty page).

    Version History: v0: first version.
    """

    id = _NAME
    benchmark_of = staticmethod(needle_in_web)
    about = About(
        task="find the one page that meets vague criteria",
        budget=BUDGET,
        judges={
            "exact": "knows the facts of every page; of generated tasks alone, and their default",
            "page": "the gold page or a copy of it",
            "llm:MODEL": "a model says criterion by criterion whether the page meets it",
            "released:DIR": "what the release says of a system's answers",
        },
        tasks={"generated": "600 of each difficulty, from the facts of a generated web; generated:count=1000 for more"},
        tags=("difficulty", "site", "split"),
        prompt="{page} and {criterion}; a folder of criterion and claim; or entailed, mentioned: ours",
        builder=("needle", "queries for single pages: easy, medium and hard ones for each"),
    )


NeedleInWebVectorEnv = vector_env(NeedleInWebEnv)


def _groups(traps: NeedleGroup, auto: bool) -> tuple[str, ...]:
    """What is drawn from: each difficulty with the false pages that are asked for; where it follows the agent, these
    only beyond the last, which good readers are too good at."""
    if not auto:
        return tuple(str(traps._replace(difficulty=difficulty)) for difficulty in DIFFICULTIES)
    return tuple(dict.fromkeys((*DIFFICULTIES, str(traps._replace(difficulty=DIFFICULTIES[-1])))))


def _generated(worlds: Worlds, spec: str, groups: tuple[str, ...]) -> TaskSet:
    count = generated_count(spec, worlds.count, each="of each difficulty")
    return GeneratedSimulatedNeedles(simulated_source(worlds), count, groups)


def _check_traps(traps: NeedleGroup, tasks: TaskSet) -> None:
    """Refuses tasks that have not what is asked for, before any is drawn."""
    if not (traps.honeypot or traps.conflict):
        return
    asked = f"honeypot={traps.honeypot}" if traps.honeypot else f"conflict={traps.conflict!r}"
    groups = tasks.groups if isinstance(tasks, GeneratedTasks) else ()
    if not any(NeedleGroup.read(group)._replace(difficulty="") == traps for group in groups):
        raise InvalidArgument(
            f"{asked} needs tasks that are generated with it, and {tasks.name!r:.60} are none; leave it out, or "
            "play a generated web, as in web='procedural'."
        )
    if traps.conflict and isinstance(tasks, GeneratedTasks) and not tasks.source.worlds.first.conflicts:
        web = str(tasks.source.worlds)
        more = f"{web}{',' if ':' in web else ':'}conflicts={CONFLICT_SHARE}"
        raise InvalidArgument(f"{asked}: on {web!r:.100} no two pages disagree; expected a web such as {more!r:.120}.")


def _read_difficulty(difficulty: str | Iterable[str] | None) -> str | tuple[str, ...] | None:
    """The difficulties; ``AUTO`` alone, also where it is the only one of several."""
    if difficulty is None or isinstance(difficulty, str) or not isinstance(difficulty, Iterable):
        return difficulty
    names = tuple(difficulty)
    if AUTO in names and len(set(names)) > 1:
        raise InvalidArgument(f"difficulty={list(names)}: {AUTO!r} chooses among all difficulties; give it alone.")
    return AUTO if AUTO in names else names


def _check_difficulty(difficulty: str | Iterable[str] | None, tasks: TaskSet) -> None:
    """Refuses what generated tasks have not, and names ``AUTO`` among what they have; filters do so of other tasks."""
    known = (*DIFFICULTIES, AUTO)
    if isinstance(difficulty, str) or not isinstance(difficulty, Iterable):
        difficulty = () if difficulty is None else (difficulty,)
    names = set(difficulty)
    for name in sorted(names.difference(known), key=str) if isinstance(tasks, GeneratedTasks) else ():
        raise InvalidArgument(
            f"{tasks.name}: no task has difficulty={name!r}. {did_you_mean(str(name).lower(), known)}"
        )


def _curriculum(tasks: TaskSet) -> Curriculum:
    """The difficulties that tasks have, easiest first."""
    if isinstance(tasks, GeneratedTasks):
        return Curriculum({group: tasks.of_group(group) for group in tasks.groups})
    known = tuple(name for name in DIFFICULTIES if any(task.tags.get("difficulty") == name for task in tasks))
    return Curriculum({name: tasks.filter(difficulty=name) for name in known})


def _judges(tasks: TaskSet) -> Mapping[str, JudgeMaker]:
    return {**JUDGES, "exact": partial(ExactJudge, tasks.source)} if isinstance(tasks, GeneratedTasks) else JUDGES
