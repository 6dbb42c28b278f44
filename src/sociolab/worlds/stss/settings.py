"""What a user may set of this world, with `--set NAME=VALUE`."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from sociolab.town.mind import QUESTIONS

PAPERS_QUESTIONS = (
    "plan_day",
    "replan",
    "talk_or_not",
    "utter",
    "summarise",
    "reflect",
    "general_plan",
    "day_reminder",
    "talk_reminder",
)
"""What the evaluated agent answers for the performer: high-level planning, talk, TDP (STSS,
section 5.1). The background agent answers the rest, and everything for everybody else."""


class Settings(BaseModel):
    """How a task is lived and scored.

    `tdp`: target-driven planning for the performer. `evaluated`: the questions of the performer
    that the evaluated agent answers, with commas between. `step` is seconds of town time, `radius`
    tiles. `least`: minutes that a participant must have taken part. `order` says who waits for
    whom, and the trace is the same either way: all at the same step, or each as far ahead as it
    may go, which pays where answers take time ("auto": where somebody else than rules thinks).
    """

    model_config = ConfigDict(frozen=True)

    tdp: bool = False
    evaluated: tuple[str, ...] = PAPERS_QUESTIONS
    step: Literal[5, 10, 15, 20, 30, 60] = 10
    radius: int = Field(default=8, ge=1, le=50)
    bandwidth: int = Field(default=8, ge=1)
    retention: int = Field(default=8, ge=0)
    cooldown: int = Field(default=120, ge=0)
    patience: int = Field(default=60, ge=0)
    least: int = Field(default=5, ge=0)
    order: Literal["auto", "ahead", "lock-step"] = "auto"

    @field_validator("evaluated", mode="before")
    @classmethod
    def _names(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        names = tuple(name.strip() for name in value.split(",") if name.strip())
        known = tuple(name for name, _ in QUESTIONS.values())
        unknown = [name for name in names if name not in known]
        if unknown:
            raise ValueError(f'expected names among {", ".join(known)}, "{unknown[0]}" is none')
        return names

    @field_validator("step", mode="before")
    @classmethod
    def _seconds(cls, value: object) -> object:
        return int(value) if isinstance(value, str) and value.isdigit() else value
