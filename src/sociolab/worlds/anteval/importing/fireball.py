"""Examples from FIREBALL's records of play over Avrae, a bot that rolls on command."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from sociolab.core.errors import ConfigError
from sociolab.plugin.importing import ForeignRecord, json_lines, record
from sociolab.worlds.anteval.importing.dnd import ImportedPlay, keep
from sociolab.worlds.anteval.session import ABILITIES, SKILLS
from sociolab.worlds.anteval.virtual_dm.example import Example, Label, Turn, names_skill

CONTEXT = 30
"""An example holds at most so many turns."""

SHORTEST = 3
"""An abbreviation has at least so many letters."""

_CHECK = re.compile(r"!\s*(?:i(?:nit)?\s+)?(?:check|c)\s+(?:\"([^\"]+)\"|'([^']+)'|(\S+))", re.I)
_SHORT = {"soh": "sleight of hand"}


class _Actor(ForeignRecord):
    name: str
    class_name: Annotated[str | None, Field(alias="class")] = None


class _Record(ForeignRecord):
    before_utterances: tuple[str, ...]
    after_utterances: tuple[str, ...] = ()
    combat_state_before: tuple[_Actor, ...]
    commands_norm: tuple[str, ...]
    caster_after: _Actor
    before_idxs: tuple[int, ...] | None = None
    after_idxs: tuple[int, ...] | None = None


def import_fireball(source: Path, target: Path) -> tuple[str, ...]:
    """FIREBALL's records, a file or a folder of them, into the new folder `target`."""
    files = session_files(source)
    examples: list[Example] = []
    read: Counter[str] = Counter()
    dropped: Counter[str] = Counter()
    for file in files:
        session = read_session(file)
        examples += session.examples
        dropped.update(session.dropped)
        read.update({"sessions": 1, "records": session.records})
    found = ImportedPlay(
        "fireball", tuple(examples), read, dict(dropped.most_common()), "CC BY 4.0"
    )
    return keep(found, source, files, target)


@dataclass(frozen=True, slots=True)
class FireballSession:
    """The examples of one file, how many records it holds, and what gave none, by reason."""

    examples: tuple[Example, ...]
    records: int
    dropped: Mapping[str, int]


def session_files(source: Path) -> tuple[Path, ...]:
    """The files of sessions: `source` itself, or those in it or in `filtered` below it."""
    if source.is_file():
        return (source,)
    for folder in (source / "filtered", source):
        found = [*folder.glob("*.jsonl"), *folder.glob("*.jsonl.gz")]
        if found:
            return tuple(sorted(found, key=lambda path: path.name))
    raise ConfigError(
        f"{source}: expected a file of FIREBALL's records, or a folder with files such as "
        "filtered/*.jsonl, and found none"
    )


def read_session(path: Path) -> FireballSession:
    """The examples of a session: a file of records in the order in which they were played.

    A record gives an example where its commands hold a check of a skill and its caster is a
    player's character. The context is what was said before in the session. ConfigError with file
    and line where a line is not such a record.
    """
    name = path.name.split(".")[0]
    dropped: Counter[str] = Counter()
    examples = []
    said: list[Turn] = []
    heard: set[int] = set()
    records = 0
    for number, (place, fields) in enumerate(json_lines(path), start=1):
        row = record(place, _Record, fields)
        records = number
        said += _new(row.caster_after.name, row.before_utterances, row.before_idxs, heard)
        found = _example(f"{name}_{number:05d}", name, row, said)
        if isinstance(found, Example):
            examples.append(found)
        elif found:
            dropped[found] += 1
        said += _new(row.caster_after.name, row.after_utterances, row.after_idxs, heard)
    if not records:
        raise ConfigError(f"{path} is empty; expected JSON lines")
    return FireballSession(tuple(examples), records, dropped)


def checked_skill(words: str) -> str | None:
    """The skill that a check command names, in full or by its unique beginning; None if none.

    >>> checked_skill("perc"), checked_skill("per"), checked_skill("animalHandling")
    ('perception', None, 'animal handling')
    """
    plain = re.sub(r"[^a-z]", "", words.casefold())
    if plain in _SHORT:
        return _SHORT[plain]
    if len(plain) < SHORTEST:
        return None
    begun = [name for name in (*SKILLS, *ABILITIES) if name.replace(" ", "").startswith(plain)]
    return begun[0] if len(begun) == 1 and begun[0] in SKILLS else None


def _example(id: str, group: str, row: _Record, said: Sequence[Turn]) -> Example | str | None:
    """The example of a record, why its checks give none, or None without a check."""
    asked = [found for command in row.commands_norm if (found := _asked(command))]
    if not asked:
        return None
    skills = [skill for words in asked if (skill := checked_skill(words))]
    if not skills:
        return "check of no skill"
    names = tuple(dict.fromkeys(a.name for a in row.combat_state_before if a.class_name))
    if row.caster_after.name not in names:
        return "not a player's character"
    if not row.before_utterances:
        return "nothing said before"
    turns = tuple(said[-CONTEXT:])
    labels = frozenset(Label(row.caster_after.name, skill) for skill in skills)
    strict = not names_skill(turns, skills)
    return Example(id, group, turns, names, labels, strict)


def _asked(command: str) -> str | None:
    found = _CHECK.match(command.strip())
    return None if found is None else next(part for part in found.groups() if part)


def _new(
    speaker: str, utterances: Sequence[str], indexes: Sequence[int] | None, heard: set[int]
) -> Iterator[Turn]:
    """What is said for the first time; neighbouring records share messages, known by index."""
    known = indexes if indexes and len(indexes) == len(utterances) else [None] * len(utterances)
    for text, index in zip(utterances, known, strict=True):
        if text.strip() and index not in heard:
            yield Turn(speaker, text.strip())
        if index is not None:
            heard.add(index)
