"""What a user may set of conversation tasks, with `--set NAME=VALUE`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from sociolab.town.thoughts import MOST_ROUNDS


class TalkSettings(BaseModel):
    """How a talk is held.

    `tdp`: target-driven planning for the performer. `rounds`: how many at most, a round being one
    utterance by each (STSS section 3.2: 8).
    """

    model_config = ConfigDict(frozen=True)

    tdp: bool = False
    rounds: int = Field(default=MOST_ROUNDS, ge=1, le=MOST_ROUNDS)
