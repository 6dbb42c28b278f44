"""Names that people use for seats and agents, found among those that there are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sociolab.app.finding.worlds import told
from sociolab.core.episode import Episode
from sociolab.core.errors import ConfigError
from sociolab.report.transcript_view import transcript_view


def seat_called(episode: Episode, name: str) -> str:
    """The seat of this id, of the character of this full name, or of this first name.

    Upper and lower case are one. ConfigError where no seat is called so, or several are.
    """
    trial = episode.trial
    if name in trial.task.seats:
        return name
    read = transcript_view(episode, told(episode))
    wanted = name.casefold().strip()
    people = [seat for seat in read.seats if not _is_part(seat.id, trial.task.seats)]
    called = [(seat.id, _names(seat.id, seat.name)) for seat in people]
    first = [(seat, {full.split()[0] for full in names if full}) for seat, names in called]
    for known in (called, first):
        fits = [seat for seat, names in known if wanted in names]
        if len(fits) == 1:
            return fits[0]
        if fits:
            raise ConfigError(f'--as: several seats are called "{name}": {", ".join(fits)}')
    seats = ", ".join(
        seat.id if seat.name == seat.id else f"{seat.id} ({seat.name})" for seat in people
    )
    raise ConfigError(f'--as: expected one of {seats}, found "{name}"')


def _is_part(seat: str, seats: Sequence[str]) -> bool:
    """Whether a seat answers some questions of another's: its id is that one's, and what for."""
    return any(seat.startswith(f"{other}.") for other in seats)


def _names(seat: str, name: str) -> set[str]:
    """What a seat is called in full; ids are names with hyphens or underscores for spaces."""
    words = re.sub(r"[-_]+", " ", seat).strip()
    return {seat.casefold(), words.casefold(), name.casefold().strip()}


def label_like(wanted: str, labels: Iterable[str], flag: str) -> str:
    """The label that is wanted, or the only one that holds what is; else `wanted` as it is, which
    is for the caller to refuse. ConfigError where several labels hold it."""
    known: Sequence[str] = tuple(dict.fromkeys(labels))
    if wanted in known:
        return wanted
    fits = [label for label in known if _ends(label).casefold() == wanted.casefold()]
    fits = fits or [label for label in known if wanted.casefold() in label.casefold()]
    if len(fits) > 1:
        raise ConfigError(f'{flag}: "{wanted}" may be any of {", ".join(fits)}; give more of it')
    return fits[0] if fits else wanted


def _ends(label: str) -> str:
    """What a label is mostly called by: the model of an endpoint, the class of a module."""
    return label.rpartition(":")[2] if label.startswith("python:") else label.partition("/")[2]
