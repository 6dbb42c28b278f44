"""An arena for TRL's GRPO trainer: rows of prompts, reward functions, an environment of tools.

Nothing of TRL is imported: it calls what stands here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from sociolab.core.errors import ConfigError
from sociolab.core.ports import Player
from sociolab.training.arena import Arena, Split
from sociolab.training.session import Answer, ArenaSession, Observed
from sociolab.training.turns import ChatMessage

Completion: TypeAlias = "str | Sequence[ChatMessage]"
"""What TRL generated: text, or messages where the prompt was messages."""


def prompt_rows(
    arena: Arena,
    split: Split = "train",
    *,
    seat: int | str = 0,
    partner: str | Player | None = None,
) -> list[dict[str, Any]]:
    """A row for each task of the split: `prompt`, the seat's first as chat messages, and `task`.

    >>> from sociolab import Arena
    >>> from sociolab.training.trl import prompt_rows
    >>> with Arena("sotopia", tasks="bargain", partner="haggler:1", seed=1) as arena:
    ...     row = prompt_rows(arena)[0]
    >>> [message["role"] for message in row["prompt"]], row["task"].partition(".")[0]
    (['system', 'user'], 'bargain-01-touring-bicycle')
    """
    rows = []
    for task in arena.tasks(split):
        with arena.begin(task, seats=seat, partner=partner, repeat=0) as session:
            if session.observation is not None:
                rows.append({"prompt": session.observation.prompt, "task": task})
    return rows


def make_reward_func(
    arena: Arena,
    reply: Callable[[str, Observed], Answer] = lambda completion, seen: completion,
    *,
    seat: int | str = 0,
    partner: str | Player | None = None,
) -> Callable[..., list[float | None]]:
    """A function for `reward_funcs`: it plays an episode of each row's task with the completion.

    The completion decides the seat's reply at every turn: `reply` makes it from the completion and
    what the seat sees, and without it the completion is the reply each time. So the policy is one
    that cannot react; train one that can with `make_environment`. None, which TRL leaves out, where
    the episode's reward is unknown.
    """

    def episode_reward(
        prompts: Sequence[Any],
        completions: Sequence[Completion],
        task: Sequence[str] | None = None,
        **_: Any,
    ) -> list[float | None]:
        if task is None:
            raise ConfigError('the dataset has no column "task": make its rows with prompt_rows')
        rewards = []
        for completion, task_id in zip(completions, task, strict=True):
            text = completion if isinstance(completion, str) else completion[-1]["content"]
            with arena.begin(task_id, seats=seat, partner=partner, repeat=0) as session:
                while (seen := session.observation) is not None:
                    session.step(reply(text, seen))
                rewards.append(_reward(session))
        return rewards

    return episode_reward


def make_environment(
    arena: Arena,
    split: Split = "train",
    *,
    seat: int | str = 0,
    partner: str | Player | None = None,
) -> type[Any]:
    """A class for `environment_factory`: the policy takes its turns by calling the tool `reply`.

    A row's column `task` names the task; without it, the next of the split is played. The same
    task is the same episode again, so that all members of a group play one. `reset` returns the
    prompt, so the rows' own can be `[{"role": "user", "content": ""}]`. `get_reward` is None, which
    TRL leaves out, where the episode's reward is unknown or the policy stopped before its end;
    `done` tells which.
    """

    class SeatTools:
        def __init__(self) -> None:
            self._session: ArenaSession | None = None

        def reset(self, task: str | None = None, **_: Any) -> str:
            if self._session is not None:
                self._session.close()
            self._session = arena.begin(task, seats=seat, partner=partner, split=split, repeat=0)
            return _read_out(self._session.observation)

        def reply(self, reply: str) -> str:
            """
            Take your turn in the conversation.

            Args:
                reply: The JSON object that the instructions describe.

            Returns:
                What happens until your next turn, or that the conversation is over.
            """
            if self._session is None or self._session.observation is None:
                return OVER
            return _read_out(self._session.step(reply).observation)

        def get_reward(self) -> float | None:
            """The reward of the episode; None where it is unknown, or until it is over."""
            return None if self._session is None else _reward(self._session)

        @property
        def done(self) -> bool:
            """Whether the episode is over."""
            return self._session is not None and self._session.done

    return SeatTools


OVER = "The conversation is over."


def _read_out(seen: Observed | None) -> str:
    if seen is None:
        return OVER
    return "\n\n".join(message["content"] for message in seen.new)


def _reward(session: ArenaSession) -> float | None:
    """The reward of the outside seat; None where it is unknown, or the episode was not finished."""
    return session.rewards[session.seats[0]].value if session.done else None
