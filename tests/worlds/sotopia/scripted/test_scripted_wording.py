from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from sociolab.worlds.sotopia.scripted.hearing import heard
from sociolab.worlds.sotopia.scripted.wording import (
    bargain,
    division,
    friends,
    options,
    persuade,
    shared,
)
from sociolab.worlds.sotopia.scripted.wording.table import Table

SLOTS = {
    "item": "writing desk",
    "price": "$180",
    "mine": "both ropes and one of the helmets",
    "yours": "two helmets",
    "good": "ropes",
    "whom": "works at Kite Radio and is into chess",
    "friend": "Zelda",
    "subject": "the evening for the choir",
    "option": "Thursday",
    "me": "Mina",
    "name": "Tobias",
    "topic": "charity event",
}
MODULES = (shared, bargain, division, friends, options, persuade)
TABLES = {
    f"{module.__name__.rpartition('.')[2]}.{name}": table
    for module in MODULES
    for name, table in vars(module).items()
    if isinstance(table, Table)
} | {f"shared.VALUES {value}": table for value, table in shared.VALUES.items()}
AGREEING = {"bargain.ACCEPT", "division.ACCEPT", "options.ACCEPT"} | {
    "persuade.TAKE_MIDDLE",
    "persuade.YIELD",
}
AFTER_AN_AGREEMENT = {"division.SEAL", "shared.SETTLED", "shared.SEALED"}


def lines(name: str) -> list[str]:
    return [text.format_map(SLOTS) for text in TABLES[name].texts]


@pytest.mark.parametrize("name", TABLES)
def test_every_line_can_be_filled_in_and_is_short(name: str) -> None:
    for line in lines(name):
        assert 1 <= len(line) <= 165
        assert "{" not in line


@pytest.mark.parametrize("name", TABLES)
def test_every_line_is_recognised_by_its_own_table(name: str) -> None:
    marks = Counter(TABLES[name].marks)
    assert max(marks.values()) == 1
    assert all(TABLES[name].spoke(line) for line in lines(name))


@pytest.mark.parametrize("name", TABLES)
def test_only_lines_that_agree_are_heard_as_agreement(name: str) -> None:
    if name not in AFTER_AN_AGREEMENT:
        assert {heard(line).agrees for line in lines(name)} == {name in AGREEING}


@pytest.mark.parametrize(
    "name", [name for name in TABLES if name.endswith(("WALK", "GAVE_UP", "NONE_FOUND"))]
)
def test_giving_up_is_heard_as_such(name: str) -> None:
    assert all(heard(line).parts for line in lines(name))


@pytest.mark.parametrize(
    "name",
    [name for name in TABLES if name.startswith("bargain.") and "{price}" in TABLES[name].texts[0]],
)
def test_a_price_is_heard_as_it_was_named(name: str) -> None:
    assert all(heard(line).sums == (180.0,) for line in lines(name))


def test_an_answer_is_heard_as_yes_or_no() -> None:
    assert all(heard(line).yes and not heard(line).no for line in lines("friends.YES"))
    assert all(heard(line).no and not heard(line).yes for line in lines("friends.NO"))
    assert all(heard(line).yes for line in lines("friends.CONFIRM"))
    assert all(heard(line).no for line in lines("friends.DENY"))


def test_a_line_that_was_said_is_not_said_again_while_others_are_left() -> None:
    table = Table("One.", "Two {price}.", "Three three.", warm=("Four four.",))
    said = ""
    found = []
    for turn in range(4):
        line = table.line("warm", Random(turn), said, {"price": "$5"})
        found.append(line)
        said += "\n" + line
    assert sorted(found) == ["Four four.", "One.", "Three three.", "Two $5."]
    assert table.line("warm", Random(9), said, {"price": "$5"}) in found


def test_a_tone_that_is_not_ones_own_is_not_used() -> None:
    table = Table("Plain.", warm=("Warm.",), cool=("Cool.",))
    drawn = {table.line("cool", Random(seed), "", {}) for seed in range(40)}
    assert drawn == {"Plain.", "Cool."}
