"""How the sites of a simulated world look: a theme for each type, with colours, faces and class names of each site."""

from __future__ import annotations

import re
from functools import cache
from hashlib import blake2b
from importlib import resources
from string import Template
from typing import NamedTuple

from webenv.corpora.procedural.rng import Rng
from webenv.corpora.world.sites import WorldSite, slug

_PART = re.compile(r"/\* ([a-z ]+) \*/")
_SERIF = 'Georgia,"Times New Roman","DejaVu Serif",serif'
_OLD = '"Palatino Linotype","Book Antiqua",Palatino,"DejaVu Serif",serif'
_SANS = 'system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif'
_GROTESK = '"Helvetica Neue",Helvetica,Arial,"Liberation Sans",sans-serif'


class _Theme(NamedTuple):
    """A type of site: the form of its head, where its side column stands, faces, and colours to choose from."""

    head: str  # "masthead", "bar", "plain" or "side"
    rail: str  # "right", "left" or "none"
    width: str
    text: tuple[str, ...]
    heading: tuple[str, ...]
    accents: tuple[str, ...]
    picture: float = 0.0  # share of sites whose pages have one


_THEMES = {
    "encyclopedia": _Theme("side", "none", "72rem", (_GROTESK,), (_SERIF,), ("#3366aa", "#0b6b62", "#7a4a12")),
    "paper": _Theme("masthead", "right", "70rem", (_SERIF, _OLD), (_SERIF, _OLD), ("#9c1c1c", "#1b3a5c", "#222"), 0.6),
    "news": _Theme("bar", "right", "68rem", (_GROTESK,), (_GROTESK,), ("#b80000", "#10324f", "#e05a00")),
    "forum": _Theme("bar", "none", "64rem", (_SANS, _GROTESK), (_SANS,), ("#2d5f8b", "#4a6b2f", "#5b4a86")),
    "directory": _Theme("plain", "left", "66rem", (_SANS,), (_SANS,), ("#0a7d5a", "#c4501b", "#2a4fa0")),
    "catalogue": _Theme("plain", "right", "70rem", (_GROTESK,), (_GROTESK,), ("#d2691e", "#00798c", "#7b2d8b"), 0.5),
    "blog": _Theme("masthead", "right", "58rem", (_SERIF, _SANS), (_OLD,), ("#6b705c", "#a4583c", "#3a6073"), 1.0),
    "magazine": _Theme("masthead", "none", "42rem", (_OLD, _SERIF), (_SERIF,), ("#111111", "#5a1a3c", "#1f4d3a"), 1.0),
    "heritage": _Theme("bar", "right", "64rem", (_SANS,), (_SERIF,), ("#6e5a2e", "#5c2e2e", "#37503f"), 0.5),
    "council": _Theme("bar", "none", "58rem", (_GROTESK,), (_GROTESK,), ("#0b0c0c", "#1d3f72", "#3c1053")),
    "journal": _Theme("plain", "right", "66rem", (_SERIF,), (_GROTESK,), ("#005a8c", "#8a1538", "#2f6b3a")),
    "guide": _Theme("plain", "right", "66rem", (_SANS,), (_OLD,), ("#d9480f", "#087f8c", "#5f7a1f"), 1.0),
    "club": _Theme("bar", "left", "64rem", (_GROTESK,), (_GROTESK,), ("#a3122b", "#0c4a2f", "#12306b")),
    "almanac": _Theme("plain", "none", "60rem", (_SANS, _GROTESK), (_SANS,), ("#444444", "#305a7d", "#7d3030")),
}  # fmt: skip

_PLAIN = {
    "header": "site-header", "nav": "main-nav", "crumbs": "breadcrumbs", "page": "page", "main": "main-column",
    "text": "article-body", "byline": "byline", "tags": "tags", "rail": "sidebar", "box": "box", "ad": "ad",
    "cookie": "cookie-banner", "letter": "newsletter", "related": "related", "comments": "comments",
    "comment": "comment", "pager": "pagination", "footer": "site-footer", "rows": "story-list", "row": "story",
    "kicker": "kicker", "share": "share", "facts": "infobox", "hero": "hero", "post": "message", "who": "poster",
    "brand": "brand", "search": "search-form", "title": "headline", "wrap": "wrap", "toc": "toc",
}  # fmt: skip
_BLOG_ENGINE = _PLAIN | {
    "nav": "menu-primary", "text": "entry-content", "byline": "entry-meta", "tags": "tag-links", "rail": "widget-area",
    "box": "widget", "related": "yarpp-related", "comments": "comments-area", "comment": "comment-body",
    "pager": "nav-links", "rows": "posts", "row": "hentry", "title": "entry-title", "kicker": "cat-links",
}  # fmt: skip
_WIKI_ENGINE = _PLAIN | {
    "header": "mw-head", "nav": "mw-portlet", "page": "mw-page-container", "main": "mw-body",
    "text": "mw-parser-output",
    "tags": "catlinks", "footer": "mw-footer", "title": "firstHeading", "rail": "mw-panel", "box": "portal",
}  # fmt: skip


