"""Conversation tasks: what one holds, sets of them in folders, and how a set is chosen."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache, cached_property, lru_cache
from itertools import groupby
from pathlib import Path
from statistics import median

from pydantic import Field

from sociolab.core import __version__
from sociolab.core.errors import ConfigError
from sociolab.core.ports import DataId
from sociolab.core.reading import file_text, json_record, json_records
from sociolab.core.seeding import digest, stream
from sociolab.report.words import plural
from sociolab.town.questions import Block, Heard, Memory
from sociolab.town.residents import Resident
from sociolab.worlds.stss.dataset import TownMeta
from sociolab.worlds.stss.talk.conditions import Occasion
from sociolab.worlds.stss.task import TASK_TYPES, Frozen, SocialTask, TaskType

OWN = Path(__file__).parent / "data"
META, SCENARIOS, REPORT = "meta.json", "scenarios.jsonl", "report.md"


class Side(Frozen):
    """One of the two at that moment.

    `resident` is without the task. `place` is where they are, "" outdoors; `doing` what they did
    before the talk, in the words that others see. `memories` are those that matter here: of the
    other, and of the task as far as they know of it; best first. `ahead` is the rest of their
    day's plan, the block under way first. `heard` is what was said last of each matter in each of
    their earlier talks, in typed form: for scripted minds.
    """

    resident: Resident
    place: str = ""
    doing: str = ""
    memories: tuple[Memory, ...] = ()
    ahead: tuple[Block, ...] = ()
    heard: tuple[Heard, ...] = ()


class Neighbour(Frozen):
    """Somebody who lives in this town, and what everybody knows of them."""

    name: str
    known_as: str = ""


class TalkScenario(Frozen):
    """One conversation task, whole: it is played without the town that it was frozen from.

    `id` is TASK.SEED.OTHER, `seed` the town's. `performer_begins`: who spoke first in the town.
    `people` are all in the simulation, by id; `places` all of the town, arenas by sector.
    """

    id: str = Field(min_length=1)
    seed: int
    task: SocialTask
    now: datetime
    performer_begins: bool
    performer: Side
    other: Side
    people: Mapping[str, Neighbour]
    places: Mapping[str, tuple[str, ...]]

    @property
    def place_names(self) -> tuple[str, ...]:
        """All places of the town, "Sector: arena"."""
        return tuple(
            f"{sector}: {arena}" for sector, arenas in self.places.items() for arena in arenas
        )

    @property
    def occasion(self) -> Occasion:
        """What one must know to read the talk."""
        performer, other = self.performer.resident, self.other.resident
        return Occasion(self.task, performer, other, self.now, self.performer.place)


@lru_cache(maxsize=512)
def scenario_from(content: str) -> TalkScenario:
    """The scenario in a task's content; kept, as world and judge of an episode both ask."""
    return TalkScenario.model_validate_json(content)


class TalkMeta(TownMeta):
    """`meta.json` of a set: `hash` and `scenarios`, their number, must be true where given;
    `lived_by` says who simulated the days that it was frozen from."""

    hash: str | None = Field(default=None, min_length=1)
    scenarios: int | None = Field(default=None, ge=0)
    lived_by: str = ""


@dataclass(frozen=True)
class TalkData:
    """Conversation tasks under a name; `version` is that of the town that they are frozen from,
    `lived_by` who simulated its days ("" where nobody says)."""

    name: str
    version: str
    scenarios: tuple[TalkScenario, ...]
    lived_by: str = ""

    @cached_property
    def hash(self) -> str:
        """A digest of the scenarios, in their order."""
        return digest(_lines(self.scenarios))

    @property
    def id(self) -> DataId:
        """Which data this is."""
        return DataId(self.name, self.version, self.hash)


@cache
def own_talks() -> TalkData:
    """The 325 conversation tasks of this package; `data/meta.json` says how they were made."""
    return read_talks(OWN)


def read_talks(folder: Path) -> TalkData:
    """The conversation tasks of a folder.

    ConfigError names the file and the line that is wrong, or says what is not as `meta.json` says
    it is; a `meta.json` without hash and number takes any scenarios.
    """
    meta = json_record(str(folder / META), TalkMeta, file_text(folder / META))
    found: dict[str, TalkScenario] = {}
    path = folder / SCENARIOS
    for place, one in json_records(path, TalkScenario):
        if one.id in found:
            raise ConfigError(f'{place}: the id "{one.id}" occurs twice; rename one of the two')
        _check_people(one, place)
        _check_places(one, place)
        found[one.id] = one
    if not found:
        raise ConfigError(
            f"{path}: expected at least one conversation task, found none; build some"
        )
    data = TalkData(meta.name, meta.version, tuple(found.values()), meta.lived_by)
    _check_meta(meta, data, folder)
    return data


