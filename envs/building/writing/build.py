"""A generated web written anew by a chat model, sentence by sentence, its facts and the keys of its tasks unchanged.

Source: none; SynthWorlds and PhantomWiki let templates or a model write pages, and neither checks each sentence.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from webenv.corpora.document import Progress
from webenv.corpora.folder import is_corpus_folder
from webenv.corpora.procedural import Rewritten, WebConfig, generated_web, made_by, write_corpus
from webenv.envs.building.asking import asked, model_identity
from webenv.envs.building.folder import BuildFolder, Kept, Outcome, Rejected
from webenv.envs.building.stages import Build, BuildReport, Watch, kept, unwatched
from webenv.envs.building.writing.check import CheckedPage, CheckedSentence, Fault, SentenceCheck
from webenv.envs.building.writing.parsing import cut_page
from webenv.envs.building.writing.questions import (
    Differences,
    PageReply,
    PageRequest,
    PairRequest,
    SameQuestion,
    WritingQuestion,
)
from webenv.errors import InvalidArgument, ModelError
from webenv.models import Model
from webenv.rewards.llm_grader import LLMGrader

ON_FAIL = ("keep", "drop")
"""What becomes of sentences that failed every time: they stay as they were generated, or their page is left out."""

_UNASKED = Fault("not asked yet")
_KEPT = 4_096  # pages of which the sentences are kept at hand, at some 20 KB each
_PATIENCE = 20  # pages in a row of which no sentence passes


def machinery_of(corpus: str | os.PathLike[str]) -> Path:
    """The folder beside a corpus that keeps what the model wrote, until whoever built it removes it."""
    path = Path(corpus)
    return path.with_name(f"{path.name}.writing")


@dataclass(frozen=True)
class WebWriter:
    """Has a generated web written anew.

    Attributes:
        model: who writes.
        judge: a model that says of each page whether its new sentences say the same; ``None``: they pass by what can
            be parsed alone (:mod:`webenv.envs.building.writing.check`).
        attempts: how often a sentence is asked for, each time with what was wrong with it.
        on_fail: one of :data:`ON_FAIL`.
        workers: how many questions are put at a time.
    """

    model: Model
    judge: Model | None = None
    attempts: int = 3
    on_fail: str = "keep"
    workers: int = 16

    def write(
        self,
        spec: str,
        path: str | os.PathLike[str],
        watch: Watch = unwatched,
        progress: Progress | None = None,
    ) -> BuildReport:
        """Writes the corpus folder ``path``, or goes on where it stopped: what a model wrote is not asked for again.

        The folder is written when every page has been asked for; until then all is kept beside it
        (:func:`machinery_of`).

        Args:
            spec: the web, as in ``procedural:pages=3000,split=test``.
            path: a new or empty folder, or a corpus, which is replaced.
            watch: told how far each stage is.
            progress: told how far the corpus is.

        Raises:
            InvalidArgument: for a web that is not in English, or settings out of range; before anything is written.
            RunError: if the folder beside it holds something else, or another build.
            ModelError: if the model does not reply, or no sentence passes of 20 pages in a row.
            CostLimitReached: at the cost limit; everything so far is kept.
        """
        if self.attempts < 1 or self.workers < 1:
            raise InvalidArgument(f"attempts={self.attempts}, workers={self.workers}: expected 1 or more.")
        if self.on_fail not in ON_FAIL:
            raise InvalidArgument(f"on_fail={self.on_fail!r:.40}: expected {' or '.join(ON_FAIL)}.")
        config = WebConfig.parse(spec)
        if config.language != "en":
            raise InvalidArgument(
                f"{config}: sentences are checked by their names and numbers, in English so far; expected language=en."
            )
        if Path(path).exists() and not (Path(path).is_dir() and is_corpus_folder(Path(path))):
            raise InvalidArgument(f"{str(path)!r}: expected a new or empty folder, or a corpus.")
        run = _Run(self, config)
        with BuildFolder(machinery_of(path), run.settings()) as folder:
            build = Build(folder, watch, self.workers)
            run.run(build)
            files = {}
            if not any(tally.open for tally in build.tallies):
                files[str(path)] = run.write(path, progress)
            return build.finish(files)


@dataclass
class _Standing:
    """How far a page is: sentences that passed, and what is wrong with the others, by the number of their piece."""

    passed: dict[int, str] = field(default_factory=dict)
    faults: dict[int, Fault] = field(default_factory=dict)


class _Passed(NamedTuple):
    """A sentence that passed a check."""

    text: str


class _Run:
    """One run: what is known of each page, and whom it asks."""

    def __init__(self, writer: WebWriter, config: WebConfig) -> None:
        self._writer = writer
        self._web = generated_web(config)
        self._check = SentenceCheck(self._web)
        self._lock = threading.Lock()  # a web is made by one thread at a time
        self._writing = LLMGrader(writer.model, WritingQuestion(), attempts=2)
        self._judging = None if writer.judge is None else LLMGrader(writer.judge, SameQuestion())
        self._standing = [_Standing() for _ in range(len(self._web))]
        self._page = lru_cache(maxsize=_KEPT)(self._made)
        self._same = 0  # sentences that passed in the words that they had
        self._row = 0  # pages since the last of which a sentence passed

    def settings(self) -> dict[str, object]:
        """What the outcomes depend on."""
        judging = self._judging
        return {
            "kind": "written web",
            "web": str(self._web.config),
            "generator": made_by(self._web.config),
            "writing": model_identity(self._writing.identity),
            "judge": None if judging is None else model_identity(judging.identity),
        }

    def run(self, build: Build) -> None:
        """Asks for all sentences, as often as need be."""
        waiting = []
        for number, standing in enumerate(self._standing):
            page = self._page(number)
            if page.sentences:
                standing.faults = dict.fromkeys(page.sentences, _UNASKED)
                waiting.append(number)
        for attempt in range(1, self._writer.attempts + 1):
            if not waiting:
                break
            waiting = self._written(build, attempt, waiting)
            waiting = [number for number in waiting if self._standing[number].faults]

    def write(self, path: str | os.PathLike[str], progress: Progress | None) -> int:
        """Writes the corpus; gives its number of pages."""
        drop = self._writer.on_fail == "drop"

        def text(number: int, generated: str) -> str | None:
            standing = self._standing[number]
            if standing.faults and drop:
                return None
            return cut_page(generated).with_sentences(standing.passed)

        passed = sum(len(one.passed) for one in self._standing)
        every, written = passed + sum(len(one.faults) for one in self._standing), passed - self._same
        pages = sum(bool(one.passed) for one in self._standing)
        told = f"{written:,} of {every:,} sentences on {pages:,} of {len(self._web):,} pages"
        by = f"{self._writer.model.identity['model']}, {told}"
        return write_corpus(self._web, path, progress, rewritten=Rewritten(text, by)).pages

    def _made(self, number: int) -> CheckedPage:
        with self._lock:
            return self._check.page(number)

    def _written(self, build: Build, attempt: int, waiting: Sequence[int]) -> list[int]:
        """Asks for what is not yet right of each page; gives the pages of which something came."""
        ask = asked(self._writing, lambda _, reply: Kept(reply))

        def work(numbers: Sequence[int]) -> list[Outcome[PageReply]]:
            outcomes = ask([self._request(number) for number in numbers])
            if attempt == 1:
                self._count(numbers, outcomes)
            return outcomes

        pages = {str(number): number for number in waiting}
        replies = kept(build.ask(f"writing {attempt}", "pages", pages, PageReply, work, self._told))
        came = [number for number in waiting if str(number) in replies]
        new: dict[int, list[int]] = {}
        outcomes: dict[str, Outcome[_Passed]] = {}
        for number in came:
            said = replies[str(number)].by_number()
            standing, sentences = self._standing[number], self._page(number).sentences
            for place in list(standing.faults):
                text = said.get(place, "")
                fault = self._check.fault(sentences[place], text)
                if fault is None:
                    self._same += text == sentences[place].text
                    standing.passed[place] = text
                    del standing.faults[place]
                    new.setdefault(number, []).append(place)
                else:
                    standing.faults[place] = fault
                outcomes[f"{number} {place}"] = Kept(_Passed(text)) if fault is None else Rejected(*fault)
        build.filter(f"check {attempt}", "sentences", {key: key for key in outcomes}, outcomes, self._told_of)
        return came if self._judging is None else self._judged(build, attempt, came, new)

    def _judged(self, build: Build, attempt: int, came: Sequence[int], new: Mapping[int, Sequence[int]]) -> list[int]:
        """Has a judge look at what passed; gives the pages of which that is known."""
        assert self._judging is not None
        ask = asked(self._judging, lambda _, found: Kept(found))

        def work(numbers: Sequence[int]) -> list[Outcome[Differences]]:
            return ask([self._pairs(number, new[number]) for number in numbers])

        pages = {str(number): number for number in new}
        verdicts = kept(build.ask(f"judging {attempt}", "pages", pages, Differences, work, self._told))
        outcomes: dict[str, Outcome[_Passed]] = {}
        for number, places in new.items():
            standing, found = self._standing[number], verdicts.get(str(number))
            wrong = {} if found is None else found.by_number()
            for place in places:
                text = standing.passed[place]
                if place in wrong or found is None:
                    standing.faults[place] = Fault("another meaning, said the judge", wrong.get(place, ""))
                    del standing.passed[place]
                if found is not None:
                    outcomes[f"{number} {place}"] = (
                        Rejected(*standing.faults[place]) if place in wrong else Kept(_Passed(text))
                    )
        build.filter(f"meaning {attempt}", "sentences", {key: key for key in outcomes}, outcomes, self._told_of)
        return [number for number in came if number not in new or str(number) in verdicts]

    def _request(self, number: int) -> PageRequest:
        page = self._page(number)
        lines = [_wanted(place, page.sentences[place], fault) for place, fault in self._standing[number].faults.items()]
        with self._lock:
            title = self._web.plan(number).title
        return PageRequest(f"{title}\n\n{page.cut.marked(page.sentences.keys())}", "\n".join(lines))

    def _pairs(self, number: int, places: Sequence[int]) -> PairRequest:
        sentences, passed = self._page(number).sentences, self._standing[number].passed
        return PairRequest("\n\n".join(f"{n}. {sentences[n].text}\n{n}. {passed[n]}" for n in places))

    def _count(self, numbers: Sequence[int], outcomes: Sequence[Outcome[PageReply]]) -> None:
        """Ends a build whose writer does nothing right, before all pages are paid for."""
        for number, outcome in zip(numbers, outcomes, strict=True):
            if not isinstance(outcome, Kept):
                continue
            said = outcome.value.by_number()
            sentences = self._page(number).sentences
            faults = [self._check.fault(sentence, said.get(place, "")) for place, sentence in sentences.items()]
            with self._lock:
                self._row = 0 if None in faults else self._row + 1
                if self._row >= _PATIENCE:
                    raise ModelError(
                        f"writing: no sentence passes of {self._row} pages in a row, the last time as {faults[0]}; "
                        "name another --writer"
                    )

    def _told(self, number: int) -> dict[str, object]:
        with self._lock:
            return {"url": self._web.plan(number).url}

    def _told_of(self, key: str) -> dict[str, object]:
        number, _, place = key.partition(" ")
        return {**self._told(int(number)), "sentence": self._page(int(number)).sentences[int(place)].text}


def _wanted(place: int, sentence: CheckedSentence, fault: Fault) -> str:
    """A line of what is asked for: a sentence, what has to stand in it, and what was wrong with it the last time."""
    keep = [f"“{name}”" for name in sentence.names]
    keep += [f"“{' / '.join(term.wordings)}”" for term in sentence.terms]
    parts = [f"{place}. {sentence.text}"]
    parts += [f"keep: {', '.join(keep)}"] if keep else []
    parts += [f"wrong the last time: {fault}"] if fault != _UNASKED else []
    return " | ".join(parts)
