"""Near copies of gold pages, in which single claims no longer hold: a test of reading on real pages.

On a small real corpus one BM25 search finds nearly every gold page, since nothing else resembles it (Needle in the
Web, released records over their own pages). Here each gold page stands in several versions, at addresses of one
form on its own site. What a version changes is a name, a year, a number or a noun that two of its statements
exchange, so that all versions hold the same words in other bindings; where a statement has nothing to exchange,
one of the site's other pages stands in for it. Exactly one version keeps all claims of a task.

Approximate: which statement says what a claim says is told by words alone (``SUPPORTS``), and a replacement might
happen to say the same (``OTHERWISE``); near-synonyms that WordNet does not know may change places.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple
from urllib.parse import urlsplit, urlunsplit

from webenv.envs.hardening.statements import (
    SiteStatistics,
    Statement,
    TextPage,
    akin,
    holds,
    parts_of,
    stems_of,
    supporting,
)
from webenv.errors import InvalidArgument
from webenv.task import Excluded, Task

SUPPORTS = 0.5
"""The least share of a claim's weight that a statement holds to be taken for its source."""
OTHERWISE = 0.6
"""The most of a claim's weight that a replacement may hold: with more it might say the same."""

_UNMASKED = 0.5  # share of what a criterion leaves unmasked that a replacement may hold: with more it might meet it
_OF_THE_BEST = 0.75  # statements that come so near to the best one say it too
_KEPT = 0.5  # share of versions that keep a statement, of claims or not: the majority tells nothing
_TRIES = 2_000
_SITE_PAGES = 2_000  # pages of a site whose statements may replace others
_SORTS = ("name", "year", "number", "noun")  # what is exchanged first: nouns may mean nearly the same
_LETTERS = "abcdefghjkmnpqrstuvwxyz"


@dataclass
class SiblingReport:
    """What was made.

    Attributes:
        pages: gold pages that stand in several versions now.
        versions: all of these versions together.
        tasks: tasks whose gold is one of them.
        left_out: why others are not, and how many for each reason.
    """

    pages: int = 0
    versions: int = 0
    tasks: int = 0
    left_out: Counter[str] = field(default_factory=Counter)


class Siblings(NamedTuple):
    """The pages and tasks that were made, and those that were left out."""

    pages: list[TextPage]
    tasks: list[Task]
    excluded: list[Excluded]
    report: SiblingReport


class _Slot(NamedTuple):
    """Statements that a version keeps as they are or changes together: places of the page and their new texts.

    ``needed`` are the places whose change breaks a claim; the others gave something in exchange.
    """

    edits: tuple[tuple[int, str], ...]
    needed: frozenset[int]


def make_siblings(pages: Iterable[TextPage], tasks: Sequence[Task], versions: int = 10, seed: int = 0) -> Siblings:
    """Makes versions of the gold pages of tasks.

    Args:
        pages: all pages of the corpus; those that are no gold page are given back as they are.
        tasks: tasks with one gold page each and claims (criteria where there are none).
        versions: how many versions a gold page comes in, from 3.
        seed: of what is drawn.

    Returns:
        All pages of the new corpus; the tasks, their gold at its new address; the tasks that could not be made.

    Raises:
        InvalidArgument: for fewer than three versions, or if no task could be made.
    """
    if versions < 3:
        raise InvalidArgument(f"versions={versions}: expected at least 3, so that no two claims give a page away.")
    found = {page.url: page for page in pages}
    by_site: dict[str, list[TextPage]] = {}
    for page in found.values():
        by_site.setdefault(_host(page.url), []).append(page)
    of_page: dict[str, list[Task]] = {}
    excluded: list[Excluded] = []
    for task in tasks:
        gold = task.gold.urls[0] if len(task.gold.urls) == 1 else ""
        if gold in found:
            of_page.setdefault(gold, []).append(task)
        else:
            reason = "its gold page is not in the corpus" if len(task.gold.urls) == 1 else "it has not one gold page"
            excluded.append(Excluded(task, reason))
    made, report = dict[str, list[TextPage]](), SiblingReport()
    kept: list[Task] = []
    statistics: dict[str, SiteStatistics] = {}
    for url, of_one in of_page.items():
        host = _host(url)
        if host not in statistics:
            statistics[host] = SiteStatistics(_share(by_site[host], url, _SITE_PAGES, seed))
        rng = random.Random(f"{seed} {url}")
        family = _Family(found[url], statistics[host], versions, rng)
        for task in of_one:
            reason = family.take(task)
            if reason:
                excluded.append(Excluded(task, reason))
        excluded += [Excluded(task, reason) for task, reason in family.make_slots()]
        if family.tasks and family.settle():
            made[url] = family.pages()
            kept += family.gold_tasks()
        else:
            excluded += [Excluded(task, "its page has too few statements") for task in family.tasks]
    if not kept:
        first = f", for one: {excluded[0].reason}" if excluded else ""
        raise InvalidArgument(f"siblings: none of the {len(tasks)} tasks could be made{first}.")
    report.pages, report.tasks = len(made), len(kept)
    report.versions = sum(map(len, made.values()))
    report.left_out.update(one.reason for one in excluded)
    order = {task.id: number for number, task in enumerate(tasks)}
    kept.sort(key=lambda task: order[task.id])
    return Siblings([new for url, page in found.items() for new in made.get(url, [page])], kept, excluded, report)


