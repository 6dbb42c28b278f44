"""`import_sotopia`: SOTOPIA's public profile files into a data set of ours, whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import BaseModel

from sociolab.core.errors import ConfigError
from sociolab.core.seeding import digest
from sociolab.worlds.sotopia.importing.public_data import (
    PUBLIC_HARD,
    PublicData,
    profiles_folder,
    read_public_data,
)
from sociolab.worlds.sotopia.importing.quirks import Quirk, Quirks, told

LICENSE = "as its authors declare: CC BY-SA 4.0"
SOURCE = "SOTOPIA's public data (Zhou et al., ICLR 2024, arXiv 2310.11667)"


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What was imported, and which quirks were met how often."""

    characters: int
    relationship_rows: int
    pairs: int
    scenarios: int
    scenarios_with_facts: int
    tasks: int
    hard_tasks: int
    quirks: tuple[tuple[Quirk, int], ...]
    lines: tuple[str, ...]
    """The report to print: one line for what there is, then one for each quirk."""


def import_sotopia(
    source: Path, target: Path, name: str, *, strategy_hints: bool = True
) -> ImportReport:
    """Import the profile files in `source` (or in `source/profiles`) into the new folder `target`.

    Hints at a strategy are kept, as the public benchmark shows them to its agents, unless
    `strategy_hints` is false (the paper's appendix D.2 wants none in a goal). ConfigError with file
    and line for whatever cannot be read; a failed import leaves nothing behind.
    """
    if target.exists():
        raise ConfigError(f"{target} exists already; import under another name, or remove it")
    quirks = Quirks()
    data = read_public_data(profiles_folder(source), quirks, strategy_hints=strategy_hints)
    report = _report(data, quirks)
    _write(data, target, name, report)
    return report


def _report(data: PublicData, quirks: Quirks) -> ImportReport:
    hard = sum(PUBLIC_HARD in task.tags for task in data.tasks)
    facts = sum(scene.goals[0].facts is not None for scene in data.scenarios.values())
    first = (
        f"{len(data.characters)} characters, {data.relationship_rows} relationship rows of "
        f"{len(data.relationships)} pairs, "
        f"{len(data.scenarios)} scenarios ({facts} with goals that have a formula), "
        f"{len(data.tasks)} tasks ({hard} on the {len(data.hard)} hard scenarios)"
    )
    return ImportReport(
        characters=len(data.characters),
        relationship_rows=data.relationship_rows,
        pairs=len(data.relationships),
        scenarios=len(data.scenarios),
        scenarios_with_facts=facts,
        tasks=len(data.tasks),
        hard_tasks=hard,
        quirks=tuple((quirk, quirks[quirk]) for quirk in Quirk if quirks[quirk]),
        lines=(first, *told(quirks)),
    )


def _write(data: PublicData, target: Path, name: str, report: ImportReport) -> None:
    """The data set in a folder of its own, which gets its name when it is complete."""
    files = {
        "characters.jsonl": _lines(data.characters.values()),
        "relationships.jsonl": _lines(data.relationships.values()),
        "scenarios.jsonl": _lines(data.scenarios.values()),
        "tasks.jsonl": _lines(data.tasks),
    }
    meta = {
        "name": name,
        "version": digest(*files.values()),
        "license": LICENSE,
        "source": SOURCE,
        "notes": report.lines,
    }
    files["meta.json"] = json.dumps(meta, ensure_ascii=False, indent=2) + "\n"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=target.parent, prefix=".importing-") as partial:
            folder = Path(partial) / "data"
            folder.mkdir()
            for file, text in files.items():
                (folder / file).write_text(text, "utf-8")
            os.replace(folder, target)
    except OSError as error:
        raise ConfigError(f"{target} cannot be written ({error.strerror})") from error


def _lines(items: Iterable[BaseModel]) -> str:
    """Records as JSON lines, without the fields that are not set."""
    return "".join(item.model_dump_json(exclude_none=True) + "\n" for item in items)
