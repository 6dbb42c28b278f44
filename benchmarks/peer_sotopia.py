# mypy: disable-error-code="import-not-found"
"""Play public SOTOPIA tasks with the reference package, `sotopia` 0.1.5, and say what it cost.

Runs under that package's own Python, never under ours; benchmarks/README.md says how to make it.
`bench_sotopia.py peer --peer-python PATH` starts it:

    PATH benchmarks/peer_sotopia.py --profiles DIR --url http://127.0.0.1:8000/v1 --episodes 200

The last line is JSON. What would only slow the package down is left out, to its advantage: its
coloured log of every reply (`--log` lets it write), its batches with a barrier after each, Redis.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import tempfile
import time
from pathlib import Path
from typing import Any

TURNS = 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profiles", type=Path, required=True, help="folder of the public files")
    parser.add_argument("--url", required=True, help="base URL of the endpoint")
    parser.add_argument("--episodes", type=int, default=50)
    parser.add_argument("--in-flight", type=int, default=64, help="episodes, one call each")
    parser.add_argument("--log", action="store_true", help="let the package log as it is shipped")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        _settle(Path(home))
        result = play(given.profiles, given.url, given.episodes, given.in_flight, given.log)
    print(json.dumps(result))


def _settle(home: Path) -> None:
    """Before the package is imported: no Redis, nothing fetched, nothing left behind."""
    os.environ["SOTOPIA_STORAGE_BACKEND"] = "local"
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    os.environ["HOME"] = str(home)


def play(
    profiles: Path, url: str, episodes: int, in_flight: int, log: bool
) -> dict[str, float | int]:
    """Episodes of two model agents and the evaluator; CPU and wall time without the imports."""
    import logging

    import litellm
    import sotopia.generation_utils.generate  # noqa: F401  its logger is set up here
    from sotopia.database import EpisodeLog

    litellm.telemetry = False
    if not log:
        logging.getLogger("sotopia.generation").setLevel(logging.ERROR)
        logging.getLogger("LiteLLM").setLevel(logging.ERROR)
    tasks = _tasks(profiles, episodes, f"custom/structured@{url}")
    cpu, wall = _cpu(), time.perf_counter()
    # Not asyncio.run: it waits for litellm's logging task, which does not end when cancelled.
    asyncio.new_event_loop().run_until_complete(_play_all(tasks, in_flight))
    cpu, wall = _cpu() - cpu, time.perf_counter() - wall
    logs = EpisodeLog.all()
    return {
        "episodes": len(logs),
        "turns": sum(_turns(row) for row in logs),
        "judged": sum("goal" in row.reasoning for row in logs),
        "cpu": cpu,
        "wall": wall,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


async def _play_all(tasks: list[tuple[Any, list[Any]]], in_flight: int) -> None:
    from sotopia.server import arun_one_episode

    room = asyncio.Semaphore(in_flight)

    async def one(env: Any, agents: list[Any]) -> None:
        async with room:
            await arun_one_episode(env=env, agent_list=agents, tag="bench", push_to_db=True)

    await asyncio.gather(*(one(env, agents) for env, agents in tasks))


def _tasks(profiles: Path, episodes: int, model: str) -> list[tuple[Any, list[Any]]]:
    """The first public combinations, round and round, as the package wants them."""
    from sotopia.agents import LLMAgent
    from sotopia.database import AgentProfile, EnvironmentProfile, SotopiaDimensions
    from sotopia.envs import ParallelSotopiaEnv
    from sotopia.envs.evaluators import (
        EpisodeLLMEvaluator,
        EvaluationForAgents,
        RuleBasedTerminatedEvaluator,
    )

    people = {row.pop("agent_id"): row for row in _lines(profiles / "agent_profiles.jsonl")}
    scenes = {}
    for row in _lines(profiles / "environment_profiles.jsonl"):
        row["relationship"] = int(row["relationship"])
        row["agent_constraint"] = None  # "none" in the files, which the package refuses
        scenes[row.pop("env_id")] = row
    combinations = _lines(profiles / "env_agent_combo_storages.jsonl")
    tasks = []
    for number in range(episodes):
        row = combinations[number % len(combinations)]
        env = ParallelSotopiaEnv(
            env_profile=EnvironmentProfile(pk=row["env_id"], **scenes[row["env_id"]]),
            model_name=model,
            action_order="round-robin",
            evaluators=[RuleBasedTerminatedEvaluator(max_turn_number=TURNS, max_stale_turn=2)],
            terminal_evaluators=[
                EpisodeLLMEvaluator(model, EvaluationForAgents[SotopiaDimensions])
            ],
        )
        agents = [
            LLMAgent(agent_profile=AgentProfile(pk=key, **people[key]), model_name=model)
            for key in row["agent_ids"]
        ]
        tasks.append((env, agents))
    return tasks


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def _turns(log: Any) -> int:
    """Turns that somebody took: a reply that failed is a "did nothing" there."""
    return sum(
        receiver == "Environment" and sender != "Environment" and text != "did nothing"
        for turn in log.messages
        for sender, receiver, text in turn
    )


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
