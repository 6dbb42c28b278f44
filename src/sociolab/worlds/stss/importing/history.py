"""What the personas of Generative Agents remember at the start, and whom they know by it."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from difflib import get_close_matches
from io import StringIO
from pathlib import Path

from sociolab.core.errors import ConfigError
from sociolab.core.reading import file_text
from sociolab.town.residents import Resident
from sociolab.worlds.stss.importing.village import Defect, DefectKind

COLUMNS = ("Name", "Whisper")
CLOSE = 0.85
"""A name that is at least so like a resident's is a slip for it (difflib's ratio; 0-1)."""

_NAME = re.compile(r"\b[A-Z]\w+ [A-Z]\w+\b")
_CLOCK = re.compile(r"\b\d{1,2}(?::\d\d| ?[ap]\.?m)\b", re.IGNORECASE)


def with_history(
    residents: Sequence[Resident], path: Path | None, *, correct: bool
) -> tuple[tuple[Resident, ...], tuple[Defect, ...]]:
    """The residents with their seed memories, and a tie to everybody whom one of these names.

    The names of residents are put right. With `correct`, memories of an event at a stated time are
    left out: the tasks fix the events. ConfigError with file and line where it cannot be read.
    """
    if path is None:
        return tuple(residents), ()
    names = [one.name for one in residents]
    memories: dict[str, tuple[str, ...]] = {}
    defects: list[Defect] = []
    for name, whispers in _rows(path):
        if name not in names:
            defects.append(Defect(DefectKind.NOBODYS_HISTORY, name, "Name", path.name, "left out"))
            continue
        kept = []
        for written in filter(None, (" ".join(one.split()) for one in whispers.split(";"))):
            text, slips = _put_right(written, names)
            defects += [Defect(DefectKind.MISSPELT_NAME, name, "Whisper", *slip) for slip in slips]
            if _CLOCK.search(text):
                remedy = "left out with --correct, else kept"
                defects.append(Defect(DefectKind.DATED_MEMORY, name, "Whisper", text, remedy))
                if correct:
                    continue
            kept.append(text)
        memories[name] = tuple(kept)
    return tuple(_with(one, memories.get(one.name, ()), names) for one in residents), tuple(defects)


def _rows(path: Path) -> list[tuple[str, str]]:
    rows = csv.DictReader(StringIO(file_text(path)))
    if tuple(rows.fieldnames or ()) != COLUMNS:
        raise ConfigError(
            f"{path}, line 1: expected the columns {' and '.join(COLUMNS)}, found "
            f"{', '.join(rows.fieldnames or ()) or 'nothing'}; fetch the file again"
        )
    found = []
    for row in rows:
        if not row["Name"] or row["Whisper"] is None or None in row:
            raise ConfigError(
                f"{path}, line {rows.line_num}: expected a name and what it remembers; mend it"
            )
        found.append((row["Name"].strip(), row["Whisper"]))
    return found


def _put_right(text: str, names: Sequence[str]) -> tuple[str, list[tuple[str, str]]]:
    """The text with residents' names as they are written elsewhere; each slip with its remedy."""
    slips: dict[str, str] = {}

    def right(found: re.Match[str]) -> str:
        written = found[0]
        if written not in names:
            for close in get_close_matches(written, names, n=1, cutoff=CLOSE):
                slips[written] = close
        return slips.get(written, written)

    return _NAME.sub(right, text), list(slips.items())


def _with(resident: Resident, memories: tuple[str, ...], names: Sequence[str]) -> Resident:
    ties = {}
    for name in names:
        known = [text for text in memories if re.search(rf"\b{re.escape(name)}\b", text)]
        if known and name != resident.name:
            ties[name] = tie_in(known, name)
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
            if found := re.search(pattern, memory, re.IGNORECASE):
                return found[1]
    return memories[0]
