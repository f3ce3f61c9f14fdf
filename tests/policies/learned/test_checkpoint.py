"""Files of policies: whole or not at all, and checked before they are believed."""

from __future__ import annotations

import io
import math
import os
import pickle
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.extras import needs_extra

needs_extra("train")

import torch

from tests.training.test_folder import file_size
from webenv.errors import DataError, RunError
from webenv.policies.learned.checkpoint import SavedPolicy, load_policy, save_policy
from webenv.policies.learned.scorer import MenuScorer
from webenv.wrappers.menu import MenuSize


def some_policy(seed: int = 0, size: MenuSize = MenuSize(2, 4, 2)) -> SavedPolicy:  # noqa: B008
    scorer = MenuScorer(size, width=8, chance=torch.Generator().manual_seed(seed))
    return SavedPolicy(scorer, "url", "NeedleInWeb-v0", 1000)


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    """All of it comes back, weights to the bit."""
    save_policy(tmp_path / "p.pt", some_policy())
    loaded = load_policy(tmp_path / "p.pt")
    assert (loaded.answers, loaded.env, loaded.steps) == ("url", "NeedleInWeb-v0", 1000)
    assert loaded.scorer.size == MenuSize(2, 4, 2)
    assert loaded.digest == some_policy().digest != some_policy(1).digest
    for name, weights in some_policy().scorer.state_dict().items():
        assert torch.equal(loaded.scorer.state_dict()[name], weights)


def changed(path: Path, **parts: Any) -> Path:
    """A policy file with some parts replaced."""
    save_policy(path, some_policy())
    data = torch.load(path, weights_only=True)
    torch.save({**data, **parts}, path)
    return path


def test_another_version_is_refused(tmp_path: Path) -> None:
    """The version that came and the one that is read are named."""
    with pytest.raises(DataError, match="is of version 3; this webenv reads version 2"):
        load_policy(changed(tmp_path / "p.pt", version=3))


def test_other_features_are_refused(tmp_path: Path) -> None:
    """The first features that differ are named."""
    features = torch.load(changed(tmp_path / "p.pt"), weights_only=True)["features"]
    other = {**features, "sites": [*features["sites"], "of_old"]}
    with pytest.raises(DataError, match=r"other features of sites \(of_old\) than this webenv has; train it anew"):
        load_policy(changed(tmp_path / "p.pt", features=other))
    turned = {**features, "context": features["context"][::-1]}
    with pytest.raises(DataError, match=r"features of context \(the same in another order\)"):
        load_policy(changed(tmp_path / "p.pt", features=turned))


@pytest.mark.parametrize(
    "part",
    [
        {"size": [2, 4]},
        {"width": 9},
        {"width": 10**7},  # room for it would end the process
        {"weights": {}},
        {"weights": {"critic.weight": torch.zeros(8, 8), 1: 2}},
        {"answers": "song"},
        {"steps": None},
        {"steps": math.inf},
        {"steps": 1.5},
        {"env": None},
        {"weights": {name: one.to(torch.complex64) for name, one in some_policy().scorer.state_dict().items()}},
        {"features": None},
        {"features": {"queries": 5}},
    ],
)
def test_damaged_files_are_refused(tmp_path: Path, part: dict[str, Any]) -> None:
    """A part that does not fit the others is one line."""
    with pytest.raises(DataError, match="is damaged") as caught:
        load_policy(changed(tmp_path / "p.pt", **part))
    assert "\n" not in str(caught.value)


def test_weights_that_are_no_numbers_are_refused(tmp_path: Path) -> None:
    """A policy whose training diverged decides nothing."""
    weights = some_policy().scorer.state_dict()
    weights["menu.bias"][0] = float("nan")
    with pytest.raises(DataError, match="no finite numbers"):
        load_policy(changed(tmp_path / "p.pt", weights=weights))
    weights["menu.bias"][0] = 1e30
    with pytest.raises(DataError, match=r"holds a weight of 1e\+30: its training diverged"):
        load_policy(changed(tmp_path / "p.pt", weights=weights))


class _Wicked:
    def __reduce__(self) -> tuple[Any, ...]:
        return exec, ("raise SystemExit('a file was run')",)


@pytest.mark.parametrize("content", [b"", b"no torch file", pickle.dumps(_Wicked()), pickle.dumps({"format": "x"})])
def test_what_is_no_policy_file_is_refused(tmp_path: Path, content: bytes) -> None:
    """Empty, foreign and wicked files are one line, and nothing in them is run."""
    (tmp_path / "p.pt").write_bytes(content)
    with pytest.raises(DataError, match="is no policy file of webenv") as caught:
        load_policy(tmp_path / "p.pt")
    assert "\n" not in str(caught.value)