def write_talks(folder: Path, data: TalkData, made_by: str) -> None:
    """Write a set for `read_talks`, with a report of how many there are of what.

    `made_by` is the command that made it. What the folder holds of another set is written over.
    """
    folder.mkdir(parents=True, exist_ok=True)
    meta = {
        "name": data.name,
        "version": data.version,
        "hash": data.hash,
        "scenarios": len(data.scenarios),
        "lived_by": data.lived_by,
        "command": made_by,
        "sociolab": __version__,
    }
    _write(folder / META, json.dumps(meta, ensure_ascii=False, indent=2) + "\n")
    _write(folder / SCENARIOS, _lines(data.scenarios))
    title = f"{data.name} {data.version}"
    _write(folder / REPORT, tally(data.scenarios).as_markdown(title, counts_of(data)))


def _check_meta(meta: TalkMeta, data: TalkData, folder: Path) -> None:
    """The set is the one that was written: a shortened file is no set of that name."""
    count = len(data.scenarios)
    number = count if meta.scenarios is None else meta.scenarios
    wanted = data.hash if meta.hash is None else meta.hash
    if (number, wanted) != (count, data.hash):
        raise ConfigError(
            f"{folder / SCENARIOS}: expected {number} conversation tasks of hash {wanted}, as "
            f"{META} says, found {count} of hash {data.hash}; build the set again or, if you "
            f'changed it on purpose, give it another "name" in {META} and there set "scenarios" '
            f'to {count} and "hash" to "{data.hash}" (or leave both out)'
        )


def _check_people(found: TalkScenario, where: str) -> None:
    """The two are who the task says, and are among the people."""
    performer, other = found.performer.resident.id, found.other.resident.id
    if performer != found.task.performer:
        raise ConfigError(
            f"{where}: expected the task's performer, {found.task.performer}, as performer, found "
            f"{performer}; correct the one or the other"
        )
    if other not in found.task.background or (found.task.partner or other) != other:
        wanted = found.task.partner or ", ".join(found.task.background)
        raise ConfigError(f"{where}: expected as the other one of: {wanted}; found {other}")
    strange = [who for who in (performer, other) if who not in found.people]
    if strange:
        raise ConfigError(f'{where}: expected both among "people", {strange[0]} is not; add them')


def _check_places(found: TalkScenario, where: str) -> None:
    """The two stand in one place, and that is one of the town's."""
    here, there = found.performer.place, found.other.place
    if here != there:
        raise ConfigError(
            f'{where}: expected both in one place, found the performer at "{here}" and the other '
            f'at "{there}"; correct the one or the other ("" is outdoors)'
        )
    if here and here not in found.place_names:
        raise ConfigError(
            f'{where}: expected them at one of "places", or at "" (outdoors), found "{here}"; '
            "add it to the places or correct it"
        )


def _lines(scenarios: Iterable[TalkScenario]) -> str:
    return "".join(one.model_dump_json(exclude_defaults=True) + "\n" for one in scenarios)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


# ------------------------------------------------------------------ choosing a set


MOST_OF_A_PAIR = 2
"""Conversation tasks of the same two residents in the same task (STSS section 3.2)."""


def selected(candidates: Sequence[TalkScenario], total: int) -> tuple[TalkScenario, ...]:
    """At most `total` of the candidates, by task, then seed, then time.

    Tasks take turns, and within a task its seeds, so that every task is there before any comes
    twice; who of a seed comes first is drawn by lot. No pair of characters is in a task more than
    twice. Fewer than `total` where there are no more. Tasks come in the order of the candidates,
    which makes no other difference.
    """
    queues = [list(_in_turn(own)) for own in _by_task(candidates)]
    chosen: list[list[TalkScenario]] = [[] for _ in queues]
    left = total
    for turn in range(max(map(len, queues), default=0)):
        for queue, taken in zip(queues, chosen, strict=True):
            if turn < len(queue) and left:
                taken.append(queue[turn])
                left -= 1
    return tuple(one for taken in chosen for one in sorted(taken, key=_by_time))


def selectable(candidates: Sequence[TalkScenario]) -> int:
    """How many can be selected at most, two of a pair."""
    return sum(min(count, MOST_OF_A_PAIR) for count in Counter(map(_pair, candidates)).values())


def _by_task(candidates: Iterable[TalkScenario]) -> list[list[TalkScenario]]:
    found: dict[str, list[TalkScenario]] = {}
    for one in candidates:
        found.setdefault(one.task.id, []).append(one)
    return list(found.values())


