"""Whether the generated web puts engines in the order that real relevance judgements put them in.

    python benchmarks/engine_order.py CACM [--cranfield DIR] [--dense MODEL] [--worlds 6] [--tasks 34] [--pages 600]
        [--twice]

``CACM`` is a folder with ``cacm.tar.gz`` (``src/main/resources/cacm`` in Anserini's repository), ``qrels.cacm.txt``
(there in ``src/test/resources/sample_qrels/cacm``) and ``query.text``, the 64 questions of the collection as it is
distributed: 3,204 titles and abstracts of the Communications of the ACM, 52 questions with judgements. What cites what,
which stands at the end of each document, is left out. ``--cranfield`` is a folder with ``cran.all.1400``, ``cran.qry``
and ``cranqrel`` (1,400 abstracts, 225 questions; grades 1 to 4 are relevant): how far two real collections agree with
one another is what may be hoped for. Nothing of either is in this repository.

On our side queries are the criteria of needles of all levels over test worlds, each joined as one query, and the one
gold page is relevant. Engines are settings of ranking functions over one analysis of words (webenv's, stemmed unless
said otherwise): textbook forms, written here, so that only what is named differs. ``--dense`` names a model of
sentence-transformers; without it the two settings with vectors are left out. ``--twice`` has each of our pages tell its
first paragraph of prose once more at its end, whatever it says: real documents come back to what they are about.

Prints nDCG@10 of each setting on each side, and Kendall's tau-b between orders, with the 95% interval of 2,000
bootstrap samples of the queries of both; how many pairs of settings differ beyond noise on both sides, and whether in
the same order; and what an engine may go by: how often a document that has a rare word of a query has it twice, and
which share of its title's words is asked. Needs scipy, which the
extra ``dense`` brings.
"""

from __future__ import annotations

import argparse
import html
import re
import tarfile
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix
from scipy.stats import kendalltau

from webenv.corpora.analysis import WORD, indexed_text
from webenv.corpora.markdown import plain_text
from webenv.corpora.procedural import WebConfig, generated_web
from webenv.envs.needle_in_web.simulated import SimulatedNeedles
from webenv.envs.needle_in_web.tasks import DIFFICULTIES

DEPTH = 10
SHORT = 80  # characters of a heading or a line, at the most
SAMPLES = 2_000
TOKENS = 128  # of a text that dense vectors are made of: CACM has few longer abstracts, and CPUs are slow
_STOP_WORDS = """
a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was
will with"""  # those of webenv's own analysis
STOP_WORDS = frozenset(_STOP_WORDS.split())
Scores = npt.NDArray[np.float64]


class Document(NamedTuple):
    """A document: its title, and its text without it."""

    title: str
    text: str


class Collection(NamedTuple):
    """Documents, queries and, for each query, the places of the relevant documents."""

    documents: Sequence[Document]
    queries: Sequence[str]
    relevant: Sequence[frozenset[int]]


# ── collections ───────────────────────────────────────────────────────────────


def read_cacm(folder: Path) -> Collection:
    """CACM's documents, and those of its questions that have judgements."""
    places: dict[int, int] = {}
    documents: list[Document] = []
    with tarfile.open(folder / "cacm.tar.gz") as archive:
        for member in archive:
            file = archive.extractfile(member)
            if file is None or not member.name.endswith(".html"):
                continue
            page = html.unescape(re.sub(r"</?(?:html|pre)>", "", file.read().decode("latin-1")))
            body = re.sub(r"(?m)^\s*(?:\d+\s+\d+\s+\d+|CA\d{6}.*)$", "", page).strip()
            title, _, text = body.partition("\n\n")
            places[int(Path(member.name).stem.partition("-")[2])] = len(documents)
            documents.append(Document(" ".join(title.split()), text))
    judged: dict[int, set[int]] = {}
    for line in (folder / "qrels.cacm.txt").read_text().splitlines():
        number, _, name, grade = line.split()
        if int(grade) > 0:
            judged.setdefault(int(number), set()).add(places[int(name.partition("-")[2])])
    queries = {
        int(one["I"]): " ".join(one[field] for field in "WA" if field in one) for one in _records(folder / "query.text")
    }
    numbers = sorted(judged)
    return Collection(documents, [queries[one] for one in numbers], [frozenset(judged[one]) for one in numbers])


