"""Our metrics against the released code of WideSearch, BrowseComp and BrowseComp-ZH, on random tables and replies.

    python benchmarks/releases.py widesearch CLONE [--python CLONE/.venv/bin/python] [--tables 2000] [--seed 0]
    python benchmarks/releases.py browsecomp CLONE [--replies 2000]
    python benchmarks/releases.py browsecomp-zh CLONE [--replies 2000]

CLONE is your own copy of github.com/ByteDance-Seed/WideSearch, openai/simple-evals or PALIN2018/BrowseComp-ZH. Their
code runs as it is, in a process of ``--python`` (for WideSearch with pandas 2 and dateparser, as it asks for), where no
model answers, nothing is downloaded and nothing is logged.

*widesearch*: each random table is wrong in some ways that both should count alike, and has some of the traps that
:mod:`webenv.rewards.tables` lists. A disagreement is listed if the same table without its traps has none; for each trap
it is counted how many tables disagree that have this one alone. *browsecomp*: what the released grader makes of a
judge's reply, with the error of its comparison and without, beside our parser. *browsecomp-zh*: accuracy and
calibration error of random runs.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from webenv.rewards.browsecomp import BrowseCompRubric, Response, calibration_error
from webenv.rewards.tables.cells import TableSpec
from webenv.rewards.tables.grader import TableAnswer, TableJudge
from webenv.rewards.tables.markdown import read_csv


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("widesearch", "browsecomp", "browsecomp-zh"))
    parser.add_argument("clone", type=Path, help="a copy of the release")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that runs the released code")
    parser.add_argument("--tables", type=int, default=2_000)
    parser.add_argument("--replies", type=int, default=2_000)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="that run the released code")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    {"widesearch": tables, "browsecomp": replies, "browsecomp-zh": runs}[given.what](Console(width=110), given)


def released(given: Any, program: str, lines: Sequence[Any]) -> list[Any]:
    """What the released code makes of each line; each text is given to it once, to so many processes in turn."""
    texts = list(map(json.dumps, lines))
    once = list(dict.fromkeys(texts))
    parts = [once[first :: given.processes] for first in range(given.processes)]

    def run(part: Sequence[str]) -> list[Any]:
        done = subprocess.run(
            [given.python, "-c", program, str(given.clone.resolve())],
            input="\n".join(part),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            sys.exit(f"{given.clone}: the released code ended with {done.stderr.strip().splitlines()[-1:]}")
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]

    found: dict[str, Any] = {}
    with ThreadPoolExecutor(given.processes) as pool:
        for part, said in zip(parts, pool.map(run, parts), strict=True):
            found.update(zip(part, said, strict=True))
    return [found[text] for text in texts]


# ── WideSearch ────────────────────────────────────────────────────────────────

_WIDESEARCH = """
import io, json, sys, types, warnings
warnings.simplefilter("ignore")
sys.path.insert(0, sys.argv[1])
nothing = lambda *args, **named: None
quiet = type("Quiet", (), {"__getattr__": lambda self, name: nothing})()
def stand_in(name, **parts):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__dict__.update(parts)
stand_in("src.utils.llm", llm_completion=nothing)
stand_in("pandarallel", pandarallel=quiet)
stand_in("loguru", logger=quiet)
stand_in("datasets", load_dataset=nothing)
stand_in("huggingface_hub", snapshot_download=nothing, try_to_load_from_cache=nothing)
import pandas as pd
from src.evaluation.data_loader import WideSearchQuery, WideSearchResponse
from src.evaluation.evaluation import evaluate_single_query
from src.utils.utils import norm_column
for line in sys.stdin:
    one = json.loads(line)
    gold = pd.read_csv(io.StringIO(one["gold"]))
    gold.columns = [norm_column(name) for name in gold.columns]
    query = WideSearchQuery("x", "", one["evaluation"], gold[one["evaluation"]["required"]], "en")
    r = evaluate_single_query(query, WideSearchResponse("x", one["answer"]))
    print([float(n) for n in (r.score, r.precision_by_row, r.recall_by_row, r.f1_by_row, r.precision_by_item,
                              r.recall_by_item, r.f1_by_item)])
