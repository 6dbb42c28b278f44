"""Whether the other has been told the right day and hour of the start."""

from __future__ import annotations

from collections.abc import Sequence

from sociolab.town.scripted.when import minutes_of
from sociolab.worlds.stss.talk.findings import Occasion
from sociolab.worlds.stss.talk.rules.acts import (
    ABOUT_PLACE,
    CANCELS,
    CONFIRMS,
    OPEN,
)
from sociolab.worlds.stss.talk.rules.attaching import days_of, hours_of
from sociolab.worlds.stss.talk.rules.clock_words import hours_in
from sociolab.worlds.stss.talk.rules.correcting import corrects
from sociolab.worlds.stss.talk.rules.patterns import Pattern, Phrases
from sociolab.worlds.stss.talk.rules.reading import Said
from sociolab.worlds.stss.talk.rules.telling import Told

# "What's tomorrow?" - "The seed swap!" names the day as well.
_WHAT = Phrases(r"\bwhat(?:'s| is| happens| about| are you \w+)\b[^.!]*\?")


# What is right but for a detail, which is then said.
_NEARLY = Phrases(r"(?:yes, |well, |oh, )?(?:very )?(?:nearly|almost|not quite|close|all but)\b")


# An hour with a yes to it, or with the day: "Tomorrow at eight, all right, I can do that."
_RESTATES = Phrases(
    r"\b(?:all right|right|good|fine|okay|ok|got it|noted|i'll be there|i'll come|i can do"
    r"|see you)\b"
)
# What the other says once more to be sure.
_SO = Phrases(
    r"^(?:(?:ah|oh|right|good|well|ok|okay|all right),? )?so,? (?!i (?:could|can"
    r"|might)\b)|^let me (?:get|see if|repeat|sum)\b"
)
_OR = Phrases(
    r"(?<!\bnot )\b(?:seven|eight|six|five|four|three|two|one|nine|ten|eleven|\d\d?"
    r"|past \w+|o'clock),? or (?:at |about |maybe |perhaps )?(?:half|quarter|one|two|three|four"
    r"|five|six|seven|eight|nine|ten|eleven|\d)"
)


# Who comes later or leaves before the end moves nothing: "Could I come at six?" - "Come at six."
_COMES_LATE = Phrases(
    r"\b(?:late|later|first (?:half|hour|round|part|bit|few)|last (?:half|hour|part|bit)|miss the"
    r"|slip (?:in|out|away)|if i (?:come|came|join|joined|turn|turned|slip|were|was|only)"
    r"|(?:could|can|may|might) i (?:come|join|turn up|be|slip|still|just)|all right if|mind if i"
    r"|matter if i|okay if|i'm (?:done|free|finished|off)|i finish|i (?:don't|won't) (?:finish|get)"
    r"|bow out|stay (?:till|until)|at the earliest|straight from|straight after|only (?:from|after"
    r"|until|till|for|by)|not (?:before|until|till)|can't (?:be there )?(?:before|until|till)"
    r"|leave (?:at|by|before|early|again)|go (?:at|by|before|again)|for (?:an|half an|the first|the"
    r" last) hour|half of it)\b"
)
# When a link is sent, or a word is let fall, the event is another day.
_SENDS = Phrases(
    r"\b(?:send|sends|sending) (?:you|it|the|everyone|everybody|round|out|me|them|a|an)\b"
    r"|\b(?:i'll|i will|i shall|i can|i'd|let me|we'll|she'll|he'll) (?:\w+ )?(?:send|ring|call"
    r"|text"
    r"|mail|email|message|phone|drop you|let you know|tell you|remind|knock|ask (?:you )?again"
    r"|leave you|slip you|write)\b"
    r"|\b(?:can't|cannot|couldn't|won't) (?:\w+ )?(?:say|tell|promise|decide|think|answer|give)\b"
)
_MOVES = Phrases(
    r"\b(?:make it|make that|move|moved|shift|push|put it|starts?|begins?|starting|beginning"
    r"|instead|changed?|for everyone|all of us|postpone\w*|hold it|have it|do it at)\b"
)
# The hour itself: "I'll let you know when I've the link" leaves none open.
_WHICH_HOUR = Phrases(
    r"\bwhen\b(?= (?:exactly|it|they|to|we|the|she|he)\b|[.,;!?]|$)|\b(?:what|which|the|exact"
    r"|another"
    r"|a) (?:exact |right |good )?(?:time|hour|start)\b|\b(?:o'clock|earlier|later|starts?"
    r"|begins?|(?:move|change|shift) it)\b"
)


_WOULD = Pattern(r"(?:oh,? )?(?:that|it)(?:'d| would) (?:save|help|do|suit)")


