"""The sample web and its twelve tasks: what the data promises, checked with json alone."""

import difflib
import json
import re
from collections import Counter
from datetime import date
from pathlib import Path
from urllib.parse import urlsplit

import pytest

ROOT = Path(__file__).parents[2]
LINES = (ROOT / "corpora" / "sample" / "pages.jsonl").read_text(encoding="utf-8").splitlines()
PAGES = {page["url"]: page for page in map(json.loads, LINES)}
FILES = {path.stem: path for path in sorted((ROOT / "envs" / "needle_in_web" / "sample").glob("*.json"))}
TASKS = {name: json.loads(path.read_text(encoding="utf-8"))[0] for name, path in FILES.items()}

COPIES = {
    "news/thirty-one-tea-boxes": "herring-pictures-ilvermouth",
    "news/amberley-trio-in-port-ansel": "amberley-trio-st-ebbins",
    "weekend-three-lighthouses": "three-lights-in-three-days",
    "record-of-the-week-solvane": "marit-solvane-nine-psalms-for-wet-wool",
}

# The answer key, made by reading all pages: for each criterion in turn, the end of each page's URL
# that meets it and the words by which it does. Copies are left out: they meet what their originals meet.
KEY: dict[str, tuple[dict[str, str], dict[str, str], dict[str, str]]] = {
    "encyclopedia_easy": (
        {
            "Sallow_Light": "Tobias Renfrow drew the plans in the winter of 1851",
            "Orrery_Head_Light": "designed by the engineer Tobias Renfrow and first lit on 3 October 1847",
            "Candle_Rock_Light": "three towers that Tobias Renfrow designed",
            "Tobias_Renfrow": "His three lighthouses",
            "three-lights-in-three-days": "drew all three of the old lighthouses",
        },
        {
            "Sallow_Light": "restored the lighthouse with their own hands",
            "island-lighthouse-hostel": "restored it by their own labour",
            "great-sallow": "The islanders restored the tower themselves",
        },
        {
            "Sallow_Light": "so that no other ship should make the same mistake",
            "island-lighthouse-hostel": "so that ships would not mistake it for Orrery Head",
            "three-lights-in-three-days": "so that ships should not mistake it for Orrery Head",
            "perpetua-lowe-the-wrong-lighthouse": "so that ships should not mistake it for the other one",
        },
    ),
    "encyclopedia_hard": (
        {
            "H%C3%A9l%C3%A8ne_Cast%C3%A9ra": "dismissed after two terms for having let her class sketch",
            "Agnes_Thorrow": "She lost this post in 1937, the reason given being",
            "article/id/131/": "The artist lost a teaching post in Halewick",
        },
        {
            "H%C3%A9l%C3%A8ne_Cast%C3%A9ra": "left its footprints across at least four of the skies",
            "vaucline": "the jackdaw left its footprints",
            "article/id/131/": "left its footprints in the paint",
        },
        {
            "H%C3%A9l%C3%A8ne_Cast%C3%A9ra": "a nephew sold eleven of the boards when the house needed a new roof",
            "vaucline": "sold that part of the work to pay for roofing",
            "Agnes_Thorrow": "to pay for the engine of a boat",
        },
    ),
    "newspaper_easy": (
        {
            "herring-pictures-ilvermouth": "stripping the roof of a house",
            "Agnes_Thorrow": "builders came upon them under the roof",
            "library-book-sixty-one-years": "came upon something under the roof of a house",
            "thorrow-no-3": "builders came upon her negatives under the roof",
            "article/id/140/": "builders at work beneath a roof in Ilvermouth",
        },
        {
            "herring-pictures-ilvermouth": "were in the hand of Agnes Thorrow",
            "article/id/140/": "The maker of the pictures was identified by her handwriting",
        },
        {
            "herring-pictures-ilvermouth": "ask the public to write the women's names",
            "Agnes_Thorrow": "asked the public to put names to the faces",
            "candle-rock-bell": "will ask the public to take turns",
            "tidal-mill-grinds": "will ask the public to lend it sacks",
        },
    ),
    "newspaper_medium": (
        {
            "ambry-bridge-crossed": "It was a boot scraper",
            "ambry-walls-heatwave": "by four green tiles",
            "article/id/143/": "by a pear tree",
        },
        {
            "ambry-bridge-crossed": "sank to his waist in silt",
            "ambry-walls-heatwave": "had to be pulled out of it by friends",
            "asvold-ambry": "pulled her out",
        },
        {"ambry-bridge-crossed": "told to leave their flower beds dry"},
    ),
    "travel_medium": (
        {
            "brannet-sound/ilvermouth": "come on a Saturday",
            "tidal-mill-grinds": "sells its flour at the door, on Saturdays",
        },
        {
            "brannet-sound/ilvermouth": "One has turned her back on it",
            "brannet-sound/night-ferry": "one of them hangs the other way round",
            "Seamens_Chapel_Ilvermouth": "hangs the other way round, her bow to the door",
        },
        {
            "brannet-sound/ilvermouth": "You may cross to the far bank if you go with a warden",
            "brannet-sound/night-ferry": "the marsh can be crossed on foot only with that guide",
        },
    ),
    "travel_hard": (
        {
            "brannet-sound/port-ansel": "she rows out to her pots, and everything stops",
            "great-sallow": "It closes whenever its owner",
            "lake-veyle-walk": "It closes whenever its owner",
        },
        {
            "brannet-sound/port-ansel": "The last goes back at ten to six",
            "brannet-sound/dunmarrow": "The last bus leaves for Halewick at a quarter past seven",
            "lake-veyle-walk": "The last bus leaves the dam at twenty to five",
        },
        {
            "brannet-sound/port-ansel": "panelled with the wheelhouse of the trawler",
            "great-sallow": "The bedrooms are fitted out with parts of the old mail boat",
        },
    ),
    "music_easy": (
        {
            "josue-amberley-trio-evensong": "a building in which there has not been a service since 2009",
            "amberley-trio-st-ebbins": "in a church that was closed for worship in 2009",
            "pale-ferrymen-saint-orla-sessions": "recorded in the church at Dunmarrow",
            "pale-ferrymen-night-bus-to-ilvermouth": "recorded at the bus depot",
            "marit-solvane-salt-almanac": "At the top of Orrery Head lighthouse",
            "marit-solvane-nine-psalms-for-wet-wool": "in the Seamen's Chapel at Ilvermouth",
            "glass-ottoline-switchgear": "the Halewick telephone exchange",
            "glass-ottoline-turbine-hymns": "below the crest of the Veyle Dam",
            "perpetua-lowe-the-wrong-lighthouse": "recorded in a net loft",
            "dunmarrow-brass-union-mill-whistle": "the weaving shed of Tansley's mill",
            "Orrery_Head_Light": "in the lamp room",
            "Dunmarrow": "travel a long way to record in it",
            "Ambry_(village)": "recorded inside the dam",
            "The_Pale_Ferrymen": "locked itself into the church",
            "Seamens_Chapel_Ilvermouth": "made a record in the chapel",
            "brannet-sound/dunmarrow": "a record that was made here",
            "lake-veyle-walk": "once made a record",
            "article/id/171/": "made in the churches and chapels",
        },
        {
            "josue-amberley-trio-evensong": "nobody was going to sit in his place",
            "amberley-trio-st-ebbins": "decided to leave his place unfilled",
            "article/id/171/": "a group that has lost its drummer",
        },
        {
            "josue-amberley-trio-evensong": "Played at a quarter of the usual pace",
            "dunmarrow-brass-union-mill-whistle": "hymns, taken at a brisk march",
        },
    ),
    "music_hard": (
        {
            "marit-solvane-nine-psalms-for-wet-wool": "who pulled the island's teeth for thirty years",
            "perpetua-lowe-the-wrong-lighthouse": "a guitar lent by her landlord",
            "dunmarrow-brass-union-mill-whistle": "a bass tuba lent by the Halewick fire brigade",
            "amberley-trio-st-ebbins": "a grand piano, lent by the ferry company",
        },
        {
            "marit-solvane-nine-psalms-for-wet-wool": "a fleet of toy schooners hangs there on chains",
            "marit-solvane-salt-almanac": "one sound made by the building was left on the recording",
            "pale-ferrymen-saint-orla-sessions": "A sound made by the building was left on the recording",
            "glass-ottoline-turbine-hymns": "it was left on the recording from first to last",
            "glass-ottoline-switchgear": "the relays run along the wall",
            "article/id/171/": "it strikes the hour",
        },
        {
            "marit-solvane-nine-psalms-for-wet-wool": "stitched together from fishermen's worn-out jerseys",
            "marit-solvane-salt-almanac": "made out of old sea charts",
            "dunmarrow-brass-union-mill-whistle": "made out of mill cloth",
        },
    ),
    "camera_easy": (
        {
            "fennimore-k3": "a 40 millimetre f/2.4 that neither zooms nor comes off",
            "fennimore-k2": "a built-in lens of a moderately wide focal length",
            "wexcombe-field-six": "the 75 millimetre lens slides out",
        },
        {
            "fennimore-k3": "No screen.",
            "wexcombe-field-six": "The maker left out the light meter",
        },
        {
            "fennimore-k3": "it was still working",
            "fennimore-k2": "went on working after it had fallen into sea water",
        },
    ),
    "camera_medium": (
        {
            "asvold-ambry": "a jar of the sort in which plums are kept",
            "photographing-fog": "protected her camera with a quilted tea cosy",
            "herring-barrel-pinholes": "protected the barrels with oilcloth",
        },
        {
            "asvold-ambry": "an exposure took forty minutes",
            "photographing-fog": "each exposure lasted thirty seconds",
            "herring-barrel-pinholes": "Each exposure lasted six hours",
            "thorrow-no-3": "Each exposure lasted about four seconds",
        },
        {
            "asvold-ambry": "The former inhabitants drew maps for her",
            "article/id/143/": "Former inhabitants also helped the photographer",
        },
    ),
    "journal_medium": (
        {
            "article/id/118/": "told their flocks over by the seven",
            "Sallow_sheep": "in groups of seven",
            "great-sallow": "in groups of seven",
        },
        {
            "article/id/118/": "used them to keep track of stitches",
            "great-sallow": "when she casts on her knitting",
        },
        {
            "article/id/118/": "had to wear a raw fleece across the shoulders",
            "vaucline": "punished by having to carry a wooden clog",
        },
    ),
    "journal_hard": (
        {
            "article/id/152/": "eked out his ink with what fell from the sky",
            "article/id/128/": "diluted his ink with rainwater",
        },
        {
            "article/id/152/": "they were given cinema tickets",
            "article/id/143/": "rewarded with a trip on the night ferry",
        },
        {
            "article/id/152/": "No volumes survive from 1917 to 1919",
            "article/id/128/": "The notebooks of three years, from 1917, are missing",
            "article/id/104/": "the years 1940 to 1944, are missing from the log",
        },
    ),
}
GENERIC = {
    "a",
    "certain",
    "day",
    "do",
    "doing",
    "in",
    "into",
    "kind",
    "length",
    "of",
    "something",
    "someone",
    "who",
    "with",
}
REAL = (
    r"Wikipedia|CNN|Lonely Planet|Pitchfork|PetaPixel|arXiv|Google|Amazon|Microsoft|Facebook|Instagram|YouTube|Spotify|"
    r"Nikon|Canon|Sony|Leica|Kodak|Fuji\w*|Olympus|Pentax|Zeiss|Hasselblad|Rollei\w*|Polaroid|Samsung|"
    r"London|Paris|Berlin|New York|England|Scotland|Ireland|Wales|France|Norway|Britain|British|Europe\w*|America\w*"
)


