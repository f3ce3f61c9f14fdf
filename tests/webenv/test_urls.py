"""Any text is a URL: it has a canonical form and a key, or none."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from w3lib.url import canonicalize_url

from webenv.urls import MAX_URL, address, canonical_url, host_of, key_of, page_key, parents

SAME_PAGE = [
    "https://example.org/a/b?x=1&y=2",
    "http://example.org/a/b?x=1&y=2",
    "https://www.example.org/a/b?x=1&y=2",
    "HTTPS://EXAMPLE.ORG:443/a/b?x=1&y=2",
    "http://example.org:80/a/b?x=1&y=2",
    "https://example.org/a/b/?x=1&y=2#part",
    "https://example.org/a/./c/../b?y=2&x=1",
    "https://example.org/%61/b?x=1&y=2&utm_source=mail&fbclid=q",
    "https://user:password@example.org/a/b?x=1&y=2",
    "  https://example.org./a/b?x=1&y=2\n",
    "example.org/a/b?x=1&y=2",
    "//www.example.org/a/b?x=1&y=2",
]


@pytest.mark.parametrize("url", SAME_PAGE[:5] + SAME_PAGE[6:])
def test_forms_of_one_address_share_a_key(url: str) -> None:
    """Scheme, www, default port, fragment, dots, escapes, order and tracking do not matter."""
    assert key_of(url) == page_key("https://example.org/a/b?x=1&y=2")


@pytest.mark.parametrize(
    "url",
    [
        *("", " ", "http://[", "http://", "mailto:a@b.example", "javascript:alert(1)", "ftp://example.org/", "/a/b"),
        *("no url", "http://example.org:99999/", "http://a..b/", "http://exa mple.org/", "https://\ud800.org/"),
        *("\ud800", "x" * (MAX_URL + 1)),
    ],
)
def test_what_is_no_web_address_has_no_form(url: str) -> None:
    """Other schemes, no host, and broken hosts and ports are no addresses."""
    assert canonical_url(url) is None
    assert key_of(url) is None


def test_canonical_form_is_literal() -> None:
    """The form of an address that has a bit of everything."""
    assert (
        canonical_url("HTTP://Bücher.Example:8080/Straße/../ü b?q=ä&utm_medium=x&a=%7e#top")
        == "http://xn--bcher-kva.example:8080/%C3%BC%20b?a=~&q=%C3%A4"
    )


@given(st.text(max_size=60))
def test_no_text_raises(text: str) -> None:
    """Any text has a key or none, and a host or none, alone and as a part of an address."""
    for url in (text, "http://" + text, "https://example.org/" + text, "https://example.org/?" + text):
        canonical = canonical_url(url)
        assert canonical is None or canonical.startswith(("http://", "https://"))
        host_of(url)


@given(st.text(max_size=40))
def test_the_canonical_form_is_its_own(text: str) -> None:
    """A canonical URL is the canonical form of itself, so search results lead straight to their pages."""
    canonical = canonical_url("https://example.org/" + text)
    if canonical is not None and len(canonical) <= MAX_URL:
        assert canonical_url(canonical) == canonical


@given(
    st.from_regex(
        r"https?://[a-z]{1,8}\.example/[a-z0-9/~_-]{0,20}(\?[a-z]=[a-z0-9]{0,4}(&[a-z]=[a-z0-9]{0,4}){0,3})?",
        fullmatch=True,
    )
)
def test_plain_addresses_agree_with_w3lib(url: str) -> None:
    """For addresses without tracking, user or fragment the form is w3lib's."""
    assert canonical_url(url) == canonicalize_url(url)


@given(st.from_regex(r"https?://[a-z0-9.-]{1,12}[a-z0-9](/[a-zA-Z0-9./~_-]{0,12}){0,3}", fullmatch=True))
def test_an_address_that_is_canonical_as_it_stands_is_read_as_any_other(url: str) -> None:
    """What is known by its looks has the form and the host of the same address with its scheme in capitals."""
    capitals = url.replace("http", "HTTP", 1)
    assert (canonical_url(url), host_of(url)) == (canonical_url(capitals), host_of(capitals))


