"""The next version of a data set, as its reviewers decided: kept, edited, rejected, undecided."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import sociolab
from rating_runs import open_study
from sociolab.core import ConfigError
from sociolab.store import Store
from sociolab.studies import (
    REVIEW_POINTS,
    Review,
    assign_next,
    review_study,
    submit_review,
    task_pool,
)
from sociolab.studies.reviews import decide_clusters, revise, view_task
from sociolab.worlds import sotopia
from sociolab.worlds.sotopia.dataset import FILES
from sociolab.worlds.sotopia.rating import next_version

ALL = dict.fromkeys(REVIEW_POINTS, True)
NOT = {**ALL, "tension": False}
WHY = "the goals agree from the start"
OWN = Path(sociolab.__file__).parent / "worlds/sotopia/data"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Four scenarios of the package with one task each, version 1.0.9."""
    folder = tmp_path / "mine"
    folder.mkdir()
    for name in FILES[:2]:
        shutil.copy(OWN / name, folder / name)
    rows = (OWN / FILES[3]).read_text("utf-8").splitlines()[:4]
    (folder / FILES[3]).write_text("\n".join(rows) + "\n", "utf-8")
    keys = {json.loads(row)["scenario"] for row in rows}
    scenarios = (OWN / FILES[2]).read_text("utf-8").splitlines()
    chosen = [one for one in map(json.loads, scenarios) if one["id"] in keys]
    for one in chosen:
        one["published"] = {"context": "As published.", "goals": ["One.", "Two."]}
    (folder / FILES[2]).write_text("\n".join(map(json.dumps, chosen)) + "\n", "utf-8")
    (folder / "meta.json").write_text('{"name": "mine", "version": "1.0.9"}', "utf-8")
    return folder


def say(store: Store, *by_task: Sequence[str]) -> list[str]:
    """Have r1, r2, ... decide of each task in turn; "edit:..." proposes that scene. The scenarios
    in the order of the data."""
    study = review_study(store.studies.get("checks"))
    people = store.studies.participants("checks")
    for number, person in enumerate(people):
        while (task := assign_next(store, "checks", person.pk, task_pool(study))) is not None:
            said, _, scene = by_task[list(study.tasks).index(task)][number].partition(":")
            texts = (scene, *view_task(study, task).texts[1:]) if scene else ()
            points = ALL if said == "keep" else NOT
            review = Review(said, points, "" if said == "keep" else WHY, texts)  # type: ignore[arg-type]
            assert submit_review(store, study, person, task, review) == ()
    return [task.cluster for task in study.tasks.values()]


@pytest.fixture
def store(tmp_path: Path, data: Path) -> Any:
    with Store.open(tmp_path / "s.db") as opened:
        made = {"title": "Checks", "review": {"data": str(data), "raters": 3}}
        open_study(opened, 3, "checks", "review", None, made)
        yield opened


def test_the_majority_decides_and_the_record_says_who_and_why(
    store: Store, data: Path, tmp_path: Path
) -> None:
    keep, edit, reject, open_ = say(
        store,
        ("keep", "keep", "reject"),
        ("edit:A quiet harbour.", "edit:A loud harbour.", "edit:A loud harbour."),
        ("reject", "keep", "reject"),
        ("keep", "edit:Another place.", "reject"),
    )
    lines = revise(store, "checks", tmp_path / "next")
    old, new = sotopia.load(data), sotopia.load(tmp_path / "next")
    assert f"kept (1): {keep}" in lines
    assert f"rejected (1): {reject}" in lines
    assert any("no majority, unchanged" in line and open_ in line for line in lines)
    assert any("several edits proposed" in line and edit in line for line in lines)
    assert "mine 1.0.9 becomes 1.0.10: 3 scenarios, 3 tasks" in lines
    assert list(new.scenarios) == [key for key in old.scenarios if key != reject]
    assert new.scenarios[edit].context == "A loud harbour."
    assert new.scenarios[edit].goals == old.scenarios[edit].goals
    assert new.scenarios[keep].context == old.scenarios[keep].context
    (step,) = new.scenarios[edit].provenance
    assert (step.step, step.by, step.study) == ("edited", ("r1", "r2", "r3"), "checks")
    assert set(step.reasons) == {WHY}
    assert new.scenarios[keep].provenance[0].by == ("r1", "r2")
    assert new.scenarios[open_].provenance == ()
    meta = json.loads((tmp_path / "next/meta.json").read_text("utf-8"))
    assert meta["revised"]["rejected"] == {reject: [WHY, WHY]}
    assert meta["revised"]["from"][:2] == ["mine", "1.0.9"]
    assert new.rows == tuple(row for row in old.rows if row.scenario != reject)
    assert new.scenarios[edit].published is None  # or an imported set would show the old text
    assert new.scenarios[keep].published == old.scenarios[keep].published is not None


def test_reviews_of_all_casts_of_a_scenario_count_together(store: Store, data: Path) -> None:
    rows = (data / FILES[3]).read_text("utf-8").splitlines()
    first = json.loads(rows[0])["scenario"]
    whole = (OWN / FILES[3]).read_text("utf-8").splitlines()
    again = [one for one in whole if json.loads(one)["scenario"] == first][1:2]
    (data / FILES[3]).write_text("\n".join([*rows, *again]) + "\n", "utf-8")
    kept = ("keep", "keep", "keep")
    say(store, ("reject", "reject", "keep"), kept, kept, kept, kept)
    # 2 of 6 reject it.
    assert decide_clusters(store, "checks")[first].decision == "keep"


def test_what_cannot_be_revised_is_told(store: Store, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match='"checks" has no review yet'):
        revise(store, "checks", tmp_path / "next")
    kept = ("keep", "keep", "keep")
    say(store, kept, kept, kept, kept)
    with pytest.raises(ConfigError, match="mine is there already; name a new folder"):
        revise(store, "checks", tmp_path / "mine")


def test_nothing_is_written_where_all_is_rejected(store: Store, tmp_path: Path) -> None:
    no = ("reject", "reject", "reject")
    say(store, no, no, no, no)
    with pytest.raises(ConfigError, match="the reviews reject every scenario"):
        revise(store, "checks", tmp_path / "next")
    assert not (tmp_path / "next").exists()


@pytest.mark.parametrize(
    ("version", "following"), [("1", "2"), ("1.0.9", "1.0.10"), ("draft", "draft.2")]
)
def test_the_next_version_has_the_next_number(version: str, following: str) -> None:
    assert next_version(version) == following
