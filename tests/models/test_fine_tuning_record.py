"""Fine-tuning jobs on record: resumed, never paid for twice."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path

import pytest

import sociolab
from models.tuning_cases import ANIMALS, training_file, tuning
from sociolab.core import ConfigError, ModelError
from sociolab.endpoint import EndpointSettings, start_in_thread
from sociolab.models import EndpointSpec, FineTuningClient, TuningOrder, traffic

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
    if "running" in said:
        raise StoppedError


async def tune(
    client: FineTuningClient,
    folder: Path,
    *,
    order: TuningOrder = ORDER,
    content: bytes | None = None,
    tell: Callable[[str], None] = ignore,
) -> str:
    return await client.tune(content or training_file(), folder, order, tell, 0)


def record_in(folder: Path) -> Path:
    [record] = folder.glob("*.job.json")
    return record


def read_record(folder: Path) -> dict[str, str | None]:
    record: dict[str, str | None] = json.loads(record_in(folder).read_text())
    return record


# ------------------------------------------------------------------ resuming


def test_a_finished_job_needs_no_network_the_next_time(tmp_path: Path) -> None:
    async def go() -> None:
        async with tuning() as (server, client):
            assert await tune(client, tmp_path) == "ft:m:local:sociolab:0001"
            polls = server.tuning.jobs["ftjob-0001"].polls
            assert await tune(client, tmp_path) == "ft:m:local:sociolab:0001"
            assert server.tuning.jobs["ftjob-0001"].polls == polls
        row = {"file": "file-0001", "job": "ftjob-0001", "model": "ft:m:local:sociolab:0001"}
        assert read_record(tmp_path) == row

    asyncio.run(go())


def test_a_program_stopped_in_mid_watch_waits_on_for_the_same_job(tmp_path: Path) -> None:
    async def go() -> None:
        async with tuning(SLOW) as (server, client):
            with pytest.raises(StoppedError):
                await tune(client, tmp_path, tell=stop_when_running)
            assert read_record(tmp_path)["job"] == "ftjob-0001"
            assert await tune(client, tmp_path) == "ft:m:local:sociolab:0001"
            assert (len(server.tuning.files), len(server.tuning.jobs)) == (1, 1)

    asyncio.run(go())


CHILD = """
import asyncio, sys
from pathlib import Path
from sociolab.models.config import EndpointSpec
from sociolab.models.finetuning import FineTuningClient, TuningOrder
from models.tuning_cases import training_file

async def main():
    client = FineTuningClient(EndpointSpec(name="local", base_url=sys.argv[1]), "m")
    tell = lambda said: print(said, flush=True)
    await client.tune(training_file(), Path(sys.argv[2]), TuningOrder(seed=3), tell, 0.01)

