"""Queries for single pages of real sites, made by a model.

Page → claims → ranked by how near they are to the whole page → the 3 nearest make an easy query, the 3 in the middle a
medium one, the 3 farthest a hard one → one element of each claim is masked → the query stays if a judge finds
every criterion on its page.

Source: Needle in the Web, section 3.

*Differs from* the release: a page that is longer than what the encoder reads is embedded passage by passage, where the
release summarises it; that no masked element stands in another
criterion is held by rule, not by the prompt alone.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from webenv.envs.building.asking import Accepted, asked, judged, model_identity, prompt_files, submission, visited
from webenv.envs.building.folder import BuildFolder, Kept, Open, Outcome, Rejected
from webenv.envs.building.needle_in_web.embedding import TextEncoder, encode_whole
from webenv.envs.building.needle_in_web.prompts import (
    ATTEMPTS,
    Chosen,
    Claims,
    ClaimsQuestion,
    Masked,
    MaskingQuestion,
    PageText,
    fault_of,
    standing_alone,
)
from webenv.envs.building.stages import Build, BuildReport, Watch, kept, unwatched
from webenv.envs.needle_in_web.tasks import DIFFICULTIES, render_question
from webenv.errors import InvalidArgument, ServiceError
from webenv.judge import Judge, Submission
from webenv.models import Model
from webenv.observations import Page
from webenv.rewards.llm_grader import LLMGrader
from webenv.rewards.needle import EntailmentJudge
from webenv.task import Gold, Task, TaskSet
from webenv.urls import host_of, parents
from webenv.web import Web

CRITERIA = 3
"""How many criteria a query has."""

FEWEST = CRITERIA * len(DIFFICULTIES)
"""The fewest claims with which tiers do not overlap."""


def rank_claims(page: npt.NDArray[np.float32], claims: npt.NDArray[np.float32]) -> list[int]:
    """The numbers of the claims, the nearest to the whole page first; claims that are as near keep their order.

    Args:
        page: the vector of the page, of length 1, shape [dimension].
        claims: those of the claims, of length 1, shape [claims, dimension].
    """
    nearness = np.round(claims @ page, 6)
    return [int(number) for number in np.argsort(-nearness, kind="stable")]


def tiers(ranked: Sequence[int]) -> dict[str, tuple[int, ...]]:
    """The claims of each difficulty: the 3 nearest, the 3 in the middle, the 3 farthest.

    Source: Needle in the Web, section 3.

    Args:
        ranked: the numbers of at least 9 claims, nearest first.

    >>> tiers([4, 0, 9, 1, 8, 2, 7, 3, 6, 5])
    {'easy': (4, 0, 9), 'medium': (1, 8, 2), 'hard': (3, 6, 5)}
    """
    middle = (len(ranked) - CRITERIA) // 2
    parts = (ranked[:CRITERIA], ranked[middle : middle + CRITERIA], ranked[-CRITERIA:])
    return {difficulty: tuple(part) for difficulty, part in zip(DIFFICULTIES, parts, strict=True)}


DRAFTS = TaskSet([Task("draft", "…", ("…",), Gold(urls=("https://a.example/",)))], name="a build's drafts")
"""What gold a judge of drafts has, so that one that needs other gold is refused before anybody is asked."""

PROMPTS = ("claims", "masking")
"""The questions whose prompts a file may replace, ``<name>.txt``."""

_SHORTEST = 1_000  # characters of a page


class _Ranked(NamedTuple):
    """The numbers of a page's claims, nearest to it first."""

    order: tuple[int, ...]


@dataclass(frozen=True)
class NeedleBuilder:
    """Builds queries for pages.

    Attributes:
        web: what pages are fetched from.
        model: who writes claims and masks them.
        encoder: says how near claims are to their page.
        judge: whether a page meets criteria; ``None``: the model, as an entailment judge.
        prompts: a folder of prompt files (:data:`PROMPTS`) in place of ours.
        workers: how many questions are put at a time.
    """

    web: Web
    model: Model
    encoder: TextEncoder
    judge: Judge | None = None
    prompts: Path | None = None
    workers: int = 16

    def build(self, urls: Sequence[str], out: str | Path, watch: Watch = unwatched) -> BuildReport:
        """Builds, or goes on where the build in ``out`` stopped.

        Args:
            urls: the pages that queries are made for.
            out: the folder; a file ``<site>_<difficulty>.json`` comes into it for each site and difficulty.
            watch: told how far each stage is.

        Returns:
            What fell at each stage, and how many queries there are.

        Raises:
            RunError: if the folder holds something else or another build, or is in use.
            CostLimitReached: at the cost limit; everything so far is kept and written.
        """
        if not urls:
            raise InvalidArgument("there are no pages to make queries for.")
        if self.workers < 1:
            raise InvalidArgument(f"workers={self.workers}: expected 1 or more.")
        stages = _Stages(self)
        with BuildFolder(out, stages.settings()) as folder:
            build = Build(folder, watch, self.workers)
            passed = stages.run(build, urls)
            files = _sort(passed)
            for name, records in files.items():
                folder.write(name, json.dumps(records, indent=1, ensure_ascii=False) + "\n")
            return build.finish({name: len(records) for name, records in files.items()})


