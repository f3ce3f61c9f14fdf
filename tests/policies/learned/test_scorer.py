"""The scorer that all rows of a menu share."""

from __future__ import annotations

from tests.extras import needs_extra

needs_extra("train")

import torch

from webenv.policies.learned.scorer import MenuScorer, as_tensors
from webenv.wrappers.menu import MenuSize, feature_shapes

SIZE = MenuSize(criteria=2, candidates=5, sites=2)
TITLE, VISIT, ANSWER = slice(4, 9), slice(11, 16), slice(18, 23)  # after 4 queries; then 2 sites, before and after


def scorer() -> MenuScorer:
    """A scorer whose logits are far apart."""
    made = MenuScorer(SIZE, width=16, chance=torch.Generator().manual_seed(3))
    with torch.no_grad():
        for rows in (made.queries, made.candidates, made.sites):
            rows.logits.weight *= 100
    return made


def some_menus(count: int = 3) -> tuple[dict[str, torch.Tensor], torch.Tensor]:
    chance = torch.Generator().manual_seed(5)
    rows = {name: torch.rand((count, *shape), generator=chance) for name, shape in feature_shapes(SIZE).items()}
    return rows, torch.ones((count, SIZE.actions), dtype=torch.bool)


def test_candidates_that_change_places_change_their_scores_alone() -> None:
    """Candidates that are permuted have their scores permuted; nothing else changes."""
    rows, mask = some_menus()
    order = torch.tensor([3, 0, 4, 2, 1])
    before = scorer()(rows, mask)
    after = scorer()(rows | {"candidates": rows["candidates"][:, order]}, mask)
    moved = torch.arange(SIZE.actions)
    for part in (TITLE, VISIT, ANSWER):
        moved[part] = moved[part][order]
    torch.testing.assert_close(after.log_probabilities, before.log_probabilities[:, moved])
    torch.testing.assert_close(after.value, before.value)
    assert float(before.log_probabilities.detach().std()) > 0.1  # they do differ


def test_masked_actions_are_never_drawn() -> None:
    """What is masked has the probability 0, and the rest sum to 1."""
    rows, mask = some_menus(2)
    mask[:] = False
    mask[0, 7] = mask[1, 2] = mask[1, 22] = True
    scores = scorer()(rows, mask)
    shares = scores.log_probabilities.exp()
    assert shares[0].nonzero().flatten().tolist() == [7]
    assert shares[1].nonzero().flatten().tolist() == [2, 22]
    torch.testing.assert_close(shares.sum(1), torch.ones(2))
    assert scores.best()[0] == 7
    assert float(scores.entropy()[0].detach()) == 0.0
    drawn = {int(scores.draw(torch.Generator().manual_seed(seed))[1]) for seed in range(50)}
    assert drawn <= {2, 22}


def test_rows_that_do_not_exist_change_nothing() -> None:
    """A menu with fewer candidates is scored as one that has no more room."""
    rows, mask = some_menus()
    rows["candidates"][:, 3:] = 0
    mask[:, [7, 8, 14, 15, 21, 22]] = False
    wide = scorer()(rows, mask)
    narrow = MenuScorer(MenuSize(2, 3, 2), width=16)
    narrow.load_state_dict(scorer().state_dict())
    less = narrow(rows | {"candidates": rows["candidates"][:, :3]}, torch.ones((3, 19), dtype=torch.bool))
    kept = [*range(7), *range(9, 14), *range(16, 21), 23, 24]
    torch.testing.assert_close(wide.log_probabilities[:, kept], less.log_probabilities)


def test_new_scorers_choose_about_uniformly() -> None:
    """Before it has learned, all that may be done is about as likely; to visit several, as all visits together."""
    rows, mask = some_menus()
    scores = MenuScorer(SIZE, chance=torch.Generator().manual_seed(0))(rows, mask)
    shares = scores.log_probabilities.exp().detach()
    expected = torch.ones(SIZE.actions)
    expected[23] = 5  # after 4 queries, 15 of candidates, 4 of sites
    torch.testing.assert_close(shares, (expected / 29).expand_as(shares), rtol=0.1, atol=0)


def test_values_need_no_mask() -> None:
    """The value alone is that of the whole."""
    rows, mask = some_menus()
    torch.testing.assert_close(scorer().values(rows), scorer()(rows, mask).value)


def test_arrays_are_taken_as_they_are() -> None:
    """Tensors share the memory of the arrays that they are made of."""
    rows = {name: tensor.numpy() for name, tensor in some_menus()[0].items()}
    as_tensors(rows)["context"][0, 0] = 0.125
    assert rows["context"][0, 0] == 0.125
