"""What is blocked: the site of the source article, and what serves copies of other sites' pages."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import unquote

from webenv.urls import host_of, parents

ARCHIVES = (
    "archive.today", "archive.is", "archive.ph", "archive.li", "archive.md", "archive.fo", "archive.vn", "archive.st",
    "web.archive.org", "wayback.archive.org", "ghostarchive.org", "arquivo.pt", "webcache.googleusercontent.com",
    "translate.goog", "r.jina.ai", "12ft.io",
)  # fmt: skip
"""Web archives (archive.today with its mirrors), and sites that fetch a page for whoever names it."""

_SCHEME = re.compile(r"\s*[a-z]+://", re.IGNORECASE)
_URL = re.compile(r"https?:/{1,2}([^\s/?#]+)", re.IGNORECASE)
_NAMED = re.compile(r"[^\s/?#&=:@]+")
_TOP = re.compile(r"[^\W\d_]{2,}|xn--[a-z0-9-]+")
_ADDRESS = re.compile(r"\[.*\]|\d+(?:\.\d+){3}")
_TRANSLATED = ".translate.goog"


def blocked_by(sources: Iterable[str]) -> tuple[str, ...]:
    """The hosts that a task blocks, each with its subdomains: the sites of its sources, then the archives.

    Source: LiveNewsBench, section 3.1. Differs from the release, which forgets archive.today itself; and of
    archives, and of caches, translators and readers that serve any page, more are listed than in the paper.

    Args:
        sources: addresses or hosts; what names no site is left out (:func:`sites_of`).

    >>> blocked_by(["https://edition.cnn.com:8443/a"])[:2]
    ('cnn.com', 'archive.today')
    """
    return tuple(dict.fromkeys((*sites_of(sources), *ARCHIVES)))


def sites_of(sources: Iterable[str]) -> tuple[str, ...]:
    """The sites of addresses or hosts, each once, without the archives: of each the domain that was registered.

    That is the part of a host that stands below a public suffix (publicsuffix.org, as the package tld keeps it; it is
    read from the disk). Under a suffix that is not known it is the last two labels. What has no dot, or is a public
    suffix itself, names no site. Of an archive's address the site is that of the page that the address contains.

    >>> sites_of(["https://m.dw.com/en", "news.bbc.co.uk", "Reuters", "www.paper.example"])
    ('dw.com', 'bbc.co.uk', 'paper.example')
    >>> sites_of(["https://web.archive.org/web/2025/https://www.bbc.com/news", "https://archive.ph/x1y2z"])
    ('bbc.com',)
    """
    return tuple(dict.fromkeys(site for source in sources for site in _sites(source)))


def _sites(source: str) -> Iterable[str]:
    source = source if _SCHEME.match(source) else f"https://{source.lstrip('/')}"
    host = host_of(source)
    if not any(parent in ARCHIVES for parent in parents(host)):
        return filter(None, [_registered(host)])
    return sites_of(_contained(source, host))


def _contained(source: str, host: str) -> list[str]:
    """The hosts of the pages that an archive's address contains."""
    if host.endswith(_TRANSLATED):
        label = host.removesuffix(_TRANSLATED).rpartition(".")[2]  # one dash for each dot, two for a dash
        return [label.replace("--", "\0").replace("-", ".").replace("\0", "-")]
    rest = unquote(unquote(source.partition("://")[2].partition("/")[2]))
    return _URL.findall(rest) or [part for part in _NAMED.findall(rest) if "." in part[1:-1] and _suffix(part)]


@lru_cache(maxsize=4_096)
def _registered(host: str) -> str:
    """The registered domain of a host; empty where it has none."""
    if _ADDRESS.fullmatch(host):
        return host
    labels = host.split(".")
    if len(labels) < 2 or not _TOP.fullmatch(labels[-1]):
        return ""
    known = _suffix(host).split(".") if _suffix(host) else labels[-1:]
    return ".".join(labels[-len(known) - 1 :]) if len(labels) > len(known) else ""


@lru_cache(maxsize=4_096)
def _suffix(host: str) -> str:
    """The public suffix that a host ends in; empty where none is known."""
    from tld import get_tld

    found = get_tld(host.lower(), fix_protocol=True, fail_silently=True, as_object=True)
    return "" if found is None or isinstance(found, str) else found.tld
