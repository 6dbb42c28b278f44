"""Scores of single seats and episodes: judges' scores, counts from transcripts, and costs.

A "play" here is one seat of an episode or, in metrics of whole episodes, the episode.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias, TypeVar

from sociolab.core.episode import ACT, Answered, Episode, Json, Moved, Trial, TurnCounts, Unusable
from sociolab.core.score import JudgeId, Measure, NotKnown
from sociolab.store.calls import SeatCost
from sociolab.store.overview import Turns
from sociolab.store.store import TrialRow
from sociolab.store.verdicts import ScoreRow

PlayKey: TypeAlias = tuple[str, str | None]
"""Trial and seat; no seat for the whole episode."""
Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class PlayRow:
    """A seat of a trial, with all that its scores are grouped and clustered by.

    `partner` is the only agent that it met, which is itself in self-play; None if it met several.
    `type` is the task's first tag, `role` the world's name for the seat where seats mean the same
    in every task. `failed` says that the trial failed.
    """

    key: PlayKey
    agent: str | None
    partner: str | None
    type: str | None
    cluster: str
    failed: bool
    role: str | None = None


def plays_of(
    rows: Iterable[TrialRow], roles: Mapping[str, str] | None = None
) -> tuple[PlayRow, ...]:
    """The seats of all trials, in plan order. `roles` names seats that mean the same in every task;
    otherwise the tasks name their roles."""
    return tuple(
        PlayRow(
            (row.trial.id, member.seat),
            member.agent,
            _partner(row.trial, member.seat),
            _type(row.trial),
            row.trial.task.cluster,
            row.status == "failed",
            (roles or {}).get(member.seat) or row.trial.task.roles.get(member.seat),
        )
        for row in rows
        for member in row.trial.cast
    )


def episode_plays_of(rows: Iterable[TrialRow], partner: str | None) -> tuple[PlayRow, ...]:
    """A play without seat for each trial, in plan order, for metrics of whole episodes.

    Its agent is the one in all seats, or in all except those of the run's `partner`; None where
    several agents met.
    """
    plays = []
    for row in rows:
        agent, met = _sole_agent(row.trial, partner)
        key, failed = (row.trial.id, None), row.status == "failed"
        plays.append(PlayRow(key, agent, met, _type(row.trial), row.trial.task.cluster, failed))
    return tuple(plays)


def with_episode_counts(
    rows: Iterable[TrialRow], partner: str | None, turn_counts: Mapping[PlayKey, TurnCounts]
) -> dict[PlayKey, TurnCounts]:
    """The turn counts of seats, and those of whole episodes: of the seats of the episode's agent,
    or of all seats where several agents met."""
    totals = dict(turn_counts)
    for row in rows:
        agent, _ = _sole_agent(row.trial, partner)
        keys = [(row.trial.id, m.seat) for m in row.trial.cast if agent in (None, m.agent)]
        totals[row.trial.id, None] = sum_turn_counts(turn_counts, keys)
    return totals


def sum_turn_counts(turn_counts: Mapping[Key, TurnCounts], keys: Iterable[Key]) -> TurnCounts:
    """The sum over those of these keys that have counts."""
    some = [turn_counts[key] for key in keys if key in turn_counts]
    return TurnCounts(sum(turns.failed for turns in some), sum(turns.total for turns in some))


def _sole_agent(trial: Trial, partner: str | None) -> tuple[str | None, str | None]:
    """The one agent that a trial evaluates, and whom it met; None where it evaluates several."""
    agents = {member.agent for member in trial.cast}
    non_partners = agents - {partner}
    if len(agents) == 1:
        return next(iter(agents)), next(iter(agents))
    return (next(iter(non_partners)), partner) if len(non_partners) == 1 else (None, None)


def _partner(trial: Trial, seat: str) -> str | None:
    own = trial.agent(seat)
    partners = {member.agent for member in trial.cast if member.seat != seat} - {own} or {own}
    return partners.pop() if len(partners) == 1 else None


def _type(trial: Trial) -> str | None:
    return trial.task.tags[0] if trial.task.tags else None


def seat_roles(seats: Iterable[PlayKey]) -> dict[PlayKey, str]:
    """A role for each seat: its id, such as "buyer" or, where tasks name their seats after
    different people, its position: "seat 1", "seat 2". `seats` are in the order of each trial."""
    trials: dict[str, list[str]] = {}
    for trial, seat in seats:
        if seat is not None and seat not in (trial_seats := trials.setdefault(trial, [])):
            trial_seats.append(seat)
    distinct = len({seat for trial_seats in trials.values() for seat in trial_seats})
    shared = distinct <= max(map(len, trials.values()), default=0)
    return {
        (trial, seat): seat if shared else f"seat {i}"
        for trial, trial_seats in trials.items()
        for i, seat in enumerate(trial_seats, 1)
    }


# ------------------------------------------------------------------ outcomes


@dataclass(frozen=True, slots=True)
class NotScored:
    """A missing score that is no failure: why, and the range in which the score would lie.

    `bounded`: the judge stated the range; otherwise it is that of the metric.
    """

    kind: NotKnown
    low: float
    high: float
    bounded: bool = False


PlayOutcome: TypeAlias = float | Literal["failed"] | NotScored
"""A score; "failed" where one was due and is missing; or no score, as the judge cannot tell."""


@dataclass(frozen=True, slots=True)
class ScoreColumn:
    """The scores of one judge in one metric; `outcomes` holds the plays that it has judged.

    `label` is the judge's, `per_episode` says that the metric is of whole episodes rather than
    seats, and `due` that a failed trial counts as a failure of the metric. `ratings` are the scores
    of each person, as (rater, score), if people are the judge.
    """

    label: str
    judge: JudgeId
    measure: Measure
    per_episode: bool
    due: bool
    outcomes: Mapping[PlayKey, PlayOutcome]
    ratings: Mapping[PlayKey, tuple[tuple[str, float], ...]] = field(default_factory=dict)


def outcome(stored: ScoreRow) -> PlayOutcome:
    if stored.value is not None:
        return stored.value
    if stored.unscored is None:
        return "failed"
    return NotScored(stored.unscored, *stored.bounds, stored.low is not None)


def combined(outcomes: Sequence[PlayOutcome]) -> PlayOutcome:
    """Repeated judgings as one: the mean of the values. Without any it failed, or is not scored:
    disputed before unconfirmed before "cannot tell", between the widest bounds."""
    if len(outcomes) == 1:
        return outcomes[0]
    values = [value for value in outcomes if isinstance(value, float)]
    if values:
        return sum(values) / len(values)
    unscored = [missing for missing in outcomes if isinstance(missing, NotScored)]
    if len(unscored) < len(outcomes):
        return "failed"
    kinds = {missing.kind for missing in unscored}
    order: tuple[NotKnown, ...] = ("disputed", "unconfirmed", "cannot tell")
    return NotScored(
        next(kind for kind in order if kind in kinds),
        min(missing.low for missing in unscored),
        max(missing.high for missing in unscored),
        all(missing.bounded for missing in unscored),
    )


def bounds(outcomes: Iterable[PlayOutcome | None], measure: Measure) -> tuple[float, float] | None:
    """The mean if every missing score had its lowest, and if it had its highest possible value.

    A failure could have any value of the metric. None where nothing was due, and where the metric
    has no upper end.
    """
    return mean_ends([ends_of(result, measure) for result in outcomes if result is not None])


def mean_ends(ends: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    """The mean of the lower and that of the upper ends; None for no ends, or an infinite one."""
    if not ends or any(math.isinf(end) for pair in ends for end in pair):
        return None
    low, high = (math.fsum(side) / len(ends) for side in zip(*ends, strict=True))
    return low, high


def ends_of(result: PlayOutcome, measure: Measure) -> tuple[float, float]:
    """The lowest and the highest possible value of an outcome; both are the score if it has one."""
    if isinstance(result, float):
        return result, result
    return (measure.low, measure.high) if result == "failed" else (result.low, result.high)


# ------------------------------------------------------------------ metrics of sociolab itself


TRANSCRIPT = JudgeId("transcript", "rules")
LEDGER = JudgeId("ledger", "rules")
WORDS = Measure("words_per_turn", 0, math.inf, title="words per spoken turn")
"""Mean number of words in a seat's turns with spoken words; unscored if it never spoke."""
TURNS = Measure("turns", 0, math.inf, title="turns in the episode")
"""Number of turns taken in an episode, by all its seats."""
FAILED_TURNS = Measure("failed_turns", 0, math.inf, title="invalid turns")
"""Number of a seat's turns that failed for good."""
FAILED_QUESTIONS = Measure("failed_questions", 0, math.inf, title="unanswered questions")
"""Number of questions that a seat did not answer, in a world without turns."""
COST = Measure("cost_usd", 0, math.inf, title="cost in USD")
"""Cost of a seat's calls in an episode, judges not included; "~" in the title says that some are
estimates."""
_NONE = NotScored("cannot tell", 0, math.inf)


