"""What the performer has asked the other to do, errand by errand, and where."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sociolab.worlds.stss.talk.findings import Occasion
from sociolab.worlds.stss.talk.rules.acts import CANCELS, CONFIRMS, CORRECTS, OPEN
from sociolab.worlds.stss.talk.rules.answering import hearsay
from sociolab.worlds.stss.talk.rules.attaching import denied, elsewhere
from sociolab.worlds.stss.talk.rules.errands import WAITS, Job, job_at, jobs_of
from sociolab.worlds.stss.talk.rules.place_words import Mention
from sociolab.worlds.stss.talk.rules.reading import Said
from sociolab.worlds.stss.talk.rules.request_words import (
    ASKS,
    BACK,
    OFFERS,
    ONLY,
    OTHERS_DO,
    OWN_WAY,
    SELF,
    THEMSELVES,
    TO,
    WHERE,
    WHERE_TO,
    named_part,
)
from sociolab.worlds.stss.talk.rules.sites import meant_places, right_place
from sociolab.worlds.stss.talk.rules.telling import Told
from sociolab.worlds.stss.talk.rules.told_time import agrees, sums_up

_FEW = 6
"""Words of an answer that only names the thing."""


class Help:
    """The errands as they stand after each line."""

    def __init__(self, occasion: Occasion) -> None:
        self._occasion = occasion
        self.jobs = jobs_of(occasion.task.errands)
        self.asked: dict[int, str] = {}
        self.places = {job.number: Told() for job in self.jobs}
        self._named: dict[int, str] = {}
        self._has_asked = ""
        self._last = 0
        self._before = ""
        self._echo: list[tuple[int, bool, str]] = []
        self._offered: dict[int, str] = {}
        self._off: set[int] = set()
        self._asks_where = False
        self._may_name = False
        self._sums_up = False

    def read_note(self, said: Sequence[Said], asked: bool) -> None:
        """Take in a note by the other: what it was asked for, and where."""
        for one in said:
            numbers = self._jobs_in(one)
            if THEMSELVES.search(one.text):
                self._undo(2)  # who comes for it or brings it spares the other the way
                continue
            if (only := ONLY.search(one.text)) and (kept := self._jobs_in(one, only.start())):
                numbers = kept
                self._off |= set(self.places) - kept
            if asked:
                for number in numbers:
                    self.asked.setdefault(number, one.quote)
            for number, right, quote in self._values(one):
                if number in self._off:
                    continue
                self.places[number].say(right, quote, changes=False)
                if asked and right and one.about:
                    self.asked.setdefault(number, quote)

    def line(self, said: Sequence[Said]) -> None:
        """Take in the sentences of one line."""
        if not said[0].ours:
            self._other(said)
            return
        passes = self._sums_up and not any(one.places or BACK.search(one.text) for one in said)
        if self._echo and (agrees(said) or passes):
            for number, right, quote in self._echo:
                self.places[number].say(right, quote, changes=True)
        refuses = said[0].text.startswith("no") and not any("please" in one.text for one in said)
        takes = any(CONFIRMS.search(one.text) or ASKS.search(one.text) for one in said[:2])
        self._echo = []
        changes = False
        for one in said:
            changes = changes or bool(CORRECTS.search(one.text))
            self._ours(one, changes)
        if takes and not refuses:
            self._take_up()
        self._offered = {}
        self._may_name = self._asks_where = False

    def _ours(self, one: Said, changes: bool) -> None:
        if CANCELS.search(one.text) and "about" not in one.text:
            for number in self.places:
                self._undo(number)
            return
        if ASKS.search(one.text):
            self._has_asked = self._has_asked or one.quote
        numbers = self._jobs_in(one)
        if self._may_name and one.about and not numbers and len(one.text.split()) <= _FEW:
            numbers = {1}  # "Can I help?" - "Six jars of honey."
        if self._takes_back(one, changes):
            for number in named_part(one.text) or self._part(one) or numbers or {max(self.asked)}:
                self._undo(number)
            return
        values = self._values(one)
        if OPEN.search(one.text) and WHERE.search(one.text) and not ASKS.search(one.text):
            for number in {n for n, _, _ in values} or numbers or {self._waiting(one)}:
                self.places[number].undo()
            return
        if ASKS.search(one.text):
            self._off -= numbers
        if not SELF.search(one.text) or ASKS.search(one.text):
            answers = self._has_asked and (self._asks_where or TO.match(one.text))
            if one.about or ASKS.search(one.text) or answers:
                numbers |= {number for number, right, _ in values if right}
            self._name(one, numbers - self._of_others(one))
        for number, right, quote in values:
            if number not in self._off:
                self.places[number].say(right, quote, changes)

    def _waiting(self, one: Said) -> int:
        """The job whose place is left open, where the sentence names none."""
        fetch = next((job.number for job in self.jobs if job.kind == "fetch"), 1)
        return fetch if WAITS.search(one.text) or not self._last else self._last

    def _takes_back(self, one: Said, changes: bool) -> bool:
        """Whether the performer will do a part itself after all."""
        if not self.asked:
            return False
        if BACK.search(one.text):
            return True
        return bool(SELF.search(one.text)) and (changes or "myself" in one.text)

    def _part(self, one: Said) -> set[int]:
        """What the clause that takes back speaks of: "Forget the gallery, just fetch it"."""
        found = BACK.search(one.text)
        if found is None:
            return set()
        end = found.end() + len(re.split("[,;]", one.text[found.end() :])[0])
        jobs = self._jobs_in(one, found.start(), end)
        places = [place for place in one.places if found.start() <= place.span[0] < end]
        return jobs or {j.number for j in self.jobs for p in places if self._right(p, j.number)}

    def _undo(self, number: int) -> None:
        self.asked.pop(number, None)
        self._named.pop(number, None)
        self._off.add(number)
        if number in self.places:
            self.places[number].undo()

    def _name(self, one: Said, numbers: set[int]) -> None:
        for number in numbers - self._off:
            self._named.setdefault(number, one.quote)
        if self._has_asked:
            for number, quote in self._named.items():
                self.asked.setdefault(number, quote)

    def _jobs_in(self, one: Said, begin: int = 0, end: int | None = None) -> set[int]:
        return {job.number for job in self.jobs if job.verbs(one.text[begin:end])}

    def _of_others(self, one: Said) -> set[int]:
        """The errands that somebody else does: "Chidi's buying it"."""
        return {
            job.number
            for job in self.jobs
            if (found := job.verbs(one.text))
            and all(OTHERS_DO.search(one.quote[:at]) for at in found)
        }

    def _other(self, said: Sequence[Said]) -> None:
        """What the other repeats or offers, until the performer has answered."""
        self._echo = [
            value
            for one in said
            if not (OWN_WAY.search(one.text) or elsewhere(one.text, one.about))
            for value in self._values(one)
        ]
        self._sums_up = sums_up(said)
        self._offered = {n: one.quote for one in said for n in self._jobs_in(one)}
        self._asks_where = any(WHERE_TO.search(one.text) for one in said)
        told = self._offered and hearsay(said)  # "Alek says you need somebody to fetch it."
        if told or any(OFFERS.search(one.text) for one in said):
            self._has_asked = self._has_asked or said[0].quote
            self._may_name = True

    def _take_up(self) -> None:
        """The other's own offer, taken up by the performer, is as good as asked."""
        if self._has_asked:
            for number, quote in self._offered.items():
                if number in self._off:
                    continue
                self.asked.setdefault(number, quote)

    def _values(self, one: Said) -> list[tuple[int, bool, str]]:
        """Of which errand a place is told, and whether it is the right one."""
        found: list[tuple[int, bool, str]] = []
        for mention in self._mentions(one):
            if denied(one.text, mention.span):
                continue
            number, sure = job_at(self.jobs, one.text, mention.span[0], self._last)
            right = self._right(mention, number)
            fits = next((j.number for j in self.jobs if self._right(mention, j.number)), 0)
            self._before = mention.sector or self._before
            if fits and not sure:
                number, right = fits, True
            elif not sure and number in [one[0] for one in found]:
                # A second place in one breath is that of the other errand.
                number = next((j.number for j in self.jobs if j.number != number), number)
                right = self._right(mention, number)
            said_so = sure or mention in one.places
            known = said_so or one.about or self._has_asked or self._named
            if number and right is not None and known:
                found.append((number, right, one.quote))
                self._last = number
        verbs = [(at, job.number) for job in self.jobs for at in job.verbs(one.text)]
        if verbs:
            self._last = max(verbs)[1]
        return found

    def _mentions(self, one: Said) -> tuple[Mention, ...]:
        """The places said, "here" and "my shop" among them where they are one of the errands'."""
        sites = {job.errand.place.partition(": ")[0] for job in self.jobs}
        meant = [one for one in meant_places(self._occasion, one) if one.sector in sites]
        if not meant:
            return one.places
        other = meant[0]
        begin, end = other.span
        clear = [
            place
            for place in one.places
            if not (begin < place.span[1] and place.span[0] < end and not place.sector)
        ]
        if any(place.sector and begin < place.span[1] and place.span[0] < end for place in clear):
            return one.places
        return tuple(sorted((*clear, other), key=lambda place: place.span))

    def _right(self, mention: Mention, number: int) -> bool | None:
        job: Job | None = next((one for one in self.jobs if one.number == number), None)
        if job is None:
            return False
        return right_place(mention, job.errand.place, self._before, self._occasion.places)
