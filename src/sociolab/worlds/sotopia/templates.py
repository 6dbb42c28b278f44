"""Scenarios made from templates: bargains over a price, and searches for a mutual friend.

The parameters lie in `data/templates.json`. Every scenario has a random stream of its own, so
that the same parameters and seed give the same scenarios, and a scenario keeps its numbers when
others are added behind it.
"""

from __future__ import annotations

import hashlib
import random
from typing import Annotated

from pydantic import Field, StringConstraints

from sociolab.worlds.sotopia.profiles import Record, RelationshipType, Text
from sociolab.worlds.sotopia.scenarios import Friend, FriendGoal, Goal, PriceGoal, Scenario

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=40)]

MEAN_MARKUP = 0.5
LOWEST_SELLER_TARGET = 0.35
BUYER_TARGETS = (0.50, 0.92)
FRIENDS = (8, 10)
NEAR_DOUBLES = 2
CHOICES = 6
"""How many values of an attribute occur in one friend search: few, so that lists overlap."""


class Item(Record):
    """A second-hand thing. `item` has the article "a", `short` has "the"; `listed` in dollars."""

    slug: Slug
    item: Text
    short: Text
    description: Text
    listed: int = Field(gt=0)


class BargainSpec(Record):
    """Parameters of the bargains: one scenario for each item.

    A context holds `{item}`, `{listed}` and `{description}`; a goal `{short}` and `{target}`.
    """

    seller_first: tuple[Text, ...] = Field(min_length=1)
    buyer_first: tuple[Text, ...] = Field(min_length=1)
    seller_goals: tuple[Text, ...] = Field(min_length=1)
    buyer_goals: tuple[Text, ...] = Field(min_length=1)
    items: tuple[Item, ...]


class Setting(Record):
    """Where two strangers meet, and why they start to talk."""

    slug: Slug
    context: Text


class Attribute(Record):
    """Something known about a friend; `phrase` holds `{value}` ("works at {value}")."""

    name: Slug
    phrase: Text
    values: tuple[Text, ...] = Field(min_length=CHOICES)


class FriendSpec(Record):
    """Parameters of the friend searches: one scenario for each setting.

    A goal holds `{friends}`. Every scenario uses all attributes or leaves out one.
    """

    goals: tuple[Text, ...] = Field(min_length=1)
    settings: tuple[Setting, ...]
    attributes: tuple[Attribute, ...] = Field(min_length=3)
    names: tuple[Text, ...] = Field(min_length=2 * FRIENDS[1])


class TemplateSpec(Record):
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


def markup(rng: random.Random) -> float:
    """Listed price over the seller's target, less one: exponential with mean 0.5, cut at 1.857.

    SOTOPIA prints "rate 0.5", which is a mean of 2; in its public data the mean is 0.5
    (markup = listed / target - 1), and the data is followed here. Draws that put the target
    below 35 % of the listed price are made again, which leaves a mean of 0.454.
    """
    while True:
        drawn = rng.expovariate(1 / MEAN_MARKUP)
        if 1 / (1 + drawn) >= LOWEST_SELLER_TARGET:
            return drawn


def seller_target(listed: int, rng: random.Random) -> int:
    """What the seller wants, in rounded dollars: 35 to 100 % of the listed price."""
    while True:
        target = rounded(listed / (1 + markup(rng)))
        if LOWEST_SELLER_TARGET * listed <= target <= listed:
            return target


def buyer_target(listed: int, rng: random.Random) -> int:
    """What the buyer wants, in rounded dollars: 50 to 92 % of the listed price, uniform."""
    low, high = BUYER_TARGETS
    while True:
        target = rounded(listed * rng.uniform(low, high))
        if low * listed <= target <= high * listed:
            return target


def rounded(dollars: float) -> int:
    """A price that people would name: whole dollars, fives above 200, tens above 1,000."""
    unit = 10 if dollars > 1000 else 5 if dollars > 200 else 1
    return unit * round(dollars / unit)


