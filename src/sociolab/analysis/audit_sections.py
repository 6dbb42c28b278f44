"""Audits of a judge to read: a section for each kind, findings in sentences, figures in a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sociolab.analysis.audit_words import (
    cell,
    condition_words,
    main_measure,
    table_notes,
    titled,
)
from sociolab.analysis.audits import (
    ALL,
    CHANGE,
    DIFFERENCE,
    EQUAL,
    MOVED,
    SD,
    Effect,
    conditions_of,
)
from sociolab.analysis.figures import NOTHING, in_words
from sociolab.core.metrics import UNDECLARED, Declared
from sociolab.core.score import Measure
from sociolab.report.section import Section, TextTable
from sociolab.report.words import plural
from sociolab.stats.intervals import Estimate

_MOST_COLUMNS = 4
_MOST_CONDITIONS = 12
_ALL_TITLE = "all, % of scale"

_ALL_NOTE = (
    f"{_ALL_TITLE}: over all measures but the overall, each in percent of the length of its scale"
)


@dataclass(frozen=True, slots=True)
class About:
    """What sections say beside the figures: the run's world and its measures by name."""

    world: str
    measures: Mapping[str, Measure]
    declared: Declared = UNDECLARED

    def title(self, measure: str) -> str:
        """How a measure, or all of them, is called in a table."""
        return _ALL_TITLE if measure == ALL else titled(self.measures[measure])

    def main(self, measures: Sequence[str]) -> str:
        """The measure, of these, that sentences speak of."""
        return main_measure(self.declared, [name for name in measures if name != ALL])

    def notes(self, measures: Sequence[str], estimates: Sequence[Estimate]) -> tuple[str, ...]:
        """How the figures of a table were made."""
        own = (_ALL_NOTE,) if ALL in measures else ()
        many = ("of so many intervals, one in 20 misses the truth by chance",)
        how = table_notes(estimates, self.declared.cluster)
        return (*own, *how, *(many if any(e.low is not None for e in estimates) else ()))


def repeat_section(about: About, effects: Sequence[Effect], judgings: int) -> Section:
    """How alike the scores of the same episode are at several judgings."""
    found = _Figures(effects)
    measures, main = found.measures(about, SD), found.main(about, SD)
    said: tuple[str, ...] = ("No play was scored twice.",)
    if main:
        equal = in_words(found.cell(main, EQUAL, percent=True))
        said = (
            f"{about.title(main)}: two scores of the same play are equal in {equal} of the cases, "
            f"and {found.cell(main, DIFFERENCE)} points apart on average.",
        )
    rows = tuple(
        (
            about.title(name),
            found.cell(name, SD),
            found.cell(name, EQUAL, percent=True),
            found.cell(name, DIFFERENCE),
            *found.counts(name, SD),
        )
        for name in measures
    )
    notes = (
        "sd: of the scores of one play; equal, apart: over all pairs of judgings of one play; each "
        "a mean over plays",
        *about.notes(measures, found.estimates(measures, (SD, EQUAL, DIFFERENCE))),
    )
    columns = ("measure", "sd", "equal", "apart", "plays", "missing")
    heading = f"{plural(judgings, 'judging')} of the same episode"
    table = TextTable(heading, columns, rows, notes)
    return Section("Repeat: judged again as it is", said, (), (table,) if rows else ())


def variant_section(
    about: About,
    kind: str,
    changed: str,
    effects: Sequence[Effect],
    *,
    without: int = 0,
    words: tuple[int, int] = (0, 0),
    repeats: Sequence[Effect] = (),
    groups: Mapping[str, Sequence[Effect]] | None = None,
) -> Section:
    """How far scores move between an episode and its variants; `changed` says what these are.

    `without` counts episodes that have no such variant. `words` are those of the seats whose number
    of words is changed, as it is and as changed. `repeats` are the figures of repeated judgings, if
    there are any: what scores move by when nothing is changed. `groups` are those of the variants
    that are told apart.
    """
    found, conditions = _Figures(effects), conditions_of(effects)
    main = found.main(about, MOVED)
    few = conditions if len(conditions) <= _MOST_COLUMNS else ()
    said = _said(about, main, found, few)
    floor, cautions = _floor(about, main, found, _Figures(repeats))
    tables: tuple[TextTable, ...] = (_changes(about, main, found, few),) if effects else ()
    if main and conditions and not few and found[main, MOVED].value:
        tables += _by_condition(about, main, found, conditions)
    if main and groups:
        tables += (_by_group(about, main, groups),)
    if words[0]:
        said += (f"The seats that are changed say {words[1] / words[0]:.1f} times as many words.",)
    if without:
        cautions += (f"{plural(without, 'episode')} without such a variant left out.",)
    return Section(f"{kind.capitalize()}: {changed}", said + floor, cautions, tables)


# ------------------------------------------------------------------ parts


