"""Whether both have agreed on a clock time on the day of the goal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from sociolab.worlds.stss.talk.findings import Occasion
from sociolab.worlds.stss.talk.rules.acts import (
    ABOUT_PLACE,
    ABOUT_TIME,
    ACCEPTS,
    CANCELS,
    CONFIRMS,
    DECLINES,
    HEDGES,
    OPEN,
)
from sociolab.worlds.stss.talk.rules.agreement import Negotiation, Offer
from sociolab.worlds.stss.talk.rules.attaching import days_of, hours_of, unfit
from sociolab.worlds.stss.talk.rules.clock_words import hours_in
from sociolab.worlds.stss.talk.rules.reading import Said

_HALF_A_DAY = 720
_SETTLED = re.compile(r"(?: sharp| tomorrow| today)? it is(?:,? then)?(?=[.,!]|$)")

_WHEN = re.compile(r"\bwhen\b[^.!]*\?|\btime\b[^.!]*\?")
# A yes that can only be to a meeting.
_SURELY = re.compile(
    r"\b(?:i'll (?:be (?:there|along)|come|do it|join|bring|see)|see you|count me in|i'm in|agreed"
    r"|deal|it's a date|i'd love to|i'd be (?:glad|happy|honoured)|gladly|with pleasure)\b"
)


class TimeAgreed:
    """The hour as it is negotiated, on a dial of twelve hours; the day is that spoken of last."""

    def __init__(self, occasion: Occasion) -> None:
        self._today = occasion.now.date()
        self._goal = occasion.task.day
        self.table: Negotiation[int] = Negotiation()
        self._day: date | None = None
        self._stale = False
        self._asked_when = False

    @property
    def met(self) -> bool:
        """Whether an hour is agreed, for the right day; unsaid, the day is today."""
        return self._settled is not None and (self._day or self._today) == self._goal

    @property
    def _settled(self) -> Offer[int] | None:
        """What is agreed; the hour that the other asked for with its yes needs no second yes."""
        last = self.table.open
        answered = self._asked_when and last is not None and last.by == "P"
        return self.table.agreed or (last if answered else None)

    @property
    def quote(self) -> str:
        """The words with which it was agreed."""
        return self._settled.quote if self._settled else ""

    def line(self, said: Sequence[Said]) -> None:
        """Take in the sentences of one line."""
        by = "P" if said[0].ours else "O"
        waited = self.table.waits_for(by)
        wavers = [wavering(one) for one in said]
        asks = any(one.sentence.asks for one in said)
        if said[0].ours and any(self._comes_back(one) for one in said):
            self._stale = False
        for number, one in enumerate(said):
            self._sentence(one, by, any(wavers[number:]), first=number == 0)
        if waited and self.table.waits_for(by) and (any(wavers) or not asks):
            # No answer is none: a yes in a later line would be to something else.
            self.table.refuse(by)
        if by == "O":
            yes = any(ACCEPTS.search(one.text) for one in said) and not any(wavers)
            self._asked_when = yes and any(_WHEN.search(one.text) for one in said)
        if waited:
            self._stale = self.table.waits_for(by)

    def _comes_back(self, one: Said) -> bool:
        """Whether a sentence is about the matter again, after other talk."""
        return one.about or bool(one.places or days_of(one.sentence, self._today, one.about))

    def _sentence(self, one: Said, by: str, wavers: bool, first: bool) -> None:
        if CANCELS.search(one.text):
            self.table.undo()
        self._keep_day(one)
        if self._opens(one):
            self.table.undo()
            return
        hours = hours_of(one.sentence, one.about)
        refused = self._refused(one, by)
        for hour in hours:
            value = hour.minute % _HALF_A_DAY
            if not one.sentence.asks and unfit(one.sentence.clause_at(hour.span[0])):
                self.table.refuse(by)
            elif _SETTLED.match(one.text[hour.span[1] :]) and not wavers:
                self.table.settle(by, value, one.quote)
            elif not (wavers and self._is_open(value, by)):
                self.table.offer(by, value, one.quote)
        if not hours and not refused and not wavers and self._accepts(one, first):
            self.table.accept(by, one.quote)

    def _is_open(self, value: int, by: str) -> bool:
        return (
            self.table.waits_for(by)
            and self.table.open is not None
            and (self.table.open.value == value)
        )

    def _accepts(self, one: Said, first: bool) -> bool:
        if unfit(one.text) or (one.sentence.asks and len(one.text) > 24):
            return False
        if self._stale and not one.ours and not _SURELY.search(one.text):
            return False
        return bool(ACCEPTS.search(one.text) or (first and one.ours and CONFIRMS.search(one.text)))

    def _refused(self, one: Said, by: str) -> bool:
        """A no to all, or to the hour on the table."""
        if DECLINES.search(one.text):
            if by == "O" and self.table.agreed is not None and not hours_in(one.text):
                self.table.undo()
            self.table.refuse(by)
            return True
        if not one.sentence.asks and hours_in(one.text) and unfit(one.text):
            self.table.refuse(by)
            return True
        return False

    def _opens(self, one: Said) -> bool:
        """Whether the hour is left open again."""
        if not OPEN.search(one.text) or ABOUT_PLACE.search(one.text):
            return False
        return bool(ABOUT_TIME.search(one.text) or hours_in(one.text))

    def _keep_day(self, one: Said) -> None:
        days = [d.date for d in days_of(one.sentence, self._today, one.about)]
        if days and not unfit(one.sentence.clause_at(0)):
            self._day = self._goal if self._goal in days and len(days) > 1 else days[-1]


def wavering(one: Said) -> bool:
    """Whether a sentence is a maybe about more than the place."""
    found = HEDGES.search(one.text)
    return bool(found) and not ABOUT_PLACE.search(one.text)
