"""What an hour in a sentence does to the hour that two are settling on: nothing, or open it again.

Hours are minutes on a dial of twelve hours, 0 to 719, once they are on the table.
"""

from __future__ import annotations

from sociolab.worlds.stss.talk.rules.acts import ABOUT_PLACE, ABOUT_TIME, CORRECTS, OPEN
from sociolab.worlds.stss.talk.rules.agreement import Negotiation, Offer
from sociolab.worlds.stss.talk.rules.attaching import elsewhere
from sociolab.worlds.stss.talk.rules.clock_words import Hour, hours_in
from sociolab.worlds.stss.talk.rules.hour_talk_words import BY, INSTEAD, MINE, WHEN
from sociolab.worlds.stss.talk.rules.reading import Said

HALF_A_DAY = 720
_SOON = 15
"""Minutes about an hour in which one gets ready for it."""


def beside(one: Said, hour: Hour, table: Negotiation[int], just: bool) -> bool:
    """Whether an hour moves nothing: "I'm done by four", "the kettle's on at five to six".

    `just` says that the same line has said yes to an hour before.
    """
    stands = table.agreed or table.open
    value = hour.minute % HALF_A_DAY
    if stands is None or one.sentence.asks:
        return False
    if BY.search(one.text[: hour.span[0]]):
        return value != stands.value
    if table.agreed is None or value == stands.value or CORRECTS.search(one.text):
        return False
    return _apart(value, stands.value) <= _SOON or (just and not INSTEAD.search(one.text))


def _apart(one: int, two: int) -> int:
    """Minutes between two hours."""
    gap = (one - two) % HALF_A_DAY
    return min(gap, HALF_A_DAY - gap)


def clashes(one: Said, offered: Offer[int] | None) -> bool:
    """Whether a sentence has something else at the very hour that is proposed."""
    return offered is not None and any(
        hour.minute % HALF_A_DAY == offered.value
        and elsewhere(one.sentence.clause_at(hour.span[0]), one.about)
        and MINE.search(one.sentence.clause_at(hour.span[0]))
        for hour in hours_in(one.text)
    )


def opens_hour(one: Said) -> bool:
    """Whether the hour is left open again."""
    if not OPEN.search(one.text) or ABOUT_PLACE.search(one.text):
        return False
    return asks_of_hour(one, when=False)


def asks_of_hour(one: Said, when: bool = True) -> bool:
    """Whether a sentence is about the hour; `when` counts "when?" without any word for time."""
    asked = when and WHEN.search(one.text)
    return bool(ABOUT_TIME.search(one.text) or hours_in(one.text) or asked)
