"""Files of policies and of learners: written whole or not at all, and checked before they are believed."""

from __future__ import annotations

import hashlib
import io
import math
import os
import pickletools
import stat
import warnings
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from reprlib import repr as short  # a file may hold a list of lists of the same lists, whose text has 2⁴⁰ parts
from types import MappingProxyType
from typing import Any, NamedTuple

import torch
from torch import Tensor

from webenv.errors import DataError
from webenv.policies.learned.scorer import MenuScorer
from webenv.runtime.files import write_atomic
from webenv.wrappers.menu import CANDIDATE_FEATURES, CONTEXT_FEATURES, QUERY_FEATURES, SITE_FEATURES, Answers, MenuSize

FORMAT, VERSION = "webenv.policy", 2
_LARGEST = 1e6  # weight
_MOST_BYTES = 4 << 30  # of a file: a checkpoint of the widest scorer with its optimiser has under 3 GiB
# ``weights_only`` alone lets a file call ``bytearray(10**10)`` or ``torch.FloatTensor(10**10)``; files of ours call
# these alone.
_NAMES = frozenset(
    {"collections OrderedDict", "torch._utils _rebuild_tensor_v2"}
    | {f"torch {kind}Storage" for kind in ("Float", "Double", "Long", "Int", "Byte", "Bool", "ComplexFloat")}
)
_OPCODES = frozenset({"INST", "OBJ", "STACK_GLOBAL", "NEWOBJ", "NEWOBJ_EX", "EXT1", "EXT2", "EXT4"})  # other calls

ANSWERS: Mapping[str, Answers] = {"url": "url", "ranking": "ranking", "phrase": "phrase", "report": "report"}
"""The kinds of answers."""

_FEATURES = {
    "queries": list(QUERY_FEATURES),
    "candidates": list(CANDIDATE_FEATURES),
    "sites": list(SITE_FEATURES),
    "context": list(CONTEXT_FEATURES),
}


class SavedPolicy(NamedTuple):
    """A scorer, and what its menus must be like.

    Attributes:
        scorer: the network, which holds the size of its menus.
        answers: the kind of answers that it gave where it was trained: ``"url"`` or ``"phrase"``.
        env: the benchmark that it was trained on, as ``NeedleInWeb-v0``.
        steps: how many steps it was trained for.
    """

    scorer: MenuScorer
    answers: Answers
    env: str
    steps: int

    @property
    def digest(self) -> str:
        """The first 16 hexadecimal digits of a SHA-256 over the weights and all that decisions depend on."""
        said = repr((FORMAT, VERSION, tuple(self.scorer.size), self.scorer.width, _FEATURES))
        whole = hashlib.sha256(said.encode())
        for name, weights in sorted(self.scorer.state_dict().items()):
            whole.update(f"{name}{tuple(weights.shape)}".encode())
            whole.update(weights.detach().cpu().to(torch.float32).contiguous().numpy().astype("<f4").tobytes())
        return whole.hexdigest()[:16]

    @property
    def largest(self) -> float:
        """The largest of the weights, without its sign; nan if one is no number."""
        return max((float(weights.abs().max()) for weights in self.scorer.state_dict().values()), key=_nan_first)

    @property
    def diverged(self) -> bool:
        """Whether a weight is no number, or so large that it may take scores over float32's range."""
        return not self.largest <= _LARGEST


def save_policy(path: str | Path, saved: SavedPolicy) -> None:
    """Writes a policy file; what was there before stays if that fails.

    Raises:
        RunError: if it cannot be written, as on a full disk.
    """
    scorer = saved.scorer
    data = {
        "size": list(scorer.size),
        "width": scorer.width,
        "features": _FEATURES,
        "answers": saved.answers,
        "env": saved.env,
        "steps": saved.steps,
        "weights": scorer.state_dict(),
    }
    write_tensors(Path(path), FORMAT, VERSION, data)


def load_policy(path: str | Path) -> SavedPolicy:
    """Reads what :func:`save_policy` wrote.

    Raises:
        DataError: if it cannot be read, is no policy file, or one of another version or of other features.
    """
    data = read_tensors(Path(path), FORMAT, VERSION, "policy")
    try:
        for name, known in _FEATURES.items():
            _check_features(path, name, list(data["features"].get(name, ())), known)
        criteria, candidates, sites = data["size"]
        size = MenuSize.of((criteria, candidates, sites))
        scorer = _scorer_of(size, data["width"], data["weights"])
        answers: Answers = ANSWERS[data["answers"]]
        env, steps = data["env"], data["steps"]
        if not isinstance(env, str) or type(steps) is not int or steps < 0:
            raise TypeError(f"env={short(env)}, steps={short(steps)}")
        saved = SavedPolicy(scorer.eval(), answers, env, steps)
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError, RuntimeError) as error:
        raise DataError(
            f"policy file {str(path)!r} is damaged ({_first_line(error)}); save or train it anew."
        ) from error
    if saved.diverged:
        what = (
            f"a weight of {saved.largest:.3g}" if math.isfinite(saved.largest) else "weights that are no finite numbers"
        )
        raise DataError(f"policy file {str(path)!r} holds {what}: its training diverged; train it anew.")
    return saved


def _scorer_of(size: MenuSize, width: int, weights: Mapping[str, Tensor]) -> MenuScorer:
    """A scorer with the weights of a file.

    Raises:
        ValueError: if they are not those of a scorer so wide: said before room is made for one.
    """
    shape = tuple(weights["critic.weight"].shape)
    if type(width) is not int or shape != (width, width):
        raise ValueError(f"width {short(width)}, but weights of shape {shape}")
    other = next((one.dtype for one in weights.values() if one.dtype != torch.float32), None)
    if other is not None:
        raise ValueError(f"weights of type {other}, expected torch.float32")
    scorer = MenuScorer(size, width)
    scorer.load_state_dict(weights)
    return scorer


