"""Drawn landscapes that stand in pages where others have photographs."""

from __future__ import annotations

from itertools import pairwise

from webenv.corpora.procedural.rng import Rng

_SKIES = (
    ("#bcd7ea", "#f3e9d8"), ("#f2c79b", "#f8e9d2"), ("#9fb4c7", "#dfe5e8"), ("#d8e4ec", "#ffffff"),
    ("#5b6d8c", "#d9a27e"),
)  # fmt: skip
_LANDS = (
    ("#7f9c7a", "#5d7d5b", "#3e5a41"), ("#a3a586", "#7c8363", "#525b41"), ("#8ea3ad", "#667f8c", "#3f5663"),
    ("#c2a878", "#97804f", "#665534"),
)  # fmt: skip


def picture(rng: Rng, names: dict[str, str]) -> str:
    """A drawn landscape, in place of a photograph, which a seed cannot take: sky, hills, and what stands on them."""
    top, bottom = rng.pick(_SKIES)
    lands = rng.pick(_LANDS)
    name = f"g{rng.below(1 << 30)}"
    shapes = [
        f'<linearGradient id="{name}" x2="0" y2="1"><stop stop-color="{top}"/><stop offset="1" '
        f'stop-color="{bottom}"/></linearGradient><rect width="800" height="300" fill="url(#{name})"/>'
    ]
    if rng.chance(0.6):
        shapes.append(
            f'<circle cx="{rng.between(80, 720)}" cy="{rng.between(40, 130)}" r="{rng.between(14, 30)}" '
            'fill="#fff7e0" opacity=".85"/>'
        )
    for layer, colour in enumerate(lands):
        height = 150 + 45 * layer
        points = [(x, height + rng.between(-34, 30) // (layer + 1)) for x in range(-100, 1000, 100)]
        path = f"M-100 300 L{points[0][0]} {points[0][1]}"
        for (x, y), (after, below) in pairwise(points):
            path += f" C{x + 50} {y} {after - 50} {below} {after} {below}"
        if layer == 1:
            for _ in range(rng.between(2, 7)):
                x, wide, high = rng.between(60, 720), rng.between(14, 34), rng.between(18, 52)
                shapes.append(
                    f'<path d="M{x} {height + 30}v-{high}l{wide // 2} -{wide // 2} {wide - wide // 2} {wide // 2}'
                    f'v{high}z" fill="{lands[2]}" opacity=".8"/>'
                )
        shapes.append(f'<path d="{path} L1000 300z" fill="{colour}"/>')
    return (
        f'<svg class="{names["hero"]}" viewBox="0 0 800 300" aria-hidden="true" xmlns="http://www.w3.org/2000/svg">'
        f"{''.join(shapes)}</svg>"
    )
