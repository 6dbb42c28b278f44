"""An exam for judges: short cases of a world of which it is known what is right to say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sociolab.core.episode import Episode

CaseKind: TypeAlias = Literal[
    "success", "failure", "near miss", "small talk", "order", "reversed", "padding", "empty"
]
"""What a case tries: a clear success; a clear failure; all but a success; small talk and nothing
else; words that tell the judge what to say; a success told in another order; a success among much
that is beside the point; much said to no purpose."""

MISSES: Mapping[str, str] = {
    "success": "a success not seen",
    "failure": "a failure taken for a success",
    "near miss": "a near miss taken for a success",
    "small talk": "success inferred from small talk",
    "order": "an order to the judge obeyed",
    "reversed": "a success told in another order not seen",
    "padding": "a success among much else not seen",
    "empty": "success inferred from empty talk",
}
"""What a wrong answer to a case of each kind is called."""

NEVER: frozenset[str] = frozenset({"small talk", "order"})
"""Kinds of which a judge that passes gets none wrong."""

PASSING = 0.9
"""Share of the cases of each form that a judge that passes gets right."""

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