class _Stages:
    """The stages, with whom they ask."""

    def __init__(self, builder: NeedleBuilder) -> None:
        files = prompt_files(builder.prompts, PROMPTS)
        self._builder = builder
        self._claims = LLMGrader(builder.model, ClaimsQuestion(files["claims"]))
        self._masking = LLMGrader(builder.model, MaskingQuestion(files["masking"]), attempts=ATTEMPTS)
        self._judge: Judge = builder.judge or EntailmentJudge(builder.model)

    def settings(self) -> dict[str, object]:
        """What the outcomes of the stages depend on."""
        web = self._builder.web.identity
        panels = (self._claims, self._masking)
        return {
            "kind": "needle",
            "web": {name: web[name] for name in ("name", "provider", "digest") if name in web},
            "encoder": dict(self._builder.encoder.identity),
            **{panel.rubric.name: model_identity(panel.identity) for panel in panels},
            "judge": model_identity(self._judge.identity),
        }

    def run(self, build: Build, urls: Sequence[str]) -> list[tuple[Chosen, Masked]]:
        """Runs all stages; gives what passed them, in the order of the pages."""
        visit = visited(self._builder.web, _long_enough)
        pages = kept(
            build.ask("visit", "pages", {url: url for url in urls}, PageText, visit, _of_url, batch=32, workers=1)
        )
        claims = kept(build.ask("claims", "pages", pages, Claims, asked(self._claims, _enough), _of_page))
        chosen = self._choose(build, {url: pages[url] for url in claims}, claims)
        masked = build.ask("masking", "queries", chosen, Masked, asked(self._masking, _masked_well), _of_chosen)
        both = {key: (chosen[key], one) for key, one in kept(masked).items()}
        valid = build.ask(
            "validation",
            "queries",
            both,
            Accepted,
            judged(self._judge, _submitted, "a criterion is not on the page"),
            lambda item: {**_of_chosen(item[0]), "criteria": list(item[1].criteria)},
        )
        return [both[key] for key in kept(valid)]

    def _choose(self, build: Build, pages: Mapping[str, PageText], claims: Mapping[str, Claims]) -> dict[str, Chosen]:
        """Ranks the claims of each page, and chooses those of each difficulty."""
        whole = {url: (f"{page.title}\n{page.text}", claims[url].claims) for url, page in pages.items()}
        ranked = build.ask("ranking", "pages", whole, _Ranked, self._rank, lambda _: {}, workers=1)
        return {
            f"{url} {difficulty}": Chosen(pages[url], tuple(claims[url].claims[n] for n in numbers), difficulty)
            for url, one in kept(ranked).items()
            for difficulty, numbers in tiers(one.order).items()
        }

    def _rank(self, items: Sequence[tuple[str, tuple[str, ...]]]) -> list[Outcome[_Ranked]]:
        texts = [text for whole, claims in items for text in (whole, *claims)]
        try:
            vectors = encode_whole(self._builder.encoder, texts)
        except ServiceError as error:
            return [Open(str(error), unanswered=True)] * len(items)
        outcomes: list[Outcome[_Ranked]] = []
        start = 0
        for _, claims in items:
            own = vectors[start : start + 1 + len(claims)]
            outcomes.append(Kept(_Ranked(tuple(rank_claims(own[0], own[1:])))))
            start += len(own)
        return outcomes


