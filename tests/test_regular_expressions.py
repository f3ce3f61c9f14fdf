"""Every regular expression of the package takes time that grows with the text, never with its square or worse.

A page, a query, an answer or a model's reply is whatever a stranger wrote, and `re` cannot be interrupted from another
thread. No well-kept checker knows Python's possessive groups, so growth is measured: each expression is taken apart,
strings are built of what it repeats, and the CPU time of ever longer ones is compared.
"""

from __future__ import annotations

import ast
import importlib
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = ("webenv", "corpora", "envs", "rewards", "policies")
OURS = ("corpora/procedural/data/", "corpora/procedural/lexicon.py")
"""What reads nothing but the word lists of the package."""

LOCALS = {
    "name": "source",
    "names": ["source", "think"],
    "mark": r"[^<>/]*+",
    "token": "0123abcd",
    "heads": {"search": r"search\s*", "ask": r"""ask\s+site\s*=\s*+["']?+(?P<site>[^"'<>]*+)["']?+\s*+"""},
    "magic": b"\x1f\x8b\x08",
    "self": SimpleNamespace(_field_of={"page": "page"}, _parts={}, _doubled=True),
    "more": ("token",),
    "kind": "lighthouse",
    "noun": "lighthouse",
    "placed": r"Ayton (?:is|was) an? [^.]{0,80}? (?:in|of|from|at|near) [A-Z]",
    "plural": "lighthouses",
    "expression": r"\bAyton (?:is|was) an? [a-z -]{3,40}? (?:in|on|near|outside|just) ",
    "flags": 0,
    "stands": r"\bAyton (?:is|was) an? [a-z -]{3,40}? (?:in|on|near|outside|just) ",
    "run": "Ayton",
    "post": "keeper",
    "wanted": SimpleNamespace(columns=("lighthouse", "keeper"), kind="lighthouse", keys=2, plural="lighthouses"),
    "known": "page|token",
    "named": ["", "name | fare"],
    "pattern": r"{} ([^.,;:()]+)",
    "words": "was founded",
    "year": 1922,
    "years": ["1922"],
    "kinds": ["桥", "教堂"],
    "letter": "甲",
    "units": ["acres"],
    "one": "granite",
    "lead": "designed by",
    "forms": ["metre(?:e?s)?", "m"],
    "other": "foot",
    "label": "Pupils",
    "listed": "Ay|Bee",
    "short": "Lee",
    "last": "mill",
    "called": r"\bLee,? (?:the |“)?mill",
    "profession": "engineer",
    "place": 0,
    "is_one": r"\bLee(?:[^.\n]{0,60}\b(?:is|was),?)? an? bank\b",
    "ways": r"Lee[^.\n]{0,60}\b(?:an?|the) bank\b|\b(?:an?|the) bank\b[^.\n]{0,60}Lee",
}
"""What stands in an expression that is put together in a function, for a name that the module does not know."""

FUNCTIONS = {"compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"}
LONGEST = 6_000  # characters of the strings tried: a square there takes 2.5 ms and more, a line 0.25 ms
SLOW = 0.001  # seconds of CPU time above which growth is looked at
GROWTH = 8.0  # for four times the text: a line gives 4, a square 16


class Expression(NamedTuple):
    """One expression of the source, and how it is used: ``match``, ``fullmatch`` or ``finditer``, for all that scan."""

    where: str
    pattern: re.Pattern[Any]
    uses: frozenset[str]


# ── collecting ────────────────────────────────────────────────────────────────


def modules() -> Iterator[Path]:
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            linked = folder == "webenv" and name.split("/")[1] in FOLDERS
            if not linked and not name.startswith(OURS) and re.search(r"\bre\b", path.read_text(encoding="utf-8")):
                yield path


