"""What lives go by: the simulation's setting, who is where and knows what, and what is around."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any, Final, TypeAlias

from sociolab.core.errors import WorldError
from sociolab.core.seeding import stream
from sociolab.engine.scene import FailurePolicy
from sociolab.town.clock import Clock
from sociolab.town.map import Place, Tile, TownMap
from sociolab.town.memory import Embedder, GivenVectors, HashingEmbedder, MemoryStream
from sociolab.town.paths import Paths
from sociolab.town.questions import (
    Asked,
    Block,
    Heard,
    Matter,
    Me,
    Memory,
    MindName,
    MindQuestion,
    Other,
    Part,
)
from sociolab.town.residents import Resident
from sociolab.town.trace import HEADINGS, Did, Planned, PlannedBlock, Record, Walked

RADIUS: Final = 8
BANDWIDTH: Final = 8
RETENTION: Final = 8
"""As in the published settings of Generative Agents (section 4.1). Outdoors is one arena."""

MOST_SEEN: Final = 80
"""Characters of an activity that others see: a short one, and no announcement of a whole matter."""


def as_seen(doing: str) -> str:
    """What others see of an activity; a long one is cut after a word."""
    if len(doing) <= MOST_SEEN:
        return doing
    cut = doing[: MOST_SEEN + 1]
    return f"{cut.rpartition(' ')[0] or cut[:-1]}..."


Percept: TypeAlias = tuple[int, str]
"""Who, and what they are seen doing."""


def sees(tile: Tile, arena: int, other: Tile, its_arena: int, radius: int = RADIUS) -> bool:
    """Whether one who stands on `tile` perceives what is on the other; the same both ways.

    Arenas are numbers, -1 outdoors; `radius` is in tiles, the diagonal counting as one.
    """
    return (
        arena == its_arena
        and abs(tile[0] - other[0]) <= radius
        and abs(tile[1] - other[1]) <= radius
    )


class Attention:
    """What of all that a resident could perceive is new to it.

    Of those near it attends to the `bandwidth` nearest; what is among the last `retention`
    percepts that were new is known.
    """

    def __init__(self, bandwidth: int = BANDWIDTH, retention: int = RETENTION) -> None:
        self._bandwidth = bandwidth
        self._retention = retention
        self._known: dict[Percept, None] = {}  # an ordered set, the oldest first

    def attend(self, nearby: Sequence[Percept]) -> list[Percept]:
        """Those that are new, in the order given: nearest first. From now on they are known."""
        noticed = self._known
        new = [percept for percept in nearby[: self._bandwidth] if percept not in noticed]
        for percept in new:
            noticed[percept] = None
        while len(noticed) > self._retention:
            del noticed[next(iter(noticed))]
        return new


@dataclass(frozen=True, slots=True)
class Rules:
    """How residents perceive and when they talk.

    `radius` in tiles, `bandwidth` and `retention` in percepts (Generative Agents, appendix A.2).
    Two residents do not talk again for `cooldown` minutes after a talk, and are not asked about
    the same person again for `patience` minutes. `reflect_at`: the importance that must build up
    before a resident reflects (150). `rate_at`: so many unrated memories are rated at once.
    `recalled`: memories put before a mind, at most `glimpses` of them of what was merely seen.
    `words_a_minute` is the pace of speech.
    """

    radius: int = RADIUS
    bandwidth: int = BANDWIDTH
    retention: int = RETENTION
    cooldown: int = 120
    patience: int = 60
    reflect_at: int = 150
    rate_at: int = 12
    recalled: int = 8
    glimpses: int = 3
    words_a_minute: int = 150


def own_seat(resident: str, question: str) -> str:
    """Everybody answers for themselves: the seat is the resident's id."""
    return resident