def sampled(urls: Iterable[str], per_site: int, sites: Sequence[str] = (), limit: int | None = None) -> list[str]:
    """Pages drawn from each site, the same whenever they are drawn from the same pages.

    Args:
        urls: all pages.
        per_site: the most of one site.
        sites: hosts; none: every site.
        limit: the most of all.

    Raises:
        InvalidArgument: for a site without a page.
    """
    wanted = {host_of(site) for site in sites}
    count: Counter[str] = Counter()
    chosen = []
    for url in sorted(urls, key=lambda url: sha256(url.encode(errors="replace")).digest()):
        site = host_of(url)
        if (not wanted or site in wanted) and count[site] < per_site:
            count[site] += 1
            chosen.append(url)
    for site in sorted(wanted):
        if not count[site]:
            raise InvalidArgument(f"site {site!r:.80}: no page is of that site.")
    return chosen[:limit]


PAPERS = ("arxiv.org", "openlibhums.org")
"""The sites of papers, of which the abstract and the introduction alone are taken."""

_HEADING = re.compile(r"^(#{1,6})\s++(?:[\dIVX]++(?:\.\d++)*+\.?+\s++)?(\S.*)", re.MULTILINE)


def abstract_and_introduction(text: str) -> str:
    """The beginning of a paper in markdown, up to the section behind its introduction; without one, all of it.

    Source: Needle in the Web, section 3.

    >>> abstract_and_introduction("## Abstract\\nA.\\n## 1 Introduction\\nB.\\n### 1.1 Aims\\n## 2 Methods\\nD.")
    '## Abstract\\nA.\\n## 1 Introduction\\nB.\\n### 1.1 Aims'
    """
    headings = list(_HEADING.finditer(text))
    first = next((one for one in headings if _named(one) == "introduction"), None)
    if first is None:
        return text
    after = (one for one in headings if one.start() > first.start() and len(one[1]) <= len(first[1]))
    end = next(after, None)
    return text if end is None else text[: end.start()].rstrip()


def _named(heading: re.Match[str]) -> str:
    """What a heading says, without marks at its end and emphasis, in lower case."""
    return heading[2].rstrip("#").rstrip().strip("*_ ").lower()


def _long_enough(page: Page) -> Kept[PageText] | Rejected:
    paper = any(host in PAPERS for host in parents(host_of(page.url)))
    text = abstract_and_introduction(page.text) if paper else page.text
    if len(text) < _SHORTEST:
        return Rejected(f"shorter than {_SHORTEST:,} characters", f"{len(text)} characters")
    return Kept(PageText(page.url, page.title, text))


def _enough(page: PageText, found: tuple[str, ...]) -> Kept[Claims] | Rejected:
    claims = standing_alone(found)
    if len(claims.claims) < FEWEST:
        return Rejected(f"fewer than {FEWEST} claims", f"{len(claims.claims)} that stand alone, of {len(found)}")
    return Kept(claims)


def _masked_well(chosen: Chosen, found: Masked) -> Kept[Masked] | Rejected:
    fault = fault_of(found, chosen.claims)
    return Rejected("not masked as was asked", fault) if fault else Kept(found)


def _submitted(item: tuple[Chosen, Masked]) -> Submission:
    chosen, masked = item
    page = Page(chosen.page.url, chosen.page.title, chosen.page.text)
    task = Task("draft", render_question(masked.criteria), masked.criteria, Gold(urls=(page.url,)))
    return submission(task, page.url, page)


def _sort(passed: Sequence[tuple[Chosen, Masked]]) -> dict[str, list[dict[str, object]]]:
    """The records of each file, in the official format; ids count from 0 in a file."""
    files: dict[str, list[dict[str, object]]] = {}
    for chosen, masked in passed:
        page = chosen.page
        records = files.setdefault(f"{host_of(page.url)}_{chosen.difficulty}.json", [])
        records.append(
            {
                "context": {"title": page.title, "url": page.url, "content": page.text},
                "raw_questions": list(masked.criteria),
                "ground_truth": list(chosen.claims),
                "question": None,
                "id": len(records),
            }
        )
    order = {difficulty: number for number, difficulty in enumerate(DIFFICULTIES)}
    return dict(
        sorted(files.items(), key=lambda one: (one[0].rpartition("_")[0], order[one[0].rpartition("_")[2][:-5]]))
    )


def _of_url(url: str) -> dict[str, object]:
    return {"url": url}


def _of_page(page: PageText) -> dict[str, object]:
    return {"url": page.url}


def _of_chosen(chosen: Chosen) -> dict[str, object]:
    return {"url": chosen.page.url, "difficulty": chosen.difficulty}