"""


@dataclass
class TableDraft:
    """A gold table and an answer that is being made: what the columns are, rows by column, how it is written, and what
    stands before and behind the cells of the first row."""

    kinds: dict[str, str]
    gold: list[dict[str, str]]
    answer: list[dict[str, str]]
    pipeline: dict[str, dict[str, Any]]
    fence: str = "markdown"
    before: str = ""
    outer: bool = True
    raw: tuple[str, str] = ("", "")

    def column(self, *kinds: str) -> str:
        """A column of one of some kinds; empty: there is none."""
        return next((name for name, kind in self.kinds.items() if kind in kinds), "")

    def both(self, column: str, gold: str, answer: str) -> None:
        """Sets a cell of the first row that both have; rows that the answer lacks are put back."""
        self.gold[0][column] = gold
        key = self.gold[0]["City"]
        row = next((one for one in self.answer if one["City"].casefold() == key.casefold()), None)
        if row is None:
            self.answer.append(row := dict(self.gold[0]))
        row[column] = answer

    def written(self) -> dict[str, Any]:
        """As both sides take it."""
        text = io.StringIO()
        csv.DictWriter(text, list(self.kinds), lineterminator="\n").writeheader()
        csv.DictWriter(text, list(self.kinds), lineterminator="\n").writerows(self.gold)
        bar = "| {} |" if self.outer else "{}"
        lines = [bar.format(" | ".join(self.kinds)), bar.format(" | ".join("---" for _ in self.kinds))]
        for number, row in enumerate(self.answer):
            first, last = self.raw if number == 0 else ("", "")
            lines.append(bar.format(first + " | ".join(row[name] for name in self.kinds) + last))
        body = "\n".join(lines)
        if self.fence:
            body = f"```{self.fence}\n{body}\n```"
        required = [name.lower().replace(" ", "") for name in self.kinds]
        pipeline = {name.lower().replace(" ", ""): step for name, step in self.pipeline.items()}
        evaluation = {"required": required, "unique_columns": ["city"], "eval_pipeline": pipeline}
        return {"gold": text.getvalue(), "answer": f"{self.before}{body}\n", "evaluation": evaluation}


_STEPS: Mapping[str, dict[str, Any]] = {
    "text": {"preprocess": ["norm_str"], "metric": ["exact_match"]},
    "exact": {"preprocess": [], "metric": ["exact_match"]},
    "part": {"preprocess": ["norm_str"], "metric": ["in_match"]},
    "measure": {"preprocess": ["extract_number"], "metric": ["number_near"]},
    "number": {"preprocess": [], "metric": ["number_near"]},
    "date": {"preprocess": [], "metric": ["date_near"]},
    "iso": {"preprocess": ["norm_date"], "metric": ["exact_match"]},
    "url": {"preprocess": [], "metric": ["url_match"]},
}
_WORDS = (
    "old",
    "new",
    "tall",
    "red",
    "stone",
    "iron",
    "river",
    "green",
    "brick",
    "low",
    "white",
    "gate",
    "hill",
    "quay",
)
_CITIES = ("Rome", "Oslo", "Cairo", "Lima", "Quito", "Bonn", "Bern", "Riga", "Minsk", "Accra", "Dakar", "Hanoi")
_MONTHS = ("January", "March", "May", "July", "August", "October", "December")


def _value(kind: str, rng: random.Random) -> str:
    if kind in ("text", "exact", "part"):
        return " ".join(rng.sample(_WORDS, rng.randint(1, 3)))
    if kind in ("measure", "number"):
        return f"{rng.randint(2, 900)}" + (" m" if kind == "measure" else "")
    if kind == "url":
        return f"https://{rng.choice(_WORDS)}.example/{rng.choice(_WORDS)}"
    year, month, day = rng.randint(1900, 2020), rng.choice(_MONTHS), rng.randint(1, 28)
    return f"{day} {month} {year}" if kind == "date" else f"{year}-{rng.randint(1, 12):02d}-{day:02d}"


def _draft(rng: random.Random) -> TableDraft:
    """A table without traps, and an answer that is wrong here and there."""
    kinds = {"City": "text", **{f"Of {kind}": kind for kind in rng.sample(list(_STEPS), rng.randint(1, 4))}}
    gold = [
        {"City": city, **{name: _value(kind, rng) for name, kind in kinds.items() if name != "City"}}
        for city in rng.sample(_CITIES, rng.randint(2, 10))
    ]
    pipeline = {name: {**_STEPS[kind], "criterion": rng.choice((0.0, 0.02, 0.1))} for name, kind in kinds.items()}
    answer = [dict(row) for row in gold if rng.random() > 0.15]
    for row in answer:
        for name, kind in kinds.items():
            if name != "City" and rng.random() < 0.15:
                row[name] = _value(kind, rng)
            elif kind == "part" and rng.random() < 0.3:
                row[name] = row[name].split()[0]
            elif kind == "text" and rng.random() < 0.3:
                row[name] = rng.choice((row[name].upper(), f"**{row[name]}**", f" {row[name]}  "))
    if rng.random() < 0.3:
        answer.append({name: _value(kind, rng) for name, kind in kinds.items()} | {"City": "Nowhere"})
    if answer and rng.random() < 0.2:
        answer.append(dict(answer[0]))
    rng.shuffle(answer)
    before = "This is what was found.\n\n" if rng.random() < 0.5 else ""
    return TableDraft(
        kinds, gold, answer or [dict(gold[0])], pipeline, rng.choice(("markdown", "markdown", "")), before
    )


def _cell(kinds: Sequence[str], gold: str, answer: str) -> Callable[[TableDraft], bool]:
    def sets(draft: TableDraft) -> bool:
        column = draft.column(*kinds)
        if column:
            draft.both(column, gold, answer)
        return bool(column)

    return sets


def _sets(**values: Any) -> Callable[[TableDraft], bool]:
    def sets(draft: TableDraft) -> bool:
        for name, value in values.items():
            setattr(draft, name, value)
        return True

    return sets


def _two_metrics(draft: TableDraft) -> bool:
    column = draft.column("exact", "part")
    if column:
        draft.pipeline[column] = {**draft.pipeline[column], "metric": ["exact_match", "in_match"]}
    return bool(column)


def _spellings(draft: TableDraft) -> bool:
    row = draft.answer[0]
    draft.answer += [{**row, "City": row["City"].upper()}, {**row, "City": row["City"].lower()}]
    return True


def _key_by_letter(draft: TableDraft) -> bool:
    draft.pipeline["City"] = {"preprocess": [], "metric": ["exact_match"]}
    draft.answer[0]["City"] = draft.answer[0]["City"].upper()
    return True


def _decimals(column: str = "exact") -> Callable[[TableDraft], bool]:
    def sets(draft: TableDraft) -> bool:
        name = draft.column("exact", "text")
        if name in ("", "City"):
            name = draft.column("exact")
        if name:
            for number, row in enumerate(draft.gold):
                row[name] = str(number + 5)
            for row in draft.answer:
                row[name] = next((one[name] for one in draft.gold if one["City"] == row["City"]), "5")
                row[name] += ".0" if column == "exact" else ""
            if column == "beside":
                draft.gold[-1][name] = "7.5"
            elif column == "above":
                draft.answer[0][name] = ""
        return bool(name)

    return sets


TRAPS: Mapping[str, Callable[[TableDraft], bool]] = {
    "two cells without a date": _cell(["date"], "unknown", "soon"),
    "two cells without a URL": _cell(["url"], "not given", "private"),
    "a URL that cannot be parsed": _cell(["url"], "https://a.example/x", "https://[b.example/x"),
    "two cells without a number": _cell(["measure"], "tall", "small"),
    "separators of thousands": _cell(["number"], "1,200", "1200"),
    "a missing cell is the word nan": _cell(["part"], "banana", "N/A"),
    "a missing number": _cell(["number"], "", "N/A"),
    "a dash for a missing cell": _cell(["exact"], "", "-"),
    "spaces that are not plain": _cell(["text", "part"], "old stone", "old\u00a0stone"),
    "a bare number as a date": _cell(["date"], "soon", "5"),
    "5 beside 7.5 in a column of texts": _decimals("beside"),
    "5 above a missing cell": _decimals("above"),
    "5.0 as a text": _decimals(),
    "two metrics of a column": _two_metrics,
    "one key in three spellings": _spellings,
    "a key compared to the letter": _key_by_letter,
    "a bar in the prose above": _sets(fence="", before="Pages | found\n\n"),
    "no outer bars": _sets(fence="", outer=False),
    "a fence called md": _sets(fence="md", before="a | b\n"),
    "a quotation mark never closed": _sets(raw=('"', "")),
    "a cell too many": _sets(raw=("", " | and | more")),
    "a bar that is escaped": _sets(raw=("", "\\|x")),
}
"""What the release gets wrong, by how a table comes to show it."""


def _made(seed: str, traps: Sequence[str]) -> tuple[TableDraft, list[str]]:
    """The table of a seed with traps, and those of them that it could be given."""
    draft = _draft(random.Random(seed))
    return draft, [name for name in traps if TRAPS[name](draft)]


def tables(console: Console, given: Any) -> None:
    rng = random.Random(given.seed)
    chosen = [rng.sample(list(TRAPS), rng.choice((0, 0, 0, 1, 2))) for _ in range(given.tables)]
    whole, bare, alone = [], [], []
    for number, traps in enumerate(chosen):
        seed = f"{given.seed}/{number}"
        draft, met = _made(seed, traps)
        whole.append((number, met, draft.written()))
        bare.append(_made(seed, [])[0].written())
        alone += [(name, number, _made(seed, [name])[0].written()) for name in met]
    every = [one for _, _, one in whole] + bare + [one for _, _, one in alone]
    theirs = released(given, _WIDESEARCH, every)
    ours = [
        list(score.numbers) if score.numbers is not None else []
        for score in TableJudge().grade(
            [TableAnswer(one["answer"], read_csv(one["gold"]), TableSpec.of(one["evaluation"])) for one in every]
        )
    ]
    differ = [
        len(mine) != len(other) or any(abs(a - b) > 1e-9 for a, b in zip(mine, other, strict=True))
        for mine, other in zip(ours, theirs, strict=True)
    ]
    count = len(whole)
    found = [number for number in range(count) if differ[number]]
    unlisted = [number for number in found if differ[count + number] or not whole[number][1]]
    with_traps = sum(bool(met) for _, met, _ in whole)
    console.print(
        f"{count:,} random tables, {with_traps:,} of them with a trap or two: {len(found):,} disagreements; without "
        f"their traps the same {count:,} tables: {sum(differ[count : 2 * count])}; no listed trap: {len(unlisted)}"
    )
    for number in unlisted[:3]:
        console.print(number, ours[number], theirs[number], every[number], markup=False)
    shown = Table(title="Traps, each alone", box=None)
    for name in ("trap", "tables", "that disagree"):
        shown.add_column(name, justify="left" if name == "trap" else "right")
    total, wrong = Counter(name for name, _, _ in alone), Counter[str]()
    for place, (name, _, _) in enumerate(alone, start=2 * count):
        wrong[name] += differ[place]
    for name in TRAPS:
        shown.add_row(name, str(total[name]), str(wrong[name]))
    console.print(shown)


# ── BrowseComp ────────────────────────────────────────────────────────────────

_GRADER = """
import ast, json, re, sys
tree = ast.parse(open(sys.argv[1] + "/browsecomp_eval.py").read())
[grade] = [one for node in tree.body if isinstance(node, ast.ClassDef) for one in node.body
           if isinstance(one, ast.FunctionDef) and one.name == "grade_sample"]