asyncio.run(main())
"""


def test_a_program_killed_in_mid_watch_waits_on_for_the_same_job(tmp_path: Path) -> None:
    places = [str(Path(sociolab.__path__[0]).parent), str(Path(__file__).parents[1])]
    with start_in_thread(EndpointSettings(tuning_polls=10**9)) as server:
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, server.url, str(tmp_path)],
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(places)},
            text=True,
        )
        assert child.stdout is not None
        with child, child.stdout:
            assert ".jsonl: 12 examples, about " in child.stdout.readline()
            assert child.stdout.readline() == "fine-tuning job ftjob-0001: running\n"
            child.kill()
        server.tuning.jobs["ftjob-0001"].status = "succeeded"
        server.tuning.jobs["ftjob-0001"].tuned = "ft:m:x"

        async def go() -> str:
            spec = EndpointSpec(name="local", base_url=server.url)
            async with aclosing(FineTuningClient(spec, "m")) as client:
                return await tune(client, tmp_path)

        assert asyncio.run(go()) == "ft:m:x"
        assert (len(server.tuning.files), len(server.tuning.jobs)) == (1, 1)


def test_a_job_that_never_came_on_record_is_found_by_its_file(tmp_path: Path) -> None:
    async def go() -> None:
        async with tuning() as (server, client):
            first = await tune(client, tmp_path)
            record_in(tmp_path).write_text('{"file": "file-0001"}')
            assert await tune(client, tmp_path) == first
            assert (len(server.tuning.files), len(server.tuning.jobs)) == (1, 1)

    asyncio.run(go())


def test_another_file_order_or_model_is_another_job(tmp_path: Path) -> None:
    async def go() -> None:
        async with tuning() as (server, client):
            await tune(client, tmp_path)
            await tune(client, tmp_path, order=TuningOrder(seed=4))
            await tune(client, tmp_path, order=TuningOrder(seed=3, epochs=2))
            await tune(client, tmp_path, content=training_file(ANIMALS[:11]))
            spec = EndpointSpec(name="local", base_url=server.url)
            async with aclosing(FineTuningClient(spec, "n")) as other:
                await tune(other, tmp_path)
            assert (len(server.tuning.files), len(server.tuning.jobs)) == (5, 5)

    asyncio.run(go())


# ------------------------------------------------------------------ what goes wrong


def test_a_failed_job_says_why_and_the_next_time_a_new_one_is_made(tmp_path: Path) -> None:
    broken = training_file(ANIMALS[:4])

    async def go() -> None:
        async with tuning() as (server, client):
            for _number in range(2):
                with pytest.raises(ModelError, match=r"failed without one .* has 4 ex") as caught:
                    await tune(client, tmp_path, content=broken)
                assert (caught.value.cause, caught.value.fatal) == ("refused", True)
                assert read_record(tmp_path)["model"] is None
            assert (len(server.tuning.files), len(server.tuning.jobs)) == (1, 2)

    asyncio.run(go())


@pytest.mark.parametrize("status", ["succeeded", "cancelled"])
def test_a_job_without_a_model_is_lost_and_a_new_one_is_made(tmp_path: Path, status: str) -> None:
    async def go() -> None:
        async with tuning(SLOW) as (server, client):

            def end(said: str) -> None:
                if "running" in said:
                    server.tuning.jobs["ftjob-0001"].status = status  # type: ignore[assignment]

            with pytest.raises(ModelError, match=f"found it {status} without one"):
                await tune(client, tmp_path, tell=end)
            assert await tune(client, tmp_path) == "ft:m:local:sociolab:0002"

    asyncio.run(go())


@pytest.mark.parametrize("seed", range(4))
def test_with_faults_of_all_kinds_a_model_comes_of_one_job(tmp_path: Path, seed: int) -> None:
    async def go() -> None:
        settings = EndpointSettings.with_faults(0.5, seed=seed)
        async with tuning(settings, timeout_s=0.3, tries=30) as (server, client):
            assert await tune(client, tmp_path)
            assert len(server.tuning.jobs) == 1

    asyncio.run(go())


@pytest.mark.parametrize("content", ["", "{", "[]", '{"base_url": 3}'])
def test_a_record_that_is_none_is_refused_by_name(tmp_path: Path, content: str) -> None:
    async def go() -> None:
        async with tuning() as (server, client):
            await tune(client, tmp_path)
            record_in(tmp_path).write_text(content)
            with pytest.raises(ConfigError, match=r"job\.json: expected the record of a fine-tun"):
                await tune(client, tmp_path)
            assert len(server.tuning.files) == 1

    asyncio.run(go())


def test_a_folder_that_cannot_be_written_is_an_error_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    async def go() -> None:
        async with tuning() as (server, client):
            with pytest.raises(ConfigError, match=r"file/.*\.jsonl: the files of .* be written"):
                await tune(client, tmp_path / "file")
            assert not server.tuning.files

    asyncio.run(go())


def test_a_record_holds_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOCIOLAB_TEST_KEY", "sk-hush-hush")

    async def go() -> None:
        settings = EndpointSettings(api_key="sk-hush-hush")
        async with tuning(settings, key_env="SOCIOLAB_TEST_KEY") as (_, client):
            await tune(client, tmp_path)

    asyncio.run(go())
    assert "hush" not in record_in(tmp_path).read_text()
