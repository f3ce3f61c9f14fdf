"""The models of ``reproduce_studies.py`` as scripts, behind an endpoint of chat completions and embeddings.

They write, judge and answer by rule: what they show is that the studies run, not how models do.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SEARCHERS = {"GPT-4o": 0.6, "Gemini-2.5-flash": 0.55, "Sonar": 0.65}  # search by themselves: how often they are right
AGENTS = ("Search-R1", "DeepResearcher", "CognitiveKernel-Pro")  # use our search: the first result is their answer
READERS = {"large": 0.9, "medium": 0.75, "small": 0.5}  # of news: how often they are right once they have searched

_FIELD = re.compile(r'<(\w+) id="([0-9a-f]{16})">\n(.*?)\n</\1 id="\2">', re.DOTALL)
_WORD = re.compile(r"[^\W_]+(?:[-.,’'][^\W_]+)*")
_GAP = "…"
Messages = Sequence[Mapping[str, str]]


def chance(*parts: object) -> float:
    """A number from 0 to 1 that depends on nothing but these."""
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:6]) / 2**48


def sentences(text: str) -> list[str]:
    """The sentences of a text, each on one line."""
    found = (one.strip() for one in re.split(r"(?<=[.!?])\s+|\n+", text))
    return [one for one in found if one.endswith(".") and one[0].isalnum() and len(one.split()) >= 5]


def words(text: str) -> list[str]:
    """The words of a text."""
    return _WORD.findall(text)


class ScriptedModels:
    """What the models of the studies reply.

    Attributes:
        pages: the page sought by the criteria of a needle.
        answers: the answer to a question on the news.
    """

    def __init__(self) -> None:
        self.pages: dict[tuple[str, ...], str] = {}
        self.answers: dict[str, str] = {}

    def reply(self, model: str, messages: Messages) -> str:
        """The reply of a model of this name to a conversation."""
        last = messages[-1]["content"]
        if model in SEARCHERS:
            return self._search_alone(model, last)
        if model in AGENTS:
            return self._find(model, messages)
        if model in READERS:
            return self._read_news(model, messages)
        if "Gold target:" in last:
            return self._grade(last)
        return _build(model, last)

    def _grade(self, asked: str) -> str:
        gold, said = (re.search(rf"{name}: (.*)", asked) for name in ("Gold target", "Predicted answer"))
        assert gold is not None
        assert said is not None
        return "A" if said[1] in gold[1].split(" or ") else "C" if said[1] == "unknown" else "B"

    def _search_alone(self, model: str, asked: str) -> str:
        if "<source>" not in asked:
            question, answer = self._asked(asked)
            return answer if chance(model, question) < SEARCHERS[model] else "unknown"
        found = next((url for criteria, url in self.pages.items() if all(one in asked for one in criteria)), "")
        right = chance(model, found) < SEARCHERS[model]
        return f"<source>{found if right else 'No source found.'}</source>"

    def _find(self, model: str, messages: Messages) -> str:
        """A search with all criteria (or, by the weakest, the first), then its first result."""
        if len(messages) == 2:
            criteria = re.findall(r"^- (.*)", messages[1]["content"], re.M)
            chosen = criteria[:1] if model == AGENTS[-1] else criteria if model == AGENTS[0] else criteria[::-1]
            return f"I look.\n<search>\n{' '.join(chosen)}\n</search>"
        url = re.search(r"https?://\S+", messages[-1]["content"])
        return f"<source>{url[0] if url else 'No source found.'}</source>"

    def _read_news(self, model: str, messages: Messages) -> str:
        """Searches, clicks now and then, and finishes; the small one asks two things at once, whatever is left."""
        question, answer = self._asked(messages[1]["content"])
        turn = len(messages) // 2
        closed = "type: Search" not in messages[0]["content"]
        if closed or turn == 3 or (turn == 2 and chance("click", model, question) < 0.6):
            right = chance(model, question) < (READERS[model] * (0.25 if closed else 1.0))
            return _block("Finish", answer if right else "unknown")
        if turn == 1:
            return _block("Search", *((question, f"{question} news") if model == "small" else (question,)))
        url = re.search(r"https?://\S+", messages[-1]["content"])
        return _block("Click", url[0]) if url else _block("Search", question[:60])

    def _asked(self, text: str) -> tuple[str, str]:
        """The question that a text holds, and its answer."""
        return next((pair for pair in self.answers.items() if pair[0] in text), ("", "unknown"))


def _block(kind: str, *lines: str) -> str:
    """An action of LiveNewsBench."""
    return "\n".join(("I think, then act.", "<action>", f"type: {kind}", *lines, "</action>"))


# ── models that build and judge ───────────────────────────────────────────────


def _build(model: str, asked: str) -> str:
    """The reply to a question of a build, or of a judge by our prompts: fields that bear the token of the request."""
    found = _FIELD.findall(asked)
    token, fields = found[0][1], {name: text for name, _, text in found}

    def tags(**texts: str) -> str:
        return "\n".join(f'<{name} id="{token}">{text}</{name}>' for name, text in texts.items())

    if asked.startswith("Write one query"):
        return tags(query=" ".join(words(fields["event"].splitlines()[-1])[:8]))
    if asked.startswith("Decide whether"):
        share = set(words(fields["event"].splitlines()[-1])) & set(words(fields["article"]))
        return tags(verdict="relevant") if len(share) >= 5 else tags(reason="another event", verdict="irrelevant")
    if asked.startswith("Draft one question"):
        return tags(**_draft(fields["article"]))
    if asked.startswith("Answer a question"):
        answer = _filled(fields["question"], fields["article"])
        return (
            tags(answer=answer) if chance("reader", answer) < 0.95 else tags(unanswerable="the article leaves it open")
        )
    if asked.startswith("Check a question"):
        strict = chance("checker", fields["question"]) < 0.05
        return (
            tags(verdict="fails", rule="needs_search", reason="one look-up tells it")
            if strict
            else tags(verdict="meets")
        )
    if asked.startswith("You grade a short answer"):
        return tags(verdict="correct" if fields["gold"] == fields["answer"] else "incorrect")
    if asked.startswith("Write down what the page"):
        return "\n".join(tags(claim=one) for one in sentences(fields["page"])[:30])
    if asked.startswith("Make each of the claims"):
        return _masked([line.partition(". ")[2] for line in fields["claims"].splitlines()], tags)
    wanted = {word.lower() for word in words(fields["criterion"])} - {"something"}
    missing = wanted - {word.lower() for word in words(fields["page"])}
    reason = f"the page does not say {', '.join(sorted(missing)[:3])}"
    return f'<reject id="{token}">{reason}</reject>' if missing else f'<accept id="{token}"/>'


def _draft(article: str) -> dict[str, str]:
    """A sentence of the article with a gap, and what stands there; or that there is none."""
    for sentence in sorted(sentences(article), key=lambda one: chance("draft", one)):
        names = [word for word in words(sentence)[1:] if word[0].isupper() or word.isdigit()]
        if names and sentence.count(names[-1]) == 1:
            question = f"What stands in the gap: “{sentence.replace(names[-1], _GAP)}”"
            return {"question": question, "answer": names[-1], "stability": _stability(sentence)}
    return {"skip": "nothing in it can be asked"}


def _stability(sentence: str) -> str:
    return "year" if chance("stability", sentence) < 0.08 else "unlikely"


def _filled(question: str, article: str) -> str:
    """What an article has in the gap of a question."""
    before, _, after = question.partition("“")[2].rpartition("”")[0].partition(_GAP)
    found = re.search(re.escape(before) + r"(\S+?)" + re.escape(after), article)
    return found[1] if found else "unknown"


def _masked(claims: Sequence[str], tags: Any) -> str:
    """Each claim without a word that no other claim has: a name or a number where there is one."""
    lines = []
    for claim in claims:
        others = {word.lower() for other in claims if other != claim for word in words(other)}
        own = [word for word in words(claim) if word.lower() not in others and words(claim).count(word) == 1] or [claim]
        word = max(own, key=lambda one: (one[0].isupper() or one[0].isdigit(), len(one)))
        criterion = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", "something", claim)
        lines.append(tags(masked=word, criterion=criterion))
    return "\n".join(lines)


def embedding(text: str, size: int = 128) -> list[float]:
    """Words counted into places by their hash: texts that share words are near each other."""
    vector = [0.0] * size
    for word in words(text.lower()):
        vector[int(chance(word) * size)] += 1.0
    return vector


@contextmanager
def endpoint(models: ScriptedModels) -> Iterator[str]:
    """The models behind an endpoint; gives its address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            answer = _embeddings(asked) if self.path.endswith("/embeddings") else _completion(models, asked)
            data = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    class Server(ThreadingHTTPServer):
        request_queue_size = 128  # connections that wait: many questions are put at a time

    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()


def _embeddings(asked: Mapping[str, Any]) -> dict[str, Any]:
    return {"data": [{"index": n, "embedding": embedding(text)} for n, text in enumerate(asked["input"])]}


def _completion(models: ScriptedModels, asked: Mapping[str, Any]) -> dict[str, Any]:
    text = models.reply(asked["model"], asked["messages"])
    read, wrote = len(str(asked["messages"])) // 4, len(text) // 4 + 1
    usage: dict[str, Any] = {"prompt_tokens": read, "completion_tokens": wrote}
    if asked["model"] in SEARCHERS:
        usage["num_search_queries"] = 1 + int(2 * chance("searches", text, asked["model"]))
    return {"choices": [{"message": {"content": text}, "finish_reason": "stop"}], "usage": usage}
