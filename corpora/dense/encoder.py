"""Encoders: texts to vectors of unit length."""

from __future__ import annotations

import hashlib
import math
import os
import re
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from webenv.corpora.dense.vectors import QUERY_NAMES, Vectors, read_vectors, unit_rows
from webenv.corpora.manifest import read_json
from webenv.corpora.query import plain_text
from webenv.errors import CorpusError, DataError, InvalidArgument, MissingExtra

_TOKENS = 100_000
_CHARACTERS_PER_TOKEN = 16  # more of a text than that cannot reach the model
_HUB_NAME = re.compile(r"[\w-][\w.-]{0,95}(?:/[\w-][\w.-]{0,95})?", re.ASCII)
_MOST_MODULES = 100_000  # bytes
_MODULES = frozenset(
    f"sentence_transformers.{place}.{name}"
    for place in ("models", "sentence_transformer.modules", "base.modules")
    for name in ("Transformer", "Pooling", "Normalize", "Dense", "LayerNorm", "StaticEmbedding")
)
_PICKLED = frozenset((".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle", ".joblib"))
_SAMPLED = 1_024  # numbers of each of a model's tensors that its digest is made of


@runtime_checkable
class Encoder(Protocol):
    """Turns texts into vectors, whose inner product says how near two texts are in meaning."""

    @property
    def identity(self) -> Mapping[str, str]:
        """What encodes: ``name``, and all that its vectors depend on.

        Vectors of encoders whose ``model`` (its last part, as in ``owner/name``), or whose ``weights``,
        differ cannot be compared; one that does not say may be any.
        """

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors of queries, float32 [n, dimension], each of length 1, and depending on its own text alone."""

    def encode_pages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of pages (title, line break, main text), float32 [n, dimension], each of length 1."""


class SentenceEncoder:
    """A model of sentence-transformers.

    Args:
        model: a name on the Hugging Face hub, or a folder. With ``HF_HUB_OFFLINE=1`` nothing is fetched.
        device: as torch names it; ``None``: ``cuda`` where there is one, else ``cpu``.
        batch_size: how many pages are encoded at once.
        query_batch: how many queries are encoded at once. At 1, a query has the same vector whatever
            else is asked; more is 2 to 4 times as fast, and the seventh digit varies with the batch,
            so that two pages that are as good as equally near may change places.
        query_prompt: what to put before a query, as in ``"query: "``; ``None``: what the model itself asks for.
        page_prompt: what to put before a page, as in ``"passage: "``; ``None``: what the model itself asks for.
        tokens: the most tokens of a text that count; ``None``: as many as the model takes.
        dimension: keep only the first numbers of each vector (for models made for that); ``None``: all.
        trust_remote_code: let the model run code of its own, as MiniCPM-Embedding-Light needs.
        safe: for a model that a stranger named: no code of its own, and weights as safetensors alone, not pickled.

    Raises:
        MissingExtra: without sentence-transformers.
        InvalidArgument: if there is no such model.
    """

    def __init__(
        self,
        model: str | os.PathLike[str],
        *,
        device: str | None = None,
        batch_size: int = 32,
        query_batch: int = 1,
        query_prompt: str | None = None,
        page_prompt: str | None = None,
        tokens: int | None = None,
        dimension: int | None = None,
        trust_remote_code: bool = False,
        safe: bool = False,
    ) -> None:
        if safe:
            trust_remote_code = False
            _check_safe(os.fspath(model))
        if batch_size < 1 or query_batch < 1:
            raise InvalidArgument(f"batch_size={batch_size}, query_batch={query_batch}: expected 1 or more.")
        self._name = os.fspath(model)
        self._settings: dict[str, Any] = {
            "device": device,
            "batch_size": batch_size,
            "query_batch": query_batch,
            "query_prompt": query_prompt,
            "page_prompt": page_prompt,
            "tokens": tokens,
            "dimension": dimension,
            "trust_remote_code": trust_remote_code,
            "safe": safe,
        }
        self._model = _load(self._name, device, dimension, trust_remote_code, safe)
        if tokens is not None:
            self._model.max_seq_length = tokens
        self.dimension: int = self.encode_queries(["?"]).shape[1]

    @cached_property
    def identity(self) -> Mapping[str, str]:
        """Model, digest of its weights, dimension, most tokens, and prompts."""
        prompts = self._model.prompts
        query, page = self._settings["query_prompt"], self._settings["page_prompt"]
        return {
            "name": "sentence-transformers",
            "model": model_name(self._name),
            "weights": _weights(self._model),
            "dimension": str(self.dimension),
            "tokens": str(self._model.max_seq_length),
            "query_prompt": prompts.get("query", "") if query is None else query,
            "page_prompt": prompts.get("document", "") if page is None else page,
        }

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        return self._encode(self._model.encode_query, texts, "query_batch", "query_prompt")

    def encode_pages(self, texts: Sequence[str]) -> Vectors:
        return self._encode(self._model.encode_document, texts, "batch_size", "page_prompt")

    def _encode(self, encode: Any, texts: Sequence[str], batch: str, prompt: str) -> Vectors:
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        tokens = self._model.max_seq_length or math.inf  # a model without positions has no longest text
        most = int(_CHARACTERS_PER_TOKEN * min(tokens, _TOKENS))
        vectors = encode(
            [text[:most] for text in texts],
            prompt=self._settings[prompt],
            batch_size=self._settings[batch],
            show_progress_bar=False,
            convert_to_numpy=True,
        )
        return unit_rows(vectors)

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(SentenceEncoder, self._name, **self._settings), ()


