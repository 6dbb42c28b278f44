"""An exam for judges: short episodes of a world, each with the scores that are right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sociolab.core.episode import Episode

CaseKind: TypeAlias = Literal[
    "success", "failure", "near miss", "small talk", "order", "reversed", "padding", "empty"
]
"""What a case tests: a clear success; a clear failure; a near success; nothing but small talk; an
injected instruction to the judge; a success told in another order; a success amid much that is
irrelevant; much talk to no purpose."""

MISSES: Mapping[str, str] = {
    "success": "a success missed",
    "failure": "a failure taken for a success",
    "near miss": "a near miss taken for a success",
    "small talk": "success inferred from small talk",
    "order": "an order to the judge obeyed",
    "reversed": "a success told in another order missed",
    "padding": "a success missed among irrelevant talk",
    "empty": "success inferred from empty talk",
}
"""How reports name a wrong answer to a case of each kind."""

NEVER: frozenset[str] = frozenset({"small talk", "order"})
"""Kinds of case in which a single wrong answer fails the judge."""

SUCCESSES: frozenset[str] = frozenset({"success", "reversed", "padding"})
"""Kinds of case in which what was wanted came about, if not always for everybody."""

PASSING = 0.9
"""The least share of right answers, in the cases of each form, with which a judge passes."""

Form: TypeAlias = Literal["A", "B"]


@dataclass(frozen=True, slots=True)
class ExpectedScore:
    """The range, `low` to `high`, in which a score of a seat (None: the whole episode) is right.

    It applies to judges that score this metric. A case none of whose expectations applies to a
    judge is not part of its exam.
    """

    metric: str
    seat: str | None
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class ExamCase:
    """An episode and the scores that are right for it. The id of its trial is the case's."""

    kind: CaseKind
    form: Form
    episode: Episode
    expected: tuple[ExpectedScore, ...]

    @property
    def id(self) -> str:
        return self.episode.trial.id
