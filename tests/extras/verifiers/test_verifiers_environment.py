"""verifiers' own eval client (0.4.0) plays both seats with a stub model."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from sociolab.endpoint import EndpointSettings, start_in_thread
from sociolab.endpoint.chat import ChatBody

pytest.importorskip("verifiers")
from verifiers.v1 import WireEpisode
from verifiers.v1.trace import Error
from verifiers.v1.utils.format import format_mean

from sociolab.training.verifiers import SeatsEnv

VF_EVAL = Path(sys.executable).with_name("vf-eval")
JUDGE = ("--env.judge", "python:seat_judge:LastPrice", "--env.metric", "asked")


@dataclass(frozen=True)
class Evaluation:
    """What `vf-eval` kept of the first 8 bargains, its log, and how many calls the model got."""

    episodes: list[Any]
    calls: int
    log: str

    @property
    def traces(self) -> list[Any]:
        return [trace for episode in self.episodes for trace in episode.traces]


def stub_model(chat: ChatBody, silent: str) -> str:
    """Asks for $100 if it sells and for $70 if it buys, then leaves; one player names no price."""
    system = chat.texts[0]
    if any(message.role == "assistant" for message in chat.messages):
        return '{"action": "leave", "text": ""}'
    words = "Good evening." if silent and silent in system else f"${100 if sells(system) else 70}."
    return f'{{"action": "speak", "text": "{words}"}}'


def sells(system: str) -> bool:
    return re.search(r"\bsell", system.partition("# Your social goal")[2], re.I) is not None


def start_eval(folder: Path, url: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Have verifiers' client play the first 8 bargains, where nothing but the stub is reached."""
    return subprocess.run(
        [
            *(VF_EVAL, "sociolab-verifiers", "--no-push", "--no-rich", "-n", "8"),
            *("-m", "stub", "--client.base-url", url),
            *("--client.api-key-var", "STUB_KEY", "-o", str(folder)),
            *("--env.taskset.tasks", "bargain", *options),
        ],
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path]),
            "HOME": str(folder),
            "STUB_KEY": "x",
            "HTTPS_PROXY": "http://127.0.0.1:9",  # where nothing listens
        },
        cwd=folder,
        capture_output=True,
        text=True,
    )


def evaluate(folder: Path, *options: str, silent: str = "") -> Evaluation:
    """What verifiers' client kept."""
    settings = EndpointSettings(responder=partial(stub_model, silent=silent))
    with start_in_thread(settings) as endpoint:
        done = start_eval(folder, endpoint.url, *options)
        calls = endpoint.counters.requests
    assert done.returncode == 0, done.stderr
    (kept,) = folder.rglob("traces.jsonl")
    lines = kept.read_text("utf-8").splitlines()
    episodes = [WireEpisode.model_validate_json(line) for line in lines]
    return Evaluation(episodes, calls, done.stdout + done.stderr)


@pytest.fixture(scope="module")
def all_known(tmp_path_factory: pytest.TempPathFactory) -> Evaluation:
    return evaluate(tmp_path_factory.mktemp("known"), *JUDGE, "--env.other-weight", "0.5")


@pytest.fixture(scope="module")
def one_unknown(tmp_path_factory: pytest.TempPathFactory) -> Evaluation:
    """The buyer of the canoe, in the fourth bargain, names no price."""
    return evaluate(tmp_path_factory.mktemp("unknown"), *JUDGE, silent="buy the canoe")


def test_eight_of_eight_are_played_by_two_agents_and_pushed_nowhere(all_known: Evaluation) -> None:
    assert [episode.ok for episode in all_known.episodes] == [True] * 8
    for episode in all_known.episodes:
        assert sorted(trace.agent.name for trace in episode.traces) == ["first", "second"]
    assert all_known.calls == sum(trace.num_turns for trace in all_known.traces) > 16
    assert "could not open the run" not in all_known.log
    assert "running without a platform run" not in all_known.log


def test_each_seat_has_a_chat_of_its_own_that_grows_by_what_is_new(all_known: Evaluation) -> None:
    for trace in all_known.traces:
        roles = [node.message.role for node in trace.nodes]
        assert roles[:4] == ["system", "user", "assistant", "user"]
        assert "system" not in roles[1:]
        own = "$100." if sells(trace.nodes[0].message.content) else "$70."
        assert own in trace.nodes[2].message.content
        assert own not in trace.nodes[3].message.content


def test_what_the_other_earns_counts_by_its_weight(all_known: Evaluation) -> None:
    for trace in all_known.traces:
        expected = 100 + 0.5 * 70 if sells(trace.nodes[0].message.content) else 70 + 0.5 * 100
        assert trace.reward == expected


def test_an_unknown_reward_is_left_out_of_means_and_not_trained_on(
    one_unknown: Evaluation,
) -> None:
    """8 sellers ask for 100; of 8 buyers 7 ask for 70, and the one of the canoe for nothing: a mean
    of 1290 / 15 = 86.00, where 0 for the unknown one would make it 80.62."""
    traces = one_unknown.traces
    unknown = [trace for trace in traces if not trace.ok]
    assert [(trace.rewards, trace.agent.trainable) for trace in unknown] == [({}, False)]
    assert [(error.type, error.message) for error in unknown[0].errors] == [
        ("UnknownRewardError", "own: cannot tell")
    ]
    assert format_mean(traces, lambda trace: trace.reward).split()[0] == "86.00"
    trainable = [trace for trace in traces if trace.agent.trainable]
    assert format_mean(trainable, lambda trace: trace.reward) == "86.00"


def test_a_resumed_eval_plays_an_unknown_reward_not_again(one_unknown: Evaluation) -> None:
    env = object.__new__(SeatsEnv)
    assert [env.complete(episode) for episode in one_unknown.episodes] == [True] * 8
    failed = one_unknown.episodes[0].model_copy(
        update={"errors": [Error(type="ProviderError", message="500")]}
    )
    assert not env.complete(failed)


def test_a_fixed_partner_can_play_the_second_seat(tmp_path: Path) -> None:
    found = evaluate(tmp_path, "--env.partner", "haggler:1")
    assert [episode.ok for episode in found.episodes] == [True] * 8
    assert {trace.agent.name for trace in found.traces} == {"first"}
    assert all(0 <= trace.rewards["own"].score <= 10 for trace in found.traces)


def test_the_other_weighs_nothing_where_it_is_a_partner(tmp_path: Path) -> None:
    with_both = ("--env.partner", "haggler:1", "--env.other-weight", "0.5")
    done = start_eval(tmp_path, "http://127.0.0.1:9/v1", *with_both)
    assert done.returncode != 0
    assert "other_weight: expected 0 with a partner" in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
