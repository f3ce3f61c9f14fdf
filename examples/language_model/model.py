"""LanguageModel: a small decoder-only transformer, with a cache for batched generation."""

from __future__ import annotations

import math
from copy import copy
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812 the name that torch's own code has for it

_SPAN = 3  # places that a query or a key is mixed of


@dataclass(frozen=True)
class Size:
    """The size of a model.

    Attributes:
        vocabulary: the number of ids.
        width: of the residual stream; divisible by ``heads``.
        layers: how many.
        heads: of each layer, even.
        context: the most ids of one conversation.
    """

    vocabulary: int
    width: int = 128
    layers: int = 4
    heads: int = 4
    context: int = 768


class Cache:
    """Keys and values of the conversations of a batch; each row has its own length.

    Attributes:
        lengths: ids that each row holds, int64 of shape (rows,).
    """

    def __init__(self, size: Size, rows: int, device: torch.device) -> None:
        shape = (size.layers, rows, size.heads, size.context, size.width // size.heads)
        self.keys = torch.zeros(shape, device=device)
        self.values = torch.zeros(shape, device=device)
        self.last = torch.zeros(size.layers, 2, rows, size.heads, _SPAN - 1, shape[-1], device=device)
        # the last queries and keys of each row, not mixed yet
        self.lengths = torch.zeros(rows, dtype=torch.int64, device=device)

    def take(self, rows: Tensor, more: int) -> Cache:
        """A copy of some rows, with room for so many more ids; ``rows`` is int64 of any length."""
        taken = copy(self)
        held = int(self.lengths[rows].max())
        for name in ("keys", "values"):
            whole = getattr(self, name)
            part = whole.new_zeros((*whole.shape[:1], len(rows), whole.shape[2], held + more, whole.shape[4]))
            part[:, :, :, :held] = whole[:, rows, :, :held]
            setattr(taken, name, part)
        taken.last, taken.lengths = self.last[:, :, rows], self.lengths[rows]
        return taken


class LanguageModel(nn.Module):
    """A decoder-only transformer (Radford et al., 2019) with RMSNorm, and with three things that let a small one
    learn within minutes to find and to copy words that it has never seen:

    - *smeared keys* (Olsson et al., 2022, "In-context Learning and Induction Heads"): each head mixes a query, and
      a key, of this place's and of the two before, so that one layer can look up what followed two words. At
      first half of the heads do that, and the others look for the same words;
    - queries and keys start as one and the same projection (after Trockman and Kolter, 2023, "Mimetic
      Initialization of Self-Attention Layers"), so that like attends to like before anything is learned;
    - rotary positions (Su et al., 2021) on a quarter of each head, so that the rest matches at any distance.

    The ids' embeddings are the output layer's weights as well.
    """

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.size = size
        self.embedding = nn.Embedding(size.vocabulary, size.width)
        nn.init.normal_(self.embedding.weight, std=1 / math.sqrt(size.width))
        self.blocks = nn.ModuleList(_Block(size) for _ in range(size.layers))
        self.norm = nn.RMSNorm(size.width)

    def forward(self, ids: Tensor) -> Tensor:
        """What the last layer says of each position.

        Args:
            ids: int64 of shape (rows, length), padded behind.

        Returns:
            Hidden states of shape (rows, length, width); :meth:`logits` makes scores of them.
        """
        hidden = self.embedding(ids) * math.sqrt(self.size.width)
        for block in self.blocks:
            hidden = block(hidden)
        normed: Tensor = self.norm(hidden)
        return normed

    def logits(self, hidden: Tensor) -> Tensor:
        """Scores of all ids as the next one, of shape (…, vocabulary)."""
        return hidden @ self.embedding.weight.T

    def extend(self, cache: Cache, ids: Tensor, lengths: Tensor) -> Tensor:
        """Appends ids to the rows of a cache.

        Args:
            cache: of as many rows.
            ids: int64 of shape (rows, most), padded behind.
            lengths: how many of them each row takes, 0 to ``most``, int64 of shape (rows,).

        Returns:
            Scores of the id that follows each row's last, of shape (rows, vocabulary); of a row that takes
            none they mean nothing.
        """
        hidden = self.embedding(ids) * math.sqrt(self.size.width)
        for number, block in enumerate(self.blocks):
            hidden = cast(_Block, block).extend(hidden, cache, number, lengths)
        cache.lengths += lengths
        rows = torch.arange(len(ids), device=ids.device)
        return self.logits(self.norm(hidden[rows, (lengths - 1).clamp(min=0)]))


class _Block(nn.Module):
    cos: Tensor
    sin: Tensor

    def __init__(self, size: Size) -> None:
        super().__init__()
        width = size.width
        self.heads, self.head = size.heads, width // size.heads
        self.rotary = self.head // 4 // 2 * 2
        self.first, self.second = nn.RMSNorm(width), nn.RMSNorm(width)
        self.queries, self.keys, self.values, self.out = (nn.Linear(width, width, bias=False) for _ in range(4))
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        nn.init.normal_(self.keys.weight, std=math.sqrt(2 / width))
        self.queries.load_state_dict(self.keys.state_dict())
        nn.init.normal_(self.values.weight, std=1 / math.sqrt(width))
        for last in (self.out, self.down):
            nn.init.normal_(last.weight, std=1 / math.sqrt(2 * size.layers * last.in_features))
        match, copy = [[1.0, 0.3, 0.0]] * 2, [[1.0, 0.5, 0.0], [0.0, 1.0, 0.5]]
        mixes = torch.tensor([match if head < size.heads // 2 else copy for head in range(size.heads)])
        self.mixes = nn.Parameter(mixes.permute(1, 2, 0)[..., None, None].contiguous())  # (2, span, heads, 1, 1)
        angles = torch.outer(torch.arange(size.context), 1e4 ** -torch.linspace(0, 1, self.rotary // 2))
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def forward(self, hidden: Tensor) -> Tensor:
        *raw, value = self._project(hidden)
        query, key = (self._mixed(kind, F.pad(one, (0, 0, _SPAN - 1, 0))) for kind, one in enumerate(raw))
        places = torch.arange(hidden.shape[1], device=hidden.device)
        query, key = self._rotated(query, places), self._rotated(key, places)
        return self._finished(hidden, F.scaled_dot_product_attention(query, key, value, is_causal=True))

    def extend(self, hidden: Tensor, cache: Cache, number: int, lengths: Tensor) -> Tensor:
        """As :meth:`forward`, behind what a cache holds of layer ``number``."""
        rows, count, _ = hidden.shape
        *raw, value = self._project(hidden)
        row = torch.arange(rows, device=hidden.device)
        tail = lengths.unsqueeze(1) + torch.arange(_SPAN - 1, device=hidden.device)
        mixed = []
        for kind, one in enumerate(raw):
            longer = torch.cat((cache.last[number, kind], one), 2)
            mixed.append(self._mixed(kind, longer))
            cache.last[number, kind] = longer[row.unsqueeze(1), :, tail].transpose(1, 2)
        query, key = mixed
        places = (cache.lengths.unsqueeze(1) + torch.arange(count, device=hidden.device)).clamp(
            max=cache.keys.shape[3] - 1
        )
        query, key = self._rotated(query, places.unsqueeze(1)), self._rotated(key, places.unsqueeze(1))
        cache.keys[number][row.unsqueeze(1), :, places] = key.transpose(1, 2)
        cache.values[number][row.unsqueeze(1), :, places] = value.transpose(1, 2)
        held = int(places.max()) + 1
        seen = torch.arange(held, device=hidden.device) <= places.unsqueeze(2)  # (rows, count, held)
        keys, values = (each[number][:, :, :held] for each in (cache.keys, cache.values))
        return self._finished(hidden, F.scaled_dot_product_attention(query, keys, values, attn_mask=seen.unsqueeze(1)))

    def _project(self, hidden: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values, each of shape (rows, heads, length, head)."""
        normed = self.first(hidden)
        shape = (*hidden.shape[:2], self.heads, self.head)
        query, key, value = (
            part(normed).view(shape).transpose(1, 2) for part in (self.queries, self.keys, self.values)
        )
        return query, key, value

    def _mixed(self, kind: int, longer: Tensor) -> Tensor:
        """Queries (0) or keys (1) of shape (rows, heads, length, head), of those and the places before."""
        length = longer.shape[2] - _SPAN + 1
        parts = [self.mixes[kind, back] * longer[:, :, _SPAN - 1 - back :][:, :, :length] for back in range(_SPAN)]
        return sum(parts[1:], parts[0])

    def _rotated(self, vectors: Tensor, places: Tensor) -> Tensor:
        """Vectors of shape (rows, heads, length, head), a quarter of each turned by its place."""
        cos, sin = self.cos[places], self.sin[places]
        one, two, rest = torch.split(vectors, [self.rotary // 2, self.rotary // 2, self.head - self.rotary], -1)
        return torch.cat((one * cos - two * sin, one * sin + two * cos, rest), -1)

    def _finished(self, hidden: Tensor, attended: Tensor) -> Tensor:
        hidden = hidden + self.out(attended.transpose(1, 2).flatten(2))
        changed: Tensor = hidden + self.down(F.gelu(self.up(self.second(hidden))))
        return changed
