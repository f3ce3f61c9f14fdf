"""A MaxScore index finds what tantivy finds, whatever is asked, and whatever a stranger writes into it."""

from __future__ import annotations

import contextlib
import random
from pathlib import Path

import numpy as np
import pytest

from tests.extras import needs_extra
from webenv.corpora import Corpus, SourcePage, add, build, site_indexes
from webenv.corpora.engine import rounded
from webenv.corpora.engines import add_maxscore
from webenv.corpora.maxscore import MaxScoreIndex, build_maxscore, machine_code
from webenv.corpora.maxscore.layout import LENGTHS, length_code
from webenv.corpora.maxscore.texts import _Room, _stem_code, _Stems
from webenv.corpora.procedural import WebConfig, cached_corpus, corpus_cache
from webenv.corpora.query import parse_query
from webenv.corpora.snippets import SnippetQuery, sought
from webenv.errors import CorpusDamaged, CorpusError, MissingExtra
from webenv.web import Scope, SearchRequest

needs_extra("fast")

HOSTS = ("a.example", "b.example", "sub.b.example", "c.example", "d.example")
PAGES = 9_000  # three windows


def word(rng: random.Random) -> str:
    return f"w{int(rng.paretovariate(0.5)) % 3_000}"


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pages of few words, so that scores tie, and some of very many of one; four sites are weighed by themselves."""
    rng = random.Random(3)
    folder = tmp_path_factory.mktemp("maxscore") / "web"
    pages = []
    for number in range(PAGES):
        text = " ".join(word(rng) for _ in range(rng.choice((4, 12, 30))))
        if number % 900 == 0:
            text += " w7" * rng.randrange(250, 700)
        date = f"20{rng.randrange(10, 25)}-03-01" if rng.random() < 0.8 else ""
        pages.append(SourcePage(f"https://{HOSTS[number % 5]}/{number}", "", text, date=date))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(site_indexes, "_LEAST_PAGES", 1_000)
        patch.setattr(site_indexes, "_LEAST_SITE", 1_000)
        build(folder, [pages], near_copies=False, workers=1)
    add_maxscore(folder, workers=1)
    return folder


def requests(count: int, seed: int) -> list[tuple[str, int, Scope]]:
    rng = random.Random(seed)
    asked = []
    for _ in range(count):
        words = [word(rng) for _ in range(rng.choice((1, 1, 2, 3, 5, 8, 30)))] + ["absent"] * (rng.random() < 0.1)
        if rng.random() < 0.1:
            words.append('"' + " ".join(word(rng) for _ in range(2)) + '"')
        words += [f"site:{rng.choice(HOSTS)}" for _ in range(rng.choice((0, 0, 1, 1, 2)))]
        words += [f"-site:{rng.choice((*HOSTS, 'example', 'other.example'))}"] * (rng.random() < 0.2)
        blocked = (rng.choice(HOSTS),) if rng.random() < 0.2 else ()
        as_of = rng.choice(("", "", "2013-05-05", "2020-01-01"))
        asked.append((" ".join(words), rng.choice((1, 3, 10, 10, 50, 2_000)), Scope(blocked=blocked, as_of=as_of)))
    return asked


def test_hits_are_those_of_tantivy(web: Path) -> None:
    """Words, phrases, sites, dates, blocked hosts, ties: same pages, same order, same scores to their fifth digit."""
    with Corpus.open(web, workers=1) as corpus:
        index = corpus._index
        fast = index.maxscore
        assert fast is not None
        ranked = 0
        for text, limit, scope in requests(2_500, 1):
            query = parse_query(text)
            index.maxscore = None
            expected, weights = index.search(query, limit, scope), index.weights(query)
            index.maxscore = fast
            assert index.weights(query) == weights
            found = index.search(query, limit, scope)
            assert [hit.key for hit in found] == [hit.key for hit in expected], (text, limit, scope)
            assert [hit.score for hit in found] == pytest.approx([hit.score for hit in expected], rel=1.2e-4)
            ranked += fast.search(query, limit, scope, index._sites.keys()) is not None
        assert ranked > 1_500
        assert set(index._sites) == {"a.example", "sub.b.example", "c.example", "d.example"}


def test_a_corpus_uses_it_by_itself_and_without_numba_finds_the_same(
    web: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The identity of a corpus does not change with it, so that runs are replayed with or without the extra."""
    asked = [SearchRequest(text, 10, scope) for text, _, scope in requests(50, 2)]
    with Corpus.open(web, workers=1) as corpus:
        assert corpus._index.maxscore is not None
        found, identity = corpus.search(asked), corpus.identity
    (tmp_path / "file").touch()
    monkeypatch.setenv("WEBENV_CACHE", str(tmp_path / "file"))  # machine code cannot be kept, as is found out late
    machine_code.cache_clear()
    with Corpus.open(web, workers=1) as corpus:
        assert (corpus.search(asked), corpus.identity) == (found, identity)
        assert machine_code() is None
    monkeypatch.undo()
    machine_code.cache_clear()
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with Corpus.open(web, workers=1) as corpus:
        assert corpus._index.maxscore is None
        assert (corpus.search(asked), corpus.identity) == (found, identity)
    with pytest.raises(MissingExtra, match=r"pip install '.\[fast\]'"):
        add_maxscore(web)