def expressions(path: Path) -> Iterator[Expression]:
    """The expressions of a module: whatever is handed to a function of :mod:`re`."""
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    name = path.relative_to(ROOT).as_posix()
    for node in ast.walk(tree):
        renamed = isinstance(node, ast.ImportFrom) and node.module == "re"
        renamed |= isinstance(node, ast.Import) and any(alias.name == "re" and alias.asname for alias in node.names)
        assert not renamed, f"{name}:{node.lineno} imports parts of re: write re.compile(…), so that they are found"
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _function(node) in FUNCTIONS]
    if not calls:
        return
    dotted = name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    module = importlib.import_module(dotted if dotted.startswith("webenv") else f"webenv.{dotted}")
    names = {**LOCALS, **vars(module)}
    anywhere = set(re.findall(r"\.(\w+)\(", source)) & FUNCTIONS - {"compile"}
    for kept_as, value in vars(module).items():
        if any(isinstance(one, ast.Assign) and _names(one, kept_as) for one in tree.body):
            for pattern in _patterns(value):
                yield Expression(f"{name} {kept_as}", pattern, _ways(anywhere))
    inside = {
        id(node) for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.Lambda) for node in ast.walk(one)
    }
    outside = {id(call) for call in calls} - inside
    kept = {
        id(call): target.id
        for assignment in ast.walk(tree)
        if isinstance(assignment, ast.Assign) and isinstance(target := assignment.targets[0], ast.Name)
        for call in ast.walk(assignment.value)
    }
    for call in calls:
        where = f"{name}:{call.lineno}"
        try:
            given = eval(compile(ast.Expression(call.args[0]), str(path), "eval"), names)
            keywords = {word.arg: word.value for word in call.keywords}
            place = {"compile": 1, "sub": 4, "subn": 4, "split": 3}.get(_function(call), 2)
            flags = keywords.get("flags") or (call.args[place] if len(call.args) > place else None)
            flag = 0 if flags is None else eval(compile(ast.Expression(flags), str(path), "eval"), names)
        except NameError as error:
            if id(call) in outside:
                continue  # of a comprehension: what it makes is among the module's own
            raise AssertionError(
                f"{where}: {error.name} is known in a function alone; add a sample to LOCALS"
            ) from None
        pattern = given if isinstance(given, re.Pattern) else re.compile(given, flag)
        uses = {_function(call)}
        if _function(call) == "compile":
            kept_as = kept.get(id(call), "")
            uses = set(re.findall(rf"\b{kept_as}(?:\[[^]]*\])?\.(\w+)", source)) & FUNCTIONS if kept_as else set()
            if not kept_as.startswith("_"):
                uses |= {"fullmatch", "finditer"}  # other modules may
            elif len(re.findall(rf"\b{kept_as}\b(?![\[.])", source)) > 1:
                uses |= anywhere  # it is handed on
        yield Expression(where, pattern, _ways(uses))


def _ways(uses: Iterable[str]) -> frozenset[str]:
    """The ways of looking that some functions come down to."""
    ways = {use if use in ("match", "fullmatch") else "finditer" for use in uses}
    return frozenset(ways or {"finditer"})


def _names(assignment: ast.Assign, name: str) -> bool:
    target = assignment.targets[0]
    return isinstance(target, ast.Name) and target.id == name and not isinstance(assignment.value, ast.Call)


def _patterns(value: object) -> Iterator[re.Pattern[Any]]:
    """The expressions in a table of a module, however deep."""
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, Mapping):
        yield from (pattern for one in value.values() for pattern in _patterns(one))
    elif isinstance(value, tuple | list | set | frozenset):
        yield from (pattern for one in value for pattern in _patterns(one))


def _function(call: ast.Call) -> str:
    of = call.func
    return of.attr if isinstance(of, ast.Attribute) and isinstance(of.value, ast.Name) and of.value.id == "re" else ""


# ── attacking ─────────────────────────────────────────────────────────────────

_CATEGORIES = {
    sre.CATEGORY_DIGIT: "0",
    sre.CATEGORY_NOT_DIGIT: "a",
    sre.CATEGORY_SPACE: " ",
    sre.CATEGORY_NOT_SPACE: "a",
    sre.CATEGORY_WORD: "a",
    sre.CATEGORY_NOT_WORD: ".",
}
_PROBES = [*"a0 .,-/<\"'[({=:\n\t", "é", "字", "\x00", *map(chr, range(33, 127))]