def page_at(end: str) -> str:
    found = [url for url in PAGES if url.endswith("/" + end)]
    assert len(found) == 1, end
    return found[0]


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def test_pages_and_sites() -> None:
    """There are 65 pages on six sites."""
    assert len(LINES) == 65
    assert Counter(urlsplit(url).hostname for url in PAGES) == {
        "halewickcourier.example": 14,
        "openlore.example": 12,
        "slowroads.example": 10,
        "halftempo.example": 10,
        "shutterfolk.example": 10,
        "tidemark.example": 9,
    }


def test_addresses_differ() -> None:
    """No URL or alias stands twice, and a page's aliases are on its own site."""
    every = [url for page in PAGES.values() for url in [page["url"], *page.get("aliases", [])]]
    assert len(every) == len(set(every)) == 83
    for page in PAGES.values():
        hosts = {urlsplit(url).hostname for url in [page["url"], *page.get("aliases", [])]}
        assert len(hosts) == 1


@pytest.mark.parametrize("page", PAGES.values(), ids=list(PAGES))
def test_page_shape(page: dict[str, object]) -> None:
    """A page has a title and a text of 120 to 350 words, names nothing real, and any date is from 2015 to 2024."""
    assert set(page) <= {"url", "title", "text", "date", "aliases"}
    title, text = page["title"], page["text"]
    assert isinstance(title, str)
    assert title == title.strip() != ""
    assert isinstance(text, str)
    assert text == text.strip()
    assert 120 <= len(text.split()) <= 350
    assert not re.search(rf"\b(?:{REAL})\b", f"{title}\n{text}")
    if "date" in page:
        assert 2015 <= date.fromisoformat(str(page["date"])).year <= 2024


