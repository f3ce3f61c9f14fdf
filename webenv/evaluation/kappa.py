"""Cohen's kappa: how far two judges agree beyond chance."""

from __future__ import annotations

from collections.abc import Mapping


def cohen_kappa(counts: Mapping[tuple[str, str], int]) -> float | None:
    """Cohen's kappa of two judges who put the same things into categories.

    ``(p_o − p_e) / (1 − p_e)``: p_o is the share of things put into the same category, p_e the share that
    chance would give two judges who use each category as often as these: the sum over the categories of the
    product of both judges' shares. 1: they always agree; 0: as often as by chance; below 0: less often.

    Source: Cohen 1960, Educational and Psychological Measurement 20 (1).

    Args:
        counts: how often the first judge chose one category and the second one another: from 0.

    Returns:
        −1 to 1; ``None`` where nothing was judged, and where both put everything into one and the same
        category, so that nothing is left to chance.

    >>> cohen_kappa({("yes", "yes"): 20, ("yes", "no"): 5, ("no", "yes"): 10, ("no", "no"): 15})
    0.4
    """
    total = sum(counts.values())
    categories = {category: None for pair in counts for category in pair}
    first = {one: sum(count for (a, _), count in counts.items() if a == one) for one in categories}
    second = {one: sum(count for (_, b), count in counts.items() if b == one) for one in categories}
    chance = sum(first[one] * second[one] for one in categories)
    if chance == total * total:
        return None
    agreed = total * sum(count for (a, b), count in counts.items() if a == b)
    return (agreed - chance) / (total * total - chance)
