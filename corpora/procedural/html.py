"""A page as its site serves it: the main text among all that stands around it."""

from __future__ import annotations

from html import escape

from webenv.corpora.procedural.dice import Dice
from webenv.corpora.procedural.plan import Plan
from webenv.corpora.procedural.sites import voices
from webenv.corpora.procedural.web import ProceduralWeb

__all__ = ["render_html"]

_MENUS = {
    "news": ("Home", "Region", "Business", "Sport", "Letters", "Subscribe"),
    "shop": ("Catalogue", "New in", "Sale", "Basket (0)", "Help"),
    "forum": ("Questions", "Tags", "Users", "Ask", "Log in"),
    "preprint": ("Browse", "Submit", "Search", "Statistics", "About"),
    "travel": ("Destinations", "Walks", "Beds", "Maps", "Offers"),
    "music": ("Reviews", "Interviews", "Charts", "Lists"),
}
_MENU = ("Home", "Contents", "A to Z", "About", "Contact")
_COOKIES = (
    "We and our 214 partners store cookies. Accept all / Manage choices",
    "This site uses cookies to make it better. OK",
    "Your privacy matters to us. Accept / Reject",
)
_ADS = ("Advertisement", "Sponsored: shoes that think ahead", "Ad: lower your heating bill today", "Promoted")
_COMMENTS = ("First!", "Thanks, useful.", "Source?", "My uncle says otherwise.", "Nice read.", "Typo in line two.")
_STYLES = ("article", "main", 'div class="post"', 'section class="content"')


def render_html(web: ProceduralWeb, plan: Plan) -> str:
    """The whole document of a page: menu, cookie banner, advertisements, the main text, related
    links, comments, pages to turn, and a footer, in the manner of its site.

    Args:
        web: the web that the page is of.
        plan: which page.
    """
    site = plan.site
    look = Dice(*web.world.seed, "look", site.number)  # the same on every page of a site
    dice = Dice(*web.world.seed, "html", plan.number)
    holder = look.pick(_STYLES)
    menu = "".join(
        f'<li><a href="/{item.lower().replace(" ", "-")}">{item}</a></li>' for item in _MENUS.get(site.type, _MENU)
    )
    cookies = f'<div class="cookie-banner" role="dialog">{look.pick(_COOKIES)}</div>' if look.chance(0.6) else ""
    advertised = look.chance(0.5)
    date = f'<time datetime="{plan.date}">{plan.date}</time>' if plan.date else ""
    published = f'<meta property="article:published_time" content="{plan.date}">' if plan.date else ""
    links = web.links(plan)
    related = "".join(f'<li><a href="{escape(url)}">{escape(_anchor(url))}</a></li>' for url in links)
    comments = ""
    if look.chance(0.4):
        said = dice.sample(_COMMENTS, dice.between(1, 4))
        comments = '<section id="comments" class="comments"><h3>Comments</h3>'
        comments += "".join(f'<div class="comment">{escape(text)}</div>' for text in said) + "</section>"
    turn = '<nav class="pagination"><a href="?page=1">1</a> <a href="?page=2">2</a> <a href="?page=2">Next</a></nav>'
    return (
        "<!DOCTYPE html>\n"
        f'<html lang="en"><head><meta charset="utf-8"><title>{escape(plan.title)} | {escape(site.name)}</title>'
        f'<link rel="canonical" href="{escape(plan.url)}">{published}</head><body>{cookies}'
        f'<header class="site-header"><a href="/" class="logo">{escape(site.name)}</a>'
        f"<nav><ul>{menu}</ul></nav></header>"
        f"{_ad(dice) if advertised else ''}"
        f"<{holder}><h1>{escape(plan.title)}</h1>{date}{_body(web, plan)}</{holder.split()[0]}>"
        f"{turn if look.chance(0.4) else ''}"
        f'<aside class="related"><h3>Related</h3><ul>{related}</ul></aside>{_ad(dice) if advertised else ""}{comments}'
        f'<footer class="site-footer"><p>© {escape(site.name)}. <a href="/imprint">Imprint</a> · '
        '<a href="/privacy">Privacy</a></p></footer></body></html>\n'
    )


def _ad(dice: Dice) -> str:
    return f'<div class="ad advertisement" aria-hidden="true">{dice.pick(_ADS)}</div>'


def _anchor(url: str) -> str:
    return url.rpartition("/")[2].rpartition("-")[0].replace("-", " ").title() or "More"


def _body(web: ProceduralWeb, plan: Plan) -> str:
    """The main text with its headings, lists and tables marked up."""
    heads = {head for voice in voices().values() for head in (*voice["heads"], *voice["facts"])}
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