class _Figures:
    """Effects by measure and what they are."""

    def __init__(self, effects: Sequence[Effect]) -> None:
        self._by = {(effect.measure, effect.what): effect for effect in effects}

    def __getitem__(self, key: tuple[str, str]) -> Estimate:
        return self._by[key].estimate

    def get(self, measure: str, what: str) -> Estimate | None:
        """None where there is no such effect, or it has no value."""
        found = self._by.get((measure, what))
        return None if found is None or found.estimate.value is None else found.estimate

    def cell(self, measure: str, what: str, *, percent: bool = False, sign: bool = False) -> str:
        """A cell of a table."""
        found = self.get(measure, what)
        return NOTHING if found is None else cell(found, percent=percent, sign=sign)

    def counts(self, measure: str, what: str) -> tuple[str, str]:
        """How many values there are, and how many are missing; none where none was due."""
        found = self._by.get((measure, what))
        return (f"{found.estimate.n:,}", f"{found.missing:,}") if found else ("0", "0")

    def measures(self, about: About, what: str) -> tuple[str, ...]:
        """The measures that are judged, in the order of the world's paper."""
        named = [measure for measure, one in self._by if one == what]
        first = [name for name in about.declared.order if name in named]
        return tuple(dict.fromkeys([*first, *named]))

    def main(self, about: About, what: str) -> str:
        """The measure that sentences speak of; "" where nothing has a value."""
        return about.main([m for m in self.measures(about, what) if self.get(m, what)])

    def estimates(self, measures: Sequence[str], whats: Sequence[str]) -> tuple[Estimate, ...]:
        """All that have a value."""
        both = (self.get(measure, what) for measure in measures for what in whats)
        return tuple(found for found in both if found is not None)


def _said(about: About, main: str, found: _Figures, conditions: Sequence[str]) -> tuple[str, ...]:
    moved = found.get(main, MOVED)
    if moved is None:
        return ("No play was scored both ways.",)
    title = about.title(main)
    if moved.value == 0:
        return (f"{title}: no score changes, in {plural(moved.n, 'pair')}.",)
    told = [
        f"{title}, {condition}: {condition_words(effect)}."
        for condition in conditions
        for effect in [found.get(main, condition)]
        if effect is not None
    ]
    told.append(f"{title}: a score moves by {cell(moved)} points on average, up or down.")
    return tuple(told)


def _floor(
    about: About, main: str, found: _Figures, repeats: _Figures
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What scores move by when nothing is changed: a finding, or a caution where that is all."""
    moved, again = found.get(main, MOVED), repeats.get(main, DIFFERENCE)
    if moved is None or again is None or not moved.value:
        return (), ()
    least = moved.value if moved.low is None else moved.low
    if least > (again.value or 0):
        return (f"Judged again as it is, it moves by {cell(again)} points.",), ()
    return (), (
        f"{about.title(main)} moves by {cell(again)} points when the same episode is judged again "
        "as it is: a move of this size, up or down, shows nothing of the change.",
    )


def _changes(about: About, main: str, found: _Figures, few: Sequence[str]) -> TextTable:
    measures = found.measures(about, MOVED)
    both_ways = any(found.get(name, CHANGE) for name in measures)
    whats = (*few, *((CHANGE,) if both_ways else ()), MOVED)
    rows = tuple(
        (
            about.title(name),
            *(found.cell(name, what, sign=what != MOVED) for what in whats),
            *found.counts(name, MOVED),
        )
        for name in measures
    )
    in_turn = few and not both_ways
    notes = (
        "score as changed minus score as it is, of the same seat by the same judge; a condition: "
        "score in it minus score out of it; pairs with a missing score are left out",
        *(("pairs: of all conditions together",) if in_turn else ()),
        *about.notes(measures, found.estimates(measures, whats)),
    )
    columns = ("measure", *whats, "pairs", "missing")
    return TextTable("Change of a seat's score", columns, rows, notes)


def _by_condition(
    about: About, main: str, found: _Figures, conditions: Sequence[str]
) -> tuple[TextTable, ...]:
    """The largest effects of many conditions, of those that occur in two clusters or more."""
    all_ = [(name, found[main, name]) for name in conditions if found.get(main, name)]
    known = [(name, effect) for name, effect in all_ if effect.clusters > 1]
    known.sort(key=lambda row: (-abs(row[1].value or 0), row[0]))
    shown = known[:_MOST_CONDITIONS]
    if not shown:
        return ()
    rows = tuple(
        (name, cell(effect, sign=True), f"{effect.n:,}", f"{effect.clusters:,}")
        for name, effect in shown
    )
    cluster, once = about.declared.cluster, len(all_) - len(known)
    notes = (
        "a seat's score in this condition minus its score in the other one",
        f"the {len(shown)} largest of {len(known)}: of so many, some are large by chance"
        if len(shown) < len(known)
        else "of many, some are large by chance",
        *((f"left out: {once} that occur in one {cluster} only",) if once else ()),
        *table_notes([effect for _, effect in shown], cluster),
    )
    columns = ("condition", "effect", "pairs", f"{cluster}s")
    return (TextTable(f"{about.title(main)} by condition", columns, rows, notes),)


def _by_group(about: About, main: str, groups: Mapping[str, Sequence[Effect]]) -> TextTable:
    by_group = {group: _Figures(effects) for group, effects in groups.items()}
    whats = [what for what in (CHANGE, MOVED) if any(f.get(main, what) for f in by_group.values())]
    rows = tuple(
        (
            group,
            *(found.cell(main, what, sign=what == CHANGE) for what in whats),
            *found.counts(main, MOVED),
        )
        for group, found in by_group.items()
    )
    shown = [e for found in by_group.values() for e in found.estimates([main], whats)]
    notes = table_notes(shown, about.declared.cluster)
    columns = ("group", *whats, "pairs", "missing")
    return TextTable(f"{about.title(main)} by group", columns, rows, notes)
