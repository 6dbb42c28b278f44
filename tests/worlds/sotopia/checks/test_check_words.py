"""Words, numbers, phrases and points on a scale, as the checks find them in free text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolab.worlds.sotopia.checks.amounts import numbers
from sociolab.worlds.sotopia.checks.language import money_language, plain_language
from sociolab.worlds.sotopia.checks.phrases import Phrases, spelled_out
from sociolab.worlds.sotopia.checks.scales import agrees, clock_times, days, sums
from sociolab.worlds.sotopia.checks.words import words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I can't do that.", "i can not do that ."),
        ("You\u2019ve got it!", "you have got it !"),
        ("Let's say it's fine", "let us say it is fine"),
        ("the seller's price", "seller price"),
        ("I'd just really like it", "i would like it"),
        ("200-220, at 9 a.m.", "200 to 220 , at 9 am"),
        ("Fine - if you deliver", "fine - if you deliver"),
        ("twenty-one gears", "twenty one gears"),
        ("Yeah, ok", "yes , okay"),
    ],
)
def test_words_are_written_out_and_fillers_dropped(text: str, expected: str) -> None:
    assert words(text) == expected.split()


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("$220", [220]),
        ("220 dollars", [220]),
        ("I paid 1,250 for it", [1250]),
        ("1.2k or 1.5 k", [1200, 1500]),
        ("$180.50.", [180.5]),
        ("two hundred and twenty", [220]),
        ("two twenty", [220]),
        ("one eighty-five", [185]),
        ("fifteen hundred", [1500]),
        ("a thousand", [1000]),
        ("twelve thousand five hundred", [12500]),
        ("between 200 and 220", [200, 220]),
        ("200 bucks, 220 bucks", [200, 220]),
        ("10 grand", [10000]),
    ],
)
def test_numbers_in_digits_and_words(text: str, values: list[float]) -> None:
    assert [number.value for number in numbers(words(text))] == values


@pytest.mark.parametrize(
    "text",
    [
        "a model from 2015",
        "in 2015",
        "64GB",
        "64 GB",
        "for 3 weeks",
        "in 10 minutes",
        "21-inch wheels",
        "24 gears",
        "iPhone 12",
        "at 6:30",
        "at 7 pm",
        "the 2nd owner",
    ],
)
def test_what_is_counted_otherwise_is_no_amount(text: str) -> None:
    assert numbers(words(text)) == []


def test_currency_makes_an_amount_of_any_number() -> None:
    (number,) = numbers(words("it cost $2015 in 2015"))
    assert (number.value, number.money) == (2015, True)


def test_percentages_are_told_apart() -> None:
    (number,) = numbers(words("a discount of 20 %"))
    assert number.percent


def test_phrases_are_spelled_out_with_all_alternatives() -> None:
    found = {" ".join(phrase) for phrase in spelled_out("you have (got |)(a|one) deal")}
    assert found == {
        "you have got a deal",
        "you have got one deal",
        "you have a deal",
        "you have one deal",
    }


def test_an_alternative_may_hold_alternatives() -> None:
    found = {" ".join(phrase) for phrase in spelled_out("go with (it|your (plan|idea))")}
    assert found == {"go with it", "go with your idea", "go with your plan"}


def test_phrases_that_are_added_later_count_as_if_they_had_been_there() -> None:
    first, more = {"yes": "fine / fine by me"}, {"no": "fine by nobody", "yes": "sure"}
    together, before = Phrases(first, more), Phrases(first)
    after = before.extended(more)
    for said in ("fine by me", "fine by nobody", "sure", "fine", "by me"):
        assert after.marks(said.split()) == together.marks(said.split())
    assert before.marks(["sure"]) == [], "the phrases that were extended stay as they were"


def test_longest_phrase_is_found_and_a_star_is_any_word() -> None:
    phrases = Phrases({"short": "shake", "long": "shake * hand"})
    assert phrases.marks(["they", "shake", "her", "hand"]) == [(1, 4, "long")]
    assert phrases.marks(["they", "shake", "it"]) == [(1, 2, "short")]


def test_phrase_in_two_tables_has_both_meanings() -> None:
    phrases = Phrases({"a": "fine"}, {"b": "fine"})
    assert phrases.marks(["fine"]) == [(0, 1, "a"), (0, 1, "b")]


@given(st.text(max_size=200))
def test_any_text_can_be_taken_apart(text: str) -> None:
    said = words(text)
    assert all(word and word == word.strip() for word in said)
    for language in (plain_language(), money_language()):
        for start, end, _ in language.marks(said):
            assert 0 <= start < end <= len(said)
    for number in numbers(said):
        assert 0 <= number.start < number.end <= len(said)


@pytest.mark.parametrize(
    ("text", "minutes", "half"),
    [
        ("6:30", 390, ""),
        ("half past six", 390, ""),
        ("quarter to seven", 405, ""),
        ("six thirty", 390, ""),
        ("seven o'clock", 420, ""),
        ("7 am", 420, "am"),
        ("nine in the morning", 540, "am"),
        ("noon", 0, "pm"),
        ("at nine", 540, ""),
        ("20:15", 495, "pm"),
    ],
)
def test_clock_times(text: str, minutes: float, half: str) -> None:
    (spot,) = clock_times(words(text))
    assert spot.point == (minutes, half)


def test_durations_are_no_clock_times() -> None:
    assert clock_times(words("it takes 10 minutes or two hours")) == []


def test_days_with_their_parts() -> None:
    found = [spot.point for spot in days(words("Friday evening, or on Sunday"))]
    assert found == [("friday", "evening"), ("sunday", "")]


def test_points_agree_where_nothing_contradicts() -> None:
    assert agrees((540.0, ""), (540.0, "am"))
    assert not agrees((540.0, "pm"), (540.0, "am"))
    assert not agrees((540.0, ""), (480.0, ""))


def test_sums_leave_percentages_out() -> None:
    assert [spot.point for spot in sums(words("$300 or 20 %"))] == [(300.0, "")]