def read_cranfield(folder: Path) -> Collection:
    """Cranfield's 1,400 documents and 225 questions, which its judgements number as they come."""
    documents = [
        Document(" ".join(one["T"].split()), one["W"].removeprefix(one["T"]))
        for one in _records(folder / "cran.all.1400")
    ]
    queries = [one["W"] for one in _records(folder / "cran.qry")]
    judged: list[set[int]] = [set() for _ in queries]
    for line in (folder / "cranqrel").read_text().splitlines():
        number, document, grade = map(int, line.split())
        if 1 <= grade <= 4:
            judged[number - 1].add(document - 1)
    kept = [number for number, gold in enumerate(judged) if gold]
    return Collection(documents, [queries[one] for one in kept], [frozenset(judged[one]) for one in kept])


def _records(file: Path) -> list[dict[str, str]]:
    """The fields of each record of a file in SMART's form, by their letter."""
    found = []
    for record in re.split(r"(?m)^\.I ", file.read_text(encoding="latin-1"))[1:]:
        parts = re.split(r"(?m)^\.([A-Z])[ \t]*\n", record)
        found.append({"I": parts[0].strip(), **dict(zip(parts[1::2], parts[2::2], strict=True))})
    return found


def generated(seed: int, pages: int, tasks: int, twice: bool = False) -> Collection:
    """One test world: its pages, and criteria of needles of all levels.

    Args:
        seed, pages: of the world.
        tasks: of each level.
        twice: whether each page tells its first paragraph twice.
    """
    web = generated_web(WebConfig(pages=pages, seed=seed, split="test"))
    needles = SimulatedNeedles(web)
    documents = [Document(page.title, plain_text(page.text)) for page in web.pages()]
    if twice:
        documents = [one._replace(text=f"{one.text}\n\n{_first_paragraph(one.text)}") for one in documents]
    drawn = [needles.draw(level, number) for level in DIFFICULTIES for number in range(tasks)]
    return Collection(
        documents, [" ".join(one.task.criteria) for one in drawn], [frozenset((one.gold,)) for one in drawn]
    )


def _first_paragraph(text: str) -> str:
    return next((part for part in text.split("\n\n") if len(part) > SHORT), "")


# ── engines ───────────────────────────────────────────────────────────────────


def stemmed(text: str) -> list[str]:
    """The words of a text as webenv's index has them."""
    return [word for word in indexed_text(text).split() if word != "'"]


def unstemmed(text: str) -> list[str]:
    """The same words as they are written."""
    return [word for word in re.findall(WORD, text.lower()) if word not in STOP_WORDS]


