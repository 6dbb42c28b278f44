"""A town with its people and tasks as data: our own by seed, a folder, or one task's content."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property, lru_cache
from itertools import groupby
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from sociolab.core.errors import ConfigError, StoreError
from sociolab.core.ports import DataId
from sociolab.core.reading import Faults, json_record, json_records, read_text
from sociolab.core.seeding import digest
from sociolab.core.unpacking import inflate
from sociolab.town.map import Place, Tile, TownMap
from sociolab.town.map_file import load_map, own_map
from sociolab.town.residents import (
    LocatedResident,
    RecordLines,
    Resident,
    one_sided_ties,
    own_residents,
    read_residents,
    resident_faults,
)
from sociolab.town.tiled import load_tiled
from sociolab.worlds.stss.literals import contradictions
from sociolab.worlds.stss.task import Frozen, SocialTask, task_faults
from sociolab.worlds.stss.templates import instantiate, own_templates, render_goal

OWN = ("alderbrook", "2")
"""Name and version of our own town; the version changes with its people and templates."""

DAYS = (date(2024, 5, 13), date(2024, 5, 14))
"""A Monday for planning and inviting, and the Tuesday of the event."""

META, MAP, PEOPLE, TASKS = "meta.json", "map.json", "residents.jsonl", "tasks.jsonl"
DRAWN, TILED, BY_HAND = "map", ("map.tmj", "map.tmx"), "residents.toml"


class TownMeta(BaseModel):
    """`meta.json`: what a folder holds. Further fields, such as a licence, are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str = Field(min_length=1)
    version: str = Field(min_length=1)


@dataclass(frozen=True)
class TownData:
    """A town, all who live there, and the tasks simulated there; `remarks` are what a check noted
    that is not wrong."""

    name: str
    version: str
    town: TownMap
    residents: tuple[Resident, ...]
    tasks: tuple[SocialTask, ...]
    remarks: tuple[str, ...] = ()

    @cached_property
    def hash(self) -> str:
        return digest(format_map(self.town), _lines(self.residents), _lines(self.tasks))

    @property
    def id(self) -> DataId:
        return DataId(self.name, self.version, self.hash)


def own_town(seed: int) -> TownData:
    """Our own town with the 30 tasks of a seed, in the order of the templates."""
    town, residents = own_map(), own_residents()
    templates = own_templates().template
    tasks = tuple(instantiate(template, residents, town, seed, DAYS) for template in templates)
    return TownData(*OWN, town, residents, tasks)


Wording: TypeAlias = Literal["template", "free text", "imported"]


class TaskRecord(SocialTask):
    """A line of `tasks.jsonl`. `goal` is a template over the task's fields, unless `wording` says
    that it is free text, or text imported with its defects: then only literal values are
    compared with the fields."""

    wording: Wording = "template"

    @property
    def is_template(self) -> bool:
        return self.wording == "template"

    def task(self, goal: str) -> SocialTask:
        fields = self.model_dump(exclude={"wording"}) | {"goal": goal}
        return SocialTask.model_validate(fields)


def read_town(folder: Path) -> TownData:
    """Read and check the town of a folder; ConfigError names every fault with its file and line.

    A town by hand is drawn in `map/`, or in Tiled, and has `residents.toml`, as ours; an imported
    one has `map.json` and `residents.jsonl`.
    """
    faults = Faults()
    meta = town = None
    remarks: tuple[str, ...] = ()
    rows: tuple[tuple[str, TaskRecord], ...] = ()
    with faults.collect():
        meta = json_record(str(folder / META), TownMeta, read_text(folder / META))
    with faults.collect():
        town, remarks = _find_map(folder)
    before = len(faults)
    people = _read_people(folder, faults)
    complete = len(faults) == before
    before = len(faults)
    with faults.collect():
        rows = json_records(folder / TASKS, TaskRecord, faults)
        if not rows and len(faults) == before:
            faults.add(f"{folder / TASKS}: expected at least one task, found none; add one")
    if town is not None:
        faults.add(*resident_faults(people, town, whole=complete))
    residents = tuple(located.resident for located in people)
    tasks: tuple[SocialTask, ...] = ()
    if town is not None and complete:
        tasks, of_tasks = _check_tasks(rows, residents, town, faults)
        remarks = (*remarks, *of_tasks)
    faults.refuse()
    assert meta is not None
    assert town is not None
    return TownData(meta.name, meta.version, town, residents, tasks, remarks)


