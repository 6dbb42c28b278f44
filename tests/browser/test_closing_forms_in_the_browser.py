"""People in scenes that close by a form get the form that agents get."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from playwright.sync_api import BrowserContext, Page, expect

from looks import held
from play_clients import COOKIE, home, lay_out, secret
from sociolab.core import Answered, Ended, Event, Moved
from sociolab.store import Store
from web_serving import served

HATS = {"kind": "division", "counts": {"hats": 3, "balls": 1}, "walk_away": 2}
GOALS = [{"hats": 3, "balls": 1}, {"hats": 1, "balls": 7}]
"""What a piece is worth to either: 10 points in all."""


def hats(folder: Path, closing: str) -> Path:
    """A data set of one task, in which two hatters divide 3 hats and 1 ball."""
    people = [
        {"id": who.lower(), "first_name": who, "gender": "", "pronouns": "", "age": 30,
         "occupation": "hatter"} for who in ("Ann", "Ben")
    ]  # fmt: skip
    scenario = {
        "id": "hats",
        "family": "division",
        "context": "Two hatters divide what the third has left.",
        "goals": [{"text": "Get things.", "facts": HATS | {"values": one}} for one in GOALS],
        "relationships": ["stranger"],
        "closing": closing,
    }
    task = {"id": "hats", "scenario": "hats", "characters": ["ann", "ben"]}
    lines: dict[str, list[Any]] = {
        "characters": people,
        "relationships": [],
        "scenarios": [scenario],
        "tasks": [task],
    }
    folder.mkdir()
    for name, rows in lines.items():
        text = "".join(f"{json.dumps(row)}\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(text, "utf-8")
    meta = {"name": "hats", "version": "1", "license": "ours"}
    (folder / "meta.json").write_text(json.dumps(meta), "utf-8")
    return folder


def laid_out(tmp_path: Path, closing: str, **plan: Any) -> Path:
    path, data = tmp_path / "store.db", hats(tmp_path / "hats", closing)
    lay_out(path, data=str(data), limit=1, **plan)
    return path


def begin(page: Page, window: BrowserContext, address: str) -> None:
    window.add_cookies([{"name": COOKIE, "value": secret("p1"), "url": address}])
    page.goto(f"{address}{home('chat', 'p1')}/play")
    page.get_by_role("button", name="I am ready").click()


def events(path: Path) -> tuple[Event, ...]:
    with Store.open(path) as store:
        (row,) = (row for row in store.trials("chat") if row.status == "played")
        return tuple(store.events("chat", row.trial.id))


def test_a_person_submits_a_deal_and_the_partner_has_to_answer(
    tab: Page, window: BrowserContext, tmp_path: Path
) -> None:
    path = laid_out(tmp_path, "deals")
    with served(path) as address:
        begin(tab, window, address)
        expect(tab.get_by_text("What you say settles nothing by itself")).to_be_visible()
        tab.get_by_label("Submit deal").check()
        tab.get_by_label("Hats").fill("4")
        tab.get_by_label("Balls").fill("0")
        tab.get_by_role("button", name="Send").click()
        expect(tab.get_by_text("Turn 1 of 6")).to_be_visible()  # there are 3 hats
        tab.get_by_label("Hats").fill("1")
        held(tab, "play-deal")
        tab.get_by_role("button", name="Send").click()
        expect(tab.locator("#done").get_by_text("It is over: a deal was accepted.")).to_be_visible()
    moves = [event for event in events(path) if isinstance(event, Moved)]
    assert moves[0].actions[0].fields == {"hats": 1, "balls": 0}
    assert events(path)[-1] == Ended("deal", 1, "ben")


def test_a_person_selects_when_the_talk_is_over(
    tab: Page, window: BrowserContext, tmp_path: Path
) -> None:
    path = laid_out(tmp_path, "selections")
    with served(path) as address:
        begin(tab, window, address)
        tab.get_by_label("Leave").check()
        tab.get_by_role("button", name="Leave the scene").click()
        expect(tab.get_by_text("How many hats do you get, of 3?")).to_be_hidden()
        tab.get_by_label("We have a deal").check()
        tab.get_by_label("How many hats do you get, of 3?").fill("3")
        tab.get_by_label("How many balls do you get, of 1?").fill("0")
        held(tab, "play-selection")
        tab.get_by_role("button", name="Send").click()
        expect(tab.locator("#done").get_by_text("You left.")).to_be_visible()
    answers = {e.seat: e.value for e in events(path) if isinstance(e, Answered)}
    # Ben is a scripted player, who reads no words: his form stays blank.
    assert answers == {"ann": {"outcome": "deal", "hats": 3, "balls": 0}}
