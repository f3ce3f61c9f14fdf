"""Both studies from nothing: every table and figure of Needle in the Web and LiveNewsBench, each by its command.

A generated web is served over HTTP, and scripts stand in for the models (``scripted_models.py``): pages are collected,
queries and questions built, verified, played and judged by the commands that a real study takes. What is shown is that
they run, and which command prints what; the figures are the scripts'. With real models, leave the endpoint out, give
the official files with --tasks, a live web with --web, and models with --models::

    python examples/reproduce_studies.py --out studies
"""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import shlex
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path

from scripted_models import AGENTS, READERS, SEARCHERS, ScriptedModels, chance, endpoint, sentences

from webenv.cli.app import run
from webenv.corpora import Corpus
from webenv.envs.building.live_news_bench.filters import Outlets
from webenv.envs.needle_in_web.tasks import load_tasks
from webenv.envs.webs import open_web
from webenv.evaluation import Record, read_records
from webenv.observations import Page
from webenv.serving import serving, website_app
from webenv.serving.sites import open_sites
from webenv.task import TaskSet
from webenv.urls import host_of

WEB = "procedural:pages=1500,seed=3,worlds=1,news=0.4"
NEEDLE, NEWS = "Needle in the Web", "LiveNewsBench"
SITES = 7  # of needles
PEOPLE = {"easy": (0.86, 327.0), "medium": (0.79, 329.0), "hard": (0.79, 401.0)}  # completion, seconds
FIRST_MONTH = "2025-05"  # of events: the generated news end in September 2025

SERVED = "\n    # on the web and models that this script served, which have ended: name your own"

GRADING = """\
Question: {question}
Gold target: {target}
Predicted answer: {predicted_answer}
Grade it, and reply with one letter: A (correct), B (incorrect) or C (not attempted).
"""
QUERY_TEMPLATE = """\
Find the web page that mentions all of this:
{question}
Reply with <source>its url</source>, or with <source>No source found.</source>
"""


class Study:
    """Runs commands, and keeps which of them printed what of a paper.

    Args:
        out: the folder of the studies.
        address: where the web is served.
    """

    def __init__(self, out: Path, address: str) -> None:
        self.out, self.address = out, address
        self.pages = f"live:pages,gateway={address},readers=0"
        self.web = f"live:searxng,gateway={address},readers=0"
        self.shown: list[tuple[str, str]] = []

    def show(self, what: str, *words: str) -> None:
        """Prints a table or figure of a paper: the command, and what it prints."""
        command = shlex.join(["webenv", *words])
        served = any(self.address in word for word in words)
        self.shown.append((what, f"{command}{SERVED if served else ''}"))
        print(f"\n=== {what}\n$ {command}")
        self.do(*words, quiet=False)

    def tell(self, what: str, source: str, text: str) -> None:
        """Prints a figure that is no measurement: where its text comes from, and the text."""
        self.shown.append((what, source))
        print(f"\n=== {what}\n{source}\n{text}")

    def do(self, *words: str, typed: str = "", quiet: bool = True) -> None:
        """Runs a command, which has to succeed."""
        sys.stdin = io.StringIO(typed)
        with redirect_stdout(io.StringIO()) if quiet else redirect_stdout(sys.stdout):
            code = run(words)
        if code:
            raise SystemExit(f"{shlex.join(['webenv', *words])}: exit code {code}")

    def path(self, *names: str) -> str:
        """A path in the folder of the studies."""
        return str(self.out.joinpath(*names))

    def write(self, name: str, text: str) -> str:
        """Writes a file there, and gives its path."""
        self.out.joinpath(name).write_text(text, encoding="utf-8")
        return self.path(name)

    def records(self, name: str) -> list[dict[str, str]]:
        """The records of a file of JSON lines there."""
        return [json.loads(line) for line in (self.out / name).read_text(encoding="utf-8").splitlines()]


# ── Needle in the Web ─────────────────────────────────────────────────────────


