"""From the store to the result of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any, get_args

from sociolab.core.episode import Asked
from sociolab.core.errors import StoreError
from sociolab.core.score import JudgeId, Measure, Method
from sociolab.report.columns import Column
from sociolab.report.episodes import run_of_episodes
from sociolab.report.failures import FAULT, first_failures
from sociolab.report.judged import CellValue, Judged, labels_of
from sociolab.report.layout import layout_of
from sociolab.report.macro import with_macro
from sociolab.report.observed import SPOKEN, Observed, cost_column
from sociolab.report.plays import (
    Play,
    PlayKey,
    asked_in,
    asked_of,
    plays_of,
    whole_plays_of,
)
from sociolab.report.schema import (
    SCHEMA,
    AgentFailures,
    Data,
    Failures,
    JudgeEntry,
    MeasureEntry,
    RunResult,
    ScoreEntry,
    Tokens,
)
from sociolab.report.scores import Said, cell_entry, entries, readings, said_of
from sociolab.store.outcomes import Counts
from sociolab.store.sqlite import Store
from sociolab.store.trials import TrialRow
from sociolab.store.turns import turns_of

__all__ = ["Figures", "RunResult", "figures_of", "outline_of", "result_of"]


@dataclass(frozen=True, slots=True)
class Figures:
    """A result, and what judges said of each play, which its means are made of."""

    result: RunResult
    said: tuple[Said, ...]


def result_of(store: Store, run: str, *, stopped: str = "") -> RunResult:
    """The result of a run as far as it has come; `stopped` says why it ended early, if it did.

    StoreError if there is no such run. The same store gives the same result, byte for byte.
    """
    return figures_of(store, run, stopped=stopped).result


def figures_of(store: Store, run: str, *, stopped: str = "") -> Figures:
    """The result of a run, as `result_of`, with what its means are made of."""
    row, trials = run_of_episodes(store, run), store.trials(run)
    outline = outline_of(store, run, trials)
    judged, observed = judged_of(store, run), _observed(store, run, trials)
    plays = plays_of(trials)
    own = (
        *observed.columns(),
        *cost_column(store.seat_costs(run), plays, observed.played),
    )
    wholes = whole_plays_of(trials, outline.partner)
    said = said_by(plays, wholes, (*judged.columns(), *own))
    macro = layout_of(row.world).macro
    asked = asked_of(trials, outline.partner, observed.asked)
    failures = outline.failures.model_copy(
        update={
            "turns": _counts(observed.failed_turns),
            "questions": _counts(observed.failed_questions),
            "went_without": _counts(observed.went_without),
            "replies_asked_again": observed.asked_again,
            "agents": _failed_agents(plays, observed),
            "scores": _counts(judged.causes),
            "first": first_failures(store, run, trials, observed),
        }
    )
    result = outline.model_copy(
        update={
            "stopped": stopped,
            "ends": _counts(observed.ends),
            "failures": failures,
            "measures": with_macro(_measures(judged, own), macro),
            "scores": _scores(said, judged.cells(), macro, asked),
            "readings": readings(said),
        }
    )
    return Figures(result, said[: len(said) - len(own)])


def outline_of(store: Store, run: str, trials: Sequence[TrialRow]) -> RunResult:
    """What of a result is known without reading what was played and said: who, what, how far, what
    it took. Its scores, measures and ends are empty, and of failures it has trials and calls.

    `trials` is the run's plan. StoreError if there is no such run.
    """
    row, totals = run_of_episodes(store, run), store.totals(run)
    settings: dict[str, Any] = row.settings if isinstance(row.settings, dict) else {}
    return RunResult(
        schema=SCHEMA,
        run=row.name,
        world=row.world,
        data=_data(settings),
        seed=settings.get("seed"),
        created=datetime.fromtimestamp(int(row.created), UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        agents=tuple(dict.fromkeys(m.agent for t in trials for m in t.trial.cast)),
        partner=_partner(settings),
        trials=row.trials,
        played=row.played,
        failed=row.failed,
        stopped="",
        calls=totals.calls,
        estimated_calls=totals.estimated_calls,
        tokens=Tokens(
            prompt=totals.prompt_tokens,
            completion=totals.completion_tokens,
            cached=totals.cached_tokens,
        ),
        cost_usd=totals.usd,
        seconds=row.seconds,
        ends={},
        failures=Failures(
            trials=_counts(Counter(t.cause or "unknown" for t in trials if t.status == "failed")),
            problems=_problems(trials),
            calls=_counts(Counter(failure.cause for failure in store.call_failures(run))),
            usage={FAULT: faults} if (faults := len(store.call_faults(run))) else {},
        ),
        judges=_judges(row.name, store.judging_counts(run)),
        measures=(),
        scores=(),
        settings=row.settings,
        smoke=settings.get("smoke"),
        versions={"sociolab": _version()},
    )


def turns_asked(store: Store, run: str) -> dict[PlayKey, Asked]:
    """How many turns each play of a run was asked for, and how many of them failed: see
    `Episode.asked`. A play is a seat of a trial, or, without a seat, the whole of it."""
    trials, settings = store.trials(run), store.run(run).settings
    partner = _partner(settings) if isinstance(settings, dict) else None
    return asked_of(trials, partner, _observed(store, run, trials).asked)


def judged_of(store: Store, run: str) -> Judged:
    """All that judges said of a run."""
    judged = Judged()
    for row in store.outcomes(run):
        judged.take(row)
    return judged


def said_by(
    seats: Sequence[Play], wholes: Sequence[Play], columns: Sequence[Column]
) -> tuple[Said, ...]:
    """What these columns say of the plays of a plan, of seats and of whole episodes."""
    return tuple(said_of(wholes if column.whole else seats, column) for column in columns)


def _observed(store: Store, run: str, trials: Sequence[TrialRow]) -> Observed:
    observed = Observed()
    seats = {row.trial.id: row.trial.task.seats for row in trials}
    for turns in turns_of(store, store.run_pk(run), SPOKEN):
        observed.take(seats[turns.trial], turns)
        if turns.troubled:
            observed.take_trouble(store.episode(run, turns.trial))
    for episode in store.episodes(run, "failed"):
        observed.count_failures(episode)
    return observed


def _failed_agents(plays: Sequence[Play], observed: Observed) -> tuple[AgentFailures, ...]:
    """The agents that failed turns, in the order of the plan."""
    mine: dict[str, list[PlayKey]] = {}
    for play in plays:
        mine.setdefault(str(play.agent), []).append(play.key)
    found = {agent: asked_in(observed.asked, keys) for agent, keys in mine.items()}
    return tuple(
        AgentFailures(agent=agent, failed_turns=one.failed, turns_asked=one.asked, of=observed.unit)
        for agent, one in found.items()
        if one.failed
    )


def _scores(
    said: Sequence[Said],
    cells: Sequence[CellValue],
    macro: Sequence[str],
    asked: Mapping[PlayKey, Asked],
) -> tuple[ScoreEntry, ...]:
    of_seats = [one for one in said if not one.column.whole]
    of_episodes = [one for one in said if one.column.whole]
    return (
        *entries(of_seats, macro, asked),
        *entries(of_episodes, macro, asked),
        *(cell_entry(cell) for cell in cells),
    )


def _judges(run: str, found: Mapping[JudgeId, Counts]) -> tuple[JudgeEntry, ...]:
    labels, methods = labels_of(found), get_args(Method)
    for judge in found:
        if judge.method not in methods:  # written down before ids were looked at
            raise StoreError(
                f"{run}: expected judges whose method is one of {', '.join(methods)}, found "
                f'"{judge.method}" of the judge {judge.name}; mend its id, judge under another '
                f"--name, and `sociolab delete {run}`"
            )
    return tuple(
        JudgeEntry(
            judge=labels[judge], method=judge.method, settings=judge.settings, judgings=counts.most
        )
        for judge, counts in found.items()
    )


def _measures(judged: Judged, own: Sequence[Column]) -> tuple[MeasureEntry, ...]:
    found = judged.measures | {column.measure.name: column.measure for column in own}
    return tuple(_measure(measure) for measure in found.values())


def _measure(measure: Measure) -> MeasureEntry:
    return MeasureEntry(
        measure=measure.name,
        title=measure.title or measure.name.replace("_", " "),
        low=measure.low,
        high=measure.high if measure.high < float("inf") else None,
        whole=measure.whole,
    )


def _data(settings: dict[str, Any]) -> Data | None:
    match settings.get("data"):
        case [str(name), str(its_version), str(its_hash)]:
            return Data(name=name, version=its_version, hash=its_hash)
        case _:
            return None


def _partner(settings: dict[str, Any]) -> str | None:
    match settings.get("partner"):
        case [str(label), *_]:
            return label
        case _:
            return None


def _problems(trials: Sequence[TrialRow]) -> dict[str, str]:
    """The first problem of each cause, in the order of the plan."""
    found: dict[str, str] = {}
    for row in trials:
        if row.status == "failed" and row.problem:
            found.setdefault(row.cause or "unknown", row.problem)
    return found


def _counts(counter: Counter[str]) -> dict[str, int]:
    """The most frequent first; alphabetical where equally frequent."""
    return dict(sorted(counter.items(), key=lambda item: (-item[1], item[0])))


def _version() -> str:
    try:
        return version("sociolab")
    except PackageNotFoundError:
        return "not installed"
