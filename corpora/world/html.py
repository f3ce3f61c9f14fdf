"""The pages of a simulated world's sites as HTML: main texts amid what stands around them, lists, and other pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from webenv.corpora.markdown import markdown_html, plain_text, text_html
from webenv.corpora.procedural.rng import Rng
from webenv.corpora.world.directory import ListedPage
from webenv.corpora.world.html_parts import SUMMARY, HTMLParts, Pager, author_path
from webenv.corpora.world.picture import picture
from webenv.corpora.world.sites import WorldSite
from webenv.corpora.world.web import WorldPage
from webenv.corpora.world.world import PAGES
from webenv.corpora.world.writing import capital

_MARKS = re.compile(r"[|#]|-{3,}|(?<= )- ")
STATEMENTS = {
    "about-us": ("About {site}", "about"),
    "imprint": ("Imprint", "imprint"),
    "privacy": ("Privacy", "privacy"),
    "contact": ("Contact", "contact"),
    "newsletter": ("Newsletter", "thanks"),
}
"""Pages that every site has beside its own, as path, title and the lines that they are made of."""


class SearchHit(NamedTuple):
    """A page that a site's search found."""

    url: str
    title: str
    snippet: str


class SiteHTML(HTMLParts):
    """Writes the documents of a world's sites."""

    def page(self, page: WorldPage) -> str:
        """The whole document of a page of the web."""
        head, site = page.plan.head, page.site
        frame = self._frame(site)
        look, names = frame.look, frame.look.names
        rng = Rng(*self._seed, "html", page.number)
        text = self._web.text(page).text
        listed = self._directory.shown(head)
        author = f'{self._say("By ")}<a rel="author" href="{author_path(listed.author)}">{text_html(listed.author)}</a>'
        said = [author if listed.author else "", self._date(page.date, site)]
        byline = " · ".join(part for part in said if part)
        kicker = self._kicker(listed, look)
        heading = f'{kicker}<h1 class="{names["title"]}">{text_html(page.title)}</h1>'
        heading += f'<div class="{names["byline"]}">{byline}</div>' if byline else ""
        heading += frame.share + (picture(Rng(*self._seed, "picture", page.number), names) if look.picture else "")
        body = self._thread(text, look) if head.form == "forum" else markdown_html(text, names["facts"])
        body, contents = self._with_contents(body, names) if look.contents else (body, "")
        opening, closing = look.holder
        main = f"{heading}{contents}{opening}{body}{closing}"
        region = head.number // PAGES
        below = [self._tags(listed, look), self._turns(head, look), self._ad(region, site, look, rng)]
        below += [self._related(listed, head, frame, rng), self._comments(page, frame, rng)]
        crumbs = self._crumbs(frame, [(frame.section, f"/{site.section}"), *self._first_tag(listed), (page.title, "")])
        return self._document(frame, page.title, crumbs + main + "".join(below), page.url, page.date, region, rng)

    def home(self, site: WorldSite) -> str:
        """The front page of a site: its newest pages, and its subjects."""
        frame = self._frame(site)
        pages = self._directory.of(site)
        rng = Rng(*self._seed, "home", site.number)
        names = frame.look.names
        first = pages.pages[:1]
        top = picture(rng, names) if frame.look.picture else ""
        kicker = text_html(self._line("lead_head", rng, frame.given))
        lead = "".join(
            f'<p class="{names["kicker"]}">{kicker}</p>'
            f'<h1 class="{names["title"]}"><a href="{page.url}">{text_html(page.title)}</a></h1>'
            f"<p>{text_html(self.summary(page.number, 2 * SUMMARY))}</p>"
            for page in first
        )
        more = f'<p><a href="/{site.section}">{text_html(frame.section)} →</a></p>'
        rows = self._rows(pages.pages[1:13], site, frame.look)
        head = f"<h2>{text_html(self._line('newest_head', frame.look_rng, frame.given))}</h2>"
        subjects = "".join(
            f'<a href="/tag/{tag}">{text_html(capital(pages.names[tag]))}</a> ' for tag in list(pages.tags)[:14]
        )
        topics = f'<h2>{text_html(frame.topics)}</h2><div class="{names["tags"]}">{subjects}</div>'
        return self._document(
            frame, "", top + lead + head + rows + more + topics, f"https://{site.host}/", "", frame.region, rng
        )

    def listing(self, site: WorldSite, title: str, pages: Sequence[ListedPage], turn: Pager, note: str = "") -> str:
        """A part of a list of pages."""
        frame = self._frame(site)
        body = f"<h1>{text_html(title)}</h1>{f'<p>{text_html(note)}</p>' if note else ''}"
        body += self._rows(pages, site, frame.look) + self._pager(turn, frame.look)
        return self._other(frame, title, body, turn.path)

    def index(self, site: WorldSite, title: str, path: str, items: Iterable[tuple[str, str, int]]) -> str:
        """A list of lists: of subjects, years or people, each with its name, its path and how many pages it has."""
        frame = self._frame(site)
        rows = "".join(f'<li><a href="{way}">{text_html(name)}</a> ({count:,})</li>' for name, way, count in items)
        columns = ' style="columns:3 11rem"' if rows.count("<li>") > 12 else ""
        return self._other(frame, title, f"<h1>{text_html(title)}</h1><ul{columns}>{rows}</ul>", path)

    def biography(self, site: WorldSite, name: str) -> str:
        """A line on who writes a site."""
        rng = Rng(*self._seed, "bio", site.number, name)
        given = {**self._frame(site).given, "person": name, "year": str(rng.between(1998, 2022))}
        role = self._line(f"role_{site.type}", rng, given)
        bio = self._line("bio", rng, given)
        return f"{self._language.closed(role)}{self._language.space}{bio}" if role else bio

    def statement(self, site: WorldSite, path: str) -> str:
        """One of :data:`STATEMENTS`."""
        frame = self._frame(site)
        title, use = STATEMENTS[path]
        title = self._say(title).format(site=site.name)
        rng = Rng(*self._seed, path, site.number)
        body = "".join(f"<p>{text_html(said)}</p>" for said in self._all(use, rng, frame.given))
        if path == "about-us":
            staff = self._directory.of(site).authors
            people = "".join(
                f'<li><a href="{author_path(pages[0].author)}">{text_html(pages[0].author)}</a></li>'
                for pages in staff.values()
            )
            body += f"<h2>{self._say('Who we are')}</h2><ul>{people}</ul>" if people else ""
            links = [f'<a href="/{name.lower()}">{self._say(name)}</a>' for name in ("Contact", "Imprint")]
            body += f"<p>{' · '.join(links)}</p>"
        return self._other(frame, title, f"<h1>{text_html(title)}</h1>{body}", f"/{path}")

    def search(self, site: WorldSite, query: str, hits: Sequence[SearchHit], turn: Pager) -> str:
        """What a site's search found."""
        frame = self._frame(site)
        rng = Rng(*self._seed, "search", site.number)
        rows = "".join(
            f'<li class="{frame.look.names["row"]}"><h3><a href="{text_html(hit.url)}">{text_html(hit.title)}</a></h3>'
            f"<p>{text_html(_flat(hit.snippet))}</p></li>"
            for hit in hits
        )
        none = f"<p>{text_html(self._line('none', rng, frame.given))}</p>" if query and not hits else ""
        title = self._language.named(self._say("Search"), query) if query else self._say("Search")
        body = f"<h1>{text_html(title)}</h1>{self._search_form(frame.look, query)}{none}"
        body += f'<ul class="{frame.look.names["rows"]}">{rows}</ul>{self._pager(turn, frame.look)}'
        return self._other(frame, title, body, "/search")

    def lost(self, site: WorldSite) -> str:
        """The page that a site shows where it has none."""
        frame = self._frame(site)
        rng = Rng(*self._seed, "lost", site.number)
        said = text_html(self._line("lost", rng, frame.given))
        home = f'<p><a href="/">{text_html(site.name)}</a></p>'
        title = self._say("Page not found")
        body = f"<h1>{title}</h1><p>{said}</p>{self._search_form(frame.look)}{home}"
        return self._other(frame, title, body, "")


def _flat(snippet: str) -> str:
    """A piece of a text without what is left in it of tables, headings and lists."""
    return " · ".join(part.strip() for part in _MARKS.split(plain_text(snippet)) if part.strip())
