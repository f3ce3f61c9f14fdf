"""What sentences say of a column: values of its form, by words that go with it, for a reader without a model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from webenv.policies.hierarchical.messages import CitedStatement, Subtask
from webenv.policies.hierarchical.names import is_month, is_person, mentions, names_in, persons_in, word_families
from webenv.policies.hierarchical.pages import AboutSentence

NEITHER = re.compile(
    r"\b(?:not|never|nor|neither|denie[ds]|wrongly|mistaken(?:ly)?|planned|rejected|myth|disproved|unfounded|declined|"
    r"refused (?:it|the (?:post|office|offer))|instead(?! of)|"
    r"(?:turned|turning) (?:it|this|them) down|"
    r"(?:named|listed|given|called|reported|said|written|printed|credited|thought)\b"
    r"[^.]{0,80}\b(?:by mistake|in error)|"
    r"(?:by mistake|in error)(?=,))\b|n['’]t\b"
)
"""Words by which a sentence may deny what it says: nothing is taken from such a one."""
_LIFE = re.compile(
    r"\((?:born|died)[^()]*\)|^ ?\([^()]*\d{4}\)(?=,)|\([^()]*\d{4} [–-] [^()]*\d{4}\)|"
    r"\(\d{4}[–-]\d{4}\)(?=, [a-z -]{3,40}:| (?:was|is) an? )|, born [^,;]*\d{4}(?=[,;])"
)
"""When somebody lived, behind a name: no years of a post."""
_INCIDENTAL = re.compile(
    r"\bnot be(?:en)? forgotten\b|\b(?:that|which) (?:was|were|is|are) (?:not|never) [^.,;\d]*(?=\.?$)|"
    r"\bnever (?:quite )?(?!held|was|became|been|had|got|took|served|led|ran)\w+|"
    r"\b(?:did|does|do|could|would) not (?!hold|become|take|serve|lead|run|keep|get|go|succeed|have|stay|accept)"
    r"(?:leave|retire|resign|\w+(?![^.,;]{0,80}\b(?:1\d|20)\d\d))|"
    r"\bha(?:s|ve|d) not (?!held|been|become|taken|served|led|run|kept|had|got)\w+(?![^.,;]{0,80}\b(?:1\d|20)\d\d)"
)
"""What somebody never did besides: it denies no post, where it has no year."""
_YEAR = re.compile(r"(?<![\w,.])(1\d\d\d|20\d\d)(?!\w|[.,]\d)")
_IN_BRACKETS = re.compile(r"(?<!\s)\s*+\((?:(1\d\d\d|20\d\d)(?:\s*[–-]\s*(?:(1\d\d\d|20\d\d)|today|now|present)?)?)\)$")
_TITLED = re.compile(r"^(?:[Tt]he|[Aa]n?) (?:[a-z-]+ )+(?=[^\W\d_a-z])")
_NUMBER = r"(?<![\w.,/])(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)( million)?"
_MONEY = re.compile(
    rf"[$£€]\s?{_NUMBER}|{_NUMBER} (?:crowns?|pounds?|dollars?|euros?|francs?|marks?|guilders?|pence)\b"
)
_COUNT = re.compile(r"\d{1,3}(?:,\d{3})*(?:\.\d+)?")
_STEM = 5
_ENOUGH = 3  # values of a column, by which one is known without a word of the column beside it
_RELATED = (
    "spouse married marry wife husband wedding wed marriage",
    "born birth birthplace native cradle childhood",
    "died death dead buried burial passed",
    "founder founded founding founds started established began beginnings opened",
    "designer designed design architect drew drawn plans drawings engineer planned",
    "builder built contractor erected constructed",
    "owner owned bought belonged belongs acquired",
    "author wrote written writer written",
    "height tall high",
    "length long measures",
    "cost spent bill paid",
    "price priced cost costs",
    "capacity seats holds room",
    "award won prize given received",
    "teacher taught trained pupil",
    "retired retire retirement",
    "school schooled attended pupil educated accepted admitted",
    "moved move moves transferred",
    "employer worked work employed job",
    "sale sold bought",
    "pupils children taught roll",
    "keeper keep keeps kept keeping",
    "captain captained skip skips skipped skipper skippered",
)
_UNITS = {  # of other measures, how much one of them is
    "metre": {"feet": 0.3048, "foot": 0.3048, "ft": 0.3048, "yard": 0.9144},
    "kilometre": {"mile": 1.609344},
    "hectare": {"acre": 0.40468564},
    "kilogram": {"pound": 0.45359237, "lb": 0.45359237},
    "gram": {"ounce": 28.349523},
    "litre": {"gallon": 3.785, "pint": 0.4732},
    "square kilometre": {"square mile": 2.589988},
    "tonne": {"ton": 1.0},
}
_PLACES = frozenset(
    one[:_STEM]
    for one in ("birthplace", "born", "died", "moved", "retired", "location", "town", "place", "buried", "lives")
)
_AT = re.compile(
    r"\b(?:in|at|to|from|of|near|for|left|reached|saw)\s+"
    r"((?:[^\W\d_a-z][\w’'-]*)(?:[ -](?:St|[^\W\d_a-z][\w’'-]*|by|le|Sea))*)"
)
_SHORT = {"metre": "m", "kilometre": "km", "kilogram": "kg", "gram": "g", "hectare": "ha", "litre": "l"}


def stem(word: str) -> str:
    """The beginning of a word, by which words of one family are known.

    >>> stem("Founded") == stem("founder")
    True
    """
    return word.casefold()[:_STEM]


_FAMILIES = word_families(_RELATED, stem)


def stems_of(text: str) -> set[str]:
    """The stems of a text's words of four letters or more."""
    return {stem(word) for word in re.findall(r"[^\W\d_]{4,}", text)}


