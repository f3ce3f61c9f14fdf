"""Embeddings: from an endpoint of OpenAI's kind, and of texts that are longer than an encoder reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from webenv.errors import InvalidArgument, MissingExtra, ModelError
from webenv.models.endpoint import Endpoint

Vectors = npt.NDArray[np.float32]

CHARACTERS = 4
"""Characters of a token, about."""

_BATCH = 64  # texts of a request
_RETRIES = 4  # the client's own: after 408, 409, 429 and 5xx, and lost connections


def unit_rows(vectors: Vectors) -> Vectors:
    """The same directions, each of length 1; a row of zeros stays."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    found: Vectors = (vectors / np.maximum(lengths, 1e-12)).astype(np.float32)
    return found


class TextEncoder(Protocol):
    """What turns texts into vectors of length 1: a :class:`webenv.corpora.dense.SentenceEncoder` is one."""

    @property
    def identity(self) -> Mapping[str, str]:
        """What encodes; ``tokens``, where it is given, is the most of a text that it reads."""
        ...

    def encode_pages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts, float32 [n, dimension], each of length 1."""
        ...


def encode_whole(encoder: TextEncoder, texts: Sequence[str]) -> Vectors:
    """Vectors of texts of any length, each of length 1.

    A text that is longer than the encoder reads is parted into passages that it reads whole, cut at spaces; its vector
    is the mean of theirs, each weighted by its characters.

    Args:
        encoder: what encodes passages.
        texts: the texts.
    """
    tokens = encoder.identity.get("tokens", "")
    most = int(tokens) * CHARACTERS if tokens.isdigit() and int(tokens) else 0
    parts = [passages(text, most) for text in texts]
    vectors = encoder.encode_pages([part for each in parts for part in each])
    pooled, start = [], 0
    for each in parts:
        weights = np.array([max(1, len(part)) for part in each], dtype=np.float32)
        pooled.append(weights @ vectors[start : start + len(each)])
        start += len(each)
    found: Vectors = np.array(pooled, dtype=np.float32).reshape(len(texts), vectors.shape[1])
    return unit_rows(found)


def passages(text: str, most: int) -> list[str]:
    """A text in parts of at most ``most`` characters, cut at spaces where there are some; 0: whole.

    >>> passages("one two three", 8)
    ['one two', 'three']
    """
    parts, rest = [], text
    while most and len(rest) > most:
        cut = rest.rfind(" ", most // 2, most + 1)
        cut = cut if cut > 0 else most
        parts.append(rest[:cut])
        rest = rest[cut:].lstrip()
    return [*parts, rest]


class EndpointEncoder:
    """An embedding model behind an endpoint that speaks OpenAI's ``/embeddings``.

    Source: Needle in the Web, section 3 (text-embedding-3-large).

    Args:
        model: its name there.
        base_url: the endpoint; ``None``: OPENAI_BASE_URL, else OpenAI's own.
        api_key: ``None``: OPENAI_API_KEY.
        tokens: the most of a text that it reads.
        timeout: seconds for one request.

    Raises:
        InvalidArgument: for an empty name, or tokens below 1.
        ModelError: where there is neither a key nor a base URL, or one that is none.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        tokens: int = 8_191,
        timeout: float = 60.0,
    ) -> None:
        if not model.strip() or tokens < 1:
            raise InvalidArgument(f"embedder {model!r:.60}, tokens={tokens}: expected a model's name, and 1 or more.")
        try:
            import openai
        except ImportError as error:
            raise MissingExtra("openai", "llm", "embeddings of an endpoint") from error
        at = Endpoint(model, base_url, api_key)
        self._client = openai.OpenAI(api_key=at.key, base_url=at.base_url, max_retries=_RETRIES, timeout=timeout)
        self._model, self._tokens = model, tokens

    @property
    def identity(self) -> Mapping[str, str]:
        """``name``, ``model`` and ``tokens``; not the host, as a build may go on at another."""
        return {"name": "endpoint", "model": self._model, "tokens": str(self._tokens)}

    def encode_pages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts, float32 [n, dimension], each of length 1.

        Raises:
            ModelError: if the endpoint gives none, after some attempts.
        """
        rows = [
            row for start in range(0, len(texts), _BATCH) for row in self._batch(list(texts[start : start + _BATCH]))
        ]
        vectors: Vectors = np.array(rows, dtype=np.float32)
        return unit_rows(vectors)

    def _batch(self, texts: list[str]) -> list[list[float]]:
        import openai

        body = {"model": self._model, "input": texts}
        try:
            answer: Any = self._client.post("/embeddings", body=body, cast_to=object)
        except openai.APIStatusError as error:
            raise ModelError(f"embedder {self._model!r}: {error.status_code}; {error.message:.300}") from error
        except openai.OpenAIError as error:
            raise ModelError(f"embedder {self._model!r}: {type(error).__name__}: {error!s:.300}") from error
        return self._read(answer, len(texts))

    def _read(self, answer: Any, count: int) -> list[list[float]]:
        """The vectors of an answer, in the order of the texts."""
        data = answer.get("data") if isinstance(answer, dict) else None
        found: dict[int, list[float]] = {}
        for place, one in enumerate(data if isinstance(data, list) else ()):
            row = one.get("embedding") if isinstance(one, dict) else None
            if isinstance(row, list) and row and all(isinstance(number, int | float) for number in row):
                found[one.get("index", place)] = row
        rows = [found[place] for place in range(count) if place in found]
        if len(rows) != count or len({len(row) for row in rows}) != 1:
            raise ModelError(f"embedder {self._model!r}: the answer holds no vector for each of {count} texts.")
        return rows
