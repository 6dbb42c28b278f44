"""A SOTOPIA data set: four files in a folder, read, checked and hashed.

`remarks` tells its author about oddities that do not keep it from being played.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field

from sociolab.core.episode import Task
from sociolab.core.errors import ConfigError
from sociolab.core.ports import DataId
from sociolab.core.reading import json_record, json_records, read_bytes, read_text
from sociolab.worlds.sotopia.scenarios import (
    Character,
    DataRecord,
    Id,
    Relationship,
    RelationshipType,
    Scenario,
    bargaining_zone,
    find_misfit,
)

R = TypeVar("R", bound=DataRecord)


META = "meta.json"
FILES = ("characters.jsonl", "relationships.jsonl", "scenarios.jsonl", "tasks.jsonl")


class DataSetMeta(BaseModel):
    """`meta.json`: name, version and license of the data set; further fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str
    version: str
    license: str = ""


class TaskRow(DataRecord):
    """A scenario with a cast. `relationship` overrides the pair's own for this task."""

    id: Id
    scenario: Id
    characters: tuple[Id, ...] = Field(min_length=2)
    tags: tuple[str, ...] = ()
    relationship: RelationshipType | None = None


@dataclass(frozen=True)
class DataSet:
    """The records of a data set, by id; relationships by pair."""

    id: DataId
    characters: dict[str, Character]
    relationships: dict[frozenset[str], Relationship]
    scenarios: dict[str, Scenario]
    rows: tuple[TaskRow, ...]

    def between(self, a: str, b: str) -> Relationship:
        """How two characters know each other; strangers without a row."""
        relationship = self.relationships.get(frozenset((a, b)))
        return relationship or Relationship(a=a, b=b, type=RelationshipType.STRANGER)

    def pairs(self, row: TaskRow) -> tuple[Relationship, ...]:
        """The relationships among the cast of a task."""
        cast = row.characters
        relationships = [self.between(a, b) for i, a in enumerate(cast) for b in cast[i + 1 :]]
        if row.relationship is None:
            return tuple(relationships)
        return tuple(
            r if r.type is row.relationship else Relationship(a=r.a, b=r.b, type=row.relationship)
            for r in relationships
        )

    def tasks(self) -> tuple[Task, ...]:
        """The tasks in file order. Cluster: the scenario. Tags: the row's, scenario's, family."""
        characters = {key: c.model_dump_json() for key, c in self.characters.items()}
        scenarios = {
            key: s.model_dump_json(exclude=None if s.published else {"published"})
            for key, s in self.scenarios.items()
        }
        tasks = []
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
            tasks.append(Task(row.id, row.characters, row.scenario, content, tags))
        return tuple(tasks)


def load(folder: Path) -> DataSet:
    """Read and check a data set; ConfigError names the file and line at fault."""
    missing = [name for name in (META, *FILES) if not (folder / name).is_file()]
    if missing:
        raise ConfigError(
            f"{folder}: there is no {' and no '.join(missing)}; a data set is a folder with "
            f"{META}, {', '.join(FILES)}"
        )
    meta = json_record(str(folder / META), DataSetMeta, read_text(folder / META))
    hasher = hashlib.blake2b(read_bytes(folder / META), digest_size=8)
    for name in FILES:
        content = read_bytes(folder / name)
        hasher.update(f"{name} {len(content)}\n".encode())
        hasher.update(content)
    characters, scenarios = read_characters(folder), read_scenarios(folder)
    relationships = read_relationships(folder, characters)
    rows = _by_id(folder / FILES[3], TaskRow, lambda t: t.id)
    _check_tasks(folder / FILES[3], rows, scenarios, characters)
    data = DataId(meta.name, meta.version, hasher.hexdigest())
    return DataSet(data, characters, relationships, scenarios, tuple(rows.values()))


def read_characters(folder: Path) -> dict[str, Character]:
    """The characters of a folder, by id; ConfigError for an invalid one."""
    return _by_id(folder / FILES[0], Character, lambda c: c.id)


def read_scenarios(folder: Path) -> dict[str, Scenario]:
    """The scenarios of a folder, by id; ConfigError for an invalid or inconsistent one."""
    path = folder / FILES[2]
    scenarios = _by_id(path, Scenario, lambda s: s.id)
    for scenario in scenarios.values():
        if problem := find_misfit(scenario):
            raise ConfigError(f'{path}, scenario "{scenario.id}": {problem}')
    return scenarios


def read_relationships(
    folder: Path, characters: Mapping[str, Character]
) -> dict[frozenset[str], Relationship]:
    """The relationships of a folder, by pair; ConfigError for an invalid one, a second one of a
    pair, or one of an unknown character."""
    by_pair: dict[frozenset[str], Relationship] = {}
    for where, pair in json_records(folder / FILES[1], Relationship):
        key = frozenset((pair.a, pair.b))
        if len(key) < 2 or key in by_pair:
            raise ConfigError(f"{where}: expected a new pair of two, found {pair.a} and {pair.b}")
        _check_ids(where, key, characters, "character")
        by_pair[key] = pair
    return by_pair


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
        _check_ids(where, [row.scenario], scenarios, "scenario")
        _check_ids(where, row.characters, characters, "character")
        seats = len(scenarios[row.scenario].goals)
        if not len(row.characters) == len(set(row.characters)) == seats:
            raise ConfigError(
                f"{where}: expected {seats} different characters, found {list(row.characters)}"
            )


