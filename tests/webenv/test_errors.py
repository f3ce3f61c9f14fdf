"""The exception tree."""

from __future__ import annotations

import gymnasium
import pytest

from webenv import errors
from webenv.errors import MissingExtra, ResetNeeded, UnknownTask, WebenvError, did_you_mean

KINDS = [one for one in vars(errors).values() if isinstance(one, type) and one.__module__ == errors.__name__]


def test_every_exception_is_a_webenv_error() -> None:
    """Whatever webenv raises on purpose can be caught as WebenvError."""
    assert all(issubclass(kind, WebenvError) for kind in KINDS)


def test_the_tree_is_drawn() -> None:
    """Each exception stands in the tree at the top of the module."""
    assert [kind.__name__ for kind in KINDS if kind.__name__ not in (errors.__doc__ or "")] == []


def test_builtin_and_gymnasium_kinds() -> None:
    """Exceptions are also of the kinds that callers know: ValueError, ImportError, gymnasium's ResetNeeded."""
    assert issubclass(UnknownTask, ValueError)
    assert issubclass(MissingExtra, ImportError)
    assert issubclass(ResetNeeded, gymnasium.error.ResetNeeded)


def test_missing_extra_names_the_pip_line() -> None:
    """A missing package is named with what needs it and the line that installs it."""
    message = "judge='llm:x' needs openai, which is not installed: pip install '.[llm]'"
    assert str(MissingExtra("openai", "llm", "judge='llm:x'")) == message


@pytest.mark.parametrize(
    ("name", "known", "message"),
    [
        ("esay", ["easy", "medium", "hard"], "Did you mean 'easy'?"),
        ("x", ["medium", "easy"], "Expected one of: easy, medium."),
        ("x", [str(n) for n in range(10, 23)], f"Expected one of: {', '.join(map(str, range(10, 22)))}, … (13 in all)"),
    ],
)
def test_did_you_mean(name: str, known: list[str], message: str) -> None:
    """An unknown name is answered by its nearest known one, or by the first twelve."""
    assert did_you_mean(name, known).removesuffix(".") == message.removesuffix(".")
