"""A line chart as inline SVG: values in an order, such as checkpoints, with their intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from markupsafe import Markup

from sociolab.report.charts import WIDTH, Dot, chart, shortened
from sociolab.report.words import minus

_LEFT, _RIGHT, _TOP, _HEIGHT, _FOOT = 48, 14, 12, 150, 30
_LETTER = 7.0
"""Units that a letter of a label takes, about."""


def line_chart(key: str, title: str, dots: Sequence[Dot], low: float, high: float) -> Markup:
    """The values from left to right, joined by a line, each with its interval as an upright line.

    The axis reaches as far as the intervals, and never past `low` and `high`. A dot without a value
    is left out, and the line goes around its place. `key` makes the ids unique in the page.
    """
    frame = _Frame(dots, low, high)
    given = [(i, dot) for i, dot in enumerate(dots) if dot.value is not None]
    parts = [*(frame.gridline(value) for value in frame.ticks), _joined(frame, given)]
    parts += [part for i, dot in given for part in _point(frame, i, dot)]
    parts += [frame.label(i, dot.label) for i, dot in enumerate(dots)]
    told = "; ".join(_told(dot) for dot in dots)
    return chart("lines", key, title, told, _TOP + _HEIGHT + _FOOT, parts)


class _Frame:
    """Where values and places stand."""

    def __init__(self, dots: Sequence[Dot], low: float, high: float) -> None:
        ends = [end for dot in dots for end in (dot.low, dot.value, dot.high) if end is not None]
        self.ticks = tuple(_ticks(min(ends, default=low), max(ends, default=high), low, high))
        self._low, self._high = self.ticks[0], self.ticks[-1]
        self._step = (WIDTH - _LEFT - _RIGHT) / max(1, len(dots))

    def x(self, place: int) -> float:
        return round(_LEFT + self._step * (place + 0.5), 1)

    def y(self, value: float) -> float:
        share = (value - self._low) / (self._high - self._low)
        return round(_TOP + (1 - share) * _HEIGHT, 1)

    def gridline(self, value: float) -> Markup:
        return Markup(
            '<line class="grid" x1="{a}" y1="{y}" x2="{b}" y2="{y}"/>'
            '<text class="tick" x="{x}" y="{text}" text-anchor="end">{value}</text>'
        ).format(
            a=_LEFT, b=WIDTH - _RIGHT, y=self.y(value), x=_LEFT - 6, text=self.y(value) + 4,
            value=minus(f"{value:z.4g}"),
        )  # fmt: skip

    def label(self, place: int, text: str) -> Markup:
        cut = shortened(text, max(1, int(self._step / _LETTER)))
        return Markup(
            '<text class="tick" x="{x}" y="{y}" text-anchor="middle"><title>{text}</title>'
            "{cut}</text>"
        ).format(x=self.x(place), y=_TOP + _HEIGHT + 18, text=text, cut=cut)


def _ticks(least: float, most: float, low: float, high: float) -> Iterator[float]:
    """Round numbers around these two, the ends of the scale at the utmost; two at least."""
    width = most - least or (high - low) / 4
    power = 10.0 ** math.floor(math.log10(width / 3))
    step = next(power * times for times in (1, 2, 5, 10) if power * times * 4 >= width)
    first, last = math.floor(least / step + 1e-9), math.ceil(most / step - 1e-9)
    top = min(high, max(last, first + 1) * step)
    bottom = max(low, min(first * step, top - step))
    between = (i * step for i in range(first + 1, last))
    yield from (bottom, *(value for value in between if bottom < value < top), top)


def _joined(frame: _Frame, given: Sequence[tuple[int, Dot]]) -> Markup:
    points = " ".join(f"{frame.x(i)},{frame.y(dot.value or 0.0)}" for i, dot in given)
    return Markup('<polyline class="curve" points="{points}"/>').format(points=points)


def _point(frame: _Frame, place: int, dot: Dot) -> Iterator[Markup]:
    x = frame.x(place)
    if dot.low is not None and dot.high is not None:
        yield Markup('<line class="ci" x1="{x}" y1="{a}" x2="{x}" y2="{b}"/>').format(
            x=x, a=frame.y(dot.low), b=frame.y(dot.high)
        )
    yield Markup('<circle class="dot" cx="{x}" cy="{y}" r="3.6"/>').format(
        x=x, y=frame.y(dot.value or 0.0)
    )


def _told(dot: Dot) -> str:
    if dot.value is None:
        return f"{dot.label}: no value"
    if dot.low is None or dot.high is None:
        return f"{dot.label}: {dot.value:z.2f}, no interval"
    return f"{dot.label}: {dot.value:z.2f}, 95 % interval {dot.low:z.2f} to {dot.high:z.2f}"
