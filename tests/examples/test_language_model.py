from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest

from tests.extras import needs_extra
from webenv.errors import InvalidArgument
from webenv.vector import SearchVectorEnv
from webenv.wrappers import VectorTextWrapper

needs_extra("train")

import torch

FOLDER = Path(__file__).parents[2] / "examples" / "language_model"
MODULES = ("tokenizer", "model", "play", "imitate", "grpo", "scale", "result", "train")
QUESTION = 'Result 3: The Klutox Clock\nhttps://a.example/x-3\nprinted "Klutox" clocks cost 19,561 crowns.'


@pytest.fixture(scope="module")
def parts() -> Iterator[SimpleNamespace]:
    """The example's modules, which stand beside each other as those of a script do."""
    sys.path.insert(0, str(FOLDER))
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield SimpleNamespace(**{name: __import__(name) for name in MODULES})
    finally:
        torch.set_num_threads(threads)
        sys.path.remove(str(FOLDER))
        for name in MODULES:
            sys.modules.pop(name, None)


@pytest.fixture(scope="module")
def benchmark() -> Any:
    budget = {"searches": 1, "visits": 2, "turns": 3}
    env = gymnasium.make("NeedleInWeb-v0", web="procedural:pages=200", budget=budget, difficulty="easy")
    made = env.unwrapped.benchmark  # type: ignore[attr-defined]
    return replace(made, rules=replace(made.rules, results=3))


def wrapped(benchmark: Any, slots: int, group_size: int = 1) -> VectorTextWrapper:
    envs = SearchVectorEnv(benchmark, slots, group_size=group_size)
    return VectorTextWrapper(envs, prompt="Find the page.", page_characters=100, references=True)


@pytest.fixture(scope="module")
def shown(parts: SimpleNamespace, benchmark: Any) -> list[Any]:
    return list(parts.imitate.show(benchmark, wrapped(benchmark, 4), 6, seed=0))


@pytest.fixture(scope="module")
def tokenizer(parts: SimpleNamespace, shown: list[Any]) -> Any:
    texts = [[segment.text for segment in one.transcript.segments] for one in shown]
    return parts.tokenizer.Tokenizer.of(texts, words=300, slots=128)


def small(parts: SimpleNamespace, tokenizer: Any, seed: int = 0) -> Any:
    torch.manual_seed(seed)
    return parts.model.LanguageModel(parts.model.Size(len(tokenizer), width=32, layers=2, heads=2, context=512))


def test_slots(parts: SimpleNamespace) -> None:
    """A word that training had not is written back as the conversation had it first, whatever its ending."""
    tokenizer = parts.tokenizer.Tokenizer.of([["the mill was printed <search>\nmill\n</search>"]] * 3, slots=32)
    conversation = parts.tokenizer.Conversation(tokenizer, np.random.default_rng(0))
    conversation.encode(QUESTION)
    ids = conversation.encode('<search>\n"klutox CLOCKS" 19,561\nthe mill\n</search><|end|>')
    assert conversation.decode(ids) == '<search>\n"Klutox Clock" 19,561\nThe mill\n</search>'


def test_slots_differ(parts: SimpleNamespace) -> None:
    """The slot of a word is another in each conversation; the id of a word of the vocabulary is the same."""
    tokenizer = parts.tokenizer.Tokenizer.of([["mills and mills"]], slots=512)
    found = [
        parts.tokenizer.Conversation(tokenizer, np.random.default_rng(seed)).encode("mill Klutox") for seed in range(4)
    ]
    assert len({ids[0] for ids in found}) == 1
    assert len({ids[1] for ids in found}) == 4


def test_no_slot_no_text(parts: SimpleNamespace) -> None:
    """Ids that stand for no word of the conversation are written as nothing."""
    tokenizer = parts.tokenizer.Tokenizer.of([["mill"]], slots=8)
    conversation = parts.tokenizer.Conversation(tokenizer, np.random.default_rng(0))
    assert conversation.decode(range(tokenizer.first_slot, len(tokenizer))) == ""


