"""Studies with people: kept, found, changed, and gone when they are to go."""

from __future__ import annotations

import time

import pytest

from bundles import text_of
from sociolab.core import StoreError
from sociolab.store import Store, export_run

from . import samples

LINK, SESSION = b"l" * 32, b"s" * 32


@pytest.fixture
def person(store: Store) -> int:
    """A participant who is invited to the study "s"."""
    store.studies.create("s", "rate", {"title": "T"})
    return store.studies.add_participant("s", "p-aaaaaa", LINK)


def test_a_study_is_found_as_it_was_made_and_is_closed(store: Store) -> None:
    before = time.time()
    store.create_run("r", "world", {}, ())
    store.studies.create("s", "play", {"title": "T \ud83d"}, "r")
    study = store.studies.get("s")
    assert (study.name, study.kind, study.run) == ("s", "play", "r")
    assert study.settings == {"title": "T \ud83d"}
    assert before <= study.created <= time.time()
    assert not study.open


def test_studies_are_listed_oldest_first(store: Store) -> None:
    for name in ("b", "a", "c"):
        store.studies.create(name, "review", {})
    assert [study.name for study in store.studies.all()] == ["b", "a", "c"]


def test_a_name_that_is_taken_is_refused(store: Store) -> None:
    store.studies.create("s", "review", {"title": "first"})
    with pytest.raises(StoreError, match='there is a study called "s" already'):
        store.studies.create("s", "play", {})
    assert store.studies.get("s").settings == {"title": "first"}


def test_a_study_of_a_run_that_is_not_there_is_refused(store: Store) -> None:
    with pytest.raises(StoreError, match='there is no run "r"'):
        store.studies.create("s", "rate", {}, "r")
    assert store.studies.all() == ()


def test_opening_leaves_the_settings_and_new_settings_leave_it_open(store: Store) -> None:
    store.studies.create("s", "review", {"title": "old"})
    store.studies.change("s", open=True)
    assert (store.studies.get("s").open, store.studies.get("s").settings) == (
        True,
        {"title": "old"},
    )
    store.studies.change("s", settings={"title": "new"})
    assert (store.studies.get("s").open, store.studies.get("s").settings) == (
        True,
        {"title": "new"},
    )
    store.studies.change("s", open=False)
    assert not store.studies.get("s").open


def test_what_is_not_there_is_named(store: Store, person: int) -> None:
    with pytest.raises(StoreError, match='there is no study called "x"'):
        store.studies.participants("x")
    with pytest.raises(StoreError, match='there is no study called "x"'):
        store.studies.change("x", open=True)
    with pytest.raises(StoreError, match='the study "s" has no participant "p-x"'):
        store.studies.participant("s", "p-x")
    with pytest.raises(StoreError, match='has a participant "p-aaaaaa" already'):
        store.studies.add_participant("s", "p-aaaaaa", None)


def test_a_link_is_given_to_one_browser_only(store: Store, person: int) -> None:
    assert store.studies.bind(person, SESSION)
    assert not store.studies.bind(person, b"other")
    row = store.studies.participant_of_session(SESSION)
    assert row is not None
    assert (row.id, row.state, row.bound) == ("p-aaaaaa", "arrived", True)
    assert row.arrived is not None
    assert store.studies.participant_of_session(b"other") is None
    assert store.studies.participant_of_link(LINK) == row


def test_a_second_link_goes_on_where_the_first_was_lost(store: Store, person: int) -> None:
    store.studies.bind(person, SESSION)
    arrived = store.studies.participant("s", "p-aaaaaa").arrived
    store.studies.set_state(person, "consented")
    store.studies.reissue(person, b"new")
    assert store.studies.participant_of_link(LINK) is None
    assert store.studies.participant_of_session(SESSION) is None
    assert store.studies.bind(person, b"second browser")
    row = store.studies.participant("s", "p-aaaaaa")
    assert (row.state, row.arrived) == ("consented", arrived)


