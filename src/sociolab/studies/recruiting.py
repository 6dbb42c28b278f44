"""Recruiting by one open link: who may come in, which condition they get, and what they are due.

A recruiting platform adds its parameters to the link. The first identifies a person, who takes part
once: the store holds a keyed hash of it, and the parameters themselves apart (`store.recruits`).
"""

from __future__ import annotations

import hashlib
import hmac
import re
import shlex
import threading
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Literal, TypeAlias

from sociolab.core.errors import ConfigError
from sociolab.core.score import BY_FORMULA
from sociolab.core.seeding import digest
from sociolab.report.words import plural
from sociolab.store.store import Store
from sociolab.store.studies import ParticipantRow, StudyRow
from sociolab.studies.participants import (
    CONDITION,
    OUTCOME,
    SCREENING,
    WHOLE,
    earned_code,
    fails_checks,
    random_pseudonym,
    study_answers,
)
from sociolab.studies.settings import CODE, RecruitPlan, StudySettings, filled_address

_VALUE = re.compile(r"[A-Za-z0-9@._+~:|-]{1,200}")
"""What platforms put into addresses; a gap that the platform did not fill has braces."""
_ONE_AT_A_TIME = threading.Lock()
"""For speed only, see `studies.assignment`."""


def open_path(study: StudyRow) -> str:
    """The path of a study's open link: nobody can guess it from the study's name."""
    key = StudySettings.model_validate(study.settings).code_key
    mac = hmac.new(key.encode(), b"open link", hashlib.sha256).hexdigest()
    return f"/recruit/{mac[:32]}"


def recruiting_study(store: Store, path: str) -> tuple[StudyRow, RecruitPlan] | None:
    """The study with this open link."""
    for study in store.studies.all():
        plan = StudySettings.model_validate(study.settings).recruit
        if plan is not None and hmac.compare_digest(open_path(study).encode(), path.encode()):
            return study, plan
    return None


def platform_ids(plan: RecruitPlan, query: Mapping[str, str]) -> dict[str, str]:
    """The platform's parameters in an address; ConfigError where one is missing or not filled."""
    ids = {name: query.get(name, "").strip() for name in plan.parameters}
    for name, value in ids.items():
        if not _VALUE.fullmatch(value):
            lacks = "is not what the site should put there" if value else "is missing"
            raise ConfigError(
                f"This address is incomplete: {name} {lacks}. Please open the study from the site "
                "that recruited you."
            )
    return ids


@dataclass(frozen=True, slots=True)
class Places:
    """The places of a study: how many people have finished or are at it, and how many places were
    given back, by people who left, were screened out, or took too long."""

    places: int
    finished: int
    under_way: int
    given_back: int

    @property
    def free(self) -> int:
        return max(0, self.places - self.finished - self.under_way)


def places_of(store: Store, study: StudyRow, plan: RecruitPlan) -> Places:
    since, present = store.recruits.since(study.name), _present(store, study.name, plan)
    recruits = [who for who in store.studies.participants(study.name) if who.pk in since]
    finished = sum(who.state == "finished" for who in recruits)
    under_way = sum(who.pk in present for who in recruits) - finished
    return Places(plan.places, finished, under_way, len(recruits) - finished - under_way)


def _present(store: Store, study: str, plan: RecruitPlan | None) -> frozenset[int]:
    """Those who finished or are at it, and have not lost their place."""
    oldest = time.time() - plan.minutes * 60 if plan else 0.0
    since = store.recruits.since(study)
    return frozenset(
        who.pk
        for who in store.studies.participants(study)
        if who.state == "finished"
        or (who.state in _UNDER_WAY and since.get(who.pk, oldest) >= oldest)
    )


_UNDER_WAY = ("invited", "arrived", "consented")
"""A recruit is invited for the moment between getting a place and being bound to a browser."""


