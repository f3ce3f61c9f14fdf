"""Cassette: what a web, a judge or a model answered once, in one file, to be given again for ever.

An answer is found by the SHA-256 of its request alone: of the JSON array ``[kind, request,
sample]`` in ASCII, the names of objects sorted, no blanks. So neither the session nor the order,
the batch or the version of the library matters. The sample tells several answers to one request
apart: 0 for the first vote or attempt, 1 for the second, and so on.

The file is SQLite. Several processes and threads may write to it at once; while one does, the files
``-wal`` and ``-shm`` beside it are parts of it. What a process had recorded before it was killed stays.
The first answer to be recorded counts: whoever asks the same at the same time is given that one.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import islice
from pathlib import Path
from sqlite3 import Connection
from typing import Any, NamedTuple

from webenv.cassette.file import TapeFile, packed, unpacked
from webenv.cassette.nearest import differing, nearest
from webenv.cassette.question import ROLES, Question, plain_text, question, secrets
from webenv.errors import CassetteMiss, InvalidArgument, did_you_mean

__all__ = ["MODES", "Answer", "Cassette", "Contents", "Taken"]

MODES = ("live", "record", "replay", "strict")
"""*live*: nothing is read or written. *record*: what is there is given again, the rest is asked
and recorded. *replay*: nothing is asked. *strict*: as replay, and only for the very web, judge or
model that was recorded."""

_CHUNK = 250  # keys in one query
_PAGE = 500  # rows read or written at a time
_COMPARED = 50_000  # requests, in search of the nearest
_CHARACTERS = 100_000_000  # of these requests
_SAMPLES = 64  # of a request whose sample is missing, looked for


class Answer(NamedTuple):
    """A recorded answer, as plain data: a line of an export.

    Attributes:
        kind: one of ``ROLES``.
        request: what was asked.
        sample: which of several answers this is, from 0.
        response: what was answered.
        by: the identity of who answered.
        recorded: when, in UTC, as in ``2025-01-31T12:00:00Z``.
    """

    kind: str
    request: Mapping[str, Any]
    sample: int
    response: Any
    by: Mapping[str, str]
    recorded: str


class Contents(NamedTuple):
    """What a cassette holds.

    Attributes:
        answers: number of answers by kind.
        answerers: role, identity and number of answers of each who answered, or stood ready to.
        first: when the first answer was recorded, in UTC; empty where there is none.
        last: when the last was.
        size: bytes on disk.
    """

    answers: Mapping[str, int]
    answerers: tuple[tuple[str, Mapping[str, str], int], ...]
    first: str
    last: str
    size: int


class Taken(NamedTuple):
    """What became of answers that were recorded elsewhere.

    Attributes:
        added: how many are new here.
        same: how many were here already.
        other: how many have another answer here, which stays.
    """

    added: int
    same: int
    other: int


class Cassette:
    """One file of recorded answers.

    Safe to use from several threads, after a fork, and by several processes at once. Pickled, it
    is opened anew. A cassette is opened when it is first used, or made, and need not be closed.

    Values of environment variables that are named like secrets (``…_API_KEY``, ``…_TOKEN``,
    ``…_SECRET``, ``…_PASSWORD``) stand as ``***`` in what is recorded.

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
        if mode != "live":
            self._file.read(lambda connection: None)

    def __repr__(self) -> str:
        return f"Cassette({str(self.path)!r}, {self.mode!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Cassette, (self.path, self.mode)

    def __deepcopy__(self, memo: dict[int, Any]) -> Cassette:
        return self

    def __enter__(self) -> Cassette:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def replays(self) -> bool:
        """Whether nothing may be asked."""
        return self.mode in ("replay", "strict")

    def close(self) -> None:
        """Lets go of the file, which is then one file alone; a later use opens it again."""
        self._file.close()

    # ── answers ───────────────────────────────────────────────────────────────

    def find(self, questions: Sequence[Question]) -> dict[bytes, Any]:
        """The answers that are recorded, by key.

        Raises:
            DataError: if the file cannot be read, or an answer is not what was recorded.
        """
        keys = list(dict.fromkeys(one.key for one in questions))
        return {key: json.loads(text) for key, text in self._file.read(lambda link: self._texts(link, keys)).items()}

    def add(self, answers: Sequence[tuple[Question, Any]], by: Mapping[str, str]) -> dict[bytes, Any]:
        """Records answers, all or none, and gives by key what now counts: for what someone else has
        recorded meanwhile, that.

        Args:
            answers: questions of one role, with what was answered, as plain data.
            by: the identity of who answered.

        Raises:
            DataError: if the file cannot be written; what was recorded before is kept.
        """
        if not answers:
            return {}
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        role, identity = ROLES[answers[0][0].kind], self._identity(by)
        rows = {one.key: (one, plain_text(response, self.secrets)) for one, response in answers}

        def work(link: Connection) -> dict[bytes, str]:
            kept = self._texts(link, list(rows))
            fresh = {key: row for key, row in rows.items() if key not in kept}
            _insert(link, _answerer(link, role, identity), now, fresh.values())
            return kept | {key: response for key, (_, response) in fresh.items()}

        return {key: json.loads(text) for key, text in self._file.write(work).items()}

    def register(self, role: str, identity: Mapping[str, str]) -> None:
        """Notes who stands ready to answer, so that a replay knows it even if it was never asked."""
        text = self._identity(identity)
        self._file.write(lambda link: _answerer(link, role, text))

    def _identity(self, identity: Mapping[str, str]) -> str:
        return plain_text(dict(identity), self.secrets, in_order=False)

    def answerers(self, role: str) -> list[dict[str, str]]:
        """The identities of who answered, or stood ready to; who answered last comes last."""

        def work(link: Connection) -> list[Any]:
            latest = "SELECT max(id) FROM answers WHERE answerer = answerers.id"
            query = f"SELECT coalesce(({latest}), 0), id, identity FROM answerers WHERE role = ? ORDER BY 1, 2"
            return link.execute(query, (role,)).fetchall()

        return [json.loads(text) for _, _, text in self._file.read(work)]

    # ── a miss ────────────────────────────────────────────────────────────────

    def miss(self, missing: Sequence[Question]) -> CassetteMiss:
        """The error for what is not recorded: the first such request, the nearest recorded, what to do.

        Args:
            missing: the questions of one batch that have no answer, at least one.
        """
        first = missing[0]
        asked = plain_text(json.loads(first.request))
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

    def _samples(self, of: Question) -> list[int]:
        """The samples of a request that are recorded, of the first 64."""
        request = json.loads(of.request)
        keys = {question(of.kind, request, sample).key: sample for sample in range(_SAMPLES)}
        return sorted(keys[key] for key in self._file.read(lambda link: self._texts(link, list(keys))))

    def _requests(self, kind: str) -> Iterator[str]:
        """The newest requests of a kind, as many as can be compared in a moment."""
        query = "SELECT id, request FROM answers WHERE kind = ? AND id < ? ORDER BY id DESC LIMIT ?"
        first, count, size = 1 << 62, 0, 0
        while rows := self._fetch(query, kind, first, _PAGE):
            for first, data in rows:  # noqa: B007
                text = self._text_of(data)
                count, size = count + 1, size + len(text)
                if count > _COMPARED or size > _CHARACTERS:
                    return
                yield text

    # ── the whole ─────────────────────────────────────────────────────────────

    @property
    def digest(self) -> str:
        """SHA-256 over what is recorded (who answers, keys, answers), in an order of its own.

        The same answers have the same digest, whenever and in whatever order they were recorded.
        """
        whole = sha256(b"webenv.cassette 1")

        def work(link: Connection) -> None:
            who = {}
            for id_, role, identity in link.execute("SELECT id, role, identity FROM answerers"):
                text = plain_text([role.decode(), json.loads(identity)])
                who[id_] = sha256(text.encode()).digest()
            whole.update(b"".join(sorted(set(who.values()))))
            for key, digest, answerer in link.execute("SELECT key, digest, answerer FROM answers ORDER BY key"):
                whole.update(key + digest + who[answerer])

        self._file.read(work)
        return whole.hexdigest()

    def contents(self) -> Contents:
        """What the cassette holds."""

        def work(link: Connection) -> Contents:
            counts = link.execute("SELECT answerer, kind, count(*) FROM answers GROUP BY answerer, kind").fetchall()
            by_kind = {kind: sum(n for _, k, n in counts if k.decode() == kind) for kind in ROLES}
            answerers = tuple(
                (role.decode(), json.loads(identity), sum(n for answerer, _, n in counts if answerer == id_))
                for id_, role, identity in link.execute("SELECT id, role, identity FROM answerers ORDER BY id")
            )
            first, last = link.execute("SELECT min(recorded), max(recorded) FROM answers").fetchone()
            kinds = {kind: n for kind, n in by_kind.items() if n}
            return Contents(kinds, answerers, (first or b"").decode(), (last or b"").decode(), self._file.size())

        return self._file.read(work)

    def rows(self) -> Iterator[Answer]:
        """All answers, in the order in which they were recorded.

        Raises:
            DataError: if one is not what was recorded.
        """
        query = (
            "SELECT answers.id, kind, sample, request, response, digest, identity, recorded FROM answers "
            "JOIN answerers ON answerers.id = answerer WHERE answers.id > ? ORDER BY answers.id LIMIT ?"
        )
        last = 0
        while rows := self._fetch(query, last, _PAGE):
            for last, kind, sample, request, response, digest, identity, recorded in rows:  # noqa: B007
                yield Answer(
                    kind=kind.decode(),
                    request=json.loads(self._text_of(request)),
                    sample=sample,
                    response=json.loads(self._text_of(response, digest)),
                    by=json.loads(identity),
                    recorded=recorded.decode(),
                )

    def take(self, answers: Iterable[Answer]) -> Taken:
        """Records answers that were recorded elsewhere, in batches; what is there already stays.

        Raises:
            DataError: if the file cannot be written.
        """
        taken = Taken(0, 0, 0)
        rows = iter(answers)
        while page := list(islice(rows, _PAGE)):
            taken = Taken(*map(sum, zip(taken, self._take(page), strict=True)))
        return taken

    def _take(self, answers: Sequence[Answer]) -> Taken:
        rows: dict[bytes, tuple[Question, str, Answer]] = {}
        for one in answers:
            asked = question(one.kind, one.request, one.sample)
            rows.setdefault(asked.key, (asked, plain_text(one.response, self.secrets), one))

        def work(link: Connection) -> Taken:
            kept = self._texts(link, list(rows))
            for key, (asked, response, one) in rows.items():
                if key not in kept:
                    answerer = _answerer(link, ROLES[one.kind], self._identity(one.by))
                    _insert(link, answerer, one.recorded, [(asked, response)])
            other = sum(kept[key] != rows[key][1] for key in kept)
            return Taken(len(rows) - len(kept), len(answers) - len(rows) + len(kept) - other, other)

        return self._file.write(work)

    # ── the file ──────────────────────────────────────────────────────────────

    def _fetch(self, query: str, *values: object) -> list[Any]:
        return self._file.read(lambda link: link.execute(query, values).fetchall())

    def _texts(self, link: Connection, keys: Sequence[bytes]) -> dict[bytes, str]:
        """The recorded answers to these keys, as JSON."""
        found = {}
        for start in range(0, len(keys), _CHUNK):
            some = keys[start : start + _CHUNK]
            query = f"SELECT key, response, digest FROM answers WHERE key IN ({','.join('?' * len(some))})"
            for key, response, digest in link.execute(query, some):
                found[key] = self._text_of(response, digest)
        return found

    def _text_of(self, data: bytes, digest: bytes = b"") -> str:
        """A text as it was recorded."""
        try:
            text = unpacked(data)
            if digest and sha256(text).digest() != digest:
                raise ValueError("an answer is not what was recorded")
            return text.decode()
        except ValueError as error:
            raise self._file.damaged(str(error)) from error


def _insert(link: Connection, answerer: int, recorded: str, rows: Iterable[tuple[Question, str]]) -> None:
    link.executemany(
        "INSERT INTO answers (key, digest, kind, sample, answerer, recorded, request, response) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                one.key,
                sha256(response.encode()).digest(),
                one.kind,
                one.sample,
                answerer,
                recorded,
                packed(plain_text(json.loads(one.request))),
                packed(response),
            )
            for one, response in rows
        ],
    )


def _answerer(link: Connection, role: str, identity: str) -> int:
    """The id of who answers; noted if it is new."""
    link.execute("INSERT OR IGNORE INTO answerers (role, identity) VALUES (?, ?)", (role, identity))
    row = link.execute("SELECT id FROM answerers WHERE role = ? AND identity = ?", (role, identity)).fetchone()
    return int(row[0])
