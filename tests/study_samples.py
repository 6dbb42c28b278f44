"""Studies and runs to set up in tests: small, scripted, at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sociolab import RunConfig, run
from sociolab.studies import StudySettings

SURVEY: list[dict[str, Any]] = [
    {
        "name": "natural",
        "text": "How natural was it?",
        "kind": "scale",
        "points": 5,
        "low": "not at all",
        "high": "very",
        "required": True,
    },
    {
        "name": "partner",
        "text": "What was your partner?",
        "kind": "choice",
        "choices": ["A person", "I cannot tell"],
        "required": True,
    },
    {"name": "remarks", "text": "Anything else?"},
]


def settings(**changed: Any) -> StudySettings:
    """A study of reviews with all texts and a survey; `changed` fields take their places."""
    values: dict[str, Any] = {
        "title": "Talking with strangers",
        "welcome": "Welcome to our study.",
        "consent": "You take part of your own free will.",
        "instructions": "Read, then decide.",
        "thanks": "Your help is kept.",
        "debriefing": "Your partner may have been a program.",
        "contact": "lab@uni.edu",
        "completion_code": "each",
        "survey": SURVEY,
    }
    values |= changed
    if not any(kind in values for kind in ("play", "rate", "impressions", "review")):
        values["review"] = {"limit": 2}
    return StudySettings.model_validate(values)


def played_run(store: Path, name: str = "played", limit: int = 2) -> str:
    """A run of scripted players in the store, by name."""
    run(RunConfig(name=name, limit=limit, store=store))
    return name
