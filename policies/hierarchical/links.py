"""What a page says to the clauses of a question: which names it puts together, sentence by sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from webenv.policies.hierarchical import chinese
from webenv.policies.hierarchical.clauses import ChainQuestion, LinkClause, agreement
from webenv.policies.hierarchical.facts import full_names
from webenv.policies.hierarchical.messages import CitedStatement, ReadPage
from webenv.policies.hierarchical.names import FUNCTION_WORDS, bare, is_month, is_person, mentions, names_in
from webenv.policies.hierarchical.pages import cells_of, sentences, subjects_of, without_links
from webenv.policies.hierarchical.values import NEITHER

DESCRIBES = "describes"
"""The value of statements to a clause that only describes."""

KIND = "kind"
"""The column of statements that say what something is."""

_SAYS = 0.2  # of a clause, at the least, that a sentence has to say to be taken for it
_ITEM = re.compile(r"^(?:[-*] |> )?\*\*([^*]+)\*\*\s*[–:.-]?\s*(.*)$")
_LISTED = re.compile(r"^[-*] ([^:–]{3,60})(?: –|:) (.*)$")
_LABELLED = re.compile(r"\*\*([^*]{2,40})\*\*: ([^·]+)")
_CHINESE_ITEM = re.compile(r"^- (?:\*\*([^*]+)\*\*|([^：。，*]{2,20}))(?:（[^（）]*）)?(?:：|——)(.*)$")
_CHINESE_ASIDE = re.compile(r"^\*\*[^*]+\*\*(?: · .*)?$|^- \[[^\]]*\]\([^()]*\)$")  # who speaks; further pages
_CHINESE_LABELS = re.compile(r"\*\*([^*]{2,20})\*\*：([^·]+)")
_WITHIN = re.compile(r"(?<=[a-z,;] )[^\W\d_a-z][\w’'-]*\w")
_SURE = 0.8  # of the fit of a name to a kind, for a sentence to be about it and not about its page's subject
_IN_YEAR = re.compile(r" (?:in|from|to|of|at|on) \d+$")
_SMALL = frozenset(
    re.findall(
        "[a-z]+",
        """
        a about above across after against along among an and around as at before behind below beneath beside between
        beyond but by down for from in inside into like near nor of off on onto or out outside over past since than the
        through till to towards under until up upon with within without
        """,
    )
)
_LIKELY = 0.5  # of the fits, where one of both is whom the page is about
_TITLE = 16  # words of a title that are looked at
_SETTLED = frozenset(["person", "town", "village", "city", "place"])  # kinds that end no name in small letters
_WRITTEN = re.compile(
    r"\[([^\[\]\n]{3,60})\]\(|\*\*([^*\n]{3,60})\*\*|“([^“”\n]{3,60})”|^\|? *([^|\n\[]{3,60}) \||^#+ ([^\n\[]{3,60})$"
    r"|^- ([^:–\n\[]{3,60})(?: –|:) ",
    re.MULTILINE,
)
_LEAD = 300  # characters at the beginning of a page that say what it is about
_JOINING = re.compile(r" (and|of|on|the|&|at|in) ")
_IN_REGION = re.compile(r"(\b(?:in|at|of|from|near|outside) [^\W\d_a-z][\w’'-]+), [^\W\d_a-z]\w+\b(?! [^\W\d_a-z])")
_BORN = re.compile(r" \(born (?:\w+ )?(?:\d{1,2},? )?(?:\w+ )?\d{4}\)")  # says when, and nothing of where
_REGIONS = frozenset(["county", "region", "country", "state", "province"])
# "in Corby, Barset." is in Barset; "in Corby, Barset and Brill" are three towns
_AROUND = re.compile(
    r"\b(?:in|at|of|from|near|outside) (?:[^\W\d_a-z][\w’'-]+ ){0,2}[^\W\d_a-z][\w’'-]+, ([^\W\d_a-z]\w+)"
    r"(?=[.;)\n]| [a-z])(?! and\b| or\b)"
)
_STREETS = frozenset(["street", "road", "lane", "avenue", "square", "county"])
_OTHERS = frozenset(
    re.findall(
        r"[a-z]+",
        """
        school university college museum gallery library theatre playhouse hotel church bridge dam park
        choir festival prize hospital station farm lighthouse brewery bank newspaper novel election
        garden expedition court harbour
        """,
    )
)


class PageLine(NamedTuple):
    """A sentence, or a cell with its label, of a page: its text, whom it is about, the names that it has, and whom its
    page and its section are about."""

    text: str
    about: str
    names: tuple[str, ...]
    subject: str = ""
    section: str = ""


def links_on(chain: ChainQuestion, page: ReadPage, entities: Sequence[str], date: str = "") -> list[CitedStatement]:
    """The links that a page states: of each clause the pairs of names that a sentence puts together with its words.

    Statements are (a name, the clause's number, the name that it leads to); of a clause that only describes, (a name,
    its number, :data:`DESCRIBES`). Where both names surely are of the clause's kinds, all words will do.

    Args:
        entities: names that are asked about.
    """
    plain = without_links(page.text)
    lead = f"{page.title}. {plain[:_LEAD]}\n"
    if any(map(chinese.is_chinese, chain.kinds)) or chinese.is_chinese(chain.clauses[0].text):
        lines = chinese_lines(page.title, page.text, entities, chain.kinds)
    else:
        lines = lines_of(page.title, plain, (*entities, *written_names(page.text, chain.kinds)), chain.kinds)
    found: dict[tuple[str, int, str], CitedStatement] = {}
    best: dict[tuple[str, int, str], float] = {}
    for line in lines:
        if NEITHER.search(line.text):
            continue
        fits = NameFits(chain.kinds, line, lead)
        asked = {one for one in fits.every if any(_same(one, entity) for entity in entities)}
        for clause in chain.clauses:
            said = agreement(clause.text, line.text)
            for source, target in fits.pairs(clause):
                if said < _SAYS and not (
                    clause.links and (fits.sure(clause, source, target) or {source, target} & asked)
                ):
                    continue
                key = (source, clause.number, target)
                if best.get(key, -1.0) < said:
                    best[key] = said
                    quote = line.text if len(line.text) < 280 else line.text[:280]
                    found[key] = CitedStatement(source, str(clause.number), target, page.url, date, quote)
    return [*kinds_on(chain, page.title, plain, page.url), *found.values()]


def kinds_on(chain: ChainQuestion, title: str, text: str, url: str) -> Iterator[CitedStatement]:
    """What a page says its subject is, and the rows of its lists are."""
    if chinese.is_chinese(text):
        name = chinese.subject_of(title, text)
        for kind in {one for one in chain.kinds if one != "person"}:
            if name and chinese.is_kind(name, kind, text[:_LEAD]):
                yield CitedStatement(name, KIND, kind, url)
            if kind in title:
                yield from (CitedStatement(one.name, KIND, kind, url) for one in cells_of(text, kind) if not one.label)
        return
    for name in subjects_of(title, text)[:2]:
        said = _is_one(name).search(text[: 2 * _LEAD])
        if said:
            kind = re.split(r" (?:in|of|from|at|on|by|who|that|for|with|near|held) ", f"{said[1]} ")[0]
            yield CitedStatement(name, KIND, kind.strip(), url)
    for kind in set(chain.kinds):
        last = kind.rpartition(" ")[2]
        if last and re.search(rf"\b{re.escape(last)}e?s\b", title, re.IGNORECASE):
            for row in cells_of(text, kind):
                if not row.label:
                    yield CitedStatement(row.name, KIND, last, url)


class NameFits:
    """Which names of a line may be of which kinds: those in it, and those that it is about.

    Attributes:
        every: all the names.
    """

    def __init__(self, kinds: Sequence[str], line: PageLine, lead: str) -> None:
        self._kinds, self._said, self._names = kinds, lead + line.text, set(line.names)
        self._context = {line.about, line.section, line.subject}
        self.every = tuple(dict.fromkeys(one for one in (*line.names, line.about, line.section, line.subject) if one))
        self._found: dict[int, dict[str, float]] = {}

    def of(self, place: int) -> Mapping[str, float]:
        """The names that may be of the kind of a letter, and how well they are."""
        if place not in self._found:
            fits = {one: kindness(one, self._kinds[place], self._said) for one in self.every}
            self._found[place] = {one: fit for one, fit in fits.items() if fit > 0}
        return self._found[place]

    def pairs(self, clause: LinkClause) -> Iterator[tuple[str, str]]:
        """The pairs that a clause may link; one of them stands in the line itself."""
        first = self.of(clause.source)
        if not clause.links:
            yield from ((one, DESCRIBES) for one in first)
            return
        for one in first:
            for two in self.of(clause.target):
                apart = one != two and not mentions(one, two) and not mentions(two, one)
                if apart and (one in self._names or two in self._names):
                    yield one, two

    def sure(self, clause: LinkClause, source: str, target: str) -> bool:
        """Whether a pair is likely of a clause's kinds, which differ."""
        kinds = self._kinds[clause.source], self._kinds[clause.target]
        least = _LIKELY if {source, target} & self._context else _SURE
        return (
            kinds[0] != kinds[1]
            and min(self.of(clause.source)[source], self.of(clause.target).get(target, 0.0)) >= least
        )


