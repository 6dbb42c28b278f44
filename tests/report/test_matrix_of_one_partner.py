"""A matrix of agents and partners is shown where it says more than the table by agent."""

from __future__ import annotations

import pytest

from report.small_run import ALPHA, RUN, SCRIPTED, build
from sociolab import RunResult, result_of
from sociolab.report.score_tables import pair_grids
from sociolab.store import Store


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> RunResult:
    path = tmp_path_factory.mktemp("matrix") / "s.db"
    build(path)
    with Store.open(path) as store:
        return result_of(store, RUN)


def without(result: RunResult, *left: tuple[str, str]) -> RunResult:
    """The run in which some agents never met some partners."""
    kept = tuple(
        entry for entry in result.scores if (entry.agent, entry.by.get("partner")) not in left
    )
    return result.model_copy(update={"scores": kept})


def test_one_partner_for_each_agent_makes_no_matrix(result: RunResult) -> None:
    assert pair_grids(result, details=True)
    apart = without(result, (ALPHA, ALPHA), (SCRIPTED, SCRIPTED))
    assert pair_grids(apart, details=True) == ()
    single = without(result, (ALPHA, ALPHA), (SCRIPTED, SCRIPTED), (SCRIPTED, ALPHA))
    assert pair_grids(single, details=False) == ()


def test_an_agent_that_met_two_keeps_the_matrix(result: RunResult) -> None:
    assert pair_grids(without(result, (SCRIPTED, SCRIPTED)), details=False)
