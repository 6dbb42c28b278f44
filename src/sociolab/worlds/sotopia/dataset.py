"""A SOTOPIA data set: four files in a folder, read, checked and hashed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sociolab.core.episode import Task
from sociolab.core.errors import ConfigError
from sociolab.core.ports import DataId
from sociolab.worlds.sotopia.fitting_facts import misfit
from sociolab.worlds.sotopia.json_lines import bytes_of, read_lines, text_of
from sociolab.worlds.sotopia.profiles import Character, Id, Record, Relationship, RelationshipType
from sociolab.worlds.sotopia.scenarios import Scenario
from sociolab.worlds.sotopia.scene import Casting, lay_out

META = "meta.json"
FILES = ("characters.jsonl", "relationships.jsonl", "scenarios.jsonl", "tasks.jsonl")


class Meta(BaseModel):
    """`meta.json`: what this data set is. Further fields are kept by nobody and allowed."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str
    version: str
    license: str = ""


class TaskRow(Record):
    """A scenario with a cast. `relationship` overrides the pair's own, for this task only."""

    id: Id
    scenario: Id
    characters: tuple[Id, ...] = Field(min_length=2)
    tags: tuple[str, ...] = ()
    relationship: RelationshipType | None = None


@dataclass(frozen=True)
class DataSet:
    """Everything that a data set holds, by id."""

    id: DataId
    characters: dict[str, Character]
    relationships: dict[frozenset[str], Relationship]
    scenarios: dict[str, Scenario]
    rows: tuple[TaskRow, ...]

    def between(self, a: str, b: str) -> Relationship:
        """How two characters know each other; strangers where nothing is said."""
        found = self.relationships.get(frozenset((a, b)))
        return found or Relationship(a=a, b=b, type=RelationshipType.STRANGER)

    def pairs(self, row: TaskRow) -> tuple[Relationship, ...]:
        """The relationships among the cast of a task."""
        cast = row.characters
        found = [self.between(a, b) for i, a in enumerate(cast) for b in cast[i + 1 :]]
        if row.relationship is None:
            return tuple(found)
        return tuple(
            r if r.type is row.relationship else Relationship(a=r.a, b=r.b, type=row.relationship)
            for r in found
        )

    def tasks(self) -> tuple[Task, ...]:
        """The tasks in file order. Cluster: the scenario. Tags: the row's, scenario's, family."""
        characters = {key: c.model_dump_json() for key, c in self.characters.items()}
        scenarios = {key: s.model_dump_json() for key, s in self.scenarios.items()}
        found = []
        for row in self.rows:
            scenario = self.scenarios[row.scenario]
            cast = ",".join(characters[seat] for seat in row.characters)
            ties = ",".join(pair.model_dump_json() for pair in self.pairs(row))
            content = (
                f'{{"scenario":{scenarios[row.scenario]},"characters":[{cast}],'
                f'"relationships":[{ties}]}}'
            )
            marks = [scenario.family, scenario.stance or "", *scenario.tags, *row.tags]
            tags = tuple(dict.fromkeys(mark for mark in marks if mark))
            lay_out(content, self._casting(row))
            found.append(Task(row.id, row.characters, row.scenario, content, tags))
        return tuple(found)

    def _casting(self, row: TaskRow) -> Casting:
        return Casting(
            scenario=self.scenarios[row.scenario],
            characters=tuple(self.characters[seat] for seat in row.characters),
            relationships=self.pairs(row),
        )


def load(folder: Path) -> DataSet:
    """Read and check a data set; ConfigError names the file and the line that is wrong."""
    _check_all_there(folder)
    meta = _meta(folder / META)
    hasher = hashlib.blake2b(bytes_of(folder / META), digest_size=8)
    for name in FILES:
        content = bytes_of(folder / name)
        hasher.update(f"{name} {len(content)}\n".encode())
        hasher.update(content)
    characters = _by_id(folder / FILES[0], Character, lambda c: c.id)
    scenarios = _by_id(folder / FILES[2], Scenario, lambda s: s.id)
    rows = _by_id(folder / FILES[3], TaskRow, lambda t: t.id)
    relationships = _relationships(folder / FILES[1], characters)
    for scenario in scenarios.values():
        if problem := misfit(scenario):
            raise ConfigError(f'{folder / FILES[2]}, scenario "{scenario.id}": {problem}')
    _check_tasks(folder / FILES[3], rows, scenarios, characters)
    data = DataId(meta.name, meta.version, hasher.hexdigest())
    return DataSet(data, characters, relationships, scenarios, tuple(rows.values()))


def _relationships(
    path: Path, characters: dict[str, Character]
) -> dict[frozenset[str], Relationship]:
    found: dict[frozenset[str], Relationship] = {}
    for number, pair in read_lines(path, Relationship):
        key = frozenset((pair.a, pair.b))
        where = f"{path}, line {number}"
        if len(key) < 2 or key in found:
            raise ConfigError(f"{where}: expected a new pair of two, found {pair.a} and {pair.b}")
        _known(where, key, characters, "character")
        found[key] = pair
    return found


def _check_tasks(
    path: Path,
    rows: dict[str, TaskRow],
    scenarios: dict[str, Scenario],
    characters: dict[str, Character],
) -> None:
    if not rows:
        raise ConfigError(
            f"{path} holds no task; write one, or remove the file and have tasks cast: "
            f"sociolab data cast {path.parent}"
        )
    for number, row in enumerate(rows.values(), start=1):
        where = f"{path}, task {number} ({row.id})"
        _known(where, [row.scenario], scenarios, "scenario")
        _known(where, row.characters, characters, "character")
        seats = len(scenarios[row.scenario].goals)
        if not len(row.characters) == len(set(row.characters)) == seats:
            raise ConfigError(
                f"{where}: expected {seats} different characters, found {list(row.characters)}"
            )


R = TypeVar("R", bound=Record)


def _check_all_there(folder: Path) -> None:
    missing = [name for name in (META, *FILES) if not (folder / name).is_file()]
    if missing:
        raise ConfigError(
            f"{folder}: there is no {' and no '.join(missing)}; a data set is a folder with "
            f"{META}, {', '.join(FILES)}"
        )


def _by_id(path: Path, kind: type[R], key: Callable[[R], str]) -> dict[str, R]:
    found: dict[str, R] = {}
    for number, record in read_lines(path, kind):
        if key(record) in found:
            raise ConfigError(f'{path}, line {number}: the id "{key(record)}" occurs twice')
        found[key(record)] = record
    return found


def _known(where: str, ids: Sequence[str] | frozenset[str], known: dict[str, R], what: str) -> None:
    for one in sorted(ids):
        if one not in known:
            raise ConfigError(f'{where}: there is no {what} with the id "{one}"')


def _meta(path: Path) -> Meta:
    text = text_of(path)
    try:
        return Meta.model_validate_json(text)
    except ValidationError as error:
        raise ConfigError(
            f'{path}: expected {{"name": "...", "version": "..."}}, both of them texts, '
            f"found {text.strip()[:80]}"
        ) from error
