"""Cast scenarios as tasks, and build the data that ships with the package.

`python -m sociolab.worlds.sotopia.build` does the latter: from characters.jsonl,
relationships.jsonl, authored.jsonl (60 scenarios) and templates.json, all written by hand, it makes
scenarios.jsonl (90) and tasks.jsonl (450). A test makes them again and compares.
"""

from __future__ import annotations

import hashlib
import random
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.resources import as_file, files
from itertools import permutations
from pathlib import Path
from typing import Annotated

from pydantic import Field, StringConstraints

from sociolab.core.errors import ConfigError
from sociolab.core.reading import json_records
from sociolab.core.seeding import digest, interleave, stream
from sociolab.core.user_files import write_atomically, writing
from sociolab.report.words import plural
from sociolab.worlds.sotopia.dataset import (
    TaskRow,
    read_characters,
    read_relationships,
    read_scenarios,
)
from sociolab.worlds.sotopia.scenarios import (
    AT_TARGET,
    LONGEST_ID,
    STEP,
    Character,
    Constraint,
    DataRecord,
    Friend,
    FriendGoal,
    Goal,
    PriceGoal,
    Relationship,
    RelationshipType,
    Scenario,
    Text,
    bargaining_zone,
    price_worth,
)
from sociolab.worlds.sotopia.scene import PACKAGE

SEED = 1


def build(folder: Path) -> Mapping[str, str]:
    """The generated files of a data folder, by name."""
    authored = tuple(s for _, s in json_records(folder / "authored.jsonl", Scenario))
    spec = TemplateSpec.model_validate_json((folder / "templates.json").read_bytes())
    scenarios = (
        *authored,
        *bargains(spec.bargains, SEED),
        *friend_searches(spec.friend_searches, SEED),
    )
    characters = read_characters(folder)
    pairs = tuple(read_relationships(folder, characters).values())
    tasks = cast_tasks(scenarios, characters, pairs, seed=SEED)
    return {
        "scenarios.jsonl": "".join(scenario.line() for scenario in scenarios),
        "tasks.jsonl": "".join(task.line() for task in tasks),
    }


def main() -> None:
    """Write the generated files into a source tree."""
    with as_file(files(PACKAGE) / "data") as folder:
        for name, text in build(folder).items():
            (folder / name).write_text(text, "utf-8")
            sys.stdout.write(f"{folder / name}: {text.count(chr(10))} records\n")


PAIRS_PER_SCENARIO = 5
"""The paper's 450 tasks are 90 scenarios x 5 pairs (SOTOPIA section 2)."""


def castable_pairs(
    scenario: Scenario,
    characters: Mapping[str, Character],
    relationships: Sequence[Relationship],
) -> tuple[tuple[str, str], ...]:
    """Every ordered pair that may be cast.

    Only pairs with a row count, even strangers: two characters without one may have met in some
    story.
    """
    pairs = []
    for relationship in relationships:
        for a, b in permutations((relationship.a, relationship.b)):
            if not any(scenario.unmet((characters[a], characters[b]), (relationship,))):
                pairs.append((a, b))
    return tuple(pairs)


