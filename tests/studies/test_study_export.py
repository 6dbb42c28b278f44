"""A study's files: complete, readable by others, and without anything that opens a door."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

import impression_runs
import rating_runs
from bundles import text_of
from sociolab import Rating
from sociolab.core import ConfigError, RatedBy, Score
from sociolab.store import Store, import_run
from sociolab.studies import (
    StudySettings,
    completion_code,
    create_study,
    export_study,
    export_zip,
    import_ratings,
    invite,
    people_judge,
    rate_study,
    store_ratings,
)
from sociolab.studies.annotations import draw_batch
from sociolab.worlds import sotopia
from study_samples import SURVEY, played_run, settings


def read(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    opened = Store.open(tmp_path / "store.db")
    create_study(opened, "talks", settings(play={"limit": 1}))
    done, fresh = (link.participant for link in invite(opened, "talks", 2))
    pk = opened.studies.participant("talks", done).pk
    opened.studies.set_state(pk, "consented")
    opened.studies.set_state(pk, "finished")
    opened.studies.answer(pk, "", "natural", 4)
    opened.studies.answer(pk, "", "remarks", "=1+1 \ud83d, said\nshe")
    opened.studies.assign(pk, opened.trials("talks")[0].trial.id, "ann", "done")
    assert opened.studies.participant("talks", fresh).state == "invited"
    return opened


def test_every_row_of_a_study_is_in_its_files(store: Store, tmp_path: Path) -> None:
    names = export_study(store, "talks", tmp_path / "out")
    assert sorted(names) == sorted(file.name for file in (tmp_path / "out").iterdir())
    people = read(tmp_path / "out/participants.csv")
    done = next(row for row in people if row["state"] == "finished")
    found = StudySettings.model_validate(store.studies.get("talks").settings)
    assert done["completion_code"] == completion_code(found, done["participant"])
    assert [row["completion_code"] for row in people if row["state"] == "invited"] == [""]
    survey = read(tmp_path / "out/survey.csv")
    assert survey[0]["natural"] == "4"
    assert survey[0]["remarks"].startswith("'=1+1")
    assert survey[0]["partner"] == ""
    lines = (tmp_path / "out/answers.jsonl").read_text("utf-8").splitlines()
    assert {json.loads(line)["name"]: json.loads(line)["value"] for line in lines}["natural"] == 4
    assert read(tmp_path / "out/assignments.csv")[0]["seat"] == "ann"


def test_no_file_holds_what_opens_a_door(store: Store, tmp_path: Path) -> None:
    export_study(store, "talks", tmp_path / "out")
    key = StudySettings.model_validate(store.studies.get("talks").settings).code_key
    assert key
    assert key not in text_of(tmp_path / "out/episodes.zip")
    texts = {file for file in (tmp_path / "out").iterdir() if file.suffix != ".zip"}
    assert all(key not in file.read_text("utf-8") for file in texts)


def test_the_readme_names_every_file_and_question(store: Store, tmp_path: Path) -> None:
    names = export_study(store, "talks", tmp_path / "out")
    text = (tmp_path / "out/README.md").read_text("utf-8")
    assert all(f"`{name}`" in text for name in names if name != "README.md")
    assert "`natural`: How natural was it?" in text


CHECK = {"name": "look", "text": "Choose 2.", "kind": "scale", "expected": "2"}


@pytest.mark.parametrize("kind", ["play", "rate", "impressions", "review"])
def test_the_codebook_holds_every_column_of_every_file_and_no_other(
    kind: str, tmp_path: Path
) -> None:
    path = tmp_path / "store.db"
    plan: dict[str, Any] = {"limit": 1}
    if kind == "rate":
        plan = {"run": played_run(path, limit=1)}
    if kind == "impressions":
        impression_runs.build(path, [0.2])
        plan = {"run": impression_runs.RUN}
    with Store.open(path) as store:
        create_study(store, "s", settings(**{kind: plan}, survey=[*SURVEY, CHECK]))
        export_study(store, "s", tmp_path / "out")
    assert "Attention check; right is 2." in described_whole(tmp_path / "out")


def test_the_codebook_holds_the_columns_of_a_review(tmp_path: Path) -> None:
    rating_runs.build(tmp_path / "store.db")
    with Store.open(tmp_path / "store.db") as store:
        rating_runs.open_study(store, name="raters")
        ratings = [Rating("fair00", rating_runs.ADA, who, "goal", score, "so it seems to me")
                   for who, score in (("r1", 1), ("r2", 9))]  # fmt: skip
        store_ratings(store, rating_runs.RUN, "raters", ratings)
        draw_batch(store, rate_study(store, store.studies.get("raters")))
        names = export_study(store, "raters", tmp_path / "out")
    assert {"annotations.csv", "replaced.csv"} <= set(names)
    described_whole(tmp_path / "out")


def described_whole(folder: Path) -> str:
    """The README of an export whose codebook has the columns of all files, in their order."""
    headers = {
        file.name: file.read_text("utf-8").splitlines()[0].split(",")
        for file in folder.glob("*.csv")
        if file.name != "codebook.csv"
    }
    described: dict[str, list[str]] = {}
    for row in read(folder / "codebook.csv"):
        described.setdefault(row["file"], []).append(row["column"])
        assert row["meaning"].endswith("."), row
    assert described == headers
    text = (folder / "README.md").read_text("utf-8")
    assert all(f"- `{column}`: " in text for columns in headers.values() for column in columns)
    return text


def test_conditions_and_checks_are_among_the_data(store: Store, tmp_path: Path) -> None:
    conditions = [{"name": "told", "instructions": "It is a program."}]
    create_study(store, "c", settings(conditions=conditions, survey=[CHECK]))
    for name, answer in (("p-right", 2), ("p-wrong", 3), ("p-new", None)):
        pk = store.studies.add_participant("c", name, None)
        if answer is not None:
            store.studies.answer(pk, "", "frame.condition", "told")
            store.studies.answer(pk, "", "frame.survey", True)
            store.studies.answer(pk, "", "look", answer)
    export_study(store, "c", tmp_path / "out")
    rows = [(row["participant"], row["condition"], row["checks"], row["checks_failed"])
            for row in read(tmp_path / "out/participants.csv")]  # fmt: skip
    assert rows == [
        ("p-right", "told", "1", "0"),
        ("p-wrong", "told", "1", "1"),
        ("p-new", "", "1", ""),
    ]


def test_the_episodes_can_be_put_into_another_store(store: Store, tmp_path: Path) -> None:
    export_study(store, "talks", tmp_path / "out")
    with Store.open(tmp_path / "other.db") as other:
        import_run(other, tmp_path / "out/episodes.zip", "again")
        assert other.run("again").trials == store.run("talks").trials


def test_ratings_can_be_imported_again(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    run = played_run(path, limit=1)
    with Store.open(path) as store:
        create_study(store, "ratings", settings(rate={"run": run}))
        trial = store.trials(run)[0].trial
        score = Score(
            sotopia.DIMENSIONS[0], trial.task.seats[0], 5, "plain", RatedBy("p-aaaaaa", 4)
        )
        store.verdicts.add(run, people_judge("ratings"), [score], trial=trial.id)
        export_study(store, "ratings", tmp_path / "out")
    said = import_ratings(tmp_path / "out/ratings.csv", run, name="again", store=path)
    assert said[0].startswith("read 1 rating by 1 rater")


def test_a_folder_with_files_is_left_alone(store: Store, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(ConfigError, match="expected a new or empty folder"):
        export_study(store, "talks", tmp_path)


def test_the_archive_holds_the_same_files(store: Store, tmp_path: Path) -> None:
    names = export_study(store, "talks", tmp_path / "out")
    export_zip(store, "talks", tmp_path / "out.zip", tmp_path / "scratch")
    with ZipFile(tmp_path / "out.zip") as archive:
        assert sorted(archive.namelist()) == sorted(f"talks/{name}" for name in names)