class TimeTold:
    """Day and hour as they stand after each line."""

    def __init__(self, occasion: Occasion) -> None:
        self._today = occasion.now.date()
        self._day = occasion.task.day
        self._start = minutes_of(occasion.task.start)
        self.hour = Told()
        self.day = Told()
        self._echo: list[tuple[Told, bool, str]] = []
        self._asked_what = False
        self._sums_up = self._restates = False
        self._kept: list[tuple[Told, bool, str]] = []
        self._theirs: set[int] = set()
        self._late = False
        self._once: list[Told] = []

    @property
    def met(self) -> bool:
        """Whether both are told and right; on the day itself an hour means today."""
        today = self._today == self._day and self.day.right is None
        return self.hour.right is True and (self.day.right is True or today)

    def line(self, said: Sequence[Said]) -> None:
        """Take in the sentences of one line."""
        if said[0].ours:
            self._settle(said)
            self._late = any(_COMES_LATE.search(one.text) for one in said)
            changes = False
            for one in said:
                changes = changes or corrects(one.text)
                if self._ours(one, changes):
                    changes = False
            return
        self._own_hours(said)
        self._echo = [*self._kept, *(found for one in said for found in self._values(one))]
        self._kept = []
        self._restates = any(
            hours_of(one.sentence, one.about) and _RESTATES.search(one.text) for one in said
        )
        self._sums_up = sums_up(said)
        self._asked_what = any(_WHAT.search(one.text) for one in said)

    def _own_hours(self, said: Sequence[Said]) -> None:
        """Hours at which the other means to come or go, once that of the event was told."""
        if self.hour.right and (self._late or any(_COMES_LATE.search(one.text) for one in said)):
            self._theirs |= {hour.minute for one in said for hour in hours_in(one.text)}
        self._late = False

    def _settle(self, said: Sequence[Said]) -> None:
        """What the other said stands if the performer says yes to it."""
        first = said[0].text
        if not any(corrects(one.text) for one in said):
            for told, right, quote in self._echo:
                if right and told in self._once:
                    told.say(right, quote, changes=True)  # said again as it was first told
        named = self._asked_what and any(one.about for one in said)
        if self._sums_up and not any(corrects(one.text) for one in said):
            for told, right, quote in self._echo:
                told.say(right, quote, changes=True)  # "So on Friday at six." - "Bring a pen."
        elif self._echo and (agrees(said) or named):
            for told, right, quote in self._echo:
                told.say(right, quote, changes=not first.endswith("?"))
        elif self._restates and not _speaks_of_time(said):
            for told, right, quote in self._echo:
                if told is self.hour and not right:
                    told.say(right, quote, changes=True)
        elif said[-1].sentence.asks and not _speaks_of_time(said):
            self._kept = self._echo  # "What did he tell you?"
        elif self._answers_hour(said):
            for told, right, quote in self._echo:
                if told is self.day:
                    told.say(right, quote, changes=False)
        self._echo = []

    def _answers_hour(self, said: Sequence[Said]) -> bool:
        """Whether a line gives the hour alone: "Kites tomorrow?" - "At five." """
        return (
            not any(corrects(one.text) for one in said)
            and any(found[0] is self.hour for one in said for found in self._values(one))
            and not any(found[0] is self.day for one in said for found in self._values(one))
        )

    def _ours(self, one: Said, changes: bool) -> bool:
        """Take in a sentence of the performer; true where it says what is right."""
        if CANCELS.search(one.text):
            self.hour.undo()
            self.day.undo()
        if OPEN.search(one.text) and _of_time_alone(one.text):
            self.hour.undo()
            return False
        values = self._values(one)
        if OPEN.search(one.text) and ABOUT_PLACE.search(one.text):
            values = [value for value in values if value[0] is self.hour or value[1]]
        for told, right, quote in values:
            told.say(right, quote, changes)
            if right:
                self._once.append(told)
        if OPEN.search(one.text) and hours_of(one.sentence, True):
            self.hour.undo()
            return False
        return any(told is self.hour and right for told, right, _ in values)

    def _values(self, one: Said) -> list[tuple[Told, bool, str]]:
        """The day and the hour that a sentence gives for the matter."""
        found: list[tuple[Told, bool, str]] = []
        about = one.about or (one.ours and one.topical)
        hours = hours_of(one.sentence, about)
        if not _MOVES.search(one.text):
            hours = tuple(
                hour for hour in hours if hour.minute not in self._theirs or hour.is_at(self._start)
            )
        if len(hours) > 1 and one.ours and not one.sentence.asks and _OR.search(one.text):
            hours = ()  # "at seven or half past": neither is told
        if hours:
            last = hours[-1] if corrects(one.text) else None
            right = last.is_at(self._start) if last else any(h.is_at(self._start) for h in hours)
            found.append((self.hour, right, one.quote))
        days = days_of(one.sentence, self._today, about) if not _SENDS.search(one.text) else ()
        if days:
            last_day = days[-1] if corrects(one.text) else None
            right = last_day.date == self._day if last_day else self._day in [d.date for d in days]
            found.append((self.day, right, one.quote))
        return found


def _speaks_of_time(said: Sequence[Said]) -> bool:
    """Whether a line has an hour of its own, or a word that sets something right."""
    return any(hours_in(one.text) or corrects(one.text) for one in said)


def _of_time_alone(text: str) -> bool:
    """Whether words that leave something open speak of the hour and not of the place."""
    if not _WHICH_HOUR.search(text):
        return False
    return not ABOUT_PLACE.search(text) or "hour" in text or "time" in text


def sums_up(said: Sequence[Said]) -> bool:
    """Whether a line says once more what it has understood: "So that's ...".

    Who does not correct it goes along with it.
    """
    return any(_SO.match(one.text) for one in said)


def agrees(said: Sequence[Said]) -> bool:
    """Whether the performer's line lets stand what the other has just said."""
    first = said[0].text
    if _NEARLY.match(first) or _WOULD.match(first):
        return True
    if corrects(first) and not first.startswith(("yes", "exactly", "right", "that's")):
        return False
    if len(said) > 1 and said[1].text.startswith(("no,", "not ", "only it", "except", "but not")):
        return False
    brief = len(first.split()) <= 4
    return any(
        CONFIRMS.search(one.text) and not (number and one.sentence.asks)
        for number, one in enumerate(said[: 1 + brief])
    )
