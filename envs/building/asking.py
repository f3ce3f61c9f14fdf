"""Questions put to models within a build, whose replies are fields that bear a token; and verdicts of judges."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeVar

from webenv.budget import Budget, Spending
from webenv.envs.building.folder import Kept, Open, Outcome, Rejected
from webenv.errors import DataError, ServiceError
from webenv.judge import Judge, Submission, Verdict
from webenv.models import after_thinking
from webenv.observations import Page
from webenv.rewards.llm_grader import GradeT, ItemT, LLMGrader
from webenv.rewards.prompt import PromptRubric, defused_tags, read_object, schema_of
from webenv.runtime.files import files_in
from webenv.task import Task
from webenv.web import Failure, Missing, VisitRequest, VisitResponse, Web

ValueT = TypeVar("ValueT", bound=tuple[Any, ...])

Fields = Mapping[str, Sequence[str]]
"""What a reply gives for each field, in order; empty fields are left out."""

_HELD = """
If you are held to a JSON object: "id" is {token}, each tag's text stands under the tag's name, and what does not \
apply stays empty.
"""

_LONGEST = 40_000  # characters of an article that a model is shown


class FieldQuestion(PromptRubric[ItemT, GradeT]):
    """A :class:`webenv.rewards.llm_grader.Rubric` whose replies are fields: tags, or one JSON object.

    A field is ``<query id="TOKEN">…</query>``, or a name of an object with the token as ``id``. What does
    not bear the token does not count, so what an article forges is no reply. In an object all fields have to stand,
    those that do not apply empty, as our prompt says at its end. A prompt file takes the place of our prompt (see
    :class:`webenv.rewards.prompt.Prompt`); the fields stay.
    """

    what = "build prompt"
    once: ClassVar[tuple[str, ...]] = ()
    """The fields of a reply that stand in it once at most."""
    listed: ClassVar[tuple[str, ...]] = ()
    """Those that may stand in it many times."""
    choices: ClassVar[Mapping[str, Sequence[str]]] = {}
    """What a field is one of, for those that are words of ours; with an empty text, where it may not apply."""

    def __init__(self, prompt: str | Path | None = None) -> None:
        text = {"type": "string"}
        words = {name: {**text, "enum": list(each)} for name, each in self.choices.items()}
        texts = {"type": "array", "items": text}
        self.template += _HELD
        self.sent = schema_of({**dict.fromkeys(self.once, text), **words, **dict.fromkeys(self.listed, texts)})
        super().__init__(prompt)

    def defused(self, text: str) -> str:
        return defused_tags(*self.once, *self.listed)(text)

    def read(self, reply: str, item: ItemT, attempt: int) -> GradeT | None:
        """What a reply says; ``None``: it is no reply to the question."""
        token = "" if self.prompt.plain else self.prompt.token(self.values(item), attempt)
        fields = read_all_fields(reply, (*self.once, *self.listed), token)
        if fields is None or any(len(fields[name]) > 1 for name in self.once):
            return None
        return self.understand(fields, item)

    def vote(self, grade: GradeT) -> Hashable:
        """The grade itself."""
        return repr(grade)

    @abstractmethod
    def understand(self, fields: Fields, item: ItemT) -> GradeT | None:
        """What the fields of a reply say; ``None``: it is no reply to the question."""


def read_all_fields(reply: str, names: Sequence[str], token: str) -> Fields | None:
    """The fields of a reply, after its thinking; ``None`` where one is opened and not closed, or holds no text.

    Args:
        reply: what a model wrote.
        names: the fields that count.
        token: what each must bear as its id; empty: none.

    >>> read_all_fields('<a id="1f">x</a> <a>y</a> <b id="1f"/>', ["a", "b"], "1f")
    {'a': ['x'], 'b': []}
    >>> read_all_fields('{"id": "1f", "a": ["x", "y"], "b": ""}', ["a", "b"], "1f")
    {'a': ['x', 'y'], 'b': []}
    """
    text = after_thinking(reply)
    record = read_object(text)
    if record is not None:
        return _of_object(record, names) if not token or record.get("id") == token else None
    mark = rf"""\s+(?i:id)\s*=\s*["']?{re.escape(token)}["']?""" if token else r"[^<>/]*+"
    opening = re.compile(rf"<\s*((?i:{'|'.join(map(re.escape, names))})){mark}\s*+(/?)\s*+>")
    found: dict[str, list[str]] = {name: [] for name in names}
    start = 0
    while (tag := opening.search(text, start)) is not None:
        name, start = tag[1].lower(), tag.end()
        if tag[2]:
            continue
        end = re.compile(rf"<\s*/\s*{re.escape(name)}\b[^<>]*>", re.IGNORECASE).search(text, start)
        if end is None:
            return None
        if inside := text[start : end.start()].strip():
            found[name].append(inside)
        start = end.end()
    return found


def _of_object(record: Mapping[str, Any], names: Sequence[str]) -> Fields | None:
    found: dict[str, list[str]] = {}
    for name in names:
        value = record.get(name)
        texts = value if isinstance(value, list) else [] if value is None else [value]
        if not all(isinstance(text, str) for text in texts):
            return None
        found[name] = [text.strip() for text in texts if text.strip()]
    return found


def article_text(title: str, text: str, date: str = "") -> str:
    """An article as a model is shown it: its title, its date where it is known, and its first 40,000 characters."""
    return "\n\n".join(part for part in (title, date, text[:_LONGEST]) if part)


def prompt_files(folder: Path | None, names: Sequence[str]) -> dict[str, Path | None]:
    """The prompt file of each question, ``<name>.txt``, where a folder of them has one.

    Raises:
        DataError: if there is no such folder, or it holds a .txt file of another name.
    """
    if folder is None:
        return dict.fromkeys(names)
    if not folder.is_dir():
        raise DataError(f"prompts {str(folder)!r}: there is no such folder.")
    files = {file.stem: file for file in files_in(folder, (".txt",))}
    for stem in files:
        if stem not in names:
            raise DataError(f"prompts {str(folder)!r}: {stem}.txt is no prompt of this build; {', '.join(names)} are.")
    return {name: files.get(name) for name in names}


def asked(
    panel: LLMGrader[ItemT, GradeT], decide: Callable[[ItemT, GradeT], Kept[ValueT] | Rejected]
) -> Callable[[Sequence[ItemT]], list[Outcome[ValueT]]]:
    """The work of a stage that puts a question to a model: an item without a readable reply stays open."""

    def work(items: Sequence[ItemT]) -> list[Outcome[ValueT]]:
        graded = panel.grade(items)
        return [
            Open(found.reason, not found.answered) if found.grade is None else decide(item, found.grade)
            for item, found in zip(items, graded, strict=True)
        ]

    return work


class Accepted(NamedTuple):
    """What a judge found right, and why."""

    explanation: str


def judged(
    judge: Judge, submit: Callable[[ItemT], Submission], otherwise: str
) -> Callable[[Sequence[ItemT]], list[Outcome[Accepted]]]:
    """The work of a stage in which a judge scores: an item that it leaves unscored stays open.

    Args:
        judge: who scores.
        submit: an item as a submission.
        otherwise: why an item falls whose value is not 1.
    """

    def decided(verdict: Verdict) -> Outcome[Accepted]:
        if not verdict.scored:
            return Open(verdict.explanation)
        return Kept(Accepted(verdict.explanation)) if verdict.value == 1.0 else Rejected(otherwise, verdict.explanation)

    def work(items: Sequence[ItemT]) -> list[Outcome[Accepted]]:
        try:
            verdicts = judge.score([submit(item) for item in items])
        except ServiceError as error:
            return [Open(str(error), unanswered=True)] * len(items)
        return list(map(decided, verdicts))

    return work


def visited(
    web: Web, read: Callable[[Page], Kept[ValueT] | Rejected]
) -> Callable[[Sequence[str]], list[Outcome[ValueT]]]:
    """The work of a stage that fetches pages: what the web could not be asked for stays open.

    Args:
        web: what is visited.
        read: what a page that came is to the stage.
    """

    def came(answer: VisitResponse) -> Outcome[ValueT]:
        if isinstance(answer, Failure):
            return Open(answer.reason)
        return Rejected("cannot be had", answer.reason) if isinstance(answer, Missing) else read(answer)

    def work(urls: Sequence[str]) -> list[Outcome[ValueT]]:
        try:
            answers = web.visit([VisitRequest(url) for url in urls])
        except ServiceError as error:
            return [Open(str(error))] * len(urls)
        return list(map(came, answers))

    return work


def submission(task: Task, answer: str, page: Page | None = None) -> Submission:
    """A submission that nobody played: an answer to a task, and the page that it stands for."""
    pages = () if page is None else (page,)
    return Submission(task, "answered", (answer,), pages, (), (), Budget(), Spending())


def model_identity(identity: Mapping[str, str]) -> dict[str, str]:
    """The identity of a panel or judge, without the address of its endpoint: a build may go on at another."""
    return {name: value for name, value in identity.items() if name not in ("model_host", "host")}
