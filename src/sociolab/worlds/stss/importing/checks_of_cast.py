"""Checks of who takes part in a task."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches

from sociolab.worlds.stss.importing.defects import Defect, Kind
from sociolab.worlds.stss.importing.drafts import Draft, Known

CLOSE = 0.85
"""A name at least so like a resident's is taken for a slip of the pen (difflib's ratio; 0-1)."""


def check_people(draft: Draft, known: Known) -> tuple[Draft, list[Defect]]:
    """Everybody must live in the town: slips are mended, others leave the cast."""
    defects: list[Defect] = []
    strangers = [
        name for name in dict.fromkeys((*draft.cast, *draft.needed)) if name not in known.people
    ]
    for name in strangers:
        close = get_close_matches(name, known.people, n=1, cutoff=CLOSE)
        needed = name in (draft.performer, draft.partner)
        correction = close[0] if close else "" if needed else "not in the cast"
        field = "all_chars" if name in draft.cast else "required_character"
        defects.append(Defect(Kind.UNKNOWN_PERSON, draft.where, field, name, correction))
        draft = _renamed(draft, name, close[0] if close else "")
    return draft, defects


def check_cast(draft: Draft, _: Known) -> tuple[Draft, list[Defect]]:
    """Nobody is there twice, nobody who is needed is missing, the number said is right."""
    where = draft.where
    defects: list[Defect] = []
    size = draft.raw.n_characters
    if size is not None and size != len(draft.cast):
        found = f"{size}, and {len(draft.cast)} are named"
        defects.append(Defect(Kind.CAST_SIZE, where, "n_characters", found, "the names count"))
    once = tuple(dict.fromkeys(draft.cast))
    defects += [
        Defect(Kind.TWICE_IN_CAST, where, "all_chars", name, "kept once")
        for name in once
        if draft.cast.count(name) > 1
    ]
    missing = tuple(name for name in draft.needed if name not in once)
    defects += [
        Defect(Kind.MISSING_PERSON, where, "all_chars", f"no {name}", "added") for name in missing
    ]
    draft = replace(draft, cast=(*once, *missing))
    if not draft.background:
        defects.append(Defect(Kind.MISSING_PERSON, where, "all_chars", "nobody else", ""))
    return draft, defects


def check_performer(draft: Draft, _: Known) -> tuple[Draft, list[Defect]]:
    """The performer is one of those who may be, where the record says who ("#Any": anybody)."""
    choices = draft.raw.performer_choices
    if not choices or draft.performer in choices or any(c.startswith("#") for c in choices):
        return draft, []
    found = f"{draft.performer}, not {' or '.join(choices)}"
    remedy = "the performer of the texts stays"
    return draft, [Defect(Kind.OTHER_PERFORMER, draft.where, "performer", found, remedy)]


def _renamed(draft: Draft, old: str, new: str) -> Draft:
    """Another name in the stranger's place; with "", nobody."""

    def mended(names: tuple[str, ...]) -> tuple[str, ...]:
        renamed = (new if name == old else name for name in names)
        return tuple(name for name in renamed if name)

    return replace(
        draft,
        performer=new if new and draft.performer == old else draft.performer,
        partner=new if new and draft.partner == old else draft.partner,
        cast=mended(draft.cast),
        needed=mended(draft.needed),
    )
