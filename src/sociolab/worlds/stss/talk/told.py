"""What was said in an episode of a conversation task, read from its events."""

from __future__ import annotations

from dataclasses import dataclass

from sociolab.core.episode import Answered, Episode
from sociolab.town.answers import Items, Lines, Said, Summary
from sociolab.town.thoughts import Line
from sociolab.worlds.stss.talk.scenario import TalkScenario


@dataclass(frozen=True, slots=True)
class Told:
    """A talk as it was held: `lines` by residents' ids.

    `note` is what the other keeps of it, None where there is no summary; its memo is judged. `plan`
    and `reminder` are the performer's texts of TDP, empty without them.
    """

    lines: tuple[Line, ...]
    note: Summary | None
    plan: tuple[str, ...] = ()
    reminder: tuple[str, ...] = ()


def told_in(scenario: TalkScenario, episode: Episode) -> Told:
    """The talk of an episode, as far as it is recorded."""
    names = {side.resident.id: side.resident.name for side in (scenario.performer, scenario.other)}
    lines: list[Line] = []
    note: Summary | None = None
    plan: tuple[str, ...] = ()
    reminder: tuple[str, ...] = ()
    for event in episode.events:
        if not isinstance(event, Answered):
            continue
        match event.question:
            case "utter":
                said = Said.model_validate(event.value)
                lines.append(Line(event.seat, names[event.seat], said.text, said.acts))
            case "summarise":
                note = Summary.model_validate(event.value)
            case "general_plan":
                plan = Lines.model_validate(event.value).lines
            case "talk_reminder":
                reminder = Items.model_validate(event.value).items
    return Told(tuple(lines), note, plan, reminder)
