"""What was said in an episode of a conversation task, read from its events."""

from __future__ import annotations

from dataclasses import dataclass

from sociolab.core.episode import Answered, Episode
from sociolab.town.answers import Agreed, Items, Lines, Said, Summary
from sociolab.town.thoughts import Line
from sociolab.worlds.stss.talk.scenario import TalkScenario


@dataclass(frozen=True, slots=True)
class Told:
    """A talk as it was held: `lines` by residents' ids.

    `note` is what the other keeps of it, None where there is no summary. `plan` and `reminder` are
    the performer's texts of TDP, empty without them.
    """

    lines: tuple[Line, ...]
    note: str | None
    plan: tuple[str, ...] = ()
    reminder: tuple[str, ...] = ()


def told_in(scenario: TalkScenario, episode: Episode) -> Told:
    """The talk of an episode, as far as it is recorded."""
    names = {side.resident.id: side.resident.name for side in (scenario.performer, scenario.other)}
    lines: list[Line] = []
    note: str | None = None
    plan: tuple[str, ...] = ()
    reminder: tuple[str, ...] = ()
    for event in episode.events:
        if not isinstance(event, Answered):
            continue
        match event.question:
            case "utter":
                text = Said.model_validate(event.value).text
                lines.append(Line(event.seat, names[event.seat], text))
            case "summarise":
                note = noted(Summary.model_validate(event.value))
            case "general_plan":
                plan = Lines.model_validate(event.value).lines
            case "talk_reminder":
                reminder = Items.model_validate(event.value).items
    return Told(tuple(lines), note, plan, reminder)


def noted(summary: Summary) -> str:
    """All that a resident keeps of a talk as text: the memo, then what it has agreed to."""
    return "\n".join([summary.memo, *(f"Agreed: {_agreed(one)}" for one in summary.agreed)])


def _agreed(one: Agreed) -> str:
    when = f"{one.day} at {one.start}" if one.start else one.day
    return f"{one.what}, on {when}{f', at {one.place}' if one.place else ''}."
