from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from alderbrook import flat_town
from sociolab.core import ConfigError, DataId
from sociolab.town import TownMap, own_map, own_residents
from sociolab.worlds import stss

PEOPLE = frozenset(resident.id for resident in own_residents())

Change = Callable[[dict[str, Any]], object]


@cache
def ours() -> stss.TownData:
    return stss.own_town(1)


def same_map(one: TownMap, other: TownMap) -> bool:
    return stss.format_map(one) == stss.format_map(other) and all(
        np.array_equal(getattr(one, field), getattr(other, field))
        for field in ("walkable", "arena", "ground", "within_reach")
    )


def test_our_town_has_thirty_tasks_of_a_seed() -> None:
    assert len(ours().tasks) == 30
    assert Counter(task.type for task in ours().tasks) == dict(
        zip(stss.TASK_TYPES, (10, 5, 5, 5, 5), strict=True)
    )
    assert ours().id == DataId("alderbrook", "2", ours().hash)
    assert all(task.days == stss.DAYS for task in ours().tasks)
    assert f"{stss.DAYS[0]:%A} {stss.DAYS[1]:%A}" == "Monday Tuesday"


def test_the_hash_tells_tasks_people_and_maps_apart() -> None:
    data = ours()
    other = [
        stss.own_town(2),
        replace(data, residents=data.residents[::-1]),
        replace(data, tasks=data.tasks[:-1]),
        replace(data, town=flat_town("Hut: bed")),
    ]
    assert len({data.hash, *(one.hash for one in other)}) == 5
    assert stss.own_town(1).hash == data.hash


def test_a_written_town_is_read_back_whole(tmp_path: Path) -> None:
    stss.write_town(tmp_path / "town", ours())
    found = stss.read_town(tmp_path / "town")
    assert found.id == ours().id
    assert (found.residents, found.tasks) == (ours().residents, ours().tasks)
    assert same_map(found.town, own_map())
    for place in own_map().places:
        assert found.town.objects(place) == own_map().objects(place)


def test_a_further_field_of_meta_is_passed_over_and_empty_lines_too(tmp_path: Path) -> None:
    stss.write_town(tmp_path, ours())
    meta = json.loads((tmp_path / "meta.json").read_text())
    (tmp_path / "meta.json").write_text(json.dumps(meta | {"license": "CC-BY-4.0"}))
    tasks = (tmp_path / "tasks.jsonl").read_text()
    (tmp_path / "tasks.jsonl").write_text("\n" + tasks + "\n\n")
    assert stss.read_town(tmp_path).hash == ours().hash


def place_is(name: str) -> Change:
    return lambda row: row.update(place=name)


REFUSALS: list[tuple[str, str, Change, str]] = [
    ("place", "kite-evening", place_is("Heron Park: tower"), 'found "Heron Park: tower"'),
    ("no place", "strawberry-tea", place_is(""), "expected a place"),
    (
        "errand's place",
        "honey",
        lambda row: row["errands"][1].update(place="Nowhere"),
        'found "Nowhere"',
    ),
    (
        "performer",
        "strawberry-tea",
        lambda row: row.update(performer="nobody"),
        'resident in "performer", found "nobody"',
    ),
    (
        "guest",
        "strawberry-tea",
        lambda row: row["background"].append("nobody"),
        'resident in "background", found "nobody"',
    ),
    (
        "guest twice",
        "strawberry-tea",
        lambda row: row["background"].append(row["background"][0]),
        "expected everybody once",
    ),
    (
        "performer as guest",
        "strawberry-tea",
        lambda row: row["background"].append(row["performer"]),
        "expected the performer outside the background",
    ),
    ("day", "strawberry-tea", lambda row: row.update(day="2024-05-15"), "found 2024-05-15"),
    (
        "no partner",
        "duet-rehearsal",
        lambda row: row.update(partner=""),
        "expected the partner of the appointment",
    ),
    (
        "unknown partner",
        "duet-rehearsal",
        lambda row: row.update(partner="nobody"),
        'resident in "partner", found "nobody"',
    ),
    (
        "absent partner",
        "duet-rehearsal",
        lambda row: row["background"].remove(row["partner"]),
        "expected the partner in the background",
    ),
    ("one errand", "honey", lambda row: row["errands"].pop(), "expected 2 errands"),
    (
        "errands",
        "strawberry-tea",
        lambda row: row.update(errands=[{"what": "a", "keywords": ["a"], "place": "Alder Hall"}]),
        "expected 0 errands",
    ),
    (
        "errand without keywords",
        "honey",
        lambda row: row["errands"][0].update(keywords=[]),
        "keywords: expected at least 1 item",
    ),
    ("keywords", "strawberry-tea", lambda row: row.update(keywords=[]), "expected keywords"),
    (
        "blank keyword",
        "strawberry-tea",
        lambda row: row.update(keywords=[" "]),
        "expected keywords",
    ),
    ("start", "kite-evening", lambda row: row.update(start=""), "expected a start"),
    ("online start", "online-chess", lambda row: row.update(start=""), "expected a start"),
    ("odd start", "online-chess", lambda row: row.update(start="8 pm"), "start"),
    ("unknown field", "strawberry-tea", lambda row: row.update(colour="red"), "colour"),
    ("doubled id", "strawberry-tea", lambda row: row.update(id="kite-evening"), "occurs twice"),
]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stss") / "town"
    stss.write_town(folder, ours())
    return folder


