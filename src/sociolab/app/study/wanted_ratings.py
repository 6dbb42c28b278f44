"""Whether there is what people are to rate, to say a word about, or to review."""

from __future__ import annotations

from sociolab.app.rating.impressions import impression_study
from sociolab.app.rating.reviewing import review_study
from sociolab.app.rating.studies import named_in, not_played, rate_study
from sociolab.app.study.settings import Reference, StudySettings
from sociolab.core.errors import ConfigError
from sociolab.core.score import Measure
from sociolab.store.runs import played_ids
from sociolab.store.sqlite import Store
from sociolab.store.studies import StudyRow


def check_ratings(store: Store, name: str, settings: StudySettings) -> None:
    """ConfigError unless the run was played and has the episodes, seats and scores named."""
    assert settings.rate is not None
    run = settings.rate.run
    study = rate_study(store, _row(name, settings, run))
    played = set(played_ids(store, run))
    for trial in named_in(settings.rate):
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
    """The study as it would be kept."""
    return StudyRow(name, settings.kind, run, settings.model_dump(mode="json"), 0.0, False)


def _check_reference(
    reference: Reference, seats: tuple[str, ...], measures: dict[str, Measure]
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
