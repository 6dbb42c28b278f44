"""Conversation tasks: what one holds, sets of them in folders, and how a set is chosen."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache, cached_property, lru_cache
from itertools import groupby
from pathlib import Path
from statistics import median

from pydantic import Field

from sociolab.core import __version__
from sociolab.core.errors import ConfigError
from sociolab.core.ports import DataId
from sociolab.core.reading import json_record, json_records, read_text
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
    """One of the two at the moment before they talk.

    `resident` is without the task. `place` is where they are, "" outdoors; `doing` what they did
    before the talk, in the words that others see. `memories` are those that matter here: of the
    other, and of the task as far as they know of it; best first. `ahead` is the rest of their day's
    plan, the block under way first. `heard` is what was said last of each matter in each of their
    earlier talks, in typed form: for scripted minds.
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
    """One conversation task, complete: it is played without the town that it was frozen from.

    `id` is TASK.SEED.OTHER, with ".again" where they have met before, `seed` the town's.
    `performer_begins`: who spoke first in the town. `people` are all in the simulation, by id;
    `places` all of the town, arenas by sector.
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
        performer, other = self.performer.resident, self.other.resident
        return Occasion(self.task, performer, other, self.now, self.performer.place)


@lru_cache(maxsize=512)
def parse_scenario(content: str) -> TalkScenario:
    """Parse a task's content; cached, since world and judge of an episode both ask for it."""
    return TalkScenario.model_validate_json(content)


class TalkMeta(TownMeta):
    """`meta.json` of a set: `hash` and the number of `scenarios` must match where given; `lived_by`
    says who played the days that it was frozen from, `note` what else one should know of it."""

    hash: str | None = Field(default=None, min_length=1)
    scenarios: int | None = Field(default=None, ge=0)
    lived_by: str = ""
    note: str = ""


@dataclass(frozen=True)
class TalkData:
    """A named set of conversation tasks; `version` is that of the town that they are frozen from,
    `lived_by` who played its days ("" where unknown), `note` what else one should know of it."""

    name: str
    version: str
    scenarios: tuple[TalkScenario, ...]
    lived_by: str = ""
    note: str = ""

    @cached_property
    def hash(self) -> str:
        return digest(_lines(self.scenarios))

    @property
    def id(self) -> DataId:
        return DataId(self.name, self.version, self.hash)


@cache
def own_talks() -> TalkData:
    """The 325 conversation tasks of this package; `data/meta.json` says how they were made."""
    return read_talks(OWN)


def read_talks(folder: Path) -> TalkData:
    """Read the conversation tasks of a folder.

    ConfigError names the file and the line that is wrong, or what does not match `meta.json`; a
    `meta.json` without hash and number accepts any scenarios.
    """
    meta = json_record(str(folder / META), TalkMeta, read_text(folder / META))
    scenarios: dict[str, TalkScenario] = {}
    path = folder / SCENARIOS
    for place, scenario in json_records(path, TalkScenario):
        if scenario.id in scenarios:
            raise ConfigError(
                f'{place}: the id "{scenario.id}" occurs twice; rename one of the two'
            )
        _check_people(scenario, place)
        _check_places(scenario, place)
        scenarios[scenario.id] = scenario
    if not scenarios:
        raise ConfigError(
            f"{path}: expected at least one conversation task, found none; build some"
        )
    data = TalkData(meta.name, meta.version, tuple(scenarios.values()), meta.lived_by, meta.note)
    _check_meta(meta, data, folder)
    return data


def write_talks(folder: Path, data: TalkData, made_by: str) -> None:
    """Write a set for `read_talks`, with a report of how many there are of what.

    `made_by` is the command that made it. Files of another set in the folder are overwritten.
    """
    folder.mkdir(parents=True, exist_ok=True)
    meta = {
        "name": data.name,
        "version": data.version,
        "hash": data.hash,
        "scenarios": len(data.scenarios),
        "lived_by": data.lived_by,
        **({"note": data.note} if data.note else {}),
        "command": made_by,
        "sociolab": __version__,
    }
    _write(folder / META, json.dumps(meta, ensure_ascii=False, indent=2) + "\n")
    _write(folder / SCENARIOS, _lines(data.scenarios))
    title = f"{data.name} {data.version}"
    _write(folder / REPORT, count_talks(data.scenarios).as_markdown(title, describe_counts(data)))


