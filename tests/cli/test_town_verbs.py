"""`sociolab town`: picture, replay and strip of one short run, and bad input."""

from __future__ import annotations

import json
import shutil
from functools import cached_property
from pathlib import Path

import pytest
from PIL import Image
from typer.testing import CliRunner

from cli.conftest import Sociolab
from puppet_town import TOWN, TRIO
from sociolab.cli import app
from sociolab.core import JudgeId, Measure, Score
from sociolab.store import Store
from sociolab.worlds import stss
from stss_tasks import PARTY

TASK = stss.SocialTask.model_validate(
    PARTY.model_dump()
    | {"performer": "ben", "background": ("ann", "cid"), "place": "Cafe: counter room"}
)


class Played:
    """A folder with a run of one task in the small town."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = folder / "smallham"
        self.store = folder / "s.db"
        stss.write_town(self.data, stss.TownData("smallham", "1", TOWN, TRIO, (TASK,)))

    def run(self, *args: object) -> str:
        """What a command prints; it must succeed."""
        done = CliRunner().invoke(app, [str(arg) for arg in args])
        assert done.exit_code == 0, (done.output, done.exception)
        return done.output

    def refused(self, *args: object) -> str:
        """The sentence with which a command is refused."""
        done = CliRunner().invoke(app, [str(arg) for arg in args])
        error = done.exception
        return f"{done.output} {error}" if done.exit_code else ""

    def episode_of(self, run: str) -> str:
        """The id of a run's only episode."""
        listed = self.run("list", "episodes", "--run", run, "--store", self.store, "--json")
        found: str = json.loads(listed)["episodes"][0]["episode"]
        return found

    @cached_property
    def episode(self) -> str:
        """The id of the episode that most tests look at."""
        return self.episode_of("plain")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    one = Played(tmp_path_factory.mktemp("town"))
    one.run(
        "run", "stss", "--data", one.data, "--agent", "scripted", "--seed", 1,
        "--set", "step=60", "--max-failed-turns", 1, "--store", one.store, "--name", "plain",
    )  # fmt: skip
    return one


def test_the_full_report_lists_where_the_authors_rule_gives_another_score(
    played: Played, tmp_path: Path
) -> None:
    copy = Path(shutil.copy(played.store, tmp_path / "s.db"))
    with Store.open(copy) as store:
        (trial,) = store.trial_ids("plain")
        scores = [
            Score(Measure("overall", 0, 1, title="overall"), None, 0.5, "Two of four."),
            Score(Measure("goal_authors", 0, 1, title="goal, authors' code"), None, 1, "All four."),
        ]
        store.verdicts.add("plain", JudgeId("by-hand", "rules"), scores, trial=trial)
    told = " ".join(played.run("report", "plain", "--full", "--store", copy).split())
    assert "One quantity, two rules: overall / goal, authors' code" in told
    assert "They differ in 1 of 2 scored episodes." in told
    assert f"{TASK.id} scripted by-hand 0.50 1.00 All four. why: the reason given with" in told


def test_a_picture_of_the_own_town_is_drawn(played: Played) -> None:
    out = played.folder / "own.png"
    said = played.run("town", "picture", "--scale", 4, "--out", out)
    assert "Alderbrook" in said
    with Image.open(out) as image:
        assert image.format == "PNG"
        assert min(image.size) > 300


def test_a_picture_of_an_imported_town_is_drawn(played: Played) -> None:
    out = played.folder / "small.png"
    said = played.run("town", "picture", "--data", played.data, "--out", out)
    assert "Smallham, 5 sectors, 5 arenas" in said
    same = played.folder / "same.png"
    played.run("town", "picture", "--data", played.data / "map.json", "--out", same)
    assert same.read_bytes() == out.read_bytes()
    assert out.exists()


def test_a_replay_tells_who_does_what_where(played: Played) -> None:
    told = played.run(
        "town", "replay", played.episode, "--day", 1, "--from", "06:00", "--until", "22:00",
        "--every", 60, "--store", played.store,
    )  # fmt: skip
    assert "Mon 13 May 06:00" in told
    for name in ("Ann Moor", "Ben Moor", "Cid Moor"):
        assert f"  {name}: " in told


def test_a_replay_follows_whom_one_asks_for(played: Played) -> None:
    told = played.run("town", "replay", played.episode, "--follow", "Cid", "--store", played.store)
    assert "\n  Cid Moor: " in told
    assert "\n  Ann Moor: " not in told


def test_moments_of_a_day_are_drawn(played: Played) -> None:
    out = played.folder / "strip.png"
    played.run("town", "strip", played.episode, "--out", out, "--store", played.store)
    with Image.open(out) as image:
        assert image.format == "PNG"


@pytest.mark.parametrize(
    ("more", "named"),
    [
        (("--day", 3), "--day: expected 1 to 2, found 3"),
        (("--from", "noon"), "--from"),
        (("--until", "25:00"), "--until"),
        (("--follow", "Zoe"), "expected one of ann, ben, cid"),
        (("--run", "gone"), "gone"),
    ],
)
def test_what_is_not_there_cannot_be_replayed(
    played: Played, more: tuple[object, ...], named: str
) -> None:
    said = played.refused("town", "replay", played.episode, *more, "--store", played.store)
    assert named in said


@pytest.mark.parametrize("name", ["day.gif", "day", "none/day.png"])
def test_a_strip_is_written_as_png_where_it_can_be(played: Played, name: str) -> None:
    out = played.folder / name
    said = played.refused("town", "strip", played.episode, "--out", out, "--store", played.store)
    assert ("ends in .png" in said) or ("cannot be written" in said)
    assert not out.exists()


def test_bad_input_exits_with_2_and_one_sentence(sociolab: Sociolab, played: Played) -> None:
    """Through the real entry point; the refusals above are the same errors."""
    done = sociolab("town", "replay", played.episode, "--day", 3, "--store", played.store)
    assert done.code == 2
    assert "--day: expected 1 to 2, found 3" in done.sentence
    assert done.out == ""


def test_an_episode_without_a_town_cannot_be_replayed(played: Played) -> None:
    store = played.folder / "other.db"
    played.run("run", "sotopia", "--limit", 1, "--store", store, "--name", "talk")
    listed = json.loads(played.run("list", "episodes", "--store", store, "--json"))
    episode = listed["episodes"][0]["episode"]
    assert "is of sotopia, which has no town" in played.refused(
        "town", "replay", episode, "--store", store
    )


def test_with_tdp_is_another_run_than_without(played: Played) -> None:
    played.run(
        "run", "stss", "--data", played.data, "--agent", "scripted", "--seed", 1, "--tdp",
        "--background", "scripted", "--set", "step=60", "--max-failed-turns", 1,
        "--store", played.store, "--name", "tdp",
    )  # fmt: skip
    shown = played.run(
        "show", played.episode_of("tdp"), "--run", "tdp", "--as", "ben", "--store", played.store
    )
    assert "to keep in mind" in shown
    plain = played.run(
        "show", played.episode, "--run", "plain", "--as", "ben", "--store", played.store
    )
    assert "to keep in mind" not in plain
