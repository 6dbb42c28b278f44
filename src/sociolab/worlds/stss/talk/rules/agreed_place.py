"""Whether both have agreed on where to meet."""

from __future__ import annotations

from collections.abc import Sequence

from sociolab.worlds.stss.talk.findings import Occasion
from sociolab.worlds.stss.talk.rules.acts import (
    ABOUT_PLACE,
    ACCEPTS,
    CANCELS,
    CONFIRMS,
    CORRECTS,
    DECLINES,
    HEDGES,
    OPEN,
)
from sociolab.worlds.stss.talk.rules.agreement import Negotiation
from sociolab.worlds.stss.talk.rules.answering import at_once, hearsay, lets_stand, takes_hour
from sociolab.worlds.stss.talk.rules.attaching import elsewhere, taken, unfit
from sociolab.worlds.stss.talk.rules.patterns import Phrases
from sociolab.worlds.stss.talk.rules.reading import Said
from sociolab.worlds.stss.talk.rules.sites import definite, meant_places

_ELSEWHERE = Phrases(r"\b(?:somewhere else|elsewhere|another (?:place|room|spot))\b")
_YES = Phrases(r"\b(?:yes|yeah|exactly|it is)\b")


class PlaceAgreed:
    """The place as it is negotiated."""

    def __init__(self, occasion: Occasion) -> None:
        self._occasion = occasion
        self.table: Negotiation[str] = Negotiation()
        self._hearsay = False

    @property
    def met(self) -> bool:
        """Whether a place is agreed."""
        return self.table.agreed is not None

    @property
    def quote(self) -> str:
        """The words with which it was agreed."""
        return self.table.agreed.quote if self.table.agreed else ""

    def line(self, said: Sequence[Said]) -> None:
        """Take in the sentences of one line."""
        by = "P" if said[0].ours else "O"
        waited = self.table.waits_for(by)
        wavers = [bool(HEDGES.search(one.text)) for one in said]
        asks = any(one.sentence.asks for one in said)
        before = self.table.agreed
        for number, one in enumerate(said):
            if number and self.table.agreed is not before and not _another(one):
                break  # a further place is of something else: "Fine, bring those at the hall."
            late = self._hearsay and not at_once(said, number)
            self._sentence(one, by, any(wavers[number:]) or late, first=number == 0)
        if by == "O":
            self._hearsay = hearsay(said)
        if waited and self.table.waits_for(by) and by == "O" and takes_hour(said):
            self.table.accept(by, said[0].quote)
        if waited and self.table.waits_for(by) and not asks:
            if lets_stand(said):
                self.table.accept(by, said[0].quote)
            else:
                self.table.refuse(by)

    def _sentence(self, one: Said, by: str, wavers: bool, first: bool) -> None:
        place = self._place(one)
        if CANCELS.search(one.text) or _ELSEWHERE.search(one.text):
            self.table.undo()
        if OPEN.search(one.text) and (ABOUT_PLACE.search(one.text) or place):
            self.table.undo()
            return
        if DECLINES.search(one.text) and place is None:
            self.table.refuse(by)
            return
        if place is not None:
            if unfit(one.text):
                self.table.refuse(by)
                return
            self._put(one, by, place)
        elif not wavers and (
            ACCEPTS.search(one.text) or (first and one.ours and CONFIRMS.search(one.text))
        ):
            self.table.accept(by, one.quote)

    def _put(self, one: Said, by: str, place: str) -> None:
        offer = self.table.open
        if (
            offer is not None
            and offer.by != by
            and not one.sentence.asks
            and alike(offer.value, place)
        ):
            self.table.accept(by, one.quote)
            return
        if _YES.search(one.text) and not one.sentence.asks:
            self.table.settle(by, place, one.quote)
            return
        agreed = self.table.agreed
        if agreed is None or not alike(agreed.value, place):
            self.table.offer(by, place, one.quote)

    def _place(self, one: Said) -> str | None:
        found = definite(one)
        if found is None:
            meant = meant_places(self._occasion, one)
            return f"{meant[0].sector}: " if meant else None
        place, span = found
        clause = one.sentence.clause_at(span[0])
        described = place.startswith("where ")
        other = not described and elsewhere(clause, one.about)
        return None if other or taken(clause) else place


def _another(one: Said) -> bool:
    """Whether a sentence may move to another place what was agreed just before."""
    asks = one.sentence.asks or one.about or CORRECTS.search(one.text)
    return bool(asks or OPEN.search(one.text) or _ELSEWHERE.search(one.text) or not one.places)


def alike(one: str, two: str) -> bool:
    """Whether two ways of naming a place may be the same: none of a room and its building."""
    first, second = one.split(": "), two.split(": ")
    if len(first) != 2 or len(second) != 2:
        return one.split()[-1] == two.split()[-1] or len(first) != len(second)
    return all(a == b or not a or not b for a, b in zip(first, second, strict=True))
