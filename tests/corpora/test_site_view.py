"""A site's view of the web holds that site and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.webs import small_web
from webenv.corpora import ContentAgents, Corpus, SourcePage
from webenv.corpora.sites import SiteView
from webenv.errors import InvalidArgument
from webenv.observations import Page, Reply
from webenv.web import AskRequest, Missing, Scope, SearchRequest, VisitRequest, Web

OWN = "own.example"
SECRET = "the secret of the other site is a heron"


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return Corpus.of(
        [
            SourcePage(
                "https://own.example/tide", "Tide", "The tide turns twice a day at the mill.", date="2024-01-01"
            ),
            SourcePage("https://own.example/bread", "Bread", "Bread is baked at the mill at night."),
            SourcePage("https://docs.own.example/tide", "Tide tables", "Tables of the tide at the mill."),
            SourcePage("https://other.example/tide", "Other tide", f"At the mill, {SECRET}, and the tide."),
            SourcePage(
                "https://notown.example/tide",
                "Not own",
                f"A tide mill; {SECRET}!",
                aliases=("https://own.example/alias",),
            ),
        ]
    )


@pytest.fixture(scope="module")
def view(corpus: Corpus) -> SiteView:
    return SiteView(corpus, "https://www.Own.example/")


HOSTILE = [
    "tide",
    "site:other.example tide",
    'site:other.example -site:own.example "the secret"',
    "-site:own.example tide",
    "site:notown.example",
    "site:other.example site:own.example tide",
    'tide" site:other.example "mill',
    "ſite:other.example tide",
    "tide (site:other.example",
    "site:site:other.example tide",
    "site:a;site:other.example tide",
    "site:other.example\u2028site:notown.example heron",
    "-site:x " * 40 + "site:other.example tide",
    "site:example tide",
    "heron " * 3_000 + "site:other.example",
    f'"{SECRET}"',
]


@pytest.mark.parametrize("query", ["", "  ", "!!!", "the", '""', "-site:docs.own.example", "site:"])
def test_a_query_that_says_nothing_finds_nothing(view: SiteView, query: str) -> None:
    assert view.search([SearchRequest(query)]) == [()]


@pytest.mark.parametrize("query", HOSTILE)
def test_a_search_finds_nothing_of_another_site(view: SiteView, query: str) -> None:
    for result in view.search([SearchRequest(query, 100)])[0]:
        assert result.site in ("own.example", "docs.own.example")
        assert "heron" not in result.snippet


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "site:",
                "-site:",
                "ſite:",
                "other.example",
                "own.example",
                "docs.own.example",
                '"',
                "“",
                "(",
                ";",
                " ",
                "tide",
            ]
        ),
        max_size=12,
    )
)
def test_no_query_whatever_leads_out(view: SiteView, parts: list[str]) -> None:
    found = view.search([SearchRequest("".join(parts), 100)])[0]
    assert {result.site for result in found} <= {"own.example", "docs.own.example"}


def test_filters_narrow_the_site_further(view: SiteView) -> None:
    def sites(query: str) -> list[str]:
        return sorted({result.site for result in view.search([SearchRequest(query)])[0]})

    assert sites("tide") == ["docs.own.example", "own.example"]
    assert sites("site:docs.own.example tide") == ["docs.own.example"]
    assert sites("-site:docs.own.example tide") == ["own.example"]
    assert sites("site:example tide") == ["docs.own.example", "own.example"]
    assert sites("site:other.example site:docs.own.example tide") == ["docs.own.example"]
    assert sites("site:other.example tide") == []
    assert sites("-site:example tide") == []
    assert sites('site:own.example "tables of the tide"') == ["docs.own.example"]


def test_a_batch_keeps_its_order(view: SiteView) -> None:
    queries = ["site:other.example tide", "bread", "-site:own.example", "tables"]
    titles = [[result.title for result in found] for found in view.search([SearchRequest(q) for q in queries])]
    assert titles == [[], ["Bread"], [], ["Tide tables"]]


def test_the_scope_holds_within_the_view(view: SiteView) -> None:
    found = view.search([SearchRequest("tide", scope=Scope(blocked=("docs.own.example",), as_of="2024-06-01"))])[0]
    assert [result.url for result in found] == ["https://own.example/tide"]


@pytest.mark.parametrize(
    "url",
    [
        "https://other.example/tide",
        "https://notown.example/tide",
        "https://own.example/alias",  # leads to a page of another site
        "https://own.example@other.example/tide",
        "https://own.example.other.example/tide",
        "own.example",
        "",
    ],
)
def test_a_visit_to_another_site_is_missing(view: SiteView, url: str) -> None:
    assert isinstance(view.visit([VisitRequest(url)])[0], Missing)


def test_pages_of_the_site_and_its_subdomains_are_visited(view: SiteView) -> None:
    urls = ["http://www.own.example/tide", "https://other.example/tide", "docs.own.example/tide"]
    pages = view.visit([VisitRequest(url) for url in urls])
    assert [page.title if isinstance(page, Page) else None for page in pages] == ["Tide", None, "Tide tables"]


def test_only_the_site_itself_can_be_asked(view: SiteView) -> None:
    """An agent on a view knows of no other site; of a host above, it knows what the site says."""
    sites = ["other.example", "own.example", "docs.own.example", "example", ""]
    question = "When does the tide turn? site:other.example"
    replies = ContentAgents(view).ask([AskRequest(question, site) for site in sites])
    assert [isinstance(reply, Reply) for reply in replies] == [False, True, True, True, False]
    assert isinstance(replies[1], Reply)
    assert replies[1].text.startswith("The tide turns twice a day at the mill.")
    assert "heron" not in str(replies)


def test_a_web_that_heeds_no_filters_leaks_nothing() -> None:
    view = SiteView(small_web(), "mills.example")
    found = view.search([SearchRequest("the ledger of the mill wheel", 100)])[0]
    assert {result.site for result in found} == {"mills.example"}
    assert isinstance(view.visit([VisitRequest("https://mirror.example/comet")])[0], Missing)


def test_a_view_is_a_web_with_an_identity(view: SiteView, corpus: Corpus) -> None:
    assert isinstance(view, Web)
    assert view.identity == {**corpus.identity, "site": "own.example"}


def test_what_is_no_host_is_refused(corpus: Corpus) -> None:
    with pytest.raises(InvalidArgument, match="expected a host"):
        SiteView(corpus, "no host")
