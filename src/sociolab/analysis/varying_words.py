"""Variance in words: what the scores vary with, and where more play or judging would help."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sociolab.analysis.doublings import Step
from sociolab.analysis.factors import (
    JUDGE,
    JUDGINGS,
    PAIRING,
    PARTNER,
    REPEAT,
    SCENARIO,
    TASK,
)
from sociolab.analysis.figures import NOTHING, figure, listed, title_of
from sociolab.analysis.varying import Variances, Varying
from sociolab.core.code_mark import code_in
from sociolab.core.score import RULE_BASED
from sociolab.report.layout import layout_of
from sociolab.report.section import Section, TextTable
from sociolab.report.words import about, method_words, money, plural
from sociolab.stats.variance import Component

FEW_LEVELS = 10
"""A component of fewer levels may be off by half of itself or more."""

_HARDLY = 0.05
"""A standard error that shrinks by less than this part of itself hardly shrinks."""


def variance_section(found: Variances) -> Section:
    """All agents' components to print, or as a part of a page."""
    return Section(
        title=f"What {title_of(found.measure)} varies with, judged by {listed(found.judges)}",
        said=tuple(sentence for one in found.agents for sentence in _said(found, one)),
        cautions=tuple(_cautions(found)),
        tables=tuple(_table(found, one) for one in found.agents),
    )


# ------------------------------------------------------------------ sentences


def _said(found: Variances, one: Varying) -> Iterator[str]:
    measure, error = found.measure, one.error
    n = plural(one.found.n, "judging")
    if error is None:
        yield (
            f"{one.agent}: mean {figure(one.mean, measure)} over {n}; this design cannot tell its "
            "standard error."
        )
    else:
        yield (
            f"{one.agent}: mean {figure(one.mean, measure)} over {n}, standard error "
            f"{figure(error, measure)}{_at_large(found, one)}."
        )
    if error:
        yield _doubling(found, one, error)
        yield _advice(found, one)


def _doubling(found: Variances, one: Varying, error: float) -> str:
    """Of which doublings the standard error would shrink, the most first, and of which not."""
    known = [(step.error, step) for step in one.steps if step.error is not None]
    known = sorted(known, key=lambda pair: pair[0])
    helpful = [(then, step) for then, step in known if error - then >= _HARDLY * error]
    idle = [
        _plural(found, step.factor) for pair in known if pair not in helpful for step in pair[1:]
    ]
    told = [f"{_plural(found, s.factor)} to {figure(then, found.measure)}" for then, s in helpful]
    shrunk = f"Doubling would shrink it: {', '.join(told)}" if told else ""
    hardly = f"oubling {listed(idle)} would hardly change it" if idle else ""
    if shrunk and hardly:
        return f"{shrunk}; d{hardly}."
    return (
        f"{shrunk or 'D' + hardly}." if shrunk or hardly else "What doubling would do is not known."
    )


def _at_large(found: Variances, one: Varying) -> str:
    """Of what the standard error speaks: of everything that has several levels."""
    large = [part for part in one.found.factors if part.levels > 1]
    names = [
        f"{_name(found, part.factor)}s"
        for part in large
        if part.factor in (SCENARIO, PARTNER, JUDGE)
    ]
    fixed = [_name(found, name) for name in one.found.advice.fixed]
    told = f" for {listed(names)} at large" if names else ""
    return told + (f", and this one {listed(fixed)}" if fixed else "")


def _advice(found: Variances, one: Varying) -> str:
    if one.best is None:
        return "No doubling would shrink it."
    name = _plural(found, one.best.factor)
    if found.costs is None or not one.best.cost:
        return f"Plays for plays, more of {name} helps most."
    error, then = one.error or 0.0, one.best.error or 0.0
    return (
        f"The next dollar helps most with {name}: doubling them costs "
        f"{about(found.costs.estimated)}{money(one.best.cost)} and "
        f"takes {figure(error - then, found.measure)} off the standard error."
    )


def _unknown(found: Variances) -> Iterator[str]:
    """What the design cannot tell, and of whom."""
    whose: dict[str, list[str]] = {}
    for one in found.agents:
        lost = [part for part in one.parts if part.variance is None]
        single = [_part(found, one, part) for part in lost if part.levels == 1]
        mixed = [_part(found, one, part) for part in lost if part.levels > 1]
        if single:
            told = f"There is one {' and one '.join(single)}: what others would change is not known"
            whose.setdefault(told, []).append(one.agent)
        if mixed:
            told = f"This design cannot tell these apart: {'; '.join(mixed)}"
            whose.setdefault(told, []).append(one.agent)
    for told, agents in whose.items():
        of = "" if len(agents) == len(found.agents) else f" ({listed(agents)})"
        yield f"{told}{of}."


