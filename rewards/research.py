"""Reports: all that AgentWebBench measures of one, in one verdict; and key points judged by rule where all is known."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from webenv.errors import DataError, did_you_mean
from webenv.judge import RuleJudge, Submission, Verdict
from webenv.models import Model
from webenv.rewards.citations import CitationJudge, CitedSentence, cited_sentences, site_of
from webenv.rewards.key_points import LABELS, KeyPointJudge
from webenv.rewards.normal_form import normalise
from webenv.rewards.report import ReportJudge

_PARTS = ("key_points", "report", "citation", "claims")


class ResearchJudge:
    """A chat model judges a report as AgentWebBench reports it: key points, clarity and insight, and citations.

    Gold: ``data={"key_points": [...]}``. The value and the outcome are those of :class:`webenv.rewards.KeyPointJudge`
    (KPR); the scores are ``kpr``, ``kpc``, ``clarity`` and ``insight`` (0 to 10; the paper prints them times ten), and
    those of :class:`webenv.rewards.CitationJudge`. A report of which a part came to no verdict is unscored, and so is a
    question without key points.

    Args:
        model: who judges.
        prompt: a folder with prompts in place of ours, each if wanted: ``key_points``, ``report``, ``citation`` and
            ``claims``, as ``.txt`` or ``.json``.
        votes: how many replies are asked for to each part.
        attempts: how often one vote is asked for at most.

    Raises:
        InvalidArgument: for votes or attempts below 1.
        DataError: for a folder without such a file, or one that cannot be used.
    """

    name = "research"
    concurrent = True

    def __init__(self, model: Model, prompt: str | Path | None = None, votes: int = 1, attempts: int = 3) -> None:
        files = _prompt_files(prompt)
        self._key_points = KeyPointJudge(model, files.get("key_points"), votes, attempts)
        self._report = ReportJudge(model, files.get("report"), votes, attempts, criteria=("clarity", "insight"))
        self._citation = CitationJudge(model, files.get("citation"), votes, attempts, files.get("claims"))

    @property
    def identity(self) -> Mapping[str, str]:
        """That of the judge of key points, with the prompts of the others."""
        report, citation = self._report.identity, self._citation.identity
        prompts = {"report_prompt": report["prompt"], "citation_prompt": citation["prompt"]}
        claims = {"claims_prompt": citation["claims_prompt"]} if "claims_prompt" in citation else {}
        return {**self._key_points.identity, "name": self.name, **prompts, **claims}

    def score(self, submissions: Sequence[Submission]) -> list[Verdict]:
        """One verdict for each submission, in order; what has no key points is put to no model."""
        points = self._key_points.score(submissions)
        open_ = [one for one, verdict in zip(submissions, points, strict=True) if verdict.scored]
        others = iter(zip(self._report.score(open_), self._citation.score(open_), strict=True))
        return [self._verdict(one, *next(others)) if one.scored else replace(one, judge=self.name) for one in points]

    def _verdict(self, points: Verdict, report: Verdict, citation: Verdict) -> Verdict:
        failed = next((one for one in (report, citation) if not one.scored), None)
        if failed is not None:
            return Verdict.unscored(f"{failed.judge}: {failed.explanation}", self.name)
        scores = {**report.scores, **citation.scores, **points.scores}
        reason = "; ".join(one.explanation for one in (points, citation, report))
        return Verdict(points.outcome, points.value, reason, self.name, scores)


def _prompt_files(folder: str | Path | None) -> dict[str, Path]:
    if folder is None:
        return {}
    inside = [file for file in sorted(Path(folder).glob("*")) if file.suffix in (".txt", ".json")]
    for file in inside:
        if file.stem not in _PARTS:
            raise DataError(f"judge prompts {str(folder)!r}: {file.name}. {did_you_mean(file.stem, _PARTS)}")
    if not inside:
        raise DataError(
            f"judge prompts {str(folder)!r}: expected a folder with any of {', '.join(_PARTS)} as .txt or .json."
        )
    return {file.stem: file for file in inside}


# ── by rule ───────────────────────────────────────────────────────────────────

_DENIED = re.compile(
    r"\b(?:not|no|never|neither|nor|without|instead|rather|denied|denies|deny|wrong|wrongly|mistaken|mistakenly|"
    r"mistake|false|falsely|incorrect|incorrectly|untrue|myth|rumour|rumou?red|planned|intended|proposed|"
    r"was to|were to|would|almost|nearly|error|contrary|confused|disproved|dropped|abandoned|cannot|"
    r"(?:is|was|were|did|does|do|has|had|have|wo|could|would)n[’']?t)\b",
    re.IGNORECASE,
)
"""What in a sentence takes a statement back, or makes it a plan; strict: such a sentence states nothing."""


_POSSESSIVE = re.compile(r"['’]s\b|(?<=s)['’](?=\s)")
_NAME = re.compile(r"\b[A-Z][a-z]")


class StatedPoint(NamedTuple):
    """A key point whose fact is known.

    Attributes:
        subjects: what the subject may be called.
        values: how the right value may be written.
        wrong: how other values of the same relation may be written that are not true of the subject.
        cues: words of which a sentence that supports the point has one; empty: any.
        wrong_cues: words of which one that contradicts it has one; empty: any.
        sites: the hosts of the pages that state it; empty: not known.
    """

    subjects: tuple[str, ...]
    values: tuple[str, ...]
    wrong: tuple[str, ...]
    cues: tuple[str, ...]
    wrong_cues: tuple[str, ...]
    sites: tuple[str, ...]


class StatedPointsJudge(RuleJudge):
    """Whether a report states key points, by rule: for topics of generated webs, whose facts are known; asks no model.

    Gold: ``data={"key_points": [...]}``, objects with ``subjects``, ``values`` and, if wanted, ``wrong``, ``cues``,
    ``wrong_cues`` and ``sites``, each a list of texts (:class:`StatedPoint`).

    A sentence *tells* of a point if its subject is the point's and it holds one of the words that it takes. The subject
    of a sentence is what it names of all subjects of the task; where it names none, what was named last, at first the
    subject of the first point. Such a sentence that holds one of the values supports the point, one that holds a wrong
    value contradicts it, unless it is of another subject: it names none of the task's but some other. A sentence that
    denies, corrects or plans something does neither. A point that is contradicted anywhere is contradicted, whatever
    supports it: so a report that states every value wins nothing. All compares by whole words of the normal form
    (dates, numbers, case).

    The value is KPR, the scores are ``kpr`` and ``kpc``, as of :class:`webenv.rewards.KeyPointJudge`; and, for points
    with sites, ``citation_precision``: of the points that a sentence with a citation supports, the share of which one
    cites a site that states it and of which something came before the agent; 0 where nothing is cited. A task without
    key points is unscored.

    It is strict: a report that says a value in other words than the web does omits the point.
    """

    name, version = "stated", "2"

    def _score(self, submission: Submission) -> Verdict:
        points = read_stated_points(submission.task.gold.data)
        if not points:
            in_words = "key points in words alone, which a model has to find: judge=key_points:MODEL"
            what = in_words if submission.task.gold.data.get("key_points") else "no key points to look for"
            return Verdict.unscored(f"task {submission.task.id!r} has {what}", self.name)
        found = _Report(submission.text, points)
        labels = [found.label(point) for point in points]
        kpr, kpc = (labels.count(label) / len(labels) for label in ("supported", "contradicted"))
        came = {site_of(page.url) for page in submission.seen} | {site_of(reply.site) for reply in submission.replies}
        cited = [any(right) for right in (found.citations(point, came) for point in points) if right]
        precision = sum(cited) / len(cited) if cited else 0.0
        outcome = "complete" if kpr == 1.0 else "partial" if kpr else "none"
        counts = ", ".join(f"{labels.count(label)} {label}" for label in LABELS)
        scores = {"kpr": kpr, "kpc": kpc, "citation_precision": precision}
        told = f"key points: {counts}; of {len(cited)} that are cited, {sum(cited)} by a site that came and says so"
        return Verdict(outcome, kpr, told, self.name, scores)


def read_stated_points(data: Mapping[str, Any]) -> tuple[StatedPoint, ...]:
    """The key points of gold data; what lacks subjects or values is left out, as no rule could find it."""
    given = data.get("key_points")
    points = []
    for one in given if isinstance(given, list | tuple) else ():
        parts = one if isinstance(one, Mapping) else {}
        lists = [_texts(parts.get(name)) for name in StatedPoint._fields]
        if lists[0] and lists[1]:
            points.append(StatedPoint(*lists))
    return tuple(points)


def _texts(given: Any) -> tuple[str, ...]:
    return tuple(text for text in given if isinstance(text, str)) if isinstance(given, list | tuple) else ()


def stated_labels(text: str, data: Mapping[str, Any]) -> list[str]:
    """What a report does with each key point of a gold: "supported", "contradicted" or "omitted"."""
    points = read_stated_points(data)
    report = _Report(text, points)
    return [report.label(point) for point in points]


class _Report:
    """A report, sentence by sentence: whom each is about, and whether it states anything."""

    def __init__(self, text: str, points: Sequence[StatedPoint]) -> None:
        names = {_padded(name): point.subjects for point in points for name in point.subjects}
        about: tuple[tuple[str, ...], ...] = (points[0].subjects,)
        self._told: list[tuple[str, tuple[tuple[str, ...], ...], bool, CitedSentence]] = []
        for sentence in cited_sentences(text):
            words = _padded(sentence.text)
            named = tuple(dict.fromkeys(subjects for name, subjects in names.items() if name in words))
            about = named or about
            self._told.append((words, about, bool(named), sentence))

    def _holding(
        self, point: StatedPoint, values: Sequence[str], words_of: Sequence[str], own: bool = False
    ) -> list[CitedSentence]:
        wanted, cues = [_padded(value) for value in values], [_padded(cue) for cue in words_of]
        return [
            sentence
            for words, about, named, sentence in self._told
            if point.subjects in about
            and (named or not own or not _names_another(sentence.text, values))
            and (not cues or any(cue in words for cue in cues))
            # what a value itself says is no denial: "no talk of money"
            and any(value in words and not denies(words.replace(value, " ")) for value in wanted)
        ]

    def label(self, point: StatedPoint) -> str:
        if self._holding(point, point.wrong, point.wrong_cues, own=True):
            return "contradicted"
        return "supported" if self._holding(point, point.values, point.cues) else "omitted"

    def citations(self, point: StatedPoint, came: Set[str]) -> list[bool]:
        """Of each sentence that supports a point with known sites and cites something: whether it cites one of them
        that came before the agent."""
        found = [one for one in self._holding(point, point.values, point.cues) if one.sources] if point.sites else []
        right = came & set(point.sites)
        return [not right.isdisjoint(map(site_of, one.sources)) for one in found]


def denies(sentence: str) -> bool:
    """Whether a sentence denies, corrects or plans something, so that the judge of stated points passes it over."""
    return _DENIED.search(sentence) is not None


def _names_another(sentence: str, values: Sequence[str]) -> bool:
    """Whether a sentence has a capitalised word behind its first one that is no part of some values."""
    for value in values:
        sentence = sentence.replace(value, " ")
    return _NAME.search(sentence.lstrip(" |#*-")[1:]) is not None


def _padded(text: str) -> str:
    """The normal form of a text, so that a part of it is whole words; possessive endings would make others of them."""
    return f" {normalise(_POSSESSIVE.sub('', text))} "