parts = [node for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == "GRADER_TEMPLATE"]
exec(compile(ast.Module([*parts, grade], []), "browsecomp_eval", "exec"))
class Model:
    def _pack_message(self, content, role):
        return content
    def __call__(self, messages):
        return type("Came", (), {"response_text": self.reply})()
class Asked:
    grader_model = Model()
for line in sys.stdin:
    Asked.grader_model.reply = json.loads(line)
    print(json.dumps([grade_sample(Asked(), "q", "a", "r")]))
"""

_REPLIES: Mapping[str, tuple[str, ...]] = {
    "as asked": ("correct: yes", "correct: no"),
    "another case or markup": ("Correct: yes", "**correct:** no", "- correct: Yes", "correct:  no"),
    "a reason behind": ("correct: yes, they match", "correct: no, another city"),
    "a hedge or two verdicts": ("correct: yes or no", "correct: yes/no", "correct: yes, but not quite"),
    "said in the reasoning": ("reasoning: is it correct: yes? it is not\ncorrect: no",),
    "within another word": ("incorrect: yes",),
    "no verdict": ("correct: perhaps", "it matches"),
}
"""Ways to put a verdict. The first is as the prompt asks for it; the others differ as our parser's docstring says."""


def replies(console: Console, given: Any) -> None:
    rng = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "prompt.txt"
        path.write_text("{question}\n{response}\n{correct_answer}\n")
        rubric = BrowseCompRubric(path)
    drawn = []
    for _ in range(given.replies):
        way = rng.choice(list(_REPLIES))
        verdict = rng.choice(_REPLIES[way])
        text = f"extracted_final_answer: {rng.choice(_CITIES)}\n\nreasoning: {rng.choice(_WORDS)}\n\n{verdict}\n"
        drawn.append((way, f"{text}\nconfidence: {rng.randint(0, 100)}%"))
    theirs = [one[0] for one in released(given, _GRADER, [text for _, text in drawn])]
    shown = Table(title=f"{given.replies:,} replies of a judge", box=None)
    for name in (
        "verdict",
        "replies",
        "released: right",
        "were its comparison mended",
        "ours: right",
        "none",
        "differ",
    ):
        shown.add_column(name, justify="left" if name == "verdict" else "right")
    item = Response("q", ("a",), "r")
    for way in _REPLIES:
        rows = [(text, said) for (one, text), said in zip(drawn, theirs, strict=True) if one == way]
        ours = [rubric.read(text, item, 0) for text, _ in rows]
        mended = [re.sub("correct: ", "", said) == "yes" for _, said in rows]
        right = [one is not None and one.correct for one in ours]
        differ = sum(one is None or mine != other for one, mine, other in zip(ours, right, mended, strict=True))
        numbers = (sum(said == "yes" for _, said in rows), sum(mended), sum(right), sum(one is None for one in ours))
        shown.add_row(way, *map(str, (len(rows), *numbers, differ)))
    console.print(shown)


