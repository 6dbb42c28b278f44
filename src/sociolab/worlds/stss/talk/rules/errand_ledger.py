"""Which errands stand as asked for, and where each is told to be."""

from __future__ import annotations

from sociolab.worlds.stss.talk.rules.errands import WAITS, Job
from sociolab.worlds.stss.talk.rules.sentences import small
from sociolab.worlds.stss.talk.rules.telling import Told


class Ledger:
    """The errands by number: what was asked, where, and what was taken back (`off`).

    `thing_named` says whether the thing itself was named at all; else nothing stands.
    """

    def __init__(self, jobs: tuple[Job, ...]) -> None:
        self.jobs = jobs
        self.asked: dict[int, str] = {}
        self.places = {job.number: Told() for job in jobs}
        self.off: set[int] = set()
        self.thing_named = False

    @property
    def requests(self) -> dict[int, str]:
        """The errands asked for, with the words.

        Who is to bring a thing of which it was told where it lies is to fetch it, too.
        """
        if not self.thing_named:
            return {}
        if 2 in self.asked and self.places[1].right and 1 not in self.off:
            return {1: self.asked[2], **self.asked}
        return self.asked

    def told(self, number: int) -> str:
        """The words by which the right place of an errand is told, "" where it is not.

        Where one errand is asked for, a place that is only that of the other is none; where
        none is, the place must be said of the errand itself.
        """
        place = self.places[number]
        asked = self.requests
        if not self.thing_named or (asked and number not in asked):
            return ""
        text = small(place.quote)
        errand = (
            asked
            or WAITS.search(text)
            or any(job.verbs(text) or job.thing.said(text) for job in self.jobs)
        )
        return place.quote if place.right and errand else ""

    def take_back(self, number: int) -> None:
        """An errand is not asked for any more; its place goes with it."""
        self.asked.pop(number, None)
        self.off.add(number)
        if number in self.places:
            self.places[number].undo()
