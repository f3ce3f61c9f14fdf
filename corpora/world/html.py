"""The pages of a simulated world's sites as HTML: main texts amid what stands around them, lists, and other pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from functools import cache, lru_cache
from importlib import resources
from itertools import pairwise
from typing import NamedTuple

from webenv.corpora.markdown import markdown_html, plain_text, text_html
from webenv.corpora.procedural.rng import Rng
from webenv.corpora.world.directory import ListedPage, SiteLists
from webenv.corpora.world.look import Look, look_of
from webenv.corpora.world.plan import PageHead
from webenv.corpora.world.schema import Wording, read_schema
from webenv.corpora.world.sites import WorldSite, slug
from webenv.corpora.world.web import WorldPage, WorldWeb
from webenv.corpora.world.world import PAGES

_MARKS = re.compile(r"[|#]|-{3,}|(?<= )- ")
_POST = re.compile(r"\*\*([^*\n]+)\*\*(?: · ([^\n]+))?\n(.+)", re.DOTALL)
_H2 = re.compile(r"^<h2>(.*)</h2>$", re.MULTILINE)
_TAG = re.compile(r"<[^<>]*>")
_SUMMARY = 170  # characters
_RELATED = 6
_MENU = 3
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


class Pager(NamedTuple):
    """Where in a long list one is.

    Attributes:
        path: of the list, to which the number of a part is added.
        number: of the part that is shown, from 1.
        last: how many parts there are.
    """

    path: str
    number: int = 1
    last: int = 1


@cache
def _lines(file: str) -> dict[str, tuple[Wording, ...]]:
    text = (resources.files("webenv.corpora.world") / file).read_text("utf-8")
    return read_schema({file: text}).lines


class SiteHTML:
    """Writes the documents of a world's sites.

    Args:
        web: the world's web.
        directory: what its sites have.
    """

    def __init__(self, web: WorldWeb, directory: SiteLists) -> None:
        self._web = web
        self._directory = directory
        self._seed = web.world.setting.seed
        self._language = web.world.setting.language
        self._lines = _lines(self._language.chrome)
        self._say = self._language.say
        self._frame = lru_cache(maxsize=256)(self._made_frame)

    # ── documents ─────────────────────────────────────────────────────────────

    def page(self, page: WorldPage) -> str:
        """The whole document of a page of the web."""
        head, site = page.plan.head, page.site
        frame = self._frame(site)
        look, names = frame.look, frame.look.names
        rng = Rng(*self._seed, "html", page.number)
        text = self._web.text(page).text
        listed = self._directory.shown(head)
        author = f'{self._say("By ")}<a rel="author" href="{_author(listed.author)}">{text_html(listed.author)}</a>'
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
            f"<p>{text_html(self.summary(page.number, 2 * _SUMMARY))}</p>"
            for page in first
        )
        more = f'<p><a href="/{site.section}">{text_html(frame.section)} →</a></p>'
        rows = self._rows(pages.pages[1:13], site, frame.look)
        head = f"<h2>{text_html(self._line('newest_head', frame.look_rng, frame.given))}</h2>"
        subjects = "".join(
            f'<a href="/tag/{tag}">{text_html(_capital(pages.names[tag]))}</a> ' for tag in list(pages.tags)[:14]
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
                f'<li><a href="{_author(pages[0].author)}">{text_html(pages[0].author)}</a></li>'
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

    def summary(self, number: int, most: int = _SUMMARY) -> str:
        """The beginning of a page's first paragraph."""
        text = plain_text(self._web.text(self._web.plan(number)).text)
        prose = [one for one in text.split("\n") if len(one) > 40 and one[:1] not in "|-"]
        telling = (one for one in prose if len(one) > 90)  # rather than a sentence that begins many pages
        return self._language.cut(next(telling, prose[0] if prose else ""), most)

    # ── what all documents of a site have ─────────────────────────────────────

    def _made_frame(self, site: WorldSite) -> _Frame:
        pages = self._directory.of(site)
        look = look_of(site, self._seed)
        rng = Rng(*self._seed, "frame", site.number)
        region = pages.pages[0].number // PAGES if pages.pages else 0
        staff = self._directory.staff(site)
        planned = self._web.planner.given(region, None, site)
        given = {
            "site": site.name, "host": site.host, "town": planned["town"], "county": planned["county"],
            "year": str(rng.between(1996, 2016)), "number": str(rng.between(3, 60)), "person": staff[0],
            "street": f"{rng.between(2, 140)} {self._web.world.setting.names.pick('street', rng)}",
        }  # fmt: skip
        section = self._line(f"menu_{site.type}", rng, given)
        topics = self._line("tags_head", rng, given)
        archive = self._line("archive_head", rng, given) if pages.years else ""
        menu = [(self._say("Home"), "/"), (section, f"/{site.section}")]
        kinds = [
            (_capital(pages.names[tag]), f"/tag/{tag}") for tag in pages.tags if not pages.names[tag][:1].isupper()
        ]
        menu += [*kinds[:_MENU], (topics, "/tag")]
        menu += [(archive, "/archive")] if archive else []
        menu += [(self._say("About"), "/about-us")]
        tagline = self._line(f"tagline_{site.type}", rng, given)
        links = "".join(f'<li><a href="{path}">{text_html(name)}</a></li>' for name, path in menu)
        names = look.names
        share = " ".join(f"<span>{self._say(name)}</span>" for name in ("Share", "Send", "Print")[: rng.between(2, 3)])
        cookies = ""
        if look.cookies:
            accept, refuse = self._line("cookie_accept", rng, given), self._line("cookie_refuse", rng, given)
            cookies = (
                f'<div class="{names["cookie"]}" role="dialog"><span>{text_html(self._line("cookies", rng, given))} '
                f'<a href="/privacy">{self._say("Privacy")}</a></span> <button>{accept}</button> '
                f"<button>{refuse}</button></div>"
            )
        letter = ""
        if look.letter:
            letter = (
                f'<div class="{names["letter"]}"><h4>{text_html(self._line("newsletter_head", rng, given))}</h4>'
                f"<p>{text_html(self._line('newsletter_text', rng, given))}</p>"
                '<form action="/newsletter"><input name="email" placeholder="you@home.example" '
                f'aria-label="{self._say("Address")}"><button>{self._say("Subscribe")}</button></form></div>'
            )
        header = (
            f'<header class="{names["header"]}"><div class="{names["wrap"] if look.head != "side" else ""}">'
            f'<a href="/" class="{names["brand"]}">{text_html(site.name)}<small>{text_html(tagline)}</small></a>'
            f'<nav class="{names["nav"]}"><ul>{links}</ul></nav>{self._search_form(look)}</div></header>'
        )
        bottom = (("About", "about-us"), ("Contact", "contact"), ("Imprint", "imprint"), ("Privacy", "privacy"))
        last = " · ".join(f'<a href="/{path}">{self._say(name)}</a>' for name, path in bottom)
        footer = (
            f'<footer class="{names["footer"]}"><div class="{names["wrap"]}"><p>© {given["year"]}–2025 '
            f"{text_html(site.name)} · {text_html(tagline)}</p><p>{last}</p></div></footer>"
        )
        shared = f'<div class="{names["share"]}">{share}</div>' if look.share else ""
        return _Frame(site, look, rng, given, region, section, topics, archive, header, footer, cookies, letter, shared)

    def _other(self, frame: _Frame, title: str, body: str, path: str) -> str:
        rng = Rng(*self._seed, "rail", frame.site.number)
        crumbs = self._crumbs(frame, [(title, "")])
        url = f"https://{frame.site.host}{path}" if path else ""
        return self._document(frame, title, crumbs + body, url, "", frame.region, rng)

    def _document(self, frame: _Frame, title: str, main: str, url: str, day: str, region: int, rng: Rng) -> str:
        look, names, site = frame.look, frame.look.names, frame.site
        published = f'<meta property="article:published_time" content="{day}">' if day else ""
        canonical = f'<link rel="canonical" href="{text_html(url)}">' if url else ""
        whole = f"{title} | {site.name}" if title else f"{site.name} – {frame.given['county']}"
        rail = self._rail(frame, region, rng)
        column = f'<main class="{names["main"]}">{main}</main>'
        page = (
            f'<div class="{names["page"]} {names["wrap"]}">{frame.header}{column}</div>'
            if look.head == "side"
            else f'{frame.header}<div class="{names["page"]} {names["wrap"]}">{column}{rail}</div>'
        )
        return (
            f'<!DOCTYPE html>\n<html lang="{self._language.code}"><head><meta charset="utf-8">'
            f'<title>{text_html(whole)}</title><meta property="og:title" content="{text_html(title or site.name)}">'
            f'<meta property="og:site_name" content="{text_html(site.name)}">{canonical}{published}'
            f"<style>{look.css}</style></head>\n<body>{page}{frame.footer}{frame.cookies}</body></html>\n"
        )

    def _rail(self, frame: _Frame, region: int, rng: Rng) -> str:
        look, names = frame.look, frame.look.names
        if look.rail == "none":
            return ""
        pages = self._directory.of(frame.site)
        popular = Rng(*self._seed, "popular", frame.site.number).sample(pages.pages, 5)
        items = "".join(f'<li><a href="{page.url}">{text_html(page.title)}</a></li>' for page in popular)
        head = self._line("popular_head", Rng(*self._seed, "popular", frame.site.number), frame.given)
        years = "".join(
            f'<li><a href="/archive/{year}">{year}</a> ({len(of)})</li>' for year, of in list(pages.years.items())[:6]
        )
        tags = "".join(
            f'<a href="/tag/{tag}">{text_html(_capital(pages.names[tag]))}</a> ' for tag in list(pages.tags)[:9]
        )
        box = f'<div class="{names["box"]}">'
        archive = f"{box}<h4>{text_html(frame.archive)}</h4><ul>{years}</ul></div>" if years else ""
        topics = f'{box}<h4>{text_html(frame.topics)}</h4><div class="{names["tags"]}">{tags}</div></div>'
        ad = self._ad(region, frame.site, look, rng)
        first = f"{box}<h4>{text_html(head)}</h4><ul>{items}</ul></div>" if items else ""
        return f'<aside class="{names["rail"]}">{first}{ad}{frame.letter}{topics}{archive}</aside>'

    # ── parts of documents ────────────────────────────────────────────────────

    def _line(self, use: str, rng: Rng, given: dict[str, str]) -> str:
        ways = self._lines.get(use, ())
        return self._web.world.setting.names.fill(rng.pick(ways), given, rng) if ways else ""

    def _all(self, use: str, rng: Rng, given: dict[str, str]) -> list[str]:
        return [self._web.world.setting.names.fill(way, given, rng) for way in self._lines.get(use, ())]

    def _date(self, day: str, site: WorldSite) -> str:
        if not day:
            return ""
        year, month, number = (int(part) for part in day.split("-"))
        said = self._language.date(year, month, number, site.style.dates)
        before = {"encyclopedia": "Last edited on ", "heritage": "Entered on ", "journal": "Published "}
        return f'{self._say(before.get(site.type, ""))}<time datetime="{day}">{said}</time>'

    def _kicker(self, listed: ListedPage, look: Look) -> str:
        if look.type not in ("paper", "news", "magazine", "guide", "blog") or not listed.tags:
            return ""
        tag = listed.tags[0]
        return f'<p class="{look.names["kicker"]}"><a href="/tag/{slug(tag)}">{text_html(_capital(tag))}</a></p>'

    def _first_tag(self, listed: ListedPage) -> list[tuple[str, str]]:
        return [(_capital(tag), f"/tag/{slug(tag)}") for tag in listed.tags[:1]]

    def _crumbs(self, frame: _Frame, steps: Sequence[tuple[str, str]]) -> str:
        if not frame.look.crumbs:
            return ""
        said = [f'<a href="/">{self._say("Home")}</a>']
        said += [
            f'<a href="{path}">{text_html(name)}</a>' if path else text_html(self._language.cut(name, 60))
            for name, path in steps
        ]
        return f'<nav class="{frame.look.names["crumbs"]}" aria-label="Breadcrumb">{" › ".join(said)}</nav>'

    def _tags(self, listed: ListedPage, look: Look) -> str:
        if not look.tags or not listed.tags:
            return ""
        links = "".join(f'<a rel="tag" href="/tag/{slug(tag)}">{text_html(_capital(tag))}</a>' for tag in listed.tags)
        return f'<div class="{look.names["tags"]}">{links}</div>'

    def _turns(self, head: PageHead, look: Look) -> str:
        """The page before and the page after, on sites that are read in order."""
        if look.type not in ("blog", "news", "journal") or not head.date:
            return ""
        pages = self._directory.of(head.site).pages
        place = next((n for n, page in enumerate(pages) if page.number == head.number), -1)
        named = self._language.named
        near = [(pages[n], said) for n, said in ((place + 1, "← Older"), (place - 1, "Newer →")) if 0 <= n < len(pages)]
        links = [
            f'<a href="{page.url}">{text_html(named(self._say(said), self._language.cut(page.title, 45)))}</a>'
            for page, said in near
        ]
        return f'<nav class="{look.names["pager"]}">{" ".join(links)}</nav>' if place >= 0 else ""

    def _related(self, listed: ListedPage, head: PageHead, frame: _Frame, rng: Rng) -> str:
        near = [
            page
            for tag in listed.tags
            for page in self._directory.of(head.site).tags.get(slug(tag), ())
            if page.number != head.number
        ]
        chosen = rng.sample(tuple(dict.fromkeys(near)) or self._directory.of(head.site).pages[:20], _RELATED)
        items = "".join(f'<li><a href="{page.url}">{text_html(page.title)}</a></li>' for page in chosen)
        name, title = frame.look.names["related"], self._line("related_head", frame.look_rng, frame.given)
        return f'<aside class="{name}"><h4>{text_html(title)}</h4><ul>{items}</ul></aside>' if items else ""

    def _ad(self, region: int, site: WorldSite, look: Look, rng: Rng) -> str:
        """An advertisement of a firm of the region, which leads to the page about it."""
        if not look.ads:
            return ""
        kinds = self._web.world.setting.kinds
        known = self._web.planner.pages(region)
        firms = [
            one
            for kind, entities in sorted(known.by_kind.items())
            if kinds[kind].group == "firm"
            for one in entities
            if one.number in known.homes and not one.end
        ]
        if not firms:
            return ""
        firm, given = rng.pick(firms), self._frame(site).given
        label = text_html(self._line("ad_label", Rng(*self._seed, "ads", site.number), given))
        return (
            f'<div class="{look.names["ad"]}" aria-label="{label}"><small>{label}</small>'
            f'<a rel="sponsored" href="{known.homes[firm.number]}"><b>{text_html(firm.title)}</b></a><br>'
            f"{text_html(self._line('ad_line', rng, given))}</div>"
        )

    def _comments(self, page: WorldPage, frame: _Frame, rng: Rng) -> str:
        if not frame.look.comments:
            return ""
        names, said = frame.look.names, []
        day = date.fromisoformat(page.date) if page.date else None
        for _ in range(rng.between(0, 5)):
            given = {**frame.given, "number": str(rng.between(2, 99))}
            day = day + timedelta(days=rng.below(9)) if day is not None else None
            form = page.site.style.dates
            stamp = f"<time>{self._language.date(day.year, day.month, day.day, form)}</time>" if day else ""
            said.append(
                f'<div class="{names["comment"]}"><b>{text_html(self._line("member", rng, given))}</b>{stamp}'
                f"<p>{text_html(self._line('comment', rng, given))}</p></div>"
            )
        title = text_html(self._line("comments_head", Rng(*self._seed, "comments", page.site.number), frame.given))
        said = list(dict.fromkeys(said))
        head = f"<h4>{title} ({len(said)})</h4>"
        return f'<section id="comments" class="{names["comments"]}">{head}{"".join(said)}</section>'

    def _thread(self, text: str, look: Look) -> str:
        """A forum's thread: each post with who wrote it."""
        names, parts = look.names, []
        for block in text.split("\n\n"):
            post = _POST.match(block)
            if post is None:
                parts.append(markdown_html(block))
                continue
            when = f" <span>{text_html(post[2])}</span>" if post[2] else ""
            parts.append(
                f'<div class="{names["post"]}"><div class="{names["who"]}">'
                f'<i data-letter="{text_html(post[1][:1])}"></i>'
                f"<p><strong>{text_html(post[1])}</strong>{when}</p></div><div>{markdown_html(post[3])}</div></div>"
            )
        return "".join(parts)

    def _rows(self, pages: Sequence[ListedPage], site: WorldSite, look: Look) -> str:
        rows = []
        for page in pages:
            facts = [self._date(page.date, site)]
            facts += [f'<a href="{_author(page.author)}">{text_html(page.author)}</a>'] if page.author else []
            facts += [f'<a href="/tag/{slug(tag)}">{text_html(_capital(tag))}</a>' for tag in page.tags[:1]]
            summary = "" if look.type == "forum" else f"<p>{text_html(self.summary(page.number))}</p>"
            rows.append(
                f'<li class="{look.names["row"]}"><h3><a href="{page.url}">{text_html(page.title)}</a></h3>{summary}'
                f"<small>{' · '.join(part for part in facts if part)}</small></li>"
            )
        return f'<ul class="{look.names["rows"]}">{"".join(rows)}</ul>'

    def _search_form(self, look: Look, query: str = "") -> str:
        said = self._say("Search")
        return (
            f'<form class="{look.names["search"]}" action="/search" role="search"><input name="q" '
            f'value="{text_html(query)}" placeholder="{said}" aria-label="{said}"><button>{said}</button></form>'
        )

    def _pager(self, turn: Pager, look: Look) -> str:
        if turn.last <= 1:
            return ""
        mark = "&amp;" if "?" in turn.path else "?"
        shown = sorted({1, turn.last, *range(max(1, turn.number - 2), min(turn.last, turn.number + 2) + 1)})
        links = [
            f"<b>{one}</b>" if one == turn.number else f'<a href="{text_html(turn.path)}{mark}page={one}">{one}</a>'
            for one in shown
        ]
        if turn.number < turn.last:
            links.append(
                f'<a rel="next" href="{text_html(turn.path)}{mark}page={turn.number + 1}">{self._say("Next")}</a>'
            )
        return f'<nav class="{look.names["pager"]}" aria-label="{self._say("Pages")}">{" ".join(links)}</nav>'

    def _with_contents(self, body: str, names: dict[str, str]) -> tuple[str, str]:
        """A text whose headings can be led to, and the table of its contents."""
        heads = _H2.findall(body)
        if len(heads) < 3:
            return body, ""
        places = iter(range(1, len(heads) + 1))
        body = _H2.sub(lambda match: f'<h2 id="s{next(places)}">{match[1]}</h2>', body)
        items = "".join(f'<li><a href="#s{n}">{_TAG.sub("", head)}</a></li>' for n, head in enumerate(heads, 1))
        return body, f'<nav class="{names["toc"]}"><b>{self._say("Contents")}</b><ul>{items}</ul></nav>'


