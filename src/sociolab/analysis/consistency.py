"""Consistency over repeats: how often an agent succeeds each time that it plays one task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from sociolab.analysis.compare import ComparedAgents
from sociolab.analysis.matching import ComparedSide, settings_of
from sociolab.core.errors import ConfigError
from sociolab.core.metrics import UNDECLARED, Declared
from sociolab.core.score import Measure
from sociolab.report.formatting import figure, span, title_of, titles
from sociolab.report.section import Section, TextTable
from sociolab.report.words import plural
from sociolab.stats.consistency import Consistency, pass_hat, pass_hat_difference
from sociolab.stats.intervals import AT_THE_END, CUT

KS = (1, 2, 4)

_SHARE = Measure("pass", 0, 1)

_DIFFERENCE = (
    "A \N{MINUS SIGN} B: paired by task; each interval stands for itself, not corrected for "
    "several metrics or k",
)


@dataclass(frozen=True, slots=True)
class Passing:
    """pass^k of one agent in one measure; a play succeeds from `threshold` up, or, where lower is
    better, from there down.

    `side` is the agent; None for the difference of two, the first minus the second. `plays` counts
    the plays with a value that it rests on (of a comparison: pairs), `most` how many of them one
    setting (a task with its seat and partner) has at most.
    """

    side: str | None
    measure: str
    threshold: float
    plays: int
    most: int
    found: tuple[Consistency, ...]


def thresholds(
    measures: Mapping[str, Measure],
    wanted: float | None,
    declared: Declared = UNDECLARED,
    *,
    named: bool,
) -> dict[str, float]:
    """From which value on a play succeeds, for each measure where that can be said.

    Without `wanted` it is the better end of measures from 0 to 1, and nothing in others.
    A `wanted` that says nothing of a measure (none, or all of its values reach it) leaves that
    measure out; ConfigError if the measures were `named` or none is left.
    """
    if wanted is None:
        return {
            name: 0.0 if declared.metric(name).better == "lower" else 1.0
            for name, one in measures.items()
            if (one.low, one.high) == (0, 1)
        }
    fits = {
        name: wanted
        for name, one in measures.items()
        if one.low <= wanted <= one.high
        and wanted != (one.high if declared.metric(name).better == "lower" else one.low)
    }
    if len(fits) < (len(measures) if named else 1):
        ranges = ", ".join(
            f"{name} {one.low:g} to {one.high:g}"
            for name, one in measures.items()
            if name not in fits
        )
        raise ConfigError(
            f"--threshold {wanted:g} tells no episodes apart in these metrics: {ranges}; "
            "expected a value above the worst and up to the best"
        )
    return fits


def passing(
    sides: Sequence[ComparedSide],
    limits: Mapping[str, float],
    ks: Sequence[int],
    declared: Declared = UNDECLARED,
) -> list[Passing]:
    """pass^k of each side alone in each measure that has a threshold, over all of its plays."""
    found = []
    for side in sides:
        judged = tuple(value for value in side.values if value.measure in limits)
        keyed = settings_of(replace(side, values=judged))
        for name, threshold in limits.items():
            rows = [(value, key.setting) for key, value in keyed.get(name, {}).items()]
            sign = _sign(declared, name)
            settings = [setting for _, setting in rows]
            made = pass_hat(
                [_signed(sign, value.value) for value, _ in rows],
                settings,
                [value.cluster for value, _ in rows],
                threshold=sign * threshold,
                ks=ks,
            )
            valued = Counter(setting for value, setting in rows if value.value is not None)
            found.append(_passing(side.name, name, threshold, valued, made))
    return found


def passing_matched(
    found: ComparedAgents, limits: Mapping[str, float], ks: Sequence[int]
) -> list[Passing]:
    """pass^k of both agents of a comparison, and the difference, in each measure with a threshold.

    It rests on the pairs that the means of the comparison rest on and on nothing else: whom one
    agent alone met, and what it alone played, would otherwise be taken for a difference of agents.
    """
    made = []
    for name, threshold in limits.items():
        pairs = [pair for pair in found.pairs(name) if pair.difference is not None]
        sign = _sign(found.declared, name)
        a = [_signed(sign, pair.a.value) for pair in pairs]
        b = [_signed(sign, pair.b.value) for pair in pairs]
        limit = sign * threshold
        settings = [pair.key.setting for pair in pairs]
        clusters = [pair.a.cluster for pair in pairs]
        valued = Counter(settings)
        for side, of in (
            (found.a.name, pass_hat(a, settings, clusters, threshold=limit, ks=ks)),
            (found.b.name, pass_hat(b, settings, clusters, threshold=limit, ks=ks)),
            (None, pass_hat_difference(a, b, settings, clusters, threshold=limit, ks=ks)),
        ):
            made.append(_passing(side, name, threshold, valued, of))
    return made


def _sign(declared: Declared, name: str) -> float:
    """-1 where lower is better, as pass^k asks for values from a threshold up."""
    return -1.0 if declared.metric(name).better == "lower" else 1.0


def _signed(sign: float, value: float | None) -> float | None:
    return None if value is None else sign * value


def _passing(
    side: str | None,
    measure: str,
    threshold: float,
    valued: Counter[str],
    found: tuple[Consistency, ...],
) -> Passing:
    """`valued` counts the plays with a value of each setting."""
    most = max(valued.values(), default=0)
    return Passing(side, measure, threshold, valued.total(), most, found)


def passing_document(found: Passing) -> dict[str, Any]:
    """One agent's pass^k in one measure, or a difference, as a JSON object."""
    return {
        "side": found.side,
        "measure": found.measure,
        "threshold": found.threshold,
        "plays": found.plays,
        "most_plays": found.most,
        "pass": [asdict(one) for one in found.found],
    }


