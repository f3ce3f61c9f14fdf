"""Rules of a build of questions on news: what falls without a model being asked, and which file takes the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from webenv.envs.building.outcome import Kept, Open, Outcome, Rejected
from webenv.envs.live_news_bench.drafting import Article, Checked, Draft, DraftedArticle, EventArticle, Ruled
from webenv.envs.live_news_bench.records import FILES, LATER, LONGITUDINAL, NewsRecord, placed
from webenv.envs.live_news_bench.release import Release
from webenv.envs.live_news_bench.seeds import SeedEvent
from webenv.observations import Page
from webenv.rewards.normal_form import normalise

_SHORTEST, _LONGEST = 300, 200_000  # characters of an article
_MOST_WORDS = 20  # of an answer


def sort_records(
    passed: Sequence[tuple[SeedEvent, Article, Draft, Checked]], release: Release
) -> dict[str, list[dict[str, Any]]]:
    """The records of each file, in order of event dates."""
    files: dict[str, list[dict[str, Any]]] = {name: [] for name in (*FILES.values(), LONGITUDINAL)}
    for event, article, draft, checked in passed:
        record = NewsRecord.of(
            article.url,
            draft.question,
            event_date=event.date,
            answer=draft.answer,
            category=event.category,
            stability=draft.stability,
            event={"id": event.id, "summary": event.summary},
            article={"title": article.title, "date": article.date},
            explanation=draft.explanation,
        )._asdict()
        split = release.split(event.date)
        if draft.stability != "unlikely" or checked.verdict == "changes":
            files[LONGITUDINAL].append(record)
        else:
            files.setdefault(FILES.get(split, LATER), []).append(placed(record, split))
    return files


def read_page(page: Page) -> Kept[Article] | Rejected:
    """The article that a page is."""
    if len(page.text) < _SHORTEST:
        return Rejected(f"shorter than {_SHORTEST} characters", f"{len(page.text)} characters")
    return Kept(Article(page.url, page.title, page.text[:_LONGEST], page.date[:10], page.key))


def first_of_each(
    articles: Mapping[str, EventArticle], relevance: Mapping[str, Outcome[Ruled]]
) -> dict[str, Outcome[EventArticle]]:
    """Of the copies of an article, and of the events it is about, the first that is relevant.

    Nothing of an article is settled as long as an earlier one is open.
    """
    first: dict[str, Outcome[Ruled]] = {}
    taken: dict[str, str] = {}
    outcomes: dict[str, Outcome[EventArticle]] = {}
    for key, found in relevance.items():
        article = articles[key].article
        name = article.key or article.url
        before = first.get(name)
        if isinstance(found, Rejected):
            continue
        if before is None:
            first[name], taken[name] = found, article.url
            if isinstance(found, Kept):
                outcomes[key] = Kept(articles[key])
        elif isinstance(found, Kept):
            late = Open("an earlier copy of it is open")
            outcomes[key] = Rejected("drafted from already", taken[name]) if isinstance(before, Kept) else late
    return outcomes


def sound(drafts: Mapping[str, DraftedArticle]) -> dict[str, Outcome[DraftedArticle]]:
    """What the form of a draft alone tells against it."""
    seen: set[str] = set()
    outcomes: dict[str, Outcome[DraftedArticle]] = {}
    for key, item in drafts.items():
        question, answer = normalise(item.draft.question), normalise(item.draft.answer)
        if not question or not answer:
            outcomes[key] = Rejected("question or answer without a word")
        elif len(item.draft.answer.split()) > _MOST_WORDS:
            outcomes[key] = Rejected(f"answer of more than {_MOST_WORDS} words")
        elif f" {answer} " in f" {question} ":
            outcomes[key] = Rejected("the answer stands in the question")
        elif question in seen:
            outcomes[key] = Rejected("the same question was drafted before")
        else:
            seen.add(question)
            outcomes[key] = Kept(item)
    return outcomes
