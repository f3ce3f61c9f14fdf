"""Recorded episodes as conversations for fine-tuning."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.extras import needs_extra
from tests.openai_server import Messages, Text, serve
from webenv import Action, Benchmark, Decision, History, answer, ask, note, search, visit
from webenv.chat import BlockFormat, SourceFormat, TagFormat, ToolFormat
from webenv.errors import InvalidArgument, RunError, WebenvError
from webenv.evaluation import Record, chats, evaluate, export_chats, read_records, rescore
from webenv.evaluation.chats import LeftOut, read_chats
from webenv.models import ChatModel
from webenv.policies import KeywordPolicy, ReactPolicy
from webenv.rollout.record import played_action
from webenv.web import Failure
from webenv.wrappers.text import TextWrapper

FORMATS: Mapping[str, Any] = {
    "tags": TagFormat(url_answers=True),
    "blocks": BlockFormat(),
    "source": SourceFormat(),
    "tools": ToolFormat(),
}
ROLES = {"system", "user", "assistant", "tool"}  # of OpenAI's fine-tuning input, and of TRL's conversations


@pytest.fixture(scope="module")
def keyword(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of keyword on the sample web: 12 episodes, some of them right."""
    path = tmp_path_factory.mktemp("chats") / "run"
    evaluate("NeedleInWeb-v0", KeywordPolicy(visits=1), out=path, settings={"web": "sample"})
    return path


class Scripted:
    """Plays the same actions in every episode."""

    def __init__(self, *actions: Any, thought: str = "a step") -> None:
        self.actions, self.thought = actions, thought
        self.identity = {"name": "scripted", "version": "1"}

    def act(self, histories: Sequence[History]) -> list[Decision | Failure]:
        return [self._decide(len(one.decisions)) for one in histories]

    def _decide(self, turn: int) -> Decision | Failure:
        return Decision(self.actions[turn], self.thought) if turn < len(self.actions) else Failure("no more")


def played(benchmark: Benchmark, path: Path, *actions: Any) -> list[Record]:
    evaluate(benchmark, Scripted(*actions), out=path, episodes=1)
    return list(read_records(path))


def copied(run: Path, tmp_path: Path) -> Path:
    """A folder that says that it is of the same run, without its episodes."""
    (tmp_path / "run").mkdir()
    return Path(shutil.copy(run / "run.json", tmp_path / "run")).parent


