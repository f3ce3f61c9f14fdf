"""Both studies from nothing: every table and figure of Needle in the Web and LiveNewsBench, each by its command.

A generated web is served over HTTP, and a scripted endpoint stands in for the models: what is shown is that the
studies run, and which command prints what. Their figures are the script's. With real ones, leave the script's endpoint
out, give the official files with --tasks, a live web with --web, and models with --models::

    python examples/reproduce_studies.py --out studies
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import re
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from webenv.cli.app import run
from webenv.envs.benchmark_env import BenchmarkEnv
from webenv.envs.building.live_news_bench.filters import Outlets
from webenv.evaluation.environments import make_env
from webenv.serving import serving, website_app
from webenv.serving.sites import open_sites

WEB = "procedural:pages=600,seed=3,worlds=1"
SEARCHERS = {"GPT-4o": 0.6, "Gemini-2.5-flash": 0.55, "Sonar": 0.65}  # search by themselves: how often they are right
AGENTS = ("Search-R1", "DeepResearcher", "CognitiveKernel-Pro")  # use our search: the first result is their answer
READERS = {"large": 0.9, "medium": 0.75, "small": 0.5}  # of news: how often they are right once they have searched
PEOPLE = {"easy": (0.86, 327.0), "medium": (0.79, 329.0), "hard": (0.79, 401.0)}  # completion, seconds

JUDGE_PROMPT = """\
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


def chance(*parts: object) -> float:
    """A number from 0 to 1 that depends on nothing but these."""
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:6]) / 2**48


class ScriptedModels:
    """What the models of the studies reply.

    Args:
        pages: the page sought by the criteria of a needle, a line each.
        answers: the answer to a question on the news.
    """

    def __init__(self, pages: Mapping[str, str], answers: Mapping[str, str]) -> None:
        self._pages, self._answers = pages, answers

    def reply(self, model: str, messages: Sequence[Mapping[str, str]]) -> str:
        """The reply of a model of this name to a conversation."""
        last = messages[-1]["content"]
        if model == "judge":
            return self._grade(last)
        if model in SEARCHERS:
            return self._search_alone(model, last)
        if model in AGENTS:
            return self._find(model, messages)
        return self._read_news(model, messages)

    def _grade(self, asked: str) -> str:
        gold, said = (re.search(rf"{name}: (.*)", asked) for name in ("Gold target", "Predicted answer"))
        assert gold is not None
        assert said is not None
        return "A" if said[1] in gold[1].split(" or ") else "C" if said[1] == "unknown" else "B"

    def _search_alone(self, model: str, asked: str) -> str:
        if "<source>" not in asked:
            question, answer = self._asked(asked)
            return answer if chance(model, question) < SEARCHERS[model] else "unknown"
        found = next((url for criteria, url in self._pages.items() if criteria in asked), "")
        right = chance(model, found) < SEARCHERS[model]
        return f"<source>{found if right else 'No source found.'}</source>"

    def _find(self, model: str, messages: Sequence[Mapping[str, str]]) -> str:
        """A search with all criteria (or, by the weakest, the first), then its first result."""
        if len(messages) == 2:
            criteria = re.findall(r"^- (.*)", messages[1]["content"], re.M)
            chosen = criteria[:1] if model == AGENTS[-1] else criteria if model == AGENTS[0] else criteria[::-1]
            return f"I look.\n<search>\n{' '.join(chosen)}\n</search>"
        url = re.search(r"https?://\S+", messages[-1]["content"])
        return f"<source>{url[0] if url else 'No source found.'}</source>"

    def _read_news(self, model: str, messages: Sequence[Mapping[str, str]]) -> str:
        """Searches, clicks now and then, and finishes; the small one asks two things at once, whatever is left."""
        question, answer = self._asked(messages[1]["content"])
        turn = len(messages) // 2
        closed = "type: Search" not in messages[0]["content"]
        if closed or turn == 3 or (turn == 2 and chance("click", model, question) < 0.6):
            right = chance(model, question) < (READERS[model] * (0.25 if closed else 1.0))
            return block("Finish", answer if right else "unknown")
        if turn == 1:
            return block("Search", *((question, f"{question} news") if model == "small" else (question,)))
        url = re.search(r"https?://\S+", messages[-1]["content"])
        return block("Click", url[0]) if url else block("Search", question[:60])

    def _asked(self, text: str) -> tuple[str, str]:
        """The question that a text holds, and its answer."""
        return next((pair for pair in self._answers.items() if pair[0] in text), ("", "unknown"))


def block(kind: str, *lines: str) -> str:
    """An action of LiveNewsBench."""
    return "\n".join(("I think, then act.", "<action>", f"type: {kind}", *lines, "</action>"))


