"""The infos of many slots as one dict of arrays, as gymnasium's vector environments give them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt


def batch_infos(infos: Iterable[tuple[int, dict[str, Any]]], num_envs: int) -> dict[str, Any]:
    """Makes what ``VectorEnv._add_info`` makes of the same infos one after the other, key by key instead.

    Args:
        infos: slots and their infos; a slot may come twice with different keys.
        num_envs: how many slots there are.

    Returns:
        For each key an array of shape (num_envs,), or a dict of such arrays where the values are
        dicts; and under ``_key`` a bool array that says which slots have the key.

    >>> batch_infos([(1, {"task": "a/1"})], 2)
    {'task': array([None, 'a/1'], dtype=object), '_task': array([False,  True])}
    """
    columns: dict[str, tuple[list[int], list[Any]]] = {}
    for slot, info in infos:
        for key, value in info.items():
            column = columns.get(key)
            if column is None:
                column = columns[key] = ([], [])
            column[0].append(slot)
            column[1].append(value)
    batch: dict[str, Any] = {}
    for key, (slots, values) in columns.items():
        if isinstance(values[0], dict) and key != "final_obs":
            batch[key] = batch_infos(zip(slots, values, strict=True), num_envs)
        else:
            batch[key] = _array(slots, values, num_envs)
        mask = np.zeros(num_envs, dtype=np.bool_)
        mask[slots] = True
        batch[f"_{key}"] = mask
    return batch


def _array(slots: list[int], values: list[Any], num_envs: int) -> npt.NDArray[Any]:
    kind = type(values[0])
    if kind in (int, float, bool) or issubclass(kind, np.number):
        array: npt.NDArray[Any] = np.zeros(num_envs, dtype=kind)
        array[slots] = values
        return array
    array = np.full(num_envs, None, dtype=object)
    for slot, value in zip(slots, values, strict=True):
        array[slot] = value
    return array
