"""The folder in which things are kept that can be made again."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cache_folder() -> Path:
    """WEBENV_CACHE, else the folder ``webenv`` where the platform keeps such things; it need not be there."""
    named = os.environ.get("WEBENV_CACHE")
    if named:
        return Path(named).absolute()
    given = os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME", "")
    if os.path.isabs(given):
        return Path(given) / "webenv"
    home = Path(os.path.expanduser("~"))
    return home / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "webenv"