def _in_turn(own: list[TalkScenario]) -> Iterator[TalkScenario]:
    """A task's candidates: one of each seed, then another of each, two of a pair at most."""
    of_seed: dict[int, list[TalkScenario]] = {seed: [] for seed in sorted({o.seed for o in own})}
    for one in sorted(own, key=lambda one: (stream(0, "talk", one.id).random(), one.id)):
        of_seed[one.seed].append(one)
    pairs: Counter[tuple[str, str, str]] = Counter()
    while any(of_seed.values()):
        for waiting in of_seed.values():
            free = [one for one in waiting if pairs[_pair(one)] < MOST_OF_A_PAIR]
            waiting[:] = free[1:]
            for one in free[:1]:
                pairs[_pair(one)] += 1
                yield one


def _pair(one: TalkScenario) -> tuple[str, str, str]:
    return (one.task.id, one.performer.resident.id, one.other.resident.id)


def _by_time(one: TalkScenario) -> tuple[int, str, str]:
    return (one.seed, one.now.isoformat(), one.id)


# ------------------------------------------------------------------ how many of what


@dataclass(frozen=True, slots=True)
class TallyRow:
    """One social task: how many conversation tasks there are of it, in all and by seed."""

    type: TaskType
    task: str
    of_seed: tuple[int, ...]

    @property
    def count(self) -> int:
        """In all."""
        return sum(self.of_seed)


@dataclass(frozen=True, slots=True)
class TaskTally:
    """Rows by type, in the order of Table 4, then as the tasks come; `seeds` heads `of_seed`."""

    seeds: tuple[int, ...]
    rows: tuple[TallyRow, ...]

    @property
    def count(self) -> int:
        """How many conversation tasks there are."""
        return sum(row.count for row in self.rows)

    @property
    def types(self) -> tuple[tuple[TaskType, tuple[TallyRow, ...]], ...]:
        """The rows of each type that is present."""
        return tuple((kind, tuple(rows)) for kind, rows in groupby(self.rows, lambda r: r.type))

    @property
    def by_seed(self) -> tuple[int, ...]:
        """How many there are of each seed."""
        return tuple(
            sum(row.of_seed[number] for row in self.rows) for number in range(len(self.seeds))
        )

    def as_markdown(self, title: str, said: Sequence[str]) -> str:
        """A page with two tables, and sentences before them."""
        kinds = "".join(
            f"| {kind} | {len(rows)} | {sum(row.count for row in rows)} |\n"
            for kind, rows in self.types
        )
        heads = "".join(f" {seed} |" for seed in self.seeds)
        tasks = "".join(
            f"| {row.type} | {row.task} | {row.count} |{_cells(row.of_seed)}\n" for row in self.rows
        )
        return (
            f"# {title}: {self.count} conversation tasks of {len(self.rows)} social tasks\n\n"
            f"{chr(10).join(f'- {one}' for one in said)}\n\n"
            f"| type | social tasks | conversation tasks |\n|---|---:|---:|\n{kinds}"
            f"| all | {len(self.rows)} | {self.count} |\n\n"
            "By social task, in all and by the seed of the town:\n\n"
            f"| type | task | all |{heads}\n|---|---|---:|{'---:|' * len(self.seeds)}\n{tasks}"
            f"| all | | {self.count} |{_cells(self.by_seed)}\n"
        )


def tally(scenarios: Sequence[TalkScenario]) -> TaskTally:
    """Count the conversation tasks of a set."""
    seeds = tuple(sorted({one.seed for one in scenarios}))
    counts = Counter((one.task.id, one.seed) for one in scenarios)
    types = {one.task.id: one.task.type for one in scenarios}
    rows = [
        TallyRow(kind, task, tuple(counts[task, seed] for seed in seeds))
        for task, kind in types.items()
    ]
    return TaskTally(seeds, tuple(sorted(rows, key=lambda row: TASK_TYPES.index(row.type))))


FEWEST = 2
"""Conversation tasks of a social task that a set should have."""


def counts_of(data: TalkData) -> tuple[str, ...]:
    """How many conversation tasks there are by type, what the two remember, and who lived."""
    counted = tally(data.scenarios)
    found = [
        f"{kind}: {plural(sum(counts), 'conversation')} of {plural(len(rows), 'social task')}, "
        f"{' to '.join(dict.fromkeys(map(str, (min(counts), max(counts)))))} each"
        for kind, rows in counted.types
        if (counts := [row.count for row in rows])
    ]
    if few := [row.task for row in counted.rows if row.count < FEWEST]:
        found.append(f"fewer than {FEWEST} conversations: {', '.join(few)}")
    for side in ("performer", "other"):
        memories = [len(getattr(one, side).memories) for one in data.scenarios] or [0]
        found.append(
            f"memories of the {side}: {median(memories):g} (median), {min(memories)} to "
            f"{max(memories)}"
        )
    return (*found, f"days simulated by: {data.lived_by or 'not said'}")


def _cells(counts: Sequence[int]) -> str:
    return "".join(f" {count} |" for count in counts)
