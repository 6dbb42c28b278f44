"""Whether both have agreed on where to meet."""

from __future__ import annotations

from collections.abc import Sequence

from sociolab.worlds.stss.talk.findings import Occasion
from sociolab.worlds.stss.talk.rules.acts import (
    ABOUT_PLACE,
    ABOUT_TIME,
    ACCEPTS,
    CANCELS,
    CONFIRMS,
    CORRECTS,
    DECLINES,
    HEDGES,
    OPEN,
)
from sociolab.worlds.stss.talk.rules.agreed_spots import (
    EITHER_OF_US,
    SAME_PLACE,
    THERE,
    alike,
    spot,
    whose,
)
from sociolab.worlds.stss.talk.rules.agreement import Negotiation, Offer
from sociolab.worlds.stss.talk.rules.answering import (
    at_once,
    hearsay,
    lets_stand,
    of_a_thing,
    takes_hour,
)
from sociolab.worlds.stss.talk.rules.attaching import denied, unfit
from sociolab.worlds.stss.talk.rules.clock_words import hours_in
from sociolab.worlds.stss.talk.rules.deferring import NOT_FOUND, SOME_PLACE, puts_off_place
from sociolab.worlds.stss.talk.rules.meeting_places import offered_place
from sociolab.worlds.stss.talk.rules.patterns import Phrases
from sociolab.worlds.stss.talk.rules.reading import Said

_ELSEWHERE = Phrases(r"\b(?:somewhere else|elsewhere|another (?:place|room|spot))\b")
_WHERE = Phrases(r"\bwhere\b[^.!]*\?")
_BETTER = Phrases(r"\bwould be (?:\w+ )?(?:better|best|easier)\b")
_FEW = 6
"""Words of a sentence that only names a place."""
_YES = Phrases(
    r"\b(?:yes|yeah|exactly|it is)\b|^(?:oh,? |well,? )?(?:sure|of course|gladly|certainly),"
)


