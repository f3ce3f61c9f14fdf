"""Names, for a reader without a model: runs of capitals, those of persons, and what those of a kind share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_GOING = re.compile("Leaving|Joining|Following|Succeeding|Coming|Returning|Moving|Arriving|Having|Replacing|Quitting")
_TOLD_OF = re.compile("(?:[A-Z][a-z]+s|Death|News|Word) of ")
"""What begins a sentence before whoever it tells of: "Tales of Ann Lee"."""
HELD_SIGNS = "\ua717\ua718\ua719"
"""Letters without case for a comma and two apostrophes inside a name (see :mod:`.whole`); no page has them."""
_DOING = re.compile("(?:Lead|Head|Runn|Manag|Direct|Govern|Command|Keep)ing$")
_TOKEN = re.compile(r"[^\W\d_](?:[\w’'-]*\w)?|&|\d+")
_JOINS = ("of", "on", "the", "and", "&")
_DATE = re.compile(rf"1[0-9][0-9][0-9]|20[0-9][0-9]|{_MONTH.replace('May|', '')}")
FUNCTION_WORDS = frozenset(
    re.findall(
        r"[\w-]+",
        """
        a about according after against all although among an and another any as at because before behind below
        beside between both but by during each even every few for from had has he her here his how i if in into
        it its later like many most much my near never no nobody nor not nothing now of off on once one only or
        other our out over people she since so some still such than that the their then there these they this those
        though through till to today under until up upon was we were what when where which while who whoever
        whose why with within without you
        """,
    )
)
_BODIES = frozenset(
    re.findall(
        r"[\w-]+",
        """
        bank school university college hospital infirmary church chapel club society museum gallery library
        company firm works brothers sons park street road lane avenue square house hall hotel inn theatre
        theater playhouse station bridge viaduct dam light lighthouse farm press post herald gazette times
        valley county council court project expedition festival fair week award prize medal cup trophy shield
        order party list yard docks boats brewery construction foundry systems software observatory institute
        trust union league team choir chorus band orchestra rovers wanderers athletic united city town line
        railway junction market guildhall relief winter study election by-law act case mutual electric
        engineering machine estate gardens abbey cathedral castle tower tramway crossing canal tunnel quarry mine
        reservoir pier harbour mill branch curlers rowers singers players runners cyclists scouts volunteers
        """,
    )
)
_PARTICLES = ("de", "da", "di", "du", "van", "von", "der", "den", "la", "le", "el", "al", "bin")
_PLACED = frozenset(
    ("North", "South", "East", "West", "Upper", "Lower", "Great", "Little", "Port", "Kirk", "St", "Old")
)


def is_trade(words: str) -> bool:
    """Whether words behind a firm's name say what it does or runs: "Boatbuilders", "Hill Farm"."""
    last = words.rpartition(" ")[2].casefold()
    return last in _BODIES or last.endswith(("ers", "ors", "wrights", "smiths"))


def is_body(word: str) -> bool:
    """Whether a word says what a thing is that has a name: "station"."""
    return word in _BODIES


def bare(name: str) -> str:
    """A name without its article.

    >>> bare("the Corvo")
    'Corvo'
    """
    return name[4:] if name.startswith(("the ", "The ")) else name


def mentions(text: str, name: str) -> bool:
    """Whether a name stands in a text, as a whole, in whatever case its article is."""
    short = bare(name)
    if not short or short not in text:
        return False
    at = text.find(short)
    while at >= 0:
        end = at + len(short)
        before, after = text[max(0, at - 1) : at], text[end : end + 1]
        # between Chinese characters no words begin or end that could be seen
        if (not before.isalnum() or short[0] > "\u2fff") and (not after.isalnum() or short[-1] > "\u2fff"):
            return True
        at = text.find(short, at + 1)
    return False


def somebody(name: str, text: str) -> bool:
    """Whether a name of the form of a person's is somebody's in a text: the surname stands there alone, and no article
    before the name.

    >>> somebody("Ann Lee", "Ann Lee left. Lee was 40."), somebody("Ann Lee", "The Ann Lee is a ferry.")
    (True, False)
    """
    if not is_person(name):
        return False
    for found in places_of(f"he {name}", text):
        rest = text[found + 3 + len(name) :]
        if text[found - 1 : found] in ("T", "t") and not (rest[:1] == " " and rest[1:2].isupper()):
            return False
    last = name.rsplit(" ", 1)[-1]
    first = name[: -len(last)]
    return any(not text[:found].endswith(first) for found in places_of(last, text))


def places_of(word: str, text: str) -> Iterator[int]:
    """Where a word stands in a text, as a whole; "he" also as the end of "the"."""
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        whole = not text[max(0, at - 1) : at].isalnum() or word.startswith("he ")
        if whole and not text[end : end + 1].isalnum():
            yield at
        at = text.find(word, at + 1)


