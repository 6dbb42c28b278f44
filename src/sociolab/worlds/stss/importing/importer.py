"""Imports the public map, personas, seed memories and tasks of STSS as a town."""

from __future__ import annotations

import csv
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from io import StringIO
from pathlib import Path

from pydantic import ConfigDict, Field, RootModel

from sociolab.core.errors import ConfigError
from sociolab.core.reading import ForeignRecord, json_file, read_text, record
from sociolab.core.user_files import writing
from sociolab.town.residents import Resident
from sociolab.worlds.stss.dataset import TownData, write_town
from sociolab.worlds.stss.importing.tasks import Numbered, TownFacts, make_tasks, read_tasks
from sociolab.worlds.stss.importing.village import (
    Defect,
    DefectKind,
    PlaceNames,
    SourceFiles,
    describe_defects,
    find_files,
    read_ville,
    slug,
)
from sociolab.worlds.stss.task import ordinary_activities

COLUMNS = ("Name", "Whisper")
CLOSE = 0.85
"""A name that is at least so like a resident's is a slip for it (difflib's ratio; 0-1)."""

_NAME = re.compile(r"\b[A-Z]\w+ [A-Z]\w+\b")
_CLOCK = re.compile(r"\b\d{1,2}(?::\d\d| ?[ap]\.?m)\b", re.IGNORECASE)


def add_history(
    residents: Sequence[Resident], path: Path | None, *, correct: bool
) -> tuple[tuple[Resident, ...], tuple[Defect, ...]]:
    """Add seed memories, and a tie to everybody whom one of them names.

    Residents' names are corrected. With `correct`, memories of an event at a stated time are left
    out, since the tasks fix the events. ConfigError with file and line where it cannot be read.
    """
    if path is None:
        return tuple(residents), ()
    names = [resident.name for resident in residents]
    memories: dict[str, tuple[str, ...]] = {}
    defects: list[Defect] = []
    for name, whispers in _read_whispers(path):
        if name not in names:
            defects.append(Defect(DefectKind.NOBODYS_HISTORY, name, "Name", path.name, "left out"))
            continue
        remembered = []
        for written in filter(None, (" ".join(whisper.split()) for whisper in whispers.split(";"))):
            text, slips = _correct_names(written, names)
            defects += [Defect(DefectKind.MISSPELT_NAME, name, "Whisper", *slip) for slip in slips]
            if _CLOCK.search(text):
                remedy = "left out with --correct, else kept"
                defects.append(Defect(DefectKind.DATED_MEMORY, name, "Whisper", text, remedy))
                if correct:
                    continue
            remembered.append(text)
        memories[name] = (*memories.get(name, ()), *remembered)
    with_memories = (_add_memories(each, memories.get(each.name, ()), names) for each in residents)
    return tuple(with_memories), tuple(defects)


def _read_whispers(path: Path) -> list[tuple[str, str]]:
    rows = csv.DictReader(StringIO(read_text(path)))
    if tuple(rows.fieldnames or ()) != COLUMNS:
        raise ConfigError(
            f"{path}, line 1: expected the columns {' and '.join(COLUMNS)}, found "
            f"{', '.join(rows.fieldnames or ()) or 'nothing'}; fetch the file again"
        )
    whispers = []
    for row in rows:
        if not row["Name"] or row["Whisper"] is None or None in row:
            raise ConfigError(
                f"{path}, line {rows.line_num}: expected a name and what it remembers; mend it"
            )
        whispers.append((row["Name"].strip(), row["Whisper"]))
    return whispers


def _correct_names(text: str, names: Sequence[str]) -> tuple[str, list[tuple[str, str]]]:
    """The text with residents' names spelt as elsewhere; each slip with its correction."""
    slips: dict[str, str] = {}

    def right(match: re.Match[str]) -> str:
        written = match[0]
        if written not in names:
            for close in get_close_matches(written, names, n=1, cutoff=CLOSE):
                slips[written] = close
        return slips.get(written, written)

    return _NAME.sub(right, text), list(slips.items())


def _add_memories(resident: Resident, memories: tuple[str, ...], names: Sequence[str]) -> Resident:
    ties = {}
    for name in names:
        mentions = [text for text in memories if re.search(rf"\b{re.escape(name)}\b", text)]
        if mentions and name != resident.name:
            ties[name] = tie_in(mentions, name)
    return resident.model_copy(update={"memories": memories, "ties": ties})


def tie_in(memories: Sequence[str], name: str) -> str:
    """What somebody is to the one who remembers this: in the words of a memory that says so, else
    the first memory that names them.

    >>> tie_in(["You met Ada Quill, your neighbour, last May"], "Ada Quill")
    'your neighbour'
    """
    who = re.escape(name)
    for pattern in (
        rf"^{who} is (.+)",
        rf"^you and {who} are (.+)",
        rf"\b{who}, (your [^,]+)",
        rf"\b(your [^,]+), {who}(?! and)",
    ):
        for memory in memories:
            if match := re.search(pattern, memory, re.IGNORECASE):
                return match[1]
    return memories[0]