def cast_tasks(
    scenarios: Sequence[Scenario],
    characters: Mapping[str, Character],
    relationships: Sequence[Relationship],
    *,
    per_scenario: int = PAIRS_PER_SCENARIO,
    seed: int = 0,
) -> tuple[TaskRow, ...]:
    """Cast different pairs in each scenario: the least used so far first, else at random.

    The tasks come in an order of which every prefix is varied: one pair of every scenario before
    the second of any, families taking turns, so that a run with `--limit` is not of one family.

    ConfigError for a scenario with too few pairs, or not two seats.
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
        options = list(castable_pairs(scenario, characters, relationships))
        random.shuffle(options)
        chosen: set[frozenset[str]] = set()
        for _ in range(per_scenario):
            remaining = [pair for pair in options if frozenset(pair) not in chosen]
            if not remaining:
                raise ConfigError(
                    f'scenario "{scenario.id}": expected {per_scenario} pairs to cast, found '
                    f"{len(chosen)} that fit it in relationships.jsonl (strangers need a row there "
                    "too); add rows, relax the scenario, or ask for fewer with --per-scenario"
                )
            a, b = min(remaining, key=lambda p: (used_pairs[frozenset(p)], used[p[0]] + used[p[1]]))
            chosen.add(frozenset((a, b)))
            used_pairs[frozenset((a, b))] += 1
            used.update((a, b))
            rows.append(
                TaskRow(id=_task_id(scenario.id, a, b), scenario=scenario.id, characters=(a, b))
            )
    # The rows come scenario by scenario: take them round by round, with families mixed evenly.
    families = [scenario.family for scenario in scenarios]
    order = interleave(range(len(families)), families.__getitem__, families.count)
    return tuple(rows[i * per_scenario + nth] for nth in range(per_scenario) for i in order)


def _task_id(scenario: str, a: str, b: str) -> str:
    """An id from scenario and cast; hashed where it would be too long."""
    full_id = f"{scenario}.{a}.{b}"
    return full_id if len(full_id) <= LONGEST_ID else f"{scenario[:60]}.{digest(full_id)}"


def cast_folder(folder: Path, per_scenario: int, seed: int) -> str:
    """Write tasks.jsonl for the scenarios of a folder; ConfigError if it exists already."""
    target = folder / "tasks.jsonl"
    if target.exists():
        raise ConfigError(f"{target} is there already; move it away to cast anew")
    scenarios, characters = tuple(read_scenarios(folder).values()), read_characters(folder)
    pairs = tuple(read_relationships(folder, characters).values())
    rows = cast_tasks(scenarios, characters, pairs, per_scenario=per_scenario, seed=seed)
    with writing(target):
        write_atomically(target, "".join(row.line() for row in rows))
    return f"wrote {target}: {plural(len(rows), 'task')}"


Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=40)]

MEAN_MARKUP = 0.5
LOWEST_SELLER_TARGET = 0.35
BUYER_BELOW = 0.9
"""The most that the buyer's target is of the seller's: both want something, but not the same."""
WORTH_TALKING = 2
_BELOW = (AT_TARGET - WORTH_TALKING) * STEP
"""How far from a side's target the price lies that is worth `WORTH_TALKING` to it."""
DEAR = 500
GROWN_UP = ((25, 130),)
"""The ages of a cast where the listed price is above `DEAR`: no students."""
FRIENDS = (8, 10)
NEAR_DOUBLES = 2
CHOICES = 6
"""Values of an attribute that occur in one friend search: few, so that friends resemble each other.
"""


class Item(DataRecord):
    """A second-hand thing. `item` has the article "a", `short` has "the"; `listed` in dollars.

    `not_sold_by` and `not_bought_by` are occupations.
    """

    slug: Slug
    item: Text
    short: Text
    description: Text
    listed: int = Field(gt=0)
    not_sold_by: tuple[Text, ...] = ()
    not_bought_by: tuple[Text, ...] = ()


class BargainSpec(DataRecord):
    """Parameters of the bargains: one scenario for each item.

    A context holds `{item}` or `{Item}`, `{listed}` and `{description}`; a goal `{short}`,
    `{target}`, and the prices that are worth 10 and 0 points, `{best}` and `{worst}`.
    """

    seller_first: tuple[Text, ...] = Field(min_length=1)
    buyer_first: tuple[Text, ...] = Field(min_length=1)
    seller_goals: tuple[Text, ...] = Field(min_length=1)
    buyer_goals: tuple[Text, ...] = Field(min_length=1)
    items: tuple[Item, ...]


class MeetingPlace(DataRecord):
    """Where two strangers meet, and why they start to talk; `not_for` are occupations."""

    slug: Slug
    context: Text
    not_for: tuple[Text, ...] = ()


class Attribute(DataRecord):
    """An attribute of friends; `phrase` holds `{value}` ("works at {value}")."""

    name: Slug
    phrase: Text
    values: tuple[Text, ...] = Field(min_length=CHOICES)


class FriendSpec(DataRecord):
    """Parameters of the friend searches: one scenario for each setting.

    A goal holds `{friends}`. Every scenario uses all attributes or leaves out one.
    """

    goals: tuple[Text, ...] = Field(min_length=1)
    settings: tuple[MeetingPlace, ...]
    attributes: tuple[Attribute, ...] = Field(min_length=3)
    names: tuple[Text, ...] = Field(min_length=2 * FRIENDS[1])


