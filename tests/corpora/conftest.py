"""Pages and folders that the tests of corpora share."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from webenv.corpora import SourcePage, build

WORDS = [
    "harbour",
    "tide",
    "lantern",
    "orchard",
    "violin",
    "glacier",
    "meadow",
    "copper",
    "saddle",
    "market",
    "cathedral",
    "pigeon",
    "canal",
    "thunder",
    "walnut",
    "ribbon",
    "compass",
    "garden",
    "mirror",
    "bridge",
    "falcon",
    "kettle",
    "pepper",
    "quarry",
    "riddle",
    "sailor",
    "temple",
]


def write_prose(seed: int, words: int = 120) -> str:
    """Sentences that no other seed has."""
    rng = random.Random(seed)
    sentences = []
    for _ in range(words // 12):
        chosen = [rng.choice(WORDS) for _ in range(11)]
        sentences.append(f"{' '.join(chosen).capitalize()} {rng.randrange(10**6)}.")
    return " ".join(sentences)


def write_html(title: str, text: str, head: str = "") -> str:
    """A plain web page."""
    paragraphs = "".join(f"<p>{part}</p>" for part in text.split("\n"))
    body = f"<article><h1>{title}</h1>{paragraphs}</article>"
    return f"<html><head><title>{title}</title>{head}</head><body>{body}</body></html>"


@pytest.fixture(scope="session")
def prose() -> Callable[..., str]:
    return write_prose


@pytest.fixture(scope="session")
def html() -> Callable[..., str]:
    return write_html


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of sixty HTML files, to be read and not changed."""
    folder = tmp_path_factory.mktemp("site")
    for number in range(60):
        place = folder / f"part{number % 3}" / f"page{number}.html"
        place.parent.mkdir(exist_ok=True)
        place.write_text(write_html(f"Page {number} of {WORDS[number % len(WORDS)]}", write_prose(number)))
    return folder


@pytest.fixture(scope="session")
def folder(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus folder of that site, to be read and not changed."""
    path = tmp_path_factory.mktemp("corpora") / "corpus"
    build(path, [f"html:{site}@https://site.example"], workers=1)
    return path


@pytest.fixture(scope="session")
def pages() -> list[SourcePage]:
    """Sixty pages of three sites, half of them with a date."""
    return [
        SourcePage(
            f"https://{'abc'[number % 3]}.example/page/{number}",
            f"Page {number}",
            write_prose(number),
            date=f"2024-{1 + number % 12:02}-15" if number % 2 else "",
        )
        for number in range(60)
    ]
