"""Ratings as people get them: out of survey programs, crowd platforms and spreadsheets."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from report.small_run import RUN, build
from sociolab import result_of
from sociolab.core import ConfigError, Score
from sociolab.store import Store, export_run, import_run
from sociolab.studies import import_ratings, people_judge

Kept: TypeAlias = set[tuple[str, str | None, str, str, float]]
"""Episode, seat, rater, dimension and score of stored ratings."""


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    build(tmp_path / "store.db")
    return tmp_path


def bring(lab: Path, content: str | bytes, *mapped: str, name: str = "file.csv") -> list[str]:
    """Import a file of ratings without naming the run; returns what is said."""
    file = lab / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(import_ratings(file, store=lab / "store.db", mapped=mapped))


def refused(lab: Path, content: str | bytes, *mapped: str) -> str:
    with pytest.raises(ConfigError) as error:
        bring(lab, content, *mapped)
    assert kept(lab) == set()
    return str(error.value)


def kept(lab: Path) -> Kept:
    with Store.open(lab / "store.db") as store:
        return {
            (str(row.trial), v.seat, v.rated_by.rater, v.measure.name, v.value)
            for row in store.verdicts.judgings(RUN, people_judge("people"))
            for v in row.verdicts
            if isinstance(v, Score) and v.rated_by
        }


def as_csv(rows: Iterable[Sequence[object]], **form: Any) -> str:
    text = io.StringIO()
    csv.writer(text, **form).writerows(rows)
    return text.getvalue()


# ------------------------------------------------------------------ Qualtrics

META = ("StartDate", "EndDate", "Status", "Finished", "ResponseId")
ASKED = ("Start Date", "End Date", "Response Type", "Finished", "Response ID")
IDS = tuple(f'{{"ImportId":"{name}","timeZone":"Etc/GMT+5"}}' for name in META)
START, END = "2026-03-01 14:05:00", "2026-03-01 14:09:00"


def qualtrics(*responses: Sequence[object], asked: int = 2) -> str:
    more = ("episode", "goal_1", "Why")
    questions = (*ASKED, "episode", "How far?\nSay it.", "Why?")
    ids = (*IDS, *(f'{{"ImportId":"{name}"}}' for name in more))
    return as_csv([(*META, *more), *(questions, ids)[:asked], *responses])


@pytest.mark.parametrize("asked", [0, 1, 2])
def test_qualtrics_leaves_out_what_nobody_answered_in_earnest(lab: Path, asked: int) -> None:
    said = bring(
        lab,
        qualtrics(
            (START, END, "0", "1", "R_1a", "lamp-AA", 7, "fair"),
            (START, END, "IP Address", "True", "R_1b", "lamp-AA", 5, ""),
            (START, END, "1", "1", "R_2", "lamp-AA", 1, "preview"),
            (START, END, "Survey Preview", "True", "R_3", "lamp-AA", 1, "preview"),
            (START, END, "17", "1", "R_4", "lamp-AA", 1, "offline preview"),
            (START, END, "2", "1", "R_5", "lamp-AA", 1, "test"),
            (START, END, "8", "1", "R_6", "lamp-AA", 1, "spam"),
            (START, END, "0", "0", "R_7", "lamp-AA", 1, "left"),
            (START, END, "0", "False", "R_8", "nowhere", 99, "left"),
            asked=asked,
        ),
        "Why=goal.reason@1",
    )
    assert said[0] == (
        "recognised as a Qualtrics export, leaving out 3 previews, 1 test, 1 spam and 2 unfinished"
    )
    assert kept(lab) == {
        ("lamp-AA", "ann", "R_1a", "goal", 7.0),
        ("lamp-AA", "ann", "R_1b", "goal", 5.0),
    }


def test_a_participants_id_stands_before_the_one_of_the_response(lab: Path) -> None:
    head = as_csv([(*META, "PROLIFIC_PID", "episode", "goal_1")])
    row = as_csv([(START, END, 0, 1, "R_1", "5f" + "0" * 22, "lamp-AA", 7)])
    bring(lab, head + row)
    ((_, _, rater, _, _),) = kept(lab)
    assert rater.startswith("r-")


# ------------------------------------------------------------------ Mechanical Turk


def test_a_batch_leaves_out_rejected_work_and_reads_radio_buttons(lab: Path) -> None:
    head = ("HITId", "AssignmentId", "WorkerId", "AssignmentStatus", "Input.pk", "Input.seat")
    goal, secret = ("Answer.goal.7", "Answer.goal.3"), ("Answer.secret.-1", "Answer.secret.0")
    never = ("Answer.goal.5", "Answer.secret.-5")
    yes, no, none = ("true", "false"), ("false", "true"), ("false", "false")
    rows = [
        (*head, *goal, *secret, *never, "Answer.notes.1", "Approve", "Reject"),
        ("H", "A1", "AKU01", "Approved", "lamp-AA", 1, *yes, *no, *none, "x", "", ""),
        ("H", "A2", "AKU02", "Submitted", "lamp-AA", 2, *no, *none, *none, "", "", ""),
        ("H", "A3", "AKU03", "Rejected", "lamp-AA", 1, *yes, *yes, *none, "", "", ""),
        ("H", "A4", "AKU04", "Submitted", "lamp-AA", 1, *yes, *yes, *none, "", "", "hasty"),
    ]
    said = bring(lab, as_csv(rows, quoting=csv.QUOTE_ALL))
    assert said[0] == "recognised as a batch of Mechanical Turk, leaving out 2 rejected"
    places = {(trial, seat, metric, score) for trial, seat, _, metric, score in kept(lab)}
    assert places == {
        ("lamp-AA", "ann", "goal", 7.0),
        ("lamp-AA", "ann", "secret", 0.0),
        ("lamp-AA", "bob", "goal", 3.0),
    }
    assert all(rater.startswith("r-") for _, _, rater, _, _ in kept(lab))


# ------------------------------------------------------------------ Label Studio


def answer(name: str, kind: str, value: object) -> dict[str, object]:
    return {"from_name": name, "to_name": "text", "type": kind, "value": {kind: value}}


TASKS = [
    {
        "id": 1,
        "data": {"episode": "lamp-AA", "turns": [{"who": "Ann"}, {"who": "Bob"}]},
        "annotations": [
            {"id": 11, "completed_by": 2, "lead_time": 42.3, "was_cancelled": False,
             "created_at": "2026-03-01T14:05:00.000Z",
             "result": [answer("goal_1", "rating", 4), answer("goal_1_reason", "text", ["Late."]),
                        {"type": "relation", "from_id": "a", "to_id": "b"}]},
            {"id": 12, "completed_by": {"id": 3}, "was_cancelled": True, "result": []},
            {"id": 13, "completed_by": {"id": 4}, "created_at": "2026-03-01T14:06:00.000Z",
             "result": [answer("believability_2", "number", 8)]},
        ],
    }
]  # fmt: skip
FLAT = [
    {"episode": "lamp-AA", "id": 1, "goal_1": [{"rating": 4}], "goal_1_reason": "Late.",
     "annotator": 2, "annotation_id": 11, "lead_time": 42.3, "created_at": "2026-03-01T14:05:00Z"},
    {"episode": "lamp-AA", "id": 1, "believability_2": [{"number": 8}],
     "annotator": 4, "annotation_id": 13, "lead_time": 3.0, "created_at": "2026-03-01T14:06:00Z"},
]  # fmt: skip


def flat_csv() -> str:
    names = sorted({name for row in FLAT for name in row})
    rows = [[row.get(name, "") for name in names] for row in FLAT]
    texts = [[cell if isinstance(cell, str) else json.dumps(cell) for cell in row] for row in rows]
    return as_csv([names, *texts])


@pytest.mark.parametrize(
    ("write", "left_out"),
    [
        (lambda: json.dumps(TASKS), ", leaving out 1 skipped"),
        (lambda: json.dumps(FLAT, indent=1), ""),
        (lambda: "\n".join(map(json.dumps, FLAT)), ""),
        (flat_csv, ""),
    ],
    ids=["JSON", "JSON-MIN", "JSON lines", "CSV"],
)
def test_label_studio_is_the_same_in_all_its_forms(
    lab: Path, write: Callable[[], str], left_out: str
) -> None:
    said = bring(lab, write())
    assert said[0] == f"recognised as a Label Studio export{left_out}"
    assert kept(lab) == {
        ("lamp-AA", "ann", "2", "goal", 4.0),
        ("lamp-AA", "bob", "4", "believability", 8.0),
    }


def test_answers_that_are_nested_without_end_are_no_number(lab: Path) -> None:
    nested = FLAT[0] | {"goal_1": "[" * 900 + "4" + "]" * 900}
    bring(lab, json.dumps([nested]))
    assert {score for *_, score in kept(lab)} == {4.0}
    assert "expected a whole number" in with_error(
        lab, json.dumps([FLAT[0] | {"goal_1": "[" * 9_999}])
    )


def test_a_broken_task_of_label_studio_is_told_by_its_number(lab: Path) -> None:
    broken: dict[str, object] = {"data": [], "annotations": []}
    assert "record 2: a task: data" in refused(lab, json.dumps([*TASKS, broken]))


# ------------------------------------------------------------------ spreadsheets


TABLE = "episode;seat;rater;dimension;score\nlamp-AA;1;ann;goal;7\n"


@pytest.mark.parametrize(
    "content",
    [
        "sep=;\r\n" + TABLE,
        '"sep=;"\n' + TABLE.replace("lamp-AA;1", '"lamp-AA";1'),
        ("sep=|\n" + TABLE.replace(";", "|")).encode("utf-16"),
        TABLE.replace(";", "\t").encode("utf-16"),
        "\ufeff" + TABLE,
    ],
)
def test_a_spreadsheet_says_how_its_cells_are_separated(lab: Path, content: str | bytes) -> None:
    bring(lab, content)
    assert kept(lab) == {("lamp-AA", "ann", "ann", "goal", 7.0)}


def test_a_line_keeps_its_number_below_the_separators(lab: Path) -> None:
    assert "line 4: " in refused(lab, "sep=;\n" + TABLE + "lamp-AA;1;bob;goal;70\n")


@pytest.mark.parametrize("spoiled", ["1.09E+15", "1,09E+15", "5E+19"])
def test_an_id_that_a_spreadsheet_spoiled_is_named_as_such(lab: Path, spoiled: str) -> None:
    for place, what in (("lamp-AA", "an id as episode"), ("ann", "an id as rater")):
        text = TABLE.replace(f"{place};", f"{spoiled};", 1)
        (lab / "spoiled.csv").write_text(text, "utf-8")
        with pytest.raises(ConfigError) as error:
            import_ratings(lab / "spoiled.csv", RUN, store=lab / "store.db")
        assert f'expected {what}, found "{spoiled}", which a spreadsheet' in str(error.value)


# ------------------------------------------------------------------ the run, and names


def test_the_run_is_found_by_its_episodes(lab: Path) -> None:
    assert f"of run {RUN}" in bring(lab, TABLE)[0]
    assert "found none that has them" in with_error(lab, TABLE.replace("lamp", "moon"))
    assert "a column of episodes, found none" in with_error(lab, TABLE.replace("episode", "talk"))
    with Store.open(lab / "store.db") as store:
        export_run(store, RUN, lab / "run.jsonl")
        import_run(store, lab / "run.jsonl", "second")
    assert f"found them in second and {RUN}; name the run by --run" in with_error(lab, TABLE)


def with_error(lab: Path, content: str) -> str:
    with pytest.raises(ConfigError) as error:
        bring(lab, content)
    return str(error.value)


def test_a_name_is_the_same_in_both_unicode_forms(lab: Path) -> None:
    bring(lab, TABLE.replace(";ann;", ";Zo\u00eb;") + "lamp-AA;2;Zoe\u0308;goal;3\n")
    assert {rater for _, _, rater, _, _ in kept(lab)} == {"Zo\u00eb"}
    twice = TABLE.replace(";ann;", ";Zoe\u0308;") + "lamp-AA;1;Zo\u00eb;goal;3\n"
    assert "found a second" in with_error(lab, twice)


def test_an_invisible_character_is_named(lab: Path) -> None:
    error = refused(lab, TABLE.replace(";ann;", ";\u200fann;"))
    assert "expected visible characters as rater" in error
    assert "RIGHT-TO-LEFT MARK, U+200F" in error


def test_digits_of_other_scripts_are_digits(lab: Path) -> None:
    bring(lab, TABLE.replace(";7", ";\uff17"))
    assert {score for *_, score in kept(lab)} == {7.0}


# ------------------------------------------------------------------ public ratings


SCORED = ("goal_1", "goal_reasoning_1", "believability_1", "goal_2")
WIDE = ("", "model", "pk", "data", "prolific_id", *SCORED)
ROW = (7, "gpt", "lamp-AA", '{"names": []}', "5d" + "0" * 22, "7.0", "He, she says, won.", 8, 2)


@pytest.mark.parametrize("place", ["", "player.", "pilot.1.player."])
def test_public_ratings_are_read_as_they_are(lab: Path, place: str) -> None:
    bring(lab, as_csv([[f"{place}{name}" for name in WIDE], ROW]))
    assert {(trial, seat, metric, score) for trial, seat, _, metric, score in kept(lab)} == {
        ("lamp-AA", "ann", "goal", 7.0),
        ("lamp-AA", "ann", "believability", 8.0),
        ("lamp-AA", "bob", "goal", 2.0),
    }
    with Store.open(lab / "store.db") as store:
        assert any(entry.judge == "people" for entry in result_of(store, RUN).scores)
