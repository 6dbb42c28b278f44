"""Who may be cast in a scenario, and which pairs are: a task space from its constraints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import permutations

from sociolab.core.errors import ConfigError
from sociolab.core.seeding import stream
from sociolab.worlds.sotopia.dataset import TaskRow
from sociolab.worlds.sotopia.profiles import Character, Relationship
from sociolab.worlds.sotopia.scenarios import Scenario

PAIRS_PER_SCENARIO = 5
"""As in the paper: 90 scenarios x 5 pairs = 450 tasks (SOTOPIA section 2)."""


def fits(scenario: Scenario, cast: Sequence[Character], relationship: Relationship) -> bool:
    """Whether these characters, in the order of the seats, meet the scenario's constraints."""
    if relationship.type not in scenario.relationships:
        return False
    if scenario.ties and relationship.tie not in scenario.ties:
        return False
    for character, (low, high) in zip(cast, scenario.ages, strict=False):
        if not low <= character.age <= high:
            return False
    return all(
        not allowed or character.occupation in allowed
        for character, allowed in zip(cast, scenario.occupations, strict=False)
    )


def castable(
    scenario: Scenario,
    characters: Mapping[str, Character],
    relationships: Sequence[Relationship],
) -> tuple[tuple[str, str], ...]:
    """Every ordered pair that may be cast. Only pairs with a row of their own count, strangers
    too: two characters without a row may well have met in somebody's story."""
    found = []
    for relationship in relationships:
        for a, b in permutations((relationship.a, relationship.b)):
            if fits(scenario, (characters[a], characters[b]), relationship):
                found.append((a, b))
    return tuple(found)


def cast_tasks(
    scenarios: Sequence[Scenario],
    characters: Mapping[str, Character],
    relationships: Sequence[Relationship],
    *,
    per_scenario: int = PAIRS_PER_SCENARIO,
    seed: int = 0,
) -> tuple[TaskRow, ...]:
    """Pairs for each scenario: different ones, those least used so far first, else by chance.

    In an order of which every beginning is varied: one pair of every scenario before the second
    of any, families taking turns, so that a run with a `--limit` is no run of one family.

    ConfigError for a scenario that has not enough pairs, or not two seats.
    """
    used_pairs: Counter[frozenset[str]] = Counter()
    used: Counter[str] = Counter()
    rows = []
    for scenario in scenarios:
        if len(scenario.goals) != 2:
            raise ConfigError(
                f'scenario "{scenario.id}" has {len(scenario.goals)} seats; pairs can be cast for '
                "two only, write its tasks by hand"
            )
        random = stream(seed, "cast", scenario.id)
        options = list(castable(scenario, characters, relationships))
        random.shuffle(options)
        taken: set[frozenset[str]] = set()
        for _ in range(per_scenario):
            open_ = [pair for pair in options if frozenset(pair) not in taken]
            if not open_:
                raise ConfigError(
                    f'scenario "{scenario.id}": expected {per_scenario} pairs to cast, found '
                    f"{len(taken)} that fit it in relationships.jsonl (strangers need a row there "
                    "too); add rows, relax the scenario, or ask for fewer with --per-scenario"
                )
            a, b = min(open_, key=lambda p: (used_pairs[frozenset(p)], used[p[0]] + used[p[1]]))
            taken.add(frozenset((a, b)))
            used_pairs[frozenset((a, b))] += 1
            used.update((a, b))
            rows.append(
                TaskRow(id=f"{scenario.id}.{a}.{b}", scenario=scenario.id, characters=(a, b))
            )
    return _varied(rows, scenarios, per_scenario)


def _varied(
    rows: Sequence[TaskRow], scenarios: Sequence[Scenario], per_scenario: int
) -> tuple[TaskRow, ...]:
    """The rows, which come scenario by scenario, round by round and with families mixed evenly."""
    sizes = Counter(scenario.family for scenario in scenarios)
    seen: Counter[str] = Counter()
    places = []
    for index, scenario in enumerate(scenarios):
        places.append(((seen[scenario.family] + 0.5) / sizes[scenario.family], index))
        seen[scenario.family] += 1
    order = [index for _, index in sorted(places)]
    return tuple(rows[i * per_scenario + nth] for nth in range(per_scenario) for i in order)
