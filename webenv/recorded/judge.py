"""RecordedJudge: a judge behind a cassette."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from webenv.cassette import Cassette
from webenv.cassette.question import question
from webenv.errors import WebenvError
from webenv.judge import Judge, Submission, Verdict
from webenv.recorded.recorded import Recorded
from webenv.recorded.transcript import plain


class RecordedJudge(Recorded):
    """A judge behind a cassette, its verdicts recorded whole.

    A request is the submission, but for the seconds that it took. Verdicts without a value are recorded
    as failures: a replay gives them back, a recording asks again. Submissions that are the same have one
    verdict. A judge that asks a chat model is better recorded by that model
    (:class:`webenv.recorded.RecordedModel`): then what the model said can be read anew.

    Args:
        cassette: the tape.
        judge: who is asked; may be absent where nobody is asked.

    Raises:
        InvalidArgument: if the tape is of another judge (modes record, strict).
        DataError: if there is neither a judge nor one on the tape.
    """

    paid = True

    def __init__(self, cassette: Cassette, judge: Judge | None = None) -> None:
        super().__init__(cassette, judge, "judge")

    def score(self, submissions: Sequence[Submission]) -> list[Verdict]:
        """The verdicts that were recorded.

        Raises:
            CassetteMiss: in a replay, for what is not recorded.
        """
        if not submissions:
            return []
        if self.cassette.mode == "live":
            return list(self._inner.score(submissions))
        return self._play(
            "judge",
            [question("judge", plain(submission)) for submission in submissions],
            lambda places: self._inner.score([submissions[place] for place in places]),
        )

    def _failed(self, answer: Any) -> bool:
        if not isinstance(answer, Verdict):
            raise WebenvError(f"Judge.score returned {answer!r:.100} for a submission; expected a Verdict.")
        return not answer.scored

    def _failure(self, reason: str) -> Verdict:
        return Verdict.unscored(reason, self._inner.identity["name"])
