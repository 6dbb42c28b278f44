"""One episode played by a policy, from its first request to its rewards."""

from __future__ import annotations

import inspect

from sociolab.app.training.seat import Answer, Observed, Seat
from sociolab.app.training.steps import OnError, Policy, PolicyTurn, Rollout
from sociolab.app.training.table import PolicyTable
from sociolab.core.blame import told
from sociolab.core.episode import Trial
from sociolab.core.errors import ConfigError, ModelError, SociolabError


class _NoPolicyError(ConfigError):
    """What was given as a policy is none: no episode can be played by it."""


async def play_out(table: PolicyTable, trial: Trial, policy: Policy, on_error: OnError) -> Rollout:
    """The episode of a trial, or what was played of it and why it broke off.

    Raised is what every other episode would meet, too: a fatal ModelError, a policy that is none;
    and whatever broke it off where `on_error` is "raise".
    """
    seat = table.begin(trial)
    turns: list[PolicyTurn] = []
    error = ""
    try:
        await _play(seat, policy, turns)
    except Exception as failure:
        if on_error == "raise" or _of_all(failure):
            raise
        error = _told(failure)
    finally:
        await seat.close()
    return await _rollout(table, seat, tuple(turns), error)


async def _play(seat: Seat, policy: Policy, turns: list[PolicyTurn]) -> None:
    """Play to the end; the turns are kept as they are taken."""
    while True:
        observed = await seat.next()
        if turns:
            last = turns.pop()
            turns.append(PolicyTurn(last.observation, last.reply, *seat.taken(last.observation)))
        if observed is None:
            return
        reply = await _asked(policy, observed)
        seat.answer(reply)
        turns.append(PolicyTurn(observed, reply, None))


async def _asked(policy: Policy, observed: Observed) -> Answer:
    replying: object = policy(observed)
    if not inspect.isawaitable(replying):
        raise _NoPolicyError(
            'expected an async policy, "async def policy(observation)", found one that gives '
            f"{replying!r:.80} at once"
        )
    reply: Answer = await replying
    return reply


async def _rollout(
    table: PolicyTable, seat: Seat, turns: tuple[PolicyTurn, ...], error: str
) -> Rollout:
    trial, missing = seat.trial, seat.not_given()
    lost = (missing.own, missing.others, missing.problems)
    name = table.seat_in(trial.task)
    if error:
        return Rollout(trial, name, turns, {}, {}, (), None, error, *lost)
    episode = seat.episode()
    given = await table.judge(episode)
    earned = (given.rewards, given.of_episode, given.failures)
    return Rollout(trial, name, turns, *earned, episode, "", *lost, given.kinds)


def _of_all(failure: Exception) -> bool:
    """Whether it would break off every other episode, too."""
    return isinstance(failure, _NoPolicyError) or (
        isinstance(failure, ModelError) and failure.fatal
    )


def _told(failure: Exception) -> str:
    if isinstance(failure, SociolabError):
        return f"{type(failure).__name__}: {failure}"
    return f"the policy broke: {told(failure)}"