def find_recruit(store: Store, study: StudyRow, person: str) -> ParticipantRow | None:
    """The participant whom the platform calls `person`; StoreError where ids were deleted."""
    pk = store.recruits.find(study.name, person)
    people = store.studies.participants(study.name)
    return next((who for who in people if who.pk == pk), None)


def take_place(
    store: Store, study: StudyRow, plan: RecruitPlan, ids: Mapping[str, str]
) -> ParticipantRow | None:
    """The participant of these parameters, added on the first visit and free to be bound to a
    browser; None where all places are taken."""
    person = ids[plan.parameters[0]]
    with _ONE_AT_A_TIME, store.transaction():
        who = find_recruit(store, study, person)
        if who is not None:
            store.studies.reissue(who.pk, None)  # they come from another browser
            return store.studies.participant(study.name, who.id)
        if not places_of(store, study, plan).free:
            return None
        name = random_pseudonym({who.id for who in store.studies.participants(study.name)})
        store.recruits.add(study.name, store.studies.add_participant(study.name, name, None),
                           person, ids)  # fmt: skip
        return store.studies.participant(study.name, name)


def return_to_place(
    store: Store, study: StudyRow, settings: StudySettings, who: ParticipantRow
) -> bool:
    """Whether somebody who returns may go on. A place that was given back is taken again if one is
    free; whoever has begun with the task goes on in any case."""
    plan = settings.recruit
    if plan is None or not store.recruits.has(who.pk):
        return True
    if who.pk in _present(store, study.name, plan):
        return True
    with store.transaction():
        began = any(row.state in ("open", "done")
                    for row in store.studies.assignments(study.name, who.pk))  # fmt: skip
        if began or places_of(store, study, plan).free:
            store.recruits.renew(who.pk)
            return True
        store.studies.set_state(who.pk, "left")
        store.studies.answer(who.pk, WHOLE, OUTCOME, "full")
    return False


# ---------------------------------------------------------------------- screening, conditions


Outcome: TypeAlias = Literal["screened out", "full"]
"""Why somebody did not get in, as an answer called `OUTCOME` records it."""


def is_to_be_screened(store: Store, settings: StudySettings, who: ParticipantRow) -> bool:
    """Whether a participant has screening questions to answer: those who were recruited do."""
    return (
        settings.recruit is not None
        and bool(settings.recruit.questions)
        and store.recruits.has(who.pk)
        and SCREENING not in study_answers(store, who)
    )


def screen(
    store: Store, settings: StudySettings, who: ParticipantRow, answers: Mapping[str, str]
) -> Outcome | None:
    """Store complete answers to the screening questions; what keeps the participant out, if
    anything does."""
    plan = settings.recruit
    assert plan is not None
    outcome: Outcome | None = None
    with _ONE_AT_A_TIME, store.transaction():
        for question in plan.questions:
            choice = answers[question.name]
            if question.admit and choice not in question.admit:
                outcome = "screened out"
            elif choice in question.quotas and outcome is None:
                had = _people_who_chose(store, plan, who, question.name, choice)
                outcome = "full" if had >= question.quotas[choice] else None
        for name, value in answers.items():
            store.studies.answer(who.pk, WHOLE, name, value)
        store.studies.answer(who.pk, WHOLE, SCREENING, True)
        if outcome is not None:
            store.studies.answer(who.pk, WHOLE, OUTCOME, outcome)
            store.studies.set_state(who.pk, "refused")
    return outcome


def _people_who_chose(
    store: Store, plan: RecruitPlan, but: ParticipantRow, name: str, choice: str
) -> int:
    chose = {a.participant for a in store.studies.answers(but.study, name=name)
             if a.value == choice and a.participant != but.pk}  # fmt: skip
    return len(chose & _present(store, but.study, plan))