def test_variety() -> None:
    """Some pages have no date, some have aliases, some have accents, some a table or a list."""
    texts = [page["text"] for page in PAGES.values()]
    assert sum("date" not in page for page in PAGES.values()) == 7
    assert sum("aliases" in page for page in PAGES.values()) == 18
    assert sum("é" in text or "ø" in text or "Å" in text for text in texts) >= 10
    assert sum("\n| --- |" in text for text in texts) == 2
    assert sum("\n- " in text or "\n1. " in text for text in texts) == 3


def test_copies() -> None:
    """Four pages are copies: another site and title, the original's text and at most one line more."""
    for copy, original in COPIES.items():
        one, two = PAGES[page_at(copy)], PAGES[page_at(original)]
        assert urlsplit(one["url"]).hostname != urlsplit(two["url"]).hostname
        assert one["title"] != two["title"]
        added = one["text"].removeprefix(two["text"])
        assert len(added.split()) < 12
    alike = [(a, b) for a in PAGES for b in PAGES if a != b and PAGES[a]["text"].startswith(PAGES[b]["text"][:200])]
    assert len(alike) == 2 * len(COPIES)


def test_tasks_and_files() -> None:
    """Twelve tasks: two for each of the six sites, four of each difficulty."""
    assert sorted(FILES) == sorted(KEY)
    assert Counter(name.split("_")[0] for name in FILES) == dict.fromkeys(
        ["encyclopedia", "newspaper", "travel", "music", "camera", "journal"], 2
    )
    assert Counter(name.split("_")[1] for name in FILES) == {"easy": 4, "medium": 4, "hard": 4}
    for path in FILES.values():
        assert len(json.loads(path.read_text(encoding="utf-8"))) == 1
    assert len({task["context"]["url"] for task in TASKS.values()}) == 12


