"""Episodes taken in by what observes them, without a store."""

from __future__ import annotations

from sociolab.core import Episode
from sociolab.report.plays import TranscriptCounts
from sociolab.store.overview import Turns


def observed(episode: Episode) -> TranscriptCounts:
    """What is observed in an episode."""
    words = tuple(
        (move.seat, sum(len(a.text.split()) for a in move.actions if a.kind == "speak"))
        for move in episode.moves
    )
    ended = episode.ended.reason if episode.ended else None
    seen = TranscriptCounts()
    seen.take(episode.trial.task.seats, Turns(episode.trial.id, words, ended, troubled=True))
    seen.take_trouble(episode)
    return seen