def _cautions(found: Variances) -> Iterator[str]:
    if found.untold:
        yield (
            f"{plural(found.untold, 'judging')} gave no score, since {title_of(found.measure)} "
            "could not be told or established there: what these would vary with is not known."
        )
    for name, judge in found.ids.items():
        if judge.method in RULE_BASED or code_in("", judge.settings):
            yield f"Judged by {name}: {method_words(found.world, judge.method, judge.settings)}."
    yield from _unknown(found)
    if found.costs is None:
        yield (
            "Costs are not known, so plays cannot be weighed against judgings: give "
            "--cost-per-play and --cost-per-judging."
        )
    elif found.costs.estimated:
        yield (
            "Some calls of these runs had no usable token count from the provider: costs (~) are "
            "estimated from the texts, rather too high than too low."
        )
    if any(part.factor == PARTNER and part.levels > 1 for o in found.agents for part in o.parts):
        yield (
            "These standard errors are for partners at large, as if drawn by chance. They exceed "
            "those behind the intervals of sociolab report, which take the partners as given; if "
            "yours are, look at the other components."
        )
    parts = [(one, part) for one in found.agents for part in one.found.factors]
    few = {
        f"{_name(found, part.factor)} ({part.levels})": None
        for _, part in parts
        if 1 < part.levels < FEW_LEVELS
    }
    if few:
        yield (
            f"Few levels: {', '.join(few)}. A component of fewer than {FEW_LEVELS} may be off by "
            "half of itself or more, and the advice with it."
        )
    if any(one.played_once for one in found.agents):
        yield (
            "No setting (task, seat and partner) was played twice: what chance does from play to "
            "play cannot be told from what a partner does in one task only, so that more repeats "
            "would help at most as much as said here. Play with --repeats 2."
        )
    read = any(judge.method not in RULE_BASED for judge in found.ids.values())
    if read and any(one.judged_once for one in found.agents):
        yield (
            "Each play was judged once: what a judge would say another time is part of the "
            "residual. Judge again with sociolab judge RUN --judge SPEC --repeats 2."
        )
    cut = {
        f"{_name(found, part.factor)} of {one.agent}": None
        for one, part in parts
        if part.note.startswith("estimated below 0")
    }
    if cut:
        yield f"Estimated below zero and set to zero, as happens with small ones: {', '.join(cut)}."
    missing = sum(one.found.missing for one in found.agents)
    if missing:
        yield f"{plural(missing, 'play')} without a score took no part."
    if found.left_out:
        yield f"Fewer than two scores, and left out: {listed(found.left_out)}."


# ------------------------------------------------------------------ tables


def _table(found: Variances, one: Varying) -> TextTable:
    """Each component, and what doubling its levels would do."""
    steps = {step.factor: step for step in one.steps}
    steps["residual"] = steps.get(
        REPEAT if one.judged_once else JUDGINGS, Step("", None, 0, 0, None)
    )
    rows = tuple(
        (
            _part(found, one, part),
            NOTHING if part.variance is None else figure(math.sqrt(part.variance), found.measure),
            NOTHING if part.share is None else f"{part.share:.0%}",
            f"{part.levels:,}",
            *_doubled(found, one, steps.get(part.factor)),
        )
        for part in one.parts
    )
    heads = ("varies with", "sd", "share", "levels", "error if doubled")
    priced = ("cost", "per dollar") if found.costs is not None else ()
    error = figure(one.error, found.measure)
    heading = f"Components of {one.agent} \N{MIDDLE DOT} standard error {error}"
    return TextTable(heading, (*heads, *priced), rows, tuple(_notes(found, one)))


def _notes(found: Variances, one: Varying) -> Iterator[str]:
    yield "sd: in points, what scores vary by with it alone; share: of the whole variance"
    if any(part.factor == PAIRING for part in one.parts):
        yield f"{_name(found, PAIRING)}: what a partner does in that place only"
    plays = max((step.plays for step in one.steps), default=0)
    yield (
        f"error if doubled: the standard error with twice as many levels, for {plays:,} more plays "
        f"and {one.found.n:,} more judgings; more judges or judgings take no plays"
    )
    if found.costs is not None:
        mark = about(found.costs.estimated)
        yield (
            f"a play costs {mark}{money(found.costs.play)}, "
            f"a judging {mark}{money(found.costs.judging)}; "
            "per dollar: what a dollar takes off the standard error, of the best"
        )


def _doubled(found: Variances, one: Varying, step: Step | None) -> tuple[str, ...]:
    empty = (NOTHING, NOTHING) if found.costs is not None else ()
    if step is None or step.error is None:
        return (NOTHING, *empty)
    error = figure(step.error, found.measure)
    if found.costs is None:
        return (error,)
    mark = about(found.costs.estimated)
    cost = NOTHING if step.cost is None else f"{mark}{money(step.cost)}"
    return error, cost, _worth(one, step)


def _worth(one: Varying, step: Step) -> str:
    """What a dollar buys here, against the best."""
    if one.best is None or one.error is None or step.error is None:
        return NOTHING
    if not step.cost or not one.best.cost or one.best.error is None:
        return NOTHING
    most = (one.error - one.best.error) / one.best.cost
    return f"{(one.error - step.error) / step.cost / most:.0%}"


def _name(found: Variances, factor: str) -> str:
    """What a factor is called in this world, where a cluster may be a scenario, session or task."""
    cluster = layout_of(found.world).clusters
    task = "case" if cluster == "task" else "task"
    names = {SCENARIO: cluster, TASK: task, PAIRING: f"partner in one {task}"}
    return names.get(factor, factor)


def _plural(found: Variances, factor: str) -> str:
    names = {
        TASK: f"the {_name(found, TASK)}s in each {_name(found, SCENARIO)}",
        REPEAT: "the repeats",
        JUDGINGS: "the judgings of each play",
    }
    return names.get(factor, f"the {_name(found, factor)}s")


def _part(found: Variances, one: Varying, part: Component) -> str:
    return _rest(one) if part.factor == "residual" else _name(found, part.factor)


def _rest(one: Varying) -> str:
    if not one.judged_once:
        return "judging, and the rest"
    return "play, judging, and the rest" if one.played_once else "repeat, judging, and the rest"
