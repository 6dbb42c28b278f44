"""Whether both have agreed on a clock time on the day of the goal."""

from __future__ import annotations

from collections.abc import Sequence

from sociolab.worlds.stss.talk.findings import Occasion
from sociolab.worlds.stss.talk.rules.acts import (
    ACCEPTS,
    CANCELS,
    CONFIRMS,
    CORRECTS,
    DECLINES,
)
from sociolab.worlds.stss.talk.rules.agreed_day import DaySpoken
from sociolab.worlds.stss.talk.rules.agreed_hours import (
    HALF_A_DAY,
    asks_of_hour,
    beside,
    clashes,
    opens_hour,
)
from sociolab.worlds.stss.talk.rules.agreement import Negotiation, Offer
from sociolab.worlds.stss.talk.rules.answering import (
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
from sociolab.worlds.stss.talk.rules.attaching import days_of, hours_of, unfit
from sociolab.worlds.stss.talk.rules.clock_words import hours_in
from sociolab.worlds.stss.talk.rules.deferring import puts_off_hour
from sociolab.worlds.stss.talk.rules.hour_talk_words import (
    COUNTER,
    EITHER,
    FROM,
    HOUR_OPEN,
    LATER,
    MORE,
    NOT_AT_ALL,
    NUMBER,
    PAST,
    PAST_THEN,
    SETTLED,
    SIZES,
    SURELY,
    TOO,
    WHEN,
    WISHES_OTHER,
)
from sociolab.worlds.stss.talk.rules.reading import Said


class TimeAgreed:
    """The hour as it is negotiated, on a dial of twelve hours; the day is that spoken of last."""

    def __init__(self, occasion: Occasion) -> None:
        self._today = occasion.now.date()
        self.table: Negotiation[int] = Negotiation()
        self._day = DaySpoken(self._today, occasion.task.day)
        self._stale = False
        self._asked_when = False
        self._hearsay = False
        self._asked_else = self._asked_more = self._asked_too = False
        self._objects = False
        self._last: int | None = None
        self._before: Offer[int] | None = None
        # What each may settle on without asking: hours that the other can do ("not before five")
        # or has offered before.
        self._limits: dict[str, set[int]] = {"P": set(), "O": set()}

    @property
    def met(self) -> bool:
        """Whether an hour is agreed, for the right day; unsaid, the day is today."""
        return self._settled is not None and self._day.right

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
        self._before = self.table.agreed
        waited = self.table.waits_for(by)
        offered = self.table.open if waited else None
        wavers = [wavering(one) or clashes(one, self.table.open) for one in said]
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
        of_hour = [asks and asks_of_hour(one) for one in said]
        self._asked_else = asks and not any(of_hour)
        self._asked_too = any(TOO.search(one.text) for one in said)
        self._asked_more = any(
            one.sentence.asks and not hour for one, hour in zip(said, of_hour, strict=True)
        )
        if offered is not None:
            self._limits[by].add(offered.value)
        if waited and not any(MORE.search(one.text) for one in said):
            self._stale = self.table.waits_for(by)

    def _comes_back(self, one: Said) -> bool:
        """Whether a sentence is about the matter again, after other talk."""
        return one.about or bool(
            one.places or hours_in(one.text) or days_of(one.sentence, self._today, one.about)
        )

    def _sentence(self, one: Said, by: str, wavers: bool, first: bool, after_maybe: bool) -> None:
        if first and self._asked_too and NOT_AT_ALL.match(one.text):
            self.table.accept(by, one.quote)
            return
        if CANCELS.search(one.text):
            self.table.undo()
        counter = COUNTER.search(one.text) and not hours_in(one.text)
        if counter or HOUR_OPEN.search(one.text):
            self.table.undo()
        self._day.keep(one, bool(self._settled or self.table.open))
        if opens_hour(one):
            self.table.undo()
            return
        other = "O" if by == "P" else "P"
        self._limits[other] |= {
            hour.minute % HALF_A_DAY
            for hour in hours_in(one.text)
            if FROM.search(one.text[: hour.span[0]]) or EITHER.search(one.text)
        }
        hours = hours_of(one.sentence, one.about)
        for hour in hours_in(one.text):
            self._last = hour.minute % HALF_A_DAY
        if self._asked_else and NUMBER.match(one.text):
            hours = ()  # "Shall I bring a blanket?" - "Two."
        agreed = self.table.agreed
        just = agreed is not None and agreed is not self._before and agreed.by == by
        hours = tuple(hour for hour in hours if not beside(one, hour, self.table, just))
        refused = self._refused(one, by)
        past = None if refused else self._past(one, by, bool(hours))
        if past is not None:
            self.table.offer(by, past, one.quote)
            return
        for hour in hours:
            value = hour.minute % HALF_A_DAY
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

    def _past(self, one: Said, by: str, among_hours: bool) -> int | None:
        """ "Quarter past" of the hour that was named last, or of the one that is on the table."""
        if not among_hours and self._last is not None and (found := PAST.search(one.text)):
            return self._last // 60 * 60 + SIZES[found["size"]]
        if self.table.open is not None and (found := PAST_THEN.search(one.text)):
            value = self.table.open.value // 60 * 60 + SIZES[found["size"]]
            return value if self._is_open(value, by) else None
        return None

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
