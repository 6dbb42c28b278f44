"""The episodes of a page as a list with scores and links, so that a figure leads to its plays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sociolab.report.distributions import Point, Spread
from sociolab.report.grids import judges_of
from sociolab.report.layout import layout_of
from sociolab.report.schema import MeasureEntry, RunResult
from sociolab.report.shown import Shown
from sociolab.report.words import minus, number


@dataclass(frozen=True, slots=True)
class Extreme:
    """Where an agent's play came out lowest and highest in a measure."""

    agent: str
    lowest: Point
    highest: Point


@dataclass(frozen=True, slots=True)
class Listed:
    """An episode of the page: the anchor of its transcript, and what was scored, by seat."""

    anchor: str
    shown: Shown
    scores: tuple[tuple[str, str], ...]
    remarks: tuple[str, ...]


def leading(result: RunResult, spreads: Sequence[Spread]) -> tuple[Spread, ...]:
    """The spreads of the world's main measure by the first judge that has values of it."""
    order = [*layout_of(result.world).main, *(entry.measure for entry in result.measures)]
    judges = judges_of(result)
    scored = sorted(
        (spread for spread in spreads if spread.points), key=lambda one: judges.index(one.judge)
    )
    for measure in order:
        mine = [spread for spread in scored if spread.measure == measure]
        if mine:
            return tuple(spread for spread in mine if spread.judge == mine[0].judge)
    return ()


def titled(result: RunResult, spreads: Sequence[Spread]) -> str:
    """The measure of these spreads and who judged, to read; "" without any."""
    return f"{result.measure(spreads[0].measure).title}, by {spreads[0].judge}" if spreads else ""


def extremes(spreads: Sequence[Spread]) -> tuple[Extreme, ...]:
    """The lowest and highest play of each agent, the first of equals; none where all are equal."""
    found = []
    for spread in spreads:
        lowest = min(spread.points, key=lambda point: point.value)
        highest = max(spread.points, key=lambda point: point.value)
        if lowest.value < highest.value:
            found.append(Extreme(spread.agent, lowest, highest))
    return tuple(found)


def listed(
    result: RunResult, episodes: Sequence[Shown], spreads: Sequence[Spread], anchors: str
) -> tuple[Listed, ...]:
    """The episodes with the main measure's values; `anchors` is what their anchors begin with."""
    main = leading(result, spreads)
    ends = extremes(main)
    return tuple(
        Listed(
            f"{anchors}-{i}",
            episode,
            _scores(result, episode, main),
            _remarks(episode, ends),
        )
        for i, episode in enumerate(episodes, 1)
    )


def _scores(
    result: RunResult, episode: Shown, main: Sequence[Spread]
) -> tuple[tuple[str, str], ...]:
    names = {seat.id: seat.name for seat in episode.seats}
    found = []
    for spread in main:
        measure = result.measure(spread.measure)
        found += [
            (names.get(point.seat or "", spread.agent), value(point, measure))
            for point in spread.points
            if point.trial == episode.trial
        ]
    return tuple(found)


def _remarks(episode: Shown, ends: Sequence[Extreme]) -> tuple[str, ...]:
    low = [f"lowest of {end.agent}" for end in ends if end.lowest.trial == episode.trial]
    high = [f"highest of {end.agent}" for end in ends if end.highest.trial == episode.trial]
    return (*low, *high)


def value(point: Point, measure: MeasureEntry) -> str:
    """A point's value as it is shown."""
    return minus(number(point.value, measure))