def _characters(items: Any) -> list[str]:
    """A few characters of a set, the odd ones first."""
    negated = bool(items) and items[0][0] is sre.NEGATE
    found: list[str] = []
    for kind, value in items:
        if kind is sre.LITERAL:
            found.append(chr(value))
        elif kind is sre.RANGE:
            found.append(chr(value[0]))
        elif kind is sre.CATEGORY:
            found.append(_CATEGORIES[value])
    if not negated:
        return found[:1] + found[-2:] if len(found) > 3 else found

    def excluded(probe: str) -> bool:
        for kind, value in items:
            if kind is sre.LITERAL and ord(probe) == value:
                return True
            if kind is sre.RANGE and value[0] <= ord(probe) <= value[1]:
                return True
            if kind is sre.CATEGORY and _in_category(probe, value):
                return True
        return False

    return [probe for probe in _PROBES if not excluded(probe)][:3]


def _in_category(probe: str, category: Any) -> bool:
    digit, space, word = probe.isdigit(), probe.isspace(), probe.isalnum() or probe == "_"
    return {
        sre.CATEGORY_DIGIT: digit,
        sre.CATEGORY_NOT_DIGIT: not digit,
        sre.CATEGORY_SPACE: space,
        sre.CATEGORY_NOT_SPACE: not space,
        sre.CATEGORY_WORD: word,
        sre.CATEGORY_NOT_WORD: not word,
    }[category]


def _sample(tree: Any, choice: int, groups: dict[int, str]) -> str:
    """A short text that a tree is likely to match; ``choice`` says which of its alternatives."""
    return "".join(_of_node(kind, value, choice, groups) for kind, value in tree)


def _of_node(kind: Any, value: Any, choice: int, groups: dict[int, str]) -> str:
    if kind is sre.LITERAL:
        return chr(value)
    if kind is sre.NOT_LITERAL:
        return "a" if value != ord("a") else "b"
    if kind is sre.ANY:
        return "a"
    if kind is sre.IN:
        characters = _characters(value) or ["a"]
        return characters[choice % len(characters)]
    if kind is sre.SUBPATTERN:
        groups[value[0]] = text = _sample(value[3], choice, groups)
        return text
    if kind is sre.ATOMIC_GROUP:
        return _sample(value, choice, groups)
    if kind is sre.BRANCH:
        return _sample(value[1][choice % len(value[1])], choice, groups)
    if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
        return _sample(value[2], choice, groups) * max(1, min(value[0], 64))
    if kind is sre.GROUPREF:
        return groups.get(value, "")
    return ""  # assertions and conditions


def _pumps(tree: Any, before: str, found: set[tuple[str, str]]) -> None:
    """What stands before each repeat, and what it repeats, into ``found``."""
    for kind, value in tree:
        if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            for choice in range(3):
                found.add((before, _sample(value[2], choice, {})))
            _pumps(value[2], before, found)
        elif kind is sre.SUBPATTERN:
            _pumps(value[3], before, found)
        elif kind is sre.ATOMIC_GROUP:
            _pumps(value, before, found)
        elif kind is sre.BRANCH:
            for branch in value[1]:
                _pumps(branch, before, found)
        elif kind in (sre.ASSERT, sre.ASSERT_NOT):
            _pumps(value[1], before, found)
        before += _of_node(kind, value, 0, {})
        found.add(("", before))


def _alphabet(tree: Any, found: list[str]) -> list[str]:
    for kind, value in tree:
        if kind is sre.LITERAL:
            found.append(chr(value))
        elif kind is sre.IN:
            found += _characters(value)
        elif kind is sre.ANY:
            found.append("a")
        elif kind in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            _alphabet(value[2], found)
        elif kind is sre.SUBPATTERN:
            _alphabet(value[3], found)
        elif kind is sre.ATOMIC_GROUP:
            _alphabet(value, found)
        elif kind is sre.BRANCH:
            for branch in value[1]:
                _alphabet(branch, found)
        elif kind in (sre.ASSERT, sre.ASSERT_NOT):
            _alphabet(value[1], found)
    return found


