"""What the SOTOPIA paper states in numbers (arXiv 2310.11667), recomputed with this package."""

from __future__ import annotations

import pytest

from sociolab.core import Moved, Score
from sociolab.testing import AnyPlayer, play_task
from sociolab.worlds import sotopia
from sotopia_cases import casting, task_of, world

RANGES = {
    "goal": (0, 10),
    "believability": (0, 10),
    "knowledge": (0, 10),
    "secret": (-10, 0),
    "relationship": (-5, 5),
    "social_rules": (-10, 0),
    "financial": (-5, 5),
}
"""Section 3."""

TABLE_F1 = {
    "GPT-4": ((-0.36, -0.27, 0.42, 1.86, 3.11, 7.30, 7.63), 2.81),
    "GPT-3.5": ((-0.59, -0.18, 0.27, 1.32, 2.45, 5.19, 6.80), 2.18),
    "Llama-2": ((-0.67, -0.37, 0.12, 0.96, 1.78, 4.27, 4.28), 1.48),
}
"""Human ratings: SOC, SEC, FIN, REL, KNO, GOAL, BEL, and the overall as printed."""


def test_the_seven_dimensions_have_the_ranges_of_section_3() -> None:
    assert {d.name: (d.low, d.high) for d in sotopia.DIMENSIONS} == RANGES
    assert all(dimension.whole for dimension in sotopia.DIMENSIONS)


@pytest.mark.parametrize("model", TABLE_F1)
def test_the_overall_of_table_f1_is_the_unweighted_mean_of_the_seven(model: str) -> None:
    values, printed = TABLE_F1[model]
    assert len(values) == len(sotopia.DIMENSIONS)
    assert Score(
        sotopia.OVERALL, "a", sum(values) / len(sotopia.DIMENSIONS)
    ).value == pytest.approx(printed, abs=0.005)


def test_the_sum_of_gpt_4_in_table_f1_is_19_69() -> None:
    assert sum(TABLE_F1["GPT-4"][0]) == pytest.approx(19.69)
    assert pytest.approx(2.81, abs=0.005) == 19.69 / 7


def test_the_overall_ranges_from_minus_30_to_40_sevenths() -> None:
    assert pytest.approx(-30 / 7) == sotopia.OVERALL.low
    assert pytest.approx(40 / 7) == sotopia.OVERALL.high


def test_there_are_five_kinds_of_action_and_two_of_them_have_no_text() -> None:
    assert [kind.name for kind in sotopia.ACTIONS.kinds] == [
        "speak",
        "non-verbal communication",
        "physical action",
        "none",
        "leave",
    ]
    assert [kind.name for kind in sotopia.ACTIONS.kinds if not kind.has_text] == ["none", "leave"]
    assert sotopia.ACTIONS.most == 1


def test_an_episode_has_at_most_20_turns_and_turn_t_is_seat_t_mod_2() -> None:
    assert sotopia.TURN_LIMIT == 20
    task = task_of(casting())
    episode = play_task(world(), task, dict.fromkeys(task.seats, AnyPlayer(leave_rate=0)))
    assert [event.seat for event in episode.events if isinstance(event, Moved)] == [
        f"seat{turn % 2}" for turn in range(20)
    ]
    assert episode.ended is not None
    assert episode.ended.reason == "turn limit"
