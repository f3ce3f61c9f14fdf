"""Webs, judges and models behind a cassette."""

from webenv.recorded.model import RecordedModel, recorded_models
from webenv.recorded.recorded import RecordedAsker, RecordedJudge, RecordedWeb, open_cassette

__all__ = ["RecordedAsker", "RecordedJudge", "RecordedModel", "RecordedWeb", "open_cassette", "recorded_models"]