class TemplateSpec(DataRecord):
    """The content of `templates.json`."""

    bargains: BargainSpec
    friend_searches: FriendSpec


def bargains(spec: BargainSpec, seed: int) -> tuple[Scenario, ...]:
    """One scenario for each item; the seller sits first in even ones, the buyer in odd ones."""
    return tuple(
        _bargain(spec, index, _stream("bargain", seed, index)) for index in range(len(spec.items))
    )


def friend_searches(spec: FriendSpec, seed: int) -> tuple[Scenario, ...]:
    """One scenario for each setting; exactly one friend is on the lists of both seats."""
    return tuple(
        _friend_search(spec, index, _stream("mutual-friend", seed, index))
        for index in range(len(spec.settings))
    )


def draw_markup(rng: random.Random) -> float:
    """Draw the ratio of listed price and seller's target, less one: exponential with mean 0.5.

    SOTOPIA prints "rate 0.5", which is a mean of 2; in its public data the mean is 0.5, which is
    followed here. Draws that put the target below 35 % of the listed price are rejected, so that
    the largest is 1.857 and the mean 0.454.
    """
    while True:
        drawn = rng.expovariate(1 / MEAN_MARKUP)
        if 1 / (1 + drawn) >= LOWEST_SELLER_TARGET:
            return drawn


def draw_seller_target(listed: int, rng: random.Random) -> int:
    """Draw the seller's target in rounded dollars: 35 to 83 % of the listed price.

    Targets are rejected if the price worth 10 points to the seller is above the listed one.
    """
    while True:
        target = round_price(listed / (1 + draw_markup(rng)))
        best = target * (1 + (10 - AT_TARGET) * STEP)
        if LOWEST_SELLER_TARGET * listed <= target and best <= listed:
            return target


def draw_buyer_target(listed: int, seller: int, rng: random.Random) -> int:
    """Draw the buyer's target in rounded dollars: two thirds to nine tenths of the seller's.

    From two thirds on, some price is worth 2 points or more to both. Targets are rejected unless
    the price worth 0 points to the buyer is below the listed one.
    """
    low, high = seller * (1 - _BELOW) / (1 + _BELOW), seller * BUYER_BELOW
    while True:
        target = round_price(rng.uniform(low, high))
        if low <= target <= high and target * (1 + AT_TARGET * STEP) < listed:
            return target


def round_price(dollars: float) -> int:
    """Round to a price that people would name: tens, fifties above 500, hundreds above 2,000."""
    unit = 100 if dollars > 2000 else 50 if dollars > 500 else 10
    return unit * round(dollars / unit)


def _bargain(spec: BargainSpec, index: int, rng: random.Random) -> Scenario:
    item = spec.items[index]
    seller = PriceGoal(
        role="seller",
        item=item.item,
        listed=item.listed,
        target=draw_seller_target(item.listed, rng),
    )
    target = draw_buyer_target(item.listed, int(seller.target), rng)
    buyer = PriceGoal(role="buyer", item=item.item, listed=item.listed, target=target)
    goals = (
        _price_goal(rng.choice(spec.seller_goals), item, seller),
        _price_goal(rng.choice(spec.buyer_goals), item, buyer),
    )
    seller_first = index % 2 == 0
    context = rng.choice(spec.seller_first if seller_first else spec.buyer_first)
    sides = (item.not_sold_by, item.not_bought_by)
    ages = GROWN_UP * 2 if item.listed > DEAR else ()
    # In two of five only, or strangers would fill the data set.
    strangers = (RelationshipType.STRANGER,) if index % 5 < 2 else ()
    return Scenario(
        id=f"bargain-{index + 1:02}-{item.slug}",
        family="bargain",
        stance="competitive",
        context=context.format(
            item=item.item,
            Item=item.item[0].upper() + item.item[1:],
            listed=_dollars(item.listed),
            description=item.description,
        ),
        goals=goals if seller_first else goals[::-1],
        relationships=(*strangers, RelationshipType.ACQUAINTANCE),
        ages=ages,
        excluded_occupations=(sides if seller_first else sides[::-1]) if any(sides) else (),
        unconstrained=_unconstrained(ages=bool(ages), occupations=any(sides)),
        zone=bargaining_zone((seller, buyer)),
        tags=("bargain", "money"),
    )


