"""Consistency over repeats: how often an agent succeeds each time that it plays one task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from sociolab.analysis.figures import figure, span, title_of, titles
from sociolab.analysis.matching import Side, settings_of
from sociolab.core.errors import ConfigError
from sociolab.core.score import Measure
from sociolab.report.section import Section, TextTable
from sociolab.report.words import plural
from sociolab.stats.consistency import Consistency, pass_hat
from sociolab.stats.scale import CUT

KS = (1, 2, 4)

_SHARE = Measure("pass", 0, 1)


@dataclass(frozen=True, slots=True)
class Passing:
    """pass^k of one agent in one measure; a play succeeds from `threshold` up.

    `most` is how often a setting (a task with its seat and partner) was played at most, plays
    without a value left out.
    """

    side: str
    measure: str
    threshold: float
    most: int
    found: tuple[Consistency, ...]


def thresholds(
    measures: Mapping[str, Measure], wanted: float | None, *, named: bool
) -> dict[str, float]:
    """From which value up a play succeeds, for each measure where that can be said.

    Without `wanted` it is 1 in measures from 0 to 1, and nothing in others. A `wanted` that says
    nothing of a measure (none, or all of its values reach it) leaves that measure out; ConfigError
    if the measures were `named` or none is left.
    """
    if wanted is None:
        return {name: 1.0 for name, one in measures.items() if (one.low, one.high) == (0, 1)}
    fits = {name: wanted for name, one in measures.items() if one.low < wanted <= one.high}
    if len(fits) < (len(measures) if named else 1):
        ranges = ", ".join(
            f"{name} {one.low:g} to {one.high:g}"
            for name, one in measures.items()
            if name not in fits
        )
        raise ConfigError(
            f"--threshold {wanted:g} tells no plays apart in these measures: {ranges}; "
            "expected a value above the lowest and up to the highest"
        )
    return fits


def passing(sides: Sequence[Side], limits: Mapping[str, float], ks: Sequence[int]) -> list[Passing]:
    """pass^k of each side in each measure that has a threshold."""
    found = []
    for side in sides:
        judged = tuple(value for value in side.values if value.measure in limits)
        keyed = settings_of(replace(side, values=judged))
        for name, threshold in limits.items():
            rows = [(value, key.setting) for key, value in keyed.get(name, {}).items()]
            played = Counter(setting for value, setting in rows if value.value is not None)
            made = pass_hat(
                [value.value for value, _ in rows],
                [setting for _, setting in rows],
                [value.cluster for value, _ in rows],
                threshold=threshold,
                ks=ks,
            )
            found.append(Passing(side.name, name, threshold, max(played.values(), default=0), made))
    return found


def passing_document(found: Passing) -> dict[str, Any]:
    """One agent's pass^k in one measure as a JSON object."""
    return {
        "side": found.side,
        "measure": found.measure,
        "threshold": found.threshold,
        "most_plays": found.most,
        "pass": [asdict(one) for one in found.found],
    }


def consistency_section(found: Sequence[Passing], measures: Mapping[str, Measure]) -> Section:
    """pass^k of all sides, and of what nothing can be said."""
    repeated = [one for one in found if any(of.most > 1 for of in _beside(found, one))]
    said = []
    if repeated:
        said.append(
            "pass^k is the chance that k plays of one task, in the same seat with the same "
            "partner, all succeed. Where it falls quickly with k, success is a matter of luck."
        )
    elif found:
        said.append(
            "Each task was played once: nothing can be said of consistency. `sociolab run ... "
            "--repeats 4` would allow pass^1 to pass^4."
        )
    limits = {one.measure: one.threshold for one in found}
    without = titles(one for name, one in measures.items() if name not in limits)
    if without:
        limit = max(limits.values(), default=1.0)
        why = (
            f"{limit:g} is no limit for them" if limit != 1 else "--threshold says what success is"
        )
        said.append(f"No pass^k of {without}: {why}.")
    return Section(
        "Consistency over repeats",
        tuple(said),
        tables=(_table(repeated, measures),) if repeated else (),
    )


def _beside(found: Sequence[Passing], one: Passing) -> list[Passing]:
    return [other for other in found if other.measure == one.measure]


def _table(found: Sequence[Passing], measures: Mapping[str, Measure]) -> TextTable:
    most = max(one.most for one in found)
    ks = [of.k for of in found[0].found]
    rows = tuple(
        (title_of(measures[name]), str(k), *(_cell(one.found[i]) for one in sides))
        for name, sides in _by_measure(found).items()
        for i, k in enumerate(ks)
        if k <= most
    )
    never = ", ".join(str(k) for k in ks if k > most)
    return TextTable(
        f"pass^k: a play succeeds with {found[0].threshold:g} or more",
        ("measure", "k", *dict.fromkeys(one.side for one in found)),
        rows,
        (
            "in parentheses: how many tasks (each with its seat and partner) it rests on; 95 % "
            "interval, clustered as the scores are",
            *_ends(found, most),
            *([f"no task has so many plays with a value: k = {never}"] if never else []),
            *(_left_out(one, measures) for one in found if any(_few(one, most))),
        ),
    )


def _by_measure(found: Sequence[Passing]) -> dict[str, list[Passing]]:
    return {one.measure: _beside(found, one) for one in found}


def _cell(one: Consistency) -> str:
    value = figure(one.estimate.value, _SHARE)
    if one.bound is not None:
        side = "at least" if one.bound < (one.estimate.value or 0.0) else "at most"
        return f"{value}, {side} {figure(one.bound, _SHARE)} ({one.estimate.n:,})"
    ends = span(one.estimate, _SHARE)
    return f"{value} {ends} ({one.estimate.n:,})".replace("  ", " ")


def _ends(found: Sequence[Passing], most: int) -> Iterator[str]:
    """What became of intervals at the ends of the scale, and why some figures have none."""
    shown = [of for one in found for of in one.found if of.k <= most and of.estimate.n]
    if any(of.estimate.note == CUT for of in shown):
        yield "an interval that would pass 0 or 1 is cut there"
    if any(of.bound is not None for of in shown):
        yield (
            "at least, at most: no interval, since all tasks came out the same; a one-sided 95 % "
            "bound, .05^(1/G) from the other end for G clusters"
        )
    bare = {of.estimate.note for of in shown if of.estimate.low is None and of.bound is None}
    yield from (f"no interval: {why}" for why in sorted(bare))


def _few(one: Passing, most: int) -> list[Consistency]:
    """Those that some tasks have too few plays for; where all have, it is said once for all."""
    return [of for of in one.found if of.left_out and of.k <= most]


def _left_out(one: Passing, measures: Mapping[str, Measure]) -> str:
    some = ", ".join(f"{plural(of.left_out, 'task')} at k = {of.k}" for of in _few(one, one.most))
    name = title_of(measures[one.measure])
    return f"too few plays with a value, left out: {one.side}, {name}: {some}"
