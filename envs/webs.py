"""Webs by their names, as in ``web="…"`` and ``--web …``, and the tasks that are put on them, with their files."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from webenv.corpora import ContentAgents, Corpus
from webenv.corpora.procedural import Worlds, cached_worlds, config_of, read_spec
from webenv.envs.generated_tasks import GeneratedTasks
from webenv.errors import InvalidArgument, TaskFileError
from webenv.recorded import RecordedAsker, RecordedWeb
from webenv.runtime.files import files_in
from webenv.task import Excluded, Task, TaskSet
from webenv.web import Asking, Missing, VisitRequest, Web

_GENERATED = "generated"  # how tasks are called that are made from the facts of a web
_EXPECTED = (
    "expected 'procedural', 'sample', the folder of a corpus (DIR, or DIR#dense for another of its engines), "
    "'live:<provider>', 'cassette:<file>', 'lucene:<folder>', or a Web"
)


def open_web(name: str | os.PathLike[str] | Web, workers: int | None = None) -> Web:
    """The web of a name.

    ==================================  =============================================================
    procedural, procedural:DIALS        a generated web (:class:`webenv.corpora.procedural.WebConfig`), or several
    sample                              65 pages written by hand
    DIR, DIR#ENGINE                     the folder of a corpus, ranked by tantivy or by another of its engines
    lucene:DIR, lucene:DIR,language=zh  a Lucene index that Anserini or pyserini built, with language, k1, b if wanted
    live:PROVIDER, live:PROVIDER,…      the live web (:func:`webenv.corpora.live.open_live`)
    cassette:FILE                       what was recorded of a web (:mod:`webenv.recorded`)
    ==================================  =============================================================

    Args:
        name: the name, or a Web, which is given back.
        workers: processes that share large batches of searches of a corpus, as for :meth:`Corpus.open`.

    Raises:
        InvalidArgument: for a name that names no web.
        CorpusError: if there is no corpus, or it cannot be read.
        MissingExtra: if a package that it needs is missing.
    """
    if isinstance(name, os.PathLike):
        return Corpus.open(name, workers)
    if not isinstance(name, str):
        if isinstance(name, Web):
            return name
        raise InvalidArgument(f"web={name!r:.100}: {_EXPECTED}.")
    kind, colon, _ = name.partition(":")
    if name == "sample":
        from webenv.corpora.sample.web import sample_web

        return sample_web()
    if kind == "procedural":
        return cached_worlds(Worlds.parse(name))
    if colon and kind == "live":
        from webenv.corpora.live import open_live

        return open_live(name)
    if colon and kind == "cassette":
        from webenv.recorded import open_cassette

        return open_cassette(name)
    if colon and kind == "lucene":
        from webenv.corpora.lucene import open_lucene_spec

        return open_lucene_spec(name)
    if Path(name).is_dir() or "#" not in name:
        return Corpus.open(name, workers)
    folder, _, engine = name.rpartition("#")
    return Corpus.open(folder, workers, engine)


def open_asker(web: Web) -> Asking:
    """Who is asked on a web: the web where it can be asked, who was asked on a tape, else what its sites' pages say."""
    if isinstance(web, Asking):
        return web
    return RecordedAsker(web.cassette) if isinstance(web, RecordedWeb) else ContentAgents(web)


def named_worlds(
    web: object, split: object, config: Mapping[str, object] | None = None, held_out: int = 1
) -> Worlds | None:
    """The worlds of a text that names a procedural web; ``None`` for anything else.

    Args:
        web: the text, or whatever was given in its place.
        split: the split that is asked for; ``None``: that of the text.
        dials: dials that differ from their defaults where the text does not name them.
        held_out: how many worlds there are of validation and test where the text does not say.

    Raises:
        InvalidArgument: for an unknown dial, a value out of range, or a text of another split.
    """
    if not isinstance(web, str) or web.partition(":")[0] != "procedural":
        return None
    given = dict(config or {}) if split is None else {**(config or {}), "split": split}
    worlds = Worlds.parse(web, **given)
    if split is not None and worlds.first.split != split:
        raise InvalidArgument(f"{web!r:.100} is of another split than split={split!r}: leave one of the two out.")
    several = worlds.first.split != "train" and "worlds" not in read_spec(web)
    return Worlds(worlds.first, held_out) if several else worlds


