"""What lives work on: the simulation's setting, where everybody is and what they know and see."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any, Final, TypeAlias

import numpy as np

from sociolab.core.errors import WorldError
from sociolab.core.seeding import stream
from sociolab.engine.scene import FailurePolicy
from sociolab.town.clock import Clock
from sociolab.town.map import Place, Tile, TownMap
from sociolab.town.memory import Embedder, HashingEmbedder, MemoryStream, SuppliedVectors
from sociolab.town.paths import Paths
from sociolab.town.questions import (
    Block,
    Heard,
    Matter,
    Me,
    Memory,
    MindName,
    MindQuestion,
    Other,
    Part,
    QuestionMeta,
)
from sociolab.town.questions.base import Heads
from sociolab.town.residents import Resident
from sociolab.town.trace import HEADINGS, Did, Planned, PlannedBlock, Record, Walked

RADIUS: Final = 8
BANDWIDTH: Final = 8
RETENTION: Final = 8
"""As in the published settings of Generative Agents (section 4.1). Outdoors is one arena."""

MOST_SEEN: Final = 80
"""Characters of an activity that others see: a short one, and no announcement of a whole matter."""


def shorten_activity(doing: str) -> str:
    """What others see of an activity; a long one is cut after a word."""
    if len(doing) <= MOST_SEEN:
        return doing
    cut = doing[: MOST_SEEN + 1]
    return f"{cut.rpartition(' ')[0] or cut[:-1]}..."


Percept: TypeAlias = tuple[int, str]
"""Who, and what they are seen doing."""


def sees(tile: Tile, arena: int, other: Tile, its_arena: int, radius: int = RADIUS) -> bool:
    """Whether somebody on `tile` perceives what is on the other; symmetric.

    Arenas are numbers, -1 outdoors; `radius` is in tiles, the diagonal counting as one.
    """
    return (
        arena == its_arena
        and abs(tile[0] - other[0]) <= radius
        and abs(tile[1] - other[1]) <= radius
    )


class Attention:
    """Which percepts are new to a resident.

    Of those near it attends to the `bandwidth` nearest; those among its last `retention` new
    percepts are not new.
    """

    def __init__(self, bandwidth: int = BANDWIDTH, retention: int = RETENTION) -> None:
        self._bandwidth = bandwidth
        self._retention = retention
        self._recent: dict[Percept, None] = {}  # an ordered set, the oldest first

    def attend(self, nearby: Sequence[Percept]) -> list[Percept]:
        """The new percepts, nearest first, as given; from now on they are no longer new."""
        recent = self._recent
        new = [percept for percept in nearby[: self._bandwidth] if percept not in recent]
        for percept in new:
            recent[percept] = None
        while len(recent) > self._retention:
            del recent[next(iter(recent))]
        return new


@dataclass(frozen=True, slots=True)
class Rules:
    """How residents perceive, and when they talk.

    `radius` in tiles, `bandwidth` and `retention` in percepts (Generative Agents, appendix A.2).
    Two residents do not talk again for `cooldown` minutes after a talk, and are not asked about the
    same person again for `patience` minutes. `reflect_at`: the importance that must build up before
    a resident reflects (150). `rate_at`: how many unrated memories are rated at once. `recalled`:
    memories put before a mind, at most `glimpses` of them of things merely seen. `words_a_minute`
    is the pace of speech.
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
    """The default `Setting.seat_of`: residents answer for themselves, their id is their seat."""
    return resident