def test_hosts() -> None:
    """A host is read from URLs and from bare hosts, in any case, without www and port."""
    assert [
        host_of(text) for text in ("https://WWW.A.Example:8/x", "a.example", "a.example:80/x", "[::1]", "", "a b")
    ] == [
        "a.example",
        "a.example",
        "a.example",
        "[::1]",
        "",
        "",
    ]


def test_parents_are_all_hosts_above() -> None:
    """A host is under itself and every host above it."""
    assert parents("a.b.example") == ["a.b.example", "b.example", "example"]


@pytest.mark.parametrize(
    "text", ["hmm" + "." * 4_000, "a." * 2_000 + "1", "http://x/?" + "oly_a" * 800, "http://" + "é" * 4_000 + ".x"]
)
def test_what_is_nearly_a_url_takes_no_longer(text: str) -> None:
    """Many dots, parameters or letters of another script are read in milliseconds."""
    start = time.thread_time()
    canonical_url(text)
    host_of(text)
    assert time.thread_time() - start < 0.05


def test_hosts_no_resolver_takes_lead_nowhere() -> None:
    """A host of more than 253 characters is none."""
    long = ".".join(["a" * 60] * 5)
    assert canonical_url(f"https://{long}/") is None
    assert host_of(long) == ""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://arxiv.org/abs/2508.11576", "https://arxiv.org/html/2508.11576v1"),
        ("http://www.arxiv.org/pdf/2508.11576v2.pdf", "https://arxiv.org/html/2508.11576v1#S3"),
        ("https://export.arxiv.org/abs/cs/0112017", "https://arxiv.org/pdf/cs/0112017v1"),
        ("https://doi.org/10.48550/arXiv.2508.11576", "https://arxiv.org/html/2508.11576v1"),
        ("https://www.cnn.com/2025/07/15/science/rhino", "https://edition.cnn.com/2025/07/15/science/rhino/index.html"),
        ("https://amp.cnn.com/cnn/2025/07/15/science/rhino", "https://edition.cnn.com/2025/07/15/science/rhino"),
        ("https://en.wikipedia.org/wiki/A_(B%2C_C)", "https://en.wikipedia.org/wiki/A_(B,_C)"),
        ("https://en.wikipedia.org/wiki/Ca%C3%B1o", "https://en.m.wikipedia.org/wiki/Caño"),
        ("https://en.wikipedia.org/w/index.php?title=Mill", "https://en.wikipedia.org/wiki/Mill"),
        ("https://olh.openlibhums.org/articles/10.16995/olh.16931/", "https://olh.openlibhums.org/article/id/16931/"),
        ("https://a.example/b?utm_source=x&y=1&x=2", "https://www.a.example/b/?x=2&y=1#top"),
    ],
)
def test_forms_of_one_page_share_an_address(one: str, other: str) -> None:
    """Percent-encoding, versions and forms of a paper, editions and mobile hosts of a site name one page."""
    assert address(one) == address(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://arxiv.org/abs/2508.11576", "https://arxiv.org/abs/2508.11577"),
        ("https://arxiv.org/list/cs/new", "https://arxiv.org/abs/cs/new"),
        ("https://edition.cnn.com/2025/07/15/science/rhino", "https://edition.cnn.com/2025/07/15/science/rhinos"),
        ("https://en.wikipedia.org/wiki/Mill", "https://simple.wikipedia.org/wiki/Mill"),
        ("https://edition.other.example/a", "https://other.example/a"),
        ("https://a.example/B", "https://a.example/b"),
    ],
)
def test_other_pages_have_other_addresses(one: str, other: str) -> None:
    """Papers, articles, languages, hosts and the case of a path tell pages apart."""
    assert address(one) != address(other)
