"""The HTML page of some runs, with some of their transcripts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from sociolab.analysis.values import values_of
from sociolab.app.conclusions.neighbours import with_steps
from sociolab.app.crediting.credited import credited
from sociolab.app.finding.worlds import world_of
from sociolab.report.html import ShownRun, write_html
from sociolab.report.leaderboard import boards, boards_section
from sociolab.report.result import ResultDetails, RunResult, distributions_of, read_distributions
from sociolab.report.section import Section
from sociolab.report.transcript_view import evenly_chosen, extremes, leading, views_of
from sociolab.store.store import Store

EPISODES = 6
"""How many transcripts of a run a page holds, chosen evenly from the plan."""
AGENTS = 4
"""Of how many agents the page also holds the lowest and the highest episode."""


def write_page(
    store: Store,
    results: Sequence[RunResult | ResultDetails],
    path: Path,
    sections: Sequence[Section] = (),
) -> None:
    """Write the page: `sections`, which somebody asked for, then several runs side by side where
    they can be compared, then each run. ConfigError where the place cannot be written.

    Of `ResultDetails`, judgings are not read once more.
    """
    plain = [one.result if isinstance(one, ResultDetails) else one for one in results]
    several = boards(plain) if len(plain) > 1 else ()
    ranked = with_steps(store, several, partial(values_of, store))
    beside = (boards_section(ranked),) if len(plain) > 1 else ()
    runs = [shown_run(store, one) for one in results]
    write_html(path, runs, (*sections, *beside))


def shown_run(store: Store, found: RunResult | ResultDetails) -> ShownRun:
    """A run with the values of its plays (read, if they are not at hand), some episodes evenly
    chosen, and its extreme ones."""
    if isinstance(found, ResultDetails):
        result, spreads = found.result, distributions_of(found.said)
    else:
        result, spreads = found, read_distributions(store, found)
    picked = {
        *evenly_chosen(store, result.run, EPISODES),
        *(
            point.trial
            for extreme in extremes(leading(result, spreads))[:AGENTS]
            for point in (extreme.lowest, extreme.highest)
        ),
    }
    in_plan = [trial for trial in store.trial_ids(result.run) if trial in picked]
    transcript = credited(store, result.run, world_of(result.world).transcript)
    return ShownRun(result, views_of(store, result.run, transcript, in_plan), spreads)
