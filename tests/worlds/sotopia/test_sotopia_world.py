"""SOTOPIA as a world: identity, transcripts, whole and as a seat saw them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pydantic import BaseModel

from casts import seated
from sociolab.core import Action, Answered, Ended, Moved, Note, Unusable
from sociolab.engine import FailurePolicy
from sociolab.testing import AnyPlayer, SilentPlayer, play_task
from sociolab.worlds import sotopia
from sotopia_cases import NAMES, casting, episode_of, task_of, world


class Mood(BaseModel):
    mood: int


EVENTS = (
    Moved(0, "seat0", (Action(sotopia.SPEAK, "Hello."),)),
    Unusable(1, "seat1", "act", 1, "unreadable", "found nothing", "", final=False),
    Unusable(1, "seat1", "act", 2, "truncated", "cut off", "{", final=True),
    Answered(2, "seat0", "mood", {"mood": 3}),
    Moved(2, "seat0", (Action("leave"),)),
    Ended("left", 2, "seat0"),
)


def test_a_transcript_shows_scene_people_ties_turns_and_notes() -> None:
    shown = world().transcript(episode_of(casting(sotopia.RelationshipType.FRIEND), *EVENTS))
    assert shown.title == "Market: Mia Chen and Noah Berg"
    assert [name for name, _ in shown.scene] == [
        "Scene",
        "Mia Chen",
        "Noah Berg",
        "How they know each other",
    ]
    assert shown.scene[-1][1] == "Mia and Noah: friends."
    assert [line.text for line in shown.lines] == ["Mia: Hello.", "Mia leaves."]
    assert shown.notes == (
        Note(1, "turn 2, seat1, attempt 1: asked again (unreadable: found nothing)", trouble=True),
        Note(1, "turn 2, seat1, attempt 2: turn failed (truncated: cut off)", trouble=True),
        Note(2, "turn 3, seat0, asked mood: {'mood': 3}"),
    )


def test_as_a_seat_saw_it_there_is_no_name_of_a_stranger_anywhere() -> None:
    shown = world().transcript(episode_of(casting(), *EVENTS), "seat1")
    assert [line.text for line in shown.lines] == [
        "The other person: Hello.",
        "The other person leaves.",
    ]
    assert not any(name in repr(shown) for name in NAMES[0])


def test_as_a_seat_saw_it_is_what_it_was_shown_at_its_last_turn() -> None:
    task = task_of(casting())
    episode = play_task(world(), task, dict.fromkeys(task.seats, AnyPlayer(leave_rate=0)))
    seen = world().transcript(episode, "seat1").lines
    assert len(seen) == 20
    assert [line.turn for line in seen] == list(range(20))


def test_who_left_is_shown_nothing_that_came_later() -> None:
    cast = casting(sotopia.RelationshipType.FRIEND, 3)
    said = (Action(sotopia.SPEAK, "Are they gone?"),)
    events = (Moved(0, "seat0", (Action("leave"),)), Moved(1, "seat1", said))
    shown = world().transcript(episode_of(cast, *events), "seat0")
    assert [line.text for line in shown.lines] == ["You leave."]


def test_ties_of_three_are_all_shown() -> None:
    shown = world().transcript(episode_of(casting(sotopia.RelationshipType.FAMILY, 3)))
    assert len(shown.scene[-1][1].splitlines()) == 3


def test_the_identity_covers_prompts_and_the_turn_limit() -> None:
    plain = world()
    assert plain.data.name == "cases"
    assert plain.data == world().data
    assert replace(plain, limit=10).data.hash != plain.data.hash


@pytest.mark.parametrize(("then", "reason"), [("skip", "turn limit"), ("stop", "failed turn")])
def test_the_policy_for_failed_turns_is_the_worlds(then: str, reason: str) -> None:
    policy = FailurePolicy(2, "stop" if then == "stop" else "skip")
    task = task_of(casting())
    players = dict.fromkeys(task.seats, SilentPlayer())
    episode = play_task(replace(world(), policy=policy), task, players)
    assert episode.ended is not None
    assert episode.ended.reason == reason
    assert len(episode.failed_turns) == (20 if then == "skip" else 1)


def test_models_people_and_raters_read_one_wording_of_a_profile() -> None:
    found = casting(sotopia.RelationshipType.FRIEND)
    seat = found.characters[0].id
    episode = episode_of(found)
    sent = sotopia.SotopiaScene(found).witness(seat).observe(0).head
    assert world().transcript(episode, seat).scene[0][1] == sent
    people = tuple(seated(member.seat, "human") for member in episode.trial.cast)
    by_people = replace(episode, trial=replace(episode.trial, cast=people))
    read = world().transcript(by_people, seat).scene[0][1]
    assert read == sent
    assert sotopia.rated_scene(by_people) == sotopia.rated_scene(
        episode
    )  # or raters would see who is a person
    assert sotopia.rated_scene(episode).people[0].about in sent
    assert sotopia.rated_scene(episode).people[0].knew[0][1] in sent
    assert "What matters most:" in read
    assert found.characters[0].secret in read
