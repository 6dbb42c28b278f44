"""Facts that contradict each other are refused: rules would make a figure of them that is none."""

from __future__ import annotations

from typing import Any

import pytest

from sociolab.worlds.sotopia.fitting_facts import misfit
from sociolab.worlds.sotopia.scenarios import Scenario

Facts = dict[str, Any]

SELLER: Facts = {"kind": "price", "role": "seller", "item": "a lamp", "listed": 20, "target": 18}
BUYER = SELLER | {"role": "buyer", "target": 12}
GOODS: Facts = {
    "kind": "division",
    "counts": {"saws": 2, "vices": 1},
    "values": {"saws": 1, "vices": 3},
}
FRIENDS: Facts = {"kind": "friend", "friends": [{"name": n, "about": {}} for n in ("Ylva", "Pia")]}
OTHERS: Facts = {"kind": "friend", "friends": [{"name": n, "about": {}} for n in ("Pia", "Bo")]}
TWICE = {"kind": "option", "subject": "the time", "options": {"noon": 3, "Noon": 9}}
WHEN: Facts = {"kind": "option", "subject": "when", "options": {"noon": 3, "at six": 9}}


def scenario(*facts: Facts | None, text: str = "Get it.") -> Scenario:
    return Scenario.model_validate(
        {
            "id": "quay",
            "family": "other",
            "context": "Two people meet on the quay.",
            "goals": [{"text": text, "facts": one} for one in facts],
            "relationships": ["stranger"],
        }
    )


@pytest.mark.parametrize(
    "facts",
    [
        (None, None),
        (SELLER, BUYER),
        (BUYER, SELLER),
        (GOODS, GOODS | {"values": {"saws": 0, "vices": 1}}),
        (FRIENDS, OTHERS),
        (WHEN, WHEN | {"options": {"at six": 1, "noon": 2}}, WHEN),
        ({"kind": "ask", "ask": "Come!", "reasons": ["One.", "Two."], "middle": "Later."}, None),
    ],
)
def test_facts_that_fit_are_let_through(facts: tuple[Facts | None, ...]) -> None:
    assert misfit(scenario(*facts)) is None


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        ((SELLER, None), "expected facts of one kind in every goal, or in none, found none and"),
        ((SELLER, WHEN), "expected facts of one kind in every goal, or in none, found option and"),
        ((SELLER, SELLER), "expected one seller and one buyer, found seller and seller"),
        ((SELLER, BUYER, BUYER), "one seller and one buyer, found seller and buyer and buyer"),
        ((SELLER, BUYER | {"listed": 9}), "one listed price in all goals, found 9 and 20"),
        ((GOODS, GOODS, GOODS), "between two seats only, found 3"),
        ((GOODS, GOODS | {"counts": {"saws": 3, "vices": 1}}), "the same counts in all goals"),
        ((GOODS, GOODS | {"values": {"saws": 0, "vices": 0}}), "worth something to every seat"),
        ((FRIENDS, {"kind": "friend", "friends": OTHERS["friends"] * 2}), "Pia stands twice"),
        (
            (FRIENDS, {"kind": "friend", "friends": [{"name": n, "about": {}} for n in "AB"]}),
            "none",
        ),
        ((WHEN, WHEN | {"options": {"midday": 3, "at six": 9}}), "found midday and noon in some"),
        ((TWICE, TWICE), '"noon" stands there twice'),
    ],
)
def test_facts_that_contradict_each_other_are_told(
    facts: tuple[Facts | None, ...], told: str
) -> None:
    assert told in (misfit(scenario(*facts)) or "")


@pytest.mark.parametrize("tag", ["<p viewer='agent_0'>", "<extra_info>", "</strategy_hint>"])
def test_a_tag_that_hides_nothing_here_is_told(tag: str) -> None:
    assert (misfit(scenario(None, None, text=f"Sell it. {tag}Be kind.")) or "").startswith(tag)


@pytest.mark.parametrize(
    "facts",
    [
        SELLER | {"target": float("inf")},
        SELLER | {"listed": 1e300},
        GOODS | {"counts": {"saws": -1, "vices": 1}},
        GOODS | {"counts": {"saws": 10**12, "vices": 1}},
        GOODS | {"counts": {}, "values": {}},
        GOODS | {"values": {"saws": -1, "vices": 1}},
    ],
)
def test_numbers_that_no_goal_can_mean_cannot_be_built(facts: Facts) -> None:
    with pytest.raises(ValueError, match="validation error"):
        scenario(facts, facts)
