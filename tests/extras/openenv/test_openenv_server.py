"""`sociolab serve-env` in front of OpenEnv's own validation and client (openenv 0.10.0)."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

openenv = pytest.importorskip("openenv.core")
ROOT = Path(__file__).resolve().parents[3]
SERVE = (
    sys.executable,
    "-m",
    "sociolab",
    "serve-env",
    "sotopia",
    "--tasks",
    "bargain",
    "--seed",
    "1",
)
OPENENV = Path(sys.executable).with_name("openenv")
SELLER = "bargain-01-touring-bicycle"
"""Its first seat sells: worth nothing at $161 and 10 points at $276."""


@contextmanager
def served(*options: str) -> Iterator[str]:
    """The address of a server in a process of its own."""
    process = subprocess.Popen(
        [*SERVE, "--port", "0", *options], stderr=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        found = re.match(r"(http://127\.0\.0\.1:\d+) serves sotopia", line)
        assert found, line + process.stderr.read()
        yield found[1]
    finally:
        process.terminate()
        process.wait()
        process.stderr.close()


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with served("--partner", "haggler:1", "--split", "scenario:0.3") as address:
        yield address


def asked(url: str, path: str, body: object = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url + path, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def speak(text: str) -> dict[str, object]:
    return {"reply": {"action": "speak", "text": text}}


LEAVE: dict[str, object] = {"reply": json.dumps({"action": "leave", "text": ""})}


def play(url: str, *actions: dict[str, object], **reset: Any) -> list[Any]:
    """The results of a reset and of these actions, as long as the episode lasts."""

    async def playing() -> list[Any]:
        async with openenv.GenericEnvClient(base_url=url) as client:
            results = [await client.reset(**reset)]
            for action in actions:
                if not results[-1].done:
                    results.append(await client.step(action))
            return results

    return asyncio.run(playing())


def test_openenv_validates_the_server_and_the_package(url: str) -> None:
    for target in (
        ("--url", url),
        (str(ROOT / "examples" / "openenv-package"), "--level", "static"),
    ):
        done = subprocess.run([OPENENV, "validate", *target], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout.rstrip().endswith("Verdict: PASS")
        assert "FAIL" not in done.stdout


def test_what_the_client_earns_depends_on_its_price_and_is_established(url: str) -> None:
    """haggler:1 has bid up to $239 for a bicycle that it wants for $180 by its third bid."""
    earned = {}
    for price in (200, 230, 500):
        results = play(url, *[speak(f"${price}.")] * 16, task=first_task(url))
        last = results[-1]
        assert last.done
        assert last.observation["status"] == "score"
        assert last.observation["lower_bound"] == last.observation["upper_bound"]
        earned[price] = sum(result.reward for result in results[1:])
        assert earned[price] == pytest.approx(last.observation["lower_bound"])
    assert earned[200] == pytest.approx(10 * (200 - 161) / (276 - 161), abs=0.05)
    assert earned[230] == pytest.approx(10 * (230 - 161) / (276 - 161), abs=0.05)
    assert earned[500] == 0


def first_task(url: str) -> str:
    names = [
        task["id"]
        for split in ("train", "test")
        for task in asked(url, "/sotopia/tasks", {"split": split})["tasks"]
    ]
    return next(str(name) for name in names if name.startswith(SELLER))


def test_the_task_api_names_the_tasks_of_both_splits_and_reset_plays_them(url: str) -> None:
    assert asked(url, "/list_environments") == ["sotopia"]
    assert [split["name"] for split in asked(url, "/sotopia/splits")] == ["train", "test"]
    count = {s: asked(url, "/sotopia/num_tasks", {"split": s}) for s in ("train", "test")}
    assert count == {"train": {"num_tasks": 70}, "test": {"num_tasks": 30}}
    tasks = asked(url, "/sotopia/tasks", {"split": "test"})["tasks"]
    part = {"split": "test", "start": 3, "stop": 5}
    assert asked(url, "/sotopia/task_range", part)["tasks"] == tasks[3:5]
    assert asked(url, "/sotopia/task", {"split": "test", "index": 3})["task"] == tasks[3]
    scenarios = {
        split: {
            task["id"].partition(".")[0]
            for task in asked(url, "/sotopia/tasks", {"split": split})["tasks"]
        }
        for split in ("train", "test")
    }
    assert not scenarios["train"] & scenarios["test"]

    async def state() -> Any:
        async with openenv.GenericEnvClient(base_url=url) as client:
            await client.reset(split="test", index=3, episode_id="mine")
            await client.step(speak("Hello."))
            return await client.state()

    found = asyncio.run(state())
    assert (found["task"], found["split"]) == (tasks[3]["id"], "test")
    assert (found["episode_id"], found["step_count"]) == ("mine", 1)


@pytest.mark.parametrize(
    ("path", "body", "says"),
    [
        ("/sotopia/tasks", {"split": "dev"}, 'split: expected "train" or "test", found \'dev\''),
        ("/sotopia/task", {"split": "test", "index": 30}, "Invalid task index"),
        ("/sotopia/task", {"split": "test", "index": -1}, "Invalid task index"),
        ("/step", {"action": {"reply": "Hello."}}, "no episode is under way in this session"),
    ],
)
def test_a_wrong_request_is_told_what_is_wrong(url: str, path: str, body: Any, says: str) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        asked(url, path, body)
    assert refused.value.code == 400
    assert says in json.load(refused.value)["detail"]


def test_a_client_that_errs_is_told_and_can_go_on(url: str) -> None:
    async def playing() -> Any:
        async with openenv.GenericEnvClient(base_url=url) as client:
            with pytest.raises(RuntimeError, match="reset it first"):
                await client.step(LEAVE)
            with pytest.raises(RuntimeError, match='there is no task "chess"'):
                await client.reset(task="chess")
            await client.reset(task=first_task(url))
            return await client.step({"reply": "Hello."})

    unusable = asyncio.run(playing()).observation
    assert unusable["usable"] is False
    assert unusable["problem"] == 'expected a JSON object, found the text "Hello."'
    assert unusable["attempt"] == 2
    assert "expected a JSON object" in unusable["messages"][-1]["content"]


def test_a_seed_and_a_task_are_the_same_episode_again(url: str) -> None:
    actions = (speak("$250."), speak("$240."), LEAVE)
    first, again = (
        [(result.observation, result.reward) for result in play(url, *actions, seed=4, index=2)]
        for _ in range(2)
    )
    assert first == again


def test_messages_are_what_is_new_or_the_whole_prompt(url: str) -> None:
    actions = (speak("$500."), speak("$490."))
    new = [result.observation["messages"] for result in play(url, *actions, seed=1, index=0)]
    whole = [
        result.observation["messages"]
        for result in play(url, *actions, seed=1, index=0, whole=True)
    ]
    assert new[0] == whole[0]
    assert [message["role"] for message in whole[2]] == ["system", "user"]
    assert "$500." in whole[2][1]["content"]
    assert [message["role"] for message in new[2]] == ["user"]
    assert "$500." not in new[2][0]["content"]


def test_32_clients_play_at_once_without_seeing_each_other(url: str) -> None:
    task = first_task(url)

    async def one(price: int) -> float:
        async with openenv.GenericEnvClient(base_url=url) as client:
            result = await client.reset(task=task)
            while not result.done:
                result = await client.step(speak(f"${price}."))
            worth: float = result.observation["lower_bound"]
            return worth

    async def all_of_them() -> list[float]:
        return await asyncio.gather(*(one(180 + n) for n in range(32)))

    worths = asyncio.run(all_of_them())
    assert worths == pytest.approx([10 * (19 + n) / 115 for n in range(32)], abs=0.05)


def test_an_unknown_reward_is_null_with_its_bounds() -> None:
    with served("--partner", "scripted", "--judge", "none") as url:
        last = play(url, speak("Deal at $230?"), LEAVE, speak(""), speak(""), speak(""))[-1]
    assert last.done
    assert last.reward is None
    assert last.observation["status"] == "cannot tell"
    assert (last.observation["lower_bound"], last.observation["upper_bound"]) == (0, 10)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--seat", "3"), "--seat: expected a seat of every task"),
        (("--split", "half"), "expected scenario:SHARE"),
        (("--partner", "nobody"), "nobody"),
        (("--host", "192.0.2.1"), "cannot listen on 192.0.2.1"),
    ],
)
def test_wrong_options_end_it_at_once(options: tuple[str, ...], says: str) -> None:
    done = subprocess.run([*SERVE, "--port", "0", *options], capture_output=True, text=True)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr
