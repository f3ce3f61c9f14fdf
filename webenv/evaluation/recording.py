"""Runs on a cassette: environments whose web and judge are recorded, and what ``run.json`` says of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

from webenv.benchmark import Benchmark
from webenv.cassette import Cassette
from webenv.env import SearchEnv
from webenv.errors import InvalidArgument, MissingExtra, RunError
from webenv.evaluation.environments import make_env
from webenv.evaluation.trust import LIVE
from webenv.judge import asks_others
from webenv.recorded import RecordedAsker, RecordedJudge, RecordedWeb, recorded_models
from webenv.runtime.spec import split_settings
from webenv.web import Closable


def recorded_env(env: str, settings: Mapping[str, Any], cassette: Cassette) -> SearchEnv:
    """Makes an environment whose web and judge stand behind a cassette.

    A judge that is a chat model's is recorded reply by reply; one that asks nobody (such as ``page``,
    ``answer`` and ``exact``) not at all; any other verdict by verdict. In mode ``replay`` no chat model and
    no web that is called ``live:…`` is opened, so no key is needed.

    Args:
        env: its id.
        settings: its keyword arguments; they stay what they are in ``run.json``.
        cassette: the tape.

    Raises:
        InvalidArgument: for an unknown id or argument, a budget of seconds, or a tape of another web, judge or model.
        DataError: if the tape does not know the web, judge or model.
    """
    given, name = dict(settings), settings.get("web")
    closed = cassette.mode == "replay" and isinstance(name, str) and name.startswith(LIVE)
    if closed:
        _check_live(str(name))
        given["web"] = RecordedWeb(cassette)
    with recorded_models(cassette) as models:
        made = make_env(env, given).unwrapped
    assert isinstance(made, SearchEnv)  # make_env refuses others
    if closed and made.spec is not None:
        made.spec.kwargs["web"] = name
    benchmark = made.benchmark
    check_clock(benchmark, [cassette])
    judge = benchmark.judge
    if asks_others(judge) and judge.identity.get("model") not in models and not isinstance(judge, RecordedJudge):
        judge = RecordedJudge(cassette, judge)
    own_web = isinstance(benchmark.web, RecordedWeb) and benchmark.web.cassette is cassette
    web = benchmark.web if own_web else RecordedWeb(cassette, benchmark.web)
    asker = benchmark.asked
    if benchmark.budget.asks and not isinstance(asker, RecordedAsker):
        asker = RecordedAsker(cassette, asker)
    made.benchmark = replace(benchmark, web=web, judge=judge, asker=asker)
    return made


@contextmanager
def opened_env(env: str, settings: Mapping[str, Any], cassette: Cassette | None = None) -> Iterator[SearchEnv]:
    """An environment, on its tape if there is one; closed afterwards, with its web.

    Args:
        env: its id.
        settings: its keyword arguments.
        cassette: the tape; it stays open.
    """
    made = make_env(env, settings).unwrapped if cassette is None else recorded_env(env, settings, cassette)
    assert isinstance(made, SearchEnv)  # make_env refuses others
    try:
        yield made
    finally:
        made.close()
        if isinstance(made.benchmark.web, Closable):
            made.benchmark.web.close()


def _check_live(name: str) -> None:
    """Refuses the name of a live web that is none, or holds a key: it will stand in ``run.json``."""
    try:
        from webenv.corpora.live.spec import parse_live
    except MissingExtra:  # a replay does without it
        if any(one.name.lower().endswith("key") for one in split_settings(name.partition(",")[2], "live web")):
            raise InvalidArgument("live web: a key in a name would be recorded; leave it out.") from None
        return
    parse_live(name)


def check_clock(benchmark: Benchmark, cassettes: Sequence[Cassette]) -> None:
    """Refuses a budget of seconds on a tape where a clock may measure them: a replay would go on where the run ended.

    Raises:
        InvalidArgument: if there is both.
    """
    tapes = [one for one in cassettes if one.mode != "live"]
    if tapes and benchmark.budget.seconds is not None and benchmark.latency is None:
        raise InvalidArgument(
            f"budget seconds={benchmark.budget.seconds:g} with cassette {str(tapes[0].path)!r}: a run that depends on "
            "a clock cannot be replayed; leave out the seconds, or the cassette, or make seconds data: latency=default "
            "draws those that the tape does not hold."
        )


def cassettes_of(benchmark: Benchmark, others: Sequence[Cassette] = ()) -> list[Cassette]:
    """The tapes of a run, each once: those behind its web and judge, and others, such as its policy's."""
    return list({str(one.path.absolute()): one for one in (*_behind_parts(benchmark), *others)}.values())


@contextmanager
def one_run(benchmark: Benchmark, others: Sequence[Cassette] = ()) -> Iterator[None]:
    """While the block runs, what fails is not asked again by those tapes (:meth:`webenv.cassette.Cassette.one_run`)."""
    with ExitStack() as runs:
        for tape in {id(one): one for one in (*_behind_parts(benchmark), *others)}.values():
            runs.enter_context(tape.one_run())
        yield


def _behind_parts(benchmark: Benchmark) -> list[Cassette]:
    parts = (benchmark.web, benchmark.asked, benchmark.judge)
    return [part.cassette for part in parts if isinstance(part, RecordedWeb | RecordedAsker | RecordedJudge)]


def cassette_entries(cassettes: Sequence[Cassette], *, ended: bool) -> list[dict[str, str | None]]:
    """What ``run.json`` says of the tapes of a run: ``file`` (the name alone), ``mode`` and ``digest``.

    Args:
        cassettes: the tapes.
        ended: whether the run has ended; until then, a tape that is being recorded has no digest.
    """
    return [
        {
            "file": one.path.name,
            "mode": one.mode,
            "digest": one.digest if one.replays or (ended and one.mode == "record") else None,
        }
        for one in cassettes
    ]


def check_cassettes(before: Mapping[str, Any], cassettes: Sequence[Cassette], folder: str) -> list[str]:
    """Refuses to go on live with a run that was played on a cassette; gives notes on a tape that has changed.

    Raises:
        RunError: if the run had a cassette, and now has none.
    """
    old = [entry for entry in before.get("cassettes") or () if isinstance(entry, dict)]
    if not old:
        return []
    if not cassettes:
        raise RunError(
            f"{folder} holds a run on the cassette {old[0].get('file')!r}, this one has none and would go live; "
            "add --cassette FILE, with --cassette-mode live if that is meant."
        )
    digests = {one.digest for one in cassettes if one.replays}
    changed = digests and old[0].get("digest") not in (None, *digests)
    return ["The cassette is not what it was when the run began: its digest differs."] if changed else []
