"""``webenv cassette``: describes, exports and imports recorded answers."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import IO, Annotated, Any

import typer
from rich.text import Text

from webenv.cassette import Cassette, Contents, Imported, RecordedAnswer
from webenv.cassette.file import FORMAT
from webenv.cassette.keys import ROLES, keyed
from webenv.cli.options import AsJson
from webenv.cli.terminal import facts_table, full_console, json_line, print_json, progress_bars
from webenv.errors import DataError
from webenv.evaluation.run_dir import check_kept
from webenv.recorded.model import read_reply
from webenv.recorded.transcript import read_answer, read_failure

app = typer.Typer(help="Describe, export and import recorded answers.", no_args_is_help=True)

_File = Annotated[Path, typer.Argument(metavar="FILE", help="The cassette.")]
_KEY = re.compile("[0-9a-f]{64}")
_MASK = "***"  # what stands in a request in place of a secret, of which its key was made
_SQLITE = b"SQLite format 3\0"  # how a cassette begins


@app.command("info")
def info_command(file: _File, as_json: AsJson = False) -> None:
    """Say what a cassette holds, and of whom."""
    with Cassette(file) as cassette:
        contents, digest = cassette.contents(), cassette.digest
    if as_json:
        answerers = [{"role": role, "identity": by, "answers": n} for role, by, n in contents.answerers]
        data = {"cassette": str(file), "format": FORMAT, "digest": digest, **contents._asdict(), "answerers": answerers}
        print_json(data)
        return
    _print_contents(file, contents, digest)


@app.command("export")
def export_command(
    file: _File,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Where to write; standard output by default.")
    ] = None,
    kind: Annotated[
        str | None, typer.Option(help="Only answers of this kind: search, visit, ask, model or judge.")
    ] = None,
) -> None:
    """Write answers, then failures, as JSON, one a line, as they were recorded; the first line says of whom."""
    if kind is not None and kind not in ROLES:
        raise typer.BadParameter(f"--kind {kind!r}: expected one of {', '.join(ROLES)}.")
    if out is not None:
        check_kept(out, file)
    with Cassette(file) as cassette, _writing(out) as lines:
        contents = cassette.contents()
        answerers = [{"role": role, "identity": by} for role, by, _ in contents.answerers]
        _write(lines, {"cassette": FORMAT, "answerers": answerers})
        count = 0
        for answer in _watched(cassette.rows(), _count(contents), "exporting"):
            if kind in (None, answer.kind):
                _write(lines, answer._asdict())
                count += 1
    if out is not None:
        print(f"{count:,} answers in {out}")


@app.command("import")
def import_command(
    file: _File,
    sources: Annotated[list[str], typer.Argument(metavar="SOURCE…", help="Exports, other cassettes, or - for input.")],
    as_json: AsJson = False,
) -> None:
    """Add the answers of exports or other cassettes to a cassette, which is made if need be; what is there stays."""
    taken = Imported(0, 0, 0)
    with Cassette(file, "record") as cassette:
        for source in sources:
            more = _take(cassette, source)
            taken = Imported(*map(sum, zip(taken, more, strict=True)))
        contents, digest = cassette.contents(), cassette.digest
    if as_json:
        print_json({"cassette": str(file), **taken._asdict(), "digest": digest})
        return
    print(f"{taken.added:,} answers added, {taken.same:,} were there, {taken.other:,} have another answer there")
    _print_contents(file, contents, digest)


def _take(cassette: Cassette, source: str) -> Imported:
    if source != "-" and _is_cassette(Path(source)):
        with Cassette(source) as other:
            contents = other.contents()
            for role, identity, _ in contents.answerers:
                cassette.register(role, identity)
            return cassette.take(_watched(other.rows(), _count(contents), "importing"))
    try:
        with nullcontext(sys.stdin.buffer) if source == "-" else open(source, "rb") as lines:
            return cassette.take(_watched(_read(cassette, lines, source), None, "importing"))
    except OSError as error:
        raise DataError(f"{source!r} cannot be read: {error.strerror or error}.") from error


def _is_cassette(path: Path) -> bool:
    try:
        with open(path, "rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except OSError:
        return False  # opening it to read says why


def _read(cassette: Cassette, lines: IO[bytes], name: str) -> Iterator[RecordedAnswer]:
    """The answers of an export; who answered is noted as it comes."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            data = json.loads(line)
            if "cassette" in data:
                if data["cassette"] not in (1, FORMAT):  # 1 had neither keys nor failures
                    raise ValueError(f"it is an export of format {data['cassette']!r:.20}, not {FORMAT}")
                for one in data["answerers"]:
                    cassette.register(str(one["role"]), _texts(one["identity"]))
                continue
            answer = RecordedAnswer(**data)
            if answer.kind not in ROLES or type(answer.sample) is not int or answer.sample < 0:
                raise ValueError(f"kind {answer.kind!r:.40}, sample {answer.sample!r:.40}")
            if not isinstance(answer.request, Mapping) or not isinstance(answer.recorded, str):
                raise ValueError("the request is no object, or the time no text")
            _check(answer)
            yield answer._replace(by=_texts(answer.by))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError, DataError) as error:
            raise DataError(
                f"{name}, line {number} is no line of an export ({error!s:.200}); what stands before it is imported."
            ) from error


