"""SOTOPIA's profile files as one set of records: characters, relationships, scenarios, tasks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from sociolab.core.errors import ConfigError
from sociolab.worlds.sotopia.dataset import TaskRow
from sociolab.worlds.sotopia.importing.profiles import RawAgent, character
from sociolab.worlds.sotopia.importing.quirks import Quirk, Quirks
from sociolab.worlds.sotopia.importing.reading import (
    Placed,
    RawRow,
    by_id,
    document,
    known,
    record,
    rows,
)
from sociolab.worlds.sotopia.importing.relationships import (
    Pair,
    RawRelationship,
    relationships,
)
from sociolab.worlds.sotopia.importing.scenarios import RawEnvironment, scenario
from sociolab.worlds.sotopia.profiles import Character, Relationship, RelationshipType
from sociolab.worlds.sotopia.scenarios import Scenario

AGENTS = "agent_profiles.jsonl"
ENVIRONMENTS = "environment_profiles.jsonl"
RELATIONSHIPS = "relationship_profiles.jsonl"
COMBINATIONS = "env_agent_combo_storages.jsonl"
HARD_LIST = "sotopia_hard_env_ids.json"

PUBLIC_HARD = "public-hard"
"""The tag of tasks whose scenario is on the public list of hard ones."""


class RawCombination(RawRow):
    """A line of env_agent_combo_storages.jsonl."""

    combo_id: str
    env_id: str
    agent_ids: tuple[str, ...]


class _HardList(RawRow):
    environments: tuple[str, ...] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class PublicData:
    """The public data as records of ours, in the order of the files."""

    characters: Mapping[str, Character]
    relationship_rows: int
    relationships: Mapping[Pair, Relationship]
    scenarios: Mapping[str, Scenario]
    raw_scenarios: Mapping[str, RawEnvironment]
    tasks: tuple[TaskRow, ...]
    hard: frozenset[str]


def profiles_folder(source: Path) -> Path:
    """The folder of the profile files: `source`, or `profiles` in it; ConfigError where neither."""
    for folder in (source, source / "profiles"):
        if (folder / AGENTS).is_file():
            return folder
    raise ConfigError(
        f"expected {AGENTS} in {source} or in {source / 'profiles'}, and there is none"
    )


def read_public_data(folder: Path, quirks: Quirks, *, strategy_hints: bool = True) -> PublicData:
    """All profile files of a folder; ConfigError with file and line for whatever does not fit."""
    agents = rows(folder / AGENTS, RawAgent)
    characters = by_id(
        ((item.place, item.row.agent_id, character(item, quirks)) for item in agents), "character"
    )
    environments = rows(folder / ENVIRONMENTS, RawEnvironment)
    scenarios = by_id(
        (
            (item.place, item.row.env_id, scenario(item, quirks, strategy_hints=strategy_hints))
            for item in environments
        ),
        "scenario",
    )
    combinations = rows(folder / COMBINATIONS, RawCombination)
    for item in combinations:
        _check(item, characters, scenarios)
    ties = rows(folder / RELATIONSHIPS, RawRelationship)
    pairs = relationships(ties, characters, _wanted(combinations, scenarios), quirks)
    hard = _hard_list(folder / HARD_LIST, scenarios, quirks)
    tasks = by_id(
        (
            (item.place, item.row.combo_id, _task(item, scenarios, pairs, hard, quirks))
            for item in combinations
        ),
        "combination",
    )
    if not tasks:
        raise ConfigError(f"{folder / COMBINATIONS} holds no combination: there is nothing to play")
    for task in tasks.values():
        quirks[Quirk.OUTSIDE_CONSTRAINT] += _is_outside(task, characters, scenarios)
    return PublicData(
        characters,
        len(ties),
        pairs,
        scenarios,
        {item.row.env_id: item.row for item in environments},
        tuple(tasks.values()),
        hard,
    )


def _check(
    item: Placed[RawCombination],
    characters: Mapping[str, Character],
    scenarios: Mapping[str, Scenario],
) -> None:
    seats = len(known(item.place, item.row.env_id, scenarios, "scenario").goals)
    ids = item.row.agent_ids
    for key in ids:
        known(item.place, key, characters, "character")
    if len(ids) != seats or len(set(ids)) != seats:
        raise ConfigError(
            f"{item.place}: the scenario {item.row.env_id} has {seats} seats and needs as many "
            f"different characters, found {', '.join(ids)}"
        )


def _wanted(
    combinations: Iterable[Placed[RawCombination]], scenarios: Mapping[str, Scenario]
) -> Mapping[Pair, tuple[RelationshipType, ...]]:
    """For each pair that is cast, the relationships of its tasks' scenarios."""
    wanted: dict[Pair, tuple[RelationshipType, ...]] = defaultdict(tuple)
    for item in combinations:
        wanted[frozenset(item.row.agent_ids)] += scenarios[item.row.env_id].relationships
    return wanted


def _hard_list(path: Path, scenarios: Mapping[str, Scenario], quirks: Quirks) -> frozenset[str]:
    """The ids of the hard scenarios, from `{"environments": [...]}`; none without the file."""
    if not path.is_file():
        quirks[Quirk.NO_HARD_LIST] += 1
        return frozenset()
    listed = record(str(path), _HardList, document(path)).environments
    for key in listed:
        known(str(path), key, scenarios, "scenario")
    return frozenset(listed)


def _task(
    item: Placed[RawCombination],
    scenarios: Mapping[str, Scenario],
    pairs: Mapping[Pair, Relationship],
    hard: frozenset[str],
    quirks: Quirks,
) -> TaskRow:
    """A combination as a task, with its scenario's relationship where the pair's differs."""
    raw = item.row
    wanted = scenarios[raw.env_id].relationships[0]
    pair = pairs.get(frozenset(raw.agent_ids))
    if pair is None:
        quirks[Quirk.PAIR_WITHOUT_ROW] += 1
    elif pair.type is not wanted:
        quirks[Quirk.TASK_DISAGREES] += 1
    return record(
        item.place,
        TaskRow,
        {
            "id": raw.combo_id,
            "scenario": raw.env_id,
            "characters": raw.agent_ids,
            "tags": (PUBLIC_HARD,) if raw.env_id in hard else (),
            "relationship": None if pair is not None and pair.type is wanted else wanted,
        },
    )


def _is_outside(
    task: TaskRow, characters: Mapping[str, Character], scenarios: Mapping[str, Scenario]
) -> bool:
    """Whether a character is of another age or occupation than the scenario asks for."""
    scene = scenarios[task.scenario]
    cast = [characters[key] for key in task.characters]
    # A scenario without a constraint has none for any seat: its tuple is empty.
    ages = any(
        not low <= who.age <= high for who, (low, high) in zip(cast, scene.ages, strict=False)
    )
    occupations = any(
        bool(allowed) and who.occupation.lower() not in {name.lower() for name in allowed}
        for who, allowed in zip(cast, scene.occupations, strict=False)
    )
    return ages or occupations
