"""Examples from a transcript that somebody marked by hand (docs/import-dnd.md).

DM: Petra
Players: Ines = Bramble, Otto = Sorrel

Petra: The stairs end at a door.
Otto: I put my ear to it.
[check: Sorrel, perception]
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sociolab.core.errors import ConfigError
from sociolab.plugin.importing import file_text
from sociolab.worlds.anteval.importing.dnd import ImportedPlay, keep
from sociolab.worlds.anteval.session import SKILLS
from sociolab.worlds.anteval.virtual_dm.example import DM, Example, Label, Turn, names_skill

CONTEXT = 30
"""An example holds at most so many turns."""

_MARK = re.compile(r"\[\s*check\s*:([^,\]]+),([^,\]]+)\]", re.IGNORECASE)
_HEADERS = ("dm", "players", "others")


def import_transcript(source: Path, target: Path) -> tuple[str, ...]:
    """A marked transcript, or a folder of them, into the new folder `target`."""
    files = transcript_files(source)
    examples = tuple(example for file in files for example in read_transcript(file))
    read = {"transcripts": len(files)}
    found = ImportedPlay(
        "dnd-transcript", examples, read, {}, "as the transcripts' authors declare"
    )
    return keep(found, source, files, target)


@dataclass(frozen=True, slots=True)
class _Table:
    """Who may speak: what is written in the file -> the speaker. `characters` in their order."""

    voices: Mapping[str, str]
    characters: tuple[str, ...]


@dataclass(slots=True)
class _Reading:
    """What was read of the file so far: turns, and the mark that the last lines are part of."""

    table: _Table
    turns: list[Turn] = field(default_factory=list)
    marks: list[tuple[int, int, set[Label]]] = field(default_factory=list)
    """(line, number of turns before, labels) of each run of marks."""


def transcript_files(source: Path) -> tuple[Path, ...]:
    """The transcript itself, or all `.txt` files of a folder; ConfigError if there is none."""
    if not source.is_dir():
        return (source,)
    found = tuple(sorted(source.glob("*.txt")))
    if not found:
        raise ConfigError(f"{source}: expected transcripts (*.txt), and found none")
    return found


def read_transcript(path: Path) -> tuple[Example, ...]:
    """The examples of a transcript: for each run of marks, the play before, at most 30 turns.

    ConfigError with file and line: a header without DM or players, a speaker who is not named
    there, a mark that cannot be read, an unknown skill, a character not at the table, a mark
    before any play, a file without marks.
    """
    lines = file_text(path).splitlines()
    headers, first = _headers(path, lines)
    reading = _Reading(_table(path, headers))
    for number, line in enumerate(lines[first:], start=first + 1):
        if line.strip():
            _read(reading, f"{path}, line {number}", number, line)
    if not reading.marks:
        raise ConfigError(f'{path}: expected at least one mark such as "[check: NAME, SKILL]"')
    return tuple(_example(path.stem, reading, *mark) for mark in reading.marks)


def _headers(path: Path, lines: list[str]) -> tuple[dict[str, tuple[str, str]], int]:
    """The header lines, as name -> (place, words), and the index of the first line after them."""
    found: dict[str, tuple[str, str]] = {}
    for index, line in enumerate(lines):
        name, colon, words = line.partition(":")
        key = name.strip().casefold()
        if line.strip() and (not colon or key not in _HEADERS or key in found):
            break
        if line.strip():
            found[key] = (f"{path}, line {index + 1}", words.strip())
    else:
        index = len(lines)
    for key, example in (("dm", "DM: NAME"), ("players", "Players: NAME = CHARACTER, ...")):
        if not found.get(key, ("", ""))[1]:
            raise ConfigError(f'{path}: expected a line "{example}" at the beginning')
    return found, index


def _table(path: Path, headers: Mapping[str, tuple[str, str]]) -> _Table:
    voices: dict[str, str] = {}
    place, players = headers["players"]
    seats = [_seat(place, seat) for seat in players.split(",")]
    names = [(player, character) for player, character in seats]
    names += [(character, character) for _, character in seats]
    names += [(headers["dm"][1], DM), (DM, DM)]
    names += [
        (other.strip(), other.strip()) for other in headers.get("others", ("", ""))[1].split(",")
    ]
    for written, speaker in names:
        if written and voices.setdefault(written.casefold(), speaker) != speaker:
            raise ConfigError(f'{place}: "{written}" is the name of two people; rename one')
    return _Table(voices, tuple(character for _, character in seats))


def _seat(place: str, words: str) -> tuple[str, str]:
    player, equals, character = (part.strip() for part in words.partition("="))
    if not (player and equals and character):
        raise ConfigError(f'{place}: expected "NAME = CHARACTER", found "{words.strip()}"')
    return player, character


def _read(reading: _Reading, place: str, number: int, line: str) -> None:
    if line.lstrip().startswith("["):
        _mark(reading, place, number, line.strip())
    elif line[0] in " \t":
        _go_on(reading, place, line.strip())
    else:
        reading.turns.append(_turn(reading.table, place, line))


def _turn(table: _Table, place: str, line: str) -> Turn:
    name, colon, words = line.partition(":")
    speaker = table.voices.get(name.strip().casefold())
    if not colon or speaker is None:
        raise ConfigError(
            f'{place}: expected a line "NAME: words" by somebody named in the header, found '
            f'"{line[:40]}"; indent it if it continues the turn before'
        )
    return Turn(speaker, words.strip())


def _go_on(reading: _Reading, place: str, words: str) -> None:
    marked = reading.marks and reading.marks[-1][1] == len(reading.turns)
    if not reading.turns or marked:
        raise ConfigError(
            f"{place}: an indented line continues a turn, and there is none before it"
        )
    last = reading.turns[-1]
    reading.turns[-1] = Turn(last.speaker, f"{last.text} {words}".strip())


def _mark(reading: _Reading, place: str, number: int, words: str) -> None:
    label = _label(reading.table, place, words)
    before = len(reading.turns)
    if not before:
        raise ConfigError(f"{place}: a check is marked before anybody has spoken")
    if reading.marks and reading.marks[-1][1] == before:
        reading.marks[-1][2].add(label)
    else:
        reading.marks.append((number, before, {label}))


def _label(table: _Table, place: str, words: str) -> Label:
    found = _MARK.fullmatch(words)
    if found is None:
        raise ConfigError(f'{place}: expected "[check: CHARACTER, SKILL]", found "{words[:60]}"')
    name, skill = found[1].strip(), " ".join(found[2].casefold().split())
    character = table.voices.get(name.casefold())
    if character not in table.characters:
        seated = ", ".join(table.characters)
        raise ConfigError(f'{place}: "{name}" is not at the table; expected one of {seated}')
    if skill not in SKILLS:
        raise ConfigError(
            f'{place}: there is no skill "{skill}"; expected one of {", ".join(SKILLS)}'
        )
    return Label(character, skill)


def _example(
    episode: str, reading: _Reading, line: int, before: int, labels: set[Label]
) -> Example:
    turns = tuple(reading.turns[max(0, before - CONTEXT) : before])
    return Example(
        id=f"{episode}_{line:05d}",
        group=episode,
        turns=turns,
        candidates=reading.table.characters,
        labels=frozenset(labels),
        strict=not names_skill(turns, [label.skill for label in labels]),
    )
