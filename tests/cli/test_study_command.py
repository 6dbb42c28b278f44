"""`sociolab study`: from nothing to exported data, and to nothing again."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from rating_runs import ADA, RUN, build, open_study
from sociolab import Rating
from sociolab.cli import app
from sociolab.core import ConfigError
from sociolab.store import Store, lock_run
from sociolab.studies import store_ratings


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


def study(*words: str, store: Path | None = None) -> Result:
    at = ["--store", str(store)] if store else []
    return CliRunner().invoke(app, ["study", *words, *at])


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the example of a play study."""
    folder = tmp_path_factory.mktemp("example")
    text = study("example", "play").stdout
    text = text.replace("Name of the researcher, name@example.org", "Ada, ada@lab.edu")
    (folder / "study.toml").write_text(text, "utf-8")
    store = folder / "store.db"
    words = ("create", str(folder / "study.toml"), "--name", "talks")
    assert study(*words, store=store).exit_code == 0
    return store


@pytest.fixture
def made(example: Path, store: Path) -> Path:
    """A copy of that store."""
    return Path(shutil.copy(example, store))


def refused(result: Result) -> str:
    """The sentence of a refusal."""
    assert isinstance(result.exception, ConfigError), result.output
    return str(result.exception)


def invited(store: Path, count: int = 2) -> list[str]:
    out = study("invite", "talks", str(count), "--public-url", "https://x.org/", store=store).stdout
    rows = list(csv.DictReader(io.StringIO(out)))
    assert all(row["link"].startswith("https://x.org/join/") for row in rows)
    return [row["participant"] for row in rows]


def test_a_study_goes_from_an_example_to_its_data(made: Path, tmp_path: Path) -> None:
    who = invited(made, 3)
    assert len(set(who)) == 3
    assert study("open", "talks", store=made).exit_code == 0
    listed = json.loads(study("list", "--json", store=made).stdout)["studies"]
    assert [(one["name"], one["kind"], one["open"]) for one in listed] == [("talks", "play", True)]
    assert listed[0]["people"]["invited"] == 3
    assert listed[0]["planned"] == 8
    assert study("close", "talks", store=made).exit_code == 0
    assert study("export", "talks", str(tmp_path / "out"), store=made).exit_code == 0
    assert (tmp_path / "out/episodes.zip").exists()
    assert "talks" in study("list", store=made).stdout


def test_what_is_written_is_its_owners_alone(made: Path, tmp_path: Path) -> None:
    file, folder = tmp_path / "links.csv", tmp_path / "out"
    folder.mkdir()
    printed = study("invite", "talks", "2", "--out", str(file), store=made)
    assert printed.exit_code == 0
    assert "/join/" not in printed.output
    rows = list(csv.DictReader(io.StringIO(file.read_text("utf-8"))))
    assert [sorted(row) for row in rows] == [["link", "participant"]] * 2
    assert study("export", "talks", str(folder), store=made).exit_code == 0
    files = [file, *folder.iterdir()]
    assert len(files) > 5
    assert {one.stat().st_mode & 0o777 for one in files} == {0o600}
    (tmp_path / "after").touch()
    assert (tmp_path / "after").stat().st_mode & 0o044, "only what these commands write"


def test_more_links_than_places_are_never_made_in_silence(made: Path) -> None:
    assert "more than that" not in study("invite", "talks", "4", store=made).output
    said = " ".join(study("invite", "talks", "20", store=made).output.split())
    assert "The plan has room for 4 people: 8 episodes, 2 per person." in said
    assert "20 participants more than that are invited." in said


def test_links_replace_no_file_and_leave_none_behind(made: Path, tmp_path: Path) -> None:
    file = tmp_path / "links.csv"
    file.write_text("the links of last week")
    for words in (("invite", "talks", "2"), ("reissue", "talks", invited(made)[0])):
        assert "expected a new file" in refused(study(*words, "--out", str(file), store=made))
    assert file.read_text() == "the links of last week"
    with Store.open(made) as opened:
        assert len(opened.studies.participants("talks")) == 2, "no links were made for nobody"
    assert study("invite", "nothing", "2", "--out", str(tmp_path / "x"), store=made).exit_code
    assert not (tmp_path / "x").exists()


