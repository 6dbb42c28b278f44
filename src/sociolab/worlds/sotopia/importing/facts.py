"""The facts of goals with a formula, read off public texts; of all seats or of none."""

from __future__ import annotations

import re

from pydantic import ValidationError

from sociolab.worlds.sotopia.fitting_facts import misfit_of
from sociolab.worlds.sotopia.scenarios import (
    DivisionGoal,
    Facts,
    Family,
    Friend,
    FriendGoal,
    PriceGoal,
)

_PRICE = r"\$(?P<price>\d[\d,]*(?:\.\d+)?)"
_OFFER = re.compile(
    r"(?:selling|offering|put up|sells|offers)\s+(?P<owned>(?:their|his|her|its)\s+)?"
    rf"(?P<item>.+?)\s+(?:for sale (?:at|for)|for a price of|for|at)\s+{_PRICE}"
)
_GOODS = re.compile(r"(?<![\d$.,])(?P<count>\d+)\s+(?P<good>[a-z]+)\b")
_POINTS = re.compile(r"(?P<points>\d+(?:\.\d+)?)\s+points?\b")


def read_facts(family: Family, context: str, goals: tuple[str, ...]) -> tuple[Facts, ...] | None:
    """The facts of all goals, in order; None where one of them cannot be read for sure.

    `context` and `goals` are plain text as `goals.py` writes it.
    """
    try:
        facts = _facts(family, context, goals)
    except ValidationError:  # a price of nothing, a million of some good
        return None
    return None if facts is None or misfit_of(facts) else facts


def _facts(family: Family, context: str, goals: tuple[str, ...]) -> tuple[Facts, ...] | None:
    if family == "bargain":
        return _prices(context, goals)
    if family == "division":
        return _division(context, goals)
    if family == "mutual-friend":
        return _friends(goals)
    return None


def family_of(context: str, goals: tuple[str, ...]) -> Family:
    """The family that a scenario shows itself to be of, "other" where it shows none."""
    families: tuple[Family, ...] = ("bargain", "division", "mutual-friend")
    for family in families:
        if read_facts(family, context, goals) is not None:
            return family
    return "other"


def _prices(context: str, goals: tuple[str, ...]) -> tuple[PriceGoal, ...] | None:
    offer = _OFFER.search(context)
    if offer is None:
        return None
    item = f"the {offer['item']}" if offer["owned"] else offer["item"]
    found = []
    for goal in goals:
        roles = {word.lower() for word in re.findall(r"\b(?:buyer|seller)\b", goal, re.IGNORECASE)}
        targets = re.findall(_PRICE, goal)
        if len(roles) != 1 or len(targets) != 1:
            return None
        found.append(
            PriceGoal.model_validate(
                {
                    "role": roles.pop(),
                    "item": item,
                    "listed": _number(offer["price"]),
                    "target": _number(targets[0]),
                }
            )
        )
    return tuple(found)


def _division(context: str, goals: tuple[str, ...]) -> tuple[DivisionGoal, ...] | None:
    counts: dict[str, int] = {}
    for match in _GOODS.finditer(context):
        good = _many(match["good"])
        if good in counts:
            return None
        counts[good] = int(match["count"])
    if len(counts) < 2:
        return None
    values = [_worth(goal, counts) for goal in goals]
    if any(worth is None for worth in values):
        return None
    return tuple(DivisionGoal(counts=counts, values=worth) for worth in values if worth)


def _worth(goal: str, counts: dict[str, int]) -> dict[str, float] | None:
    """What one of each good is worth; None where a good has no figure, or more than one.

    A figure belongs to a good where nothing but words stands between the two. It must be the worth
    of one: the goal says "each", or names a single piece ("the ball at 1 point").
    """
    values: dict[str, float] = {}
    for good in counts:
        one = good.removesuffix("s")
        worth = rf"\b{one}(?P<many>s)?\b[a-z= ]*?{_POINTS.pattern}(?P<each>\s+each\b)?"
        found = list(re.finditer(worth, goal, re.IGNORECASE))
        if len(found) != 1 or (found[0]["many"] and not found[0]["each"]):
            return None
        values[good] = float(found[0]["points"])
    return values if len(_POINTS.findall(goal)) == len(counts) else None


def _friends(goals: tuple[str, ...]) -> tuple[FriendGoal, ...] | None:
    lists = [_friend_list(goal) for goal in goals]
    if any(len(friends) < 2 for friends in lists):
        return None
    names = [{friend.name for friend in friends} for friends in lists]
    if len(set.intersection(*names)) != 1:
        return None
    return tuple(FriendGoal(friends=friends) for friends in lists)


def _friend_list(goal: str) -> tuple[Friend, ...]:
    """The friends of a goal, one to a line; empty where a line cannot be read."""
    friends = []
    for line in goal.split("\n"):
        if not line.startswith("- "):
            continue
        name, _, about = line[2:].partition(": ")
        pairs = [item.partition(": ") for item in about.split("; ")]
        if not name or not all(key and value for key, _, value in pairs):
            return ()
        friends.append(Friend(name=name, about={key.lower(): value for key, _, value in pairs}))
    return tuple(friends)


def _many(good: str) -> str:
    """The plural of a good's name, as far as an s goes ("hat": "hats")."""
    return good if good.endswith("s") else good + "s"


def _number(text: str) -> float:
    return float(text.replace(",", ""))