@contextmanager
def endpoint(models: ScriptedModels) -> Iterator[str]:
    """The models behind an endpoint of chat completions; gives its address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            text = models.reply(asked["model"], asked["messages"])
            read, wrote = len(str(asked["messages"])) // 4, len(text) // 4 + 1
            usage: dict[str, Any] = {"prompt_tokens": read, "completion_tokens": wrote}
            if asked["model"] in SEARCHERS:
                usage["num_search_queries"] = 1 + int(2 * chance("searches", text, asked["model"]))
            data = json.dumps({"choices": [{"message": {"content": text}, "finish_reason": "stop"}], "usage": usage})
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data.encode())))
            self.end_headers()
            self.wfile.write(data.encode())

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()


class Study:
    """Runs commands, and keeps which of them printed what of a paper."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.shown: list[tuple[str, str]] = []

    def show(self, what: str, *words: str) -> None:
        """Prints a table or figure of a paper: the command, and what it prints."""
        command = f"webenv {' '.join(words)}"
        self.shown.append((what, command))
        print(f"\n=== {what}\n$ {command}")
        self.do(*words, quiet=False)

    def tell(self, what: str, text: str) -> None:
        """Prints what a figure is that no command has to measure."""
        self.shown.append((what, f"(no measurement) {text.splitlines()[0]}"))
        print(f"\n=== {what}\n{text}")

    def do(self, *words: str, typed: str = "", quiet: bool = True) -> None:
        """Runs a command, which has to succeed."""
        sys.stdin = io.StringIO(typed)
        with redirect_stdout(io.StringIO()) if quiet else redirect_stdout(sys.stdout):
            code = run(words)
        if code:
            raise SystemExit(f"webenv {' '.join(words)}: exit code {code}")

    def path(self, *names: str) -> str:
        """A path in the folder of the studies."""
        return str(self.out.joinpath(*names))

    def write(self, name: str, text: str) -> str:
        """Writes a file there, and gives its path."""
        self.out.joinpath(name).write_text(text, encoding="utf-8")
        return self.path(name)


def needle(study: Study, web: str, per_level: int) -> None:
    """Needle in the Web: tables 2, 3 and 4, and figures 1, 3 and 5."""
    given = ["NeedleInWeb-v0", "--web", web, "--tasks", WEB, "--judge", "exact"]
    each = ["--episodes", str(3 * per_level), "--seed", "5"]
    template = study.write("query_template.txt", QUERY_TEMPLATE)
    runs = study.path("needle")
    for name in (*SEARCHERS, *AGENTS):
        kind = ["--policy", f"integrated:{name}", "--policy-prompt", template]
        policy = kind if name in SEARCHERS else ["--policy", f"react:{name},format=source"]
        study.do("eval", *given, *each, *policy, "--out", f"{runs}/{name}")
    study.tell(
        "Needle in the Web, Table 1 and Figure 2 (how it differs from other benchmarks)",
        "Five properties of benchmarks, compared in words; 'webenv eval --help' says them of each environment here.",
    )
    study.tell("Needle in the Web, Figure 3 (an example query)", example("NeedleInWeb-v0", WEB))
    study.tell(
        "Needle in the Web, Figure 4 (the pipeline of queries)",
        "webenv tasks build needle --pages WEB --model MODEL --embedder NAME tells what came to each stage and fell.",
    )
    models = ["--columns", "model", "--digits", "2"]
    study.show("Needle in the Web, Table 2 (accuracy)", "report", runs, *models)
    study.show("Needle in the Web, Table 2 (by difficulty)", "report", runs, "--rows", "difficulty", *models)
    study.show("Needle in the Web, Table 3", "report", runs, "--rows", "site,difficulty", *models, "--ranks")
    page = study.path("needle_figure_1.html")
    study.show("Needle in the Web, Figure 1 (bars)", "report", runs, "--rows", "site", *models, "--html", page)
    rows = ["--rows", "outcome", "--measure", "searches,visits"]
    study.show("Needle in the Web, Figure 5 (how wrong answers came about)", "report", runs, *rows, *models)
    answers = study.write("people.jsonl", people(per_level))
    words = ["--answers", answers, "--system", "People", "--missing", "leave"]
    study.do("score", *given, *words, "--out", study.path("people"))
    study.show(
        "Needle in the Web, Table 4 (people)", "report", study.path("people"), "--rows", "difficulty",
        "--measure", "success,seconds", "--digits", "1",
    )  # fmt: skip


def people(per_level: int) -> str:
    """Answers of people with the seconds that they took, as somebody may have written them down."""
    lines = []
    for task in list(make_tasks("NeedleInWeb-v0", WEB)):
        level = task.tags["difficulty"]
        rate, seconds = PEOPLE[level]
        if chance("sampled", task.id) < per_level / 600:
            right = chance("people", task.id) < rate
            took = round(seconds * (0.5 + chance("seconds", task.id)), 1)
            lines.append({"task": task.id, "answer": task.gold.urls[0] if right else None, "seconds": took})
    return "".join(json.dumps(line) + "\n" for line in lines)


