"""Fine-tuning jobs on record: resumed, never paid for twice."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import sociolab
from models.tuning_cases import ANIMALS, training_file, tuning
from sociolab.core.errors import ConfigError, ModelError
from sociolab.endpoint.server import start_in_thread
from sociolab.endpoint.settings import EndpointSettings
from sociolab.models import traffic
from sociolab.models.config import EndpointSpec
from sociolab.models.finetuning import (
    FineTuningClient,
    Patience,
    TunedJob,
    TuningOrder,
    read_record,
    tuned,
)

AT_ONCE = Patience(0, 60)
ORDER = TuningOrder(seed=3)
SLOW = EndpointSettings(tuning_polls=6)


class StoppedError(Exception):
    """The program ends here."""


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traffic, "LONGEST_PAUSE", 0.001)


def ignore(said: str) -> None:
    """Nobody listens."""


def stop_when_running(said: str) -> None:
    if "started" in said:
        raise StoppedError


async def tune(
    client: FineTuningClient,
    record: Path,
    *,
    order: TuningOrder = ORDER,
    content: bytes | None = None,
    tell: Callable[[str], None] = ignore,
) -> TunedJob:
    return await tuned(client, order, content or training_file(), record, AT_ONCE, tell)


# ------------------------------------------------------------------ resuming


def test_a_finished_job_needs_no_network_the_next_time(tmp_path: Path) -> None:
    record = tmp_path / "deep" / "job.json"

    async def go() -> None:
        async with tuning() as (server, client):
            first = await tune(client, record)
            assert first.tuned_model == "ft:m:local:sociolab:0001"
            assert first.trained_tokens
            polls = server.tuning.jobs["ftjob-0001"].polls
            assert await tune(client, record) == first == read_record(record)
            assert server.tuning.jobs["ftjob-0001"].polls == polls

    asyncio.run(go())
    assert os.listdir(record.parent) == ["job.json"]


def test_a_program_stopped_in_mid_watch_waits_on_for_the_same_job(tmp_path: Path) -> None:
    record = tmp_path / "job.json"

    async def go() -> None:
        async with tuning(SLOW) as (server, client):
            with pytest.raises(StoppedError):
                await tune(client, record, tell=stop_when_running)
            left = read_record(record)
            assert (left.job, left.tuned_model) == ("ftjob-0001", None)
            assert (await tune(client, record)).tuned_model == "ft:m:local:sociolab:0001"
            assert (len(server.tuning.files), len(server.tuning.jobs)) == (1, 1)

    asyncio.run(go())


def test_a_cancelled_coroutine_leaves_a_record_to_go_on_from(tmp_path: Path) -> None:
    record = tmp_path / "job.json"

    async def go() -> None:
        async with tuning(SLOW) as (server, client):
            running = asyncio.Event()
            task = asyncio.ensure_future(tune(client, record, tell=lambda said: running.set()))
            await running.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert (await tune(client, record)).tuned_model
            assert len(server.tuning.jobs) == 1

    asyncio.run(go())


CHILD = """
import asyncio, sys
from pathlib import Path
from models.tuning_cases import training_file
from sociolab.models.config import EndpointSpec
from sociolab.models.finetuning import FineTuningClient
from sociolab.models.finetuning import TuningOrder
from sociolab.models.finetuning import Patience, tuned

async def main():
    spec = EndpointSpec(name="local", base_url=sys.argv[1])
    async with FineTuningClient(spec, "m") as client:
        tell = lambda said: print(said, flush=True)
        order, record = TuningOrder(seed=3), Path(sys.argv[2])
        await tuned(client, order, training_file(), record, Patience(0.01, 600), tell)

