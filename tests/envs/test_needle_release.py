"""The answers and verdicts that were released with Needle in the Web are read as they lie there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from webenv.cli.app import run
from webenv.envs.needle_in_web.release import ReleasedJudge, read_release, release_folders, system_name
from webenv.envs.needle_in_web.tasks import load_tasks
from webenv.errors import DataError
from webenv.task import TaskSet

REASONS = ("Found original webpage", "The source is incorrect", "No source provided", "Found another correct webpage")


def records(site: str, ids: list[int]) -> list[dict[str, object]]:
    """Official records of a website."""
    return [
        {
            "id": number,
            "context": {
                "title": f"Page {number}",
                "url": f"https://{site}.example/{number}",
                "content": "It was blue.",
            },
            "raw_questions": ["Something was blue."],
            "ground_truth": ["The mill was blue."],
        }
        for number in ids
    ]


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """Two websites of four tasks; of one system the folders are swapped, another counts its answers anew."""
    (tmp_path / "querysets").mkdir()
    for site, ids in (("pitchfork", [0, 1, 2, 5]), ("petapixel", [0, 1, 3, 4])):
        (tmp_path / "querysets" / f"{site}_easy.json").write_text(json.dumps(records(site, ids)))
    plan = {
        ("gemini", "105_pitchfork_gemini", "petapixel", "easy_20250820_1"): [{"id": n} for n in (0, 1, 3, 4)],
        ("gemini", "106_petapixel_gemini", "pitchfork", "easy_20250820_1"): [{"id": n} for n in (0, 1, 2, 5)],
        ("searchr1", "405_pitchfork_searchr1", "pitchfork", "pitchfork_easy"): [{"id": n} for n in range(4)],
        ("cognitivekernel-pro", "605", "pitchfork", "pitchfork_easy"): [{"_orig": {"id": n}} for n in (0, 1, 2, 5)],
    }
    for (system, folder, site, name), answers in plan.items():
        place = tmp_path / "experiments" / system / folder
        (place / "test_raw_responses").mkdir(parents=True)
        (place / "test_results").mkdir()
        ids = [
            int(record["id"]) for record in records(site, {"pitchfork": [0, 1, 2, 5], "petapixel": [0, 1, 3, 4]}[site])
        ]  # type: ignore[call-overload]
        texts = [f"https://{site}.example/{ids[0]}", "https://x.example/", "No source found.", "https://y.example/"]
        given = [{**one, "source": text} for one, text in zip(answers, texts, strict=True)]
        (place / "test_raw_responses" / f"{name}.json").write_text(json.dumps(given))
        detail = [{"id": n, "reason": r, "correct": "Found" in r} for n, r in zip(ids, REASONS, strict=True)]
        (place / "test_results" / f"results_{name}.json").write_text(json.dumps({"detail": detail}))
    return tmp_path


def tasks_of(release: Path) -> TaskSet:
    return load_tasks(release / "querysets")


def test_files_are_told_by_their_ids(release: Path) -> None:
    """A folder that bears another website's name is read as the website whose ids it holds."""
    found = read_release(release / "experiments" / "gemini", tasks_of(release))
    assert len(found) == 8
    assert found["petapixel_easy/3"] == ("No source found.", "no_source")
    assert found["pitchfork_easy/0"] == ("https://pitchfork.example/0", "ground_truth_match")


@pytest.mark.parametrize("system", ["searchr1", "cognitivekernel-pro"])
def test_answers_belong_to_verdicts_by_id_or_place(release: Path, system: str) -> None:
    """Whether a system keeps the ids, nests them, or counts anew, the last answer is that to task 5."""
    found = read_release(release / "experiments" / system, tasks_of(release))
    assert found["pitchfork_easy/5"] == ("https://y.example/", "criteria_match")


def test_all_systems_become_runs(release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One command scores them by the released verdicts, in a folder each, and our judge can be held against them."""
    web, out = tmp_path / "web", tmp_path / "runs"
    assert run(["corpus", "build", str(web), "--from", f"needle:{release / 'querysets'}"]) == 0
    given = ["--web", str(web), "--tasks", str(release / "querysets")]
    score = ["score", "NeedleInWeb-v0", *given, "--release", str(release / "experiments"), "--missing", "leave"]
    capsys.readouterr()
    assert run([*score, "--out", str(out), "--json"]) == 0
    runs = json.loads(capsys.readouterr().out)["runs"]
    assert [(one["policy"], one["total"]["episodes"], one["total"]["success_rate"]) for one in runs] == [
        ("Gemini 2.5-flash", 8, 0.5),
        ("Search-R1", 4, 0.5),
        ("CognitiveKernel-Pro", 4, 0.5),
    ]
    assert run(["agreement", str(out / "Search-R1"), "--judge", "run", "--judge", "page", *given, "--json"]) == 0
    agreement = json.loads(capsys.readouterr().out)
    assert (agreement["scored"], agreement["agreed"]) == (4, 3)  # the page that met the criteria is another


def test_another_answer_has_no_released_verdict(release: Path) -> None:
    """The judge knows what was answered: it is silent on anything else."""
    folder = release / "experiments" / "gemini"
    found = read_release(folder, tasks_of(release))
    judge = ReleasedJudge(found, system_name(folder))
    assert judge.identity["system"] == "Gemini 2.5-flash"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda place: (place / "test_results").rename(place / "elsewhere"), "holds no released answers"),
        (
            lambda place: write(place, "results", {"detail": [{"id": 7, "reason": REASONS[0], "correct": True}]}),
            "no task",
        ),
        (
            lambda place: write(place, "results", {"detail": [{"id": 0, "reason": "fine", "correct": True}]}),
            "no verdict",
        ),
        (lambda place: write(place, "raw", [{"id": 0, "source": "x"}]), "1 answers for 4 verdicts"),
        (lambda place: write(place, "raw", [{"id": n} for n in (0, 1, 2, 5)]), "has no source"),
    ],
)
def test_what_is_no_release_is_one_line(release: Path, change: object, message: str) -> None:
    """Folders without results, ids of no task file, other words, missing answers."""
    place = release / "experiments" / "cognitivekernel-pro" / "605"
    change(place)  # type: ignore[operator]
    with pytest.raises(DataError, match=message):
        read_release(place.parent, tasks_of(release))


def write(place: Path, which: str, content: object) -> None:
    file = next(place.glob("test_results/*" if which == "results" else "test_raw_responses/*"))
    file.write_text(json.dumps(content))


def test_folders_of_systems_stand_in_the_order_of_the_paper(release: Path) -> None:
    """The release's folder gives all of them, one system's folder itself."""
    folders = release_folders(release / "experiments")
    assert [one.name for one in folders] == ["gemini", "searchr1", "cognitivekernel-pro"]
    assert release_folders(folders[0]) == [folders[0]]
