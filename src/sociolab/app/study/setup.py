"""A study is set up: its whole plan is checked, and what people play is laid out, before it is
kept."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from sociolab.app.floor.plan import company_of, declared_of, plan_of, run_settings
from sociolab.app.study.problems import problems
from sociolab.app.study.settings import StudySettings
from sociolab.app.study.wanted_ratings import check_impressions, check_ratings, check_reviews
from sociolab.app.user_files import read_toml
from sociolab.core.errors import ConfigError
from sociolab.store.names import checked_name
from sociolab.store.sqlite import Store
from sociolab.store.studies import StudyKind, StudyRow

RESERVED = ("new", "import")
"""Names that no study can have, since addresses of the app have them."""


def settings_of(values: Mapping[str, Any], source: str) -> StudySettings:
    """Checked settings; ConfigError names the field, what was expected, and where."""
    try:
        return StudySettings.model_validate(values)
    except ValidationError as error:
        place, said = problems(error)[0]
        raise ConfigError(f"{source}: {f'{place}: ' if place else ''}{said}") from error


def read_study(path: Path) -> tuple[str, StudySettings]:
    """A study from a TOML file: its name (`name`, or what the file is called) and settings."""
    values = read_toml(path)
    name = values.pop("name", path.stem)
    if not isinstance(name, str):
        raise ConfigError(f"{path}: name: expected text, found {name!r}")
    return name, settings_of(values, str(path))


def create(store: Store, name: str, settings: StudySettings) -> StudyRow:
    """Keep a new study, closed, with the run that people will play; all or nothing.

    ConfigError where the name is taken or anything in its plan cannot be.
    """
    checked_name(name)
    if name in RESERVED:
        raise ConfigError(f'"{name}" is an address of the app; choose another name for the study')
    if any(row.name == name for row in store.studies()):
        raise ConfigError(f'there is a study called "{name}" already; choose another name')
    settings = settings.model_copy(update={"code_key": secrets.token_hex(16)})
    with store.transaction():
        run = _PREPARE[settings.kind](store, name, settings)
        store.create_study(name, settings.kind, settings.model_dump(mode="json"), run)
    return store.study(name)


def _play(store: Store, name: str, settings: StudySettings) -> str | None:
    plan = settings.play
    assert plan is not None
    if store.has_run(name):
        raise ConfigError(
            f'a study keeps what is played in a run of its own name, and there is a run "{name}" '
            "already; choose another name"
        )
    company = company_of(plan)
    trials = plan_of(plan, company)
    kept, declared = dict(run_settings(plan, company)), declared_of(company)
    store.create_run(name, plan.world, kept, trials, declared)
    return name


def _rate(store: Store, name: str, settings: StudySettings) -> str | None:
    assert settings.rate is not None
    check_ratings(store, name, settings)
    return settings.rate.run


def _impressions(store: Store, name: str, settings: StudySettings) -> str | None:
    assert settings.impressions is not None
    check_impressions(store, name, settings)
    return settings.impressions.run


def _review(_: Store, name: str, settings: StudySettings) -> str | None:
    check_reviews(name, settings)
    return None


_PREPARE: Mapping[StudyKind, Callable[[Store, str, StudySettings], str | None]] = {
    "play": _play,
    "rate": _rate,
    "impressions": _impressions,
    "review": _review,
}
"""Checks the plan of each kind of study; the run that it belongs to."""