def _unconstrained(**constrained: bool) -> tuple[Constraint, ...]:
    names: tuple[Constraint, ...] = ("ages", "occupations", "ties")
    return tuple(name for name in names if not constrained.get(name))


def _price_goal(template: str, item: Item, facts: PriceGoal) -> Goal:
    text = template.format(
        short=item.short,
        target=_dollars(facts.target),
        best=_dollars(price_worth(facts, 10)),
        worst=_dollars(price_worth(facts, 0)),
    )
    return Goal(text=text, facts=facts)


def _friend_search(spec: FriendSpec, index: int, rng: random.Random) -> Scenario:
    setting = spec.settings[index]
    used = _choose_attributes(spec.attributes, rng)
    goals = tuple(
        Goal(
            text=rng.choice(spec.goals).format(
                friends="\n".join(_friend_line(friend, used) for friend in friends)
            ),
            facts=FriendGoal(friends=friends),
        )
        for friends in _friend_lists(spec.names, used, rng)
    )
    return Scenario(
        id=f"mutual-friend-{index + 1:02}-{setting.slug}",
        family="mutual-friend",
        stance="cooperative",
        context=setting.context,
        goals=goals,
        relationships=(RelationshipType.STRANGER,),
        excluded_occupations=(setting.not_for,) * 2 if setting.not_for else (),
        unconstrained=_unconstrained(occupations=bool(setting.not_for)),
        tags=("mutual-friend",),
    )


def _choose_attributes(
    attributes: tuple[Attribute, ...], rng: random.Random
) -> tuple[Attribute, ...]:
    """All attributes, or all but one, in their order; at least three."""
    if len(attributes) == 3 or rng.random() < 0.5:
        return attributes
    left_out = rng.randrange(len(attributes))
    return attributes[:left_out] + attributes[left_out + 1 :]


def _friend_lists(
    names: tuple[str, ...], used: tuple[Attribute, ...], rng: random.Random
) -> tuple[tuple[Friend, ...], ...]:
    """Two lists of friends with one in common; no two friends agree in all attributes."""
    choices = {a.name: rng.sample(a.values, CHOICES) for a in used}
    sizes = [rng.randint(*FRIENDS) for _ in range(2)]
    free_names = iter(rng.sample(names, sum(sizes) - 1))
    mutual = Friend(name=next(free_names), about={key: rng.choice(choices[key]) for key in choices})
    profiles = {tuple(mutual.about.values())}
    lists: list[tuple[Friend, ...]] = []
    for size in sizes:
        friends = [mutual]
        while len(friends) < size:
            if len(friends) <= NEAR_DOUBLES:
                about = _near_double(mutual, choices, rng)
            else:
                about = {key: rng.choice(values) for key, values in choices.items()}
            if tuple(about.values()) not in profiles:
                profiles.add(tuple(about.values()))
                friends.append(Friend(name=next(free_names), about=about))
        rng.shuffle(friends)
        lists.append(tuple(friends))
    return tuple(lists)


def _near_double(
    friend: Friend, choices: dict[str, list[str]], rng: random.Random
) -> dict[str, str]:
    """The attributes of `friend` except for one, so that talk about attributes may mislead."""
    changed = rng.choice(list(choices))
    alternatives = [value for value in choices[changed] if value != friend.about[changed]]
    return {**friend.about, changed: rng.choice(alternatives)}


def _friend_line(friend: Friend, used: tuple[Attribute, ...]) -> str:
    about = "; ".join(a.phrase.format(value=friend.about[a.name]) for a in used)
    return f"{friend.name}: {about}"


def _dollars(amount: float) -> str:
    return f"${amount:,.2f}".removesuffix(".00")


def _stream(family: str, seed: int, index: int) -> random.Random:
    """A generator for each scenario, so that it does not change when others are added."""
    hashed = hashlib.sha256(f"{family}/{seed}/{index}".encode()).digest()
    return random.Random(int.from_bytes(hashed, "big"))


if __name__ == "__main__":
    main()
