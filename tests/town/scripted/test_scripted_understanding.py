from __future__ import annotations

from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripted_questions import NOW, PLACES, TUESDAY
from sociolab.town.scripted.activities import Chore
from sociolab.town.scripted.understanding import Heard, read
from sociolab.town.scripted.when import clock_of, dates, minutes_of


def heard(text: str) -> Heard:
    return read(text, NOW, PLACES)


@pytest.mark.parametrize(
    ("words", "clock"),
    [
        ("at 7 pm", "19:00"),
        ("at 7pm", "19:00"),
        ("at 19:00", "19:00"),
        ("at 2024-05-14 19:30.", "19:30"),
        ("at half past six", "18:30"),
        ("half past six in the morning", "06:30"),
        ("a quarter to eight in the evening", "19:45"),
        ("at noon", "12:00"),
        ("seven in the evening at the latest, so at seven in the evening", "19:00"),
        ("at seven", "19:00"),
        ("at nine", "09:00"),
        ("12 am sharp", "00:00"),
        ("at 5.", "17:00"),
        ("at 6:45 p.m.", "18:45"),
        ("from 17:00 to 18:30", "17:00"),
    ],
)
def test_times_of_day_are_read_as_people_say_them(words: str, clock: str) -> None:
    assert heard(f"Let us meet {words}").start == clock


@pytest.mark.parametrize(
    ("words", "day"),
    [
        ("tomorrow", date(2024, 5, 14)),
        ("today", date(2024, 5, 13)),
        ("tonight", date(2024, 5, 13)),
        ("on Tuesday", date(2024, 5, 14)),
        ("on Sunday", date(2024, 5, 19)),
        ("on Monday", date(2024, 5, 13)),
        ("on 14 May", date(2024, 5, 14)),
        ("on the 14th of May", date(2024, 5, 14)),
        ("on May 14, 2025", date(2025, 5, 14)),
        ("on Tuesday 14 May 2024", date(2024, 5, 14)),
        ("on 2024-05-14", date(2024, 5, 14)),
        ("the day after tomorrow", date(2024, 5, 15)),
    ],
)
def test_dates_are_read_as_people_say_them(words: str, day: date) -> None:
    assert heard(f"There is something {words} in town").days == (day,)


@pytest.mark.parametrize("text", ["I may come.", "on 31 February", "They won 3-2 in 1999."])
def test_what_is_no_date_is_passed_over(text: str) -> None:
    assert dates(text.lower(), TUESDAY) == ()


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("at Heron Park: meadow", "Heron Park: meadow"),
        ("at Heron Park, the pond shore", "Heron Park: pond shore"),
        ("in the meadow of Heron Park", "Heron Park: meadow"),
        ("on the terrace at Lantern Cafe", "Lantern Cafe: terrace"),
        ("at the Alder College library", "Alder College: library"),
        ("at Lantern Cafe", "Lantern Cafe: counter room"),
        ("at the heron park", "Heron Park: meadow"),
        ("in the library", "Alder College: library"),
        ("at 2 Mill Lane: kitchen", "2 Mill Lane: kitchen"),
        ("at Old Mill Studios: pottery tomorrow", "Old Mill Studios: pottery"),
        ("at Alder College: music room on Tuesday", "Alder College: music room"),
    ],
)
def test_places_are_found_in_words(words: str, place: str) -> None:
    assert heard(f"Come and see me {words}").places == (place,)


def test_a_building_is_meant_by_its_front_room() -> None:
    rooms = ("Mill Inn: kitchen", "Mill Inn: bathroom", "Mill Inn: salon")
    assert read("Come to Mill Inn", NOW, rooms).place == "Mill Inn: salon"


def test_an_address_is_not_a_time() -> None:
    assert heard("I live at 2 Mill Lane: kitchen.").starts == ()


@pytest.mark.parametrize(
    ("text", "shape", "activity"),
    [
        ("I am holding a kite evening at Heron Park. Will you come?", "event", "kite evening"),
        ("Will you come to the quiz about the valley tomorrow?", "event", "quiz about the valley"),
        ("We are putting on a folk dance with a live band.", "event",
         "folk dance with a live band"),
        ("There will be an online cooking class on flat breads at 18:00.", "event",
         "online cooking class on flat breads"),
        ("You are invited to our seed swap!", "event", "seed swap"),
        ("Would you like to play chess with me at Lantern Cafe?", "companions", "play chess"),
        ("I am looking for company for playing chess on Tuesday.", "companions", "playing chess"),
        ("Shall we have a coffee at Lantern Cafe?", "event", "coffee"),
        ("Could we meet tomorrow at noon to talk about the seed catalogue?", "meeting",
         "talk about the seed catalogue"),
        ("I would like to meet you at Lantern Cafe on Tuesday for a railway interview.", "meeting",
         "railway interview"),
        ("I'm putting together a bread tasting tomorrow. I'd be glad if you came.", "event",
         "bread tasting"),
        ("Hello Tom, how are you?", "", ""),
        ("May I borrow you for a moment?", "", ""),
    ],
)  # fmt: skip
def test_the_activity_keeps_its_words(text: str, shape: str, activity: str) -> None:
    found = heard(text)
    assert (found.shape, found.activity) == (shape, activity)