@dataclass(frozen=True, slots=True)
class Setting:
    """One simulation: `days` days from the midnight at which `clock` begins.

    `mind` decides how residents remember, plan and react (`town.life`, `town.generative`), `heads`
    what its prompts begin with; `merge` names calls that are merged, `without` parts that are
    ablated. With `embedder` None, vectors of memories are asked for (`town.embedding.Embed`).
    `concerns` are the social tasks in words, which are part of `Resident.currently` and never
    revised, by resident's id. `seat_of` names the seat that answers a resident's question. `tdp`
    holds the goals of those who plan for a target (STSS section 4 and appendix B), and `tasks` the
    social tasks in typed form for scripted minds; both by resident's id.
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
    heads: Heads = "short"
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
        return self.days * self.clock.steps_per_day


@dataclass(frozen=True, slots=True, order=True)
class TileClaim:
    """The tile on which a resident stands, or to which it goes; the earlier of two claims holds."""

    since: int
    number: int
    tile: Tile


@dataclass(frozen=True, slots=True)
class Appearance:
    """What others can see of a resident, and of the thing that it uses ("stove: heating the soup");
    a new claim alone draws no attention."""

    doing: str
    asleep: bool = False
    talking: bool = False
    thing: str = ""
    claim: TileClaim = field(compare=False, kw_only=True)


@dataclass(frozen=True, slots=True, order=True)
class ThingUse:
    """Who uses a thing since when, on which tile, and the state in which it is left ("" idle)."""

    step: int
    number: int
    tile: Tile
    thing: str
    state: str


@dataclass(frozen=True, slots=True)
class Noticed:
    """What somebody is seen doing or, with a `thing`, the state of a thing that they use."""

    other: Person
    doing: str
    thing: str = ""

    @property
    def percept(self) -> Percept:
        """The key by which it is recognised when seen again."""
        if self.thing:
            return -1 - self.other.number, f"{self.thing}: {self.doing}"
        return self.other.number, self.doing


class Person:
    """The state of one resident. `number` is its index among the residents of the simulation.

    `step` is its local clock. `appearance` is what others see at this step, `next_appearance` what
    they will see at the next. `way` holds the tiles of a walk, the first being where it began, at
    step `way_from`. `until` is when its life goes on by itself; `busy_until` the end of a talk; of
    `newcomers` it hears from step `hears_from` on, one a step. A `watchful` person is told of
    everything that is new in view, at once, and remembers it itself.
    """

    def __init__(self, number: int, resident: Resident, setting: Setting, tile: Tile) -> None:
        self.number = number
        self.resident = resident
        self.id = resident.id
        self.name = resident.name
        self.town = setting.town
        self.watchful = setting.mind != "lean"
        embedder = setting.embedder or SuppliedVectors()
        self.vectors = embedder if isinstance(embedder, SuppliedVectors) else None
        self.memory = MemoryStream(setting.clock, embedder)
        self.attention = Attention(setting.rules.bandwidth, setting.rules.retention)
        self.step = 0
        self.tile = tile
        self.arena = setting.town.arena_at(tile)
        self.appearance = self.next_appearance = Appearance(
            "asleep", asleep=True, claim=TileClaim(0, number, tile)
        )
        self.view: frozenset[int] = frozenset()
        self.way: tuple[Tile, ...] = ()
        self.way_from = 0
        self.path = ""
        self.route: tuple[Tile, ...] = (tile,)
        self.route_from = 0
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
        self.known_places = _known_places(resident, setting)
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
        self.route, self.route_from = self.way, step

    def stop(self, step: int) -> None:
        """End a walk where it is at this step, arrived or not, and record it."""
        if self.path:
            self._record_walk(self.path[: step - self.way_from], self.way_from)
            self.way, self.path, self.route = (), "", self.walked(step)

    def walked(self, step: int) -> tuple[Tile, ...]:
        """The tiles of the last walk until this step, the one where it began included."""
        return self.route[: step - self.route_from + 1]

    def cut_walk(self, step: int) -> None:
        """Record the part of a walk before this step; the walk goes on."""
        walked = step - self.way_from
        if self.path and walked > 0:
            self._record_walk(self.path[:walked], self.way_from)
            self.way, self.path, self.way_from = self.way[walked:], self.path[walked:], step

    def move_to(self, step: int) -> bool:
        """Move along the walk to this step; whether that is another tile."""
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
        self.next_appearance = Appearance(
            self._describe_visible(did), asleep, talking, claim=self.next_appearance.claim
        )

    def _describe_visible(self, did: Did) -> str:
        """What others see of it: of a walk within a building, the room to which it leads."""
        if did.state != "walking" or not did.place:
            return shorten_activity(did.doing)
        sector, _, room = did.place.partition(": ")
        inside = self.arena >= 0 and self.town.places[self.arena].sector == sector
        if not room or not inside:
            return f"on the way to {sector}"
        return f"on the way to {room if room[0].isupper() else f'the {room}'}"

    def claim(self, tile: Tile, step: int) -> None:
        """Go to a tile, to be there at this step; whoever stands there already keeps it."""
        if not self.tile == tile == self.next_appearance.claim.tile:
            self.next_appearance = replace(
                self.next_appearance, claim=TileClaim(step, self.number, tile)
            )

    def plan(self, step: int, blocks: tuple[Block, ...], why: str, setting: Setting) -> None:
        """Replace the plan; blocks that are over are not recorded again."""
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
    """The numbers of those among these people whom a person sees."""
    return frozenset(
        other.number
        for other in people
        if other is not person and sees(person.tile, person.arena, other.tile, other.arena, radius)
    )


class Surroundings:
    """The setting, with what is derived from it once."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.clock = setting.clock
        self.rules = setting.rules
        self.town = setting.town
        self.paths = Paths(setting.town.walkable, setting.town.arena)
        self.people = self._place_people()
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
        self._in_sight: dict[Tile, tuple[str, ...]] = {}
        self._others = {
            person.id: {id: name for id, name in self._names.items() if id != person.id}
            for person in self.people
        }

    def make_head(
        self, person: Person, question: type[MindQuestion[Any]], step: int
    ) -> QuestionMeta:
        """The head of a question, which sets it apart from others of its kind at this step."""
        seat = self.setting.seat_of(person.id, question.name)
        last, index = person.asked_at.get(question.name, (-1, -1))
        index = index + 1 if last == step else 0
        person.asked_at[question.name] = (step, index)
        setting = self.setting
        return QuestionMeta(setting.trial, setting.seed, person.id, step, seat=seat, index=index)

    def me(self, person: Person, step: int) -> Me:
        """The resident who is asked, as it is at this step."""
        person.memory.now = step
        return Me(
            resident=person.resident,
            now=self.clock.at(step),
            places=person.known_places,
            objects={name: self._objects[name] for name in person.known_places},
            people=self._others[person.id],
            memory=person.memory,
            known_as=self._known_as,
            place=str(self.town.places[person.arena]) if person.arena >= 0 else "",
            names=self._place_names,
            doing=person.appearance.doing,
            task=self.setting.tasks.get(person.id),
            heard=person.heard,
            pause=self.rules.cooldown,
            outline=person.outline,
            heads=self.setting.heads,
        )

    def other(self, person: Person, other: Person) -> Other:
        """Another resident, as this person sees them."""
        tie = person.resident.ties.get(other.name, "")
        return Other(other.id, other.name, other.appearance.doing, tie)

    def retrieve(self, person: Person, step: int, query: str) -> tuple[Memory, ...]:
        """Retrieve memories for a query; this counts as accessing them at this step."""
        rules = self.rules
        return person.memory.retrieve(step, query, rules.recalled, rules.glimpses)

    def retrieve_about(
        self, person: Person, other: Person, step: int, query: str
    ) -> tuple[Memory, ...]:
        """Retrieve what a person remembers of another, with their last talk first."""
        memories = self.retrieve(person, step, f"{other.name} {query}")
        last = person.last_memo.get(other.number)
        return memories if last is None or last in memories else (last, *memories[:-1])

    def rest_of_plan(self, person: Person, step: int) -> tuple[Block, ...]:
        """The rest of the day's plan, the block under way first."""
        moment = self.clock.at(step)
        return tuple([block for block in person.blocks if block.end > moment])

    def choose_spot(self, person: Person, place: str, thing: str) -> Tile:
        """Choose where to stand: at the object, or anywhere in the place; at home if there is no
        place."""
        target = self.town.place(place) or person.resident.home
        tiles: Sequence[Tile] = self.town.spots(target, thing) if thing else ()
        tiles = self._not_beds(person, tiles or self.town.tiles(target))
        if len(tiles) == 1:
            return tiles[0]
        choose = stream(self.setting.seed, "spot", person.id, place, thing)
        return tiles[choose.randrange(len(tiles))]

    def find_free_spot(self, person: Person, spot: Tile, place: str, thing: str, step: int) -> Tile:
        """This tile or, where another in view has an earlier claim on it, the nearest free one of
        the place, at the object if possible; this one if all are taken.

        It goes by the state at the start of the step, as everything that a resident sees.
        """
        claims = [self.people[number].appearance.claim for number in person.view]
        own = TileClaim(step, person.number, spot)
        if person.tile == spot == person.next_appearance.claim.tile:
            own = person.next_appearance.claim
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
        """The tiles on which nobody else sleeps; all of them if that leaves none."""
        return [t for t in tiles if self._sleeper.get(t, person.number) == person.number] or tiles

    def objects(self, place: str) -> tuple[str, ...]:
        return self._objects.get(place, ())

    def record_use(self, person: Person, place: str, thing: str, state: str) -> None:
        """Record that somebody uses a thing from now on, and the state in which it is left; ""
        idle."""
        use = ThingUse(person.step, person.number, person.tile, thing, state)
        insort(self._uses.setdefault(place, {}).setdefault(thing, []), use)

    def lasting_states(self, person: Person, place: str) -> list[Noticed]:
        """Things in view that others have left in a lasting state, nearest first.

        It goes by uses in view at the start of the step: whoever could have used a thing there by
        then has lived those steps, since that is waited for under any scheduler.
        """
        x, y = person.tile
        uses = []
        for thing in self._uses.get(place, {}):
            use = self._last_use(person, place, thing)
            if use and use.state and use.number != person.number:
                uses.append((abs(use.tile[0] - x) + abs(use.tile[1] - y), use))
        return [Noticed(self.people[use.number], use.state, use.thing) for _, use in sorted(uses)]

    def lasting_state(self, person: Person, place: str, thing: str) -> str:
        """The lasting state in which a thing was left, as far as this person sees it; ""
        for none."""
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

    def places_in_sight(self, tile: Tile) -> tuple[str, ...]:
        """The places with a tile within the radius of sight, walls or not (as in the code of
        Generative Agents), in the order of the map."""
        if tile not in self._in_sight:
            (x, y), radius = tile, self.rules.radius
            arenas = self.town.arena[
                max(0, y - radius) : y + radius + 1, max(0, x - radius) : x + radius + 1
            ]
            numbers = [n for n in np.unique(arenas).tolist() if n >= 0]
            self._in_sight[tile] = tuple(self._place_names[number] for number in numbers)
        return self._in_sight[tile]

    def bed(self, person: Person) -> Tile:
        return self._beds[person.number]

    def _place_people(self) -> tuple[Person, ...]:
        people: list[Person] = []
        occupied: set[Tile] = set()
        for number, resident in enumerate(self.setting.residents):
            home = self.town.place(resident.living_area)
            assert home is not None  # the setting has seen to it
            resident = resident.model_copy(update={"living_area": str(home)})
            tile = find_bed(home, self.town, occupied)
            occupied.add(tile)
            people.append(Person(number, resident, self.setting, tile))
        return tuple(people)


def find_bed(home: Place, town: TownMap, occupied: Collection[Tile]) -> Tile:
    """A bed of the home in which nobody sleeps yet, or else any free tile there."""
    beds = [thing for thing in town.objects(home) if thing.endswith("bed")]  # a double bed, too
    tiles = [*(tile for bed in beds for tile in town.spots(home, bed)), *town.tiles(home)]
    free = [tile for tile in tiles if tile not in occupied]
    return (free or tiles)[0]
