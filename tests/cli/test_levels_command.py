"""`sociolab levels`: printed, as JSON, as a page, refused, and as a plan that is played."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.conftest import Sociolab
from sociolab.cli import app
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
    recorded = next(one for one in document["agents"] if one["judge"] == "recorded")
    assert (recorded["talk"], recorded["action"], recorded["tdp"]) == (TALK, TOWN, False)
    assert recorded["rule_based"] is True
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


# ------------------------------------------------------------------ as a plan

PLAN = ("levels", "--agent", "scripted", "--tasks", "scenario=club-ledger", "--seed", 1)
CELLS = ["levels-scripted-plain-talk", "levels-scripted-plain-town"]
BOTH_ARMS = [*CELLS, "levels-scripted-tdp-talk", "levels-scripted-tdp-town"]


def test_a_plan_plays_each_cell_once_and_resumes(sociolab: Sociolab, tmp_path: Path) -> None:
    dry = sociolab(*PLAN, "--dry-run", "--store", "s.db", "--json")
    assert [(name, run["played"]) for name, run in dry.document["runs"].items()] == [
        (name, 0) for name in BOTH_ARMS
    ]
    assert not (tmp_path / "s.db").exists()

    first = sociolab(*PLAN, "--arm", "plain", "--store", "s.db", "--json")
    assert [(one["talk"], one["action"]) for one in first.document["agents"]] == [tuple(CELLS)]
    rest = sociolab(*PLAN, "--dry-run", "--store", "s.db", "--json").document["runs"]
    assert {name for name, run in rest.items() if run["played"] == run["trials"]} == {*CELLS}

    whole = sociolab(*PLAN, "--store", "s.db", "--json", "--csv", "f.csv", "--latex", "f.tex")
    assert [one["tdp"] for one in whole.document["agents"]] == [False, True]
    assert whole.document["agents"][0] == first.document["agents"][0]
    dry = sociolab(*PLAN, "--dry-run", "--store", "s.db", "--json")
    assert all(run["played"] == run["trials"] for run in dry.document["runs"].values())
    assert dry.document["calls"] == [0, 0]

    rows = list(csv.DictReader((tmp_path / "f.csv").read_text("utf-8").splitlines()))
    assert {(row["agent"], row["tdp"], row["level"], row["rule_based"]) for row in rows} == {
        ("scripted", tdp, level, "True") for tdp in ("False", "True") for level in ("talk", "town")
    }
    assert "conversation SR" in (tmp_path / "f.tex").read_text("utf-8")


def test_the_price_of_a_plan_is_that_of_its_cells(sociolab: Sociolab, tmp_path: Path) -> None:
    price = '[prices."openai/m"]\ninput = 1.0\noutput = 4.0\n'
    (tmp_path / "models.toml").write_text(price, "utf-8")
    agent = ("levels", "--agent", "openai/m", "--judge", "openai/m", *PLAN[3:], "--arm", "plain")
    found = sociolab(*agent, "--dry-run", "--base-url", "http://127.0.0.1:9/v1", "--json").document
    cases = [run["cases"] for run in found["runs"].values()]
    exams = [exam for run in found["runs"].values() for exam in run["exams"]]
    exam_usd = sum(exam["cost_usd"] for exam in exams)
    assert found["cost_usd"][0] == pytest.approx(
        sum(case[0]["cost_usd"] for case in cases) + exam_usd
    )
    exam_calls = sum(exam["calls"] for exam in exams)
    assert found["calls"][1] == sum(case[1]["calls"] for case in cases) + exam_calls
    assert found["cost_usd"][0] > 0
    assert not (tmp_path / "s.db").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "expected --agent SPEC to play both levels, or --talk RUN and --action RUN"),
        (("--talk", "a"), "found 1 and 0 of them, and no agent"),
        (("--agent", "scripted", "--talk", "a"), "found both; leave one out"),
        (("--agent", "scripted", "--arm", "x"), '--arm: expected plain or tdp, found "x"'),
        (("--agent", "scripted", "--set", "tdp=true"), "expected --arm plain or --arm tdp"),
        (("--agent", "openai/m", "--background", "scripted"), "nothing is scored of openai/m"),
        (("--agent", "scripted", "--agent", "nobody"), 'there is no agent called "nobody"'),
    ],
)
def test_a_wrong_plan_is_refused_before_anything_is_played(
    sociolab: Sociolab, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    done = sociolab("levels", *words, "--store", "s.db")
    assert done.code == 2
    assert said in done.sentence
    assert not (tmp_path / "s.db").exists()