def test_an_errand_has_steps_with_places_in_order() -> None:
    asked = (
        "Could you pick up flour from Greengage Market and bring it to Larkfield Bakery: bakehouse?"
    )
    assert heard(asked).chores == (
        Chore("pick up flour", "Greengage Market: shop floor"),
        Chore("bring flour", "Larkfield Bakery: bakehouse"),
    )


def test_first_and_then_are_an_errand_whatever_is_to_be_done() -> None:
    asked = (
        "Could you first ask for the flood charts at Alder College: library, then hand in the "
        "flood charts at Larkfield Bakery: shop on Tuesday?"
    )
    assert heard(asked).chores == (
        Chore("ask for the flood charts", "Alder College: library"),
        Chore("hand in the flood charts", "Larkfield Bakery: shop"),
    )


def test_an_errand_without_places_still_has_its_steps() -> None:
    asked = "I need your help: could you first buy six jars of honey, then bring the jars of honey?"
    whats = [chore.what for chore in heard(asked).chores]
    assert whats == ["buy six jars of honey", "bring the jars of honey"]


@pytest.mark.parametrize(
    "text",
    ["Yes, I would love to come.", "Sure!", "Sounds great.", "I can't wait.", "No problem.",
     "Of course, I will do it.", "That works for me.", "Hmm, okay.", "I'd be happy to help."],
)  # fmt: skip
def test_consent_is_heard(text: str) -> None:
    assert heard(text).accepts
    assert not heard(text).declines


@pytest.mark.parametrize(
    "text",
    ["I am sorry, I have to work then.", "No, thank you.", "Unfortunately I can't make it.",
     "I'm afraid I have other plans.", "Yes, I'd love to, but I cannot come.", "I won't be there."],
)  # fmt: skip
def test_refusal_is_heard_and_is_no_consent(text: str) -> None:
    assert heard(text).declines
    assert not heard(text).accepts


def test_another_time_or_place_is_a_counter_proposal() -> None:
    assert heard("How about 16:00 at Lantern Cafe instead?").counters
    assert heard("Could we make it half past six?").counters
    assert not heard("How about that!").counters


@pytest.mark.parametrize(
    "text", ["Gladly. How about 17:30 at Lantern Cafe?", "Sure! Could we make it half past six?"]
)
def test_what_is_asked_back_is_not_yet_agreed(text: str) -> None:
    assert heard(text).counters
    assert not heard(text).accepts


@pytest.mark.parametrize(
    "text", ["Yes, see you at 17:30. How about you, are you well?", "Sure, let us say 17:30."]
)
def test_consent_with_another_question_is_consent(text: str) -> None:
    assert heard(text).accepts


def test_questions_for_time_and_place_are_heard() -> None:
    assert heard("Sounds good. When is it?").asks == ("when",)
    assert heard("Where would that be, and what time?").asks == ("when", "where")
    assert heard("I know when to stop.").asks == ()


def test_goodbyes_and_online_events_and_hearsay_are_heard() -> None:
    assert heard("Goodbye, Tom!").goodbye
    assert heard("Take care!").goodbye
    assert not heard("I take care of the garden.").goodbye
    assert heard("Join my online chess evening!").online
    assert heard("Have you heard? Ana Ruiz is holding a quiz.").hearsay


def test_free_words_of_a_model_are_understood() -> None:
    text = (
        "Hey Tom! I'm organizing a seed swap tomorrow evening at 7 pm over at the meadow in Heron "
        "Park \u2014 you're more than welcome, I'd love to see you there! Will you join us?"
    )
    found = heard(text)
    assert (found.activity, found.day, found.start) == ("seed swap", TUESDAY, "19:00")
    assert found.place == "Heron Park: meadow"
    assert found.proposes


@given(st.text(max_size=200))
def test_any_text_is_read_without_error(text: str) -> None:
    found = heard(text)
    assert isinstance(found, Heard)
    assert not (found.accepts and found.declines)


@given(st.integers(0, 1439))
def test_every_minute_of_the_day_is_written_and_read_back(minutes: int) -> None:
    clock = clock_of(minutes)
    assert minutes_of(clock) == minutes
    assert read(f"It begins at {clock}.", datetime(2024, 5, 13)).start == clock
