"""All that the page of a run shows, worked out once for each state of the run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sociolab.app.results import shown_run
from sociolab.app.watching.kept import KEPT, Known
from sociolab.report.html import ShownRun, content, page
from sociolab.report.result import details_of, distributions_of, outline_of
from sociolab.report.schema import RunResult
from sociolab.report.transcript_view import Extreme, extremes, leading, titled
from sociolab.store.calls import Totals
from sociolab.store.store import Store


@dataclass(frozen=True, slots=True)
class RunView:
    """A run to be shown. `parts` is what `report.run_page.content` makes for a page.

    `extremes` are each agent's lowest and highest plays in `main`, a measure and its judge.
    """

    result: RunResult
    parts: Mapping[str, Any]
    extremes: tuple[Extreme, ...]
    main: str
    totals: Totals


def run_view(store: Store, run: str) -> RunView:
    """The view of a run of episodes; StoreError or ConfigError if it is none."""
    return KEPT.of(store, run, "view", lambda: _run_view(store, run))


def known_view(store: Store, run: str) -> Known | None:
    """The view that was worked out last, be it of an earlier state of the run; None if none was."""
    return KEPT.known(store, run, "view")


def run_result(store: Store, run: str) -> RunResult:
    """The result of a run of episodes."""
    return run_view(store, run).result


def outline_view(store: Store, run: str) -> RunView:
    """What is known of a run before its episodes are read (see `report.result.outline_of`)."""
    result = outline_of(store, run, store.trials(run))
    return RunView(result, content(1, ShownRun(result)), (), "", store.calls.totals(run))


def run_report(store: Store, run: str) -> str:
    """The run as one HTML page that needs nothing else."""
    return page([shown_run(store, run_result(store, run))])


def _run_view(store: Store, run: str) -> RunView:
    figures = details_of(store, run)
    result, spreads = figures.result, distributions_of(figures.said)
    main = leading(result, spreads)
    return RunView(
        result,
        content(1, ShownRun(result, spreads=spreads)),
        extremes(main),
        titled(result, main),
        store.calls.totals(run),
    )