@lru_cache(maxsize=8_192)
def names_in(sentence: str) -> tuple[str, ...]:
    """Runs of words with capitals: names of whatever sort; a word that begins the sentence counts in a longer one.

    >>> names_in("In 1954 the board chose Jeremy F. Molina, who left Hive Bank of Saltmarsh County.")
    ('Jeremy F. Molina', 'Hive Bank of Saltmarsh County')
    """
    found: list[str] = []
    run: list[re.Match[str]] = []
    for token in _TOKEN.finditer(sentence):
        word = token[0]
        gap = sentence[run[-1].end() : token.start()] if run else ""
        possessive = gap in ("’ ", "' ") and run[-1][0].endswith("s") and word[0].isupper()  # the Ladies’ Rowing Club
        joined = not run or gap == " " or possessive or (gap == ". " and len(run[-1][0]) == 1)
        if not joined:
            _close(sentence, run, found)
            run = []
        inside = token.start() > 2 and sentence[token.start() - 2].islower() and sentence[token.start() - 1] == " "
        if not inside and token.start() == 2:
            inside = word in _BESIDE
        named = word.lower() not in FUNCTION_WORDS or (word == "The" and token.start()) or (inside and word != "I")
        doing = _DOING.match(word) and sentence[: token.start()].rstrip()[-1:] in ("", "x", ".", "!", "?")
        capital = word[0].isupper() and not doing and (run or named)
        if _DATE.fullmatch(word) and not _GIVEN.match(sentence, token.start()):
            if [one[0] for one in run] != ["May"]:  # a month or a year is no part of a name
                _close(sentence, run, found)
            run = []
        elif capital or (run and (word in _JOINS or word.isdigit())):
            run.append(token)
        else:
            _close(sentence, run, found)
            run = []
    _close(sentence, run, found)
    return tuple(found)


_GIVEN = re.compile(r"(?<![a-z] )(?:June|April|August) [A-Z](?:\.|[a-z]+)(?! [\d])")
"""A month that begins a sentence or follows no word: somebody's given name."""
_BESIDE = frozenset(("Over", "Under", "Near", "Upon", "Below", "Beside", "Within", "Between", "Behind", "Up", "Down"))
"""Words that names of places begin with, though others do not."""


def _close(sentence: str, run: list[re.Match[str]], found: list[str]) -> None:
    while run and (run[-1][0] in _JOINS or (run[-1][0].isdigit() and not _numbered(run))):
        run.pop()
    if run and run[-1][0].lower() != "the":
        found.append(re.sub(r"['’]s$", "", sentence[run[0].start() : run[-1].end()]))


_TITLES = frozenset(
    re.findall(
        r"\w+",
        """
        Mr Mrs Ms Miss Dr Sir Dame Lord Lady Baron Baroness Count Countess Duke Saint Captain Colonel Major General
        Admiral Sergeant Inspector Professor Father Sister Brother Mother Abbot Abbess Prior Bishop Canon Dean Reverend
        Mayor President Chairman Director Governor Senator Minister Chancellor Judge Doctor King Queen Prince Princess
        """,
    )
)


def untitled(name: str, titles: Collection[str] = ()) -> str:
    """A name without the title before it.

    >>> untitled("Dr Ann Lee"), untitled("Observer Ann Lee", {"Observer"})
    ('Ann Lee', 'Ann Lee')
    """
    first, _, rest = name.partition(" ")
    return rest if rest and (first in _TITLES or first in titles) else name


def _numbered(run: Sequence[re.Match[str]]) -> bool:
    """Whether a run is a word and the number of one of several: "Apollo 11"."""
    return len(run) == 2 and len(run[1][0]) <= 3


def persons_in(
    sentence: str, known: Sequence[str] = (), others: Sequence[str] = (), titles: Collection[str] = ()
) -> list[str]:
    """The names in a sentence that may be those of persons: two or three words, none of which a body or place has.

    Args:
        known: full names; a surname alone stands for the one of these that ends with it.
        others: names that are none of a person.
        titles: words that may stand before a name.

    >>> persons_in("In 1954 Hive Bank chose Jeremy F. Molina, as Lee wished.", ["Ann Lee"])
    ['Jeremy F. Molina', 'Ann Lee']
    """
    found: list[str] = []
    for named in names_in(sentence):
        run = untitled(named, titles)
        run = next((one for one in known if run.endswith(f" {one}")), run)
        first, _, rest = run.partition(" ")
        if first.endswith("ing") and sentence.startswith(run) and is_person(rest):
            run = rest  # "Remembering Ann Lee"
        elif _GOING.fullmatch(first) and sentence.startswith(run) and run not in known:
            continue  # "Leaving Oldtown, …"
        told = _TOLD_OF.match(run)
        if told and sentence.startswith(run) and is_person(run[told.end() :]):
            run = named = run[told.end() :]
        words = run.split()
        if any(_is_part(run, bare(other), sentence) for other in others):
            continue
        if is_person(run):
            if run != named or not re.search(rf"\b[Tt]he {re.escape(run)}\b(?! [A-Z])", sentence):  # "the Hay Jubilee"
                found.append(run)
        elif len(words) == 1:
            found += [full for full in known if full.rsplit(" ", 1)[-1] == run][:1]
    return list(dict.fromkeys(found))