def assign_condition(store: Store, settings: StudySettings, who: ParticipantRow) -> None:
    """Give a participant the condition that fewest have; drawn between equals. Only once."""
    if not settings.conditions:
        return
    with _ONE_AT_A_TIME, store.transaction():
        given = {a.participant: a.value for a in store.studies.answers(who.study, name=CONDITION)}
        if who.pk in given:
            return
        present = _present(store, who.study, settings.recruit)
        counts = Counter(name for person, name in given.items() if person in present)
        names = [each.name for each in settings.conditions]
        drawn = min(names, key=lambda name: (counts[name],
                                             digest(settings.code_key, who.id, name)))  # fmt: skip
        store.studies.answer(who.pk, WHOLE, CONDITION, drawn)


# ---------------------------------------------------------------------- back to the platform


def return_address(
    store: Store, settings: StudySettings, who: ParticipantRow, ids: Mapping[str, str]
) -> str:
    """The platform's address for a participant whose part is over; "" if the plan has none. `ids`
    are the parameters that the participant's own browser holds."""
    plan = settings.recruit
    if plan is None or not store.recruits.has(who.pk):
        return ""
    answers = study_answers(store, who)
    if who.state == "finished":
        failed = fails_checks(settings, answers)
        address = plan.failed_checks if failed and plan.failed_checks else plan.complete
    else:
        full = answers.get(OUTCOME) == "full"
        address = plan.full if full else plan.screened_out if who.state == "refused" else ""
    return filled_address(address, {**ids, CODE: earned_code(settings, who, answers)})


@dataclass(frozen=True, slots=True)
class Bonuses:
    """What is paid: pairs of a platform's id and an amount. `failed`: how many people get nothing,
    since they failed too many attention checks. `unscored`: a sentence on the episodes that have no
    score and count as 0, and what to do; "" where all have one."""

    rows: tuple[tuple[str, float], ...]
    failed: int
    unscored: str

    @property
    def total(self) -> float:
        return round(sum(amount for _, amount in self.rows), 2)


def bonuses(store: Store, study: str) -> Bonuses:
    """The bonuses of those who finished; ConfigError where the plan has none, or ids are gone."""
    row = store.studies.get(study)
    settings = StudySettings.model_validate(row.settings)
    plan = settings.recruit
    if plan is None or not (plan.bonus or plan.bonus_metric):
        raise ConfigError(
            f"{study} pays no bonus: expected recruit.bonus, or recruit.bonus_metric with "
            "bonus_per_point, in the file that set it up"
        )
    if store.recruits.ids_were_deleted(study):
        raise ConfigError(f"the ids of {study} were deleted: nobody can be named to the platform")
    ids, earned = store.recruits.ids(study), earned_bonuses(store, row)
    rows = [
        (ids[who][plan.parameters[0]], each.amount)
        for who, each in earned.items()
        if who in ids and each.amount > 0
    ]
    failed = sum(each.failed for who, each in earned.items() if who in ids)
    return Bonuses(tuple(rows), failed, _describe_unscored(store, row, plan, earned))


@dataclass(frozen=True, slots=True)
class EarnedBonus:
    """What somebody who finished has earned. `unscored` of `episodes` have no score of the
    `bonus_metric`, and count as 0; `failed`: too many attention checks failed, so it is nothing."""

    amount: float
    failed: bool = False
    episodes: int = 0
    unscored: int = 0


def earned_bonuses(store: Store, study: StudyRow) -> Mapping[int, EarnedBonus]:
    """The bonus of each recruit who finished, to cents; empty where the plan has none."""
    settings = StudySettings.model_validate(study.settings)
    plan = settings.recruit
    if plan is None or not (plan.bonus or plan.bonus_metric):
        return {}
    points = _points(store, study, plan.bonus_metric) if plan.bonus_metric else {}
    recruits, earned = store.recruits.since(study.name), {}
    for who in store.studies.participants(study.name):
        if who.state != "finished" or who.pk not in recruits:
            continue
        if fails_checks(settings, study_answers(store, who)):
            earned[who.pk] = EarnedBonus(0.0, failed=True)
            continue
        own = points.get(who.pk, [])
        scored = [value for value in own if value is not None]
        amount = plan.bonus + plan.bonus_per_point * max(0.0, sum(scored))
        earned[who.pk] = EarnedBonus(
            round(amount, 2), episodes=len(own), unscored=len(own) - len(scored)
        )
    return earned