def _one_name(words: Sequence[str]) -> bool:
    """Whether words with small letters among some are such as stand within names."""
    return all(not one[:1].islower() or one in _SMALL for one in words)


def written_names(text: str, kinds: Sequence[str]) -> list[str]:
    """What a page writes as a name: in links, in bold, in quotes, at the head of a row or a section; words with small
    letters may stand within it.

    >>> written_names("[Lilian with a Letter](https://a.example/1) hangs beside **Night over Brill**.", ())
    ['Lilian with a Letter', 'Night over Brill']
    """
    last = {kind.rpartition(" ")[2] for kind in kinds}
    found: dict[str, None] = {}
    for match in _WRITTEN.finditer(text):
        name = next(one for one in match.groups() if one is not None).strip()
        words = name.split()
        if not 2 <= len(words) <= 7 or not name[0].isupper() or set(name) & set(":?;|–·()*"):
            continue
        if "," in name and "& " not in name.partition(",")[0]:
            continue
        if (words[-1][0].isupper() or words[-1] in last) and _one_name(words[:-1]) and not is_person(name):
            found[name] = None
    return list(found)


@lru_cache(maxsize=32_768)
def kindness(name: str, kind: str, said: str = "") -> float:
    """How well a name fits a kind, from 0 to 1: by its form, its last word, or what a text says of it.

    Args:
        said: the beginning of a page, or a sentence.

    >>> kindness("Ann Lee", "person"), kindness("Ann Lee", "theatre"), kindness("Hind Theatre", "theatre")
    (1.0, 0.2, 1.0)
    """
    if chinese.is_chinese(name):
        return chinese.kindness(name, kind, said)
    last = kind.split()[-1] if kind else ""
    words = bare(name).split()
    end = words[-1].casefold()
    person = is_person(name)
    if not last:
        return 0.5
    if last == "person":
        return 1.0 if person else 0.0
    if last in (one.casefold() for one in words) or end.rstrip("s") == last.rstrip("s"):
        return 1.0
    known = False
    if said and mentions(said, name):
        low, plain = f" {said.casefold()}", bare(name).casefold()
        called = any(f"{start}{last}{join}{plain}" in low for start in " \n(“" for join in (" ", " the ", " “", ", "))
        is_one = _is_one(name).search(said)
        if called or (is_one and last in is_one[1].casefold().split()):
            return 1.0
        known = is_one is not None
    if end in _STREETS or _OTHERS & {one.casefold() for one in words}:
        return 0.0 if last in _OTHERS or end in _STREETS else 0.1
    if last in ("town", "village", "city", "place"):
        if end.endswith("shire"):
            return 0.1
        return 0.8 if len(words) == 1 else 0.4 if len(words) <= 3 and is_person(f"Ann {words[-1]}") else 0.0
    return 0.2 if person or known else 0.5 if len(words) > 1 else 0.2


