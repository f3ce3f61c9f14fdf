"""Does a generated web read like real pages? Their figures side by side.

    python benchmarks/prose.py ~/real_pages web.jsonl [--sample 1500] [--cache FOLDER] [--json]

An input is a file of JSON lines with "text" (and "title"), or a folder of HTML pages, one subfolder a
website: an even share of each site's English pages is drawn by a fixed seed, their main text extracted by
trafilatura, and kept under --cache. The first input is the measure; others stand beside it with their ratio.

How the figures are defined:

* word: a run of letters, with hyphens and apostrophes inside. A sentence starts at the start of a line and
  after . ! ? or :.
* masked: a capitalised word not at a sentence's start, a word whose small form is not in the lexicon (all
  forms of WordNet's words and function words), and a figure each become one mask; masks side by side become
  one. A title in capitals is all mask.
* repeated 8-grams: of all runs of eight masked tokens inside a page, those that also stand at another place
  of the web (on another page: "elsewhere"); one that is half mask or more is not counted.
* zstd ratio: bytes of the masked text, one page a line, over its bytes at level 19 with a window of 128 MiB.
* Shares and ratios depend on size: webs are compared at equal numbers of words, taking pages in an order
  that a fixed seed shuffles, at 100,000, 300,000 and 1,000,000 words as far as each web goes.
* BM25 spread: 300 queries, each the unmasked words of one sentence (at least six) of a page, on an index of
  at most 1,500 pages; first score over tenth, over second, and how often the page itself comes first.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import tantivy
import trafilatura
import zstandard
from rich.console import Console
from rich.table import Table

from webenv.corpora.procedural.language.lexicon import Lexicon
from webenv.corpora.query import ANALYZER, analyzer

MASK = "_"
CACHE = Path(tempfile.gettempdir()) / "webenv-prose"
SIZES = (10_000, 100_000, 300_000, 1_000_000)
_TOKEN = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|\d[\d.,]*|[.!?:\n]")
_COMMON = frozenset(
    {
        "the",
        "of",
        "and",
        "to",
        "in",
        "a",
        "is",
        "that",
        "for",
        "it",
        "as",
        "with",
        "on",
        "be",
        "this",
        "are",
        "or",
        "by",
        "not",
        "from",
        "an",
        "if",
        "can",
    }
)

Page = tuple[str, str]
"""Title and main text."""


def pages_of(source: Path, sample: int, cache: Path) -> list[Page]:
    """The pages of a JSON-lines file, or a sample of a folder's HTML pages, extracted."""
    if source.is_file():
        with source.open(encoding="utf-8") as lines:
            return [(page.get("title", ""), page["text"]) for page in map(json.loads, lines)]
    kept = cache / f"{hashlib.sha256(f'{source.resolve()} {sample}'.encode()).hexdigest()[:16]}.jsonl"
    if not kept.exists():
        cache.mkdir(parents=True, exist_ok=True)
        partial = kept.with_suffix(".partial")
        with partial.open("w", encoding="utf-8") as out:
            for title, text in _extracted(source, sample):
                out.write(json.dumps({"title": title, "text": text}) + "\n")
        partial.rename(kept)
    return pages_of(kept, sample, cache)


def _extracted(folder: Path, sample: int) -> Iterator[Page]:
    sites = sorted(path for path in folder.iterdir() if path.is_dir())
    queues = []
    for site in sites:
        files = sorted(path for path in site.rglob("*.html") if path.is_file() and not path.is_symlink())
        random.Random(site.name).shuffle(files)
        if files:
            queues.append(iter(files))
    found = 0
    while queues and found < sample:
        for queue in list(queues):
            page = next(filter(None, map(_extract, queue)), None)
            if page is None:
                queues.remove(queue)
            elif found < sample:
                found += 1
                yield page


def _extract(path: Path) -> Page | None:
    """Title and main text of an English page of at least 50 words; None of any other."""
    html = path.read_bytes()
    declared = re.search(rb"<html[^>]*\slang=[\"']?([a-z]{2})", html, re.IGNORECASE)
    if declared and declared[1].lower() != b"en":
        return None
    document = trafilatura.bare_extraction(html, url=f"https://{path.parent.name}.example/{path.name}")
    if not isinstance(document, trafilatura.settings.Document) or not document.text:
        return None
    words = re.findall(r"\w+", document.text.lower())
    if len(words) < 50 or sum(word in _COMMON for word in words) < len(words) / 12:
        return None
    return document.title or "", document.text


