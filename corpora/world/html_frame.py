"""What all documents of a site have: its header, menu, rail, footer and the lines that they say."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from importlib import resources
from typing import NamedTuple

from webenv.corpora.markdown import text_html
from webenv.corpora.procedural.rng import Rng
from webenv.corpora.world.directory import SiteLists
from webenv.corpora.world.look import Look, look_of
from webenv.corpora.world.reading import read_schema
from webenv.corpora.world.sites import WorldSite
from webenv.corpora.world.templates import Wording
from webenv.corpora.world.web import WorldWeb
from webenv.corpora.world.world import PAGES
from webenv.corpora.world.writing import capital

_MENU = 3


class PageFrame(NamedTuple):
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


@cache
def _lines(file: str) -> dict[str, tuple[Wording, ...]]:
    text = (resources.files("webenv.corpora.world") / file).read_text("utf-8")
    return read_schema({file: text}).lines


class FramedHTML:
    """Documents of a world's sites, whatever stands in their middle.

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

    def _made_frame(self, site: WorldSite) -> PageFrame:
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
        kinds = [(capital(pages.names[tag]), f"/tag/{tag}") for tag in pages.tags if not pages.names[tag][:1].isupper()]
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
        return PageFrame(
            site, look, rng, given, region, section, topics, archive, header, footer, cookies, letter, shared
        )

    def _other(self, frame: PageFrame, title: str, body: str, path: str) -> str:
        rng = Rng(*self._seed, "rail", frame.site.number)
        crumbs = self._crumbs(frame, [(title, "")])
        url = f"https://{frame.site.host}{path}" if path else ""
        return self._document(frame, title, crumbs + body, url, "", frame.region, rng)

    def _document(self, frame: PageFrame, title: str, main: str, url: str, day: str, region: int, rng: Rng) -> str:
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

    def _rail(self, frame: PageFrame, region: int, rng: Rng) -> str:
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
            f'<a href="/tag/{tag}">{text_html(capital(pages.names[tag]))}</a> ' for tag in list(pages.tags)[:9]
        )
        box = f'<div class="{names["box"]}">'
        archive = f"{box}<h4>{text_html(frame.archive)}</h4><ul>{years}</ul></div>" if years else ""
        topics = f'{box}<h4>{text_html(frame.topics)}</h4><div class="{names["tags"]}">{tags}</div></div>'
        ad = self._ad(region, frame.site, look, rng)
        first = f"{box}<h4>{text_html(head)}</h4><ul>{items}</ul></div>" if items else ""
        return f'<aside class="{names["rail"]}">{first}{ad}{frame.letter}{topics}{archive}</aside>'

    def _crumbs(self, frame: PageFrame, steps: Sequence[tuple[str, str]]) -> str:
        if not frame.look.crumbs:
            return ""
        said = [f'<a href="/">{self._say("Home")}</a>']
        said += [
            f'<a href="{path}">{text_html(name)}</a>' if path else text_html(self._language.cut(name, 60))
            for name, path in steps
        ]
        return f'<nav class="{frame.look.names["crumbs"]}" aria-label="Breadcrumb">{" › ".join(said)}</nav>'

    def _search_form(self, look: Look, query: str = "") -> str:
        said = self._say("Search")
        return (
            f'<form class="{look.names["search"]}" action="/search" role="search"><input name="q" '
            f'value="{text_html(query)}" placeholder="{said}" aria-label="{said}"><button>{said}</button></form>'
        )

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

    # ── lines ─────────────────────────────────────────────────────────────────

    def _line(self, use: str, rng: Rng, given: dict[str, str]) -> str:
        ways = self._lines.get(use, ())
        return self._web.world.setting.names.fill(rng.pick(ways), given, rng) if ways else ""

    def _all(self, use: str, rng: Rng, given: dict[str, str]) -> list[str]:
        return [self._web.world.setting.names.fill(way, given, rng) for way in self._lines.get(use, ())]
