from __future__ import annotations

import pytest

from scripted_questions import FLOUR, KITE, MEETING, MONDAY, PICNIC, PLACES, QUIZ, TUESDAY
from sociolab.town.scripted.activities import Chore
from sociolab.town.scripted.task_reading import Task, read_task


def test_a_public_activity_is_read_from_its_goal() -> None:
    assert read_task(KITE, MONDAY, PLACES) == Task(
        "public", "kite evening", TUESDAY, "18:00", "Heron Park: meadow", minutes=90, number=6
    )


def test_an_appointment_has_a_partner_and_leaves_time_and_place_open() -> None:
    task = read_task(MEETING, MONDAY, PLACES)
    assert task == Task("appointment", "review of the club ledger", TUESDAY, partner="Tom Hale")


def test_companions_are_sought_at_a_place_at_an_open_time() -> None:
    task = read_task(PICNIC, MONDAY, PLACES)
    assert task == Task("companions", "picnic", TUESDAY, place="Heron Park: meadow", number=4)


def test_an_online_activity_has_no_place() -> None:
    task = read_task(QUIZ, MONDAY, PLACES)
    assert task == Task("online", "online chess evening", TUESDAY, "20:00", number=6)


def test_asking_for_help_has_two_chores() -> None:
    task = read_task(FLOUR, MONDAY, PLACES)
    assert task is not None
    assert task.kind == "help"
    assert task.chores == (
        Chore("pick up the flour", "Greengage Market: shop floor"),
        Chore("deliver the flour", "Larkfield Bakery: bakehouse"),
    )


@pytest.mark.parametrize(
    ("goal", "kind", "activity"),
    [
        ("wants to hold a public lecture on birds at Alder College: library at 2024-05-14 15:30",
         "public", "public lecture on birds"),
        ("wants to find partners to have coffee with at Lantern Cafe at some time on 2024-05-14.",
         "companions", "have coffee"),
        ("wants to find company for playing chess at Lantern Cafe on 14 May 2024; time is open.",
         "companions", "playing chess"),
        ("wants to meet Prof. Tom Hale for revising the manuscript at some time on 2024-05-14.",
         "appointment", "revising the manuscript"),
        ("wants to meet Tom Hale on Tuesday 14 May 2024 to talk about the seed catalogue.",
         "appointment", "talk about the seed catalogue"),
        ("wants to find some audience for an online agent workshop at 2024-05-14 15:30.",
         "online", "online agent workshop"),
        ("wants to find some audience for the upcoming Live Painting Stream at 2024-05-14 15:15.",
         "online", "upcoming Live Painting Stream"),
        ("wants to meet Tom Hale for help on a sum at some time on 2024-05-14.",
         "appointment", "help on a sum"),
        ("wants people to take part in the online quiz on Tuesday 14 May 2024 at 20:00.",
         "online", "online quiz"),
        ("does not feel well, so he/she wants someone else to buy him/her medicine on 2024-05-14.",
         "help", "buy medicine"),
        ("needs somebody to pick up flour at Greengage Market and then to deliver it to Larkfield "
         "Bakery: bakehouse on 14 May 2024.", "help", "pick up flour and deliver flour"),
    ],
)  # fmt: skip
def test_other_wordings_are_understood(goal: str, kind: str, activity: str) -> None:
    task = read_task(f"Ana Ruiz bakes bread. Ana Ruiz {goal}", MONDAY, PLACES)
    assert task is not None
    assert (task.kind, task.activity, task.day) == (kind, activity, TUESDAY)


@pytest.mark.parametrize(
    "currently",
    ["", "Tom is marking the spring papers.", "Tom wants to meet new people.",
     "Tom wants to hold a party some day.", "Tom was born on 14 May 1984."],
)  # fmt: skip
def test_an_ordinary_resident_has_no_task(currently: str) -> None:
    assert read_task(currently, MONDAY, PLACES) is None
