"""The list of sites that an agent is shown: each host with its description."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from webenv.corpora.document import blocks
from webenv.corpora.procedural import WebConfig, Worlds, generated_web
from webenv.corpora.sites import SiteDirectory, procedural_descriptions, read_descriptions
from webenv.errors import InvalidArgument, did_you_mean
from webenv.observations import Reply
from webenv.urls import host_of
from webenv.web import ListedSites, Scope, Web

_WORLDS = 64

Descriptions = str | Path | Mapping[str, str]


class DescribedSites:
    """The sites of a web with their descriptions, as a :class:`webenv.web.SiteListing`.

    Args:
        web: the web.
        worlds: the generated worlds that it consists of; ``None``: it is none.
        descriptions: texts by host, or a JSON file of them; sites without one say of themselves what they are about
            (generated ones), or are described from their pages.

    Raises:
        InvalidArgument: for a description that is no text, or of a site that there is not (of more than 64 worlds
            nobody looks).
        CorpusError: for a file that cannot be read.
    """

    def __init__(self, web: Web, worlds: Worlds | None = None, descriptions: Descriptions | None = None) -> None:
        given = read_descriptions(descriptions) if isinstance(descriptions, str | Path) else descriptions or {}
        if not isinstance(given, Mapping):
            raise InvalidArgument(f"descriptions={given!r:.80}: expected texts by host, or a JSON file of them.")
        self._given = {_host(site, text): text for site, text in given.items()}
        self._web, self._worlds = web, worlds
        self._directory: SiteDirectory | None = None
        if worlds is None and isinstance(web, ListedSites):
            self._check(web.sites)
            self._directory = SiteDirectory(web, None, given)
        elif worlds is not None and given and worlds.count <= _WORLDS:  # a site of any world may be described
            self._check(host for place in range(worlds.count) for host in self._of_world(str(worlds[place])))
        self._listed = lru_cache(maxsize=_WORLDS)(self._described)

    @property
    def known(self) -> bool:
        """Whether there is a site to list."""
        return self._directory is not None or self._worlds is not None or bool(self._given)

    @property
    def identity(self) -> Mapping[str, str]:
        """``name``, and a digest of the descriptions that were given."""
        if not self._given:
            return {"name": "sites"}
        text = json.dumps(sorted(self._given.items()), ensure_ascii=True)
        return {"name": "sites", "descriptions": hashlib.sha256(text.encode()).hexdigest()[:16]}

    def listed(self, scope: Scope) -> tuple[Reply, ...]:
        """Each site that a scope leaves, in alphabetical order."""
        every = self._listed(scope.world)
        return every if not scope.blocked else tuple(one for one in every if not blocks(scope, one.site))

    def hosts(self, world: str = "") -> tuple[str, ...]:
        """The hosts of a world."""
        return tuple(reply.site for reply in self._listed(world))

    def _check(self, hosts: Iterable[str]) -> None:
        known = sorted(hosts)
        for site in sorted(self._given.keys() - set(known)):
            hint = did_you_mean(site, known)
            raise InvalidArgument(f"descriptions: there is no site {site!r:.100} on this web. {hint}")

    def _of_world(self, world: str) -> Mapping[str, str]:
        assert self._worlds is not None
        config = WebConfig.parse(world) if world else self._worlds.first
        return procedural_descriptions(generated_web(config))

    def _described(self, world: str) -> tuple[Reply, ...]:
        if self._directory is not None:
            texts: Mapping[str, str] = {host: self._directory.description(host) for host in self._directory.hosts}
        elif self._worlds is not None:
            own = self._of_world(world)
            texts = {host: self._given.get(host, text) for host, text in own.items()}
        else:
            texts = self._given
        return tuple(Reply(host, texts[host]) for host in sorted(texts))


def _host(site: object, text: object) -> str:
    host = host_of(site) if isinstance(site, str) else ""
    if not host or not isinstance(text, str):
        raise InvalidArgument(f"descriptions: {site!r:.100} with {text!r:.60}; expected a host with a text.")
    return host
