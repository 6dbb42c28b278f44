"""Whether the other has been asked, or told to be welcome, to take part."""

from __future__ import annotations

from collections.abc import Sequence

from sociolab.worlds.stss.talk.rules.acts import ACCEPTS, CANCELS, CONFIRMS, DECLINES, HEDGES
from sociolab.worlds.stss.talk.rules.clock_words import hours_in
from sociolab.worlds.stss.talk.rules.invite_words import (
    ASKS_IN,
    BOTH,
    BUSY,
    DO_YOU,
    GLAD,
    INVITES,
    IS_OPEN,
    MAY_DO,
    MAY_WANT,
    OTHER_TIME,
    PAST,
    PROPOSES,
    SMALL_TALK,
    SOME_TIME,
    TAKES_UP,
    UNREAL,
    WISHES,
)
from sociolab.worlds.stss.talk.rules.patterns import Pattern, Phrases
from sociolab.worlds.stss.talk.rules.reading import Said

_WHEN = Phrases(
    r"\b(?:to(?:morrow|day|night)|(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d|o'clock|noon"
    r"|half (?:past )?\w+|quarter (?:past|to)|this (?:afternoon|evening)"
    r"|(?:at|around|from|about) (?:one|two|three|four|five|six|seven|eight|nine|ten|eleven"
    r"|twelve))\b"
)

_WONDERS = Pattern(
    r"(?:and |so |but |oh,? )*(?:is|are|was|were|did|do|does|has|have|had|where|what|who|why"
    r"|isn't|aren't)\b"
)
_SMALL_FAVOUR = Pattern(r"(?:pass|hand|hold|reach|give) me (?:that|the|my|your|a)\b")
_COULD = Phrases(
    r"\bi(?:'d| could| can| might| may|'ll| would)? (?:\w+ )?(?:be there|come|make it|look in"
    r"|have a (?:lecture"
    r"|class|lesson|seminar|shift)|teach|work (?:then|till|until)|be (?:late|free|busy))\b"
    r"|\bi(?:'ve| have) (?:still )?(?:got )?(?:an?|my|the) (?:\w+ )?(?:lecture|class|lesson"
    r"|seminar|shift|pupil|exam"
    r"|rehearsal|meeting)\b|\bat that (?:hour|time)\b"
)
_PASSING_THOUGHT = Phrases(r"\bpassing thought\b|\bnever mind,? (?:it|that) was\b")
_WE_OR_YOU = Phrases(r"\b(?:i|my|me|we|us|our|you|your|yours)\b")
_BRIEF = 8
_NEAR = 2
"""How many lines before its matter a question may come: "Are you free?" - "Why?" - "A quiz!" """


