"""What failed, each kind by its first case: in words, with a count and an episode to look at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from sociolab.core.errors import Cause
from sociolab.report.legible import legible
from sociolab.report.observed import Observed
from sociolab.report.schema import FailedKind, FirstFailure, RunResult
from sociolab.store.runs import TrialRow
from sociolab.store.sqlite import Store
from sociolab.store.verdicts import first_failed_scores

LONGEST = 400
"""Characters: what a model wrote in a failed reply may be a page."""

_KINDS: Mapping[FailedKind, str] = {
    "trials": "Failed trials",
    "turns": "Failed turns",
    "questions": "Failed questions",
    "scores": "Missing scores",
    "calls": "Failed calls",
    "usage": "Impossible token counts",
}

FAULT: Cause = "malformed reply"
"""The cause of a fault in a reply that was used."""


def first_failures(
    store: Store, run: str, trials: Sequence[TrialRow], observed: Observed
) -> tuple[FirstFailure, ...]:
    """The first case of every kind and cause, in plan order; of scores for each judge apart.

    `trials` is the run's plan, `observed` has taken in its episodes.
    """
    return (
        *_first("trials", _failed_trials(trials)),
        *_first("turns", observed.first_turns.values(), observed.failed_turns),
        *_first("questions", observed.first_questions.values(), observed.failed_questions),
        *(
            FirstFailure(
                kind="scores",
                cause=one.cause,
                count=one.count,
                problem=short(one.problem),
                episode=one.trial,
                judge=one.judge,
            )
            for one in first_failed_scores(store, run)
        ),
        *_first("calls", _failed_calls(store, run)),
        *_first("usage", ((FAULT, why, trial) for trial, why in store.call_faults(run))),
    )


def first_words(result: RunResult, kind: FailedKind) -> Iterator[str]:
    """The first cases of a kind, in a sentence each."""
    for one in result.failures.first:
        if one.kind == kind:
            yield f"{_who(one)}, {_where(one)}: {legible(one.problem)}"


def first_pairs(result: RunResult) -> dict[str, str]:
    """The first cases of all kinds as labels and texts, for a page."""
    return {
        f"{_KINDS[one.kind]}: {_who(one)}": f"{legible(one.problem)} ({_where(one)})"
        for one in result.failures.first
    }


def short(text: str) -> str:
    """A problem on one line, cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[:LONGEST].rstrip()}..."


def _who(one: FirstFailure) -> str:
    by = f" of {one.judge}" if one.judge else ""
    return f"{one.cause} {one.count:,}{by}"


def _where(one: FirstFailure) -> str:
    if one.episode is None:
        return "in no single episode"
    return f"in episode {one.episode}" if one.count == 1 else f"first in episode {one.episode}"


def _first(
    kind: FailedKind,
    cases: Iterable[tuple[str, str, str]],
    counts: Mapping[str, int] | None = None,
) -> Iterator[FirstFailure]:
    """The first of each cause; `cases` are cause, problem and episode, all or the first ones.

    Without `counts` these are the cases themselves.
    """
    found: dict[str, tuple[str, str]] = {}
    counted: Counter[str] = Counter()
    for cause, problem, episode in cases:
        found.setdefault(cause, (problem, episode))
        counted[cause] += 1
    known = counted if counts is None else counts
    for cause, (problem, episode) in sorted(
        found.items(), key=lambda one: (-known[one[0]], one[0])
    ):
        yield FirstFailure(
            kind=kind, cause=cause, count=known[cause], problem=short(problem), episode=episode
        )


def _failed_trials(trials: Iterable[TrialRow]) -> Iterator[tuple[str, str, str]]:
    for row in trials:
        if row.status == "failed":
            yield row.cause or "unknown", row.problem or "no reason on record", row.trial.id


def _failed_calls(store: Store, run: str) -> Iterator[tuple[str, str, str]]:
    for failure in store.call_failures(run):
        yield failure.cause, failure.problem, failure.call.trial