def _check_meta(meta: TalkMeta, data: TalkData, folder: Path) -> None:
    """The set is the one that was written: a shortened file is no set of that name."""
    count = len(data.scenarios)
    number = count if meta.scenarios is None else meta.scenarios
    expected_hash = data.hash if meta.hash is None else meta.hash
    if (number, expected_hash) != (count, data.hash):
        raise ConfigError(
            f"{folder / SCENARIOS}: expected {number} conversation tasks of hash {expected_hash}, "
            f"as {META} says, found {count} of hash {data.hash}; build the set again or, if you "
            f'changed it on purpose, give it another "name" in {META} and there set "scenarios" '
            f'to {count} and "hash" to "{data.hash}" (or leave both out)'
        )


def _check_people(scenario: TalkScenario, where: str) -> None:
    """The two are those of the task, and are among the people."""
    performer, other = scenario.performer.resident.id, scenario.other.resident.id
    if performer != scenario.task.performer:
        raise ConfigError(
            f"{where}: expected the task's performer, {scenario.task.performer}, as performer, "
            f"found {performer}; correct the one or the other"
        )
    if other not in scenario.task.background or (scenario.task.partner or other) != other:
        expected = scenario.task.partner or ", ".join(scenario.task.background)
        raise ConfigError(f"{where}: expected as the other one of: {expected}; found {other}")
    strange = [who for who in (performer, other) if who not in scenario.people]
    if strange:
        raise ConfigError(f'{where}: expected both among "people", {strange[0]} is not; add them')


def _check_places(scenario: TalkScenario, where: str) -> None:
    """The two are in one place, and it is one of the town's."""
    performer_place, other_place = scenario.performer.place, scenario.other.place
    if performer_place != other_place:
        raise ConfigError(
            f'{where}: expected both in one place, found the performer at "{performer_place}" '
            f'and the other at "{other_place}"; correct the one or the other ("" is outdoors)'
        )
    if performer_place and performer_place not in scenario.place_names:
        raise ConfigError(
            f'{where}: expected them at one of "places", or at "" (outdoors), '
            f'found "{performer_place}"; add it to the places or correct it'
        )


def _lines(scenarios: Iterable[TalkScenario]) -> str:
    return "".join(scenario.model_dump_json(exclude_defaults=True) + "\n" for scenario in scenarios)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


# ------------------------------------------------------------------ choosing a set


MOST_OF_A_PAIR = 2
"""Conversation tasks of the same two residents in the same task (STSS section 3.2)."""


def select_talks(candidates: Sequence[TalkScenario], total: int) -> tuple[TalkScenario, ...]:
    """At most `total` of the candidates, by task, then seed, then time.

    Tasks take turns, and within a task its seeds and days, so that every task occurs before any
    occurs twice; the order within a day is random. No pair of characters is in a task more than
    twice. Fewer than `total` where there are no more. Tasks come in the order of the
    candidates, which makes no other difference.
    """
    by_task: dict[str, list[TalkScenario]] = {}
    for scenario in candidates:
        by_task.setdefault(scenario.task.id, []).append(scenario)
    queues = [list(_alternate(own)) for own in by_task.values()]
    chosen: list[list[TalkScenario]] = [[] for _ in queues]
    remaining = total
    for turn in range(max(map(len, queues), default=0)):
        for queue, picked in zip(queues, chosen, strict=True):
            if turn < len(queue) and remaining:
                picked.append(queue[turn])
                remaining -= 1
    return tuple(scenario for picked in chosen for scenario in sorted(picked, key=_by_time))


def count_selectable(candidates: Sequence[TalkScenario]) -> int:
    """How many can be selected at most, two of a pair."""
    return sum(min(count, MOST_OF_A_PAIR) for count in Counter(map(_pair, candidates)).values())


def _alternate(own: list[TalkScenario]) -> Iterator[TalkScenario]:
    """A task's candidates: one of each seed and day, then another of each, two of a pair at
    most."""
    occasions = sorted({_occasion(candidate) for candidate in own})
    waiting: dict[tuple[int, date], list[TalkScenario]] = {occasion: [] for occasion in occasions}
    for scenario in sorted(
        own, key=lambda candidate: (stream(0, "talk", candidate.id).random(), candidate.id)
    ):
        waiting[_occasion(scenario)].append(scenario)
    pairs: Counter[tuple[str, str, str]] = Counter()
    while any(waiting.values()):
        for alike in waiting.values():
            free = [candidate for candidate in alike if pairs[_pair(candidate)] < MOST_OF_A_PAIR]
            alike[:] = free[1:]
            for scenario in free[:1]:
                pairs[_pair(scenario)] += 1
                yield scenario


