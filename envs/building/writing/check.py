"""Whether a sentence that was written anew tells what the one before told, by what can be parsed exactly.

Of a sentence of a generated page it is known which values of the world stand in it. The new one has to hold the same
names, numbers and years, the years in their order, each number with the word that it counts, a known wording of each
value, every link, and a denial where there was one and nowhere else; and no other name, number or value of the world.
What has none of these (that a house was "later painted green", that it was sold and not bought, or by whom of two who
are named) cannot be parsed: that is for a judge.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from webenv.corpora.markdown import LINK
from webenv.corpora.world import Claim, Schema, WorldValue, WorldWeb, american, synonyms
from webenv.envs.building.writing.parsing import (
    FUNCTION_WORDS,
    POSSESSIVE,
    WORD,
    CutPage,
    Numbers,
    capital_runs,
    cut_page,
    figure_of,
    holds,
    is_word,
    occurrences,
    plain_words,
    stems_of,
    without_article,
)

_LONGEST = 7  # words of a value that is looked for
_MORE = 6  # words of content that a short sentence may have beyond twice its own
_MARKUP = re.compile(r"[\[\]|<>#*_`\n]|https?:|www\.")
_CLOSED = re.compile(r"[.!?][\"”’)]*\Z")
_QUOTED = re.compile(r"“([^“”\s]+(?: [^“”\s]+){0,2}?)[,.]?”")  # a word that is spoken of, not what somebody says
_DENIAL = re.compile(
    r"\b(?:not?|never|nor|neither|none|nobody|nothing|nowhere|cannot|without|den(?:y|ies|ied)|refut\w+|untrue|false\w*"
    r"|wrong\w*|mistake\w*|alleged\w*|supposed\w*|rumou?r\w*|hardly|instead)\b|n[’']t\b",
    re.IGNORECASE,
)


class WorldTerm(NamedTuple):
    """A value of the world that a sentence tells.

    Attributes:
        pool: of which list of values it is; empty for a common noun.
        wordings: all ways to say it.
    """

    pool: str
    wordings: tuple[str, ...]

    def said(self, stems: frozenset[str]) -> bool:
        """Whether one of its wordings stands in a text of these stems, in whatever order and form."""
        return any(stems_of(one) <= stems for one in self.wordings)


class CheckedSentence(NamedTuple):
    """A sentence as it was generated, and what of it has to stay.

    Attributes:
        text: the sentence, without the targets of links.
        terms: the values that it tells.
        names: names that have to stand in it, whole.
        anchors: what its links say.
        around: names of whom the page is about, where the sentence tells of nobody else: the new one may say them in
            place of "it".
    """

    text: str
    terms: tuple[WorldTerm, ...]
    names: tuple[str, ...]
    anchors: tuple[str, ...]
    around: tuple[str, ...]


class Fault(NamedTuple):
    """Why a sentence does not stand for another.

    Attributes:
        reason: a few words, the same for all that fail for that reason.
        detail: what is missing or added.
    """

    reason: str
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.reason}: {self.detail}" if self.detail else self.reason


class CheckedPage(NamedTuple):
    """A page, cut, with its sentences that may be written anew, by the number of their piece."""

    cut: CutPage
    sentences: Mapping[int, CheckedSentence]


class SentenceCheck:
    """Checks sentences against the facts of one generated web.

    Args:
        web: the web; in English.
    """

    def __init__(self, web: WorldWeb) -> None:
        self._web = web
        self._schema: Schema = web.world.setting.schema

    def page(self, number: int) -> CheckedPage:
        """A page's sentences; none where a fact that its text tells cannot be found in it, and so not be missed.

        What tells a wrong object in order to deny it is no sentence of these: it stays as it is, to the letter.
        """
        plan = self._web.plan(number)
        written = self._web.text(plan)
        cut = cut_page(written.text)
        plain = [LINK.sub(r"\1", piece) for piece in cut.pieces]
        stems = [stems_of(piece) for piece in plain]
        claims = plan.plan.claims
        terms = tuple(dict.fromkeys(self._terms(claims, (written.told, written.touched))))
        if not all(any(term.said(each) for each in stems) for term in terms):
            return CheckedPage(cut, {})
        wrong = [term for claim in claims if not claim.asserted and (term := self._term(claim.fact.object)).wordings[0]]
        named = tuple(dict.fromkeys(self._names(claims)))
        own = frozenset(plan.plan.head.about[:1]) if len(plan.plan.head.about) == 1 else frozenset()
        signs = list(self._signs(claims))
        found = {}
        for place in cut.numbers:
            text = plain[place]
            anchors = tuple(link[1] for link in LINK.finditer(cut.pieces[place]))
            if sum(map(len, anchors)) > len(text) / 2 or any(term.said(stems[place]) for term in wrong):
                continue
            figures = Numbers.of(text).all
            about = {sign.subject for sign in signs if sign.seen(text, stems[place], figures)}
            subject = self._web.entity(*own) if own and about == own else None
            names = (*(name for name in named if holds(text, name)), *self._names_of(text), *_QUOTED.findall(text))
            found[place] = CheckedSentence(
                text,
                tuple(term for term in terms if term.said(stems[place])),
                tuple(dict.fromkeys(map(without_article, names))),
                anchors,
                () if subject is None else (subject.name, subject.title),
            )
        return CheckedPage(cut, found)

    def _signs(self, claims: Sequence[Claim]) -> Iterator[_Sign]:
        """By what a sentence may be known to tell each claim."""
        for claim in claims:
            value = claim.fact.object
            entity = self._web.entity(value.entity)
            term = self._term(value) if value.text and entity is None else None
            yield _Sign(claim.fact.subject, "" if entity is None else entity.name, term, figure_of(value.number))

    def _term(self, value: WorldValue) -> WorldTerm:
        ways = synonyms(self._web.world.setting, value)
        return WorldTerm(
            value.unit if value.type == "pool" else "", tuple(dict.fromkeys((*ways, *map(american, ways))))
        )

    def _terms(
        self, claims: Sequence[Claim], told: Sequence[Mapping[tuple[int, int], Iterable[str]]]
    ) -> Iterator[WorldTerm]:
        """The values that a page's text tells, those of names and numbers aside: they are found by themselves."""
        for claim in claims:
            known = {name for one in told for name in one.get(claim.fact.key, ())}
            for name, value in (("O", claim.fact.object), *claim.fact.extras):
                plain = value.type not in ("number", "money", "year") and value.entity < 0
                if claim.asserted and name in known and plain and value.text:
                    yield self._term(value)

    def _names(self, claims: Sequence[Claim]) -> Iterator[str]:
        for claim in claims:
            for number in (claim.fact.subject, claim.fact.object.entity):
                entity = self._web.entity(number)
                if entity is not None:
                    yield from (entity.name, entity.title)

    def _names_of(self, text: str) -> Iterator[str]:
        """The names of a sentence, by their capitals; the word that begins it is one where it is no other."""
        for run, starts in capital_runs(text):
            first, _, rest = run.partition(" ")
            name = rest.removeprefix("& ") if starts and self._common(first) else run
            if name and name != "I":
                yield name

    def fault(self, sentence: CheckedSentence, written: str) -> Fault | None:
        """What is wrong with a sentence that was written in place of another; ``None``: nothing that can be parsed."""
        old, stems = sentence.text, stems_of(written)
        if not written.strip():
            return Fault("no sentence came")
        if mark := _MARKUP.search(written):
            return Fault("no plain text", mark[0])
        if not _CLOSED.search(written):
            return Fault("no whole sentence", written[-20:])
        for name in (*sentence.names, *map(without_article, sentence.anchors)):
            if occurrences(written, name) < occurrences(old, name):
                return Fault("a name is missing", name)
        for term in sentence.terms:
            if not term.said(stems):
                return Fault("a value is missing", term.wordings[0])
        before, after = Numbers.of(old), Numbers.of(written)
        one = {"1"} if re.search(r"\b[Oo]ne\b", written) else set()
        if missing := sorted((before.all - after.all - one) | (before.counted - after.counted)):
            return Fault("a number is missing", missing[0])
        if added := sorted(after.all - before.all):
            return Fault("a number is added", added[0])
        if moved := next((year for year, was in zip(after.years, before.years, strict=False) if year != was), ""):
            return Fault("years in another order", moved)
        denials, denied = len(_DENIAL.findall(old)), len(_DENIAL.findall(written))
        if denied > denials or (denials and not denied):
            return Fault("denied, or no longer denied")
        if name := self._foreign(sentence, written):
            return Fault("a name is added", name)
        if value := self._added(sentence, written):
            return Fault("a value is added", value)
        if len(stems) > 2 * len(stems_of(old)) + _MORE:
            return Fault("much longer")
        return None

    def _foreign(self, sentence: CheckedSentence, written: str) -> str:
        """A name that neither the sentence nor whom the page is about has; empty: none."""
        allowed = (sentence.text, *sentence.around)
        for run, starts in capital_runs(written):
            first, _, rest = run.partition(" ")
            names = [run]
            if starts and (self._common(first) or first.lower() in sentence.text.split()):
                names.append(rest.removeprefix("& "))
            if not any(name in ("", "I") or any(holds(text, name) for text in allowed) for name in names):
                return run
        return ""

    def _common(self, word: str) -> bool:
        """Whether a word that begins a sentence, and so has a capital, is a word of the language, and no name."""
        lower = POSSESSIVE.sub("", word).lower()
        return lower in FUNCTION_WORDS or (word not in self._known_names and is_word(lower))

    @cached_property
    def _known_names(self) -> frozenset[str]:
        """First words of the names that are given in the world."""
        return frozenset(one.split()[0] for every in self._schema.names.values() for some in every for one in some)

    def _added(self, sentence: CheckedSentence, written: str) -> str:
        """A value of the world that the sentence did not tell; empty: none."""
        old = stems_of(sentence.text)
        pools = {term.pool for term in sentence.terms}
        words = [word.lower() for word in WORD.findall(written) if word.lower() not in ("a", "an", "the")]
        for start in range(len(words)):
            for end in range(start + 1, min(start + _LONGEST, len(words)) + 1):
                phrase = " ".join(words[start:end])
                in_pools = self._phrases.get(phrase)
                if in_pools is None or (end == start + 1 and pools.isdisjoint(in_pools)):
                    continue
                own = any(phrase in plain_words(way) for term in sentence.terms for way in term.wordings)
                if not own and not stems_of(phrase) <= old:
                    return phrase
        return ""

    @cached_property
    def _phrases(self) -> Mapping[str, frozenset[str]]:
        """The wordings of all values of all lists, without articles, and the lists that have them.

        One of a single word counts against values of its own list alone: "copper" may be said of anything.
        """
        found: dict[str, set[str]] = {}
        for pools in (self._schema.pools, *(kind.pools for kind in self._schema.kinds.values())):
            for name, values in pools.items():
                for value in values:
                    for way in value.wordings:
                        plain = plain_words(way)
                        content = [word for word in plain.split() if word not in FUNCTION_WORDS]
                        if content and len(plain.split()) <= _LONGEST and (len(content) > 1 or plain == content[0]):
                            found.setdefault(plain, set()).add(name)
        return {phrase: frozenset(pools) for phrase, pools in found.items()}


class _Sign(NamedTuple):
    """The object of a claim, as a sentence may have it: a name, a value or a figure."""

    subject: int
    name: str
    term: WorldTerm | None
    figure: str

    def seen(self, text: str, stems: frozenset[str], figures: frozenset[str]) -> bool:
        if self.figure in figures or (self.name and holds(text, self.name)):
            return True
        return self.term is not None and self.term.said(stems)