@dataclass(slots=True)
class TranscriptCounts:
    """Counts over the episodes of a run, which are added one at a time.

    `first_turns` and `first_questions` hold the first failure of each cause, as cause, problem and
    episode. `turn_counts` is `Episode.turns_by_seat` of all episodes, failed trials included.
    """

    ends: Counter[str] = field(default_factory=Counter)
    failed_turns: Counter[str] = field(default_factory=Counter)
    failed_questions: Counter[str] = field(default_factory=Counter)
    went_without: Counter[str] = field(default_factory=Counter)
    asked_again: int = 0
    first_turns: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    first_questions: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    turn_counts: dict[PlayKey, TurnCounts] = field(default_factory=dict)
    _words: dict[PlayKey, PlayOutcome] = field(default_factory=dict)
    _turns: dict[PlayKey, PlayOutcome] = field(default_factory=dict)
    _failed: dict[PlayKey, PlayOutcome] = field(default_factory=dict)
    _given_up: Counter[PlayKey] = field(default_factory=Counter)

    @property
    def played(self) -> Set[PlayKey]:
        """The seats of completed episodes."""
        return self._turns.keys()

    @property
    def unit(self) -> Literal["turns", "questions"]:
        """What `turn_counts` counts: questions in a world without turns."""
        return "turns" if any(self._turns.values()) or self.failed_turns else "questions"

    def count_failures(self, episode: Episode) -> None:
        """Add the failures of an episode, whether it was completed or not."""
        for seat, turns in episode.turns_by_seat.items():
            self.turn_counts[episode.trial.id, seat] = turns
        for event in episode.events:
            if isinstance(event, Unusable) and not event.final:
                self.asked_again += 1
        for turn in episode.failed_turns:
            self.failed_turns[turn.cause] += 1
            self.first_turns.setdefault(turn.cause, _case(turn, episode))
        for question in episode.failed_questions:
            self.failed_questions[question.cause] += 1
            self.first_questions.setdefault(question.cause, _case(question, episode))

    def take(self, seats: Iterable[str], turns: Turns) -> None:
        """Add the turns of a completed episode. If it has unusable replies, `take_trouble` must
        follow."""
        self.ends["not recorded" if turns.ended is None else turns.ended] += 1
        spoken: dict[str, list[int]] = {seat: [] for seat in seats}
        for seat, count in Counter(turns.answers or (seat for seat, _ in turns.words)).items():
            self.turn_counts[turns.trial, seat] = TurnCounts(0, count)
        for seat, words in turns.words:
            if words:
                spoken[seat].append(words)
        for seat, counts in spoken.items():
            key = (turns.trial, seat)
            self._words[key] = sum(counts) / len(counts) if counts else _NONE
            self._turns[key] = float(len(turns.words))
            self._failed[key] = 0.0

    def take_trouble(self, episode: Episode) -> None:
        """Add the failures of a completed episode, after `take`."""
        self.count_failures(episode)
        self.went_without.update(_questions_passed_over(episode))
        for event in (*episode.failed_turns, *episode.failed_questions):
            self._given_up[episode.trial.id, event.seat] += 1
        for seat, failed in Counter(event.seat for event in episode.failed_turns).items():
            self._failed[episode.trial.id, seat] = float(failed)

    def columns(self) -> tuple[ScoreColumn, ...]:
        """The metrics as columns; none before an episode was added."""
        if not self._turns:
            return ()
        outcomes: dict[Measure, dict[PlayKey, PlayOutcome]]
        if any(self._turns.values()):
            outcomes = {WORDS: self._words, TURNS: self._turns, FAILED_TURNS: self._failed}
        else:  # a town: nobody takes turns there, and questions are all that can fail
            failed = {key: float(self._given_up[key]) for key in self._turns}
            outcomes = {FAILED_QUESTIONS: dict(failed)}
        return tuple(
            ScoreColumn(TRANSCRIPT.label, TRANSCRIPT, measure, False, False, by_play)
            for measure, by_play in outcomes.items()
        )


