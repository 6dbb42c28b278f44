from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import as_file, files
from itertools import pairwise

import pytest

from sociolab.worlds.sotopia.dataset import load
from sociolab.worlds.sotopia.scenarios import Friend, FriendGoal
from sociolab.worlds.sotopia.scene import PACKAGE, Casting
from sociolab.worlds.sotopia.scripted.wording import friends as words
from sociolab.worlds.sotopia.scripted.wording.table import Table
from worlds.sotopia.scripted.scripted_castings import (
    Puppet,
    casting,
    events,
    lists,
    moves,
    said,
)

_ASKED = re.compile(
    "|".join(re.escape(text).replace(re.escape("{whom}"), "([^.?]+)") for text in words.ASK.texts)
)


def shipped() -> list[Casting]:
    """The searches for a friend that come with the package."""
    with as_file(files(PACKAGE) / "data") as folder:
        tasks = load(folder).tasks()
    found = (Casting.model_validate_json(task.content) for task in tasks)
    return [cast for cast in found if cast.scenario.family == "mutual-friend"]


def answers(cast: Casting, seed: int) -> Iterator[tuple[str, str, bool]]:
    """Each question about somebody, the line that answers it, and whether yes would be true."""
    goals = {c.id: g.facts for c, g in zip(cast.characters, cast.scenario.goals, strict=True)}
    lines = [(move.seat, move.actions[0].text) for move in moves(events(cast, seed))]
    for (_, question), (seat, answer) in pairwise(lines):
        asked = _ASKED.search(question)
        if asked is None or not answer or answer.islower():
            continue
        whom = next(group for group in asked.groups() if group)
        goal = goals[seat]
        assert isinstance(goal, FriendGoal)
        told = [part.split(" ", 2)[2] for part in re.split(r", | and ", whom)]
        told = [value.removesuffix(" School") for value in told]
        yield question, answer, any(set(told) <= set(f.about.values()) for f in goal.friends)


@pytest.mark.parametrize("seed", [0, 7, 11])
def test_no_answer_is_a_lie_in_any_search_that_comes_with_the_package(seed: int) -> None:
    counted = {True: 0, False: 0}
    for cast in shipped():
        for question, answer, true in answers(cast, seed):
            if words.YES.spoke(answer) or words.NO.spoke(answer):
                assert words.YES.spoke(answer) is true, (question, answer)
                counted[true] += 1
    assert min(counted.values()) > 100


def test_nobody_is_asked_for_by_name_twice() -> None:
    for cast in shipped():
        lines = moves(events(cast, 3))
        for character, goal in zip(cast.characters, cast.scenario.goals, strict=True):
            assert isinstance(goal.facts, FriendGoal)
            own = [m.actions[0].text for m in lines if m.seat == character.id]
            for friend in goal.facts.friends:
                guesses = [line for line in own if words.GUESS.spoke(line) and friend.name in line]
                assert len(guesses) <= 1


def test_both_name_the_mutual_friend() -> None:
    for seed in range(20):
        found = events(casting(lists()), seed)
        assert any("Ulrike" in line for line in said(found, "mina"))
        assert any("Ulrike" in line for line in said(found, "tobias"))


def test_nobody_reads_out_the_list() -> None:
    names = [friend.name for goal in lists() for friend in goal.friends]
    for seed in range(20):
        for line in said(events(casting(lists()), seed)):
            assert len({name for name in names if name in line}) <= 2


def test_a_name_that_is_not_on_the_list_is_denied() -> None:
    partner = Puppet("Hello! Do you know Bartholomew?", "I see.")
    lines = said(events(casting(lists()), puppets={"tobias": partner}), "mina")
    assert "Bartholomew" in lines[1]
    assert any(words.DENY.spoke(line) for line in lines[1:2])


def test_questions_are_answered_by_the_own_list() -> None:
    yes = Puppet("Do you have a friend who works at Kite Radio?")
    no = Puppet("Do you have a friend who works at Mistral Air?")
    both = Puppet("Is there anybody among your friends who went to Upland and works at Kite Radio?")
    answers = [
        said(events(casting(lists()), puppets={"tobias": partner}), "mina")[1]
        for partner in (yes, no, both)
    ]
    # Kite Radio: Ulrike and Ramona; Upland and Kite Radio together: nobody on this list.
    assert words.YES.spoke(answers[0])
    assert words.NO.spoke(answers[1])
    assert words.NO.spoke(answers[2])


def test_a_name_that_is_on_the_list_is_confirmed() -> None:
    partner = Puppet("I have a feeling that we both know Ulrike. Am I right?", "Wonderful!")
    lines = said(events(casting(lists()), puppets={"tobias": partner}), "mina")
    assert words.CONFIRM.spoke(lines[1])
    assert "Ulrike" in lines[1]


def test_who_shares_no_friend_gives_up_or_plays_to_the_end() -> None:
    def friend(name: str, hobby: str) -> Friend:
        return Friend(name=name, about={"hobby": hobby})

    apart = (
        FriendGoal(friends=(friend("Kofi", "chess"), friend("Petra", "rowing"))),
        FriendGoal(friends=(friend("Elif", "chess"), friend("Nestor", "rowing"))),
    )
    for seed in range(10):
        lines = said(events(casting(apart), seed))
        assert not any(words.CONFIRM.spoke(line) for line in lines)


@pytest.mark.parametrize(
    ("question", "table"),
    [
        ("Do you have a friend who works at Kite Radio and is into knitting?", words.NO),
        ("Do you have a friend who works at Kite Radio and went to Fernley School?", words.YES),
        ("Is there somebody who went to University of Wexcombe?", words.NO),
        ("Is there somebody who is into chess? I mean, do you know Wexcombe?", words.DENY),
    ],
)
def test_all_that_is_told_of_somebody_counts(question: str, table: Table) -> None:
    (_, answer, *_) = said(events(casting(lists()), puppets={"tobias": Puppet(question)}), "mina")
    assert table.spoke(answer)


def test_what_is_told_later_of_the_same_friend_counts_with_what_was_told_before() -> None:
    for more, table in (("is she into chess", words.YES), ("is she into archery", words.NO)):
        partner = Puppet("Do you know somebody who works at Kite Radio?", f"And {more}?")
        lines = said(events(casting(lists()), puppets={"tobias": partner}), "mina")
        assert words.YES.spoke(lines[1])
        assert table.spoke(lines[2])
