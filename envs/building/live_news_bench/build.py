"""Questions on real news, drafted by one model and checked by another.

Event list → a query for each event → results from an allowlist of outlets, dated from 3 days before the event to 11
days after it, and the pages that the event cites → their main text → is the article on the event? → one question
with its answer, or none → the answer of a second model, from the article alone → do both answers agree? → is the
guideline met? → splits by the date of the event.

Source: LiveNewsBench, section 2.

*Differs from* the paper: pages come from whatever web is given, not from archives; an article is drafted from once,
whatever copies of it and events on it there are; and drafts whose answer stands in the question, or has more
than 20 words, fall by rule.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

from webenv.envs.building.asking import Accepted, asked, judged, model_identity, prompt_files, submission, visited
from webenv.envs.building.folder import BuildFolder, Kept, Open, Outcome, Rejected
from webenv.envs.building.live_news_bench import prompts
from webenv.envs.building.live_news_bench.events import SeedEvent
from webenv.envs.building.live_news_bench.filters import Outlets, first_of_each, read_page, sort_records, sound
from webenv.envs.building.live_news_bench.prompts import (
    Article,
    Checked,
    Draft,
    DraftedArticle,
    EventArticle,
    ReaderAnswer,
    Ruled,
    Skip,
)
from webenv.envs.building.live_news_bench.release import Release
from webenv.envs.building.stages import Build, BuildReport, Watch, kept, unwatched
from webenv.errors import InvalidArgument, RunError, ServiceError
from webenv.judge import Judge, Submission
from webenv.models import Model
from webenv.rewards.llm_grader import LLMGrader
from webenv.rewards.short_answer import ShortAnswerJudge
from webenv.task import Gold, Task, TaskSet
from webenv.web import Failure, Scope, SearchRequest, Web

WINDOW = (3, 11)
"""Days before and after the event within which an article that was searched for is dated."""

DRAFTS = TaskSet([Task("draft", "…", gold=Gold(answers=("…",)))], name="a build's drafts")
"""What gold a judge of drafts has, so that one that needs other gold is refused before anybody is asked."""

PROMPTS = ("query", "relevance", "draft", "answer", "guideline")
"""The questions whose prompts a file may replace, ``<name>.txt``."""

_OPERATORS = 10  # hosts that are put into a query; of a longer list the results are filtered
_SHOWN = 300  # characters of a question or summary in rejected.jsonl


class FoundPages(NamedTuple):
    """The pages found for an event: those it cites come first, ``cited`` of them."""

    urls: tuple[str, ...]
    cited: int


class _Candidate(NamedTuple):
    event: SeedEvent
    url: str
    cited: bool


@dataclass(frozen=True)
class LiveNewsBuilder:
    """Builds questions on news.

    Attributes:
        web: what is searched and visited.
        drafter: who drafts questions.
        checker: who answers them from the article, and checks the guideline; better another model family's.
        screener: who writes queries and says what is relevant; ``None``: the drafter.
        judge: says whether both answers agree; ``None``: the checker, as a short-answer judge.
        outlets: where articles may come from.
        results: how many results a search gives, from 1.
        prompts: a folder of prompt files (:data:`PROMPTS`) in place of ours.
        workers: how many questions are put at a time.
    """

    web: Web
    drafter: Model
    checker: Model
    screener: Model | None = None
    judge: Judge | None = None
    outlets: Outlets = Outlets(None)  # noqa: RUF009
    results: int = 20
    prompts: Path | None = None
    workers: int = 16

    def build(
        self, events: Sequence[SeedEvent], out: str | Path, release: Release | None = None, watch: Watch = unwatched
    ) -> BuildReport:
        """Builds, or goes on where the build in ``out`` stopped.

        Args:
            events: what questions are about.
            out: the folder.
            release: which months are which split; ``None``: the newest month is that of the newest event.
            watch: told how far each stage is.

        Returns:
            What fell at each stage, and how many tasks there are.

        Raises:
            RunError: if the folder holds something else or another build, is in use, or was refreshed.
            CostLimitReached: at the cost limit; everything so far is kept and written.
        """
        if self.results < 1 or self.workers < 1:
            raise InvalidArgument(f"results={self.results}, workers={self.workers}: expected 1 or more.")
        if not events:
            raise InvalidArgument("there are no events to build questions from.")
        stages = _Stages(self)
        with BuildFolder(out, stages.settings()) as folder:
            known = Release.read(folder.path)
            if known is not None and known.refreshed:
                raise RunError(
                    f"{folder.path} was refreshed: build into another folder, and add that with "
                    f"'webenv tasks refresh {folder.path} --add FOLDER'."
                )
            chosen = release or Release(max(event.date for event in events)[:7])
            build = Build(folder, watch, self.workers)
            passed = stages.run(build, events)
            files = sort_records(passed, chosen)
            for name, lines in files.items():
                folder.write_lines(name, lines)
            chosen.write(folder.path, refreshed=False)
            return build.finish({name: len(lines) for name, lines in files.items()})


class _Stages:
    """The stages, with whom they ask."""

    def __init__(self, builder: LiveNewsBuilder) -> None:
        files = prompt_files(builder.prompts, PROMPTS)
        screener = builder.screener or builder.drafter
        self._builder = builder
        self._query = LLMGrader(screener, prompts.QueryQuestion(files["query"]))
        self._relevance = LLMGrader(screener, prompts.RelevanceQuestion(files["relevance"]))
        self._draft: LLMGrader[Article, Draft | Skip] = LLMGrader(
            builder.drafter, prompts.DraftQuestion(files["draft"])
        )
        self._answer = LLMGrader(builder.checker, prompts.ReadQuestion(files["answer"]))
        self._guideline = LLMGrader(builder.checker, prompts.GuidelineQuestion(files["guideline"]))
        self._judge: Judge = builder.judge or ShortAnswerJudge(builder.checker)

    def settings(self) -> dict[str, object]:
        """What the outcomes of the stages depend on."""
        panels = (self._query, self._relevance, self._draft, self._answer, self._guideline)
        web = self._builder.web.identity
        outlets = "\n".join(self._builder.outlets.entries)
        return {
            "kind": "livenews",
            "web": {name: web[name] for name in ("name", "provider", "digest", "engine") if name in web},
            "outlets": hashlib.sha256(outlets.encode()).hexdigest()[:16] if outlets else "any",
            "results": self._builder.results,
            **{panel.rubric.name: model_identity(panel.identity) for panel in panels},
            "judge": model_identity(self._judge.identity),
        }

    def run(self, build: Build, events: Sequence[SeedEvent]) -> list[tuple[SeedEvent, Article, Draft, Checked]]:
        """Runs all stages; gives what passed them, in the order of the events."""
        candidates = self._search(build, events)
        articles = self._fetch(build, candidates)
        relevant = self._screen(build, articles)
        drafts = self._drafts(build, relevant)
        checked = self._check(build, drafts)
        return [(relevant[key].event, drafts[key].article, drafts[key].draft, one) for key, one in checked.items()]

    # ── articles ──────────────────────────────────────────────────────────────

    def _search(self, build: Build, events: Sequence[SeedEvent]) -> dict[str, _Candidate]:
        by_id = {event.id: event for event in events}
        queries = build.ask(
            "query",
            "events",
            by_id,
            prompts.Written,
            asked(self._query, lambda event, written: Kept(written)),
            _of_event,
        )
        searches = {_search_key(by_id[key]): (by_id[key], one.query) for key, one in kept(queries).items()}
        found = build.ask(
            "search", "events", searches, FoundPages, self._find, lambda item: _of_event(item[0]), batch=32, workers=1
        )
        events_of = {key: event for key, (event, _) in searches.items()}
        pairs = {
            f"{events_of[key].id} {url}": _Candidate(events_of[key], url, number < one.cited)
            for key, one in kept(found).items()
            for number, url in enumerate(one.urls)
        }
        outlets = self._builder.outlets
        foreign = f"not one of the {len(outlets.entries):,} outlets (--outlets any)"
        allowed = {
            key: Kept(pair) if pair.cited or outlets.allows(pair.url) else Rejected(foreign)
            for key, pair in pairs.items()
        }
        build.filter("outlet", "pages found", pairs, allowed, _of_candidate)
        return kept(allowed)

    def _find(self, searches: Sequence[tuple[SeedEvent, str]]) -> list[Outcome[FoundPages]]:
        outlets = self._builder.outlets.hosts
        sites = " OR ".join(f"site:{host}" for host in outlets) if len(outlets) <= _OPERATORS else ""
        requests = [
            SearchRequest(
                f"{query} {sites}".strip(),
                self._builder.results,
                Scope(as_of=_days_from(event.date, WINDOW[1])),
                since=_days_from(event.date, -WINDOW[0]),
                sites=outlets,
            )
            for event, query in searches
        ]
        try:
            answers = self._builder.web.search(requests)
        except ServiceError as error:
            return [Open(str(error))] * len(searches)
        outcomes: list[Outcome[FoundPages]] = []
        for (event, _), answer in zip(searches, answers, strict=True):
            if isinstance(answer, Failure):
                outcomes.append(Open(answer.reason))
                continue
            cited = tuple(dict.fromkeys(event.urls))
            urls = tuple(dict.fromkeys((*cited, *(result.url for result in answer))))
            outcomes.append(Kept(FoundPages(urls, len(cited))) if urls else Rejected("nothing found"))
        return outcomes

    def _fetch(self, build: Build, candidates: Mapping[str, _Candidate]) -> dict[str, EventArticle]:
        urls = {candidate.url: candidate.url for candidate in candidates.values()}
        visit = visited(self._builder.web, read_page)
        pages = build.ask("visit", "pages", urls, Article, visit, lambda url: {"link": url}, batch=32, workers=1)
        articles: dict[str, EventArticle] = {}
        dated: dict[str, Outcome[EventArticle]] = {}
        for key, candidate in candidates.items():
            page = pages[candidate.url]
            if isinstance(page, Kept):
                articles[key] = EventArticle(candidate.event, page.value)
                dated[key] = self._in_window(articles[key], candidate)
        build.filter("window", "articles", articles, dated, _of_article)
        return kept(dated)

    def _in_window(self, item: EventArticle, candidate: _Candidate) -> Outcome[EventArticle]:
        event, article = item
        if candidate.cited:
            return Kept(item)
        if not self._builder.outlets.allows(article.url):
            return Rejected("led to a page that is not one of the outlets", article.url)
        if not article.date:
            return Rejected("without a date")
        if not _days_from(event.date, -WINDOW[0]) <= article.date <= _days_from(event.date, WINDOW[1]):
            days = f"{WINDOW[0]} days before the event to {WINDOW[1]} after it"
            return Rejected(f"dated outside the window, {days}", article.date)
        return Kept(item)

    def _screen(self, build: Build, articles: Mapping[str, EventArticle]) -> dict[str, EventArticle]:
        relevance = build.ask(
            "relevance",
            "articles",
            articles,
            Ruled,
            asked(
                self._relevance, lambda _, found: Kept(found) if found.holds else Rejected("irrelevant", found.reason)
            ),
            _of_article,
        )
        single = first_of_each(articles, relevance)
        build.filter("copies", "articles", {key: articles[key] for key in single}, single, _of_article)
        return kept(single)

    # ── questions ─────────────────────────────────────────────────────────────

    def _drafts(self, build: Build, relevant: Mapping[str, EventArticle]) -> dict[str, DraftedArticle]:
        found = build.ask(
            "draft",
            "articles",
            {key: item.article for key, item in relevant.items()},
            Draft,
            asked(self._draft, _drafted),
            lambda article: {"link": article.url},
        )
        drafts = {key: DraftedArticle(relevant[key].article, draft) for key, draft in kept(found).items()}
        formed = sound(drafts)
        build.filter("form", "questions", drafts, formed, _of_draft)
        return kept(formed)

    def _check(self, build: Build, drafts: Mapping[str, DraftedArticle]) -> dict[str, Checked]:
        read = build.ask(
            "answer",
            "questions",
            drafts,
            ReaderAnswer,
            asked(self._answer, lambda _, found: Kept(found) if found.answer else Rejected("not told by the article")),
            _of_draft,
        )
        both = {key: (drafts[key], one.answer) for key, one in kept(read).items()}
        agreement = build.ask(
            "agreement",
            "questions",
            both,
            Accepted,
            judged(self._judge, _answers, "the answers differ"),
            lambda item: {**_of_draft(item[0]), "answered": item[1]},
        )
        guideline = build.ask(
            "guideline",
            "questions",
            {key: drafts[key] for key in kept(agreement)},
            Checked,
            asked(self._guideline, lambda _, found: Rejected(found.rule, found.reason) if found.rule else Kept(found)),
            _of_draft,
        )
        return kept(guideline)


def _drafted(article: Article, found: Draft | Skip) -> Kept[Draft] | Rejected:
    return Rejected("skipped by the drafter", found.reason) if isinstance(found, Skip) else Kept(found)


def _answers(item: tuple[DraftedArticle, str]) -> Submission:
    draft = item[0].draft
    return submission(Task("draft", draft.question, gold=Gold(answers=(draft.answer,))), item[1])


def _days_from(day: str, days: int) -> str:
    try:
        return (date.fromisoformat(day) + timedelta(days)).isoformat()
    except OverflowError:
        return day


def _search_key(event: SeedEvent) -> str:
    """What a search depends on: the event, and the pages that it cites."""
    urls = hashlib.sha256("\n".join(event.urls).encode(errors="replace")).hexdigest()[:16]
    return f"{event.id} {urls}" if event.urls else event.id


def _of_event(event: SeedEvent) -> dict[str, object]:
    return {"event": event.id, "event_date": event.date, "summary": event.summary[:_SHOWN]}


def _of_candidate(candidate: _Candidate) -> dict[str, object]:
    return {"event": candidate.event.id, "event_date": candidate.event.date, "link": candidate.url}


def _of_article(item: EventArticle) -> dict[str, object]:
    return {"event": item.event.id, "event_date": item.event.date, "link": item.article.url}


def _of_draft(item: DraftedArticle) -> dict[str, object]:
    return {"link": item.article.url, "question": item.draft.question[:_SHOWN], "answer": item.draft.answer[:_SHOWN]}


_FAMILIES = {"o": "gpt", "chatgpt": "gpt", "qwq": "qwen", "codestral": "mistral", "mixtral": "mistral"}


def shared_family(one: str, other: str) -> str:
    """The family that two models are both of, by their names; empty: they are of two.

    >>> shared_family("openai/gpt-5", "o3-mini,effort=low"), shared_family("gpt-5", "claude-sonnet-4")
    ('gpt', '')
    """
    families = [_family(name) for name in (one, other)]
    return families[0] if families[0] and families[0] == families[1] else ""


def _family(model: str) -> str:
    name = re.match(r"[a-z]*", model.partition(",")[0].rpartition("/")[2].lower())
    word = name[0] if name else ""
    return _FAMILIES.get(word, word)
