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
    "webenv.chat": ("Segment", "Tokens", "Transcript"),
    "webenv.wrappers.menu": ("Menu", "MenuSize", "MenuWrapper", "VectorMenuWrapper"),
    "webenv.wrappers.sb3": ("SearchVecEnv", "make_sb3"),
    "webenv.wrappers.text": ("TextWrapper", "VectorTextWrapper"),
}


def __getattr__(name: str) -> Any:
    for module, names in _PLACES.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