def _occasion(scenario: TalkScenario) -> tuple[int, date]:
    return scenario.seed, scenario.now.date()


def _pair(scenario: TalkScenario) -> tuple[str, str, str]:
    return (scenario.task.id, scenario.performer.resident.id, scenario.other.resident.id)


def _by_time(scenario: TalkScenario) -> tuple[int, str, str]:
    return (scenario.seed, scenario.now.isoformat(), scenario.id)


# ------------------------------------------------------------------ how many of what


@dataclass(frozen=True, slots=True)
class TallyRow:
    """One social task: its number of conversation tasks by seed."""

    type: TaskType
    task: str
    by_seed: tuple[int, ...]

    @property
    def count(self) -> int:
        return sum(self.by_seed)


@dataclass(frozen=True, slots=True)
class TaskTally:
    """Rows by type, in the order of Table 4, then in the order of tasks; `seeds` heads
    `of_seed`."""

    seeds: tuple[int, ...]
    rows: tuple[TallyRow, ...]

    @property
    def count(self) -> int:
        return sum(row.count for row in self.rows)

    @property
    def types(self) -> tuple[tuple[TaskType, tuple[TallyRow, ...]], ...]:
        return tuple((kind, tuple(rows)) for kind, rows in groupby(self.rows, lambda r: r.type))

    @property
    def by_seed(self) -> tuple[int, ...]:
        return tuple(
            sum(row.by_seed[number] for row in self.rows) for number in range(len(self.seeds))
        )

    def as_markdown(self, title: str, sentences: Sequence[str]) -> str:
        """A page with two tables, and sentences before them."""
        kinds = "".join(
            f"| {kind} | {len(rows)} | {sum(row.count for row in rows)} |\n"
            for kind, rows in self.types
        )
        heads = "".join(f" {seed} |" for seed in self.seeds)
        tasks = "".join(
            f"| {row.type} | {row.task} | {row.count} |{_cells(row.by_seed)}\n" for row in self.rows
        )
        return (
            f"# {title}: {self.count} conversation tasks of {len(self.rows)} social tasks\n\n"
            f"{chr(10).join(f'- {sentence}' for sentence in sentences)}\n\n"
            f"| type | social tasks | conversation tasks |\n|---|---:|---:|\n{kinds}"
            f"| all | {len(self.rows)} | {self.count} |\n\n"
            "By social task, in all and by the seed of the town:\n\n"
            f"| type | task | all |{heads}\n|---|---|---:|{'---:|' * len(self.seeds)}\n{tasks}"
            f"| all | | {self.count} |{_cells(self.by_seed)}\n"
        )


def count_talks(scenarios: Sequence[TalkScenario]) -> TaskTally:
    seeds = tuple(sorted({scenario.seed for scenario in scenarios}))
    counts = Counter((scenario.task.id, scenario.seed) for scenario in scenarios)
    types = {scenario.task.id: scenario.task.type for scenario in scenarios}
    rows = [
        TallyRow(kind, task, tuple(counts[task, seed] for seed in seeds))
        for task, kind in types.items()
    ]
    return TaskTally(seeds, tuple(sorted(rows, key=lambda row: TASK_TYPES.index(row.type))))


FEWEST = 2
"""Conversation tasks of a social task that a set should have."""


def describe_counts(data: TalkData) -> tuple[str, ...]:
    """How many conversation tasks there are by type, what the two remember, and who played."""
    counted = count_talks(data.scenarios)
    sentences = [
        f"{kind}: {plural(sum(counts), 'conversation')} of {plural(len(rows), 'social task')}, "
        f"{' to '.join(dict.fromkeys(map(str, (min(counts), max(counts)))))} each"
        for kind, rows in counted.types
        if (counts := [row.count for row in rows])
    ]
    if few := [row.task for row in counted.rows if row.count < FEWEST]:
        sentences.append(f"fewer than {FEWEST} conversations: {', '.join(few)}")
    for side in ("performer", "other"):
        memories = [len(getattr(scenario, side).memories) for scenario in data.scenarios] or [0]
        sentences.append(
            f"memories of the {side}: {median(memories):g} (median), {min(memories)} to "
            f"{max(memories)}"
        )
    sentences.append(f"days simulated by: {data.lived_by or 'not said'}")
    return (*sentences, *filter(None, (data.note,)))


def _cells(counts: Sequence[int]) -> str:
    return "".join(f" {count} |" for count in counts)
