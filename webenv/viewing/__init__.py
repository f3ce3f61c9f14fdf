"""Reads runs, and writes each as one HTML page for people: nothing is served, nothing is fetched."""

from webenv.viewing.page import View, write_view
from webenv.viewing.runs import ViewedRun, read_runs

__all__ = ["View", "ViewedRun", "read_runs", "write_view"]
