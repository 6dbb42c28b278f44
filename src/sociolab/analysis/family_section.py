"""Whether judges prefer their own model family, to read."""

from __future__ import annotations

from sociolab.analysis.audit_sections import About
from sociolab.analysis.audit_words import cell, condition_words, plain
from sociolab.analysis.families import Families, Pair, Preference
from sociolab.report.section import Section, TextTable
from sociolab.report.words import plural


def family_section(about: About, found: Families, run: str) -> Section:
    """Whether judges prefer their own family, or why that cannot be said."""
    title = "Family: play by a judge's own model family"
    if found.why:
        return Section(title, (f"Cannot be computed: {found.why}.",))
    cautions = [
        f"{pair.judge} beside {pair.other}: {plural(pair.theirs, 'play')} among the others are by "
        f"{pair.other}'s own family, so the effect adds up what each of the two gives its own."
        for pair in found.pairs
        if pair.theirs
    ]
    cautions.append(
        "Families differ in how well they play, and judges in how they use the scale: an effect "
        "may be a matter of good and bad play, not of family."
    )
    said = (*(one for pair in found.pairs for one in _said(about, pair)), _members(found))
    tables = tuple(_preferences(about, pair) for pair in found.pairs)
    return Section(f"{title} · run {run}", said, tuple(cautions), tables)


def _members(found: Families) -> str:
    """Which agents and judges were taken for one family: a name may mislead."""
    families = sorted({*found.families.values()})
    told = (
        f"{family} ({', '.join(sorted(one for one, of in found.families.items() if of == family))})"
        for family in families
    )
    return f"Families, by name or by --family: {'; '.join(told)}. All other play is of no family."


def _said(about: About, pair: Pair) -> tuple[str, ...]:
    known = {one.measure: one for one in pair.preferences if one.effect.value is not None}
    main = about.main(list(known))
    if not main:
        return ()
    return (
        f"{pair.judge} beside {pair.other}, {about.title(main)}: "
        f"{condition_words(known[main].effect)} for play by {pair.family}.",
    )


def _preferences(about: About, pair: Pair) -> TextTable:
    rows = tuple(_preference(about, one) for one in pair.preferences)
    names = [one.measure for one in pair.preferences]
    notes = (
        f"{pair.judge} minus {pair.other} on play by {pair.family}, on other play, and the "
        "difference of the two",
        *about.notes(names, [one.effect for one in pair.preferences]),
    )
    return TextTable(
        f"{pair.judge} beside {pair.other}",
        ("measure", "on its own", "on others", "effect", "own plays", "others", "missing"),
        rows,
        notes,
    )


def _preference(about: About, one: Preference) -> tuple[str, ...]:
    return (
        about.title(one.measure),
        plain(one.own.value, sign=True),
        plain(one.others.value, sign=True),
        cell(one.effect, sign=True),
        str(one.own.n),
        str(one.others.n),
        str(one.missing),
    )