def test_when_consent_was_given_and_the_end_reached_stays_as_first_noted(
    store: Store, person: int
) -> None:
    store.studies.set_state(person, "consented")
    first = store.studies.participant("s", "p-aaaaaa").consented
    store.studies.set_state(person, "finished")
    store.studies.set_state(person, "consented")
    row = store.studies.participant("s", "p-aaaaaa")
    assert row.consented == first
    assert row.finished is not None


def test_assignments_keep_their_order_and_end_when_they_are_done(store: Store, person: int) -> None:
    first = store.studies.assign(person, "t2", "ann", "waiting")
    second = store.studies.assign(person, "t1", "", "open")
    other = store.studies.add_participant("s", "p-bbbbbb", None)
    third = store.studies.assign(other, "t2", "bob", "open")
    store.studies.set_progress(first, "done")
    store.studies.set_progress(third, "given up")
    rows = {row.pk: row for row in store.studies.assignments("s")}
    assert list(rows) == [first, second, third]
    assert [row.pk for row in store.studies.assignments("s", other)] == [third]
    assert rows[first].ended is not None
    assert rows[second].ended is None
    assert rows[third].ended is not None


def test_a_later_answer_takes_the_place_of_an_earlier_one(store: Store, person: int) -> None:
    store.studies.answer(person, "", "age", 31)
    store.studies.answer(person, "t1", "age", {"other": ["\ud83d"]})
    store.studies.answer(person, "", "age", "32")
    found = {(row.item, row.name): row.value for row in store.studies.answers("s")}
    assert found == {("", "age"): "32", ("t1", "age"): {"other": ["\ud83d"]}}


def test_answers_are_of_one_study_and_of_one_participant(store: Store, person: int) -> None:
    other = store.studies.add_participant("s", "p-bbbbbb", None)
    store.studies.create("else", "review", {})
    elsewhere = store.studies.add_participant("else", "p-aaaaaa", None)
    for who in (person, other, elsewhere):
        store.studies.answer(who, "", "who", who)
    assert [row.value for row in store.studies.answers("s")] == [person, other]
    assert [row.value for row in store.studies.answers("s", other)] == [other]
    assert [row.value for row in store.studies.answers("else")] == [elsewhere]


def test_renaming_a_run_keeps_its_study(store: Store) -> None:
    store.create_run("old", "world", {}, ())
    store.studies.create("s", "rate", {}, "old")
    store.rename_run("old", "new")
    assert store.studies.get("s").run == "new"


def test_deleting_a_study_leaves_its_run(store: Store, person: int) -> None:
    store.create_run("r", "world", {}, samples.plan(1))
    store.studies.create("with-run", "play", {}, "r")
    store.studies.delete("with-run")
    assert [study.name for study in store.studies.all()] == ["s"]
    assert store.run("r").trials == 1


def test_deleting_a_participant_leaves_the_others(store: Store, person: int) -> None:
    other = store.studies.add_participant("s", "p-bbbbbb", None)
    for who in (person, other):
        store.studies.assign(who, "t1", str(who), "open")
        store.studies.answer(who, "", "age", who)
    store.studies.delete_participant("s", "p-aaaaaa")
    assert [row.id for row in store.studies.participants("s")] == ["p-bbbbbb"]
    assert [row.participant for row in store.studies.assignments("s")] == [other]
    assert [row.participant for row in store.studies.answers("s")] == [other]


def test_a_run_with_a_study_is_exported_without_the_people(store: Store, person: int) -> None:
    store.create_run("r", "world", {}, samples.plan(1))
    store.studies.create("of-run", "play", {}, "r")
    store.studies.answer(
        store.studies.add_participant("of-run", "p-cccccc", None), "", "age", "unmistakable"
    )
    file = store.path.with_name("run.zip")
    export_run(store, "r", file)
    text = text_of(file)
    assert "unmistakable" not in text
    assert "p-cccccc" not in text