@lru_cache(maxsize=4_096)
def _is_one(name: str) -> re.Pattern[str]:
    return re.compile(
        rf"{re.escape(bare(name))}(?: \([^()]*\))?,? (?:is |was )?(?:known as )?(?:an?|the) ((?:[\w-]+ ){{0,3}}[\w-]+)",
        re.IGNORECASE,
    )


def subject_of(title: str, text: str) -> str:
    """The name in a title that the sentences of the page have most often, the longest of several; lower-case words may
    stand within it.

    >>> subject_of("Notes on A Night in Brill", "I found A Night in Brill again. A Night in Brill was filmed there.")
    'A Night in Brill'
    """
    words = title.rstrip("?.!").split(" ")[:_TITLE]
    told = (line for line in text.splitlines() if line.endswith((".", "!", "?")) and not line.startswith("#"))
    body = " ".join(told)
    body = body.replace(title, " ") if title.endswith("?") else body  # whoever asks says it again
    heads = [place for place, word in enumerate(words) if word[:1].isupper() or word[:1].isdigit()]
    found: list[tuple[int, int, str]] = []
    for first in heads:
        for last in reversed(heads):
            name = re.sub(r"['’]s$", "", " ".join(words[first : last + 1]).strip("“”:,()"))
            if last > first and (not _one_name(words[first : last + 1]) or _IN_YEAR.search(name)):
                continue
            if (
                last < first
                or (first == 0 < last and title.endswith("?"))
                or any(name in longer for *_, longer in found)
            ):
                break
            if (first == last and name.casefold() in FUNCTION_WORDS) or not mentions(body, name):
                continue
            short = name.split()[-1] if is_person(name) else bare(name)
            found.append((body.count(short), len(name), name))
            break
    return max(found, default=(0, 0, ""))[2]