def refusal(folder: Path, tasks: list[str]) -> str:
    """What is said of the written town with these lines as its tasks."""
    path = folder / "tasks.jsonl"
    before = path.read_text()
    path.write_text("\n".join(tasks) + "\n")
    try:
        stss.read_town(folder)
    except ConfigError as error:
        return str(error)
    finally:
        path.write_text(before)
    return ""


@pytest.mark.parametrize(
    ("task", "change", "said"),
    [(task, change, said) for _, task, change, said in REFUSALS],
    ids=[name for name, *_ in REFUSALS],
)
def test_a_task_that_cannot_be_is_refused_with_its_line(
    written: Path, task: str, change: Change, said: str
) -> None:
    lines = (written / "tasks.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    number = next(n for n, row in enumerate(rows) if row["id"] == task)
    change(rows[number])
    lines[number] = json.dumps(rows[number])
    found = refusal(written, lines)
    assert said in found
    assert f"tasks.jsonl, line {number + 1}: " in found


@given(task=st.sampled_from(range(30)), place=st.text())
def test_no_place_but_those_of_the_map_is_taken(task: int, place: str) -> None:
    one = ours().tasks[task].model_copy(update={"place": f"? {place}"})
    (found,) = stss.task_faults(one, PEOPLE, own_map())
    assert "expected a place on the map of Alderbrook" in found


@given(
    task=st.sampled_from(range(30)),
    day=st.dates() | st.dates(min_value=date(2024, 5, 11), max_value=date(2024, 5, 16)),
)
def test_a_day_is_taken_if_and_only_if_it_is_lived(task: int, day: date) -> None:
    one = ours().tasks[task].model_copy(update={"day": day})
    assert (stss.task_faults(one, PEOPLE, own_map()) == ()) == (day in stss.DAYS)


def test_an_unsound_town_is_not_written(tmp_path: Path) -> None:
    stranger = ours().tasks[0].model_copy(update={"performer": "nobody"})
    for data in (replace(ours(), tasks=(stranger,)), replace(ours(), tasks=())):
        with pytest.raises(ConfigError, match=r"tasks\.jsonl"):
            stss.write_town(tmp_path / "town", data)
    with pytest.raises(ConfigError, match=r"residents\.jsonl, line 1: .*living_area"):
        stss.write_town(tmp_path / "town", replace(ours(), town=flat_town("Hut: bed")))
    assert not (tmp_path / "town").exists()


@pytest.mark.parametrize("name", ["meta.json", "map.json", "residents.jsonl", "tasks.jsonl"])
def test_a_missing_or_broken_file_is_told_by_its_name(tmp_path: Path, name: str) -> None:
    stss.write_town(tmp_path, ours())
    (tmp_path / name).write_text('{"what": 1}\n')
    with pytest.raises(ConfigError, match=name):
        stss.read_town(tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises(ConfigError, match=f"{name} cannot be read"):
        stss.read_town(tmp_path)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"Hut: bed"', '"Hut"'),
        ('"0*1 1*1"', '"0*1 1*2"'),
        ('"0*1 1*1"', '"0*1 9*1"'),
        ('"0*1 1*1"', '"0 1"'),
        ('".."', '"."'),
        ('"0,0"', '"0;0"'),
        ('"0,0"', '"9,9"'),
        ('"name": "Flatby"', '"called": "Flatby"'),
    ],
)
def test_a_broken_map_is_refused_with_its_source(old: str, new: str) -> None:
    text = stss.format_map(flat_town("Hut: bed", "Hut: loft"))
    assert stss.read_map(text, "here").name == "Flatby"
    assert old in text
    with pytest.raises(ConfigError, match="here"):
        stss.read_map(text.replace(old, new, 1), "here")


# ------------------------------------------------------------------ goals and their fields


def row_of(folder: Path, task: str) -> dict[str, Any]:
    rows = map(json.loads, (folder / "tasks.jsonl").read_text().splitlines())
    return next(row for row in rows if row["id"] == task)


def said_of(folder: Path, task: str, **changed: object) -> str:
    return refusal(folder, [json.dumps(row_of(folder, task) | changed)])


def test_a_goal_is_a_template_over_the_fields_of_its_task(written: Path) -> None:
    row = row_of(written, "kite-evening")
    changed = row | {
        "wording": "template",
        "goal": "{performer}: a {activity} at {place}, {start} to {end}, {date}, {expected} {{!}}.",
        "performer": "huw-pritchard",
        "background": [who for who in row["background"] if who != "huw-pritchard"],
        "place": "Heron Park: meadow",
        "start": "23:15",
        "minutes": 60,
    }
    path = written / "tasks.jsonl"
    before = path.read_text()
    path.write_text(json.dumps(changed))
    try:
        (task,) = stss.read_town(written).tasks
    finally:
        path.write_text(before)
    assert task.goal == (
        f"Huw Pritchard: a {row['activity']} at Heron Park: meadow, 23:15 to 00:15, Tuesday "
        f"14 May 2024, {task.expected} {{!}}."
    )