@pytest.mark.parametrize("name", TASKS)
def test_official_format(name: str) -> None:
    """A record has the official fields, three criteria and three claims, and its page's title and text."""
    task = TASKS[name]
    assert set(task) == {"id", "context", "question", "raw_questions", "ground_truth"}
    assert task["id"] == 0
    assert task["question"] is None
    assert len(task["raw_questions"]) == len(task["ground_truth"]) == 3
    page = PAGES[task["context"]["url"]]
    assert task["context"] == {"title": page["title"], "url": page["url"], "content": page["text"]}


@pytest.mark.parametrize("name", TASKS)
def test_masks(name: str) -> None:
    """A criterion is its claim with one stretch masked, and what is masked stands in no criterion of the task."""
    task = TASKS[name]
    every = {word for criterion in task["raw_questions"] for word in words(criterion)}
    for criterion, claim in zip(task["raw_questions"], task["ground_truth"], strict=True):
        masked, whole = words(criterion), words(claim)
        changes = [
            change
            for change in difflib.SequenceMatcher(None, masked, whole, autojunk=False).get_opcodes()
            if change[0] != "equal"
        ]
        hidden = {word for _, _, _, start, stop in changes for word in whole[start:stop]} - GENERIC
        assert hidden, criterion
        common = {"the", "her", "by", "to", "and", "its", "had", "not", "at", "for", "out", "because", "having", "let"}
        assert not (hidden - common) & every, criterion


@pytest.mark.parametrize("name", TASKS)
def test_answer_key(name: str) -> None:
    """Each criterion is met by the gold page, all three by no other page than its copies, and some by near misses."""
    meets: list[set[str]] = []
    for key in KEY[name]:
        for end, phrase in key.items():
            assert phrase in PAGES[page_at(end)]["text"], (end, phrase)
        meets.append({page_at(end) for end in key})
    assert meets[0] & meets[1] & meets[2] == {TASKS[name]["context"]["url"]}
    assert len(meets[0] | meets[1] | meets[2]) >= 3
