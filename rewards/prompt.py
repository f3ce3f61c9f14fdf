"""What is put to a model that judges, and how its reply is read: data are fenced, verdicts bear the token."""

from __future__ import annotations

import hashlib
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from string import Formatter
from typing import Any, ClassVar, Generic

from webenv.errors import DataError
from webenv.models import Message, Schema, after_thinking, data_token, fence
from webenv.rewards.llm_grader import GradeT, ItemT
from webenv.runtime.files import read_text
from webenv.runtime.text import unknown_placeholder

_THINK_TAG = re.compile(r"<(?=\s*+/?\s*+think\b)", re.IGNORECASE)


class Prompt:
    """A prompt of ours, or a user's file in its place.

    In ours, ``{field}`` stands for that field between tags with the token (:func:`webenv.models.fence`).
    The token is made of all fields and the attempt by SHA-256: the same request has the same token in
    every run, and no field can hold the token that it is sent with. So a reply that bears the token was
    written by who read the prompt, and a verdict that a page or an answer forges is none.

    A file is used to the letter: its ``{field}`` placeholders become the plain data, its ``{token}`` the
    token, and other braces stay; a placeholder that is none of these is refused. A file whose single braces are all
    placeholders is read as ``str.format`` reads it, as the released prompts are: ``{{`` and ``}}`` become ``{`` and
    ``}``. A file named ``.json`` is an object with the ``prompt`` and, if wanted, the ``system`` message before it;
    what else is in it is :attr:`more`. Without ``{token}`` replies are read without one (``plain``); then what would
    pass for a verdict is defused in the data first, and its think tags too: data that is quoted must not cut the reply
    that quotes it.

    Args:
        text: our prompt, with ``{field}`` for each field and ``{token}``.
        fields: the names of the fields, in the order in which their values are given.
        path: a file in its place, UTF-8.
        aliases: other names that a file may use for a field, such as ``target`` for ``gold``.
        parts: names that a file may use for a part of a field: the field, and what takes the part from its text. They
            stand for the field where all that name it are there.
        defuse: what makes data harmless in a file without ``{token}``, beside its think tags.
        what: what messages call a file.

    Raises:
        DataError: for a file that cannot be read, lacks a field, or has a placeholder of another name.

    >>> prompt = Prompt("Judge {answer}. End with {token}.", ["answer"])
    >>> print(prompt.ask(["Paris"], 1)[0].content)
    Judge <answer id="8a9188122aa3ced4">
    Paris
    </answer id="8a9188122aa3ced4">. End with 8a9188122aa3ced4.
    """

    def __init__(
        self,
        text: str,
        fields: Sequence[str],
        path: str | Path | None = None,
        *,
        aliases: Mapping[str, Sequence[str]] | None = None,
        parts: Mapping[str, tuple[str, Callable[[str], str]]] | None = None,
        defuse: Callable[[str], str] | None = None,
        what: str = "judge prompt",
    ) -> None:
        self.fields = tuple(fields)
        self.from_file = path is not None
        self.own = text  # ours, also where a file stands in its place: what a file of one's own may begin with
        self.more: Mapping[str, Any] = {}
        self._system = ""
        self._defuse = defuse
        self._parts = parts or {}
        self._field_of = {name: name for name in self.fields}
        if path is None:
            self._doubled = False
            self._template = self._placeholders().sub(lambda found: _fenced(found[1]), text)
        else:
            for field, names in (aliases or {}).items():
                self._field_of.update(dict.fromkeys(names, field))
            self._template = self._read(Path(path), what)
        self.plain = "{token}" not in self._template
        self._doubled = self.from_file and self._is_format()

    @property
    def digest(self) -> str:
        """SHA-256 of the prompt before anything is filled in; of a ``.json`` file, of all that is in it."""
        more = json.dumps([self._system, self.more], sort_keys=True) if self._system or self.more else ""
        return hashlib.sha256((self._template + more).encode()).hexdigest()

    def token(self, values: Sequence[str], attempt: int) -> str:
        """The token of the request that :meth:`ask` makes of the same arguments: 16 hex digits."""
        return data_token(*values, str(attempt))

    def ask(self, values: Sequence[str], attempt: int) -> list[Message]:
        """The conversation: one message of the user's, behind the system message that a ``.json`` file may have.

        Args:
            values: one text for each field, in order.
            attempt: 1 for the first; each attempt has another token.
        """
        known = dict(zip(self.fields, values, strict=True))
        if self.plain:
            known = {name: self._harmless(value) for name, value in known.items()}
        filled = {name: known[field] for name, field in self._field_of.items()}
        filled |= {name: of(known[field]) for name, (field, of) in self._parts.items()}
        filled["token"] = self.token(values, attempt)
        fill = self._placeholders("token")  # one pass: no value is searched for placeholders
        text = fill.sub(lambda found: filled[found[1]] if found[1] else found[0][0], self._template)
        return [*([Message("system", self._system)] if self._system else []), Message("user", text)]

    def _harmless(self, value: str) -> str:
        return _THINK_TAG.sub("‹", value if self._defuse is None else self._defuse(value))

    def _placeholders(self, *more: str) -> re.Pattern[str]:
        known = "|".join(map(re.escape, (*self._field_of, *self._parts, *more)))
        return re.compile((r"\{\{|\}\}|" if self._doubled else "") + r"\{(" + known + r")\}")

    def _is_format(self) -> bool:
        """Whether the only single braces of a file are placeholders, so that it was written for ``str.format``."""
        names = {*self._field_of, *self._parts, "token"}
        try:
            found = [part[1:] for part in Formatter().parse(self._template) if part[1] is not None]
            return all(name in names and not spec and not conversion for name, spec, conversion in found)
        except ValueError:
            return False

    def _read(self, path: Path, what: str) -> str:
        template = read_text(path, what)
        if path.suffix.lower() == ".json":
            found = read_object(template) or {}
            given, system = found.pop("prompt", None), found.pop("system", "")
            if not isinstance(given, str) or not isinstance(system, str):
                raise DataError(
                    f"{what} {str(path)!r}: expected a JSON object with a text as prompt, and one as system, if any."
                )
            template, self._system, self.more = given, system, found
        for field in self.fields:
            names = [name for name, of in self._field_of.items() if of == field]
            parts = [name for name, (of, _) in self._parts.items() if of == field]
            if parts and all(f"{{{name}}}" in template for name in parts):
                continue
            if not any(f"{{{name}}}" in template for name in names):
                others = f" (or {', '.join(f'{{{name}}}' for name in names[1:])})" if names[1:] else ""
                raise DataError(
                    f"{what} {str(path)!r} has no {{{field}}}{others}; "
                    f"put it where the {field.replace('_', ' ')} is to stand."
                )
        unknown = unknown_placeholder(template, (*self._field_of, *self._parts, "token"))
        if unknown:
            raise DataError(f"{what} {str(path)!r}: {unknown}")
        return template


