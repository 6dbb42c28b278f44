"""What each play came to: what its transcript counts, what it cost, and what judges said of it."""

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
    """A seat of a trial, who played it, and what its values are grouped and clustered by.

    `partner` is the one agent that it met beside itself, or itself; None if there were several.
    `type` is the task's first tag, `role` what the world calls the seat, where it means the same
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
    """A play for each seat of each trial, in plan order; `roles` titles seats that mean the same
    in every task, the tasks say what others are."""
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


def whole_plays_of(rows: Iterable[TrialRow], partner: str | None) -> tuple[PlayRow, ...]:
    """A play without seat for each trial, in plan order.

    It is the agent's that sat in all seats, or in all but those of the run's `partner`; nobody's
    where several agents met.
    """
    plays = []
    for row in rows:
        agent, met = _whole_cast(row.trial, partner)
        key, failed = (row.trial.id, None), row.status == "failed"
        plays.append(PlayRow(key, agent, met, _type(row.trial), row.trial.task.cluster, failed))
    return tuple(plays)


def asked_of(
    rows: Iterable[TrialRow], partner: str | None, turn_counts: Mapping[PlayKey, TurnCounts]
) -> dict[PlayKey, TurnCounts]:
    """How often each play was asked, from that of seats; of a whole episode, its agent's seats
    together, or all where several agents met."""
    totals = dict(turn_counts)
    for row in rows:
        agent, _ = _whole_cast(row.trial, partner)
        seats = [m.seat for m in row.trial.cast if agent in (None, m.agent)]
        totals[row.trial.id, None] = asked_in(turn_counts, ((row.trial.id, seat) for seat in seats))
    return totals


def asked_in(turn_counts: Mapping[Key, TurnCounts], keys: Iterable[Key]) -> TurnCounts:
    """How often these plays were asked together."""
    some = [turn_counts[key] for key in keys if key in turn_counts]
    return TurnCounts(sum(turns.failed for turns in some), sum(turns.total for turns in some))


def _whole_cast(trial: Trial, partner: str | None) -> tuple[str | None, str | None]:
    """The one agent that an episode is about, and whom it met."""
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
    """What each seat is, such as "buyer"; these are the seats of trials in their order.

    Where tasks name their seats after different people, it is the place: "seat 1", "seat 2".
    """
    trials: dict[str, list[str]] = {}
    for trial, seat in seats:
        if seat is not None and seat not in (trial_seats := trials.setdefault(trial, [])):
            trial_seats.append(seat)
    named = len({seat for trial_seats in trials.values() for seat in trial_seats})
    shared = named <= max(map(len, trials.values()), default=0)
    return {
        (trial, seat): seat if shared else f"seat {i}"
        for trial, trial_seats in trials.items()
        for i, seat in enumerate(trial_seats, 1)
    }


# ------------------------------------------------------------------ what was said of plays


@dataclass(frozen=True, slots=True)
class NotScored:
    """No value, and not a failure: why, and the least and the most that it could be.

    `bounded`: the judge said so itself, and the ends are not just those of the measure.
    """

    kind: NotKnown
    low: float
    high: float
    bounded: bool = False


PlayOutcome: TypeAlias = float | Literal["failed"] | NotScored
"""A value; or one was due and is missing; or the judge cannot tell."""


@dataclass(frozen=True, slots=True)
class ScoreColumn:
    """A measure as one judge sees it; `outcomes` holds the plays that it has judged.

    `label` names the judge; `whole` says that the measure is of whole episodes, not of seats;
    `due` that a value is due of a failed trial too, so that it counts as a failure. `given` says of
    people's scores who gave what.
    """

    label: str
    judge: JudgeId
    measure: Measure
    whole: bool
    due: bool
    outcomes: Mapping[PlayKey, PlayOutcome]
    given: Mapping[PlayKey, tuple[tuple[str, float], ...]] = field(default_factory=dict)


def outcome(stored: ScoreRow) -> PlayOutcome:
    """What a verdict in the store comes to."""
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
    """Between what the mean lies if all that has no value had its least, and its most.

    A failure could have any value of the measure. None where nothing was due, and where a value
    could be of any size.
    """
    return mean_ends([ends_of(result, measure) for result in outcomes if result is not None])


def mean_ends(ends: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    """The means of the lower and of the upper ends; None without any, and where one is infinite."""
    if not ends or any(math.isinf(end) for pair in ends for end in pair):
        return None
    low, high = (math.fsum(side) / len(ends) for side in zip(*ends, strict=True))
    return low, high


def ends_of(result: PlayOutcome, measure: Measure) -> tuple[float, float]:
    """The least and the most that a play's value could be; twice the value that it has."""
    if isinstance(result, float):
        return result, result
    return (measure.low, measure.high) if result == "failed" else (result.low, result.high)


