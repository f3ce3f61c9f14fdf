"""How webs of growing size build and search on this machine, beside the libraries that do the work."""

from webenv.bench.growth import Point, measure, read_points
from webenv.bench.report import draw, print_growth

__all__ = ["Point", "draw", "measure", "print_growth", "read_points"]
