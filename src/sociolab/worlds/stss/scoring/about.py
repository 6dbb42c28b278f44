"""Whether what is said or noted is about a task.

A keyword or the activity is enough. A place alone is not, since people work and eat there: an
invitation or the hour of the event must be said with it; for the place of an errand a verb of
fetching or bringing.
"""

from __future__ import annotations

import re
from datetime import time

from sociolab.town.clock import clock_time
from sociolab.town.trace.records import Noted, Talked
from sociolab.worlds.stss.scoring.keywords import Keywords, spoken_place
from sociolab.worlds.stss.task import SocialTask

_INVITES = re.compile(
    r"\b(?:invit\w+|join\s+(?:me|us)|meet\s+(?:me|us|up)|see\s+you|shall\s+we|let's|let\s+us|"
    r"(?:please|to|and|then)\s+come|come\s+(?:along|over|by|and)|be\s+there|care\s+to|"
    r"are\s+you\s+free|(?:would|do)\s+you\s+(?:like|want)\s+to|(?:can|could|will|would)\s+you\s+"
    r"(?:\w+\s+)?(?:come|join|meet|be)|hope\s+you|you(?:'re|\s+are)\s+welcome|"
    r"why\s+(?:not|don't\s+(?:you|we)))\b|(?:^|[.!?,]\s*)(?:do\s+)?(?:come|meet)\b",
    re.IGNORECASE,
)
_CARRIES = re.compile(
    r"\b(?:fetch\w*|collect\w*|buy\w*|bring\w*|deliver\w*|grab\w*|hand\w*|carry\w*|errands?|"
    r"(?:pick|drop)\w*\s+(?:[\w'-]+\s+){0,5}?(?:up|off|by)|take\s+(?:it|them|this|these|something))\b",
    re.IGNORECASE,
)
_HOURS = (
    *("twelve", "one", "two", "three", "four", "five"),
    *("six", "seven", "eight", "nine", "ten", "eleven"),
)


class About:
    """What makes words be about a task: for help, about its errands too."""

    def __init__(self, task: SocialTask, errands_only: bool = False) -> None:
        keywords = [word for one in task.errands for word in one.keywords]
        event = () if errands_only else (*task.keywords, task.activity)
        self._words = Keywords((*keywords, *event))
        self._place = Keywords(() if errands_only else (spoken_place(task.place),))
        self._errand_places = Keywords(spoken_place(one.place) for one in task.errands)
        self._hour = _spoken_hour(task.start)
        self._task = task

    def said(self, text: str) -> bool:
        """Whether these words, one utterance or one line of a plan, are about it."""
        if self._words.said(text):
            return True
        if self._place.said(text) and (_INVITES.search(_straight(text)) or self._hour.search(text)):
            return True
        return self._errand_places.said(text) and _CARRIES.search(text) is not None

    def talked(self, talk: Talked) -> bool:
        """Whether anything that is said in a talk is about it."""
        return any(self.said(line.text) for line in talk.lines)

    def noted(self, note: Noted) -> bool:
        """Whether a note is about it: by its words, or its place with the performer or the hour."""
        if self.said(note.what):
            return True
        task = self._task
        if task.performer not in (note.by, note.who) and (
            not task.start or note.start != task.start
        ):
            return False
        places = (spoken_place(note.place), note.what)
        return any(self._place.said(one) or self._errand_places.said(one) for one in places)


def _spoken_hour(start: str) -> re.Pattern[str]:
    """ "18:30", "6:30", "6 pm", "at six", "half past six"; nothing where the time is open."""
    if not start:
        return re.compile(r"(?!)")
    return re.compile(rf"(?<![\w:.])(?:{'|'.join(_ways(clock_time(start)))})(?!\w)", re.IGNORECASE)


def _ways(at: time) -> list[str]:
    word, twelve = _HOURS[at.hour % 12], at.hour % 12 or 12
    ways = [rf"0?(?:{at.hour}|{twelve})[:.]{at.minute:02}(?:\s*[ap]\.?m)?"]
    if at.minute == 0:
        either = rf"(?:{twelve}|{word})"
        ways += [rf"{either}\s*(?:[ap]\.?m|o.clock|in\s+the\s+\w+)", rf"(?:at|from)\s+{either}"]
        ways += [rf"(?:at|from)\s+{at.hour}"]
    if at.minute == 30:
        ways += [rf"half\s+past\s+(?:{twelve}|{word})", rf"{word}[\s-]thirty"]
    return ways


def _straight(text: str) -> str:
    return text.replace("\u2019", "'")
