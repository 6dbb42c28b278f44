"""What people and judges gave the same plays, as `stats.agreement` compares it.

All raters of one set are one judge of the method "people" to a report, which averages them; each
rating says who gave it (`core.score.RatedBy`). A pseudonym is one person in all sets.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from sociolab.core.episode import Agent, AgentKind, Trial
from sociolab.core.errors import ConfigError
from sociolab.core.instructions import (
    RATED_BY,
    Prompts,
    instructions_from,
)
from sociolab.core.metrics import Declared
from sociolab.core.score import (
    JudgeId,
    Measure,
    RatedBy,
    judge_called,
)
from sociolab.report.plays import labels_of
from sociolab.report.result import run_of_episodes
from sociolab.stats.agreement import OVERALL, POOLED, ItemRating
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
    """What a rating is of: a seat of an episode, or (None) the whole, and the agents of it."""

    run: str
    trial: str
    seat: str | None
    agent: str

    @property
    def episode(self) -> tuple[str, str]:
        """Run and trial."""
        return self.run, self.trial


@dataclass(frozen=True, slots=True)
class StoredRatings:
    """Ratings by people and by judges of the plays of some runs.

    `measures` are those that people rated, in the order of the world's paper. `judge_ids` says who
    each judge is, by label, `instructions` from which set judges by label and raters by set
    had theirs, as far as it is known. `measuring` are what judges gave in the metrics that are to
    measure what people rated by another name (`Declared.measured_by`). `seats` are what was rated,
    by item.
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

    @property
    def metrics(self) -> dict[str, Measure]:
        """What people rated, by name."""
        return {measure.name: measure for measure in self.measures}

    @property
    def cluster(self) -> str:
        """What intervals are clustered by; "situation" where worlds call it differently."""
        clusters = {declared.cluster for declared in self.worlds.values()}
        return clusters.pop() if len(clusters) == 1 else "situation"

    @property
    def raters(self) -> tuple[Rater, ...]:
        """Who rated, by name."""
        by: dict[str, list[PersonRating]] = {}
        for row in self.people:
            by.setdefault(row.rater, []).append(row)
        return tuple(_rater(name, rows) for name, rows in sorted(by.items()))


def ratings_of(
    store: Store, runs: Sequence[str], judges: Sequence[str] = (), sets: Sequence[str] = ()
) -> StoredRatings:
    """Everything that people gave the plays of these runs, and what judges gave in those measures.

    `judges` names the judges wanted; all that scored such a measure, if none is named. `sets` names
    the sets of ratings; all, if none is named. ConfigError where no person rated anything, for a
    judge or set that is not there, and where a measure's range differs between runs.
    """
    found = _Found()
    for run in dict.fromkeys(runs):
        found.take_run(store, run, sets)
    check_sets(store, runs, sets)
    if not found.people:
        raise ConfigError(
            f"no ratings by people in {', '.join(runs)}; "
            "import some: sociolab import ratings FILE --run RUN"
        )
    labels, measuring = found.labels(), tuple(found.measuring_rows())
    known = sorted({*labels.values(), *(row.rater for row in measuring)})
    judges = [judge_called(name, known, "what people rated") for name in judges]
    rows = tuple(row for row in found.judge_rows(labels) if not judges or row.rater in judges)
    first = [name for declared in found.worlds.values() for name in declared.order]
    order = dict.fromkeys([*(name for name in first if name in found.measures), *found.measures])
    kept = {row.rater for row in rows}
    return StoredRatings(
        tuple(dict.fromkeys(runs)),
        dict(found.worlds),
        tuple(found.people_rows()),
        rows,
        tuple(found.measures[name] for name in order),
        {label: judge for judge, label in labels.items() if label in kept},
        tuple(sorted(found.sets)),
        dict(_instructions(store, found, labels)),
        tuple(row for row in measuring if not judges or row.rater in judges),
        found.seats,
    )


def check_sets(store: Store, runs: Iterable[str], sets: Iterable[str]) -> None:
    """ConfigError for a set of ratings that none of these runs has."""
    judges = [one for run in runs for one in store.verdicts.judges(run)]
    known = sorted({one.name for one in judges if one.method == "people"})
    if strange := [name for name in sets if name not in known]:
        told = ", ".join(known) or "none"
        raise ConfigError(f'--ratings: expected a set of ratings ({told}), found "{strange[0]}"')


def _instructions(
    store: Store, found: _Found, labels: Mapping[JudgeId, str]
) -> Iterator[tuple[str, Prompts]]:
    for judge, label in labels.items():
        if judge.prompts:
            yield label, judge.prompts
    for study in store.studies.all():
        settings = study.settings if isinstance(study.settings, dict) else {}
        told = instructions_from(settings.get(RATED_BY))
        if told and study.name in found.sets:
            yield study.name, told.prompts


