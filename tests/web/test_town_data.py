"""What a replay is told in: numbers that say what the trajectory says, and words."""

from __future__ import annotations

import json
from bisect import bisect_right
from pathlib import Path
from typing import Any

import pytest

from puppet_town import TOWN
from sociolab.core import JudgeId
from sociolab.plugin import Replay
from sociolab.store import ScoreRow, Store
from sociolab.town import HEADINGS, Did, Planned, Remembered, Talked
from sociolab.town.trajectory import SimulatedDays
from sociolab.web.town import STATES, arenas_of, encode_map, encode_replay, replay_texts
from sociolab.worlds import stss
from sociolab.worlds.stss.judges import OVERALL
from sociolab.worlds.stss.replays import to_town_score, to_town_task
from stss_tasks import MEDICINE
from trace_cases import Life, lived, talk
from web_towns import CUT, WHOLE, first_trial, town_store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return town_store(tmp_path_factory.mktemp("town"))


@pytest.fixture(scope="module")
def trial(store: Path) -> str:
    return first_trial(store)


def seen(store: Path, trial: str, run: str = WHOLE) -> tuple[Replay, Any]:
    with Store.open(store) as opened:
        found = stss.replay(opened, run, trial)
    return found, json.loads(json.dumps(encode_replay(found)))


# ------------------------------------------------------------------ the numbers


def walked(resident: Any) -> dict[int, tuple[int, int]]:
    """The tile of each step at which a resident comes to another one."""
    step, x, y = resident["stood"]
    tiles, path = {step: (x, y)}, iter(resident["path"])
    for at, length in zip(resident["walks"][::2], resident["walks"][1::2], strict=True):
        for n in range(length):
            right, down = HEADINGS[next(path)]
            x, y = x + right, y + down
            tiles[at + n + 1] = (x, y)
    assert next(path, None) is None
    return tiles


def test_everybody_is_where_the_trajectory_has_them(store: Path, trial: str) -> None:
    found, data = seen(store, trial)
    trajectory = found.lived.trajectory
    for resident in data["residents"]:
        tiles = walked(resident)
        steps = [
            *tiles,
            *(step - 1 for step in tiles if step),
            *range(0, data["clock"]["steps"], 97),
        ]
        order = sorted(tiles)
        for step in steps:
            last = order[bisect_right(order, step) - 1]
            assert trajectory.tile_at(resident["id"], step) == tiles[last]


def test_actions_memories_plans_and_talks_are_all_there(store: Path, trial: str) -> None:
    found, data = seen(store, trial)
    trajectory, texts = found.lived.trajectory, data["texts"]
    for resident in data["residents"]:
        did = [resident["did"][i : i + 6] for i in range(0, len(resident["did"]), 6)]
        assert [
            (step, texts[doing], texts[block], texts[place], texts[thing], STATES[state])
            for step, doing, block, place, thing, state in did
        ] == [
            (one.step, one.doing, one.block, one.place, one.object, one.state)
            for one in trajectory.records(Did, resident["id"])
        ]
        kept = [resident["memories"][i : i + 4] for i in range(0, len(resident["memories"]), 4)]
        assert [(step, texts[kind], texts[text], rated) for step, kind, text, rated in kept] == [
            (one.step, one.kind, one.text, one.importance or 0)
            for one in trajectory.records(Remembered, resident["id"])
        ]
        planned = trajectory.records(Planned, resident["id"])
        assert [len(parts) for parts in resident["plans"][2::3]] == [
            4 * len(one.blocks) for one in planned
        ]
    talks = trajectory.everybody(Talked)
    ids = [one["id"] for one in data["residents"]]
    assert [(step, end, ids[who], ids[other]) for step, end, who, other, *_ in data["talks"]] == [
        (one.step, one.end, one.who, one.other) for one in talks
    ]
    about = {number for number, one in enumerate(data["talks"]) if one[5]}
    assert about == {number for number, one in enumerate(talks) if one in found.about}
    assert 0 < len(about) < len(talks)


