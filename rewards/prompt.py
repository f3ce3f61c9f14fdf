"""Prompt: a text whose fields are filled with data that must not be taken for instructions."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from webenv.errors import DataError
from webenv.models import Message, data_token, fence
from webenv.runtime.files import read_text

_THINK_TAG = re.compile(r"<(?=\s*+/?\s*+think\b)", re.IGNORECASE)


class Prompt:
    """A prompt of ours, or a user's file in its place.

    In ours, ``{field}`` stands for that field between tags with the token (:func:`webenv.models.fence`).
    The token is made of all fields and the attempt by SHA-256: the same request has the same token in
    every run, and no field can hold the token that it is sent with. So a reply that bears the token was
    written by who read the prompt, and a verdict that a page or an answer forges is none.

    A file is used to the letter: its ``{field}`` placeholders become the plain data, its ``{token}`` the
    token, and other braces stay (those that a file doubles for ``str.format`` stay double). Without
    ``{token}`` replies are read without one (``plain``); then what would pass for a verdict is defused in
    the data first, and its think tags too: data that is quoted must not cut the reply that quotes it.

    Args:
        text: our prompt, with ``{field}`` for each field and ``{token}``.
        fields: the names of the fields, in the order in which their values are given.
        path: a file in its place, UTF-8.
        aliases: other names that a file may use for a field, such as ``target`` for ``gold``.
        defuse: what makes data harmless in a file without ``{token}``, beside its think tags.
        what: what messages call a file.

    Raises:
        DataError: for a file that cannot be read, or lacks a field.

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
        defuse: Callable[[str], str] | None = None,
        what: str = "judge prompt",
    ) -> None:
        self.fields = tuple(fields)
        self.from_file = path is not None
        self._defuse = defuse
        self._field_of = {name: name for name in self.fields}
        if path is None:
            self._template = self._placeholders().sub(lambda found: _fenced(found[1]), text)
        else:
            for field, names in (aliases or {}).items():
                self._field_of.update(dict.fromkeys(names, field))
            self._template = self._read(Path(path), what)
        self.plain = "{token}" not in self._template

    @property
    def digest(self) -> str:
        """SHA-256 of the prompt before anything is filled in."""
        return hashlib.sha256(self._template.encode()).hexdigest()

    def token(self, values: Sequence[str], attempt: int) -> str:
        """The token of the request that :meth:`ask` makes of the same arguments: 16 hex digits."""
        return data_token(*values, str(attempt))

    def ask(self, values: Sequence[str], attempt: int) -> list[Message]:
        """The conversation: one message of the user's.

        Args:
            values: one text for each field, in order.
            attempt: 1 for the first; each attempt has another token.
        """
        known = dict(zip(self.fields, values, strict=True))
        if self.plain:
            known = {name: self._harmless(value) for name, value in known.items()}
        token = self.token(values, attempt)
        fill = self._placeholders("token")  # one pass: no value is searched for placeholders
        text = fill.sub(lambda found: token if found[1] == "token" else known[self._field_of[found[1]]], self._template)
        return [Message("user", text)]

    def _harmless(self, value: str) -> str:
        return _THINK_TAG.sub("‹", value if self._defuse is None else self._defuse(value))

    def _placeholders(self, *more: str) -> re.Pattern[str]:
        return re.compile(r"\{(" + "|".join(map(re.escape, (*self._field_of, *more))) + r")\}")

    def _read(self, path: Path, what: str) -> str:
        template = read_text(path, what)
        for field in self.fields:
            names = [name for name, of in self._field_of.items() if of == field]
            if not any(f"{{{name}}}" in template for name in names):
                others = f" (or {', '.join(f'{{{name}}}' for name in names[1:])})" if names[1:] else ""
                raise DataError(
                    f"{what} {str(path)!r} has no {{{field}}}{others}; "
                    f"put it where the {field.replace('_', ' ')} is to stand."
                )
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
