"""A turn as a model took it, or would have: what was sent, and what came back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from sociolab.core.code_mark import code_in
from sociolab.core.episode import Trial
from sociolab.core.ports import Prompt, Usage

ChatMessage: TypeAlias = dict[str, str]
"""A chat message as OpenAI's protocol has it: `role` and `content`."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One reply of one seat in a played episode.

    `turn` counts from 0, `asked` is "act" or the name of the question. `usable` is None where the
    record does not say what became of the reply. `rebuilt`: nobody sent this prompt; it is what a
    model would have been sent in the player's place, and `reply` what it would have had to write to
    do the same. `model` and `usage` are None then.
    """

    run: str
    trial: Trial
    seat: str
    turn: int
    asked: str
    attempt: int
    prompt: Prompt
    reply: str
    usable: bool | None
    problem: str = ""
    rebuilt: bool = False
    model: str | None = None
    usage: Usage | None = None

    @property
    def agent(self) -> str | None:
        """Who played the seat; None for a seat that is not in the cast."""
        return {member.seat: member.agent for member in self.trial.cast}.get(self.seat)

    @property
    def code(self) -> str | None:
        """The digest of the code of a Python class that played the seat; `UNKNOWN` where nobody
        read it, None of any other player."""
        for member in self.trial.cast:
            if member.seat == self.seat:
                return code_in(member.agent, member.settings)
        return None

    @property
    def partner(self) -> str | None:
        """Who played all the other seats; None where several did."""
        others = {member.agent for member in self.trial.cast if member.seat != self.seat}
        return others.pop() if len(others) == 1 else None

    @property
    def scenario(self) -> tuple[str, str]:
        """What intervals cluster by, with its world: two worlds may call theirs the same."""
        return self.trial.world, self.trial.task.cluster


def chat_messages(prompt: Prompt) -> list[ChatMessage]:
    """The messages of a prompt as they were sent."""
    return [{"role": message.role, "content": message.text} for message in prompt.messages]


def assistant(text: str) -> ChatMessage:
    """A reply as a chat message."""
    return {"role": "assistant", "content": text}
