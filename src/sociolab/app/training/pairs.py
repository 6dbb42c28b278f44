"""Two replies to the very same prompt, one of which led to more: for preference training."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

from sociolab.app.training.choosing import Source, episodes, of_interest
from sociolab.app.training.examples import Example
from sociolab.app.training.left_out import LeftOut
from sociolab.app.training.rewards import SCORE, Reward
from sociolab.app.training.turn import Turn, assistant, chat_messages


class _Prompt(NamedTuple):
    """Whose turn it is, of which task, and what is sent."""

    world: str
    task: str
    seat: str
    asked: str
    fingerprint: bytes


@dataclass(slots=True)
class _Reply:
    """One reply to a prompt, and the rewards of the episodes in which it was given."""

    text: str
    rewards: list[Reward] = field(default_factory=list)
    given: dict[tuple[str, str, str, str | None], None] = field(default_factory=dict)
    rebuilt: bool = False

    @property
    def reward(self) -> float:
        """The mean over its episodes."""
        return sum(one.value for one in self.rewards) / len(self.rewards)

    @property
    def lower_bounds(self) -> int:
        """How many of the rewards are only lower bounds."""
        return sum(one.kind != SCORE for one in self.rewards)


class _Pair(NamedTuple):
    chosen: _Reply
    rejected: _Reply


def pair_examples(source: Source, left: LeftOut) -> Iterator[Example]:
    """Every two replies to one prompt whose mean rewards differ by the margin, the better first.

    Two replies that both have lower bounds among their rewards are no pair: which of them was
    better is not known. Read twice: prompts are looked up only for the pairs that there are.
    """
    pairs = _pairs(source, left)
    for played in episodes(source, LeftOut()):
        for turn in of_interest(played.turns, source.wanted):
            for pair in pairs.pop(_prompt(turn), ()):
                yield _example(source, turn, pair)


def _pairs(source: Source, left: LeftOut) -> dict[_Prompt, list[_Pair]]:
    pairs: dict[_Prompt, list[_Pair]] = {}
    for prompt, replies in _replies(source, left).items():
        distinct = list(replies.values())
        if sum(len(one.rewards) for one in distinct) == 1:
            left.add("turn", "whose prompt no other turn had")
        elif len(distinct) == 1:
            left.add("prompt", "with the same reply each time")
        else:
            told = [pair for pair in combinations(distinct, 2) if not all(map(_bound, pair))]
            kept = list(_apart(told, source.wanted.margin))
            every = len(distinct) * (len(distinct) - 1) // 2
            left.add("pair of replies", "with a lower bound on both sides", every - len(told))
            left.add("pair of replies", f"apart by {_less(source)}", len(told) - len(kept))
            if kept:
                pairs[prompt] = kept
    return pairs


def _replies(source: Source, left: LeftOut) -> dict[_Prompt, dict[str, _Reply]]:
    """The replies to each prompt, by their text."""
    ((measure, judge),) = source.judges.items()
    groups: dict[_Prompt, dict[str, _Reply]] = {}
    for played in episodes(source, left):
        for turn in of_interest(played.turns, source.wanted):
            reward = source.reward(turn)[measure]
            if not turn.usable:
                left.add("turn", "with an unusable reply")
            elif reward is None:
                left.add("turn", f"without {measure} by {judge}")
            else:
                replies = groups.setdefault(_prompt(turn), {})
                one = replies.setdefault(turn.reply, _Reply(turn.reply))
                one.rewards.append(reward)
                one.given[turn.run, turn.trial.id, turn.agent or "", turn.code] = None
                one.rebuilt = one.rebuilt or turn.rebuilt
    return groups


def _bound(reply: _Reply) -> bool:
    return reply.lower_bounds > 0


def _apart(replies: Sequence[tuple[_Reply, _Reply]], margin: float | None) -> Iterator[_Pair]:
    for one, other in replies:
        better, worse = (one, other) if one.reward > other.reward else (other, one)
        apart = better.reward - worse.reward
        if apart > 0 if margin is None else apart >= margin:
            yield _Pair(better, worse)


def _less(source: Source) -> str:
    margin = source.wanted.margin
    (measure,) = source.judges
    return f"nothing in {measure}" if margin is None else f"less than {margin:g} in {measure}"


def _prompt(turn: Turn) -> _Prompt:
    trial = turn.trial
    return _Prompt(trial.world, trial.task.id, turn.seat, turn.asked, turn.prompt.fingerprint)


def _example(source: Source, turn: Turn, pair: _Pair) -> Example:
    trial = turn.trial
    ((measure, judge),) = source.judges.items()
    line = {
        "prompt": chat_messages(turn.prompt),
        "chosen": [assistant(pair.chosen.text)],
        "rejected": [assistant(pair.rejected.text)],
        "metadata": {
            "world": trial.world,
            "task": trial.task.id,
            "scenario": trial.task.cluster,
            "seat": turn.seat,
            "turn": turn.turn + 1,
            "asked": turn.asked,
            "measure": measure,
            "judge": judge,
            "method": source.rewards.methods((judge,))[judge],
            "chosen": _told(pair.chosen),
            "rejected": _told(pair.rejected),
        },
    }
    given = {(run, name) for one in pair for run, name, *_ in one.given}
    return Example(line, turn.scenario, frozenset(given), any(one.rebuilt for one in pair))


def _told(reply: _Reply) -> dict[str, object]:
    given = [
        {"run": run, "trial": trial, "agent": agent, "code": code}
        for run, trial, agent, code in reply.given
    ]
    return {
        "reward": reply.reward,
        "lower_bounds": reply.lower_bounds,
        "rebuilt": reply.rebuilt,
        "episodes": given,
    }
