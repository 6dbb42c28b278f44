"""Whether both have agreed on a clock time on the day of the goal."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from sociolab.worlds.stss.talk.findings import Occasion
from sociolab.worlds.stss.talk.rules.acts import (
    ABOUT_PLACE,
    ABOUT_TIME,
    ACCEPTS,
    CANCELS,
    CONFIRMS,
    CORRECTS,
    DECLINES,
    OPEN,
)
from sociolab.worlds.stss.talk.rules.agreement import Negotiation, Offer
from sociolab.worlds.stss.talk.rules.answering import (
    FEW,
    answers_only,
    at_once,
    echoes,
    goes_along,
    hearsay,
    lets_stand,
    objects,
    of_a_thing,
    wavering,
)
from sociolab.worlds.stss.talk.rules.attaching import days_of, elsewhere, hours_of, unfit
from sociolab.worlds.stss.talk.rules.clock_words import hours_in
from sociolab.worlds.stss.talk.rules.deferring import puts_off_hour
from sociolab.worlds.stss.talk.rules.hour_talk_words import (
    AT_ONCE,
    COUNTER,
    EITHER,
    FROM,
    HOUR_OPEN,
    LATER,
    MINE,
    MORE,
    NUMBER,
    PAST,
    SETTLED,
    SIZES,
    SURELY,
    WHEN,
    WISHES_OTHER,
)
from sociolab.worlds.stss.talk.rules.reading import Said

_HALF_A_DAY = 720


class TimeAgreed:
    """The hour as it is negotiated, on a dial of twelve hours; the day is that spoken of last."""

    def __init__(self, occasion: Occasion) -> None:
        self._today = occasion.now.date()
        self._goal = occasion.task.day
        self.table: Negotiation[int] = Negotiation()
        self._day: date | None = None
        self._stale = False
        self._asked_when = False
        self._hearsay = False
        self._asked_else = self._asked_more = False
        self._objects = False
        self._last: int | None = None
        # What each may settle on without asking: hours that the other can do ("not before five")
        # or has offered before.
        self._limits: dict[str, set[int]] = {"P": set(), "O": set()}

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
        offered = self.table.open if waited else None
        wavers = [wavering(one) or self._clashes(one) for one in said]
        asks = any(one.sentence.asks for one in said)
        if said[0].ours and any(self._comes_back(one) for one in said):
            self._stale = False
        self._objects = waited and asks and objects(said)
        for number, one in enumerate(said):
            late = self._hearsay and not at_once(said, number)
            maybe = waited and any(wavers[:number])
            maybe = maybe or (waited and any(DECLINES.search(a.text) for a in said[:number]))
            self._sentence(one, by, any(wavers[number:]) or late, number == 0, maybe)
        if by == "O":
            self._hearsay = hearsay(said)
        if (self.table.open or self.table.agreed) and puts_off_hour(said):
            self.table.undo()
        if waited and self.table.waits_for(by) and asks and goes_along(said):
            self.table.accept(by, said[0].quote)
        if waited and self.table.waits_for(by) and (any(wavers) or not asks):
            answers = by == "P" and self._asked_more and not self._stale and answers_only(said)
            if answers or (lets_stand(said) and not self._stale):
                self.table.accept(by, said[0].quote)
            else:
                self.table.refuse(by)
        if by == "O":
            yes = any(ACCEPTS.search(one.text) for one in said) and not any(wavers)
            self._asked_when = yes and any(WHEN.search(one.text) for one in said)
        of_hour = [asks and _asks_of_hour(one) for one in said]
        self._asked_else = asks and not any(of_hour)
        self._asked_more = any(
            one.sentence.asks and not hour for one, hour in zip(said, of_hour, strict=True)
        )
        if offered is not None:
            self._limits[by].add(offered.value)
        if waited and not any(MORE.search(one.text) for one in said):
            self._stale = self.table.waits_for(by)

    def _clashes(self, one: Said) -> bool:
        """Whether a sentence has something else at the very hour that is proposed."""
        return self.table.open is not None and any(
            hour.minute % _HALF_A_DAY == self.table.open.value
            and elsewhere(one.sentence.clause_at(hour.span[0]), one.about)
            and MINE.search(one.sentence.clause_at(hour.span[0]))
            for hour in hours_in(one.text)
        )

    def _comes_back(self, one: Said) -> bool:
        """Whether a sentence is about the matter again, after other talk."""
        return one.about or bool(
            one.places or hours_in(one.text) or days_of(one.sentence, self._today, one.about)
        )

    def _sentence(self, one: Said, by: str, wavers: bool, first: bool, after_maybe: bool) -> None:
        if CANCELS.search(one.text):
            self.table.undo()
        counter = COUNTER.search(one.text) and not hours_in(one.text)
        if counter or HOUR_OPEN.search(one.text):
            self.table.undo()
        self._keep_day(one)
        if self._opens(one):
            self.table.undo()
            return
        other = "O" if by == "P" else "P"
        self._limits[other] |= {
            hour.minute % _HALF_A_DAY
            for hour in hours_in(one.text)
            if FROM.search(one.text[: hour.span[0]]) or EITHER.search(one.text)
        }
        hours = hours_of(one.sentence, one.about)
        for hour in hours_in(one.text):
            self._last = hour.minute % _HALF_A_DAY
        if self._asked_else and NUMBER.match(one.text):
            hours = ()  # "Shall I bring a blanket?" - "Two."
        refused = self._refused(one, by)
        if not hours and not refused and (past := self._past(one)) is not None:
            self.table.offer(by, past, one.quote)
            return
        for hour in hours:
            value = hour.minute % _HALF_A_DAY
            if not one.sentence.asks and unfit(one.sentence.clause_at(hour.span[0])):
                self.table.refuse(by)
            elif (value in self._limits[by] and not one.sentence.asks and not wavers) or (
                SETTLED.match(one.text[hour.span[1] :]) and not wavers
            ):
                self.table.settle(by, value, one.quote)
            elif not (wavers and self._is_open(value, by)):
                taken = self._is_open(value, by)
                if taken and not echoes(one, hour, self._objects):
                    continue
                self.table.offer(by, value, one.quote)
                if taken and not (one.sentence.asks or CORRECTS.search(one.text)):
                    break  # a further hour is of something else: "Six is fine, I close at five."
        if not hours and not refused and not wavers and self._accepts(one, first, after_maybe):
            self.table.accept(by, one.quote)

    def _past(self, one: Said) -> int | None:
        """ "Quarter past" of the hour that was named last."""
        found = PAST.search(one.text)
        if found is None or self._last is None:
            return None
        return self._last // 60 * 60 + SIZES[found["size"]]

    def _is_open(self, value: int, by: str) -> bool:
        return (
            self.table.waits_for(by)
            and self.table.open is not None
            and (self.table.open.value == value)
        )

    def _accepts(self, one: Said, first: bool, after_maybe: bool) -> bool:
        if (
            WISHES_OTHER.search(one.text)
            or unfit(one.text)
            or LATER.search(one.text)
            or (one.sentence.asks and len(one.text) > 24)
        ):
            return False
        if of_a_thing(one):
            return False
        if (after_maybe or self._stale) and not SURELY.search(one.text):
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

    def _moves(self, one: Said) -> bool:
        """Whether a sentence may move what is agreed to another day: not "I'll cram tonight"."""
        if one.about or one.sentence.asks or hours_in(one.text) or CORRECTS.search(one.text):
            return True
        return len(one.text.split()) <= FEW and not one.text.startswith(("i ", "i'"))

    def _opens(self, one: Said) -> bool:
        """Whether the hour is left open again."""
        if not OPEN.search(one.text) or ABOUT_PLACE.search(one.text):
            return False
        return bool(ABOUT_TIME.search(one.text) or hours_in(one.text))

    def _keep_day(self, one: Said) -> None:
        days = [
            d.date
            for d in days_of(one.sentence, self._today, one.about)
            if self._day is None or not AT_ONCE.match(one.text[slice(*d.span)])
        ]
        if not days and self._day is None:
            # "I've the studio tomorrow": better than none.
            days = [d.date for d in days_of(one.sentence, self._today, True)]
        if self._day and (self._settled or self.table.open) and not self._moves(one):
            return
        if days and not unfit(one.sentence.clause_at(0)):
            self._day = self._goal if self._goal in days and len(days) > 1 else days[-1]


def _asks_of_hour(one: Said) -> bool:
    return bool(ABOUT_TIME.search(one.text) or hours_in(one.text) or WHEN.search(one.text))
