"""What judges gave each play of some runs: the one table that every analysis starts from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sociolab.core.episode import Trial
from sociolab.core.errors import ConfigError
from sociolab.core.score import JudgeId, Measure, Score
from sociolab.report.columns import Column
from sociolab.report.judged import Judged
from sociolab.report.layout import layout_of
from sociolab.report.plays import Play, PlayKey, plays_of, whole_plays_of
from sociolab.report.scores import never_due, outcomes_of
from sociolab.store.scores import JudgingRow
from sociolab.store.sqlite import Store


@dataclass(frozen=True, slots=True)
class Value:
    """What one judge gave one play in one measure.

    `seat` is None for a measure of whole episodes. `value` is the mean of `judgings` (one for each
    time that the judge judged the episode), None where a value was due and is missing; what a judge
    cannot tell is no row. `agent` played the seat, `partner` the other one (None if several did),
    `cluster` is what intervals cluster by, `type` the task's first tag.
    """

    run: str
    world: str
    trial: str
    task: str
    cluster: str
    type: str | None
    repeat: int
    seat: str | None
    agent: str | None
    partner: str | None
    judge: str
    measure: str
    value: float | None
    judgings: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class RunValues:
    """All values of one run: its judges by the label that values carry, its measures in order."""

    run: str
    world: str
    values: tuple[Value, ...]
    judges: dict[str, JudgeId]
    measures: dict[str, Measure]

    def of(self, judge: str) -> RunValues:
        """The values of one judge."""
        kept = tuple(value for value in self.values if value.judge == judge)
        return RunValues(self.run, self.world, kept, {judge: self.judges[judge]}, self.measures)


def values_of(store: Store, run: str) -> RunValues:
    """The values of a run, by judge, measure and plan; StoreError if there is no such run.

    A failed trial has a value that is missing in each measure that was due of its seats.
    """
    row = store.run(run)
    trials = store.trials(run)
    judged, said = Judged(), _Judgings()
    for judging in store.judgings(run):
        judged.take(judging)
        said.take(judging)
    rows = {trial.trial.id: trial.trial for trial in trials}
    seats, wholes = plays_of(trials), whole_plays_of(trials, _partner(row.settings))
    found = tuple(
        _value(row.name, row.world, rows[play.key[0]], play, column, outcome, said)
        for column in judged.columns()
        for play, outcome in _outcomes(wholes if column.whole else seats, column)
    )
    labels = judged.labels()
    return RunValues(
        row.name,
        row.world,
        found,
        {labels[judge]: judge for judge in judged.judgings},
        _in_order(row.world, judged.measures),
    )


def chosen_judge(runs: Sequence[RunValues], wanted: str | None) -> str:
    """The judge whose values all runs hold: the one that is wanted, or the only one.

    ConfigError where a run has none, where there are several and none is named, or where the judges
    of that label differ in prompt or settings: their figures are not comparable.
    """
    if wanted is not None:
        for one in runs:
            if wanted not in one.judges:
                known = ", ".join(one.judges) or "none"
                raise ConfigError(
                    f'--judge: nothing in {one.run} was judged by "{wanted}"; its judges: {known}'
                )
        label = wanted
    else:
        shared = [judge for judge in runs[0].judges if all(judge in one.judges for one in runs)]
        asked = [judge for judge in shared if not judge.startswith("rules:")] or shared
        if len(asked) != 1:
            which = ", ".join(asked) or "none"
            raise ConfigError(
                f"expected one judge that all these runs share, found {which}; name one by --judge"
            )
        label = asked[0]
    ids = {one.judges[label] for one in runs}
    if len(ids) > 1:
        raise ConfigError(
            f"{label} judged these runs with different prompts or settings, so that the figures "
            "cannot be compared; judge them anew with `sociolab judge`"
        )
    return label


class _Judgings:
    """Each judging's value, by judge, measure and play."""

    def __init__(self) -> None:
        self._found: dict[tuple[JudgeId, str, PlayKey], list[float]] = {}

    def take(self, row: JudgingRow) -> None:
        for verdict in row.verdicts if row.trial is not None else ():
            if isinstance(verdict, Score):
                key = (row.judge, verdict.measure.name, (str(row.trial), verdict.seat))
                self._found.setdefault(key, []).append(float(verdict.value))

    def of(self, column: Column, play: Play) -> tuple[float, ...]:
        return tuple(self._found.get((column.judge, column.measure.name, play.key), ()))


def _outcomes(plays: Sequence[Play], column: Column) -> Iterator[tuple[Play, float | None]]:
    """The plays that have a value, or None where one was due and is missing."""
    outcomes = outcomes_of(plays, column, never_due(plays, column))
    for play, outcome in zip(plays, outcomes, strict=True):
        if outcome is not None and outcome != "unscored":
            yield play, outcome if isinstance(outcome, float) else None


def _value(
    run: str,
    world: str,
    trial: Trial,
    play: Play,
    column: Column,
    value: float | None,
    said: _Judgings,
) -> Value:
    return Value(
        run=run,
        world=world,
        trial=trial.id,
        task=trial.task.id,
        cluster=play.cluster,
        type=play.type,
        repeat=trial.repeat,
        seat=play.key[1],
        agent=play.agent,
        partner=play.partner,
        judge=column.label,
        measure=column.measure.name,
        value=value,
        judgings=said.of(column, play),
    )


def _in_order(world: str, measures: dict[str, Measure]) -> dict[str, Measure]:
    """The measures in the order of the world's paper, then as they came."""
    first = [name for name in layout_of(world).columns if name in measures]
    return {name: measures[name] for name in dict.fromkeys([*first, *measures])}


def _partner(settings: object) -> str | None:
    found = settings.get("partner") if isinstance(settings, dict) else None
    return str(found[0]) if isinstance(found, list) and found else None
