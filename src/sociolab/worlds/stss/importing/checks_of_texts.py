"""Checks of what a task's texts promise: the event, the place, the time, how many should come."""

from __future__ import annotations

import re
from dataclasses import replace

from sociolab.worlds.stss.importing.defects import Defect, Kind
from sociolab.worlds.stss.importing.drafts import STAMP, Draft, Known
from sociolab.worlds.stss.importing.place_names import sector_of

NUMBER = re.compile(r"(?<![\d:-])\d+(?= (?:people|audience|friends)\b)")
"""How many should come, in a text."""

EVENT = re.compile(r"\bhold an? (.+?) at ", re.IGNORECASE)
"""What is to be held, in a text."""

COUNTED = ("public activity", "inviting companions", "online activity")
"""The types of task of which the score is a number of people divided by the expected one."""


def check_event(draft: Draft, known: Known) -> tuple[Draft, list[Defect]]:
    """The order and the line for readers tell of one event.

    Where they do not, and the order also names another place than is scored while the line does
    not, the order is made from the line.
    """
    order, line = EVENT.search(draft.texts.order), EVENT.search(draft.texts.goal)
    if order is None or line is None or order[1].casefold() == line[1].casefold():
        return draft, []
    foreign = _foreign_places(draft, draft.texts.order, known)
    if not foreign or _foreign_places(draft, draft.texts.goal, known):
        remedy = f"the performer is told of the {order[1]}"
        return draft, [Defect(Kind.OTHER_EVENT, draft.where, "goal", line[1], remedy)]
    remedy = "told in the words of the goal"
    defects = [Defect(Kind.OTHER_EVENT, draft.where, "FPG", order[1], f"{line[1]}, {remedy}")]
    for place in foreign:
        right = f"{draft.aims[0].place}, {remedy}"
        defects.append(Defect(Kind.PROMISED_PLACE, draft.where, "FPG", place, right))
    said = _without_repeated_stamp(draft.texts.goal)
    said = f"{draft.performer} wants to {said[:1].lower()}{said[1:]}"
    return replace(draft, texts=replace(draft.texts, order=said)), defects


def check_told_places(draft: Draft, known: Known) -> tuple[Draft, list[Defect]]:
    """The texts of a task with one place name no other."""
    right = draft.aims[0].place
    foreign = [
        (field, place)
        for field, text in draft.texts.by_field
        for place in _foreign_places(draft, text, known)
    ]
    for place in dict.fromkeys(place for _, place in foreign):
        draft = draft.retold(place, right)
    return draft, [
        Defect(Kind.PROMISED_PLACE, draft.where, field, place, right) for field, place in foreign
    ]


def check_told_times(draft: Draft, _: Known) -> tuple[Draft, list[Defect]]:
    """The texts name the date, and where one is fixed the time, that are scored."""
    day = draft.day.isoformat()

    def right(stamp: re.Match[str]) -> str:
        return f"{day} {draft.start or stamp[2]}" if stamp[2] else day

    defects = [
        Defect(Kind.PROMISED_TIME, draft.where, field, stamp[0], right(stamp))
        for field, text in draft.texts.by_field
        for stamp in STAMP.finditer(text)
        if stamp[0] != right(stamp)
    ]
    texts = draft.texts.each(lambda text: STAMP.sub(right, text))
    return replace(draft, texts=texts), defects


def check_numbers(draft: Draft, known: Known) -> tuple[Draft, list[Defect]]:
    """The record and its texts say the number that the rule says.

    The record's counts the performer too, except where somebody is asked for help.
    """
    where, expected = draft.where, draft.expected
    wanted = expected if draft.type == "asking for help" else expected + 1
    defects: list[Defect] = []
    if draft.raw.task.target_num != wanted:
        found, remedy = str(draft.raw.task.target_num), f"{wanted}, by the rule"
        defects.append(Defect(Kind.WRONG_NUMBER, where, "task.target_num", found, remedy))
    if draft.type not in COUNTED:
        return draft, defects
    for number in NUMBER.findall(draft.texts.promise):
        if int(number) != expected:
            found, right = number, f"{expected}, by the rule"
            defects.append(Defect(Kind.PROMISED_NUMBER, where, "Description", found, right))
    defects += _start_defects(draft, known)
    promise = NUMBER.sub(str(expected), draft.texts.promise)
    return replace(draft, texts=replace(draft.texts, promise=promise)), defects


def _start_defects(draft: Draft, known: Known) -> list[Defect]:
    """Start environments tell their performers numbers of their own; ours never reads them."""
    name = draft.raw.env_name
    at_start = set(NUMBER.findall(known.starts.get(name, "")))
    promised = set(NUMBER.findall(draft.raw.Description))
    remedy = "the task file's text is told"
    return [
        Defect(Kind.START_NUMBER, draft.where, name, number, remedy)
        for number in sorted(at_start - promised)
    ]


def _foreign_places(draft: Draft, text: str, known: Known) -> tuple[str, ...]:
    """The sectors that a text names and that are not scored; () unless one place is."""
    if len(draft.aims) != 1 or not known.names.resolve(draft.aims[0].place):
        return ()
    right = sector_of(draft.aims[0].place)
    return tuple(sector for sector in known.names.mentioned(text) if sector != right)


def _without_repeated_stamp(text: str) -> str:
    """A goal such as "... at 2023-02-14 15:00 on 2023-02-14 15:00" with its date once."""
    return re.sub(rf"({STAMP.pattern}) on \1", r"\1", text)