@dataclass(frozen=True, slots=True)
class Setting:
    """One simulation: `days` days from the midnight at which `clock` begins.

    `mind` says how residents remember, plan and react (`town.life`, `town.generative`); `merge` and
    `without` name its calls that are made in one and its parts that are left out. `embedder` None:
    vectors of memories are asked for (`town.embedding.Embed`). `concerns` are the social tasks
    in words, which stand in `Resident.currently` and are never revised, by resident's id.
    `seat_of` names the seat that answers a resident's question; `tdp` are the goals of those who
    plan for a target (STSS section 4 and appendix B), by resident's id, and so are `tasks`, the
    social tasks in typed form for scripted minds.
    """

    town: TownMap
    residents: tuple[Resident, ...]
    clock: Clock
    days: int
    trial: str = ""
    seed: int = 0
    rules: Rules = field(default_factory=Rules)
    policy: FailurePolicy = field(default_factory=FailurePolicy)
    seat_of: Callable[[str, str], str] = own_seat
    tdp: Mapping[str, str] = field(default_factory=dict)
    tasks: Mapping[str, Matter] = field(default_factory=dict)
    embedder: Embedder | None = field(default_factory=HashingEmbedder)
    mind: MindName = "lean"
    merge: frozenset[str] = frozenset()
    without: frozenset[str] = frozenset()
    concerns: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        ids = [resident.id for resident in self.residents]
        names = [resident.name for resident in self.residents]
        strange = sorted(set(self.tdp) - set(ids))
        homeless = [r for r in self.residents if self.town.place(r.living_area) is None]
        if not ids or len(set(ids)) < len(ids) or len(set(names)) < len(names):
            raise WorldError(f"residents need ids and names of their own, found {names}")
        if strange:
            raise WorldError(f'a target is given to "{strange[0]}", who does not live here')
        if homeless:
            who = homeless[0]
            raise WorldError(f'{who.name} sleeps at "{who.living_area}", which is not on the map')

    @property
    def steps(self) -> int:
        """Steps in all."""
        return self.days * self.clock.a_day


@dataclass(frozen=True, slots=True, order=True)
class TileClaim:
    """The tile on which a resident stands, or to which it goes; of two the earlier holds."""

    since: int
    number: int
    tile: Tile


@dataclass(frozen=True, slots=True)
class Shown:
    """What others can see of a resident, and of the thing that it uses ("stove: heating the soup");
    a claim alone makes nobody look."""

    doing: str
    asleep: bool = False
    talking: bool = False
    thing: str = ""
    claim: TileClaim = field(compare=False, kw_only=True)


@dataclass(frozen=True, slots=True, order=True)
class ThingUse:
    """Since when who uses a thing, on which tile, and the state in which it is left ("" idle)."""

    step: int
    number: int
    tile: Tile
    thing: str
    state: str


@dataclass(frozen=True, slots=True)
class Noticed:
    """What somebody is seen doing, or, with a `thing`, what is seen of the thing that they use."""

    other: Person
    doing: str
    thing: str = ""

    @property
    def percept(self) -> Percept:
        """By which it is known when it is seen again."""
        if self.thing:
            return -1 - self.other.number, f"{self.thing}: {self.doing}"
        return self.other.number, self.doing


