"""The live web by a name, such as ``live:tavily``."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from webenv.corpora.live.guard import web_address
from webenv.corpora.live.http_provider import HttpProvider
from webenv.corpora.live.services import AgentWeb, AgentWebSearch, Brave, NoSearch, SearXNG, Serper, Tavily
from webenv.corpora.live.settings import FetchSettings
from webenv.corpora.live.web import LiveWeb
from webenv.errors import InvalidArgument, did_you_mean
from webenv.runtime.spec import Reader, number, one_of, split_settings, whole, words

PROVIDERS: Mapping[str, type[HttpProvider]] = {
    kind.name: kind for kind in (AgentWebSearch, Brave, NoSearch, SearXNG, Serper, Tavily)
}
"""The providers by name."""

_PREFIX = "live:"
_KEYS = frozenset(("key", "api_key", "apikey", "api-key", "token"))
_NAME = re.compile("[a-z_]{0,20}")


@dataclass(frozen=True)
class LiveSpec:
    """The live web that a name describes, every setting of it checked; nothing is open yet.

    Attributes:
        provider: the name of what searches.
        settings: how pages are fetched.
        url: where the provider is asked; ``None``: its own address.
        shared: ``timeout`` and ``retries``, where they are set: for the provider too.
        own: settings of the provider alone.
    """

    provider: str
    settings: FetchSettings
    url: str | None = None
    shared: Mapping[str, Any] = field(default_factory=dict)
    own: Mapping[str, Any] = field(default_factory=dict)

    def open(self) -> LiveWeb:
        """The web.

        Raises:
            InvalidArgument: if the provider's key or address is not set.
            MissingExtra: if a package is missing.
        """
        kind, url = PROVIDERS[self.provider], self.url
        if url is None and kind is SearXNG and not os.environ.get(kind.variable):
            url = self.settings.gateway or None
        provider = kind(url=url, **self.shared, **self.own)
        if isinstance(provider, AgentWebSearch):
            return AgentWeb(provider, self.settings)
        return LiveWeb(provider, self.settings)


def open_live(spec: str) -> LiveWeb:
    """The live web that a name describes.

    Args:
        spec: as for :func:`parse_live`.

    Raises:
        InvalidArgument: as :func:`parse_live`, or if the provider's key or address is not set.

    >>> open_live("live:searxng,url=http://127.0.0.1:8080,timeout=5")
    <LiveWeb: SearXNG(host='127.0.0.1:8080')>
    """
    return parse_live(spec).open()


def parse_live(spec: str) -> LiveSpec:
    """Reads and checks the name of a live web; opens nothing, and needs no key.

    Args:
        spec: ``live:<provider>``, and after commas settings as name=value: ``url`` and ``retries`` of the
            provider (of ``tavily`` also ``depth`` and ``chunks``), and those of
            :class:`webenv.corpora.live.FetchSettings` but ``resolver``. ``retries`` and ``timeout`` are for both. With
            ``searxng`` and a gateway, the gateway is where it searches too, if no other address is set.

    Raises:
        InvalidArgument: for another form, an unknown provider or setting, a value that cannot be, or a key,
            which does not belong in a name; none of them is shown that may be a key.

    >>> parse_live("live:tavily,timeout=5").settings.timeout
    5.0
    """
    if not spec.startswith(_PREFIX):
        raise InvalidArgument(f"web={spec!r:.100}: expected live:<provider>, as in live:tavily.")
    name, _, rest = spec.removeprefix(_PREFIX).partition(",")
    name = name.strip()
    kind = PROVIDERS.get(name)
    if kind is None:
        raise InvalidArgument(f"live web: no provider {_shown(name)}. {did_you_mean(name, PROVIDERS)}")
    values: dict[str, Any] = {}
    for setting, text, part in split_settings(rest, "live web"):
        if setting.lower() in _KEYS:
            raise InvalidArgument(f"live web: a key in a name would be recorded; set {kind.variable} instead.")
        known = {**_SETTINGS, **_OWN.get(kind, {})}
        reader = known.get(setting)
        if reader is None:
            raise InvalidArgument(f"live web: no setting {_shown(setting)}. {did_you_mean(setting, known)}")
        if not text:
            raise InvalidArgument(f"live web: {part!r:.60}; expected a setting and its value, as in timeout=10.")
        try:
            values[setting] = reader(text)
        except ValueError as error:
            raise InvalidArgument(f"live web: {setting}={text!r:.60}; expected {error}.") from None
    url = values.pop("url", None)
    if url is not None:
        web_address(url, f"{kind.title}: url")
    shared: dict[str, Any] = {setting: values[setting] for setting in ("timeout", "retries") if setting in values}
    own = {setting: values.pop(setting) for setting in _OWN.get(kind, {}) if setting in values}
    if kind is Tavily and own.get("chunks") and own.get("depth") != "advanced":
        raise InvalidArgument("live web: chunks goes with depth=advanced.")
    return LiveSpec(name, FetchSettings(**values), url, shared, own)


def _shown(name: str) -> str:
    """A name that is not known, unless it looks more like a key than like a name."""
    return repr(name) if _NAME.fullmatch(name) else "of that name"


def _switch(text: str) -> bool:
    known = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    if text.lower() not in known:
        raise ValueError("true or false")
    return known[text.lower()]


_OWN: Mapping[type[HttpProvider], Mapping[str, Reader]] = {
    Tavily: {"depth": one_of("basic", "advanced"), "chunks": whole(1)}
}

_SETTINGS: Mapping[str, Reader] = {
    **dict.fromkeys(("url", "gateway", "user_agent"), words),
    **dict.fromkeys(("timeout", "delay", "longest_wait", "read_timeout"), number(0)),
    **dict.fromkeys(("max_bytes", "max_redirects", "retries", "concurrency", "per_host", "readers"), whole(0)),
    **dict.fromkeys(("robots", "allow_private"), _switch),
}
