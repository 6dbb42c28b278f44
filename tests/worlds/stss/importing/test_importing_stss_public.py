"""The public files of STSS themselves, where they are at hand."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

from mute_town import mute_scores
from sociolab.town import Paths
from sociolab.worlds import stss


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("stss")


@pytest.fixture(scope="module")
def as_it_is(public: Path, folder: Path) -> stss.ImportReport:
    return stss.import_stss(public, folder / "plain", "ville")


@pytest.fixture(scope="module")
def report(public: Path, folder: Path) -> stss.ImportReport:
    return stss.import_stss(public, folder / "corrected", "ville", correct=True)


@pytest.fixture(scope="module")
def data(report: stss.ImportReport, folder: Path) -> stss.TownData:
    assert report.corrected
    return stss.read_town(folder / "corrected")


def test_everything_is_imported_once_it_is_corrected(report: stss.ImportReport) -> None:
    assert report.lines[0] == (
        "19 sectors, 63 arenas, 46 kinds of object, 25 residents, 30 of 30 tasks"
    )
    assert report.left_out == ()


def test_texts_that_contradict_their_fields_are_reported_and_can_be_played(
    as_it_is: stss.ImportReport, data: stss.TownData, folder: Path
) -> None:
    """The defects of the table in docs/import-stss.md that stand literally in a text."""
    assert not as_it_is.corrected
    *found, last = stss.read_town(folder / "plain").remarks
    assert [re.findall(r"stss-(\d\d)-.* the goal says \"(.*?)\"", one)[0] for one in found] == [
        ("02", "Hobbs Cafe"), ("07", "7"), ("08", "8"), ("13", "one"), ("14", "one"), ("21", "7"),
        ("22", "6"), ("27", "8"), ("28", "8"),
    ]  # fmt: skip
    assert last.startswith("28 of 28 goals are free text")
    assert [one.startswith("30 of 30 goals") for one in data.remarks] == [True]


def test_uncorrected_the_tasks_at_a_place_that_is_nowhere_are_left_out(
    as_it_is: stss.ImportReport, report: stss.ImportReport
) -> None:
    assert as_it_is.lines[0].endswith(", 28 of 30 tasks")
    assert as_it_is.left_out == (12, 19)
    assert as_it_is.defects == report.defects


def test_the_defects_are_those_that_a_reading_by_hand_found(report: stss.ImportReport) -> None:
    found: dict[stss.DefectKind, list[str]] = defaultdict(list)
    for defect in report.defects:
        found[defect.kind].append(defect.where.removeprefix("task "))
    assert dict(found) == {
        stss.DefectKind.CUT_OFF: ["map"],
        stss.DefectKind.HOME_UNKNOWN: ["Eddy Lin"],
        stss.DefectKind.MISSPELT_NAME: [
            *("Latoya Williams", "Latoya Williams", "Rajiv Patel", "Rajiv Patel"),
            "Isabella Rodriguez",
        ],
        stss.DefectKind.DATED_MEMORY: ["Isabella Rodriguez"],
        stss.DefectKind.UNKNOWN_PLACE: ["12", "19"],
        stss.DefectKind.FOREIGN_FILTER: ["17"],
        stss.DefectKind.WRONG_NUMBER: ["7", "11", "27", "28"],
        stss.DefectKind.PROMISED_NUMBER: ["7", "8", "12", "13", "21", "22", "27", "28"],
        stss.DefectKind.NO_NUMBER: ["14", "25", "26"],
        stss.DefectKind.ORDINARY_FILTER: [
            *("4", "5", "6", "7", "8", "9", "11", "12", "13", "14", "15", "16", "17"),
            *("18", "18", "19", "19", "20", "20", "26"),
        ],
        stss.DefectKind.MISSED_FORM: [
            *("10", "14", "17", "18", "18", "24", "25", "26", "29", "29", "30", "30"),
        ],
        stss.DefectKind.OTHER_EVENT: ["2", "8"],
        stss.DefectKind.PROMISED_PLACE: ["2"],
        stss.DefectKind.OTHER_ACTIVITY: ["14"],
        stss.DefectKind.OTHER_PERFORMER: ["11"],
    }


def test_all_25_remember_and_are_tied_to_whom_they_remember(
    report: stss.ImportReport, data: stss.TownData
) -> None:
    assert report.lines[1] == "247 seed memories and 165 ties"
    people = {one.name: one for one in data.residents}
    assert all(one.memories and one.ties for one in data.residents)
    assert people["Klaus Mueller"].ties["Maria Lopez"] == "close friends and classmates"
    assert people["Mei Lin"].ties["Eddy Lin"].startswith("your son")
    assert not any("5pm" in text for text in people["Isabella Rodriguez"].memories)


def test_the_types_are_as_many_as_in_the_paper(data: stss.TownData) -> None:
    counts = [sum(task.type == kind for task in data.tasks) for kind in stss.TASK_TYPES]
    assert counts == [10, 5, 5, 5, 5]
    assert {len(task.background) for task in data.tasks} == {10, 11, 12}


def test_corrected_texts_promise_the_number_of_the_rule(data: stss.TownData) -> None:
    promised = [task for task in data.tasks if f" {task.expected} people" in task.goal]
    assert len(promised) == 13
    assert not any("8 people" in task.goal for task in data.tasks)


def test_a_mute_performer_scores_only_where_the_import_says_so(
    report: stss.ImportReport, data: stss.TownData
) -> None:
    named = {
        int(one.where.removeprefix("task "))
        for one in report.defects
        if one.kind is stss.DefectKind.ORDINARY_FILTER
    }
    played = {5: "stss-05-buffet", 3: "stss-03-art-exhibition", 27: "stss-27-live-painting-stream"}
    scores = mute_scores(data, 2, played.values())
    assert scores["stss-05-buffet"] > 0
    assert {number for number, task in played.items() if scores[task]} <= named


def test_the_film_night_looks_for_films(data: stss.TownData) -> None:
    film = data.tasks[16]
    assert "movies" in film.keywords
    assert not {"workshop", "meeting", "generative agent"}.intersection(film.keywords)


def test_every_performer_knows_the_places_of_their_task(data: stss.TownData) -> None:
    people = {resident.id: resident for resident in data.residents}
    for task in data.tasks:
        known = {name.partition(": ")[0] for name in people[task.performer].knows}
        places = [task.place, *(errand.place for errand in task.errands)]
        assert {name.partition(": ")[0] for name in places if name} <= known, task.id


def test_everybody_can_walk_from_their_bed_to_every_place(data: stss.TownData) -> None:
    paths = Paths(data.town.walkable, data.town.arena)
    beds = [data.town.spots(one.home, "bed")[0] for one in data.residents]
    for place in data.town.places:
        for bed in beds:
            assert paths.distance(bed, data.town.tiles(place)[0]) < 200


def test_two_imports_of_the_same_files_are_the_same(
    public: Path, data: stss.TownData, folder: Path
) -> None:
    stss.import_stss(public, folder / "again", "ville", correct=True)
    assert stss.read_town(folder / "again").id == data.id