class Invitation:
    """An invitation as it stands after each line: the matter must be named and the other asked."""

    def __init__(self, appointment: bool) -> None:
        self._appointment = appointment
        self._named = False
        self._named_in = -1
        self._asked = ""
        self._asked_in = -1
        self._other_asks = False
        self._hinted = ""
        self._announced = ""
        self._open = False
        self._busy = self._dated = False
        self._lead = ("", -_NEAR - 1)
        self.quote = ""

    @property
    def met(self) -> bool:
        """Whether the other is invited."""
        return bool(self.words)

    @property
    def words(self) -> str:
        """What invites. An announcement does with a sign that the other may come, no burden."""
        return self.quote or (self._announced if self._open and not self._busy else "")

    def line(self, said: Sequence[Said]) -> None:
        """Take in the sentences of one line."""
        number = said[0].line
        if any(one.about for one in said):
            if not self._named and self._asked_in < number - _NEAR:
                self._asked = ""  # it was to something else
            self._named, self._named_in = True, number
        self._busy = self._busy or any(BUSY.search(one.text) for one in said)
        if not said[0].ours:
            self._other(said)
            return
        self._announce(said)
        self._dated = self._dated or any(_WHEN.search(one.text) for one in said)
        for one in said:
            if CANCELS.search(one.text) or _PASSING_THOUGHT.search(one.text):
                self.quote = self._asked = self._announced = ""
                continue
            if (one.about or (self._named and not self._hinted)) and not _of_others(one):
                self._hinted = one.quote
            if not self._asked and (
                _invites(one) or self._asks_for_hour(one) or self._puts_to_both(one)
            ):
                self._asked, self._asked_in = one.quote, number
            self._lead_up(one)
        first = said[0].text
        if self._other_asks and (
            CONFIRMS.search(first)
            or ACCEPTS.search(first)
            or _WHEN.search(first)
            or any(GLAD.search(one.text) for one in said)
        ):
            self._asked = self._asked or said[0].quote
        self._other_asks = False
        if self._named and self._asked:
            self.quote = self.quote or self._asked

    def _lead_up(self, one: Said) -> None:
        """ "You could keep goal." - "Me?" - "Five a side!": what led up to the matter asked."""
        leads = MAY_DO.search(one.text) or (one.sentence.asks and DO_YOU.search(one.text))
        if one.about and one.line - self._lead[1] <= _NEAR and not self._asked:
            self._asked, self._asked_in = self._lead[0], one.line
        if leads and (one.about or not self._named):
            self._lead = (one.quote, one.line)

    def _puts_to_both(self, one: Said) -> bool:
        """ "We said we'd do the ledger": an appointment is asked for by speaking of it as ours."""
        ours = self._appointment and one.about and BOTH.search(one.text)
        return bool(ours) and not PAST.search(one.text)

    def _asks_for_hour(self, one: Said) -> bool:
        """ "Tomorrow at eleven?", said of the matter that was named just before."""
        near = self._named and self._named_in >= one.line - _NEAR
        brief = near and one.sentence.asks and len(one.text.split()) <= _BRIEF
        return brief and bool(_WHEN.search(one.text)) and not _WONDERS.match(one.text)

    def _announce(self, said: Sequence[Said]) -> None:
        """The matter with its day or hour; open to the other where it is spoken to of it."""
        when = [one for one in said if _WHEN.search(one.text)]
        if when and self._named_in == said[0].line and not self._announced:
            self._announced = when[0].quote
        if self._announced:
            self._open = self._open or any(
                IS_OPEN.search(SMALL_TALK.compiled.sub("", one.text))
                or (one.sentence.asks and (one in when or hours_in(one.text)))
                for one in said
            )

    def _other(self, said: Sequence[Said]) -> None:
        """The other asks to take part, or says that it will."""
        self._other_asks = any(
            ASKS_IN.search(one.text)
            or (one.about and INVITES.search(one.text))
            or (self._appointment and self._named and PROPOSES.search(one.text))
            for one in said
        )
        if self._announced and any(_weighs(one) for one in said):
            self._open = True
        if self._named and self._hinted and any(self._takes_up(one) for one in said):
            # Who was hinted at and understands it so has been asked.
            self._asked = self._asked or self._hinted
        if self._named and self._asked:
            self.quote = self.quote or self._asked

    def _takes_up(self, one: Said) -> bool:
        """Whether the other takes a hint for more; "when?" is that of what has a day or an hour."""
        text = OTHER_TIME.compiled.sub("", one.text)
        if TAKES_UP.search(text):
            return True
        sure = self._dated and not self._busy
        return (sure or self._appointment) and bool(MAY_WANT.search(text))


def _of_others(one: Said) -> bool:
    """Whether a sentence tells what others do, or what has been."""
    return bool(PAST.search(one.text)) or bool(
        one.third[0] and one.third[0] in one.text and not _WE_OR_YOU.search(one.text)
    )


def _weighs(one: Said) -> bool:
    """Whether the other says whether it could come: it has been told so as to come."""
    text = OTHER_TIME.compiled.sub("", one.text)
    return bool(DECLINES.search(text) or HEDGES.search(text) or _COULD.search(text))


def _invites(one: Said) -> bool:
    """Whether a sentence asks in or asks to: "Nice to see you." does not."""
    if _SMALL_FAVOUR.match(one.text):
        return False
    if not one.about and SOME_TIME.search(one.text) and not BOTH.search(one.text):
        return False
    if UNREAL.search(one.text) and not one.sentence.asks:
        return False
    if WISHES.search(one.text) and not IS_OPEN.search(one.text) and not one.sentence.asks:
        return False
    if _asks_briefly(one) or ((one.about or one.topical) and MAY_DO.search(one.text)):
        return True
    return bool(INVITES.search(SMALL_TALK.compiled.sub("", one.text)))


def _asks_briefly(one: Said) -> bool:
    """ "Chess tomorrow at five?": the matter with a day or an hour, as a question."""
    return one.about and one.sentence.asks and bool(_WHEN.search(one.text))