def test_a_participant_is_forgotten_by_one_command(made: Path) -> None:
    who = invited(made)
    assert study("forget", "talks", who[0], "--yes", store=made).exit_code == 0
    with Store.open(made) as opened:
        assert [row.id for row in opened.studies.participants("talks")] == [who[1]]


def test_nobody_is_deleted_without_being_asked(made: Path) -> None:
    who = invited(made)
    assert "add --yes to confirm" in refused(study("forget", "talks", who[0], store=made))
    assert "add --yes to confirm" in refused(study("delete", "talks", store=made))
    with Store.open(made) as opened:
        assert len(opened.studies.participants("talks")) == 2


def test_nothing_is_deleted_while_the_app_plays(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sociolab.cli.study._RELEASE_SECONDS", 0.2)
    words = (("forget", "talks", invited(made)[0], "--yes"), ("delete", "talks", "--yes"))
    for state, until in (("open", "sociolab study close talks"), ("close", "has ended")):
        assert study(state, "talks", store=made).exit_code == 0
        with lock_run(made, "talks"):
            for each in words:
                said = refused(study(*each, store=made))
                assert "another program uses the run talks" in said
                assert said.rstrip().endswith(until)
    with Store.open(made) as opened:
        assert len(opened.studies.participants("talks")) == 2


def test_a_link_is_replaced(made: Path) -> None:
    who = invited(made)
    again = study("reissue", "talks", who[0], store=made)
    assert again.stdout.count("/join/") == 1
    assert who[0] in again.stdout


def test_a_study_is_deleted_with_its_run(made: Path) -> None:
    assert study("delete", "talks", "--yes", store=made).exit_code == 0
    with Store.open(made) as opened:
        assert opened.studies.all() == ()
        assert not opened.has_run("talks")
    assert study("scrub", store=made).exit_code == 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("example", "sing"), "expected a kind of study"),
        (("create", "nowhere.toml"), "nowhere.toml cannot be read"),
        (("open", "nothing"), 'there is no study called "nothing"'),
        (("invite", "nothing", "1"), 'there is no study called "nothing"'),
        (("export", "nothing", "out"), 'there is no study called "nothing"'),
        (("forget", "talks", "p-x", "--yes"), 'has no participant "p-x"'),
    ],
)
def test_what_cannot_be_done_is_told_in_a_sentence(
    made: Path, words: tuple[str, ...], sentence: str
) -> None:
    at = None if words[0] == "example" else made
    assert sentence in refused(study(*words, store=at))


def test_annotations_that_agree_least_are_listed_marked_and_counted(store: Path) -> None:
    build(store)
    with Store.open(store) as opened:
        open_study(opened, name="raters")
        given = [("r1", 1, "looks fine"), ("r2", 9, "the price was 30, turn 6")]
        ratings = [Rating("fair00", ADA, who, "goal", score, why) for who, score, why in given]
        store_ratings(opened, RUN, "raters", ratings)
    words = ("review", "raters")
    before = study(*words, store=store).stdout
    assert "no batch was drawn yet" in before
    shown = study(*words, "--draw", store=store).stdout
    assert "r1:fair00" in shown
    assert "looks fine" in shown
    marked = study(*words, "--fails", "r1:fair", "quotes nothing", store=store).stdout
    assert "1 failed the guidelines: its 1 rating is kept" in " ".join(marked.split())
    assert "r2:fair00" not in marked, "only the marked one is shown"
    alone = refused(study(*words, "--fails", "r1:fair", store=store))
    assert 'expected --fails RATER:EPISODE "WHY" together, found --fails alone' in alone
    document = json.loads(study(*words, "--json", store=store).stdout)
    assert [(one["rater"], one["meets"], one["why"]) for one in document["annotations"]] == [
        ("r1", False, "quotes nothing"),
        ("r2", None, ""),
    ]
    assert document["annotations"][0]["ratings"][0]["others"] == {"r2": 9.0}
    assert "found several" in refused(study(*words, "--draw", "--meets", "r2:fair00", store=store))
    assert "nothing to draw" in refused(study(*words, "--draw", store=store))
