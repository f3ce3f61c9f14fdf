"""Menu: the state of one episode as a learner with a fixed number of actions sees it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from webenv.actions import Action, Kind, answer, ask, note, search, visit
from webenv.errors import InvalidArgument
from webenv.observations import ObservationDict
from webenv.wrappers.menu.browsing import (
    AskRow,
    about_names,
    ask_rows,
    intent_of,
    listed_sites,
    missing_row,
    name_rows,
    shared_names,
    visited_titles,
)
from webenv.wrappers.menu.candidates import COLUMNS, PHRASE, Candidate, Candidates
from webenv.wrappers.menu.composing import asked_of, queries_of, report, two_parts
from webenv.wrappers.menu.features import (
    ALONE,
    CANDIDATE_FEATURES,
    CONTEXT_FEATURES,
    QUERY_FEATURES,
    SITE_FEATURES,
    SOURCES,
    compare,
    coverage_of,
    over_criteria,
    query_features,
)
from webenv.wrappers.menu.gap import QuestionPart, between, fill
from webenv.wrappers.menu.reading import PhraseReader, words_beside
from webenv.wrappers.menu.size import MenuSize
from webenv.wrappers.menu.words import read_units


class MenuHistory:
    """What a menu was told of an episode, as far as it went.

    Attributes:
        first: its first observation; ``None`` where none was begun.
        turns: what was done after it, by kind and texts, and what was seen then.
    """

    __slots__ = ("first", "turns")

    def __init__(self) -> None:
        self.first: ObservationDict | None = None
        self.turns: list[tuple[int, tuple[str, ...], ObservationDict]] = []

    def begin(self, first: ObservationDict) -> None:
        self.first, self.turns = first, []

    def add(self, action: Action, observation: ObservationDict) -> None:
        self.turns.append((int(action[0]), tuple(action[1]), observation))

    def told(self, first: ObservationDict, turns: Sequence[tuple[Action, ObservationDict]]) -> int:
        """How many of the turns after a first observation are its own, these very objects; −1 where it has others."""
        if self.first is not first or len(self.turns) > len(turns):
            return -1
        same = all(
            observation is seen and (int(action[0]), tuple(action[1])) == (kind, texts)
            for (kind, texts, seen), (action, observation) in zip(self.turns, turns, strict=False)
        )
        return len(self.turns) if same else -1

    @classmethod
    def load(cls, saved: Mapping[str, Any]) -> MenuHistory:
        history = cls()
        history.first = saved["first"]
        history.turns = [(kind, tuple(texts), observation) for kind, texts, observation in saved["turns"]]
        return history

    def save(self) -> dict[str, Any]:
        return {
            "first": None if self.first is None else plain(self.first),
            "turns": [[kind, list(texts), plain(observation)] for kind, texts, observation in self.turns],
        }


def _asked(history: MenuHistory) -> str:
    """The question, without a first line that says what to do."""
    question = "" if history.first is None else history.first["question"]
    return question.partition("\n")[2] or question


def plain(observation: Mapping[str, Any]) -> dict[str, Any]:
    """An observation as JSON-ready data."""
    return {**observation, "budget": [int(left) for left in observation["budget"]]}


Answers = Literal["url", "ranking", "phrase", "report"]
Features = dict[str, npt.NDArray[np.float32]]
_NOTHING: Mapping[str, str] = {
    "url": "No source found.",
    "ranking": "No source found.",
    "phrase": "I don't know.",
    "report": "Nothing was found on this question.",
}
_RANKED = 10  # candidates of a ranking
_TOGETHER = 5  # pages that one turn may visit
_TOGETHER_FOR_PHRASES = 2  # likewise, where what they tell may lead to another search
_ABOUT = 20  # listed sites that are asked at once about a name
_EVIDENCE = 3  # candidates that tell which listed sites to ask next
_EACH = 10  # results of one query
_SCALED = [COLUMNS.index(name) for name in ("fused", "found", "same_title", "sentences")]
_FILLED = 4  # how likely a gap is filled, from which on it is likelier than not
_WINDOW, _PARAGRAPH = (len(COLUMNS) + len(SOURCES) + SOURCES.index(name) for name in ("window", "paragraph"))


def feature_shapes(size: MenuSize) -> dict[str, tuple[int, ...]]:
    """The shapes of a menu's features by name."""
    return {
        "candidates": (size.candidates, len(CANDIDATE_FEATURES)),
        "context": (len(CONTEXT_FEATURES),),
        "queries": (size.queries, len(QUERY_FEATURES)),
        "sites": (size.sites, len(SITE_FEATURES)),
    }


