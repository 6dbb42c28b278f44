"""Create a study: check its plan, and lay out what people play, before it is stored."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from sociolab.app.data.sets import declare_clusters
from sociolab.app.run.exam import exam_cases, lay_out
from sociolab.core.episode import Trial
from sociolab.core.errors import ConfigError, did_you_mean
from sociolab.core.instructions import RATED_BY
from sociolab.core.reading import read_toml
from sociolab.core.score import BY_FORMULA, Measure
from sociolab.core.user_files import imported_names
from sociolab.report.words import plural
from sociolab.store.connect import checked_name
from sociolab.store.store import Store
from sociolab.store.studies import StudyKind, StudyRow
from sociolab.studies.impressions import impression_study
from sociolab.studies.play_plan import (
    PartnerCast,
    load_partner_cast,
    metrics_by_method,
    run_settings,
    trials_of,
)
from sociolab.studies.progress import capacity_of
from sociolab.studies.rating_rules import guide_of
from sociolab.studies.rating_study import not_played, planned_episodes, rate_study
from sociolab.studies.reviews import review_study
from sociolab.studies.settings import ADDRESSES, ReferenceRating, StudySettings, problems

RESERVED = ("new", "import")
"""Names that no study can have, since addresses of the web app use them."""


def parse_settings(values: Mapping[str, Any], source: str) -> StudySettings:
    """Checked settings; ConfigError names `source`, the field, and what was expected."""
    try:
        return StudySettings.model_validate(values)
    except ValidationError as error:
        found = [
            f"{_name_place(place, values)}: {problem}" if place else problem
            for place, problem in problems(error)
        ]
        raise ConfigError(f"{source}: {'; '.join(found)}") from error


def _name_place(place: str, values: Mapping[str, Any]) -> str:
    """A place such as "survey.1.kind" with the question's name: 'survey "partner": kind'."""
    here: Any = values
    text = ""
    for part in place.split("."):
        if isinstance(here, list | tuple):
            here, number = here[int(part)], int(part) + 1
            name = here.get("name") if isinstance(here, Mapping) else None
            text += f' "{name}": ' if isinstance(name, str) else f" {number}: "
        else:
            here = here.get(part) if isinstance(here, Mapping) else None
            text += part if not text or text.endswith(" ") else f".{part}"
    return text.removesuffix(": ")


def read_study(path: Path) -> tuple[str, StudySettings]:
    """Read a study from a TOML file: its `name` (by default, that of the file) and settings.

    ConfigError where anything is wrong, or the contact or an address is still the example's.
    """
    values = read_toml(path)
    name = values.pop("name", path.stem)
    if not isinstance(name, str):
        raise ConfigError(f"{path}: name: expected text, found {name!r}")
    settings = parse_settings(values, str(path))
    _check_placeholders(settings, *[f"enter yours in {path}"] * 2)
    return name, settings


def create_study(store: Store, name: str, settings: StudySettings) -> StudyRow:
    """Store a new study, closed, with the run that people will play; all or nothing.

    ConfigError where the name is taken or anything in its plan is not possible.
    """
    checked_name(name, "study")
    if name in RESERVED:
        raise ConfigError(f'"{name}" is an address of the app; choose another name for the study')
    if any(row.name == name for row in store.studies.all()):
        raise ConfigError(f'there is a study called "{name}" already; choose another name')
    rated_by: dict[str, str] = {}
    if settings.rate is not None and store.has_run(settings.rate.run):
        instructions = guide_of(store, settings.rate.run, settings.rate.guide).instructions
        rated_by = instructions.as_json() if instructions else {}
    generated: dict[str, Any] = {"code_key": secrets.token_hex(16), RATED_BY: rated_by}
    with store.transaction():
        generated["exam_run"] = _exam_run(store, settings)
        settings = _with_absolute_data_path(settings).model_copy(update=generated)
        run = _PREPARE[settings.kind](store, name, settings)
        store.studies.create(name, settings.kind, settings.model_dump(mode="json"), run)
        _check_places(store, store.studies.get(name), settings)
        _check_debriefing(store, store.studies.get(name), settings)
    return store.studies.get(name)


def _check_places(store: Store, row: StudyRow, settings: StudySettings) -> None:
    """ConfigError where more people would be recruited than the plan has work for."""
    room = capacity_of(store, row) if settings.recruit else None
    if room and settings.recruit and settings.recruit.places > room.people:
        raise ConfigError(
            f"recruit: places: expected at most {room.people}, since the plan has "
            f"{plural(room.items, room.unit)}, {room.each} per person; found "
            f"{settings.recruit.places}; plan more repeats or tasks"
        )


