"""What the author of a data set should know of it, though it can be played as it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from sociolab.worlds.sotopia.dataset import DataSet, TaskRow
from sociolab.worlds.sotopia.profiles import Relationship
from sociolab.worlds.sotopia.scenarios import Scenario

_SHOWN = 4
"""Of a list, how many are named before it says how many more there are."""


def remarks(data: DataSet) -> tuple[str, ...]:
    """Sentences on a data set: which goals have a formula, who is cast against what is wished."""
    reasons = {row.id: next(_outside(data, row), "") for row in data.rows}
    outside = [f"{task} ({why})" for task, why in reasons.items() if why]
    scenarios = [key for key in data.scenarios if key not in {row.scenario for row in data.rows}]
    cast = {seat for row in data.rows for seat in row.characters}
    idle = [key for key in data.characters if key not in cast]
    namesakes = [row.id for row in data.rows if _namesakes(data, row)]
    unsaid = [f"{key} ({what})" for key, one in data.scenarios.items() for what in _unsaid(one)]
    found = [
        ("goals whose text, all that a model is shown, lacks what their facts hold", unsaid),
        ("tasks cast against their scenario's wishes, and played as they are", outside),
        ("tasks that cast two people of one name, told apart by their ids", namesakes),
        ("scenarios without a task", scenarios),
        ("characters without a task", idle),
    ]
    told = (f"{what} ({len(names)}): {_listed(names)}" for what, names in found if names)
    return (_checkable(data.scenarios.values()), *told)


def _checkable(scenarios: Iterable[Scenario]) -> str:
    kinds = Counter(
        facts.kind
        for facts in (scenario.goals[0].facts for scenario in scenarios)
        if facts is not None and facts.kind != "ask"
    )
    if not kinds:
        return "no scenario has goals with a formula"
    by_kind = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))
    return f"scenarios with goals that have a formula: {kinds.total()} ({by_kind})"


def _unsaid(scenario: Scenario) -> Iterator[str]:
    """Targets and friends of the facts that stand nowhere in the text of the goal."""
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


def _outside(data: DataSet, row: TaskRow) -> Iterator[str]:
    """Why a cast is none that the scenario asks for."""
    scenario = data.scenarios[row.scenario]
    for pair in data.pairs(row):
        if pair.type not in scenario.relationships:
            wanted = " or ".join(scenario.relationships)
            yield f"{pair.a} and {pair.b} are {_known(pair)}, wanted: {wanted}"
        elif scenario.ties and pair.tie not in scenario.ties:
            yield f"{pair.a} and {pair.b}: tie {pair.tie!r}, wanted: {' or '.join(scenario.ties)}"
    cast = [data.characters[seat] for seat in row.characters]
    # A scenario without a constraint has none for any seat: its tuple is empty.
    for who, (low, high) in zip(cast, scenario.ages, strict=False):
        if not low <= who.age <= high:
            yield f"{who.id} is {who.age}, wanted: {low} to {high}"
    for who, allowed in zip(cast, scenario.occupations, strict=False):
        if allowed and who.occupation.lower() not in {one.lower() for one in allowed}:
            yield f"{who.id}: {who.occupation}, wanted: {' or '.join(allowed)}"


def _known(pair: Relationship) -> str:
    return pair.type.replace("-", " ")


def _namesakes(data: DataSet, row: TaskRow) -> bool:
    names = [data.characters[seat].name for seat in row.characters]
    return len(set(names)) < len(names)


def _listed(names: Sequence[str]) -> str:
    more = f"; and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return "; ".join(names[:_SHOWN]) + more