class _Claim(NamedTuple):
    """A claim of a task: its criterion, its stems, and the places where the page says it."""

    criterion: str
    stems: frozenset[str]
    places: tuple[int, ...]


class _Family:
    """One gold page in several versions."""

    def __init__(self, page: TextPage, site: SiteStatistics, versions: int, rng: random.Random) -> None:
        self.page, self.site, self.versions, self.rng = page, site, versions, rng
        self.tasks: list[Task] = []
        self._claims: list[list[_Claim]] = []  # of each task
        self._slots: list[_Slot] = []
        self._needs: list[frozenset[int]] = []  # of each task, its slots
        self._gold: list[int] = []  # of each task, its version
        self._keeps: list[list[bool]] = []  # of each version, whether a slot is kept
        self._used: set[int] = set()  # places that an edit changes
        self._donated: set[str] = set()
        self._urls = _addresses(page.url, versions, rng)

    def take(self, task: Task) -> str:
        """Takes a task; if it cannot be made, why not."""
        claims: list[_Claim] = []
        for number, claim in enumerate(task.gold.claims or task.criteria):
            stems = stems_of(claim)
            places = supporting(stems, self.page, self.site, SUPPORTS)
            if not places:
                return "no statement of its page says what a claim says"
            best = self.site.share(stems, self.page.sentences[places[0]].stems)
            said = [
                place
                for place in places
                if self.site.share(stems, self.page.sentences[place].stems) >= _OF_THE_BEST * best
            ]
            criterion = task.criteria[number] if number < len(task.criteria) else claim
            claims.append(_Claim(criterion, stems, tuple(sorted(said))))
        self.tasks.append(task)
        self._claims.append(claims)
        return ""

    def make_slots(self) -> list[tuple[Task, str]]:
        """Finds what breaks each claim; gives back the tasks for which nothing does, or too little."""
        every = [claim for claims in self._claims for claim in claims]
        said = {place for claim in every for place in claim.places}
        slot_of: dict[_Claim, int] = {}
        for group in _overlapping(every):
            slot = self._slot(group, said)
            if slot is not None:
                self._slots.append(slot)
                slot_of |= dict.fromkeys(group, len(self._slots) - 1)
        lost: list[tuple[Task, str]] = []
        kept: list[Task] = []
        for task, claims in zip(self.tasks, self._claims, strict=True):
            needs = frozenset(slot_of[claim] for claim in claims if claim in slot_of)
            if not all(claim in slot_of for claim in claims):
                lost.append((task, "nothing on its site breaks one of its claims and that alone"))
            elif len(needs) < 2:
                lost.append((task, "its claims stand in one statement"))
            elif needs in self._needs:
                lost.append((task, "another task of its page has the same claims"))
            else:
                kept.append(task)
                self._needs.append(needs)
        self.tasks = kept
        return lost

    def _slot(self, claims: Sequence[_Claim], said: set[int]) -> _Slot | None:
        """What breaks all of these claims, wherever the page says one of them."""
        edits: list[tuple[int, str]] = []
        places = sorted({place for claim in claims for place in claim.places})
        for place in places:
            of_place = [claim for claim in claims if place in claim.places]
            made = self._exchange(place, [claim.criterion for claim in of_place], said)
            if not made:
                donor = self._donor(self.page.sentences[place], of_place)
                if donor is None:
                    return None
                self._donated.add(donor.text)
                made = [(place, donor.text)]
            self._used.update(place for place, _ in made)
            edits += made
        return _Slot(tuple(edits), frozenset(places))

    def _exchange(self, place: int, criteria: Sequence[str], said: set[int]) -> list[tuple[int, str]]:
        """Two statements of the page that exchange a name, a number or a noun of one sort: no word comes or goes.

        What the first gives is a part of each criterion, so that none of them holds there any more; what it takes
        means something else, and stands in none of them.
        """
        sentence = self.page.sentences[place]
        title = self.page.title.lower()
        mine = [
            part
            for part in parts_of(sentence.text)
            if all(holds(criterion, part.text) for criterion in criteria) and part.text.lower() not in title
        ]
        others = [n for n, other in enumerate(self.page.sentences) if n not in said and n not in self._used]
        self.rng.shuffle(mine)
        self.rng.shuffle(others)
        for part in sorted(mine, key=lambda one: _SORTS.index(one.sort[0])):
            for number in others:
                other = self.page.sentences[number]
                for theirs in parts_of(other.text):
                    if theirs.sort != part.sort or theirs.text in sentence.text or part.text in other.text:
                        continue
                    if any(theirs.text in criterion for criterion in criteria) or theirs.text.lower() in title:
                        continue
                    if part.sort[0] == "noun" and akin(part.text, theirs.text):
                        continue
                    return [
                        (place, part.replaced(sentence.text, theirs.text)),
                        (number, theirs.replaced(other.text, part.text)),
                    ]
        return []

    def _donor(self, sentence: Statement, claims: Sequence[_Claim]) -> Statement | None:
        """A statement of another page that holds most of the replaced one's weight without saying any of the claims.

        Nor may it meet a criterion: of what a criterion leaves unmasked it holds less than half.
        """
        stems = frozenset[str]().union(*(claim.stems for claim in claims))
        unmasked = [stems_of(claim.criterion) & sentence.stems for claim in claims]
        weights = self.site.weights(sentence.stems | stems)
        candidates: Counter[tuple[int, int]] = Counter()
        rare = sorted(weights, key=lambda stem: (-weights[stem], stem))[:12]
        for stem in rare:
            holders = self.site.holders.get(stem, ())
            for holder in self.rng.sample(holders, min(len(holders), 60)):
                candidates[holder] += 1
        best: tuple[float, Statement] | None = None
        for (number, place), _ in sorted(candidates.items(), key=lambda one: (-one[1], one[0]))[:300]:
            page = self.site.pages[number]
            if page.url == self.page.url:
                continue
            other = page.sentences[place]
            if other.prose != sentence.prose or (other.text[:1] != sentence.text[:1] and not sentence.prose):
                continue
            named = _renamed(other, page.title, self.page.title)
            if named.text in self._donated:
                continue
            if any(self.site.share(claim.stems, named.stems) >= OTHERWISE for claim in claims):
                continue
            if any(not left or self.site.share(left, named.stems) >= _UNMASKED for left in unmasked):
                continue
            length = min(len(named.text), len(sentence.text)) / max(len(named.text), len(sentence.text))
            score = sum(weights.get(stem, 0.0) for stem in named.stems & sentence.stems) * (0.3 + 0.7 * length)
            if best is None or score > best[0]:
                best = score, named
        return None if best is None else best[1]

    def settle(self) -> bool:
        """Decides which version keeps what, until each task has one version that keeps all of its claims."""
        self._add_others()
        everything = range(len(self._slots))
        for _ in range(_TRIES):
            self._keeps = [[self.rng.random() < _KEPT for _ in everything] for _ in range(self.versions)]
            self._gold = [self.rng.randrange(self.versions) for _ in self.tasks]
            for gold, needs in zip(self._gold, self._needs, strict=True):
                for slot in needs:
                    self._keeps[gold][slot] = True
            for gold, needs in zip(self._gold, self._needs, strict=True):
                for version, keeps in enumerate(self._keeps):
                    if version != gold and all(keeps[slot] for slot in needs):
                        free = [
                            slot
                            for slot in needs
                            if not any(
                                slot in other
                                for other, place in zip(self._needs, self._gold, strict=True)
                                if place == version
                            )
                        ]
                        if free:
                            keeps[self.rng.choice(free)] = False
            if self._is_even() and self._is_settled():
                return True
        return False

    def _is_even(self) -> bool:
        """Lets every version keep as many statements as the others do, by those that no task needs.

        A task's version keeps all that the task needs: without this it would be the one that is changed least.
        """
        others = [n for n in range(len(self._slots)) if not any(n in needs for needs in self._needs)]
        fixed = [sum(keeps) - sum(keeps[n] for n in others) for keeps in self._keeps]
        least, most = max(fixed), min(fixed) + len(others)
        if least > most:
            return False
        for keeps in self._keeps:
            while (surplus := sum(keeps) - min(max(len(self._slots) // 2, least), most)) != 0:
                keeps[self.rng.choice([n for n in others if keeps[n] == (surplus > 0)])] = surplus < 0
        return True

    def _is_settled(self) -> bool:
        for gold, needs in zip(self._gold, self._needs, strict=True):
            if [n for n, keeps in enumerate(self._keeps) if all(keeps[slot] for slot in needs)] != [gold]:
                return False
        return len({tuple(keeps) for keeps in self._keeps}) == self.versions

    def _add_others(self) -> None:
        """As many statements that no claim needs are changed in some versions: that a text is odd tells nothing."""
        said = {place for slot in self._slots for place in slot.needed}
        free = [n for n, one in enumerate(self.page.sentences) if n not in said | self._used and one.prose]
        self.rng.shuffle(free)
        wanted = len(self._slots)
        for place in free:
            if wanted == 0:
                return
            if place in self._used:
                continue
            sentence = self.page.sentences[place]
            slot = self._slot([_Claim(sentence.text, sentence.stems, (place,))], said)
            if slot is not None:
                self._slots.append(slot)
                wanted -= 1

    def pages(self) -> list[TextPage]:
        """The versions."""
        return [
            replace(self.page, url=url, text=self._text(keeps))
            for url, keeps in zip(self._urls, self._keeps, strict=True)
        ]

    def _text(self, keeps: Sequence[bool]) -> str:
        changes = {
            place: text for slot, kept in zip(self._slots, keeps, strict=True) if not kept for place, text in slot.edits
        }
        parts, end = [], 0
        for place, text in sorted(changes.items()):
            sentence = self.page.sentences[place]
            parts += [self.page.text[end : sentence.start], text]
            end = sentence.end
        return "".join([*parts, self.page.text[end:]])

    def gold_tasks(self) -> list[Task]:
        """The tasks, each with its version's address."""
        return [
            replace(task, gold=replace(task.gold, urls=(self._urls[version],)))
            for task, version in zip(self.tasks, self._gold, strict=True)
        ]


def _overlapping(claims: Sequence[_Claim]) -> list[list[_Claim]]:
    """Claims in groups that share no statement: what breaks one of a group may break the others."""
    groups: list[list[_Claim]] = []
    for claim in claims:
        places = set(claim.places)
        joined = [group for group in groups if any(places & set(other.places) for other in group)]
        groups = [group for group in groups if group not in joined]
        groups.append([*(other for group in joined for other in group), claim])
    return groups


def _renamed(sentence: Statement, title: str, other: str) -> Statement:
    """A statement of one page said of another: the title of the first becomes that of the second."""
    name, new = (_PARENTHESES.sub("", one).strip() for one in (title, other))
    if len(name) < 4 or name not in sentence.text:
        return sentence
    text = sentence.text.replace(name, new)
    return sentence._replace(text=text, stems=stems_of(text))


_PARENTHESES = re.compile(r"\([^()]*\)")


def _share(pages: Sequence[TextPage], url: str, most: int, seed: int) -> list[TextPage]:
    """The pages of a site, or a fair share of them."""
    if len(pages) <= most:
        return list(pages)
    return random.Random(f"{seed} share").sample(list(pages), most)


def _addresses(url: str, count: int, rng: random.Random) -> list[str]:
    """Addresses of one form: the page's own with five letters after its name, in no order that says anything."""
    scheme, host, path, query, _ = urlsplit(url)
    stem, dot, ending = path.rstrip("/").rpartition(".")
    if not dot or "/" in ending or len(ending) > 5:
        stem, dot, ending = path.rstrip("/"), "", ""
    made: dict[str, None] = {}
    while len(made) < count:
        mark = "".join(rng.choices(_LETTERS, k=5))
        made[urlunsplit((scheme, host, f"{stem}-{mark}{dot}{ending}", query, ""))] = None
    return list(made)


def _host(url: str) -> str:
    return urlsplit(url).netloc.lower()
