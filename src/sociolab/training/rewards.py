"""The scores of each seat of each episode, and which of them is the reward."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from sociolab.analysis.values import RunValues, unscored_hint
from sociolab.core.episode import Episode
from sociolab.core.errors import ConfigError, SociolabError, did_you_mean, stops_all
from sociolab.core.metrics import Declared
from sociolab.core.ports import Judge
from sociolab.core.score import (
    BASELINES,
    RULE_BASED,
    UNNAMED_MEASURE,
    JudgeId,
    Measure,
    Method,
    NotKnown,
    Score,
    ScoreFailure,
    Unscored,
    Verdict,
    leading_judges,
    match_label,
)
from sociolab.judging.credit import CreditRecord
from sociolab.report.words import join_names, method_words, plural
from sociolab.runner.judging import cells_of, failures_of, verdicts_of

ScoresByJudge: TypeAlias = dict[str, dict[str, float | None]]
"""By judge and metric; None where a score is missing that was due."""

RewardStatus: TypeAlias = Literal["score", "failed", "reported", "unscored"] | NotKnown
"""Whether a reward is known, or why not. "failed": the judge failed. "reported": it rests on the
players' own reports alone, and players could be trained to report what pays. "unscored": no judge
scored it."""


class Reward(NamedTuple):
    """A seat's reward: a value, or None with its smallest and largest possible value."""

    value: float | None
    status: RewardStatus = "score"
    lower_bound: float = -math.inf
    upper_bound: float = math.inf

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The smallest and largest possible value; None where the value is known."""
        return (self.lower_bound, self.upper_bound) if self.value is None else None


def reward_of(verdict: Verdict, method: Method) -> Reward:
    if isinstance(verdict, Unscored):
        return _reward(None, verdict.kind, verdict.bounds, verdict.measure, method)
    value = float(verdict.value) if isinstance(verdict, Score) else None
    return _reward(value, None, (-math.inf, math.inf), verdict.measure, method)


def _reward(
    value: float | None,
    unscored: NotKnown | None,
    bounds: tuple[float, float],
    measure: Measure,
    method: Method,
) -> Reward:
    """Players' own reports are no reward, and bound none either."""
    if unscored is None and value is not None:
        if method != "reported":
            return Reward(value, "score", value, value)
        return Reward(None, "reported", measure.low, measure.high)
    low, high = max(bounds[0], measure.low), min(bounds[1], measure.high)
    return Reward(None, unscored or "failed", low, high)


@dataclass(frozen=True, slots=True)
class EpisodeRewards:
    """What the judges of an arena said of an episode.

    `scores` are by seat (None: of the whole episode), judge and metric; what does not apply is left
    out. `failures` lists judges' failures. `credit` has the credit for the goal of each seat, by
    turn (from 1), where a judge of credit gave it. `main` is the reward of each seat.
    """

    scores: Mapping[str | None, Mapping[str, Mapping[str, Reward]]] = field(default_factory=dict)
    failures: tuple[str, ...] = ()
    main: dict[str, Reward] = field(default_factory=dict)
    credit: Mapping[str, dict[int, float]] = field(default_factory=dict)


