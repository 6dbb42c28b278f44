"""Virtual DMs tuned by a provider: the training file, the job, the tuned model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fake_models import FakeModel
from sociolab.core import ConfigError, ModelError, WorldError
from sociolab.endpoint import EndpointServer as Server, EndpointSettings, serve
from sociolab.models import Endpoint, EndpointSpec, FineTuningClient, TuningOrder, traffic
from sociolab.worlds import anteval
from worlds.anteval.table_cases import TABLE, example

# ---------- training files of virtual DMs: what they hold, and what an epoch is estimated to cost


EXAMPLES = tuple(example(n, skill) for n, skill in enumerate(("stealth", "arcana", "history")))


def test_each_line_is_the_prompt_of_an_example_and_its_right_answer() -> None:
    rows = [json.loads(row) for row in anteval.training_bytes(EXAMPLES).decode().splitlines()]
    assert rows == [
        {
            "messages": [
                {"role": "system", "content": anteval.prompt_head()},
                {"role": "user", "content": anteval.prompt_body(one)},
                {"role": "assistant", "content": anteval.expected_reply(one)},
            ]
        }
        for one in EXAMPLES
    ]


def test_every_answer_reads_back_as_the_labels() -> None:
    odd = replace(
        EXAMPLES[0], turns=(anteval.Turn("T'lin", 'I say "hush"\u2028\n\ud83d and wait.'),)
    )
    examples = (*EXAMPLES, odd)
    rows = [json.loads(row)["messages"] for row in anteval.training_bytes(examples).splitlines()]
    assert len(rows) == 4
    for one, row in zip(examples, rows, strict=True):
        assert anteval.read_answer(row[-1]["content"], one, 1) == one.labels


def test_same_examples_make_the_same_bytes() -> None:
    assert anteval.training_bytes(EXAMPLES) == anteval.training_bytes(list(EXAMPLES))
    assert anteval.training_bytes(EXAMPLES) != anteval.training_bytes(EXAMPLES[::-1])


def test_no_examples_make_no_file() -> None:
    with pytest.raises(ConfigError, match="expected examples to train on, found none"):
        anteval.training_bytes(())


# --- a virtual DM that a provider fine-tunes: from examples to predictions on the local endpoint


TRAIN = tuple(example(n, anteval.SKILLS[n % 18], TABLE[n % 2]) for n in range(36))
TEST = tuple(example(n, anteval.SKILLS[n % 18], TABLE[n % 2], words=9) for n in range(36))
"""The same scenes in other words."""


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traffic, "LONGEST_PAUSE", 0.001)


@asynccontextmanager
async def table(
    folder: Path, settings: EndpointSettings | None = None, model: FakeModel | None = None
) -> AsyncIterator[tuple[Server, Endpoint, anteval.OpenAITunedDM, list[str]]]:
    """The local endpoint, a client of its models, a DM to be tuned there, and what it tells."""
    told: list[str] = []
    async with serve(settings or EndpointSettings()) as server:
        spec = EndpointSpec(name="local", base_url=server.url, timeout_s=5, tries=30)
        async with Endpoint(spec) as models, aclosing(FineTuningClient(spec, "m")) as client:
            dm = anteval.OpenAITunedDM(
                client,
                models.model if model is None else lambda name: model,
                folder,
                TuningOrder(seed=1),
                tell=told.append,
                every_s=0,
                run="r1",
            )
            yield server, models, dm, told


async def right(dm: anteval.AsyncVirtualDM, examples: tuple[anteval.Example, ...]) -> float:
    """The share of examples whose labels are predicted."""
    found = await dm.predict_async(examples)
    return sum(p == e.labels for p, e in zip(found, examples, strict=True)) / len(examples)


def test_tuning_helps(tmp_path: Path) -> None:
    async def go() -> None:
        async with table(tmp_path) as (_, models, dm, told):
            assert await right(anteval.ChatDM(models.model("m")), TEST) < 0.2
            await dm.fit_async(TRAIN)
            assert await right(dm, TEST) > 0.9
            assert not dm.failures
            assert ".jsonl: 36 examples, about " in told[0]
            assert told[1:] == [
                f"fine-tuning job ftjob-0001: {status}" for status in ("running", "succeeded")
            ]

    asyncio.run(go())


def test_a_tuned_model_reads_what_it_was_trained_on_and_nothing_else(tmp_path: Path) -> None:
    model = FakeModel(anteval.expected_reply(TRAIN[0]))

    async def go() -> None:
        async with table(tmp_path, model=model) as (_, _models, dm, _told):
            await dm.fit_async(TRAIN)
            assert await right(dm, TRAIN[:1]) == 1

    asyncio.run(go())
    [file] = tmp_path.glob("*.jsonl")
    [(prompt, key)] = model.calls
    trained = json.loads(file.read_bytes().splitlines()[0])["messages"]
    assert [(m.role, m.text) for m in prompt.messages] == [
        (m["role"], m["content"]) for m in trained[:2]
    ]
    assert prompt.schema is None
    assert key.trial == "r1/e0"


def test_training_file_and_record_lie_in_the_folder_under_one_name(tmp_path: Path) -> None:
    async def go() -> None:
        async with table(tmp_path / "tuning") as (server, _, dm, _told):
            await dm.fit_async(TRAIN)
            [file] = (tmp_path / "tuning").glob("*.jsonl")
            assert len(file.read_bytes().splitlines()) == len(TRAIN)
            assert file.with_suffix(".job.json").exists()
            [upload] = server.tuning.files.values()
            assert upload.content == file.read_bytes()
            assert upload.name == f"sociolab-{file.stem}.jsonl"

    asyncio.run(go())


def test_fitting_on_the_same_examples_again_pays_nothing_and_on_others_makes_another_job(
    tmp_path: Path,
) -> None:
    async def go() -> None:
        async with table(tmp_path) as (server, _, dm, _told):
            await dm.fit_async(TRAIN)
            await dm.fit_async(TRAIN)
            assert len(server.tuning.jobs) == 1
            await dm.fit_async(TRAIN[:20])
            assert len(server.tuning.jobs) == 2
            assert await right(dm, TEST[:20]) > 0.9
            assert await right(dm, TEST[20:]) < 0.9

    asyncio.run(go())


def test_a_dm_whose_job_failed_does_not_predict_with_the_model_before(tmp_path: Path) -> None:
    async def go() -> None:
        async with table(tmp_path) as (_, _models, dm, _told):
            await dm.fit_async(TRAIN)
            with pytest.raises(ModelError, match="has 5 example"):
                await dm.fit_async(TRAIN[:5])
            with pytest.raises(WorldError, match="tuned:m: expected a call of fit"):
                await dm.predict_async(TEST)
            assert not dm.failures

    asyncio.run(go())


def test_no_examples_are_refused_before_anything_is_sent(tmp_path: Path) -> None:
    async def go() -> None:
        async with table(tmp_path) as (server, _, dm, _told):
            with pytest.raises(ConfigError, match="expected examples to train on"):
                await dm.fit_async(())
            assert not server.tuning.files

    asyncio.run(go())


def test_replies_of_a_tuned_model_that_cannot_be_read_are_counted(tmp_path: Path) -> None:
    settings = EndpointSettings(seed=2, malformed_json=0.3, ignores_schema=0.3)

    async def go() -> None:
        async with table(tmp_path, settings) as (_, _models, dm, _told):
            await dm.fit_async(TRAIN)
            found = await dm.predict_async(TEST)
            empty = sum(not labels for labels in found)
            assert 0 < sum(dm.failures.values()) == empty < len(TEST)

    asyncio.run(go())


def test_the_tuned_model_is_opened_at_its_endpoint_whatever_the_base_is_called() -> None:
    asked: list[str] = []
    lab: Any = SimpleNamespace(
        base_url=None,
        endpoint=lambda spec, flag: (EndpointSpec(name="openai"), "a"),  # "a" is in "openai", too
        model=lambda spec, flag: asked.append(spec),
        tell=lambda step: None,
    )
    dm = anteval.DMFactory(lab, 0).kind("tuned:openai/a?temperature=0").make()
    vars(dm)["_open_model"]("ft:a:local")
    assert asked[-1] == "openai/ft:a:local?temperature=0"
