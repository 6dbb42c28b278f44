"""From an audit's judgings to its figures and sections."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sociolab.analysis.audit_sections import About, repeat_section, variant_section
from sociolab.analysis.audits import (
    Change,
    Effect,
    Repeated,
    change_effects,
    changes_of,
    grouped_effects,
    repeat_effects,
    repeated_of,
)
from sociolab.app.conclusions.audit_judging import Asked, Audited
from sociolab.core.ports import WorldKit
from sociolab.core.score import JudgeId
from sociolab.report.section import Section
from sociolab.report.words import counted, plural

REPEAT = "repeat"
"""The kind of audit that any episode allows; others are the variants that its world lays out."""


def opening(run: str, judge: JudgeId, asked: Asked, lacking: str = "") -> Section:
    """What was done, and what went wrong; `lacking` says what cannot be audited, if anything."""
    done = asked.audited.values()
    total = len(asked.judgings)
    again = sum(len(one.as_it_is) - 1 for one in done)
    changed = total - again - len(done)
    said = (
        f"{plural(len(done), 'episode')} in {plural(total, 'judging')}: {len(done):,} as they are, "
        f"{again:,} the same again, {changed:,} of variants"
        f"{'; all at temperature 0' if judge.method == 'model' else ''}.",
    )
    cautions = []
    if asked.error:
        cautions.append(f"the audit stopped early: {asked.error}; the same command goes on")
    if asked.failed:
        without = f"{sum(asked.failed.values()):,} of {plural(total, 'judging')}"
        cautions.append(f"{without} lack a score ({counted(asked.failed)}); none counts as a value")
    if lacking:
        cautions.append(lacking)
    return Section(f"Audit of {judge.name} · run {run}", said, tuple(cautions))


def audits(
    kit: WorldKit, kinds: Sequence[str], asked: Asked
) -> Iterator[tuple[str, tuple[Effect, ...], Section]]:
    """Each of these kinds that judgings were asked for: its figures, and how it reads."""
    again: tuple[Effect, ...] = ()
    done = asked.audited.values()
    if REPEAT in kinds:
        cells = [cell for one in done for cell in repeated_of(one.trial, one.as_it_is)]
        again = repeat_effects(cells)
        times = max((len(one.as_it_is) for one in done), default=0)
        yield REPEAT, again, repeat_section(_about(kit, cells), again, times)
    for kind, of in kit.variants.items():
        if kind in kinds:
            changes = [change for one in done for change in _changes(one, kind)]
            made = change_effects(changes)
            section = variant_section(
                _about(kit, changes),
                kind,
                of.about,
                made,
                without=sum(not one.variants[kind] for one in done),
                words=_words(done, kind),
                repeats=again,
                groups=grouped_effects(changes),
            )
            yield kind, made, section


def _changes(one: Audited, kind: str) -> Iterator[Change]:
    for variant, verdicts in one.variants[kind]:
        yield from changes_of(one.trial, variant, one.as_it_is[0], verdicts)


def _words(done: Iterable[Audited], kind: str) -> tuple[int, int]:
    found = [one.words[kind] for one in done]
    return sum(before for before, _ in found), sum(after for _, after in found)


def _about(kit: WorldKit, cells: Iterable[Repeated | Change]) -> About:
    return About(kit.world.name, {cell.measure.name: cell.measure for cell in cells}, kit.declared)
