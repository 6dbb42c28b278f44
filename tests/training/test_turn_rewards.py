"""What single turns earn: from the offers on the table, or by a judge of credit."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from sociolab import Arena, ArenaConfig
from sociolab.endpoint import ChatBody, EndpointSettings, start_in_thread
from sociolab.training import ArenaSession

QUIET = ArenaConfig(settings={"closing_question": "false"})
BICYCLE = "scenario=bargain-01-touring-bicycle"


def play(arena: Arena, lines: Sequence[str], seat: int = 0) -> tuple[ArenaSession, list[float]]:
    """A session in which a seat says these lines, then leaves, and what each step earned."""
    session, earned = arena.begin(seats=seat), []
    said = [{"action": "speak", "text": line} for line in lines]
    for action in [*said, {"action": "leave", "text": ""}]:
        if not session.done:
            step = session.step(action)
            assert step.reward is not None
            earned.append(step.reward)
    return session, earned


# The seller's target is $230, and a price p is worth 6 + (p - 230) / 11.5 to it, in 0 to 10. The
# buyer is haggler:2 with a target of $180: it offers what is worth 10, 6.83, 3.67 and .5 to itself,
# $180 (1 - .05 (worth - 6)): $144, $172, $201, $230.


def test_a_turn_earns_what_the_offer_on_the_table_gains() -> None:
    with Arena("sotopia", tasks=BICYCLE, partner="haggler:2", config=QUIET) as arena:
        session, earned = play(arena, ["Hello, $340.", "$330.", "$320.", "Deal."])
    (seat,) = session.seats
    offers = [0, 0.95652, 3.47826]  # $144 (-1.48, clipped), $172, $201
    assert earned == pytest.approx([0, 0.95652, 3.47826 - 0.95652, 0], abs=1e-4)
    assert session.turn_rewards(seat) == pytest.approx(dict(zip((1, 3, 5, 7), earned, strict=True)))
    assert sum(earned) == pytest.approx(offers[-1], abs=1e-4)
    assert session.rewards[seat].value == pytest.approx(sum(earned))


def test_an_offer_of_ones_own_earns_nothing_until_it_is_accepted() -> None:
    with Arena("sotopia", tasks=BICYCLE, partner="haggler:2", config=QUIET) as arena:
        session, earned = play(arena, ["$200.", "$200.", "$200."])
    # $144, then $172, then "Deal, $200", which is worth 6 - 30 / 11.5.
    assert earned == pytest.approx([0, 0.95652, 3.39130 - 0.95652, 0], abs=1e-4)
    assert session.rewards[session.seats[0]].value == pytest.approx(3.39130, abs=1e-4)


def test_what_was_earned_on_the_way_is_lost_without_a_deal() -> None:
    with Arena("sotopia", tasks=BICYCLE, partner="haggler:2", config=QUIET) as arena:
        session, earned = play(arena, ["$340.", "$330."])
    assert earned == pytest.approx([0, 0.95652, -0.95652], abs=1e-4)
    assert session.rewards[session.seats[0]].value == 0


@pytest.mark.parametrize("seat", [0, 1])
def test_the_turns_of_any_episode_add_up_to_its_reward(seat: int) -> None:
    lines = ["hm", "No.", "I would say 100", "Yes", "What?", "2 and 1 and 3", "deal"]
    with Arena("sotopia", tasks="bargain,division", partner="haggler:1", config=QUIET) as arena:
        values = set()
        for _ in range(30):
            session, earned = play(arena, lines, seat)
            reward = session.rewards[session.seats[0]].value
            assert sum(earned) == pytest.approx(reward)
            turns = session.turn_rewards(session.seats[0])
            assert turns is not None
            assert sum(turns.values()) == pytest.approx(reward)
            values.add(reward)
    assert len(values) > 3


def test_where_another_metric_is_the_reward_offers_count_for_nothing() -> None:
    given = {"judge": "python:training_cases:ByHand", "partner": "haggler:2", "config": QUIET}
    with Arena("sotopia", tasks=BICYCLE, **given) as arena:  # type: ignore[arg-type]
        session, earned = play(arena, ["$340.", "$330.", "Deal."])
    assert earned == [0, 0, 5]
    assert session.turn_rewards(session.seats[0]) is None


CREDIT = {
    "person_1": {
        "goal": [
            {"turn": 1, "quote": "Please hear me out", "reason": "Polite.", "effect": 2},
            {"turn": 2, "quote": "Well then, go ahead", "reason": "It yields.", "effect": 3},
            {"turn": 3, "quote": "You owe me", "reason": "It offends.", "effect": -1},
        ]
    },
    "person_2": {"goal": []},
}


def test_where_no_offer_is_read_a_judge_gives_credit_to_turns() -> None:
    class Yielding:
        async def reply(self, request: object, memory: object) -> object:
            from sociolab.core import Action, Reply

            return Reply((Action("speak", "Well then, go ahead."),))

    answers = {"credit": json.dumps(CREDIT)}

    def responder(chat: ChatBody) -> str:
        return answers["credit"]

    with start_in_thread(EndpointSettings(responder=responder)) as endpoint:
        config = ArenaConfig(settings={"turns": "4"}, base_url=endpoint.url)
        with Arena("sotopia", tasks="norms", credit="openai/judge", config=config) as arena:
            for seats in (0, "all"):
                session = arena.begin(seats=seats, partner=Yielding())  # type: ignore[arg-type]
                words = iter(["Please hear me out.", "You owe me."])
                while session.observation is not None:
                    own = session.observation.seat == session.trial.task.seats[0]
                    text = next(words) if own else "Well then, go ahead."
                    session.step({"action": "speak", "text": text})
                # The partner's turn moved the goal as well, but is no turn of this seat.
                assert session.turn_rewards(session.trial.task.seats[0]) == {1: 2.0, 3: -1.0}
                if seats == "all":
                    assert session.turn_rewards(session.seats[1]) == {2: 0.0, 4: 0.0}
            answers["credit"] = "no list"
            session = arena.begin(partner=Yielding())  # type: ignore[arg-type]
            while session.observation is not None:
                session.step({"action": "speak", "text": "Please hear me out."})
            assert session.turn_rewards(session.seats[0]) is None
