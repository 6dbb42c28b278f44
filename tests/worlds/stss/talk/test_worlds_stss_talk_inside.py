"""Units that are worth a test alone, from inside: worlds/stss/talk."""

from __future__ import annotations

import json

from sociolab.worlds import stss
from sociolab.worlds.stss.talk.dataset import OWN
from sociolab.worlds.stss.talk.playing import known_places
from worlds.stss.talk.talk_scenarios import (
    PUBLIC,
    scenario,
)


def test_the_shipped_set_is_the_one_that_its_meta_describes() -> None:
    data = stss.own_talks()
    meta = json.loads((OWN / "meta.json").read_text("utf-8"))
    assert meta["hash"] == data.hash
    assert (meta["name"], meta["version"]) == (data.name, data.version)
    assert meta["scenarios"] == len(data.scenarios) == 325
    command = "sociolab build stss-talk --seeds 1-10 --total 325 --name alderbrook-talks --out "
    assert meta["command"].startswith(command)


def test_a_scenario_is_a_line_of_a_few_kilobytes() -> None:
    lines = (OWN / "scenarios.jsonl").read_bytes().splitlines()
    assert len(lines) == 325
    assert sum(map(len, lines)) / len(lines) < 12_288  # about a tenth of it is what was said before
    assert max(map(len, lines)) < 16_000


def test_the_report_is_that_of_the_set() -> None:
    data = stss.own_talks()
    text = stss.count_talks(data.scenarios).as_markdown(
        f"{data.name} {data.version}", stss.describe_counts(data)
    )
    assert (OWN / "report.md").read_text("utf-8") == text
    assert "325 conversation tasks of 30 social tasks" in text


KITE = scenario(PUBLIC)


def test_one_knows_whole_sectors_and_single_rooms_home_first_and_each_once() -> None:
    knows = ("Lantern Cafe: terrace", "Nowhere", "Lantern Cafe", "Alder Hall: stage", "Moon: sea")
    resident = KITE.performer.resident.model_copy(update={"knows": knows})
    places = {"Lantern Cafe": ("counter room", "terrace"), "Alder Hall": ("stage", "main hall")}
    assert known_places(resident, places) == (
        resident.living_area,
        "Lantern Cafe: terrace",
        "Lantern Cafe: counter room",
        "Alder Hall: stage",
    )