def _bargain(spec: BargainSpec, index: int, rng: random.Random) -> Scenario:
    item = spec.items[index]
    seller = PriceGoal(
        role="seller", item=item.item, listed=item.listed, target=seller_target(item.listed, rng)
    )
    buyer = PriceGoal(
        role="buyer", item=item.item, listed=item.listed, target=buyer_target(item.listed, rng)
    )
    goals = (
        _price_goal(rng.choice(spec.seller_goals), item, seller),
        _price_goal(rng.choice(spec.buyer_goals), item, buyer),
    )
    even = index % 2 == 0
    context = rng.choice(spec.seller_first if even else spec.buyer_first)
    return Scenario(
        id=f"bargain-{index + 1:02}-{item.slug}",
        family="bargain",
        stance="competitive",
        context=context.format(
            item=item.item, listed=_dollars(item.listed), description=item.description
        ),
        goals=goals if even else goals[::-1],
        relationships=(RelationshipType.STRANGER,),
        tags=("bargain", "money"),
    )


def _price_goal(template: str, item: Item, facts: PriceGoal) -> Goal:
    text = template.format(short=item.short, target=_dollars(facts.target))
    return Goal(text=text, facts=facts)


def _friend_search(spec: FriendSpec, index: int, rng: random.Random) -> Scenario:
    setting = spec.settings[index]
    used = _some_of(spec.attributes, rng)
    goals = tuple(
        Goal(
            text=rng.choice(spec.goals).format(
                friends="\n".join(_line(friend, used) for friend in friends)
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
        tags=("mutual-friend",),
    )


def _some_of(attributes: tuple[Attribute, ...], rng: random.Random) -> tuple[Attribute, ...]:
    """All attributes, or all but one, in their order; at least three."""
    if len(attributes) == 3 or rng.random() < 0.5:
        return attributes
    left_out = rng.randrange(len(attributes))
    return attributes[:left_out] + attributes[left_out + 1 :]


def _friend_lists(
    names: tuple[str, ...], used: tuple[Attribute, ...], rng: random.Random
) -> tuple[tuple[Friend, ...], ...]:
    """Two lists of friends that share one of them; no two friends are alike in everything."""
    choices = {a.name: rng.sample(a.values, CHOICES) for a in used}
    sizes = [rng.randint(*FRIENDS) for _ in range(2)]
    left = iter(rng.sample(names, sum(sizes) - 1))
    mutual = Friend(name=next(left), about={key: rng.choice(choices[key]) for key in choices})
    seen = {tuple(mutual.about.values())}
    lists: list[tuple[Friend, ...]] = []
    for size in sizes:
        friends = [mutual]
        while len(friends) < size:
            near = len(friends) <= NEAR_DOUBLES
            about = _near_double(mutual, choices, rng) if near else _anybody(choices, rng)
            if tuple(about.values()) not in seen:
                seen.add(tuple(about.values()))
                friends.append(Friend(name=next(left), about=about))
        rng.shuffle(friends)
        lists.append(tuple(friends))
    return tuple(lists)


def _anybody(choices: dict[str, list[str]], rng: random.Random) -> dict[str, str]:
    return {key: rng.choice(values) for key, values in choices.items()}


def _near_double(
    friend: Friend, choices: dict[str, list[str]], rng: random.Random
) -> dict[str, str]:
    """The attributes of `friend` but for one, so that talk about attributes may mislead."""
    changed = rng.choice(list(choices))
    others = [value for value in choices[changed] if value != friend.about[changed]]
    return {**friend.about, changed: rng.choice(others)}


def _line(friend: Friend, used: tuple[Attribute, ...]) -> str:
    about = "; ".join(a.phrase.format(value=friend.about[a.name]) for a in used)
    return f"{friend.name}: {about}"


def _dollars(amount: float) -> str:
    return f"${amount:,.0f}"


def _stream(family: str, seed: int, index: int) -> random.Random:
    """The random stream of one scenario."""
    digest = hashlib.sha256(f"{family}/{seed}/{index}".encode()).digest()
    return random.Random(int.from_bytes(digest, "big"))
