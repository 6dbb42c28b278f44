"""The day that two speak of while they settle on an hour."""

from __future__ import annotations

from datetime import date

from sociolab.worlds.stss.talk.rules.acts import CORRECTS
from sociolab.worlds.stss.talk.rules.answering import FEW
from sociolab.worlds.stss.talk.rules.attaching import days_of, unfit
from sociolab.worlds.stss.talk.rules.clock_words import hours_in
from sociolab.worlds.stss.talk.rules.hour_talk_words import AT_ONCE
from sociolab.worlds.stss.talk.rules.reading import Said


class DaySpoken:
    """The day that was spoken of last; unsaid, it is today."""

    def __init__(self, today: date, goal: date) -> None:
        self._today = today
        self._goal = goal
        self._day: date | None = None

    @property
    def right(self) -> bool:
        """Whether it is the day of the goal."""
        return (self._day or self._today) == self._goal

    def keep(self, one: Said, hour_named: bool) -> None:
        """Take in a sentence; `hour_named` is whether an hour is agreed or on the table."""
        if hour_named and self._day and not _moves(one):
            return
        days = self._days(one)
        if days and not unfit(one.sentence.clause_at(0)):
            self._day = self._goal if self._goal in days and len(days) > 1 else days[-1]

    def _days(self, one: Said) -> list[date]:
        days = [
            day.date
            for day in days_of(one.sentence, self._today, one.about)
            if self._day is None or not AT_ONCE.match(one.text[slice(*day.span)])
        ]
        if days or self._day is not None:
            return days
        # "I've the studio tomorrow": better than none.
        return [day.date for day in days_of(one.sentence, self._today, True)]


def _moves(one: Said) -> bool:
    """Whether a sentence may move what is agreed to another day: not "I'll cram tonight"."""
    if one.about or one.sentence.asks or hours_in(one.text) or CORRECTS.search(one.text):
        return True
    return len(one.text.split()) <= FEW and not one.text.startswith(("i ", "i'"))