def known_words(lexicon: Lexicon) -> frozenset[str]:
    """All forms of the lexicon's words, and the words of its clauses and definitions."""
    known: set[str] = set()
    for text, _, _ in (*lexicon.sentences(), *lexicon.definitions()):
        known.update(token.lower() for token in _TOKEN.findall(text))
    forms = {
        "noun": ("plural",),
        "verb": ("third", "past", "participle", "gerund"),
        "adjective": ("comparative", "superlative"),
        "adverb": ("comparative", "superlative"),
    }
    for part, kinds in forms.items():
        for word in lexicon.words(part):  # type: ignore[arg-type]
            known.add(word)
            known.update(lexicon.inflect(word, part, kind) for kind in kinds)  # type: ignore[arg-type]
    return frozenset(known)


class Reading:
    """One page's tokens: as written in small letters, and masked."""

    def __init__(self, text: str, known: frozenset[str]) -> None:
        self.words = 0
        self.small: list[str] = []
        self.sentences: list[list[str]] = [[]]
        self.masked: list[str] = []
        start = True
        for token in _TOKEN.findall(text):
            if token in ".!?:\n":
                if self.sentences[-1]:
                    self.sentences.append([])
                start = True
                continue
            word = token[0].isalpha()
            self.words += word
            lower = token.lower().replace("’", "'")
            if token == lower or (start and lower in known):
                self.small.append(lower) if word else None
            bare = lower.removesuffix("'s")
            if word and (bare in known or lower in known) and (start or token[0].islower() or token == "I"):
                self.masked.append(lower)
                self.sentences[-1].append(lower)
            elif not self.masked or self.masked[-1] != MASK:
                self.masked.append(MASK)
            start = False


def grams(pages: Sequence[Reading]) -> tuple[float, float]:
    """Percent of 8-grams that stand at another place too, and of those that stand on another page too."""
    places: Counter[int] = Counter()
    owners: dict[int, int] = {}
    for number, page in enumerate(pages):
        runs: list[int] = []
        for start in range(len(page.masked) - 7):
            words = page.masked[start : start + 8]
            if words.count(MASK) < 4:
                runs.append(_digest(words))
        places.update(runs)
        for run in runs:
            if owners.setdefault(run, number) != number:
                owners[run] = -1
    total = sum(places.values()) or 1
    again = sum(count for count in places.values() if count > 1)
    elsewhere = sum(places[run] for run, owner in owners.items() if owner == -1)
    return 100 * again / total, 100 * elsewhere / total


def _digest(words: list[str]) -> int:
    return int.from_bytes(hashlib.blake2b(" ".join(words).encode(), digest_size=8).digest(), "big")


def zstd_ratio(pages: Sequence[Reading]) -> float:
    """Bytes of the masked text over its bytes compressed."""
    text = "\n".join(" ".join(page.masked) for page in pages).encode()
    settings = zstandard.ZstdCompressionParameters.from_level(19, window_log=27, enable_ldm=True)
    return len(text) / len(zstandard.ZstdCompressor(compression_params=settings).compress(text))


def bm25_spread(pages: Sequence[Page], readings: Sequence[Reading]) -> dict[str, float]:
    """Median ratios of the first score to the tenth and the second, and percent of pages that come first."""
    schema = tantivy.SchemaBuilder().add_text_field("text", tokenizer_name=ANALYZER)
    index = tantivy.Index(schema.add_unsigned_field("number", stored=True).build())
    index.register_tokenizer(ANALYZER, analyzer())
    writer = index.writer(heap_size=50_000_000, num_threads=1)
    for number, (title, text) in enumerate(pages[:1500]):
        writer.add_document(tantivy.Document(text=f"{title}\n{text}", number=number))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()
    draw = random.Random(5)
    tenth, second, first = [], [], []
    for number in draw.sample(range(min(1500, len(pages))), min(300, len(pages))):
        sentences = [sentence for sentence in readings[number].sentences if len(sentence) >= 6]
        if not sentences:
            continue
        words = dict.fromkeys(analyzer().analyze(" ".join(draw.choice(sentences))))
        terms = [(tantivy.Occur.Should, tantivy.Query.term_query(index.schema, "text", word, "freq")) for word in words]
        hits = searcher.search(tantivy.Query.boolean_query(terms), 10).hits
        if len(hits) == 10:
            tenth.append(hits[0][0] / hits[9][0])
            second.append(hits[0][0] / hits[1][0])
            first.append(100 * (searcher.doc(hits[0][1])["number"][0] == number))
    if not tenth:
        return {}
    return {
        "BM25 score, first / tenth": statistics.median(tenth),
        "BM25 score, first / second": statistics.median(second),
        "BM25: page itself first, %": statistics.fmean(first),
    }


