"""`sociolab levels`: printed, as JSON, as a page, and refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.conftest import Sociolab
from sociolab.cli.main import app
from worlds.stss.levels.levels_runs import TALK, TOWN, build


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("levels") / "s.db"
    build(path)
    return path


def shown(store: Path, *more: object) -> str:
    args = ("levels", "--talk", TALK, "--action", TOWN, "--store", store, *more)
    done = CliRunner().invoke(app, [str(arg) for arg in args], env={"COLUMNS": "80"})
    assert done.exit_code == 0, (done.output, done.exception)
    return done.output


def test_both_levels_are_printed(store: Path) -> None:
    told = shown(store)
    assert "Conversation vs. outcome (STSS): scripted · judge: recorded" in told
    assert "In conversation the agent conveys 44 % of what it must convey" in told
    assert "! Why people did not attend is unknown for 1 episode of lived." in told
    assert max(map(len, told.splitlines())) <= 80


def test_json_holds_scores_fates_and_cautions(store: Path) -> None:
    document = json.loads(shown(store, "--json"))
    assert (document["talk"], document["action"]) == (TALK, TOWN)
    recorded = next(one for one in document["agents"] if one["judge"] == "recorded")
    assert recorded["cautions"] == [
        "lived has 1 social task without a conversation in talks: game."
    ]
    every = recorded["types"][-1]
    assert every["type"] == "all"
    assert every["scores"]["conversation_gcsr"]["value"] == pytest.approx(4 / 9)
    assert every["fates"] == {
        "done": 1,
        "no conversation": 2,
        "not conveyed": 2,
        "not noted": 0,
        "not acted on": 1,
    }
    assert (every["wanted"], every["losses_unknown"]) == (4, 1)
    assert recorded["losses_by"] == "rules"


def test_a_page_shows_the_levels_and_both_runs(store: Path, tmp_path: Path) -> None:
    page = tmp_path / "levels.html"
    assert f"wrote {page}" in shown(store, "--html", page).replace("\n", "")
    text = page.read_text("utf-8")
    assert "Conversation vs. outcome (STSS): scripted" in text
    assert "not acted on" in text
    assert TALK in text
    assert TOWN in text


def test_runs_the_wrong_way_round_exit_with_2_and_one_sentence(
    sociolab: Sociolab, store: Path
) -> None:
    done = sociolab("levels", "--talk", TOWN, "--action", TALK, "--store", store)
    assert done.code == 2
    assert "--talk: expected a run of stss-talk, found lived, a run of stss" in done.sentence
