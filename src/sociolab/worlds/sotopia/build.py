"""Make the data that comes with the package: `python -m sociolab.worlds.sotopia.build`.

Written by hand are characters.jsonl, relationships.jsonl, authored.jsonl (60 scenarios) and
templates.json; made from them are scenarios.jsonl (90) and tasks.jsonl (450). A test makes them
again and compares.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from importlib.resources import as_file, files
from pathlib import Path

from sociolab.worlds.sotopia.casting import cast_tasks
from sociolab.worlds.sotopia.json_lines import read_lines
from sociolab.worlds.sotopia.profiles import Character, Record, Relationship
from sociolab.worlds.sotopia.scenarios import Scenario
from sociolab.worlds.sotopia.scene import PACKAGE
from sociolab.worlds.sotopia.templates import TemplateSpec, bargains, friend_searches

SEED = 1


def build(folder: Path) -> Mapping[str, str]:
    """The made files of a data folder, by name."""
    authored = tuple(s for _, s in read_lines(folder / "authored.jsonl", Scenario))
    spec = TemplateSpec.model_validate_json((folder / "templates.json").read_bytes())
    scenarios = (
        *authored,
        *bargains(spec.bargains, SEED),
        *friend_searches(spec.friend_searches, SEED),
    )
    characters = {c.id: c for _, c in read_lines(folder / "characters.jsonl", Character)}
    relationships = [r for _, r in read_lines(folder / "relationships.jsonl", Relationship)]
    tasks = cast_tasks(scenarios, characters, relationships, seed=SEED)
    return {"scenarios.jsonl": _lines(scenarios), "tasks.jsonl": _lines(tasks)}


def _lines(records: Iterable[Record]) -> str:
    return "".join(_line(record) for record in records)


def _line(record: Record) -> str:
    """One record as JSON, without its empty fields."""
    row = {key: value for key, value in record.model_dump(mode="json").items() if value}
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n"


def main() -> None:
    """Write the made files beside the others, in a source tree."""
    with as_file(files(PACKAGE) / "data") as folder:
        for name, text in build(folder).items():
            (folder / name).write_text(text, "utf-8")
            sys.stdout.write(f"{folder / name}: {text.count(chr(10))} records\n")


if __name__ == "__main__":
    main()
