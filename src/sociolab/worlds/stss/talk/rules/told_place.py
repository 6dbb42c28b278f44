"""Whether the other has been told the right place."""

from __future__ import annotations

from collections.abc import Sequence

from sociolab.worlds.stss.talk.findings import Occasion
from sociolab.worlds.stss.talk.rules.acts import CANCELS, OPEN
from sociolab.worlds.stss.talk.rules.attaching import denied, elsewhere, taken
from sociolab.worlds.stss.talk.rules.clock_words import hours_in
from sociolab.worlds.stss.talk.rules.correcting import corrects
from sociolab.worlds.stss.talk.rules.invite_words import INVITES, SOME_TIME
from sociolab.worlds.stss.talk.rules.patterns import Pattern, Phrases
from sociolab.worlds.stss.talk.rules.place_words import Mention, gazetteer
from sociolab.worlds.stss.talk.rules.reading import Said
from sociolab.worlds.stss.talk.rules.sites import meant_places, near_sectors, right_place
from sociolab.worlds.stss.talk.rules.telling import Told
from sociolab.worlds.stss.talk.rules.told_time import agrees
from sociolab.worlds.stss.talk.rules.whose_places import work_at

_EITHER = Phrases(r"\beither\b[^.!?]*\bor\b")
# What leaves the place open; "I'll leave you a chair in the corner" does not.
_WHERE = Phrases(
    r"\b(?:where|place|room|venue|spot|somewhere|elsewhere|location|hall|site|building)\b"
)
# "She stopped me on the meadow about the tea": where they ran into each other.
_CAUGHT = Pattern(
    r"\b(?:stopped|caught|met|found|cornered|collared|grabbed|waylaid|buttonholed|saw|spotted) "
    r"(?:me|us|him|her|\w+) (?:\w+ )?(?:on|at|in|outside|by) (?:the |my |our |\w+'s )?$"
)
# "You know where I am" is said on parting.
_WHERE_I_AM = Pattern(r"\byou know where (?:i am|i'm|to find me)\b")
_FEW = 6
"""Words of an answer that only says a place: "At the pub, then." """


def _restates(one: Said) -> bool:
    """Whether the other says of the matter where it is, and not where it goes itself."""
    few = len(one.text.split()) <= _FEW
    return few or one.about or one.sentence.asks or bool(hours_in(one.text))


class PlaceTold:
    """The place as it stands after each line."""

    def __init__(self, occasion: Occasion, goal: str) -> None:
        self._occasion = occasion
        self._goal = goal
        # Who works there calls it "the shop".
        works = work_at(occasion.performer, occasion.places)
        self._before = works if works == goal.partition(": ")[0] else ""
        self._begun = False
        self._room = ""
        self._other_room = ""
        self._exact = self._taken = False
        self.place = Told()
        self._echo: list[tuple[bool, str]] = []

    @property
    def met(self) -> bool:
        """Whether the place is told and right."""
        return self.place.right is True

    def line(self, said: Sequence[Said]) -> None:
        """Take in the sentences of one line."""
        self._begun = self._begun or any(
            one.about or (one.ours and (INVITES.search(one.text) or self.values(one)))
            for one in said
        )
        if not said[0].ours:
            told = self.place.right
            found = [
                value
                for one in said
                for value in self.values(one)
                if value[0] or not told or _restates(one)
            ]
            self._echo = found if self._begun else []
            if self._room and self.place.right is None and any(right for right, _ in self._echo):
                # The performer named the room, the other the building.
                self.place.say(True, self._room, changes=False)
            return
        if self._echo and agrees(said):
            for right, quote in self._echo:
                self.place.say(right, quote, changes=True)
        self._echo = []
        changes = False
        for one in said:
            changes = changes or corrects(one.text)
            self._ours(one, changes)

    def _ours(self, one: Said, changes: bool) -> None:
        if CANCELS.search(one.text):
            self.place.undo()
        self._taken = False
        values = self.values(one)
        if self._taken and not values:
            self.place.undo()
        if OPEN.search(one.text) and (_WHERE.search(one.text) or values or one.places):
            self.place.undo()
            return
        for right, quote in values:
            narrows = bool(self._other_room) and not self._exact
            self.place.say(right, quote, changes or narrows)

    def values(self, one: Said) -> list[tuple[bool, str]]:
        """Whether the places that a sentence gives are right; those of other matters left out."""
        found: list[tuple[bool, str]] = []
        if (len(one.places) > 1 and _EITHER.search(one.text)) or self._of_no_day(one):
            return found
        for mention in (*self._else(one), *one.places):
            clause = one.sentence.clause_at(mention.span[0])
            if denied(one.text, mention.span) or _CAUGHT.search(one.text[: mention.span[0]]):
                continue
            right = right_place(
                mention,
                self._goal,
                self._before,
                self._occasion.places,
                near_sectors(self._occasion, one.ours),
            )
            if right is None and one.ours and self._is_room(mention):
                self._room = one.quote
            if right and not mention.arena and self._other_room == mention.sector:
                right = False  # only the building of the wrong room that was said before
            self._exact = self._exact or bool(right and mention.arena)
            self._other_room = self._room_of(mention) if right is False else ""
            self._before = mention.sector or self._before
            # "The yard has a wedding" takes it; "Linh has a contest in the yard" does not.
            if taken(clause[clause.find(one.text[slice(*mention.span)]) :]):
                self._taken = self._taken or right is True
                continue
            if right is not None and (right or not elsewhere(clause, one.about)):
                found.append((right, one.quote))
        if len(found) > 1 and not corrects(one.text) and any(right for right, _ in found):
            return [next(value for value in found if value[0])]
        return found

    def _of_no_day(self, one: Said) -> bool:
        """Whether a sentence speaks of no event: "Come down to the gym sometime"."""
        if _WHERE_I_AM.search(one.text):
            return True
        return not (one.about or one.topical) and bool(SOME_TIME.search(one.text))

    def _room_of(self, mention: Mention) -> str:
        """The goal's sector where a mention is another of its rooms, ""."""
        sector, _, arena = self._goal.partition(": ")
        named = gazetteer(self._occasion.places).rooms.get(sector, {}).get(mention.arena, arena)
        return sector if named != arena else ""

    def _is_room(self, mention: Mention) -> bool:
        """Whether a room is called as the goal's, though it is not said of which building."""
        sector, _, arena = self._goal.partition(": ")
        rooms = gazetteer(self._occasion.places).rooms.get(sector, {})
        return bool(arena) and rooms.get(mention.arena) == arena

    def _else(self, one: Said) -> tuple[Mention, ...]:
        if any(mention.sector for mention in one.places):
            return ()
        sector = self._goal.partition(": ")[0]
        meant = [one for one in meant_places(self._occasion, one) if one.sector == sector]
        if meant and any(mention.arena for mention in one.places):
            self._before = sector
            return ()
        return tuple(meant[:1])