@dataclass(frozen=True, slots=True)
class _Play:
    item: str
    cluster: str
    group: str


@dataclass(slots=True)
class _Found:
    """Verdicts on plays, taken run by run; those of judges in measures that nobody rated, too."""

    worlds: dict[str, Declared] = field(default_factory=dict)
    people: dict[tuple[str, _Play, str], list[ScoreRow]] = field(default_factory=dict)
    measures: dict[str, Measure] = field(default_factory=dict)
    sets: set[str] = field(default_factory=set)
    seats: dict[str, RatedSeat] = field(default_factory=dict)
    _said: dict[tuple[JudgeId, _Play, str], list[float]] = field(default_factory=dict)

    def take_run(self, store: Store, run: str, sets: Sequence[str]) -> None:
        row = run_of_episodes(store, run)
        self.worlds[row.world] = row.declared
        trials = {found.trial.id: found.trial for found in store.trials(run)}
        for score in store.verdicts.scores(run, texts=False):
            left_out = sets and score.judge.method == "people" and score.judge.name not in sets
            if score.trial is None or score.measure.name in (OVERALL, POOLED) or left_out:
                continue
            self._take(score, run, trials[score.trial])

    def _take(self, row: ScoreRow, run: str, trial: Trial) -> None:
        item = f"{run} {trial.id} {row.seat or ''}"
        play = _Play(item, trial.task.cluster, _group(trial, row.seat))
        self.seats[item] = RatedSeat(run, trial.id, row.seat, _agent(trial, row.seat))
        if row.judge.method == "people":
            if row.value is not None:
                self._rate(row, play)
        elif row.kind != "unscored":
            said = self._said.setdefault((row.judge, play, row.measure.name), [])
            if row.value is not None:
                said.append(row.value)

    def _rate(self, row: ScoreRow, play: _Play) -> None:
        measure = row.measure
        known = self.measures.setdefault(measure.name, measure)
        if measure.whole and not known.whole:  # the mean of double ratings is no whole number
            known = self.measures[measure.name] = measure
        if (known.low, known.high) != (measure.low, measure.high):
            raise ConfigError(
                f"{measure.name} lies between {known.low:g} and {known.high:g} in one run and "
                f"between {measure.low:g} and {measure.high:g} in another; compare them apart"
            )
        self.sets.add(row.judge.name)
        who = row.rated_by.rater if row.rated_by else f"{row.judge.name}/{row.judging + 1}"
        self.people.setdefault((who, play, measure.name), []).append(row)

    def labels(self, measures: Collection[str] = ()) -> dict[JudgeId, str]:
        """Labels of the judges that scored what people rated (or these measures)."""
        wanted = measures or self.measures
        return labels_of(dict.fromkeys(judge for judge, _, name in self._said if name in wanted))

    def measuring_rows(self) -> Iterator[ItemRating]:
        """Of judges, in the metrics that are to measure what people rated."""
        wanted = {
            metric
            for declared in self.worlds.values()
            for dimension, metric in declared.measured_by.items()
            if dimension in self.measures
        }
        return self.judge_rows(self.labels(wanted), wanted) if wanted else iter(())

    def judge_rows(
        self, labels: Mapping[JudgeId, str], measures: Collection[str] = ()
    ) -> Iterator[ItemRating]:
        for (judge, play, name), values in self._said.items():
            if name in (measures or self.measures):
                value = fmean(values) if values else None
                yield ItemRating(play.item, labels[judge], name, value, play.cluster, play.group)

    def people_rows(self) -> Iterator[PersonRating]:
        """What one person gave the same in several sets is one rating, their mean."""
        for (who, play, measure), scores in self.people.items():
            rated_by = scores[0].rated_by or RatedBy(who)
            yield PersonRating(
                play.item,
                who,
                measure,
                fmean(row.value for row in scores if row.value is not None),
                play.cluster,
                play.group,
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


def _group(trial: Trial, seat: str | None) -> str:
    """Who played a seat; of a whole episode, those who played it if they are of one kind."""
    kinds = {group_of(one.identity) for one in trial.cast if seat in (None, one.seat)}
    return kinds.pop() if len(kinds) == 1 else OTHERS


def _agent(trial: Trial, seat: str | None) -> str:
    """Who played a seat; of a whole episode all who did."""
    if seat is not None:
        return trial.agent(seat)
    return ", ".join(dict.fromkeys(member.agent for member in trial.cast))


def group_of(agent: Agent) -> str:
    """`MODELS`, `PEOPLE`, `RULES` or `OTHERS` (plugins)."""
    return _GROUPS.get(agent.kind, OTHERS)
