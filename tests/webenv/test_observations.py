"""Observations as agents get them."""

from __future__ import annotations

import numpy as np

from webenv.observations import Document, Observation, Page, Reply, Result
from webenv.spaces import observation_space

OBSERVATION = Observation(
    question="Which?",
    results=(Result("A", "https://a.example/", "about a", "a.example", "k-a"),),
    pages=(Page("https://a.example/", "A", "all about a", "2020-01-01", "k-a"),),
    replies=(Reply("a.example", "see", (Document("https://a.example/b", "B", "about b", "k-b"),)),),
    notice="mind",
    budget=(1, 2, 3, 4),
)


def test_to_dict() -> None:
    """The dict holds what an agent may see, and neither keys nor dates."""
    shown = OBSERVATION.to_dict()
    budget = shown["budget"]
    assert dict(shown) == {
        "question": "Which?",
        "results": ({"title": "A", "url": "https://a.example/", "snippet": "about a", "site": "a.example"},),
        "pages": ({"url": "https://a.example/", "title": "A", "text": "all about a"},),
        "replies": (
            {
                "site": "a.example",
                "text": "see",
                "documents": ({"url": "https://a.example/b", "title": "B", "text": "about b"},),
            },
        ),
        "notice": "mind",
        "budget": budget,
    }
    assert budget.tolist() == [1, 2, 3, 4]
    assert budget.dtype == np.int32


def test_to_dict_is_in_the_space() -> None:
    """The dict is a member of the observation space."""
    assert observation_space().contains(OBSERVATION.to_dict())


def test_to_dict_is_fresh() -> None:
    """Each call gives other objects, so that nobody can change what another reads."""
    first, second = OBSERVATION.to_dict(), OBSERVATION.to_dict()
    first["budget"][0] = 99
    first["results"][0]["title"] = "changed"
    assert second["budget"].tolist() == [1, 2, 3, 4]
    assert second["results"][0]["title"] == "A"
