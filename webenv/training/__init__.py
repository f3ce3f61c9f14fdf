"""Trains policies in environments, keeps what is needed to go on, and compares what was learned."""

from webenv.training.comparison import HeldOut, compare, rivals
from webenv.training.curve import Curve, draw_curves, read_curve
from webenv.training.folder import ProgressRow, TrainingFolder, read_rows
from webenv.training.plan import Limits, Plan
from webenv.training.run import Trained, TrainStanding, train
from webenv.training.throughput import Throughput

__all__ = [
    "Curve",
    "HeldOut",
    "Limits",
    "Plan",
    "ProgressRow",
    "Throughput",
    "TrainStanding",
    "Trained",
    "TrainingFolder",
    "compare",
    "draw_curves",
    "read_curve",
    "read_rows",
    "rivals",
    "train",
]