def open_world(web: str, config: Mapping[str, object] | None = None) -> tuple[Web, Worlds | None]:
    """The web of a name, and the one generated world that it is; ``None``: it is none.

    Args:
        web: the name (:func:`open_web`).
        config: settings of a generated web where the name does not give them.

    Raises:
        InvalidArgument: if it names several worlds, or as :func:`open_web`.
    """
    worlds = named_worlds(web, None, config)
    if worlds is None:
        opened = open_web(web)
        return opened, _worlds_of(opened)
    if worlds.count > 1:
        raise InvalidArgument(f"{web!r:.100} has {worlds.count} worlds: expected one; leave worlds out.")
    return cached_worlds(worlds), worlds


WebArgument = str | Path | Web
TasksArgument = str | Path | Iterable[str | Path] | TaskSet | None


class WebAndTasks(NamedTuple):
    """A web, and the tasks that are put on it.

    Attributes:
        name: what was given as the web.
        web: the web; ``None`` for a generated one, which is opened last.
        worlds: the generated worlds that it consists of, where they are known.
        tasks: all tasks; what is chosen of them is up to the benchmark.
    """

    name: WebArgument
    web: Web | None
    worlds: Worlds | None
    tasks: TaskSet

    def finished(self, chosen: TaskSet) -> Web:
        """The web; a generated one may have to be written now, so everything else is to be checked before.

        Args:
            chosen: the tasks that will be played: gold pages of some are looked for in a corpus.

        Raises:
            InvalidArgument: if none is there.
        """
        web = self.web
        if web is None:
            assert self.worlds is not None
            web = cached_worlds(self.worlds)
        generated = self.worlds is not None and isinstance(self.tasks, GeneratedTasks)
        if isinstance(web, Corpus) and not generated:
            check_gold(chosen, web, f"web={str(self.name)!r:.100}")
        return web


def load_web_and_tasks(
    web: WebArgument,
    tasks: TasksArgument,
    split: str | None,
    *,
    generate: Callable[[Worlds, str], TaskSet],
    load: Callable[..., TaskSet],
    own: Mapping[str, Path] | None = None,
    config: Mapping[str, object] | None = None,
    held_out: int = 1,
) -> WebAndTasks:
    """Opens a web and loads, or generates, its tasks.

    Tasks are a task set; ``generated``, with or without ``:count=…``: made from the
    facts of a generated web, or of a corpus that was built from one alone; ``procedural:DIALS``: those of that
    generated web, however its pages are reached; or files. Where none are given they are generated if they can be.

    Args:
        web: the web, by name or as such (:func:`webenv.envs.webs.open_web`).
        tasks: the tasks.
        split: the split that is asked for.
        generate: the tasks of worlds, from a text that begins with ``generated``.
        load: loads task files.
        own: task files that come with a web, by its name.
        dials: dials of generated webs that differ from their defaults.
        held_out: how many worlds a generated web of validation or test has where its text does not say.

    Raises:
        InvalidArgument: for a web or tasks that are unknown, or do not fit each other.
        DataError: for files that cannot be read.
    """
    worlds = named_worlds(web, split, config, held_out)
    place = None if worlds is not None else open_web(web)
    name = tasks.partition(":")[0] if isinstance(tasks, str) else ""
    if worlds is None and (tasks is None or name == _GENERATED or isinstance(tasks, GeneratedTasks)):
        worlds = _worlds_of(place)
    known: TaskSet
    if isinstance(tasks, TaskSet):
        known = tasks
    elif name == "procedural":
        known = generate(_world_of_tasks(str(tasks), split, config), _GENERATED)
    elif worlds is not None and (tasks is None or name == _GENERATED):
        known = generate(worlds, str(tasks or _GENERATED))
    elif tasks is not None:
        if name == _GENERATED:
            raise _no_facts(str(tasks), web, place)
        known = load(*_task_files(tasks))
    else:
        if not isinstance(web, str) or web not in (own or {}):
            raise InvalidArgument(f"web={str(web)!r:.100} comes without tasks: name them, as in tasks='FOLDER'.")
        known = load((own or {})[web])
    if worlds is not None:
        _check_worlds(known, worlds, web)
    return WebAndTasks(web, place, worlds, known)


def task_files(paths: Iterable[str | Path], endings: tuple[str, ...], expected: str) -> Iterator[Path]:
    """The files that are named, and of a folder those with such endings.

    Raises:
        TaskFileError: for a path that is not there, or a folder without such files; ``expected`` says which.
    """
    for path in map(Path, paths):
        if not path.exists():
            raise TaskFileError(f"{path}: no such file or folder; expected {expected}.")
        found = files_in(path, endings, TaskFileError) if path.is_dir() else [path]
        if not found:
            raise TaskFileError(f"{path} holds no {endings[0]} file; expected {expected}.")
        yield from found


