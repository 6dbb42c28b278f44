"""Import SOTOPIA's public profile files as a data set."""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, TypeVar

from pydantic import AliasChoices, BaseModel, Field

from sociolab.core.errors import ConfigError
from sociolab.core.reading import ForeignRecord, json_file, record
from sociolab.core.seeding import digest
from sociolab.core.user_files import write_files
from sociolab.worlds.sotopia.dataset import TaskRow
from sociolab.worlds.sotopia.importing.goals import (
    GoalContext,
    GoalReader,
    read_context,
    read_facts,
)
from sociolab.worlds.sotopia.importing.reading import (
    ArchiveTable,
    PackageRecord,
    PlacedRow,
    Quirk,
    Quirks,
    find_record,
    index_by_id,
    quirk_lines,
    read_rows,
)
from sociolab.worlds.sotopia.scenarios import (
    BigFive,
    Character,
    Facts,
    Family,
    FriendGoal,
    Relationship,
    RelationshipType,
    Scenario,
)

R = TypeVar("R", bound=BaseModel)

LICENSE = "as its authors declare: CC BY-SA 4.0"
SOURCE = "SOTOPIA's public data (Zhou et al., ICLR 2024, arXiv 2310.11667)"


@dataclass(frozen=True, slots=True)
class SotopiaImport:
    """The result of an import: how often each quirk occurred, and the report."""

    quirks: tuple[tuple[Quirk, int], ...]
    lines: tuple[str, ...]
    """The report to print: a summary, then a line for each quirk."""


def import_sotopia(
    source: Path, target: Path, name: str, *, strategy_hints: bool = True
) -> SotopiaImport:
    """Import the profile files in `source` (or in `source/profiles`) into the new folder `target`.

    Strategy hints are kept, as the public benchmark shows them to its agents, unless
    `strategy_hints` is false (the paper's appendix D.2 wants none in a goal). ConfigError with file
    and line for whatever cannot be read; a failed import leaves nothing behind.
    """
    quirks = Quirks()
    folder = profiles_folder(source)
    data = read_public_data(folder, quirks, strategy_hints=strategy_hints)
    report = _make_report(data, quirks)
    _write(data, target, name, report, own=is_store(folder))
    return report


def _make_report(data: PublicData, quirks: Quirks) -> SotopiaImport:
    hard = sum(PUBLIC_HARD in task.tags for task in data.tasks)
    facts = sum(scene.goals[0].facts is not None for scene in data.scenarios.values())
    first = (
        f"{len(data.characters)} characters, {data.relationship_rows} relationship rows of "
        f"{len(data.relationships)} pairs, "
        f"{len(data.scenarios)} scenarios ({facts} with goals that have a formula), "
        f"{len(data.tasks)} tasks ({hard} on the {len(data.hard)} hard scenarios)"
    )
    return SotopiaImport(
        quirks=tuple((quirk, quirks[quirk]) for quirk in Quirk if quirks[quirk]),
        lines=(first, *quirk_lines(quirks)),
    )


def _write(data: PublicData, target: Path, name: str, report: SotopiaImport, *, own: bool) -> None:
    """`own`: from a local store, which may hold anybody's data."""
    files = {
        "characters.jsonl": _lines(data.characters.values()),
        "relationships.jsonl": _lines(data.relationships.values()),
        "scenarios.jsonl": _lines(data.scenarios.values()),
        "tasks.jsonl": _lines(data.tasks),
    }
    meta = {
        "name": name,
        "version": digest(*files.values()),
        "license": "not stated" if own else LICENSE,
        "source": "a local store of SOTOPIA's package" if own else SOURCE,
        "notes": report.lines,
    }
    files["meta.json"] = json.dumps(meta, ensure_ascii=False, indent=2) + "\n"
    write_files(target, files)


def _lines(items: Iterable[BaseModel]) -> str:
    """Records as JSON lines, without fields that are None."""
    return "".join(item.model_dump_json(exclude_none=True) + "\n" for item in items)


AGENTS = ArchiveTable("agent_profiles", "AgentProfile")
ENVIRONMENTS = ArchiveTable("environment_profiles", "EnvironmentProfile")
RELATIONSHIPS = ArchiveTable("relationship_profiles", "RelationshipProfile")
COMBINATIONS = ArchiveTable("env_agent_combo_storages", "EnvAgentComboStorage")
EPISODES = ArchiveTable("episodes", "EpisodeLog")
HARD_LIST = "sotopia_hard_env_ids.json"

PUBLIC_HARD = "public-hard"
"""The tag of tasks whose scenario is on the public list of hard ones."""


