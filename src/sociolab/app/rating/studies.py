"""A study of ratings: its plan, the episodes that are rated in it, and what each rater is given."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from sociolab.app.rating.dealing import Pile, deal, held, hold, left
from sociolab.app.rating.disputes import disputes
from sociolab.app.rating.keeping import MEASURES
from sociolab.app.rating.qualifying import fits, references_of
from sociolab.app.study.settings import RatePlan, StudySettings

from sociolab.core.errors import ConfigError, StoreError
from sociolab.core.score import Measure
from sociolab.report.result import run_of_episodes
from sociolab.store.runs import played_ids
from sociolab.store.sqlite import Store
from sociolab.store.studies import ParticipantRow, StudyRow

Stage: TypeAlias = Literal["test", "rate"]


@dataclass(frozen=True, slots=True)
class RateStudy:
    """A study in which people rate the episodes of `run`; `episodes` are those dealt to raters."""

    name: str
    run: str
    plan: RatePlan
    measures: tuple[Measure, ...]
    episodes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Play:
    """What a rater has before them: an episode, and whether it is of the test or counts."""

    trial: str
    stage: Stage


def rate_study(store: Store, row: StudyRow) -> RateStudy:
    """The study of this row; ConfigError where it is of another kind, or its plan names what is
    not there. Episodes that are not played any more (somebody was forgotten) are left out."""
    plan = StudySettings.model_validate(row.settings).rate
    if plan is None:
        raise ConfigError(f'expected a study of ratings, found "{row.name}", which is of another')
    run = run_of_episodes(store, row.run or plan.run)
    if run.world != "sotopia":
        raise ConfigError(
            f"people rate on SOTOPIA's dimensions, so the run must be of sotopia; found {run.name} "
            f"of {run.world}"
        )
    played = dict.fromkeys(played_ids(store, run.name))
    for trial in named_in(plan):
        if trial not in played:
            _check_is_there(store, run.name, trial)
    plan = plan.model_copy(
        update={"references": tuple(one for one in plan.references if one.episode in played)}
    )
    tests = {one.episode for one in plan.references}
    episodes = tuple(t for t in plan.episodes or played if t in played and t not in tests)
    return RateStudy(row.name, run.name, plan, measures_of(plan), episodes)


def named_in(plan: RatePlan) -> tuple[str, ...]:
    """The episodes that a plan names."""
    return (*plan.episodes, *(one.episode for one in plan.references))


def not_played(run: str, trial: str) -> ConfigError:
    """What is wrong with an episode that cannot be rated."""
    return ConfigError(f'expected an episode of {run} that was played, found "{trial}"')


def _check_is_there(store: Store, run: str, trial: str) -> None:
    try:
        store.trial_pk(run, trial)
    except StoreError:
        raise not_played(run, trial) from None


def measures_of(plan: RatePlan) -> tuple[Measure, ...]:
    """The dimensions that are asked for, in SOTOPIA's order; all seven if the plan names none."""
    for name in plan.dimensions:
        if name not in MEASURES:
            known = ", ".join(MEASURES)
            raise ConfigError(f'expected dimensions out of {known}, found "{name}"')
    return tuple(
        m for name, m in MEASURES.items() if name in plan.dimensions or not plan.dimensions
    )


def next_play(store: Store, study: RateStudy, who: ParticipantRow) -> Play | None:
    """What the rater rates next, dealt to them; None where there is nothing more for them."""
    test = next_test(store, study, who)
    if test is not None:
        hold(store, study.name, who.pk, test)
        return Play(test, "test")
    if not fits(store, study.name, study.plan, who):
        return None
    found = deal(store, study.name, who.pk, pile(store, study), played_by(store, study, who))
    return None if found is None else Play(found, "rate")


def has_more(store: Store, study: RateStudy, who: ParticipantRow) -> bool:
    """Whether `next_play` would find something."""
    if next_test(store, study, who) is not None:
        return True
    if not fits(store, study.name, study.plan, who):
        return False
    barred = played_by(store, study, who)
    return left(store, study.name, who.pk, pile(store, study), barred)


def given(store: Store, study: RateStudy, who: ParticipantRow, trial: str) -> Play | None:
    """The play, if this rater was given it and has not handed in the ratings yet."""
    row = held(store, study.name, who.pk, trial)
    if row is None or row.state == "done":
        return None
    if trial in references_of(study.plan):
        return Play(trial, "test")
    return Play(trial, "rate") if trial in study.episodes else None


def next_test(store: Store, study: RateStudy, who: ParticipantRow) -> str | None:
    """The first reference that this rater has not rated; None behind the test."""
    if who.state == "refused":
        return None
    done = {row.item for row in store.assignments(study.name, who.pk) if row.state == "done"}
    return next((trial for trial in references_of(study.plan) if trial not in done), None)


def pile(store: Store, study: RateStudy) -> Pile:
    """The episodes, each for so many raters; one on which they disagree is for one more."""
    return Pile(study.episodes, study.plan.raters, study.plan.each, _disputed(store, study))


def played_by(store: Store, study: RateStudy, who: ParticipantRow) -> Collection[str]:
    """Episodes that this rater played in: the same pseudonym in a play study of the same run."""
    found: set[str] = set()
    for other in store.studies():
        if other.kind == "play" and other.run == study.run:
            for person in store.participants(other.name):
                if person.id == who.id:
                    found |= {row.item for row in store.assignments(other.name, person.pk)}
    return found


def done_by(store: Store, study: RateStudy, who: ParticipantRow) -> int:
    """How many episodes this rater has handed in, the test apart."""
    rows = store.assignments(study.name, who.pk)
    items = set(study.episodes)
    return sum(row.state == "done" and row.item in items for row in rows)


_DISPUTED: dict[tuple[Path, str, str], tuple[object, frozenset[str]]] = {}


def _disputed(store: Store, study: RateStudy) -> frozenset[str]:
    """Episodes that want one more rater; worked out again when ratings were handed in since."""
    counts = tuple(store.judging_counts(study.run).items())
    key = (store.path, study.run, study.name)
    if key not in _DISPUTED or _DISPUTED[key][0] != counts:
        found = disputes(store, study.run, study.name, study.plan)
        _DISPUTED[key] = counts, frozenset(one.trial for one in found if one.open)
    return _DISPUTED[key][1]
