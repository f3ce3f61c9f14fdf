"""What judging costs in time, through faults, and through kills.

    python benchmarks/judging.py speed [--judgements 2000] [--concurrency 200] [--rounds 3]
    python benchmarks/judging.py faults [--judgements 2000] [--share 0.2]
    python benchmarks/judging.py kills [--judgements 2000] [--kills 5] [--seed 0]

The endpoint is a process of its own, on loopback, and takes 50 ms for an answer. *speed* judges short answers,
in turns with a bare loop of AsyncOpenAI over the same prompts at the same concurrency, and then with a
cassette that records, and one that replays with no endpoint. *faults* judges while a share of the requests
fails, and checks verdicts, costs and attempts against the endpoint's own ledger. *kills* records with kill -9
at random moments and the same command again, and counts what was paid twice.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any
from urllib.request import urlopen

from rich.console import Console
from rich.table import Table

from webenv.budget import Budget, Spending
from webenv.cassette import Cassette
from webenv.judge import Submission, Verdict
from webenv.models import ChatModel, CostTracker, Prices
from webenv.recorded import RecordedModel
from webenv.rewards.short_answer import ShortAnswer, ShortAnswerJudge, ShortAnswerRubric
from webenv.task import Gold, Task

MODEL = "judge"
PRICES = {MODEL: {"input": "0.4", "output": "1.6"}}


def question(number: int) -> str:
    return f"This is question number {number} of many: which town keeps the oldest lighthouse of the northern coast?"


def submissions(count: int) -> list[Submission]:
    return [
        Submission(
            task=Task(f"task/{number}", question(number), (), Gold(answers=("Sheabiss",)), {}),
            ending="answered",
            answer=(f"It is the town of Sheabiss, {number % 90 + 10} miles from the cape.",),
            pages=(),
            gold=(),
            seen=(),
            budget=Budget(),
            spending=Spending(1, 1, 0, 3),
        )
        for number in range(count)
    ]


@contextmanager
def endpoint(*options: str) -> Iterator[str]:
    """The endpoint in a process of its own; gives its base URL."""
    script = Path(__file__).with_name("endpoint.py")
    process = subprocess.Popen([sys.executable, str(script), *options], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
    finally:
        process.kill()
        process.wait()


def ledger(url: str) -> dict[str, Any]:
    with urlopen(url.replace("/v1", "/ledger")) as answer:
        data: dict[str, Any] = json.load(answer)
    return data


# ── speed ─────────────────────────────────────────────────────────────────────


def bare(url: str, count: int, concurrency: int) -> float:
    """Seconds that a bare loop takes for the same prompts."""
    from openai import AsyncOpenAI

    rubric = ShortAnswerRubric()
    talks: list[Any] = [
        [
            {"role": message.role, "content": message.content}
            for message in rubric.ask(ShortAnswer(one.task.question, one.task.gold.answers, one.text), 1)
        ]
        for one in submissions(count)
    ]

    async def run() -> float:
        places = asyncio.Semaphore(concurrency)
        async with AsyncOpenAI(api_key="none-needed", base_url=url) as client:

            async def one(talk: Any) -> str | None:
                async with places:
                    got = await client.chat.completions.create(
                        model=MODEL, messages=talk, temperature=0, max_tokens=4_096
                    )
                    return got.choices[0].message.content

            started = time.perf_counter()
            replies = await asyncio.gather(*map(one, talks))
            took = time.perf_counter() - started
        assert all(replies)
        return took

    return asyncio.run(run())


def judged(model: Any, count: int) -> tuple[float, list[Verdict]]:
    """Seconds that the judge takes, and its verdicts."""
    judge, asked = ShortAnswerJudge(model), submissions(count)
    started = time.perf_counter()
    verdicts = judge.score(asked)
    return time.perf_counter() - started, verdicts


def speed(count: int, concurrency: int, rounds: int) -> bool:
    console = Console()
    plain, ours, taped = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        with endpoint() as url:
            for number in range(rounds):
                plain.append(bare(url, count, concurrency))
                with ChatModel(MODEL, base_url=url, concurrency=concurrency) as model:
                    took, verdicts = judged(model, count)
                assert all(verdict.outcome == "correct" for verdict in verdicts), verdicts[0]
                ours.append(took)
                tape = f"{folder}/{number}.db"
                with (
                    Cassette(tape, "record") as cassette,
                    ChatModel(MODEL, base_url=url, concurrency=concurrency) as model,
                ):
                    taped.append(judged(RecordedModel(cassette, model), count)[0])
        with Cassette(tape) as cassette:  # the endpoint is gone
            replayed, again = judged(RecordedModel(cassette), count)
    console.print(f"{count:,} judgements, 50 ms each, {concurrency} at once; medians of {rounds} rounds, in turns")
    for name, took_by in (("bare AsyncOpenAI", plain), ("judge", ours), ("judge, recording", taped)):
        each = " ".join(f"{seconds:.2f}" for seconds in took_by)
        console.print(f"{name:18} {median(took_by):6.2f} s  ({each})  {median(took_by) / median(plain):.2f} × bare")
    console.print(f"{'judge, replaying':18} {replayed:6.2f} s, the endpoint gone; same verdicts: {again == verdicts}")
    ratio = median(ours) / median(plain)
    console.print(f"ratio {ratio:.2f} (at most 1.25)")
    return ratio <= 1.25 and again == verdicts


# ── faults ────────────────────────────────────────────────────────────────────


def faults(count: int, share: float) -> bool:
    console, costs = Console(), CostTracker(Prices(PRICES))
    with endpoint("--faults", str(share)) as url:
        with ChatModel(MODEL, base_url=url, concurrency=200, timeout=5.0, costs=costs) as model:
            took, verdicts = judged(model, count)
        time.sleep(4)  # what is slow ends
        told = ledger(url)
    outcomes = {int(number): each for number, each in told["outcomes"].items()}
    got = Counter(one for each in outcomes.values() for one in each)
    used = costs.usage[MODEL]
    exact = Prices(PRICES).price(MODEL).of(told["prompt"], 0, told["completion"])
    scored = sum(verdict.scored for verdict in verdicts)
    paid = [sum(one == "ok" for one in outcomes.get(number, [])) for number in range(count)]
    table = Table(title=f"{count:,} judgements, {share:.0%} of the requests fail, {took:.1f} s")
    for name in ("", "judge", "endpoint's ledger", "same"):
        table.add_column(name)
    checks = [
        ("scored + unscored", f"{scored:,} + {len(verdicts) - scored:,}", f"{count:,}", len(verdicts) == count),
        ("verdicts = questions answered", f"{scored:,}", f"{sum(paid):,}", scored == sum(n > 0 for n in paid)),
        ("most answers to one question", "", f"{max(paid)}", max(paid) <= 1),
        ("requests", f"{used.requests:,}", f"{sum(got.values()):,}", used.requests == sum(got.values())),
        ("tokens read", f"{used.prompt_tokens:,}", f"{told['prompt']:,}", used.prompt_tokens == told["prompt"]),
        ("known cost", f"${used.cost}", f"${exact}", used.cost == exact),
        ("attempts of unknown cost", f"{used.unknown:,}", *unknown(got, used.unknown)),
    ]
    for name, ours, theirs, same in checks:
        table.add_row(name, ours, theirs, "yes" if same else "NO")
    console.print(table)
    console.print(", ".join(f"{name} {number:,}" for name, number in got.most_common()))
    return all(same for *_, same in checks)


def unknown(got: Counter[str], ours: int) -> tuple[str, bool]:
    theirs = got["cut"] + got["garbage"] + got["slow"]
    return f"{theirs:,} (cut, garbage, slow)", ours == theirs


# ── kills ─────────────────────────────────────────────────────────────────────


def record(url: str, tape: str, count: int) -> None:
    """Judges on a cassette, and prints the verdicts' digest and what was paid; the process that is killed."""
    costs = CostTracker(Prices(PRICES))
    with Cassette(tape, "record") as cassette, ChatModel(MODEL, base_url=url, concurrency=200, costs=costs) as model:
        _, verdicts = judged(RecordedModel(cassette, model), count)
    print(json.dumps({"outcomes": Counter(verdict.outcome for verdict in verdicts)}))


