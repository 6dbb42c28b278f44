"""A reply store that keeps nothing: for calls outside any run."""

from __future__ import annotations

from sociolab.core.errors import ModelError
from sociolab.core.ports import CallKey, ChatReply, Prompt


class Unkept:
    """Finds nothing, keeps nothing."""

    def find(self, key: str) -> ChatReply | None:
        """Nothing is ever found."""
        return None

    def keep(self, key: str, call: CallKey, model: str, prompt: Prompt, reply: ChatReply) -> None:
        """Let it go."""

    def keep_failure(self, call: CallKey, model: str, error: ModelError, seconds: float) -> None:
        """Let it go."""