@pytest.mark.parametrize(
    ("goal", "said"),
    [
        ("Hold a kite evening.", "expected a goal that uses the fields of its task"),
        ("Be at {where}.", 'found "where"'),
        ("Be at {place.upper}.", 'found "place.upper"'),
        ("Be at {place!r}.", "expected fields among performer"),
        ("Be at {place", "expected the goal as a template"),
        ("Meet {partner} at {place}.", "expected a value for {partner}"),
        ("Come to {place} at 6 am.", 'the goal says "06:00", and the fields say "1'),
    ],
)
def test_a_goal_that_uses_no_field_or_another_is_refused(
    written: Path, goal: str, said: str
) -> None:
    assert said in said_of(written, "kite-evening", goal=goal, wording="template")


CONTRADICTIONS: list[tuple[str, str, Change, str]] = [
    ("hour", "kite-evening", lambda row: row.update(start="06:00"), "the goal says"),
    ("end", "kite-evening", lambda row: row.update(minutes=5), "the goal says"),
    ("time left open", "duet-rehearsal",
     lambda row: row.update(goal=f"{row['goal']} At 15:00."), "no time"),
    ("day", "kite-evening", lambda row: row.update(day="2024-05-13"), 'the goal says "Tuesday"'),
    ("date", "kite-evening", lambda row: row.update(day="2024-05-13"), 'the goal says "05-14"'),
    ("place", "kite-evening", lambda row: row.update(place="Alder Hall"), '"Heron Park: meadow"'),
    ("number", "kite-evening", lambda row: row["background"].pop(0) and row["background"].pop(0),
     "expected of"),
    ("performer", "kite-evening",
     lambda row: row.update(performer=row["background"][0], background=row["background"][1:]),
     "the performer"),
    ("partner", "duet-rehearsal",
     lambda row: row.update(partner=next(w for w in row["background"] if w != row["partner"])),
     "the goal says"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("task", "change", "said"),
    [(task, change, said) for _, task, change, said in CONTRADICTIONS],
    ids=[name for name, *_ in CONTRADICTIONS],
)
@pytest.mark.parametrize("wording", ["free text", "imported"])
def test_free_text_that_contradicts_the_fields_is_refused_and_imported_text_is_reported(
    written: Path, task: str, change: Change, said: str, wording: str
) -> None:
    row = row_of(written, task) | {"wording": wording}
    change(row)
    if wording == "free text":
        found = refusal(written, [json.dumps(row)])
    else:
        path = written / "tasks.jsonl"
        before = path.read_text()
        path.write_text(json.dumps(row))
        try:
            *lines, last = stss.read_town(written).remarks
        finally:
            path.write_text(before)
        assert "1 of 1 goals are free text" in last
        assert "the rest is not checked" in last
        found = "\n".join(lines)
    assert said in found
    assert f'tasks.jsonl, line 1: task "{task}": the goal says' in found


def test_days_that_do_not_follow_one_another_are_refused(written: Path) -> None:
    for days in (["2024-05-12", "2024-05-14"], ["2024-05-14", "2024-05-13"]):
        assert "days that follow one another" in said_of(written, "kite-evening", days=days)


def test_all_that_is_wrong_with_a_town_is_told_at_once(tmp_path: Path) -> None:
    stss.write_town(tmp_path, ours())
    tasks = (tmp_path / "tasks.jsonl").read_text().splitlines()
    for number, changed in ((0, {"performer": "nobody", "place": "Moon"}), (2, {"colour": 1})):
        tasks[number] = json.dumps(json.loads(tasks[number]) | changed)
    (tmp_path / "tasks.jsonl").write_text("\n".join([*tasks, "{", '{"id": "x", "minutes": 0}']))
    with pytest.raises(ConfigError) as refused:
        stss.read_town(tmp_path)
    lines = str(refused.value).replace(f"{tmp_path}/tasks.jsonl, line ", "").splitlines()
    assert [line.partition(":")[0] for line in lines if "missing" not in line] == [
        "1", "1", "3", "31", "32",
    ]  # fmt: skip
    people = (tmp_path / "residents.jsonl").read_text().splitlines()
    people[3] = json.dumps(json.loads(people[3]) | {"age": -1})
    people[5] = json.dumps(json.loads(people[5]) | {"knows": ["Moon"]})
    (tmp_path / "residents.jsonl").write_text("\n".join(people))
    with pytest.raises(ConfigError) as refused:
        stss.read_town(tmp_path)
    lines = str(refused.value).splitlines()
    assert {line.partition(": ")[0].rpartition("/")[2] for line in lines} == {
        "residents.jsonl, line 4", "residents.jsonl, line 6", "tasks.jsonl, line 3",
        "tasks.jsonl, line 31", "tasks.jsonl, line 32",
    }  # fmt: skip
