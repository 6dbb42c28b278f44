"""Playing a scene: whose turn it is, when it ends, and what becomes of a reply."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field

from sociolab.core import (
    Action,
    ActionKind,
    ActionSpace,
    Answered,
    Ended,
    Event,
    Json,
    Moved,
    NoReply,
    Player,
    Question,
    Reply,
    Request,
    Unusable,
    WorldError,
)
from sociolab.engine import DEFAULT_POLICY, FailurePolicy, Poll, play
from sociolab.testing import STOCK_NAMES, StockScene, ending_of, play_scene

SEATS = tuple(STOCK_NAMES)
SAID = (Action("speak", "Hello."),)
LEFT = (Action("leave"),)

Say = Callable[[Request], "Reply | NoReply | Sequence[Action]"]


class Doing:
    """A player that does what a function of the request says, and notes what it was asked."""

    def __init__(self, say: Say = lambda _: SAID) -> None:
        self._say = say
        self.asked: list[Request] = []

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        self.asked.append(request)
        said = self._say(request)
        return said if isinstance(said, Reply | NoReply) else Reply(tuple(said))


class Mood(BaseModel):
    mood: int


MOOD = Question("mood", "How do you feel?", Mood)


def table(seats: Sequence[str], **players: Doing) -> dict[str, Doing]:
    return {seat: players.get(seat, Doing()) for seat in seats}


def run(
    scene: StockScene, players: dict[str, Doing], policy: FailurePolicy = DEFAULT_POLICY
) -> tuple[Event, ...]:
    seated: dict[str, Player] = dict(players)
    return play_scene(scene, seated, policy=policy)


def movers(events: Sequence[Event]) -> list[str]:
    return [event.seat for event in events if isinstance(event, Moved)]


# ---------------------------------------------------------------- whose turn it is


@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_turn_t_belongs_to_seat_t_mod_n(count: int) -> None:
    seats = SEATS[:count]
    events = run(StockScene(seats, limit=11), table(seats))
    assert movers(events) == [seats[t % count] for t in range(11)]
    assert [event.turn for event in events] == [*range(11), 10]


def test_the_limit_counts_turns_and_the_reason_is_recorded() -> None:
    events = run(StockScene(limit=5), table(SEATS[:2]))
    assert len(movers(events)) == 5
    assert events[-1] == Ended("turn limit", 4)


def test_two_seats_end_when_one_leaves() -> None:
    leaver = Doing(lambda r: LEFT if r.turn == 3 else SAID)
    events = run(StockScene(limit=20), table(SEATS[:2], second=leaver))
    assert movers(events) == ["first", "second", "first", "second"]
    assert events[-1] == Ended("left", 3, "second")


def test_leaving_at_the_last_turn_is_leaving_and_not_the_limit() -> None:
    leaver = Doing(lambda r: LEFT if r.turn == 3 else SAID)
    events = run(StockScene(limit=4), table(SEATS[:2], second=leaver))
    assert events[-1] == Ended("left", 3, "second")


def test_a_seat_that_left_is_not_asked_again() -> None:
    seats = SEATS[:3]
    leaver = Doing(lambda r: LEFT if r.turn == 1 else SAID)
    events = run(StockScene(seats, limit=8), table(seats, second=leaver))
    assert movers(events) == [
        "first",
        "second",
        "third",
        "first",
        "third",
        "first",
        "third",
        "first",
    ]
    assert [r.turn for r in leaver.asked] == [1]


def test_more_than_two_seats_end_when_fewer_than_two_remain() -> None:
    seats = SEATS[:4]
    leaving = {name: Doing(lambda r: LEFT if r.turn >= 4 else SAID) for name in seats[1:]}
    events = run(StockScene(seats, limit=40), table(seats, **leaving))
    assert movers(events) == [*seats, *seats]
    assert events[-1] == Ended("left", 7, "fourth")


def test_who_left_sees_nothing_of_what_comes_later() -> None:
    seats = SEATS[:3]
    polls = (Poll(None, seats, MOOD),)
    answer = Reply(Mood(mood=1))
    leaver = Doing(lambda r: answer if r.name == "mood" else LEFT)
    others = Doing(lambda r: answer if r.name == "mood" else SAID)
    players = {"first": others, "second": leaver, "third": others}
    run(StockScene(seats, limit=7, polls=polls), players)
    last = leaver.asked[-1]
    assert last.name == "mood"
    assert [line.turn for line in last.observation.history] == [0, 1]


# ---------------------------------------------------------------- all at once


def test_in_a_simultaneous_round_all_see_the_same_and_the_limit_counts_rounds() -> None:
    seats = SEATS[:3]
    players = table(seats)
    events = run(StockScene(seats, limit=2, order="simultaneous"), players)
    assert [(e.turn, e.seat) for e in events if isinstance(e, Moved)] == [
        (turn, seat) for turn in range(2) for seat in seats
    ]
    assert events[-1] == Ended("turn limit", 1)
    for player in players.values():
        assert [len(r.observation.history) for r in player.asked] == [0, 3]


def test_the_requests_of_a_round_come_together() -> None:
    game = play(StockScene(SEATS[:3], order="simultaneous"))
    requests = next(game)
    assert isinstance(requests, tuple)
    assert [request.seat for request in requests] == list(SEATS[:3])


def test_only_the_seat_whose_reply_failed_is_asked_again_in_a_round() -> None:
    late = Doing(lambda r: SAID if r.attempt == 2 else NoReply("unreadable", "found nothing"))
    players = table(SEATS[:3], second=late)
    events = run(StockScene(SEATS[:3], limit=1, order="simultaneous"), players)
    assert [type(event).__name__ for event in events] == [
        "Moved",
        "Unusable",
        "Moved",
        "Moved",
        "Ended",
    ]
    assert movers(events) == ["first", "third", "second"]
    assert len(players["first"].asked) == 1


def test_who_leaves_in_a_round_still_sees_that_round_and_no_other() -> None:
    seats = SEATS[:3]
    answer = Reply(Mood(mood=1))
    leaver = Doing(lambda r: answer if r.name == "mood" else LEFT)
    others = Doing(lambda r: answer if r.name == "mood" else SAID)
    polls = (Poll(None, seats, MOOD),)
    scene = StockScene(seats, limit=3, order="simultaneous", polls=polls)
    run(scene, {"first": leaver, "second": others, "third": others})
    assert [line.who for line in leaver.asked[-1].observation.history] == ["Ada", "Ben", "Cleo"]


# ---------------------------------------------------------------- words for some only


def test_words_reach_only_those_they_are_meant_for() -> None:
    seats = SEATS[:4]
    speaker = Doing(lambda _: [Action("speak", "Psst.", ("Cleo",))])
    players = table(seats, first=speaker)
    run(StockScene(seats, limit=5), players)

    def heard(seat: str) -> bool:
        return any("Psst." in line.text for line in players[seat].asked[-1].observation.history)

    assert [heard(seat) for seat in seats] == [True, False, True, False]


def test_an_action_holds_seats_and_not_names_in_the_event() -> None:
    speaker = Doing(lambda _: [Action("speak", "Psst.", ("Cleo", "Cleo"))])
    events = run(StockScene(SEATS[:3], limit=1), table(SEATS[:3], first=speaker))
    assert events[0] == Moved(0, "first", (Action("speak", "Psst.", ("third",)),))


def test_an_unknown_name_is_asked_for_again_with_the_names_that_there_are() -> None:
    speaker = Doing(lambda r: SAID if r.attempt == 2 else [Action("speak", "Psst.", ("Zoe",))])
    events = run(StockScene(SEATS[:3], limit=1), table(SEATS[:3], first=speaker))
    unusable = events[0]
    assert isinstance(unusable, Unusable)
    assert unusable.cause == "not allowed"
    assert unusable.problem == 'there is nobody called "Zoe" here, but Ben, Cleo'
    assert speaker.asked[1].problem == unusable.problem


def test_who_addresses_everybody_by_that_word_is_told_how() -> None:
    speaker = Doing(lambda r: SAID if r.attempt == 2 else [Action("speak", "Hey.", ("Everyone",))])
    events = run(StockScene(SEATS[:3], limit=1), table(SEATS[:3], first=speaker))
    assert isinstance(events[0], Unusable)
    assert events[0].problem.endswith("Ben, Cleo; leave `to` empty for everybody")


def test_a_seat_is_no_name_to_be_called_by() -> None:
    speaker = Doing(lambda r: SAID if r.attempt == 2 else [Action("speak", "Psst.", ("third",))])
    events = run(StockScene(SEATS[:3], limit=1), table(SEATS[:3], first=speaker))
    assert isinstance(events[0], Unusable)


def test_nobody_speaks_to_one_who_has_left() -> None:
    seats = SEATS[:3]
    leaver = Doing(lambda _: LEFT)
    speaker = Doing(lambda r: [Action("speak", "Psst.", ("Ben",))] if r.turn == 3 else SAID)
    policy = FailurePolicy(attempts=1)
    scene = StockScene(seats, limit=4)
    events = run(scene, table(seats, first=speaker, second=leaver), policy=policy)
    assert isinstance(events[3], Unusable)
    assert events[3].problem == "Ben has left"


def test_everybody_sees_a_seat_leave_whoever_it_is_meant_for() -> None:
    seats = SEATS[:3]
    leaver = Doing(lambda _: [Action("leave", "Bye, Ben.", ("Ben",))])
    players = table(seats, first=leaver)
    events = run(StockScene(seats, limit=3), players)
    assert events[0] == Moved(0, "first", LEFT)
    assert len(players["third"].asked[0].observation.history) == 2


# ---------------------------------------------------------------- replies that cannot be used


def test_an_unusable_reply_is_asked_for_again_with_the_problem() -> None:
    def say(request: Request) -> Reply | NoReply:
        if request.attempt < 3:
            return NoReply("unreadable", f"problem {request.attempt}", raw=f"raw {request.attempt}")
        return Reply(SAID)

    player = Doing(say)
    events = run(StockScene(limit=1), table(SEATS[:2], first=player))
    assert events == (
        Unusable(0, "first", "act", 1, "unreadable", "problem 1", "raw 1", final=False),
        Unusable(0, "first", "act", 2, "unreadable", "problem 2", "raw 2", final=False),
        Moved(0, "first", SAID, attempt=3),
        Ended("turn limit", 0),
    )
    assert [(r.attempt, r.problem) for r in player.asked] == [
        (1, ""),
        (2, "problem 1"),
        (3, "problem 2"),
    ]


def test_a_failed_turn_is_skipped_by_that_policy_and_nothing_happens_in_it() -> None:
    broken = Doing(lambda _: NoReply("unreadable", "found nothing", raw="?!"))
    players = table(SEATS[:2], first=broken)
    events = run(StockScene(limit=4), players, policy=FailurePolicy(2, "skip"))
    finals = [event for event in events if isinstance(event, Unusable) and event.final]
    assert [(f.turn, f.attempt, f.raw) for f in finals] == [(0, 2, "?!"), (2, 2, "?!")]
    assert movers(events) == ["second", "second"]
    assert [len(r.observation.history) for r in players["second"].asked] == [0, 1]
    assert events[-1] == Ended("turn limit", 3)


def test_a_failed_turn_ends_the_episode_by_that_policy() -> None:
    broken = Doing(lambda _: NoReply("truncated", "cut off"))
    events = run(StockScene(), table(SEATS[:2], second=broken), policy=FailurePolicy(1, "stop"))
    assert events[-1] == Ended("failed turn", 1, "second")
    assert movers(events) == ["first"]


def test_a_reply_that_asking_again_would_not_mend_is_final_at_once() -> None:
    broken = Doing(lambda _: NoReply("context overflow", "too long", again=False))
    events = run(StockScene(limit=1), table(SEATS[:2], first=broken), policy=FailurePolicy(5))
    assert len(broken.asked) == 1
    assert isinstance(events[0], Unusable)
    assert events[0].final


@pytest.mark.parametrize(
    ("actions", "problem"),
    [
        ((Action("sing", "la"),), '"sing" is no kind of action here; choose one of: speak, act'),
        ((Action("speak", " \n"),), '"speak" needs a text'),
        ((), "a turn holds 1 action, found 0"),
        ((*SAID, *SAID), "a turn holds 1 action, found 2"),
    ],
)
def test_what_the_scene_does_not_allow_is_a_problem_and_never_a_silent_none(
    actions: tuple[Action, ...], problem: str
) -> None:
    wrong = Doing(lambda _: actions)
    events = run(StockScene(limit=1), table(SEATS[:2], first=wrong), policy=FailurePolicy(2))
    unusable = [event for event in events if isinstance(event, Unusable)]
    assert [(u.cause, u.final) for u in unusable] == [("not allowed", False), ("not allowed", True)]
    assert all(problem in u.problem for u in unusable)
    assert repr(actions) in unusable[0].raw
    assert not movers(events)


def test_a_turn_may_hold_as_many_actions_as_the_space_says() -> None:
    space = ActionSpace((ActionKind("speak", spoken=True), ActionKind("act")), most=2)
    both = (Action("speak", "Hello."), Action("act", "waves"))
    three = Doing(lambda r: (*both, *SAID) if r.attempt == 1 else both)
    events = run(StockScene(limit=1, space=space), table(SEATS[:2], first=three))
    assert isinstance(events[0], Unusable)
    assert events[0].problem == "a turn holds 1 to 2 actions, found 3"
    assert events[1] == Moved(0, "first", both, attempt=2)


def test_what_a_kind_does_not_take_is_left_out() -> None:
    silent = Doing(lambda _: [Action("none", "hm", ("Ben",))])
    events = run(StockScene(limit=1), table(SEATS[:2], first=silent))
    assert events[0] == Moved(0, "first", (Action("none"),))


WORDS: Any = ("speak",)


@pytest.mark.parametrize("reply", [None, "hello", Reply(Mood(mood=1)), Reply(WORDS)])
def test_a_player_that_gives_no_reply_at_all_is_named(reply: object) -> None:
    broken = Doing(lambda _: Reply(SAID))

    async def answer(request: Request, memory: Json) -> object:
        return reply

    broken.reply = answer  # type: ignore[method-assign,assignment]
    with pytest.raises(WorldError, match="the player of first was asked"):
        run(StockScene(), table(SEATS[:2], first=broken))


# ---------------------------------------------------------------- questions aside


def moody(request: Request) -> Reply:
    return Reply(Mood(mood=request.turn)) if request.name == "mood" else Reply(SAID)


def test_questions_are_asked_when_due_and_never_enter_the_history() -> None:
    polls = (Poll(0, ("first",), MOOD), Poll(2, SEATS[:2], MOOD), Poll(None, ("second",), MOOD))
    players = table(SEATS[:2], first=Doing(moody), second=Doing(moody))
    events = run(StockScene(limit=3, polls=polls), players)
    assert [(type(e).__name__, e.turn, e.seat) for e in events] == [
        ("Answered", 0, "first"),
        ("Moved", 0, "first"),
        ("Moved", 1, "second"),
        ("Answered", 2, "first"),
        ("Answered", 2, "second"),
        ("Moved", 2, "first"),
        ("Answered", 3, "second"),
        ("Ended", 2, None),
    ]
    last = players["second"].asked[-1].observation
    assert [line.turn for line in last.history] == [0, 1, 2]


def test_a_question_for_a_time_that_never_comes_is_not_asked() -> None:
    leaver = Doing(lambda r: LEFT if r.turn == 1 else SAID)
    polls = (Poll(5, SEATS[:2], MOOD),)
    events = run(StockScene(limit=9, polls=polls), table(SEATS[:2], second=leaver))
    assert not [event for event in events if isinstance(event, Answered)]


def test_the_last_question_goes_to_those_who_left_too_and_earlier_ones_do_not() -> None:
    seats = SEATS[:3]

    def say(request: Request) -> Reply:
        if request.name == "mood":
            return moody(request)
        return Reply(LEFT if request.seat == "first" else SAID)

    polls = (Poll(2, seats, MOOD), Poll(None, seats, MOOD))
    players = {seat: Doing(say) for seat in seats}
    events = run(StockScene(seats, limit=4, polls=polls), players)
    asked = [(e.turn, e.seat) for e in events if isinstance(e, Answered)]
    assert asked == [(2, "second"), (2, "third"), (4, "first"), (4, "second"), (4, "third")]


def test_a_question_that_is_due_twice_at_the_end_is_asked_once() -> None:
    polls = (Poll(2, ("first",), MOOD), Poll(None, SEATS[:2], MOOD))
    players = {seat: Doing(moody) for seat in SEATS[:2]}
    events = run(StockScene(limit=2, polls=polls), players)
    asked = [(e.turn, e.seat) for e in events if isinstance(e, Answered)]
    assert asked == [(2, "first"), (2, "second")]


def test_the_last_question_has_the_number_of_turns_taken_and_no_other() -> None:
    """It once had the number of seats, and met the answer to an earlier question there."""
    polls = (Poll(2, ("first",), MOOD), Poll(None, ("first",), MOOD))
    players = {seat: Doing(moody) for seat in SEATS[:2]}
    events = run(StockScene(limit=6, polls=polls), players)
    assert [e.turn for e in events if isinstance(e, Answered)] == [2, 6]


def test_a_failed_answer_is_on_record_and_fails_no_turn() -> None:
    def say(request: Request) -> Reply | NoReply:
        return NoReply("gave up", "no answer") if request.name == "mood" else Reply(SAID)

    polls = (Poll(0, ("first",), MOOD),)
    scene = StockScene(limit=2, polls=polls)
    policy = FailurePolicy(1, "stop")
    events = run(scene, table(SEATS[:2], first=Doing(say)), policy=policy)
    assert isinstance(events[0], Unusable)
    assert events[0].name == "mood"
    assert ending_of(events).reason == "turn limit"


def test_an_answer_is_kept_as_its_type_reads_it() -> None:
    class Odd(BaseModel):
        model_config = ConfigDict(extra="forbid")

        kind: str = Field(alias="class")

    odd = Question("odd", "?", Odd)
    player = Doing(lambda r: Reply(Odd(**{"class": "a"})) if r.name == "odd" else Reply(SAID))
    scene = StockScene(limit=1, polls=(Poll(0, ("first",), odd),))
    events = run(scene, table(SEATS[:2], first=player))
    assert events[0] == Answered(0, "first", "odd", {"class": "a"})


# ---------------------------------------------------------------- scenes that cannot be played


@pytest.mark.parametrize(
    ("scene", "message"),
    [
        (StockScene(("first",)), "at least 2 different seats"),
        (StockScene(("first", "first")), "at least 2 different seats"),
        (StockScene(limit=0), "limit of at least 1"),
        (StockScene(polls=(Poll(0, ("zoe",), MOOD),)), 'for the seat "zoe"'),
        (StockScene(polls=(Poll(0, ("first",), Question("act", "?", Mood)),)), "cannot be called"),
    ],
)
def test_a_scene_that_cannot_be_played_is_refused(scene: StockScene, message: str) -> None:
    with pytest.raises(WorldError, match=message):
        next(play(scene))


def test_the_engine_wants_as_many_replies_as_it_asked_for() -> None:
    game = play(StockScene())
    next(game)
    with pytest.raises(WorldError, match="1 requests need as many replies"):
        game.send([])
