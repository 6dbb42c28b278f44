"""The contract suites find what they are for: broken players, worlds and judges."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import pytest

from public_goods import SCENE, PublicGoods
from sociolab.core import (
    Action,
    ActionSpace,
    DataId,
    Episode,
    Json,
    Judge,
    JudgeId,
    Measure,
    Moved,
    NoReply,
    Play,
    Player,
    Question,
    Reply,
    Request,
    Score,
    ScoreFailure,
    Task,
    Transcript,
    Verdict,
    World,
    WorldError,
)
from sociolab.engine import play
from sociolab.testing import AnyPlayer, JudgeContract, PlayerContract, StockScene, WorldContract
from sotopia_cases import casting, episode_of, world

NOTHING = Reply((Action("none"),))


# ---------------------------------------------------------------- players


@dataclass
class Broken:
    """A player made of a function."""

    answer: Callable[[Request, Json], Any]
    calls: int = 0

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        self.calls += 1
        return cast("Reply", self.answer(request, memory))


def player_suite(answer: Callable[[Request, Json], Any]) -> PlayerContract:
    class Suite(PlayerContract):
        def player(self) -> Player:
            return Broken(answer)

    return Suite()


def careless(request: Request, _: Json) -> Reply:
    request.observation.view.append(request.turn)
    return NOTHING


def test_a_player_that_does_what_is_not_allowed_is_found() -> None:
    suite = player_suite(lambda *_: Reply((Action("sing"),)))
    with pytest.raises(AssertionError, match="a valid turn"):
        suite.test_it_acts_in_every_turn()


def test_a_player_that_gives_no_reply_is_found() -> None:
    with pytest.raises(WorldError, match="expected a Reply or a NoReply"):
        player_suite(lambda *_: None).test_it_acts_in_every_turn()


def test_a_player_that_changes_its_request_is_found() -> None:
    class View(StockScene):
        def witness(self, seat: str) -> Any:
            plain = super().witness(seat)
            observe = plain.observe
            plain.observe = lambda turn: replace(observe(turn), view=[])  # type: ignore[method-assign]
            return plain

    class Suite(PlayerContract):
        def player(self) -> Player:
            return Broken(careless)

        def scene(self) -> StockScene:
            return View()

    with pytest.raises(AssertionError, match="the request of turn 0 was changed"):
        Suite().test_it_leaves_the_request_as_it_was()


@pytest.mark.parametrize("memory", [(1, 2), {1: 2}])
def test_a_memory_that_json_changes_is_found(memory: Any) -> None:
    suite = player_suite(lambda *_: replace(NOTHING, memory=memory))
    with pytest.raises(AssertionError, match="a memory that survives JSON"):
        suite.test_its_memory_is_json()


@pytest.mark.parametrize("memory", [{1, 2}, float("nan")])
def test_a_memory_that_is_no_json_is_found(memory: Any) -> None:
    suite = player_suite(lambda *_: replace(NOTHING, memory=memory))
    with pytest.raises((TypeError, ValueError)):
        suite.test_its_memory_is_json()


def test_a_player_with_a_memory_of_its_own_is_found() -> None:
    class Secretive:
        def __init__(self) -> None:
            self.turns = 0

        async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
            self.turns += 1
            return NOTHING if self.turns < 3 else NoReply("gave up", "tired", again=False)

    class Suite(PlayerContract):
        def player(self) -> Player:
            return Secretive()

    with pytest.raises(AssertionError, match="again at turn"):
        Suite().test_a_request_and_a_memory_are_all_that_it_needs()


def test_a_player_that_an_odd_history_upsets_is_found() -> None:
    def fussy(request: Request, _: Json) -> Reply | NoReply:
        odd = any("\x1b" in line.text for line in request.observation.history)
        return NoReply("gave up", "odd") if odd else NOTHING

    with pytest.raises(AssertionError, match="usable replies to an odd history"):
        player_suite(fussy).test_it_survives_an_odd_history()


def test_a_player_that_answers_another_question_is_found() -> None:
    def confused(request: Request, _: Json) -> Reply:
        return NOTHING

    with pytest.raises(AssertionError, match="an Opinion"):
        player_suite(confused).test_it_answers_a_question_or_says_that_it_cannot()


def test_a_player_that_fails_at_a_second_attempt_is_found() -> None:
    suite = player_suite(lambda request, _: None if request.problem else NOTHING)
    with pytest.raises(AssertionError, match="a Reply or a NoReply"):
        suite.test_it_takes_a_problem_and_tries_again()


# ---------------------------------------------------------------- worlds


@dataclass
class Spoilt:
    """The SOTOPIA cases with something changed."""

    inner: World
    change_tasks: Callable[[Sequence[Task]], Sequence[Task]] = tuple
    change_play: Callable[[World, Task, str, int], Play] = lambda w, t, i, s: w.play(t, i, s)

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def data(self) -> DataId:
        return self.inner.data

    def tasks(self) -> Sequence[Task]:
        return self.change_tasks(self.inner.tasks())

    def play(self, task: Task, trial: str, seed: int) -> Play:
        return self.change_play(self.inner, task, trial, seed)

    def transcript(self, episode: Episode, seat: str | None = None) -> Transcript:
        return self.inner.transcript(episode, None)


def world_suite(make: Callable[[], World], hidden: Sequence[str] = ()) -> WorldContract:
    class Suite(WorldContract):
        def world(self) -> World:
            return make()

        def hidden(self, task: Task, seat: str) -> Sequence[str]:
            return hidden

    return Suite()


def test_a_world_with_two_tasks_of_one_id_is_found() -> None:
    suite = world_suite(lambda: Spoilt(world(), lambda tasks: (*tasks, tasks[0])))
    with pytest.raises(AssertionError, match="task ids are unique"):
        suite.test_two_loads_lay_out_the_same_tasks_with_unique_ids()


def test_a_world_whose_tasks_change_order_is_found() -> None:
    loads: list[int] = []

    def shuffled() -> World:
        loads.append(1)
        odd = len(loads) % 2
        return Spoilt(world(), lambda tasks: tasks[::-1] if odd else tasks)

    with pytest.raises(AssertionError, match="two loads give the same tasks"):
        world_suite(shuffled).test_two_loads_lay_out_the_same_tasks_with_unique_ids()


def test_a_world_with_a_seat_twice_is_found() -> None:
    def twice(tasks: Sequence[Task]) -> Sequence[Task]:
        return [replace(task, seats=("seat0", "seat0")) for task in tasks]

    with pytest.raises(AssertionError, match="seats are unique"):
        world_suite(lambda: Spoilt(world(), twice)).test_seats_are_unique_and_clusters_named()


def test_a_world_that_tells_what_is_hidden_is_found() -> None:
    suite = world_suite(world, ("market stall",))
    with pytest.raises(AssertionError, match='is shown "market stall"'):
        suite.test_nobody_is_shown_what_is_hidden_from_them()


def test_a_world_in_which_others_learn_of_what_is_not_for_them_is_found() -> None:
    class Loud(PublicGoods):
        def transcript(self, episode: Episode, seat: str | None = None) -> Transcript:
            return super().transcript(episode, None)

    suite = world_suite(Loud)
    with pytest.raises(AssertionError, match="learns of it"):
        suite.test_whom_an_action_is_for_is_as_its_kind_says_and_nobody_else_learns_of_it()


def test_a_world_that_breaks_its_own_rule_on_recipients_is_found() -> None:
    class Lax(PublicGoods):
        """Says one thing to those who play and holds to another."""

        def play(self, task: Task, trial: str, seed: int) -> Play:
            kinds = [replace(kind, recipients="optional") for kind in SCENE.space.kinds]
            game = play(replace(SCENE, space=ActionSpace(tuple(kinds))), trial=trial, seed=seed)
            sent: Any = None
            try:
                while True:
                    step = game.send(sent)
                    if isinstance(step, tuple):
                        step = tuple(replace(one, expected=SCENE.space) for one in step)
                    sent = yield step
            except StopIteration:
                return

    suite = world_suite(Lax)
    with pytest.raises(AssertionError, match=r'"(give" is for all|fine" is for some)'):
        suite.test_whom_an_action_is_for_is_as_its_kind_says_and_nobody_else_learns_of_it()


def test_a_line_that_is_not_its_seats_is_found() -> None:
    class Seatless(Spoilt):
        def transcript(self, episode: Episode, seat: str | None = None) -> Transcript:
            whole = super().transcript(episode, seat)
            return replace(whole, lines=tuple(replace(line, seat="") for line in whole.lines))

    suite = world_suite(lambda: Seatless(world()))
    with pytest.raises(AssertionError, match='line of turn 1 has the seat ""'):
        suite.test_transcripts_show_an_episode_and_what_each_seat_saw_of_it()


def test_a_transcript_that_tells_what_is_hidden_is_found() -> None:
    suite = world_suite(lambda: Spoilt(world()), ("secretmark1",))
    with pytest.raises(AssertionError, match='shows "secretmark1"'):
        suite.test_transcripts_show_an_episode_and_what_each_seat_saw_of_it()


def test_a_world_that_never_ends_is_found() -> None:
    class Endless(WorldContract):
        most_requests = 5

        def world(self) -> World:
            return world()

    with pytest.raises(AssertionError, match="requests are too many"):
        Endless().test_it_asks_within_its_limits()


def test_a_world_that_draws_from_a_global_source_is_found() -> None:
    draws = iter(range(10_000))

    def unseeded(inner: World, task: Task, trial: str, seed: int) -> Play:
        return inner.play(task, trial, next(draws))

    suite = world_suite(lambda: Spoilt(world(), change_play=unseeded))
    with pytest.raises(AssertionError):
        suite.test_the_same_seed_gives_the_same_bytes()


def test_a_world_whose_head_changes_is_found() -> None:
    class Restless(StockScene):
        def witness(self, seat: str) -> Any:
            plain = super().witness(seat)
            observe = plain.observe

            def changed(turn: int) -> Any:
                return replace(observe(turn), head=f"head {turn}")

            plain.observe = changed  # type: ignore[method-assign]
            return plain

    def other(inner: World, task: Task, trial: str, seed: int) -> Play:
        return play(Restless(), trial=trial, seed=seed)

    class Suite(WorldContract):
        def world(self) -> World:
            return Spoilt(world(), change_play=other)

        def players(self, task: Task) -> dict[str, Player]:
            return dict.fromkeys(("first", "second"), AnyPlayer(leave_rate=0))

    with pytest.raises(AssertionError, match="the head never changes"):
        Suite().test_the_head_never_changes_and_the_history_only_grows()


# ---------------------------------------------------------------- judges

GOAL = Measure("goal", 0, 10)
OTHER = Measure("other", 0, 1)
EPISODE = episode_of(casting(), Moved(0, "seat0", (Action("none"),)))


def judge_suite(
    verdicts: Callable[[Episode], Sequence[Verdict]], ids: Callable[[], str] = lambda: "mine"
) -> JudgeContract:
    class Mine:
        def __init__(self) -> None:
            self.id = JudgeId(ids(), "rules")

        async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
            return tuple(verdicts(episode))

    class Suite(JudgeContract):
        def judge(self) -> Judge:
            return Mine()

        def episodes(self) -> Sequence[Episode]:
            return [EPISODE]

        def measures(self) -> Sequence[Measure]:
            return (GOAL,)

    return Suite()


def test_a_judge_with_another_id_every_time_is_found() -> None:
    ids = iter("abcd")
    with pytest.raises(AssertionError, match="the same id"):
        judge_suite(lambda _: (), lambda: next(ids)).test_its_id_says_who_judged()


@pytest.mark.parametrize(
    "verdicts",
    [
        (Score(GOAL, "seat0", 1), Score(GOAL, "seat0", 2)),
        (Score(GOAL, "nobody", 1),),
        (Score(GOAL, None, 1), Score(GOAL, "seat0", 1)),
    ],
)
def test_a_judge_with_verdicts_too_many_is_found(verdicts: Sequence[Verdict]) -> None:
    with pytest.raises(AssertionError):
        judge_suite(lambda _: verdicts).test_there_is_a_verdict_for_each_measure_and_seat_or_none()


@pytest.mark.parametrize("measure", [OTHER, Measure("goal", 0, 100)])
def test_a_judge_of_another_measure_is_found(measure: Measure) -> None:
    suite = judge_suite(lambda _: (Score(measure, "seat0", 1),))
    with pytest.raises(AssertionError, match="with its range"):
        suite.test_its_verdicts_are_of_its_measures()


def test_a_failure_without_a_reason_is_found() -> None:
    suite = judge_suite(lambda _: (ScoreFailure(GOAL, "seat0", "unreadable", ""),))
    with pytest.raises(AssertionError, match="a failure says what is wrong"):
        suite.test_what_is_no_score_says_why()


def test_a_judge_that_changes_its_mind_is_found() -> None:
    minds = iter(range(10))
    suite = judge_suite(lambda _: (Score(GOAL, "seat0", next(minds)),))
    with pytest.raises(AssertionError):
        suite.test_it_says_the_same_twice()


def test_a_default_score_for_an_empty_episode_is_found() -> None:
    suite = judge_suite(lambda _: (Score(GOAL, "seat0", 0),))
    with pytest.raises(AssertionError, match="nothing happened that could be scored"):
        suite.test_an_episode_without_turns_gets_no_score()


# ---------------------------------------------------------------- the players that come with it


def test_any_player_answers_any_question() -> None:
    from pydantic import BaseModel

    class Form(BaseModel):
        names: list[str]
        level: int

    shown = StockScene().witness("first").observe(0)
    request = Request("t", 0, "first", 0, 1, Question("form", "?", Form), shown)
    reply = asyncio.run(AnyPlayer().reply(request, None))
    assert isinstance(reply, Reply)
    assert isinstance(reply.value, Form)
