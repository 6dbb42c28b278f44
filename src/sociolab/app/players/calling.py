"""What everything that calls models is told of them: where they are, and what they may cost."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field


class CallsModels(BaseModel):
    """The part of a description that says where models are served, how many calls are in flight at
    once, how many dollars they may cost, and which store keeps their replies."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    store: Path | None = None
    base_url: str | None = None
    key_env: str | None = None
    models: Path | None = None
    in_flight: int | None = Field(default=None, ge=1)
    budget: float | None = Field(default=None, ge=0)
