"""Which places a sentence gives, and of which errand each is."""

from __future__ import annotations

from collections.abc import Iterable

from sociolab.worlds.stss.talk.findings import Occasion
from sociolab.worlds.stss.talk.rules.attaching import denied, elsewhere
from sociolab.worlds.stss.talk.rules.errands import WAITS, Job, job_at
from sociolab.worlds.stss.talk.rules.patterns import Pattern
from sociolab.worlds.stss.talk.rules.place_words import Mention, gazetteer
from sociolab.worlds.stss.talk.rules.reading import Said
from sociolab.worlds.stss.talk.rules.request_words import ASKS
from sociolab.worlds.stss.talk.rules.sites import meant_places, near_sectors, right_place

# "Dressings for the clinic": whom a thing is for does not yet say where it is to be brought.
_FOR_WHOM = Pattern(r"\bfor (?:the |our |my |your |his |her )?$")


# "I can't leave the counter": where the speaker is tied to nothing is fetched or brought.
_TIED = Pattern(
    r"\b(?:(?:can't|cannot|won't|couldn't|not|never) (?:\w+ )?(?:leave|get (?:away from|out of))"
    r"|\b(?:i'm|i am|i'll be|i have to be) (?:\w+ )?(?:stuck (?:at|in|behind|on)|chained to"
    r"|tied to))"
    r" (?:the |my |our )?$"
)
# "You live by the market": where the other goes anyway.
_YOU = Pattern(r"\byou(?:'\w+)?\b")


class ErrandPlaces:
    """The places of the errands as they come up; `last` is the errand that was spoken of last.

    `narrowed` are the errands for which another room of a site was just named that had been told
    without its room.
    """

    def __init__(self, occasion: Occasion, jobs: tuple[Job, ...]) -> None:
        self._occasion = occasion
        self.jobs = jobs
        self.last = 0
        self._exact: set[int] = set()
        self.narrowed: set[int] = set()
        self._before = ""

    def values(self, one: Said, known: bool) -> list[tuple[int, bool, str]]:
        """Of which errand a place is told, whether it is the right one, and the words for it.

        `known` is whether the errands have been spoken of before.
        """
        found: list[tuple[int, bool, str]] = []
        near = near_sectors(self._occasion, one.ours)
        to_you = bool(_YOU.search(one.text))
        jobs = any(job.verbs(one.text) for job in self.jobs)
        self.narrowed = set()
        for mention in self._mentions(one):
            lead = one.text[: mention.span[0]]
            if denied(one.text, mention.span) or _FOR_WHOM.search(lead) or _TIED.search(lead):
                continue
            number, sure = job_at(self.jobs, one.text, mention.span, self.last)
            right = self.right(mention, number, near)
            fits = next((j.number for j in self.jobs if self.right(mention, j.number, near)), 0)
            self._before = mention.sector or self._before
            if fits and not sure:
                number, right = fits, True
            elif not sure and number in [one[0] for one in found]:
                # A second place in one breath is that of the other errand.
                number = next((j.number for j in self.jobs if j.number != number), number)
                right = self.right(mention, number, near)
            clause = one.sentence.clause_at(mention.span[0]).replace("tell me", "")
            yours = to_you and not elsewhere(clause, one.about)
            said_so = (sure or mention in one.places) and (
                one.topical or ASKS.search(one.text) or jobs or not one.ours or yours
            )
            if number and right is not None and (said_so or one.about or known):
                found.append((number, right, one.quote))
                self._narrow(mention, number, right)
                self.last = number
        verbs = [(at, job.number) for job in self.jobs for at in job.verbs(one.text)]
        if verbs:
            self.last = max(verbs)[1]
        return found

    def _narrow(self, mention: Mention, number: int, right: bool) -> None:
        if right and mention.arena:
            self._exact.add(number)
        goal = next(job.errand.place for job in self.jobs if job.number == number)
        rooms = gazetteer(self._occasion.places).rooms.get(goal.partition(": ")[0], {})
        if not right and mention.arena in rooms and number not in self._exact:
            self.narrowed.add(number)

    def _mentions(self, one: Said) -> tuple[Mention, ...]:
        """The places said, "here" and "my shop" among them where they are one of the errands'."""
        sites = {job.errand.place.partition(": ")[0] for job in self.jobs}
        meant: dict[tuple[int, int], Mention] = {}
        for other in meant_places(self._occasion, one):
            named = any(place.sector and _meet(place, other) for place in one.places)
            if other.sector in sites and not named:
                meant.setdefault(other.span, other)
        clear = [
            place
            for place in one.places
            if place.sector or not any(_meet(place, other) for other in meant.values())
        ]
        return tuple(sorted((*clear, *meant.values()), key=lambda place: place.span))

    def right(self, mention: Mention, number: int, near: tuple[str, ...] = ()) -> bool | None:
        """Whether a place is that of an errand; None where it tells nothing."""
        job: Job | None = next((one for one in self.jobs if one.number == number), None)
        if job is None:
            return False
        return right_place(mention, job.errand.place, self._before, self._occasion.places, near)

    def fitting(self, places: Iterable[Mention]) -> set[int]:
        """The errands of which some of these are the places."""
        return {job.number for job in self.jobs for p in places if self.right(p, job.number)}

    def waiting(self, one: Said) -> int:
        """The job whose place is left open, where the sentence names none."""
        fetch = next((job.number for job in self.jobs if job.kind == "fetch"), 1)
        return fetch if WAITS.search(one.text) or not self.last else self.last


def _meet(one: Mention, two: Mention) -> bool:
    """Whether two places are said with the same words."""
    return one.span[0] < two.span[1] and two.span[0] < one.span[1]
