"""Stored ratings by people, and judges' scores of the same episodes, for `stats.agreement`.

All raters of one set are one judge of the method "people" to a report, which averages them; each
rating says who gave it (`core.score.RatedBy`). A pseudonym is one person in all sets.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from sociolab.analysis.length import words_by_seat
from sociolab.core.episode import Agent, AgentKind, Trial
from sociolab.core.errors import ConfigError
from sociolab.core.instructions import (
    RATED_BY,
    Prompts,
    parse_instructions,
)
from sociolab.core.metrics import Declared
from sociolab.core.score import (
    JudgeId,
    Measure,
    RatedBy,
    resolve_judge,
)
from sociolab.report.exam import JudgeExam, exams_of
from sociolab.report.plays import labels_of
from sociolab.report.result import run_of_episodes
from sociolab.stats.agreement import OVERALL, POOLED, ItemRating
from sociolab.store.checking import verify_runs
from sociolab.store.store import Store
from sociolab.store.verdicts import ScoreRow

MODELS, PEOPLE, RULES, OTHERS = GROUPS = ("models", "people", "rules", "others")
"""Who played: the groups that correlations are given for apart (SOTOPIA, Table 1)."""

_GROUPS: Mapping[AgentKind, str] = {"model": MODELS, "person": PEOPLE, "rules": RULES}


@dataclass(frozen=True, slots=True)
class Rater:
    """A person: how many ratings of how many plays, and the seconds of those that tell them.

    `first` and `last` are when they rated, in UTC; "" where no rating tells.
    """

    name: str
    ratings: int
    plays: int
    seconds: tuple[float, ...]
    first: str = ""
    last: str = ""


@dataclass(frozen=True, slots=True)
class PersonRating(ItemRating):
    """A rating by a person: how many seconds it took, and when it was given (UTC), if told."""

    seconds: float | None = None
    when: str = ""


@dataclass(frozen=True, slots=True)
class RatedSeat:
    """What a rating is of: a seat of an episode, or (None) the whole, who played it (`group`: which
    of `GROUPS`), and what it clusters with."""

    run: str
    trial: str
    seat: str | None
    agent: str
    cluster: str
    group: str

    @property
    def item(self) -> str:
        """The name of the item in `ItemRating`."""
        return f"{self.run} {self.trial} {self.seat or ''}"

    @property
    def episode(self) -> tuple[str, str]:
        """(run, trial)."""
        return self.run, self.trial

    @classmethod
    def from_trial(cls, run: str, trial: Trial, seat: str | None) -> RatedSeat:
        """A seat of a trial. Whoever is of one kind is of its group, others are `OTHERS`."""
        cast = [member for member in trial.cast if seat in (None, member.seat)]
        agents = ", ".join(dict.fromkeys(member.agent for member in cast))
        groups = {agent_group(member.identity) for member in cast}
        group = groups.pop() if len(groups) == 1 else OTHERS
        return cls(run, trial.id, seat, agents, trial.task.cluster, group)


@dataclass(frozen=True, slots=True)
class StoredRatings:
    """Ratings by people and by judges of the plays of some runs.

    `measures` are those that people rated, in the order of the world's paper. `judge_ids` says who
    each judge is, by label, `instructions` from which set judges by label and raters by set
    had theirs, as far as it is known. `measuring` are what judges gave in the metrics that are to
    measure what people rated by another name (`Declared.measured_by`). `seats` are what was rated,
    by item, `words` how many were said there. `exams` are those of judges, and of sets of raters,
    by run.
    """

    runs: tuple[str, ...]
    worlds: Mapping[str, Declared]
    people: tuple[PersonRating, ...]
    judges: tuple[ItemRating, ...]
    measures: tuple[Measure, ...]
    judge_ids: Mapping[str, JudgeId]
    sets: tuple[str, ...]
    instructions: Mapping[str, Prompts] = field(default_factory=dict)
    measuring: tuple[ItemRating, ...] = ()
    seats: Mapping[str, RatedSeat] = field(default_factory=dict)
    exams: Mapping[str, tuple[JudgeExam, ...]] = field(default_factory=dict)
    words: Mapping[str, int] = field(default_factory=dict)

    @property
    def metrics(self) -> dict[str, Measure]:
        """The metrics that people rated, by name."""
        return {measure.name: measure for measure in self.measures}

    @property
    def cluster(self) -> str:
        """What intervals are clustered by; "situation" where worlds call it differently."""
        clusters = {declared.cluster for declared in self.worlds.values()}
        return clusters.pop() if len(clusters) == 1 else "situation"

    @property
    def raters(self) -> tuple[Rater, ...]:
        """All raters, sorted by name."""
        by: dict[str, list[PersonRating]] = {}
        for row in self.people:
            by.setdefault(row.rater, []).append(row)
        return tuple(_rater(name, rows) for name, rows in sorted(by.items()))


def load_ratings(
    store: Store, runs: Sequence[str], judges: Sequence[str] = (), sets: Sequence[str] = ()
) -> StoredRatings:
    """Load people's ratings of these runs, and the scores of judges in the same metrics.

    `judges` names judges; by default all that scored such a metric. `sets` names
    the sets of ratings; all, if none is named. ConfigError where no person rated anything, for a
    judge or set that is not there, and where a metric's range differs between runs.
    """
    scores = _Scores()
    for run in dict.fromkeys(runs):
        scores.take_run(store, run, sets)
    check_sets(store, runs, sets)
    if not scores.people:
        raise ConfigError(
            f"no ratings by people in {', '.join(runs)}; "
            "import some: sociolab import ratings FILE --run RUN"
        )
    standing_for = {metric for _, metric in measured_pairs(scores.worlds, scores.measures)}
    labels, measuring = scores.labels(scores.measures), scores.by_judges(standing_for)
    available = sorted({*labels.values(), *(row.rater for row in measuring)})
    judges = [resolve_judge(name, available, "what people rated") for name in judges]
    rows = [row for row in scores.by_judges(scores.measures) if not judges or row.rater in judges]
    scored = {row.rater for row in rows}
    order = [name for declared in scores.worlds.values() for name in declared.order]
    order = [name for name in dict.fromkeys([*order, *scores.measures]) if name in scores.measures]
    return StoredRatings(
        tuple(dict.fromkeys(runs)),
        dict(scores.worlds),
        tuple(scores.by_people()),
        tuple(rows),
        tuple(scores.measures[name] for name in order),
        {label: judge for judge, label in labels.items() if label in scored},
        tuple(sorted(scores.sets)),
        dict(_instructions(store, scores.sets, labels)),
        tuple(row for row in measuring if not judges or row.rater in judges),
        {seat.item: seat for seat in scores.seats},
        {run: _exams(store, run, scores.labels(standing_for) | labels) for run in runs},
        _words(store, {seat for _, seat, _ in scores.people}),
    )


def _words(store: Store, seats: Collection[RatedSeat]) -> dict[str, int]:
    """How many words were said in each seat, or in the whole episode, by item."""
    said = {place: words_by_seat(store.episode(*place)) for place in {s.episode for s in seats}}
    words = {}
    for seat in seats:
        by_seat = said[seat.episode]
        words[seat.item] = by_seat.total() if seat.seat is None else by_seat[seat.seat]
    return words


def _exams(store: Store, run: str, labels: Mapping[JudgeId, str]) -> tuple[JudgeExam, ...]:
    judges = store.verdicts.judges(run)
    people = {judge: judge.name for judge in judges if judge.method == "people"}
    named = {judge: label for judge, label in labels.items() if judge in judges}
    return exams_of(store, run, store.run(run).world, people | named)


def measured_pairs(
    worlds: Mapping[str, Declared], rated: Collection[str]
) -> tuple[tuple[str, str], ...]:
    """What people rated, each with the metric that is to measure it (`Declared.measured_by`)."""
    pairs = (pair for declared in worlds.values() for pair in declared.measured_by.items())
    return tuple(dict.fromkeys(pair for pair in pairs if pair[0] in rated))


def check_sets(store: Store, runs: Iterable[str], sets: Iterable[str]) -> None:
    """ConfigError for a set of ratings that none of these runs has."""
    judges = [judge for run in runs for judge in store.verdicts.judges(run)]
    stored = sorted({judge.name for judge in judges if judge.method == "people"})
    if strange := [name for name in sets if name not in stored]:
        names = ", ".join(stored) or "none"
        raise ConfigError(f'--ratings: expected a set of ratings ({names}), found "{strange[0]}"')


def _instructions(
    store: Store, sets: Collection[str], labels: Mapping[JudgeId, str]
) -> Iterator[tuple[str, Prompts]]:
    for judge, label in labels.items():
        if judge.prompts:
            yield label, judge.prompts
    for study in store.studies.all():
        settings = study.settings if isinstance(study.settings, dict) else {}
        instructions = parse_instructions(settings.get(RATED_BY))
        if instructions and study.name in sets:
            yield study.name, instructions.prompts


@dataclass(slots=True)
class _Scores:
    """Scores of seats, taken run by run; those of judges in metrics that nobody rated, too."""

    worlds: dict[str, Declared] = field(default_factory=dict)
    people: dict[tuple[str, RatedSeat, str], list[ScoreRow]] = field(default_factory=dict)
    judges: dict[tuple[JudgeId, RatedSeat, str], list[float]] = field(default_factory=dict)
    measures: dict[str, Measure] = field(default_factory=dict)
    sets: set[str] = field(default_factory=set)

    @property
    def seats(self) -> Iterator[RatedSeat]:
        return (seat for _, seat, _ in (*self.people, *self.judges))

    def take_run(self, store: Store, run: str, sets: Sequence[str]) -> None:
        verify_runs(store, run)
        row = run_of_episodes(store, run)
        self.worlds[row.world] = row.declared
        trials = {stored.trial.id: stored.trial for stored in store.trials(run)}
        for score in store.verdicts.scores(run, texts=False):
            by_people = score.judge.method == "people"
            left_out = by_people and sets and score.judge.name not in sets
            if score.trial is None or score.measure.name in (OVERALL, POOLED) or left_out:
                continue
            seat = RatedSeat.from_trial(run, trials[score.trial], score.seat)
            if by_people and score.value is not None:
                self._rate(score, seat)
            elif not by_people and score.kind != "unscored":
                values = self.judges.setdefault((score.judge, seat, score.measure.name), [])
                values += [] if score.value is None else [score.value]

    def _rate(self, score: ScoreRow, seat: RatedSeat) -> None:
        measure = score.measure
        first = self.measures.setdefault(measure.name, measure)
        if measure.whole and not first.whole:  # the mean of double ratings is no whole number
            first = self.measures[measure.name] = measure
        if (first.low, first.high) != (measure.low, measure.high):
            raise ConfigError(
                f"{measure.name} lies between {first.low:g} and {first.high:g} in one run and "
                f"between {measure.low:g} and {measure.high:g} in another; compare them apart"
            )
        self.sets.add(score.judge.name)
        rated_by = score.rated_by or RatedBy(f"{score.judge.name}/{score.judging + 1}")
        self.people.setdefault((rated_by.rater, seat, measure.name), []).append(score)

    def labels(self, measures: Collection[str]) -> dict[JudgeId, str]:
        """Labels of the judges that scored these metrics."""
        return labels_of(dict.fromkeys(judge for judge, _, name in self.judges if name in measures))

    def by_judges(self, measures: Collection[str]) -> list[ItemRating]:
        """The scores of judges in these metrics; of repeated judgings, the mean."""
        labels = self.labels(measures)
        return [
            ItemRating(
                seat.item,
                labels[judge],
                name,
                fmean(values) if values else None,
                seat.cluster,
                seat.group,
            )
            for (judge, seat, name), values in self.judges.items()
            if name in measures
        ]

    def by_people(self) -> Iterator[PersonRating]:
        """People's ratings; those of one person in several sets are averaged."""
        for (rater, seat, name), scores in self.people.items():
            rated_by = scores[0].rated_by or RatedBy(rater)
            value = fmean(score.value for score in scores if score.value is not None)
            yield PersonRating(
                seat.item,
                rater,
                name,
                value,
                seat.cluster,
                seat.group,
                rated_by.seconds,
                rated_by.when,
            )


def _rater(name: str, rows: Sequence[PersonRating]) -> Rater:
    moments = sorted(filter(None, (row.when for row in rows)))
    return Rater(
        name,
        ratings=len(rows),
        plays=len({row.item for row in rows}),
        seconds=tuple(row.seconds for row in rows if row.seconds is not None),
        first=moments[0] if moments else "",
        last=moments[-1] if moments else "",
    )


def agent_group(agent: Agent) -> str:
    """`MODELS`, `PEOPLE`, `RULES` or `OTHERS` (plugins)."""
    return _GROUPS.get(agent.kind, OTHERS)
