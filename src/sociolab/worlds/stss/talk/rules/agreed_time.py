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
    at_once,
    goes_along,
    hearsay,
    lets_stand,
    of_a_thing,
    wavering,
)
from sociolab.worlds.stss.talk.rules.attaching import days_of, hours_of, unfit
from sociolab.worlds.stss.talk.rules.clock_words import hours_in
from sociolab.worlds.stss.talk.rules.patterns import Pattern, Phrases
from sociolab.worlds.stss.talk.rules.reading import Said

_HALF_A_DAY = 720
_SETTLED = Phrases(r"(?: sharp| tomorrow| today)? it is(?:,? then)?(?=[.,!]|$)")

_FROM = Phrases(
    r"\b(?:not (?:before|until|till)|free (?:from|after|at)|(?:any time|anytime) after|done by"
    r"|between) (?:about )?$"
)
_EITHER = Phrases(
    r"\bor (?:at |about |even |maybe |perhaps )?(?:half "
    r"|quarter )?\w+(?: past \w+)?(?=[?,.]|$)"
)
_COUNTER = Phrases(r"\b(?:later|earlier|another (?:hour|time)|some other time)\b[^.!]*\?")
_LATER = Phrases(r"\b(?:bit|little|rather|somewhat|much) (?:later|earlier)\b")
_HOUR_OPEN = Phrases(
    r"^(?:and |but |so )?(?:what about )?(?:the|what|at what|which) (?:time|hour)\?$"
)
_WHEN = Phrases(
    r"\bwhen\b[^.!]*\?|\btime\b[^.!]*\?|\b(?:tell me|just say|say|name) (?:when|the (?:time"
    r"|hour))\b"
    r"|\bwhat hour\b"
)
# What is asked of a meeting that one means to come to.
_MORE = Phrases(
    r"\b(?:where|who else|who's|who is|bring|wear|how (?:long|many)|do i need|is there|are there"
    r"|here"
    r"|inside|outside|indoors)\b[^.!]*\?"
)
# "Make it quarter past.": of the hour that is spoken of.
_PAST = Pattern(r"\b(?P<size>half|(?:a )?quarter|ten|twenty) past(?=[.,;!?]|$)")
_SIZES = {"half": 30, "quarter": 15, "a quarter": 15, "ten": 10, "twenty": 20}
_NUMBER = Pattern(r"(?:one|two|three|four|five|six|seven|eight|nine|ten|\d+)[.!]?$")
# A yes that can only be to a meeting.
_SURELY = Phrases(
    r"\b(?:i'll (?:be (?:there|along)|come|do it|join|bring|see)|see you|count me in|i'm (?:in"
    r"|coming)|agreed"
    r"|deal|nothing (?:can|could|will|would)|wouldn't miss|with bells|it's a date"
    r"|i'd love to(?! see)"
    r"|i'd be (?:glad|happy|honoured)|gladly|with pleasure|then (?:yes|i|you|sure|of course|fine"
    r"|good|gladly)"
    r"|in that case|no excuse|well,? yes|go on|oh,? all right|(?:yes|all right|fine|good),? then)\b"
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
        self._hearsay = False
        self._asked_else = False
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
        wavers = [wavering(one) for one in said]
        asks = any(one.sentence.asks for one in said)
        if said[0].ours and any(self._comes_back(one) for one in said):
            self._stale = False
        for number, one in enumerate(said):
            late = self._hearsay and not at_once(said, number)
            maybe = any(wavers[:number])
            self._sentence(one, by, any(wavers[number:]) or late, number == 0, maybe)
        if by == "O":
            self._hearsay = hearsay(said)
        if waited and self.table.waits_for(by) and asks and goes_along(said):
            self.table.accept(by, said[0].quote)
        if waited and self.table.waits_for(by) and (any(wavers) or not asks):
            if lets_stand(said) and not self._stale:
                self.table.accept(by, said[0].quote)
            else:
                self.table.refuse(by)
        if by == "O":
            yes = any(ACCEPTS.search(one.text) for one in said) and not any(wavers)
            self._asked_when = yes and any(_WHEN.search(one.text) for one in said)
        self._asked_else = asks and not any(
            ABOUT_TIME.search(one.text) or hours_in(one.text) or _WHEN.search(one.text)
            for one in said
        )
        if offered is not None:
            self._limits[by].add(offered.value)
        if waited and not any(_MORE.search(one.text) for one in said):
            self._stale = self.table.waits_for(by)

    def _comes_back(self, one: Said) -> bool:
        """Whether a sentence is about the matter again, after other talk."""
        return one.about or bool(
            one.places or hours_in(one.text) or days_of(one.sentence, self._today, one.about)
        )

    def _sentence(self, one: Said, by: str, wavers: bool, first: bool, after_maybe: bool) -> None:
        if CANCELS.search(one.text):
            self.table.undo()
        counter = _COUNTER.search(one.text) and not hours_in(one.text)
        if counter or _HOUR_OPEN.search(one.text):
            self.table.undo()
        self._keep_day(one)
        if self._opens(one):
            self.table.undo()
            return
        other = "O" if by == "P" else "P"
        self._limits[other] |= {
            hour.minute % _HALF_A_DAY
            for hour in hours_in(one.text)
            if _FROM.search(one.text[: hour.span[0]]) or _EITHER.search(one.text)
        }
        hours = hours_of(one.sentence, one.about)
        for hour in hours_in(one.text):
            self._last = hour.minute % _HALF_A_DAY
        if self._asked_else and _NUMBER.match(one.text):
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
                _SETTLED.match(one.text[hour.span[1] :]) and not wavers
            ):
                self.table.settle(by, value, one.quote)
            elif not (wavers and self._is_open(value, by)):
                taken = self._is_open(value, by)
                self.table.offer(by, value, one.quote)
                if taken and not (one.sentence.asks or CORRECTS.search(one.text)):
                    break  # a further hour is of something else: "Six is fine, I close at five."
        if not hours and not refused and not wavers and self._accepts(one, first, after_maybe):
            self.table.accept(by, one.quote)

    def _past(self, one: Said) -> int | None:
        """ "Quarter past" of the hour that was named last."""
        found = _PAST.search(one.text)
        if found is None or self._last is None:
            return None
        return self._last // 60 * 60 + _SIZES[found["size"]]

    def _is_open(self, value: int, by: str) -> bool:
        return (
            self.table.waits_for(by)
            and self.table.open is not None
            and (self.table.open.value == value)
        )

    def _accepts(self, one: Said, first: bool, after_maybe: bool) -> bool:
        if unfit(one.text) or _LATER.search(one.text) or (one.sentence.asks and len(one.text) > 24):
            return False
        if of_a_thing(one):
            return False
        if (after_maybe or self._stale) and not _SURELY.search(one.text):
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
        days = [d.date for d in days_of(one.sentence, self._today, one.about)]
        if self._day and self._settled and not self._moves(one):
            return
        if days and not unfit(one.sentence.clause_at(0)):
            self._day = self._goal if self._goal in days and len(days) > 1 else days[-1]
