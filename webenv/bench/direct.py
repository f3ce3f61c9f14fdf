"""tantivy and the page store, called as directly as can be, and questions to ask of a web."""

from __future__ import annotations

import random
from pathlib import Path
from typing import NamedTuple

import tantivy

from webenv.corpora.analysis import ANALYZER, analyzer
from webenv.corpora.manifest import INDEX, PAGES, Manifest
from webenv.corpora.store import DiskStore
from webenv.observations import Result

_SHORTEST = 4  # letters


class Question(NamedTuple):
    """Words of a page, without operators, with the page's site and address."""

    words: str
    site: str
    url: str


def open_store(folder: Path) -> DiskStore:
    """The pages of a corpus."""
    return DiskStore(str(folder / Manifest.read(folder).data / PAGES))


def choose(folder: Path, count: int, seed: int = 0) -> list[Question]:
    """Questions of 3 to 8 words, each drawn from one page."""
    store = open_store(folder)
    keys = [key for found in store.places().values() for key in found.tolist()]
    dice = random.Random(seed)
    chosen: list[Question] = []
    while len(chosen) < count:
        page = store.get(dice.choice(keys))
        assert page is not None  # the keys are the store's own
        words = list(dict.fromkeys(word for word in page.text.split() if word.isalpha() and len(word) >= _SHORTEST))
        if len(words) >= 8:
            chosen.append(Question(" ".join(dice.sample(words, dice.randint(3, 8))), page.site, page.url))
    store.close()
    return chosen


_LIMIT = 10


class Direct:
    """The index of a corpus folder as a user of tantivy would search it: no filter, no tie, no check."""

    def __init__(self, folder: Path) -> None:
        data = folder / Manifest.read(folder).data
        index = tantivy.Index.open(str(data / INDEX))
        index.register_tokenizer(ANALYZER, analyzer())
        index.reload()
        self._schema = index.schema
        self._searcher = index.searcher()
        self._store = open_store(folder)

    def query(self, text: str) -> tantivy.Query:
        """Any of the words of a text."""
        words = dict.fromkeys(analyzer().analyze(text))
        terms = [(tantivy.Occur.Should, tantivy.Query.term_query(self._schema, "text", w, "freq")) for w in words]
        return tantivy.Query.boolean_query(terms)

    def rank(self, text: str) -> list[int]:
        return self._keys(self._searcher.search(self.query(text), _LIMIT, count=False).hits)

    def search(self, text: str, snippets: bool = True) -> list[Result]:
        """Ten hits with their pages and, if wanted, tantivy's snippets."""
        query = self.query(text)
        hits = self._searcher.search(query, _LIMIT, count=False).hits
        if snippets:
            generator = tantivy.SnippetGenerator.create(self._searcher, query, self._schema, "text")
        results = []
        for key in self._keys(hits):
            page = self._store.get(key)
            assert page is not None  # the index is of these pages
            passage = ""
            if snippets:
                document = tantivy.Document()
                document.add_text("text", page.text)
                passage = generator.snippet_from_doc(document).fragment()
            results.append(Result(page.title, page.url, passage, page.site))
        return results

    def best(self, text: str) -> set[int]:
        """The keys of all pages that score as much as the tenth hit, to five digits, or more."""
        hits = self._searcher.search(self.query(text), 2_000, count=False).hits
        least = float(f"{hits[:_LIMIT][-1][0]:.4e}") if hits else 0.0
        return set(self._keys([hit for hit in hits if float(f"{hit[0]:.4e}") >= least]))

    def _keys(self, hits: list[tuple[float, tantivy.DocAddress]]) -> list[int]:
        keys = self._searcher.fast_field_values("key", [address for _, address in hits]) if hits else []
        return [int(key) for key in keys if key is not None]
