"""What lives and talks need of the simulation around them: clock, town, and question heads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sociolab.core.seeding import stream
from sociolab.town.life.person import Person
from sociolab.town.map import TownMap
from sociolab.town.paths import Paths
from sociolab.town.places import Place, Tile
from sociolab.town.setting import Setting, Tdp
from sociolab.town.thoughts import Asked, Block, Me, Memory, Other, Utter


class Surroundings:
    """The setting with what is worked out from it once."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.clock = setting.clock
        self.rules = setting.rules
        self.town = setting.town
        self.paths = Paths(setting.town)
        self.people = self._people()
        self._beds = tuple([person.tile for person in self.people])
        self._names = {person.id: person.name for person in self.people}
        self._known_as = {
            person.id: person.resident.known_as
            for person in self.people
            if person.resident.known_as
        }
        self._place_names = tuple([str(place) for place in setting.town.places])
        self._objects: dict[str, tuple[str, ...]] = {
            str(place): setting.town.objects(place) for place in setting.town.places
        }
        self._known_objects: dict[tuple[str, ...], dict[str, tuple[str, ...]]] = {}
        self._others = {
            person.id: {id: name for id, name in self._names.items() if id != person.id}
            for person in self.people
        }

    def asked(self, person: Person, question: str, step: int) -> Asked:
        """The head of a question."""
        seat = self.setting.seat_of(person.id, question)
        return Asked(self.setting.trial, self.setting.seed, person.id, step, seat=seat)

    def me(self, person: Person, step: int) -> Me:
        """The resident who is asked, as it is now."""
        person.memory.now = step
        return Me(
            resident=person.resident,
            now=self.clock.at(step),
            places=person.known,
            objects=self._objects_in(person.known),
            people=self._others[person.id],
            memory=person.memory,
            known_as=self._known_as,
            place=str(self.town.places[person.arena]) if person.arena >= 0 else "",
            names=self._place_names,
            doing=person.shown.doing,
            task=self.setting.tasks.get(person.id),
            heard=person.heard,
        )

    def other(self, person: Person, other: Person) -> Other:
        """Somebody else, as this person sees them."""
        tie = person.resident.ties.get(other.name, "")
        return Other(other.id, other.name, other.shown.doing, tie)

    def comes_to_mind(self, person: Person, step: int, query: str) -> tuple[Memory, ...]:
        """What a person remembers for a question; it counts as accessed at this step."""
        rules = self.rules
        return person.memory.retrieve(step, query, rules.recalled, rules.glimpses)

    def of_somebody(
        self, person: Person, other: Person, step: int, query: str
    ) -> tuple[Memory, ...]:
        """What a person remembers when it meets another: first of all their last talk."""
        found = self.comes_to_mind(person, step, f"{other.name} {query}")
        last = person.last_memo.get(other.number)
        return found if last is None or last in found else (last, *found[:-1])

    def tdp(self, person: Person) -> Tdp | None:
        """The target that this person plans for, if any."""
        return self.setting.tdp.get(person.id)

    def with_reminder(self, question: Utter, reminder: str) -> Utter:
        """The same question, reminded."""
        return replace(question, reminder=reminder) if reminder else question

    def ahead(self, person: Person, step: int) -> tuple[Block, ...]:
        """What is left of the plan of the day, the block under way first."""
        now = self.clock.at(step)
        return tuple([block for block in person.blocks if block.end > now])

    def spot(self, person: Person, place: str, thing: str) -> Tile:
        """Where to stand: at the object, or anywhere in the place; home if there is no place."""
        found = self.town.place(place) or person.resident.home
        tiles: Sequence[Tile] = self.town.spots(found, thing) if thing else ()
        tiles = tiles or self.town.tiles(found)
        if len(tiles) == 1:
            return tiles[0]
        choose = stream(self.setting.seed, "spot", person.id, place, thing)
        return tiles[choose.randrange(len(tiles))]

    def objects(self, place: str) -> tuple[str, ...]:
        """What stands in a place."""
        return self._objects.get(place, ())

    def bed(self, person: Person) -> Tile:
        """Where a person sleeps."""
        return self._beds[person.number]

    def _objects_in(self, known: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
        found = self._known_objects.get(known)
        if found is None:
            found = self._known_objects[known] = {name: self._objects[name] for name in known}
        return found

    def _people(self) -> tuple[Person, ...]:
        found: list[Person] = []
        for number, resident in enumerate(self.setting.residents):
            home = self.town.place(resident.living_area)
            assert home is not None  # the setting has seen to it
            resident = resident.model_copy(update={"living_area": str(home)})
            tile = bed_of(home, self.town, [person.tile for person in found])
            found.append(Person(number, resident, self.setting, tile))
        return tuple(found)


def bed_of(home: Place, town: TownMap, taken: Sequence[Tile]) -> Tile:
    """A bed of the home that nobody sleeps in yet, or else any free tile there."""
    beds = [thing for thing in town.objects(home) if thing.endswith("bed")]  # a double bed, too
    tiles = [*(tile for bed in beds for tile in town.spots(home, bed)), *town.tiles(home)]
    free = [tile for tile in tiles if tile not in taken]
    return (free or tiles)[0]
