"""What a note says the other was asked to do, errand by errand, and where."""

from __future__ import annotations

from collections.abc import Sequence

from sociolab.worlds.stss.talk.rules.help_asked import Help
from sociolab.worlds.stss.talk.rules.note_words import SOME_DAY
from sociolab.worlds.stss.talk.rules.parts import jobs_in, of_others
from sociolab.worlds.stss.talk.rules.reading import Said
from sociolab.worlds.stss.talk.rules.request_words import ONLY, THEMSELVES, UNSAID


class HelpNoted(Help):
    """The errands as a note by the other has them."""

    def read_note(self, said: Sequence[Said], asked: bool) -> None:
        """Take in a note by the other: what it was asked for, and where."""
        self.thing_named = any(one.about for one in said)
        for one in said:
            if SOME_DAY.search(one.text):
                continue
            unknown = UNSAID.search(one.text)
            numbers = jobs_in(self.jobs, one, 0, unknown.start() if unknown else None)
            if THEMSELVES.search(one.text):
                self._undo(2)  # who comes for it or brings it spares the other the way
                continue
            for number in of_others(self.jobs, one):
                self._undo(number)  # "His colleague takes them on to the Town Hall."
                numbers.discard(number)
            if (only := ONLY.search(one.text)) and (kept := jobs_in(self.jobs, one, only.start())):
                numbers = kept
                self.off |= set(self.places) - kept
            if asked:
                for number in numbers:
                    self.asked.setdefault(number, one.quote)
            for number, right, quote in self._values(one):
                if number in self.off:
                    continue
                self.places[number].say(right, quote, changes=False)
                if asked and right and one.about:
                    self.asked.setdefault(number, quote)
