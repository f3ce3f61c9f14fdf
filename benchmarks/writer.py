"""Whether errors of a model that writes a generated web anew are found: a scripted model errs on a fifth of the pages.

    python -m benchmarks.writer [--pages 600] [--seed 0] [--share 0.2] [--judge]

First each error is put into each sentence of every fifth page, and parsed. Then a web is written: twelve kinds of
errors, one sentence of a page each. Prints for each kind how many sentences were wrong and how many of
them stand in the corpus all the same, by what can be parsed alone or with a judge too (``--judge``: one that knows).
What invents a fact without a name, number or value of the world, or exchanges two names, cannot be parsed; the others
must all be found.
Then it is counted whether what the criteria of needles ask stands on their gold pages still, and tasks of each
environment are asked on the corpus, of an agent that knows their keys.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.envs.building.scripted_writer import ERRORS, ScriptedWriter, reworded
from tests.openai_server import serve
from webenv.corpora import Corpus
from webenv.corpora.markdown import LINK, plain_text
from webenv.corpora.procedural import WebConfig, generated_web
from webenv.corpora.world import WorldValue, WorldWeb, american, synonyms
from webenv.envs.building.writing.build import WebWriter
from webenv.envs.building.writing.check import SentenceCheck
from webenv.envs.building.writing.parsing import Numbers, figure_of, stems_of
from webenv.envs.needle_in_web.simulated import SimulatedNeedles
from webenv.models import make_model
from webenv.observations import Page
from webenv.web import VisitRequest

_WEBENV = "from webenv.cli.app import main; main()"
NEEDLES = 100  # of each difficulty
ENVIRONMENTS = ("NeedleInWeb-v0", "LiveNewsBench-v0", "WideSearch-v0", "BrowseComp-v0", "AgentWebSearch-v0")


def sweep(spec: str) -> None:
    """Does each wrong to each sentence of every fifth page, and prints how many pass what can be parsed."""
    web = generated_web(WebConfig.parse(spec))
    check = SentenceCheck(web)
    wrong: Counter[str] = Counter()
    passed: Counter[str] = Counter()
    for number in range(0, len(web), 5):
        for sentence in check.page(number).sentences.values():
            new = reworded(sentence.text)
            passed["none, and found wrong"] += check.fault(sentence, new) is not None
            wrong["none, and found wrong"] += 1
            keep = ", ".join(f"“{one}”" for term in sentence.terms for one in term.wordings[:1])
            for error, spoil in ERRORS.items():
                spoilt = spoil(new, keep)
                if spoilt != new:
                    wrong[error] += 1
                    passed[error] += check.fault(sentence, spoilt) is None
    print(f"{'error, in every sentence':32}{'sentences':>11}{'passed':>8}")
    for error, count in wrong.items():
        print(f"{error:32}{count:>11,}{passed[error]:>8,}")


def stated(spec: str, folder: Path) -> tuple[int, int]:
    """Of how many criteria that ask for an object it stands on the gold page: a name, any wording of a value, a figure;
    and how many there are."""
    web = generated_web(WebConfig.parse(spec))
    needles = SimulatedNeedles(web)
    found = every = 0
    with Corpus.open(folder, 1) as corpus:
        for difficulty in ("easy", "medium", "hard"):
            for number in range(NEEDLES):
                needle = needles.draw(difficulty, number)
                (page,) = corpus.visit([VisitRequest(needle.task.gold.urls[0])])
                text = plain_text(page.text) if isinstance(page, Page) else ""
                for criterion in needle.criteria:
                    if "O" not in criterion.pattern.asks():
                        continue  # its object is masked: the page need not tell it
                    every += 1
                    found += _stands(criterion.fact.object, text, web)
    return found, every


def _stands(value: WorldValue, text: str, web: WorldWeb) -> bool:
    if value.type in ("number", "money", "year"):
        numbers, figure = Numbers.of(text), figure_of(value.number)
        return figure in numbers.all or any(one.startswith(f"{figure} ") for one in numbers.counted)
    entity = web.entity(value.entity)
    if entity is not None:
        return entity.name.split()[-1] in text
    ways = synonyms(web.world.setting, value)
    return any(stems_of(one) <= stems_of(text) for one in (*ways, *map(american, ways)))


def main() -> None:
    """Writes a web, and counts."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pages", type=int, default=600)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--share", type=float, default=0.2, help="of the pages that have an error")
    parser.add_argument("--judge", action="store_true")
    options = parser.parse_args()
    writer = ScriptedWriter(share=options.share)
    with tempfile.TemporaryDirectory() as folder, serve(writer.script()) as server:
        os.environ.update(OPENAI_BASE_URL=server.base_url, OPENAI_API_KEY="key")
        web = Path(folder, "web")
        sweep(f"procedural:pages={options.pages},split=test,seed={options.seed}")
        judge = make_model("critic") if options.judge else None
        spec = f"procedural:pages={options.pages},split=test,seed={options.seed}"
        WebWriter(make_model("scribe"), judge, workers=4).write(spec, web)
        with Corpus.open(web, 1) as corpus:
            every = LINK.sub(r"\1", "\n".join(page.text for page in corpus.pages()))
            print(corpus.manifest.extractor if corpus.manifest else "")
        print(f"{len(server.requests):,} requests; {'parsed and judged' if options.judge else 'parsed'}")
        print(f"{'error':32}{'wrong':>7}{'in the corpus':>15}")
        for error in ERRORS:
            wrong = writer.wrong.get(error, [])
            print(f"{error:32}{len(wrong):>7}{sum(bool(text) and text in every for text in wrong):>15}")
        print("objects of criteria that stand on the gold page: {} of {}".format(*stated(spec, web)))
        for name in ENVIRONMENTS:
            played = [sys.executable, "-c", _WEBENV, "eval", name, "--web", str(web), "--split", "test"]
            played += ["--policy", "oracle", "--episodes", "20", "--json", "--out", str(Path(folder, name))]
            done = subprocess.run(played, capture_output=True, text=True, check=False)
            lines = done.stdout.splitlines()
            told = json.loads(lines[-1])["total"]["success_rate"] if done.returncode == 0 and lines else done.stderr
            print(f"{name}: oracle {told}")


if __name__ == "__main__":
    main()
