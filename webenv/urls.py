"""When two URLs are one page: the canonical form of a URL, the key of its page, its address in a verdict, its site."""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import blake2b
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from w3lib.url import canonicalize_url

MAX_URL = 4_096
"""The longest URL that leads anywhere, in characters."""

_TRACKING = re.compile(
    r"(?:utm_\w+|mtm_\w+|pk_(?:campaign|kwd|source|medium|content)|hsa_\w+|_hs(?:enc|mi)|"
    r"fbclid|gclid|gclsrc|gbraid|wbraid|dclid|msclkid|yclid|twclid|ttclid|igshid|igsh|mc_[ce]id|_ga|_gl|vero_id|oly_(?:anon|enc)_id)",
    re.IGNORECASE,
)
_MAX_HOST = 253  # RFC 1035, section 2.3.4; Python's idna codec takes quadratic time in the length of what it is given
_HOST = re.compile(r"[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\]")
# Most addresses are canonical as they stand, and need not be parsed: plain characters, no segment begins with a dot.
_LABEL = "[a-z0-9][a-z0-9-]{0,62}"
_PLAIN = re.compile(
    rf"https?://({_LABEL}(?:\.{_LABEL})+)(?<=[a-z0-9])(?=/)(?:/[a-zA-Z0-9_~-][a-zA-Z0-9_~.-]*)*/?", re.ASCII
)
# One run of characters up to the last dot: with a group for each label, time is exponential in the labels.
_SCHEMELESS = re.compile(r"(?://)?([^\s/?#:@]+\.[^\W\d_]{2,}(?::\d+)?(?:[/?#].*)?)", re.DOTALL)


def canonical_url(url: str) -> str | None:
    """The one form of a web address under which its page is kept; ``None`` where it is no web address.

    Scheme and host in lower case, international hosts in their ASCII form, no user, default port,
    fragment or tracking parameters, dot segments resolved, percent-encoding in one form, query
    parameters sorted. A missing scheme is taken for https. Takes any string.

    >>> canonical_url("HTTP://Bücher.Example:80/a/../b?z=1&utm_source=x&a=%7e#top")
    'http://xn--bcher-kva.example/b?a=~&z=1'
    """
    url = url.strip()
    if not url or len(url) > MAX_URL:
        return None
    plain = _PLAIN.fullmatch(url)
    if plain and len(plain[1]) <= _MAX_HOST:
        return url
    bare = _SCHEMELESS.fullmatch(url)
    if bare:
        url = "https://" + bare[1]
    try:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not 0 < len(parts.hostname or "") <= _MAX_HOST:
            return None
        netloc = parts.netloc.rpartition("@")[2]
        query = parts.query
        if _TRACKING.search(query):
            kept = [(n, v) for n, v in parse_qsl(query, keep_blank_values=True) if not _TRACKING.fullmatch(n)]
            query = urlencode(kept)
        parts = urlsplit(canonicalize_url(urlunsplit((parts.scheme, netloc, parts.path, query, ""))))
        host = (parts.hostname or "").rstrip(".")
        if ":" in host:
            host = f"[{host}]"
        elif not host.isascii():
            host = host.encode("idna").decode("ascii").lower()
        if not _HOST.fullmatch(host) or ".." in host:
            return None
        if parts.port is not None and parts.port != {"http": 80, "https": 443}[parts.scheme]:
            host += f":{parts.port}"
        return urlunsplit((parts.scheme, host, parts.path or "/", parts.query, ""))
    except ValueError:  # also what encodings raise: not an address
        return None


def page_key(url: str) -> int:
    """The key of the page at a canonical URL: 63 bits, equal for http and https, with and without
    ``www.`` and a trailing slash.

    A URL in another form has a key that no page has: then ask :func:`key_of`.
    """
    start = 8 if url.startswith("https://") else 7 if url.startswith("http://") else 0
    if url.startswith("www.", start):
        start += 4
    bare = url[start:-1] if url.endswith("/") else url[start:]
    return int.from_bytes(blake2b(bare.encode("utf-8", "surrogatepass"), digest_size=8).digest()) >> 1


def key_of(url: str) -> int | None:
    """The key of the page that any URL leads to; ``None`` where it is no web address.

    >>> key_of("http://www.example.org/a/#x") == key_of("https://example.org/a")
    True
    """
    canonical = canonical_url(url)
    return None if canonical is None else page_key(canonical)


