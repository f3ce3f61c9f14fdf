from __future__ import annotations

from typing import Any

import gymnasium
import pytest

from webenv import Benchmark, SearchEnv, SearchVectorEnv, answer, ask, note, search, visit
from webenv.errors import InvalidArgument, UnknownTask
from webenv.evaluation.interactive import InteractiveEpisode
from webenv.task import Gold


@pytest.fixture
def env(benchmark: Benchmark) -> gymnasium.Env[Any, Any]:
    return SearchEnv(benchmark)


@pytest.fixture
def game(env: gymnasium.Env[Any, Any]) -> InteractiveEpisode:
    return InteractiveEpisode(env, "north/harbour")


def test_commands(game: InteractiveEpisode) -> None:
    """Commands are read as actions; numbers stand for the URLs that were shown."""
    game.step(search("harbour north"))
    first = game.observation["results"][0]["url"]
    assert game.read("s", 'a "b c" site:x.example') == search('a "b c" site:x.example')
    assert game.read("v", "1") == visit(first)
    assert game.read("v", "1 https://x.example/") == visit(first, "https://x.example/")
    assert game.read("answer", "1") == answer(first)
    assert game.read("answer", "No source found.") == answer("No source found.")
    assert game.read("n", "my plan") == note("my plan")
    assert game.read("a", "who @ me? @ north.example south.example") == ask(
        "who @ me?", "north.example", "south.example"
    )


@pytest.mark.parametrize(
    ("word", "rest", "message"),
    [
        ("x", "1", "no command 'x'"),
        ("", "", "no command ''"),
        ("u", "1", "no command 'u'"),
        ("s", "", "s needs something after it: s QUERY"),
        ("v", "99", "nothing has the number 99"),
        ("v", "²", "²"),
        ("a", "question", "a needs a question, @, and a site"),
        ("a", "@ site", "a needs a question, @, and a site"),
        ("a", "question @", "a needs a question, @, and a site"),
    ],
)
def test_bad_commands(game: InteractiveEpisode, word: str, rest: str, message: str) -> None:
    """A command that means nothing is refused with its usage, and costs nothing."""
    if message == rest:
        assert game.read(word, rest) == visit(rest)
        return
    with pytest.raises(InvalidArgument) as caught:
        game.read(word, rest)
    assert message in str(caught.value)
    assert game.observation["budget"].tolist() == [3, 3, 0, 8]


def test_numbers_stay(game: InteractiveEpisode) -> None:
    """A URL keeps the number of its first sight."""
    game.step(search("harbour"))
    numbers = dict(game.numbers)
    game.step(search("mill"))
    assert numbers.items() <= game.numbers.items()
    assert sorted(game.numbers.values()) == list(range(1, len(game.numbers) + 1))


def test_undo(game: InteractiveEpisode) -> None:
    """Undoing a turn gives back what it spent, and what was shown before it."""
    game.step(search("harbour"))
    results = game.observation["results"]
    game.step(visit(results[0]["url"]))
    assert game.observation["budget"].tolist() == [2, 2, 0, 6]
    game.undo()
    assert game.observation["results"] == results
    assert game.observation["budget"].tolist() == [2, 3, 0, 7]
    game.step(visit(results[1]["url"]))
    assert game.observation["budget"].tolist() == [2, 2, 0, 6]
    game.undo()
    game.undo()
    with pytest.raises(InvalidArgument, match="nothing to undo"):
        game.undo()


def test_gold_at_the_end(game: InteractiveEpisode) -> None:
    """The gold is shown when the episode has ended, and not before."""
    assert game.gold == Gold()
    game.step(answer("https://north.example/harbour"))
    assert game.over
    assert game.reward == 1.0
    assert game.gold.urls == ("https://north.example/harbour",)


def test_unknown_task(env: gymnasium.Env[Any, Any]) -> None:
    """An unknown task is refused."""
    with pytest.raises(UnknownTask):
        InteractiveEpisode(env, "nowhere")


def test_other_environments(benchmark: Benchmark) -> None:
    """What is no SearchEnv cannot be played."""
    with pytest.raises(InvalidArgument, match="no environment of webenv"):
        InteractiveEpisode(gymnasium.make("CartPole-v1"))
    assert not isinstance(SearchVectorEnv(benchmark), SearchEnv)