def cost_column(
    costs: Mapping[tuple[str, str], SeatCost], plays: Iterable[PlayRow], played: Set[PlayKey]
) -> tuple[ScoreColumn, ...]:
    """The cost column, with the agents for whose calls a price is known; () if there are none.

    `costs` holds the seats that made calls. An agent with calls elsewhere has a cost of 0 where it
    made none; an agent without any has no entry.
    """
    rows = [play for play in plays if play.key in played]
    spent: dict[PlayKey, SeatCost] = {(trial, seat): c for (trial, seat), c in costs.items()}
    paying = {play.agent for play in rows if play.key in spent and spent[play.key].usd is not None}
    outcomes: dict[PlayKey, PlayOutcome] = {}
    for play in rows:
        if play.agent in paying:
            cost = spent[play.key].usd if play.key in spent else 0.0
            outcomes[play.key] = _NONE if cost is None else cost
    if not outcomes:
        return ()
    estimated = any(spent[key].estimated for key in spent.keys() & outcomes.keys())
    measure = replace(COST, title=f"{COST.title} (~)") if estimated else COST
    return (ScoreColumn(LEDGER.label, LEDGER, measure, False, False, outcomes),)


def _case(event: Unusable, episode: Episode) -> tuple[str, str, str]:
    """Cause, problem (with seat and turn or question) and episode of a failure."""
    when = f"turn {event.turn + 1}" if event.name == ACT else f'asked "{event.name}"'
    return event.cause, f"{event.seat}, {when}: {event.problem}", episode.trial.id


