"""`compare --curve`: picks an agent of each run, and follows them in the order given."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sociolab.analysis.agent_names import agent_names
from sociolab.analysis.curve_section import curve_section
from sociolab.analysis.curves import Curve, curve, curve_document
from sociolab.analysis.figures import rounded
from sociolab.app.conclusions.comparable import OpenedRun, cautions_of, check_tasks
from sociolab.app.conclusions.comparing import Wanted, agent_of, judged_by, measures_of, opened_runs
from sociolab.core.errors import ConfigError
from sociolab.report.schema import RunResult
from sociolab.report.section import Section
from sociolab.store.store import Store

SCHEMA = 1

_SIDES = re.compile(r"\bA met\b|\bpair of A\b")
"""In a sentence of a comparison, that it calls its sides A and B."""


@dataclass(frozen=True, slots=True)
class Followed:
    """A curve, the outlines of its runs, and how it reads."""

    outlines: tuple[RunResult, ...]
    found: Curve
    section: Section

    def document(self) -> dict[str, Any]:
        """All of it as one JSON object: see docs/compare.md."""
        return {
            "schema": SCHEMA,
            "kind": "curve",
            "runs": [result.run for result in self.outlines],
            "world": self.outlines[0].world,
            **rounded(curve_document(self.found)),
            "said": list(self.section.said),
            "cautions": list(self.section.cautions),
        }


def follow_runs(store: Store, wanted: Wanted) -> Followed:
    """The agent of each run (`wanted.agent`, or its only one) over the tasks that all played.

    ConfigError for fewer than two runs, and where runs cannot be compared, as `compare_runs` says.
    """
    if len(wanted.runs) < 2:
        raise ConfigError(f"--curve: expected two runs or more, found {len(wanted.runs)}")
    runs, judge = opened_runs(store, wanted)
    measures = measures_of(runs, wanted.measures)
    for later in runs[1:]:
        check_tasks((runs[0], later))
    sides = [run.side(agent_of(run, wanted.agent, "--agent")) for run in runs]
    found = curve(
        runs[0].result.world,
        sides,
        (judge, runs[0].values.judges[judge]),
        measures,
        runs[0].values.declared,
    )
    cautions = dict.fromkeys([*agent_names(store, wanted.runs).notes, *_cautions(runs, found)])
    section = curve_section(found, judged_by(runs, judge), tuple(cautions))
    return Followed(tuple(run.result for run in runs), found, section)


def _cautions(runs: Sequence[OpenedRun], found: Curve) -> Iterator[str]:
    """What beside the agents differs between the first run and each other."""
    for later, against in zip(runs[1:], found.compared, strict=True):
        for sentence in cautions_of((later, runs[0]), against):
            sides = f"A: {against.a.run}, B: {against.b.run}. "
            yield f"{sides if _SIDES.search(sentence) else ''}{sentence}"
