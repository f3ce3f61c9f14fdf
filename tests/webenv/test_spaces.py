"""The Unicode space, and the spaces made of it."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any, cast

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.spaces.utils import flatten, flatten_space
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate
from gymnasium.wrappers import FlattenObservation
from hypothesis import given
from hypothesis import strategies as st

from webenv.errors import InvalidArgument
from webenv.spaces import LIMITS, Unicode, action_space, clean, observation_space


@pytest.mark.parametrize(
    ("x", "inside"),
    [
        ("", True),
        ("abcde", True),
        ("abcdef", False),
        ("a b\n\x00", True),
        ("灯台😀ñ", True),
        ("a\ud800", False),
        ("\ud83d\ude00", False),
        (b"abc", False),
        (5, False),
        (None, False),
        (np.str_("abc"), True),
    ],
)
def test_contains(x: Any, inside: bool) -> None:
    """Texts up to the length are inside, without lone surrogates; nothing else is."""
    assert (x in Unicode(5)) is inside


@pytest.mark.parametrize("length", [0, -1, 1.0, True, None, "5"])
def test_length_is_a_whole_number(length: Any) -> None:
    """A length that is no whole number from 1 is refused."""
    with pytest.raises(InvalidArgument, match=r"Unicode\(max_length=.*\): expected a whole number from 1\."):
        Unicode(length)


def test_samples_are_members() -> None:
    """A thousand samples are members, of 1 to 32 characters, and of at least 30 lengths."""
    space = Unicode(100, seed=0)
    samples = [space.sample() for _ in range(1_000)]
    assert all(sample in space for sample in samples)
    assert min(map(len, samples)) == 1
    assert max(map(len, samples)) == 32
    assert len(set(map(len, samples))) >= 30


def test_samples_of_a_short_space() -> None:
    """A space of one character samples one character."""
    assert {len(Unicode(1, seed=seed).sample()) for seed in range(20)} == {1}


def test_seed_decides_samples() -> None:
    """Equal seeds give equal samples."""
    assert [Unicode(9, seed=5).sample() for _ in range(3)] == [Unicode(9, seed=5).sample() for _ in range(3)]


@pytest.mark.parametrize(
    ("mask", "lengths"),
    [(0, {0}), (3, {3}), (np.array([1, 4]), {1, 4}), ([2, 2], {2}), (np.int64(7), {7})],
)
def test_sample_with_mask(mask: Any, lengths: set[int]) -> None:
    """A mask names the lengths that are drawn."""
    space = Unicode(7, seed=0)
    assert {len(space.sample(mask=mask)) for _ in range(50)} == lengths


@pytest.mark.parametrize("mask", [8, -1, np.array([1, 8]), 1.5, np.array([], dtype=int), True, "3"])
def test_sample_refuses_masks(mask: Any) -> None:
    """A mask of other lengths than the space has is refused."""
    with pytest.raises(InvalidArgument, match=r"Unicode.sample\(mask="):
        Unicode(7).sample(mask=mask)


def test_sample_with_probability() -> None:
    """Entry n is the probability of length n."""
    space = Unicode(3, seed=0)
    lengths = [len(space.sample(probability=np.array([0.0, 0.25, 0.0, 0.75]))) for _ in range(400)]
    assert set(lengths) == {1, 3}
    assert 70 < lengths.count(1) < 130


@pytest.mark.parametrize("probability", [np.ones(9) / 9, np.ones((2, 2)) / 4, np.array([0.5, 0.2]), np.array([])])
def test_sample_refuses_probabilities(probability: Any) -> None:
    """Probabilities of lengths out of range, or that do not sum to 1, are refused."""
    with pytest.raises(ValueError, match=r"(?i)probabilit"):
        Unicode(7).sample(probability=probability)


def test_sample_takes_one_of_both() -> None:
    """A mask and a probability together are refused."""
    with pytest.raises(InvalidArgument, match="a mask or a probability, not both"):
        Unicode(7).sample(mask=1, probability=np.array([1.0]))


def test_equality() -> None:
    """Spaces are equal by their length, and to nothing else."""
    assert Unicode(5) == Unicode(5, seed=3)
    assert Unicode(5) != Unicode(6)
    assert Unicode(5) != spaces.Text(5)
    assert repr(Unicode(5)) == "Unicode(5)"


def test_is_not_flattenable() -> None:
    """A text has no fixed shape, so wrappers are told that it does not flatten."""
    assert Unicode(5).is_np_flattenable is False
    assert observation_space().is_np_flattenable is False


@given(st.lists(st.text(max_size=20), max_size=5))
def test_json_round_trip(texts: list[str]) -> None:
    """Texts go through JSON unchanged."""
    space = Unicode(20)
    assert space.from_jsonable(json.loads(json.dumps(space.to_jsonable(texts)))) == texts


@pytest.mark.parametrize("space", [action_space(), observation_space()], ids=["action", "observation"])
def test_samples_go_through_json(space: spaces.Space[Any]) -> None:
    """Samples of the environments' spaces are members, also after a round trip through JSON."""
    space.seed(3)
    samples = [space.sample() for _ in range(20)]
    back = space.from_jsonable(json.loads(json.dumps(space.to_jsonable(samples))))
    assert all(sample in space for sample in samples)
    assert all(sample in space for sample in back)
    assert len(back) == 20


