"""Verdicts as scores of Inspect: unknown ones are NaN, and their share is a metric of its own."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from sociolab.core.errors import missing_extra
from sociolab.core.score import JudgeId, Score, Unscored, Verdict, judge_title

try:
    from inspect_ai.scorer import SampleScore, Score as InspectScore, mean, metric, stderr
except ImportError as _missing:
    raise missing_extra("scores for Inspect need", "inspect", "inspect-ai") from _missing

CLUSTER = "cluster"
"""The metadata of a sample by which standard errors are clustered."""

COVERAGE = "coverage"

Judgings = Mapping[JudgeId, Sequence[Verdict]]
"""The verdicts on an episode, by judge."""


@dataclass(frozen=True, slots=True)
class Naming:
    """What a metric is called: by its name alone, if the `first` judge that was named gives it. Of
    its metrics, the world's `main` ones come before all others."""

    first: JudgeId | None
    main: tuple[str, ...]
    prefix: str = ""

    def place(self, judge: JudgeId, measure: str) -> int:
        leads = judge == self.first and measure in self.main
        return self.main.index(measure) if leads else len(self.main)

    def row(self, judge: JudgeId, measure: str) -> str:
        return f"{self.prefix}{measure}" + ("" if judge == self.first else f" ({judge.label})")


def inspect_scores(judgings: Judgings, own: Sequence[str], naming: Naming) -> dict[str, Any]:
    """The scores of the agent in its `own` seats, by name: the mean of what is known, else NaN.

    Where no value is due there is no score. `coverage` is the share of the due values that are
    known; the values of all seats stand in the metadata.
    """
    rows: dict[tuple[str, JudgeId], list[Verdict]] = defaultdict(list)
    every = [(judge, verdict) for judge, verdicts in judgings.items() for verdict in verdicts]
    for judge, verdict in sorted(every, key=lambda one: naming.place(one[0], one[1].measure.name)):
        if not (isinstance(verdict, Unscored) and verdict.kind == "not applicable"):
            rows[naming.row(judge, verdict.measure.name), judge].append(verdict)
    scores: dict[str, Any] = {}
    counts: dict[str, tuple[int, int]] = {}
    for (name, judge), of_all in rows.items():
        due = [verdict for verdict in of_all if verdict.seat in (None, *own)]
        known = [float(verdict.value) for verdict in due if isinstance(verdict, Score)]
        if due:
            values = {
                one.seat or "episode": one.value if isinstance(one, Score) else None
                for one in of_all
            }
            scores[name] = InspectScore(
                value=fmean(known) if known else float("nan"),
                explanation="\n\n".join(f"**{one.seat or 'Episode'}**: {_why(one)}" for one in due),
                metadata={"judge": judge_title(judge.label, judge.method), "values": values},
            )
            counts[name] = (len(known), len(due))
    return scores | {COVERAGE: coverage_score(counts)}


def _why(verdict: Verdict) -> str:
    match verdict:
        case Score(value=value, reason=reason):
            return f"{value:g}. {reason}"
        case Unscored(why=why, kind=kind):
            return f"unknown ({kind}): {why}"
    return f"failed ({verdict.cause}): {verdict.problem}"


def coverage_score(counts: Mapping[str, tuple[int, int]], problem: str = "") -> Any:
    """How many values are known, of how many that are due; of an episode that failed, with the
    `problem`, none."""
    known, due = (sum(pair[place] for pair in counts.values()) for place in (0, 1))
    lacking = ", ".join(name for name, (some, of) in counts.items() if some < of)
    return InspectScore(
        value=0.0 if problem else known / due if due else float("nan"),
        explanation=problem or (f"Not known: {lacking}" if lacking else "All known"),
        metadata={"counts": {name: list(pair) for name, pair in counts.items()}},
    )


@metric(name=COVERAGE)
def coverage() -> Any:
    """By metric, the share of the due values that are known; an episode that failed counts as one
    in which all were due."""

    def compute(scores: list[SampleScore]) -> Any:
        if not scores:  # of a metric that is known nowhere
            return {"known": 0.0}
        counts = [(each.score.metadata or {}).get("counts") for each in scores]
        known: Counter[str] = Counter()
        due: Counter[str] = Counter()
        for sample in counts:
            for name, (some, of) in (sample or {}).items():
                known[name] += some
                due[name] += of
        failed = sum(sample == {} for sample in counts)
        total = len(counts) / (len(counts) - failed) if due else 1.0
        return {name: known[name] / (of * total) for name, of in due.items()}

    return compute


METRICS = [mean(), stderr(cluster=CLUSTER), coverage()]
