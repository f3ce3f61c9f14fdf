"""Webs by their names, as they are served."""

from __future__ import annotations

from webenv.corpora import Corpus
from webenv.corpora.procedural import WebConfig, Worlds, config_of, generated_web
from webenv.envs.webs import open_web
from webenv.errors import InvalidArgument
from webenv.serving.sites import CorpusSites, ProceduralSites, Sites
from webenv.web import Web


def open_served(name: str) -> Web:
    """The web of a name, as :func:`webenv.envs.webs.open_web` opens it; of a procedural one, one world.

    Raises:
        InvalidArgument: if it names no web, or several worlds.
        CorpusError: if there is no such corpus, or it is damaged.
        MissingExtra: if a package that it needs is missing.
    """
    _dials(name)
    return open_web(name, workers=1)


def open_sites(name: str) -> Sites:
    """The sites of a corpus by its name: procedural ones with all that stands around their texts, others plain.

    Raises:
        InvalidArgument: if it names no corpus, or several worlds.
        CorpusError, MissingExtra: as :func:`open_served`.
    """
    corpus = open_served(name)
    if not isinstance(corpus, Corpus):
        raise InvalidArgument(
            f"{name!r:.100} is no corpus, so its pages are not known: serve 'sample', 'procedural', or a corpus folder."
        )
    dials = _dials(name)
    if dials is None and corpus.manifest is not None:
        try:
            dials = config_of(corpus.manifest)
        except InvalidArgument:  # of another version of the generator: its pages are still there
            dials = None
    return CorpusSites(corpus) if dials is None else ProceduralSites(corpus, generated_web(dials))


def _dials(name: str) -> WebConfig | None:
    """The dials of a procedural web's name; ``None`` for another name."""
    if name.partition(":")[0] != "procedural":
        return None
    worlds = Worlds.parse(name)
    if worlds.count > 1:
        raise InvalidArgument(f"{name!r:.100} has {worlds.count:,} worlds: serve one of them; leave worlds out.")
    return worlds.first