def model_name(model: str) -> str:
    """What a model is called, wherever it lies: of a folder its last part."""
    return os.path.basename(os.path.normpath(model)) if os.path.isdir(model) else model


def _check_safe(model: str) -> None:
    """Checks that a model runs no code: sentence-transformers imports whatever the file of a folder names.

    Raises:
        InvalidArgument: if it may.
    """
    if not os.path.lexists(model):
        if not _HUB_NAME.fullmatch(model):
            raise InvalidArgument(f"{model!r:.200} is no model: expected owner/name as on the hub, or a folder.")
        return
    folder = Path(model)
    if not folder.is_absolute():  # what looks like a name on the hub, and lies in the current folder
        raise InvalidArgument(f"the model {model!r:.200} is a folder that is named from the current one.")
    try:
        modules = read_json(folder / "modules.json", _MOST_MODULES)
        strange = sorted({str(module["type"]) for module in modules if module["type"] not in _MODULES})
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidArgument(f"the model {model!r:.200} does not say of what it is made ({error!s:.200}).") from None
    if strange:
        raise InvalidArgument(f"the model {model!r:.200} is made of {strange[0]!r:.80}, which may run any code.")
    for path in folder.rglob("*"):
        if path.suffix in _PICKLED and not list(path.parent.glob("*.safetensors")):
            raise InvalidArgument(f"the model {model!r:.200} keeps weights in {path.name}, which may run any code.")


def _load(name: str, device: str | None, dimension: int | None, trust_remote_code: bool, safe: bool) -> Any:
    try:
        import torch
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging as transformers_logging
    except ImportError:
        raise MissingExtra("sentence-transformers", "dense", "encoding texts") from None
    logging: Any = transformers_logging
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        return SentenceTransformer(
            name,
            device=device or ("cuda" if torch.cuda.is_available() else "cpu"),
            truncate_dim=dimension,
            trust_remote_code=trust_remote_code,
            local_files_only=os.path.isdir(name),
            model_kwargs={"use_safetensors": True} if safe else None,
        )
    except AssertionError as error:  # torch's word for a device that it was not built for
        raise InvalidArgument(f"device {device!r} cannot be used: expected cpu or cuda ({error!s:.200}).") from None
    except (OSError, ValueError, RuntimeError, ImportError) as error:
        reason = " ".join(str(error).split())
        raise InvalidArgument(
            f"no encoder {name!r}: expected a model of sentence-transformers, by its name or folder ({reason:.300})."
        ) from error
    finally:
        if shown:
            logging.enable_progress_bar()


def _weights(model: Any) -> str:
    """A digest of a model's weights, over some numbers of each of its tensors."""
    digest = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        flat = tensor.detach().reshape(-1)
        some = flat[:: max(1, -(-flat.numel() // _SAMPLED))].float().cpu().numpy().astype("<f4")
        digest.update(f"{name} {list(tensor.shape)} {tensor.dtype}\n".encode())
        digest.update(some.tobytes())
    return digest.hexdigest()[:16]


class GivenEncoder:
    """Vectors of queries that were computed elsewhere.

    A query is looked up by its words alone: filters, quotation marks and space do not count.

    Args:
        path: ``.jsonl`` or ``.parquet`` with ``text`` (or ``query``) and ``embedding`` (or ``vector``), or ``.npy``.
        texts: for ``.npy``, a text file with one query a line.
        model: the name of the model that made them; empty: unknown.

    Raises:
        CorpusError: if a file cannot be used; names the row.
    """

    def __init__(
        self, path: str | os.PathLike[str], texts: str | os.PathLike[str] | None = None, model: str = ""
    ) -> None:
        self._made_of = (os.fspath(path), None if texts is None else os.fspath(texts), model)
        self._path = Path(path)
        rows: dict[str, Vectors] = {}
        digest = hashlib.sha256()
        for names, vectors in read_vectors(self._path, None if texts is None else Path(texts), QUERY_NAMES):
            for name, vector in zip(names, vectors, strict=True):
                text = plain_text(name)
                if text in rows and not np.allclose(rows[text], vector, atol=1e-4):
                    raise CorpusError(f"{self._path} has two vectors for the query {text!r:.200}.")
                rows[text] = vector
                digest.update(text.encode() + b"\n" + vector.astype("<f4").tobytes())
        self._rows = rows
        self.dimension: int = next(iter(rows.values())).shape[0]
        known = {"model": model_name(model)} if model else {}
        self.identity: Mapping[str, str] = {"name": "given", **known, "digest": digest.hexdigest()}

    def __len__(self) -> int:
        return len(self._rows)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """A DataError where one is lacking: a set of vectors without it cannot be used for the run."""
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        for place, text in enumerate(texts):
            row = self._rows.get(plain_text(text))
            if row is None:
                raise DataError(
                    f"{self._path} has no vector for the query {text!r:.200}: it has {len(self):,} queries; "
                    "add this one, or search with a model."
                )
            vectors[place] = row
        return vectors

    def encode_pages(self, texts: Sequence[str]) -> Vectors:
        raise InvalidArgument(f"{self._path} has vectors of queries only: bring those of the pages in a file too.")

    def __reduce__(self) -> tuple[Any, ...]:
        return GivenEncoder, self._made_of
