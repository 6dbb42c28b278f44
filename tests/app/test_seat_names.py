"""Seats and agents by the names that people use for them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sociolab import RunConfig, run
from sociolab.app.transcripts import find_seat
from sociolab.core import ConfigError, Episode
from sociolab.core.score import match_label
from sociolab.store import Store


@pytest.fixture(scope="module")
def episode(tmp_path_factory: pytest.TempPathFactory) -> Episode:
    path = tmp_path_factory.mktemp("names") / "s.db"
    run(RunConfig(world="sotopia", limit=1, name="a", store=path, settings={"turns": "4"}))
    with Store.open(path) as store:
        return store.episode("a", store.trial_ids("a")[0])


def test_a_seat_is_called_by_its_id_a_full_or_a_first_name(episode: Episode) -> None:
    seat = episode.trial.task.seats[1]
    full = seat.replace("-", " ").title()
    first = full.split()[0]
    for name in (seat, seat.upper(), full, first, first.lower(), f" {first} "):
        assert find_seat(episode, name) == seat


@pytest.mark.parametrize("name", ["", "nobody", "-"])
def test_another_name_is_answered_with_those_that_there_are(episode: Episode, name: str) -> None:
    first = re.escape(f"({episode.trial.task.seats[0]})")
    with pytest.raises(ConfigError, match=rf"--as: expected one of \w+ {first}"):
        find_seat(episode, name)


LABELS = ("python:my_agent:A", "openai/m", "lab/m-large", "scripted")


@pytest.mark.parametrize(
    ("wanted", "label"),
    [
        ("openai/m", "openai/m"),  # a whole label wins over those that hold it
        ("A", "python:my_agent:A"),  # what follows the last colon wins over any "a"
        ("m", "openai/m"),  # what follows the endpoint, too
        ("LARGE", "lab/m-large"),
        ("script", "scripted"),
        ("zz", "zz"),  # the caller refuses it
    ],
)
def test_a_part_of_a_label_is_enough_where_it_is_the_only_one(wanted: str, label: str) -> None:
    assert match_label(wanted, LABELS, "--agent") == label


def test_a_label_is_the_same_in_both_unicode_forms() -> None:
    assert match_label("ZOE\u0308", ("python:my_agent:Zo\u00eb", *LABELS), "--agent") == (
        "python:my_agent:Zo\u00eb"
    )


def test_a_part_of_several_labels_is_refused_with_their_names() -> None:
    with pytest.raises(ConfigError, match='--with: "e" may be any of python:my_agent:A, openai/m'):
        match_label("e", LABELS, "--with")


def test_a_first_name_is_known_where_nobody_has_spoken_yet(episode: Episode) -> None:
    silent = Episode(episode.trial, ())
    for seat in episode.trial.task.seats:
        assert find_seat(silent, seat.split("-")[0].title()) == seat


def test_the_seats_of_a_residents_low_level_questions_are_not_meant(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    run(RunConfig(world="stss", limit=1, name="t", store=path, settings={"step": "60"}))
    with Store.open(path) as store:
        lived = store.episode("t", store.trial_ids("t")[0])
    performer = lived.trial.task.seats[0]
    assert f"{performer}." in " ".join(lived.trial.task.seats)
    assert find_seat(lived, performer.split("-")[0]) == performer
