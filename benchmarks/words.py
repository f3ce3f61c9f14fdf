"""How many words of the criteria of test worlds an agent has never seen in training worlds.

    python benchmarks/words.py [--train 12] [--worlds 6] [--tasks 100] [--pages 2880]

A word counts as known if any page or criterion of the training worlds has it, in any inflection that shares its first
six letters (``--exact``: as it is written). Names and numbers are told apart from words: names are new in every world.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter

from readers import DIFFICULTIES

from webenv.corpora.procedural import WebConfig
from webenv.corpora.world.web import WorldWeb
from webenv.envs.needle_in_web.simulated import SimulatedNeedles
from webenv.query_terms import STOP_WORDS

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d[\d,.]*s?\b|\d[\d,.]*")


def main() -> None:
    """Counts and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--train", type=int, default=12)
    parser.add_argument("--worlds", type=int, default=6)
    parser.add_argument("--tasks", type=int, default=100, help="of each difficulty in each world")
    parser.add_argument("--pages", type=int, default=2_880)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--exact", action="store_true", help="inflections are words of their own")
    options = parser.parse_args()
    letters = 99 if options.exact else 6
    known: set[str] = set()
    for seed in range(options.seed, options.seed + options.train):
        web = WorldWeb(WebConfig(pages=options.pages, seed=seed, split="train"))
        for page in web.pages():
            known.update(word[:letters] for word in _WORD.findall(f"{page.title} {page.text}".lower()))
        for word, _ in _criteria(web, options.tasks):
            known.add(word.lower()[:letters])
    counts: Counter[tuple[str, bool]] = Counter()
    new: Counter[str] = Counter()
    types: dict[tuple[str, bool], set[str]] = {}
    for seed in range(options.seed + 500, options.seed + 500 + options.worlds):
        web = WorldWeb(WebConfig(pages=options.pages, seed=seed, split="test"))
        for word, first in _criteria(web, options.tasks):
            if word.lower() in STOP_WORDS:
                continue
            sort = "numbers" if word[0].isdigit() else "names" if word[0].isupper() and not first else "words"
            unseen = word.lower()[:letters] not in known
            counts[sort, unseen] += 1
            types.setdefault((sort, unseen), set()).add(word.lower())
            if sort == "words" and unseen:
                new[word.lower()] += 1
    every = sum(counts.values())
    print(f"{len(known):,} words known from {options.train} worlds; {every:,} content words in test criteria")
    for sort in ("words", "names", "numbers"):
        total = counts[sort, True] + counts[sort, False]
        kinds = len(types.get((sort, True), ())), len(types.get((sort, True), ())) + len(types.get((sort, False), ()))
        share = 100 * counts[sort, True] / max(1, total)
        print(f"{sort}: {share:.1f}% of {total:,} unseen ({kinds[0]:,} of {kinds[1]:,} different ones)")
    print(f"all: {100 * sum(count for (_, unseen), count in counts.items() if unseen) / max(1, every):.1f}% unseen")
    print("most frequent new words: " + ", ".join(f"{word} {count}" for word, count in new.most_common(30)))


def _criteria(web: WorldWeb, tasks: int) -> list[tuple[str, bool]]:
    """The words of a world's criteria, with whether they begin a sentence."""
    needles = SimulatedNeedles(web)
    found: list[tuple[str, bool]] = []
    for difficulty in DIFFICULTIES:
        for number in range(tasks):
            for text in needles.draw(difficulty, number).task.criteria:
                for sentence in text.split(". "):
                    found += [(word, place == 0) for place, word in enumerate(_WORD.findall(sentence))]
    return found


if __name__ == "__main__":
    main()