# ------------------------------------------------------------------ what is counted


TRANSCRIPT = JudgeId("transcript", "rules")
LEDGER = JudgeId("ledger", "rules")
WORDS = Measure("words_per_turn", 0, math.inf, title="words per spoken turn")
"""Words that a seat spoke, over its turns with spoken words; unscored where it never spoke."""
TURNS = Measure("turns", 0, math.inf, title="turns in the episode")
"""Turns that were taken in an episode, by all its seats."""
FAILED_TURNS = Measure("failed_turns", 0, math.inf, title="invalid turns")
"""Turns of a seat that failed for good."""
FAILED_QUESTIONS = Measure("failed_questions", 0, math.inf, title="unanswered questions")
"""Questions that a seat gave no usable answer to; where nothing but questions is asked."""
COST = Measure("cost_usd", 0, math.inf, title="cost in USD")
"""What the calls of a seat in an episode cost, those of a judge not included; "~" behind its title
says that some are estimated."""
_NONE = NotScored("cannot tell", 0, math.inf)


@dataclass(slots=True)
class TranscriptCounts:
    """Takes in episodes one at a time, and keeps only numbers; of what failed, by cause, the first
    case in words: cause, problem, episode. `asked` is `Episode.turns_by_seat`,
    failed trials included."""

    ends: Counter[str] = field(default_factory=Counter)
    failed_turns: Counter[str] = field(default_factory=Counter)
    failed_questions: Counter[str] = field(default_factory=Counter)
    went_without: Counter[str] = field(default_factory=Counter)
    asked_again: int = 0
    first_turns: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    first_questions: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    asked: dict[PlayKey, TurnCounts] = field(default_factory=dict)
    _words: dict[PlayKey, PlayOutcome] = field(default_factory=dict)
    _turns: dict[PlayKey, PlayOutcome] = field(default_factory=dict)
    _failed: dict[PlayKey, PlayOutcome] = field(default_factory=dict)
    _given_up: Counter[PlayKey] = field(default_factory=Counter)

    @property
    def played(self) -> Set[PlayKey]:
        """The seats of the episodes that were played to their end."""
        return self._turns.keys()

    @property
    def unit(self) -> Literal["turns", "questions"]:
        """What `asked` counts: questions where no turn was ever asked for."""
        return "turns" if any(self._turns.values()) or self.failed_turns else "questions"

    def count_failures(self, episode: Episode) -> None:
        """Take in what failed in an episode, whether it was played to its end or not."""
        for seat, turns_asked in episode.turns_by_seat.items():
            self.asked[episode.trial.id, seat] = turns_asked
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
        """Take in the turns of an episode that was played to its end; of one with replies that
        could not be used, `take_trouble` takes these."""
        self.ends["not recorded" if turns.ended is None else turns.ended] += 1
        spoken: dict[str, list[int]] = {seat: [] for seat in seats}
        for seat, count in Counter(turns.answers or (seat for seat, _ in turns.words)).items():
            self.asked[turns.trial, seat] = TurnCounts(0, count)
        for seat, words in turns.words:
            if words:
                spoken[seat].append(words)
        for seat, counts in spoken.items():
            key = (turns.trial, seat)
            self._words[key] = sum(counts) / len(counts) if counts else _NONE
            self._turns[key] = float(len(turns.words))
            self._failed[key] = 0.0

    def take_trouble(self, episode: Episode) -> None:
        """Take in what went wrong in an episode that was taken already."""
        self.count_failures(episode)
        self.went_without.update(_went_without(episode))
        for event in (*episode.failed_turns, *episode.failed_questions):
            self._given_up[episode.trial.id, event.seat] += 1
        for seat, failed in Counter(event.seat for event in episode.failed_turns).items():
            self._failed[episode.trial.id, seat] = float(failed)

    def columns(self) -> tuple[ScoreColumn, ...]:
        """The measures as columns; none before an episode was taken in."""
        if not self._turns:
            return ()
        return tuple(
            ScoreColumn(TRANSCRIPT.label, TRANSCRIPT, measure, False, False, outcomes)
            for measure, outcomes in self._counted()
        )

    def _counted(self) -> Iterable[tuple[Measure, dict[PlayKey, PlayOutcome]]]:
        if any(self._turns.values()):
            yield WORDS, self._words
            yield TURNS, self._turns
            yield FAILED_TURNS, self._failed
        else:  # a town: nobody takes turns there, and questions are all that can fail
            yield FAILED_QUESTIONS, {key: float(self._given_up[key]) for key in self._turns}


