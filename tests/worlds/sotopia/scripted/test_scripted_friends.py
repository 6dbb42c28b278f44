from __future__ import annotations

from sociolab.worlds.sotopia.scenarios import Friend, FriendGoal
from sociolab.worlds.sotopia.scripted.wording import friends as words
from worlds.sotopia.scripted.scripted_castings import Puppet, casting, events, lists, said


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
