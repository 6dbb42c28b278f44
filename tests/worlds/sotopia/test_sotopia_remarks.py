"""What `sociolab data check` tells the author of a data set that can be played."""

from __future__ import annotations

from dataclasses import replace

from sociolab.worlds.sotopia.dataset import DataSet
from sociolab.worlds.sotopia.remarks import remarks
from sociolab.worlds.sotopia.scenarios import Goal, OptionGoal, Scenario
from sotopia_cases import character, data_set

NONE_CHECKED = "no scenario has goals with a formula"


def with_scenario(**changes: object) -> DataSet:
    data = data_set()
    old = data.scenarios["market"]
    changed = Scenario.model_validate(old.model_dump() | changes)
    return replace(data, scenarios={changed.id: changed}, rows=data.rows[:1])


def test_a_data_set_without_oddities_is_told_what_rules_can_check() -> None:
    assert remarks(data_set()) == (NONE_CHECKED,)
    goal = Goal(text="Go.", facts=OptionGoal(subject="when", options={"noon": 1, "six": 2}))
    (told,) = remarks(with_scenario(goals=(goal.model_dump(), goal.model_dump())))
    assert told == "scenarios with goals that have a formula: 1 (option 1)"


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
    told = remarks(with_scenario(goals=goals))[1]
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
    assert remarks(more)[1:] == (
        "scenarios without a task (1): moon",
        "characters without a task (1): seat2",
    )


def test_two_people_of_one_name_in_a_task_are_told() -> None:
    data = data_set()
    twin = character(0).model_copy(update={"id": "seat1"})
    told = remarks(replace(data, characters={**data.characters, "seat1": twin}))[1]
    assert told.startswith("tasks that cast two people of one name, told apart by their ids (6): ")
    assert told.endswith("; and 2 more")
