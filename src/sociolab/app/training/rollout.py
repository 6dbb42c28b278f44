"""One episode played by a policy, from its first request to its rewards."""

from __future__ import annotations

from sociolab.app.training.seat import Seat
from sociolab.app.training.steps import Policy, PolicyTurn, Rollout
from sociolab.app.training.table import PolicyTable
from sociolab.core.episode import Episode, Trial
from sociolab.core.errors import ModelError, SociolabError


async def play_out(table: PolicyTable, trial: Trial, policy: Policy) -> Rollout:
    """The episode of a trial, or what was played of it and why it broke off.

    What the policy raises is raised, and so is a call's failure that every other would meet.
    """
    seat = table.begin(trial)
    name = table.seat_in(trial.task)
    turns: list[PolicyTurn] = []
    try:
        error = await _play(seat, policy, turns)
        if error:
            return Rollout(trial, name, tuple(turns), error=error)
        return await _judged(table, Rollout(trial, name, tuple(turns)), seat.episode())
    finally:
        await seat.close()


async def _play(seat: Seat, policy: Policy, turns: list[PolicyTurn]) -> str:
    """Play to the end; why it broke off, or ""."""
    error = ""
    while not error:
        try:
            observed = await seat.next()
        except Exception as failure:  # noqa: BLE001  as in the runner: a plugin's bug is one play's
            error = _told(failure)
            continue
        if turns:
            last = turns.pop()
            turns.append(PolicyTurn(last.observation, last.reply, *seat.taken(last.observation)))
        if observed is None:
            break
        reply = await policy(observed)
        seat.answer(reply)
        turns.append(PolicyTurn(observed, reply, None))
    return error


async def _judged(table: PolicyTable, played: Rollout, episode: Episode) -> Rollout:
    try:
        given = await table.judge(episode)
    except SociolabError as failure:
        return Rollout(
            played.trial, played.seat, played.turns, episode=episode, error=_told(failure)
        )
    return Rollout(
        played.trial,
        played.seat,
        played.turns,
        given.rewards,
        given.of_episode,
        given.failures,
        episode,
    )


def _told(failure: Exception) -> str:
    """What broke it off; raised where it would break off every other, too."""
    if isinstance(failure, ModelError) and failure.fatal:
        raise failure
    return f"{type(failure).__name__}: {failure}"
