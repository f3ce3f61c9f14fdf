"""Cassette: what a web, a judge or a model answered once, in one file, to be given again for ever.

An answer is found by the SHA-256 of its request alone: of the JSON array ``[kind, request,
sample]`` in ASCII, the names of objects sorted, no blanks. So neither the session nor the order,
the batch or the version of the library matters. The sample tells several answers to one request
apart: 0 for the first vote or attempt, 1 for the second, and so on.

What failed stands apart from the answers: a replay gives it back as the failure that it was, a
recording asks again, and an answer takes its place.

The file is SQLite. Several processes and threads may write to it at once; while one does, the files
``-wal`` and ``-shm`` beside it are parts of it. What a process had recorded before it was killed stays.
The first answer to be recorded counts: whoever asks the same at the same time is given that one.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from itertools import islice
from pathlib import Path
from sqlite3 import Connection
from typing import Any

from webenv.cassette.file import TapeFile
from webenv.cassette.keys import ROLES, KeyedRequest, differing, keyed, nearest, plain_text, secrets
from webenv.cassette.rows import (
    Contents,
    Imported,
    RecordedAnswer,
    Table,
    TapeRow,
    answerer_id,
    answerers,
    drop_failures,
    identity_of,
    insert,
    text_of,
    texts,
)
from webenv.errors import CassetteMiss, InvalidArgument, did_you_mean
from webenv.runtime.files import Closing

MODES = ("live", "record", "replay", "strict")
"""*live*: nothing is read or written. *record*: what is there is given again, the rest is asked
and recorded. *replay*: nothing is asked. *strict*: as replay, and only for the very web, judge or
model that was recorded."""

_PAGE = 500  # rows read or written at a time
_COMPARED = 50_000  # requests, in search of the nearest
_CHARACTERS = 100_000_000  # of these requests
_SAMPLES = 64  # of a request whose sample is missing, looked for


class Cassette(Closing):
    """One file of recorded answers.

    Safe to use from several threads, after a fork, and by several processes at once. Pickled, it
    is opened anew. A cassette is opened when it is first used, or made, and need not be closed.

    Values of environment variables that are named like secrets (``…_KEY``, ``…_TOKEN``, ``…_SECRET``,
    ``…_PASSWORD``, ``…_PASSWD``) and have 8 characters or more stand as ``***`` in what is recorded, and
    so whoever records is given it. The key of a request is that of the request as it was asked.

    Args:
        path: the file; made in mode ``record`` if need be.
        mode: one of ``MODES``.

    Raises:
        InvalidArgument: for an unknown mode.
        DataError: for a file that is no cassette, is damaged, of another version, or not there to be
            replayed.
    """

    def __init__(self, path: str | Path, mode: str = "replay") -> None:
        if mode not in MODES:
            raise InvalidArgument(f"cassette mode {mode!r:.80}. {did_you_mean(str(mode), MODES)}")
        self.path = Path(path)
        self.mode = mode
        self.secrets = secrets()
        self._file = TapeFile(self.path, writing=mode == "record")
        self._failed: dict[bytes, Any] | None = None  # in this run
        if mode != "live":
            self._file.read(lambda connection: None)

    def __repr__(self) -> str:
        return f"Cassette({str(self.path)!r}, {self.mode!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Cassette, (self.path, self.mode)

    def __deepcopy__(self, memo: dict[int, Any]) -> Cassette:
        return self

    @property
    def replays(self) -> bool:
        """Whether nothing may be asked."""
        return self.mode in ("replay", "strict")

    def close(self) -> None:
        """Lets go of the file, which is then one file alone; a later use opens it again."""
        self._file.close()

    # ── answers ───────────────────────────────────────────────────────────────

    def find(self, requests: Sequence[KeyedRequest]) -> dict[bytes, Any]:
        """The answers that are recorded, by key.

        Raises:
            DataError: if the file cannot be read, or an answer is not what was recorded.
        """
        return self._find(requests, "answers")

    def failures(self, requests: Sequence[KeyedRequest]) -> dict[bytes, Any]:
        """What is not asked again of what failed, by key: in a replay all, in a recording that of :meth:`one_run`.

        Raises:
            DataError: as :meth:`find`.
        """
        if self.replays:
            return self._find(requests, "failures")
        failed = self._failed or {}
        return {one.key: failed[one.key] for one in requests if one.key in failed}

    def _find(self, requests: Sequence[KeyedRequest], table: Table) -> dict[bytes, Any]:
        keys = list(dict.fromkeys(one.key for one in requests))
        found = self._file.read(lambda link: texts(link, self._file, keys, table))
        with self._file.sound():
            return {key: json.loads(text) for key, text in found.items()}

    def add(
        self, answers: Sequence[tuple[KeyedRequest, Any]], by: Mapping[str, str], *, durable: bool = False
    ) -> dict[bytes, Any]:
        """Records answers, all or none, and gives by key what now counts: for what someone else has
        recorded meanwhile, that.

        Args:
            answers: requests of one role, with what was answered, as plain data.
            by: the identity of who answered.
            durable: whether they are flushed to the disk before this returns.

        Raises:
            DataError: if the file cannot be written; what was recorded before is kept.
        """
        kept, fresh = self._add("answers", answers, by, durable)
        return kept | fresh

    def add_failures(
        self, failures: Sequence[tuple[KeyedRequest, Any]], by: Mapping[str, str]
    ) -> tuple[dict[bytes, Any], dict[bytes, Any]]:
        """Records what failed, in place of how it failed before; gives by key the answers that someone else
        has recorded meanwhile, which count, and the failures of the others.

        Args:
            failures: requests of one role, with what became of them, as plain data.
            by: the identity of who was asked.

        Raises:
            DataError: as :meth:`add`.
        """
        kept, fresh = self._add("failures", failures, by)
        if self._failed is not None:
            self._failed |= fresh
        return kept, fresh

    def _add(
        self, table: Table, rows: Sequence[tuple[KeyedRequest, Any]], by: Mapping[str, str], durable: bool = False
    ) -> tuple[dict[bytes, Any], dict[bytes, Any]]:
        """The answers that were there already, and what is new."""
        if not rows:
            return {}, {}
        now, role, identity = _now(), ROLES[rows[0][0].kind], self._identity(by)
        made = {one.key: TapeRow(one, plain_text(response, self.secrets)) for one, response in rows}

        def work(link: Connection) -> dict[bytes, str]:
            kept = texts(link, self._file, list(made))
            fresh = [row for key, row in made.items() if key not in kept]
            drop_failures(link, [row.request.key for row in fresh])
            insert(link, table, answerer_id(link, role, identity), now, fresh, self.secrets)
            return kept

        recorded = self._file.write(work, durable=durable)
        with self._file.sound():
            kept = {key: json.loads(text) for key, text in recorded.items()}
        return kept, {key: json.loads(row.response) for key, row in made.items() if key not in kept}

    @contextmanager
    def one_run(self) -> Iterator[None]:
        """While the block runs, what fails is not asked again: every request has one outcome, as in a replay."""
        before, self._failed = self._failed, {}
        try:
            yield
        finally:
            self._failed = before

    def register(
        self,
        role: str,
        identity: Mapping[str, str],
        check: Callable[[list[dict[str, str]]], None] = lambda known: None,
    ) -> None:
        """Notes who stands ready to answer, so that a replay knows it even if it was never asked.

        Args:
            role: ``web``, ``asker``, ``judge`` or ``model``.
            identity: who.
            check: is given the identities of that role that are known, and raises to refuse this one; nobody
                else can come between.
        """
        text = self._identity(identity)

        def work(link: Connection) -> None:
            check(answerers(link, role))
            answerer_id(link, role, text)

        self._file.write(work)

    def masked(self, identity: Mapping[str, str]) -> dict[str, str]:
        """An identity as it stands on the tape."""
        known: dict[str, str] = json.loads(self._identity(identity))
        return known

    def _identity(self, identity: Mapping[str, str]) -> str:
        return plain_text(dict(identity), self.secrets, in_order=False)

    def answerers(self, role: str) -> list[dict[str, str]]:
        """The identities of who answered, or stood ready to; who answered last comes last."""
        return self._file.read(lambda link: answerers(link, role))

    # ── a miss ────────────────────────────────────────────────────────────────

    def miss(self, missing: Sequence[KeyedRequest]) -> CassetteMiss:
        """The error for what is not recorded: the first such request, the nearest recorded, what to do.

        Args:
            missing: the requests of one batch that have no answer, at least one.
        """
        first = missing[0]
        asked = plain_text(json.loads(first.request), self.secrets)
        more = f" (nor to {len(missing) - 1} more of its batch)" if len(missing) > 1 else ""
        sample = f", sample {first.sample}" if first.sample else ""
        samples = self._samples(first)
        if samples:
            close = f"It has sample {', '.join(map(str, samples))} of it"
            asked = differing(asked, "")[0]
        else:
            found = nearest(asked, self._requests(first.kind))
            asked, near = differing(asked, found or "")
            close = f"The nearest {first.kind} it holds is {near}" if found else f"It holds no {first.kind} at all"
        return CassetteMiss(
            f"cassette {str(self.path)!r} holds no answer to {first.kind} {asked}{sample}{more}.\n"
            f"{close}; to have it asked and recorded, use mode 'record' (--cassette-mode record)."
        )

    def _samples(self, of: KeyedRequest) -> list[int]:
        """The samples of a request that are recorded, of the first 64."""
        request = json.loads(of.request)
        keys = {keyed(of.kind, request, sample).key: sample for sample in range(_SAMPLES)}
        return sorted(keys[key] for key in self._file.read(lambda link: texts(link, self._file, list(keys))))

    def _requests(self, kind: str) -> Iterator[str]:
        """The newest requests of a kind, as many as can be compared in a moment."""
        query = "SELECT id, request FROM answers WHERE kind = ? AND id < ? ORDER BY id DESC LIMIT ?"
        first, count, size = 1 << 62, 0, 0
        while rows := self._fetch(query, kind, first, _PAGE):
            for first, data in rows:  # noqa: B007
                text = text_of(self._file, data)
                count, size = count + 1, size + len(text)
                if count > _COMPARED or size > _CHARACTERS:
                    return
                yield text

    # ── the whole ─────────────────────────────────────────────────────────────

    @property
    def digest(self) -> str:
        """SHA-256 over what is recorded (who answers, keys, answers, failures), in an order of its own.

        The same answers have the same digest, whenever and in whatever order they were recorded.
        """
        whole = sha256(b"webenv.cassette 1")

        def work(link: Connection) -> None:
            who = {}
            for id_, role, identity in link.execute("SELECT id, role, identity FROM answerers"):
                text = plain_text([role.decode(), json.loads(identity)])
                who[id_] = sha256(text.encode()).digest()
            whole.update(b"".join(sorted(set(who.values()))))
            for table, mark in (("answers", b""), ("failures", b"failed")):
                for key, digest, answerer in link.execute(f"SELECT key, digest, answerer FROM {table} ORDER BY key"):
                    whole.update(mark + key + digest + who[answerer])

        self._file.read(work)
        return whole.hexdigest()

    def contents(self) -> Contents:
        """What the cassette holds."""

        def work(link: Connection) -> Contents:
            counts = link.execute("SELECT answerer, kind, count(*) FROM answers GROUP BY answerer, kind").fetchall()
            failed = link.execute("SELECT answerer, kind, count(*) FROM failures GROUP BY answerer, kind").fetchall()
            who = tuple(
                (role.decode(), identity_of(identity), sum(n for answerer, _, n in counts if answerer == id_))
                for id_, role, identity in link.execute("SELECT id, role, identity FROM answerers ORDER BY id")
            )
            first, last = link.execute("SELECT min(recorded), max(recorded) FROM answers").fetchone()
            begun, ended = ((time or b"").decode() for time in (first, last))
            return Contents(_by_kind(counts), _by_kind(failed), who, begun, ended, self._file.size())

        return self._file.read(work)

    def rows(self) -> Iterator[RecordedAnswer]:
        """All answers, in the order in which they were recorded, and then all failures.

        Raises:
            DataError: if one is not what was recorded.
        """
        yield from self._rows("answers")
        yield from self._rows("failures")

    def _rows(self, table: Table) -> Iterator[RecordedAnswer]:
        query = (
            f"SELECT {table}.id, key, kind, sample, request, response, digest, identity, recorded FROM {table} "
            f"JOIN answerers ON answerers.id = answerer WHERE {table}.id > ? ORDER BY {table}.id LIMIT ?"
        )
        last = 0
        while rows := self._fetch(query, last, _PAGE):
            for last, key, kind, sample, request, response, digest, identity, recorded in rows:  # noqa: B007
                with self._file.sound():
                    answer = RecordedAnswer(
                        kind=kind.decode(),
                        request=json.loads(text_of(self._file, request)),
                        sample=int(sample),
                        response=json.loads(text_of(self._file, response, digest)),
                        by=identity_of(identity),
                        recorded=recorded.decode(),
                        key=key.hex(),
                        failed=table == "failures",
                    )
                yield answer

    def take(self, answers: Iterable[RecordedAnswer]) -> Imported:
        """Records answers and failures that were recorded elsewhere, in batches; what is there already stays,
        but that an answer takes the place of a failure.

        Raises:
            DataError: if the file cannot be written.
        """
        taken = Imported(0, 0, 0)
        rows = iter(answers)
        while page := list(islice(rows, _PAGE)):
            for table, part in _by_table(page):
                taken = Imported(*map(sum, zip(taken, self._take(table, part), strict=True)))
        return taken

    def _take(self, table: Table, answers: Sequence[RecordedAnswer]) -> Imported:
        rows: dict[bytes, tuple[TapeRow, RecordedAnswer]] = {}
        for one in answers:
            asked = keyed(one.kind, one.request, one.sample)
            if one.key:
                asked = asked._replace(key=bytes.fromhex(one.key))
            rows.setdefault(asked.key, (TapeRow(asked, plain_text(one.response, self.secrets)), one))

        def work(link: Connection) -> Imported:
            kept = texts(link, self._file, list(rows))
            if table == "failures":
                kept = texts(link, self._file, list(rows), table) | kept
            fresh = [key for key in rows if key not in kept]
            drop_failures(link, fresh)
            for row, one in (rows[key] for key in fresh):
                answerer = answerer_id(link, ROLES[one.kind], self._identity(one.by))
                insert(link, table, answerer, one.recorded, [row], self.secrets)
            other = sum(kept[key] != rows[key][0].response for key in kept)
            return Imported(len(fresh), len(answers) - len(fresh) - other, other)

        return self._file.write(work)

    def _fetch(self, query: str, *values: object) -> list[Any]:
        return self._file.read(lambda link: link.execute(query, values).fetchall())


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _by_kind(counts: Sequence[tuple[int, bytes, int]]) -> dict[str, int]:
    """Numbers of rows by kind, of rows of answerer, kind and number."""
    sums = {kind: sum(number for _, name, number in counts if name.decode() == kind) for kind in ROLES}
    return {kind: number for kind, number in sums.items() if number}


def _by_table(rows: Sequence[RecordedAnswer]) -> list[tuple[Table, list[RecordedAnswer]]]:
    """The answers, then the failures; without empty ones."""
    parts: list[tuple[Table, list[RecordedAnswer]]] = [
        ("answers", [row for row in rows if not row.failed]),
        ("failures", [row for row in rows if row.failed]),
    ]
    return [(table, part) for table, part in parts if part]
