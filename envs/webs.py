"""Webs by their names, as in ``web="…"`` and ``--web …``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from webenv.corpora import ContentAgent
from webenv.corpora.corpus import Corpus
from webenv.corpora.procedural import Worlds, read_spec
from webenv.errors import InvalidArgument
from webenv.recorded import RecordedAsker, RecordedWeb
from webenv.web import Asking, Web

_EXPECTED = (
    "expected 'procedural', 'sample', the folder of a corpus (DIR, or DIR#dense for another of its engines), "
    "'live:<provider>', 'cassette:<file>', 'lucene:<folder>', or a Web"
)


def open_web(name: str | os.PathLike[str] | Web, workers: int | None = None) -> Web:
    """The web of a name.

    ==================================  =============================================================
    procedural, procedural:DIALS        a generated web (:class:`webenv.corpora.procedural.WebConfig`), or several
    sample                              65 pages written by hand
    DIR, DIR#ENGINE                     the folder of a corpus, ranked by tantivy or by another of its engines
    lucene:DIR, lucene:DIR,language=zh  a Lucene index that Anserini or pyserini built, with language, k1, b if wanted
    live:PROVIDER, live:PROVIDER,…      the live web (:func:`webenv.corpora.live.open_live`)
    cassette:FILE                       what was recorded of a web (:mod:`webenv.recorded`)
    ==================================  =============================================================

    Args:
        name: the name, or a Web, which is given back.
        workers: processes that share large batches of searches of a corpus, as for :meth:`Corpus.open`.

    Raises:
        InvalidArgument: for a name that names no web.
        CorpusError: if there is no corpus, or it cannot be read.
        MissingExtra: if a package that it needs is missing.
    """
    if isinstance(name, os.PathLike):
        return Corpus.open(name, workers)
    if not isinstance(name, str):
        if isinstance(name, Web):
            return name
        raise InvalidArgument(f"web={name!r:.100}: {_EXPECTED}.")
    kind, colon, _ = name.partition(":")
    if name == "sample":
        from webenv.corpora.sample.web import sample_web

        return sample_web()
    if kind == "procedural":
        from webenv.corpora.procedural import cached_worlds

        return cached_worlds(Worlds.parse(name))
    if colon and kind == "live":
        from webenv.corpora.live import open_live

        return open_live(name)
    if colon and kind == "cassette":
        from webenv.recorded import open_cassette

        return open_cassette(name)
    if colon and kind == "lucene":
        from webenv.corpora.lucene import open_lucene_spec

        return open_lucene_spec(name)
    if Path(name).is_dir() or "#" not in name:
        return Corpus.open(name, workers)
    folder, _, engine = name.rpartition("#")
    return Corpus.open(folder, workers, engine)


def open_asker(web: Web) -> Asking:
    """Who is asked on a web: the web where it can be asked, who was asked on a tape, else what its sites' pages say."""
    if isinstance(web, Asking):
        return web
    return RecordedAsker(web.cassette) if isinstance(web, RecordedWeb) else ContentAgent(web)


def named_worlds(
    web: object, split: object, config: Mapping[str, object] | None = None, held_out: int = 1
) -> Worlds | None:
    """The worlds of a text that names a procedural web; ``None`` for anything else.

    Args:
        web: the text, or whatever was given in its place.
        split: the split that is asked for; ``None``: that of the text.
        dials: dials that differ from their defaults where the text does not name them.
        held_out: how many worlds there are of validation and test where the text does not say.

    Raises:
        InvalidArgument: for an unknown dial, a value out of range, or a text of another split.
    """
    if not isinstance(web, str) or web.partition(":")[0] != "procedural":
        return None
    given = dict(config or {}) if split is None else {**(config or {}), "split": split}
    worlds = Worlds.parse(web, **given)
    if split is not None and worlds.first.split != split:
        raise InvalidArgument(f"{web!r:.100} is of another split than split={split!r}: leave one of the two out.")
    several = worlds.first.split != "train" and "worlds" not in read_spec(web)
    return Worlds(worlds.first, held_out) if several else worlds
