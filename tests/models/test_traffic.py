"""What a client does about an endpoint's limits, slowness and failures, in virtual time."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable

import pytest

from sociolab.core import CallKey, Cause, ModelError
from sociolab.models import EndpointSpec, HttpAnswer, Limits, RetriedCall, Traffic
from sociolab.models.wire import CHAT
from virtual_time import run_in_virtual_time

Handler = Callable[[int], Awaitable[None]]
"""Serves a request, by its number from 1: returns, or raises a ModelError."""


class Simulated(Limits):
    """An endpoint whose server is a coroutine in this process."""

    def __init__(self, serve: Handler, **spec: float) -> None:
        super().__init__(EndpointSpec(name="simulated", **spec), CHAT)
        self.traffic = Traffic(self.spec, asyncio.get_running_loop().time)
        self.serve = serve
        self.requests = 0
        self.most_in_flight = 0

    async def send(
        self, call: RetriedCall, method: str, path: str, body: bytes, kind: str
    ) -> HttpAnswer:
        async def served() -> HttpAnswer:
            self.requests += 1
            self.most_in_flight = max(self.most_in_flight, self.traffic.in_flight)
            await self.serve(self.requests)
            return HttpAnswer(200, b"", {})

        return await call.send_timed("the server", served)

    async def one_call(self, trial: str = "t", turn: int = 0) -> int:
        async def attempt(call: RetriedCall) -> int:
            await self.send(call, "", "", b"", "")
            call.tokens = 40
            return call.tries

        key = CallKey(trial, "agent", "ada", turn, "act", 1)
        return await self.call(attempt, key, "m")


async def play(server: Simulated, episodes: int, turns: int) -> list[float]:
    """Episodes at once, each of so many calls in a row; when each was over."""
    loop = asyncio.get_running_loop()

    async def episode(number: int) -> float:
        for turn in range(turns):
            await server.one_call(f"trial {number}", turn)
        return loop.time()

    return await asyncio.gather(*(episode(number) for number in range(episodes)))


def limited(pause: float | None = None) -> ModelError:
    return ModelError("429", cause="rate limit", retryable=True, weather=True, pause=pause)


def broken(cause: Cause = "server error") -> ModelError:
    return ModelError("500", cause=cause, retryable=True)


class Bucket:
    """A token bucket; refusals come at once, with a pause in whole seconds as servers send it."""

    def __init__(self, a_minute: float, latency: float, *, tells: bool = True) -> None:
        self.rate, self.burst = a_minute / 60, max(1.0, a_minute / 8)
        self.tokens, self.at, self.refused = self.burst, 0.0, 0
        self.latency, self.tells = latency, tells

    async def serve(self, number: int) -> None:
        now = asyncio.get_running_loop().time()
        self.tokens = min(self.burst, self.tokens + (now - self.at) * self.rate)
        self.at = now
        if self.tokens < 1:
            self.refused += 1
            await asyncio.sleep(0.02)
            raise limited(math.ceil((1 - self.tokens) / self.rate) if self.tells else None)
        self.tokens -= 1
        await asyncio.sleep(self.latency)


@pytest.mark.parametrize("a_minute", [60, 500, 5000])
@pytest.mark.parametrize("latency", [0.05, 1.0, 12.0])
@pytest.mark.parametrize("tells", [True, False])
def test_every_episode_is_played_behind_a_limit_in_about_the_time_that_it_allows(
    a_minute: float, latency: float, tells: bool
) -> None:
    async def go() -> tuple[float, int, int]:
        bucket = Bucket(a_minute, latency, tells=tells)
        server = Simulated(bucket.serve, in_flight=32)
        ends = await play(server, 30, 24)
        return max(ends), server.requests, bucket.refused

    seconds, requests, refused = run_in_virtual_time(go())
    calls, burst = 30 * 24, max(1.0, a_minute / 8)
    fastest = max((calls - burst) / (a_minute / 60), 24 * latency, calls * latency / 32)
    assert requests - refused == calls
    assert seconds < 1.2 * fastest + 10 * latency


class Slots:
    """A server that works on so many requests at once and lets the others wait, in their order."""

    def __init__(self, slots: int, seconds: float) -> None:
        self.slots, self.seconds = asyncio.Semaphore(slots), seconds

    async def serve(self, number: int) -> None:
        async with self.slots:
            await asyncio.sleep(self.seconds)


@pytest.mark.parametrize(("slots", "seconds"), [(1, 7.0), (2, 7.0), (2, 45.0), (8, 20.0)])
def test_a_slow_server_with_few_slots_is_kept_busy_and_no_call_is_given_up(
    slots: int, seconds: float
) -> None:
    async def go() -> tuple[float, int, int]:
        server = Simulated(Slots(slots, seconds).serve, in_flight=64)
        ends = await play(server, 64, 6)
        return max(ends), server.requests, server.traffic.limit.current

    took, requests, limit = run_in_virtual_time(go())
    assert requests == 64 * 6
    assert 64 * 6 * seconds / slots / took > 0.9
    assert limit <= max(8, 2 * slots)


def test_without_a_queue_at_the_server_all_places_are_used() -> None:
    async def go() -> int:
        server = Simulated(Slots(1000, 2.0).serve, in_flight=64)
        await play(server, 100, 20)
        return server.traffic.limit.current

    assert run_in_virtual_time(go()) == 64


def test_a_server_that_becomes_slower_and_slower_is_asked_less_and_more_again_later() -> None:
    async def go() -> list[int]:
        async def serve(number: int) -> None:
            await asyncio.sleep(2.0 * max(1.0, server.traffic.in_flight / slots[-1]))

        server, slots, limits = Simulated(serve, in_flight=64), [0], []
        for count in (64, 4, 64):
            slots.append(count)
            await play(server, 100, 30)
            limits.append(server.traffic.limit.current)
        return limits

    first, crowded, last = run_in_virtual_time(go())
    assert first == 64
    assert crowded <= 16
    assert last == 64


def test_the_episode_that_came_first_goes_first_so_that_it_is_over_early() -> None:
    async def go() -> list[float]:
        return await play(Simulated(Slots(1000, 1.0).serve, in_flight=2), 8, 10)

    ends = run_in_virtual_time(go())
    assert ends == [10.0, 10.0, 20.0, 20.0, 30.0, 30.0, 40.0, 40.0]


# ---------------------------------------------------------------- time


def test_a_call_in_the_servers_queue_is_waited_for_three_times_as_long_as_usual() -> None:
    """4 slots' worth of calls at a server with one slot of 100 s: the fourth takes 400 s."""

    async def go() -> tuple[float, int]:
        server = Simulated(Slots(1, 100.0).serve, in_flight=4, timeout_s=120)
        ends = await play(server, 4, 1)
        return max(ends), server.requests

    assert run_in_virtual_time(go()) == (400.0, 4)


