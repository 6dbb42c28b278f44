"""What goes wrong at the local endpoint, on purpose and repeatably."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import zip_longest
from typing import Any

import aiohttp
import pytest
from pydantic import BaseModel, Field, ValidationError

from sociolab.endpoint import ATTEMPT_HEADER, Counters, EndpointSettings, serve


class Verdict(BaseModel):
    reason: str
    score: int = Field(ge=0, le=10)


GOOD = '{"reason": "They agreed on a price.", "score": 7}'
ANSWERS_GOOD = EndpointSettings(responder=lambda _: GOOD)


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not holds():  # noqa: ASYNC110 - there is no event to wait for
            await asyncio.sleep(0.01)


def body_of(text: str) -> dict[str, Any]:
    schema = {"name": "verdict", "schema": Verdict.model_json_schema()}
    return {
        "model": "m",
        "messages": [{"role": "user", "content": text}],
        "response_format": {"type": "json_schema", "json_schema": schema},
    }


def replies(
    settings: EndpointSettings, texts: list[str], attempts: list[int] | None = None
) -> tuple[list[str], Counters]:
    """What each request gets, in a word or as it is; and the counts."""

    async def one(session: aiohttp.ClientSession, url: str, text: str, attempt: int | None) -> str:
        headers = {ATTEMPT_HEADER: str(attempt)} if attempt is not None else {}
        try:
            async with session.post(url, json=body_of(text), headers=headers) as response:
                body = await response.text()
        except aiohttp.ClientError as error:
            return type(error).__name__
        except TimeoutError:
            return "timeout"
        return f"{response.status} {response.headers.get('Retry-After', '')} {body}"

    async def main() -> tuple[list[str], Counters]:
        timeout = aiohttp.ClientTimeout(total=0.2 if settings.hang else 30)
        async with serve(settings) as endpoint, aiohttp.ClientSession(timeout=timeout) as session:
            url = endpoint.url + "/chat/completions"
            told = zip_longest(texts, attempts or [])
            got = [await one(session, url, text, attempt) for text, attempt in told]
            await until(lambda: not endpoint.counters.in_flight)
            return got, endpoint.counters

    return asyncio.run(main())


def choice_of(settings: EndpointSettings) -> dict[str, Any]:
    (got,), _ = replies(settings, ["x"])
    status, _, body = got.partition("  ")
    assert status == "200"
    choice: dict[str, Any] = json.loads(body)["choices"][0]
    return choice


def test_rate_limit_is_a_429_that_says_when_to_come_back() -> None:
    (got,), counters = replies(EndpointSettings(rate_limited=1, retry_after=0.25), ["x"])
    status, after, body = got.split(" ", 2)
    assert (status, after) == ("429", "0.25")
    assert json.loads(body)["error"]["code"] == "rate_limit_exceeded"
    assert counters.by_status == {"429": 1}
    assert counters.by_fault == {"rate_limited": 1}


def test_server_error_is_a_500_with_an_error_object() -> None:
    (got,), _ = replies(EndpointSettings(server_error=1), ["x"])
    assert got.startswith("500 ")
    assert json.loads(got[5:])["error"]["type"] == "server_error"


def test_dropped_connection_gives_no_reply(capfd: pytest.CaptureFixture[str]) -> None:
    got, counters = replies(EndpointSettings(dropped=1), ["x", "y"])
    assert set(got) <= {"ServerDisconnectedError", "ClientOSError"}
    assert counters.by_status == {"no reply": 2}
    assert capfd.readouterr() == ("", "")


def test_hanging_request_ends_when_its_client_gives_up() -> None:
    got, counters = replies(EndpointSettings(hang=1), ["x"])
    assert got == ["timeout"]
    assert counters.by_status == {"client gone": 1}
    assert counters.in_flight == 0


def test_hanging_request_does_not_keep_the_endpoint_from_stopping() -> None:
    async def main() -> type[BaseException]:
        async with aiohttp.ClientSession() as session:
            async with serve(EndpointSettings(hang=1)) as endpoint:
                url = endpoint.url + "/chat/completions"
                call = asyncio.ensure_future(session.post(url, json=body_of("x")))
                await until(lambda: endpoint.counters.in_flight == 1)
            with pytest.raises(aiohttp.ClientError) as caught:
                await call
        return caught.type

    assert issubclass(asyncio.run(main()), aiohttp.ClientError)


def test_truncated_body_ends_the_connection_in_mid_json(capfd: pytest.CaptureFixture[str]) -> None:
    (got,), counters = replies(replace(ANSWERS_GOOD, truncated_body=1), ["x"])
    assert got == "ClientPayloadError"
    assert counters.by_status == {"200": 1}
    assert capfd.readouterr() == ("", "")


def test_malformed_body_is_never_a_completion() -> None:
    got, _ = replies(EndpointSettings(malformed_body=1), [str(n) for n in range(30)])
    assert len(set(got)) == 6
    for answer in got:
        assert answer.startswith("200  ")
        try:
            body = json.loads(answer[5:])
        except (ValueError, RecursionError):
            continue
        assert not [choice for choice in body.get("choices", []) if "message" in choice]


def test_tokens_can_come_without_a_reply() -> None:
    (got,), counters = replies(replace(ANSWERS_GOOD, no_choices=1), ["x"])
    body = json.loads(got.removeprefix("200  "))
    assert body["choices"] == []
    assert body["usage"]["completion_tokens"] == 13  # of 49 characters
    assert (counters.completion_tokens, counters.by_fault) == (13, {"no_choices": 1})


@pytest.mark.parametrize(
    ("fault", "billed"),
    [
        # 49 characters are 13 tokens.
        ("dropped", 13), ("hang", 13), ("truncated_body", 13), ("malformed_body", 13),
        ("content_filter", 0), ("empty", 0), ("rate_limited", None), ("server_error", None),
    ],
)  # fmt: skip
def test_the_bill_holds_every_completion_and_no_refusal(fault: str, billed: int | None) -> None:
    rates: dict[str, Any] = {fault: 1.0}
    _, counters = replies(replace(ANSWERS_GOOD, **rates), ["x"])
    schema = json.dumps(Verdict.model_json_schema(), separators=(",", ":"))
    prompt = 0 if billed is None else -(-(len(schema) + 1) // 4)
    assert (counters.prompt_tokens, counters.completion_tokens) == (prompt, billed or 0)


def test_a_client_that_leaves_while_its_reply_is_written_is_billed() -> None:
    settings = replace(ANSWERS_GOOD, latency_ms=600_000)

    async def main() -> Counters:
        async with serve(settings) as endpoint, aiohttp.ClientSession() as session:
            url = endpoint.url + "/chat/completions"
            call = asyncio.ensure_future(session.post(url, json=body_of("x")))
            await until(lambda: endpoint.counters.completion_tokens > 0)
            call.cancel()
            await until(lambda: not endpoint.counters.in_flight)
            return endpoint.counters

    counters = asyncio.run(main())
    assert (counters.by_status, counters.completion_tokens) == ({"client gone": 1}, 13)


def test_truncated_text_says_length() -> None:
    choice = choice_of(replace(ANSWERS_GOOD, truncated_text=1))
    text = choice["message"]["content"]
    assert choice["finish_reason"] == "length"
    assert 0 < len(text) < len(GOOD)
    assert GOOD.startswith(text)


def test_content_filter_gives_no_text() -> None:
    choice = choice_of(EndpointSettings(content_filter=1))
    assert (choice["finish_reason"], choice["message"]["content"]) == ("content_filter", "")


def test_empty_reply_stops_as_if_it_were_whole() -> None:
    choice = choice_of(EndpointSettings(empty=1))
    assert (choice["finish_reason"], choice["message"]["content"]) == ("stop", "")


def test_thinking_stands_before_a_good_reply() -> None:
    text = choice_of(replace(ANSWERS_GOOD, think=1))["message"]["content"]
    assert text.startswith("<think>\n")
    assert text.partition("</think>\n\n")[2] == GOOD


def test_fence_stands_around_a_good_reply() -> None:
    text = choice_of(replace(ANSWERS_GOOD, fenced=1))["message"]["content"]
    assert f"\n```json\n{GOOD}\n```\n" in text
    assert not text.startswith("```")


def test_reply_that_ignores_the_schema_never_fits_it() -> None:
    got, _ = replies(EndpointSettings(ignores_schema=1), [str(n) for n in range(40)])
    texts = [json.loads(answer[5:])["choices"][0]["message"]["content"] for answer in got]
    ways: Counter[str] = Counter()
    for text in texts:
        with pytest.raises(ValidationError):
            Verdict.model_validate_json(text)
        if not text.startswith("{"):
            ways["prose"] += 1
        else:
            ways["out of range" if "score" in json.loads(text) else "another shape"] += 1
    assert set(ways) == {"prose", "out of range", "another shape"}


# ------------------------------------------------------------------ which, and how often


MIXED = replace(EndpointSettings.with_faults(0.5, seed=4), hang=0)


def without_usage(answers: list[str]) -> list[str]:
    """Without the cached tokens, which depend on what came before."""
    return [answer.partition('"usage"')[0] for answer in answers]


def test_two_servers_meet_the_same_requests_with_the_same_faults() -> None:
    texts = [str(n) for n in range(40)]
    first, counters = replies(MIXED, texts)
    second, again = replies(MIXED, list(reversed(texts)))
    assert without_usage(first) == without_usage(list(reversed(second)))
    assert counters.by_fault == again.by_fault
    assert len(counters.by_fault) > 5
    assert replies(replace(MIXED, seed=5), texts)[1].by_fault != counters.by_fault


def test_seen_again_draws_as_the_attempt_in_the_header_does() -> None:
    texts = [str(n) for n in range(15) for _ in range(3)]
    seen, counters = replies(MIXED, texts)
    told, told_counters = replies(MIXED, texts, [1, 2, 3] * 15)
    assert without_usage(seen) == without_usage(told)
    assert counters.retries == told_counters.retries == 30
    statuses = [answer[:3] for answer in seen]
    assert any(statuses[at] != "200" == statuses[at + 1] for at in range(0, 45, 3))


def test_first_attempt_told_again_meets_the_same_fault() -> None:
    texts = [str(n) for n in range(20)] * 2
    got, _ = replies(MIXED, texts, [1] * 40)
    assert without_usage(got[:20]) == without_usage(got[20:])