class Menu:
    """What an agent may do next, numbered, and what is known of it, as numbers.

    It calls nothing: it is told what was done and what came of it, and depends on that alone. It can be
    copied, and saved as JSON.

    Args:
        size: how many rows there are of each kind; the actions are numbered as :class:`MenuSize` says.
        answers: ``"url"``: an answer is a candidate's URL; ``"ranking"``: that, and those of the next candidates in
            their order, ten in all; ``"phrase"``: the short phrase that its text gives for what is asked;
            ``"report"``: the sentences of it, and of the other candidates, that name what is asked about.

    Attributes:
        history: what it was told.

    Raises:
        InvalidArgument: for a size that is out of range, or another word for answers.
    """

    def __init__(self, size: MenuSize = MenuSize(), answers: Answers = "url") -> None:  # noqa: B008
        if answers not in _NOTHING:
            raise InvalidArgument(f"Menu(answers={answers!r:.80}): expected 'url', 'ranking', 'phrase' or 'report'.")
        self.size = MenuSize.of(size)
        self.answers = answers
        self._choices = self.size.choices()
        self._firsts = {kind: first for kind, first, _ in self.size.parts()}
        self.history = MenuHistory()

    # ── what happens ──────────────────────────────────────────────────────────

    def begin(self, observation: ObservationDict) -> Menu:
        """Begins an episode with its first observation; returns itself."""
        self.history.begin(observation)
        self._left = self._budget = [int(left) for left in observation["budget"]]
        question = observation["question"]
        self._visited = visited_titles(
            question
        )  # what somebody has read is what they look for, but not their next page
        sought = intent_of(question) if self._visited else ""
        self.queries = queries_of(self.size, sought or question).copy()
        criteria = self.queries.criteria
        self.candidates = Candidates(read_units(tuple(criteria)), len(criteria))
        self._asked: dict[str, None] = {}
        self._lately: dict[str, float] = {}  # how well searches rank each page, the last above all
        self._about: dict[str, set[str]] = {}  # the sites that were asked each other question
        self._sites_told = {one["site"]: one["text"] for one in observation["replies"]}
        self._listed = listed_sites(self.queries.whole, self._sites_told)
        self._names: list[str] = []
        self._fitting: list[str] = []
        self._rows: list[AskRow] = []
        self._results = 0
        self._rank()
        self._choose()
        return self

    def update(self, action: Action, observation: ObservationDict) -> None:
        """Takes what was done, and the observation that came of it.

        Raises:
            InvalidArgument: where no episode was begun.
        """
        if self.history.first is None:
            raise InvalidArgument("Menu.update was called before Menu.begin: give it the first observation.")
        kind, texts = action
        self.history.add(action, observation)
        self._left = [int(left) for left in observation["budget"]]
        candidates, known = self.candidates, len(self.candidates)
        candidates.turn()
        sort: str = "other"
        numbers: list[int] = []
        if kind == Kind.SEARCH:
            sort, numbers = self.queries.sort(texts[0])
            self.queries.take(texts)
        elif kind == Kind.ASK:
            sort = "whole"
            if self._listed and texts[0] != self.queries.whole:
                sort = "title"
                self._about.setdefault(texts[0], set()).update(texts[1:])
            else:
                self._asked.update(dict.fromkeys(texts[1:]))
        results, pages = observation["results"], observation["pages"]
        self._results = len(results)
        for place, result in enumerate(results):
            url, title, snippet, site = result["url"], result["title"], result["snippet"], result["site"]
            candidates.result(url, title, snippet, site, place % _EACH + 1, sort, numbers)
            if self.answers == "phrase":
                gain = 10.0 ** len(self.queries.done) / (10 + place % _EACH)
                self._lately[url] = self._lately.get(url, 0.0) + gain
        if kind == Kind.VISIT:
            if len(texts) == len(pages):
                for page, asked in zip(pages, texts, strict=True):
                    candidates.alias(page["url"], asked)
            for url in texts:
                candidates.tried(url)
        for page in pages:
            candidates.page(page["url"], page["title"], page["text"])
        for reply in observation["replies"]:
            for rank, document in enumerate(reply["documents"], start=1):
                url, title = document["url"], document["title"]
                if self._listed:  # a site's agent is its search
                    candidates.result(url, title, "", reply["site"], rank, sort, [])
                    candidates.page(url, title, document["text"])
                else:
                    candidates.document(url, title, document["text"])
        self.queries.look_up(candidates.unknown())
        if results or len(candidates) > known or (self._listed and kind == Kind.ASK):
            self._rank()
        self._choose()

    def _rank(self) -> None:
        """In which order candidates and sites stand, by what searches gave them."""
        every, sites = self.candidates.list, self.candidates.sites
        scores = [self._lately.get(one.url, 0.0) for one in every] if self._lately else [one.row[4] for one in every]
        self._ranked = sorted(range(len(every)), key=[-score for score in scores].__getitem__)
        if self._listed:
            relevance = self.candidates.relevance()
            self._ranked = sorted(range(len(every)), key=[-one for one in relevance].__getitem__)
            pages = [(one.title, one.passages[0] if one.passages else "") for one in every]
            best = [pages[number] for number in self._ranked[:_EVIDENCE]]
            fits = self._listed.fits(best)
            self._fitting, asks = list(fits), self._left[2]
            left = {host: fit for host, fit in fits.items() if host not in self._asked}
            self._rows = ask_rows(self.queries.whole, dict(list(left.items())[:asks]), self.size.sites)
            if self._visited:
                self._seek_names(pages, best)
            self._sites = [row.sites[0] for row in self._rows]
            return
        hosts = [host for host, site in sites.items() if site.named]
        self._sites = sorted(hosts, key=lambda host: (-sites[host].count, -sites[host].fused))[: self.size.sites]

    def _seek_names(self, pages: Sequence[tuple[str, str]], best: Sequence[tuple[str, str]]) -> None:
        """Of a history whose pages came: rows ask about names that they share, and pages on these stand first."""
        every = self.candidates.list
        mine = [page for one, page in zip(every, pages, strict=True) if one.url in self._visited]
        self._names = shared_names(mine, self.size.sites)
        if not self._names:
            return
        self._rows = name_rows(self._names, self._sites_told, best, min(_ABOUT, self._left[2]), self._about)
        others = [(one.url, *page) for one, page in zip(every, pages, strict=True) if one.url not in self._visited]
        place = {url: place for place, url in enumerate(about_names(self._names, others))}
        for one in every:
            one.row[PHRASE] = 1 / (1 + place[one.url]) if one.url in place else 0.0
        last = len(place)
        self._ranked.sort(key=lambda number: place.get(every[number].url, last + (every[number].url in self._visited)))

    def _missing(self) -> AskRow | None:
        """A question for the pages of a browsing history that did not come."""
        row = missing_row(self._visited, [one.url for one in self.candidates.list], self._sites_told)
        return row if row is not None and row.query not in self._about else None

    def _choose(self) -> None:
        """Which candidates stand on the menu: those that were read, and then the first."""
        every, ranked, k = self.candidates.list, self._ranked, self.size.candidates
        if len(ranked) > k:
            kept = set([number for number in ranked if every[number].read][:k])
            kept.update([number for number in ranked if number not in kept][: k - len(kept)])
            ranked = [number for number in ranked if number in kept]
        self._chosen = ranked
        self._found = [every[number] for number in ranked]
        self._mask: npt.NDArray[np.bool_] | None = None
        self._phrases: list[str] = []
        if self.answers == "phrase":
            self._read_phrases()

    def _read_phrases(self) -> None:
        """What each candidate answers, and the name that it gives to whoever the question describes."""
        parts = two_parts(_asked(self.history))
        if parts is not None:
            self._fill_gap(*parts)
            return
        question = "" if self.history.first is None else self.history.first["question"]
        reading = PhraseReader(question, {one.url: (one.title, one.passages) for one in self._found})
        bridges, bridge = reading.bridges(), reading.bridge()
        found = reading.answers(bridge)
        for one in self._found:
            best = found[one.url][:1]
            self._phrases.append(best[0].text if best else "")
            one.row[PHRASE] = best[0].score / (1 + best[0].score) if best else 0.0
            name = bridges.get(one.url, "")
            one.query = self.queries.about(words_beside(name, reading.inquiry)) if name else None

    def _fill_gap(self, first: QuestionPart, second: QuestionPart) -> None:
        """The same of a question with a gap: what fills it in each candidate, said of whom all of them lead to."""
        pages = [(one.title, "\n".join(one.passages)) for one in self._found]
        names = between(first, pages)
        for one, page in zip(self._found, pages, strict=True):
            filled = [fill(second, name, [page]) for name in names or ("",)]
            phrase, score = max(filled, key=lambda each: each[1])
            self._phrases.append(phrase)
            one.row[PHRASE] = score / (_FILLED + score)
            own = next(iter(between(first, [page], 1)), "")
            one.query = self.queries.about(asked_of(second, own)) if own else None

    # ── what may be done ──────────────────────────────────────────────────────

    @property
    def names(self) -> tuple[str, ...]:
        """A readable name for each action, such as ``visit candidate 3``."""
        return self.size.names()

    def action(self, number: int) -> Action:
        """The action of a number; one that may not be done now is a note that says so.

        Raises:
            InvalidArgument: for a number that is not from 0 to A − 1.
        """
        self.size.check_action(number)
        if not self.mask()[number]:
            return note(f"Not on the menu now: {self.names[number]}.")
        kind, row = self._choices[number]
        if kind == "search":
            return search(self.queries.texts[row])
        if kind == "title":
            query = self._title_query(self._found[row])
            return search(query) if self._left[0] > 0 else ask(query, *self._fitting[: min(_ABOUT, self._left[2])])
        if kind == "narrow":
            return search(self.queries.at_site(self._sites[row]))
        if kind == "visit":
            return visit(self._url(row))
        if kind == "read" and not self._left[1]:
            missing = self._missing()
            return note("") if missing is None else ask(missing.query, *missing.sites)
        if kind == "read":
            most = _TOGETHER_FOR_PHRASES if self.answers == "phrase" else _TOGETHER
            return visit(*self._unread()[: min(most, self._left[1])])
        if kind == "ask":
            if self._listed:
                return ask(self._rows[row].query, *self._rows[row].sites)
            return ask(self.queries.whole, *self._sites[row : row + 1])
        if kind == "answer" and self.answers == "ranking":
            urls = [self._url(row), *(one.url for one in self._found if one.url not in self._visited)]
            return answer(*list(dict.fromkeys(urls))[:_RANKED])
        if kind == "answer" and self.answers == "report":
            own = self._found[row]
            others = [self.candidates.list[number] for number in self._ranked]
            every = [own, *(one for one in others if one is not own)]
            return answer(
                report(_asked(self.history), [(one.url, one.title, "\n".join(one.passages)) for one in every])
            )
        if kind == "answer":
            return answer(self._url(row) if self.answers == "url" else self._phrases[row])
        return answer(_NOTHING[self.answers])

    def _unread(self) -> list[str]:
        """The candidates that were not visited, in the order in which they stand."""
        return [one.url for one in self._found if not (one.tried or one.read)]

    def _url(self, row: int) -> str:
        return self._found[row].url

    def _title_query(self, candidate: Candidate) -> str:
        if candidate.query is None:
            beside = self.queries.about if self.answers == "report" else self.queries.beside
            candidate.query = beside(candidate.title)
        return candidate.query

    def mask(self) -> npt.NDArray[np.bool_]:
        """bool (A,): the actions that may be done: what exists, was not done, and is within the budget.

        On the last turn these are answers alone; to say that nothing was found may always be done.
        """
        if self._mask is None:
            self._mask = self._allowed()
        return self._mask.copy()

    def _allowed(self) -> npt.NDArray[np.bool_]:
        mask = np.zeros(self.size.actions, dtype=np.bool_)
        firsts, found, k = self._firsts, self._found, len(self._found)
        mask[-1] = True
        answers = firsts["answer"]
        mask[answers : answers + k] = True if self.answers != "phrase" else [bool(text) for text in self._phrases]
        searches, visits, asks, turns = self._left
        if turns <= 1:
            return mask
        if searches > 0:
            done = self.queries.done
            mask[: self.size.queries] = self.queries.left()
            title, narrow = firsts["title"], firsts["narrow"]
            mask[title : title + k] = [(one.query or self._title_query(one)) not in done for one in found]
            mask[narrow : narrow + len(self._sites)] = [self.queries.at_site(host) not in done for host in self._sites]
        if visits > 0:
            first = firsts["visit"]
            mask[first : first + k] = [not (one.tried or one.read) for one in found]
            mask[firsts["read"]] = mask[first : first + k].any()
        if asks > 0 and not searches and self._fitting and self.answers in ("phrase", "report"):
            first = firsts["title"]
            mask[first : first + k] = [(one.query or self._title_query(one)) not in self._about for one in found]
        if asks > 0:
            first = firsts["ask"]
            mask[first : first + len(self._sites)] = [
                bool(self._rows) or site not in self._asked for site in self._sites
            ]
            missing = self._missing() if self._visited and self._listed and not visits else None
            mask[firsts["read"]] |= missing is not None and len(missing.sites) <= asks
        return mask

    # ── what is known ─────────────────────────────────────────────────────────

    def features(self, out: Mapping[str, npt.NDArray[np.float32]]) -> None:
        """Writes the features, each from 0 to 1; rows that do not exist are 0.

        Args:
            out: float32 arrays of the shapes that :func:`feature_shapes` gives.
        """
        write_features([self], {name: array[None] for name, array in out.items()})

    def _scale(self) -> list[float]:
        """What the numbers of candidates are multiplied by that are counts and sums."""
        candidates = self.candidates
        fused, searches = max(candidates.fused_most, 1e-9), max(len(self.queries.done), 1)
        return [1 / fused, 1 / searches, 1 / max(len(candidates), 1), 1 / 50]

    def _site_features(self, means: Sequence[float]) -> list[tuple[float, ...]]:
        """The features of the sites that there are; ``means``: the mean cover of each candidate."""
        candidates, queries = self.candidates, self.queries
        found: list[tuple[float, ...]] = []
        if self._listed:
            asked, every = len(self._asked) / len(self._listed), len(self._listed)
            for query, _, each in self._rows:
                fits, linked = zip(*each, strict=True)
                mean, named = sum(fits) / len(fits), float(query in self._names)
                found.append((1.0, min(asked, 1.0), named, fits[0], mean, max(linked), len(fits) / every))
            return found
        total = max(sum(site.fused for site in candidates.sites.values()), 1e-9)
        best: dict[str, float] = {}
        for one, mean in zip(self._found, means, strict=False):
            if mean > best.get(one.site, 0.0):
                best[one.site] = mean
        for host in self._sites:
            site = candidates.sites[host]
            searched, asked = queries.at_site(host) in queries.done, host in self._asked
            share, fused = site.count / len(candidates), min(site.fused / total, 1.0)
            found.append((1.0, searched, asked, share, fused, min(best.get(host, 0.0), 1.0), site.read / site.count))
        return found

    def _context_features(self, window: list[float], paragraph: list[float], known: float) -> list[float]:
        """The features of the episode, by the mean covers of candidates and the share of units that are known."""
        found, c = self._found, self.candidates.criteria
        k = max(len(found), 1)
        read = [mean for mean, one in zip(window, found, strict=False) if one.read]
        tops = [*sorted(window[: len(found)], reverse=True), 0.0, 0.0]
        others = [*sorted(paragraph[: len(found)], reverse=True), 0.0, 0.0]
        numbers = (
            *(left / max(budget, 1) for left, budget in zip(self._left, self._budget, strict=True)),
            self._left[3] <= 1,
            len(found) / self.size.candidates,
            len(read) / k,
            sum([one.tried and not one.read for one in found]) / k,
            c / self.size.criteria,
            self._results / _EACH,
            tops[0],
            max(read, default=0.0),
            tops[0] - tops[1],
            others[0],
            others[0] - others[1],
            known,
            sum(self.queries.searched[1 : 1 + c]) / c,
        )
        return [0.0 if number < 0 else 1.0 if number > 1 else number for number in numbers]

    # ── as plain data ─────────────────────────────────────────────────────────

    def save(self) -> dict[str, Any]:
        return self.history.save()

    def load(self, saved: Mapping[str, Any]) -> None:
        if saved["first"] is None:
            self.history = MenuHistory()
            return
        self.begin(saved["first"])
        for kind, texts, observation in saved["turns"]:
            self.update(Action(Kind(kind), tuple(texts)), observation)