def _exam_run(store: Store, settings: StudySettings) -> str:
    """The run of the exam that raters sit, created if needed; "" where they sit none."""
    plan = settings.rate
    if plan is None or not plan.exam or not store.has_run(plan.run):
        return ""
    if plan.references:
        raise ConfigError(
            "exam: expected one test, found the exam and references; leave one of them out"
        )
    world = store.run(plan.run).world
    if not (cases := exam_cases(world)):
        raise ConfigError(
            f"exam: expected a run of a world with an exam, found one of {world}; leave exam out, "
            "or give references"
        )
    return lay_out(store, world, cases)


def _with_absolute_data_path(settings: StudySettings) -> StudySettings:
    """Make the path of a data folder absolute, so that a server finds it wherever it starts."""
    placed = {}
    for kind in ("play", "review"):
        plan = getattr(settings, kind)
        if plan is not None and plan.data and plan.data not in imported_names(plan.world):
            placed[kind] = plan.model_copy(update={"data": str(Path(plan.data).resolve())})
    return settings.model_copy(update=placed)


TEXTS = ("title", "welcome", "consent", "instructions", "thanks", "debriefing", "contact")
"""Texts that can be edited. The plan and the survey cannot: participants would not all have had the
same."""


def change_texts(store: Store, study: str, texts: Mapping[str, str]) -> StudySettings:
    """Replace some of a study's texts.

    ConfigError for an invalid text, and for another consent after some have consented: what they
    agreed to must stay on record.
    """
    row = store.studies.get(study)
    old = StudySettings.model_validate(row.settings)
    unknown = sorted(set(texts) - set(TEXTS))
    if unknown:
        raise ConfigError(f"expected texts ({', '.join(TEXTS)}), found {', '.join(unknown)}")
    changed = parse_settings({**old.model_dump(mode="json"), **texts}, study)
    _check_debriefing(store, row, changed)
    agreed = count_consented(store, study)
    if changed.consent != old.consent and agreed:
        raise ConfigError(
            f"consent: {plural(agreed, 'participant')} agreed to the present text, "
            f"so it cannot be changed; set up a new study for another text"
        )
    store.studies.change(study, settings=changed.model_dump(mode="json"))
    return changed


_PLACEHOLDER = re.compile(
    r"@example\.|@\S+\.(example|invalid|test)\b|@(domain|email|university)\."
    r"|your[ .-]?(name|e-?mail)|name of the researcher|\b(todo|tbd|xxx+)\b",
    re.IGNORECASE,
)
_PLACEHOLDER_CODE = re.compile(r"=(CODE[0-9]*|TODO|XXX+)(&|$)")
"""Of an address, such as the example's "cc=CODE1"."""


def set_open(store: Store, study: str, *, is_open: bool) -> None:
    """Open the study to participants, or close it.

    ConfigError if it would open with a contact who answers nobody, with the example's codes, or
    without the debriefing that it needs.
    """
    row = store.studies.get(study)
    settings = StudySettings.model_validate(row.settings)
    if is_open:
        _check_placeholders(
            settings,
            'enter yours under "Edit texts" on the page of the study, then open it',
            "set up a new study with yours",
        )
        _check_debriefing(store, row, settings)
    store.studies.change(study, open=is_open)


def _check_placeholders(settings: StudySettings, contact: str, addresses: str) -> None:
    """ConfigError that names every text that is still the example's, and what to do."""
    found = []
    if _PLACEHOLDER.search(settings.contact):
        found.append(
            "contact: expected your name and an address at which participants reach you, found "
            f'"{settings.contact}"; {contact}'
        )
    all_addresses = {name: getattr(settings.recruit, name, "") for name in ADDRESSES}
    made_up = {name: text for name, text in all_addresses.items() if _PLACEHOLDER_CODE.search(text)}
    if made_up:
        found.append(
            f"recruit: {', '.join(made_up)}: expected addresses with the codes that the platform "
            f"gave you, found {', '.join(made_up.values())}; {addresses}"
        )
    if found:
        raise ConfigError("; ".join(found))


def _check_debriefing(store: Store, row: StudyRow, settings: StudySettings) -> None:
    """ConfigError where people may have played with a program and are never told."""
    if settings.debriefing or settings.play is None or row.run is None:
        return
    trials = store.trials(row.run)
    if settings.play.stand_in or any(
        member.identity.kind != "person" for trial in trials for member in trial.trial.cast
    ):
        raise ConfigError(
            "debriefing: expected a text, since a partner may be a program and the pages never say "
            "so; found none: tell participants there, at the end"
        )


def count_consented(store: Store, study: str) -> int:
    return sum(row.consented is not None for row in store.studies.participants(study))


def _prepare_play(store: Store, name: str, settings: StudySettings) -> str | None:
    plan = settings.play
    assert plan is not None
    if store.has_run(name):
        raise ConfigError(
            f'a study stores its episodes in a run of the same name, and there is a run "{name}" '
            "already; choose another name"
        )
    partner_cast = load_partner_cast(plan)
    trials = trials_of(plan, partner_cast, settings.sizes)
    _check_bonus_metric(settings, partner_cast, trials)
    stored = dict(run_settings(plan, partner_cast))
    if len(settings.sizes) > 1:
        stored["people"] = list(settings.sizes)
    declared = declare_clusters(partner_cast.kit, plan.world, plan.tasks)
    store.create_run(name, plan.world, stored, trials, declared)
    return name