LICENSE = "Apache-2.0, as its authors declare"
SOURCE = "the public data of STSS (arXiv 2404.05337), from Generative Agents (arXiv 2304.03442)"
ABOUT = "about.json"
UNCORRECTED = (DefectKind.ORDINARY_FILTER, DefectKind.MISSED_FORM)
"""Told and never corrected: tasks are scored by their own filters."""


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What was wrong with what was imported, and which tasks (by number) were left out."""

    corrected: bool
    left_out: tuple[int, ...]
    defects: tuple[Defect, ...]
    lines: tuple[str, ...]
    """The report to print: what there is, then one line for each kind of defect."""


def import_stss(source: Path, target: Path, name: str, *, correct: bool = False) -> ImportReport:
    """Import the public files below `source` into the new folder `target`, all or nothing.

    With `correct` known defects are fixed where possible, and all tasks are kept; without it tasks
    stay as they are, and unplayable ones are left out. Both find the same defects, which are
    written beside the data, in `about.json`. ConfigError with file, and line or index, for whatever
    cannot be read.
    """
    files = find_files(source)
    data, report = _read(files, name, correct=correct)
    _write(data, report, source, target)
    return report


def _read(files: SourceFiles, name: str, *, correct: bool) -> tuple[TownData, ImportReport]:
    ville = read_ville(files)
    names = PlaceNames(ville.town)
    people = read_people(files, names)
    raw = read_tasks(files.tasks)
    ids = {resident.name: resident.id for resident in people.residents}
    days = {resident.name: ordinary_activities(resident) for resident in people.residents}
    imported = make_tasks(raw, TownFacts(names, ids, days), correct=correct)
    if not imported.tasks:
        raise ConfigError(
            f"{files.tasks[0]}: expected a task that can be played on this map, found none; "
            "correct them on import, or mend the files"
        )
    learnt = teach_places(people.residents, raw, names)
    residents, slips = add_history(learnt, files.history, correct=correct)
    data = TownData(name, _version(files, correct=correct), ville.town, residents, imported.tasks)
    defects = (*ville.defects, *people.defects, *slips, *imported.defects)
    return data, _report(data, len(raw), imported.left_out, defects, correct=correct)


def _report(
    data: TownData,
    tasks_read: int,
    left_out: tuple[int, ...],
    defects: tuple[Defect, ...],
    *,
    correct: bool,
) -> ImportReport:
    town = data.town
    kinds = {thing for place in town.places for thing in town.objects(place)}
    first = (
        f"{len(town.sectors)} sectors, {len(town.places)} arenas, {len(kinds)} kinds of object, "
        f"{len(data.residents)} residents, {len(data.tasks)} of {tasks_read} tasks"
    )
    memories, ties = (
        sum(map(len, column))
        for column in zip(
            *((resident.memories, resident.ties) for resident in data.residents), strict=True
        )
    )
    remembered = (f"{memories} seed memories and {ties} ties",) if memories else ()
    return ImportReport(
        corrected=correct,
        left_out=left_out,
        defects=defects,
        lines=(
            first,
            *remembered,
            *_remark(left_out, defects, correct=correct),
            *describe_defects(defects),
        ),
    )


def _remark(
    left_out: tuple[int, ...], defects: Sequence[Defect], *, correct: bool
) -> tuple[str, ...]:
    """Which tasks were left out, and what was done about the defects of the others."""
    lines = []
    if left_out:
        numbers = ", ".join(str(number) for number in left_out)
        lines.append(f"left out, as nobody could play them: task {numbers}")
    of_tasks = sum(
        defect.where.startswith("task ") and defect.kind not in UNCORRECTED for defect in defects
    )
    if of_tasks:
        done = "corrected" if correct else "left as they are; --correct mends what can be mended"
        lines.append(f"{of_tasks} defects of tasks, {done} (each in {ABOUT})")
    return tuple(lines)


def _version(files: SourceFiles, *, correct: bool) -> str:
    """A digest of the files that were read, and whether they were corrected."""
    sums = [hashlib.sha256(path.read_bytes()).hexdigest() for path in files.read]
    checksum = hashlib.sha256("".join(sums).encode()).hexdigest()[:16]
    return f"{checksum}-corrected" if correct else checksum


def _write(data: TownData, report: ImportReport, source: Path, target: Path) -> None:
    about = {
        "source": SOURCE,
        "folder": source.resolve().name,
        "license": LICENSE,
        "corrected": report.corrected,
        "left_out": report.left_out,
        "notes": report.lines,
        "defects": [defect.as_fields() for defect in report.defects],
    }
    with writing(target):
        target.mkdir(parents=True)
        write_town(target, data, "imported")
        text = json.dumps(about, ensure_ascii=False, indent=2) + "\n"
        (target / ABOUT).write_text(text, "utf-8")


# ------------------------------------------------------------------ personas


class _Town(ForeignRecord):
    """`meta.json`: who lives in the town."""

    persona_names: tuple[str, ...] = Field(min_length=1)


class _Persona(ForeignRecord):
    """`scratch.json`: what a persona is like before anything has happened."""

    name: str = Field(min_length=1)
    age: int = Field(ge=0, le=120)
    innate: str
    learned: str
    currently: str
    lifestyle: str
    living_area: str
    daily_plan_req: str = ""


class SpatialMemory(RootModel[dict[str, dict[str, dict[str, tuple[str, ...]]]]]):
    """World -> sector -> arena -> objects."""

    model_config = ConfigDict(frozen=True)


@dataclass(frozen=True, slots=True)
class People:
    """The residents in the order of the town's list, and what was wrong with their records."""

    residents: tuple[Resident, ...]
    defects: tuple[Defect, ...]