def attacks(pattern: re.Pattern[Any]) -> list[tuple[str, str, str]]:
    """Beginnings, what to repeat, and endings."""
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    tree = parser.parse(source, pattern.flags & ~re.DEBUG & ~(re.UNICODE if isinstance(pattern.pattern, bytes) else 0))
    found: set[tuple[str, str]] = set()
    _pumps(tree, "", found)
    letters = sorted({*_alphabet(tree, [])}, key=lambda letter: (letter.isalnum(), letter))[:7]
    endings = ("", "\x00", _sample(tree, 0, {})[-2:])
    taken_apart = [(before, pump, after) for before, pump in sorted(found) if pump for after in endings]
    return taken_apart + [
        ("", pump, "\x00") for pump in (*letters, *(a + b for a in letters for b in letters if a != b))
    ]


def cpu(use: str, pattern: re.Pattern[Any], text: str) -> float:
    """Seconds of this thread's CPU time."""
    subject: Any = text if isinstance(pattern.pattern, str) else text.encode("latin-1", "replace")
    method: Callable[[Any], Any] = getattr(pattern, use)
    start = time.thread_time()
    found = method(subject)
    if use == "finditer":
        for _ in found:
            pass
    return time.thread_time() - start


def grows(use: str, pattern: re.Pattern[Any], attack: tuple[str, str, str]) -> str:
    """How the time of an attack grows where that is faster than the text; empty where it is not."""
    before, pump, after = attack

    def text(size: int) -> str:
        return before + pump * -(-size // len(pump)) + after

    size = 16 * len(pump)
    while size < LONGEST:
        if cpu(use, pattern, text(size)) > SLOW and min(cpu(use, pattern, text(size)) for _ in range(3)) > SLOW:
            break
        size = int(size * (1.25 if size < 120 * len(pump) else 4)) + 1
        size = size if size < LONGEST / 2 else LONGEST
    else:
        if cpu(use, pattern, text(size)) <= SLOW:
            return ""
    smaller = max(1, size // 4)
    times = [min(cpu(use, pattern, text(size)) for _ in range(5)) for size in (smaller, smaller * 4)]
    ratio = times[1] / max(times[0], 1e-7)
    if ratio < GROWTH:
        return ""
    attacked = f"{use} of {before[:20]!r} + {pump[:20]!r} * n + {after!r}"
    return f"{attacked}: {times[1] * 1e3:.1f} ms for {size} characters, ×{ratio:.0f} for ×4"


@pytest.mark.parametrize("path", list(modules()), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_expressions_take_linear_time(path: Path) -> None:
    """No expression of this module takes time that grows faster than the text it reads."""
    try:
        found = list(expressions(path))
    except ImportError as error:
        pytest.skip(f"needs {error.name}")
    faults = []
    tried: set[tuple[Any, int, str]] = set()  # a table and a call may have the same
    for expression in found:
        for use in sorted(expression.uses):
            if (one := (expression.pattern.pattern, expression.pattern.flags, use)) in tried:
                continue
            tried.add(one)
            for attack in attacks(expression.pattern):
                fault = grows(use, expression.pattern, attack)
                if fault:
                    faults.append(f"{expression.where} {expression.pattern.pattern!r:.200}: {fault}")
                    break
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    "pattern", [r"(?:[^\s/]+\.)+[a-z]{2,}", r"(a|aa)+$", r"<!--.*?-->", r"\s+$", r"(?:x+y?)*z", r"\d+\.?\d+%"]
)
def test_growth_is_found(pattern: str) -> None:
    """Expressions that take exponential or quadratic time are noticed."""
    compiled = re.compile(pattern)
    assert any(grows("search", compiled, attack) for attack in attacks(compiled))


@pytest.mark.parametrize("pattern", [r"[^<>]*>", r"<[a-z][^<>]*>", r"\w+", r"(?>\s+)x|y", r"-?\d{1,9}"])
def test_linear_expressions_pass(pattern: str) -> None:
    """Expressions that take linear time, used as they are meant to be, are let through."""
    compiled = re.compile(pattern)
    assert not any(grows("match", compiled, attack) for attack in attacks(compiled))
