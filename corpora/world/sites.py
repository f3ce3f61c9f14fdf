"""The sites of a world: of what type, in what style, under which host, and whose pages stand where."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from webenv.corpora.procedural.rng import Rng
from webenv.corpora.world.naming import Names
from webenv.corpora.world.pinyin import romanised
from webenv.corpora.world.wording import Style

TYPES = (
    "encyclopedia", "paper", "forum", "directory", "catalogue", "blog", "magazine", "heritage", "council", "journal",
    "guide", "club", "almanac", "news", "paper", "encyclopedia",
)  # fmt: skip
"""Types of sites, in the order in which a world has them; with more sites the row begins again."""

HOMES: dict[str, tuple[tuple[str, int], ...]] = {
    "structure": (("encyclopedia", 4), ("heritage", 4), ("blog", 1), ("forum", 2), ("council", 1), ("faq", 1)),
    "place": (("encyclopedia", 4), ("guide", 4), ("blog", 2)),
    "firm": (("directory", 5), ("encyclopedia", 3), ("forum", 2), ("faq", 1)),
    "public": (("directory", 4), ("encyclopedia", 3), ("council", 2), ("forum", 1), ("faq", 1)),
    "club": (("club", 5), ("encyclopedia", 3), ("forum", 2)),
    "press": (("encyclopedia", 4), ("directory", 3), ("magazine", 1)),
    "product": (("catalogue", 5), ("blog", 2), ("forum", 3), ("encyclopedia", 2), ("faq", 1)),
    "vessel": (("heritage", 4), ("encyclopedia", 4), ("forum", 2), ("magazine", 1), ("blog", 1)),
    "work": (("magazine", 4), ("encyclopedia", 4), ("blog", 2), ("forum", 2)),
    "science": (("journal", 5), ("encyclopedia", 4), ("magazine", 1)),
    "event": (("encyclopedia", 5), ("council", 1), ("blog", 1), ("forum", 1)),
    "person": (("encyclopedia", 6), ("obituary", 3), ("magazine", 1)),
}
"""Forms of pages about things of a group, with their weights."""

HOMES_OF_KINDS: dict[str, tuple[tuple[str, int], ...]] = {
    "bridge": (("encyclopedia", 4), ("heritage", 4), ("council", 3), ("blog", 2), ("forum", 1)),
    "chess tournament": (("encyclopedia", 5), ("forum", 2), ("magazine", 2), ("blog", 1)),
    "election": (("encyclopedia", 4), ("council", 4), ("forum", 1)),
    "market hall": (("encyclopedia", 3), ("heritage", 4), ("council", 4), ("blog", 1), ("faq", 1)),
    "mine": (("encyclopedia", 4), ("heritage", 4), ("forum", 2), ("blog", 2)),
    "monastery": (("encyclopedia", 4), ("heritage", 4), ("magazine", 1), ("forum", 1), ("blog", 1)),
    "ordinance": (("council", 6), ("encyclopedia", 3), ("forum", 1)),
    "park": (("encyclopedia", 3), ("guide", 4), ("council", 4), ("blog", 2)),
    "pipe organ": (("encyclopedia", 4), ("heritage", 3), ("forum", 2), ("magazine", 1), ("blog", 1)),
    "town": (("encyclopedia", 4), ("guide", 4), ("council", 2), ("blog", 2)),
    "town hall": (("encyclopedia", 3), ("heritage", 3), ("council", 5), ("forum", 1), ("faq", 1)),
}
"""The same of kinds that are told of elsewhere than most of their group."""

SITE_OF = {"faq": "almanac", "list": "almanac", "timeline": "almanac", "comparison": "catalogue", "obituary": "paper"}
"""The type of site of a form of page, where it is not the form's own name."""

_AT_HOME = 4  # the least weight of a form that makes its sites the place for a group


def at_home(group: str, site: str) -> bool:
    """Whether things of a group are what sites of a type are for; encyclopedias are for everything.

    >>> at_home("product", "catalogue"), at_home("product", "blog"), at_home("product", "encyclopedia")
    (True, False, False)
    """
    homes = dict(HOMES.get(group, ()))
    return site != "encyclopedia" and homes.get(site, 0) >= _AT_HOME