# ── BrowseComp-ZH ─────────────────────────────────────────────────────────────

_CALIBRATION = """
import json, os, sys, tempfile
sys.path.insert(0, sys.argv[1])
import run_acc_calibration_error as release
for line in sys.stdin:
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(folder + "/m")
        with open(folder + "/m/infer.jsonl", "w") as file:
            for correct, confidence in json.loads(line):
                told = {"is_correct": correct, "model_extracted_confidence": confidence}
                file.write(json.dumps({"eval_result": [told]}) + chr(10))
        data = release.process_model_data("m", folder)
        total = data["correct"] + data["wrong"] + data["none"]
        print([release.calculate_calibration(data["calibration"], total), 100 * data["correct"] / total])
"""


def runs(console: Console, given: Any) -> None:
    rng = random.Random(given.seed)
    drawn = [
        [(rng.choice(("yes", "no", "No")), f"{rng.randint(0, 100)}%") for _ in range(rng.randint(1, 289))]
        for _ in range(given.replies)
    ]
    theirs = released(given, _CALIBRATION, drawn)
    worst = 0.0
    for run, (calibration, accuracy) in zip(drawn, theirs, strict=True):
        right = [one == "yes" for one, _ in run]
        ours = 100 * calibration_error([float(stated.rstrip("%")) for _, stated in run], right)
        worst = max(worst, abs(ours - calibration), abs(100 * sum(right) / len(right) - accuracy))
    console.print(f"{given.replies:,} random runs of 1 to 289 answers: largest difference {worst:.1e} points")


if __name__ == "__main__":
    main()
