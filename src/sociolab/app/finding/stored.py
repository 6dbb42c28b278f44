"""What is in the store, for the verbs that look at it: runs, episodes, calls."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sociolab.app.finding.seat_names import seat_called
from sociolab.app.finding.worlds import world_of
from sociolab.core.episode import Episode
from sociolab.core.errors import ConfigError
from sociolab.store.calls import CallRow
from sociolab.store.connect import store_path
from sociolab.store.store import Store


@contextmanager
def open_store(path: Path | str | None = None) -> Iterator[Store]:
    """The store of this path, by default the user's own, which must be there (StoreError)."""
    with Store.open(store_path(None if path is None else Path(path)), create=False) as store:
        yield store


@dataclass(frozen=True, slots=True)
class Found:
    """An episode and where it was found."""

    run: str
    episode: Episode
    status: str
    problem: str = ""


def find_episode(store: Store, wanted: str, run: str | None) -> Found:
    """The episode whose id begins so; ConfigError if none or several do.

    The same trial may have been played in several runs: then `run` must say which one is meant.
    """
    runs = [run] if run else [row.name for row in store.runs()]
    hits = [
        (name, row)
        for name in runs
        for row in store.trials(name)
        if row.trial.id.startswith(wanted)
    ]
    if not hits:
        where = f'the run "{run}"' if run else "the store"
        raise ConfigError(
            f'no episode in {where} has an id that begins with "{wanted}"; '
            "`sociolab list episodes --run NAME` names them"
        )
    if len({row.trial.id for _, row in hits}) > 1:
        some = ", ".join(sorted({row.trial.id for _, row in hits})[:4])
        raise ConfigError(f'several episodes begin with "{wanted}": {some}; give more of the id')
    if len(hits) > 1:
        names = ", ".join(name for name, _ in hits)
        raise ConfigError(f"several runs hold the episode {wanted} ({names}); add --run NAME")
    name, row = hits[0]
    return Found(
        name, Episode(row.trial, store.events(name, row.trial.id)), row.status, row.problem
    )


def transcript(store: Store, run: str, episode: str, seat: str | None = None) -> str:
    """An episode to read, as plain text with its scores: what `sociolab show` prints.

    `episode` is an id or its beginning; with a `seat` (an id or a name), only what it saw.
    ConfigError where there is no such episode or seat.
    """
    from sociolab.report.terminal import play_text
    from sociolab.report.transcript_view import transcript_view

    found = find_episode(store, episode, run)
    trial = found.episode.trial
    seen_by = seat and seat_called(found.episode, seat)
    read = world_of(trial.world).transcript(found.episode, seen_by)
    judgings = () if seen_by else tuple(store.verdicts.judgings(run, trial=trial.id))
    return play_text(transcript_view(found.episode, read, judgings))


@dataclass(frozen=True, slots=True)
class Call:
    """One call to a model: whose it was, what was sent (role and text of each message) and what
    came back. `turn` is from 0, and None of a judge's; `usd` is None where no price is known, and
    `estimated` where the provider counted no tokens."""

    episode: str
    role: str
    seat: str
    turn: int | None
    name: str
    attempt: int
    model: str
    messages: tuple[tuple[str, str], ...]
    reply: str
    usd: float | None
    estimated: bool


def calls_of(store: Store, run: str, episode: str, turn: int | None = None) -> tuple[Call, ...]:
    """The prompts and replies of an episode, or of one of its turns (from 0), as they came.

    Empty where no model was called. ConfigError where there is no such episode.
    """
    trial = find_episode(store, episode, run).episode.trial.id
    return tuple(
        Call(
            trial,
            row.call.role,
            row.call.seat,
            _turn_of(row),
            row.call.name,
            row.call.attempt,
            row.model,
            tuple((one.role, one.text) for one in store.calls.prompt(row).messages),
            row.reply.text,
            row.reply.usd,
            row.reply.usage.estimated,
        )
        for row in store.calls.all(run, trial)
        if turn is None or _turn_of(row) == turn
    )


def _turn_of(row: CallRow) -> int | None:
    return None if row.call.role == "judge" else row.call.turn
