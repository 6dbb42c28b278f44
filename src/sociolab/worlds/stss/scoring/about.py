"""Whether what is said or noted names the task: one of its keywords, or the activity.

As printed in the paper, a filter of words and no reading of what is meant.
"""

from __future__ import annotations

from sociolab.town.trace.records import Noted, Talked
from sociolab.worlds.stss.scoring.keywords import Keywords
from sociolab.worlds.stss.task import SocialTask


class About:
    """The words that name a task: for help, those of its errands."""

    def __init__(self, task: SocialTask, errands_only: bool = False) -> None:
        errands = [word for one in task.errands for word in one.keywords]
        event = () if errands_only else (*task.keywords, task.activity)
        self._words = Keywords((*errands, *event))

    def said(self, text: str) -> bool:
        """Whether these words, one utterance or one line of a plan, name it."""
        return self._words.said(text)

    def talked(self, talk: Talked) -> bool:
        """Whether anything that is said in a talk names it."""
        return any(self.said(line.text) for line in talk.lines)

    def noted(self, note: Noted) -> bool:
        """Whether a note names it."""
        return self.said(note.what)
