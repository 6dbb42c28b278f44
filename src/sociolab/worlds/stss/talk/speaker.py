"""One of the two in a talk, and what every question shows them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, time

from sociolab.town.residents import Resident
from sociolab.town.thoughts import (
    Asked,
    GeneralPlan,
    Line,
    Me,
    Other,
    Summarise,
    TalkReminder,
    Utter,
)
from sociolab.worlds.stss.talk.remembered import Remembered
from sociolab.worlds.stss.talk.scenario import Side, TalkScenario
from sociolab.worlds.stss.task import SocialTask


@dataclass(frozen=True, slots=True)
class Speaker:
    """A side of a scenario who speaks; `began` if they speak first. `me` is at the talk's moment.

    Nothing of the other side is here but what one sees of them.
    """

    side: Side
    me: Me
    other: Other
    began: bool

    @property
    def id(self) -> str:
        """The resident's, and the seat's."""
        return self.me.resident.id

    def says(self, asked: Asked, lines: tuple[Line, ...], left: int, reminder: str) -> Utter:
        """The next utterance is wanted."""
        side = self.side
        return Utter(
            asked,
            self.me,
            self.other,
            self.began,
            lines,
            left,
            side.memories,
            side.commitments,
            side.ahead,
            reminder,
        )

    def keeps(self, asked: Asked, lines: tuple[Line, ...]) -> Summarise:
        """What to remember of the talk is wanted; the places that were told are known by then."""
        side, places = self.side, self.me.places_after(lines)
        me = replace(self.me, places=places, objects=dict.fromkeys(places, ()))
        return Summarise(asked, me, self.other, lines, side.commitments, side.ahead)

    def plans(self, asked: Asked, task: SocialTask) -> GeneralPlan:
        """TDP's plan is wanted, as on the first morning: asleep at home, nothing lived yet."""
        first = datetime.combine(task.days[0], time())
        memory = Remembered(self.side.memories).until(first)
        home = self.me.resident.living_area
        me = replace(self.me, now=first, place=home, doing="asleep", memory=memory, heard=())
        return GeneralPlan(asked, me, task.goal, task.days)

    def reminds(self, asked: Asked, task: SocialTask, plan: tuple[str, ...]) -> TalkReminder:
        """TDP's items for this talk are wanted."""
        side = self.side
        return TalkReminder(
            asked, self.me, task.goal, plan, self.other, side.memories, side.commitments
        )


def performer_of(scenario: TalkScenario) -> Speaker:
    """The performer, who is given the task, as in the town."""
    side = scenario.performer
    resident = scenario.task.given_to(side.resident)
    found = _speaker(scenario, resident, side, scenario.other, scenario.performer_begins)
    return replace(found, me=replace(found.me, task=scenario.task.matter))


def other_of(scenario: TalkScenario) -> Speaker:
    """The one whom the performer talks to."""
    side = scenario.other
    begins = not scenario.performer_begins
    return _speaker(scenario, side.resident, side, scenario.performer, begins)


def _speaker(
    scenario: TalkScenario, resident: Resident, side: Side, other: Side, began: bool
) -> Speaker:
    places = known_places(resident, scenario.places)
    known = {who: one.known_as for who, one in scenario.people.items() if one.known_as}
    me = Me(
        resident=resident,
        now=scenario.now,
        places=places,
        objects=dict.fromkeys(places, ()),
        people={who: one.name for who, one in scenario.people.items() if who != resident.id},
        memory=Remembered(side.memories),
        known_as=known,
        place=side.place,
        names=scenario.place_names,
        doing=side.doing,
        heard=side.heard,
    )
    name = other.resident.name
    tie = resident.ties.get(name, "")
    return Speaker(side, me, Other(other.resident.id, name, other.doing, tie), began)


def known_places(resident: Resident, places: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Home first, then what the resident is said to know, in that order; sectors in full.

    `places` are those of the town, arenas by sector; what is not among them is passed over.
    """
    found = [resident.living_area]
    for known in resident.knows:
        sector, _, arena = known.partition(": ")
        arenas = places.get(sector, ())
        found += [f"{sector}: {one}" for one in arenas if not arena or one == arena]
    return tuple(dict.fromkeys(found))
