from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace

import pytest
from pydantic import BaseModel

from play_studies import line_of, request_of
from sociolab.core import (
    Action,
    ActionKind,
    ActionSpace,
    Json,
    ModelError,
    NoReply,
    Question,
    Reply,
    Request,
    StoreError,
    Trial,
)
from sociolab.studies import NotTaken, PlayPlan, Sent, SentAction, TypingPace, trials_of
from sociolab.studies.live_episode import decode_reply
from sociolab.studies.lobby import PRESENT_SECONDS, WaitingRoom
from sociolab.studies.play_plan import LONGEST, USUAL, PacedPlayer
from sociolab.studies.play_records import AssignmentBalancer
from sociolab.studies.screen import split_sections

# ------------------------------------------------------------------ who plays what


def by_task(trials: Iterable[Trial]) -> dict[str, list[Trial]]:
    found: dict[str, list[Trial]] = {}
    for trial in trials:
        found.setdefault(trial.task.id, []).append(trial)
    return found


def test_nobody_gets_a_task_twice_and_all_tasks_are_played_alike() -> None:
    ledger, trials = AssignmentBalancer(), list(trials_of(PlayPlan(limit=4, plays=3)))
    played: dict[int, list[str]] = {}
    for person in range(6):
        for _ in range(4):
            found = ledger.choose(by_task(trials), (person,))
            assert found is not None
            trial, seats = found
            trials.remove(trial)
            (seat,) = seats
            ledger.enter(trial, person, seat)
            played.setdefault(person, []).append(trial.task.id)
        assert len(set(played[person])) == 4
        assert ledger.choose(by_task(trials), (person,)) is None
    assert not trials


def test_a_person_sits_in_the_first_and_the_second_place_alike() -> None:
    ledger, trials = AssignmentBalancer(), trials_of(PlayPlan(limit=4))
    places = []
    for _ in range(4):
        found = ledger.choose(by_task(trials), (1,))
        assert found is not None
        trial, seats = found
        (seat,) = seats
        ledger.enter(trial, 1, seat)
        places.append(trial.task.seats.index(seat))
    assert sorted(places) == [0, 0, 1, 1]


def test_a_task_is_played_from_one_seat_as_often_as_from_the_other() -> None:
    ledger, trials = AssignmentBalancer(), trials_of(PlayPlan(limit=1, plays=4))
    seats: list[str] = []
    for person in range(4):
        found = ledger.choose(by_task(trials), (person,))
        assert found is not None
        seats.extend(found[1])
        ledger.enter(found[0], person, seats[-1])
    assert seats == [*trials[0].task.seats] * 2


def test_two_people_are_given_only_what_is_new_to_both() -> None:
    ledger, trials = AssignmentBalancer(), trials_of(PlayPlan(limit=2, people=2))
    first, second = trials
    ledger.enter(first, 1, first.task.seats[0])
    ledger.enter(second, 2, second.task.seats[0])
    assert ledger.choose(by_task(trials), (1, 2)) is None
    found = ledger.choose(by_task(trials), (1, 3))
    assert found is not None
    assert found[0] == second
    assert found[1] == {second.task.seats[0]: 3, second.task.seats[1]: 1}


def test_who_came_first_is_paired_first_and_who_went_away_is_passed_over() -> None:
    room = WaitingRoom()
    room.enter(1, now=0, ready=0)
    room.enter(2, now=1, ready=1)
    room.enter(3, now=2, ready=9)
    assert list(room.ready(2)) == [1, 2]
    late = PRESENT_SECONDS + 1
    assert not room.touch(2, 2)
    assert list(room.ready(late)) == [2, 3]
    assert room.touch(1, late)
    assert list(room.ready(late)) == [1, 2, 3]
    assert room.seconds_waited(3, late) == late - 2


# ------------------------------------------------------------------ the pace of partners


def test_a_longer_answer_takes_longer_and_none_takes_the_whole_turn() -> None:
    pace = TypingPace(60, 100, seed=1)
    request = request_of(history=(line_of("a few words to be read"),))
    short, long = (
        pace.turn(request, Reply((Action("speak", " ".join(["word"] * words)),)))
        for words in (3, 30)
    )
    assert 1.5 < short < 15 < long < 50
    endless = Reply((Action("speak", " ".join(["word"] * 1000)),))
    assert pace.turn(request, endless) == LONGEST * 100
    assert pace.turn(request, endless) == TypingPace(60, 100, seed=1).turn(request, endless)


def test_a_pace_of_nothing_is_at_once() -> None:
    pace = TypingPace(0, 100, seed=1)
    assert pace.turn(request_of(), Reply((Action("speak", "word"),))) == 0
    assert pace.arrival(1, 0) == 0


class Mute:
    """Never says anything that can be used, or breaks."""

    def __init__(self, error: Exception | None = None) -> None:
        self._error = error

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        if self._error is not None:
            raise self._error
        return NoReply("unreadable", "nothing said")


