"""BrowseComp-v0: official files, encrypted or not, and generated chains."""

from __future__ import annotations

import base64
import hashlib
import json
import zipfile
from itertools import cycle
from pathlib import Path

import gymnasium as gym
import pytest

from tests.webs import DictWeb
from webenv import answer, visit
from webenv.corpora.build import build
from webenv.envs.browse_comp import load_tasks
from webenv.envs.browse_comp.tasks import SITE, decrypt
from webenv.errors import TaskFileError

CANARY = "a canary of our own"


def encrypt(text: str, password: str = CANARY) -> str:
    key = hashlib.sha256(password.encode()).digest()
    return base64.b64encode(bytes(one ^ other for one, other in zip(text.encode(), cycle(key)))).decode()


def test_decryption() -> None:
    """Base64, XOR with the repeated SHA-256 of the canary: a text longer than the key comes back."""
    text = "谁写了 " * 30
    assert decrypt(encrypt(text), CANARY) == text


def test_the_english_file_plays(tmp_path: Path) -> None:
    """The encrypted CSV is decrypted by its own canaries; exact answer and confidence are read from the response."""
    row = f"{encrypt('Who wrote it?')},{encrypt('Ada Lovelace')},{encrypt('History')},{CANARY}\n"
    (tmp_path / "browse_comp_test_set.csv").write_text("problem,answer,problem_topic,canary\n" + row)
    env = gym.make("BrowseComp-v0", web=DictWeb([]), tasks=tmp_path, topic="History")
    observation, info = env.reset(seed=0)
    assert (info["task"], observation["question"].splitlines()[0]) == ("browse_comp_test_set/1", "Who wrote it?")
    *_, info = env.step(answer("Explanation: her notes\nExact Answer: Ada Lovelace.\nConfidence: 85%"))
    assert (info["verdict"]["outcome"], info["verdict"]["scores"]["confidence"]) == ("correct", 85.0)


def test_json_of_the_chinese_file(tmp_path: Path) -> None:
    """A decrypted list in the fields of BrowseComp-ZH, whose canary is still there, is read as it stands."""
    records = [{"Topic": "体育", "Question": "谁赢了？", "Answer": "1轮", "canary": "BrowseComp-ZH"}]
    (tmp_path / "test.json").write_text(json.dumps(records), encoding="utf-8")
    task = load_tasks(tmp_path)[0]
    assert (task.gold.answers, dict(task.tags)) == (("1轮",), {"language": "zh", "topic": "体育"})


def test_evidence_of_browsecomp_plus(tmp_path: Path) -> None:
    """Encrypted JSON lines without canaries are decrypted with the password; evidence documents are gold pages."""
    document = {"docid": encrypt("5"), "url": encrypt("https://a.example/x"), "text": encrypt("…")}
    record = {"query_id": "769", "query": encrypt("Which?"), "answer": encrypt("Rome"), "evidence_docs": [document]}
    (tmp_path / "plus.jsonl").write_text(json.dumps(record))
    task = load_tasks(tmp_path / "plus.jsonl", password=CANARY)[0]
    assert (task.id, task.gold.urls, task.gold.answers) == ("plus/769", ("https://a.example/x",), ("Rome",))


def sheet(path: Path, rows: list[list[str]], prolog: str = "") -> None:
    """An Excel file of texts: the first row within the cells, all others shared."""
    spread = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    shared = [text for row in rows[1:] for text in row]
    lines = []
    for number, row in enumerate(rows):
        cells = []
        for letter, text in zip("ABCD", row, strict=False):
            inline = f't="inlineStr"><is><t>{text}</t></is>'
            kept = inline if number == 0 else f't="s"><v>{shared.index(text)}</v>'
            cells.append(f'<c r="{letter}{number + 1}" {kept}</c>')
        lines.append(f"<row>{''.join(cells)}</row>")
    strings = "".join(f"<si><t>{text}</t></si>" for text in shared)
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("xl/worksheets/sheet1.xml", f"{prolog}<worksheet {spread}>{''.join(lines)}</worksheet>")
        file.writestr("xl/sharedStrings.xml", f"<sst {spread}>{strings}</sst>")


