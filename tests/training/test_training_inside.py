"""Units that are worth a test alone, from inside: training."""

from __future__ import annotations

import pytest

from sociolab.core import ConfigError
from sociolab.training.examples import parse_share
from sociolab.training.export import draw_heldout

SCENARIOS = [("sotopia", f"s{n}") for n in range(400)]


def test_as_many_are_held_out_as_come_nearest_to_the_share_and_more_share_only_adds() -> None:
    few, more = draw_heldout(SCENARIOS, 0.1, 0), draw_heldout(SCENARIOS, 0.3, 0)
    assert (len(few), len(more)) == (40, 120)
    assert few < more
    assert few != draw_heldout(SCENARIOS, 0.1, 1)
    assert few == draw_heldout(SCENARIOS[::-1], 0.1, 0)
    assert sorted(name for _, name in few)[:3] == ["s0", "s107", "s128"], (
        "a split that was published stays"
    )
    sizes = [len(draw_heldout(SCENARIOS[:n], 0.3, 0)) for n in (1, 2, 4, 5, 10, 30)]
    assert sizes == [0, 1, 1, 2, 3, 9]


def test_other_scenarios_move_the_cut_and_no_more() -> None:
    before, after = draw_heldout(SCENARIOS[:200], 0.3, 0), draw_heldout(SCENARIOS, 0.3, 0)
    among = after & set(SCENARIOS[:200])
    assert among <= before or among >= before, "the order stays"


@pytest.mark.parametrize("text", ["task:0.1", "scenario", "scenario:", "scenario:2", "0.1"])
def test_a_split_that_is_none_is_a_sentence(text: str) -> None:
    with pytest.raises(ConfigError, match="scenario:SHARE"):
        parse_share(text)
