"""Players that are not ours: in time, with a memory of JSON, and named where they break."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field

import pytest
from pydantic import BaseModel

from sociolab.core import Action, Json, NoReply, Reply, Request, Unusable
from sociolab.runner import guard, play_all, progress
from sociolab.store import Store, TrialRow
from tiny_runs import RUN, Speaker, play_run, statuses, table

SAID = Reply((Action("speak", "hello"),))


@dataclass
class Own:
    """Somebody's player, which does as `act` does."""

    act: Callable[[Request], Awaitable[object]]

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        return await self.act(request)  # type: ignore[return-value]


def played(store: Store, player: object, seconds: float | None = None) -> TrialRow:
    """The first trial, played with this player in bounds."""
    made = table(store, player, foreign={"a": seconds})  # type: ignore[arg-type]
    play_run(made, episodes=5)
    return store.trials(RUN)[0]


def raising(error: BaseException) -> Own:
    async def act(request: Request) -> object:
        raise error

    return Own(act)


def returning(value: object) -> Own:
    async def act(request: Request) -> object:
        return value

    return Own(act)


class Learned(BaseModel):
    one: int
    two: int


def test_who_where_what_and_the_line_are_on_record(store: Store) -> None:
    row = played(store, raising(ValueError("my key\nis missing")))
    assert (row.status, row.cause) == ("failed", "plugin")
    assert row.problem.startswith("a as x, turn 1: ValueError: my key is missing (")
    assert "test_guard.py" in row.problem
    assert "/" not in row.problem.replace("runner/test_guard.py", "")


def test_a_record_that_cannot_be_read_is_told_on_one_line(store: Store) -> None:
    async def act(request: Request) -> object:
        return Learned.model_validate({})

    problem = played(store, Own(act)).problem
    assert "one: Field required; two: Field required" in problem
    assert "\n" not in problem
    assert "errors.pydantic" not in problem


def test_of_several_errors_at_once_the_first_is_told(store: Store) -> None:
    async def act(request: Request) -> object:
        async with asyncio.TaskGroup() as group:
            for name in ("x", "y"):
                group.create_task(fail(name))
        return SAID

    async def fail(name: str) -> None:
        raise KeyError(name)

    problem = played(store, Own(act)).problem
    assert "KeyError: 'x' (test_guard.py" in problem.replace("runner/", "")
    assert problem.endswith(", and 1 more")


