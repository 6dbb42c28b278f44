"""What the performer has asked the other to do, errand by errand, and where."""

from __future__ import annotations

from collections.abc import Sequence

from sociolab.worlds.stss.talk.findings import Occasion
from sociolab.worlds.stss.talk.rules.acts import CANCELS, CONFIRMS, DECLINES, OPEN
from sociolab.worlds.stss.talk.rules.answering import hearsay
from sociolab.worlds.stss.talk.rules.attaching import elsewhere
from sociolab.worlds.stss.talk.rules.correcting import corrects, unrepaired
from sociolab.worlds.stss.talk.rules.errand_ledger import Ledger
from sociolab.worlds.stss.talk.rules.errand_places import ErrandPlaces
from sociolab.worlds.stss.talk.rules.errands import jobs_of
from sociolab.worlds.stss.talk.rules.parts import (
    gives,
    jobs_in,
    of_others,
    own_part,
    part_taken_back,
)
from sociolab.worlds.stss.talk.rules.reading import Said
from sociolab.worlds.stss.talk.rules.request_words import (
    ASKS,
    BACK,
    DO_IT,
    DONE,
    DONT,
    KEEPS,
    NEEDS,
    OFFERS,
    OWN_WAY,
    PASSES,
    RESIGNS,
    SELF,
    THERE,
    TO,
    UNABLE,
    UPTAKE,
    WHERE,
    WHERE_TO,
    named_part,
)
from sociolab.worlds.stss.talk.rules.told_time import agrees, sums_up

_FEW = 6
"""Words of an answer that only names the thing."""
_SOON = 2
"""How many lines before its matter a request may come: "A favour?" - "What?" - "The honey." """


