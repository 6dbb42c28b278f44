"""A participant who is forgotten leaves nothing behind, and takes nothing from others."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from sociolab.core import Action, Moved, RatedBy, Score
from sociolab.store import Store
from sociolab.studies import (
    Forgotten,
    assigned_episode,
    create_study,
    forget,
    forget_study,
    next_episode,
    people_judge,
    rate_study,
)
from sociolab.worlds import sotopia
from study_samples import played_run, settings

SECRET = "quetzalcoatl"


def bytes_of(path: Path) -> bytes:
    files = [path.with_name(path.name + end) for end in ("", "-wal")]
    return b"".join(file.read_bytes() for file in files if file.exists())


@dataclass(frozen=True)
class Played:
    """A study in which p-one and p-two have played the first trial, p-two the second alone."""

    store: Store
    first: str
    second: str


@pytest.fixture
def played(tmp_path: Path) -> Played:
    store = Store.open(tmp_path / "store.db")
    create_study(store, "talks", settings(play={"limit": 2, "people": 2, "plays": 1}))
    first, second = (row.trial for row in store.trials("talks"))
    one, two = (store.studies.add_participant("talks", name, None) for name in ("p-one", "p-two"))
    for trial, people in ((first, (one, two)), (second, (two,))):
        for seat, person in zip(trial.task.seats, people, strict=False):
            store.studies.set_progress(store.studies.assign(person, trial.id, seat, "open"), "done")
            word = SECRET if trial is first else "steadfast"
            moved = Moved(0, seat, (Action("speak", f"I am {word}."),))
            store.append("talks", trial.id, moved)
        store.set_status("talks", trial.id, "played")
        store.search.index("talks", trial.id, f"I am {SECRET if trial is first else 'steadfast'}")
    store.studies.answer(one, "", "remarks", f"{SECRET} was here")
    store.studies.answer(two, "", "remarks", "So was I")
    return Played(store, first.id, second.id)


def test_everything_that_a_participant_did_is_gone_from_the_bytes(played: Played) -> None:
    store = played.store
    assert forget(store, "talks", "p-one") == Forgotten(1, 0, 1, 1)
    data = bytes_of(store.path)
    assert SECRET.encode() not in data
    assert b"p-one" not in data
    assert b"steadfast" in data
    assert b"So was I" in data


def test_the_trial_is_planned_again_and_others_keep_theirs(played: Played) -> None:
    store = played.store
    forget(store, "talks", "p-one")
    rows = {row.trial.id: row.status for row in store.trials("talks")}
    assert rows == {played.first: "planned", played.second: "played"}
    assert store.events("talks", played.first) == ()
    assert len(store.events("talks", played.second)) == 1
    assert [who.id for who in store.studies.participants("talks")] == ["p-two"]


def test_a_trial_that_failed_and_was_planned_anew_is_not_planned_a_third_time(
    played: Played,
) -> None:
    store = played.store
    store.set_status("talks", played.first, "failed", "connection", f"{SECRET} refused")
    forget(store, "talks", "p-one")
    row = store.trials("talks")[0]
    assert (row.status, row.cause) == ("failed", "connection")
    assert store.events("talks", played.first) == ()
    assert SECRET.encode() not in bytes_of(store.path)


def test_the_partner_is_told_on_record_why_the_episode_is_gone(played: Played) -> None:
    store = played.store
    forget(store, "talks", "p-one")
    states = {row.item: row.state for row in store.studies.assignments("talks")}
    assert states == {played.first: "given up", played.second: "done"}
    assert [
        (row.item, row.name, row.value) for row in store.studies.answers("talks") if row.item
    ] == [(played.first, "frame.partner-withdrew", True)]


def test_what_raters_wrote_of_a_forgotten_episode_goes_and_they_go_on(played: Played) -> None:
    store = played.store
    plan = {"run": "talks", "episodes": [played.first, played.second]}
    create_study(store, "ratings", settings(rate=plan))
    rater = store.studies.add_participant("ratings", "p-rater", None)
    for trial in (played.first, played.second):
        store.studies.assign(rater, trial, "", "open")
        store.studies.answer(rater, trial, "seat/goal", {"reason": f"It was said: {SECRET}."})
    forget(store, "talks", "p-one")
    assert SECRET.encode() in bytes_of(store.path), "of the episode that stays"
    left = [row.item for row in store.studies.answers("ratings", rater)]
    assert (
        left == [row.item for row in store.studies.assignments("ratings", rater)] == [played.second]
    )
    assert rate_study(store, store.studies.get("ratings")).episodes == (played.second,)


def test_nobody_rates_an_episode_that_is_planned_again(played: Played) -> None:
    store = played.store
    create_study(store, "ratings", settings(rate={"run": "talks"}))
    rater = store.studies.add_participant("ratings", "p-rater", None)
    store.studies.assign(rater, played.first, "", "open")
    store.set_status("talks", played.first, "planned")
    study = rate_study(store, store.studies.get("ratings"))
    who = store.studies.participant("ratings", "p-rater")
    assert assigned_episode(store, study, who, played.first) is None
    found = next_episode(store, study, who)
    assert found is not None
    assert found.trial == played.second


@pytest.fixture
def rated(tmp_path: Path) -> Store:
    """Two raters of one episode, and a set of ratings by people of the same names elsewhere."""
    path = tmp_path / "store.db"
    run = played_run(path, limit=1)
    store = Store.open(path)
    create_study(store, "ratings", settings(rate={"run": run}))
    trial = store.trials(run)[0].trial
    for number, (name, word) in enumerate((("p-one", SECRET), ("p-two", "steadfast"))):
        store.studies.add_participant("ratings", name, None)
        score = Score(sotopia.DIMENSIONS[0], trial.task.seats[0], 5, word, RatedBy(name, 4))
        store.verdicts.add(run, people_judge("ratings"), [score], trial=trial.id, judging=number)
    other = Score(sotopia.DIMENSIONS[0], trial.task.seats[0], 6, "of another set", RatedBy("p-one"))
    store.verdicts.add(run, people_judge("others"), [other], trial=trial.id)
    return store


def test_ratings_are_deleted_by_their_rater_and_only_in_the_study(rated: Store) -> None:
    assert forget(rated, "ratings", "p-one") == Forgotten(0, 1, 0, 0)
    left = [row.verdict.reason for row in rated.verdicts.scores("played")
            if row.judge.method == "people" and isinstance(row.verdict, Score)]  # fmt: skip
    assert sorted(left) == ["of another set", "steadfast"]
    assert SECRET.encode() not in bytes_of(rated.path)


def test_a_study_of_ratings_goes_with_its_ratings_and_leaves_the_run(rated: Store) -> None:
    forget_study(rated, "ratings")
    assert rated.studies.all() == ()
    assert people_judge("ratings") not in rated.verdicts.judges("played")
    assert people_judge("others") in rated.verdicts.judges("played")
    assert rated.run("played").played > 0


def test_a_study_of_plays_goes_with_its_run(played: Played) -> None:
    forget_study(played.store, "talks")
    assert played.store.studies.all() == ()
    assert not played.store.has_run("talks")
    assert b"steadfast" not in bytes_of(played.store.path)