class ArenaJudges:
    """The judges of an arena, by the rules of a run: one that raises fails on the metrics that it
    gave before, and the others' scores stand. Nothing is stored.

    `metric` is the reward. None stands for the first of the world's main metrics that is scored;
    where the user named a judge, `chosen`, for the first that it scores, or else the only one.
    """

    def __init__(
        self,
        judges: Sequence[Judge],
        chosen: Judge | None,
        metric: str | None,
        declared: Declared,
        credit: Callable[[Episode], Awaitable[CreditRecord | None]] | None,
    ) -> None:
        if metric is not None and declared.metric(metric).better == "lower":
            raise ConfigError(
                f"metric: lower is better for {metric}, expected a metric where higher is"
            )
        self._judges = judges
        self._chosen = chosen and chosen.id.label
        self._metric = metric
        self._main = declared.main
        self._credit = credit
        self._cells: dict[JudgeId, tuple[tuple[Measure, int | None], ...]] = {}

    async def score(self, episode: Episode) -> EpisodeRewards:
        """The judges' scores of the episode.

        A fatal ModelError (credentials, budget) passes through; ConfigError where several metrics
        could be the reward.
        """
        scores: dict[str | None, dict[str, dict[str, Reward]]] = {}
        failures, unnamed = list[str](), False
        for judge in self._judges:
            name = judge.id.label
            for verdict in await self._verdicts(judge, episode):
                metric, is_unnamed = verdict.measure.name, verdict.measure == UNNAMED_MEASURE
                unnamed = unnamed or is_unnamed
                if isinstance(verdict, ScoreFailure):
                    what = UNNAMED_MEASURE.title if is_unnamed else metric
                    failures.append(f"{what} by {name}: {verdict.cause}: {verdict.problem}")
                not_due = isinstance(verdict, Unscored) and verdict.kind == "not applicable"
                if not is_unnamed and not not_due:
                    given = scores.setdefault(verdict.seat, {}).setdefault(name, {})
                    given[metric] = reward_of(verdict, judge.id.method)
        main = {
            seat: self._main_reward(scores, seat, failed=unnamed)
            for seat in episode.trial.task.seats
        }
        return EpisodeRewards(scores, tuple(failures), main, await self._credits(episode))

    def _main_reward(
        self,
        scores: Mapping[str | None, Mapping[str, Mapping[str, Reward]]],
        seat: str,
        *,
        failed: bool,
    ) -> Reward:
        """The seat's reward, or else the episode's: the first that is known, by the order of
        `leading_judges`."""
        by_label = {judge.id.label: judge.id for judge in self._judges}
        given = [
            (label, rewards)
            for place in (seat, None)
            for label, rewards in scores.get(place, {}).items()
            if label == self._chosen or by_label[label].method not in BASELINES
        ]
        chosen = [rewards for label, rewards in given if self._chosen in (None, label)]
        found = dict.fromkeys(metric for rewards in chosen for metric in rewards)
        named = next((metric for metric in self._main if metric in found), None)
        only = next(iter(found)) if self._chosen and len(found) == 1 else None
        metric = self._metric or named or only
        if failed and (self._metric is None or not any(metric in rewards for _, rewards in given)):
            return Reward(None, "failed")
        if metric is None:
            if self._chosen and found:
                raise ConfigError(f"metric: choose the reward, one of {', '.join(found)}")
            return Reward(None, "unscored")
        rewards = [(label, scored[metric]) for label, scored in given if metric in scored]
        ranked: list[Reward] = []
        left = {label: by_label[label] for label, _ in rewards}
        while left:
            for label in leading_judges(left):
                ranked += [reward for by, reward in rewards if by == label]
                del left[label]
        known = (reward for reward in ranked if reward.value is not None)
        return next(known, ranked[0] if ranked else Reward(None, "unscored"))

    async def _credits(self, episode: Episode) -> dict[str, dict[int, float]]:
        record = await self._credit(episode) if self._credit else None
        if record is None:
            return {}
        credits: dict[str, dict[int, float]] = {}
        for cell in record.credited:
            turns = {move.turn + 1: 0.0 for move in episode.moves if move.seat == cell.seat}
            for credit in record.credits:
                if credit.cell == cell and credit.turn + 1 in turns:
                    turns[credit.turn + 1] += credit.amount
            credits[cell.seat] = turns
        return credits

    async def _verdicts(self, judge: Judge, episode: Episode) -> tuple[Verdict, ...]:
        seats = episode.trial.task.seats
        try:
            verdicts = await verdicts_of(judge, episode)
        except SociolabError as error:
            if stops_all(error):
                raise
            return failures_of(error, self._cells.get(judge.id, ()), seats)
        if verdicts:
            self._cells.setdefault(judge.id, cells_of(verdicts, seats))
        return verdicts


