"""An exam for judges: short cases of a world of which it is known what is right to say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sociolab.core.episode import Episode
from sociolab.core.seeding import digest

CaseKind: TypeAlias = Literal[
    "success", "failure", "near miss", "small talk", "order", "reversed", "padding", "empty"
]
"""What a case tries: a clear success; a clear failure; all but a success; small talk and nothing
else; words that tell the judge what to say; a success told in another order; a success among much
that is beside the point; much said to no purpose."""

Form: TypeAlias = Literal["A", "B"]


@dataclass(frozen=True, slots=True)
class ExpectedScore:
    """What is right to say of a seat (None: the whole episode): a value from `low` to `high`.

    It binds judges that give the metric; a case that binds nothing of a judge is none of its exam.
    """

    metric: str
    seat: str | None
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class ExamCase:
    """An episode, and what is right to say of it. The id of its trial is the case's."""

    kind: CaseKind
    form: Form
    episode: Episode
    expected: tuple[ExpectedScore, ...]

    @property
    def id(self) -> str:
        """Such as "lamp-sold"."""
        return self.episode.trial.id


def exam_hash(cases: Sequence[ExamCase]) -> str:
    """Tells an exam from others: a case that changes makes another one."""
    return digest(*map(repr, cases))