class _Frame(NamedTuple):
    """What all documents of a site share."""

    site: WorldSite
    look: Look
    look_rng: Rng
    given: dict[str, str]
    region: int
    section: str
    topics: str
    archive: str
    header: str
    footer: str
    cookies: str
    letter: str
    share: str


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _author(name: str) -> str:
    return f"/author/{slug(name)}"


def _flat(snippet: str) -> str:
    """A piece of a text without what is left in it of tables, headings and lists."""
    return " · ".join(part.strip() for part in _MARKS.split(plain_text(snippet)) if part.strip())


_SKIES = (
    ("#bcd7ea", "#f3e9d8"), ("#f2c79b", "#f8e9d2"), ("#9fb4c7", "#dfe5e8"), ("#d8e4ec", "#ffffff"),
    ("#5b6d8c", "#d9a27e"),
)  # fmt: skip
_LANDS = (
    ("#7f9c7a", "#5d7d5b", "#3e5a41"), ("#a3a586", "#7c8363", "#525b41"), ("#8ea3ad", "#667f8c", "#3f5663"),
    ("#c2a878", "#97804f", "#665534"),
)  # fmt: skip


def picture(rng: Rng, names: dict[str, str]) -> str:
    """A drawn landscape, in place of a photograph, which a seed cannot take: sky, hills, and what stands on them."""
    top, bottom = rng.pick(_SKIES)
    lands = rng.pick(_LANDS)
    name = f"g{rng.below(1 << 30)}"
    shapes = [
        f'<linearGradient id="{name}" x2="0" y2="1"><stop stop-color="{top}"/><stop offset="1" '
        f'stop-color="{bottom}"/></linearGradient><rect width="800" height="300" fill="url(#{name})"/>'
    ]
    if rng.chance(0.6):
        shapes.append(
            f'<circle cx="{rng.between(80, 720)}" cy="{rng.between(40, 130)}" r="{rng.between(14, 30)}" '
            'fill="#fff7e0" opacity=".85"/>'
        )
    for layer, colour in enumerate(lands):
        height = 150 + 45 * layer
        points = [(x, height + rng.between(-34, 30) // (layer + 1)) for x in range(-100, 1000, 100)]
        path = f"M-100 300 L{points[0][0]} {points[0][1]}"
        for (x, y), (after, below) in pairwise(points):
            path += f" C{x + 50} {y} {after - 50} {below} {after} {below}"
        if layer == 1:
            for _ in range(rng.between(2, 7)):
                x, wide, high = rng.between(60, 720), rng.between(14, 34), rng.between(18, 52)
                shapes.append(
                    f'<path d="M{x} {height + 30}v-{high}l{wide // 2} -{wide // 2} {wide - wide // 2} {wide // 2}'
                    f'v{high}z" fill="{lands[2]}" opacity=".8"/>'
                )
        shapes.append(f'<path d="{path} L1000 300z" fill="{colour}"/>')
    return (
        f'<svg class="{names["hero"]}" viewBox="0 0 800 300" aria-hidden="true" xmlns="http://www.w3.org/2000/svg">'
        f"{''.join(shapes)}</svg>"
    )
