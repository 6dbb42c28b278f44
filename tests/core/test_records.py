"""The records of core: what cannot be built, and what is read off them."""

from __future__ import annotations

import math

import pytest

from casts import seated
from sociolab.core import (
    Action,
    Ended,
    Episode,
    Measure,
    Moved,
    Score,
    Task,
    Trial,
    Unusable,
    WorldError,
    digest,
    stream,
)
from sociolab.testing import STOCK_ACTIONS

GOAL = Measure("goal", 0, 10, whole=True)
TASK = Task("t", ("a", "b"), "s", "{}")
TRIAL = Trial("id", "w", TASK, (seated("a", "x"), seated("b", "y")), 0, 0)


@pytest.mark.parametrize("value", [-1, 10.5, 11, math.nan, math.inf])
def test_a_score_outside_its_range_cannot_be_built(value: float) -> None:
    with pytest.raises(WorldError, match="goal lies between 0 and 10"):
        Score(GOAL, "a", value)


def test_a_fraction_of_a_whole_measure_cannot_be_built() -> None:
    with pytest.raises(WorldError, match="goal is a whole number"):
        Score(GOAL, "a", 7.5)
    assert Score(Measure("mean", 0, 10), "a", 7.5).value == 7.5


def test_an_empty_range_is_no_measure() -> None:
    with pytest.raises(WorldError, match="the range 1 to 1 is empty"):
        Measure("m", 1, 1)


def test_an_episode_knows_its_moves_its_failed_turns_and_its_end() -> None:
    move = Moved(0, "a", (Action("none"),))
    again = Unusable(1, "b", "act", 1, "unreadable", "p", "r", final=False)
    failed = Unusable(1, "b", "act", 2, "unreadable", "p", "r", final=True)
    aside = Unusable(1, "b", "mood", 1, "unreadable", "p", "r", final=True)
    end = Ended("turn limit", 1)
    episode = Episode(TRIAL, (move, again, failed, aside, end))
    assert episode.moves == (move,)
    assert episode.failed_turns == (failed,)
    assert episode.ended == end
    assert Episode(TRIAL, (move,)).ended is None
    assert Episode(TRIAL, ()).ended is None


def test_a_trial_knows_who_plays_a_seat() -> None:
    assert TRIAL.agent("b") == "y"
    with pytest.raises(KeyError):
        TRIAL.agent("c")


def test_a_kind_of_action_is_found_by_its_name() -> None:
    assert STOCK_ACTIONS["leave"].leaves
    with pytest.raises(KeyError):
        STOCK_ACTIONS["sing"]


def test_streams_are_keyed_by_what_they_are_for() -> None:
    same = [stream(1, "trial", "seat", 3).random() for _ in range(2)]
    assert same[0] == same[1]
    others = {stream(1, "trial", "seat", n).random() for n in range(50)}
    assert len(others) == 50


def test_a_digest_minds_order_borders_and_types() -> None:
    found = {digest("a", "b"), digest("b", "a"), digest("ab"), digest("a", "b", ""), digest("1")}
    assert len(found | {digest(1)}) == 6
    assert len(digest("a", size=16)) == 32
