"""MenuScorer: one small network that scores every action of a menu by the row that it is about."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy.typing as npt

from webenv.errors import MissingExtra
from webenv.wrappers.menu import CANDIDATE_FEATURES, CONTEXT_FEATURES, QUERY_FEATURES, SITE_FEATURES, MenuSize

try:
    import torch
    from torch import Tensor, nn
except ImportError as error:
    raise MissingExtra("torch", "train", "a policy that learns") from error

_LEAST = -1e9  # the logit of an action that is masked: finite, so that gradients are


class Scores(NamedTuple):
    """What a scorer says of a batch of menus.

    Attributes:
        log_probabilities: float32 (B, A), normalised over the actions that may be done; about −1e9 elsewhere.
        value: float32 (B,): the sum of rewards that is expected from here on.
    """

    log_probabilities: Tensor
    value: Tensor

    def of(self, actions: Tensor) -> Tensor:
        """The log-probabilities of chosen actions: int64 (B,) to float32 (B,)."""
        return self.log_probabilities.gather(1, actions.unsqueeze(1)).squeeze(1)

    def entropy(self) -> Tensor:
        """The entropy of each distribution, in nats: float32 (B,)."""
        return -(self.log_probabilities.exp() * self.log_probabilities).sum(1)

    def best(self) -> Tensor:
        """The likeliest action of each menu, the first of equals: int64 (B,)."""
        return self.log_probabilities.argmax(1)

    def draw(self, chance: torch.Generator) -> Tensor:
        """An action of each menu, drawn from its distribution: int64 (B,)."""
        return torch.multinomial(self.log_probabilities.exp(), 1, generator=chance).squeeze(1)


class MenuScorer(nn.Module):
    """Scores actions by their rows: the queries, candidates and sites of a :class:`webenv.wrappers.menu.Menu`.

    All rows of a sort go through the same weights, so that what is learned of one search result
    holds for every other: candidates that are permuted have their scores permuted, and nothing
    else changes (Zaheer et al. 2017, Deep Sets, §2.3)::

        e_i = relu(E x_i)                              a row
        c   = relu(C [context, max_i e_i, mean_i e_i]) the menu, pooled over the candidates that there are
        h_i = relu(H e_i + G c)                        a row within its menu
        logit of an action = w_kind · h_i              one w for each kind of action on that sort of row

    Args:
        size: of the menus.
        width: the units of each layer, at least 1.
        chance: draws the first weights; ``None``: torch's own.
    """

    def __init__(self, size: MenuSize, width: int = 64, chance: torch.Generator | None = None) -> None:
        super().__init__()
        self.size = size
        self.width = width
        self.queries = _Rows(len(QUERY_FEATURES), width, ("search",))
        self.candidates = _Rows(len(CANDIDATE_FEATURES), width, ("title", "visit", "answer"))
        self.sites = _Rows(len(SITE_FEATURES), width, ("narrow", "ask"))
        self.menu = nn.Linear(len(CONTEXT_FEATURES) + 2 * width, width)
        self.whole = nn.Linear(width, 2)
        self.critic = nn.Linear(width, width)
        self.value = nn.Linear(width, 1)
        self._draw_weights(chance)

    def _draw_weights(self, chance: torch.Generator | None) -> None:
        """Orthogonal weights; small ones for logits, so that a new scorer chooses about uniformly but for ``read``."""
        last = {self.whole, self.queries.logits, self.candidates.logits, self.sites.logits}
        for module in self.modules():
            if isinstance(module, nn.Linear):
                gain = 0.01 if module in last else 1.0 if module is self.value else 2**0.5
                nn.init.orthogonal_(module.weight, gain, generator=chance)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
        with torch.no_grad():  # one row stands beside K visits: as likely as all of them, or it is hardly ever tried
            self.whole.bias[0] = math.log(self.size.candidates)

    def forward(self, observation: Mapping[str, Tensor], mask: Tensor) -> Scores:
        """Scores a batch of menus.

        Args:
            observation: float32 tensors: ``queries`` (B, Q, ·), ``candidates`` (B, K, ·), ``sites`` (B, S, ·),
                ``context`` (B, ·).
            mask: bool (B, A): which actions may be done, at least one of each menu.
        """
        candidates = self.candidates.encode(observation["candidates"])
        menu = self._pool(candidates, observation)
        search = self.queries.score(self.queries.encode(observation["queries"]), menu)
        title, visit, answer = self.candidates.score(candidates, menu).unbind(1)
        narrow, ask = self.sites.score(self.sites.encode(observation["sites"]), menu).unbind(1)
        logits = torch.cat([search.squeeze(1), title, narrow, visit, ask, answer, self.whole(menu)], 1)
        return Scores(torch.log_softmax(logits.masked_fill(~mask, _LEAST), 1), self._value(menu))

    def values(self, observation: Mapping[str, Tensor]) -> Tensor:
        """The value alone, which needs no mask: float32 (B,)."""
        return self._value(self._pool(self.candidates.encode(observation["candidates"]), observation))

    def _value(self, menu: Tensor) -> Tensor:
        value: Tensor = self.value(torch.relu(self.critic(menu))).squeeze(1)
        return value

    def _pool(self, candidates: Tensor, observation: Mapping[str, Tensor]) -> Tensor:
        there = (observation["candidates"] != 0).any(2, keepdim=True)
        kept = candidates * there  # e ≥ 0, so that a row of zeros changes no maximum
        mean = kept.sum(1) / there.sum(1).clamp(min=1)
        return torch.relu(self.menu(torch.cat([observation["context"], kept.amax(1), mean], 1)))


class _Rows(nn.Module):
    """What is learned of one sort of rows, with a logit for each kind of action on it."""

    def __init__(self, features: int, width: int, kinds: tuple[str, ...]) -> None:
        super().__init__()
        self.row = nn.Linear(features, width)
        self.within = nn.Linear(width, width)
        self.menu = nn.Linear(width, width, bias=False)
        self.logits = nn.Linear(width, len(kinds))

    def encode(self, rows: Tensor) -> Tensor:
        """(B, R, features) to (B, R, width), none below 0."""
        return torch.relu(self.row(rows))

    def score(self, encoded: Tensor, menu: Tensor) -> Tensor:
        """(B, R, width) and (B, width) to (B, kinds, R)."""
        logits: Tensor = self.logits(torch.relu(self.within(encoded) + self.menu(menu).unsqueeze(1)))
        return logits.transpose(1, 2)


def as_tensors(observation: Mapping[str, npt.NDArray[Any]]) -> dict[str, Tensor]:
    """The arrays of an observation as tensors that share their memory."""
    return {name: torch.from_numpy(observation[name]) for name in ("queries", "candidates", "sites", "context")}
