"""What was found in a talk or a note of it: each condition met or not, with the words for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sociolab.town.residents import Resident
from sociolab.worlds.stss.talk.conditions import Condition, conditions_of
from sociolab.worlds.stss.task import SocialTask


@dataclass(frozen=True, slots=True)
class Occasion:
    """What one must know to read a talk: its task, whose it is, when and where it was held.

    `here` is "Sector: arena", "" outdoors.
    """

    task: SocialTask
    performer: Resident
    other: Resident
    now: datetime
    here: str

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The task's conditions, in words about these two."""
        return conditions_of(self.task, self.performer.name, self.other.name)


@dataclass(frozen=True, slots=True)
class Finding:
    """Whether a condition is met; `quote` is what shows it, word for word, "" where it is not."""

    condition: Condition
    met: bool
    quote: str = ""


def success(findings: Sequence[Finding]) -> float:
    """SR of one talk: 1 if all its conditions are met, else 0 (STSS section 3.2).

    ValueError without findings.
    """
    return float(share_met(findings) == 1)


def share_met(findings: Sequence[Finding]) -> float:
    """GCSR of one talk: the share of its conditions that are met, 0 to 1 (STSS section 3.2).

    ValueError without findings.
    """
    if not findings:
        raise ValueError("a talk without conditions has no rate of success")
    return sum(finding.met for finding in findings) / len(findings)
