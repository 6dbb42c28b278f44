"""Two agents compared on the plays that both have, in each measure of one judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, TypeAlias

from sociolab.analysis.matching import By, Key, Keyed, Side, matched
from sociolab.analysis.values import Value
from sociolab.core.errors import ConfigError
from sociolab.core.score import JudgeId, Measure
from sociolab.report.columns import mean_ends
from sociolab.stats.comparison import Comparison, compare
from sociolab.stats.pairs import Row
from sociolab.stats.scale import on_scale

Unit: TypeAlias = Literal["play", "episode"]
"""A seat of a trial, or the whole of it, as the measure goes."""

ALIKE = 1e-11
"""Values that differ by no more differ by rounding only."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How many plays each side has, scored or not, and how many of them answer to each other."""

    a: int
    b: int
    matched: int


@dataclass(frozen=True, slots=True)
class EpisodePair:
    """Two matched plays in one measure, and why the judge gave what it gave.

    A value is None where it is missing. Reasons are "" where the judge gave none, or none were
    looked up.
    """

    measure: str
    key: Key
    a: Value
    b: Value
    why_a: str = ""
    why_b: str = ""

    @property
    def difference(self) -> float | None:
        """a minus b; None where a value is missing."""
        if self.a.value is None or self.b.value is None:
            return None
        return self.a.value - self.b.value


@dataclass(frozen=True, slots=True)
class Compared:
    """a minus b in each measure.

    `counts` says what could be matched, `plays` holds the matched plays by measure. Of these,
    `missing` counts those of a and of b whose value is missing (they are no pairs), `unlike` the
    pairs that differ at all. `untold` counts those of a and of b that could not be scored, and
    `bounds` are what the mean difference would be over all of them with everything that has no
    value at its worst for a and best for b, and the other way round; None where that is without
    end.
    """

    world: str
    a: Side
    b: Side
    judge: str
    judge_id: JudgeId
    by: By
    counts: Mapping[Unit, Counts]
    measures: Mapping[str, Measure]
    plays: Mapping[str, tuple[EpisodePair, ...]]
    found: Mapping[str, Comparison]
    missing: Mapping[str, tuple[int, int]]
    unlike: Mapping[str, int]
    untold: Mapping[str, tuple[int, int]]
    bounds: Mapping[str, tuple[float, float] | None]

    def is_open(self, name: str) -> bool:
        """Whether a matched play has no score in this measure."""
        return any((*self.untold[name], *self.missing[name]))


def compared(
    world: str, a: Side, b: Side, judge: tuple[str, JudgeId], measures: Mapping[str, Measure]
) -> Compared:
    """Compare both sides in these measures; `judge` is its label and itself.

    Tasks of one id must be the same task on both sides. ConfigError where nothing can be matched.
    """
    found = matched(a, b)
    counts = _counts(found.a, found.b)
    if not any(count.matched for count in counts.values()):
        raise ConfigError(
            f"no play of {a.name} answers to one of {b.name}: they share no task with the same "
            f"seat, partner and repeat (partners: {'; '.join(a.partners)} and "
            f"{'; '.join(b.partners)})"
        )
    sides = {name: (found.a.get(name, {}), found.b.get(name, {})) for name in measures}
    plays = {
        name: tuple(EpisodePair(name, key, x[key], y[key]) for key in x if key in y)
        for name, (x, y) in sides.items()
    }
    every = _with_untold(a, b)
    return Compared(
        world=world,
        a=a,
        b=b,
        judge=judge[0],
        judge_id=judge[1],
        by=found.by,
        counts=counts,
        measures=measures,
        plays=plays,
        found={
            name: _within(one, measures[name])
            for name, one in compare(
                {name: (_rows(x), _rows(y)) for name, (x, y) in sides.items()}
            ).items()
        },
        missing={name: _missing(some) for name, some in plays.items()},
        unlike={
            name: sum(abs(one.difference or 0.0) > ALIKE for one in some)
            for name, some in plays.items()
        },
        untold={name: _untold(some) for name, some in ((n, every.get(n, ())) for n in measures)},
        bounds={name: _bounds(every.get(name, ())) for name in measures},
    )


_Pairs: TypeAlias = Sequence[tuple[Value, Value]]


def _with_untold(a: Side, b: Side) -> dict[str, _Pairs]:
    """The matched plays by measure, those among them that could not be scored."""
    found = matched(*(replace(one, values=(*one.values, *one.untold)) for one in (a, b)))
    return {
        name: [(mine[key], found.b[name][key]) for key in mine if key in found.b[name]]
        for name, mine in found.a.items()
        if name in found.b
    }


def _untold(pairs: _Pairs) -> tuple[int, int]:
    """How many plays of a and of b could not be scored."""
    left, right = (sum(pair[i].unscored is not None for pair in pairs) for i in (0, 1))
    return left, right


def _bounds(pairs: _Pairs) -> tuple[float, float] | None:
    return mean_ends([(a.ends[0] - b.ends[1], a.ends[1] - b.ends[0]) for a, b in pairs])


def _within(one: Comparison, measure: Measure) -> Comparison:
    """The interval cut to what two values on the measure's scale can differ by."""
    width = measure.high - measure.low
    return replace(one, difference=on_scale(one.difference, -width, width))


def comparison_document(found: Compared) -> dict[str, Any]:
    """The comparison as a JSON object: see docs/compare.md."""
    return {
        "a": _side(found.a),
        "b": _side(found.b),
        "judge": {"judge": found.judge, "method": found.judge_id.method},
        "matched_by": ["task", "seat", found.by, "repeat"],
        "matched": {unit: asdict(count) for unit, count in found.counts.items()},
        "measures": {name: _measured(found, name) for name in found.measures},
    }


def _side(side: Side) -> dict[str, Any]:
    return {
        "run": side.run,
        "agent": side.agent,
        "partners": list(side.partners),
        "failed_turns": side.asked.failed,
        "turns_asked": side.asked.asked,
    }


def _measured(found: Compared, name: str) -> dict[str, Any]:
    one, missing = found.found[name], found.missing[name]
    return {
        "pairs": one.pairs,
        "clusters": one.clusters,
        **asdict(one),
        "superiority": one.effect.superiority,
        "unlike": found.unlike[name],
        "missing_a": missing[0],
        "missing_b": missing[1],
        "not_established_a": found.untold[name][0],
        "not_established_b": found.untold[name][1],
        "bounds": found.bounds[name],
    }


def _counts(a: Keyed, b: Keyed) -> dict[Unit, Counts]:
    left, right = _keys(a), _keys(b)
    return {
        unit: Counts(len(left[unit]), len(right[unit]), len(left[unit] & right[unit]))
        for unit in left
        if left[unit] or right[unit]
    }


def _keys(side: Keyed) -> dict[Unit, set[Key]]:
    keys = {key for values in side.values() for key in values}
    whole = {key for key in keys if key.seat is None}
    return {"play": keys - whole, "episode": whole}


def _rows(values: Mapping[Key, Value]) -> list[Row]:
    return [
        Row(key, value.cluster, value.value)
        for key, value in values.items()
        if value.value is not None
    ]


def _missing(plays: Sequence[EpisodePair]) -> tuple[int, int]:
    return sum(one.a.value is None for one in plays), sum(one.b.value is None for one in plays)