def _check_features(path: str | Path, name: str, given: list[Any], known: list[str]) -> None:
    if given == known:
        return
    other = [feature for feature in (*given, *known) if (feature in given) != (feature in known)]
    which = ", ".join(map(str, other[:3])) + ("…" if len(other) > 3 else "") if other else "the same in another order"
    raise DataError(
        f"policy file {str(path)!r} was trained on other features of {name} ({which}) than this webenv has; "
        "train it anew, or use the webenv that it was trained with."
    )


def write_tensors(path: Path, format: str, version: int, data: Mapping[str, Any]) -> None:
    """Writes tensors, numbers, texts, lists and dicts of these; what was there before stays if that fails.

    Raises:
        RunError: if it cannot be written, as on a full disk.
    """
    whole = io.BytesIO()
    torch.save({"format": format, "version": version, **data}, whole)
    write_atomic(path, whole.getvalue())


def read_tensors(
    path: Path, format: str, version: int, what: str, same: Mapping[str, Any] = MappingProxyType({})
) -> dict[str, Any]:
    """Reads what :func:`write_tensors` wrote; nothing in the file is run.

    Args:
        path: the file.
        format: the name that it was written with.
        version: the version that is read.
        what: what messages call it, before "file".
        same: parts that it must have as they are here.

    Raises:
        DataError: if it cannot be read, is of another format or version, or has another of these parts.
    """
    name = f"{what} file {str(path)!r}"
    try:
        content = _read_regular(path)
        with warnings.catch_warnings(action="ignore"):  # torch's, about files of others
            data = torch.load(_checked_archive(content), map_location="cpu", weights_only=True)
        if sum(one.numel() * one.element_size() for one in _tensors_of(data)) > len(content):
            raise ValueError("its tensors are larger than the file")  # strides of 0 make much of one number
    except OSError as error:
        raise DataError(f"{name} cannot be read: {error.strerror or error}.") from error
    except Exception as error:  # torch raises many kinds for what is no file of its own
        raise DataError(
            f"{str(path)!r} is no {what} file of webenv, or not a whole one: expected tensors, numbers and texts as "
            "torch.save writes them; nothing in it was run."
        ) from error
    if not isinstance(data, dict) or data.get("format") != format:
        came = data.get("format") if isinstance(data, dict) else None
        held = f"its format is {came!r:.60}" if isinstance(came, str) else "torch reads it, but it names no format"
        raise DataError(f"{str(path)!r} is no {what} file of webenv: {held}, expected {format!r}.")
    if data.get("version") != version:
        raise DataError(f"{name} is of version {short(data.get('version'))}; this webenv reads version {version}.")
    for part, mine in same.items():
        if data.get(part) != mine:
            raise DataError(f"{str(path)!r} was saved with {part} {short(data.get(part))}; this learner has {mine!r}.")
    return data


def _read_regular(path: Path) -> bytes:
    """The bytes of a regular file; a pipe or a device would be waited for, or have no end."""
    with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
        about = os.fstat(file.fileno())
        if stat.S_ISREG(about.st_mode) and about.st_size > _MOST_BYTES:
            raise ValueError(f"{about.st_size:,} bytes")
        if not stat.S_ISREG(about.st_mode) and not stat.S_ISDIR(about.st_mode):
            raise ValueError("no regular file")
        return file.read()


def _checked_archive(content: bytes) -> io.BytesIO:
    """The archive of a file, written anew from members that are no larger than the file, none of which calls much.

    torch's own reader has another idea of what a damaged archive holds, unpacks compressed members, and makes room
    for what files of its old format only declare; so it is given nothing but what was checked here.

    Raises:
        ValueError: if there is anything else in it than :func:`write_tensors` writes.
    """
    checked = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as archive, zipfile.ZipFile(checked, "w", zipfile.ZIP_STORED) as anew:
        members = archive.infolist()
        stored = all(one.compress_type == zipfile.ZIP_STORED and one.file_size == one.compress_size for one in members)
        if not stored or sum(one.file_size for one in members) > len(content):
            raise ValueError("compressed or overlapping members")
        for member in members:
            held = archive.read(member)
            if member.filename.endswith("data.pkl"):
                _check_pickle(held)
            anew.writestr(member.filename, held)
    checked.seek(0)
    return checked


def _check_pickle(held: bytes) -> None:
    """Refuses what calls anything but the makers of tensors.

    Raises:
        ValueError: naming it.
    """
    for opcode, argument, _ in pickletools.genops(held):
        if opcode.name in _OPCODES or (opcode.name == "GLOBAL" and argument not in _NAMES):
            raise ValueError(f"a call of {argument!r:.60}")


def _tensors_of(data: object) -> Iterator[Tensor]:
    """All tensors in dicts, lists and tuples, at any depth."""
    waiting, known = [data], set[int]()
    while waiting:
        one = waiting.pop()
        if isinstance(one, Tensor):
            yield one
        elif isinstance(one, dict | list | tuple) and id(one) not in known:  # lists of lists of the same lists …
            known.add(id(one))
            waiting += one.values() if isinstance(one, dict) else one


def _nan_first(number: float) -> float:
    return math.inf if math.isnan(number) else number


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0][:100].rstrip(".:")


def clone_scorer(scorer: MenuScorer) -> MenuScorer:
    """A copy of a scorer that later updates do not change."""
    twin = MenuScorer(scorer.size, scorer.width)
    twin.load_state_dict({name: weights.clone() for name, weights in scorer.state_dict().items()})
    twin.eval()
    return twin