def cost_column(
    costs: Mapping[tuple[str, str], SeatCost], plays: Iterable[PlayRow], played: Set[PlayKey]
) -> tuple[ScoreColumn, ...]:
    """The cost of each agent that is known to pay; no column where no price is known.

    `costs` holds the seats that made calls. An agent that made calls elsewhere cost nothing where
    it was never asked; one that made none has no entry.
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
    """Why a turn or a question failed for good, who was to reply, and where."""
    when = f"turn {event.turn + 1}" if event.name == ACT else f'asked "{event.name}"'
    return event.cause, f"{event.seat}, {when}: {event.problem}", episode.trial.id


def _went_without(episode: Episode) -> set[str]:
    """The names of the questions that failed for good and after which somebody still said more."""
    waiting: set[str] = set()
    missed: set[str] = set()
    for event in episode.events:
        if isinstance(event, Unusable):
            if event.final and event.name != ACT and not event.optional:
                waiting.add(event.name)
        elif isinstance(event, Answered | Moved):
            missed |= waiting
    return missed


# ------------------------------------------------------------------ what judges said


_Which: TypeAlias = tuple[str, float, float, bool]
"""A measure by name and ends, which hash faster than the whole of it; whether of whole episodes."""
_Values: TypeAlias = dict[PlayKey, tuple[PlayOutcome, ...]]
_Cell: TypeAlias = tuple[Json, list[PlayOutcome]]


@dataclass(frozen=True, slots=True)
class CellValue:
    """What one judge said of one measure of a cell of the plan, or (`cell` None) of the run."""

    label: str
    judge: JudgeId
    measure: Measure
    cell: Json
    seat: str | None
    outcome: PlayOutcome


@dataclass(slots=True)
class Judged:
    """Columns in the making. `judgings` is how often each judge judged an episode at most."""

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
        """Take in one verdict."""
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
        key = self._keys.setdefault(key, key)  # one for all measures: there may be millions
        play_outcome, values = outcome(row), columns[which][1]
        one_value = self._ones.setdefault(play_outcome, (play_outcome,))
        values[key] = (*values[key], play_outcome) if key in values else one_value
        if judge.method == "people" and row.value is not None:
            ratings = self._ratings.setdefault((judge, measure.name), {})
            rater = row.rated_by.rater if row.rated_by else f"#{row.judging + 1}"
            ratings[key] = (*ratings.get(key, ()), (rater, row.value))

    def labels(self) -> dict[JudgeId, str]:
        """Names that tell the judges apart."""
        return labels_of(self.judgings)

    def columns(self, *, last: bool = False) -> tuple[ScoreColumn, ...]:
        """The verdicts on episodes, judges and measures in the order in which they first occur.

        Repeated judgings of a seat by one judge are averaged first, so that it counts once. `last`:
        what they are made of is given up meanwhile, which halves the memory of a large run.
        """
        labels, score_columns = self.labels(), list[ScoreColumn]()
        for judge, columns in self._by_judge.items():
            for (*_, is_whole), (measure, values) in columns.items():
                outcomes = {key: combined(repeats) for key, repeats in values.items()}
                ratings = self._ratings.get((judge, measure.name), {})
                score_columns.append(
                    ScoreColumn(labels[judge], judge, measure, is_whole, True, outcomes, ratings)
                )
                if last:
                    values.clear()
        return tuple(score_columns)

    def values(self, column: ScoreColumn) -> Mapping[PlayKey, Sequence[PlayOutcome]]:
        """What each judging of a play came to, of one of the `columns`."""
        measure = column.measure
        which = measure.name, measure.low, measure.high, column.whole
        return self._by_judge[column.judge][which][1]

    def cells(self) -> tuple[CellValue, ...]:
        """The verdicts on cells and on the run, repeated judgings averaged."""
        labels = self.labels()
        return tuple(
            CellValue(labels[judge], judge, measure, cell, seat, combined(outcomes))
            for judge, cells in self._cells.items()
            for (measure, _, seat), (cell, outcomes) in cells.items()
        )


def labels_of(judges: Collection[JudgeId]) -> dict[JudgeId, str]:
    """Labels that tell judges apart: with a piece of a hash where their own labels agree, and with
    a number where that does, too.

    The labels of what this package counts itself are taken.
    """
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
