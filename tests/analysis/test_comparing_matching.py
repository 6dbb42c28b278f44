"""Which plays are pairs: worked out on plays written down by hand."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

import pytest

from casts import seated
from sociolab.analysis import ComparedSide, MatchCounts, Value, compare_agents, match_sides
from sociolab.core import ConfigError, JudgeId, Measure

GOAL = Measure("goal", 0, 10, title="GOAL")
JUDGE = ("j", JudgeId("j", "model"))


def value(
    task: str,
    seat: str | None,
    agent: str,
    partner: str | None,
    goal: float | None,
    repeat: int = 0,
    trial: str = "t",
) -> Value:
    return Value(
        "r", "sotopia", trial, task, f"scene of {task}", None, repeat, seat, agent, partner, "j",
        "goal", goal,
    )  # fmt: skip


def side(
    agent: str, *values: Value, casts: Mapping[str, tuple[str, ...]] | None = None
) -> ComparedSide:
    sat = {
        trial: tuple(seated(f"s{i}", label) for i, label in enumerate(labels))
        for trial, labels in (casts or {}).items()
    }
    return ComparedSide(agent, "r", agent, values, sat)


def pairs(a: ComparedSide, b: ComparedSide) -> list[tuple[float | None, float | None]]:
    """The values of the pairs that share task, seat, partner and repeat."""
    with suppress(ConfigError):
        blocks = match_sides(a, b, "exact").blocks["goal"]
        return [(one.sides[0][0].value, one.sides[1][0].value) for one in blocks]
    return []


def test_the_two_seats_of_one_episode_are_never_a_pair() -> None:
    a = side("x", value("lamp", "ann", "x", "y", 7))
    b = side("y", value("lamp", "bob", "y", "x", 3))
    assert pairs(a, b) == []


def test_the_same_task_seat_partner_and_repeat_are_a_pair() -> None:
    a = side(
        "x",
        value("lamp", "ann", "x", "p", 7),
        value("lamp", "ann", "x", "p", 8, repeat=1),
        value("lamp", "bob", "x", "p", 6),
        value("bike", "bob", "x", "p", 5),
    )
    b = side(
        "y",
        value("lamp", "ann", "y", "p", 2, repeat=1),
        value("lamp", "ann", "y", "p", 1),
        value("bike", "bob", "y", "p", 4),
    )
    assert pairs(a, b) == [(7, 1), (8, 2), (5, 4)]


def test_with_a_partner_in_common_plays_with_another_are_no_pairs() -> None:
    a = side("x", value("lamp", "ann", "x", "p", 7), value("lamp", "ann", "x", "x", 9))
    b = side("y", value("lamp", "ann", "y", "p", 1), value("lamp", "ann", "y", "y", 3))
    assert match_sides(a, b).by == "partner"
    assert pairs(a, b) == [(7, 1)]


def test_an_agent_against_the_partner_that_it_met() -> None:
    a = side("x", value("lamp", "ann", "x", "p", 7), value("lamp", "bob", "x", "p", 6))
    b = side("p", value("lamp", "ann", "p", "p", 2), value("lamp", "bob", "p", "p", 3))
    assert pairs(a, b) == [(7, 2), (6, 3)]


def test_agents_that_played_with_themselves_are_matched_by_role() -> None:
    a, b = (
        side("x", value("lamp", "ann", "x", "x", 7)),
        side("y", value("lamp", "ann", "y", "y", 1)),
    )
    assert match_sides(a, b).by == "role"
    assert pairs(a, b) == [(7, 1)]


def test_playing_with_oneself_does_not_answer_to_playing_with_another() -> None:
    a, b = (
        side("x", value("lamp", "ann", "x", "x", 7)),
        side("y", value("lamp", "ann", "y", "q", 1)),
    )
    assert pairs(a, b) == []


def test_whole_episodes_in_either_seat_are_told_apart_by_who_sat_where() -> None:
    casts = {"one": ("x", "p"), "two": ("p", "x")}
    other = {"one": ("y", "p"), "two": ("p", "y")}
    a = side("x", value("lamp", None, "x", "p", 7, trial="one"),
             value("lamp", None, "x", "p", 5, trial="two"), casts=casts)  # fmt: skip
    b = side("y", value("lamp", None, "y", "p", 1, trial="two"),
             value("lamp", None, "y", "p", 2, trial="one"), casts=other)  # fmt: skip
    assert pairs(a, b) == [(7, 2), (5, 1)]


def test_whole_episodes_in_one_seat_answer_to_those_of_the_partner_itself() -> None:
    a = side("x", value("lamp", None, "x", "p", 7, trial="one"), casts={"one": ("x", "p")})
    b = side("p", value("lamp", None, "p", "p", 1, trial="two"), casts={"two": ("p", "p")})
    assert pairs(a, b) == [(7, 1)]


def test_three_at_a_table_are_matched_by_who_else_sat_there() -> None:
    casts = {"one": ("x", "p", "q"), "two": ("x", "q", "p")}
    other = {"one": ("y", "q", "p"), "two": ("y", "p", "q")}
    a = side("x", value("lamp", "s0", "x", None, 7, trial="one"),
             value("lamp", "s0", "x", None, 5, trial="two"), casts=casts)  # fmt: skip
    b = side("y", value("lamp", "s0", "y", None, 1, trial="one"),
             value("lamp", "s0", "y", None, 2, trial="two"), casts=other)  # fmt: skip
    assert pairs(a, b) == [(7, 2), (5, 1)]


def test_plays_that_cannot_be_told_apart_are_refused() -> None:
    twice = side("x", value("lamp", "s0", "x", "p", 7), value("lamp", "s0", "x", "p", 6),
                 casts={"t": ("x", "p")})  # fmt: skip
    with pytest.raises(ConfigError, match="several episodes of the task lamp"):
        match_sides(twice, side("y", value("lamp", "s0", "y", "p", 7), casts={"t": ("y", "p")}))


def test_what_was_left_over_and_what_is_missing_is_counted() -> None:
    a = side(
        "x",
        value("lamp", "ann", "x", "p", 7),
        value("bike", "ann", "x", "p", None),
        value("noise", "ann", "x", "p", 4),
        value("only", "ann", "x", "p", 4),
    )
    b = side(
        "y",
        value("lamp", "ann", "y", "p", 7),
        value("bike", "ann", "y", "p", 3),
        value("noise", "ann", "y", "p", None),
    )
    found = compare_agents("sotopia", a, b, JUDGE, {"goal": GOAL})
    assert found.counts == {"play": MatchCounts(4, 3, 3, 3, 3, "seat")}
    goal = found.metrics["goal"]
    assert goal.missing == (1, 1)
    assert (goal.test.pairs, goal.test.only_a, goal.test.only_b) == (1, 2, 1)
    assert goal.unlike == 0


def test_without_a_single_pair_nothing_is_compared() -> None:
    a, b = (
        side("x", value("lamp", "ann", "x", "y", 7)),
        side("y", value("lamp", "bob", "y", "x", 1)),
    )
    with pytest.raises(ConfigError, match="no episode of x can be paired with one of y"):
        compare_agents("sotopia", a, b, JUDGE, {"goal": GOAL})


def test_the_order_of_the_values_does_not_matter() -> None:
    rows = [value(f"t{i}", "ann", "x", "p", i % 7) for i in range(20)]
    others = [value(f"t{i}", "ann", "y", "p", i % 5) for i in range(20)]
    one = compare_agents("sotopia", side("x", *rows), side("y", *others), JUDGE, {"goal": GOAL})
    two = compare_agents(
        "sotopia", side("x", *rows[::-1]), side("y", *others[::-1]), JUDGE, {"goal": GOAL}
    )
    assert one.metrics["goal"].test.p == two.metrics["goal"].test.p
    assert one.metrics["goal"].test.difference.value == pytest.approx(
        two.metrics["goal"].test.difference.value
    )