class RawCombination(PackageRecord):
    """A line of env_agent_combo_storages.jsonl."""

    combo_id: str = Field(validation_alias=AliasChoices("combo_id", "pk"))
    env_id: str
    agent_ids: tuple[str, ...]


class _PlayedCast(PackageRecord):
    """Who played what in an episode of a local store."""

    environment: str
    agents: tuple[str, ...]


class _HardList(ForeignRecord):
    environments: tuple[str, ...] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class PublicData:
    """The public data as typed records, in the order of the files."""

    characters: Mapping[str, Character]
    relationship_rows: int
    relationships: Mapping[Pair, Relationship]
    scenarios: Mapping[str, Scenario]
    raw_scenarios: Mapping[str, RawEnvironment]
    tasks: tuple[TaskRow, ...]
    hard: frozenset[str]


def profiles_folder(source: Path) -> Path:
    """The folder of the profile files, `source` or `source/profiles`; ConfigError if neither."""
    for folder in (source, source / "profiles"):
        if AGENTS.find(folder):
            return folder
    raise ConfigError(
        f"expected {AGENTS.file} or a folder {AGENTS.model} in {source} or in "
        f"{source / 'profiles'}, and there is none"
    )


def is_store(folder: Path) -> bool:
    """Whether the profiles of a folder are those of a local store of the package."""
    return AGENTS.find(folder) == folder / AGENTS.model


def read_public_data(
    folder: Path, quirks: Quirks, *, strategy_hints: bool = True, whole: bool = True
) -> PublicData:
    """Read all profiles of a folder; ConfigError with file and line for invalid lines.

    With `whole` a file that is missing is an error, and so is data without a task, or a row about
    what is not there; else such rows are left out. A local store has no folder for what it has
    nothing of.
    """
    whole_files = whole and not is_store(folder)

    def read(table: ArchiveTable, kind: type[R]) -> tuple[PlacedRow[R], ...]:
        path = table.find(folder)
        return read_rows(path or folder / table.file, kind) if path or whole_files else ()

    agents = read(AGENTS, RawAgent)
    characters = index_by_id(
        ((item.place, item.row.agent_id, build_character(item, quirks)) for item in agents),
        "character",
    )
    environments = read(ENVIRONMENTS, RawEnvironment)
    scenarios = index_by_id(
        (
            (
                item.place,
                item.row.env_id,
                build_scenario(item, quirks, strategy_hints=strategy_hints),
            )
            for item in environments
        ),
        "scenario",
    )
    combinations = read(COMBINATIONS, RawCombination)
    if not combinations and not whole_files and whole:
        combinations = _played_combinations(read(EPISODES, _PlayedCast), quirks)
    ties = read(RELATIONSHIPS, RawRelationship)
    if not whole:
        combinations = tuple(
            item
            for item in combinations
            if item.row.env_id in scenarios and characters.keys() >= {*item.row.agent_ids}
        )
        ties = tuple(
            item for item in ties if {item.row.agent1_id, item.row.agent2_id} <= characters.keys()
        )
    for item in combinations:
        _check_combination(item, characters, scenarios)
    pairs = merge_relationships(
        ties, characters, _collect_relationships(combinations, scenarios), quirks
    )
    hard = _read_hard_list(folder / HARD_LIST, scenarios, quirks)
    tasks = index_by_id(
        (
            (item.place, item.row.combo_id, _make_task(item, scenarios, pairs, hard, quirks))
            for item in combinations
        ),
        "combination",
    )
    if not tasks and whole:
        place = COMBINATIONS.find(folder) or folder / COMBINATIONS.model
        raise ConfigError(f"{place} holds no combination: there is nothing to play")
    for task in tasks.values():
        cast = [characters[key] for key in task.characters]
        quirks[Quirk.OUTSIDE_CONSTRAINT] += any(scenarios[task.scenario].unmet(cast))
    return PublicData(
        characters,
        len(ties),
        pairs,
        scenarios,
        {item.row.env_id: item.row for item in environments},
        tuple(tasks.values()),
        hard,
    )


def _played_combinations(
    episodes: Iterable[PlacedRow[_PlayedCast]], quirks: Quirks
) -> tuple[PlacedRow[RawCombination], ...]:
    """A combination for each cast of an environment that was played."""
    combinations: dict[tuple[str, tuple[str, ...]], PlacedRow[RawCombination]] = {}
    for item in episodes:
        env, agents = item.row.environment, item.row.agents
        row = RawCombination(combo_id=f"task-{digest(env, *agents)}", env_id=env, agent_ids=agents)
        combinations.setdefault((env, agents), PlacedRow(item.place, row))
    quirks[Quirk.TASK_OF_EPISODES] += len(combinations)
    return tuple(combinations.values())


