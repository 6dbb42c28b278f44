"""Clock times, days and places in words; the expected values are what a reader takes them for."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolab.worlds.stss.talk.rules.clock_words import hours_in
from sociolab.worlds.stss.talk.rules.day_words import days_in
from sociolab.worlds.stss.talk.rules.place_words import mentions_in
from sociolab.worlds.stss.talk.rules.sentences import sentences, small
from worlds.stss.talk.labelled_talks import town_places

MONDAY = date(2024, 5, 13)


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("at 17:00", "17:00"),
        ("5 pm tomorrow", "17:00"),
        ("5pm", "17:00"),
        ("5:30 p.m. works", "17:30"),
        ("tomorrow, five.", "17:00"),
        ("half five is fine", "17:30"),
        ("half past five", "17:30"),
        ("quarter to six", "17:45"),
        ("five thirty", "17:30"),
        ("at noon", "12:00"),
        ("five-ish?", "17:00"),
        ("6ish", "18:00"),
        ("at 1730", "17:30"),
        ("17.30", "17:30"),
        ("ten to six", "17:50"),
        ("twenty past two", "14:20"),
        ("ten in the morning", "10:00"),
        ("five in the evening", "17:00"),
        ("tomorrow evening at 8", "20:00"),
        ("four o'clock", "16:00"),
        ("three's fine", "15:00"),
        ("how about six instead?", "18:00"),
        ("shall we say three?", "15:00"),
        ("not at six but at seven", "18:00 19:00"),
        ("is seven good for you?", "19:00"),
        ("around three or four", "15:00 16:00"),
        ("six jars of honey", ""),
        ("five people came", ""),
        ("in 10 minutes", ""),
        ("it takes two hours", ""),
        ("the two of us", ""),
        ("the one by the bandstand", ""),
        ("5 brook street", ""),
        ("room 5", ""),
        ("page twelve", ""),
        ("half an hour", ""),
        ("four pounds", ""),
        ("bring two, please", ""),
        ("one or two of them", ""),
    ],
)
def test_hours_are_read_and_counts_are_not(text: str, hours: str) -> None:
    assert " ".join(hour.text for hour in hours_in(text)) == hours


@pytest.mark.parametrize(
    ("text", "opens", "closes"),
    [
        ("from six until seven", "18:00", "19:00"),
        ("five to half past six", "17:00", "18:30"),
        ("from 5pm to 6pm", "17:00", "18:00"),
        ("between five and six", "17:00", "18:00"),
        ("17:00-18:00", "17:00", "18:00"),
    ],
)
def test_the_end_of_a_span_is_known_from_its_start(text: str, opens: str, closes: str) -> None:
    first, last = hours_in(text)
    assert (first.text, first.closes, last.text, last.closes) == (opens, False, closes, True)


def test_an_hour_without_a_half_of_the_day_may_be_either() -> None:
    (eight,) = hours_in("eight o'clock")
    assert eight.is_at(8 * 60)
    assert eight.is_at(20 * 60)
    assert not eight.is_at(9 * 60)
    (evening,) = hours_in("eight in the evening")
    assert evening.is_at(20 * 60)
    assert not evening.is_at(8 * 60)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("today", 13),
        ("tonight", 13),
        ("this evening", 13),
        ("later today", 13),
        ("tomorrow", 14),
        ("tuesday", 14),
        ("this tuesday", 14),
        ("tuesday the 14th", 14),
        ("the 14th", 14),
        ("14 may", 14),
        ("may 14th", 14),
        ("14/5", 14),
        ("the fourteenth of may", 14),
        ("2024-05-14", 14),
        ("the day after tomorrow", 15),
        ("wednesday", 15),
        ("monday", 13),
        ("yesterday", 12),
    ],
)
def test_days_are_read_from_a_monday(text: str, day: int) -> None:
    assert {one.date for one in days_in(text, MONDAY)} == {date(2024, 5, day)}


@pytest.mark.parametrize("text", ["every tuesday", "last tuesday", "one of these days", "soon"])
def test_what_is_no_certain_day_is_none(text: str) -> None:
    assert not days_in(text, MONDAY)


@pytest.mark.parametrize(
    ("text", "sector", "arena"),
    [
        ("on the meadow in Heron Park", "Heron Park", "meadow"),
        ("Heron Park, by the pond", "Heron Park", "pond shore"),
        ("in the park", "Heron Park", ""),
        ("at the pub", "Copper Kettle Pub", ""),
        ("at the Kettle", "Copper Kettle Pub", ""),
        ("the back room of the Copper Kettle", "Copper Kettle Pub", "back room"),
        ("at the Lantern", "Lantern Cafe", ""),
        ("the cafe's terrace", "Lantern Cafe", "terrace"),
        ("at Finch's", "Finch Hardware", ""),
        ("in the college library", "Alder College", "library"),
        ("the pottery at the Old Mill", "Old Mill Studios", "pottery"),
        ("in the foyer of the Town Hall", "Town Hall", "foyer"),
    ],
)
def test_places_are_known_by_their_short_names(text: str, sector: str, arena: str) -> None:
    (mention,) = mentions_in(text, small(text), town_places())
    assert (mention.sector, mention.arena) == (sector, arena)


@pytest.mark.parametrize("text", ["the kettle's on", "a lantern walk", "bar sixty", "old houses"])
def test_words_that_only_look_like_places_are_none(text: str) -> None:
    assert not mentions_in(text, small(text), town_places())


@given(st.text(max_size=200))
def test_sentences_are_parts_of_their_text(text: str) -> None:
    for one in sentences(text):
        assert one.quote in text
        assert len(one.text) == len(one.quote)
        assert all(one.text[a:b] for a, b in one.clauses if b > a)
