"""Where two metrics that score the same by different rules differ, task by task, and why."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from sociolab.report.catalogue import Catalogue
from sociolab.report.finding import Finding
from sociolab.report.result import RunResult
from sociolab.report.section import Section
from sociolab.store.store import Store
from sociolab.store.verdicts import ScoreRow

SAY = Catalogue("two_rules")


def two_rules(
    store: Store, result: RunResult, rename: Mapping[str, str] | None = None
) -> Section | None:
    """The episodes of a run in which its world's `two_rules` give other scores, with the reason of
    the second; None if the world declares none, or no episode has both scores."""
    names = result.declared.two_rules
    scores: dict[tuple[str, str], dict[str, ScoreRow]] = defaultdict(dict)
    for name in names:
        for row in store.verdicts.scores(result.run, measure=name, kind="score"):
            if row.trial is not None:
                scores[row.judge.label, row.trial][name] = row
    both = {key: tuple(rows.values()) for key, rows in scores.items() if len(rows) == len(names)}
    if not both:
        return None
    trials = {row.trial.id: row.trial for row in store.trials(result.run)}
    one, other = (result.measure(name).title for name in names)
    different = [
        Finding(
            about={
                "task": trials[trial].task.id,
                "agent": (rename or {}).get(agent := trials[trial].cast[0].agent, agent),
                "judge": judge,
            },
            more={"first": first.value, "second": second.value, "why": second.text},
        )
        for (judge, trial), (first, second) in both.items()
        if first.value != second.value
    ]
    sentence = SAY("differ", n=len(different), all=len(both))
    tables = (SAY.table("episodes", different, first=one, second=other),) if different else ()
    return Section(SAY("title", first=one, second=other), (sentence,), (), tables)
