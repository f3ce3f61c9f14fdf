"""Keyword play on the news: search the words of the question, take the likeliest thing of the asked sort."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from webenv.actions import Action, Kind, answer, search, visit
from webenv.policies.baselines import ClosedBookPolicy, KeywordPolicy
from webenv.policies.scripted.news_evidence import NewsSource, NewsSources
from webenv.policies.scripted.news_questions import NewsQuestion, read_question
from webenv.policies.scripted.news_text import mentions
from webenv.policies.scripted.reading import stems
from webenv.policy import History

_HEAD = 0.5  # how much more the first sentence of a page counts than the last
_ALIKE = 3  # how much more a page counts whose title names what the title of the best does
_AROUND = 9  # words before the first name
_LONGEST = 1_000  # characters of a query
_ROUNDS, _EACH = 2, 2  # rounds, and pages read in each but the last
_UNKNOWN = "I don't know."


class NewsKeywordPolicy(KeywordPolicy):
    """A search engine's user with a question about the news, without a language model.

    It searches and reads in two rounds: the words around the day and the names of the question; then the other
    words with the name that recurs on what was read, or all words with the title of the page that was found best.
    It takes the name, day or figure of the asked sort that stands oftenest among the words of the question.
    """

    def _decide(self, history: History) -> Action:
        return _decide(history, self._visits)


class NewsClosedBookPolicy(ClosedBookPolicy):
    """What can be answered on the news without the web.

    Training questions count that ask in the same words (names and years aside); where there is none,
    those that ask for the same sort of thing (a person, an organisation, a place, a day, a sum, a
    number of the same things); else all.
    """

    version = "1"

    @staticmethod
    def keys(question: str) -> Iterator[tuple[str, ...]]:
        ask = read_question(question).ask
        words = sorted(word for word in stems(ask.text) if not any(map(str.isdecimal, word)))
        yield ("words", ask.sort, *words)
        yield ("sort", ask.sort, ask.unit)
        yield ("sort", ask.sort)
        yield ()


def _decide(history: History, most: int) -> Action:
    question = read_question(history.observations[0]["question"])
    searches, visits, _, turns = (int(left) for left in history.observations[-1]["budget"])
    sources = NewsSources(history)
    kinds = [decision.action.kind for decision in history.decisions]
    done = kinds.count(Kind.SEARCH)
    may = min(visits, most - sum(source.read for source in sources))
    fresh = [result["url"] for result in history.observations[-1]["results"]] if done else []
    unread = [url for url in dict.fromkeys(fresh) if not sources.by_url[url].read]
    if turns > 1 and kinds[-1:] == [Kind.SEARCH] and may > 0 and unread:
        last = done == _ROUNDS or not searches or turns < 4
        return visit(*unread[: may if last else min(may, _EACH)])
    if turns > 1 and searches and done < _ROUNDS and (turns > 2 or not done):
        return search(_query(question, done, list(sources)))
    found = [source for source in sources if source.latest > 1] or list(sources)
    best = likeliest(question.text, question.ask.sort, found)
    return answer(best if best != _UNKNOWN else likeliest(question.text, question.ask.sort, list(sources)))


def _query(question: NewsQuestion, done: int, sources: list[NewsSource]) -> str:
    """The query of a round."""
    near, rest, whole = _parts(question.text)
    read = [source for source in sources if source.read]
    if not done:
        return near
    latest = [source.title for source in read if source.latest == done] or [source.title for source in sources]
    if done == 1 and question.bridge is not None:
        return f"{likeliest(question.text, question.bridge.sort, read)} {rest}"[:_LONGEST]
    return f"{latest[0] if latest else ''} {whole}".strip()[:_LONGEST]


def likeliest(question: str, sort: str, sources: Sequence[NewsSource]) -> str:
    """The thing of a sort that stands most often in sentences that share words with the question, early on a page."""
    words = stems(question)
    known = {mention.text.lower() for mention in mentions(question)}
    found: dict[str, float] = {}
    best = max(sources, key=lambda source: source.score, default=None)
    named = {mention.text for mention in mentions(best.title)} if best else set()
    for source in sources:
        count = len(source.sentences) or 1
        weight = source.score * (_ALIKE if any(m.text in named for m in mentions(source.title)) else 1)
        for place, sentence in enumerate(source.sentences):
            shared = len(words & stems(sentence))
            for mention in mentions(sentence):
                wanted = mention.sort == sort if sort else mention.sort in ("person", "body")
                if wanted and not mention.first and mention.text.lower() not in known:
                    worth = weight * (shared + 0.1) ** 2 * (1 + _HEAD * (1 - place / count))
                    found[mention.text] = found.get(mention.text, 0.0) + worth
    return max(found, key=lambda text: found[text]) if found else _UNKNOWN


def _parts(text: str) -> tuple[str, str, str]:
    """The words around the day and the names of a question, the other words, and all."""
    words = list(re.finditer(r"[\w&'’-]+", text))
    marks = [m for m in mentions(text) if m.sort in ("day", "person", "body") or (m.sort == "place" and not m.first)]
    places = [n for n, match in enumerate(words) for m in marks if m.start <= match.start() < m.end]
    first, last = (min(places), max(places)) if places else (0, len(words))
    start = max(0, first - _AROUND)
    near = " ".join(match[0] for match in words[start : last + 1])
    rest = " ".join(match[0] for match in (*words[:start], *words[last + 1 :]))
    whole = " ".join(match[0] for match in words) or "?"
    return near[:_LONGEST] or whole, rest[:_LONGEST] or whole, whole[:_LONGEST]