class Terms:
    """How often each word stands in each document.

    Args:
        collection: the documents, and the queries.
        words: the analysis.
        titles: how often a title counts.
    """

    def __init__(self, collection: Collection, words: Callable[[str], list[str]], titles: int = 1) -> None:
        places: dict[str, int] = {}
        rows: list[int] = []
        columns: list[int] = []
        for row, document in enumerate(collection.documents):
            found = words(document.title) * titles + words(document.text)
            rows += [row] * len(found)
            columns += [places.setdefault(word, len(places)) for word in found]
        shape = (len(collection.documents), len(places))
        self.counts = csr_matrix((np.ones(len(rows)), (rows, columns)), shape=shape)
        self.counts.sum_duplicates()
        self.lengths = np.asarray(self.counts.sum(axis=1)).ravel()
        self.found_in = np.asarray((self.counts > 0).sum(axis=0)).ravel()
        self.queries = [
            np.array([places[word] for word in words(query) if word in places], dtype=np.int64)
            for query in collection.queries
        ]

    def _summed(self, weights: csr_matrix) -> Scores:
        """For each query and document, the weights of the query's words, each as often as it is asked."""
        columns = weights.tocsc()
        return np.vstack([np.asarray(columns[:, query].sum(axis=1)).ravel() for query in self.queries])

    def _weighted(self, data: Scores) -> csr_matrix:
        return csr_matrix((data, self.counts.indices, self.counts.indptr), shape=self.counts.shape)

    def bm25(self, k1: float, b: float) -> Scores:
        """BM25 with Lucene's idf."""
        rows = np.repeat(np.arange(self.counts.shape[0]), np.diff(self.counts.indptr))
        norm = k1 * (1 - b + b * self.lengths / self.lengths.mean())
        idf = np.log(1 + (self.counts.shape[0] - self.found_in + 0.5) / (self.found_in + 0.5))
        often = self.counts.data
        return self._summed(self._weighted(idf[self.counts.indices] * often / (often + norm[rows])))

    def tf_idf(self) -> Scores:
        """The cosine of vectors of (1 + log tf) · idf."""
        idf = np.log(self.counts.shape[0] / self.found_in)
        weights = self._weighted((1 + np.log(self.counts.data)) * idf[self.counts.indices] ** 2)
        plain = self._weighted((1 + np.log(self.counts.data)) * idf[self.counts.indices])
        lengths = np.sqrt(np.asarray(plain.multiply(plain).sum(axis=1)).ravel())
        return self._summed(weights) / np.maximum(lengths, 1e-9)

    def words_met(self) -> Scores:
        """How many different words of the query a document has: an OR query, ranked by coordination."""
        here = self._weighted(np.ones_like(self.counts.data)).tocsc()
        return np.vstack([np.asarray(here[:, np.unique(query)].sum(axis=1)).ravel() for query in self.queries])

    def likelihood(self, mu: float = 1_000) -> Scores:
        """The likelihood of the query, smoothed by Dirichlet's prior, but for what is equal for all documents."""
        total = np.asarray(self.counts.sum(axis=0)).ravel()
        share = total / total.sum()
        weights = self._weighted(np.log(1 + self.counts.data / (mu * share[self.counts.indices])))
        asked = np.array([len(query) for query in self.queries])[:, None]
        return self._summed(weights) + asked * np.log(mu / (self.lengths + mu))[None, :]


def fused(*rankings: Scores) -> Scores:
    """Reciprocal rank fusion of rankings, with the constant 60 (Cormack, Clarke and Büttcher, 2009)."""
    return sum(1 / (60 + 1 + np.argsort(np.argsort(-one, axis=1, kind="stable"), axis=1)) for one in rankings)


def dense(collection: Collection, model: str) -> Scores:
    """The cosine of vectors."""
    from webenv.corpora.dense import SentenceEncoder

    encoder = SentenceEncoder(model, query_batch=32, tokens=TOKENS)
    texts = [f"{one.title}\n{one.text}" for one in collection.documents]
    return np.asarray(encoder.encode_queries(collection.queries) @ encoder.encode_pages(texts).T, dtype=np.float64)


def ranked(collection: Collection, model: str) -> dict[str, Scores]:
    """nDCG@10 of each query, by the engine's name."""
    plain = Terms(collection, stemmed)
    bm25 = plain.bm25(1.2, 0.75)
    found = {
        "bm25 k1 1.2 b 0.75": bm25,
        "bm25 k1 0.9 b 0.4": plain.bm25(0.9, 0.4),
        "bm25 unstemmed": Terms(collection, unstemmed).bm25(1.2, 0.75),
        "bm25 titles threefold": Terms(collection, stemmed, titles=3).bm25(1.2, 0.75),
        "tf-idf cosine": plain.tf_idf(),
        "boolean, words met": plain.words_met(),
        "bm25 b 0": plain.bm25(1.2, 0.0),
        "query likelihood": plain.likelihood(),
    }
    if model:
        found["dense"] = dense(collection, model)
        found["hybrid"] = fused(bm25, found["dense"])
    return {name: ndcg(scores, collection.relevant) for name, scores in found.items()}


