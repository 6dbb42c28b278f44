"""The episodes of a run, filtered, sorted and divided into pages."""

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
    """A judge and a metric that it scored."""

    judge: JudgeId
    measure: Measure
    label: str

    @property
    def key(self) -> str:
        """Judge and metric as one text, for URLs."""
        return f"{self.label}|{self.measure.name}"

    @property
    def reads(self) -> bool:
        """Whether the judge is a reader of outcomes; its scores are listed before a formula's."""
        return self.judge.role == "reader"

    @property
    def title(self) -> str:
        return f"{self.measure.title or self.measure.name}, by {self.label}"


@dataclass(frozen=True, slots=True)
class EpisodeFilter:
    """Which episodes, in which order; "" and None stand for any.

    `agent` and `partner` must sit in two different seats, even if they are the same label. `score`
    is the key of a `ScoredMeasure`; the score of a seat, or of the whole episode, must lie within
    `low` and `high`, both included. If an agent is named, range and order go by its seats alone.
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
    """An episode with its scores as (seat, value); the seat is "" for the whole episode."""

    row: EpisodeRow
    scores: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class FilterChoices:
    """The values that occur in a run, by which its episodes can be filtered."""

    agents: tuple[str, ...]
    tags: tuple[str, ...]
    scenarios: tuple[str, ...]
    ends: tuple[str, ...]
    scored: tuple[ScoredMeasure, ...]


@dataclass(frozen=True, slots=True)
class EpisodePage:
    """A page (from 1) of the `of` episodes that match a filter; the run has `all` episodes."""

    episodes: tuple[ListedEpisode, ...]
    of: int
    all: int
    page: int
    pages: int
    scored: ScoredMeasure | None


def choices(store: Store, run: str) -> FilterChoices:
    return RUN_CACHE.get_or_make(store, run, "choices", lambda: _choices(store, run))


def list_page(
    store: Store, run: str, query: EpisodeFilter, page: int = 1, size: int = PAGE
) -> EpisodePage:
    """A page, from 1, of the episodes that match; for a page past the last, the last.

    Scores are those of `query.score` or, without one that exists, of the world's main metric.
    """
    rows = RUN_CACHE.get_or_make(store, run, "episodes", lambda: episode_rows(store, run))
    available = choices(store, run).scored
    requested = [score for score in available if score.key == query.score]
    scored = next(iter((*requested, *available)), None)
    values: Mapping[str, tuple[tuple[str, float], ...]] = {}
    if scored is not None:
        judge, metric = scored.judge, scored.measure.name
        values = RUN_CACHE.get_or_make(
            store, run, ("scores", scored.key), lambda: _mean_scores(store, run, judge, metric)
        )
    relevant = {row.trial: _relevant(row, query.agent, values.get(row.trial, ())) for row in rows}
    matches = [row for row in rows if _fits(row, query, relevant[row.trial])]
    _sort(matches, query.order, relevant)
    pages = max(1, -(-len(matches) // size))
    at = min(page, pages)
    on_page = matches[(at - 1) * size : at * size]
    return EpisodePage(
        tuple(ListedEpisode(row, values.get(row.trial, ())) for row in on_page),
        len(matches),
        len(rows),
        at,
        pages,
        scored,
    )


def _mean_scores(
    store: Store, run: str, judge: JudgeId, measure: str
) -> Mapping[str, tuple[tuple[str, float], ...]]:
    """By trial, each seat ("" for the whole episode) with the mean over the judge's judgings."""
    by_trial: dict[str, dict[str, list[float]]] = {}
    for row in store.verdicts.scores(run, judge, measure=measure, texts=False):
        if row.trial is not None and row.value is not None:
            by_trial.setdefault(row.trial, {}).setdefault(row.seat or "", []).append(row.value)
    return {
        trial: tuple((seat, fmean(values)) for seat, values in seats.items())
        for trial, seats in by_trial.items()
    }


def _choices(store: Store, run: str) -> FilterChoices:
    rows = RUN_CACHE.get_or_make(store, run, "episodes", lambda: episode_rows(store, run))
    scales = store.verdicts.measures(run)
    labels = labels_of(list(dict.fromkeys(judge for judge, _ in scales)))
    declared = store.run(run).declared
    first = [*declared.main, *declared.order]
    scored = [ScoredMeasure(judge, measure, labels[judge]) for judge, measure in scales]
    scored.sort(key=lambda score: (_rank(first, score.measure.name), not score.reads))
    return FilterChoices(
        tuple(dict.fromkeys(agent for row in rows for _, agent in row.cast)),
        tuple(sorted({tag for row in rows for tag in row.tags})),
        tuple(sorted({row.cluster for row in rows})),
        tuple(sorted({row.ended for row in rows} - {""})),
        tuple(scored),
    )


def _rank(names: Sequence[str], name: str) -> int:
    return names.index(name) if name in names else len(names)


def _relevant(
    row: EpisodeRow, agent: str, scores: Sequence[tuple[str, float]]
) -> Sequence[tuple[str, float]]:
    """The scores that range and order go by: all or, of an agent, those of its seats and of the
    whole episode."""
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
    low, high = query.low, query.high
    if low is None and high is None:
        return True
    return any(
        (low is None or value >= low) and (high is None or value <= high) for _, value in scores
    )


def _sort(
    rows: list[EpisodeRow], order: Order, values: Mapping[str, Sequence[tuple[str, float]]]
) -> None:
    """Sort in place; ties stay in the order of the plan, and episodes without a score come last."""

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
