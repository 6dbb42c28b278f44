"""The gate before an endpoint: places in flight, and calls a minute."""

from __future__ import annotations

import asyncio
import time

from sociolab.models.limits import Gate

GAP = 0.03


async def pass_through(gate: Gate) -> float:
    async with gate:
        return time.monotonic()


def test_as_many_are_inside_as_there_are_places() -> None:
    inside, most = 0, 0

    async def stay(gate: Gate) -> None:
        nonlocal inside, most
        async with gate:
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0)
            inside -= 1

    async def go() -> None:
        gate = Gate(3)
        await asyncio.gather(*(stay(gate) for _ in range(20)))

    asyncio.run(go())
    assert most == 3


def test_calls_are_spread_over_the_minute() -> None:
    async def go() -> list[float]:
        gate = Gate(10, 60 / GAP)
        return sorted(await asyncio.gather(*(pass_through(gate) for _ in range(5))))

    times = asyncio.run(go())
    assert times[-1] - times[0] >= 4 * GAP * 0.99


def test_a_pause_is_not_made_up_for_by_a_burst() -> None:
    async def go() -> list[float]:
        gate = Gate(10, 60 / GAP)
        await pass_through(gate)
        await asyncio.sleep(4 * GAP)
        return sorted(await asyncio.gather(*(pass_through(gate) for _ in range(3))))

    times = asyncio.run(go())
    assert times[-1] - times[0] >= 2 * GAP * 0.99


def test_one_who_is_cancelled_while_it_waits_for_its_minute_gives_its_place_back() -> None:
    async def go() -> None:
        gate = Gate(1, 60 / GAP)
        await pass_through(gate)
        waiting = asyncio.ensure_future(pass_through(gate))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        async with asyncio.timeout(10):
            await pass_through(gate)

    asyncio.run(go())


def test_one_who_is_cancelled_as_its_turn_comes_hands_it_on() -> None:
    async def go() -> None:
        gate = Gate(1)
        await gate.__aenter__()
        second, third = (asyncio.ensure_future(pass_through(gate)) for _ in range(2))
        await asyncio.sleep(0)
        await gate.__aexit__(None, None, None)  # hands the place to the second,
        second.cancel()  # which is gone before it can take it
        async with asyncio.timeout(20):
            await third
        assert second.cancelled()
        async with asyncio.timeout(20):
            await pass_through(gate)

    asyncio.run(go())


def test_who_came_first_goes_first() -> None:
    order: list[int] = []

    async def enter(gate: Gate, number: int) -> None:
        async with gate:
            order.append(number)
            await asyncio.sleep(0)

    async def go() -> None:
        gate = Gate(2)
        await asyncio.gather(*(enter(gate, number) for number in range(12)))

    asyncio.run(go())
    assert order == list(range(12))