def _points(store: Store, study: StudyRow, metric: str) -> dict[int, list[float | None]]:
    """Each participant's scores in the episodes played, None where one has none; several judges are
    averaged."""
    assert study.run is not None
    values: dict[tuple[str | None, str | None], list[float]] = {}
    for score in store.verdicts.scores(study.run, measure=metric, kind="score", texts=False):
        assert score.value is not None
        values.setdefault((score.trial, score.seat), []).append(score.value)
    points: dict[int, list[float | None]] = {}
    for each in store.studies.assignments(study.name):
        if each.state == "done" and each.item:
            scores = values.get((each.item, each.seat))
            points.setdefault(each.participant, []).append(fmean(scores) if scores else None)
    return points


def _describe_unscored(
    store: Store, study: StudyRow, plan: RecruitPlan, earned: Mapping[int, EarnedBonus]
) -> str:
    lacking = {who: each for who, each in earned.items() if each.unscored}
    if not lacking:
        return ""
    missing = sum(each.unscored for each in lacking.values())
    names = [who.id for who in store.studies.participants(study.name) if who.pk in lacking]
    total = plural(sum(each.episodes for each in earned.values()), "episode")
    verbs = "has no score and counts" if missing == 1 else "have no score and count"
    sentence = f"{missing} of {total} {verbs} as 0: {', '.join(names)}"
    if not (judges := _judges_to_ask(store, study, plan.bonus_metric)):
        return sentence
    closing = "close the study, then run" if study.open else "run"
    return f"{sentence}; before you pay, {closing}: sociolab judge {study.run} {judges}"


def _judges_to_ask(store: Store, study: StudyRow, metric: str) -> str:
    """The options of `sociolab judge` that may give missing scores; "" where none may, since a
    formula says the same each time."""
    assert study.run is not None
    verdicts = store.verdicts.scores(study.run, measure=metric, texts=False)
    methods = {verdict.judge.method for verdict in verdicts}
    if "reported" in methods:
        return "--reader MODEL"
    if methods and methods <= BY_FORMULA:
        return ""
    play = StudySettings.model_validate(study.settings).play
    judges = play.judges if play else ()
    return " ".join(f"--judge {shlex.quote(judge)}" for judge in judges) or "--judge JUDGE"


def describe_recruiting(store: Store, study: StudyRow, address: str) -> tuple[str, str] | None:
    """The study's open link, as it is entered at the platform, and a sentence on its places; None
    where there is no such link."""
    plan = StudySettings.model_validate(study.settings).recruit
    if plan is None:
        return None
    gaps = "&".join(f"{name}={{{{%{name}%}}}}" for name in plan.parameters)
    places = places_of(store, study, plan)
    return f"{address.rstrip('/')}{open_path(study)}?{gaps}", (
        f"{plural(places.places, 'place')}: {places.finished} finished, {places.under_way} under "
        f"way, {places.free} free; {places.given_back} given back so far."
    )


def find_person(store: Store, study: str, name: str) -> str:
    """The pseudonym of a participant who is named by it, or by the platform's id."""
    people: Iterable[ParticipantRow] = store.studies.participants(study)
    plan = StudySettings.model_validate(store.studies.get(study).settings).recruit
    if plan is not None and not any(who.id == name for who in people):
        first = plan.parameters[0]
        by_id = {ids.get(first): pk for pk, ids in store.recruits.ids(study).items()}
        return next((who.id for who in people if who.pk == by_id.get(name)), name)
    return name