def _is_part(run: str, other: str, sentence: str) -> bool:
    """Whether a name stands for a thing, or a thing for it: whoever a thing is named after is somebody beside it, where
    the sentence has both."""
    if run == other or (" " in other and mentions(run, other)):
        return True
    return mentions(other, run) and not (mentions(sentence, other) and mentions(sentence.replace(other, "·"), run))


@lru_cache(maxsize=65_536)
def is_person(name: str) -> bool:
    """Whether a name has the form of a person's."""
    words = name.split()
    return (
        2 <= len(words) <= 4
        and words[0] not in _PLACED
        and words[0] != "The"
        and "St" not in words
        and not re.fullmatch(r"[A-Z]\.?", words[0])
        and not any(word in _JOINS or word.isdigit() or word.lower() in _BODIES for word in words)
        and not re.search(rf"['’](?:s\b| )|[{HELD_SIGNS}]", name)
        and words[-1][0].isupper()
        and all(word[0].isupper() or word in _PARTICLES for word in words)
        and all(len(word.rstrip(".")) > 1 or word.endswith(".") for word in words)
    )


def is_month(word: str) -> bool:
    """Whether a word is a month, or a year."""
    return bool(_DATE.fullmatch(word))


def ending(name: str) -> str:
    """What the names of a kind share: the last word; two, where that says but that it is a firm; the first one of a
    numbered series.

    >>> ending("Koch Reef Light"), ending("Stork Brewing Company"), ending("Gull 14")
    ('Light', 'Brewing Company', 'Gull')
    """
    words = (bare(name) if FIRM.fullmatch(name) else bare(name).partition(", ")[0]).split()
    if len(words) == 2 and words[1].isdigit():
        return words[0]
    of_form = len(words) > 2 and words[-1].rstrip(".") in _FORMS
    return " ".join(words[-2:] if of_form else words[-1:]) if len(words) > 1 else ""


_FORMS = ("Club", "Company", "Co", "Works", "Brothers", "Sons", "Ltd", "Inc", "House", "Society", "Association")


def word_families(lines: Iterable[str], stem: Callable[[str], str] = str) -> Mapping[str, frozenset[str]]:
    """Of each word, by its stem, those that stand in a line with it.

    >>> sorted(word_families(["taught teacher", "teacher school"])["teacher"])
    ['school', 'taught', 'teacher']
    """
    found: dict[str, set[str]] = {}
    for line in lines:
        family = {stem(word) for word in line.split()}
        for one in family:
            found.setdefault(one, set()).update(family)
    return {one: frozenset(family) for one, family in found.items()}


def endings(names: Iterable[str]) -> Counter[str]:
    """How many of some names have each ending."""
    return Counter(found for name in names if (found := ending(name)))


FIRM = re.compile(r"(?<![\w’'-])(?:[A-Z][\w’'-]++, ){0,4}+[A-Z][\w’'-]++ & [A-Z][\w’'-]++\.?")
"""A firm's name of several persons: "Ash, Beck & Co."."""


def of_kind(name: str, known: Mapping[str, int], kind: str) -> bool:
    """Whether a name ends as several of a kind do, or with the kind's word."""
    if " " not in bare(name) or (" and " in name and not FIRM.fullmatch(name)):
        return False
    head = name if FIRM.fullmatch(name) else name.partition(", ")[0]
    return known.get(ending(name), 0) > 1 or head.casefold().replace("-", " ").endswith(kind)


def told_of(name: str, known: Collection[str], towns: Collection[str]) -> str:
    """The known thing that a name tells of: with its town behind it, or with what befell it before it; else empty.

    >>> told_of("Rye Library of Hay", ["Rye Library"], ["Hay"]), told_of("Mishap on the Corvo", ["Corvo"], [])
    ('Rye Library', 'Corvo')
    """
    head, _, town = name.rpartition(" of ")
    thing = _BEFALLEN.sub("", name)
    return head if head in known and town in towns else thing if thing != name and thing in known else ""


_BEFALLEN = re.compile(r"^.* (?:of|on|at|in|aboard) the ", re.IGNORECASE)


def name_at(text: str) -> str:
    """The name that a text begins with; empty where it begins with none."""
    found = next(iter(names_in(f"x {text[:80]}")), "")
    return found if text.startswith(found) else ""