def _find_map(folder: Path) -> tuple[TownMap, tuple[str, ...]]:
    """The map of a folder in the form in which it has it, and remarks on it."""
    found = [name for name in (DRAWN, *TILED, MAP) if (folder / name).exists()]
    if len(found) > 1:
        raise ConfigError(f"{folder}: expected one map, found {' and '.join(found)}; keep one")
    if found == [DRAWN]:
        return load_map(folder / DRAWN), ()
    if found and found[0] in TILED:
        return load_tiled(folder / found[0])
    return read_map(read_text(folder / MAP), str(folder / MAP)), ()


def _read_people(folder: Path, faults: Faults) -> tuple[LocatedResident, ...]:
    """The residents whose records can be read."""
    people: tuple[LocatedResident, ...] = ()
    with faults.collect():
        if (folder / BY_HAND).is_file():
            people = read_residents(folder / BY_HAND, faults)
            faults.add(*one_sided_ties(people))
        else:
            people = tuple(
                LocatedResident(
                    resident, RecordLines(str(folder / PEOPLE), int(place.rpartition(" ")[2]), ())
                )
                for place, resident in json_records(folder / PEOPLE, Resident, faults)
            )
    return people


def _check_tasks(
    rows: Sequence[tuple[str, TaskRecord]],
    residents: Sequence[Resident],
    town: TownMap,
    faults: Faults,
) -> tuple[tuple[SocialTask, ...], tuple[str, ...]]:
    """The tasks with their goals in words, and remarks on what is not wrong."""
    names = {resident.id: resident.name for resident in residents}
    ids: set[str] = set()
    tasks: list[SocialTask] = []
    remarks: list[str] = []
    for place, row in rows:
        where, task = f'{place}: task "{row.id}": ', row.task(row.goal)
        if row.id in ids:
            faults.add(f"{where}the id occurs twice; rename one of the two")
        ids.add(row.id)
        faults.add(*(where + fault for fault in task_faults(row, names, town)))
        if row.performer in names:
            try:
                task = row.task(render_goal(row.goal, row, names) if row.is_template else row.goal)
            except ValueError as error:
                faults.add(f"{where}{error}")
            else:
                differing = [where + clause for clause in contradictions(task, residents, town)]
                if row.wording == "imported":
                    remarks += differing
                else:
                    faults.add(*differing)
        tasks.append(task)
    if free := sum(not row.is_template for _, row in rows):
        remarks.append(
            f"{free} of {len(rows)} goals are free text: times, days, numbers of people, names and "
            "places in them were compared with the fields; the rest is not checked"
        )
    return tuple(tasks), tuple(remarks)


def write_town(folder: Path, data: TownData, wording: Wording = "free text") -> None:
    """Write a town for `read_town`: `meta.json`, `map.json`, residents and tasks as JSON lines.

    ConfigError, before anything is written, where `read_town` would refuse it.
    """
    faults = Faults()
    people = [
        LocatedResident(resident, RecordLines(str(folder / PEOPLE), number, ()))
        for number, resident in enumerate(data.residents, 1)
    ]
    records = [
        TaskRecord.model_validate(task.model_dump() | {"wording": wording}) for task in data.tasks
    ]
    faults.add(*resident_faults(people, data.town))
    rows = [(f"{folder / TASKS}, line {n}", record) for n, record in enumerate(records, 1)]
    if not rows:
        faults.add(f"{folder / TASKS}: expected at least one task, found none; add one")
    _check_tasks(rows, data.residents, data.town, faults)
    faults.refuse()
    folder.mkdir(parents=True, exist_ok=True)
    meta = json.dumps({"name": data.name, "version": data.version})
    (folder / META).write_text(meta + "\n", encoding="utf-8")
    (folder / MAP).write_text(format_map(data.town), encoding="utf-8")
    (folder / PEOPLE).write_text(_lines(data.residents), encoding="utf-8")
    (folder / TASKS).write_text(_lines(records), encoding="utf-8")


class Content(Frozen):
    """All that an episode needs to be shown and judged.

    `town` is the map, packed (see `packed`). `residents` are those who live there for this task.
    """

    task: SocialTask
    residents: tuple[Resident, ...] = Field(min_length=1)
    town: str

    def name(self, who: str) -> str:
        """The name of a resident; the id itself if nobody has it."""
        return next((resident.name for resident in self.residents if resident.id == who), who)