# ── what trainers take ────────────────────────────────────────────────────────


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("bare", [False, True])
def test_lines_are_what_trainers_take(keyword: Path, tmp_path: Path, format: str, bare: bool) -> None:
    """Each line is a JSON object with messages of known roles and keys, texts as contents, rules first, the question
    next and the agent last; every call but the last is answered; with ``bare`` nothing else but tools is in it."""
    exported = export_chats(keyword, tmp_path / "chats.jsonl", format, bare=bare)
    lines = (tmp_path / "chats.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == exported.written == 3
    for line in lines:
        data = json.loads(line)
        assert not bare or set(data) == {"messages"} | ({"tools"} if format == "tools" else set())
        messages = data["messages"]
        assert [one["role"] for one in messages[:2]] == ["system", "user"]
        assert messages[-1]["role"] == "assistant"
        assert {one["role"] for one in messages} <= ROLES
        assert all(isinstance(one["content"], str) for one in messages)
        assert all(set(one) <= {"role", "content", "tool_calls", "tool_call_id"} for one in messages)
        calls = [call for one in messages for call in one.get("tool_calls", ())]
        answered = [one["tool_call_id"] for one in messages if one["role"] == "tool"]
        assert [call["id"] for call in calls[:-1]] == answered
        known = {tool["function"]["name"] for tool in data.get("tools", ())}
        for call in calls:
            assert call["type"] == "function"
            assert call["function"]["name"] in known
            assert isinstance(json.loads(call["function"]["arguments"]), dict)
        assert bool(calls) == (format == "tools")


@pytest.mark.parametrize("format", FORMATS)
def test_round_trip(keyword: Path, format: str) -> None:
    """Each of the agent's messages, read by the format, is the recorded action."""
    records = {record.task: record for record in read_records(keyword)}
    checked = 0
    for chat in chats(keyword, format, every=True):
        said = [one for one in chat["messages"] if one["role"] == "assistant"]
        read = [FORMATS[format].parse(one if format == "tools" else one["content"]) for one in said]
        assert read == [played_action(turn) for turn in records[chat["task"]].turns]
        checked += len(read)
    assert checked == sum(len(record.turns) for record in records.values())


@pytest.mark.parametrize("format", FORMATS)
def test_messages_are_the_wrappers(keyword: Path, format: str) -> None:
    """A model that plays in the text wrapper, and replies as the chat says, sees the chat's messages, word by word."""
    import gymnasium

    env = TextWrapper(gymnasium.make("NeedleInWeb-v0", web="sample"), format)
    for chat in list(chats(keyword, format))[:3]:
        env.reset(options={"task": chat["task"]})
        for message in [one for one in chat["messages"] if one["role"] == "assistant"]:
            assert env.messages == chat["messages"][: len(env.messages)]
            env.step(message if format == "tools" else message["content"])
        assert env.messages == chat["messages"]


def test_answers_stand_in_the_tag_that_the_rules_name(keyword: Path, tmp_path: Path) -> None:
    """A URL that is the answer is a source; an answer in words is an answer."""
    last = next(chats(keyword))["messages"][-1]["content"]
    assert re.fullmatch(r"<source>\nhttps://\S+\n</source>", last)
    settings = {"web": "procedural:pages=300", "split": "train"}
    evaluate("LiveNewsBench-v0", Scripted(answer("in May")), out=tmp_path / "news", episodes=1, settings=settings)
    said = next(chats(tmp_path / "news", minimum=0.0))["messages"][-1]["content"]
    assert said == "<answer>\nin May\n</answer>"


def test_arguments_as_objects(keyword: Path) -> None:
    """Arguments of tool calls are objects where that is asked for, and say the same."""
    for text, made in zip(chats(keyword, "tools"), chats(keyword, "tools", arguments="object"), strict=True):
        told = [call["function"] for one in text["messages"] for call in one.get("tool_calls", ())]
        objects = [call["function"] for one in made["messages"] for call in one.get("tool_calls", ())]
        assert [json.loads(one["arguments"]) for one in told] == [one["arguments"] for one in objects]


@pytest.mark.parametrize("arguments", ["text", "object"])
def test_the_datasets_library_reads_the_same(
    keyword: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: str
) -> None:
    """What the loader of trainers reads from the file is what stands there: no key is added to a call or a tool."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    needs_extra("dev")
    import datasets

    datasets.disable_progress_bars()
    file = tmp_path / "chats.jsonl"
    export_chats(keyword, file, "tools", arguments=arguments)
    read = datasets.load_dataset("json", data_files=str(file), split="train", cache_dir=str(tmp_path / "cache"))
    assert read.to_list() == [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


# ── which episodes ────────────────────────────────────────────────────────────


def test_only_what_was_right(keyword: Path, tmp_path: Path) -> None:
    """By default the right ones are in, and the others are counted by reason; with every, all are."""
    records = list(read_records(keyword))
    right = [record.task for record in records if record.verdict["value"] == 1.0]
    assert 0 < len(right) < 12
    made = list(chats(keyword))
    assert [(one["task"], one["attempt"], one["reward"], one["scored"], one["value"]) for one in made] == [
        (task, 0, 1.0, True, 1.0) for task in right
    ]
    exported = export_chats(keyword, tmp_path / "c.jsonl")
    assert exported.left_out == {"value below 1": 12 - len(right)}
    assert len(list(chats(keyword, minimum=0.0))) == len(list(chats(keyword, every=True))) == 12


def test_unscored_and_unfinished(benchmark: Benchmark, tmp_path: Path) -> None:
    """An episode whose policy failed is unscored; without a single turn there is nothing to show, even of every one."""
    played(benchmark, tmp_path / "some", search("harbour"))
    assert [one.reason for one in read_chats(tmp_path / "some", minimum=0.0) if isinstance(one, LeftOut)] == [
        "unscored"
    ]
    (chat,) = chats(tmp_path / "some", every=True)
    assert (chat["scored"], chat["value"], chat["messages"][-1]["role"]) == (False, None, "assistant")
    played(benchmark, tmp_path / "none")
    (left,) = read_chats(tmp_path / "none", every=True)
    assert isinstance(left, LeftOut)
    assert left.reason == "no turn was played"


@pytest.mark.parametrize(
    ("format", "action"),
    [
        ("tags", search("two\nlines")),
        ("tags", answer("a </source> b")),
        ("blocks", note("a plan")),
        ("blocks", ask("who?", "north.example")),
        ("source", visit(" https://north.example/mill")),
        ("tools", answer("two", "texts")),
    ],
)
def test_what_a_format_cannot_write(benchmark: Benchmark, tmp_path: Path, format: str, action: Action) -> None:
    """An episode with an action that the format would give back as another one is left out, and said so."""
    played(benchmark, tmp_path / "run", action, answer("https://north.example/mill"))
    (left,) = read_chats(tmp_path / "run", format, every=True)
    assert isinstance(left, LeftOut)
    assert left.reason == f"an action that the format {format} cannot write"


def test_turns_without_an_action(benchmark: Benchmark, tmp_path: Path) -> None:
    """An episode with a turn that held no action is left out, but of every one it is kept with the reminder."""
    (record,) = played(benchmark, tmp_path / "run", None, answer("https://north.example/harbour"))
    assert record.turns[0].kind == "invalid"
    (left,) = read_chats(tmp_path / "run", minimum=0.0)
    assert isinstance(left, LeftOut)
    assert left.reason == "a turn without an action"
    (chat,) = chats(tmp_path / "run", every=True)
    assert chat["messages"][2] == {"role": "assistant", "content": "(no action)"}
    assert chat["messages"][3]["content"].startswith("Your last reply held no action.")


def test_another_judges_verdicts(keyword: Path) -> None:
    """A rescoring's verdicts and rewards count where it is named; one that there is not is refused."""
    name = Path(rescore(keyword, "page").folder).name
    assert [one["task"] for one in chats(keyword, judge=name)] == [one["task"] for one in chats(keyword)]
    with pytest.raises(RunError, match=f"holds no rescoring 'nope'. Expected one of: {name}"):
        next(chats(keyword, judge="nope"))


def test_the_later_record_counts(keyword: Path, tmp_path: Path) -> None:
    """Of an episode that was played again, the later record is exported, once."""
    copy = copied(keyword, tmp_path)
    lines = (keyword / "episodes.jsonl").read_bytes().splitlines(keepends=True)
    again = json.loads(lines[0]) | {"question": "Asked anew?"}
    (copy / "episodes.jsonl").write_bytes(b"".join(lines) + json.dumps(again).encode() + b"\n")
    made = [one for one in chats(copy, every=True) if one["task"] == again["task"]]
    assert [one["messages"][1]["content"].splitlines()[0] for one in made] == ["Asked anew?"]


def test_the_verdict_on_an_earlier_record_does_not_count(keyword: Path, tmp_path: Path) -> None:
    """An episode that was played again since the rescoring is not judged in it."""
    copy = copied(keyword, tmp_path)
    lines = (keyword / "episodes.jsonl").read_bytes().splitlines(keepends=True)
    (copy / "episodes.jsonl").write_bytes(b"".join(lines))
    name = Path(rescore(copy, "page").folder).name
    again = json.loads(lines[0]) | {"seed": 99}
    (copy / "episodes.jsonl").write_bytes(b"".join(lines) + json.dumps(again).encode() + b"\n")
    left = [one for one in read_chats(copy, judge=name, every=True) if isinstance(one, LeftOut)]
    assert left == [LeftOut(again["task"], 0, "not judged in this rescoring")]


# ── what is in them ───────────────────────────────────────────────────────────


def test_no_gold(keyword: Path, tmp_path: Path) -> None:
    """Other gold, and other words of the judge, change nothing in the file."""
    copy = copied(keyword, tmp_path)
    with open(copy / "episodes.jsonl", "w", encoding="utf-8") as file:
        for line in (keyword / "episodes.jsonl").read_text(encoding="utf-8").splitlines():
            data = json.loads(line)
            data["gold"] = {"urls": ["https://gold.example"], "answers": ["gold"], "claims": ["gold"]}
            data["verdict"]["explanation"] = "the gold was gold"
            data["seen"], data["tags"] = [], {}
            file.write(json.dumps(data) + "\n")
    for format in FORMATS:
        export_chats(keyword, tmp_path / "a", format, every=True)
        export_chats(copy, tmp_path / "b", format, every=True)
        assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def model(messages: Messages) -> str:
    """Thinks, reasons, and then acts: it searches the criteria, and answers the first URL."""
    found = re.findall(r"^https?://\S+$", messages[-1]["content"], re.MULTILINE)
    if found:
        return f"<think>so</think>Result 1 fits. <answer>{found[0]}</answer> I am sure."
    words = " ".join(line[2:] for line in messages[1]["content"].splitlines() if line.startswith("- "))
    return f"<think>first <search>x</search></think>I look\nfor it.\n\n<search>\n{words}\n</search>\n<visit>u</visit>"


@pytest.fixture(scope="module")
def react(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of a model that writes tags."""
    path = tmp_path_factory.mktemp("react") / "run"
    with serve(model) as server:
        policy = ReactPolicy(ChatModel("m", base_url=server.base_url, api_key="k"))
        evaluate("NeedleInWeb-v0", policy, episodes=3, out=path, settings={"web": "sample"})
    return path


@pytest.mark.parametrize(
    ("options", "before"),
    [
        ({}, ["I look\nfor it.", "Result 1 fits."]),
        ({"thoughts": False}, ["", ""]),
        (
            {"thinking": True},
            ["<think>first <search>x</search></think>I look\nfor it.", "<think>so</think>Result 1 fits."],
        ),
        ({"thoughts": False, "thinking": True}, ["", ""]),
    ],
)
@pytest.mark.parametrize("format", FORMATS)
def test_thoughts(react: Path, format: str, options: Mapping[str, Any], before: list[str]) -> None:
    """What a model wrote before its action is kept or left out, in every format; what it wrote after it never is."""
    for chat in chats(react, format, every=True, **options):
        said = [one for one in chat["messages"] if one["role"] == "assistant"]
        written = [
            FORMATS[format].write(FORMATS[format].parse(one if format == "tools" else one["content"])) for one in said
        ]
        texts = [
            one["content"] if format == "tools" else one["content"].removesuffix(text).strip()
            for one, text in zip(said, written, strict=True)
        ]
        assert texts == before
        assert chat["policy"] == "react"


@pytest.mark.parametrize("format", ["tags", "tools"])
def test_a_run_with_references(tmp_path: Path, format: str) -> None:
    """Exported in its own format, a run's conversation is to the byte the one that its model was sent."""

    def script(messages: Messages) -> Text:
        turn = sum(message["role"] == "assistant" for message in messages)
        if format == "tags":
            return Text(
                ("I look. <search>lighthouse</search>", "Open. <visit>1</visit>", "So. <answer>1</answer>")[turn]
            )
        name = ("search", "visit", "answer")[turn]
        arguments = ('{"queries": ["lighthouse"]}', '{"urls": ["1"]}', '{"answer": "1"}')[turn]
        call = {"id": f"id{turn}", "type": "function", "function": {"name": name, "arguments": arguments}}
        return Text(f"<think>{turn}</think>I {name}.", tool_calls=(call,))

    with serve(script) as server:
        model = ChatModel("m", base_url=server.base_url, api_key="k")
        policy = ReactPolicy(model, format=format, references=True, page_characters=400, results=3, url_answers=True)
        evaluate("NeedleInWeb-v0", policy, episodes=1, out=tmp_path / "run", settings={"web": "sample"})
    (chat,) = chats(tmp_path / "run", format, every=True)
    sent = server.requests[-1]
    if format == "tools":
        assert chat["messages"][:-1] == sent["messages"]
        assert chat["tools"] == sent["tools"]
        assert chat["messages"][-1]["tool_calls"][0]["id"] == "id2"
    else:
        told = [[one for one in said if one["role"] != "assistant"] for said in (chat["messages"], sent["messages"])]
        assert told[0] == told[1]
        said = [one["content"] for one in chat["messages"] if one["role"] == "assistant"]
        assert said[0] == "I look.\n\n<search>\nlighthouse\n</search>"
        assert said[1].startswith("Open.\n\n<visit>\nhttps://")


def test_calls_as_text(tmp_path: Path) -> None:
    """What a model said beside its calls stands before its action in other formats too."""
    call = {"id": "c", "type": "function", "function": {"name": "answer", "arguments": '{"answer": "x"}'}}
    with serve(lambda _: Text("<think>hm</think>I know.", tool_calls=(call,))) as server:
        policy = ReactPolicy(ChatModel("m", base_url=server.base_url, api_key="k"), format="tools")
        evaluate("NeedleInWeb-v0", policy, episodes=1, out=tmp_path / "run", settings={"web": "sample"})
    (chat,) = chats(tmp_path / "run", "tags", every=True)
    assert chat["messages"][-1]["content"] == "I know.\n\n<source>\nx\n</source>"


def test_scripted_thoughts_are_no_reasoning(benchmark: Benchmark, tmp_path: Path) -> None:
    """What a policy without a model keeps as its thought is not what an agent would say."""
    played(benchmark, tmp_path / "run", answer("https://north.example/harbour"))
    (chat,) = chats(tmp_path / "run", every=True)
    assert chat["messages"][-1]["content"] == "<source>\nhttps://north.example/harbour\n</source>"


def test_a_prompt_and_page_characters(keyword: Path, tmp_path: Path) -> None:
    """A prompt of one's own stands first; long pages lose their middles."""
    (tmp_path / "p.txt").write_text("Be quick.", encoding="utf-8")
    chat = next(chats(keyword, prompt=tmp_path / "p.txt", page_characters=100))
    assert chat["messages"][0] == {"role": "system", "content": "Be quick."}
    assert any("characters left out" in one["content"] for one in chat["messages"])


# ── the file, and bad input ───────────────────────────────────────────────────


def test_the_file_is_whole_or_as_it_was(keyword: Path, tmp_path: Path) -> None:
    """A run that turns out to be damaged half way leaves the file that was there, and no draft."""
    copy = copied(keyword, tmp_path)
    lines = (keyword / "episodes.jsonl").read_bytes().splitlines(keepends=True)
    (copy / "episodes.jsonl").write_bytes(b"".join(lines[:5]) + b"{broken\n")
    out = tmp_path / "chats.jsonl"
    out.write_text("earlier\n")
    with pytest.raises(RunError, match="line 6 is damaged"):
        export_chats(copy, out)
    assert out.read_text() == "earlier\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["chats.jsonl", "run"]


def test_two_writers(keyword: Path, tmp_path: Path) -> None:
    """Another export into the same file, from beginning to end while one is written, disturbs neither."""
    out, meanwhile = tmp_path / "chats.jsonl", list[bytes]()

    def watch(written: int, left_out: int) -> None:
        if not meanwhile:
            export_chats(keyword, out, "tools")
            meanwhile.append(out.read_bytes())

    export_chats(keyword, out, "tags", watch=watch)
    for format, data in (("tools", meanwhile[0]), ("tags", out.read_bytes())):
        lines = [json.loads(line) for line in data.splitlines()]
        assert [line["messages"] for line in lines] == [chat["messages"] for chat in chats(keyword, format)]
    assert [path.name for path in tmp_path.iterdir()] == ["chats.jsonl"]


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"format": "tag"}, InvalidArgument, "format='tag'. Did you mean 'tags'?"),
        ({"minimum": 2}, InvalidArgument, "minimum=2: expected a verdict's value, 0 to 1."),
        ({"minimum": True}, InvalidArgument, "minimum=True"),
        ({"page_characters": 3}, InvalidArgument, "page_characters=3: expected a whole number from 100."),
        ({"arguments": "dict"}, InvalidArgument, "arguments='dict'. Expected one of: object, text."),
        ({"prompt": "nowhere.txt"}, WebenvError, "nowhere.txt"),
        ({"policy": "oracle"}, RunError, "holds a run of 'keyword', none of 'oracle'"),
    ],
)
def test_refused(keyword: Path, options: Mapping[str, Any], error: type[WebenvError], said: str) -> None:
    """What cannot be done is refused in one line, before anything is read."""
    with pytest.raises(error) as refused:
        read_chats(keyword, **options)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
