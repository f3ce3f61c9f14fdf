"""A chat model on loopback for tests of judges, and what it finds in a request of ours."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.openai_server import Messages, OpenAIServer, Reply, serve
from webenv.models import ChatModel

__all__ = ["Asked", "replying", "tagged"]


class Asked:
    """A request: its text, its token, and the data between its fences."""

    def __init__(self, messages: Messages) -> None:
        self.text = messages[0]["content"]
        tokens = re.findall(r'id="([0-9a-f]{16})"', self.text)
        self.token = tokens[-1] if tokens else ""

    def __getitem__(self, field: str) -> str:
        found = re.search(rf'<{field} id="{self.token}">\n(.*)\n</{field} id="{self.token}">', self.text, re.DOTALL)
        assert found is not None, field
        return found[1]


@contextmanager
def replying(script: Callable[[Asked], Reply | None]) -> Iterator[tuple[ChatModel, OpenAIServer]]:
    """A model that replies as the script says."""
    with (
        serve(lambda messages: script(Asked(messages)) or "") as server,
        ChatModel("tiny", base_url=server.base_url, retries=0, timeout=10.0) as model,
    ):
        yield model, server


def tagged(asked: Asked, **fields: object) -> str:
    """A reply of these fields, each with the token."""
    return "I weighed it. " + " ".join(f'<{name} id="{asked.token}">{value}</{name}>' for name, value in fields.items())
