"""What the performer has asked the other to do, errand by errand, and where."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sociolab.worlds.stss.talk.findings import Occasion
from sociolab.worlds.stss.talk.rules.acts import CANCELS, CONFIRMS, CORRECTS, WOULD_YOU
from sociolab.worlds.stss.talk.rules.attaching import denied
from sociolab.worlds.stss.talk.rules.errands import Job, job_at, jobs_of
from sociolab.worlds.stss.talk.rules.place_words import Mention
from sociolab.worlds.stss.talk.rules.reading import Said
from sociolab.worlds.stss.talk.rules.sites import meant_places, right_place
from sociolab.worlds.stss.talk.rules.telling import Told
from sociolab.worlds.stss.talk.rules.told_time import agrees

ASKS = re.compile(
    WOULD_YOU + r"|\bmight you\b|\bplease\b|\bif you(?:'d"
    r"| would"
    r"| could| can|'re)\b|\byou(?:'d| would| might| could| can|'ll) (?:\w+ )?(?:fetch|collect"
    r"|pick|get"
    r"|bring|take|drop|hand|buy|need|find|leave|have to|be (?:an|a|so|doing|saving|willing))"
    r"|\b(?:hoping|hope|hoped|wonder(?:ing|ed)?|grateful|obliged|glad|wish|thankful|appreciate|love"
    r"|happy)\b[^.?!]{0,30}\b(?:you|somebody|someone|your)\b"
    r"|\b(?:may|might|could|can) i (?:ask|beg|trouble|send|borrow|count|impose|be so bold|persuade"
    r"|bother|rope|talk)|\bdo (?:me|us) (?:a|one|two|the|another)\b|\bdo you think you\b"
    r"|\bneed (?:you|your|a favou?r|a hand|some help|help from)\b|\b(?:want|like) you to\b"
    r"|\bask(?:ing)? you\b|\bbe (?:an angel|a dear|so kind|so good|willing|able to|good enough)"
    r"|\bwould it be\b|\bany chance\b|\bare you (?:able|willing|free|up for|going)\b"
    r"|\bwould you mind"
    r"|\bfavou?rs?\b|\bi'd (?:need|like|want|love) (?:you|someone|somebody)|\bsave me\b|\bhelp me\b"
    r"|\bsomeone like you\b|\bdon't suppose you\b|\bdo you mind\b|\bmind (?:fetching|picking"
    r"|collecting|getting|dropping|going|bringing|buying|handing)|\blend (?:me|a)\b"
    r"|\btwo (?:errands|things|jobs|favou?rs|legs) for you\b|\bfor me\?|\bcan i count on you\b"
)
_ORDERS = re.compile(
    r"(?:^|[,;:.-] |\b(?:and|then|and then|just|so|after that|afterwards|please|next|first),? )"
    r"(?:fetch|collect|pick|get|bring|take|drop|hand|buy|leave|carry|deliver|return|grab|put|ask"
    r"|pop|give|go)\b"
)
_SELF = re.compile(
    r"\b(?:i'll|i will|i can|i could|i shall|i'd better|i'm going to|let me|i'd rather"
    r"|leave (?:that|the)"
    r" (?:\w+ )?to me|\w+ (?:will|can|'ll)|\w+'ll|\w+'s going to) (?:\w+ ){0,2}?"
    r"(?:do|fetch|collect|pick|get|bring|take|drop|hand|buy|carry|deliver|see to|manage|handle|sort"
    r"|go|run|walk|come|grab)\b|\bmyself\b"
)
_BACK = re.compile(
    r"\b(?:never mind|forget|no need|don't (?:bother|worry about|trouble|need)|needn't"
    r"|leave (?:that|the)"
    r" (?:\w+ )?to me|skip|that's all|not necessary|you don't have to|take that back"
    r"|spare you|scratch that|on second thought|leave (?:out )?the (?:second|rest|other|delivery)"
    r"|won't be necessary|changed my mind|i'll (?:do|manage|take"
    r"|handle|see to) (?:that|the|it))\b"
)


_OFFERS = re.compile(
    r"\b(?:want me to|shall i|should i|do you want|can i|could i|may i|i could|i can|would you like"
    r" me|anything i|need me to|you'd like me to|am i to|do i)\b"
)
_THEMSELVES = re.compile(
    r"\b(?:(?:up|them|it) from me|herself|himself|themselves|on (?:her|his"
    r"|their) own)\b"
)


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

    def read_note(self, said: Sequence[Said], asked: bool) -> None:
        """Take in a note by the other: what it was asked for, and where."""
        for one in said:
            numbers = self._jobs_in(one)
            if _THEMSELVES.search(one.text):
                self._undo(2)  # who comes for it or brings it spares the other the way
                continue
            if asked:
                for number in numbers:
                    self.asked.setdefault(number, one.quote)
            for number, right, quote in self._values(one):
                self.places[number].say(right, quote, changes=False)
                if asked and right and one.about:
                    self.asked.setdefault(number, quote)

    def line(self, said: Sequence[Said]) -> None:
        """Take in the sentences of one line."""
        if not said[0].ours:
            self._other(said)
            return
        if self._echo and agrees(said):
            for number, right, quote in self._echo:
                self.places[number].say(right, quote, changes=True)
        refuses = said[0].text.startswith("no") and not any("please" in one.text for one in said)
        if not refuses and any(CONFIRMS.search(o.text) or ASKS.search(o.text) for o in said[:2]):
            self._take_up()
        self._echo = []
        changes = False
        for one in said:
            changes = changes or bool(CORRECTS.search(one.text))
            self._ours(one, changes)
        self._offered = {}

    def _ours(self, one: Said, changes: bool) -> None:
        if CANCELS.search(one.text) and "about" not in one.text:
            self.asked.clear()
            return
        if ASKS.search(one.text):
            self._has_asked = self._has_asked or one.quote
        numbers = self._jobs_in(one)
        if self._takes_back(one, changes):
            for number in _named_part(one.text) or numbers or {max(self.asked)}:
                self._undo(number)
            return
        values = self._values(one)
        if not _SELF.search(one.text) or ASKS.search(one.text):
            if one.about or ASKS.search(one.text):
                numbers |= {number for number, right, _ in values if right}
            self._name(one, numbers)
        for number, right, quote in values:
            self.places[number].say(right, quote, changes)

    def _takes_back(self, one: Said, changes: bool) -> bool:
        """Whether the performer will do a part itself after all."""
        if not self.asked:
            return False
        if _BACK.search(one.text):
            return True
        return bool(_SELF.search(one.text)) and (changes or "myself" in one.text)

    def _undo(self, number: int) -> None:
        self.asked.pop(number, None)
        self._named.pop(number, None)
        if number in self.places:
            self.places[number].undo()

    def _name(self, one: Said, numbers: set[int]) -> None:
        for number in numbers:
            self._named.setdefault(number, one.quote)
        if self._has_asked:
            for number, quote in self._named.items():
                self.asked.setdefault(number, quote)

    def _jobs_in(self, one: Said) -> set[int]:
        return {job.number for job in self.jobs if job.verbs(one.text)}

    def _other(self, said: Sequence[Said]) -> None:
        """What the other repeats or offers, until the performer has answered."""
        self._echo = [value for one in said for value in self._values(one)]
        self._offered = {n: one.quote for one in said for n in self._jobs_in(one)}
        if any(_OFFERS.search(one.text) for one in said):
            self._has_asked = self._has_asked or said[0].quote

    def _take_up(self) -> None:
        """The other's own offer, taken up by the performer, is as good as asked."""
        if self._has_asked:
            for number, quote in self._offered.items():
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


def _named_part(text: str) -> set[int]:
    """Which part is meant by "the second part", "the first one"."""
    found = re.search(
        r"\b(first|second|last|other) (?:part|half|one|errand|bit|thing|leg|stop)\b", text
    )
    if re.search(r"\bfrom (?:you|yours|your \w+)\b", text):
        return {2}  # who comes for it spares the other the way
    return set() if found is None else {1 if found[1] == "first" else 2}
