"""What the local endpoint counts."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

import aiohttp

from sociolab.endpoint import Counters, EndpointSettings, serve


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not holds():  # noqa: ASYNC110 - there is no event to wait for
            await asyncio.sleep(0.01)


def test_counts_of_three_small_requests_by_hand() -> None:
    async def main() -> tuple[Counters, dict[str, object], Counters]:
        settings = EndpointSettings(responder=lambda body: body.messages[-1].text.upper())
        async with serve(settings) as endpoint, aiohttp.ClientSession() as session:
            for text in ("how are you", "how is he", "how are you"):
                body = {"model": "m", "messages": [{"role": "user", "content": text}]}
                async with session.post(endpoint.url + "/chat/completions", json=body) as response:
                    last = await response.json()
            assert last["usage"]["prompt_tokens_details"] == {"cached_tokens": 2}
            async with session.post(endpoint.url + "/chat/completions", json={}) as response:
                assert response.status == 400
            before = endpoint.counters
            async with session.get(endpoint.url + "/counters") as response:
                shown = await response.json()
            async with session.post(endpoint.url + "/counters/reset") as response:
                assert response.status == 200
            async with session.post(endpoint.url + "/chat/completions", json=body) as response:
                assert response.status == 200
            return before, shown, endpoint.counters

    before, shown, after = asyncio.run(main())
    assert before == Counters(
        requests=4,
        by_status={"200": 3, "400": 1},
        by_fault={},
        retries=1,  # the last is the first again
        in_flight=0,
        most_in_flight=1,
        prompt_characters=11 + 9 + 11,
        repeated_characters=0 + 4 + 11,  # "how " and all of "how are you"
        completion_characters=11 + 9 + 11,
        prompt_tokens=3 + 3 + 3,
        completion_tokens=3 + 3 + 3,
        cached_tokens=0 + 1 + 2,
    )
    assert shown == before.as_json()
    assert shown["repeated_share"] == 15 / 31
    assert Counters.from_json(json.loads(json.dumps(shown))) == before
    assert (after.requests, after.retries, after.repeated_characters) == (1, 0, 0)


def test_most_in_flight_is_the_most_at_any_time() -> None:
    tally = Counters()
    tally.record_arrival()
    tally.record_arrival()
    tally.record_end(200)
    tally.record_arrival()
    tally.record_arrival()
    tally.record_end(200)
    tally.record_end(429)
    assert (tally.in_flight, tally.most_in_flight) == (1, 3)
    assert tally.by_status == {"200": 2, "429": 1}


def test_requests_that_wait_at_the_same_time_are_in_flight_together() -> None:
    async def main() -> Counters:
        async with serve(EndpointSettings(hang=1)) as endpoint, aiohttp.ClientSession() as session:
            body = {"model": "m", "messages": [{"role": "user", "content": "x"}]}
            url = endpoint.url + "/chat/completions"
            calls = [asyncio.ensure_future(session.post(url, json=body)) for _ in range(3)]
            await until(lambda: endpoint.counters.in_flight == 3)
            for call in calls:
                call.cancel()
            await until(lambda: endpoint.counters.in_flight == 0)
            return endpoint.counters

    counters = asyncio.run(main())
    assert counters.most_in_flight == 3
    assert counters.by_status == {"client gone": 3}


def test_share_of_no_prompts_is_zero() -> None:
    assert Counters().repeated_share == 0
