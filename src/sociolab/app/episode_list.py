"""The episodes of a run as a list: filtered, sorted, page by page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Literal, TypeAlias, get_args

from sociolab.app.run_cache import RUN_CACHE
from sociolab.core.score import JudgeId, Measure
from sociolab.report.plays import labels_of
from sociolab.store.overview import EpisodeRow, episode_rows
from sociolab.store.store import Store

PAGE = 50
"""Episodes on a page."""

Order: TypeAlias = Literal["plan", "lowest", "highest", "turns", "failed", "task"]
ORDERS: tuple[Order, ...] = get_args(Order)
State: TypeAlias = Literal["", "played", "failed", "playing", "planned"]
STATES: tuple[State, ...] = get_args(State)


@dataclass(frozen=True, slots=True)
class ScoredMeasure:
    """A judge and a measure that it gave values in; `key` names both in an address."""

    judge: JudgeId
    measure: Measure
    label: str

    @property
    def key(self) -> str:
        """Judge and measure, as an address has them."""
        return f"{self.label}|{self.measure.name}"

    @property
    def reads(self) -> bool:
        """Whether the judge is a reader, whose scores come before those of a formula."""
        return self.judge.role == "reader"

    @property
    def title(self) -> str:
        """Measure and judge to read."""
        return f"{self.measure.title or self.measure.name}, by {self.label}"


@dataclass(frozen=True, slots=True)
class EpisodeFilter:
    """Which episodes, in which order. "" and None: any.

    `agent` and `partner` sit in two seats (of one label: both). `score` is the key of a
    `ScoredMeasure`; `low` to `high` holds the value of a seat, or of the whole episode. Where an
    agent is named, its seats' values count for range and order, and nobody else's.
    """

    agent: str = ""
    partner: str = ""
    tag: str = ""
    scenario: str = ""
    status: State = ""
    ended: str = ""
    failed: bool = False
    score: str = ""
    low: float | None = None
    high: float | None = None
    order: Order = "plan"


@dataclass(frozen=True, slots=True)
class ListedEpisode:
    """An episode in the list; `scores` are (seat, value), the seat "" for the whole episode."""

    row: EpisodeRow
    scores: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class FilterChoices:
    """What a run's episodes can be filtered by: those values that occur."""

    agents: tuple[str, ...]
    tags: tuple[str, ...]
    scenarios: tuple[str, ...]
    ends: tuple[str, ...]
    scored: tuple[ScoredMeasure, ...]


@dataclass(frozen=True, slots=True)
class EpisodePage:
    """A page of the list; `of` episodes fit the filter, `all` has the run."""

    listed: tuple[ListedEpisode, ...]
    of: int
    all: int
    page: int
    pages: int
    scored: ScoredMeasure | None


def choices(store: Store, run: str) -> FilterChoices:
    """What the episodes of a run can be filtered by."""
    return RUN_CACHE.of(store, run, "choices", lambda: _choices(store, run))


