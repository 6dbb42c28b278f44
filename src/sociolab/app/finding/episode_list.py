"""The episodes of a run that somebody asks for in a command: filtered, worst first, the first few.

What an episode is in a list, and what its scores are, is read as the pages of `sociolab web` do.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, get_args

from sociolab.app.finding.seat_names import label_like
from sociolab.app.run_cache import KEPT
from sociolab.core.errors import ConfigError
from sociolab.core.score import READER, JudgeId, Measure, NotKnown, foremost, measure_called
from sociolab.report.layout import layout_of
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
class Scored:
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
        return self.label.startswith(READER)

    @property
    def title(self) -> str:
        """Measure and judge to read."""
        return f"{self.measure.title or self.measure.name}, by {self.label}"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which episodes, in which order. "" and None: any.

    `agent` and `partner` sit in two seats (of one label: both); `score` is the key of a `Scored`,
    and `low` to `high` holds the value of a seat, or of the whole episode. Where an agent is named,
    its seats' values count for range and order, and nobody else's.
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
class Listed:
    """An episode in the list; `scores` are (seat, value), the seat "" for the whole episode."""

    row: EpisodeRow
    scores: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Choices:
    """What a run's episodes can be filtered by: those values that occur."""

    agents: tuple[str, ...]
    tags: tuple[str, ...]
    scenarios: tuple[str, ...]
    ends: tuple[str, ...]
    scored: tuple[Scored, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """A page of the list; `of` episodes fit the filter, `all` has the run."""

    listed: tuple[Listed, ...]
    of: int
    all: int
    page: int
    pages: int
    scored: Scored | None


def choices(store: Store, run: str) -> Choices:
    """What the episodes of a run can be filtered by."""
    return KEPT.of(store, run, "choices", lambda: _choices(store, run))


def listed(store: Store, run: str, wanted: Wanted, page: int = 1, size: int = PAGE) -> Found:
    """A page of the episodes that fit, from 1; a page past the last is the last."""
    rows = KEPT.of(store, run, "episodes", lambda: episode_rows(store, run))
    scored = _scored_by(choices(store, run).scored, wanted.score)
    values: Mapping[str, tuple[tuple[str, float], ...]] = {}
    if scored is not None:
        by = scored
        values = KEPT.of(
            store, run, ("scores", by.key), lambda: _values(store, run, by.judge, by.measure.name)
        )
    counted = {row.trial: _counted(row, wanted.agent, values.get(row.trial, ())) for row in rows}
    fitting = [row for row in rows if _fits(row, wanted, counted[row.trial])]
    _sort(fitting, wanted.order, counted)
    pages = max(1, -(-len(fitting) // size))
    at = min(page, pages)
    shown = fitting[(at - 1) * size : at * size]
    return Found(
        tuple(Listed(row, values.get(row.trial, ())) for row in shown),
        len(fitting),
        len(rows),
        at,
        pages,
        scored,
    )


def _values(
    store: Store, run: str, judge: JudgeId, measure: str
) -> Mapping[str, tuple[tuple[str, float], ...]]:
    return store.verdicts.by_trial(run, judge, measure)


def _choices(store: Store, run: str) -> Choices:
    rows = KEPT.of(store, run, "episodes", lambda: episode_rows(store, run))
    found = store.verdicts.measures(run)
    labels = labels_of(list(dict.fromkeys(judge for judge, _ in found)))
    order = layout_of(store.run(run).world)
    first = [*order.main, *order.columns]
    scored = [Scored(judge, measure, labels[judge]) for judge, measure in found]
    scored.sort(key=lambda one: (_place(first, one.measure.name), not one.reads))
    return Choices(
        tuple(dict.fromkeys(agent for row in rows for _, agent in row.cast)),
        tuple(sorted({tag for row in rows for tag in row.tags})),
        tuple(sorted({row.cluster for row in rows})),
        tuple(sorted({row.ended for row in rows} - {""})),
        tuple(scored),
    )


def _place(names: Sequence[str], name: str) -> int:
    return names.index(name) if name in names else len(names)


def _scored_by(known: Sequence[Scored], wanted: str) -> Scored | None:
    """The one that is wanted, or else the first: the world's main measure."""
    named = [one for one in known if one.key == wanted]
    return next(iter((*named, *known)), None)


def _counted(
    row: EpisodeRow, agent: str, scores: Sequence[tuple[str, float]]
) -> Sequence[tuple[str, float]]:
    """The values that range and order go by: all, or those of an agent's seats and of the whole."""
    if not agent:
        return scores
    own = {seat for seat, label in row.cast if label == agent}
    return [(seat, value) for seat, value in scores if not seat or seat in own]


def _fits(row: EpisodeRow, wanted: Wanted, scores: Sequence[tuple[str, float]]) -> bool:
    agents = [agent for _, agent in row.cast]
    for label in filter(None, (wanted.agent, wanted.partner)):
        if label not in agents:
            return False
        agents.remove(label)
    if wanted.status and row.status != wanted.status:
        return False
    if wanted.tag and wanted.tag not in row.tags:
        return False
    if wanted.scenario and row.cluster != wanted.scenario:
        return False
    if wanted.ended and row.ended != wanted.ended:
        return False
    if wanted.failed and not row.failed:
        return False
    return _in_range(wanted, scores)


def _in_range(wanted: Wanted, scores: Sequence[tuple[str, float]]) -> bool:
    low, high = wanted.low, wanted.high
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


_ALL = 10**9
_RULE = re.compile(r"\s*([^<>=]*[^<>=\s])\s*(<=|>=|<|>|=)\s*([+-]?(?:\d+\.?\d*|\.\d+))\s*")
_KINDS: tuple[NotKnown, ...] = get_args(NotKnown)
_KIND = re.compile(rf"\s*([^<>=]*[^<>=\s])\s*=\s*({'|'.join(_KINDS)})\s*")


@dataclass(frozen=True, slots=True)
class Asked:
    """Which episodes: None and () for any.

    `agent` and `partner` may be the end of a label, `task` the beginning of an id. `failed`: the
    trial failed, or a turn or question in it did for good. `scores` are rules such as "goal<4", or
    "goal_checked=disputed" for what has no score, all of which must hold; `sort` is a measure,
    lowest first. Rules and order go by the seats of `agent`, if one is named, and else by any seat
    and by the mean of all.
    """

    agent: str | None = None
    partner: str | None = None
    task: str | None = None
    failed: bool = False
    scores: tuple[str, ...] = ()
    sort: str | None = None
    judge: str | None = None
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The episodes with their scores in `scored`, if anything was scored; so many fit in all."""

    listed: tuple[Listed, ...]
    scored: Scored | None
    fit: int


def asked_episodes(store: Store, run: str, asked: Asked) -> Answer:
    """The episodes of a run; ConfigError for an agent, measure, judge or rule that is none."""
    known = choices(store, run)
    who = Wanted(
        agent=_label(asked.agent, known.agents, "--agent"),
        partner=_label(asked.partner, known.agents, "--partner"),
    )
    unscored = [one for rule in asked.scores if (one := _KIND.fullmatch(rule))]
    rules = [rule for rule in asked.scores if not _KIND.fullmatch(rule)]
    fitting = [_ruled(store, run, who, rule, known.scored, asked.judge) for rule in rules]
    fitting += [_open(store, run, who, one[1], one[2], asked.judge) for one in unscored]
    first = asked.sort or next((_parts(rule)[0] for rule in rules), None)
    shown = _scored(known.scored, first, asked.judge)
    order: Wanted = replace(who, score=shown.key if shown else "")
    if asked.sort:
        order = replace(order, order="lowest")
    found = listed(store, run, order, size=_ALL)
    kept = tuple(
        one
        for one in found.listed
        if all(one.row.trial in trials for trials in fitting)
        and one.row.task.startswith(asked.task or "")
        and (not asked.failed or one.row.failed or one.row.status == "failed")
    )
    return Answer(kept[: asked.limit], shown, len(kept))


def _label(wanted: str | None, known: Sequence[str], flag: str) -> str:
    if wanted is None:
        return ""
    label = label_like(wanted, known, flag)
    if label not in known:
        raise ConfigError(f'{flag}: nobody called "{wanted}" played; there is {", ".join(known)}')
    return label


def _ruled(
    store: Store, run: str, who: Wanted, rule: str, known: Sequence[Scored], judge: str | None
) -> set[str]:
    """The trials in which a rule holds."""
    measure, sign, limit = _parts(rule)
    by = _scored(known, measure, judge)
    low = limit if sign in (">=", "=") else math.nextafter(limit, math.inf) if sign == ">" else None
    high = (
        limit if sign in ("<=", "=") else math.nextafter(limit, -math.inf) if sign == "<" else None
    )
    wanted = replace(who, score=by.key if by else "", low=low, high=high)
    return {one.row.trial for one in listed(store, run, wanted, size=_ALL).listed}


def _open(
    store: Store, run: str, who: Wanted, measure: str, kind: str, judge: str | None
) -> set[str]:
    """The trials in which a judge, or this one, gave a seat no score in a measure, and why."""
    judgings = [
        row for row in store.verdicts.outcomes(run) if row.trial and judge in (None, row.judge.name)
    ]
    known = {one.measure.name: one.measure for row in judgings for one in row.outcomes}
    name = measure_called(measure, known.values())
    if name not in known:
        raise ConfigError(
            f'nobody scored "{measure}" here; scored: {", ".join(known) or "nothing"}'
        )
    casts = {row.trial.id: row.trial for row in store.trials(run)}
    return {
        row.trial
        for row in judgings
        for one in row.outcomes
        if row.trial and (one.measure.name, one.unscored) == (name, kind)
        if not who.agent or one.seat is None or casts[row.trial].agent(one.seat) == who.agent
    }


def _parts(rule: str) -> tuple[str, str, float]:
    read = _RULE.fullmatch(rule)
    if read is None:
        raise ConfigError(
            "--score: expected a measure, one of < <= > >= = and a number, or = and one of "
            f'{", ".join(_KINDS)}, such as "goal<4" or "goal_checked=disputed"; found "{rule}"'
        )
    return read[1], read[2], float(read[3])


def _scored(known: Sequence[Scored], measure: str | None, judge: str | None) -> Scored | None:
    """The one judge's scores of a measure; of none that is named, the world's main measure."""
    judged = [one for one in known if judge in (None, one.label)]
    if judge is not None and not judged:
        labels = ", ".join(dict.fromkeys(one.label for one in known)) or "none"
        raise ConfigError(f'--judge: nothing was judged by "{judge}"; the judges: {labels}')
    if measure is None:
        return next(iter(judged), None)
    name = measure_called(measure, (one.measure for one in judged))
    fits = [one for one in judged if one.measure.name == name]
    first = foremost({one.label: one.judge.method for one in fits})
    fits = [one for one in fits if one.label in first]
    if len(fits) > 1:
        which = ", ".join(one.label for one in fits)
        raise ConfigError(f"several judges scored {measure} ({which}); name one by --judge")
    if not fits:
        names = ", ".join(dict.fromkeys(one.measure.name for one in judged)) or "nothing"
        raise ConfigError(f'nobody scored "{measure}" here; scored: {names}')
    return fits[0]