def read_people(files: SourceFiles, names: PlaceNames) -> People:
    """The residents; ConfigError with file where a persona is missing, broken or homeless.

    `knows` is the spatial memory by arena, the home included; places that are not on the map are
    left out of it, and reported.
    """
    names_in_town = record(str(files.people), _Town, json_file(files.people)).persona_names
    residents: dict[str, Resident] = {}
    defects: list[Defect] = []
    for name in names_in_town:
        resident, persona_defects = _read_resident(files.personas / name, names)
        if resident.id in residents:
            raise ConfigError(f"{files.people}: {name!r} comes a second time; remove one of them")
        residents[resident.id] = resident
        defects += persona_defects
    return People(tuple(residents.values()), tuple(defects))


def known_places(
    memory: Mapping[str, Mapping[str, object]], names: PlaceNames
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The places of sector -> arena in the map's spelling, and those that the map lacks."""
    on_map: dict[str, None] = {}
    lost: dict[str, None] = {}
    for sector, arenas in memory.items():
        for written in [f"{sector}: {arena}" for arena in arenas] or [sector]:
            place = names.resolve(written)
            (on_map if place else lost)[place or written] = None
    return tuple(on_map), tuple(lost)


def _read_resident(folder: Path, names: PlaceNames) -> tuple[Resident, tuple[Defect, ...]]:
    file = _persona_file(folder, "scratch.json")
    raw = record(str(file), _Persona, json_file(file))
    home = names.resolve(raw.living_area)
    if ": " not in home:
        raise ConfigError(
            f"{file}: living_area: expected a room of the map, found {raw.living_area!r}; mend it"
        )
    memory_file = _persona_file(folder, "spatial_memory.json")
    worlds = record(str(memory_file), SpatialMemory, json_file(memory_file)).root
    on_map, lost = known_places(
        {s: a for world in worlds.values() for s, a in world.items()}, names
    )
    fields = {
        "id": slug(raw.name),
        "name": " ".join(raw.name.split()),
        "age": raw.age,
        "innate": raw.innate,
        "learned": raw.learned,
        "currently": raw.currently,
        "lifestyle": raw.lifestyle,
        "living_area": home,
        "routine": raw.daily_plan_req.strip(),
        "knows": tuple(dict.fromkeys((*on_map, home))),
    }
    resident = record(str(file), Resident, fields)
    return resident, _knowledge_defects(resident, on_map, lost)


def _persona_file(folder: Path, name: str) -> Path:
    """A file in the persona's folder, or where a clone of the repository has it."""
    deeper = folder / "bootstrap_memory" / name
    return deeper if deeper.exists() else folder / name


def _knowledge_defects(
    resident: Resident, on_map: tuple[str, ...], lost: tuple[str, ...]
) -> tuple[Defect, ...]:
    who, field = resident.name, "spatial_memory"
    defects = [
        Defect(DefectKind.UNKNOWN_KNOWLEDGE, who, field, place, "left out") for place in lost
    ]
    if resident.living_area not in on_map:
        home = resident.living_area
        defects.append(Defect(DefectKind.HOME_UNKNOWN, who, field, f"no {home}", "they know it"))
    return tuple(defects)


def teach_places(
    residents: Sequence[Resident], tasks: Sequence[Numbered], names: PlaceNames
) -> tuple[Resident, ...]:
    """The residents with places that some tasks add for the whole cast, or for its performer.

    Residents are the same in all tasks, so what one task adds holds in the others as well. A task's
    own places need no adding: the performer learns of them with the task (`SocialTask.given_to`).
    """
    added: dict[str, dict[str, None]] = {resident.name: {} for resident in residents}
    for task in tasks:
        raw = task.raw
        of_all, _ = known_places(raw.shared_spatial_mem, names)
        of_one, _ = known_places(raw.required_spatial_mem, names)
        for name in raw.all_chars:
            added.get(name, {}).update(dict.fromkeys(of_all))
        added.get(raw.performer, {}).update(dict.fromkeys(of_one))
    return tuple(
        resident.model_copy(
            update={"knows": tuple(dict.fromkeys((*resident.knows, *added[resident.name])))}
        )
        for resident in residents
    )
