"""The client for fine-tuning against the local endpoint and odder servers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given, strategies as st

from hostile_json import bodies
from models.tuning_cases import asked_about, training_file, tuning
from sociolab.core import Cause, ConfigError, ModelError
from sociolab.endpoint import EndpointSettings, serve
from sociolab.models import (
    Endpoint,
    EndpointSpec,
    FineTuningClient,
    TuningJob,
    TuningOrder,
    traffic,
)

KEY = "sk-hush-hush/0123456789"
ORDER = TuningOrder(seed=3)
Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traffic, "LONGEST_PAUSE", 0.001)


def ignore(said: str) -> None:
    """Nobody listens."""


@asynccontextmanager
async def odd_server(handler: Handler, **spec: Any) -> AsyncIterator[FineTuningClient]:
    """A client for a server that answers as the handler likes."""
    runner = web.ServerRunner(web.Server(handler))
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        odd = EndpointSpec(name="odd", base_url=url, **spec)
        async with aclosing(FineTuningClient(odd, "m")) as client:
            yield client
    finally:
        await runner.cleanup()


async def finished(client: FineTuningClient, content: bytes) -> TuningJob:
    """A job from its file to its end."""
    file = await client.upload("train.jsonl", content)
    job = await client.create(ORDER, file.id)
    return await client.watch(job.id, ignore, 0, 30)


# ------------------------------------------------------------------ what goes well


def test_a_model_is_tuned_from_upload_to_its_first_reply() -> None:
    async def go() -> None:
        async with tuning() as (server, client):
            job = await finished(client, training_file())
            assert (job.status, job.lost) == ("succeeded", False)
            assert job.fine_tuned_model == "ft:m:local:sociolab:0001"
            assert server.tuning.jobs[job.id].settings == {
                "model": "m",
                "training_file": "file-0001",
                "suffix": "sociolab",
                "seed": 3,
            }
            async with Endpoint(EndpointSpec(name="local", base_url=server.url)) as chat:
                reply = await chat.model(job.fine_tuned_model).complete(*asked_about("fox"))
            assert reply.text == "FOX"

    asyncio.run(go())


def test_epochs_are_sent_where_they_are_set() -> None:
    async def go() -> None:
        async with tuning() as (server, client):
            file = await client.upload("train.jsonl", training_file())
            job = await client.create(TuningOrder(epochs=5), file.id)
            assert server.tuning.jobs[job.id].settings["hyperparameters"] == {"n_epochs": 5}

    asyncio.run(go())


def test_a_file_of_megabytes_arrives_byte_by_byte() -> None:
    content = '{"text": "Ünrühig \\" \u2028"}\r\n\n{"x": "--sociolab"}\n'.encode() + b"\xff\n"
    content += b"x" * 3_000_000

    async def go() -> None:
        async with tuning() as (server, client):
            file = await client.upload("odd.jsonl", content)
            assert server.tuning.files[file.id].content == content

    asyncio.run(go())


def test_each_new_status_is_told_once() -> None:
    told: list[str] = []

    async def go() -> None:
        async with tuning(EndpointSettings(tuning_polls=4)) as (_, client):
            file = await client.upload("train.jsonl", training_file())
            job = await client.create(ORDER, file.id)
            await client.watch(job.id, told.append, 0, 30)

    asyncio.run(go())
    assert told == [f"fine-tuning job ftjob-0001: {status}" for status in ("running", "succeeded")]


# ------------------------------------------------------------------ nothing twice


def test_a_job_is_found_by_its_file_and_made_again_where_it_was_lost() -> None:
    async def go() -> None:
        async with tuning() as (server, client):
            file = await client.upload("train.jsonl", training_file())
            first = await client.create(ORDER, file.id)
            assert await client.create(ORDER, file.id) == first
            server.tuning.jobs[first.id].status = "failed"
            assert (await client.create(ORDER, file.id)).id != first.id
            assert len(server.tuning.jobs) == 2

    asyncio.run(go())


@pytest.mark.parametrize(
    ("fault", "seed"),
    [
        ("dropped", 0),
        ("dropped", 1),
        ("truncated_body", 0),
        ("truncated_body", 1),
        ("malformed_body", 0),
        ("malformed_body", 1),
        ("hang", 0),
    ],
)
def test_a_reply_that_was_lost_makes_no_second_job(fault: str, seed: int) -> None:
    settings = replace(EndpointSettings(seed=seed, tuning_polls=3), **{fault: 0.5})  # type: ignore[arg-type]

    async def go() -> None:
        async with tuning(settings, timeout_s=0.2, tries=30) as (server, client):
            job = await finished(client, training_file())
            assert job.status == "succeeded"
            assert len(server.tuning.jobs) == 1
            assert server.counters.by_fault[fault] > 0

    asyncio.run(go())


# ------------------------------------------------------------------ what goes wrong


@pytest.mark.parametrize("fault", ["rate_limited", "server_error"])
def test_an_upload_is_tried_again_after_429_and_500(fault: str) -> None:
    settings = replace(EndpointSettings(seed=1), **{fault: 0.7})  # type: ignore[arg-type]

    async def go() -> None:
        async with tuning(settings, tries=50) as (server, client):
            for number in range(5):
                await client.upload(f"{number}.jsonl", training_file())
            assert len(server.tuning.files) == 5
            assert server.counters.by_fault[fault] > 0

    asyncio.run(go())


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        ("server_error", "server error"),
        ("dropped", "connection"),
        ("truncated_body", "connection"),
        ("malformed_body", "malformed reply"),
        ("hang", "timeout"),
    ],
)
def test_an_upload_that_never_works_fails_by_its_cause_after_all_tries(
    fault: str, cause: Cause
) -> None:
    settings = replace(EndpointSettings(), **{fault: 1.0})  # type: ignore[arg-type]

    async def go() -> None:
        async with tuning(settings, timeout_s=0.2, tries=3) as (_, client):
            with pytest.raises(ModelError) as caught:
                await client.upload("train.jsonl", training_file())
            assert (caught.value.cause, caught.value.tries) == (cause, 3)

    asyncio.run(go())


@given(data=st.binary() | bodies())
def test_no_bytes_do_worse_than_a_malformed_reply(data: bytes) -> None:
    async def odd(request: web.BaseRequest) -> web.StreamResponse:
        return web.Response(body=data)

    async def go() -> None:
        async with odd_server(odd, tries=1) as client:
            for request in (client.upload("x.jsonl", b"x"), client.create(ORDER, "file-1")):
                [outcome] = await asyncio.gather(request, return_exceptions=True)
                if isinstance(outcome, BaseException):
                    assert isinstance(outcome, ModelError)
                    assert (outcome.cause, outcome.retryable) == ("malformed reply", True)

    asyncio.run(go())


def test_a_job_that_does_not_end_in_time_can_be_watched_again() -> None:
    async def go() -> None:
        async with tuning() as (_, client):
            file = await client.upload("train.jsonl", training_file())
            job = await client.create(ORDER, file.id)
            with pytest.raises(ModelError, match="found it running; it continues there") as caught:
                await client.watch(job.id, ignore, 0, 0)
            assert caught.value.cause == "timeout"
            assert (await client.watch(job.id, ignore, 0, 30)).status == "succeeded"

    asyncio.run(go())


def test_an_unknown_model_and_a_server_without_fine_tuning_are_fatal() -> None:
    async def nothing(request: web.BaseRequest) -> web.StreamResponse:
        return web.Response(status=404, text="nothing here")

    async def go() -> None:
        async with tuning(EndpointSettings(models=("n",))) as (_, client):
            file = await client.upload("train.jsonl", training_file())
            with pytest.raises(ModelError, match='check the model name "m"') as caught:
                await client.create(ORDER, file.id)
            assert caught.value.fatal
        async with odd_server(nothing) as client:
            with pytest.raises(ModelError, match=r"check the model name .* and the base URL"):
                await client.create(ORDER, "f")

    asyncio.run(go())


@pytest.mark.parametrize("body", ["[]", "{}", '{"data": [{}]}', '{"data": 3}', "\xff"])
def test_an_answer_of_another_api_is_no_list_of_jobs(body: str) -> None:
    async def odd(request: web.BaseRequest) -> web.StreamResponse:
        return web.Response(text=body)

    async def go() -> None:
        async with odd_server(odd, tries=2) as client:
            with pytest.raises(ModelError, match="expected an answer of OpenAI's") as caught:
                await client.create(ORDER, "f")
            assert (caught.value.cause, caught.value.tries) == ("malformed reply", 2)

    asyncio.run(go())


def test_a_base_url_that_is_none_is_refused() -> None:
    with pytest.raises(ConfigError, match="expected a base URL"):
        FineTuningClient(EndpointSpec(name="local", base_url="localhost"), "m")


# ------------------------------------------------------------------ secrets


def test_the_key_is_sent_and_a_wrong_one_is_fatal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOCIOLAB_TEST_KEY", KEY)

    async def go() -> None:
        async with tuning(EndpointSettings(api_key=KEY), key_env="SOCIOLAB_TEST_KEY") as (
            _,
            client,
        ):
            assert (await finished(client, training_file())).status == "succeeded"
        async with tuning(EndpointSettings(api_key="x"), key_env="SOCIOLAB_TEST_KEY") as (
            _,
            client,
        ):
            with pytest.raises(ModelError) as caught:
                await client.create(ORDER, "f")
            found = caught.value
            assert (found.cause, found.fatal, found.tries) == ("credentials", True, 1)
            assert KEY not in str(caught.value)

    asyncio.run(go())


@pytest.mark.parametrize("status", [200, 400, 401, 404, 429, 500])
def test_a_server_that_repeats_the_key_does_not_get_it_into_an_error(
    status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOCIOLAB_TEST_KEY", KEY)

    async def parrot(request: web.BaseRequest) -> web.StreamResponse:
        said = request.headers["authorization"]
        return web.json_response({"error": {"message": f"found {said}"}}, status=status)

    async def go() -> None:
        async with odd_server(parrot, key_env="SOCIOLAB_TEST_KEY", tries=2, total_s=1.0) as client:
            with pytest.raises(ModelError) as caught:
                await client.upload("train.jsonl", training_file())
            assert "[secret]" in str(caught.value)
            assert KEY not in repr(caught.value)

    asyncio.run(go())


@pytest.mark.parametrize(("status", "cut"), [(200, 80), (400, 300)])
@pytest.mark.parametrize("shown", [8, 12, 20])
def test_a_key_that_is_cut_where_an_error_ends_is_not_shown_in_part(
    status: int, cut: int, shown: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOCIOLAB_TEST_KEY", KEY)

    async def parrot(request: web.BaseRequest) -> web.StreamResponse:
        return web.Response(text="." * (cut - shown) + KEY, status=status)

    async def go() -> None:
        async with odd_server(parrot, key_env="SOCIOLAB_TEST_KEY", tries=1) as client:
            with pytest.raises(ModelError) as caught:
                await client.create(ORDER, "f")
            assert KEY[:5] not in str(caught.value)

    asyncio.run(go())


def test_a_key_in_a_broken_status_line_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOCIOLAB_TEST_KEY", KEY)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(f"Bearer {KEY}\r\n\r\n".encode())
        await writer.drain()
        writer.close()

    async def go() -> None:
        async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            spec = EndpointSpec(
                name="odd",
                base_url=f"http://127.0.0.1:{port}/v1",
                key_env="SOCIOLAB_TEST_KEY",
                tries=1,
            )
            async with aclosing(FineTuningClient(spec, "m")) as client:
                with pytest.raises(ModelError) as caught:
                    await client.create(ORDER, "f")
            assert "[secret]" in str(caught.value)
            assert KEY not in str(caught.value)

    asyncio.run(go())


def test_a_reason_that_repeats_the_key_is_told_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOCIOLAB_TEST_KEY", KEY)

    async def parrot(request: web.BaseRequest) -> web.StreamResponse:
        if request.method == "GET" and request.path.endswith("/jobs"):
            return web.json_response({"data": []})
        row = {"id": "j", "filename": "x", "training_file": "f", "status": "failed"}
        return web.json_response(row | {"error": {"message": f"your {KEY}\nis odd"}})

    async def go() -> None:
        async with odd_server(parrot, key_env="SOCIOLAB_TEST_KEY") as client:
            with pytest.raises(ModelError, match=r"\(your \[secret\] is odd\)"):
                await client.tune(training_file(), tmp_path, ORDER, ignore, 0)

    asyncio.run(go())


def test_another_server_in_a_redirect_never_sees_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOCIOLAB_TEST_KEY", KEY)

    async def go() -> None:
        async with serve(EndpointSettings()) as elsewhere:

            async def away(request: web.BaseRequest) -> web.StreamResponse:
                return web.Response(status=307, headers={"location": elsewhere.url + "/files"})

            async with odd_server(away, key_env="SOCIOLAB_TEST_KEY") as client:
                with pytest.raises(ModelError, match="redirects are not followed"):
                    await client.create(ORDER, "f")

    asyncio.run(go())
