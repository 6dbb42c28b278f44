"""Whose part an errand is by a sentence: the other's, the performer's own, somebody else's."""

from __future__ import annotations

import re

from sociolab.worlds.stss.talk.rules.errand_places import ErrandPlaces
from sociolab.worlds.stss.talk.rules.errands import Job
from sociolab.worlds.stss.talk.rules.patterns import Pattern, Phrases
from sociolab.worlds.stss.talk.rules.reading import Said
from sociolab.worlds.stss.talk.rules.request_words import ASKS, BACK, DIRECTS, DONE, OTHERS_DO, SELF

# What is asked to know something.
_WONDERS = Pattern(
    r"(?:and |so |but |now,? |well,? )*(?:is|are|was|were|did|do|does|has|have|had|where|what"
    r"|who|whose"
    r"|when|how|why|which|isn't|aren't|wasn't|weren't|didn't|don't|doesn't|hasn't|haven't)\b"
)

_AFTER_IS = Pattern(r"\w+(?:ing|ed|en|ought|eft)\b|(?:to|go)\b")


def jobs_in(jobs: tuple[Job, ...], one: Said, begin: int = 0, end: int | None = None) -> set[int]:
    """The errands whose verbs stand in a part of a sentence."""
    return {job.number for job in jobs if job.verbs(one.text[begin:end])}


def of_others(jobs: tuple[Job, ...], one: Said) -> set[int]:
    """The errands that somebody else does: "Chidi's buying it"."""
    return {
        job.number
        for job in jobs
        if (found := job.verbs(one.text)) and all(_other_does(one, at) for at in found)
    }


def _other_does(one: Said, at: int) -> bool:
    """Whether somebody else does what the verb at a letter says; "Huw's hands" are no verb."""
    who = OTHERS_DO.search(one.quote[:at])
    if who is None or not who[0].rstrip().endswith("'s"):
        return who is not None
    return bool(_AFTER_IS.match(one.text, at))


def own_part(jobs: tuple[Job, ...], one: Said) -> set[int]:
    """What the performer will do itself, by the clause that says so."""
    found = SELF.search(one.text)
    if found is None or ASKS.search(one.text):
        return set()
    clause = next((c for c in one.sentence.clauses if c[0] <= found.start() < c[1]), None)
    if clause is None or not DIRECTS.search(one.text[: clause[0]]):
        return {job.number for job in jobs}
    return jobs_in(jobs, one, *clause) - jobs_in(jobs, one, 0, clause[0])


def part_taken_back(where: ErrandPlaces, one: Said) -> set[int]:
    """What the clause that takes back speaks of: "Forget the gallery, just fetch it"."""
    found = BACK.search(one.text)
    if found is None:
        return set()
    end = found.end() + len(re.split("[,;]", one.text[found.end() :])[0])
    clause = next((c for c in one.sentence.clauses if c[0] <= found.start() < c[1]), (0, end))
    for span in ((found.start(), end), clause):
        jobs = jobs_in(where.jobs, one, *span)
        places = [place for place in one.places if span[0] <= place.span[0] < span[1]]
        if part := jobs or where.fitting(places):
            return part
    return set()


def gives(one: Said, by: Phrases = DIRECTS) -> bool:
    """Whether a sentence gives the other a part: "The honey, from the market, tomorrow?" does."""
    if DONE.search(one.text):
        return False
    briefly = one.about and one.sentence.asks and bool(one.places) and not _WONDERS.match(one.text)
    return briefly or bool(by.search(one.text))
