"""`import_stss`: the public map, personas and tasks of STSS as a town of ours."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from sociolab.core.errors import ConfigError
from sociolab.worlds.stss.dataset import TownData, write_town
from sociolab.worlds.stss.importing.defects import Defect, told
from sociolab.worlds.stss.importing.drafts import Known
from sociolab.worlds.stss.importing.files import SourceFiles, find_files
from sociolab.worlds.stss.importing.knowing import taught
from sociolab.worlds.stss.importing.people import read_people
from sociolab.worlds.stss.importing.place_names import PlaceNames
from sociolab.worlds.stss.importing.raw_tasks import read_tasks
from sociolab.worlds.stss.importing.starts import told_at_start
from sociolab.worlds.stss.importing.tasks import make_tasks
from sociolab.worlds.stss.importing.ville import read_ville

LICENSE = "Apache-2.0, as its authors declare"
SOURCE = "the public data of STSS (arXiv 2404.05337), from Generative Agents (arXiv 2304.03442)"
ABOUT = "about.json"


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What was imported, what was wrong with it, and which tasks (by number) were left out."""

    corrected: bool
    sectors: int
    arenas: int
    kinds_of_object: int
    residents: int
    tasks: int
    tasks_read: int
    left_out: tuple[int, ...]
    defects: tuple[Defect, ...]
    lines: tuple[str, ...]
    """The report to print: what there is, then one line for each kind of defect."""


def import_stss(source: Path, target: Path, name: str, *, correct: bool = False) -> ImportReport:
    """Import the public files below `source` into the new folder `target`, whole or not at all.

    With `correct` what can be mended is mended, and all tasks are played; without it the tasks
    stay as they are, and those that nobody could play are left out. Both find the same defects,
    which are written beside the data, in `about.json`.
    ConfigError with file, and line or index, for whatever cannot be read.
    """
    if target.exists():
        raise ConfigError(f"{target} exists already; import under another name, or remove it")
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
    known = Known(names, ids, told_at_start(files.starts, raw))
    made = make_tasks(raw, known, correct=correct)
    if not made.tasks:
        raise ConfigError(
            f"{files.tasks[0]}: expected a task that can be played on this map, found none; "
            "correct them on import, or mend the files"
        )
    residents = taught(people.residents, raw, names)
    data = TownData(name, _version(files, correct=correct), ville.town, residents, made.tasks)
    defects = (*ville.defects, *people.defects, *made.defects)
    return data, _report(data, len(raw), made.left_out, defects, correct=correct)


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
    return ImportReport(
        corrected=correct,
        sectors=len(town.sectors),
        arenas=len(town.places),
        kinds_of_object=len(kinds),
        residents=len(data.residents),
        tasks=len(data.tasks),
        tasks_read=tasks_read,
        left_out=left_out,
        defects=defects,
        lines=(first, *_remark(left_out, defects, correct=correct), *told(defects)),
    )


def _remark(
    left_out: tuple[int, ...], defects: Sequence[Defect], *, correct: bool
) -> tuple[str, ...]:
    """Which tasks were left out, and what was done with the defects of the others."""
    lines = []
    if left_out:
        numbers = ", ".join(str(number) for number in left_out)
        lines.append(f"left out, as nobody could play them: task {numbers}")
    of_tasks = sum(defect.where.startswith("task ") for defect in defects)
    if of_tasks:
        done = "corrected" if correct else "left as they are; --correct mends what can be mended"
        lines.append(f"{of_tasks} defects of tasks, {done} (each in {ABOUT})")
    return tuple(lines)


def _version(files: SourceFiles, *, correct: bool) -> str:
    """A digest of the files that were read, and whether they were corrected."""
    sums = [hashlib.sha256(path.read_bytes()).hexdigest() for path in files.read]
    whole = hashlib.sha256("".join(sums).encode()).hexdigest()[:16]
    return f"{whole}-corrected" if correct else whole


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
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=target.parent, prefix=".importing-") as partial:
            folder = Path(partial) / "data"
            write_town(folder, data)
            text = json.dumps(about, ensure_ascii=False, indent=2) + "\n"
            (folder / ABOUT).write_text(text, "utf-8")
            os.replace(folder, target)
    except OSError as error:
        raise ConfigError(f"{target} cannot be written ({error.strerror})") from error