class RunRewards:
    """The scores of some runs, by run, trial and seat (None: of the whole episode)."""

    def __init__(self, runs: Sequence[RunValues]) -> None:
        self._runs = runs
        self._scores: dict[tuple[str, str, str | None], ScoresByJudge] = {}
        self._rewards: dict[tuple[str, str, str | None, str, str], Reward] = {}
        for run in runs:
            for value in (*run.values, *run.unscored):
                key = (value.run, value.trial, value.seat)
                if value.unscored is None:
                    scores = self._scores.setdefault(key, {}).setdefault(value.judge, {})
                    scores[value.measure] = value.value
                reward = _reward(
                    value.value,
                    value.unscored,
                    value.bounds,
                    run.measures[value.measure],
                    run.judges[value.judge].method,
                )
                self._rewards[*key, value.judge, value.measure] = reward

    def scores_of(self, run: str, trial: str, seat: str | None) -> ScoresByJudge:
        """All scores of a seat, or of the episode, without those a judge cannot tell."""
        return self._scores.get((run, trial, seat), {})

    def methods(self, judges: Iterable[str]) -> dict[str, Method]:
        """How these judges score: model, rules, people..."""
        methods = {label: judge.method for run in self._runs for label, judge in run.judges.items()}
        return {label: methods[label] for label in judges}

    def cautions(self, judges: Mapping[str, str]) -> Iterator[str]:
        """Cautions on the judges of these metrics, a sentence each: rule-based scores, and unknown
        rewards."""
        for label in dict.fromkeys(judges.values()):
            run = next(run for run in self._runs if label in run.judges)
            judge, measures = run.judges[label], [m for m, by in judges.items() if by == label]
            if judge.method in RULE_BASED:
                kind = "a rule-based baseline" if judge.method in BASELINES else "rule-based"
                words = method_words(run.declared, judge)
                yield f"the reward is {kind}: {join_names(measures)} by {label}: {words}"
            unknown = Counter(
                reward.status
                for (*_, by, measure), reward in self._rewards.items()
                if by == label and measure in measures and reward.status not in ("score", "failed")
            )
            if unknown:
                reasons = ", ".join(f"{count:,} {status}" for status, count in unknown.items())
                yield (
                    f"{plural(unknown.total(), 'reward')} unknown ({join_names(measures)} by "
                    f"{label}: {reasons}): null, with reward_bounds and reward_status"
                )

    def reward(self, judge: str, measure: str, run: str, trial: str, seat: str) -> Reward | None:
        """The judge's score of the seat, or else of the episode; None without either."""
        of_seat = self._rewards.get((run, trial, seat, judge, measure))
        return of_seat or self._rewards.get((run, trial, None, judge, measure))

    def main(self) -> str:
        """The main metric of the runs' world: the one its paper compares first."""
        measures = self._judges_by_metric()
        if not measures:
            raise ConfigError("nobody judged these runs: there is no reward; see `sociolab judge`")
        for name in self._runs[0].declared.main if self._runs else ():
            if name in measures:
                return name
        raise ConfigError(f"choose the reward with --metric, one of {', '.join(measures)}")

    def judge_of(self, measure: str, requested: str | None) -> str:
        """The judge whose scores are the reward: the requested one, or the leading one (see
        `leading_judges`) that is no baseline.

        ConfigError where nobody scored the metric, where several judges lead or only rule-based
        baselines (`core.score.BASELINES`) scored it and none is requested, where judges of that
        label differ in prompt or settings, so that their scores are not one scale, and where lower
        is better, since training raises its reward.
        """
        measures = self._judges_by_metric()
        if measure not in measures:
            hint = self._hint(measure)
            near = did_you_mean(measure, measures)
            nobody = "none" if hint else "none, since nobody judged these runs"
            raise ConfigError(
                f'--metric: nothing was scored in "{measure}"{near}; expected one of '
                f"{', '.join(measures) or nobody}{hint}"
            )
        if any(run.declared.metric(measure).better == "lower" for run in self._runs):
            raise ConfigError(
                f"--metric: lower is better for {measure}, expected a metric where higher is, "
                f"since training raises its reward"
            )
        judges = measures[measure]
        requested = requested and match_label(requested, judges, "--by")
        if requested is not None and requested not in judges:
            raise ConfigError(
                f'--by: "{requested}" gave no {measure} in these runs, expected one of '
                f"{', '.join(judges)}"
            )
        by_label = {label: judge for run in self._runs for label, judge in run.judges.items()}
        leading = leading_judges({label: by_label[label] for label in judges})
        results = [label for label in leading if by_label[label].method not in BASELINES]
        if requested is None and not results:
            raise ConfigError(
                f"only a rule-based baseline scored {measure} ({join_names(judges)}), and a model "
                "trained on such scores learns rules: have the runs judged by a model (sociolab "
                f"judge RUN --judge endpoint/model), or add --by {judges[0]} to use them anyway"
            )
        if requested is None and len(results) > 1:
            raise ConfigError(
                f"several judges gave {measure}: {', '.join(results)}; choose one with --by"
            )
        label = requested or results[0]
        ids = {run.judges[label] for run in self._runs if label in run.judges}
        if len(ids) > 1:
            raise ConfigError(
                f"{label} judged these runs with different prompts or settings, so its scores are "
                f"not one reward; judge them again with `sociolab judge`, or export run by run"
            )
        return label

    def _hint(self, measure: str) -> str:
        judges = dict.fromkeys(
            gap.judge for run in self._runs for gap in run.unscored if gap.measure == measure
        )
        return next((unscored_hint(self._runs, judge, measure) for judge in judges), "")

    def _judges_by_metric(self) -> Mapping[str, list[str]]:
        """The metrics that were scored, each with its judges."""
        by_measure: dict[str, dict[str, None]] = {}
        for scores in self._scores.values():
            for judge, values in scores.items():
                for measure in values:
                    by_measure.setdefault(measure, {})[judge] = None
        return {measure: sorted(judges) for measure, judges in sorted(by_measure.items())}
