"""Whether the other has been asked, or told to be welcome, to take part."""

from __future__ import annotations

from collections.abc import Sequence

from sociolab.worlds.stss.talk.rules.acts import (
    ASKS_IN,
    CANCELS,
    CONFIRMS,
    INVITES,
    TAKES_UP,
)
from sociolab.worlds.stss.talk.rules.reading import Said


class Invitation:
    """An invitation as it stands after each line: the matter must be named and the other asked."""

    def __init__(self) -> None:
        self._named = False
        self._named_in = -1
        self._asked = ""
        self._other_asks = False
        self._hinted = ""
        self.quote = ""

    @property
    def met(self) -> bool:
        """Whether the other is invited."""
        return bool(self.quote)

    def line(self, said: Sequence[Said]) -> None:
        """Take in the sentences of one line."""
        number = said[0].line
        if any(one.about for one in said):
            self._named, self._named_in = True, number
        if not said[0].ours:
            self._other(said)
            return
        for one in said:
            if CANCELS.search(one.text):
                self.quote = self._asked = ""
                continue
            if one.about:
                self._hinted = one.quote
            if INVITES.search(one.text) and (one.about or number - self._named_in <= 8):
                self._asked = self._asked or one.quote
        if self._other_asks and CONFIRMS.search(said[0].text):
            self._asked = self._asked or said[0].quote
        self._other_asks = False
        if self._named and self._asked:
            self.quote = self.quote or self._asked

    def _other(self, said: Sequence[Said]) -> None:
        """The other asks to take part, or says that it will."""
        self._other_asks = any(ASKS_IN.search(one.text) for one in said)
        if self._named and self._hinted and any(TAKES_UP.search(one.text) for one in said):
            # Who was hinted at and understands it so has been asked.
            self._asked = self._asked or self._hinted
        if self._named and self._asked:
            self.quote = self.quote or self._asked