class Person:
    """The state of one resident. `number` is its place among the residents of the simulation.

    `step` is its local clock. `shown` is what others see at this step, `showing` what they will
    see at the next. `way` holds the tiles of a walk, of which the first is where it began, at
    step `way_from`. `until` is when its life goes on by itself; `busy_until` the end of a talk;
    of `newcomers` it hears from step `hears_from` on, one a step. Who is `watchful` is told of all
    that is new in view, and of everything at once, and keeps it in memory itself.
    """

    def __init__(self, number: int, resident: Resident, setting: Setting, tile: Tile) -> None:
        self.number = number
        self.resident = resident
        self.id = resident.id
        self.name = resident.name
        self.town = setting.town
        self.watchful = setting.mind != "lean"
        embedder = setting.embedder or GivenVectors()
        self.vectors = embedder if isinstance(embedder, GivenVectors) else None
        self.memory = MemoryStream(setting.clock, embedder)
        self.attention = Attention(setting.rules.bandwidth, setting.rules.retention)
        self.step = 0
        self.tile = tile
        self.arena = setting.town.arena_at(tile)
        self.shown = self.showing = Shown("asleep", asleep=True, claim=TileClaim(0, number, tile))
        self.view: frozenset[int] = frozenset()
        self.way: tuple[Tile, ...] = ()
        self.way_from = 0
        self.path = ""
        self.until = 0
        self.busy_until: int | None = None
        self.newcomers: list[Noticed] = []
        self.hears_from = 0
        self.life: Generator[Any, Any, None] | None = None
        self.speak: Callable[..., Generator[Any, Any, Any]] | None = None
        self.asked_at: dict[str, tuple[int, int]] = {}
        self.doing = Did(0, self.id, "asleep", state="asleep")
        self.blocks: tuple[Block, ...] = ()
        self.bed = 0
        self.outline: tuple[str, ...] = ()
        self.known = _known_places(resident, setting)
        self.parts: dict[tuple[str, str], tuple[Part, ...]] = {}
        self.last_talk: dict[int, int] = {}
        self.last_asked: dict[int, int] = {}
        self.last_memo: dict[int, Memory] = {}
        self.heard: tuple[Heard, ...] = ()
        self.general_plan: tuple[str, ...] = ()
        self.checklist: tuple[str, ...] = ()
        self.records: list[Record] = []
        self.hour = setting.clock.minutes(60)

    @property
    def goes_on(self) -> int:
        """The step at which this life goes on if nobody comes near."""
        if self.busy_until is not None:
            return self.busy_until
        return min(self.until, self.hears_from) if self.newcomers else self.until

    # -------------------------------------------------------------- moving

    def walk(self, path: str, step: int) -> None:
        """Begin a walk: one tile a step, from this step on."""
        x, y = self.tile
        tiles = [self.tile]
        for letter in path:
            dx, dy = HEADINGS[letter]
            x, y = x + dx, y + dy
            tiles.append((x, y))
        self.way, self.way_from, self.path = tuple(tiles), step, path

    def stop(self, step: int) -> None:
        """End a walk where one is at this step, arrived or not, and record what was walked."""
        if self.path:
            self._record_walk(self.path[: step - self.way_from], self.way_from)
            self.way, self.path = (), ""

    def cut_walk(self, step: int) -> None:
        """Record the part of a walk before this step; the walk goes on."""
        walked = step - self.way_from
        if self.path and walked > 0:
            self._record_walk(self.path[:walked], self.way_from)
            self.way, self.path, self.way_from = self.way[walked:], self.path[walked:], step

    def move_to(self, step: int) -> bool:
        """Be where the walk is at this step; whether that is another tile."""
        if not self.path:
            return False
        tile = self.way[min(step - self.way_from, len(self.path))]
        moved = tile != self.tile
        self.tile = tile
        self.arena = self.town.arena_at(tile)
        return moved

    def _record_walk(self, path: str, start: int) -> None:
        # In pieces that end with the hours, so that a trace is cut the same way however it came.
        while path:
            piece = self.hour - start % self.hour
            self.records.append(Walked(start, self.id, path[:piece]))
            path, start = path[piece:], start + piece

    # -------------------------------------------------------------- doing

    def do(self, did: Did, step: int) -> None:
        """Begin to do something: recorded now, seen by others from the next step on."""
        self.doing = did
        self.records.append(did)
        asleep, talking = did.state == "asleep", did.state == "talking"
        self.showing = Shown(self._seen(did), asleep, talking, claim=self.showing.claim)

    def _seen(self, did: Did) -> str:
        """What others see of it; of a walk within a building, the room to which it leads."""
        if did.state != "walking" or not did.place:
            return as_seen(did.doing)
        sector, _, room = did.place.partition(": ")
        inside = self.arena >= 0 and self.town.places[self.arena].sector == sector
        if not room or not inside:
            return f"on the way to {sector}"
        return f"on the way to {room if room[0].isupper() else f'the {room}'}"

    def claim(self, tile: Tile, step: int) -> None:
        """Go to a tile, to be there at this step; who stands there already keeps it."""
        if not self.tile == tile == self.showing.claim.tile:
            self.showing = replace(self.showing, claim=TileClaim(step, self.number, tile))

    def plan(self, step: int, blocks: tuple[Block, ...], why: str, setting: Setting) -> None:
        """Have another plan; what is over of it is not told again."""
        self.blocks = blocks
        step_of = setting.clock.step
        spans = ((step_of(b.start), step_of(b.end), b) for b in blocks)
        planned = tuple(
            PlannedBlock(start, end, b.what, b.place) for start, end, b in spans if end > step
        )
        self.records.append(Planned(step, self.id, planned, why))


