"""Small charts as inline SVG: no script, no file, readable without colour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup
from rich.cells import cell_len, set_cell_size

from sociolab.report.words import minus

WIDTH, LEFT, RIGHT, TOP, FOOT = 410, 156, 46, 8, 24
"""Of the charts of this package, in the units of their view box."""
_ROW = 22
_LONGEST = 21
"""Characters of a label that fit to the left of the axis."""


@dataclass(frozen=True, slots=True)
class Dot:
    """A value with its interval; None where there is none."""

    label: str
    value: float | None
    low: float | None
    high: float | None


def dot_plot(key: str, title: str, dots: Sequence[Dot], low: float, high: float) -> Markup:
    """A row for each value on an axis from `low` to `high`, with its interval as a line.

    `key` makes the ids of its title and description unique in the page. What reaches past the
    axis is cut off at its end.
    """
    height = TOP + _ROW * len(dots) + FOOT
    axis = _Axis(low, high)
    parts = [_gridline(axis, value, height) for value in (low, _middle(low, high), high)]
    parts += [_dot(axis, dot, TOP + _ROW * i + _ROW // 2) for i, dot in enumerate(dots)]
    return chart("dots", key, title, "; ".join(_told(dot) for dot in dots), height, parts)


def chart(
    kind: str, key: str, title: str, told: str, height: int, parts: Sequence[Markup]
) -> Markup:
    """The frame of a chart: an image with a title, and `told` for those who do not see it."""
    return Markup(
        '<svg class="chart {kind}" role="img" viewBox="0 0 {width} {height}" '
        'aria-labelledby="{key}-t {key}-d"><title id="{key}-t">{title}</title>'
        '<desc id="{key}-d">{told}</desc>{body}</svg>'
    ).format(
        kind=kind,
        width=WIDTH,
        height=height,
        key=key,
        title=title,
        told=told,
        body=Markup("").join(parts),
    )


def label(text: str, y: int) -> Markup:
    """The label of a row; of one that is too long, its two ends, and all of it for who points."""
    cut = next(
        cut
        for columns in range(_LONGEST, 0, -1)
        if _width(cut := shortened(text, columns)) <= _LONGEST
    )
    whole = Markup("<title>{text}</title>").format(text=text) if cut != text else Markup("")
    return Markup('<text x="{x}" y="{y}" text-anchor="end">{whole}{cut}</text>').format(
        x=LEFT - 10, y=y + 4, whole=whole, cut=cut
    )


def _width(text: str) -> float:
    """How many letters of usual width are as wide as this: capitals and some others are wider."""
    return cell_len(text) + sum(0.3 for one in text if one.isupper() or one in "mw@%")


def shortened(text: str, longest: int) -> str:
    """A text of at most so many columns: the middle is left out, as names of models differ at
    their ends. Letters of some scripts take two columns."""
    if cell_len(text) <= longest:
        return text
    if longest < 3:
        return "…"
    first, last = set_cell_size(text, (longest - 1) // 2), text[::-1]
    return f"{first.rstrip()}…{set_cell_size(last, longest - 1 - cell_len(first))[::-1].lstrip()}"


def tick(x: float, value: float, height: int) -> Markup:
    """A figure below the axis."""
    return Markup('<text class="tick" x="{x}" y="{y}" text-anchor="middle">{value}</text>').format(
        x=x, y=height - 8, value=minus(f"{value:z.3g}")
    )


def _middle(low: float, high: float) -> float:
    """Zero where the axis crosses it, else its middle."""
    return 0.0 if low < 0 < high else (low + high) / 2


@dataclass(frozen=True, slots=True)
class _Axis:
    low: float
    high: float

    def x(self, value: float) -> float:
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)


def _gridline(axis: _Axis, value: float, height: int) -> Markup:
    line = Markup('<line class="grid" x1="{x}" y1="{top}" x2="{x}" y2="{end}"/>').format(
        x=axis.x(value), top=TOP, end=height - FOOT
    )
    return line + tick(axis.x(value), value, height)


def _dot(axis: _Axis, dot: Dot, y: int) -> Markup:
    parts = [label(dot.label, y)]
    if dot.value is None:
        text = Markup('<text class="tick" x="{x}" y="{y}">not scored</text>')
        return Markup("").join([*parts, text.format(x=LEFT + 6, y=y + 4)])
    if dot.low is not None and dot.high is not None:
        parts.append(
            Markup('<line class="ci" x1="{a}" y1="{y}" x2="{b}" y2="{y}"/>').format(
                a=axis.x(dot.low), b=axis.x(dot.high), y=y
            )
        )
    parts.append(
        Markup(
            '<circle class="dot" cx="{x}" cy="{y}" r="3.2"/>'
            '<text x="{right}" y="{text}" text-anchor="end">{value}</text>'
        ).format(
            x=axis.x(dot.value), y=y, right=WIDTH, text=y + 4, value=minus(f"{dot.value:z.2f}")
        )
    )
    return Markup("").join(parts)


def _told(dot: Dot) -> str:
    if dot.value is None:
        return f"{dot.label}: not scored"
    if dot.low is None or dot.high is None:
        return f"{dot.label}: {dot.value:z.2f}, no interval"
    return f"{dot.label}: {dot.value:z.2f}, 95 % interval {dot.low:z.2f} to {dot.high:z.2f}"