def consistency_section(
    found: Sequence[Passing], measures: Mapping[str, Measure], declared: Declared = UNDECLARED
) -> Section:
    """pass^k of agents alone, or of the two of a comparison, and where it cannot be computed."""
    compared = any(one.side is None for one in found)
    repeated = [one for one in found if any(of.most > 1 for of in _beside(found, one))]
    said = []
    if repeated:
        said.append(
            "pass^k is the probability that k repeats of a task, in the same seat with the same "
            "partner, all succeed. A steep fall with k means that success is a matter of luck."
        )
        if compared:
            said.append(
                "Both agents are evaluated on the pairs behind their means above, and on no "
                f"other episodes ({_basis(repeated, measures)})."
            )
    elif found and compared:
        said.append(
            "No task has two matched pairs with values, so the agents' consistency cannot be "
            "compared. Run both with --repeats 4 to get pass^1 to pass^4."
        )
    elif found:
        said.append(
            "Each task was played once, so nothing can be said about consistency. Run with "
            "--repeats 4 to get pass^1 to pass^4."
        )
    limits = {one.measure: one.threshold for one in found}
    without = titles(one for name, one in measures.items() if name not in limits)
    if without:
        limit = max(limits.values(), default=1.0)
        why = (
            f"{limit:g} is not a threshold on their scale"
            if limit != 1
            else "set --threshold to define success"
        )
        said.append(f"No pass^k of {without}: {why}.")
    return Section(
        "Consistency over repeats",
        tuple(said),
        tables=(_table(repeated, measures, declared),) if repeated else (),
    )


def _basis(found: Sequence[Passing], measures: Mapping[str, Measure]) -> str:
    """How many pairs and tasks a comparison rests on, measure by measure."""
    return ", ".join(
        f"{title_of(measures[one.measure])}: {plural(one.plays, 'pair')} of "
        f"{plural(one.found[0].estimate.n + one.found[0].left_out, 'task')}"
        for one in found
        if one.side is None
    )


def _beside(found: Sequence[Passing], one: Passing) -> list[Passing]:
    return [other for other in found if other.measure == one.measure]


def _table(
    found: Sequence[Passing], measures: Mapping[str, Measure], declared: Declared
) -> TextTable:
    most = max(one.most for one in found)
    ks = [of.k for of in found[0].found]
    rows = tuple(
        (title_of(measures[name]), str(k), *(_cell(one.found[i]) for one in sides))
        for name, sides in _by_measure(found).items()
        for i, k in enumerate(ks)
        if k <= most
    )
    limits = [
        f"{one.threshold:g} or {'less' if down else 'more'}"
        + (f" in {title_of(measures[one.measure])}" if down else "")
        for one in found
        for down in [_sign(declared, one.measure) < 0]
    ]
    never = ", ".join(str(k) for k in ks if k > most)
    return TextTable(
        f"pass^k: an episode succeeds with {' and '.join(dict.fromkeys(limits))}",
        ("metric", "k", *_columns(found)),
        rows,
        (
            "in parentheses: number of tasks (each with its seat and partner); 95 % "
            "interval, clustered as the scores are",
            *(_DIFFERENCE if any(one.side is None for one in found) else ()),
            *_ends(found, most),
            *([f"no task has so many scored episodes: k = {never}"] if never else []),
            *_left_out(found, measures),
        ),
    )


def _columns(found: Sequence[Passing]) -> tuple[str, ...]:
    """The agents' names; of a comparison what its other tables call them."""
    sides = dict.fromkeys(one.side for one in found)
    names = tuple(side for side in sides if side is not None)
    return names if len(names) == len(sides) else ("A", "B", "A \N{MINUS SIGN} B")


def _by_measure(found: Sequence[Passing]) -> dict[str, list[Passing]]:
    return {one.measure: _beside(found, one) for one in found}


def _cell(one: Consistency) -> str:
    value = figure(one.estimate.value, _SHARE)
    ends = span(one.estimate, _SHARE)
    return f"{value} {ends} ({one.estimate.n:,})".replace("  ", " ")


def _ends(found: Sequence[Passing], most: int) -> Iterator[str]:
    """What became of intervals at the ends of the scale, and why some figures have none."""
    shown = [of for one in found for of in one.found if of.k <= most and of.estimate.n]
    if any(of.estimate.note == CUT for of in shown):
        yield "intervals are truncated at the ends of the scale"
    if any(of.estimate.method == "end" for of in shown):
        yield (
            f"{AT_THE_END}: its interval reaches from there to 0.025^(1/G) from the other end, for "
            "G clusters"
        )
    bare = {of.estimate.note for of in shown if of.estimate.low is None}
    yield from (f"no interval: {why}" for why in sorted(bare))


def _left_out(found: Sequence[Passing], measures: Mapping[str, Measure]) -> Iterator[str]:
    """Of how many tasks too few plays have a value; of a comparison it is the same for both."""
    for one in [one for one in found if one.side is None] or found:
        some = [of for of in one.found if of.left_out and of.k <= one.most]
        if some:
            told = ", ".join(f"{plural(of.left_out, 'task')} at k = {of.k}" for of in some)
            side = "" if one.side is None else f"{one.side}, "
            name = title_of(measures[one.measure])
            yield f"left out for too few scored episodes: {side}{name}: {told}"