def lines_of(title: str, text: str, known: Sequence[str] = (), kinds: Sequence[str] = ()) -> Iterator[PageLine]:
    """The sentences, items, labels and cells of a page, each with whom it is about.

    Args:
        known: names that are one, whatever words stand within them.
        kinds: words that may end a name in small letters, as in "Corvo Yard station".

    >>> [one.about for one in lines_of("Corvo", "Corvo is a ferry.\\n- **Ann Lee**: She ran it.")]
    ['Corvo', 'Ann Lee']
    """
    persons = full_names(title, text)
    full = {one.rsplit(" ", 1)[-1]: one for one in reversed(persons)}
    subject = subject_of(title, text) or next((one for one in subjects_of(title, text) if mentions(title, one)), "")
    subject = full.get(subject, subject)
    single = set(_WITHIN.findall(text))
    regions = set() if _REGIONS & {*kinds} else set(_AROUND.findall(text))
    ends = {kind.rpartition(" ")[2] for kind in kinds} - _SETTLED
    wholes = {bare(one): one for one in (subject, *known) if " " in one and not is_person(one)}
    listed = "|".join(sorted(map(re.escape, wholes), key=lambda one: (-len(one), one)))
    whole = re.compile(rf"(?<!\w)(?:{listed})(?!\w)") if listed else None

    def names(words: str, begins: bool = False) -> tuple[str, ...]:
        """The names in a text; its first word is one alone if ``begins``, or if it stands within a sentence too."""
        taken = [wholes[one] for one in whole.findall(words)] if whole is not None else []
        if whole is not None and taken:
            words = whole.sub("it", words)
        words = _IN_REGION.sub(r"\1", words)  # of a town and where it lies the town
        first = words.split(" ", 1)[0].rstrip(".,:;'’s")
        runs = names_in(f"x {words}" if begins or first in single or first in full else words)
        found: list[str] = []
        for part in (part for run in runs for part in _apart(run, full)):
            after = words.partition(f"{part} ")[2].split(" ", 1)[0].rstrip(".,:;")
            after = after.removesuffix("’s").removesuffix("'s")
            if after and after in ends and part not in full:
                found.append(f"{part} {after}")
            elif not part.isupper() or part in full:
                named = part.rpartition(" ")[2]  # "Mayor Ann Lee" is Ann Lee
                titled = named in full and part.endswith(f" {full[named]}")
                found.append(full[named] if titled else full.get(part, part))
        kept = (one for one in found if not is_month(one) and (" " in one or one in single) and one not in regions)
        return tuple(dict.fromkeys((*taken, *kept)))

    for cell in cells_of(text, "", subject):
        if cell.label and cell.value.strip(" –—-"):
            yield PageLine(f"{cell.label}: {cell.value}", full.get(cell.name, cell.name), names(cell.value, True))
    section = about = subject
    for paragraph in re.split(r"\n+", text):
        plain = paragraph.strip()
        if plain.startswith("#"):
            head = plain.lstrip("# ")
            named = names(head, True)
            section = named[0] if named else subject
            about = section
            continue
        if not plain or plain.startswith("|"):
            continue
        labels = _LABELLED.findall(plain)
        if len(labels) > 1:
            for label, value in labels:
                yield PageLine(f"{label}: {value}", section, names(value, True))
            continue
        item = _ITEM.match(plain) or _LISTED.match(plain)
        about = within = section
        if item:
            named = names(item[1], True)
            if named and bare(named[0]) == bare(item[1].strip()):
                about, plain = named[0], item[2]
            elif item[1][:1].isdigit():
                about, plain = "", item[2]
            within = about
        for sentence in sentences(plain):
            line = PageLine(sentence, about, names(sentence), subject, within)
            yield line._replace(text=_BORN.sub("", line.text))
            here = [one for one in line.names if one not in persons or sentence.startswith((one, one.split()[-1]))]
            if here and about and not item:
                about = here[0] if sentence.startswith((here[0], bare(here[0]))) else about
            elif not about and line.names:
                about = line.names[0]