def _by_id(path: Path, kind: type[R], key: Callable[[R], str]) -> dict[str, R]:
    by_id: dict[str, R] = {}
    for where, record in json_records(path, kind):
        if key(record) in by_id:
            raise ConfigError(f'{where}: the id "{key(record)}" occurs twice')
        by_id[key(record)] = record
    return by_id


def _check_ids(
    where: str, ids: Sequence[str] | frozenset[str], records: Mapping[str, R], what: str
) -> None:
    for key in sorted(ids):
        if key not in records:
            raise ConfigError(f'{where}: there is no {what} with the id "{key}"')


_MOST_NAMES = 4
"""Names in a remark before it only counts the rest."""


def remarks(data: DataSet) -> tuple[str, ...]:
    """Sentences on a data set: which goals have a formula, which casts break constraints, ..."""
    miscast, namesakes = [], []
    for row in data.rows:
        people = [data.characters[seat] for seat in row.characters]
        if why := next(data.scenarios[row.scenario].unmet(people, data.pairs(row)), ""):
            miscast.append(f"{row.id} ({why})")
        if len({person.name for person in people}) < len(people):
            namesakes.append(row.id)
    scenarios = [key for key in data.scenarios if key not in {row.scenario for row in data.rows}]
    cast = {seat for row in data.rows for seat in row.characters}
    idle = [key for key in data.characters if key not in cast]
    unstated = [
        f"{key} ({what})" for key, s in data.scenarios.items() for what in _unstated_facts(s)
    ]
    undeclared = [
        f"{key} ({', '.join(scenario.undeclared)})"
        for key, scenario in data.scenarios.items()
        if scenario.undeclared
    ]
    goals = {key: [goal.facts for goal in s.goals] for key, s in data.scenarios.items()}
    prices = {key: [f for f in facts if f and f.kind == "price"] for key, facts in goals.items()}
    zones = {key: bargaining_zone(facts) for key, facts in prices.items() if facts}
    hopeless = [key for key, zone in zones.items() if zone is None]
    findings = [
        ("goals whose text, all that a model is shown, lacks what their facts hold", unstated),
        ("tasks cast against their scenario's wishes, and played as they are", miscast),
        ("tasks that cast two people of one name, told apart by their ids", namesakes),
        ("scenarios without a task", scenarios),
        ("characters without a task", idle),
        ("bargains in which no price is worth more than 0 to both sides", hopeless),
        (
            "scenarios that leave open whom they can cast; give the constraint, or name it in "
            '"unconstrained" if it does not matter',
            undeclared,
        ),
    ]
    sentences = (
        f"{what} ({len(names)}): {_list_names(names)}" for what, names in findings if names
    )
    return (_count_formulas(data.scenarios.values()), *_describe_zones(zones), *sentences)


def _describe_zones(zones: Mapping[str, tuple[float, float] | None]) -> Iterator[str]:
    """How many bargains have a zone of agreement, and the narrowest relative to its middle."""
    widths = {key: (z[1] - z[0]) / (z[0] + z[1]) * 2 for key, z in zones.items() if z}
    if widths:
        key = min(widths, key=widths.__getitem__)
        low, high = zones[key] or (0, 0)
        yield (
            f"bargains with prices that are worth more than 0 to both sides: {len(widths)} of "
            f"{len(zones)}; narrowest: {key}, ${low:,.2f} to ${high:,.2f}"
        )


def _count_formulas(scenarios: Iterable[Scenario]) -> str:
    kinds = Counter(
        facts.kind
        for facts in (scenario.goals[0].facts for scenario in scenarios)
        if facts is not None and facts.kind != "ask"
    )
    if not kinds:
        return "no scenario has goals with a formula"
    by_kind = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))
    return f"scenarios with goals that have a formula: {kinds.total()} ({by_kind})"


def _unstated_facts(scenario: Scenario) -> Iterator[str]:
    """Targets and friends of the facts that do not occur in the text of the goal."""
    for seat, goal in enumerate(scenario.goals, start=1):
        facts = goal.facts
        if facts is not None and facts.kind == "price":
            target = f"{facts.target:.2f}".rstrip("0").rstrip(".")
            if target not in goal.text.replace(",", ""):
                yield f"seat {seat}: the target of ${target}"
        elif facts is not None and facts.kind == "friend":
            for friend in facts.friends:
                if friend.name not in goal.text:
                    yield f"seat {seat}: {friend.name}"


def _list_names(names: Sequence[str]) -> str:
    more = f"; and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return "; ".join(names[:_MOST_NAMES]) + more