@pytest.mark.parametrize("space", [Unicode(5), action_space(), observation_space()], ids=["text", "action", "obs"])
def test_deepcopy(space: spaces.Space[Any]) -> None:
    """A copy is equal, draws what the original would, and does not disturb it."""
    space.seed(5)
    twin = copy.deepcopy(space)
    assert twin == space
    first = [space.sample() for _ in range(3)]
    assert str([twin.sample() for _ in range(3)]) == str(first)


def test_batch_space() -> None:
    """A batch of text spaces is a tuple of them; each slot draws its own samples."""
    batch = batch_space(Unicode(30, seed=0), 4)
    sample = batch.sample()
    assert isinstance(batch, spaces.Tuple)
    assert list(batch.spaces) == [Unicode(30)] * 4
    assert len(set(sample)) == 4


def test_concatenate_and_iterate() -> None:
    """gymnasium's vector functions take observations apart and put them together again."""
    space = observation_space()
    space.seed(0)
    samples = [space.sample() for _ in range(3)]
    joined: Any = concatenate(cast("Any", space), samples, cast("Any", create_empty_array(space, 3)))
    assert joined in batch_space(space, 3)
    assert joined["question"] == tuple(sample["question"] for sample in samples)
    assert joined["budget"].tolist() == [sample["budget"].tolist() for sample in samples]
    assert list(iterate(batch_space(Unicode(5), 2), ("a", "b"))) == ["a", "b"]


def test_masked_sample_of_actions() -> None:
    """Masks go down to the texts: here two texts of three characters."""
    space = action_space()
    space.seed(0)
    for _ in range(5):
        _, texts = space.sample(mask=((2, np.array([3])),) * 5)
        assert [len(text) for text in texts] == [3, 3]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("a\ud800b", "a�b"),
        ("\udc00", "�"),
        ("\ud83d\ude00", "😀"),
        ("x" * 1_001, "x" * 1_000),
        ("", ""),
        ("\ud800" * 3, "���"),
    ],
)
def test_clean(text: str, expected: str) -> None:
    """A text is cut to its limit, and lone surrogates become replacement characters."""
    assert clean(text, "title") == expected


@given(st.text(st.characters(categories=None), max_size=30))
def test_clean_gives_members(text: str) -> None:
    """Whatever comes in, what comes out is in the space, and clean leaves it alone."""
    cleaned = clean(text, "title")
    assert cleaned in Unicode(LIMITS["title"])
    assert clean(cleaned, "title") == cleaned


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_differing_observation_spaces(mode: str) -> None:
    """gymnasium's own vectors take the environment under ``observation_mode="different"``."""
    shared = {} if mode == "sync" else {"shared_memory": False}
    envs = gym.make_vec(
        "NeedleInWeb-v0",
        num_envs=2,
        vectorization_mode=mode,
        web="sample",
        vector_kwargs={"observation_mode": "different", **shared},
    )
    observations, _ = envs.reset(seed=1)
    assert observations in envs.observation_space
    envs.close()


@pytest.mark.parametrize("make", [lambda: flatten_space(Unicode(5)), lambda: flatten(Unicode(5), "a")])
def test_flattening_says_what_to_do(make: Callable[[], object]) -> None:
    """A text has no fixed size: gymnasium's flattening wrappers are told so in one line."""
    with pytest.raises(InvalidArgument, match=r"Unicode\(5\) cannot be flattened: .*MenuWrapper"):
        make()
    with pytest.raises(InvalidArgument, match="cannot be flattened"):
        FlattenObservation(gym.make("NeedleInWeb-v0", web="sample"))
