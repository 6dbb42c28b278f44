"""Our open format of labelled play: JSON lines, one example each (docs/import-dnd.md)."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field, StrictBool, StrictStr

from sociolab.core.errors import ConfigError
from sociolab.core.reading import ForeignRecord, json_lines, record
from sociolab.core.user_files import write_files
from sociolab.report.words import plural
from sociolab.worlds.anteval.session import SKILLS
from sociolab.worlds.anteval.virtual_dm.example import DM, Example, Label, Turn, names_skill

EXAMPLES = "examples.jsonl"
"""The file of examples in the folder of an imported data set."""

_Name = Annotated[StrictStr, Field(min_length=1)]


def import_dnd(source: Path, target: Path) -> tuple[str, ...]:
    """Import a file in our open format into the new folder `target`; returns lines to print."""
    examples = read_examples(source)
    play = ImportedPlay(
        "dnd", examples, {"rows": len(examples)}, {}, "as the file's authors declare"
    )
    return keep(play, source, [examples_file(source)], target)


class _Candidate(ForeignRecord):
    player: _Name | None = None
    character: _Name | None = None

    @property
    def name(self) -> str:
        """The name in examples: the character's or, without one, the player's."""
        return self.character or self.player or ""


class _Turn(ForeignRecord):
    speaker: _Name
    text: StrictStr


class _Label(_Candidate):
    skill: StrictStr


class _Row(ForeignRecord):
    id: _Name
    episode: _Name
    candidates: Annotated[tuple[_Candidate, ...], Field(min_length=1)]
    context_turns: Annotated[tuple[_Turn, ...], Field(min_length=1)]
    labels: Annotated[tuple[_Label, ...], Field(min_length=1)]
    after_turns: tuple[_Turn, ...] = ()
    strict: StrictBool | None = None
    dm: _Name | None = None


def read_examples(path: Path) -> tuple[Example, ...]:
    """The examples of a file in our open format (.jsonl or .jsonl.gz), or of an imported folder.

    Speakers become characters where the candidates tell who plays whom. The game master becomes
    `DM`: the one whom a row's `dm` names; else the one called "DM"; else, among the speakers who
    are no candidates, the one with the most turns in the episode (of equals, the first).
    ConfigError with file and line: a line that is not such a row, a skill that is none of the 18,
    a character who is not at the table, a duplicate id, a file without rows.
    """
    rows: dict[str, tuple[str, _Row]] = {}
    for place, fields in json_lines(examples_file(path)):
        row = record(place, _Row, fields)
        if row.id in rows:
            raise ConfigError(f"{place}: the id {row.id!r} occurs twice; change one of them")
        rows[row.id] = (place, row)
    if not rows:
        raise ConfigError(f"{path} is empty; expected JSON lines")
    masters = _find_masters([row for _, row in rows.values()])
    return tuple(_example(place, row, masters.get(row.episode)) for place, row in rows.values())


def examples_file(path: Path) -> Path:
    """The file of examples: the path itself, or the one in the folder at this path."""
    return path / EXAMPLES if path.is_dir() else path


def json_line(example: Example) -> str:
    """An example as a line of our open format, which reads back as the same example."""
    fields = {
        "id": example.id,
        "episode": example.group,
        "dm": DM,
        "candidates": [{"character": name} for name in example.candidates],
        "context_turns": [asdict(turn) for turn in example.turns],
        "labels": [label._asdict() for label in sorted(example.labels)],
        "strict": example.strict,
    }
    if example.after:
        fields["after_turns"] = [asdict(turn) for turn in example.after]
    return json.dumps(fields) + "\n"


def _find_masters(rows: Sequence[_Row]) -> Mapping[str, str]:
    """The likely game master of each episode, for rows without `dm` (see `read_examples`)."""
    turns: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        seated = {
            name for candidate in row.candidates for name in (candidate.player, candidate.character)
        }
        turns[row.episode].update(
            turn.speaker for turn in row.context_turns if turn.speaker not in seated
        )
    return {
        episode: DM if DM in spoken else spoken.most_common(1)[0][0]
        for episode, spoken in turns.items()
        if spoken
    }


def _example(place: str, row: _Row, master: str | None) -> Example:
    names = _candidate_names(place, row)
    voices = {**_characters_by_player(row), **{name: name for name in names}}
    master = row.dm or master
    if master in voices:
        raise ConfigError(f'{place}: dm: expected a name outside candidates, found "{master}"')
    voices[master or DM] = DM
    turns, after = (
        tuple(Turn(voices.get(turn.speaker, turn.speaker), turn.text) for turn in many)
        for many in (row.context_turns, row.after_turns)
    )
    labels = frozenset(_label(place, label, row.candidates) for label in row.labels)
    if row.strict is None:
        strict = not names_skill(turns, [label.skill for label in labels])
    else:
        strict = row.strict
    return Example(row.id, row.episode, turns, names, labels, strict, after)


def _candidate_names(place: str, row: _Row) -> tuple[str, ...]:
    names = tuple(candidate.name for candidate in row.candidates)
    if not all(names):
        raise ConfigError(f"{place}: candidates: expected a character or a player in each")
    for name, times in Counter(names).items():
        if times > 1 or name == DM:
            raise ConfigError(
                f'{place}: candidates: expected different names, none of them "{DM}"; '
                f'found "{name}"'
            )
    return names


def _characters_by_player(row: _Row) -> dict[str, str]:
    """The character of each player who plays just one."""
    plays = Counter(candidate.player for candidate in row.candidates)
    return {
        candidate.player: candidate.name
        for candidate in row.candidates
        if candidate.player and plays[candidate.player] == 1
    }


def _label(place: str, label: _Label, table: Sequence[_Candidate]) -> Label:
    """The label, by the name of the one candidate who has its player and character."""
    skill = " ".join(label.skill.casefold().split())
    if skill not in SKILLS:
        raise ConfigError(
            f'{place}: labels: there is no skill "{label.skill}"; expected one of '
            f"{', '.join(SKILLS)}"
        )
    matching = [
        candidate.name
        for candidate in table
        if label.character in (None, candidate.name) and label.player in (None, candidate.player)
    ]
    if len(matching) != 1 or not label.name:
        seated = ", ".join(candidate.name for candidate in table)
        raise ConfigError(
            f'{place}: labels: "{label.name}" is not one character at the table; expected one of '
            f"the candidates ({seated})"
        )
    return Label(matching[0], skill)


ABOUT = "about.json"


@dataclass(frozen=True, slots=True)
class ImportedPlay:
    """The examples that an importer read from its source.

    `read` says what was read, by kind; `dropped` what gave no example, by reason.
    """

    format: str
    examples: tuple[Example, ...]
    read: Mapping[str, int]
    dropped: Mapping[str, int]
    licence: str


def keep(play: ImportedPlay, source: Path, files: Sequence[Path], target: Path) -> tuple[str, ...]:
    """Write the data set into the new folder `target`; returns lines to print about it.

    `files` are what was read: about.json stores a hash of them, and only the name of `source`.
    """
    if not play.examples:
        raise ConfigError(
            f"{source}: expected at least one check that can be attributed to a character, found "
            f"none ({_list_counts(play.dropped) or 'none was met'})"
        )
    about = {
        "format": play.format,
        "source": source.resolve().name,
        "sha256": _fingerprint(files),
        "licence": play.licence,
        **_counts(play.examples),
        "skills": dict(Counter(la.skill for ex in play.examples for la in ex.labels)),
        "read": dict(play.read),
        "dropped": dict(play.dropped),
    }
    texts = {
        EXAMPLES: "".join(map(json_line, play.examples)),
        ABOUT: json.dumps(about, ensure_ascii=False, indent=2) + "\n",
    }
    write_files(target, texts)
    return _describe_play(play)


def _fingerprint(files: Sequence[Path]) -> str:
    """The SHA-256 of a file; of several, that of a line for each: its SHA-256 and its name."""
    hashes = [hashlib.sha256(path.read_bytes()).hexdigest() for path in files]
    if len(files) == 1:
        return hashes[0]
    lines = (f"{each}  {path.name}\n" for each, path in zip(hashes, files, strict=True))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _counts(examples: Sequence[Example]) -> Mapping[str, int]:
    return {
        "episodes": len({example.group for example in examples}),
        "examples": len(examples),
        "labels": sum(len(example.labels) for example in examples),
        "strict": sum(example.strict for example in examples),
    }


def _describe_play(play: ImportedPlay) -> tuple[str, ...]:
    counts = _counts(play.examples)
    each = counts["examples"] / counts["episodes"]
    lines = [
        f"{plural(counts['examples'], 'example')} from {plural(counts['episodes'], 'episode')} "
        f"({each:.1f} each), {plural(counts['labels'], 'label')}, "
        f"{plural(counts['strict'], 'strict example')}"
    ]
    if play.read:
        lines.append(f"read: {_list_counts(play.read)}")
    if play.dropped:
        lines.append(f"dropped: {_list_counts(play.dropped)}")
    return tuple(lines)


def _list_counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {what}" for what, number in counts.items())