def test_cache(parts: SimpleNamespace, tokenizer: Any) -> None:
    """Ids that are read in parts, in rows of different lengths, are scored as those that are read at once."""
    model = small(parts, tokenizer)
    ids = torch.randint(0, len(tokenizer), (3, 20), generator=torch.Generator().manual_seed(1))
    cache = parts.model.Cache(model.size, 3, torch.device("cpu"))
    with torch.no_grad():
        whole = model.logits(model(ids))
        model.extend(cache, ids[:, :9], torch.tensor([9, 4, 1]))
        rest = torch.stack([ids[0, 9:18], ids[1, 4:13], ids[2, 1:10]])
        scores = model.extend(cache, rest, torch.tensor([9, 1, 7]))
    assert cache.lengths.tolist() == [18, 5, 8]
    for row, last in enumerate((17, 4, 7)):
        torch.testing.assert_close(scores[row], whole[row, last], rtol=1e-4, atol=1e-4)


def test_teacher(shown: list[Any]) -> None:
    """The investigator's episodes are conversations in which results are named by number, and its part is marked."""
    segments = shown[0].transcript.segments
    assert [one.role for one in segments] == ["system", "user", "assistant", "user", "assistant", "user", "assistant"]
    assert [one.is_agent for one in segments] == [one.role == "assistant" for one in segments]
    assert segments[2].text.startswith("<search>\n")
    assert segments[4].text.startswith("<visit>\n")
    assert segments[6].text in [f"<answer>\n{number}\n</answer>" for number in (1, 2, 3)]
    assert {one.value for one in shown} <= {0.0, 1.0}


def test_chats(parts: SimpleNamespace, shown: list[Any], tmp_path: Path) -> None:
    """The chats hold each message, and which the agent wrote."""
    parts.imitate.write_chats(tmp_path / "chats.jsonl", shown)
    lines = [json.loads(line) for line in (tmp_path / "chats.jsonl").read_text().splitlines()]
    assert len(lines) == 6
    assert lines[0]["messages"] == shown[0].transcript.messages
    assert lines[0]["agent"] == [False, False, True, False, True, False, True]


def test_imitates(parts: SimpleNamespace, shown: list[Any], tokenizer: Any) -> None:
    """A model that sees the same few conversations again and again learns to write the agent's part of them."""
    model, rng = small(parts, tokenizer), np.random.default_rng(0)
    optimizer = torch.optim.AdamW([{"params": list(model.parameters()), "initial_lr": 1e-2}], lr=1e-2)
    transcripts = [one.transcript for one in shown[:3]]
    losses = [
        loss
        for turn in range(20)
        for loss, _, _ in parts.imitate.imitate(
            model, transcripts, tokenizer, optimizer, rng, torch.device("cpu"), schedule=(turn, 20)
        )
    ]
    assert losses[0] > 5
    assert losses[-1] < losses[0] / 2


def test_plays(parts: SimpleNamespace, benchmark: Any, tokenizer: Any) -> None:
    """What is learned from is, id for id, what the model wrote, with the probability that it had."""
    model = small(parts, tokenizer)
    envs, chance = wrapped(benchmark, 4, 2), torch.Generator().manual_seed(0)
    envs.reset(seed=0)
    episodes = parts.play.play(model, envs, tokenizer, np.random.default_rng(0), chance, longest=8)
    assert [episode.group for episode in episodes] == [0, 0, 1, 1]
    assert episodes[0].task == episodes[1].task
    for episode in episodes:
        assert episode.scored
        assert len(episode.replies) == 3
        ids = torch.tensor([episode.ids])
        with torch.no_grad():
            logs = model.logits(model(ids)).log_softmax(-1)[0, :-1].gather(1, ids[0, 1:, None])[:, 0]
        wrote = torch.tensor(episode.mask)[1:]
        assert 3 <= int(wrote.sum()) <= 24
        torch.testing.assert_close(logs[wrote], torch.tensor(episode.logs)[1:][wrote], rtol=1e-3, atol=1e-3)


def test_advantages(parts: SimpleNamespace) -> None:
    """Episodes are measured by their group, without those that are unscored; a group that is all alike teaches
    nothing."""
    episode = parts.play.Episode
    mixed = [episode("a", 0, scored=True, value=value) for value in (1.0, 0.0, 0.0, 1.0)]
    alike = [episode("b", 1, scored=True, value=1.0) for _ in range(2)]
    assert parts.grpo.advantages([*mixed, episode("a", 0), *alike]).tolist() == [1.0, -1.0, -1.0, 1.0, 0.0, 0.0, 0.0]


