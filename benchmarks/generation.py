"""How fast a generated web is made, and its tasks.

    python benchmarks/generation.py --web procedural:pages=100000 [--pages 20000] [--tasks 200]

Prints seconds and rates of one core, and the peak of memory; ``--pages`` writes only that many.
"""

from __future__ import annotations

import argparse
import resource
import time
from itertools import islice

from webenv.corpora.procedural import WebConfig, generated_web
from webenv.envs.needle_in_web.simulated import SimulatedNeedles


def peak() -> str:
    return f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB at the peak"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--web", default="procedural")
    parser.add_argument("--pages", type=int, default=None)
    parser.add_argument("--tasks", type=int, default=200, help="of each difficulty")
    arguments = parser.parse_args()
    started = time.process_time()
    web = generated_web(WebConfig.parse(arguments.web))
    first = next(web.pages())
    print(f"world and first page: {time.process_time() - started:.2f} s ({first.url})")
    count = min(arguments.pages or len(web), len(web))
    started = time.process_time()
    words = sum(len(page.text.split()) for page in islice(web.pages(), count))
    seconds = time.process_time() - started
    print(f"{count:,} pages of {words / count:,.0f} words: {count / seconds:,.0f} pages/s a core, {peak()}")
    started = time.process_time()
    generator = SimulatedNeedles(web)
    generator.draw("easy", 0)
    print(f"facts of the world and first task: {time.process_time() - started:.2f} s, {peak()}")
    for difficulty in ("easy", "medium", "hard"):
        started = time.process_time()
        for number in range(arguments.tasks):
            generator.draw(difficulty, number)
        print(f"{difficulty} tasks: {arguments.tasks / (time.process_time() - started):,.0f} /s")


if __name__ == "__main__":
    main()