def cues_of(label: str) -> frozenset[str]:
    """The stems by which a sentence may be known to speak of a column: of its label, and of words that go with it.

    >>> "marri" in cues_of("Spouse")
    True
    """
    own = stems_of(label) | {stem(word) for word in re.findall(r"\b[^\W\d_]{3}\b", label)}
    return frozenset(own.union(*(_FAMILIES.get(one, ()) for one in own)))


def words_of(text: str) -> set[str]:
    """The stems of a text's words, and its words whole, behind an equals sign."""
    return stems_of(text) | {f"={word}" for word in re.findall(r"[^\W\d_]{3,}", text.casefold())}


class AskedColumn(NamedTuple):
    """A column of a table, taken apart.

    Attributes:
        name: as the question has it.
        label: without its unit.
        unit: what stands in brackets; empty where nothing does.
    """

    name: str
    label: str
    unit: str

    @classmethod
    def of(cls, name: str) -> AskedColumn:
        """Takes a name apart.

        >>> AskedColumn.of("Area (hectares)")
        AskedColumn(name='Area (hectares)', label='Area', unit='hectares')
        """
        label, _, unit = name.removesuffix(")").rpartition("(")
        in_brackets = name.endswith(")") and label.strip() and unit and ")" not in unit
        return cls(name, label.rstrip(), unit.casefold()) if in_brackets else cls(name, name, "")


def clean(value: str) -> str:
    """A cell's value without the years and the calling that stand beside it.

    >>> clean("The sailor Luca Vega (1994–1999)"), clean("A chained library")
    ('Luca Vega', 'A chained library')
    """
    text = _IN_BRACKETS.sub("", value).strip()
    rest = _TITLED.sub("", text)
    return rest if rest != text and is_person(rest) else text


def term_in(value: str) -> tuple[str, str]:
    """The years in brackets behind a value: since when, until when."""
    found = _IN_BRACKETS.search(value)
    return (found[1] or "", found[2] or "") if found and "–" in found[0] else ("", "")


def number_in(text: str, unit: str) -> str:
    """The number of a unit that a text has; of another measure in that unit; empty if there is none.

    >>> number_in("It is 148 feet (45 m) tall.", "metres"), number_in("sold for £1,200", "amount")
    ('45', '1200')
    >>> number_in("some 12 hectares, once 40 acres", "hectares"), number_in("It has 12 rooms.", "pupils")
    ('12', '')
    """
    if unit == "amount":
        found = _MONEY.search(text)
        if not found:
            return ""
        digits, million = (found[1], found[2]) if found[1] else (found[3], found[4])
        return _plain_number(float(digits.replace(",", "")) * (1e6 if million else 1))
    one = _singular(unit)
    short = _SHORT.get(one)
    forms = [rf"{re.escape(one)}(?:e?s)?", re.escape(unit), re.escape(one.replace("re", "er")) + "s?"]
    forms += [short] if short else []
    found = re.search(rf"{_NUMBER} (?:{'|'.join(forms)})\b", text, re.IGNORECASE)
    if found:
        return _plain_number(float(found[1].replace(",", "")) * (1e6 if found[2] else 1))
    for other, factor in _UNITS.get(one, {}).items():
        found = re.search(rf"{_NUMBER} {other}s?\b", text)
        if found:
            return _plain_number(round(float(found[1].replace(",", "")) * factor, 1))
    return ""


def _plain_number(number: float) -> str:
    return f"{number:.0f}" if number == int(number) else f"{number:.1f}"


def _singular(plural: str) -> str:
    return plural[:-3] + "y" if plural.endswith("ies") else plural[:-1] if plural.endswith("s") else plural


# ── posts ─────────────────────────────────────────────────────────────────────


