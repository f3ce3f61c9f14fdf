"""The pages of each site as its own lists know them: by date, subject, year and author."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

from webenv.corpora.procedural.rng import Rng
from webenv.corpora.world.plan import PageHead
from webenv.corpora.world.sites import WorldSite, slug
from webenv.corpora.world.web import WorldWeb
from webenv.corpora.world.world import PAGES

_REGIONS = 40  # whose pages lists show; planning one takes a fifth of a second, and a world may have thousands
_SIGNED = frozenset({"paper", "news", "blog", "magazine", "journal", "catalogue", "guide", "club", "heritage"})
_STAFF = 6


class ListedPage(NamedTuple):
    """A page as lists show it.

    Attributes:
        number: in the web.
        url, title, date: of the page; the date may be empty.
        tags: its subjects: the kind of what it is about, and the town.
        author: who signs it; empty on sites whose pages nobody signs.
    """

    number: int
    url: str
    title: str
    date: str
    tags: tuple[str, ...]
    author: str


class SitePages(NamedTuple):
    """What a site has.

    Attributes:
        pages: the newest first, after them those without a date by their titles.
        tags: pages by the slug of a tag, the most frequent tags first.
        names: tags by their slugs.
        years: pages by the year of their date, the latest first.
        authors: pages by the slug of who signed them.
    """

    pages: tuple[ListedPage, ...]
    tags: Mapping[str, tuple[ListedPage, ...]]
    names: Mapping[str, str]
    years: Mapping[str, tuple[ListedPage, ...]]
    authors: Mapping[str, tuple[ListedPage, ...]]


class SiteLists:
    """What the sites of a world have, from its plans alone; made at the first question.

    Of worlds of more than 9,600 pages lists show the first 9,600; the others stand at their addresses all the same.

    Args:
        web: the world's web.
    """

    def __init__(self, web: WorldWeb) -> None:
        self._web = web
        self._staff: dict[int, tuple[str, ...]] = {}

    def staff(self, site: WorldSite) -> tuple[str, ...]:
        """Who writes a site, the first of them its head."""
        if site.number not in self._staff:
            setting = self._web.world.setting
            rng = Rng(*setting.seed, "staff", site.number)
            people = (setting.names.person("f" if rng.chance(0.5) else "m", rng) for _ in range(_STAFF))
            self._staff[site.number] = tuple(dict.fromkeys(people))
        return self._staff[site.number]

    def author(self, head: PageHead) -> str:
        """Who signs a page; empty where nobody does."""
        if head.site.type not in _SIGNED:
            return ""
        staff = self.staff(head.site)
        if head.site.type == "blog":
            return staff[0]
        return Rng(*self._web.world.setting.seed, "by", head.number).pick(staff)

    def tags(self, head: PageHead) -> tuple[str, ...]:
        """The subjects of a page."""
        if not head.about:
            return ()
        world, region = self._web.world, head.number // PAGES
        subject = world.known(region, head.about[0])
        if subject is None:
            return ()
        kind = world.setting.kinds[subject.kind]
        language = world.setting.language
        name = language.say("people") if kind.name == "person" else language.plural(kind)
        many = head.form in ("list", "timeline")
        return (name,) if many else tuple(dict.fromkeys((name, world.place(subject)[0])))

    def listed(self, head: PageHead) -> ListedPage:
        """A page as lists show it."""
        return ListedPage(head.number, head.url, head.title, head.date, self.tags(head), self.author(head))

    def shown(self, head: PageHead) -> ListedPage:
        """A page with those of its subjects and authors that its site has lists of."""
        listed, pages = self.listed(head), self.of(head.site)
        tags = tuple(tag for tag in listed.tags if slug(tag) in pages.tags)
        return listed._replace(tags=tags, author=listed.author if slug(listed.author) in pages.authors else "")

    def of(self, site: WorldSite) -> SitePages:
        """What a site has."""
        return self._sites[site.number]

    @cached_property
    def _sites(self) -> dict[int, SitePages]:
        found: dict[int, list[ListedPage]] = {site.number: [] for site in self._web.sites}
        for number in range(min(len(self._web), _REGIONS * PAGES)):
            head = self._web.planner.head(number)
            found[head.site.number].append(self.listed(head))
        return {number: _site_pages(pages) for number, pages in found.items()}


def _site_pages(pages: list[ListedPage]) -> SitePages:
    dated = sorted((page for page in pages if page.date), key=lambda page: (page.date, page.url), reverse=True)
    ordered = (*dated, *sorted((page for page in pages if not page.date), key=lambda page: (page.title, page.url)))
    names = {slug(tag): tag for page in ordered for tag in page.tags}
    counts = Counter(slug(tag) for page in ordered for tag in page.tags)
    years = sorted({page.date[:4] for page in dated}, reverse=True)
    authors = sorted({page.author for page in ordered if page.author})
    return SitePages(
        ordered,
        {
            tag: tuple(page for page in ordered if any(slug(one) == tag for one in page.tags))
            for tag, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        },
        names,
        {year: tuple(page for page in dated if page.date.startswith(year)) for year in years},
        {slug(author): tuple(page for page in ordered if page.author == author) for author in authors},
    )