def _check_combination(
    item: PlacedRow[RawCombination],
    characters: Mapping[str, Character],
    scenarios: Mapping[str, Scenario],
) -> None:
    seats = len(find_record(item.place, item.row.env_id, scenarios, "scenario").goals)
    ids = item.row.agent_ids
    for key in ids:
        find_record(item.place, key, characters, "character")
    if len(ids) != seats or len(set(ids)) != seats:
        raise ConfigError(
            f"{item.place}: the scenario {item.row.env_id} has {seats} seats and needs as many "
            f"different characters, found {', '.join(ids)}"
        )


def _collect_relationships(
    combinations: Iterable[PlacedRow[RawCombination]], scenarios: Mapping[str, Scenario]
) -> Mapping[Pair, tuple[RelationshipType, ...]]:
    """For each pair that is cast, the relationships of its tasks' scenarios."""
    by_pair: dict[Pair, tuple[RelationshipType, ...]] = defaultdict(tuple)
    for item in combinations:
        by_pair[frozenset(item.row.agent_ids)] += scenarios[item.row.env_id].relationships
    return by_pair


def _read_hard_list(
    path: Path, scenarios: Mapping[str, Scenario], quirks: Quirks
) -> frozenset[str]:
    """The ids of the hard scenarios, from `{"environments": [...]}`; empty without the file."""
    if not path.is_file():
        quirks[Quirk.NO_HARD_LIST] += 1
        return frozenset()
    ids = record(str(path), _HardList, json_file(path)).environments
    for key in ids:
        find_record(str(path), key, scenarios, "scenario")
    return frozenset(ids)


def _make_task(
    item: PlacedRow[RawCombination],
    scenarios: Mapping[str, Scenario],
    pairs: Mapping[Pair, Relationship],
    hard: frozenset[str],
    quirks: Quirks,
) -> TaskRow:
    """A combination as a task, with its scenario's relationship if the pair's differs."""
    raw = item.row
    expected = scenarios[raw.env_id].relationships[0]
    pair = pairs.get(frozenset(raw.agent_ids))
    if pair is None:
        quirks[Quirk.PAIR_WITHOUT_ROW] += 1
    elif pair.type is not expected:
        quirks[Quirk.TASK_DISAGREES] += 1
    return record(
        item.place,
        TaskRow,
        {
            "id": raw.combo_id,
            "scenario": raw.env_id,
            "characters": raw.agent_ids,
            "tags": (PUBLIC_HARD,) if raw.env_id in hard else (),
            "relationship": None if pair is not None and pair.type is expected else expected,
        },
    )


_GENDERS = {"male": "man", "female": "woman", "non-binary": "nonbinary"}
_TRAITS = {"openness to experience": "openness"}
_LEVELS = {"medium": "average", "moderate": "average"}
_TRAIT = re.compile(r"\s*(?P<trait>[\w ]+?)\s*[-:]\s*(?P<level>\w+)\s*")


class RawAgent(PackageRecord):
    """A line of agent_profiles.jsonl. (`mbti` is ignored, since the paper does not use it.)

    The package's CSV has names, age and occupation only.
    """

    agent_id: str = Field(validation_alias=AliasChoices("agent_id", "pk"))
    first_name: str
    last_name: str = ""
    age: int
    occupation: str
    gender: str = ""
    gender_pronoun: str = ""
    public_info: str = ""
    big_five: str = ""
    moral_values: tuple[str, ...] = ()
    schwartz_personal_values: tuple[str, ...] = ()
    personality_and_values: str = ""
    decision_making_style: str = ""
    secret: str = ""


def build_character(item: PlacedRow[RawAgent], quirks: Quirks) -> Character:
    """A profile as a character; ConfigError for an invalid field."""
    raw = item.row
    big_five = parse_traits(raw.big_five)
    if raw.big_five.strip() and big_five is None:
        quirks[Quirk.UNREAD_TRAITS] += 1
    if not (raw.gender and raw.gender_pronoun):
        quirks[Quirk.NO_GENDER] += 1
    return record(
        item.place,
        Character,
        {
            "id": raw.agent_id,
            "first_name": raw.first_name,
            "last_name": raw.last_name.strip(),
            "gender": normalize_gender(raw.gender),
            "pronouns": raw.gender_pronoun.lower(),
            "age": raw.age,
            "occupation": raw.occupation,
            "public_info": raw.public_info.strip(),
            "big_five": big_five,
            "moral_values": _strip_items(raw.moral_values, quirks),
            "schwartz_values": _strip_items(raw.schwartz_personal_values, quirks),
            "decision_style": raw.decision_making_style.strip(),
            "personality": raw.personality_and_values.strip(),
            "secret": raw.secret.strip(),
        },
    )