def test_a_file_that_torch_can_read_but_is_none_is_refused(tmp_path: Path) -> None:
    """A file of plain weights, a missing file and a folder."""
    torch.save({"weights": torch.zeros(3)}, tmp_path / "p.pt")
    with pytest.raises(DataError, match=r"names no format, expected 'webenv\.policy'"):
        load_policy(tmp_path / "p.pt")
    with pytest.raises(DataError, match="cannot be read: No such file or directory"):
        load_policy(tmp_path / "none.pt")
    with pytest.raises(DataError, match="cannot be read: Is a directory"):
        load_policy(tmp_path)


def test_on_a_full_disk_the_last_good_file_stays(tmp_path: Path) -> None:
    """Where no more can be written, what was there before is whole, and nothing else is left behind."""
    path = tmp_path / "p.pt"
    save_policy(path, some_policy(0))
    message = r"p\.pt cannot be written: File too large; what was written before is kept"
    with file_size(1000), pytest.raises(RunError, match=message):
        save_policy(path, some_policy(1))
    assert load_policy(path).digest == some_policy(0).digest
    assert [file.name for file in tmp_path.iterdir()] == ["p.pt"]


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """Where to it cannot be written is named."""
    with pytest.raises(RunError, match="cannot be written: No such file or directory"):
        save_policy(tmp_path / "none" / "p.pt", some_policy())


class _Large:
    def __init__(self, call: Any, *arguments: Any) -> None:
        self._reduced = call, arguments

    def __reduce__(self) -> tuple[Any, ...]:
        return self._reduced


def _old_format() -> bytes:
    """A file of torch's old format that declares a storage of 10 GB and holds nothing of it."""
    held = io.BytesIO()
    torch.save({"weights": torch.zeros(4)}, held, _use_new_zipfile_serialization=False)
    return held.getvalue().replace(b"K\x04", b"\x8a\x05" + (2_600_000_000).to_bytes(5, "little"))


def _compressed() -> bytes:
    """A policy file of 100 MB of zeros, packed small."""
    plain, packed = io.BytesIO(), io.BytesIO()
    torch.save({"format": "webenv.policy", "version": 1, "weights": torch.zeros(25_000_000)}, plain)
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as new:
        for member in old.infolist():
            new.writestr(member.filename, old.read(member))
    return packed.getvalue()


def _saved(**parts: Any) -> bytes:
    held = io.BytesIO()
    torch.save({"format": "webenv.policy", "version": 1, **parts}, held)
    return held.getvalue()


LARGE = {
    "old": _old_format,
    "compressed": _compressed,
    "strides": lambda: _saved(width=50_000, weights={"critic.weight": torch.zeros(1).expand(50_000, 50_000)}),
    "bytearray": lambda: _saved(weights=_Large(bytearray, 10**10)),
    "tensor": lambda: _saved(weights=_Large(torch.FloatTensor, 2_500_000_000)),
    "set": lambda: _saved(weights=_Large(set, (1, 2))),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", LARGE)
def test_a_small_file_takes_no_large_memory(tmp_path: Path, kind: str) -> None:
    """What a file only declares is refused before room is made for it: in a process that may have 300 MB more."""
    (tmp_path / "p.pt").write_bytes(LARGE[kind]())
    script = (
        "import resource, sys, torch\n"
        "from webenv.errors import DataError\n"
        "from webenv.policies.learned.checkpoint import load_policy\n"
        "now = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (now + 300_000_000,) * 2)\n"
        "try:\n    load_policy(sys.argv[1])\n"
        "except DataError as error:\n    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", script, str(tmp_path / "p.pt")], capture_output=True, text=True, timeout=300
    )
    assert (done.stderr, done.returncode) == ("", 0)
    assert "is no policy file of webenv" in done.stdout


def test_a_file_without_end_is_refused(tmp_path: Path) -> None:
    """A device is not read, and a pipe not waited for."""
    os.mkfifo(tmp_path / "pipe.pt")
    for path in (tmp_path / "pipe.pt", Path("/dev/zero")):
        with pytest.raises(DataError, match="is no policy file of webenv"):
            load_policy(path)


def test_lists_that_hold_one_another_are_refused(tmp_path: Path) -> None:
    """A list of lists of the same lists, whose text would have 2⁴⁰ parts, is refused at once."""
    laughs: list[Any] = []
    for _ in range(40):
        laughs = [laughs, laughs]
    for part in ("version", "width", "env"):
        with pytest.raises(DataError, match=r"\[\[\[\[\[\[\.\.\.\], "):
            load_policy(changed(tmp_path / "p.pt", **{part: laughs}))
