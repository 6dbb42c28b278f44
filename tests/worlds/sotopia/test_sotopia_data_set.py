"""A SOTOPIA data set: read, checked, and remarked on."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sociolab.core import ConfigError
from sociolab.core.reading import json_records
from sociolab.worlds import sotopia
from sociolab.worlds.sotopia.dataset import FILES, remarks
from sociolab.worlds.sotopia.scenarios import DataRecord, find_misfit
from sotopia_cases import casting, character, data_set

# ---------- a data set as files: what is read, and what is refused with file and line


CHARACTERS, RELATIONSHIPS, SCENARIOS, TASKS = FILES
ANY = ["ages", "occupations", "ties"]

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
    found = sotopia.load(write(tmp_path, rows()))
    first, second = found.tasks()
    assert (first.id, second.id) == ("t1", "t2")
    assert first.seats == ("seat0", "seat1")
    assert first.cluster == "market"
    assert first.tags == ("other", "calm", "market")
    cast = sotopia.casting_of(first)
    assert [person.id for person in cast.characters] == ["seat0", "seat1"]
    assert cast.between("seat0", "seat1").type is sotopia.RelationshipType.FRIEND
    assert (
        sotopia.casting_of(second).between("seat1", "seat2").type
        is sotopia.RelationshipType.STRANGER
    )


def test_the_casting_of_a_task_is_what_its_content_says(tmp_path: Path) -> None:
    files = rows()
    files[TASKS][0]["relationship"] = "romantic"
    for task in sotopia.load(write(tmp_path, files)).tasks():
        assert sotopia.casting_of(task) == sotopia.SceneCast.model_validate_json(task.content)


def test_a_task_may_set_the_relationship_of_its_cast(tmp_path: Path) -> None:
    files = rows()
    files[TASKS][0]["relationship"] = "romantic"
    cast = sotopia.casting_of(sotopia.load(write(tmp_path, files)).tasks()[0])
    assert cast.between("seat0", "seat1").type is sotopia.RelationshipType.ROMANTIC


def test_the_hash_covers_every_file_and_where_each_ends(tmp_path: Path) -> None:
    first = sotopia.load(write(tmp_path, rows())).id.hash
    assert sotopia.load(tmp_path).id.hash == first
    for name in (*FILES, "meta.json"):
        path = tmp_path / name
        content = path.read_bytes()
        path.write_bytes(content + b"\n")
        assert sotopia.load(tmp_path).id.hash != first, name
        path.write_bytes(content)
    (tmp_path / CHARACTERS).write_bytes((tmp_path / CHARACTERS).read_bytes() + b"\n")
    after = sotopia.load(tmp_path).id.hash
    (tmp_path / CHARACTERS).write_bytes((tmp_path / CHARACTERS).read_bytes()[:-1])
    (tmp_path / RELATIONSHIPS).write_bytes(b"\n" + (tmp_path / RELATIONSHIPS).read_bytes())
    assert sotopia.load(tmp_path).id.hash != after


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
        (_bad_age, r"characters\.jsonl, line 3: age: expected at most 130"),
        (_odd_field, r'scenarios\.jsonl, line 1: unknown field "mood"; expected one of id, family'),
    ],
)
def test_what_is_wrong_is_named_with_file_and_line(
    tmp_path: Path, spoil: Callable[[Rows], None], message: str
) -> None:
    files = rows()
    spoil(files)
    with pytest.raises(ConfigError, match=message):
        sotopia.load(write(tmp_path, files))


def test_facts_that_do_not_fit_each_other_are_refused_by_the_scenario(tmp_path: Path) -> None:
    files = rows()
    price = {"kind": "price", "role": "seller", "item": "a lamp", "listed": 9, "target": 8}
    for goal in files[SCENARIOS][0]["goals"]:
        goal["facts"] = price
    with pytest.raises(ConfigError, match=r'scenarios\.jsonl, scenario "market": price: expected'):
        sotopia.load(write(tmp_path, files))


def test_a_folder_without_the_files_says_what_a_data_set_is(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"there is no meta\.json and no characters") as refused:
        sotopia.load(tmp_path)
    assert "a data set is a folder with meta.json, characters.jsonl" in str(refused.value)


def test_a_data_set_without_a_task_is_told_how_to_get_some(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"tasks\.jsonl holds no task; .* sociolab data cast"):
        sotopia.load(write(tmp_path, rows() | {TASKS: []}))


def test_meta_must_name_the_data_set(tmp_path: Path) -> None:
    folder = write(tmp_path, rows())
    for wrong, told in (
        ("{}", "name is missing"),
        ('{"name": "mine", "version": 1}', "version: expected a string, found 1"),
        ('name = "mine"', "expected a JSON object"),
    ):
        (folder / "meta.json").write_text(wrong)
        with pytest.raises(ConfigError, match=rf"meta\.json: {told}"):
            sotopia.load(folder)


def test_the_mark_that_some_editors_put_before_utf8_is_no_part_of_a_file(tmp_path: Path) -> None:
    folder = write(tmp_path, rows())
    for name in ("meta.json", CHARACTERS, TASKS):
        (folder / name).write_text((folder / name).read_text(), "utf-8-sig")
    assert len(sotopia.load(folder).tasks()) == 2


# ---------- a line that is wrong is told in words for somebody who wrote it by hand


ADA = character(0).model_dump_json()
MARKET = casting().scenario.model_dump_json()


def problem(path: Path, content: str | bytes, kind: type[DataRecord]) -> str:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(ConfigError) as refused:
        list(json_records(path, kind))
    return str(refused.value).removeprefix(f"{path}, ")


def of_person(tmp_path: Path, content: str | bytes) -> str:
    return problem(tmp_path / "characters.jsonl", content, type(character(0)))


def with_facts(facts: str) -> str:
    return MARKET.replace('"facts":null', f'"facts":{facts}', 1)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("- id: ada", "line 1: expected a JSON object (invalid number at column 2), found - id"),
        ("{\n", "line 1: expected a JSON object (EOF while parsing an object at column 1)"),
        (f"[{ADA}]", 'line 1: expected a JSON object, found [{"id"'),
        (f"{ADA}\n\n{{]", "line 3: expected a JSON object"),
    ],
)
def test_what_is_no_json_object_is_told(tmp_path: Path, content: str, told: str) -> None:
    assert of_person(tmp_path, content).startswith(told)


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_another_encoding_is_told_with_the_line(tmp_path: Path, encoding: str) -> None:
    content = f"{ADA}\n{ADA.replace('Mia', 'Mía')}\n".encode(encoding)
    said = of_person(tmp_path, content)
    assert re.match(r"line [12]: expected UTF-8, found the byte 0x\w\w; save the file", said)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"age":31,', "", "line 1: age is missing"),
        ('"age"', '"ages"', 'line 1: unknown field "ages" (did you mean age?)'),
        ('"seat0"', '"se at"', 'line 1: id: expected letters (a to z), digits, ".", "_" and "-"'),
        ("31", '"old"', "line 1: age: expected a whole number"),
    ],
)
def test_a_wrong_field_is_told_without_regular_expressions(
    tmp_path: Path, old: str, new: str, told: str
) -> None:
    assert of_person(tmp_path, ADA.replace(old, new, 1)).startswith(told)


def test_a_field_of_an_inner_record_is_suggested_too(tmp_path: Path) -> None:
    line = MARKET.replace('"text"', '"txt"', 1)
    said = problem(tmp_path / "scenarios.jsonl", line, sotopia.Scenario)
    assert said == 'line 1: unknown field "goals.0.txt" (did you mean text or context?)'


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        ('{"item":"a lamp"}', "goals.0.facts: 'kind' is missing, which says of what kind this is"),
        ('{"kind":"time"}', "goals.0.facts: expected 'kind' to be one of 'price', 'division', "),
    ],
)
def test_facts_of_no_kind_are_told_which_kinds_there_are(
    tmp_path: Path, facts: str, told: str
) -> None:
    assert told in problem(tmp_path / "scenarios.jsonl", with_facts(facts), sotopia.Scenario)


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.jsonl cannot be read: there is no such file"):
        list(json_records(tmp_path / "nowhere.jsonl", sotopia.Scenario))


# ---------- whether the facts of the goals fit each other, as a formula needs them


Facts = dict[str, Any]

SELLER: Facts = {"kind": "price", "role": "seller", "item": "a lamp", "listed": 20, "target": 18}
BUYER = SELLER | {"role": "buyer", "target": 12}
GOODS: Facts = {
    "kind": "division",
    "counts": {"saws": 2, "vices": 1},
    "values": {"saws": 1, "vices": 3},
}
FRIENDS: Facts = {"kind": "friend", "friends": [{"name": n, "about": {}} for n in ("Ylva", "Pia")]}
OTHERS: Facts = {"kind": "friend", "friends": [{"name": n, "about": {}} for n in ("Pia", "Bo")]}
TWICE = {"kind": "option", "subject": "the time", "options": {"noon": 3, "Noon": 9}}
WHEN: Facts = {"kind": "option", "subject": "when", "options": {"noon": 3, "at six": 9}}


def scenario(*facts: Facts | None, text: str = "Get it.") -> sotopia.Scenario:
    return sotopia.Scenario.model_validate(
        {
            "id": "quay",
            "family": "other",
            "context": "Two people meet on the quay.",
            "goals": [{"text": text, "facts": one} for one in facts],
            "relationships": ["stranger"],
        }
    )


@pytest.mark.parametrize(
    "facts",
    [
        (None, None),
        (SELLER, BUYER),
        (BUYER, SELLER),
        (GOODS, GOODS | {"values": {"saws": 0, "vices": 1}}),
        (FRIENDS, OTHERS),
        (WHEN, WHEN | {"options": {"at six": 1, "noon": 2}}, WHEN),
        ({"kind": "ask", "ask": "Come!", "reasons": ["One.", "Two."], "middle": "Later."}, None),
    ],
)
def test_facts_that_fit_are_let_through(facts: tuple[Facts | None, ...]) -> None:
    assert find_misfit(scenario(*facts)) is None


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        ((SELLER, None), "expected facts of one kind in every goal, or in none, found none and"),
        ((SELLER, WHEN), "expected facts of one kind in every goal, or in none, found option and"),
        ((SELLER, SELLER), "expected one seller and one buyer, found seller and seller"),
        ((SELLER, BUYER, BUYER), "one seller and one buyer, found seller and buyer and buyer"),
        ((SELLER, BUYER | {"listed": 9}), "one listed price in all goals, found 9 and 20"),
        ((GOODS, GOODS, GOODS), "between two seats only, found 3"),
        ((GOODS, GOODS | {"counts": {"saws": 3, "vices": 1}}), "the same counts in all goals"),
        ((GOODS, GOODS | {"values": {"saws": 0, "vices": 0}}), "worth something to every seat"),
        ((FRIENDS, {"kind": "friend", "friends": OTHERS["friends"] * 2}), "Pia stands twice"),
        (
            (FRIENDS, {"kind": "friend", "friends": [{"name": n, "about": {}} for n in "AB"]}),
            "none",
        ),
        ((WHEN, WHEN | {"options": {"midday": 3, "at six": 9}}), "found midday and noon in some"),
        ((TWICE, TWICE), '"noon" stands there twice'),
    ],
)
def test_facts_that_contradict_each_other_are_told(
    facts: tuple[Facts | None, ...], told: str
) -> None:
    assert told in (find_misfit(scenario(*facts)) or "")


@pytest.mark.parametrize("tag", ["<p viewer='agent_0'>", "<extra_info>", "</strategy_hint>"])
def test_a_tag_that_hides_nothing_here_is_told(tag: str) -> None:
    assert (find_misfit(scenario(None, None, text=f"Sell it. {tag}Be kind.")) or "").startswith(tag)


@pytest.mark.parametrize(
    "facts",
    [
        SELLER | {"target": float("inf")},
        SELLER | {"listed": 1e300},
        GOODS | {"counts": {"saws": -1, "vices": 1}},
        GOODS | {"counts": {"saws": 10**12, "vices": 1}},
        GOODS | {"counts": {}, "values": {}},
        GOODS | {"values": {"saws": -1, "vices": 1}},
    ],
)
def test_numbers_that_no_goal_can_mean_cannot_be_built(facts: Facts) -> None:
    with pytest.raises(ValueError, match="validation error"):
        scenario(facts, facts)


# ---------- what `sociolab data check` tells the author of a data set that can be played


NONE_CHECKED = "no scenario has goals with a formula"


def with_scenario(**changes: object) -> sotopia.DataSet:
    data = data_set()
    old = data.scenarios["market"]
    changed = sotopia.Scenario.model_validate(old.model_dump() | changes)
    return replace(data, scenarios={changed.id: changed}, rows=data.rows[:1])


def test_a_data_set_without_oddities_is_told_what_rules_can_check() -> None:
    assert remarks(with_scenario(unconstrained=ANY)) == (NONE_CHECKED,)
    goal = sotopia.Goal(
        text="Go.", facts=sotopia.OptionGoal(subject="when", options={"noon": 1, "six": 2})
    )
    goals = (goal.model_dump(), goal.model_dump())
    (told,) = remarks(with_scenario(goals=goals, unconstrained=ANY))
    assert told == "scenarios with goals that have a formula: 1 (option 1)"


def test_scenarios_that_leave_open_whom_they_can_cast_are_named() -> None:
    """A constraint is given or said not to matter; what is excluded is a constraint as well."""
    open_ = "scenarios that leave open whom they can cast; give the constraint"
    told = remarks(with_scenario(ages=[(30, 40), (30, 40)]))[-1]
    assert told.startswith(open_)
    assert told.endswith(" (1): market (occupations, ties)")
    barred = with_scenario(excluded_occupations=[("Jobmark0",), ()], unconstrained=["ages"])
    assert remarks(barred)[-1].endswith(" (1): market (ties)")
    cast_against = remarks(barred)[1]
    assert cast_against.endswith("market.stranger (seat0: jobmark0, wanted: another occupation)")
    with pytest.raises(ValueError, match="ages is constrained and stands in unconstrained"):
        with_scenario(ages=[(30, 40), (30, 40)], unconstrained=["ages"])


def test_a_bargain_that_no_price_can_settle_is_named() -> None:
    def bargain(seller: float, buyer: float) -> tuple[str, ...]:
        price = {"kind": "price", "item": "a hat", "listed": 120}
        goals = [
            {
                "text": f"Sell it for ${seller}.",
                "facts": price | {"role": "seller", "target": seller},
            },
            {"text": f"Buy it for ${buyer}.", "facts": price | {"role": "buyer", "target": buyer}},
        ]
        return remarks(with_scenario(goals=goals, unconstrained=ANY))[1:]

    # 30 % off 100 is 70; 30 % on 50 is 65, on 60 it is 78
    assert bargain(100, 50) == (
        "bargains in which no price is worth more than 0 to both sides (1): market",
    )
    assert bargain(100, 60) == (
        "bargains with prices that are worth more than 0 to both sides: 1 of 1; narrowest: market, "
        "$70.00 to $78.00",
    )


def test_tasks_cast_against_the_wishes_of_their_scenario_are_named_once() -> None:
    wishes = {"relationships": ["family"], "ages": [(50, 60), (50, 60)]}
    told = remarks(with_scenario(**wishes))[1]
    assert told.endswith(" (1): market.stranger (seat0 and seat1 are stranger, wanted: family)")
    told = remarks(with_scenario(ages=[(31, 31), (50, 60)]))[1]
    assert told.endswith("market.stranger (seat1 is 32, wanted: 50 to 60)")
    told = remarks(with_scenario(occupations=[("Jobmark0",), ("actor",)]))[1]
    assert told.endswith("market.stranger (seat1: jobmark1, wanted: actor)")
    told = remarks(with_scenario(ties=["siblings"]))[1]
    assert told.endswith("(seat0 and seat1: tie '', wanted: siblings)")


def test_facts_that_no_player_is_told_are_named() -> None:
    price = {"kind": "price", "item": "a lamp", "listed": 2000, "target": 1050.5}
    goals = [
        {"text": "Sell it for $1,050.50.", "facts": price | {"role": "seller"}},
        {"text": "Pay $900.", "facts": price | {"role": "buyer"}},
    ]
    told = remarks(with_scenario(goals=goals))[2]
    assert told.endswith("lacks what their facts hold (1): market (seat 2: the target of $1050.5)")
    friends = {"kind": "friend", "friends": [{"name": n, "about": {}} for n in ("Pia", "Bo")]}
    goals = [{"text": "Pia and Bo.", "facts": friends}, {"text": "Pia, Tom.", "facts": friends}]
    assert remarks(with_scenario(goals=goals))[1].endswith(" (1): market (seat 2: Bo)")


def test_who_and_what_no_task_uses_is_named() -> None:
    data = data_set()
    idle = character(2)
    unused = data.scenarios["market"].model_copy(update={"id": "moon"})
    more = replace(
        data,
        characters={**data.characters, idle.id: idle},
        scenarios={**data.scenarios, unused.id: unused},
    )
    assert remarks(more)[1:3] == (
        "scenarios without a task (1): moon",
        "characters without a task (1): seat2",
    )


def test_two_people_of_one_name_in_a_task_are_told() -> None:
    data = data_set()
    twin = character(0).model_copy(update={"id": "seat1"})
    told = remarks(replace(data, characters={**data.characters, "seat1": twin}))[1]
    assert told.startswith("tasks that cast two people of one name, told apart by their ids (6): ")
    assert told.endswith("; and 2 more")
