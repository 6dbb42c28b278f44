"""What a judge model is asked about an episode, as a world lays it out."""

from __future__ import annotations

from typing import Protocol

from pydantic import BaseModel

from sociolab.core.episode import Episode
from sociolab.core.errors import Cause
from sociolab.core.ports import Prompt
from sociolab.core.score import Verdict


class Rubric(Protocol):
    """One prompt for an episode, the type of its reply, and how the reply becomes verdicts."""

    @property
    def hash(self) -> str:
        """Identifies the wording and the reply types."""
        ...

    def prompt(self, episode: Episode, temperature: float) -> tuple[Prompt, type[BaseModel]] | None:
        """What the judge is shown, and the type of its reply; None: there is nothing to judge.

        The type is lenient where a part of it may be missing or out of range: a reply that holds
        some good scores is read, and the bad ones become failures of their own.
        """
        ...

    def verdicts(self, episode: Episode, reply: BaseModel, attempts: int) -> tuple[Verdict, ...]:
        """A verdict for each measure and seat; what is missing in the reply is a failure."""
        ...

    def failures(
        self, episode: Episode, cause: Cause, problem: str, raw: str, attempts: int
    ) -> tuple[Verdict, ...]:
        """A failure for each measure and seat: the whole reply was of no use."""
        ...