def form_of(column: AskedColumn, examples: Sequence[str]) -> str:
    """What the values of a column are: ``year``, ``number``, ``person``, ``name`` or ``phrase``.

    >>> form_of(AskedColumn.of("Founder"), ["Ann Lee", "Luca F. Vega"]), form_of(AskedColumn.of("Area (hectares)"), [])
    ('person', 'number')
    """
    if column.unit == "year" or (examples and all(_YEAR.fullmatch(one) for one in examples)):
        return "year"
    if column.unit or (examples and all(_COUNT.fullmatch(one) for one in examples)):
        return "number"
    if _PLACES & stems_of(column.label):
        return "place"
    if examples:
        if sum(map(is_person, examples)) >= 0.8 * len(examples):
            return "person"
        capitals = [one for one in examples if names_in(f"x {one}") in ((one,), (one.removeprefix("the "),))]
        return "name" if len(capitals) >= 0.8 * len(examples) else "phrase"
    return "person" if re.search(r"(?:er|or|ist|ect|man|ant|se)$", column.label.split(" by")[0]) else "name"


def read_values(
    task: Subtask, url: str, about: Sequence[AboutSentence], persons: Sequence[str]
) -> list[CitedStatement]:
    """What sentences say of columns: of each entity that is asked about, the value that the best one has.

    A sentence speaks of a column if it has a word of its family, or of those that went with it elsewhere
    (``task.cues``), or if it answers a question that has one; a value is what has the form of the column's others.
    """
    found: list[CitedStatement] = []
    examples, cues = dict(task.examples), dict(task.cues)
    for entity in task.entities:
        own = [one for one in about if one.about == entity]
        known = {value.casefold() for name, _, value in task.known if name == entity}
        for name in task.columns:
            column = AskedColumn.of(name)
            wanted = cues_of(column.label) | set(cues.get(name, ()))
            form = form_of(column, examples.get(name, ()))
            best: Counter[str] = Counter()
            bare_values: dict[str, None] = {}  # of the form of others, in sentences that have no word of the column
            quotes: dict[str, str] = {}
            for passage in own:
                if NEITHER.search(_INCIDENTAL.sub(" ", passage.text)):
                    continue
                text = _LIFE.sub("", passage.text) if form == "place" else passage.text
                score = len(wanted & stems_of(text)) + len(wanted & stems_of(passage.asked))
                for value in _values(text, form, column, examples.get(name, ()), persons, task):
                    if value.casefold() in known:
                        continue
                    if not score and (form != "number" or column.unit == "amount"):
                        bare_values[value] = None
                        quotes.setdefault(value, passage.text)
                        continue
                    best[value] += 2 * score + passage.named
                    quotes.setdefault(value, passage.text)
            if (
                not best
                and len(bare_values) == 1
                and form in ("year", "phrase")
                and len(examples.get(name, ())) >= _ENOUGH
            ):
                best.update(bare_values)
            if best:
                (value, score), *others = best.most_common(2)
                if not others or others[0][1] < score:
                    found.append(CitedStatement(entity, name, value, url, quote=quotes[value]))
    return found


def _values(
    text: str, form: str, column: AskedColumn, examples: Sequence[str], persons: Sequence[str], task: Subtask
) -> list[str]:
    towns = [town for town, _ in task.places]
    names = (*task.entities, *task.others)
    if form == "number":
        value = number_in(text, column.unit or column.label.casefold())
        return [value] if value else []
    if form == "year":
        years = _YEAR.findall(text)
        return years if len(years) == 1 else []
    if form == "person":
        people = persons_in(text, persons, (*names, *towns))
        return people if len(people) == 1 else []
    if form == "place":
        here = [name for name in names if mentions(text, name)]
        at = [one for one in _AT.findall(text) if not is_month(one) and not any(mentions(name, one) for name in here)]
        at = [one for one in at if not _is_surname(one, persons) and one not in persons]
        known = [one for one in towns if mentions(text, one)]
        found = list(dict.fromkeys(known or at))
        found = [one for one in found if not any(one != two and mentions(two, one) for two in found)]
        return found if len(found) == 1 else []
    if form == "name":
        listed = [one for one in examples if mentions(text, one) and one not in names]
        runs = [one for one in names_in(text) if not any(mentions(two, one) or mentions(one, two) for two in names)]
        runs = [one for one in runs if one not in persons and text.find(one) > 0 and not _is_surname(one, persons)]
        return listed or (runs if len(runs) == 1 else [])
    low = text.casefold()
    return [one for one in examples if mentions(low, one.casefold())][:1]


def _is_surname(word: str, persons: Iterable[str]) -> bool:
    return any(one.rsplit(" ", 1)[-1] == word for one in persons)