asyncio.run(main())
"""


def test_a_program_killed_in_mid_watch_waits_on_for_the_same_job(tmp_path: Path) -> None:
    record = tmp_path / "job.json"
    places = [str(Path(sociolab.__path__[0]).parent), str(Path(__file__).parents[1])]
    with start_in_thread(EndpointSettings(tuning_polls=10**9)) as server:
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, server.url, str(record)],
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(places)},
            text=True,
        )
        assert child.stdout is not None
        with child, child.stdout:
            assert child.stdout.readline() == "Created fine-tuning job: ftjob-0001\n"
            child.kill()
        server.tuning.jobs["ftjob-0001"].move("succeeded", "done meanwhile")
        server.tuning.jobs["ftjob-0001"].tuned = "ft:m:x"

        async def go() -> TunedJob:
            async with FineTuningClient(
                EndpointSpec(name="local", base_url=server.url), "m"
            ) as client:
                return await tune(client, record)

        assert asyncio.run(go()).tuned_model == "ft:m:x"
        assert (len(server.tuning.files), len(server.tuning.jobs)) == (1, 1)


@pytest.mark.parametrize("known", ["nothing", "file"])
def test_where_the_record_was_lost_file_and_job_are_found_at_the_provider(
    tmp_path: Path, known: str
) -> None:
    record = tmp_path / "job.json"

    async def go() -> None:
        async with tuning() as (server, client):
            first = await tune(client, record)
            record.unlink()
            if known == "file":  # killed between the job's creation and the next line on record
                early = first.model_copy(
                    update={"job": None, "status": "", "tuned_model": None, "trained_tokens": None}
                )
                record.write_text(early.model_dump_json())
            assert await tune(client, record) == first
            assert (len(server.tuning.files), len(server.tuning.jobs)) == (1, 1)

    asyncio.run(go())


def test_another_file_order_or_model_is_another_job(tmp_path: Path) -> None:
    async def go() -> None:
        async with tuning() as (server, client):
            await tune(client, tmp_path / "1")
            await tune(client, tmp_path / "2", order=TuningOrder(seed=4))
            await tune(client, tmp_path / "3", order=TuningOrder(seed=3, epochs=2))
            await tune(client, tmp_path / "4", content=training_file(ANIMALS[:11]))
            spec = EndpointSpec(name="local", base_url=server.url)
            async with FineTuningClient(spec, "n") as other:
                await tune(other, tmp_path / "5")
            assert (len(server.tuning.files), len(server.tuning.jobs)) == (5, 5)

    asyncio.run(go())


# ------------------------------------------------------------------ what goes wrong


def test_a_failed_job_says_why_and_the_next_time_a_new_one_is_made(tmp_path: Path) -> None:
    record = tmp_path / "job.json"
    broken = training_file(ANIMALS[:4])

    async def go() -> None:
        async with tuning() as (server, client):
            for _number in range(2):
                with pytest.raises(ModelError, match=r"failed without one .* has 4 ex") as caught:
                    await tune(client, record, content=broken)
                assert (caught.value.cause, caught.value.fatal) == ("refused", True)
                assert read_record(record).status == "failed"
            assert (len(server.tuning.files), len(server.tuning.jobs)) == (1, 2)

    asyncio.run(go())


def test_a_job_that_succeeded_without_a_model_is_lost_and_a_new_one_is_made(tmp_path: Path) -> None:
    record = tmp_path / "job.json"

    async def go() -> None:
        async with tuning() as (server, client):
            await tune(client, record)
            server.tuning.jobs["ftjob-0001"].tuned = None
            left = read_record(record).model_copy(update={"tuned_model": None})
            record.write_text(left.model_dump_json(), "utf-8")
            assert (await tune(client, record)).job == "ftjob-0002"

    asyncio.run(go())


def test_a_cancelled_job_is_no_model_and_the_next_time_a_new_one_is_made(tmp_path: Path) -> None:
    record = tmp_path / "job.json"

    async def go() -> None:
        async with tuning() as (server, client):

            def cancel(said: str) -> None:
                job = server.tuning.jobs["ftjob-0001"]
                if job.status == "running":
                    job.move("cancelled", "somebody cancelled it")

            with pytest.raises(ModelError, match="found it cancelled without one"):
                await tune(client, record, tell=cancel)
            assert (await tune(client, record)).job == "ftjob-0002"

    asyncio.run(go())


def test_a_model_of_a_cancelled_job_is_not_taken(tmp_path: Path) -> None:
    record = tmp_path / "job.json"

    async def go() -> None:
        async with tuning() as (server, client):

            def cancel(said: str) -> None:
                server.tuning.jobs["ftjob-0001"].tuned = "ft:half-done"
                server.tuning.jobs["ftjob-0001"].status = "cancelled"

            with pytest.raises(ModelError, match="found it cancelled without one"):
                await tune(client, record, tell=cancel)
            assert read_record(record).tuned_model is None

    asyncio.run(go())


@pytest.mark.parametrize("seed", range(4))
def test_with_faults_of_all_kinds_a_model_comes_of_one_file_and_one_job(
    tmp_path: Path, seed: int
) -> None:
    async def go() -> None:
        settings = EndpointSettings.with_faults(0.5, seed=seed)
        async with tuning(settings, timeout_s=0.3, tries=30) as (server, client):
            assert (await tune(client, tmp_path / "job.json")).tuned_model
            assert (len(server.tuning.files), len(server.tuning.jobs)) == (1, 1)

    asyncio.run(go())


@pytest.mark.parametrize("content", ["", "{", "[]", '{"base_url": 3}'])
def test_a_record_that_is_none_is_refused_by_name(tmp_path: Path, content: str) -> None:
    record = tmp_path / "job.json"
    record.write_text(content)

    async def go() -> None:
        async with tuning() as (server, client):
            with pytest.raises(ConfigError, match=r"job\.json: expected the record of a fine-tun"):
                await tune(client, record)
            assert not server.tuning.files

    asyncio.run(go())


def test_a_record_of_another_job_is_refused(tmp_path: Path) -> None:
    record = tmp_path / "job.json"

    async def go() -> None:
        async with tuning() as (_, client):
            await tune(client, record)
            with pytest.raises(ConfigError, match="expected a job with the file_hash"):
                await tune(client, record, content=training_file(ANIMALS[:11]))
        async with tuning() as (_, client):
            with pytest.raises(ConfigError, match="expected a job with the base_url"):
                await tune(client, record)

    asyncio.run(go())


def test_a_record_that_cannot_be_written_is_an_error_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    async def go() -> None:
        async with tuning() as (_, client):
            with pytest.raises(ConfigError, match="cannot be written"):
                await tune(client, tmp_path / "file" / "job.json")

    asyncio.run(go())


def test_a_record_holds_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOCIOLAB_TEST_KEY", "sk-hush-hush")
    record = tmp_path / "job.json"

    async def go() -> None:
        settings = EndpointSettings(api_key="sk-hush-hush")
        async with tuning(settings, key_env="SOCIOLAB_TEST_KEY") as (_, client):
            await tune(client, record)

    asyncio.run(go())
    assert "hush" not in record.read_text()
    assert json.loads(record.read_text())["status"] == "succeeded"