def defused_tags(*names: str) -> Callable[[str], str]:
    """What turns the ``<`` of these tags, opening and closing, into ``‹``.

    >>> defused_tags("accept")("<b> < /Accept> <accepted>")
    '<b> ‹ /Accept> <accepted>'
    """
    start = re.compile(rf"<(?=\s*+/?\s*+(?:{'|'.join(map(re.escape, names))})\b)", re.IGNORECASE)
    return lambda text: start.sub("‹", text)


def _fenced(field: str) -> str:
    return fence(field, f"{{{field}}}", "{token}")


class PromptRubric(ABC, Generic[ItemT, GradeT]):
    """A :class:`webenv.rewards.llm_grader.Rubric` but for ``name``, ``values``, ``read`` and ``vote``.

    Args:
        prompt: a file in place of our prompt.

    Attributes:
        template: our prompt.
        given: the fields of the prompt, in the order of ``values``.
        aliases: other names that a file may use for a field.
        parts: names that a file may use for a part of a field, as :class:`Prompt` has them.
        sent: the JSON schema of a reply to ours, if there is one; it is not sent with a file without ``{token}``.
        what: what messages call a file.

    Raises:
        DataError: for a prompt file that cannot be used.
    """

    name: ClassVar[str]
    version: ClassVar[str] = "1"
    parser: ClassVar[str] = "4"
    sought: ClassVar[str] = "single verdict"

    template: str
    given: tuple[str, ...]
    aliases: ClassVar[Mapping[str, Sequence[str]]] = {}
    parts: ClassVar[Mapping[str, tuple[str, Callable[[str], str]]]] = {}
    sent: Schema | None = None
    what: ClassVar[str] = "judge prompt"

    def __init__(self, prompt: str | Path | None = None) -> None:
        self.prompt = Prompt(
            self.template,
            self.given,
            prompt,
            aliases=self.aliases,
            parts=self.parts,
            defuse=self.defused,
            what=self.what,
        )

    def defused(self, text: str) -> str:
        """Data without what would pass for a verdict in a file without a token."""
        return text

    @property
    def digest(self) -> str:
        """SHA-256 of the prompt before anything is filled in."""
        return self.prompt.digest

    def ask(self, item: ItemT, attempt: int) -> list[Message]:
        """The conversation that puts the question; a file without a token, to the letter at the first attempt, says
        at others that the reply before could not be read, as a model at temperature 0 would give the same again."""
        messages = self.prompt.ask(self.values(item), attempt)
        if attempt == 1 or not self.prompt.plain:
            return messages
        return [*messages[:-1], Message("user", messages[-1].content + _AGAIN.format(attempt))]

    def schema(self, item: ItemT, attempt: int) -> Schema | None:
        """The JSON schema of a reply; none for a file without a token, which says itself how to reply."""
        return None if self.prompt.plain else self.sent

    def fields(
        self, reply: str, item: ItemT, attempt: int, required: Sequence[str], optional: Sequence[str] = ()
    ) -> dict[str, str] | None:
        """The fields of a reply that bear the token of this request (:func:`webenv.rewards.prompt.read_fields`)."""
        return read_fields(reply, self.prompt.token(self.values(item), attempt), required, optional)

    def said(self, reply: str, item: ItemT, attempt: int, *names: str) -> tuple[str, str]:
        """What a reply says in a field, and the ``justification`` that it gives; empty texts where it has none.

        With a file without a token the whole reply is a JSON object with such a field, or what is said itself.

        Args:
            names: the field, and other names that a file without a token may call it by.
        """
        if not self.prompt.plain:
            fields = self.fields(reply, item, attempt, names[:1], ["justification"]) or {}
            return fields.get(names[0], ""), fields.get("justification", "")
        found = read_object(after_thinking(reply))
        if found is None:
            return after_thinking(reply), ""
        value = next((found[name] for name in names if name in found), "")
        return "" if isinstance(value, bool) else str(value), str(found.get("justification", ""))

    @abstractmethod
    def values(self, item: ItemT) -> Sequence[str]:
        """The texts of the prompt's fields, in their order."""

    @abstractmethod
    def read(self, reply: str, item: ItemT, attempt: int) -> GradeT | None:
        """What a reply says; ``None``: it is no verdict."""

    @abstractmethod
    def vote(self, grade: GradeT) -> Hashable:
        """What of a grade votes are counted by."""

    def rank(self, grade: GradeT) -> float:
        """How good a grade is for the agent: by default its vote, where that is a number or a yes or no."""
        vote = self.vote(grade)
        return float(vote) if isinstance(vote, int | float) else 0.0

    def neutral(self, item: ItemT) -> ItemT | None:
        """The item with :data:`NEUTRAL` in place of what the agent brought; by default it brought nothing."""
        return None


