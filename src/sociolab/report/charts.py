"""Small charts as inline SVG: no script, no file, readable without colour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from sociolab.report.words import minus

_WIDTH, _LEFT, _RIGHT, _TOP, _ROW, _FOOT = 410, 156, 46, 8, 22, 24
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
    height = _TOP + _ROW * len(dots) + _FOOT
    axis = _Axis(low, high)
    parts = [_gridline(axis, tick, height) for tick in (low, _middle(low, high), high)]
    parts += [_dot(axis, dot, _TOP + _ROW * i + _ROW // 2) for i, dot in enumerate(dots)]
    return Markup(
        '<svg class="dots" role="img" viewBox="0 0 {width} {height}" '
        'aria-labelledby="{key}-t {key}-d"><title id="{key}-t">{title}</title>'
        '<desc id="{key}-d">{told}</desc>{body}</svg>'
    ).format(
        width=_WIDTH,
        height=height,
        key=key,
        title=title,
        told="; ".join(_told(dot) for dot in dots),
        body=Markup("").join(parts),
    )


def _middle(low: float, high: float) -> float:
    """Zero where the axis crosses it, else its middle."""
    return 0.0 if low < 0 < high else (low + high) / 2


def shade(value: float, low: float, high: float) -> float:
    """How strongly a cell is coloured, 0.06 to 0.35, for a value among those from low to high."""
    share = (value - low) / (high - low) if high > low else 0.5
    return round(0.06 + 0.29 * share, 3)


@dataclass(frozen=True, slots=True)
class _Axis:
    low: float
    high: float

    def x(self, value: float) -> float:
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(_LEFT + share * (_WIDTH - _LEFT - _RIGHT), 1)


def _gridline(axis: _Axis, tick: float, height: int) -> Markup:
    return Markup(
        '<line class="grid" x1="{x}" y1="{top}" x2="{x}" y2="{end}"/>'
        '<text class="tick" x="{x}" y="{foot}" text-anchor="middle">{tick}</text>'
    ).format(
        x=axis.x(tick), top=_TOP, end=height - _FOOT, foot=height - 8, tick=minus(f"{tick:.3g}")
    )


def _dot(axis: _Axis, dot: Dot, y: int) -> Markup:
    cut = dot.label if len(dot.label) <= _LONGEST else dot.label[: _LONGEST - 1] + "…"
    parts = [
        Markup('<text x="{x}" y="{y}" text-anchor="end">{cut}</text>').format(
            x=_LEFT - 10, y=y + 4, cut=cut
        )
    ]
    if dot.value is None:
        text = Markup('<text class="tick" x="{x}" y="{y}">not scored</text>')
        return Markup("").join([*parts, text.format(x=_LEFT + 6, y=y + 4)])
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
            x=axis.x(dot.value), y=y, right=_WIDTH, text=y + 4, value=minus(f"{dot.value:.2f}")
        )
    )
    return Markup("").join(parts)


def _told(dot: Dot) -> str:
    if dot.value is None:
        return f"{dot.label}: not scored"
    if dot.low is None or dot.high is None:
        return f"{dot.label}: {dot.value:.2f}, no interval"
    return f"{dot.label}: {dot.value:.2f}, 95 % interval {dot.low:.2f} to {dot.high:.2f}"
