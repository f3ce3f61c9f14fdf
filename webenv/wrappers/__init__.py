"""Wrappers: a search environment as a menu of numbered actions, or in words for language models.

Each is imported when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from webenv.chat import Segment, Tokens, Transcript
    from webenv.wrappers.menu import Menu, MenuSize, MenuWrapper, VectorMenuWrapper
    from webenv.wrappers.sb3 import SearchVecEnv, make_sb3
    from webenv.wrappers.text import TextWrapper, VectorTextWrapper

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
    "Menu": "webenv.wrappers.menu",
    "MenuSize": "webenv.wrappers.menu",
    "MenuWrapper": "webenv.wrappers.menu",
    "VectorMenuWrapper": "webenv.wrappers.menu",
    "SearchVecEnv": "webenv.wrappers.sb3",
    "make_sb3": "webenv.wrappers.sb3",
    "Segment": "webenv.chat",
    "TextWrapper": "webenv.wrappers.text",
    "Tokens": "webenv.chat",
    "Transcript": "webenv.chat",
    "VectorTextWrapper": "webenv.wrappers.text",
}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_PLACES[name]), name)