def _known_places(resident: Resident, setting: Setting) -> tuple[str, ...]:
    """Home first, then what the resident is said to know, in that order; sectors in full."""
    names = [str(resident.home)]
    for name in resident.knows:
        place = setting.town.place(name)
        if place is not None:
            names.append(str(place))
        else:
            names += [str(place) for place in setting.town.sector_places(name)]
    return tuple(dict.fromkeys(names))


def in_view(person: Person, people: Iterable[Person], radius: int) -> frozenset[int]:
    """The numbers of all others among these whom a person sees."""
    return frozenset(
        other.number
        for other in people
        if other is not person and sees(person.tile, person.arena, other.tile, other.arena, radius)
    )


class Surroundings:
    """The setting with what is worked out from it once."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.clock = setting.clock
        self.rules = setting.rules
        self.town = setting.town
        self.paths = Paths(setting.town.walkable, setting.town.arena)
        self.people = self._people()
        self._beds = tuple([person.tile for person in self.people])
        self._sleeper = {bed: number for number, bed in enumerate(self._beds)}
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
        self._uses: dict[str, dict[str, list[ThingUse]]] = {}
        self._known_objects: dict[tuple[str, ...], dict[str, tuple[str, ...]]] = {}
        self._others = {
            person.id: {id: name for id, name in self._names.items() if id != person.id}
            for person in self.people
        }

    def make_head(self, person: Person, question: type[MindQuestion[Any]], step: int) -> Asked:
        """The head of a question."""
        seat = self.setting.seat_of(person.id, question.name)
        last, index = person.asked_at.get(question.name, (-1, -1))
        index = index + 1 if last == step else 0
        person.asked_at[question.name] = (step, index)
        setting = self.setting
        return Asked(setting.trial, setting.seed, person.id, step, seat=seat, index=index)

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
            pause=self.rules.cooldown,
            outline=person.outline,
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
        memories = self.comes_to_mind(person, step, f"{other.name} {query}")
        last = person.last_memo.get(other.number)
        return memories if last is None or last in memories else (last, *memories[:-1])

    def ahead(self, person: Person, step: int) -> tuple[Block, ...]:
        """What is left of the plan of the day, the block under way first."""
        moment = self.clock.at(step)
        return tuple([block for block in person.blocks if block.end > moment])

    def spot(self, person: Person, place: str, thing: str) -> Tile:
        """Where to stand: at the object, or anywhere in the place; home if there is no place."""
        target = self.town.place(place) or person.resident.home
        tiles: Sequence[Tile] = self.town.spots(target, thing) if thing else ()
        tiles = self._not_beds(person, tiles or self.town.tiles(target))
        if len(tiles) == 1:
            return tiles[0]
        choose = stream(self.setting.seed, "spot", person.id, place, thing)
        return tiles[choose.randrange(len(tiles))]

    def free_spot(self, person: Person, spot: Tile, place: str, thing: str, step: int) -> Tile:
        """This tile, or, where another in view holds it by this step, the nearest free one of
        the place, at the object rather than elsewhere; this one if all are taken.

        It goes by what was so when the step began, as everything that a resident sees.
        """
        claims = [self.people[number].shown.claim for number in person.view]
        own = TileClaim(step, person.number, spot)
        if person.tile == spot == person.showing.claim.tile:
            own = person.showing.claim
        if not any(claim.tile == spot and claim < own for claim in claims):
            return spot
        target = self.town.place(place) or person.resident.home
        occupied = {claim.tile for claim in claims}
        occupied |= {self.people[number].tile for number in person.view}
        at_hand = frozenset(self.town.spots(target, thing)) if thing else frozenset()
        x, y = spot
        free = [t for t in self._not_beds(person, self.town.tiles(target)) if t not in occupied]
        return min(
            free,
            key=lambda t: (t not in at_hand, abs(t[0] - x) + abs(t[1] - y), t),
            default=spot,
        )

    def _not_beds(self, person: Person, tiles: Sequence[Tile]) -> Sequence[Tile]:
        """Those of the tiles on which nobody else sleeps; all where there are no others."""
        return [t for t in tiles if self._sleeper.get(t, person.number) == person.number] or tiles

    def objects(self, place: str) -> tuple[str, ...]:
        """What stands in a place."""
        return self._objects.get(place, ())

    def use(self, person: Person, place: str, thing: str, state: str) -> None:
        """Somebody uses a thing from now on, and leaves it in this state; "" idle."""
        use = ThingUse(person.step, person.number, person.tile, thing, state)
        insort(self._uses.setdefault(place, {}).setdefault(thing, []), use)

    def left(self, person: Person, place: str) -> list[Noticed]:
        """Things of a place that others have left in a state which lasts, in view, nearest first.

        It goes by what was so when the step began, of uses in view: whoever could have used a thing
        there by then has lived its steps, since one waits for them in any order.
        """
        x, y = person.tile
        uses = []
        for thing in self._uses.get(place, {}):
            use = self._last_use(person, place, thing)
            if use and use.state and use.number != person.number:
                uses.append((abs(use.tile[0] - x) + abs(use.tile[1] - y), use))
        return [Noticed(self.people[use.number], use.state, use.thing) for _, use in sorted(uses)]

    def left_as(self, person: Person, place: str, thing: str) -> str:
        """The state that lasts in which a thing was left, as far as one sees it; "" for none."""
        use = self._last_use(person, place, thing)
        return use.state if use else ""

    def _last_use(self, person: Person, place: str, thing: str) -> ThingUse | None:
        uses = self._uses.get(place, {}).get(thing, [])
        tile, arena, radius = person.tile, person.arena, self.rules.radius
        before = uses[: bisect_left(uses, person.step, key=attrgetter("step"))]
        return next(
            (
                use
                for use in reversed(before)
                if sees(tile, arena, use.tile, self.town.arena_at(use.tile), radius)
            ),
            None,
        )

    def bed(self, person: Person) -> Tile:
        """Where a person sleeps."""
        return self._beds[person.number]

    def _objects_in(self, names: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
        objects = self._known_objects.get(names)
        if objects is None:
            objects = self._known_objects[names] = {name: self._objects[name] for name in names}
        return objects

    def _people(self) -> tuple[Person, ...]:
        people: list[Person] = []
        for number, resident in enumerate(self.setting.residents):
            home = self.town.place(resident.living_area)
            assert home is not None  # the setting has seen to it
            resident = resident.model_copy(update={"living_area": str(home)})
            tile = bed_of(home, self.town, [person.tile for person in people])
            people.append(Person(number, resident, self.setting, tile))
        return tuple(people)


def bed_of(home: Place, town: TownMap, occupied: Sequence[Tile]) -> Tile:
    """A bed of the home that nobody sleeps in yet, or else any free tile there."""
    beds = [thing for thing in town.objects(home) if thing.endswith("bed")]  # a double bed, too
    tiles = [*(tile for bed in beds for tile in town.spots(home, bed)), *town.tiles(home)]
    free = [tile for tile in tiles if tile not in occupied]
    return (free or tiles)[0]