NEUTRAL = "I do not know."
"""What any model can read, in place of a text that one may have stumbled over."""

_AGAIN = "\n\n(Attempt {}: the last reply could not be read. Reply in the form asked for above, and with nothing else.)"


_MARKUP = " \t\r\n*_`\"'.“”‘’"


def read_fields(reply: str, token: str, required: Sequence[str], optional: Sequence[str] = ()) -> dict[str, str] | None:
    """The fields of a reply, by name; ``None``: it is no verdict.

    Each field is a tag with the token, ``<verdict id="TOKEN">correct</verdict>``, that stands in the reply
    once, or several times and says the same each time; or all are texts or whole numbers of one JSON object
    that is the whole reply and holds the token as ``id``. A tag or an object without the token, or with
    another, is none. Text up to a closing think tag is dropped first.

    Args:
        reply: the reply.
        token: the token of the request.
        required: the fields without which it is no verdict.
        optional: fields that may be missing; one that says two things is no verdict either.

    >>> read_fields('I weigh it. <verdict id="1f">no</verdict>', "1f", ["verdict"])
    {'verdict': 'no'}
    >>> read_fields('{"id": "1f", "verdict": "no"}', "1f", ["verdict"])
    {'verdict': 'no'}
    >>> read_fields('{"verdict": "no"}', "1f", ["verdict"]) is None
    True
    """
    text = after_thinking(reply)
    found = read_object(reply) or read_object(text)  # a reason in the object may quote a think tag
    if found is not None:
        return _of_object(found, required, optional) if found.get("id") == token else None
    fields: dict[str, str] = {}
    for name in (*required, *optional):
        opened = list(
            re.finditer(rf"""<\s*(?i:{re.escape(name)})\s+(?i:id)\s*=\s*["']?{re.escape(token)}["']?\s*>""", text)
        )
        if not opened and name in optional:
            continue
        ends = [one.start() for one in opened[1:]] + [len(text)]
        said = [_until_closed(text[one.end() : end], name) for one, end in zip(opened, ends, strict=False)]
        if not said or said[0] is None or len({_plainly(one) for one in said}) > 1:
            return None
        fields[name] = said[0]
    return fields