class Look(NamedTuple):
    """How a site looks.

    Attributes:
        type: of the site.
        head: "masthead", "bar", "plain" or "side".
        rail: where the side column stands: "right", "left" or "none".
        names: the class of each part.
        css: its style sheet.
        holder: the tags that open and close around a main text.
        picture: whether pages have a picture.
        cookies, ads, letter, crumbs, tags, comments, share, contents: whether they have these.
    """

    type: str
    head: str
    rail: str
    names: dict[str, str]
    css: str
    holder: tuple[str, str]
    picture: bool
    cookies: bool
    ads: bool
    letter: bool
    crumbs: bool
    tags: bool
    comments: bool
    share: bool
    contents: bool


def look_of(site: WorldSite, seed: tuple[int | str, ...]) -> Look:
    """The look of a site, the same on all its pages."""
    rng = Rng(*seed, "look", site.number)
    theme = _THEMES[site.type]
    names = _class_names(site, rng)
    accent = theme.accents[site.number // 7 % len(theme.accents)]
    values = names | {
        "accent": accent,
        "font": rng.pick(theme.text),
        "hfont": rng.pick(theme.heading),
        "width": theme.width,
        "size": rng.pick(("15px", "16px", "17px")),
        "round": rng.pick(("0", "3px", "8px")),
    }
    wanted = ("base", f"head {theme.head}", f"rail {theme.rail}", f"type {site.type}")
    css = "".join(Template(_sheets().get(part, "")).substitute(values) for part in wanted)
    text = names["text"]
    holders = (
        (f'<article class="{text}">', "</article>"),
        (f'<div class="{text}" itemprop="articleBody">', "</div>"),
        (f'<article><div class="{text}">', "</div></article>"),
        (f'<section class="{text}" role="article">', "</section>"),
    )
    commercial = site.type not in ("encyclopedia", "council", "heritage", "journal")
    return Look(
        site.type,
        theme.head,
        theme.rail,
        names,
        css,
        (f'<div id="mw-content-text" class="{text}">', "</div>") if site.type == "encyclopedia" else rng.pick(holders),
        rng.chance(theme.picture),
        rng.chance(0.7),
        commercial and rng.chance(0.8),
        site.type in ("paper", "news", "blog", "magazine", "guide", "catalogue", "journal") and rng.chance(0.8),
        site.type not in ("blog", "magazine", "encyclopedia") or rng.chance(0.3),
        rng.chance(0.85),
        site.type in ("paper", "blog", "magazine", "catalogue", "guide") and rng.chance(0.8),
        site.type in ("paper", "news", "blog", "magazine") and rng.chance(0.8),
        site.type in ("encyclopedia", "council") and rng.chance(0.8),
    )


@cache
def _sheets() -> dict[str, str]:
    """The parts of the style sheet, each by the comment that it begins with."""
    text = (resources.files("webenv.corpora.world") / "look.css").read_text("utf-8")
    parts = _PART.split(text)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def _class_names(site: WorldSite, rng: Rng) -> dict[str, str]:
    if site.type == "encyclopedia" and rng.chance(0.6):
        return dict(_WIKI_ENGINE)
    if site.type in ("blog", "magazine", "club", "guide") and rng.chance(0.6):
        return dict(_BLOG_ENGINE)
    way = rng.below(3)
    if way == 0:
        return dict(_PLAIN)
    if way == 1:  # a prefix of its own
        prefix = "".join(word[0] for word in slug(site.name).split("-"))
        return {part: f"{prefix}-{name}" for part, name in _PLAIN.items()}
    return {  # as build tools write them
        part: f"css-{blake2b(f'{site.host} {part}'.encode(), digest_size=4).hexdigest()[:6]}" for part in _PLAIN
    }
