"""A stranger's world in which three seats act at once: contract, credit and sheets."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.request import urlopen

import pytest
from typer.testing import CliRunner

from public_goods import GIVERS, NAMES, PublicGoods
from sociolab.cli import app
from sociolab.core import (
    Action,
    ActionKind,
    ActionSpace,
    Declared,
    Ended,
    Moved,
    Player,
    Task,
    World,
)
from sociolab.endpoint import ChatBody, EndpointSettings, start_in_thread
from sociolab.judging.controls import opening
from sociolab.store import Store
from sociolab.studies.screen import explain_end_early
from sociolab.testing import WorldContract, play_task
from web_serving import served

SHEET = """
[gives]
title = "Gives"
question = "Do they give anything?"
look = "Look at the points."
"""


class TestItKeepsTheContract(WorldContract):
    def world(self) -> World:
        return PublicGoods()


class TestWithItsOwnPlayersToo(WorldContract):
    def world(self) -> World:
        return PublicGoods()

    def players(self, task: Task) -> Mapping[str, Player]:
        return GIVERS


def reads(chat: ChatBody) -> str:
    """For whom each line moves its own speaker's goal, and nobody gives anything."""
    text = chat.messages[-1].text
    if "# What is asked" not in text:
        no = {"reasoning": "so it is", "quotes": [], "answer": "no"}
        return json.dumps({f"person_{n}": {"gives": no} for n in (1, 2, 3)})
    told, asked = text.split("# What is asked")
    lines = re.findall(r"(?m)^(\d+)\. (\w+): (.*)$", told.split("# What happened")[1])
    sheets = {
        field: {
            "goal": [
                {"turn": int(number), "quote": words, "reason": "a step", "effect": 1}
                for number, who, words in lines
                if who == name
            ]
        }
        for field, name in re.findall(r"(?m)^(person_\d+): (\w+): ", asked)
    }
    return json.dumps(sheets)


def test_who_is_asked_at_the_end_reads_how_it_ended_whoever_ended_it() -> None:
    """Of those who act at once the last on record need not be the one who ended it."""
    stop = ActionKind("stop", has_text=False, ends="deal")
    space = ActionSpace((*PublicGoods().scene.space.kinds, stop))
    gives = Action("say", "Hm.")
    moves = [Moved(0, seat, (Action("stop") if seat == "a" else gives,)) for seat in "abc"]
    declared = Declared(ends={"deal": "they agreed"})
    assert explain_end_early(moves, "b", 3, space, declared) == "It is over: they agreed."


def test_an_opening_ends_with_the_round_in_which_all_have_acted() -> None:
    world = PublicGoods()
    cut = opening(play_task(world, world.tasks()[0], GIVERS))
    assert cut is not None
    assert cut.ended == Ended("turn limit", 0)
    assert [move.seat for move in cut.moves] == [*NAMES]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a judge; while this is open the world is there."""
    info = tmp_path / "public_goods-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: public-goods\nVersion: 1\n")
    (info / "entry_points.txt").write_text(
        "[sociolab.worlds]\npublic-goods = public_goods:plugin\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("SOCIOLAB_HOME", str(tmp_path / "lab"))
    with start_in_thread(EndpointSettings(responder=reads)) as running:
        yield running.url


def test_credit_and_sheets_are_for_the_seat_whose_line_it_was(
    installed: str, tmp_path: Path
) -> None:
    def sociolab(*args: object) -> str:
        done = CliRunner().invoke(app, [*map(str, args), "--store", str(tmp_path / "s.db")])
        assert done.exit_code == 0, done.output
        return done.stdout

    sociolab("run", "public-goods", "--agent", "scripted", "--judge", "none", "--name", "r")
    at, out = ("--judge", "openai/j", "--base-url", installed), tmp_path / "turns.jsonl"
    found = json.loads(sociolab("credit", "r", *at, "--metric", "goal", "--out", out, "--json"))
    assert {play["seat"]: (play["name"], play["sum"]) for play in found["plays"]} == {
        seat: (name, 2) for seat, name in NAMES.items()
    }
    rows = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert [(row["seat"], row["turn"], row["credit"]["goal"]) for row in rows] == [
        (seat, turn, 1) for turn in (1, 2) for seat in NAMES
    ]
    assert all(row["observation"] for row in rows)
    shown = sociolab("show", rows[0]["episode"], "--run", "r")
    notes = re.findall(r"(?:Ada|Bea|Cem)(?=: give)|(?<=goal of )(?:Ada|Bea|Cem) \+1", shown)
    assert notes == [
        one for _ in range(2) for name in NAMES.values() for one in (name, f"{name} +1")
    ]
    read = f"runs/r/episodes/{rows[0]['episode']}"
    with served(tmp_path / "s.db") as at_web, urlopen(f"{at_web}/{read}", timeout=30) as answer:
        page = answer.read().decode()
    assert page.count('class="credit said"') == len(rows), "each credit stands by one line"
    assert page.count('id="line-1"') == 1
    (tmp_path / "mine.toml").write_text(SHEET, "utf-8")
    sociolab("judge", "r", *at, "--sheet", tmp_path / "mine.toml")
    with Store.open(tmp_path / "s.db") as store:
        verdicts = [one for row in store.verdicts.judgings("r") for one in row.verdicts]
    assert {one.seat for one in verdicts if one.measure.name == "gives"} == {*NAMES}
