"""A toy environment in one file: sites can be asked, an answer is a ranking, and the judge is its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from webenv import Benchmark, Budget, Gold, Rules, Submission, Task, TaskSet, Verdict
from webenv.corpora import Corpus
from webenv.envs import register
from webenv.observations import Document, Reply
from webenv.web import AskRequest, AskResponse, Missing

ID = "Toy-v0"
METALS = ("copper", "iron", "lead", "nickel", "silver", "tin", "zinc", "gold")


def url(metal: str) -> str:
    return f"https://{metal}.example/mine"


PAGES = [
    {"url": url(metal), "title": f"The mine of {metal}", "text": f"Here {metal} was found by {number} people."}
    for number, metal in enumerate(METALS, start=2)
]


class Keeper:
    """The keeper of each mine tells what is found there."""

    identity: Mapping[str, str] = {"name": "keeper", "version": "1"}

    def ask(self, requests: Sequence[AskRequest]) -> list[AskResponse]:
        return [self._reply(request) for request in requests]

    def _reply(self, request: AskRequest) -> AskResponse:
        metal = request.site.removesuffix(".example")
        if metal not in METALS:
            return Missing("no mine keeps an agent there")
        document = Document(url(metal), f"The mine of {metal}", f"All of it is {metal}.", metal)
        return Reply(request.site, f"We dig for {metal}.", (document,))


class RankJudge:
    """Scores a ranking by 1 / the rank of the page that was sought, 0 where it is not among them."""

    identity: Mapping[str, str] = {"name": "rank", "version": "1"}

    def score(self, submissions: Sequence[Submission]) -> list[Verdict]:
        return [self._score(one) for one in submissions]

    def _score(self, submission: Submission) -> Verdict:
        (sought,) = submission.task.gold.urls
        if sought not in submission.answer:
            return Verdict("missed", 0.0, "the page is not in the ranking", "rank", {"rank": 0.0})
        rank = submission.answer.index(sought) + 1
        return Verdict("ranked", 1 / rank, f"the page has rank {rank}", "rank", {"rank": float(rank)})


register(
    Benchmark(
        tasks=TaskSet(
            [
                Task(f"mine/{number}", f"Rank the pages on a mine of {len(metal)} letters, dug by {number + 2} people.",
                     gold=Gold((url(metal),)), tags={"letters": str(len(metal))})
                for number, metal in enumerate(METALS)
            ],
            name="mines",
        ),
        web=Corpus.of(PAGES),
        judge=RankJudge(),
        rules=Rules(answers=3),
        budget=Budget(searches=3, visits=3, asks=3, turns=9),
        name=ID,
        asker=Keeper(),
    )
)  # fmt: skip