LEXICAL = ("bm25 k1 1.2 b 0.75", "bm25 k1 0.9 b 0.4", "bm25 unstemmed", "bm25 titles threefold", "tf-idf cosine",
           "boolean, words met", "bm25 b 0", "query likelihood")  # fmt: skip
EIGHT = (*LEXICAL[:6], "dense", "hybrid")


# ── measures ──────────────────────────────────────────────────────────────────


def ndcg(scores: Scores, relevant: Sequence[frozenset[int]]) -> Scores:
    """nDCG@10 of each query; documents of equal scores share their gains."""
    found = np.zeros(len(relevant))
    discounts = 1 / np.log2(np.arange(2, DEPTH + 2))
    for query, gold in enumerate(relevant):
        row = scores[query]
        order = np.argsort(-row, kind="stable")[: 50 * DEPTH]
        values = row[order]
        gain, place = 0.0, 0
        while place < DEPTH:
            tied = np.flatnonzero(row == values[place])  # whoever has the same score may stand here as well
            share = len(gold.intersection(tied.tolist())) / len(tied)
            upto = min(place + len(tied), DEPTH)
            gain += share * discounts[place:upto].sum()
            place = upto
        found[query] = gain / discounts[: min(len(gold), DEPTH)].sum()
    return found


def order_agreement(ours: Mapping[str, Scores], real: Mapping[str, Scores], names: Sequence[str]) -> str:
    """Kendall's τ-b between the orders of some engines, with its interval."""
    a, b = np.array([ours[name] for name in names]), np.array([real[name] for name in names])
    tau = kendalltau(a.mean(axis=1), b.mean(axis=1)).statistic
    rng = np.random.default_rng(0)
    taus = []
    for _ in range(SAMPLES):
        one, other = (x[:, rng.integers(0, x.shape[1], x.shape[1])].mean(axis=1) for x in (a, b))
        taus.append(kendalltau(one, other).statistic)
    low, high = np.percentile(taus, [2.5, 97.5])
    return f"{tau:.2f} [{low:.2f}, {high:.2f}]"


def pairs_that_differ(
    ours: Mapping[str, Scores], real: Mapping[str, Scores], names: Sequence[str]
) -> tuple[list[str], list[str]]:
    """The pairs of engines whose means differ beyond noise (95%) on both sides: in the same order, and not."""
    found: tuple[list[str], list[str]] = [], []
    for one, other in combinations(names, 2):
        signs = [_sign(table[one] - table[other]) for table in (ours, real)]
        if all(signs):
            found[int(signs[0] != signs[1])].append(f"{one} / {other}")
    return found


def _sign(differences: Scores) -> int:
    """Whether the mean is above (1) or below (-1) 0 in 95% of bootstrap samples of queries; else 0."""
    rng, n = np.random.default_rng(0), len(differences)
    low, high = np.percentile([differences[rng.integers(0, n, n)].mean() for _ in range(SAMPLES)], [2.5, 97.5])
    return int(low > 0) - int(high < 0)