class Clock:
    """Notes for how long a player sleeps, and does not."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


def test_a_turn_that_fails_for_good_takes_as_long_as_any_other() -> None:
    clock, pace = Clock(), TypingPace(60, 100, 0)
    player = PacedPlayer(Mute(), pace, clock.sleep)
    for attempt in (1, 2, 3):
        assert clock.slept == [], "nobody waits for an attempt that is made again"
        asyncio.run(player.reply(replace(request_of(), attempt=attempt), None))
    (slept,) = clock.slept
    like = Reply((Action("speak", " ".join(["word"] * USUAL)),))
    assert slept == pytest.approx(pace.turn(request_of(), like), abs=0.5)


def test_an_error_of_a_partner_comes_no_sooner_than_a_turn() -> None:
    clock = Clock()
    player = PacedPlayer(
        Mute(ModelError("down", cause="connection")), TypingPace(60, 99, 0), clock.sleep
    )
    with pytest.raises(ModelError):
        asyncio.run(player.reply(request_of(), None))
    assert sum(clock.slept) > 5


def test_a_question_on_which_nothing_hangs_is_answered_without_a_pause() -> None:
    clock = Clock()
    question = Question("closing", "What came of it?", BaseModel, optional=True)
    player = PacedPlayer(Mute(), TypingPace(60, 100, 0), clock.sleep)
    asyncio.run(player.reply(replace(request_of(question), attempt=3), None))
    assert clock.slept == []


def test_a_store_that_fails_is_told_at_once() -> None:
    clock = Clock()
    player = PacedPlayer(Mute(StoreError("full")), TypingPace(60, 100, 0), clock.sleep)
    with pytest.raises(StoreError):
        asyncio.run(player.reply(request_of(), None))
    assert clock.slept == []


def test_all_attempts_at_a_turn_share_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    class Slower:
        async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
            if request.attempt > 1:
                await asyncio.Event().wait()
            return NoReply("unreadable", "nothing said")

    async def turn() -> list[str]:
        player, loop = PacedPlayer(Slower(), TypingPace(0, 3600, 0)), asyncio.get_running_loop()
        first = await player.reply(request_of(), None)
        an_hour_later = loop.time() + 3601
        monkeypatch.setattr(loop, "time", lambda: an_hour_later)
        again = player.reply(replace(request_of(), attempt=2), None)
        second = await asyncio.wait_for(again, 20)
        return [one.cause for one in (first, second) if isinstance(one, NoReply)]

    assert asyncio.run(turn()) == ["unreadable", "timeout"]


class Slow:
    """Thinks for ever."""

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        await asyncio.Event().wait()
        raise AssertionError


def test_a_partner_who_needs_longer_than_a_turn_lets_it_go_by_as_a_person_does() -> None:
    found = asyncio.run(PacedPlayer(Slow(), TypingPace(60, 0.01, 0)).reply(request_of(), None))
    assert isinstance(found, NoReply)
    assert (found.cause, found.again) == ("timeout", False)


def test_a_timeout_of_the_partners_own_is_a_fault_and_no_missed_turn() -> None:
    class Torn:
        async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
            raise TimeoutError("mine")

    player = PacedPlayer(Torn(), TypingPace(60, 100, 0), Clock().sleep)
    with pytest.raises(TimeoutError, match="mine"):
        asyncio.run(player.reply(request_of(), None))


def test_a_stand_in_does_not_come_at_the_stroke_of_the_longest_wait() -> None:
    waits = [TypingPace(60, 100, seed=1).patience(100, person, 0) for person in range(20)]
    assert 70 <= min(waits) < 80
    assert 90 < max(waits) <= 100
    assert TypingPace(0, 100, seed=1).patience(100, 1, 0) == 100


# ------------------------------------------------------------------ what a person sends

SPACE = ActionSpace(
    (ActionKind("speak", spoken=True), ActionKind("act"), ActionKind("pass", has_text=False)),
    most=2,
    distinct=True,
)


def sent(*actions: SentAction, answer: dict[str, object] | None = None) -> Sent:
    return Sent(trial="t", turn=0, actions=actions, answer=answer)


@pytest.mark.parametrize(
    ("actions", "says"),
    [
        ((), "1 to 2 actions"),
        ((SentAction(kind="sing", text="la"),), "no kind of action here"),
        ((SentAction(kind="speak", text="  "),), "needs a text"),
        ((SentAction(kind="speak", text="a", to=("Zed",)),), 'nobody called "Zed"'),
        ((SentAction(kind="speak", text="a"), SentAction(kind="speak", text="b")), "once"),
        ((SentAction(kind="speak", text="a"), SentAction(kind="pass")), "stands alone"),
    ],
)  # fmt: skip
def test_a_turn_that_the_scene_does_not_allow_is_refused_before_it_is_taken(
    actions: tuple[SentAction, ...], says: str
) -> None:
    with pytest.raises(NotTaken, match=says):
        decode_reply(sent(*actions), request_of(SPACE))


def test_words_keep_their_aside_and_lose_what_nobody_can_see() -> None:
    given = sent(SentAction(kind="speak", text=" hush\x00\x1b[2J \n", to=("Mira",)))
    hidden = "\N{REPLACEMENT CHARACTER}"
    said = Action("speak", f"hush{hidden}{hidden}[2J", ("Mira",))
    assert decode_reply(given, request_of(SPACE)) == (said,)


def test_a_head_is_read_as_sections_of_which_the_goal_stays_in_sight() -> None:
    intro, sections = split_sections(
        "Play.\n\n# You\nAnn\n\n# Your private goal\nWin\n# not a title?\n"
    )
    assert intro == "Play."
    assert [(one.title, one.kept) for one in sections] == [
        ("You", False), ("Your private goal", True), ("not a title?", False),
    ]  # fmt: skip
    assert [one.kept for one in split_sections("# You\nAnn\n# Things\nMany")[1]] == [False, True]
    assert split_sections("Only words") == ("Only words", ())