def test_results_are_those_of_the_store(tmp_path: Path) -> None:
    """Titles, addresses and snippets are the same from mapped texts: with links, in Chinese, long, copied, or odd."""
    texts = [
        "The [keeper](https://a.example/k) of the tide — “lights”, naïve tides. " * 3,
        "潮汐 tide 灯塔 " * 30,
        "tide " * 30_000,
        "tide İstanbul \x81 tide\x00 and " * 9,
        "A long day. " * 40 + "Then tides rose. " + "Nothing more. " * 40,
        "[](https://a.example/x) tide",
    ]
    pages = [SourcePage(f"https://a.example/{n}", f"Tide\n {n} é", text) for n, text in enumerate([*texts, texts[0]])]
    build(tmp_path / "web", [pages], workers=1)
    with Corpus.open(tmp_path / "web", workers=1) as corpus:
        assert corpus._passages.texts is None
        asked = [
            SearchRequest(text) for text in ("tide", "tides rose", "潮汐 tide", "keeper light naïv", "day nothing")
        ]
        expected = corpus.search(asked)
        visited = corpus.fetch(hit.key for hit in corpus.rank(asked)[0])
    add_maxscore(tmp_path / "web", workers=1)
    with Corpus.open(tmp_path / "web", workers=1) as corpus:
        texts_of = corpus._passages.texts
        assert texts_of is not None
        assert corpus.search(asked) == expected
        keys = [hit.key for hit in corpus.rank(asked)[0]]
        assert corpus.fetch(keys) == visited
        shown = texts_of.results([SnippetQuery(keys, [], {}), SnippetQuery([1, 2**62], [], {})])
        assert shown is not None
        assert {page is None for page in shown[0]} == {True, False}
        assert shown[1] == [None, None]


def test_snippets_are_those_of_the_whole_text(tmp_path: Path) -> None:
    """Whatever stands around words, and in whatever form they come, machine code cuts where Python does."""
    rng = random.Random(7)
    words = "tide Tides tidal TIDE'S rid ride riding rides o'clock 3.5 3 5 5. x_y _x x naïve Naïves élan É. 'tis a the"
    words += " happy happily university universe €5 x.y.z tide-mill"
    around = (" ", " ", " ", "  ", "\n", ". ", ", ", "—", "…", "\xa0", "\x1c ", "' ", "x" * 170, "\t")

    def text(length: int) -> str:
        return "".join(rng.choice(words.split()) + rng.choice(around) for _ in range(length))

    pages = [SourcePage(f"https://a.example/{n}", "", f"{text(rng.choice((3, 40, 300)))} end") for n in range(300)]
    build(tmp_path / "web", [pages], near_copies=False, workers=1)
    asked = [SearchRequest(" ".join(rng.sample(words.split(), rng.randint(1, 14)))) for _ in range(300)]
    with Corpus.open(tmp_path / "web", workers=1) as corpus:
        expected = corpus.search(asked)
    add_maxscore(tmp_path / "web", workers=1)
    with Corpus.open(tmp_path / "web", workers=1) as corpus:
        for request, found, wanted in zip(asked, corpus.search(asked), expected, strict=True):
            assert found == wanted, request