def traits(collections: Sequence[Collection]) -> str:
    """Of relevant documents, and of BM25's ten best others: how often a query's rare word (in a tenth of documents at
    most) that they have stands there twice or more, and the share of their title's words that the query has."""
    twice: tuple[list[float], list[float]] = [], []
    titled: tuple[list[float], list[float]] = [], []
    for collection in collections:
        terms = Terms(collection, stemmed)
        rare = np.flatnonzero(terms.found_in <= len(collection.documents) / 10)
        titles = [frozenset(stemmed(document.title)) for document in collection.documents]
        for number, scores in enumerate(terms.bm25(1.2, 0.75)):
            asked, gold = frozenset(stemmed(collection.queries[number])), collection.relevant[number]
            others = [place for place in np.argsort(-scores, kind="stable").tolist() if place not in gold][:DEPTH]
            columns = np.intersect1d(terms.queries[number], rare)
            for side, places in enumerate((sorted(gold), others)):
                often = terms.counts[places][:, columns].data
                twice[side].extend((often > 1).tolist())
                titled[side].extend(len(titles[place] & asked) / max(len(titles[place]), 1) for place in places)
    one, other, title, others_title = (100 * float(np.mean(values)) for values in (*twice, *titled))
    return (
        f"{one:.0f}% (others {other:.0f}%) have it twice; {title:.0f}% ({others_title:.0f}%) of their titles is asked"
    )


def main() -> None:
    """Ranks, and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cacm", type=Path)
    parser.add_argument("--cranfield", type=Path)
    parser.add_argument("--dense", default="", metavar="MODEL")
    parser.add_argument("--worlds", type=int, default=6)
    parser.add_argument("--first", type=int, default=700, help="seed of the first world")
    parser.add_argument("--tasks", type=int, default=34, help="of each level in each world")
    parser.add_argument("--pages", type=int, default=600)
    parser.add_argument("--twice", action="store_true", help="our pages tell their first paragraph twice")
    options = parser.parse_args()
    real = {"CACM": read_cacm(options.cacm)}
    if options.cranfield is not None:
        real["Cranfield"] = read_cranfield(options.cranfield)
    seeds = range(options.first, options.first + options.worlds)
    worlds = [generated(seed, options.pages, options.tasks, options.twice) for seed in seeds]
    for name, collection in real.items():
        print(f"{name}: {len(collection.documents):,} documents, {len(collection.queries)} queries")
    queries = sum(len(world.queries) for world in worlds)
    print(f"ours: {options.worlds} test worlds of {options.pages:,} pages, {queries:,} queries")
    for name, of in {**{name: [one] for name, one in real.items()}, "ours": worlds}.items():
        print(f"relevant documents, {name}: {traits(of)}")
    tables = {name: ranked(collection, options.dense) for name, collection in real.items()}
    found = [ranked(world, options.dense) for world in worlds]
    tables["ours"] = {name: np.concatenate([one[name] for one in found]) for name in found[0]}
    levels = np.tile(np.repeat(np.arange(len(DIFFICULTIES)), options.tasks), options.worlds)
    for place, level in enumerate(DIFFICULTIES):
        tables[level] = {name: values[levels == place] for name, values in tables["ours"].items()}
    print(f"{'nDCG@10, rank':24}" + "".join(f"{name:>14}" for name in tables))
    ranks = {side: sorted(table, key=lambda name: -table[name].mean()) for side, table in tables.items()}
    for name in ranks["CACM"]:
        cells = (f"{table[name].mean():9.3f} ({ranks[side].index(name) + 1:2})" for side, table in tables.items())
        print(f"{name:24}" + "".join(cells))
    sets = {"of words": LEXICAL, **({"with vectors": EIGHT} if options.dense else {})}
    for which, names in sets.items():
        print(f"Kendall's tau over the eight settings {which}:")
        for one, other in combinations(("ours", *real), 2):
            same, turned = pairs_that_differ(tables[one], tables[other], names)
            print(f"  {one} and {other}: {order_agreement(tables[one], tables[other], names)}")
            print(f"    beyond noise on both: {len(same)} pairs in the same order, {len(turned)} not", *turned)
        print("  CACM and " + ", ".join(
            f"{level}: {order_agreement(tables[level], tables['CACM'], names)}" for level in DIFFICULTIES
        ))  # fmt: skip


if __name__ == "__main__":
    main()
