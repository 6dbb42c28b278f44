"""The local endpoint over HTTP: training files, fine-tuning jobs, tuned models."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
import pytest

from models.tuning_cases import ANIMALS, training_file
from sociolab.core import ConfigError
from sociolab.endpoint import (
    EndpointServer,
    EndpointSettings,
    serve,
    settings_as_json,
    settings_from_json,
)

Ask = Callable[..., Awaitable[tuple[int, Any]]]


def with_endpoint(
    work: Callable[[Ask, EndpointServer], Awaitable[None]], settings: EndpointSettings | None = None
) -> None:
    """Run the work with a function that asks a fresh endpoint."""

    async def main() -> None:
        async with serve(settings or EndpointSettings()) as server, aiohttp.ClientSession() as http:

            async def ask(method: str, path: str, **more: Any) -> tuple[int, Any]:
                async with http.request(method, server.url + path, **more) as response:
                    return response.status, await response.json()

            await work(ask, server)

    asyncio.run(main())


def form(content: bytes, name: str = "train.jsonl", purpose: str = "fine-tune") -> aiohttp.FormData:
    data = aiohttp.FormData()
    data.add_field("purpose", purpose)
    data.add_field("file", content, filename=name, content_type="application/octet-stream")
    return data


async def job_for(ask: Ask, content: bytes, **more: Any) -> dict[str, Any]:
    """A job for a file that is uploaded for it."""
    _, file = await ask("POST", "/files", data=form(content))
    _, job = await ask(
        "POST", "/fine_tuning/jobs", json={"model": "m", "training_file": file["id"], **more}
    )
    assert isinstance(job, dict)
    return job


async def finished(ask: Ask, content: bytes, **more: Any) -> dict[str, Any]:
    """The same, and asked for until it has ended."""
    job = await job_for(ask, content, **more)
    while job["status"] in ("queued", "running"):
        _, job = await ask("GET", f"/fine_tuning/jobs/{job['id']}")
    return job


def question(animal: str, model: str) -> dict[str, Any]:
    return {"model": model, "messages": [{"role": "user", "content": f"What is a {animal}?"}]}


def spoken(body: Any) -> str:
    return str(body["choices"][0]["message"]["content"])


# ------------------------------------------------------------------ files


def test_an_uploaded_file_arrives_byte_by_byte() -> None:
    content = training_file() + '{"häßlich": "\u2028 \x0b"}\r\n'.encode()

    async def work(ask: Ask, server: EndpointServer) -> None:
        status, file = await ask("POST", "/files", data=form(content))
        assert (status, file["bytes"], file["filename"]) == (200, len(content), "train.jsonl")
        assert server.tuning.files[file["id"]].content == content

    with_endpoint(work)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (form(training_file(), name="train.csv"), "Must be a .jsonl file"),
        (form(b"  \n"), "File is empty"),
        (form(training_file(), purpose="assistants"), "'purpose' must be fine-tune"),
        (b"no form at all", "Expected a multipart form"),
    ],
)
def test_an_upload_that_is_none_is_refused(data: Any, problem: str) -> None:
    async def work(ask: Ask, server: EndpointServer) -> None:
        status, body = await ask("POST", "/files", data=data)
        assert status == 400
        assert problem in body["error"]["message"]
        assert not server.tuning.files

    with_endpoint(work)


# ------------------------------------------------------------------ jobs


def test_a_job_is_queued_then_running_then_done_after_the_polls_that_are_set() -> None:
    async def work(ask: Ask, server: EndpointServer) -> None:
        job = await job_for(ask, training_file(), suffix="zoo", seed=7)
        seen = [job["status"]]
        for _poll in range(3):
            _, job = await ask("GET", f"/fine_tuning/jobs/{job['id']}")
            seen.append(job["status"])
        assert seen == ["queued", "running", "running", "succeeded"]
        assert job["fine_tuned_model"] == "ft:m:local:zoo:0001"
        assert job["error"] is None

    with_endpoint(work, EndpointSettings(tuning_polls=3))


def test_the_latest_job_is_listed_first() -> None:
    async def work(ask: Ask, server: EndpointServer) -> None:
        made = [(await job_for(ask, training_file()))["id"] for _ in range(3)]
        _, page = await ask("GET", "/fine_tuning/jobs?limit=100")
        assert [row["id"] for row in page["data"]] == made[::-1]

    with_endpoint(work)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (training_file() + b"{broken\n", "Example 13 is not in the chat format"),
        (b'{"prompt":"a","completion":"b"}\n' * 12, "Example 1 is not in the chat format"),
        (training_file().replace(b'"system"', b'"wizard"'), "Example 1 is not in the chat format"),
        (training_file().replace(b'"assistant"', b'"user"'), "Example 1 is not in the chat format"),
        (b'{"messages":[]}\n' * 12, "Example 1 is not in the chat format"),
        (training_file(ANIMALS[:9]), "has 9 example(s), but must have at least 10 examples"),
    ],
)
def test_a_broken_training_file_fails_the_job_and_says_why(content: bytes, problem: str) -> None:
    async def work(ask: Ask, server: EndpointServer) -> None:
        job = await finished(ask, content)
        assert (job["status"], job["fine_tuned_model"]) == ("failed", None)
        assert job["error"]["code"] == "invalid_training_file"
        assert problem in job["error"]["message"]

    with_endpoint(work)


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/fine_tuning/jobs", {"training_file": "file-0001"}, 400),
        ("POST", "/fine_tuning/jobs", {"model": "m"}, 400),
        ("POST", "/fine_tuning/jobs", {"model": "m", "training_file": "file-9"}, 400),
        ("POST", "/fine_tuning/jobs", ["m"], 400),
        ("POST", "/fine_tuning/jobs", {"model": "n", "training_file": "file-0001"}, 404),
        ("GET", "/fine_tuning/jobs/ftjob-9", None, 404),
        ("GET", "/fine_tuning/jobs/ftjob-9/events", None, 404),
        ("DELETE", "/files", None, 405),
        ("GET", "/fine_tuning", None, 404),
    ],
)
def test_what_is_not_there_or_not_whole_is_refused(
    method: str, path: str, body: Any, status: int
) -> None:
    async def work(ask: Ask, server: EndpointServer) -> None:
        await ask("POST", "/files", data=form(training_file()))
        got, answer = await ask(method, path, json=body)
        assert got == status
        assert answer["error"]["message"]

    with_endpoint(work, EndpointSettings(models=("m",)))


# ------------------------------------------------------------------ tuned models


def test_a_tuned_model_answers_as_the_most_similar_example_does() -> None:
    async def work(ask: Ask, server: EndpointServer) -> None:
        tuned = (await finished(ask, training_file()))["fine_tuned_model"]
        for animal in ANIMALS:
            _, body = await ask("POST", "/chat/completions", json=question(animal, tuned))
            assert spoken(body) == animal.upper()
            _, body = await ask("POST", "/chat/completions", json=question(animal, "m"))
            assert animal.upper() not in spoken(body)

    with_endpoint(work)


def test_a_tuned_model_exists_beside_the_models_of_the_settings_once_its_job_is_done() -> None:
    async def work(ask: Ask, server: EndpointServer) -> None:
        early = question("cat", "ft:m:local::0001")
        assert (await ask("POST", "/chat/completions", json=early))[0] == 404
        tuned = (await finished(ask, training_file()))["fine_tuned_model"]
        assert (await ask("POST", "/chat/completions", json=early))[0] == 200
        assert [row["id"] for row in (await ask("GET", "/models"))[1]["data"]] == ["m", tuned]
        assert (await ask("GET", f"/models/{tuned}"))[0] == 200

    with_endpoint(work, EndpointSettings(models=("m",)))


def test_faults_of_texts_befall_a_tuned_model_as_any_other() -> None:
    async def work(ask: Ask, server: EndpointServer) -> None:
        tuned = (await finished(ask, training_file()))["fine_tuned_model"]
        _, body = await ask("POST", "/chat/completions", json=question("cat", tuned))
        assert body["choices"][0]["finish_reason"] == "content_filter"

    with_endpoint(work, EndpointSettings(content_filter=1))


# ------------------------------------------------------------------ faults, keys, settings


def test_a_full_rate_limit_and_a_server_in_trouble_leave_nothing_behind() -> None:
    async def work(ask: Ask, server: EndpointServer) -> None:
        status, _ = await ask("POST", "/files", data=form(training_file()))
        assert status in (429, 500)
        assert not server.tuning.files

    with_endpoint(work, EndpointSettings(rate_limited=1))
    with_endpoint(work, EndpointSettings(server_error=1))


def test_a_dropped_reply_comes_after_the_deed() -> None:
    async def work(ask: Ask, server: EndpointServer) -> None:
        with pytest.raises(aiohttp.ClientError):
            await ask("POST", "/files", data=form(training_file()))
        assert len(server.tuning.files) == 1
        assert server.counters.by_fault == {"dropped": 1}

    with_endpoint(work, EndpointSettings(dropped=1))


@pytest.mark.parametrize("path", ["/fine_tuning/jobs", "/fine_tuning/jobs/x"])
def test_a_key_is_asked_for(path: str) -> None:
    async def work(ask: Ask, server: EndpointServer) -> None:
        assert (await ask("GET", path))[0] == 401
        right = {"authorization": "Bearer open sesame"}
        assert (await ask("GET", path, headers=right))[0] in (200, 404)

    with_endpoint(work, EndpointSettings(api_key="open sesame"))


def test_calls_about_tuning_are_not_counted_among_chat_requests() -> None:
    async def work(ask: Ask, server: EndpointServer) -> None:
        await finished(ask, training_file())
        assert server.counters.requests == 0
        server.reset()
        assert len(server.tuning.jobs) == 1

    with_endpoint(work)


def test_number_of_polls_is_a_setting_of_one_or_more() -> None:
    settings = EndpointSettings(tuning_polls=5)
    assert settings_from_json(settings_as_json(settings)) == settings
    with pytest.raises(ConfigError, match="tuning_polls must be 1 or more"):
        EndpointSettings(tuning_polls=0)
    assert json.loads(settings_as_json(EndpointSettings()))["tuning_polls"] == 2