def test_stems_are_learned_again_where_their_table_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webenv.corpora.maxscore.texts._STEMS", 8)
    stems = _Stems()
    first = stems.table
    for code in (8, 16, 3, 11):
        stems.learn(code, b"Tides")
    assert [first[2 * slot] for slot in range(8)] == [8, 16, 0, 3, 11, 0, 0, 0]
    assert {first[2 * slot + 1] for slot in (0, 1, 3, 4)} == {_stem_code("tide")}
    stems.learn(4, b"Tides")
    assert [stems.table[2 * slot] for slot in range(8)] == [0, 0, 0, 0, 4, 0, 0, 0]


def test_snippets_of_a_batch_are_those_of_each_query(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where their words are learned meanwhile, the room for what is shown must grow, or a page has no record."""
    rng = random.Random(9)
    pages = [
        SourcePage(f"https://a.example/{n}", "Über tides " * 60, " ".join(f"tide{word(rng)}é" for _ in range(80)))
        for n in range(60)
    ]
    pages.append(SourcePage("https://a.example/zh", "潮汐", "潮汐 tidew1é " * 20))
    build(tmp_path / "web", [pages], near_copies=False, workers=1)
    add_maxscore(tmp_path / "web", workers=1)
    monkeypatch.setattr("webenv.corpora.maxscore.texts._stems", _Stems())
    monkeypatch.setattr("webenv.corpora.maxscore.texts._room", _Room())
    asked = [SearchRequest(" ".join(f"tide{word(rng)}é" for _ in range(3)) + " über 潮汐") for _ in range(40)]
    with Corpus.open(tmp_path / "web", workers=1) as corpus:
        together = corpus.answer("search", asked)
        assert together == [corpus.answer("search", [one])[0] for one in asked]
        assert {len(hits) for hits in together} == {10}
        corpus._passages.texts = None
        assert corpus.answer("search", asked) == together


def test_worker_processes_search_only_large_webs_with_one(web: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Smaller ones are searched in less time than it takes to send requests and answers."""
    with Corpus.open(web, workers=1) as corpus:
        assert corpus.shareable is None
        monkeypatch.setattr("webenv.corpora.corpus._MANY_INDEXED", PAGES)
        assert corpus.shareable == web


def test_large_generated_webs_have_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It stands in the web's folder in the cache, and counts among what the web takes there."""
    machine_code()
    monkeypatch.setenv("WEBENV_CACHE", str(tmp_path))
    monkeypatch.setattr("webenv.corpora.procedural.cache._INDEXED", 300)
    found = [cached_corpus(WebConfig(pages=pages, seed=5), workers=1) for pages in (200, 300)]
    assert [corpus._index.maxscore is not None for corpus in found] == [False, True]
    for web in corpus_cache().webs():
        files = [*(tmp_path / "procedural" / web.name).glob("*-*/**/*")]
        assert web.size >= sum(file.stat().st_size for file in files if file.suffix in (".npy", ".bin", ".sqlite"))


def test_processes_write_what_one_does(web: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files do not depend on how many processes read the pages, nor on how many pages a run has."""
    with Corpus.open(web, workers=1) as corpus:
        assert corpus.manifest is not None
        pages = web / corpus.manifest.data / "pages.sqlite"
        runs = corpus.manifest.pages // 100
    monkeypatch.setattr("webenv.corpora.maxscore.build._RUN", 100)
    assert runs >= 4  # or one process reads them all
    build_maxscore(pages, tmp_path / "again", workers=2)
    for path in sorted(next(web.glob("engine-maxscore-*/index")).iterdir()):
        assert path.read_bytes() == (tmp_path / "again" / path.name).read_bytes(), path.name


def test_one_of_former_pages_is_left_aside(tmp_path: Path) -> None:
    """Pages that are added are found, and nothing is read from an index that does not know them."""
    folder = tmp_path / "web"
    build(folder, [[SourcePage("https://a.example/1", "", "tide and moon")]], workers=1)
    add_maxscore(folder, workers=1)
    add(folder, [[SourcePage("https://a.example/2", "", "tide and sun")]], workers=1)
    with Corpus.open(folder, workers=1) as corpus:
        assert corpus._index.maxscore is None
        assert len(corpus.search([SearchRequest("tide")])[0]) == 2


def test_a_file_that_is_not_what_was_written_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "web"
    build(folder, [[SourcePage("https://a.example/1", "", "tide and moon")]], workers=1)
    add_maxscore(folder, workers=1)
    docs = next(folder.glob("engine-maxscore-*/index")) / "docs.npy"
    docs.write_bytes(docs.read_bytes()[:-1] + b"x")
    with pytest.raises(CorpusDamaged, match="webenv corpus index"):
        Corpus.open(folder, workers=1)


def test_a_strangers_numbers_are_no_addresses(web: Path, tmp_path: Path) -> None:
    """Random numbers in any file bring wrong hits or an error, and never read or write outside the arrays."""
    source = next(web.glob("engine-maxscore-*/index"))
    rng = random.Random(5)
    chaos = np.random.default_rng(5)
    for name in (
        "starts",
        "docs",
        "freqs",
        "high_at",
        "high_freqs",
        "tabled",
        "cuts",
        "tops",
        "firsts",
        "lengths",
        "begins",
        "ends",
        "texts",
    ):
        folder = tmp_path / name
        folder.mkdir()
        for path in source.iterdir():
            (folder / path.name).write_bytes(path.read_bytes())
        array = np.fromfile(folder / "texts.bin", np.uint8) if name == "texts" else np.load(folder / f"{name}.npy")
        raw = chaos.integers(0, 256, array.nbytes, np.uint8)
        kept = chaos.random(array.nbytes) < 0.7
        raw[kept] = np.frombuffer(array.tobytes(), np.uint8)[kept]
        if name == "texts":
            raw.tofile(folder / "texts.bin")
        else:
            np.save(folder / f"{name}.npy", raw.view(array.dtype).reshape(array.shape))
        try:
            index = MaxScoreIndex(folder)
        except ValueError:
            continue
        for text, limit, scope in requests(100, rng.randrange(100)):
            try:
                found = index.search(parse_query(text), limit, scope, {"a.example"})
            except CorpusError:
                continue
            assert found is None or len(found) <= limit
        weights = {word(rng): 1.0 for _ in range(5)}
        for key in np.load(source / "keys.npy")[:500].tolist():
            with contextlib.suppress(CorpusDamaged):
                found = index.texts.results([SnippetQuery([key], sought(weights), weights)])
                assert found is not None
                assert len(found[0]) == 1


def test_scores_are_told_apart_by_five_digits() -> None:
    """As rounded() does: halves to even, and across powers of ten."""
    from webenv.corpora.maxscore.kernel import _digits

    rng = random.Random(2)
    scores = [np.float32(10 ** rng.uniform(-4, 3)) for _ in range(5_000)]
    scores += [np.float32(16.3125), np.float32(16.3135), np.float32(9.99996), np.float32(99_999.5), np.float32(1)]
    by_digits: dict[float, int] = {}
    for score in scores:
        assert by_digits.setdefault(rounded(float(score)), _digits(score)) == _digits(score), score
    ordered = [by_digits[score] for score in sorted(by_digits)]
    assert ordered == sorted(set(ordered))


def test_lengths_are_coded_as_tantivy_does() -> None:
    """Exact to 40; then down to the next of 42, 44, …, 56, 60, …"""
    codes = length_code(np.array([0, 39, 40, 41, 55, 56, 59, 60, 1_000]))
    assert LENGTHS[codes].tolist() == [0, 39, 40, 40, 54, 56, 56, 60, 984]
