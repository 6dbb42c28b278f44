"""Where a social task was lost in the town: on the way from meeting somebody to their coming.

STSS section 5.3 sets the language level beside the action level. Between the two lie four steps,
each of which can fail: meeting somebody to talk to, conveying all that they must know, their
keeping it, and their doing it. What was conveyed and kept is judged as in a conversation task: from
the words of the conversations and of the notes, by a model, or from acts where all are scripted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sociolab.core.episode import Answered, Episode
from sociolab.core.score import Measure, Score, Verdict
from sociolab.town.questions import Summary, Utterance
from sociolab.town.trace import Talked
from sociolab.town.trajectory import Trajectory
from sociolab.worlds.stss.dataset import Content
from sociolab.worlds.stss.evidence import partner_of
from sociolab.worlds.stss.scoring import TaskScore
from sociolab.worlds.stss.talk.conditions import ConditionFinding, Occasion
from sociolab.worlds.stss.talk.verdicts import Lost, Unread, of_note, of_talk
from sociolab.worlds.stss.task import SocialTask

Outcome: TypeAlias = Literal["done", "no conversation", "not conveyed", "not noted", "not acted on"]
OUTCOMES: tuple[Outcome, ...] = (
    "done", "no conversation", "not conveyed", "not noted", "not acted on",
)  # fmt: skip
"""Done, or lost: did not meet; met but did not convey; conveyed but not kept; kept but not done."""

LOSSES: dict[Outcome, Measure] = {
    one: Measure(f"lost_{one.replace(' ', '_')}", 0, 1, title=f"lost: {one}")
    for one in OUTCOMES
    if one != "done"
}
"""Of those who could have taken part, the share that was lost so."""


@dataclass(frozen=True, slots=True)
class LostOrDone:
    """What became of one who could have taken part, or, of help, of one errand ("errand 1")."""

    of: str
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Spoken:
    """A conversation of the performer with `other`, and what the other keeps of it, if anything."""

    other: str
    occasion: Occasion
    lines: tuple[Utterance, ...]
    note: Summary | None
    step: int


Read: TypeAlias = tuple[tuple[ConditionFinding, ...], tuple[ConditionFinding, ...]]
"""What was found in a conversation, and in the note of it."""


def spoken(
    content: Content, episode: Episode, trajectory: Trajectory, score: TaskScore
) -> tuple[Spoken, ...]:
    """The performer's conversations that began before the event was over.

    Who only passed by, or heard of it from somebody else, was not met.
    """
    task, people = content.task, {resident.id: resident for resident in content.residents}
    notes = {
        (event.seat, event.turn): Summary.model_validate(event.value)
        for event in episode.events
        if isinstance(event, Answered) and event.question == "summarise"
    }
    found = []
    for talk in trajectory.everybody(Talked):
        other = partner_of(talk, task.performer)
        if not other or not talk.lines or talk.step >= score.window[1]:
            continue
        place = trajectory.place_at(task.performer, talk.step)
        occasion = Occasion(
            task,
            people[task.performer],
            people[other],
            trajectory.clock.at(talk.step),
            str(place) if place.sector else "",
        )
        note = notes.get((other, talk.end))
        found.append(Spoken(other, occasion, talk.lines, note, talk.step))
    return tuple(found)


def recorded(found: Iterable[Spoken]) -> dict[str, list[Read]] | Unread:
    """What was conveyed and kept, by the other's id, from acts; Unread if somebody wrote none."""
    read: dict[str, list[Read]] = {}
    for one in found:
        talk = of_talk(one.occasion, one.lines)
        note = of_note(one.occasion, one.note) if one.note is not None else ()
        if isinstance(talk, Unread):
            return talk
        if isinstance(note, Unread):
            return note
        read.setdefault(one.other, []).append((talk, note))
    return read


def fates(
    task: SocialTask, score: TaskScore, read: Mapping[str, Sequence[Read]]
) -> tuple[LostOrDone, ...]:
    """The fate of each background resident; of the partner; or of each errand, by type of task.

    Only a third or half of the background need take part for a goal to be reached (`wanted`). A
    condition is conveyed, or kept, if any of the conversations with a person, or of the notes,
    meets it; all of a person's conditions must be, or both of an errand's with one person. Who took
    part without having been told has done it all the same.
    """
    if task.type == "asking for help":
        return tuple(
            LostOrDone(
                f"errand {number}",
                "done" if done.who else _best(_lost(some, number) for some in read.values()),
            )
            for number, done in enumerate(score.errands, 1)
        )
    might = (task.partner,) if task.type == "appointment" else task.background
    return tuple(
        LostOrDone(who, "done" if who in score.participants else _lost(read.get(who, ()), 0))
        for who in might
    )


def wanted(task: SocialTask) -> int:
    """How many of these fates the goal asks to be done: all errands, else as `task.expected`."""
    return len(task.errands) if task.type == "asking for help" else task.expected


def eligible(task: SocialTask) -> int:
    """How many could have taken part: residents, the partner, or errands."""
    alone = {"appointment": 1, "asking for help": len(task.errands)}
    return alone.get(task.type, len(task.background))


def loss_verdicts(
    found: tuple[LostOrDone, ...] | Lost | Unread,
) -> tuple[Verdict, ...]:
    """The shares that were lost at each step; failures or Unscored where nobody could tell."""
    if isinstance(found, Lost | Unread):
        return found.of(LOSSES.values())
    return tuple(
        Score(
            measure,
            None,
            sum(one.outcome == outcome for one in found) / len(found),
            f"{outcome}: {', '.join(f.of for f in found if f.outcome == outcome) or 'nobody'}",
        )
        for outcome, measure in LOSSES.items()
    )


def _lost(read: Sequence[Read], errand: int) -> Outcome:
    if not read:
        return "no conversation"
    if not _all_met([finding for talk, _ in read for finding in talk], errand):
        return "not conveyed"
    if not _all_met([finding for _, note in read for finding in note], errand):
        return "not noted"
    return "not acted on"


def _all_met(found: Sequence[ConditionFinding], errand: int) -> bool:
    """Whether some conversation meets each condition (of one errand, where there are several)."""
    mine = [one for one in found if not errand or one.condition.errand == errand]
    met = {finding.condition.id for finding in mine if finding.met}
    return bool(mine) and met == {finding.condition.id for finding in mine}


def _best(outcomes: Iterable[Outcome]) -> Outcome:
    """The furthest that anybody came with an errand."""
    return max(outcomes, key=OUTCOMES.index, default="no conversation")
