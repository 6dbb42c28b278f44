"""The plan of a study, to read."""

from __future__ import annotations

from collections.abc import Mapping

from sociolab.app.study.settings import StudySettings

_TITLES: Mapping[str, str] = {
    "data": "data set",
    "people": "people in each episode",
    "plays": "plays of each task, partner and seat",
    "each": "a person does at most",
    "turn_seconds": "seconds for a turn",
    "missed": "missed turns until somebody is gone",
    "waiting_seconds": "seconds of waiting for others",
    "stand_in": "who stands in for others",
    "words_a_minute": "words a minute that partners type",
    "raters": "people for each",
    "threshold": "share of the test to pass",
    "disagreement": "points apart that are a disagreement",
    "least_words": "words of a reason, at least",
    "below": "only below",
    "limit": "the first tasks only",
    "settings": "settings of the world",
}


def plan_words(settings: StudySettings) -> tuple[tuple[str, str], ...]:
    """What is set in the plan, as pairs of a title and a value."""
    plan = getattr(settings, settings.kind)
    values = plan.model_dump(mode="json")
    return tuple(
        (_TITLES.get(name, name.replace("_", " ")), _said(name, value))
        for name, value in values.items()
        if value not in (None, [], {}, "") and (name != "threshold" or values["references"])
    )


def _said(name: str, value: object) -> str:
    if name == "references":
        assert isinstance(value, list)
        return f"{len(value)} seats of {len({one['episode'] for one in value})} episodes"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, dict):
        return ", ".join(f"{key}={one}" for key, one in value.items())
    return f"{value:g}" if isinstance(value, float) else str(value)
