"""Checks of what a task's filter looks for, where, and whether its texts tell of that."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from sociolab.worlds.stss.importing.defects import Defect, Kind
from sociolab.worlds.stss.importing.drafts import Aim, Draft, Known

TELLING = 4
"""Shorter words of a filter do not show what a text is about."""

PLACED = ("public activity", "inviting companions", "asking for help")
"""The types of task that fix a place (STSS Table 2)."""


def check_places(draft: Draft, known: Known) -> tuple[Draft, list[Defect]]:
    """Every place is on the map; a wrong name becomes the one it is most like, in texts too."""
    defects: list[Defect] = []
    for index, aim in enumerate(draft.aims):
        left_open = not aim.place and draft.type not in PLACED
        if left_open or known.names.resolve(aim.place):
            continue
        right = known.names.nearest(aim.place) if aim.place else ""
        field = f"task.goal.{index}.location"
        found = aim.place or "no place"
        defects.append(Defect(Kind.UNKNOWN_PLACE, draft.where, field, found, right))
        if right:
            draft = draft.retold(aim.place, right)
            aims = list(draft.aims)
            aims[index] = replace(aim, place=right)
            draft = replace(draft, aims=tuple(aims))
    return draft, defects


def check_filter(draft: Draft, _: Known) -> tuple[Draft, list[Defect]]:
    """The order tells of what the filter looks for; else the note's words become the filter."""
    defects: list[Defect] = []
    aims: list[Aim] = []
    for index, aim in enumerate(draft.aims):
        if is_told(draft.texts.order, aim.keywords):
            aims.append(aim)
            continue
        right = _from_note(draft)
        found = f"{', '.join(aim.keywords)} in {draft.texts.order!r}"
        field = f"task.goal.{index}.keyword"
        defects.append(Defect(Kind.FOREIGN_FILTER, draft.where, field, found, ", ".join(right)))
        aims.append(replace(aim, what=right[0], keywords=right) if right else aim)
    return replace(draft, aims=tuple(aims)), defects


def check_promised_activity(draft: Draft, _: Known) -> tuple[Draft, list[Defect]]:
    """The description tells of what the filter looks for, or of no event by name; else it goes."""
    keywords = [word for aim in draft.aims for word in aim.keywords]
    plain = re.search(r"\bevent\b", draft.texts.promise, re.IGNORECASE)
    if not draft.texts.promise or plain or is_told(draft.texts.promise, keywords):
        return draft, []
    found, remedy = draft.texts.promise, "the description is not told"
    defect = Defect(Kind.OTHER_ACTIVITY, draft.where, "Description", found, remedy)
    return replace(draft, texts=replace(draft.texts, promise="")), [defect]


def is_told(text: str, keywords: Iterable[str]) -> bool:
    """Whether a text has one of the telling words of a filter in it, ignoring case."""
    words = {word for keyword in keywords for word in re.findall(r"\w+", keyword.casefold())}
    plain = text.casefold()
    telling = [word for word in words if len(word) >= TELLING]
    return any(word in plain for word in telling or words)


def _from_note(draft: Draft) -> tuple[str, ...]:
    """A filter from a note such as "Online meeting: watching movies"; () where that is not told.

    The phrase, its last word, and that without its plural.
    """
    phrase = " ".join(draft.raw.Note.rpartition(":")[2].casefold().split())
    if not phrase or phrase not in draft.texts.order.casefold():
        return ()
    last = phrase.split()[-1]
    return tuple(dict.fromkeys((phrase, last, last.removesuffix("s"))))