def test_keys_are_blacked_out(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_API_KEY", "abracadabra-42")
    error = ValueError("wrong key abracadabra-42, or sk-ABCDEFGH1234")
    problem = played(store, raising(error)).problem
    assert "wrong key [secret], or [secret]" in problem


def test_leaving_python_and_a_cancellation_of_its_own_fail_one_trial_each(store: Store) -> None:
    async def act(request: Request) -> object:
        if request.trial == "t1":
            sys.exit("no GPU")
        if request.trial == "t2":
            raise asyncio.CancelledError
        return SAID

    made = table(store, Own(act), foreign={"a": None})
    play_run(made, episodes=1)
    assert statuses(store) == ["played", "failed", "failed", "played", "played"]
    problems = [row.problem for row in store.trials(RUN)]
    assert "SystemExit: no GPU" in problems[1]
    assert "CancelledError" in problems[2]


@pytest.mark.parametrize("value", [None, "hello", (Action("speak", "hi"),)])
def test_what_is_no_reply_is_told_by_agent_and_turn(store: Store, value: object) -> None:
    problem = played(store, returning(value)).problem
    assert problem == f"a as x, turn 1: expected a Reply or a NoReply, found {value!r}"


def test_a_reply_that_is_not_async_is_told_so(store: Store) -> None:
    class AtOnce:
        def reply(self, request: Request, memory: Json) -> Reply:
            return SAID

    problem = played(store, AtOnce()).problem
    assert 'expected "async def reply(self, request, memory)"' in problem
    assert "returns a Reply at once" in problem


def test_one_that_hangs_has_given_no_usable_reply_and_is_asked_again(store: Store) -> None:
    async def act(request: Request) -> object:
        if request.seat == "y" and request.attempt == 1:
            await asyncio.Event().wait()
        return SAID

    assert played(store, Own(act), seconds=0.001).status == "played"
    late = [event for event in store.events(RUN, "t0") if isinstance(event, Unusable)]
    assert [(e.seat, e.turn, e.attempt, e.cause, e.final) for e in late] == [
        ("y", 1, 1, "timeout", False),
        ("y", 3, 1, "timeout", False),
    ]
    assert late[0].problem == "a gave no reply within 0.001 s"


def test_one_that_is_late_three_times_in_a_row_fails_the_trial_and_goes_on_when_resumed(
    store: Store,
) -> None:
    late: list[int] = []

    async def act(request: Request) -> object:
        if request.seat == "y" and len(late) < 3:
            late.append(request.turn)
            await asyncio.Event().wait()
        return SAID

    made = table(store, Own(act), foreign={"a": 0.001})
    play_run(made, episodes=1)
    row = store.trials(RUN)[0]
    assert (row.status, row.cause) == ("failed", "timeout")
    assert row.problem == (
        "a gave no reply within 0.001 s, 3 times in a row, as y up to turn 4; see --agent-timeout"
    )
    assert statuses(store)[1:] == ["played"] * 4
    before = store.events(RUN, "t0")
    play_run(made)
    assert statuses(store) == ["played"] * 5
    assert store.events(RUN, "t0")[: len(before)] == before


def test_one_that_is_busy_with_nothing_is_given_up_as_well(store: Store) -> None:
    async def act(request: Request) -> object:
        for _ in range(1_000_000):
            await asyncio.sleep(0)
        raise AssertionError("nobody stopped it")

    assert played(store, Own(act), seconds=0.001).cause == "timeout"


def test_a_generator_is_told_as_such(store: Store) -> None:
    class Yields:
        async def reply(self, request: Request, memory: Json) -> AsyncIterator[Reply]:
            yield SAID

    problem = played(store, Yields()).problem
    assert problem.endswith('found an async generator; write "return" in it instead of "yield"')


def test_an_action_that_is_malformed_names_the_agent_the_seat_and_the_turn(store: Store) -> None:
    said = Reply((Action("speak", 42),))  # type: ignore[arg-type]
    row = played(store, returning(said))
    assert (row.cause, row.problem) == (
        "plugin",
        "a as x, turn 1: expected an Action's text as str, found int; mend the player",
    )


def test_while_it_is_waited_for_it_is_known_who_where_and_at_which_turn(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    seen: list[tuple[str, ...]] = []

    async def act(request: Request) -> object:
        seen.append(made.tally.waits.clauses())
        return SAID

    made = table(store, Own(act), foreign={"a": None})
    play_run(made, episodes=1)
    assert seen[:2] == [
        ("waiting 0 s for a in task0, turn 1",),
        ("waiting 0 s for a in task0, turn 2",),
    ]
    assert made.tally.waits.clauses() == ()


def test_a_time_limit_of_its_own_is_its_own_error(store: Store) -> None:
    row = played(store, raising(TimeoutError("my server")), seconds=600)
    assert (row.status, row.cause) == ("failed", "plugin")
    assert "TimeoutError: my server" in row.problem


@pytest.mark.parametrize(
    ("memory", "found"),
    [
        ({"x": object()}, "an object at memory['x']"),
        ({"notes": [1, {"seen": {2}}]}, "a set at memory['notes'][1]['seen']"),
        ({"by": {3: "c"}}, "the key 3 (an int) at memory['by']"),
        (b"raw", "a bytes at memory"),
    ],
)
def test_a_memory_that_is_no_json_is_told_by_seat_type_and_path(
    store: Store, memory: object, found: str
) -> None:
    problem = played(store, returning(Reply(SAID.value, memory))).problem  # type: ignore[arg-type]
    assert problem.startswith("a as x, turn 1: expected a memory of JSON")
    assert problem.endswith(f"found {found}")


def test_a_memory_that_holds_itself_is_no_json() -> None:
    memory: list[object] = []
    memory.append(memory)
    assert "found more than 100 levels at memory[0][0]" in guard.memory_problem(memory)


def test_a_memory_of_json_is_kept(store: Store) -> None:
    memory: Json = {"said": ["a", 1, 2.5, True, None], "deep": {"er": []}}
    assert played(store, returning(Reply(SAID.value, memory))).status == "played"


def test_a_turn_that_awaits_nothing_for_long_is_counted(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    time = [0.0]
    monkeypatch.setattr(progress, "now", lambda: time[0])

    async def act(request: Request) -> object:
        time[0] += 0.05
        await asyncio.sleep(0)
        time[0] += 0.5 if request.turn == 2 else 0.09
        return SAID

    made = table(store, Own(act), foreign={"a": None})
    play_run(made)
    held = made.tally.waits.held_up["a"]
    assert (held.times, round(held.seconds, 3)) == (5, 2.5)
    (sentence,) = made.tally.waits.held_up_sentences()
    assert sentence.startswith("a held up all other episodes 5 times, 2.5 s in all")
    assert "asyncio.to_thread" in sentence


def test_what_it_waits_for_comes_to_it_and_so_do_errors(store: Store) -> None:
    async def act(request: Request) -> object:
        loop = asyncio.get_running_loop()
        good, bad = loop.create_future(), loop.create_future()
        loop.call_soon(good.set_result, "late")
        loop.call_soon(bad.set_exception, KeyError("x"))
        with pytest.raises(KeyError):
            await bad
        assert await good == "late"
        async with asyncio.timeout(1):
            await asyncio.gather(asyncio.sleep(0), asyncio.sleep(0))
        return SAID

    assert played(store, Own(act), seconds=5).status == "played"


def test_ours_are_not_bounded(store: Store) -> None:
    made = table(store, Speaker())
    play_run(made)
    assert statuses(store) == ["played"] * 5


# ------------------------------------------------------------------ those that go on all the same


@dataclass
class GoesOn:
    """Tries again for ever, whatever comes: a cancellation, too."""

    tries: int = 0
    two: asyncio.Event = field(default_factory=asyncio.Event)

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        while True:
            self.tries += 1
            if self.tries == 2:
                self.two.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                continue


def test_a_player_that_goes_on_in_spite_of_its_end_is_let_go(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "LAST_WORDS", 0.01)
    player = GoesOn()
    play_run(table(store, player, foreign={"a": 0.01}), episodes=5)
    assert [row.cause for row in store.trials(RUN)] == ["timeout"] * 5
    asked = 2 + 2 + 1  # two attempts of each seat, then the third in a row of the first
    assert player.tries == 5 * asked * 2


def test_a_player_that_goes_on_does_not_keep_a_run_from_being_stopped(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "LAST_WORDS", 0.01)
    player = GoesOn()

    async def stop() -> None:
        made = table(store, player, foreign={"a": None})
        running = asyncio.ensure_future(play_all(made, store.trials(RUN), 2))
        await player.two.wait()
        running.cancel()
        await running

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(asyncio.wait_for(stop(), 20))
    assert statuses(store) == ["playing"] * 2 + ["planned"] * 3


def test_its_own_time_limits_and_what_it_puts_in_order_are_its_own(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "LAST_WORDS", 0.0)
    ordered = []

    class Careful:
        async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
            for _ in range(3):
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(0.001):
                        await asyncio.Event().wait()
            await asyncio.sleep(0.005)
            ordered.append(request.turn)
            return SAID

    play_run(table(store, Careful(), foreign={"a": 5.0}))
    assert statuses(store) == ["played"] * 5
    assert len(ordered) == 20