def _check_bonus_metric(
    settings: StudySettings, partner_cast: PartnerCast, trials: Sequence[Trial]
) -> None:
    """ConfigError where people would be paid by a score that no judge of the plan gives."""
    metric = settings.recruit.bonus_metric if settings.recruit else ""
    given = metrics_by_method(partner_cast, trials) if metric else None
    if given is not None and metric not in given:
        raise ConfigError(
            f"recruit: bonus_metric: expected a metric by which a judge of the plan scores each "
            f'person ({", ".join(given) or "there is none"}), found "{metric}"'
            f"{did_you_mean(metric, given)}; correct it, or name a judge that gives it under "
            "play.judges"
        )


def needs_reader(settings: StudySettings) -> bool:
    """Whether the bonus is by a formula, which has no value where the outcome is not confirmed."""
    plan, metric = settings.play, settings.recruit.bonus_metric if settings.recruit else ""
    if plan is None or not metric:
        return False
    partner_cast = load_partner_cast(plan)
    given = metrics_by_method(partner_cast, trials_of(plan, partner_cast, settings.sizes))
    return given is not None and partner_cast.kit.reader is not None and given[metric] <= BY_FORMULA


def _prepare_rate(store: Store, name: str, settings: StudySettings) -> str | None:
    assert settings.rate is not None
    check_ratings(store, name, settings)
    return settings.rate.run


def _prepare_impressions(store: Store, name: str, settings: StudySettings) -> str | None:
    assert settings.impressions is not None
    check_impressions(store, name, settings)
    return settings.impressions.run


def _prepare_review(_: Store, name: str, settings: StudySettings) -> str | None:
    check_reviews(name, settings)
    return None


_PREPARE: Mapping[StudyKind, Callable[[Store, str, StudySettings], str | None]] = {
    "play": _prepare_play,
    "rate": _prepare_rate,
    "impressions": _prepare_impressions,
    "review": _prepare_review,
}
"""By kind of study: checks its plan, and returns the run that it belongs to, if any."""


def check_ratings(store: Store, name: str, settings: StudySettings) -> None:
    """ConfigError unless the run was played and has the episodes, seats and scores named."""
    assert settings.rate is not None
    run = settings.rate.run
    study = rate_study(store, _row(name, settings, run))
    if study.exam and not study.test:
        names = ", ".join(measure.name for measure in study.measures)
        raise ConfigError(
            f"exam: expected cases about what is rated ({names}), found none in the exam of "
            f"{store.run(run).world}; leave exam out, or give references"
        )
    played = set(store.trial_ids(run, "played"))
    for trial in planned_episodes(settings.rate):
        if trial not in played:
            raise not_played(run, trial)
    if not study.episodes:
        raise ConfigError(f"run: nothing of {run} is left to rate; play it first")
    measures = {measure.name: measure for measure in study.measures}
    seats = {row.trial.id: row.trial.task.seats for row in store.trials(run)}
    for reference in settings.rate.references:
        _check_reference(reference, seats[reference.episode], measures)


def check_impressions(store: Store, name: str, settings: StudySettings) -> None:
    """ConfigError unless some session of the run scored below the threshold."""
    assert settings.impressions is not None
    impression_study(store, _row(name, settings, settings.impressions.run))


def check_reviews(name: str, settings: StudySettings) -> None:
    """ConfigError unless there are scenarios to review."""
    if not review_study(_row(name, settings, None)).tasks:
        raise ConfigError("tasks: none fits; name task ids, tags or scenario=ID")


def _row(name: str, settings: StudySettings, run: str | None) -> StudyRow:
    """The study as it would be stored."""
    return StudyRow(name, settings.kind, run, settings.model_dump(mode="json"), 0.0, False)


def _check_reference(
    reference: ReferenceRating, seats: tuple[str, ...], measures: dict[str, Measure]
) -> None:
    where = f"references: episode {reference.episode}"
    if reference.seat not in seats:
        raise ConfigError(
            f'{where}: expected a seat ({", ".join(seats)}), found "{reference.seat}"'
        )
    if not reference.scores:
        raise ConfigError(f"{where}: expected scores such as goal = 7, found none")
    for name, value in reference.scores.items():
        measure = measures.get(name)
        if measure is None:
            raise ConfigError(
                f"{where}: expected a dimension that is rated ({', '.join(measures)}), "
                f'found "{name}"'
            )
        if not measure.low <= value <= measure.high:
            raise ConfigError(
                f"{where}: expected {name} from {measure.low:g} to {measure.high:g}, found "
                f"{value:g}"
            )
