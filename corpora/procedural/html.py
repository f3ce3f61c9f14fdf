"""A page as its site serves it: the main text among all that stands around it."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from webenv.corpora.procedural.pages.plan import PagePlan
from webenv.corpora.procedural.rng import Rng
from webenv.corpora.procedural.web import ProceduralWeb
from webenv.corpora.procedural.world.sites import voices
from webenv.corpora.procedural.world.templates import frames

_STYLES = ("article", "main", 'div class="post"', 'section class="content"')


def render_html(web: ProceduralWeb, plan: PagePlan) -> str:
    """The whole document of a page: menu, cookie banner, advertisements, the main text, related
    links, comments, pages to turn, and a footer, in the manner of its site.

    Args:
        web: the web that the page is of.
        plan: which page.
    """
    site = plan.site
    look = Rng(*web.world.seed, "look", site.number)  # the same on every page of a site
    rng = Rng(*web.world.seed, "html", plan.number)
    texts = web.world.language.texts
    comments_head, following, related_head, nameless, imprint, privacy = texts["chrome"]
    holder = look.pick(_STYLES)
    items = texts.get(f"menu {site.type}", texts["menu"])
    menu = "".join(f'<li><a href="/{item.lower().replace(" ", "-")}">{item}</a></li>' for item in items)
    cookies = (
        f'<div class="cookie-banner" role="dialog">{look.pick(texts["cookies"])}</div>' if look.chance(0.6) else ""
    )
    advertised = look.chance(0.5)
    date = f'<time datetime="{plan.date}">{plan.date}</time>' if plan.date else ""
    published = f'<meta property="article:published_time" content="{plan.date}">' if plan.date else ""
    links = web.links(plan)
    related = "".join(f'<li><a href="{escape(url)}">{escape(_anchor(url, nameless))}</a></li>' for url in links)
    comments = ""
    if look.chance(0.4):
        said = rng.sample(texts["remarks"], rng.between(1, 4))
        comments = f'<section id="comments" class="comments"><h3>{comments_head}</h3>'
        comments += "".join(f'<div class="comment">{escape(text)}</div>' for text in said) + "</section>"
    pages = '<a href="?page=1">1</a> <a href="?page=2">2</a>'
    turn = f'<nav class="pagination">{pages} <a href="?page=2">{following}</a></nav>'
    return (
        "<!DOCTYPE html>\n"
        f'<html lang="{web.world.language.code}"><head><meta charset="utf-8">'
        f"<title>{escape(plan.title)} | {escape(site.name)}</title>"
        f'<meta property="og:title" content="{escape(plan.title)}">'
        f'<link rel="canonical" href="{escape(plan.url)}">{published}{_latest(web, plan)}</head><body>{cookies}'
        f'<header class="site-header"><a href="/" class="logo">{escape(site.name)}</a>'
        f"<nav><ul>{menu}</ul></nav></header>"
        f"{_ad(texts, rng) if advertised else ''}"
        f"<h1>{escape(plan.title)}</h1><{holder}>{date}{_body(web, plan)}</{holder.split()[0]}>"
        f"{turn if look.chance(0.4) else ''}"
        f"{_history(web, plan)}"
        f'<aside class="related"><h3>{related_head}</h3><ul>{related}</ul></aside>'
        f"{_ad(texts, rng) if advertised else ''}{comments}"
        f'<footer class="site-footer"><p>© {escape(site.name)}. <a href="/imprint">{imprint}</a> · '
        f'<a href="/privacy">{privacy}</a></p></footer></body></html>\n'
    )


def _ad(texts: Mapping[str, tuple[str, ...]], rng: Rng) -> str:
    return f'<div class="ad advertisement" aria-hidden="true">{rng.pick(texts["advertisements"])}</div>'


def _history(web: ProceduralWeb, plan: PagePlan) -> str:
    """Links to the older versions of a page, each by its date."""
    older = [web.plan(number) for number in web.planner.versions(plan.number)]
    items = "".join(f'<li><a href="{escape(other.url)}">{other.date}</a></li>' for other in older)
    head = frames(web.world.language)["history"][0]
    return f'<aside class="history"><h3>{head}</h3><ul>{items}</ul></aside>' if items else ""


def _latest(web: ProceduralWeb, plan: PagePlan) -> str:
    """Where the current page of an older version is."""
    if plan.version_of < 0:
        return ""
    return f'<link rel="latest-version" href="{escape(web.plan(plan.version_of).url)}">'


def _anchor(url: str, nameless: str) -> str:
    return url.rpartition("/")[2].rpartition("-")[0].replace("-", " ").title() or nameless


def _body(web: ProceduralWeb, plan: PagePlan) -> str:
    """The main text with its headings, lists and tables marked up."""
    heads = {head for voice in voices(web.world.language).values() for head in (*voice["heads"], *voice["facts"])}
    parts: list[str] = []
    for block in web.text(plan).text.split("\n\n"):
        lines = block.split("\n")
        if len(lines) == 1 and block in heads:
            parts.append(f"<h2>{escape(block)}</h2>")
        elif any(line.startswith("- ") for line in lines):
            parts += [f"<h2>{escape(line)}</h2>" for line in lines if not line.startswith("- ")]
            items = "".join(f"<li>{escape(line[2:])}</li>" for line in lines if line.startswith("- "))
            parts.append(f"<ul>{items}</ul>")
        elif " | " in lines[0]:
            rows = ["".join(f"<td>{escape(cell)}</td>" for cell in line.split(" | ")) for line in lines]
            parts.append("<table>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>")
        else:
            parts += [f"<p>{escape(line)}</p>" for line in lines]
    return "".join(parts)
