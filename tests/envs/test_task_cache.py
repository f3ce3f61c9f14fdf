"""Tasks that are kept are those that would be drawn, whatever happens to the file."""

import multiprocessing
from pathlib import Path

import pytest

from webenv.corpora.procedural import WebConfig, Worlds
from webenv.envs.agent_web_bench.generate import GROUPS, WebTask, task_source
from webenv.envs.browse_comp.generate import ChainTask, chain_source
from webenv.envs.generated_tasks import TaskSource
from webenv.envs.live_news_bench.simulated import SimulatedNews, simulated_news_source
from webenv.envs.needle_in_web.simulated import SimulatedNeedle, SimulatedNeedles
from webenv.envs.needle_in_web.traps import GROUPS as NEEDLES
from webenv.envs.task_cache import plain, reader, task_cache
from webenv.envs.wide_search.generate import WideTask, table_source

WORLDS = Worlds.parse("procedural:pages=480,conflicts=0.5")
LARGER = Worlds.parse("procedural:pages=2400")


class Refusing:
    """Draws nothing."""

    def __init__(self, *_: object) -> None:
        raise AssertionError("a task was drawn")


def source(made: type = SimulatedNeedles) -> TaskSource[SimulatedNeedle]:
    return TaskSource(WORLDS, NEEDLES, made, type=SimulatedNeedle)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WEBENV_CACHE", str(tmp_path))
    monkeypatch.delenv("WEBENV_CACHE_GB", raising=False)
    return tmp_path / "tasks"


@pytest.mark.parametrize("group", ["easy", "medium", "hard"])
def test_what_was_drawn_once_is_read_from_then_on_and_is_the_same(group: str) -> None:
    drawn = [source().draw(group, number) for number in range(2)]
    assert [source(Refusing).draw(group, number) for number in range(2)] == drawn


def test_tasks_of_every_benchmark_survive_being_kept() -> None:
    sources = [
        (SimulatedNews, simulated_news_source(LARGER)),
        (WideTask, table_source(LARGER)),
        (ChainTask, chain_source(LARGER)),
        *((WebTask, task_source(kind, LARGER)) for kind in GROUPS),
    ]
    for type_, made in sources:
        task = made.generator(0).draw(made.groups[0], 0)
        assert reader(type_)(plain(task)) == task


def test_a_damaged_line_is_drawn_again_and_others_are_read(folder: Path) -> None:
    drawn = [source().draw("easy", number) for number in range(3)]
    (file,) = folder.iterdir()
    data = file.read_bytes()
    at = data.index(b"easy 1 ")
    file.write_bytes(data[: at + 60] + b"?" + data[at + 61 :])
    assert source(Refusing).draw("easy", 0) == drawn[0]
    assert source(Refusing).draw("easy", 2) == drawn[2]
    with pytest.raises(AssertionError, match="was drawn"):
        source(Refusing).draw("easy", 1)
    assert source().draw("easy", 1) == drawn[1]
    assert source(Refusing).draw("easy", 1) == drawn[1]


def test_half_a_line_of_a_killed_process_spoils_no_other(folder: Path) -> None:
    first = source().draw("easy", 0)
    (file,) = folder.iterdir()
    file.write_bytes(file.read_bytes() + b"\n0123456789abcdefeasy 1 [[1,")
    second = source().draw("easy", 1)
    assert [source(Refusing).draw("easy", number) for number in range(2)] == [first, second]


def _draw(numbers: range) -> None:
    for number in numbers:
        source().draw("easy", number)


@pytest.mark.slow
def test_processes_that_draw_at_once_share_one_file(folder: Path) -> None:
    context = multiprocessing.get_context("spawn")
    both = [context.Process(target=_draw, args=(range(start, start + 6),)) for start in (0, 3)]
    for one in both:
        one.start()
    for one in both:
        one.join()
        assert one.exitcode == 0
    assert len(list(folder.iterdir())) == 1
    drawn = SimulatedNeedles(source().generator(0).web)
    assert [source(Refusing).draw("easy", n) for n in range(9)] == [drawn.draw("easy", n) for n in range(9)]


def test_another_world_has_a_file_of_its_own(folder: Path) -> None:
    caches = [task_cache(WebConfig(pages=480, seed=seed), "", NEEDLES, SimulatedNeedle) for seed in (1, 2)]
    task = source().draw("easy", 0)
    assert caches[0] is not None
    assert caches[1] is not None
    caches[0].put("easy", 0, task)
    assert caches[0].get("easy", 0) == task
    assert caches[1].get("easy", 0) is None


def test_a_cache_without_room_keeps_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEBENV_CACHE_GB", "0")
    source().draw("easy", 0)
    assert not folder.exists()


def test_files_used_longest_ago_give_way(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEBENV_CACHE_GB", "0.00004")  # 4,000 bytes for tasks
    task = source().draw("easy", 0)
    kept = []
    for seed in range(1, 9):
        cache = task_cache(WebConfig(pages=480, seed=seed), "", NEEDLES, SimulatedNeedle)
        assert cache is not None
        cache.put("easy", 0, task)
        kept.append(cache)
    assert kept[-1].get("easy", 0) == task
    assert sum(file.stat().st_size for file in folder.iterdir()) < 6_000
    assert len(list(folder.iterdir())) < 8


def test_a_folder_that_cannot_be_written_to_costs_nothing_but_time(tmp_path: Path) -> None:
    (tmp_path / "tasks").write_text("a file in its place")
    assert source().draw("easy", 0) == source().draw("easy", 0)


def test_a_link_in_the_place_of_the_file_is_not_followed(folder: Path, tmp_path: Path) -> None:
    source().draw("easy", 0)
    (file,) = folder.iterdir()
    target = tmp_path / "target"
    file.unlink()
    file.symlink_to(target)
    source().draw("easy", 1)
    assert not target.exists()
