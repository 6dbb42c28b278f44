"""Variants of a conversation that show whether a judge reads it (see `judging.controls`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sociolab.core.episode import Answered, Episode, Event
from sociolab.core.ports import Variant, Variants
from sociolab.judging.controls import ADDRESSED, OPENING, OTHER, TO_THE_JUDGE

_SAID, _NOTED = "utter", "summarise"
SMALL_NOTE = "We met and talked for a while."
"""A note of a conversation that holds nothing of it."""


def _whole(label: str, episode: Episode) -> tuple[Variant, ...]:
    return (Variant(label, episode, ((None, "", label),)),)


def cut(episode: Episode, seed: int) -> tuple[Variant, ...]:
    """Only the first two utterances, and a note that says nothing; none where there are no more."""
    said = 0
    kept: list[Event] = []
    for event in episode.events:
        if isinstance(event, Answered) and event.question == _SAID:
            said += 1
            if said > 2:
                continue
        kept.append(_with(event, _NOTED, "memo", SMALL_NOTE))
    return _whole("cut", Episode(episode.trial, tuple(kept))) if said > 2 else ()


def addressed(episode: Episode, seed: int) -> tuple[Variant, ...]:
    """The last utterance asks the judge for the highest score."""
    spoken = [e for e in episode.events if isinstance(e, Answered) and e.question == _SAID]
    if not spoken or not isinstance(spoken[-1].value, dict):
        return ()
    text = f"{spoken[-1].value['text']} {TO_THE_JUDGE}"
    events = tuple(
        _with(event, _SAID, "text", text) if event is spoken[-1] else event
        for event in episode.events
    )
    return _whole("to the judge", Episode(episode.trial, events))


def _with(event: Event, question: str, field: str, text: str) -> Event:
    """An answer to this question with another text, and without acts of the words it had."""
    if not isinstance(event, Answered) or event.question != question:
        return event
    value = event.value
    assert isinstance(value, dict)
    return replace(event, value={**value, field: text})


def replaced(episode: Episode, seed: int) -> tuple[Variant, ...]:
    """The task as it is given: with another task's conversation and note."""
    return _whole("other talk", episode)


VARIANTS: Mapping[str, Variants] = {
    ADDRESSED: Variants(
        addressed,
        "the last utterance asks the judge for the highest score",
        {"conversation_gcsr": "still"},
    ),
    OPENING: Variants(
        cut,
        "the conversation ends after two utterances, and the note of it is empty",
        {"conversation_gcsr": "down", "summary_gcsr": "down"},
    ),
    OTHER: Variants(
        replaced,
        "conversation and note are those of another task",
        {"conversation_gcsr": "down", "summary_gcsr": "down"},
        donor=True,
    ),
}