def test_those_who_count_are_those_of_the_verdicts(store: Path, trial: str) -> None:
    found, data = seen(store, trial)
    counted = {data["residents"][one["who"]]["id"] for one in data["outcomes"] if one["counts"]}
    assert counted == {one.who for one in found.outcomes if one.counts} != set()
    assert data["task"]["window"] == list(found.window)
    assert data["residents"][data["task"]["performer"]]["id"] == found.task.performer


def test_the_map_is_the_towns_and_names_have_room_inside_their_arena() -> None:
    found: Any = encode_map(TOWN)
    for name, tiles in (("ground", TOWN.ground), ("arena", TOWN.arena)):
        values = zip(found[name][::2], found[name][1::2], strict=True)
        assert [value for value, many in values for _ in range(many)] == tiles.ravel().tolist()
    for number, (sector, name, x, y, width, height) in enumerate(found["places"]):
        assert f"{TOWN.sectors[sector]}: {name}" == str(TOWN.places[number])
        assert (TOWN.arena[y : y + height, x : x + width] == number).all()
        assert width * height > 0
    assert arenas_of(TOWN, "Cafe") == arenas_of(TOWN, "cafe: counter room") == [3]
    assert arenas_of(TOWN, "nowhere") == []


def test_an_l_shaped_arena_gives_its_name_the_larger_arm() -> None:
    from sociolab.town import Place, TownMap

    rows = ("aa...", "aa...", "aaaaa", "aaaaa")
    arena = [[0 if sign == "a" else -1 for sign in row] for row in rows]
    town = TownMap("L", ("S",), (Place("S", "room"),), [[True] * 5] * 4, arena, {})
    made: Any = encode_map(town)
    assert made["places"] == [[0, "room", 0, 2, 5, 2]]


def test_days_that_are_not_over_are_told_as_far_as_they_were_lived(store: Path, trial: str) -> None:
    _, data = seen(store, trial, CUT)
    assert data["clock"]["steps"] == 7200
    assert data["clock"]["days"] == ["Monday 13 May 2024"]
    assert data["outcomes"] == []
    assert data["task"]["window"][0] > 7200


# ------------------------------------------------------------------ the words


def test_errands_failures_and_judges_are_told_in_words() -> None:
    bea = (
        Life("bea")
        .goes("tue 10:00", "Clinic: pharmacy", "buy medicine")
        .goes("tue 10:30", "Park: meadow")
    )
    asked = talk("mon 09:00", "ada", "bea", "Could you buy medicine for me?", "Yes.")
    given = lived(Life("ada"), bea, *map(Life, ("cid", "dan", "eve", "fay")), asked)
    found = stss.score(MEDICINE, given)
    judge, none = JudgeId("strict", "model"), (None, None, None)
    why = "the trace ends too early"
    place = OVERALL, None, None
    failed = ScoreRow("t", None, judge, 0, *place, "failure", None, "incomplete", 1, *none, why)
    kept = ScoreRow("t", None, judge, 1, *place, "score", 0.5, None, None, *none, "because")
    told = replay_texts(
        Replay(
            lived=SimulatedDays(TOWN, given, {"bea": "Bea Moor"}),
            task=to_town_task(MEDICINE),
            residents=(),
            window=found.window,
            score=to_town_score(found),
            why="why",
            outcomes=stss.resident_outcomes(found, 10),
            about=(),
            verdicts=(failed, kept),
            other_rules=False,
        )
    )
    assert told["errands"] == (
        ("buy medicine", "Bea Moor, Tue 14 May 10:05"),
        ("bring medicine", "nobody who had been told of it"),
    )
    assert (told["event"], told["score"]) == ("Tue 14 May, at any time", "0.5")
    first, second = told["verdicts"]
    assert (first.value, first.reason, first.failed) == (
        "missing: incomplete",
        "the trace ends too early",
        True,
    )
    assert (second.value, second.judge) == ("0.5", "strict (LLM judge), judging 2")
    row = next(one for one in told["counted"] if one.counts)
    assert (row.name, row.since, row.at) == ("Bea Moor", "Tue 14 May 10:05", "2024-05-14T10:05:00")