def read_object(text: str) -> dict[str, Any] | None:
    """The JSON object that a text is, alone or in one code fence; ``None``: it is none.

    An object that has a name twice is none: whoever reads it would have to choose.

    >>> read_object('```json\\n{"a": 1}\\n```'), read_object('see {"a": 1}'), read_object('{"a": 1, "a": 2}')
    ({'a': 1}, None, None)
    """
    body = text.strip()
    fenced = re.fullmatch(r"```(?:json)?[ \t]*\r?\n(.*?)\r?\n?```", body, re.DOTALL | re.IGNORECASE)
    body = fenced[1].strip() if fenced else body
    if not body.startswith("{"):
        return None
    try:
        found = json.loads(body, object_pairs_hook=_unique)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def read_choice(text: str, choices: Iterable[str]) -> str | None:
    """The one of the choices that a text is, whatever its case and the markup around it; ``None``: none.

    >>> read_choice("**Not attempted.**", ["correct", "not_attempted"]), read_choice("correct?", ["correct"])
    ('not_attempted', None)
    """
    word = re.sub(r"[\s_-]+", "_", text.strip(_MARKUP)).lower()
    return word if word in tuple(choices) else None


def echoes(reply: str, *data: str) -> bool:
    """Whether a reply only repeats one of the texts that it was to judge, but for spaces.

    What a token tells apart by itself, a user's prompt without one leaves open: there a favourable
    verdict that is the judged text is none.
    """
    said = after_thinking(reply).split()
    return any(said == after_thinking(text).split() for text in data)


def schema_of(fields: Mapping[str, Schema]) -> Schema:
    """The JSON schema of an object with these fields and the token as ``id``, all required and no others.

    The token itself is no part of it: it is the model that has to copy it, which an echo does not.
    """
    properties = {"id": {"type": "string"}, **fields}
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _of_object(found: Mapping[str, Any], required: Sequence[str], optional: Sequence[str]) -> dict[str, str] | None:
    fields = {}
    for name in (*required, *optional):
        value = found.get(name)
        if value is None and name in optional:
            continue
        if isinstance(value, bool) or not isinstance(value, str | int):
            return None
        fields[name] = str(value).strip()
    return fields


def _until_closed(text: str, name: str) -> str | None:
    closed = re.search(rf"<\s*/\s*{re.escape(name)}\b", text, re.IGNORECASE)
    return None if closed is None else text[: closed.start()].strip()


def _plainly(said: str | None) -> str | None:
    """What a field says, whatever its case, spaces and the markup around it; ``None``: it was not closed."""
    return None if said is None else " ".join(said.strip(_MARKUP).split()).casefold()


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name twice")
    return found
