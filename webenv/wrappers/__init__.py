"""Wrappers: a search environment as a menu of numbered actions, or in words for language models.

Each is imported when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from webenv.wrappers.menu import Menu, MenuSize, MenuWrapper, VectorMenuWrapper
    from webenv.wrappers.sb3 import SearchVecEnv, make_sb3
    from webenv.wrappers.text import TextWrapper
    from webenv.wrappers.tokens import Tokens
    from webenv.wrappers.transcript import Segment, Transcript
    from webenv.wrappers.vector_text import VectorTextWrapper

__all__ = [
    "Menu",
    "MenuSize",
    "MenuWrapper",
    "SearchVecEnv",
    "Segment",
    "TextWrapper",
    "Tokens",
    "Transcript",
    "VectorMenuWrapper",
    "VectorTextWrapper",
    "make_sb3",
]

_PLACES = {
    "Menu": "menu",
    "MenuSize": "menu",
    "MenuWrapper": "menu",
    "VectorMenuWrapper": "menu",
    "SearchVecEnv": "sb3",
    "make_sb3": "sb3",
    "Segment": "transcript",
    "TextWrapper": "text",
    "Tokens": "tokens",
    "Transcript": "transcript",
    "VectorTextWrapper": "vector_text",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