def _questions_passed_over(episode: Episode) -> set[str]:
    """The names of the questions that failed for good and after which the episode went on."""
    unanswered: set[str] = set()
    passed_over: set[str] = set()
    for event in episode.events:
        if isinstance(event, Unusable):
            if event.final and event.name != ACT and not event.optional:
                unanswered.add(event.name)
        elif isinstance(event, Answered | Moved):
            passed_over |= unanswered
    return passed_over


# ------------------------------------------------------------------ judges' scores


_Which: TypeAlias = tuple[str, float, float, bool]
"""Name and ends of a metric, which hash faster than the metric; and whether it is per episode."""
_Values: TypeAlias = dict[PlayKey, tuple[PlayOutcome, ...]]
_Cell: TypeAlias = tuple[Json, list[PlayOutcome]]


@dataclass(frozen=True, slots=True)
class CellValue:
    """The score of one judge in one metric of a cell of the plan or, if `cell` is None, the run."""

    label: str
    judge: JudgeId
    measure: Measure
    cell: Json
    seat: str | None
    outcome: PlayOutcome


@dataclass(slots=True)
class Judged:
    """Collects verdicts into columns. `judgings` is the maximum number of judgings of an episode by
    each judge."""

    judgings: Mapping[JudgeId, int]
    measures: dict[str, Measure] = field(default_factory=dict)
    causes: Counter[str] = field(default_factory=Counter)
    _by_judge: dict[JudgeId, dict[_Which, tuple[Measure, _Values]]] = field(default_factory=dict)
    _ratings: dict[tuple[JudgeId, str], dict[PlayKey, tuple[tuple[str, float], ...]]] = field(
        default_factory=dict
    )
    _cells: dict[JudgeId, dict[tuple[Measure, str, str | None], _Cell]] = field(
        default_factory=dict
    )

    _keys: dict[PlayKey, PlayKey] = field(default_factory=dict)
    _ones: dict[PlayOutcome, tuple[PlayOutcome]] = field(default_factory=dict)

    def take(self, row: ScoreRow) -> None:
        judge, measure, seat = row.judge, row.measure, row.seat
        if row.unscored == "not applicable":
            return
        if row.cause is not None:
            self.causes[row.cause] += 1
        if row.trial is None:
            self.measures.setdefault(measure.name, measure)
            at = (measure, repr(row.cell), seat)
            cell = self._cells.setdefault(judge, {}).setdefault(at, (row.cell, []))
            cell[1].append(outcome(row))
            return
        columns = self._by_judge.setdefault(judge, {})
        which = measure.name, measure.low, measure.high, seat is None
        if which not in columns:
            self.measures.setdefault(measure.name, measure)
            columns[which] = measure, {}
        key = row.trial, seat
        key = self._keys.setdefault(key, key)  # metrics share their keys: there may be millions
        play_outcome, values = outcome(row), columns[which][1]
        one_value = self._ones.setdefault(play_outcome, (play_outcome,))
        values[key] = (*values[key], play_outcome) if key in values else one_value
        if judge.method == "people" and row.value is not None:
            ratings = self._ratings.setdefault((judge, measure.name), {})
            rater = row.rated_by.rater if row.rated_by else f"#{row.judging + 1}"
            ratings[key] = (*ratings.get(key, ()), (rater, row.value))

    def labels(self) -> dict[JudgeId, str]:
        return labels_of(self.judgings)

    def columns(self, *, last: bool = False) -> tuple[ScoreColumn, ...]:
        """The scores of seats and episodes, by judge and metric in order of first occurrence.

        Repeated judgings of a play by one judge are averaged, so that it counts once. `last` says
        that this is the last use: verdicts are freed meanwhile, which halves the memory of a large
        run.
        """
        labels, score_columns = self.labels(), list[ScoreColumn]()
        for judge, columns in self._by_judge.items():
            for (*_, per_episode), (measure, values) in columns.items():
                outcomes = {key: combined(repeats) for key, repeats in values.items()}
                ratings = self._ratings.get((judge, measure.name), {})
                score_columns.append(
                    ScoreColumn(labels[judge], judge, measure, per_episode, True, outcomes, ratings)
                )
                if last:
                    values.clear()
        return tuple(score_columns)

    def values(self, column: ScoreColumn) -> Mapping[PlayKey, Sequence[PlayOutcome]]:
        """The outcomes of each single judging, by play, for one of the `columns`."""
        measure = column.measure
        which = measure.name, measure.low, measure.high, column.per_episode
        return self._by_judge[column.judge][which][1]

    def cells(self) -> tuple[CellValue, ...]:
        """The scores of cells and of the run, with repeated judgings averaged."""
        labels = self.labels()
        return tuple(
            CellValue(labels[judge], judge, measure, cell, seat, combined(outcomes))
            for judge, cells in self._cells.items()
            for (measure, _, seat), (cell, outcomes) in cells.items()
        )


def labels_of(judges: Collection[JudgeId]) -> dict[JudgeId, str]:
    """A distinct label for each judge: its own, with a piece of a hash where several share one, and
    with a number where that is not enough. Those of sociolab's own metrics are reserved."""
    own = Counter((TRANSCRIPT.label, LEDGER.label, *(judge.label for judge in judges)))
    labels: dict[JudgeId, str] = {}
    used = {label for label, count in own.items() if count == 1}
    for judge in sorted(judges, key=lambda j: (j.label, j.settings, repr(j))):
        label = judge.label
        if own[label] > 1:
            marked = f"{label} ({judge.method} {judge.mark})"
            numbered = (f"{marked} #{number}" for number in range(2, len(own) + 2))
            label = next(candidate for candidate in (marked, *numbered) if candidate not in used)
        used.add(label)
        labels[judge] = label
    return {judge: labels[judge] for judge in judges}
