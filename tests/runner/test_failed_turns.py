"""An episode in which a seat failed more than a share of its turns is a failed trial."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from sociolab.core import (
    Action,
    Answered,
    Ended,
    Episode,
    Event,
    Json,
    Moved,
    NoReply,
    Reply,
    Request,
    TurnCounts,
    Unusable,
)
from sociolab.runner.local import spoiled
from sociolab.store import Store
from tiny_runs import RUN, CountingJudge, Speaker, play_run, statuses, table, trial


def turns(seat: str, good: int, failed: int) -> tuple[Event, ...]:
    """A seat's turns, each failed one after an attempt that is none of its own."""
    return (
        *(Moved(n, seat, (Action("speak", "Hm."),)) for n in range(good)),
        *(
            Unusable(n, seat, "act", attempt, "unreadable", "no JSON", "", final=attempt == 2)
            for n in range(good, good + failed)
            for attempt in (1, 2)
        ),
    )


def questions(seat: str, good: int, failed: int) -> tuple[Event, ...]:
    return (
        *(Answered(n, seat, "plan", {}) for n in range(good)),
        *(
            Unusable(n, seat, "plan", 1, "unreadable", "no JSON", "", final=True)
            for n in range(good, good + failed)
        ),
    )


def why(*events: Event, limit: float = 0.5) -> str:
    return spoiled(Episode(trial(0), (*events, Ended("turn limit", 9))), limit)


def test_the_share_is_of_the_turns_that_the_seat_was_asked_for() -> None:
    assert why(*turns("x", 0, 19)) == "x (a) failed 19 of 19 turns (limit: one half)"
    assert why(*turns("x", 7, 12)) == "x (a) failed 12 of 19 turns (limit: one half)"
    assert why(*turns("x", 1, 2)) == "x (a) failed 2 of 3 turns (limit: one half)"
    assert why(*turns("x", 1, 1)) == ""  # exactly half is not more than half
    assert why() == ""  # a seat that was asked nothing has no share
    assert why(*turns("x", 19, 0), *turns("y", 10, 9)) == ""


def test_the_worst_seat_is_named_and_the_others_are_counted() -> None:
    said = why(*turns("x", 1, 2), *turns("y", 0, 3))
    assert said == "y (a) failed 3 of 3 turns, and another seat failed too many (limit: one half)"


@pytest.mark.parametrize(
    ("good", "failed", "limit", "fails"),
    [
        (71, 29, 0.29, False),  # 0.29 x 100 is 28.999999999999996
        (70, 30, 0.29, True),
        (9, 1, 0.0, True),
        (10, 0, 0.0, False),
        (0, 10, 1.0, False),
    ],
)
def test_the_limit_is_strict(good: int, failed: int, limit: float, *, fails: bool) -> None:
    assert bool(why(*turns("x", good, failed), limit=limit)) is fails


def test_other_limits_are_told_in_percent() -> None:
    assert why(*turns("x", 1, 1), limit=0.25).endswith("(limit: 25 %)")
    assert why(*turns("x", 1, 1), limit=0.125).endswith("(limit: 12.5 %)")
    assert why(*turns("x", 1, 1), limit=0.0).endswith("(limit: none)")


def test_questions_count_where_nothing_else_is_asked() -> None:
    assert why(*questions("x", 1, 2)) == "x (a) failed 2 of 3 questions (limit: one half)"
    assert why(*questions("x", 1, 1)) == ""
    # Where turns are taken, a question aside is none of them.
    assert why(*turns("x", 3, 0), *questions("x", 0, 9)) == ""
    assert why(*turns("y", 3, 0), *questions("x", 0, 9)) == ""


def test_how_often_each_seat_was_asked() -> None:
    episode = Episode(trial(0), (*turns("x", 2, 1), *questions("y", 1, 1)))
    assert episode.turns_by_seat == {"x": TurnCounts(failed=1, total=3)}
    assert Episode(trial(0), questions("y", 1, 1)).turns_by_seat == {
        "y": TurnCounts(failed=1, total=2)
    }
    assert Episode(trial(0), ()).turns_by_seat == {}


class Garbage:
    """Answers as a model that loops in some trials would."""

    def __init__(self, *trials: str) -> None:
        self.trials = trials
        self.asked: list[tuple[str, int]] = []

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        await asyncio.sleep(0)
        self.asked.append((request.trial, request.turn))
        if request.trial in self.trials and request.seat == "x":
            return NoReply("unreadable", "expected a JSON object, found NaN", "NaN")
        return Reply((Action("speak", "Hm."),))


def test_such_a_trial_failed_and_is_neither_judged_nor_in_the_way_of_others(store: Store) -> None:
    judge = CountingJudge()
    made = table(store, Garbage("t1", "t3"), judge)
    assert play_run(made) is None
    assert statuses(store) == ["played", "failed", "played", "failed", "played"]
    row = store.trials(RUN)[1]
    assert (row.cause, row.problem) == (
        "failed turns",
        "x (a) failed 2 of 2 turns (limit: one half)",
    )
    assert sorted(judge.judged) == ["t0", "t2", "t4"]
    assert (made.tally.failed, made.tally.done) == (2, 5)
    # The transcript is there to be looked at.
    kept = Episode(row.trial, store.events(RUN, "t1"))
    assert [move.seat for move in kept.moves] == ["y", "y"]
    assert kept.ended is not None


def test_a_limit_of_one_switches_it_off(store: Store) -> None:
    made = replace(table(store, Garbage("t1")), max_failed_turns=1.0)
    play_run(made)
    assert statuses(store) == ["played"] * 5


def test_played_again_it_fails_again_without_a_question(store: Store) -> None:
    play_run(table(store, Garbage("t1")))
    before = store.trials(RUN)
    again = Speaker()
    play_run(table(store, again))
    assert again.asked == []
    assert store.trials(RUN) == before


def test_killed_between_its_last_turn_and_the_verdict_it_fails_when_resumed(store: Store) -> None:
    play_run(table(store, Garbage("t1")))
    store.set_status(RUN, "t1", "playing")
    again, judge = Speaker(), CountingJudge()
    play_run(table(store, again, judge))
    assert again.asked == []
    assert judge.judged == []
    assert statuses(store)[1] == "failed"