def test_the_chinese_file(tmp_path: Path) -> None:
    """BrowseComp-ZH's Excel file is read and decrypted, topic too."""
    row = [encrypt("体育"), encrypt("谁赢了那场比赛？"), encrypt("1轮"), CANARY]
    sheet(tmp_path / "zh.xlsx", [["Topic", "Question", "Answer", "canary"], row])
    task = load_tasks(tmp_path)[0]
    assert (task.id, task.gold.answers, dict(task.tags)) == ("zh/1", ("1轮",), {"language": "zh", "topic": "体育"})


def test_excel_files_that_are_none(tmp_path: Path) -> None:
    """What is no Excel file, is damaged or declares entities is refused in one line."""
    (tmp_path / "a.xlsx").write_text("problem,answer")
    with pytest.raises(TaskFileError, match="is no Excel table that can be read: File is not a zip file"):
        load_tasks(tmp_path / "a.xlsx")
    sheet(tmp_path / "b.xlsx", [["Question"], ["x"]], prolog='<!DOCTYPE a [<!ENTITY b "c">]>')
    with pytest.raises(TaskFileError, match="declares entities, as no spreadsheet does; it is not read"):
        load_tasks(tmp_path / "b.xlsx")


def test_qrels(tmp_path: Path) -> None:
    """Without documents in the record, the evidence of the qrels beside the file are gold pages, found by their ids."""
    pages = [{"docid": "5", "url": "https://a.example/x", "text": "Rome it was."}, {"docid": "6", "text": "Oslo."}]
    (tmp_path / "pages.jsonl").write_text("".join(json.dumps(page) + "\n" for page in pages))
    build(tmp_path / "web", [f"jsonl:{tmp_path}/pages.jsonl@{SITE}"], workers=1)
    folder = tmp_path / "tasks"
    folder.mkdir()
    (folder / "queries.jsonl").write_text(json.dumps({"query_id": "769", "query": "Which of them?", "answer": "Rome"}))
    (folder / "qrel_evidence.txt").write_text("769 Q0 5 1\n769 Q0 6 1\n770 Q0 7 1\n")
    env = gym.make("BrowseComp-v0", web=tmp_path / "web", tasks=folder, reward={"answer": 1, "recall": 1})
    env.reset(seed=0)
    env.step(visit("https://a.example/x"))
    _, reward, _, _, info = env.step(answer("Rome"))
    assert (reward, info["reward_terms"]["recall"]) == (1.5, 0.5)


def test_wrong_password(tmp_path: Path) -> None:
    """A wrong password is one clear line."""
    record = {"query_id": "1", "query": encrypt("Which of the towns?"), "answer": encrypt("Rome it is")}
    (tmp_path / "plus.jsonl").write_text(json.dumps(record))
    with pytest.raises(TaskFileError, match="line 1: its question cannot be decrypted with 'other': wrong password"):
        load_tasks(tmp_path / "plus.jsonl", password="other")
    with pytest.raises(TaskFileError, match="line 1: its question is encrypted, and the record has no canary"):
        load_tasks(tmp_path / "plus.jsonl")


@pytest.mark.parametrize("web", ["procedural", "procedural:language=zh"])
def test_generated_chains_have_one_answer(web: str) -> None:
    """A chain leads to one entity alone, over as many pages as its tag says, none of which states it all."""
    tasks = gym.make("BrowseComp-v0", web=web).unwrapped.benchmark.tasks  # type: ignore[attr-defined]
    for pages in ("2", "4", "6"):
        for number in range(5):
            task, chain = tasks.source.draw(pages, number)
            chains = tasks.source.generator(0).chains
            assert chains.solutions(chain.hops, chain.clues) == {chain.visited[-1].number}
            assert chain.least == int(pages) >= 2
            assert not any(one.name in task.question for one in chain.visited)