SITE_NAMES = {
    "encyclopedia": ("{}pedia", "The {} Encyclopedia", "Open {}", "{} Compendium"),
    "paper": ("{} Courier", "{} Gazette", "The {} Echo", "{} Observer", "{} Evening Post"),
    "news": ("{} Wire", "{} News Agency", "{} Press Service"),
    "forum": ("{} Boards", "Ask {}", "The {} Bench"),
    "directory": ("{} Directory", "{} Address Book", "Who's Who in {}"),
    "catalogue": ("{} Shop Test", "{} Goods", "{} Buyer"),
    "blog": ("The {} Notebook", "{} Wanderings", "Postcards from {}"),
    "magazine": ("{} Review", "The {} Quarterly", "{} Arts"),
    "heritage": ("{} Heritage Register", "Historic {}", "{} Monuments"),
    "council": ("{} Council", "{} Public Record", "Government of {}"),
    "journal": ("{} Journal of Science", "{} Proceedings", "Annals of {}"),
    "guide": ("Visit {}", "{} Travel Guide", "{} on Foot"),
    "club": ("{} Clubs", "{} Sports Union", "{} Societies"),
    "almanac": ("{} Almanac", "{} Answers", "{} Facts and Figures"),
}
"""Forms of the names of sites of each type."""
ABOUT = {
    "encyclopedia": "encyclopedia articles on people, buildings, firms, clubs, works and events",
    "paper": "a newspaper with local stories, awards, quarrels and obituaries",
    "news": "news reports of a press agency",
    "forum": "questions and answers of neighbours about buildings, firms, products and clubs",
    "directory": "profiles of firms, schools, hospitals and other institutions",
    "catalogue": "products, tested and compared",
    "blog": "notes of somebody who travels about, on places, buildings and things",
    "magazine": "essays on books, films, music, pictures and those who make them",
    "heritage": "a register of historic buildings, works of engineering and craft",
    "council": "notices and minutes of councils, on buildings, institutions, laws and events",
    "journal": "papers on studies, species and expeditions",
    "guide": "a guide for visitors: towns, parks and sights",
    "club": "clubs, teams and societies",
    "almanac": "lists, chronicles, and answers to short questions on all sorts of things",
}
"""What sites of each type have, in words."""
_SECTIONS = {
    "encyclopedia": ("wiki", "entry", "article"), "paper": ("news", "local", "stories"), "news": ("wire", "world"),
    "forum": ("thread", "t", "topic"), "directory": ("company", "profile", "about"), "catalogue": ("product", "p"),
    "blog": ("post", "blog", "notes"), "magazine": ("essays", "features"), "heritage": ("register", "site"),
    "council": ("notices", "minutes"), "journal": ("papers", "doi"), "guide": ("places", "go"),
    "club": ("clubs", "teams"), "almanac": ("tables", "facts", "q"),
}  # fmt: skip
_PARTS = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class WorldSite:
    """A website.

    Attributes:
        number: in its world.
        type: of :data:`TYPES`.
        name: as it calls itself.
        host: under the reserved ``.example``.
        section: first part of its pages' paths.
        style: how it writes.
    """

    number: int
    type: str
    name: str
    host: str
    section: str
    style: Style

    def url(self, title: str, token: str) -> str:
        """The address of a page."""
        return f"https://{self.host}/{self.section}/{slug(title)[:60].strip('-')}-{token}"


def slug(text: str) -> str:
    """A title as it stands in an address.

    >>> slug("Müller & Sons' Mill")
    'muller-sons-mill'
    """
    text = romanised(text)
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return "-".join(_PARTS.findall(plain.replace("'", "").replace("’", ""))) or "page"


def make_sites(count: int, names: Names, seed: tuple[int | str, ...]) -> tuple[WorldSite, ...]:
    """The sites of a world.

    Args:
        count: how many, at least 16.
        names: the world's names.
        seed: parts of the world's seed.
    """
    rng, language = Rng(*seed, "sites"), names.language
    found: list[WorldSite] = []
    hosts: set[str] = set()
    for number in range(count):
        type_ = TYPES[number % len(TYPES)]
        while True:
            word = language.stem(names.town(rng)) if rng.chance(0.6) else names.pick("county", rng)
            name = rng.pick(language.site_names[type_]).format(word)
            host = slug(name).replace("-", "" if rng.chance(0.5) else "-")
            if host not in hosts:
                break
        hosts.add(host)
        informal = type_ == "forum"
        style = Style(
            dates=rng.below(4) if type_ not in ("paper", "news") else rng.below(2),
            imperial=rng.chance(0.25) and language.styled,
            american=rng.chance(0.35) and language.styled,
            short_units=rng.chance(0.4),
            links={"encyclopedia": 0.7, "forum": 0.1, "paper": 0.25, "news": 0.15}.get(type_, 0.35),
            slips=0.05 if informal else 0.015 if type_ == "blog" else 0.0,
            informal=informal,
        )
        found.append(WorldSite(number, type_, name, f"{host}.example", rng.pick(_SECTIONS[type_]), style))
    return tuple(found)


# ── the ends of addresses ─────────────────────────────────────────────────────

_BITS = 25
_SIZE = (1 << _BITS) - 1
_ODD = (0x12D4B35, 0x0B5297A | 1)
_INVERSE = tuple(pow(one, -1, 1 << _BITS) for one in _ODD)
_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"  # no i, l, o, u: nobody reads a word in them


def token(number: int, key: int) -> str:
    """The end of a page's address: its number, mixed so that neighbours have nothing in common.

    >>> read_token(token(1234, 7), 7)
    1234
    """
    mixed = (number ^ key) & _SIZE
    mixed ^= mixed >> 13
    mixed = mixed * _ODD[0] & _SIZE
    mixed ^= mixed >> 13
    mixed = mixed * _ODD[1] & _SIZE
    mixed ^= mixed >> 13
    return "".join(_DIGITS[mixed >> shift & 31] for shift in (20, 15, 10, 5, 0))


def read_token(text: str, key: int) -> int | None:
    """The number that a token was made of; ``None`` for a text that is none."""
    if len(text) != 5 or any(letter not in _DIGITS for letter in text):
        return None
    mixed = 0
    for letter in text:
        mixed = mixed << 5 | _DIGITS.index(letter)
    mixed ^= mixed >> 13
    mixed = mixed * _INVERSE[1] & _SIZE
    mixed ^= mixed >> 13
    mixed = mixed * _INVERSE[0] & _SIZE
    mixed ^= mixed >> 13
    return (mixed ^ key) & _SIZE
