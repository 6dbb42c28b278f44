"""A data set as files: what is read, and what is refused with file and line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sociolab.core.errors import ConfigError
from sociolab.worlds.sotopia.dataset import FILES, load
from sociolab.worlds.sotopia.scenarios import RelationshipType
from sociolab.worlds.sotopia.scene import Casting
from sociolab.worlds.sotopia.world import casting_of
from sotopia_cases import casting, character

CHARACTERS, RELATIONSHIPS, SCENARIOS, TASKS = FILES

Rows = dict[str, list[dict[str, Any]]]


def rows() -> Rows:
    scenario = casting().scenario.model_dump(mode="json") | {"tags": ["calm", "market"]}
    return {
        CHARACTERS: [character(n).model_dump(mode="json") for n in range(3)],
        RELATIONSHIPS: [{"a": "seat1", "b": "seat0", "type": "friend", "tie": "old friends"}],
        SCENARIOS: [scenario],
        TASKS: [
            {"id": "t1", "scenario": "market", "characters": ["seat0", "seat1"], "tags": ["calm"]},
            {"id": "t2", "scenario": "market", "characters": ["seat2", "seat1"]},
        ],
    }


def write(folder: Path, files: Rows) -> Path:
    (folder / "meta.json").write_text('{"name": "mine", "version": "1", "license": "CC BY 4.0"}')
    for name, found in files.items():
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in found))
    return folder


def test_tasks_come_in_file_order_and_hold_all_that_they_need(tmp_path: Path) -> None:
    found = load(write(tmp_path, rows()))
    first, second = found.tasks()
    assert (first.id, second.id) == ("t1", "t2")
    assert first.seats == ("seat0", "seat1")
    assert first.cluster == "market"
    assert first.tags == ("other", "calm", "market")
    cast = casting_of(first)
    assert [person.id for person in cast.characters] == ["seat0", "seat1"]
    assert cast.between("seat0", "seat1").type is RelationshipType.FRIEND
    assert casting_of(second).between("seat1", "seat2").type is RelationshipType.STRANGER


def test_the_casting_of_a_task_is_what_its_content_says(tmp_path: Path) -> None:
    files = rows()
    files[TASKS][0]["relationship"] = "romantic"
    for task in load(write(tmp_path, files)).tasks():
        assert casting_of(task) == Casting.model_validate_json(task.content)


def test_a_task_may_set_the_relationship_of_its_cast(tmp_path: Path) -> None:
    files = rows()
    files[TASKS][0]["relationship"] = "romantic"
    cast = casting_of(load(write(tmp_path, files)).tasks()[0])
    assert cast.between("seat0", "seat1").type is RelationshipType.ROMANTIC


def test_the_hash_covers_every_file_and_where_each_ends(tmp_path: Path) -> None:
    first = load(write(tmp_path, rows())).id.hash
    assert load(tmp_path).id.hash == first
    for name in (*FILES, "meta.json"):
        path = tmp_path / name
        content = path.read_bytes()
        path.write_bytes(content + b"\n")
        assert load(tmp_path).id.hash != first, name
        path.write_bytes(content)
    (tmp_path / CHARACTERS).write_bytes((tmp_path / CHARACTERS).read_bytes() + b"\n")
    after = load(tmp_path).id.hash
    (tmp_path / CHARACTERS).write_bytes((tmp_path / CHARACTERS).read_bytes()[:-1])
    (tmp_path / RELATIONSHIPS).write_bytes(b"\n" + (tmp_path / RELATIONSHIPS).read_bytes())
    assert load(tmp_path).id.hash != after


def _twice(files: Rows) -> None:
    files[CHARACTERS].append(files[CHARACTERS][0])


def _same_pair(files: Rows) -> None:
    files[RELATIONSHIPS].append({"a": "seat0", "b": "seat1", "type": "family"})


def _with_oneself(files: Rows) -> None:
    files[RELATIONSHIPS].append({"a": "seat2", "b": "seat2", "type": "family"})


def _unknown_scenario(files: Rows) -> None:
    files[TASKS][1]["scenario"] = "moon"


def _unknown_character(files: Rows) -> None:
    files[TASKS][1]["characters"] = ["seat0", "zoe"]


def _too_many(files: Rows) -> None:
    files[TASKS][1]["characters"] = ["seat0", "seat0", "seat1"]


def _too_few(files: Rows) -> None:
    files[TASKS][1]["characters"] = ["seat0", "seat0"]


def _bad_age(files: Rows) -> None:
    files[CHARACTERS][2]["age"] = 400


def _odd_field(files: Rows) -> None:
    files[SCENARIOS][0]["mood"] = "grim"


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (_twice, r'characters\.jsonl, line 4: the id "seat0" occurs twice'),
        (_same_pair, r"relationships\.jsonl, line 2: expected a new pair of two"),
        (_with_oneself, r"relationships\.jsonl, line 2: expected a new pair of two"),
        (_unknown_scenario, r'task 2 \(t2\): there is no scenario with the id "moon"'),
        (_unknown_character, r'task 2 \(t2\): there is no character with the id "zoe"'),
        (_too_many, r"task 2 \(t2\): expected 2 different characters"),
        (_too_few, r"task 2 \(t2\): expected 2 different characters"),
        (_bad_age, r"characters\.jsonl, line 3: age: input should be less than or equal to 130"),
        (_odd_field, r'scenarios\.jsonl, line 1: "mood" is no field; leave it out'),
    ],
)
def test_what_is_wrong_is_named_with_file_and_line(
    tmp_path: Path, spoil: Callable[[Rows], None], message: str
) -> None:
    files = rows()
    spoil(files)
    with pytest.raises(ConfigError, match=message):
        load(write(tmp_path, files))


def test_facts_that_do_not_fit_each_other_are_refused_by_the_scenario(tmp_path: Path) -> None:
    files = rows()
    price = {"kind": "price", "role": "seller", "item": "a lamp", "listed": 9, "target": 8}
    for goal in files[SCENARIOS][0]["goals"]:
        goal["facts"] = price
    with pytest.raises(ConfigError, match=r'scenarios\.jsonl, scenario "market": price: expected'):
        load(write(tmp_path, files))


def test_a_folder_without_the_files_says_what_a_data_set_is(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"there is no meta\.json and no characters") as refused:
        load(tmp_path)
    assert "a data set is a folder with meta.json, characters.jsonl" in str(refused.value)


def test_a_data_set_without_a_task_is_told_how_to_get_some(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"tasks\.jsonl holds no task; .* sociolab data cast"):
        load(write(tmp_path, rows() | {TASKS: []}))


def test_meta_must_name_the_data_set(tmp_path: Path) -> None:
    folder = write(tmp_path, rows())
    for wrong in ("{}", '{"name": "mine", "version": 1}', 'name = "mine"'):
        (folder / "meta.json").write_text(wrong)
        with pytest.raises(ConfigError, match=r"meta\.json: expected .*both of them texts, found"):
            load(folder)


def test_the_mark_that_some_editors_put_before_utf8_is_no_part_of_a_file(tmp_path: Path) -> None:
    folder = write(tmp_path, rows())
    for name in ("meta.json", CHARACTERS, TASKS):
        (folder / name).write_text((folder / name).read_text(), "utf-8-sig")
    assert len(load(folder).tasks()) == 2