def normalize_gender(text: str) -> str:
    """man, woman, nonbinary, or else the text in lower case."""
    word = text.strip().lower()
    return _GENDERS.get(word, word)


def parse_traits(text: str) -> BigFive | None:
    """Parse a text such as "Extraversion - Low; Neuroticism - High; ..."

    None unless it has all five traits with known levels.
    """
    levels: dict[str, str] = {}
    for piece in filter(str.strip, text.split(";")):
        match = _TRAIT.fullmatch(piece)
        if match is None:
            return None
        trait, level = match["trait"].lower(), match["level"].lower()
        levels[_TRAITS.get(trait, trait)] = _LEVELS.get(level, level)
    fits = set(levels) == set(BigFive.model_fields) and set(levels.values()) <= {
        "low",
        "average",
        "high",
    }
    return BigFive.model_validate(levels) if fits else None


def _strip_items(items: tuple[str, ...], quirks: Quirks) -> tuple[str, ...]:
    quirks[Quirk.SPACED_ITEM] += sum(item != item.strip() for item in items)
    return tuple(item.strip() for item in items if item.strip())


DIGITS = {
    "0": RelationshipType.STRANGER,
    "1": RelationshipType.KNOWN_BY_NAME,
    "2": RelationshipType.ACQUAINTANCE,
    "3": RelationshipType.FRIEND,
    "4": RelationshipType.ROMANTIC,
    "5": RelationshipType.FAMILY,
}

Pair: TypeAlias = frozenset[str]


class RawRelationship(PackageRecord):
    """A line of relationship_profiles.jsonl."""

    agent1_id: str = Field(validation_alias=AliasChoices("agent1_id", "agent_1_id"))
    agent2_id: str = Field(validation_alias=AliasChoices("agent2_id", "agent_2_id"))
    relationship: int | str
    background_story: str = ""


def relationship_type(digit: int | str, place: str) -> RelationshipType:
    """The relationship type of a digit, 0 to 5; ConfigError for anything else."""
    try:
        return DIGITS[str(digit).strip()]
    except KeyError:
        meaning = ", ".join(f"{number} {name}" for number, name in DIGITS.items())
        raise ConfigError(
            f"{place}: the relationship {str(digit)!r} is not known; expected one of {meaning}"
        ) from None


def merge_relationships(
    items: Iterable[PlacedRow[RawRelationship]],
    characters: Mapping[str, Character],
    expected: Mapping[Pair, tuple[RelationshipType, ...]],
    quirks: Quirks,
) -> dict[Pair, Relationship]:
    """One relationship for each pair that has rows, in the order of the file.

    `expected` has, for each pair that is cast, the relationships of its tasks' scenarios. If a
    pair's rows conflict, the one that most of these agree with counts, or the first of equals.
    """
    by_pair: dict[Pair, list[Relationship]] = defaultdict(list)
    for item in items:
        row = _build_relationship(item, characters)
        by_pair[frozenset((row.a, row.b))].append(row)
    for pair, several in by_pair.items():
        if len({row.type for row in several}) > 1:
            quirks[Quirk.CONFLICTING_PAIR] += 1
            quirks[Quirk.TASK_OF_CONFLICT] += len(expected.get(pair, ()))
    return {
        pair: max(several, key=lambda row: expected.get(pair, ()).count(row.type))
        for pair, several in by_pair.items()
    }


def _build_relationship(
    item: PlacedRow[RawRelationship], characters: Mapping[str, Character]
) -> Relationship:
    raw = item.row
    for key in (raw.agent1_id, raw.agent2_id):
        find_record(item.place, key, characters, "character")
    if raw.agent1_id == raw.agent2_id:
        raise ConfigError(f"{item.place}: {raw.agent1_id} is in a relationship with itself")
    return record(
        item.place,
        Relationship,
        {
            "a": raw.agent1_id,
            "b": raw.agent2_id,
            "type": relationship_type(raw.relationship, item.place),
            "story": raw.background_story.strip(),
        },
    )


FAMILIES: dict[str, Family] = {
    "craigslist_bargains": "bargain",
    "mutual_friends": "mutual-friend",
    "deal-or-no-deal": "division",
    "normbank": "place",
    "social_chemistry": "norms",
    "social_iqa": "feelings",
}
"""Families by source; all other sources are "other"."""