@lru_cache(maxsize=256)
def parse_content(content: str) -> Content:
    """Parse a task's content; cached, since world, judge and story of an episode all ask for it."""
    return Content.model_validate_json(content)


def _lines(records: Iterable[BaseModel]) -> str:
    return "".join(record.model_dump_json() + "\n" for record in records)


# ------------------------------------------------------------------ a map as text


class MapRecord(Frozen):
    """A map as text. `places` are "Sector: arena", numbered from 0 in their order.

    `walkable` is a row of tiles each, "." where one can walk and "#" where not; `ground` likewise,
    in the numbers of `Ground`. `arena` is a row each in runs, such as "-1*12 4*5" for twelve tiles
    of no arena and five of place 4. `objects` are by place and kind, on tiles such as "3,4 5,4".
    """

    name: str
    sectors: tuple[str, ...]
    places: tuple[str, ...]
    walkable: tuple[str, ...]
    arena: tuple[str, ...]
    ground: tuple[str, ...]
    objects: dict[str, dict[str, str]]


def format_map(town: TownMap) -> str:
    """The map as indented JSON; equal maps give equal texts."""
    record = MapRecord(
        name=town.name,
        sectors=town.sectors,
        places=tuple(str(place) for place in town.places),
        walkable=tuple("".join(".#"[not free] for free in row) for row in town.walkable.tolist()),
        arena=tuple(_encode_runs(row) for row in town.arena.tolist()),
        ground=tuple("".join(str(kind) for kind in row) for row in town.ground.tolist()),
        objects={
            str(place): {
                kind: " ".join(f"{x},{y}" for x, y in town.standing(place, kind))
                for kind in town.objects(place)
            }
            for place in town.places
        },
    )
    return record.model_dump_json(indent=1) + "\n"


def read_map(text: str | bytes, source: str) -> TownMap:
    """Read what `map_text` wrote; ConfigError, naming `source`, where it is no map."""
    try:
        record = json_record(source, MapRecord, text)
        return TownMap(
            name=record.name,
            sectors=record.sectors,
            places=tuple(_decode_place(name) for name in record.places),
            walkable=_matrix([[sign == "." for sign in row] for row in record.walkable]),
            arena=_matrix([_decode_runs(row) for row in record.arena]),
            objects={
                _decode_place(name): {kind: _decode_tiles(tiles) for kind, tiles in things.items()}
                for name, things in record.objects.items()
            },
            ground=_matrix([[int(sign) for sign in row] for row in record.ground]),
        )
    except ConfigError as error:
        raise ConfigError(f"{source}: {error}") from error
    except ValueError as error:
        raise ConfigError(
            f"{source}: expected rows of tiles as a map is written, but {error}; write it anew"
        ) from error


@lru_cache(maxsize=8)
def pack_map(town: TownMap) -> str:
    """The map's JSON, compressed, as text: about 10 KB for a town of 140 x 100 tiles."""
    return base64.b85encode(zlib.compress(format_map(town).encode(), 9)).decode()


@lru_cache(maxsize=8)
def unpack_map(text: str) -> TownMap:
    """Read a packed map; StoreError if it is none."""
    try:
        return read_map(inflate(base64.b85decode(text)), "the map in the store")
    except (ValueError, zlib.error, binascii.Error) as error:
        raise StoreError(f"the map of a stored task cannot be read ({error})") from error


def _decode_place(name: str) -> Place:
    sector, colon, arena = name.partition(": ")
    if not colon:
        raise ValueError(f'"{name}" is not of the form "Sector: arena"')
    return Place(sector, arena)


def _decode_tiles(text: str) -> tuple[Tile, ...]:
    pairs = (pair.split(",") for pair in text.split())
    return tuple((int(x), int(y)) for x, y in pairs)


def _encode_runs(row: list[int]) -> str:
    return " ".join(f"{number}*{len(list(run))}" for number, run in groupby(row))


def _decode_runs(text: str) -> list[int]:
    pairs = (run.split("*") for run in text.split())
    return [int(number) for number, length in pairs for _ in range(int(length))]


def _matrix(rows: list[list[bool]] | list[list[int]]) -> NDArray[np.int16]:
    if len({len(row) for row in rows}) != 1:
        raise ValueError("the rows are of different lengths")
    return np.array(rows, dtype=np.int16)