def build_needles(study: Study, pages: Sequence[Page], per_site: int, models: ScriptedModels) -> TaskSet:
    """Collects pages and builds queries of them, as section 3 has it: figures 3 and 4."""
    long = Counter(host_of(page.url) for page in pages if len(page.text) >= 1_500)
    hosts = [host for host, _ in long.most_common(SITES)]
    sources = [word for host in hosts for word in ("--from", f"sitemap:https://{host}/sitemap.xml")]
    listed = study.path("pages.txt")
    collecting = ["tasks", "collect", "--web", study.pages, *sources, "--per-site", str(6 * per_site), "--out", listed]
    study.show(f"{NEEDLE}, section 3.4 (pages collected)", *collecting)
    study.show(
        f"{NEEDLE}, Figure 4 (the pipeline of queries: what came to each stage, and fell)",
        *("tasks", "build", "needle", "--pages", study.pages, "--urls", listed, "--per-site", str(3 * per_site)),
        *("--model", "writer", "--embedder", "endpoint:embedder", "--judge", "llm:judge"),
        *("--out", study.path("queries")),
    )
    tasks = load_tasks(study.path("queries"))
    models.pages |= {task.criteria: task.gold.urls[0] for task in tasks}
    first = tasks[0]
    example = f"{first.question}\nsought: {first.gold.urls[0]}\nclaims: {' '.join(first.gold.claims)}"
    study.tell(f"{NEEDLE}, Figure 3 (a sample query)", f"first record of {study.path('queries')}", example)
    return tasks


def needle(study: Study, tasks: TaskSet, per_level: int) -> None:
    """The systems on these queries: tables 1 to 4, and figures 1, 2 and 5."""
    given = ["NeedleInWeb-v0", "--web", study.web, "--tasks", study.path("queries"), "--judge", "llm:judge"]
    each = ["--episodes", str(min(3 * per_level, len(tasks))), "--seed", "5"]
    template = study.write("query_template.txt", QUERY_TEMPLATE)
    runs = study.path("needle")
    for name in (*SEARCHERS, *AGENTS):
        kind = ["--policy", f"integrated:{name}", "--policy-prompt", template]
        policy = kind if name in SEARCHERS else ["--policy", f"react:{name},format=source"]
        study.do("eval", *given, *each, *policy, "--out", f"{runs}/{name}")
    study.tell(
        f"{NEEDLE}, Table 1 (its properties; those of other benchmarks are statements on them, not measured)",
        "counted over the queries built above",
        "\n".join(f"{name:<28} {value}" for name, value in properties(study, tasks).items()),
    )
    study.tell(
        f"{NEEDLE}, Figure 2 (two kinds of search)",
        "a diagram, nothing to measure",
        "A question with one short answer that a chain leads to (webenv play BrowseComp-v0), beside vague criteria "
        "that one page meets (webenv play NeedleInWeb-v0).",
    )
    models = ["--columns", "model", "--digits", "2"]
    study.show(f"{NEEDLE}, Table 2 (overall)", "report", runs, *models, "--spread", "none")
    study.show(f"{NEEDLE}, Table 2 (by difficulty)", "report", runs, "--rows", "difficulty", *models)
    by_site = ["--rows", "site,difficulty", *models, "--ranks", "--spread", "none"]
    study.show(f"{NEEDLE}, Table 3", "report", runs, *by_site)
    bars = ["--rows", "site", *models, "--picture", study.path("needle_figure_1.svg")]
    study.show(f"{NEEDLE}, Figure 1 (bars)", "report", runs, *bars, "--html", study.path("needle_figure_1.html"))
    wrong = f"{runs}/{AGENTS[-1]}"
    study.show(
        f"{NEEDLE}, Figure 5 (how episodes went wrong)",
        *("report", runs, "--rows", "outcome", "--measure", "searches,visits", "--spread", "tasks", *models),
    )
    study.show(
        f"{NEEDLE}, Figure 5 (to read)", "view", wrong, "--out", study.path("needle_figure_5.html"),
    )  # fmt: skip
    record = next((one for one in read_records(wrong) if one.verdict["value"] == 0.0), None)
    study.tell(f"{NEEDLE}, Figure 5 (a wrong episode)", f"a record of {wrong}", trajectory(record))
    words = ["--answers", study.write("people.jsonl", people(tasks)), "--system", "People", "--missing", "leave"]
    study.do("score", *given, *words, "--out", study.path("people"))
    shown = ["--rows", "difficulty", "--measure", "success,seconds", "--digits", "1"]
    study.show(f"{NEEDLE}, Table 4 (people)", "report", study.path("people"), *shown)


