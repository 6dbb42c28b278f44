"""Days of scripted residents whose hours and habits stand in words alone."""

from __future__ import annotations

from datetime import datetime

import pytest

from sociolab.town import Clock, Me, Resident
from sociolab.town.memory import HashingEmbedder, MemoryStream
from sociolab.town.residents import Habit
from sociolab.town.scripted.routine import habits_of, rhythm_of

HOME, SHOP, HALL, ROOM, INN = (
    "Mill Cottage: loft", "Quill Shop: shop floor", "Fen School: hallway", "Fen School: classroom",
    "Duck Inn: bar",
)  # fmt: skip
WAKES = "Ada Quill goes to bed around midnight, wakes up at 6:30am, has dinner in the afternoon."


def resident(**words: object) -> Resident:
    fields = {
        "id": "ada-quill", "name": "Ada Quill", "age": 30, "innate": "calm", "learned": "",
        "currently": "", "lifestyle": WAKES, "living_area": HOME,
    }  # fmt: skip
    return Resident.model_validate(fields | words)


def habits(**words: object) -> list[tuple[str, str, str, str]]:
    now = datetime(2031, 5, 2, 6)
    memory = MemoryStream(Clock(now.date()), HashingEmbedder())
    me = Me(resident(**words), now, (HOME, SHOP, HALL, ROOM, INN), {}, {}, memory)
    return [(h.start, h.end, h.what, h.place) for h in habits_of(me)]


def test_hours_are_the_times_beside_their_words() -> None:
    rhythm = rhythm_of(resident())
    assert (rhythm.wake, rhythm.bed, rhythm.supper) == ("06:30", "00:00", "18:30")
    assert rhythm_of(resident(lifestyle="eats supper around 5pm")).supper == "17:00"


@pytest.mark.parametrize(
    ("routine", "done"),
    [
        (
            "Ada Quill opens Quill Shop at 8am, stands behind its till, and closes it at 6pm, "
            "at which point she likes to go to the Duck Inn to sing",
            [("08:00", "18:00", "standing behind its till", SHOP),
             ("18:00", "19:00", "singing", INN)],
        ),
        (
            "Ada goes to Fen School to teach from 10 am to 2pm, and returns home to work.",
            [("10:00", "14:00", "teaching", ROOM), ("14:00", "17:00", "working", HOME)],
        ),
        (
            "Ada Quill goes for a run in the morning, studies maps during the day, and exercises "
            "at night",
            [("08:00", "10:00", "going for a run in the morning", HOME),
             ("10:00", "19:30", "studying maps during the day", HOME),
             ("19:30", "20:30", "exercising at night", HOME)],
        ),
        ("Ada Quill eats at the Duck Inn.", []),
    ],
    ids=["opening hours", "a lesson", "times of day", "meals are not habits"],
)  # fmt: skip
def test_a_routine_is_read_clause_by_clause(
    routine: str, done: list[tuple[str, str, str, str]]
) -> None:
    assert habits(routine=routine) == done


def test_who_has_no_routine_goes_on_with_what_they_are_doing_where_they_like_to_be() -> None:
    currently = "Ada Quill lives alone and is writing a play. She is also carving spoons."
    memories = ("You frequent Duck Inn by day", "At night you go to Quill Shop")
    assert habits(currently=currently, memories=memories) == [
        ("09:30", "12:30", "writing a play", HOME),
        ("13:30", "16:30", "carving spoons", INN),
    ]


def test_the_goal_of_a_performer_is_no_habit() -> None:
    goal = "Ada Quill wants to hold a fair at Duck Inn at 14:00. The target is 6 people."
    assert habits(currently=f"Ada Quill is living with a cat. {goal}") == []
    loves = "Ada Quill is a cook who loves to take walks."
    assert habits(learned=loves)[0][2] == "taking walks"


def test_typed_habits_are_taken_as_they_are() -> None:
    typed = (Habit(what="serving soup", place=INN, start="10:00", end="15:00"),)
    told = habits(habits=typed, routine="Ada goes to Quill Shop at 9am to paint.")
    assert told == [("10:00", "15:00", "serving soup", INN)]