# Addresses of one page on sites that serve it under several, and the form that stands for all of them. Of the answers
# that Needle in the Web's release accepts, 55 name a gold paper of arXiv in another form, 41 a gold page of CNN.
_ONE_PAGE = (
    (
        re.compile(r"\A(?:[\w-]+\.)?arxiv\.org/(?:abs|pdf|html|format|src|e-print|ps)/(.+?)(?:v\d+)?(?:\.pdf)?"),
        r"arxiv.org/abs/\1",
    ),
    (re.compile(r"(?:dx\.)?doi\.org/10\.48550/arxiv\.(.+?)(?:v\d+)?", re.IGNORECASE), r"arxiv.org/abs/\1"),
    (re.compile(r"(?:(?:edition|us|amp|lite)\.)?cnn\.com/(?:cnn/)?(.+?)(?:/index\.html)?"), r"cnn.com/\1"),
    (re.compile(r"\A([a-z-]+)\.m\.wikipedia\.org/(.+)"), r"\1.wikipedia.org/\2"),
    (re.compile(r"\A([a-z-]+)\.wikipedia\.org/w/index\.php\?title=([^&]+)"), r"\1.wikipedia.org/wiki/\2"),
    (
        re.compile(r"olh\.openlibhums\.org/articles?/(?:id/|10\.16995/olh\.)?(\d+)(?:/.*)?"),
        r"olh.openlibhums.org/article/id/\1",
    ),
    (re.compile(r"(?:dx\.)?doi\.org/10\.16995/olh\.(\d+)"), r"olh.openlibhums.org/article/id/\1"),
)


@lru_cache(maxsize=65_536)
def address(url: str) -> str:
    """A URL as it is compared: in its canonical form, without scheme, ``www.``, fragment and last slash.

    It is how verdicts compare what no web can be asked about any more; :func:`key_of` is how a web finds a page.
    Two URLs with one address lead to one page as a rule: percent-encoding, tracking parameters and the order of
    parameters do not matter, and neither does which of its own addresses a site was reached at: of a paper on arXiv
    the abstract, the PDF and the HTML of any version, of CNN the edition, of Wikipedia the mobile host, of the Open
    Library of Humanities the DOI. A text that is no URL is its own address.

    >>> address("HTTP://www.Example.org:80/a/?q=1#top") == address("https://example.org/a?q=1")
    True
    >>> address("https://arxiv.org/pdf/2508.11576"), address("https://arxiv.org/html/2508.11576v1#S2")
    ('arxiv.org/abs/2508.11576', 'arxiv.org/abs/2508.11576')
    """
    text = url.strip()
    if not text.lower().startswith(("http://", "https://")):
        return text
    canonical = canonical_url(text)
    if canonical is None:
        return text
    found = canonical.partition("://")[2].removeprefix("www.")
    head, mark, query = found.partition("?")
    found = f"{head.rstrip('/')}{mark}{query}"
    for form, one in _ONE_PAGE:
        match = form.fullmatch(found)
        if match:
            return match.expand(one)
    return found


def host_of(text: str) -> str:
    """The host of a URL or a bare host, lower case, without ``www.`` and port; empty where there is none.

    >>> host_of("https://WWW.Example.org:8080/a"), host_of("docs.example.org"), host_of("no host")
    ('example.org', 'docs.example.org', '')
    """
    text = text.strip()[:MAX_URL]
    plain = _PLAIN.fullmatch(text)
    if plain and len(plain[1]) <= _MAX_HOST:
        return plain[1].removeprefix("www.")
    if "://" not in text:
        text = "http://" + text.lstrip("/")
    try:
        host = (urlsplit(text).hostname or "").strip(".")
        if len(host) > _MAX_HOST:
            return ""
        if not host.isascii():
            host = host.encode("idna").decode("ascii").lower()
    except ValueError:  # also what encodings raise: no host
        return ""
    host = host.removeprefix("www.")
    if ":" in host:
        host = f"[{host}]"
    return host if _HOST.fullmatch(host) and ".." not in host and len(host) <= _MAX_HOST else ""


def parents(host: str) -> list[str]:
    """A host and every host above it.

    >>> parents("a.example.org")
    ['a.example.org', 'example.org', 'org']
    """
    if host.startswith("["):
        return [host]
    labels = host.split(".")
    return [".".join(labels[i:]) for i in range(len(labels))]
