from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from webenv.errors import RunError
from webenv.runtime.folders import FolderLock


def test_a_folder_is_held_by_one_process(tmp_path: Path) -> None:
    """A folder that is held is refused with what to do, and free again when its holder is killed or lets go."""
    code = "import sys; from pathlib import Path; from webenv.runtime.folders import FolderLock\n"
    code += "held = FolderLock(Path(sys.argv[1]), 'it', 'wait'); print('held', flush=True); sys.stdin.read()"
    words = [sys.executable, "-c", code, str(tmp_path)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(RunError, match=r"^the folder is in use by another process; wait for it\.$"):
            FolderLock(tmp_path, "the folder", "wait for it")
        other.send_signal(signal.SIGKILL)
    with FolderLock(tmp_path, "the folder", "wait"), pytest.raises(RunError):
        FolderLock(tmp_path, "the folder", "wait")
    FolderLock(tmp_path, "the folder", "wait").close()
