"""Paired tests of neighbours in a ranking: each place against the one above it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from sociolab.analysis.comparison import compare_agents
from sociolab.analysis.matching import ComparedSide
from sociolab.analysis.values import RunValues
from sociolab.core.episode import CastMember
from sociolab.core.errors import ConfigError
from sociolab.report.leaderboard import Board, BoardRow, NeighbourTest, undecided
from sociolab.stats.paired_tests import holm
from sociolab.store.store import Store


def with_steps(
    store: Store, boards: Sequence[Board], read: Callable[[str], RunValues]
) -> tuple[Board, ...]:
    """The boards with each place but the first tested against the one above it.

    `read` gives the values of a run, and is asked once for each run that has a neighbour. Players
    by rules stand in a list of their own. p is by flipping whole clusters, corrected (Holm) over
    all neighbours of a board.
    """
    columns = {(board.terms.judge, board.terms.measure) for board in boards}
    runs = _Runs(store, read, columns)
    return tuple(_test_neighbours(runs, board) for board in boards)


class _Runs:
    """Reads from runs what the boards need, each run once."""

    def __init__(
        self, store: Store, read: Callable[[str], RunValues], columns: Collection[tuple[str, str]]
    ) -> None:
        self._store, self._read, self._columns = store, read, columns
        self._cached: dict[str, tuple[RunValues, dict[str, tuple[CastMember, ...]]]] = {}

    def values_and_casts(self, run: str) -> tuple[RunValues, dict[str, tuple[CastMember, ...]]]:
        """The values that the boards show, and the casts by trial."""
        if run not in self._cached:
            values = self._read(run)
            relevant = tuple(v for v in values.values if (v.judge, v.measure) in self._columns)
            casts = {row.trial.id: row.trial.cast for row in self._store.trials(run)}
            self._cached[run] = replace(values, values=relevant, unscored=()), casts
        return self._cached[run]

    def side(self, board: Board, place: BoardRow) -> ComparedSide:
        """The values of the agent in a place, by the board's judge and metric."""
        values, casts = self.values_and_casts(place.run)
        terms = board.terms
        own = tuple(
            v
            for v in values.values
            if (v.judge, v.measure, v.agent) == (terms.judge, terms.measure, place.agent)
        )
        return ComparedSide(place.agent, place.run, place.agent, own, casts)


def _test_neighbours(runs: _Runs, board: Board) -> Board:
    tests = {
        (name, i): _step(runs, board, above, below)
        for name, places in (("places", board.places), ("baselines", board.baselines))
        for i, (above, below) in enumerate(pairwise(places), start=1)
    }
    corrected = holm({key: step.p for key, step in tests.items()})
    steps = {key: replace(tests[key], p=p) for key, p in corrected.items()}
    return replace(
        board,
        places=tuple(_attach_steps("places", board.places, steps)),
        baselines=tuple(_attach_steps("baselines", board.baselines, steps)),
    )


def _attach_steps(
    name: str, places: Sequence[BoardRow], steps: dict[tuple[str, int], NeighbourTest]
) -> Iterator[BoardRow]:
    for i, place in enumerate(places):
        yield replace(place, step=steps.get((name, i)))


def _step(runs: _Runs, board: Board, above: BoardRow, below: BoardRow) -> NeighbourTest:
    if undecided(above.entry, below.entry, board.better):
        return NeighbourTest(0, None, None, undecided=True)
    a, b = runs.side(board, above), runs.side(board, below)
    values, _ = runs.values_and_casts(above.run)
    judge, measure = board.terms.judge, board.terms.measure
    judged, measures = (judge, values.judges[judge]), {measure: values.measures[measure]}
    try:
        comparison = compare_agents(board.terms.world, a, b, judged, measures, values.declared)
    except ConfigError:  # no two plays answer to each other, or it cannot be told which do
        return NeighbourTest(0, None, None)
    if comparison.match == "none":
        return NeighbourTest(0, None, None)
    test = comparison.metrics[measure].test
    return NeighbourTest(
        test.pairs,
        test.difference.value,
        test.holm_p,
        better=board.better,
        by_scenario=comparison.match == "scenario",
    )
