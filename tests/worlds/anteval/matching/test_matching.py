"""The rule-based matcher: worked examples, and what must hold for all drawn facts."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from sociolab.worlds.anteval.information.knowledge import draw_guesses, draw_knowledge
from sociolab.worlds.anteval.information.matching import FactMatcher, Pairing
from sociolab.worlds.anteval.information.statement_split import split_statement
from sociolab.worlds.anteval.session import Fact

DATA = Path(__file__).parents[1] / "data"
MATCHER = FactMatcher()

COMPASS = Fact(
    id="F1",
    kind="magic item",
    subject="the Nulzaik compass",
    attribute="where it lies",
    value="in the dry well",
    text="The Nulzaik compass lies in the dry well.",
)
HOUNDS = Fact(
    id="F2",
    kind="danger",
    subject="the hounds of Lunvum",
    attribute="how many there are",
    value="forty-one",
    text="There are forty-one of the hounds of Lunvum.",
)
BIKVYK = Fact(
    id="F3",
    kind="person",
    subject="Bikvyk Taemrukh",
    attribute="whom they betrayed",
    value="Paekronva",
    text="Bikvyk Taemrukh betrayed Paekronva.",
)
CLOAK = Fact(
    id="F4",
    kind="magic item",
    subject="the cloak of Taernula",
    attribute="what wakes it",
    value="a drum beat",
    text="A drum beat does not wake the cloak of Taernula.",
    holds=False,
)
FACTS = (COMPASS, HOUNDS, BIKVYK, CLOAK)


@pytest.mark.parametrize(
    ("statement", "fact"),
    [
        ("The compass of Nulzaik was dropped into the dry well.", COMPASS),
        ("I think the Nulzaik compas\u2019s place is in the well, the dry one.", COMPASS),
        ("Nulzayk compass: dry well", COMPASS),
        ("Orla says the compass is in the dried-up well.", COMPASS),
        ("The Nulzaik compass isn't in the mill, it's in the dry well.", COMPASS),
        ("you shouldnt look in the mill, the nulzaik compas is in the dry well", COMPASS),
        ("Dont know who owns it but the Nulzaik compass is in the dry well.", COMPASS),
        ("Beat a drum all day and it will not wake the Taernula cloak.", CLOAK),
        ("You won't find the Nulzaik compass anywhere but in the dry well.", COMPASS),
        ("There are 41 Lunvum hounds.", HOUNDS),
        ("The hounds of Lunvum number forty one.", HOUNDS),
        ("Paekronva was betrayed by Bikvyk.", BIKVYK),
        ("Bikvyk sold out Paekronva", BIKVYK),
        ("The cloak of Taernula can't be woken with a drum beat.", CLOAK),
        ("It is false that a drum beat wakes the cloak of Taernula.", CLOAK),
    ],
)
def test_paraphrases_say_the_fact(statement: str, fact: Fact) -> None:
    assert MATCHER.judge_pair(statement, fact) == "same"


@pytest.mark.parametrize(
    ("statement", "fact"),
    [
        ("The Nulzaik compass lies in the salt mine.", COMPASS),
        ("The Nulzaik compass does not lie in the dry well.", COMPASS),
        ("The Nulzaik compass is no longer in the dry well.", COMPASS),
        ("There are fourteen hounds of Lunvum.", HOUNDS),
        ("There are forty-something hounds of Lunvum.", HOUNDS),
        ("A drum beat wakes the cloak of Taernula.", CLOAK),
    ],
)
def test_another_value_or_a_denial_contradicts(statement: str, fact: Fact) -> None:
    assert MATCHER.judge_pair(statement, fact) == "contradicts"


@pytest.mark.parametrize(
    ("statement", "fact"),
    [
        ("Is the Nulzaik compass in the dry well?", COMPASS),
        ("I don't know whether the Nulzaik compass is in the dry well.", COMPASS),
        ("The Nulzaik compass is either in the mill or in the dry well.", COMPASS),
        ("Maybe the Nulzaik compass is in the mill, or maybe it's in the dry well.", COMPASS),
        ("If the Nulzaik compass is in the dry well, we need a rope.", COMPASS),
        ("The Nulzaik compass is somewhere in town.", COMPASS),
        ("The Orvath compass lies in the dry well.", COMPASS),
        ("Paekronva betrayed Bikvyk Taemrukh.", BIKVYK),
        ("Bikvyk Taemrukh loves Paekronva.", BIKVYK),
        ("There are forty-one moths, and the hounds of Lunvum are twelve.", HOUNDS),
        ("", COMPASS),
        ("...", COMPASS),
    ],
)
def test_what_asserts_nothing_or_something_else_is_not_the_fact(statement: str, fact: Fact) -> None:
    assert not MATCHER.supports(statement, fact)


def test_each_statement_and_each_fact_is_paired_once() -> None:
    statements = [
        "The compass is in the dry well and the hounds of Lunvum number 41.",
        "The Nulzaik compass is in the dry well.",
        "Again: the Nulzaik compass is in the dry well.",
        "The weather was bad.",
    ]
    found = MATCHER.match(statements, FACTS)
    assert found == (Pairing(0, "F2"), Pairing(1, "F1"))


def test_no_statements_or_no_facts_give_no_pairs() -> None:
    assert MATCHER.match([], FACTS) == ()
    assert MATCHER.match(["The Nulzaik compass is in the dry well."], ()) == ()


def test_a_compound_statement_is_taken_apart() -> None:
    assert split_statement("The Zorvath axe is made of tin and belongs to Orla.") == (
        "The Zorvath axe is made of tin",
        "The Zorvath axe belongs to Orla",
    )
    assert split_statement("The axe Zorvath lies in the mill and the well.") == (
        "The axe Zorvath lies in the mill and the well",
    )


def test_the_parts_of_a_compound_statement_match_each_fact_once() -> None:
    both = f"{COMPASS.text.rstrip('.')}, and {HOUNDS.text[0].lower()}{HOUNDS.text[1:]}"
    parts = split_statement(both)
    assert MATCHER.match(parts, FACTS) == (Pairing(0, "F1"), Pairing(1, "F2"))


@cache
def drawn() -> tuple[tuple[Fact, ...], ...]:
    return tuple(draw_knowledge(7, f"information-7-{n:04d}", 6) for n in range(301))


def test_a_facts_own_text_supports_it_and_no_other() -> None:
    for known, decoys in zip(drawn()[:-1], drawn()[1:], strict=True):
        for fact in known:
            said = [other for other in (*known, *decoys) if MATCHER.supports(fact.text, other)]
            assert said == [fact], fact.text


def test_a_denied_text_never_supports() -> None:
    for known in drawn()[:100]:
        for fact in known:
            lower = fact.text[0].lower() if fact.text.startswith(("The ", "A ")) else fact.text[0]
            denied = f"It is not true that {lower}{fact.text[1:]}"
            assert not MATCHER.supports(denied, fact), denied


def test_guesses_hardly_ever_match() -> None:
    matched = 0
    for number, known in enumerate(drawn()[:-1]):
        guesses = draw_guesses(7, f"information-7-{number:04d}", 6)
        matched += len(MATCHER.match(guesses, known))
    assert matched / (300 * 6) < 0.01


def agreement(path: Path) -> float:
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert len(rows) >= 150
    right = sum(
        MATCHER.supports(row["statement"], Fact.model_validate(row["fact"]))
        == (row["label"] == "same")
        for row in rows
    )
    return float(right) / len(rows)


FLOORS = {
    "author": 0.98,
    "reader": 0.96,
    "second_reader": 0.98,
    "third_reader": 0.99,
    "tuner": 0.97,
}


@pytest.mark.parametrize("half", sorted(FLOORS))
def test_the_matcher_agrees_with_hand_labels(half: str) -> None:
    """The floors are what is reached on sets that were all used for tuning.

    The rules' author wrote and labelled the first; three are by readers who had not seen the
    rules, and were looked at afterwards to mend causes of error: at first reading the rules of the
    time agreed with .88 of the first reader's, .84 of the second reader's and .94 of the third
    reader's labels. Who mended them wrote the last, meant to be hard, in two parts: the rules
    agreed with .86 and .83 of it when it was new.
    """
    assert agreement(DATA / f"pairs_by_{half}.jsonl") >= FLOORS[half]


def test_the_matcher_agrees_with_a_reader_whose_pairs_were_never_looked_at() -> None:
    """Below the .95 that was aimed at: 147 of 170, Wilson 95 % .805 to .908."""
    assert agreement(DATA / "pairs_by_fourth_reader.jsonl") >= 147 / 170


def values_of() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for known in drawn():
        for fact in known:
            found.setdefault(fact.attribute, []).append(fact.value)
    return found


def test_a_text_with_another_value_never_supports() -> None:
    values = values_of()
    for known in drawn()[:-1]:
        for number, fact in enumerate(known):
            others = [value for value in values[fact.attribute] if value != fact.value]
            other = others[(7 * number) % len(others)]
            if fact.value not in fact.text:
                continue
            swapped = fact.text.replace(fact.value, other)
            assert not MATCHER.supports(swapped, fact), (swapped, fact.text)


def test_a_text_about_another_subject_never_supports() -> None:
    for known, decoys in zip(drawn()[:-1], drawn()[1:], strict=True):
        for fact, decoy in zip(known, decoys, strict=True):
            if fact.subject in fact.text:
                moved = fact.text.replace(fact.subject, decoy.subject)
                assert not MATCHER.supports(moved, fact), (moved, fact.text)


def test_what_is_taken_back_or_asked_never_supports() -> None:
    for known in drawn()[:100]:
        for fact in known:
            assert not MATCHER.supports(f"{fact.text} That is a lie.", fact), fact.text
            assert not MATCHER.supports(f"I wonder whether it is so: {fact.text}", fact), fact.text


def test_a_kinsman_or_a_neighbour_of_the_subject_is_not_the_subject() -> None:
    assert not MATCHER.supports("The brother of Bikvyk Taemrukh betrayed Paekronva.", BIKVYK)
    assert not MATCHER.supports("Bikvyk Taemrukh betrayed Paekronva's sister.", BIKVYK)
    assert not MATCHER.supports(
        "The lantern beside the Nulzaik compass is in the dry well.", COMPASS
    )


def test_a_compound_answer_is_taken_apart_only_where_it_says_several_facts() -> None:
    both = "The compass Nulzaik is in the dry well and the hounds of Lunvum number 41"
    one = "The Nulzaik compass is in the dry well and the weather was bad."
    assert MATCHER.taken_apart([both, one], FACTS) == (*split_statement(both), one)
    assert len(MATCHER.taken_apart([both], FACTS)) == 2


def test_the_opposite_of_a_word_or_a_number_of_something_else_is_another_value() -> None:
    canal = Fact(
        id="F1",
        kind="place",
        subject="the Durvek abbey",
        attribute="which way leads there",
        value="the old canal",
        text="The old canal leads to the Durvek abbey.",
    )
    steps = Fact(
        id="F2",
        kind="place",
        subject="the Durvek abbey",
        attribute="how many steps lead down",
        value="ninety-seven",
        text="The stair into the Durvek abbey has ninety-seven steps.",
    )
    assert MATCHER.supports("You reach the Durvek abbey along the old canal.", canal)
    assert not MATCHER.supports("You reach the Durvek abbey along the new canal.", canal)
    assert MATCHER.supports("It is 97 steps down into the Durvek abbey.", steps)
    two = "There are 79 steps down into the Durvek abbey and 97 into the crypt beside it."
    assert not MATCHER.supports(two, steps)


def test_the_first_day_is_not_the_last() -> None:
    glaive = Fact(
        id="F1",
        kind="weapon",
        subject="the glaive Drugryq",
        attribute="when it hums",
        value="on the last day of winter",
        text="You can hear the glaive Drugryq humming on the last day of winter.",
    )
    assert MATCHER.supports("The glaive Drugryq hums on winter's last day.", glaive)
    assert not MATCHER.supports("You hear Drugryq, the glaive, hum on winter's first day.", glaive)
