"""Whether the facts of a scenario's goals fit each other, as their formula needs.

A price with two sellers, or an option that is spelt in two ways, would be scored without anybody
noticing that the figure means nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sociolab.worlds.sotopia.scenarios import (
    DivisionGoal,
    Facts,
    FriendGoal,
    OptionGoal,
    PriceGoal,
    Scenario,
)

_TAG = re.compile(r"</?(?:p viewer|extra_info|strategy_hint|clarification_hint)\b[^>]*>?")
"""What the published scenarios mark private parts with; here a player would read it."""


def misfit(scenario: Scenario) -> str | None:
    """What is wrong with a scenario as a whole, in a clause; None if nothing is."""
    return next(_misfits(scenario), None)


def _misfits(scenario: Scenario) -> Iterator[str]:
    for text in (scenario.context, *(goal.text for goal in scenario.goals)):
        if tag := _TAG.search(text):
            yield (
                f"{tag[0]} would be read by the players; write the text as they shall read it "
                "(sociolab import sotopia does that to published files)"
            )
    if problem := misfit_of([goal.facts for goal in scenario.goals]):
        yield problem


def misfit_of(facts: Sequence[Facts | None]) -> str | None:
    """What keeps the facts of a scenario's goals from fitting each other; None if nothing does."""
    return next(_misfits_of(facts), None)


def _misfits_of(facts: Sequence[Facts | None]) -> Iterator[str]:
    kinds = {fact.kind if fact and fact.kind != "ask" else "none" for fact in facts}
    if len(kinds) > 1:
        yield (
            f"expected facts of one kind in every goal, or in none, found {_listed(sorted(kinds))}"
        )
        return
    # By kind and not by class: an isinstance check of a pydantic class takes microseconds.
    yield from _of_prices([fact for fact in facts if fact and fact.kind == "price"])
    yield from _of_divisions([fact for fact in facts if fact and fact.kind == "division"])
    yield from _of_friends([fact for fact in facts if fact and fact.kind == "friend"])
    yield from _of_options([fact for fact in facts if fact and fact.kind == "option"])


def _of_prices(goals: Sequence[PriceGoal]) -> Iterator[str]:
    roles = [goal.role for goal in goals]
    if goals and sorted(roles) != ["buyer", "seller"]:
        yield f"price: expected one seller and one buyer, found {_listed(roles)}"
    listed = sorted({goal.listed for goal in goals})
    if len(listed) > 1:
        yield (
            "price: expected one listed price in all goals, "
            f"found {_listed([f'{price:g}' for price in listed])}"
        )


def _of_divisions(goals: Sequence[DivisionGoal]) -> Iterator[str]:
    if len(goals) > 2:
        yield f"division: rules read one between two seats only, found {len(goals)}"
    for goal in goals:
        if goal.counts != goals[0].counts:
            yield (
                "division: expected the same counts in all goals, "
                f"found {goals[0].counts} and {goal.counts}"
            )
        if not any(goal.values.values()):
            yield "division: expected goods that are worth something to every seat"


def _of_friends(goals: Sequence[FriendGoal]) -> Iterator[str]:
    lists = [[friend.name for friend in goal.friends] for goal in goals]
    for names in lists:
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            yield f"friend: {twice} stands twice in one list"
    if lists and not set.intersection(*map(set, lists)):
        yield "friend: expected a name that stands in every list, and there is none"


def _of_options(goals: Sequence[OptionGoal]) -> Iterator[str]:
    for goal in goals:
        odd = sorted(goal.options.keys() ^ goals[0].options.keys())
        if odd:
            yield f"option: expected the same options in all goals, found {_listed(odd)} in some"
    wordings = [option.lower() for option in goals[0].options] if goals else []
    if twice := next((word for word in wordings if wordings.count(word) > 1), None):
        yield f'option: "{twice}" stands there twice'


def _listed(words: Sequence[str]) -> str:
    return " and ".join(words)