def listed(
    store: Store, run: str, query: EpisodeFilter, page: int = 1, size: int = PAGE
) -> EpisodePage:
    """A page of the episodes that fit, from 1; a page past the last is the last."""
    rows = RUN_CACHE.of(store, run, "episodes", lambda: episode_rows(store, run))
    scored = _scored(choices(store, run).scored, query.score)
    values: Mapping[str, tuple[tuple[str, float], ...]] = {}
    if scored is not None:
        by = scored
        values = RUN_CACHE.of(
            store, run, ("scores", by.key), lambda: _values(store, run, by.judge, by.measure.name)
        )
    counted = {row.trial: _counted(row, query.agent, values.get(row.trial, ())) for row in rows}
    fitting = [row for row in rows if _fits(row, query, counted[row.trial])]
    _sort(fitting, query.order, counted)
    pages = max(1, -(-len(fitting) // size))
    at = min(page, pages)
    on_page = fitting[(at - 1) * size : at * size]
    return EpisodePage(
        tuple(ListedEpisode(row, values.get(row.trial, ())) for row in on_page),
        len(fitting),
        len(rows),
        at,
        pages,
        scored,
    )


def _values(
    store: Store, run: str, judge: JudgeId, measure: str
) -> Mapping[str, tuple[tuple[str, float], ...]]:
    """What the judge gave in the measure: seat ("" of the whole episode) and mean, by trial."""
    by_trial: dict[str, dict[str, list[float]]] = {}
    for row in store.verdicts.scores(run, judge, measure=measure, texts=False):
        if row.trial is not None and row.value is not None:
            by_trial.setdefault(row.trial, {}).setdefault(row.seat or "", []).append(row.value)
    return {
        trial: tuple((seat, fmean(values)) for seat, values in seats.items())
        for trial, seats in by_trial.items()
    }


def _choices(store: Store, run: str) -> FilterChoices:
    rows = RUN_CACHE.of(store, run, "episodes", lambda: episode_rows(store, run))
    scales = store.verdicts.measures(run)
    labels = labels_of(list(dict.fromkeys(judge for judge, _ in scales)))
    declared = store.run(run).declared
    first = [*declared.main, *declared.order]
    scored = [ScoredMeasure(judge, measure, labels[judge]) for judge, measure in scales]
    scored.sort(key=lambda score: (_place(first, score.measure.name), not score.reads))
    return FilterChoices(
        tuple(dict.fromkeys(agent for row in rows for _, agent in row.cast)),
        tuple(sorted({tag for row in rows for tag in row.tags})),
        tuple(sorted({row.cluster for row in rows})),
        tuple(sorted({row.ended for row in rows} - {""})),
        tuple(scored),
    )


def _place(names: Sequence[str], name: str) -> int:
    return names.index(name) if name in names else len(names)


def _scored(scored: Sequence[ScoredMeasure], key: str) -> ScoredMeasure | None:
    """The one that is wanted, or else the first: the world's main measure."""
    named = [score for score in scored if score.key == key]
    return next(iter((*named, *scored)), None)


def _counted(
    row: EpisodeRow, agent: str, scores: Sequence[tuple[str, float]]
) -> Sequence[tuple[str, float]]:
    """The values that range and order go by: all, or those of an agent's seats and of the whole."""
    if not agent:
        return scores
    own = {seat for seat, label in row.cast if label == agent}
    return [(seat, value) for seat, value in scores if not seat or seat in own]


def _fits(row: EpisodeRow, query: EpisodeFilter, scores: Sequence[tuple[str, float]]) -> bool:
    agents = [agent for _, agent in row.cast]
    for label in filter(None, (query.agent, query.partner)):
        if label not in agents:
            return False
        agents.remove(label)
    if query.status and row.status != query.status:
        return False
    if query.tag and query.tag not in row.tags:
        return False
    if query.scenario and row.cluster != query.scenario:
        return False
    if query.ended and row.ended != query.ended:
        return False
    if query.failed and not row.failed:
        return False
    return _in_range(query, scores)


def _in_range(query: EpisodeFilter, scores: Sequence[tuple[str, float]]) -> bool:
    low, high = query.low, query.high
    if low is None and high is None:
        return True
    return any(
        (low is None or value >= low) and (high is None or value <= high) for _, value in scores
    )


def _sort(
    rows: list[EpisodeRow], order: Order, values: Mapping[str, Sequence[tuple[str, float]]]
) -> None:
    """Sort in place; equals stay in plan order, and what has no value comes last."""

    def mean(row: EpisodeRow) -> float | None:
        scores = [value for _, value in values.get(row.trial, ())]
        return sum(scores) / len(scores) if scores else None

    def by(sign: int) -> Callable[[EpisodeRow], Any]:
        def key(row: EpisodeRow) -> tuple[bool, float]:
            value = mean(row)
            return value is None, sign * (value or 0.0)

        return key

    keys: dict[Order, Callable[[EpisodeRow], Any]] = {
        "lowest": by(1),
        "highest": by(-1),
        "turns": lambda row: -(row.turns or row.answers),
        "failed": lambda row: -row.failed,
        "task": lambda row: (row.task, row.index),
    }
    if order in keys:
        rows.sort(key=keys[order])
