"""One example for each turn: as a record of everything, or as a chat to imitate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from sociolab.app.training.choosing import Source, episodes, of_interest
from sociolab.app.training.left_out import LeftOut
from sociolab.app.training.turn import Turn, assistant, chat_messages

SCHEMA = 1

Line: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Example:
    """A line of the file, the scenario that it is from, the episodes in it (run, trial), and whose
    turns it holds (None of a pair)."""

    line: Line
    scenario: tuple[str, str]
    episodes: frozenset[tuple[str, str]]
    rebuilt: bool = False
    agent: str | None = None


def turn_examples(source: Source, left: LeftOut) -> Iterator[Example]:
    """Every turn, usable or not, with all that is known of it."""
    for turn in _turns(source, left):
        usage = turn.usage
        line = {
            "schema": SCHEMA,
            "kind": "turn",
            **about(source, turn),
            "messages": chat_messages(turn.prompt),
            "reply": turn.reply,
            "usable": turn.usable,
            "problem": turn.problem or None,
            "tokens": None
            if usage is None
            else {
                "prompt": usage.prompt,
                "completion": usage.completion,
                "cached": usage.cached,
                "estimated": usage.estimated,
            },
        }
        yield example(line, turn)


def chat_examples(source: Source, left: LeftOut) -> Iterator[Example]:
    """Every usable turn as a chat that ends with its reply."""
    for turn in _turns(source, left):
        if not turn.usable:
            left.add("turn", "with an unusable reply")
            continue
        messages = [*chat_messages(turn.prompt), assistant(turn.reply)]
        yield example({"messages": messages, "metadata": about(source, turn)}, turn)


def _turns(source: Source, left: LeftOut) -> Iterator[Turn]:
    for played in episodes(source, left):
        for turn in of_interest(played.turns, source.wanted):
            why = source.missing(turn)
            if why:
                left.add("turn", why)
            else:
                yield turn


def about(source: Source, turn: Turn) -> Line:
    """Where a turn is from, who took it, and what the episode earned its seat."""
    trial = turn.trial
    scores = source.rewards.of(turn.run, trial.id, turn.seat)
    of_episode = source.rewards.of(turn.run, trial.id, None)
    rewards = source.reward(turn)
    return {
        "run": turn.run,
        "world": trial.world,
        "trial": trial.id,
        "task": trial.task.id,
        "scenario": trial.task.cluster,
        "repeat": trial.repeat,
        "seat": turn.seat,
        "agent": turn.agent,
        "code": turn.code,
        "partner": turn.partner,
        "turn": turn.turn + 1,
        "asked": turn.asked,
        "attempt": turn.attempt,
        "model": turn.model,
        "rebuilt": turn.rebuilt,
        "scores": scores,
        "episode_scores": of_episode,
        "methods": source.rewards.methods({**scores, **of_episode}),
        "rewards": {measure: one and one.value for measure, one in rewards.items()},
        "reward_kinds": {measure: one and one.kind for measure, one in rewards.items()},
    }


def example(line: Line, turn: Turn) -> Example:
    """The line of one turn."""
    episodes = frozenset({(turn.run, turn.trial.id)})
    return Example(line, turn.scenario, episodes, turn.rebuilt, turn.agent)