def task_set(found: Iterable[tuple[str, Task, str]], name: str) -> TaskSet:
    """Tasks as they were read: the place of each, the task, and why it is left out, empty as a rule.

    Raises:
        TaskFileError: for an id that comes twice.
    """
    tasks: list[Task] = []
    excluded: list[Excluded] = []
    seen: dict[str, str] = {}
    for place, task, problem in found:
        if task.id in seen:
            raise TaskFileError(f"{place}: the id {task.id!r} is that of {seen[task.id]} too; ids must differ.")
        seen[task.id] = place
        if problem:
            excluded.append(Excluded(task, problem))
        else:
            tasks.append(task)
    return TaskSet(tasks, excluded, name=name)


def _worlds_of(web: Web | None) -> Worlds | None:
    """The one world that a corpus holds; ``None`` for other webs."""
    manifest = web.manifest if isinstance(web, Corpus) else None
    config = None if manifest is None else config_of(manifest)
    return None if config is None else Worlds(config)


def _world_of_tasks(tasks: str, split: str | None, config: Mapping[str, object] | None) -> Worlds:
    worlds = named_worlds(tasks, split, config)
    assert worlds is not None
    if worlds.count > 1:
        raise InvalidArgument(f"tasks={tasks!r:.100}: expected one world; leave worlds out.")
    return worlds


def _no_facts(tasks: str, web: WebArgument, place: Web | None) -> InvalidArgument:
    manifest = place.manifest if isinstance(place, Corpus) else None
    made = "has no facts" if manifest is None else f"was built from {', '.join(manifest.sources):.200}"
    return InvalidArgument(
        f"tasks={tasks!r:.100} needs web='procedural', or a corpus built from one procedural web alone; "
        f"web={str(web)!r:.100} {made}."
    )


def _task_files(tasks: object) -> list[str | Path]:
    paths = [tasks] if isinstance(tasks, str | Path) else list(tasks) if isinstance(tasks, Iterable) else []
    if not paths or not all(isinstance(path, str | Path) for path in paths):
        raise InvalidArgument(f"tasks={tasks!r:.100}: expected files, a folder of them, '{_GENERATED}', or a TaskSet.")
    return paths


def _check_worlds(tasks: TaskSet, worlds: Worlds, web: WebArgument) -> None:
    """Refuses tasks that were generated from other worlds, and on several worlds those that name none of them."""
    if isinstance(tasks, GeneratedTasks):
        if tasks.source.worlds != worlds:
            raise InvalidArgument(f"web={str(web)!r} and tasks of {tasks.name!r}: expected tasks of the same web.")
        return
    for task in tasks if worlds.count > 1 else ():
        if worlds.place(task.scope.world) is None:
            raise InvalidArgument(
                f"web={str(web)!r:.100} has several worlds, and task {task.id!r:.100} is of none of them: "
                "give tasks='generated', or a web of one world."
            )


_LOOKED_AT = 20


def check_gold(tasks: TaskSet, corpus: Corpus, name: str) -> None:
    """Looks for the gold pages of at most 20 tasks, spread evenly; tells on stderr, in one line, of some that lack.

    A task without gold pages lacks none.

    Args:
        tasks: the tasks.
        corpus: the web that they are put on.
        name: what messages call it.

    Raises:
        InvalidArgument: if the gold pages of all these tasks lack.
    """
    count = min(len(tasks), _LOOKED_AT)
    looked_at = [tasks[number * len(tasks) // count] for number in range(count)]
    visits = [[VisitRequest(url) for url in task.gold.urls] for task in looked_at]
    pages = iter(corpus.visit([visit for each in visits for visit in each]))
    lacking = []
    with_gold = 0
    for task, each in zip(looked_at, visits, strict=True):
        found = [next(pages) for _ in each]
        with_gold += bool(each)
        if each and all(isinstance(page, Missing) for page in found):
            lacking.append(task)
    if not lacking:
        return
    first = f"{lacking[0].gold.urls[0][:200]} of task {lacking[0].id!r:.100}"
    if len(lacking) == with_gold:
        raise InvalidArgument(
            f"{name} has the gold page of none of {with_gold} tasks of {tasks.name!r} looked at, such as {first}: "
            "give the web that the tasks are about, or a corpus with its pages."
        )
    _tell(
        f"webenv: note: {name} lacks the gold pages of {len(lacking)} of {with_gold} tasks of {tasks.name!r} looked "
        f"at, such as {first}; such tasks stay unscored."
    )


@cache
def _tell(line: str) -> None:
    """Tells it once, however often a web is opened."""
    print(line, file=sys.stderr)