class PlaceAgreed:
    """The place as it is negotiated."""

    def __init__(self, occasion: Occasion) -> None:
        self._occasion = occasion
        self.table: Negotiation[str] = Negotiation()
        self._hearsay = False
        self._asked_where = ""
        self._last = ""
        self._passed: Offer[str] | None = None
        self._asked_time = False
        self._stale = False

    @property
    def met(self) -> bool:
        """Whether a place is agreed."""
        return self.table.agreed is not None

    @property
    def unopposed(self) -> str:
        """The words of a place to which nobody has said anything: it stands if the hour does."""
        return self.table.open.quote if self.table.open else ""

    @property
    def quote(self) -> str:
        """The words with which it was agreed."""
        return self.table.agreed.quote if self.table.agreed else ""

    def line(self, said: Sequence[Said]) -> None:
        """Take in the sentences of one line."""
        by = "P" if said[0].ours else "O"
        waited = self.table.waits_for(by)
        wavers = [_wavers(one) for one in said]
        asks = any(one.sentence.asks for one in said)
        before = self.table.agreed
        self._stale = self._stale and not any(one.places or _named_at_all(one) for one in said)
        for number, one in enumerate(said):
            if number and self.table.agreed is not before and not _another(one):
                break  # a further place is of something else: "Fine, bring those at the hall."
            late = self._hearsay and not at_once(said, number)
            self._sentence(one, by, any(wavers[number:]) or late, first=number == 0)
        if by == "O":
            self._hearsay = hearsay(said)
        stands = self.table.open or self.table.agreed
        if stands and not self._asked_time and any(puts_off_place(one) for one in said):
            self._put_off(said)
        if waited and self.table.waits_for(by) and by == "O" and takes_hour(said):
            self.table.accept(by, said[0].quote)
        if waited and self.table.waits_for(by) and not asks:
            if lets_stand(said) and not self._stale:
                self.table.accept(by, said[0].quote)
            elif not _of_the_hour(said):
                self._passed = self.table.open
                self.table.refuse(by)
        if waited and by == "O" and not (asks or _of_the_hour(said)):
            self._stale = self.table.waits_for(by)
        self._asked_time = any(map(_asks_when, said))
        self._asked_where = by if any(map(_asks_where, said)) else ""

    def _put_off(self, said: Sequence[Said]) -> None:
        """What is put off is not agreed, but for a place to which the same line says yes."""
        agreed = self.table.agreed
        if agreed is None or not any(_named(one, agreed.quote) for one in said):
            self.table.undo()

    def _sentence(self, one: Said, by: str, wavers: bool, first: bool) -> None:
        asked = self._asked_where not in ("", by)
        place = (whose(one) if asked else None) or offered_place(self._occasion, one, asked)
        if place is None and self._last and SAME_PLACE.search(one.text):
            place = self._last
        if any(words.search(one.text) for words in (CANCELS, _ELSEWHERE, NOT_FOUND)):
            self.table.undo()
        if place and not one.sentence.asks and SOME_PLACE.search(one.text):
            self.table.undo()
            return
        clause = one.text if ABOUT_PLACE.search(one.text) else _clause_of_place(one)
        if OPEN.search(clause) and (ABOUT_PLACE.search(one.text) or place):
            self.table.undo()
            return
        if place is None and one.places and all(denied(one.text, p.span) for p in one.places):
            self.table.refuse(by)
            return
        passed = self._passed
        if passed and passed.by != by and self.table.open is None and THERE.search(one.text):
            self.table.settle(by, passed.value, one.quote)
            return
        if DECLINES.search(one.text) and place is None and not hours_in(one.text):
            self.table.refuse(by)
            return
        if place is not None:
            if unfit(clause):
                self.table.refuse(by)
                return
            self._last = place
            self._put(one, by, place)
        elif not (wavers or self._stale or of_a_thing(one) or _BETTER.search(one.text)) and (
            ACCEPTS.search(one.text) or (first and one.ours and CONFIRMS.search(one.text))
        ):
            self.table.accept(by, one.quote)

    def _put(self, one: Said, by: str, place: str) -> None:
        offer = self.table.open
        if (
            offer is not None
            and offer.by != by
            and not one.sentence.asks
            and alike(self._occasion, offer.value, place)
        ):
            self.table.accept(by, one.quote)
            return
        if _YES.search(one.text) and not one.sentence.asks:
            self.table.settle(by, place, one.quote)
            return
        agreed = self.table.agreed
        if agreed is None or (not alike(self._occasion, agreed.value, place) and _moves(one)):
            self.table.offer(by, place, one.quote)


def _asks_where(one: Said) -> bool:
    return bool(_WHERE.search(one.text) or EITHER_OF_US.search(one.text))


def _asks_when(one: Said) -> bool:
    of_time = one.sentence.asks and (ABOUT_TIME.search(one.text) or hours_in(one.text))
    return bool(of_time and not one.places)


def _named_at_all(one: Said) -> bool:
    return one.about or bool(ABOUT_PLACE.search(one.text) or spot(one) or hours_in(one.text))


def _named(one: Said, quote: str) -> bool:
    return one.quote == quote and spot(one) is not None


def _clause_of_place(one: Said) -> str:
    return one.sentence.clause_at(one.places[0].span[0]) if one.places else one.text


def _wavers(one: Said) -> bool:
    """A maybe that is not about the hour alone."""
    of_time = ABOUT_TIME.search(one.text) and not ABOUT_PLACE.search(one.text) and not one.places
    return bool(HEDGES.search(one.text)) and not of_time


def _of_the_hour(said: Sequence[Said]) -> bool:
    """Whether a line has only to do with the hour: the place beside it is let stand."""
    return any(hours_in(one.text) for one in said) and not any(
        ABOUT_PLACE.search(one.text) or _ELSEWHERE.search(one.text) for one in said
    )


def _moves(one: Said) -> bool:
    """Whether a sentence may move what was agreed: not "I'll be at the cafe, you can find me"."""
    asks = one.sentence.asks or one.about or CORRECTS.search(one.text) or hours_in(one.text)
    return bool(asks or len(one.text.split()) <= _FEW)


def _another(one: Said) -> bool:
    """Whether a sentence may move to another place what was agreed just before."""
    asks = one.sentence.asks or one.about or CORRECTS.search(one.text)
    return bool(asks or OPEN.search(one.text) or _ELSEWHERE.search(one.text) or not one.places)