def test_a_server_from_which_nothing_comes_for_the_time_limit_hangs() -> None:
    async def serve(number: int) -> None:
        await asyncio.sleep(1.0 if number <= 20 else math.inf)

    async def go() -> tuple[float, str]:
        server = Simulated(serve, in_flight=1, timeout_s=120, total_s=200)
        await play(server, 1, 20)
        began = asyncio.get_running_loop().time()
        with pytest.raises(ModelError) as failure:
            await server.one_call("other", 1)
        return asyncio.get_running_loop().time() - began, failure.value.cause

    seconds, cause = run_in_virtual_time(go())
    assert cause == "timeout"
    assert seconds < 200


def test_one_call_that_hangs_beside_quick_ones_is_soon_asked_again() -> None:
    async def serve(number: int) -> None:
        await asyncio.sleep(600.0 if number == 30 else 1.0)

    async def go() -> tuple[float, int]:
        server = Simulated(serve, in_flight=2, timeout_s=120)
        return max(await play(server, 2, 20)), server.requests

    seconds, requests = run_in_virtual_time(go())
    assert requests == 41
    assert seconds < 20 + 21 + 2  # the episode's other calls, the time until it was given up


def test_a_kind_of_question_that_takes_long_is_not_cut_off_for_the_quick_ones() -> None:
    async def serve(number: int) -> None:
        await asyncio.sleep(90.0 if number > 50 else 1.0)

    async def go() -> int:
        server = Simulated(serve, in_flight=1, timeout_s=120)
        await play(server, 1, 50)
        key = CallKey("trial 0", "judge", "", 0, "paper", 1)

        async def attempt(call: RetriedCall) -> int:
            await server.send(call, "", "", b"", "")
            return call.tries

        return await server.call(attempt, key, "m")

    assert run_in_virtual_time(go()) == 1


def test_a_second_request_of_an_attempt_is_not_sent_where_it_would_be_cut_off() -> None:
    async def serve(number: int) -> None:
        await asyncio.sleep(400.0)

    async def go() -> tuple[str, int]:
        server = Simulated(serve, timeout_s=500, total_s=600)

        async def attempt(call: RetriedCall) -> None:
            await server.send(call, "", "", b"", "")
            await server.send(call, "", "", b"", "")

        with pytest.raises(ModelError) as failure:
            await server.call(attempt)
        return str(failure.value), server.requests

    message, requests = run_in_virtual_time(go())
    assert "not retried: only 200 s of total_s = 600 s are left" in message
    assert requests == 1


# ---------------------------------------------------------------- weather


def test_a_server_that_loads_for_minutes_is_waited_for_and_no_try_is_used_up() -> None:
    async def serve(number: int) -> None:
        if asyncio.get_running_loop().time() < 240:
            raise limited()

    async def go() -> int:
        return await Simulated(serve, tries=1).one_call()

    assert run_in_virtual_time(go()) == 1


