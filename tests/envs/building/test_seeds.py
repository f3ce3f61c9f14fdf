"""Events, from lines and from Wikipedia's current events; outlets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from webenv.envs.building.live_news_bench.events import read_events
from webenv.envs.building.live_news_bench.filters import Outlets
from webenv.envs.building.live_news_bench.release import Release
from webenv.errors import DataError, InvalidArgument, TaskFileError

WIKITEXT = """\
{{Current events|year=2025|month=08|day=20|content=
<!-- All news items below this line -->
;Disasters and accidents
*[[2025 Ardel floods]]
**[[Ardel|The town of Ardel]] is flooded after {{nowrap|the dam}} of ''Sull'' breaks.<ref>x</ref> \
[https://news.example/a?b=1&amp;c=2 (News)] [https://other.example/x ''(Other)'']
**A [https://law.example/act law on dams] is passed in Ardel.

'''Sport'''
* Ardel wins the cup of the [[Sull League]] against [[Brook F.C.|Brook]]. [https://sport.example/1 (Sport)]
* [[Cup]]
<!-- All news items above this line -->|}}
{{Current events|year=2025|month=8|day=21|content=
;Sport
* Brook asks for a second match, and is refused one.
|}}
"""

HTML = """\
<html><body><div class="current-events-main vevent" id="2025_August_20">
<div class="current-events-heading"><span class="summary">August 20, 2025
<span style="display: none;"> (<span class="bday dtstart">2025-08-20</span>)</span></span></div>
<div class="current-events-content description">
<p><b>Disasters and accidents</b></p>
<ul><li><a href="/wiki/F">2025 Ardel floods</a>
<ul><li><a href="/wiki/Ardel">The town of Ardel</a> is flooded after the dam of <i>Sull</i> breaks.
<a rel="nofollow" class="external text" href="https://news.example/a?b=1&amp;c=2">(News)</a>
<i><a rel="nofollow" class="external text" href="https://other.example/x">(Other)</a></i></li></ul></li></ul>
</div></div></body></html>
"""

FLOOD = (
    "2025-08-20",
    "The town of Ardel is flooded after the dam of Sull breaks.",
    "2025 Ardel floods",
    "Disasters and accidents",
    ("https://news.example/a?b=1&c=2", "https://other.example/x"),
)


def test_wikitext(tmp_path: Path) -> None:
    """Events are the items without a list of their own, with what they belong to and the pages they cite."""
    (tmp_path / "days.wiki").write_text(WIKITEXT)
    assert [event[1:] for event in read_events(tmp_path / "days.wiki")] == [
        FLOOD,
        ("2025-08-20", "A law on dams is passed in Ardel.", "2025 Ardel floods", "Disasters and accidents",
         ("https://law.example/act",)),
        ("2025-08-20", "Ardel wins the cup of the Sull League against Brook.", "", "Sport", ("https://sport.example/1",)),
        ("2025-08-21", "Brook asks for a second match, and is refused one.", "", "Sport", ()),
    ]  # fmt: skip


def test_html(tmp_path: Path) -> None:
    """A saved page gives the events that its wikitext does."""
    (tmp_path / "day.html").write_text(HTML)
    (event,) = read_events(tmp_path / "day.html")
    assert event[1:] == FLOOD


def test_lines_and_folders(tmp_path: Path) -> None:
    """A folder's files are read together, in order of dates, each event once."""
    record = {"date": "2025-08-22", "summary": "Brook  floods.\n", "category": "Weather", "urls": ["https://a.example"]}
    (tmp_path / "a.jsonl").write_text("\n".join(json.dumps(one) for one in (record, record)))
    (tmp_path / "b.html").write_text(HTML)
    (tmp_path / "notes.md").write_text("none of ours")
    events = read_events(tmp_path)
    assert [event.date for event in events] == ["2025-08-20", "2025-08-22"]
    assert events[1][1:] == ("2025-08-22", "Brook floods.", "", "Weather", ("https://a.example",))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("e.jsonl", "{", "line 1 is no JSON"),
        ("e.jsonl", "1", "line 1: expected an object"),
        ("e.jsonl", "[1]", "record 1: expected an object"),
        ("e.jsonl", '{"date": "20 August", "summary": "x"}', "line 1: date is '20 August'; expected a day"),
        ("e.jsonl", '{"date": "20250820", "summary": "x"}', "line 1: date is '20250820'; expected a day"),
        ("e.jsonl", '{"date": "2025-08-20", "summary": " "}', "line 1: summary is ' '"),
        ("e.jsonl", '{"date": "2025-08-20", "summary": "x", "urls": "u"}', "line 1: urls is 'u'; expected a list"),
        ("e.jsonl", "\n", "holds no event"),
        ("e.csv", "x", "expected a file ending in"),
        ("e.wiki", "* An event without a day.", "no day of current events"),
        ("e.wiki", "{{Current events|year=2025|month=13|day=1}}", "tells no day"),
        ("e.html", "<p>x</p>", "no day of current events"),
        ("e.html", '<div class="vevent">x</div>', "a day without its date"),
    ],
)
def test_bad_events(name: str, text: str, message: str, tmp_path: Path) -> None:
    """Events that cannot be read are named, with what was expected."""
    (tmp_path / name).write_text(text)
    with pytest.raises(TaskFileError, match=message):
        read_events(tmp_path / name)


def test_outlets(tmp_path: Path) -> None:
    """A host allows its subdomains, a part of a host that part alone."""
    outlets = Outlets(["bbc.com", "lemonde.fr/en", "https://asia.nikkei.com/*"])
    allowed = ("https://www.bbc.com/news/1", "http://m.bbc.com:80/x", "lemonde.fr/en/x", "https://www.lemonde.fr/en",
               "https://asia.nikkei.com/a")  # fmt: skip
    assert all(outlets.allows(url) for url in allowed)
    refused = ("https://notbbc.com/", "https://lemonde.fr/english", "https://lemonde.fr/", "https://nikkei.com", "")
    assert not any(outlets.allows(url) for url in refused)
    assert Outlets.read("any").allows("https://whatever.example/")


def test_default_outlets() -> None:
    """The default is the paper's 95."""
    assert len(Outlets.default().entries) == 95
    assert Outlets.default().allows("https://apnews.com/article/1")


@pytest.mark.parametrize("text", ["# nothing\n", "localhost", "no host at all"])
def test_bad_outlets(text: str, tmp_path: Path) -> None:
    """A list without a host, or with an entry that is none, is refused."""
    (tmp_path / "outlets.txt").write_text(text)
    with pytest.raises(DataError, match="outlet"):
        Outlets.read(tmp_path / "outlets.txt")


def test_release() -> None:
    """Two months test, the third validation; on a day, the newest month is the last that is over."""
    release = Release.before("2025-03-05")
    assert release.newest == "2025-02"
    days = ("2024-11-30", "2024-12-01", "2024-12-31", "2025-01-01", "2025-02-28", "2025-03-01")
    assert [release.split(day) for day in days] == ["train", "validation", "validation", "test", "test", "later"]
    assert [release.slid(day).newest for day in ("2025-05-31", "2025-06-01", "2026-02-28", "2024-01-01")] == [
        "2025-02",
        "2025-05",
        "2025-11",
        "2025-02",
    ]
    with pytest.raises(InvalidArgument, match="newest month"):
        Release("2025-13")