def on_tape(tape: str) -> set[int]:
    """The questions whose answers are recorded."""
    if not Path(tape).exists():
        return set()
    with Cassette(tape) as cassette:
        texts = [row.request["messages"][-1]["content"] for row in cassette.rows() if not row.failed]
    return {int(text.partition("question number ")[2].split()[0]) for text in texts}


def kills(count: int, times: int, seed: int) -> bool:
    console, dice = Console(), random.Random(seed)
    table = Table(title=f"{count:,} judgements, killed {times} times with kill -9")
    for name in ("attempt", "killed after, s", "answers recorded", "sent in it", "of these recorded before"):
        table.add_column(name, justify="right")
    twice = lost = 0
    with endpoint() as url, tempfile.TemporaryDirectory() as folder:
        tape = f"{folder}/tape.db"
        command = [sys.executable, __file__, "record", url, tape, str(count)]
        before: Counter[int] = Counter()
        for attempt in range(1, times + 2):
            kept = on_tape(tape)
            process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
            seconds = dice.uniform(0.2, 1.2) if attempt <= times else None
            if seconds is not None:
                while sum(sent(url).values()) == sum(before.values()) and process.poll() is None:
                    time.sleep(0.01)
                time.sleep(seconds)
                process.send_signal(signal.SIGKILL)
            printed, _ = process.communicate()
            time.sleep(0.2)
            now = sent(url)
            fresh = now - before
            again = sum(number for question, number in fresh.items() if question in kept)
            twice, before = twice + again, now
            shown = "" if seconds is None else f"{seconds:.2f}"
            recorded = len(on_tape(tape))
            table.add_row(str(attempt), shown, f"{recorded:,}", f"{sum(fresh.values()):,}", str(again))
        lost = sum(before.values()) - count
    console.print(table)
    console.print(f"verdicts: {printed.strip()}")
    console.print(f"calls paid twice whose answer was recorded: {twice}; in flight when killed, sent again: {lost}")
    return twice == 0 and json.loads(printed)["outcomes"] == {"correct": count}


def sent(url: str) -> Counter[int]:
    """How often each question was sent."""
    return Counter({int(number): len(each) for number, each in ledger(url)["outcomes"].items()})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("speed", "faults", "kills"):
        command = commands.add_parser(name)
        command.add_argument("--judgements", type=int, default=2_000)
        if name == "speed":
            command.add_argument("--concurrency", type=int, default=200)
            command.add_argument("--rounds", type=int, default=3)
        elif name == "faults":
            command.add_argument("--share", type=float, default=0.2)
        else:
            command.add_argument("--kills", type=int, default=5)
            command.add_argument("--seed", type=int, default=0)
    command = commands.add_parser("record")
    for name in ("url", "tape"):
        command.add_argument(name)
    command.add_argument("judgements", type=int)
    options = parser.parse_args()
    if options.command == "record":
        record(options.url, options.tape, options.judgements)
        return
    if options.command == "speed":
        good = speed(options.judgements, options.concurrency, options.rounds)
    elif options.command == "faults":
        good = faults(options.judgements, options.share)
    else:
        good = kills(options.judgements, options.kills, options.seed)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