def properties(study: Study, tasks: TaskSet) -> dict[str, str]:
    """What Table 1 says of the benchmark, from its queries."""
    levels, sites = (Counter(task.tags[name] for task in tasks) for name in ("difficulty", "site"))
    pages = {task.gold.urls[0] for task in tasks}
    masked = sum(
        criterion != claim for task in tasks for criterion, claim in zip(task.criteria, task.gold.claims, strict=True)
    )
    return {
        "Live web retrieval": f"searched and fetched over HTTP on {study.web}",
        "Difficulty controlled": ", ".join(f"{level} {count}" for level, count in levels.items()),
        "Multi-scenario coverage": f"{len(sites)} sites",
        "Full webpage retrieval": f"one page is the answer to each query; {len(pages)} pages in all",
        "Fuzzy exploratory query": f"{masked} of {sum(len(task.criteria) for task in tasks)} criteria are vaguer than "
        "their claims",
    }


def trajectory(record: Record | None) -> str:
    """What was done in an episode, a line a turn."""
    if record is None:
        return "no episode was wrong"
    lines = [f"{number}. {turn.kind}: {' | '.join(turn.texts)[:300]}" for number, turn in enumerate(record.turns, 1)]
    return "\n".join([record.question, *lines, f"{record.verdict['outcome']}: {record.verdict['explanation'][:300]}"])


def people(tasks: TaskSet) -> str:
    """Answers of people, four of each site and difficulty as in the paper, with the seconds that they took."""
    sampled: Counter[tuple[str, str]] = Counter()
    lines = []
    for task in sorted(tasks, key=lambda task: chance("sampled", task.id)):
        level = task.tags["difficulty"]
        sampled[task.tags["site"], level] += 1
        if sampled[task.tags["site"], level] <= 4:
            rate, seconds = PEOPLE[level]
            answer = task.gold.urls[0] if chance("people", task.id) < rate else None
            took = round(seconds * (0.5 + chance("seconds", task.id)), 1)
            lines.append({"task": task.id, "answer": answer, "seconds": took})
    return "".join(json.dumps(line) + "\n" for line in lines)


# ── LiveNewsBench ─────────────────────────────────────────────────────────────


