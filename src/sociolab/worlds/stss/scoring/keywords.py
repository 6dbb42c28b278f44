"""Whether an action is the one that a task asks for, and whether words are about it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from sociolab.worlds.stss.task import SocialTask

# "Tell Rosa about the picnic", "invite Tom to the picnic", "announce the picnic" are mere talk
# about it; "chat with friends about work at the picnic" is not. Looked for in what stands before
# the keyword; a bracket begins a part of a block, and with it another action.
_FEW_WORDS = r"(?:(?!(?:at|in|during|over|while|on|after|before)\b)[\w'-]+\s+){0,4}$"
_MERE_TALK = re.compile(
    "|".join(
        (
            r"\b(?:talk|chat|speak|convers|ask|tell|remind|inform|word|news|think)\w*\b"
            rf"[^(]*\babout\s+{_FEW_WORDS}",
            rf"\b(?:tell|remind|inform|word|news|think)\w*\b[^(]*\bof\s+{_FEW_WORDS}",
            rf"\b(?:invit|ask|remind|persuad|encourag)\w*\b[^(]*\bto\s+{_FEW_WORDS}",
            rf"\b(?:invitation|flyer|poster|leaflet)s?\s+(?:to|for)\s+{_FEW_WORDS}",
            r"\b(?:discuss|announc|mention|advertis|promot)\w*\s+(?:[\w'-]+\s+){0,2}$",
        )
    ),
    re.IGNORECASE,
)


class Keywords:
    """Any of some words or phrases, each whole, ignoring case; without any, nothing matches."""

    def __init__(self, words: Iterable[str]) -> None:
        phrases = sorted({" ".join(word.split()) for word in words if word.strip()})
        patterns = (r"\s+".join(map(re.escape, phrase.split())) for phrase in phrases)
        # An empty alternation would match everywhere; a lookahead that fails matches nowhere.
        either = "|".join(patterns) or r"(?!)"
        self._pattern = re.compile(rf"(?<!\w)(?:{either})(?!\w)", re.IGNORECASE)
        self._beginnings = tuple(phrase.casefold().split()[0] for phrase in phrases)
        self._kept: dict[str, bool] = {}

    def said(self, text: str) -> bool:
        """Whether the text holds one of them."""
        # Most texts hold no part of any of them, which is seen ten times as fast.
        plain = text.casefold()
        if not any(beginning in plain for beginning in self._beginnings):
            return False
        return self._pattern.search(text) is not None

    def done(self, text: str) -> bool:
        """Whether the text of an action holds one of them, other than as what is talked about."""
        if text not in self._kept:
            found = self._pattern.finditer(text) if self.said(text) else ()
            self._kept[text] = any(not _MERE_TALK.search(text[: one.start()]) for one in found)
        return self._kept[text]


def spoken_place(place: str) -> str:
    """What people call a place in a talk: its sector, since every home has a kitchen."""
    return place.partition(":")[0]


def takes_part(task: SocialTask) -> Callable[[str], bool]:
    """Whether an action is taking part: it holds one of the keywords, or else the activity.

    Never mere talk about it, but for an appointment: to talk about something is why one meets.
    """
    keywords = Keywords(task.keywords or (task.activity,))
    return keywords.said if task.type == "appointment" else keywords.done


def of_talk(task: SocialTask) -> Keywords:
    """What makes a talk be about a task: a keyword, the activity or the place, of errands, too."""
    words = (*task.keywords, task.activity, spoken_place(task.place))
    return Keywords((*words, *_errand_words(task)))


def of_errands(task: SocialTask) -> Keywords:
    """What makes a talk be a request for help: a keyword or the place of an errand."""
    return Keywords(_errand_words(task))


def _errand_words(task: SocialTask) -> tuple[str, ...]:
    return tuple(word for one in task.errands for word in (*one.keywords, spoken_place(one.place)))
