from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from sociolab.worlds.sotopia.profiles import Character
from sociolab.worlds.sotopia.scenarios import DivisionGoal
from sociolab.worlds.sotopia.scripted.division import worth
from sociolab.worlds.sotopia.scripted.shares import rest, speakers_share
from sociolab.worlds.sotopia.scripted.wording import division as words
from worlds.sotopia.scripted.scripted_castings import (
    Puppet,
    casting,
    events,
    firm,
    goods,
    said,
    soft,
)

FIRST, SECOND = goods()
ITEMS = tuple(FIRST.counts.items())


def test_worth_is_the_part_of_having_everything() -> None:
    # 2 x 6 + 3 x 3 + 4 x 1 = 25; both ropes and one helmet are 15
    assert worth({"ropes": 2, "helmets": 1, "ice axes": 0}, FIRST) == 15 / 25


def test_the_line_that_agrees_states_the_whole_division() -> None:
    for seed in range(20):
        found = events(casting((FIRST, SECOND)), seed)
        taken = [line for line in said(found) if words.ACCEPT.spoke(line)]
        assert taken
        share = speakers_share(taken[-1], ITEMS)
        assert share is not None
        assert all(share[good] + rest(share, FIRST.counts)[good] == n for good, n in ITEMS)


def test_both_gain_by_giving_up_what_they_value_least() -> None:
    for seed in range(20):
        found = events(casting((FIRST, SECOND)), seed)
        (speaker, line) = [
            (seat, line)
            for seat in ("mina", "tobias")
            for line in said(found, seat)
            if words.ACCEPT.spoke(line)
        ][-1]
        share = speakers_share(line, ITEMS)
        assert share is not None
        mine, yours = (FIRST, SECOND) if speaker == "mina" else (SECOND, FIRST)
        assert worth(share, mine) + worth(rest(share, mine.counts), yours) > 1.2


def test_the_firm_end_up_with_more_than_the_soft() -> None:
    same = DivisionGoal(counts={"coins": 10}, values={"coins": 1})

    def first_gets(cast_firm: bool) -> float:
        people = (firm(0), soft(1)) if cast_firm else (soft(0), firm(1))
        total = 0.0
        for seed in range(20):
            found = events(casting((same, same), people), seed)
            for seat in ("mina", "tobias"):
                for line in said(found, seat):
                    share = speakers_share(line, (("coins", 10),))
                    if words.ACCEPT.spoke(line) and share is not None:
                        total += share["coins"] if seat == "mina" else 10 - share["coins"]
        return total

    assert first_gets(cast_firm=True) > first_gets(cast_firm=False)


def test_the_firm_do_not_take_what_the_soft_take_in_the_end() -> None:
    coins = DivisionGoal(counts={"coins": 10}, values={"coins": 1})
    halves = Puppet(*["I take five coins, and you get five coins."] * 9)

    def takes(people: tuple[Character, Character]) -> bool:
        found = events(casting((coins, coins), people), puppets={"tobias": halves})
        return any(words.ACCEPT.spoke(line) for line in said(found, "mina"))

    # the least that is taken: 0.4 + 0.25 x firmness of everything, so .44 and .63
    assert takes((soft(0), soft(1)))
    assert not takes((firm(0), firm(1)))


def test_a_good_proposal_of_any_partner_is_taken() -> None:
    partner = Puppet(
        "Hi! You can have both ropes, all the helmets and 3 ice axes, I take the rest."
    )
    lines = said(events(casting((FIRST, SECOND)), puppets={"tobias": partner}), "mina")
    assert words.ACCEPT.spoke(lines[1])
    assert "I" in lines[1]
    assert speakers_share(lines[1], ITEMS) == {"ropes": 2, "helmets": 3, "ice axes": 3}


def test_a_bad_proposal_is_answered_with_another() -> None:
    partner = Puppet("I take both ropes, all helmets and all ice axes.", "Well?", "Please?")
    lines = said(events(casting((FIRST, SECOND)), puppets={"tobias": partner}), "mina")
    assert not any(words.ACCEPT.spoke(line) for line in lines)


@settings(max_examples=40, deadline=None)
@given(
    counts=st.dictionaries(
        st.sampled_from(["books", "hats", "balls", "cups"]),
        st.integers(1, 6),
        min_size=1,
        max_size=4,
    ),
    value=st.integers(0, 9),
    seed=st.integers(0, 999),
)
def test_any_goods_can_be_divided(counts: dict[str, int], value: int, seed: int) -> None:
    goal = DivisionGoal(counts=counts, values=dict.fromkeys(counts, float(value)))
    assert events(casting((goal, goal)), seed)
