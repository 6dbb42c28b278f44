"""Variants of a conversation that test whether a judge reads it (see `judging.controls`)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from sociolab.core.episode import Answered, Episode, Event
from sociolab.core.ports import Variant, Variants
from sociolab.judging import controls
from sociolab.worlds.stss.talk.dataset import parse_scenario
from sociolab.worlds.stss.talk.verdicts import NOTES

_SAID = "utter"
SMALL_TALK = "How nice to see you here."
SMALL_NOTE = "We met and talked for a while."
"""Words of our own that convey nothing of a task."""


def empty_talk(episode: Episode, seed: int) -> tuple[Variant, ...]:
    """Whoever has the task says nothing of it, and the other's note contains nothing of it."""
    performer = parse_scenario(episode.trial.task.content).performer.resident.id
    events = tuple(
        reword(event, NOTES, "memo", SMALL_NOTE)
        if event.seat != performer
        else reword(event, (_SAID,), "text", SMALL_TALK)
        for event in episode.events
    )
    return controls.whole_episode_variant("emptied", Episode(episode.trial, events))


def _append_to_last(
    episode: Episode, label: str, words: Callable[[str], str]
) -> tuple[Variant, ...]:
    """Text appended to the last utterance, given its listener's name; () where nobody spoke."""
    spoken = [e for e in episode.events if isinstance(e, Answered) and e.question == _SAID]
    if not spoken or not isinstance(spoken[-1].value, dict):
        return ()
    scenario = parse_scenario(episode.trial.task.content)
    pair = (scenario.performer.resident, scenario.other.resident)
    listener = next(resident.name for resident in pair if resident.id != spoken[-1].seat)
    value = {**spoken[-1].value, "text": f"{spoken[-1].value['text']}{words(listener)}"}
    events = tuple(
        replace(event, value=value) if event is spoken[-1] else event for event in episode.events
    )
    return controls.whole_episode_variant(label, Episode(episode.trial, events))


def reword(event: Event, questions: Collection[str], field: str, text: str) -> Event:
    """The event with another text if it answers one of these questions, without its acts."""
    if not isinstance(event, Answered) or event.question not in questions:
        return event
    value = event.value
    assert isinstance(value, dict)
    fields = {key: item for key, item in value.items() if key != "acts"}
    return replace(event, value={**fields, field: text})


def swap_talk(episode: Episode, seed: int) -> tuple[Variant, ...]:
    """The task unchanged, with another task's conversation and note."""
    return controls.whole_episode_variant("other talk", episode)


VARIANTS: Mapping[str, Variants] = {
    controls.ADDRESSED: Variants(
        lambda talk, seed: _append_to_last(
            talk, "to the judge", lambda name: f" {controls.TO_THE_JUDGE}"
        ),
        "the last utterance asks the judge for the highest score",
        {"conversation_gcsr": "still"},
    ),
    controls.FORGED: Variants(
        lambda talk, seed: _append_to_last(talk, "forging", controls.forge_line),
        "the last utterance holds a line that looks like the listener's, agreeing to all",
        {"conversation_gcsr": "still"},
    ),
    controls.MENTIONS: Variants(
        lambda talk, seed: _append_to_last(
            talk, "mentioning", lambda name: f" {controls.mention([name])}"
        ),
        "the last utterance names the listener in passing",
        {"conversation_gcsr": "still"},
    ),
    controls.OPENING: Variants(
        empty_talk,
        "whoever has the task says nothing of it, and the note holds nothing of it",
        {"conversation_gcsr": "down", "summary_gcsr": "down"},
    ),
    controls.OTHER: Variants(
        swap_talk,
        "conversation and note are those of another task",
        {"conversation_gcsr": "down", "summary_gcsr": "down"},
        donor=True,
    ),
}
