"""The plays of a run: one seat of one trial each, or, for measures of whole episodes, a trial."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from sociolab.core.episode import Asked, Trial
from sociolab.store.runs import TrialRow

PlayKey: TypeAlias = tuple[str, str | None]
"""Trial and seat; no seat for the whole episode."""

Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class Play:
    """A seat of a trial, who played it, and what its values are grouped and clustered by.

    `partner` is the one agent that it met beside itself, or itself; None if there were several.
    `type` is the task's first tag. `failed` says that the trial failed.
    """

    key: PlayKey
    agent: str | None
    partner: str | None
    type: str | None
    cluster: str
    failed: bool


def plays_of(rows: Iterable[TrialRow]) -> tuple[Play, ...]:
    """A play for each seat of each trial, in plan order."""
    return tuple(
        Play(
            (row.trial.id, member.seat),
            member.agent,
            _partner(row.trial, member.seat),
            _type(row.trial),
            row.trial.task.cluster,
            row.status == "failed",
        )
        for row in rows
        for member in row.trial.cast
    )


def whole_plays_of(rows: Iterable[TrialRow], partner: str | None) -> tuple[Play, ...]:
    """A play without seat for each trial, in plan order.

    It is the agent's that sat in all seats, or in all but those of the run's `partner`; nobody's
    where several agents met.
    """
    found = []
    for row in rows:
        agent, met = _whole_cast(row.trial, partner)
        key, failed = (row.trial.id, None), row.status == "failed"
        found.append(Play(key, agent, met, _type(row.trial), row.trial.task.cluster, failed))
    return tuple(found)


def asked_of(
    rows: Iterable[TrialRow], partner: str | None, asked: Mapping[PlayKey, Asked]
) -> dict[PlayKey, Asked]:
    """How often each play was asked, from that of seats; of a whole episode, its agent's seats
    together, or all where several agents met."""
    found = dict(asked)
    for row in rows:
        agent, _ = _whole_cast(row.trial, partner)
        mine = [m.seat for m in row.trial.cast if agent in (None, m.agent)]
        found[row.trial.id, None] = asked_in(asked, ((row.trial.id, seat) for seat in mine))
    return found


def asked_in(asked: Mapping[Key, Asked], keys: Iterable[Key]) -> Asked:
    """How often these plays were asked together."""
    some = [asked[key] for key in keys if key in asked]
    return Asked(sum(one.failed for one in some), sum(one.asked for one in some))


def _whole_cast(trial: Trial, partner: str | None) -> tuple[str | None, str | None]:
    """The one agent that an episode is about, and whom it met."""
    agents = {member.agent for member in trial.cast}
    others = agents - {partner}
    if len(agents) == 1:
        return next(iter(agents)), next(iter(agents))
    return (next(iter(others)), partner) if len(others) == 1 else (None, None)


def _partner(trial: Trial, seat: str) -> str | None:
    own = trial.agent(seat)
    others = {member.agent for member in trial.cast if member.seat != seat} - {own} or {own}
    return others.pop() if len(others) == 1 else None


def _type(trial: Trial) -> str | None:
    return trial.task.tags[0] if trial.task.tags else None