def figures(pages: Iterable[Page], known: frozenset[str]) -> dict[str, float]:
    """All figures of one web, by name, in the order in which they are printed."""
    shuffled = list(pages)
    random.Random(3).shuffle(shuffled)
    readings = [Reading(text, known) for _, text in shuffled]
    lengths = sorted(reading.words for reading in readings)
    found: dict[str, float] = {"pages": len(readings), "words": sum(lengths)}
    for percent in (5, 25, 50, 75, 95):
        found[f"words a page, {percent}%"] = lengths[min(len(lengths) - 1, len(lengths) * percent // 100)]
    found["exact copies, % of pages"] = 100 * (1 - len({text for _, text in shuffled}) / len(shuffled))
    owners = Counter(word for reading in readings for word in set(reading.small))
    found["small-letter words"] = len(owners)
    found["… on 3 pages or more"] = sum(count >= 3 for count in owners.values())
    found["… of these in the lexicon"] = sum(count >= 3 and word in known for word, count in owners.items())
    for size in SIZES:
        part = _first(readings, size)
        if part is None:
            break
        found[f"types in {size:,} words"] = len(set(_head((w for page in part for w in page.small), size)))
        if size >= 100_000:
            again, elsewhere = grams(part)
            found[f"8-grams repeated, %, {size:,} words"] = again
            found[f"… on another page, %, {size:,} words"] = elsewhere
            found[f"zstd ratio, {size:,} words"] = zstd_ratio(part)
    masked = Counter(token == MASK for reading in readings for token in reading.masked)
    found["masks, % of tokens"] = 100 * masked[True] / masked.total()
    return found | bm25_spread(shuffled, readings)


def _first(readings: Sequence[Reading], words: int) -> list[Reading] | None:
    """The first pages that hold so many words together; None where all hold fewer."""
    total = 0
    for number, reading in enumerate(readings, 1):
        total += reading.words
        if total >= words:
            return list(readings[:number])
    return None


def _head(words: Iterable[str], size: int) -> Iterator[str]:
    for _, word in zip(range(size), words, strict=False):
        yield word


def main() -> None:
    """Prints the figures of all inputs side by side."""
    parser = argparse.ArgumentParser(description="Figures of real and generated pages, side by side.")
    parser.add_argument("inputs", nargs="+", type=Path, help="folders of HTML pages, or files of JSON lines")
    parser.add_argument("--sample", type=int, default=1500, help="pages drawn from a folder (default 1500)")
    parser.add_argument("--cache", type=Path, default=CACHE, help=f"where extracted text is kept ({CACHE})")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    for source in arguments.inputs:
        if not source.exists():
            sys.exit(f"no file or folder {source}: give HTML folders or files of JSON lines")
    known = known_words(Lexicon.load())
    columns = [figures(pages_of(source, arguments.sample, arguments.cache), known) for source in arguments.inputs]
    if arguments.json:
        print(json.dumps({str(source): column for source, column in zip(arguments.inputs, columns, strict=True)}))
        return
    table = Table("figure", arguments.inputs[0].name)
    for source in arguments.inputs[1:]:
        table.add_column(source.name)
        table.add_column("times")
    for name in dict.fromkeys(name for column in columns for name in column):
        row = [name]
        for place, column in enumerate(columns):
            value = column.get(name)
            row.append("" if value is None else f"{value:,.0f}" if value == int(value) else f"{value:,.2f}")
            if place:
                measure = columns[0].get(name)
                row.append(f"{value / measure:.2f}" if value is not None and measure else "")
        table.add_row(*row)
    Console(width=140).print(table)


if __name__ == "__main__":
    main()
