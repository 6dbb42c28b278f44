"""Where a social task was lost in the town: no talk, not all conveyed, or not acted on.

STSS section 5.3 sets the language level beside the action level. Between the two lie three steps,
each of which can fail: meeting somebody to talk to, conveying all that they must know, and their
doing it. The trace is asked for talks: who only passed by, or heard of it from somebody else, was
not met.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sociolab.town.residents import Resident
from sociolab.town.trace.records import Talked
from sociolab.town.trace.trajectory import Trajectory
from sociolab.worlds.stss.scoring.result import TaskScore
from sociolab.worlds.stss.talk.findings import Finding, Occasion, person
from sociolab.worlds.stss.talk.rules.conversation import findings_in_talk
from sociolab.worlds.stss.task import SocialTask

Outcome: TypeAlias = Literal["done", "no talk", "talk, not conveyed", "conveyed, not acted on"]
OUTCOMES: tuple[Outcome, ...] = ("done", "no talk", "talk, not conveyed", "conveyed, not acted on")
"""Done, or lost: did not meet; met but did not convey; conveyed but not acted on."""


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of one who could have taken part, or, of help, of one errand ("errand 1")."""

    of: str
    outcome: Outcome


def fates(
    task: SocialTask,
    residents: Sequence[Resident],
    trajectory: Trajectory,
    places: tuple[str, ...],
    score: TaskScore,
) -> tuple[Fate, ...]:
    """The fate of each background resident; of the partner; or of each errand, by type of task.

    Only a third or half of the background need take part for a goal to be reached (`wanted`).

    `places` are the names of all places in town. Only talks of the performer that began before the
    event was over count. A condition is conveyed if any of them meets it, and all of a person's
    conditions must be, or both of an errand's with one person. Who took part without having been
    told has done it all the same.
    """
    found = _findings(task, residents, trajectory, places, score)
    if task.type == "asking for help":
        return tuple(
            Fate(
                f"errand {number}",
                _outcome(bool(done.who), bool(found), _errand_told(found.values(), number)),
            )
            for number, done in enumerate(score.errands, 1)
        )
    might = (task.partner,) if task.type == "appointment" else task.background
    return tuple(
        Fate(
            who,
            _outcome(who in score.participants, who in found, _all_told(found.get(who, ()))),
        )
        for who in might
    )


def wanted(task: SocialTask) -> int:
    """How many of these fates the goal asks to be done: all errands, else as `task.expected`."""
    return len(task.errands) if task.type == "asking for help" else task.expected


def _outcome(done: bool, met: bool, told: bool) -> Outcome:
    if done:
        return "done"
    if not met:
        return "no talk"
    return "conveyed, not acted on" if told else "talk, not conveyed"


def _all_told(found: Sequence[Finding]) -> bool:
    met = {finding.condition.id for finding in found if finding.met}
    return met == {finding.condition.id for finding in found}


def _errand_told(found: Iterable[Sequence[Finding]], number: int) -> bool:
    return any(_all_told([f for f in some if f.condition.errand == number]) for some in found)


def _findings(
    task: SocialTask,
    residents: Sequence[Resident],
    trajectory: Trajectory,
    places: tuple[str, ...],
    score: TaskScore,
) -> dict[str, tuple[Finding, ...]]:
    """The findings in all talks of the performer with each other resident, by the other's id."""
    by_id = {resident.id: resident for resident in residents}
    people = tuple(person(resident) for resident in residents)
    found: dict[str, tuple[Finding, ...]] = {}
    for talk in trajectory.everybody(Talked):
        if task.performer not in (talk.who, talk.other) or talk.step >= score.window[1]:
            continue
        other = talk.other if talk.who == task.performer else talk.who
        place = trajectory.place_at(task.performer, talk.step)
        occasion = Occasion(
            task,
            by_id[task.performer],
            by_id[other],
            trajectory.clock.at(talk.step),
            str(place) if place.sector else "",
            places,
            people,
        )
        found[other] = (*found.get(other, ()), *findings_in_talk(occasion, talk.lines))
    return found
