"""A web of four sites, and tasks on it."""

from __future__ import annotations

from webenv.corpora import Corpus
from webenv.task import Gold, Task, TaskSet

PAGES = [
    (
        "https://mills.example/old",
        "The old mill",
        "The old mill of Lund burnt down in 1832. It stood on the river Hoje.",
    ),
    ("https://mills.example/new", "The new mill", "The new mill of Lund grinds rye. Otto Berg owns it."),
    ("https://sea.example/tides", "Neap tides", "Neap tides are low. They come at half moon."),
    ("https://sea.example/harbour", "The harbour", "The harbour of Malmo is deep. Boats carry rye from the new mill."),
    ("https://people.example/berg", "Otto Berg", "Otto Berg was born in Ystad on 3 May 1801. He is a miller."),
    ("https://people.example/lind", "Ada Lind", "Ada Lind was born in Malmo. She paints boats."),
    ("https://news.example/fire", "Fire at the mill", "A fire took the old mill of Lund on 9 June 1832."),
    ("https://news.example/boat", "A boat is lost", "A boat was lost off Ystad at neap tide."),
]
SITES = {
    "mills.example": "Mills, old and new, and who owns them.",
    "sea.example": "Tides, harbours and boats.",
    "people.example": "Lives of people: births and trades.",
    "news.example": "News of fires, boats and markets.",
}


def corpus() -> Corpus:
    return Corpus.of([{"url": url, "title": title, "text": text} for url, title, text in PAGES])


def ranked() -> TaskSet:
    """Two searches: pages of one site and of two."""
    told = "Find the pages that answer this query, and answer with their addresses, best first:\n"
    old = Gold(("https://mills.example/old", "https://news.example/fire"), data={"sites": ["mills.example"]})
    tides = Gold(("https://sea.example/tides",), data={"sites": ["sea.example"]})
    return TaskSet([Task("mill", f"{told}old mill burnt", gold=old), Task("tides", f"{told}neap tides", gold=tides)])


def questions() -> TaskSet:
    """One question that takes two sites."""
    gold = Gold(("https://mills.example/new", "https://people.example/berg"), ("Ystad",))
    told = "Answer this question, as briefly as it allows:\n"
    return TaskSet([Task("berg", f"{told}Where was the owner of the new mill born?", gold=gold)])