_READABLE: tuple[Family, ...] = ("bargain", "division", "mutual-friend")


class RawEnvironment(PackageRecord):
    """A line of environment_profiles.jsonl."""

    env_id: str = Field(validation_alias=AliasChoices("env_id", "pk"))
    codename: str = ""
    source: str = ""
    scenario: str
    agent_goals: tuple[str, ...]
    relationship: int | str
    age_constraint: object = None
    occupation_constraint: object = None
    agent_constraint: object = None


def build_scenario(
    item: PlacedRow[RawEnvironment], quirks: Quirks, *, strategy_hints: bool = True
) -> Scenario:
    """An environment as a scenario without tags, each private part in its seat's goal."""
    raw, place = item.row, item.place
    seats = len(raw.agent_goals)
    if seats < 2:
        raise ConfigError(f"{place}: a scenario needs at least 2 goals, found {seats}")
    scene = read_context(raw.scenario, seats, place, quirks)
    reader = GoalReader(seats, place, strategy_hints)
    texts = tuple(
        reader.goal(goal, seat, scene.seats[seat], quirks)
        for seat, goal in enumerate(raw.agent_goals)
    )
    family = FAMILIES.get(raw.source, "other")
    facts = _read_consistent_facts(family, scene, texts, quirks)
    if not _is_unset(raw.agent_constraint, quirks):
        quirks[Quirk.AGENT_CONSTRAINT] += 1
    tags = (raw.source, re.sub(r"_\d+$", "", raw.codename))  # some codenames end in a number
    return record(
        place,
        Scenario,
        {
            "id": raw.env_id,
            "family": family,
            "context": scene.text,
            "environment": scene.environment,
            "goals": [
                {"text": text, "facts": facts[seat] if facts else None}
                for seat, text in enumerate(texts)
            ],
            "relationships": [relationship_type(raw.relationship, place)],
            "ages": _read_ages(raw.age_constraint, seats, place, quirks),
            "occupations": _read_occupations(raw.occupation_constraint, seats, place, quirks),
            "tags": list(dict.fromkeys(filter(None, tags))),
            "published": {"context": raw.scenario, "goals": raw.agent_goals},
        },
    )


def _read_consistent_facts(
    family: Family, scene: GoalContext, texts: tuple[str, ...], quirks: Quirks
) -> tuple[Facts, ...] | None:
    """The goals' facts; None if the environment's part contradicts them."""
    if family not in _READABLE:
        return None
    facts = read_facts(family, scene.text, texts)
    mutual = _mutual_friends(facts or ())
    if scene.environment and any(name not in scene.environment for name in mutual):
        facts = None
    quirks[Quirk.FACTS_UNREAD] += facts is None
    return facts


def _mutual_friends(facts: tuple[Facts, ...]) -> set[str]:
    """The names on all lists of friends; empty for other goals."""
    lists = [{who.name for who in goal.friends} for goal in facts if isinstance(goal, FriendGoal)]
    return set.intersection(*lists) if lists else set()


def _is_unset(value: object, quirks: Quirks) -> bool:
    """Whether a constraint is empty, which the public files also write as "nan" or "none"."""
    empty = value is None or (isinstance(value, float) and math.isnan(value))
    text = str(value).strip().lower()
    if text in ("nan", "none"):
        quirks[Quirk.EMPTY_CONSTRAINT] += 1
    return empty or text in ("", "nan", "none", "[]")


def _read_ages(value: object, seats: int, place: str, quirks: Quirks) -> list[tuple[int, int]]:
    """Parse the lowest and highest age of each seat, such as "[(18, 70), (21, 70)]"."""
    if _is_unset(value, quirks):
        return []
    ages = [(int(a), int(b)) for a, b in re.findall(r"\(\s*(\d+)\s*,\s*(\d+)\s*\)", str(value))]
    if len(ages) != seats or any(low > high for low, high in ages):
        raise ConfigError(
            f"{place}: age_constraint should be {seats} pairs such as (18, 70), found {value!r}"
        )
    return ages


def _read_occupations(
    value: object, seats: int, place: str, quirks: Quirks
) -> list[tuple[str, ...]]:
    """Parse the occupation of each seat, such as "[actor, nan]"."""
    if _is_unset(value, quirks):
        return []
    names = [name.strip(" '\"") for name in str(value).strip().strip("[]").split(",")]
    if len(names) != seats:
        raise ConfigError(
            f"{place}: occupation_constraint should be {seats} occupations in brackets, "
            f"found {value!r}"
        )
    return [() if name.lower() in ("", "nan", "none") else (name,) for name in names]