def build_news(study: Study, pages: Sequence[Page], count: int, models: ScriptedModels) -> None:
    """Builds questions on events, and verifies half of the test set: figures 1 to 6."""
    reports = sorted((page for page in pages if page.date >= FIRST_MONTH), key=lambda page: page.date, reverse=True)
    lines = []
    for page in reports:
        told = next((one for one in sentences(page.text) if len(one.split()) >= 12), None)
        if told is not None and len(lines) < count:
            lines.append(json.dumps({"date": page.date, "summary": told, "urls": [page.url]}) + "\n")
    events = study.write("events.jsonl", "".join(lines))
    study.show(
        f"{NEWS}, Figure 1 (the pipeline of questions: what came to each stage, and fell)",
        *("tasks", "build", "livenews", "--events", events, "--web", study.web, "--outlets", "any", "--results", "5"),
        *("--drafter", "drafter", "--checker", "reader", "--out", study.path("questions")),
    )
    names = ("test.jsonl", "longitudinal_test.jsonl")
    built = {name: study.records(f"questions/{name}") for name in ("train.jsonl", "val.jsonl", *names)}
    models.answers |= {one["question"]: one["answer"] for records in built.values() for one in records}
    examples = [f"{name}: {one['question']} — {one['answer']}" for name in names for one in built[name][:2]]
    study.tell(f"{NEWS}, Figure 2 (examples)", f"first records of {study.path('questions')}", "\n".join(examples))
    study.show(f"{NEWS}, Figures 3, 5 and 6 (the builder's prompts)", "tasks", "prompts", "livenews")
    hosts = sorted(Outlets.read(None).hosts)
    study.tell(
        f"{NEWS}, Figure 4 (allowed outlets)",
        "a list: webenv tasks build livenews --outlets FILE takes another",
        f"{len(hosts)}: {', '.join(hosts)}",
    )
    test = study.path("questions", "test.jsonl")
    half = str(max(1, len(built["test.jsonl"]) // 2))
    decisions = "a\na\na\na\nr unclear\n" * count  # about 20% fall, as in the paper
    study.do("tasks", "verify", test, "--count", half, typed=decisions)


def news(study: Study) -> None:
    """The systems on these questions: tables 1 to 4, and figures 7 and 8."""
    prompt = study.write("grading.txt", GRADING)
    given = ["LiveNewsBench-v0", "--web", study.web, "--judge", "short:judge,temperature=0", "--judge-prompt", prompt]
    test = ["--tasks", study.path("questions", "test.jsonl")]
    verified = ["--tasks", study.path("questions", "human_verified_test.jsonl")]
    for name in READERS:
        policy = ["--policy", f"react-blocks:{name}"]
        study.do("eval", *given, *test, *policy, "--out", study.path("news", "full", name))
        closed = ["--budget", "searches=0,visits=0", "--out", study.path("news", "closed", name)]
        study.do("eval", *given, *verified, *policy, *closed)
        swept = ["--sweep", "searches=1,3,5,7", "--out", study.path("news", "verified", name)]
        study.do("eval", *given, *verified, *policy, *swept)
    hidden = '{"tools": [{"type": "web_search", "blocked": "{hosts}"}]}'
    for name in SEARCHERS:
        policy = ["--policy", f"integrated:{name}", "--blocklist", hidden]
        study.do("eval", *given, *verified, *policy, "--out", study.path("news", "verified", name))
    runs, model = study.path("news", "verified"), ["--rows", "model"]
    spread = ["--measure", "success,searches,visits", "--spread", "tasks"]
    chats = study.path("news_figure_7.jsonl")
    one = study.path("news", "full", next(iter(READERS)))
    study.show(f"{NEWS}, Figure 7 (the agent's prompt)", "export", one, "--out", chats, "--format", "blocks", "--all")
    print(study.records("news_figure_7.jsonl")[0]["messages"][0]["content"])
    study.tell(f"{NEWS}, Figure 8 (the judge's prompt)", f"--judge-prompt {prompt}", GRADING)
    standard = ["--where", "searches allowed=5"]
    study.show(f"{NEWS}, Table 1", "report", runs, *model, *standard, "--columns", "policy", *spread)
    study.show(f"{NEWS}, Table 2", "report", study.path("news", "full"), *model, *spread)
    sweep = ["--columns", "searches allowed", "--where", "policy=react-blocks", "--differences"]
    study.show(f"{NEWS}, Table 3", "report", runs, *model, *sweep)
    both = [*(study.path("news", "verified", name, "searches-5") for name in READERS), study.path("news", "closed")]
    study.show(
        f"{NEWS}, Table 4 (the difference with its sign turned)",
        "report",
        *both,
        *model,
        "--columns",
        "searches allowed",
        "--differences",
    )


def in_the_paper(shown: tuple[str, str]) -> tuple[bool, str, int]:
    """Where a table or figure stands in a list: the first paper's before the second's, tables before figures."""
    paper, _, what = shown[0].partition(", ")
    number = re.search(r"\d+", what)
    return paper == NEWS, {"T": "a", "F": "b"}.get(what[0], "c"), int(number[0]) if number else 0


def main() -> None:
    """Runs both studies."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="an empty folder, or one that is not there")
    parser.add_argument("--needles", type=int, default=28, help="needles of each difficulty")
    parser.add_argument("--news", type=int, default=60, help="events that questions are built from")
    given = parser.parse_args()
    if given.out.exists() and any(given.out.iterdir()):
        parser.error(f"--out {given.out}: the folder holds something already; name a new one.")
    given.out.mkdir(parents=True, exist_ok=True)
    corpus, models = open_web(WEB), ScriptedModels()
    assert isinstance(corpus, Corpus)
    pages = list(corpus.pages())
    with endpoint(models) as url, serving(website_app(open_sites(WEB))) as address:
        os.environ["OPENAI_BASE_URL"] = url
        study = Study(given.out, address)
        needle(study, build_needles(study, pages, -(-given.needles // SITES), models), given.needles)
        build_news(study, pages, given.news, models)
        news(study)
    print("\nEvery table and figure, and what prints it:")
    for what, command in sorted(study.shown, key=in_the_paper):
        print(f"{what}\n    {command}")


if __name__ == "__main__":
    main()