def chinese_lines(title: str, text: str, entities: Sequence[str], kinds: Sequence[str]) -> Iterator[PageLine]:
    """As :func:`lines_of`, of a page in Chinese.

    >>> [(one.about, one.names) for one in chinese_lines("青石桥", "青石桥是一座桥。它由荀耀泓修建。", (), ("桥",))]
    [('青石桥', ('青石桥',)), ('青石桥', ('荀耀泓',))]
    """
    text = "\n".join(line for line in text.splitlines() if not _CHINESE_ASIDE.match(line))
    plain = without_links(text)
    subject = chinese.subject_of(title, plain)
    cells = list(cells_of(text, "", subject))
    valued = [chinese.core(one.value) for one in cells]
    whole = (*entities, subject, *chinese.written_names(text), *filter(chinese.is_person, valued))
    known = sorted({one for one in whole if len(one) > 2 or chinese.is_person(one)}, key=lambda one: (-len(one), one))
    listed = re.compile("|".join(map(re.escape, known))) if known else None

    def names(words: str) -> tuple[str, ...]:
        found: list[tuple[int, str]] = []
        if listed is not None:
            found += [(one.start(), one[0]) for one in listed.finditer(words)]
            words = listed.sub(lambda one: "，" * len(one[0]), words)
        persons = (one for one in chinese.persons_in(words) if len(one) > 2 or plain.count(one) > 1)  # "张贴" is a word
        others = (*persons, *chinese.ending_as(kinds, words), *re.findall("《[^《》]+》", words))
        found += [(words.find(one), one) for one in others]
        return tuple(dict.fromkeys(name for _, name in sorted(found)))

    for cell in cells:
        if cell.label and cell.value.strip(" –—-"):
            value = chinese.core(cell.value)
            named = names(cell.value)
            yield PageLine(f"{cell.label}：{cell.value}", cell.name, named or ((value,) if value in known else ()))
    section = subject
    for paragraph in re.split(r"\n+", plain):
        if paragraph.startswith("#"):
            section = next(iter(names(paragraph)), subject)
            continue
        if not paragraph.strip() or paragraph.startswith("|"):
            continue
        labels = _CHINESE_LABELS.findall(paragraph)
        if len(labels) > 1:
            yield from (PageLine(f"{label}：{value}", section, names(value), subject) for label, value in labels)
            continue
        about = within = section
        item = _CHINESE_ITEM.match(paragraph)
        if item:
            head = item[1] or item[2]
            named = names(head)
            about = within = "" if head[0].isdigit() else named[0] if named and named[0] == head else section
            paragraph = item[3] if about == head else f"{head}：{item[3]}"
        for sentence in sentences(paragraph):
            line = PageLine(sentence, about, names(sentence), subject, within)
            yield line
            if line.names and (not about or sentence.startswith(line.names[0])):
                about = line.names[0]


def _apart(run: str, persons: Mapping[str, str]) -> Iterator[str]:
    """The names that a run of words with capitals is made of: persons stand alone, and months are none.

    >>> list(_apart("Ann Lee and Ivo Kerr", {})), list(_apart("Brill on May", {})), list(_apart("Bank of Brill", {}))
    (['Ann Lee', 'Ivo Kerr'], ['Brill'], ['Bank of Brill'])
    """
    for join in _JOINING.finditer(run):
        one, other = run[: join.start()], run[join.end() :]
        if (
            is_month(other)
            or other == "May"
            or is_person(one)
            or one in persons
            or (join[1] == "and" and (is_person(other) or " " in one))
        ):
            yield one
            if not (is_month(other) or other == "May"):
                yield from _apart(other, persons)
            return
    yield run


def _same(one: str, other: str) -> bool:
    return bare(one).casefold() == bare(other).casefold()