@pytest.mark.parametrize("every", [0.5, 2.0])
def test_a_limit_for_25_seconds_with_short_pauses_fails_nobody(every: float) -> None:
    async def serve(number: int) -> None:
        if asyncio.get_running_loop().time() < 25:
            raise limited(every)
        await asyncio.sleep(1.0)

    async def go() -> float:
        return max(await play(Simulated(serve), 5, 4))

    assert run_in_virtual_time(go()) < 75


def test_a_pause_of_hours_stops_the_run_and_says_until_when() -> None:
    async def serve(number: int) -> None:
        raise limited(7200)

    async def go() -> tuple[ModelError, int]:
        server = Simulated(serve)
        with pytest.raises(ModelError) as failure:
            await server.one_call()
        return failure.value, server.requests

    error, requests = run_in_virtual_time(go())
    assert (error.cause, error.fatal, requests) == ("rate limit", True, 1)
    assert "asks for a pause until" in str(error)
    assert "the same command resumes it" in str(error)


def test_a_limit_that_never_lifts_stops_the_run_after_the_time_of_a_call() -> None:
    async def serve(number: int) -> None:
        raise limited(1.0)

    async def go() -> tuple[bool, float, int]:
        server = Simulated(serve, total_s=600)
        with pytest.raises(ModelError) as failure:
            await server.one_call()
        return failure.value.fatal, asyncio.get_running_loop().time(), server.requests

    fatal, seconds, requests = run_in_virtual_time(go())
    assert fatal
    assert 600 < seconds < 700
    assert requests < 32 + 5


@pytest.mark.parametrize("pause", [None, 1.0])
@pytest.mark.parametrize("total_s", [0.3, 30, 40])
def test_a_pause_of_our_own_is_not_said_to_be_what_the_server_asks_for(
    total_s: float, pause: float | None
) -> None:
    async def serve(number: int) -> None:
        raise limited(pause)

    async def go() -> tuple[str, float]:
        with pytest.raises(ModelError) as failure:
            await Simulated(serve, total_s=total_s).one_call()
        return str(failure.value), asyncio.get_running_loop().time()

    message, seconds = run_in_virtual_time(go())
    if pause is not None and pause > total_s:
        assert "asks for a pause until" in message
    else:
        assert f"took no request for {total_s:g} s" in message
        assert total_s < seconds <= 2 * total_s + 1


# ---------------------------------------------------------------- hopeless endpoints


@pytest.mark.parametrize("in_flight", [1, 8, 32])
@pytest.mark.parametrize("retryable", [True, False])
@pytest.mark.parametrize("worked_before", [True, False])
@pytest.mark.parametrize("cause", ["refused", "timeout"])
def test_an_endpoint_that_only_fails_gets_few_requests_and_stops_the_run(
    in_flight: int, retryable: bool, worked_before: bool, cause: Cause
) -> None:
    good = 40 if worked_before else 0

    async def serve(number: int) -> None:
        await asyncio.sleep(0.5)
        if number > good:
            raise ModelError("no", cause=cause, retryable=retryable)

    async def go() -> tuple[ModelError, int]:
        server = Simulated(serve, in_flight=in_flight)
        await play(server, 1, good)
        calls = {asyncio.ensure_future(server.one_call(f"t{n}")) for n in range(200)}
        while calls:  # as a run does: the first fatal error ends all
            done, calls = await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
            errors = [error for call in done if isinstance(error := call.exception(), ModelError)]
            if fatal := [error for error in errors if error.fatal]:
                for call in calls:
                    call.cancel()
                return fatal[0], server.requests - good
        raise AssertionError("nothing stopped the run")

    error, requests = run_in_virtual_time(go())
    assert in_flight < requests <= in_flight + 5
    assert error.cause == cause
    assert "the same command resumes it" in str(error)
    assert ("raise timeout_s" in str(error)) is (cause == "timeout")


def test_an_outage_of_a_minute_is_survived() -> None:
    async def serve(number: int) -> None:
        now = asyncio.get_running_loop().time()
        await asyncio.sleep(0.1)
        if 10 < now < 60:
            raise broken("connection")

    async def go() -> float:
        return max(await play(Simulated(serve, in_flight=32, tries=20), 20, 200))

    assert run_in_virtual_time(go()) < 150


def test_refusals_of_single_prompts_are_no_failures_of_the_endpoint() -> None:
    async def serve(number: int) -> None:
        raise ModelError("flagged", cause="content filter")

    async def go() -> set[bool]:
        server = Simulated(serve, in_flight=1)
        calls = (server.one_call(f"t{n}") for n in range(50))
        errors = await asyncio.gather(*calls, return_exceptions=True)
        return {error.fatal for error in errors if isinstance(error, ModelError)}

    assert run_in_virtual_time(go()) == {False}