def write_features(menus: Sequence[Menu], out: Mapping[str, npt.NDArray[np.float32]]) -> None:
    """Writes the features of N menus of one size.

    Args:
        menus: the menus, all begun.
        out: float32 arrays of shape (N, …), for each name that :func:`feature_shapes` gives.
    """
    out["queries"][...] = 0
    size, n = menus[0].size, len(menus)
    cover = coverage_of([(menu.candidates, menu._chosen) for menu in menus], size.candidates, size.criteria)
    rows = np.zeros((n, size.candidates, ALONE), dtype=np.float64)
    there = np.arange(size.candidates) < np.array([len(menu._chosen) for menu in menus])[:, None]
    known = b"".join([one.row for menu in menus for one in menu._found])
    rows[there, : len(COLUMNS)] = np.frombuffer(known, dtype=np.float64).reshape(-1, len(COLUMNS))
    rows[:, :, _SCALED] *= np.array([menu._scale() for menu in menus])[:, None]
    counts = np.array([menu.candidates.criteria for menu in menus])
    for c in np.unique(counts).tolist():
        over_criteria(cover.shares[counts == c, :, :c], rows, counts == c)
    compare(rows, out["candidates"])
    window, paragraph = rows[:, :, _WINDOW].tolist(), rows[:, :, _PARAGRAPH].tolist()
    shown = ((cover.known * cover.lengths).sum(axis=1) / np.maximum(cover.lengths.sum(axis=1), 1)).tolist()
    out["context"][...] = [
        menu._context_features(*numbers) for menu, *numbers in zip(menus, window, paragraph, shown, strict=True)
    ]
    none = [(0.0,) * len(SITE_FEATURES)] * size.sites
    sites = [menu._site_features(means) for menu, means in zip(menus, window, strict=True)]
    out["sites"][...] = [(found + none)[: size.sites] for found in sites]
    queries = [menu.queries for menu in menus]
    searched = np.array([one.searched for one in queries], dtype=np.float64)
    left = np.array([one.left() for one in queries], dtype=np.float64)
    criteria = np.zeros((n, 7, size.criteria), dtype=np.float64)
    criteria[:, 0], criteria[:, 1], criteria[:, 2] = cover.known, cover.weight, cover.values
    criteria[:, 3:5] = cover.best()
    criteria[:, 5] = searched[:, 1 : 1 + size.criteria]
    criteria[:, 6] = cover.lengths
    query_features(criteria, np.stack([one.members for one in queries]), searched, left, out["queries"])