def news(study: Study, web: str, count: int) -> None:
    """LiveNewsBench: tables 1 to 4, and figure 2."""
    test = study.path("test.jsonl")
    study.do("tasks", "verify", test, "--count", str(count // 2), typed="a\na\na\nr unclear\n" * count)
    verified = study.path("human_verified_test.jsonl")
    prompt = study.write("grading.txt", JUDGE_PROMPT)
    given = ["LiveNewsBench-v0", "--web", web, "--judge", "short:judge,temperature=0", "--judge-prompt", prompt]
    for name in READERS:
        policy = ["--policy", f"react-blocks:{name}"]
        study.do("eval", *given, "--tasks", test, *policy, "--out", study.path("news", "full", name))
        closed = ["--tasks", verified, *policy, "--budget", "searches=0,visits=0"]
        study.do("eval", *given, *closed, "--out", study.path("news", "closed", name))
        swept = ["--tasks", verified, *policy, "--sweep", "searches=1,3,5,7"]
        study.do("eval", *given, *swept, "--out", study.path("news", "verified", name))
    for name in SEARCHERS:
        policy = [
            "--policy",
            f"integrated:{name}",
            "--blocklist",
            '{"tools": [{"type": "web_search", "blocked": "{hosts}"}]}',
        ]
        study.do("eval", *given, "--tasks", verified, *policy, "--out", study.path("news", "verified", name))
    runs, model = study.path("news", "verified"), ["--rows", "model"]
    standard = ["--where", "searches allowed=5"]
    study.tell(
        "LiveNewsBench, Figure 1 (the pipeline of questions)",
        "webenv tasks build livenews --events FILE --web WEB --drafter A --checker B tells what came and fell.",
    )
    study.tell("LiveNewsBench, Figure 2 (examples)", Path(verified).read_text(encoding="utf-8").splitlines()[0])
    study.tell("LiveNewsBench, Figure 3, 5 and 6 (prompts of the builder)", "webenv tasks build livenews --prompts DIR")
    study.tell("LiveNewsBench, Figure 4 (outlets)", outlets())
    study.tell(
        "LiveNewsBench, Figure 7 (prompt of the agent)", "webenv eval --policy-prompt FILE; in run.json its digest"
    )
    study.tell("LiveNewsBench, Figure 8 (prompt of the judge)", JUDGE_PROMPT)
    study.show("LiveNewsBench, Table 1", "report", runs, *model, *standard, "--columns", "policy",
               "--measure", "success,searches,visits")  # fmt: skip
    study.show(
        "LiveNewsBench, Table 2", "report", study.path("news", "full"), *model, "--measure", "success,searches,visits"
    )
    sweep = ["--columns", "searches allowed", "--where", "policy=react-blocks", "--differences"]
    study.show("LiveNewsBench, Table 3", "report", runs, *model, *sweep)
    study.show("LiveNewsBench, Table 3 (how episodes ended)", "report", runs, *sweep[:4], "--rows", "model")
    both = [*(study.path("news", "verified", name, "searches-5") for name in READERS), study.path("news", "closed")]
    study.show("LiveNewsBench, Table 4", "report", *both, *model, "--columns", "searches allowed", "--differences")


def write_news(study: Study, count: int) -> dict[str, str]:
    """The test set: questions on the events of the generated web, in the form of the release; gives the answers."""
    answers, lines = {}, []
    for task in list(make_tasks("LiveNewsBench-v0", WEB))[:count]:
        question = task.question.splitlines()[1]
        answers[question] = task.gold.answers[0]
        record = {"id": task.id, "question": question, "answers": list(task.gold.answers), "stability": "unlikely"}
        lines.append(record | {"link": f"https://{task.scope.blocked[0]}/", "event_date": f"{task.tags['month']}-15"})
    study.write("test.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    return answers


def make_tasks(env: str, web: str) -> Any:
    """The generated tasks of an environment on a web."""
    made = make_env(env, {"web": web}).unwrapped
    assert isinstance(made, BenchmarkEnv)
    return made.benchmark.tasks


def example(env: str, web: str) -> str:
    """What an agent reads of the first task."""
    return str(make_tasks(env, web)[0].question)


def outlets() -> str:
    """The outlets that articles may come from."""
    hosts = sorted(Outlets.read(None).hosts)
    return f"{len(hosts)} outlets (--outlets FILE for others): {', '.join(hosts[:5])}, …"


def main() -> None:
    """Runs both studies."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="an empty folder, or one that is not there")
    parser.add_argument("--needles", type=int, default=40, help="needles of each difficulty")
    parser.add_argument("--news", type=int, default=40, help="questions of the full test set")
    given = parser.parse_args()
    if given.out.exists() and any(given.out.iterdir()):
        parser.error(f"--out {given.out}: the folder holds something already; name a new one.")
    given.out.mkdir(parents=True, exist_ok=True)
    study = Study(given.out)
    answers = write_news(study, given.news)
    pages = {"\n".join(task.criteria): task.gold.urls[0] for task in make_tasks("NeedleInWeb-v0", WEB)}
    with endpoint(ScriptedModels(pages, answers)) as url, serving(website_app(open_sites(WEB))) as address:
        os.environ["OPENAI_BASE_URL"] = url
        web = f"live:searxng,gateway={address},readers=0"
        needle(study, web, given.needles)
        news(study, web, given.news)
    print("\nEvery table and figure, and what prints it:")
    for what, command in study.shown:
        print(f"{what}\n    {command}")


if __name__ == "__main__":
    main()
