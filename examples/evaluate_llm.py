"""A language model behind an OpenAI-compatible endpoint, evaluated: its success, its cost, and where the record is.

    OPENAI_BASE_URL=http://localhost:8000/v1 OPENAI_API_KEY=none python examples/evaluate_llm.py my-model --episodes 50

plays my-model (ReAct: it thinks, acts, reads) on 50 held-out tasks, and stops when that has cost 1 dollar. Every reply
is recorded beside the run: the same command goes on after a stop, and pays for nothing twice. The judge knows the
generated tasks' keys; with --judge llm:OTHER another model judges. On the command line all of this is
webenv eval NeedleInWeb-v0 --split test --policy react:my-model --episodes 50 --cost-limit 1 --prices prices.json …
"""

import argparse
import os
import sys
from pathlib import Path

from webenv.cassette import Cassette
from webenv.cli.tables import print_summary, print_usage, wide_console
from webenv.errors import WebenvError
from webenv.evaluation import evaluate, read_records
from webenv.models import CostTracker, Prices, models_counted_by
from webenv.policies import make_policy
from webenv.recorded import recorded_models

parser = argparse.ArgumentParser(description="Evaluates a language model behind an OpenAI-compatible endpoint.")
parser.add_argument("model", nargs="?", help="as the endpoint knows it")
parser.add_argument("--episodes", type=int, default=20, help="held-out tasks (%(default)s by default)")
parser.add_argument("--web", default="procedural", help="as webenv eval takes it (%(default)s by default)")
parser.add_argument("--judge", default="exact", help="exact, page, or llm:MODEL (%(default)s by default)")
parser.add_argument("--dollars", type=float, default=1.0, help="the most that it may cost (%(default)s by default)")
given = parser.parse_args()
if not os.environ.get("OPENAI_BASE_URL") or not given.model:
    sys.exit(
        "Set OPENAI_BASE_URL to an OpenAI-compatible endpoint, OPENAI_API_KEY to its key (or none), and name the "
        "model: python examples/evaluate_llm.py MODEL"
    )

folder = Path("runs") / given.model.replace("/", "-")
folder.mkdir(parents=True, exist_ok=True)
# US dollars for a million tokens: put in what yours cost; a judge's model stands here too.
prices = {name: {"input": 0.4, "output": 1.6} for name in (given.model, given.judge.removeprefix("llm:"))}
costs = CostTracker(Prices(prices), given.dollars)
limits = {"searches": 5, "visits": 5, "turns": 11}
settings = {"web": given.web, "split": "test", "judge": given.judge, "budget": limits}
try:
    with (
        Cassette(folder / "replies.cassette", "record") as tape,
        models_counted_by(costs, 16),  # at most 16 conversations at a time
        recorded_models(tape),
    ):
        summary = evaluate(
            "NeedleInWeb-v0",
            make_policy(f"react:{given.model}"),
            episodes=given.episodes,
            settings=settings,
            out=folder / "run",
            resume=True,
            retry_unscored=True,
            cassettes=[tape],
            costs=costs,
        )
except WebenvError as error:  # no endpoint, the limit, another run in the folder: what happened, and what to do
    sys.exit(f"{error}\nWhat was played is kept in {folder}.")

console = wide_console()
print_summary(summary, console)
print_usage(summary.usage, console)
first = next(read_records(summary.folder))
print(f"Its first episode, {first.task}: {', '.join(turn.kind for turn in first.turns)}: {first.verdict['outcome']}")
print(f"Record: {summary.folder}  Replies: {tape.path}")