class Help(Ledger):
    """The errands as they stand after each line."""

    def __init__(self, occasion: Occasion) -> None:
        super().__init__(jobs_of(occasion.task.errands))
        self._where = ErrandPlaces(occasion, self.jobs)
        self._named: dict[int, str] = {}
        self._has_asked = ""
        self._directed = ("", -_SOON)
        self._spoken_of = False
        self._placed: dict[int, str] = {}
        self._echo: list[tuple[int, bool, str]] = []
        self.offered: dict[int, str] = {}
        self._bare: set[int] = set()
        self._asks_where = self._only_offered = False
        self._may_name = False
        self._sums_up = self._wonders = False
        self._asks_way = self._declined = False

    def line(self, said: Sequence[Said]) -> None:
        """Take in the sentences of one line."""
        self.thing_named = self.thing_named or any(one.about for one in said)
        if not said[0].ours:
            self._other(said)
            return
        passes = self._sums_up and not any(one.places or BACK.search(one.text) for one in said)
        there = any(THERE.search(one.text) and jobs_in(self.jobs, one) for one in said)
        answered = self._wonders and not any(corrects(one.text) for one in said)
        self._wonders = any(one.about and one.sentence.asks for one in said)
        stands = agrees(said) or passes or there
        if self._echo and (stands or answered):
            for number, right, quote in self._echo:
                if not (stands or right):
                    continue
                self.places[number].say(right, quote, changes=True)
                if right and self._has_asked:
                    self._placed.setdefault(number, quote)
        please = any("please" in one.text for one in said)
        if refuses := said[0].text.startswith("no") and not please:
            self.off |= self._bare
            if self._only_offered:
                self._has_asked = ""  # "Shall I get it?" - "No, it can wait."
        takes = any(CONFIRMS.search(one.text) or ASKS.search(one.text) for one in said[:2])
        self._echo = []
        changes = False
        said = unrepaired(said)
        self._direct(said)
        self._asks_way = any(PASSES.search(one.text) for one in said)
        for one in said:
            changes = changes or corrects(one.text)
            self._ours(one, changes)
        if takes and not refuses:
            self._take_up()
        self.offered, self._bare, self._only_offered = {}, set(), False
        self._may_name = self._asks_where = False

    def _direct(self, said: Sequence[Said]) -> None:
        """Whether the other is given a part, in whatever words, as the matter is spoken of."""
        about = any(one.about or (jobs_in(self.jobs, one) and one.places) for one in said)
        self._spoken_of = self._spoken_of or about
        if found := next((one.quote for one in said if gives(one)), ""):
            self._directed = (found, said[0].line)
        quote, line = self._directed
        asks_way = any(PASSES.search(one.text) for one in said)
        if asks_way and any(one.about and NEEDS.search(one.text) for one in said):
            self._has_asked = self._has_asked or said[0].quote
        if quote and self._spoken_of and said[0].line - line <= _SOON:
            self._has_asked = self._has_asked or quote

    def _ours(self, one: Said, changes: bool) -> None:
        if CANCELS.search(one.text) and "about" not in one.text:
            for number in self._where.fitting(one.places) or self.places:
                self._undo(number)
            return
        if ASKS.search(one.text):
            self._has_asked = self._has_asked or one.quote
        numbers = self._parts(one)
        if self._gives_up(one, numbers, changes):
            return
        values = self._values(one)
        if OPEN.search(one.text) and WHERE.search(one.text) and not ASKS.search(one.text):
            for number in {n for n, _, _ in values} or numbers or {self._where.waiting(one)}:
                self.places[number].undo()
            return
        if ASKS.search(one.text):
            self.off -= numbers
        if not DONE.search(one.text):
            self._name(one, numbers, {number for number, right, _ in values if right})
        for number, right, quote in values:
            if number not in self.off:
                narrows = number in self._where.narrowed
                self.places[number].say(right, quote, changes or narrows)

    def _parts(self, one: Said) -> set[int]:
        """The errands that a sentence is about; a thing that is asked for is to be fetched."""
        numbers = jobs_in(self.jobs, one)
        if numbers or not one.about:
            return numbers
        answers = self._may_name and len(one.text.split()) <= _FEW  # "Can I help?" - "The honey."
        if answers or (not one.places and gives(one, by=ASKS)):
            return {1}
        return {1} if self._asks_way and NEEDS.search(one.text) else set()

    def _gives_up(self, one: Said, numbers: set[int], changes: bool) -> bool:
        """Whether a sentence takes back all or a part of what was asked."""
        if self.asked and KEEPS.search(one.text):
            kept = named_part(one.text) or jobs_in(self.jobs, one)
            gone = set(self.places) - kept if kept else set()
        elif self._takes_back(one, changes):
            gone = (
                named_part(one.text)
                or part_taken_back(self._where, one)
                or numbers
                or self._whole(one)
            )
        else:
            return False
        for number in gone:
            self._undo(number)
        return True

    def _takes_back(self, one: Said, changes: bool) -> bool:
        """Whether the performer will do a part itself after all."""
        if not self.asked or (self._declined and RESIGNS.search(one.text)):
            return False
        does = bool(jobs_in(self.jobs, one)) or bool(DO_IT.search(one.text))
        own = SELF.search(one.text) and (changes or ("myself" in one.text and does))
        return bool(own or BACK.search(one.text))

    def _whole(self, one: Said) -> set[int]:
        """What is taken back where nothing is named: all by "Don't.", else the last thing."""
        return set(self.places) if DONT.search(one.text) else {max(self.asked)}

    def _undo(self, number: int) -> None:
        for kept in (self._named, self._placed):
            kept.pop(number, None)
        self.take_back(number)

    def _name(self, one: Said, numbers: set[int], placed: set[int]) -> None:
        """Name the errands of a sentence, those whose right place it gives among them."""
        answers = self._has_asked and (
            self._spoken_of or self._asks_where or bool(TO.match(one.text))
        )
        if one.about or ASKS.search(one.text) or answers:
            numbers = numbers | placed
        for number in numbers - own_part(self.jobs, one) - of_others(self.jobs, one) - self.off:
            self._named.setdefault(number, one.quote)
        self._name_all()
        if self._spoken_of:
            self._placed.update(dict.fromkeys(placed, one.quote))

    def _name_all(self) -> None:
        """What has been named is asked, once anything is."""
        if self._has_asked:
            self._named = {**self._placed, **self._named}
            self._placed = {}
            for number, quote in self._named.items():
                self.asked.setdefault(number, quote)

    def _other(self, said: Sequence[Said]) -> None:
        """What the other repeats or offers, until the performer has answered."""
        self._echo = [
            value
            for one in said
            if not (OWN_WAY.search(one.text) or elsewhere(one.text, one.about))
            for value in self._values(one)
            if value[1] or self._restates(one, value[0])
        ]
        self._sums_up = sums_up(said)
        self._declined = any(
            DECLINES.search(one.text) or UNABLE.search(one.text) for one in said
        ) and not any(UPTAKE.search(one.text) for one in said)
        self.offered = {n: one.quote for one in said for n in jobs_in(self.jobs, one)}
        # "And bring them over?" - "No.": what is offered without a place is not wanted.
        self._bare = {n for one in said if not one.places for n in jobs_in(self.jobs, one)}
        self._asks_where = any(WHERE_TO.search(one.text) for one in said)
        if (self._named or self._placed) and any(UPTAKE.search(one.text) for one in said):
            self._has_asked = self._has_asked or next(iter((self._named or self._placed).values()))
            self._name_all()
        told = self.offered and hearsay(said)  # "Alek says you need somebody to fetch it."
        if told or any(OFFERS.search(one.text) for one in said):
            self._only_offered = not self._has_asked
            self._has_asked = self._has_asked or said[0].quote
            self._may_name = True

    def _restates(self, one: Said, number: int) -> bool:
        """Whether the other says of an errand that it is elsewhere, and does not just ask."""
        told = self.places[number].right is True
        return not told or not one.sentence.asks or bool(jobs_in(self.jobs, one))

    def _values(self, one: Said) -> list[tuple[int, bool, str]]:
        return self._where.values(one, known=bool(self._has_asked or self._named))

    def _take_up(self) -> None:
        """The other's own offer, taken up by the performer, is as good as asked."""
        if self._has_asked:
            for number, quote in self.offered.items():
                if number not in self.off:
                    self.asked.setdefault(number, quote)