def _check(answer: RecordedAnswer) -> None:
    """Refuses what cannot be read back, and a key that is not its request's, as far as that can be told."""
    if type(answer.failed) is not bool:
        raise ValueError(f"failed is {answer.failed!r:.40}, neither true nor false")
    if answer.failed:
        read_failure(ROLES[answer.kind], answer.response)
    else:
        read_reply(answer.response) if answer.kind == "model" else read_answer(answer.kind, answer.response)
    if answer.key:
        asked = keyed(answer.kind, answer.request, answer.sample)
        if not _KEY.fullmatch(answer.key) or (answer.key != asked.key.hex() and _MASK not in asked.request):
            raise ValueError(f"the key {answer.key!r:.80} is not that of the request")


def _texts(identity: Mapping[str, Any]) -> dict[str, str]:
    if not identity or not all(isinstance(value, str) for value in identity.values()):
        raise ValueError(f"who answered is {identity!r:.80}")
    return dict(identity)


@contextmanager
def _writing(out: Path | None) -> Iterator[IO[bytes]]:
    if out is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        with open(out, "wb") as file:
            yield file
    except OSError as error:
        raise DataError(f"--out {str(out)!r} cannot be written: {error.strerror or error}.") from error


def _write(lines: IO[bytes], data: Mapping[str, Any]) -> None:
    lines.write((json_line(data, (",", ":")) + "\n").encode())


def _count(contents: Contents) -> int:
    return sum(contents.answers.values()) + sum(contents.failures.values())


def _watched(answers: Iterator[RecordedAnswer], total: int | None, what: str) -> Iterator[RecordedAnswer]:
    """The answers, with a bar on a terminal."""
    with progress_bars() as bars:
        yield from bars.track(answers, total=total, description=what)


def _print_contents(file: Path, contents: Contents, digest: str) -> None:
    console = full_console()
    rows = [(f"answers to {kind}", f"{count:,}") for kind, count in contents.answers.items()]
    rows += [(f"failures of {kind}", f"{count:,}") for kind, count in contents.failures.items()]
    for role, identity, count in contents.answerers:
        who = ", ".join(f"{name} {value}" for name, value in identity.items())
        rows.append((role, f"{who} ({count:,} answers)"))
    rows.append(("recorded", f"{contents.first} to {contents.last}" if contents.first else "nothing yet"))
    rows.append(("size", f"{contents.size / 1e6:,.1f} MB"))
    console.print(Text(str(file), style="bold"))
    console.print(facts_table(rows))
    console.print(Text.assemble(("digest", "dim"), f"  {digest}"), soft_wrap=True)
