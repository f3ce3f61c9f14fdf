"""The web of an environment and the tasks that are put on it, as its keywords ``web``, ``tasks`` and ``split`` say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from webenv.corpora import Corpus
from webenv.corpora.coverage import check_gold
from webenv.corpora.procedural import Worlds, cached_worlds, config_of
from webenv.envs.numbered import NumberedTasks
from webenv.envs.webs import named_worlds, open_web
from webenv.errors import InvalidArgument
from webenv.task import TaskSet
from webenv.web import Web

WebArgument = str | Path | Web
TasksArgument = str | Path | Iterable[str | Path] | TaskSet | None


class Opened(NamedTuple):
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
        generated = self.worlds is not None and isinstance(self.tasks, NumberedTasks)
        if isinstance(web, Corpus) and not generated:
            check_gold(chosen, web, f"web={str(self.name)!r:.100}")
        return web


def opened(
    web: WebArgument,
    tasks: TasksArgument,
    split: str | None,
    *,
    generate: Callable[[Worlds, str], TaskSet],
    load: Callable[..., TaskSet],
    names: Sequence[str] = ("generated",),
    own: Mapping[str, Path] | None = None,
    config: Mapping[str, object] | None = None,
    held_out: int = 1,
) -> Opened:
    """Opens a web and loads, or generates, its tasks.

    Tasks are a task set; ``generated``, or another of the ``names``, with or without ``:count=…``: made from the
    facts of a generated web, or of a corpus that was built from one alone; ``procedural:DIALS``: those of that
    generated web, however its pages are reached; or files. Where none are given they are generated if they can be.

    Args:
        web: the web, by name or as such (:func:`webenv.envs.webs.open_web`).
        tasks: the tasks.
        split: the split that is asked for.
        generate: the tasks of worlds, from a text that begins with one of ``names``.
        load: loads task files.
        names: what generated tasks are called; the first where no name is given.
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
    if worlds is None and (tasks is None or name in names or isinstance(tasks, NumberedTasks)):
        worlds = _worlds_of(place)
    known: TaskSet
    if isinstance(tasks, TaskSet):
        known = tasks
    elif name == "procedural":
        known = generate(_world_of_tasks(str(tasks), split, config), names[0])
    elif worlds is not None and (tasks is None or name in names):
        known = generate(worlds, str(tasks or names[0]))
    elif tasks is not None:
        if name in names:
            raise _no_facts(str(tasks), web, place)
        known = load(*_task_files(tasks, names))
    else:
        if not isinstance(web, str) or web not in (own or {}):
            raise InvalidArgument(f"web={str(web)!r:.100} comes without tasks: name them, as in tasks='FOLDER'.")
        known = load((own or {})[web])
    if worlds is not None:
        _check_worlds(known, worlds, web)
    return Opened(web, place, worlds, known)


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


def _task_files(tasks: object, names: Sequence[str]) -> list[str | Path]:
    paths = [tasks] if isinstance(tasks, str | Path) else list(tasks) if isinstance(tasks, Iterable) else []
    if not paths or not all(isinstance(path, str | Path) for path in paths):
        texts = ", ".join(f"'{name}'" for name in names)
        raise InvalidArgument(f"tasks={tasks!r:.100}: expected files, a folder of them, {texts}, or a TaskSet.")
    return paths


def _check_worlds(tasks: TaskSet, worlds: Worlds, web: WebArgument) -> None:
    """Refuses tasks that were generated from other worlds, and on several worlds those that name none of them."""
    if isinstance(tasks, NumberedTasks):
        if tasks.numbered.worlds != worlds:
            raise InvalidArgument(f"web={str(web)!r} and tasks of {tasks.name!r}: expected tasks of the same web.")
        return
    for task in tasks if worlds.count > 1 else ():
        if worlds.place(task.scope.world) is None:
            raise InvalidArgument(
                f"web={str(web)!r:.100} has several worlds, and task {task.id!r:.100} is of none of them: "
                "give tasks='generated', or a web of one world."
            )
