"""Parts of documents: what stands above and below a text, threads, rows of lists, and their pages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta
from typing import NamedTuple

from webenv.corpora.markdown import markdown_html, plain_text, text_html
from webenv.corpora.procedural.rng import Rng
from webenv.corpora.world.directory import ListedPage
from webenv.corpora.world.html_frame import FramedHTML, PageFrame
from webenv.corpora.world.look import Look
from webenv.corpora.world.plan import PageHead
from webenv.corpora.world.sites import WorldSite, slug
from webenv.corpora.world.web import WorldPage
from webenv.corpora.world.writing import capital

_POST = re.compile(r"\*\*([^*\n]+)\*\*(?: · ([^\n]+))?\n(.+)", re.DOTALL)
_H2 = re.compile(r"^<h2>(.*)</h2>$", re.MULTILINE)
_TAG = re.compile(r"<[^<>]*>")
SUMMARY = 170
"""Characters of the beginning of a page that lists show."""
_RELATED = 6


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


def author_path(name: str) -> str:
    """Where a site's page about an author is."""
    return f"/author/{slug(name)}"


class HTMLParts(FramedHTML):
    """The parts that documents are put together from."""

    def summary(self, number: int, most: int = SUMMARY) -> str:
        """The beginning of a page's first paragraph."""
        text = plain_text(self._web.text(self._web.plan(number)).text)
        prose = [one for one in text.split("\n") if len(one) > 40 and one[:1] not in "|-"]
        telling = (one for one in prose if len(one) > 90)  # rather than a sentence that begins many pages
        return self._language.cut(next(telling, prose[0] if prose else ""), most)

    def _date(self, day: str, site: WorldSite) -> str:
        if not day:
            return ""
        year, month, number = (int(part) for part in day.split("-"))
        said = self._language.date(year, month, number, site.style.dates)
        before = {"encyclopedia": "Last edited on ", "heritage": "Entered on ", "journal": "Published "}
        return f'{self._say(before.get(site.type, ""))}<time datetime="{day}">{said}</time>'

    def _rows(self, pages: Sequence[ListedPage], site: WorldSite, look: Look) -> str:
        rows = []
        for page in pages:
            facts = [self._date(page.date, site)]
            facts += [f'<a href="{author_path(page.author)}">{text_html(page.author)}</a>'] if page.author else []
            facts += [f'<a href="/tag/{slug(tag)}">{text_html(capital(tag))}</a>' for tag in page.tags[:1]]
            summary = "" if look.type == "forum" else f"<p>{text_html(self.summary(page.number))}</p>"
            rows.append(
                f'<li class="{look.names["row"]}"><h3><a href="{page.url}">{text_html(page.title)}</a></h3>{summary}'
                f"<small>{' · '.join(part for part in facts if part)}</small></li>"
            )
        return f'<ul class="{look.names["rows"]}">{"".join(rows)}</ul>'

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

    # ── around a text ─────────────────────────────────────────────────────────

    def _kicker(self, listed: ListedPage, look: Look) -> str:
        if look.type not in ("paper", "news", "magazine", "guide", "blog") or not listed.tags:
            return ""
        tag = listed.tags[0]
        return f'<p class="{look.names["kicker"]}"><a href="/tag/{slug(tag)}">{text_html(capital(tag))}</a></p>'

    def _first_tag(self, listed: ListedPage) -> list[tuple[str, str]]:
        return [(capital(tag), f"/tag/{slug(tag)}") for tag in listed.tags[:1]]

    def _tags(self, listed: ListedPage, look: Look) -> str:
        if not look.tags or not listed.tags:
            return ""
        links = "".join(f'<a rel="tag" href="/tag/{slug(tag)}">{text_html(capital(tag))}</a>' for tag in listed.tags)
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

    def _related(self, listed: ListedPage, head: PageHead, frame: PageFrame, rng: Rng) -> str:
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

    def _comments(self, page: WorldPage, frame: PageFrame, rng: Rng) -> str:
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

    # ── texts ─────────────────────────────────────────────────────────────────

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

    def _with_contents(self, body: str, names: dict[str, str]) -> tuple[str, str]:
        """A text whose headings can be led to, and the table of its contents."""
        heads = _H2.findall(body)
        if len(heads) < 3:
            return body, ""
        places = iter(range(1, len(heads) + 1))
        body = _H2.sub(lambda match: f'<h2 id="s{next(places)}">{match[1]}</h2>', body)
        items = "".join(f'<li><a href="#s{n}">{_TAG.sub("", head)}</a></li>' for n, head in enumerate(heads, 1))
        return body, f'<nav class="{names["toc"]}"><b>{self._say("Contents")}</b><ul>{items}</ul></nav>'