def test_learns(parts: SimpleNamespace, tokenizer: Any) -> None:
    """After an update the reply that was worth more than the other is likelier, and the other less likely."""
    model = small(parts, tokenizer)
    good, bad = [7, 8, 9], [7, 10, 11]

    def log(written: list[int]) -> Any:
        ids = torch.tensor([[3, 20, 21, 4, *written]])
        return model.logits(model(ids)).log_softmax(-1)[0, 3:6].gather(1, torch.tensor(written)[:, None])[:, 0]

    episodes = []
    for value, written in ((1.0, good), (0.0, bad)):
        one = parts.play.Episode("a", 0, scored=True, value=value)
        one.read([3, 20, 21, 4])
        for number, probability in zip(written, log(written).tolist(), strict=True):
            one.write(number, probability)
        episodes.append(one)
    before = log(good).sum().item(), log(bad).sum().item()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    settings, device = parts.grpo.Settings(), torch.device("cpu")
    learned = parts.grpo.learn(model, optimizer, episodes, np.random.default_rng(0), device, settings)
    assert learned.taught == 2
    assert log(good).sum().item() > before[0]
    assert log(bad).sum().item() < before[1]


def test_unscored(parts: SimpleNamespace, benchmark: Any, tokenizer: Any) -> None:
    """Episodes without a verdict are counted, and change nothing."""
    late = replace(benchmark, budget=replace(benchmark.budget, seconds=1e-9))
    model = small(parts, tokenizer)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    chance = torch.Generator().manual_seed(0)
    envs = wrapped(late, 4, 2)
    step = envs.step  # whatever the model writes, a search goes out: its time alone counts towards the budget's seconds
    envs.step = lambda replies: step(["<search>river</search>" for _ in replies])  # type: ignore[method-assign]
    envs.reset(seed=0)
    done = parts.grpo.update(model, envs, tokenizer, optimizer, np.random.default_rng(0), chance, parts.grpo.Settings())
    assert (done.episodes, done.unscored, done.taught) == (4, 4, 0)
    assert math.isnan(done.success)
    assert all(torch.equal(before[name], value) for name, value in model.state_dict().items())


def test_rise(parts: SimpleNamespace) -> None:
    """A rise is that of the tasks that were scored both times, with the interval of the paired difference."""
    found = parts.result.rise([0.0, 0.0, 1.0, 1.0, None], [1.0, 1.0, 1.0, 1.0, 1.0])
    assert (found["start"], found["end"], found["rise"]) == (0.5, 1.0, 0.5)
    assert (found["low"], found["high"], found["tasks"], found["unscored"]) == (0.0, 1.0, 4, 1)


@pytest.mark.slow
def test_command(parts: SimpleNamespace, tmp_path: Path) -> None:
    """The command trains, goes on from its checkpoint, and refuses one of other settings."""
    words = ["--size", "tiny", "--device", "cpu", "--out", str(tmp_path)]
    first = parts.train.main([*words, "--minutes", "0.02"])
    assert json.loads((tmp_path / "validation.json").read_text())["sampled"] == first["sampled"]
    assert first["sampled"]["tasks"] == 4
    assert first["updates"] == len((tmp_path / "progress.jsonl").read_text().splitlines()) >= 1
    assert len((tmp_path / "chats.jsonl").read_text().splitlines()) == 8
    with pytest.raises(InvalidArgument, match="was trained with"):
        parts.train.main([*words, "--resume", "--seed", "1"])
    more = parts.train.main([*words, "--resume", "--minutes", str(first["minutes"] + 0.001)])
    assert more["updates"] == len((tmp_path / "progress.jsonl").read_text().splitlines()) > first["updates"]
    assert more["sampled"]["start"] == first["sampled"]["start"]
    other = parts.train.main([*words, "--resume", "--minutes", "0", "--split", "test"])
    assert (other["split"], other["updates"]) == ("test", more["updates"])
