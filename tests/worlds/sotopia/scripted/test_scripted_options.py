from __future__ import annotations

from random import Random

from sociolab.core.ports import Player
from sociolab.worlds.sotopia.profiles import Character
from sociolab.worlds.sotopia.scene import Casting
from sociolab.worlds.sotopia.scripted.wording import options as words
from worlds.sotopia.scripted.scripted_castings import (
    Puppet,
    casting,
    evenings,
    events,
    firm,
    moves,
    said,
    soft,
)


def agreed(lines: list[str]) -> str | None:
    taken = [line for line in lines if words.ACCEPT.spoke(line)]
    if not taken:
        return None
    return next(day for day in ("Monday", "Tuesday", "Thursday", "Sunday") if day in taken[-1])


def test_they_settle_on_an_option_that_both_can_bear() -> None:
    found = {agreed(said(events(casting(evenings()), seed))) for seed in range(20)}
    assert found <= {"Tuesday", "Thursday", None}
    assert "Tuesday" in found


def test_who_wants_the_same_agrees_at_once() -> None:
    same = evenings((9, 5, 1, 0), (9, 5, 1, 0))
    found = events(casting(same))
    assert agreed(said(found)) == "Monday"
    assert len(said(found)) <= 5


def test_where_nothing_suits_both_there_is_no_agreement() -> None:
    apart = evenings((9, 0, 0, 0), (0, 0, 0, 9))
    for seed in range(10):
        assert agreed(said(events(casting(apart), seed))) is None


def test_the_soft_give_way_to_the_firm() -> None:
    def sundays(people: tuple[Character, Character]) -> int:
        days = [
            agreed(said(events(casting(evenings((9, 6, 5, 4), (0, 4, 7, 9)), people), seed)))
            for seed in range(20)
        ]
        return days.count("Thursday") + days.count("Sunday")

    assert sundays((soft(0), firm(1))) > sundays((firm(0), soft(1)))


def test_another_wording_of_an_option_is_understood() -> None:
    partner = Puppet("Sunday night would be perfect for me!", "So, agreed?", "Fine.")
    goals = evenings((2, 0, 0, 9), (0, 0, 0, 9))
    lines = said(events(casting(goals), puppets={"tobias": partner}), "mina")
    assert "Sunday" in lines[1]


def test_an_option_that_the_partner_speaks_against_is_not_taken_for_a_proposal() -> None:
    partner = Puppet("Tuesday doesn't work for me at all.", "No, not Tuesday.", "I'm sorry.")
    goals = evenings((9, 9, 0, 0), (0, 6, 8, 9))
    lines = said(events(casting(goals), puppets={"tobias": partner}), "mina")
    assert not any(words.ACCEPT.spoke(line) for line in lines)


def test_naming_the_own_option_beside_another_is_no_agreement() -> None:
    partner = Puppet("I was hoping for Sunday, since Monday is a busy day for me.", "Well?")
    lines = said(events(casting(evenings()), puppets={"tobias": partner}), "mina")
    assert not any(words.SEAL.spoke(line) for line in lines)


DAYS = ("Monday", "Tuesday", "Thursday", "Sunday")


def three(chance: Random) -> Casting:
    """Three who choose an evening, each with some values."""
    goals = [evenings([chance.randint(0, 10) for _ in DAYS])[0] for _ in range(3)]
    two = casting(goals[:2])
    third = two.characters[0].model_copy(update={"id": "ada", "first_name": "Ada"})
    kept = (*two.scenario.goals, two.scenario.goals[0].model_copy(update={"facts": goals[2]}))
    scenario = two.scenario.model_copy(update={"goals": kept})
    return two.model_copy(update={"characters": (*two.characters, third), "scenario": scenario})


def test_of_three_nobody_names_another_option_after_agreeing_except_to_agree_again() -> None:
    for seed in range(120):
        stands: dict[str, str] = {}
        for move in moves(events(three(Random(seed)), seed)):
            text = move.actions[0].text
            named = [day for day in DAYS if day in text]
            settles = words.ACCEPT.spoke(text)
            if named and move.seat in stands and not settles:
                assert named[-1] == stands[move.seat]
            if named and settles:
                stands[move.seat] = named[-1]


def test_an_assent_counts_for_the_option_that_was_named_last() -> None:
    cast = three(Random(1))
    partners: dict[str, Player] = {
        "tobias": Puppet("I would like Sunday.", "Sunday, please.", "Sunday."),
        "ada": Puppet("Agreed!", "Yes, agreed.", "Agreed."),
    }
    lines = said(events(cast, puppets=partners), "mina")
    assert "Sunday" not in lines[0]
    assert not any(words.SEAL.spoke(line) and "Sunday" not in line for line in lines)
