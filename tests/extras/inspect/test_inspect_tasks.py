"""Inspect's own command line (0.3.285) plays, kills, retries and shows the worlds."""

from __future__ import annotations

import json
import math
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sociolab import RunConfig, run
from sociolab.endpoint import EndpointSettings, start_in_thread
from sociolab.endpoint.chat import ChatBody
from sociolab.endpoint.replies import Replies
from sociolab.store import Store, open_store

pytest.importorskip("inspect_ai")
from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalLog,
    EvalSample,
    EvalSpec,
    read_eval_log,
    write_eval_log,
)
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
)

HERE = Path(__file__).parent
INSPECT = Path(sys.executable).with_name("inspect")
EXAMPLES = HERE.parents[2] / "docs" / "examples"
GRADES = Replies(EndpointSettings())
SHORT = ("-T", "settings=turns=2,closing_question=false")


def environment(folder: Path, url: str = "http://127.0.0.1:9/v1") -> dict[str, str]:
    """Nothing is reached but the endpoint: port 9 is where nothing listens."""
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join([str(HERE), str(EXAMPLES), *filter(None, sys.path)]),
        "HOME": str(folder),
        "INSPECT_DISPLAY": "plain",
        "SOCIOLAB_STORE": str(folder / "lab.db"),
        "OPENAI_API_KEY": "x",
        "OPENAI_BASE_URL": url,
        "HTTPS_PROXY": "http://127.0.0.1:9",
        "HTTP_PROXY": "http://127.0.0.1:9",
        "NO_PROXY": "127.0.0.1",
    }


def start(folder: Path, *words: str, url: str = "http://127.0.0.1:9/v1") -> subprocess.Popen[str]:
    return subprocess.Popen(
        [str(INSPECT), *words, "--log-dir", "logs"],
        cwd=folder,
        env=environment(folder, url),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def inspect(folder: Path, *words: str, url: str = "http://127.0.0.1:9/v1") -> str:
    """What a command of Inspect prints."""
    process = start(folder, *words, url=url)
    said, _ = process.communicate()
    assert process.returncode == 0, said
    return said


def sociolab(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "sociolab", *words],
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
    )


def latest_log(folder: Path) -> EvalLog:
    path = max((folder / "logs").glob("*.eval"), key=lambda each: each.stat().st_mtime_ns)
    return read_eval_log(str(path))


def evaluate(folder: Path, task: str, *words: str, url: str = "http://127.0.0.1:9/v1") -> EvalLog:
    inspect(folder, "eval", f"sociolab/{task}", *words, url=url)
    return latest_log(folder)


def values_by_episode(log: EvalLog) -> dict[str, dict[str, Any]]:
    """By trial, then by metric as `sociolab run` calls it, the value of each seat."""
    found: dict[str, dict[str, Any]] = {}
    for sample in log.samples or ():
        scores = found[sample.store["sociolab"]["trial"]["id"]] = {}
        for name, score in (sample.scores or {}).items():
            if score.metadata and "values" in score.metadata:
                metric = re.sub(r"^\w+: | \(.*\)$", "", name)
                judge = score.metadata["judge"]
                scores[f"{judge}, {metric}"] = score.metadata["values"]
    return found


def stored_values(store: Store, name: str) -> dict[str, dict[str, Any]]:
    from sociolab.core.score import Score, Unscored, judge_title

    found: dict[str, dict[str, Any]] = {row.trial.id: {} for row in store.trials(name)}
    for row in store.verdicts.judgings(name):
        judge = judge_title(row.judge.label, row.judge.method)
        for verdict in row.verdicts:
            if isinstance(verdict, Unscored) and verdict.kind == "not applicable":
                continue
            values = found[str(row.trial)].setdefault(f"{judge}, {verdict.measure.name}", {})
            value = verdict.value if isinstance(verdict, Score) else None
            values[verdict.seat or "episode"] = value
    return found


@pytest.mark.parametrize(
    ("world", "options"),
    [
        ("sotopia", {"tasks": "bargain", "limit": 6, "partner": "haggler:1", "seed": 3}),
        ("anteval-information", {"limit": 2, "seed": 3}),
        ("stss-talk", {"limit": 3}),
    ],
)
def test_same_seeds_and_scripted_seats_give_the_scores_of_a_run(
    tmp_path: Path, world: str, options: dict[str, Any]
) -> None:
    """To the last digit, in every episode, and in a second epoch as in a second repeat."""
    store = tmp_path / "lab.db"
    run(RunConfig(world=world, name="same", repeats=2, store=store, **options))
    given = [part for name, value in options.items() for part in ("-T", f"{name}={value}")]
    log = evaluate(
        tmp_path, world.replace("-", "_"), "--model", "mockllm/model", "-T", "agent=scripted",
        "--epochs", "2", *given,
    )  # fmt: skip
    with open_store(store) as opened:
        expected = stored_values(opened, "same")
    assert values_by_episode(log) == expected
    assert log.eval.tags == ["smoke test"]
    assert len(expected) == len(log.samples or ()) > 2


def probes(chat: ChatBody) -> bool:
    """Whether Inspect only tries out, before the first call, what a model of OpenAI takes."""
    return len(chat.texts) == 1


def stub(chat: ChatBody, silent: str = "") -> str:
    """Asks for $100 if it sells and for $70 if it buys; one player names no price."""
    system = chat.texts[0]
    sells = re.search(r"\bsell", system.partition("# Your social goal")[2], re.I)
    words = "Good evening." if silent and silent in system else f"${100 if sells else 70}."
    return json.dumps({"action": "speak", "text": words})


def test_an_unknown_value_is_nan_and_counts_in_the_coverage_alone(tmp_path: Path) -> None:
    """4 sellers ask for 100; of 4 buyers 3 ask for 70, and the one of the canoe for nothing: a mean
    of 610/7. The deviations of three scenarios add up to 170 - 1220/7 = -30/7 each, those of the
    canoe's to 100 - 610/7 = 90/7: the clustered standard error is the root of
    (3 * 900 + 8100) / 49 * 4/3, divided by 7, which is 120/49."""
    settings = EndpointSettings(responder=lambda chat: stub(chat, "buy the canoe"))
    with start_in_thread(settings) as endpoint:
        log = evaluate(
            tmp_path, "sotopia", "--model", "openai/stub", *SHORT, "-T", "tasks=bargain",
            "-T", "limit=4", "-T", "partner=scripted", "-T", "judge=python:price_judge:FirstPrice",
            url=endpoint.url,
        )  # fmt: skip
    assert log.results is not None
    rows = {row.name: row for row in log.results.scores}
    asked, coverage = rows["asked"], rows["coverage"].metrics
    assert (asked.scored_samples, asked.unscored_samples) == (7, 1)
    assert asked.metrics["mean"].value == pytest.approx(610 / 7, rel=1e-12)
    assert asked.metrics["stderr"].value == pytest.approx(120 / 49, rel=1e-12)
    assert coverage["asked"].value == 7 / 8
    unknown = [
        sample.scores["asked"].explanation
        for sample in log.samples or ()
        if sample.scores and math.isnan(sample.scores["asked"].as_float())
    ]
    assert [re.sub(r"\*\*.*\*\*", "X", str(text)) for text in unknown] == [
        "X: unknown (cannot tell): it never names a price"
    ]


def test_roles_play_and_judge_and_are_counted_apart(tmp_path: Path) -> None:
    """Two turns: the model takes one, the partner one, and the judge is asked once. A temperature
    of the eval is the model's alone, as in Inspect."""
    called: list[str] = []
    temperatures: dict[str, float] = {}

    def respond(chat: ChatBody) -> str:
        if not probes(chat):
            called.append(chat.model)
            temperatures[chat.model] = chat.fields["temperature"]
        return GRADES.valid(chat) if chat.model == "grader" else stub(chat)

    with start_in_thread(EndpointSettings(responder=respond)) as endpoint:
        log = evaluate(
            tmp_path, "sotopia", "--model", "openai/stub", "--model-role", "partner=openai/other",
            "--model-role", "judge=openai/grader", *SHORT, "-T", "tasks=bargain", "-T", "limit=1",
            "--temperature", "0.3", url=endpoint.url,
        )  # fmt: skip
    assert temperatures == {"stub": 0.3, "other": 1.0, "grader": 0.0}
    assert sorted(log.stats.role_usage) == ["judge", "partner"]
    assert sorted(log.stats.model_usage) == ["openai/grader", "openai/other", "openai/stub"]
    assert (called.count("stub"), called.count("other"), called.count("grader")) == (2, 2, 2)
    for sample in log.samples or ():
        roles = [message.role for message in sample.messages]
        assert sorted(roles) == ["assistant", "system", "user"]
        own = next(m for m in sample.messages if m.role == "assistant")
        assert own.metadata is not None
        assert sample.metadata["cast"][own.metadata["seat"]] == "inspect/model"
        assert own.text.startswith(f"{own.metadata['name']}: $")


KILLED_AT = {"at the first call": 1, "in an episode": 2, "while it is judged": 3,
             "in the next episode": 5, "while the last is judged": 12}  # fmt: skip


@pytest.mark.parametrize("call", KILLED_AT.values(), ids=KILLED_AT.keys())
def test_a_killed_eval_is_completed_by_a_retry_offline(tmp_path: Path, call: int) -> None:
    """4 samples of 3 calls each: the agent's, the partner's and the judge's. No tokenizer, nor
    anything else, can be downloaded."""
    seen: list[str] = []
    running: list[subprocess.Popen[str]] = []

    def respond(chat: ChatBody) -> str:
        seen.extend([] if probes(chat) else [chat.model])
        if len(seen) == call and not probes(chat):
            running[0].send_signal(signal.SIGKILL)
        return GRADES.valid(chat) if chat.model == "grader" else stub(chat)

    one_at_a_time = ("--max-samples", "1", "--max-connections", "1")
    with start_in_thread(EndpointSettings(responder=respond)) as endpoint:
        process = start(
            tmp_path, "eval", "sociolab/sotopia", "--model", "openai/stub", *SHORT,
            "--model-role", "partner=openai/other", "--model-role", "judge=openai/grader",
            "-T", "tasks=bargain", "-T", "limit=2", *one_at_a_time, url=endpoint.url,
        )  # fmt: skip
        running.append(process)
        said, _ = process.communicate()
        assert process.returncode == -signal.SIGKILL, said
        (log,) = (tmp_path / "logs").glob("*.eval")
        inspect(tmp_path, "eval-retry", str(log), url=endpoint.url)
    done = latest_log(tmp_path)
    assert done.status == "success"
    assert done.results is not None
    assert (done.results.total_samples, done.results.completed_samples) == (4, 4)
    assert all("overall" in (sample.scores or {}) for sample in done.samples or ())
    assert sorted(done.stats.role_usage) == ["judge", "partner"]


def test_an_agent_of_inspect_takes_a_seat(tmp_path: Path) -> None:
    """The example asks its model twice for each turn: for a note, then for the turn."""
    prompts: list[str] = []

    def respond(chat: ChatBody) -> str:
        prompts.extend([] if probes(chat) else [chat.texts[-1]])
        return "They want the bicycle." if "no JSON yet" in chat.texts[-1] else stub(chat)

    with start_in_thread(EndpointSettings(responder=respond)) as endpoint:
        log = evaluate(
            tmp_path, "sotopia", "--model", "openai/stub", *SHORT, "-T", "tasks=bargain",
            "-T", "limit=1", "-T", "agent=inspect/inspect_agent:thinks_first",
            "-T", "partner=scripted", "-T", "judge=python:price_judge:FirstPrice",
            url=endpoint.url,
        )  # fmt: skip
    assert [score.as_float() for s in log.samples or () if (score := (s.scores or {})["asked"])]
    assert len(prompts) == 4
    assert all("They want the bicycle." in prompt for prompt in prompts[1::2])


def test_a_limit_of_a_sample_ends_it_as_inspect_does(tmp_path: Path) -> None:
    with start_in_thread(EndpointSettings(responder=stub)) as endpoint:
        log = evaluate(
            tmp_path, "sotopia", "--model", "openai/stub", "-T", "tasks=bargain", "-T", "limit=1",
            "-T", "partner=scripted", "-T", "judge=heuristic", "--token-limit", "1",
            url=endpoint.url,
        )  # fmt: skip
    for sample in log.samples or ():
        assert sample.limit is not None
        assert sample.limit.type == "token"
        assert (sample.scores or {})["coverage"].value == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "models that play need a judge: --model-role judge=MODEL, or -T judge=SPEC"),
        (("-T", "agent=nobody"), 'there is no agent called "nobody"'),
        (("-T", "agent=scripted", "-T", "settings=chess=1"), 'sotopia has no setting "chess"'),
        (("-T", "agent=scripted", "-T", "settings=turns"), "expected NAME=VALUE, found"),
    ],
)
def test_a_wrong_option_is_one_sentence(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    process = start(tmp_path, "eval", "sociolab/sotopia", "--model", "mockllm/model", *words)
    output, _ = process.communicate()
    assert process.returncode != 0
    assert said in " ".join(output.split())
    assert "Traceback" not in output


def test_a_run_becomes_a_log_that_inspect_shows_and_comes_back_whole(tmp_path: Path) -> None:
    store = tmp_path / "lab.db"
    run(RunConfig(tasks="bargain", limit=3, partner="haggler:2", name="first", store=store))
    done = sociolab(tmp_path, "export", "first", "logs/first.eval", "--as", "inspect")
    assert done.returncode == 2
    assert "there is no folder logs" in done.stderr
    (tmp_path / "logs").mkdir()
    done = sociolab(tmp_path, "export", "first", "logs/first.eval", "--as", "inspect")
    assert done.returncode == 0, done.stderr
    log = latest_log(tmp_path)
    assert (log.eval.model, log.eval.task) == ("scripted", "sociolab/sotopia")
    assert log.eval.tags == ["smoke test"]
    with open_store(store) as opened:
        assert values_by_episode(log) == stored_values(opened, "first")
    inspect(tmp_path, "view", "bundle", "--output-dir", "shown")
    assert (tmp_path / "shown" / "index.html").is_file()

    done = sociolab(tmp_path, "import", "inspect", "logs/first.eval", "--name", "back")
    assert done.returncode == 0, done.stderr
    with open_store(store) as opened:
        for row in opened.trials("first"):
            trial = row.trial.id
            assert opened.events("back", trial) == opened.events("first", trial)
        first, back = (
            sorted(opened.verdicts.judgings(name), key=lambda row: (row.trial, row.judge.label))
            for name in ("first", "back")
        )
        assert first == back


def test_a_log_of_an_eval_becomes_a_run(tmp_path: Path) -> None:
    log = evaluate(
        tmp_path, "anteval", "--model", "mockllm/model", "-T", "agent=scripted", "-T", "limit=1"
    )
    worlds = {sample.metadata["world"] for sample in log.samples or ()}
    assert len(worlds) == 3
    (path,) = (tmp_path / "logs").glob("*.eval")
    refused = sociolab(tmp_path, "import", "inspect", str(path), "--name", "all")
    assert refused.returncode == 2
    assert "information and anteval-intention; evaluate each by itself" in refused.stderr
    log = evaluate(
        tmp_path, "anteval_intention", "--model", "mockllm/model", "-T", "agent=scripted",
        "-T", "limit=1",
    )  # fmt: skip
    done = sociolab(tmp_path, "import", "inspect", log.location, "--name", "talks")
    assert done.returncode == 0, done.stderr
    with open_store(tmp_path / "lab.db") as opened:
        assert stored_values(opened, "talks") == values_by_episode(log)


def write_talk(path: Path, *messages: ChatMessage) -> None:
    sample = EvalSample(id="flat", epoch=2, input="-", target="", messages=list(messages))
    spec = EvalSpec(
        created="2026-01-01T00:00:00+00:00", task="lab/flatmates", dataset=EvalDataset(),
        model="openai/gpt-x", config=EvalConfig(),
    )  # fmt: skip
    write_eval_log(EvalLog(status="success", eval=spec, samples=[sample]), str(path))


def test_a_conversation_of_any_task_becomes_an_episode(tmp_path: Path) -> None:
    write_talk(
        tmp_path / "talk.eval",
        ChatMessageSystem(content="Two flatmates speak about the rent."),
        ChatMessageUser(content="Could you pay $50 more?", metadata={"name": "Ada"}),
        ChatMessageAssistant(content=""),
        ChatMessageAssistant(content="No, $20 at most."),
    )
    done = sociolab(tmp_path, "import", "inspect", "talk.eval", "--name", "talk")
    assert done.returncode == 0, done.stderr
    with open_store(tmp_path / "lab.db") as opened:
        (episode,) = opened.episodes("talk")
    assert [member.agent for member in episode.trial.cast] == ["unknown model", "openai/gpt-x"]
    assert episode.trial.repeat == 1
    shown = sociolab(tmp_path, "show", episode.trial.id).stdout
    for text in ("Two flatmates speak about the rent.", "Could you pay $50 more?", "Not known."):
        assert text in shown
    assert "Assistant: No, $20 at most." in shown


def test_a_log_without_a_conversation_of_two_is_refused(tmp_path: Path) -> None:
    write_talk(tmp_path / "talk.eval", ChatMessageUser(content="What is 1 + 1?"))
    done = sociolab(tmp_path, "import", "inspect", "talk.eval", "--name", "talk")
    assert done.returncode == 2
    assert done.stderr == (
        "sociolab: talk.eval: expected episodes of one world, or conversations of two, found none "
        "in 1 sample\n"
    )


@pytest.mark.parametrize("content", [b"no log", b'{"version": 2}', b"PK\x03\x04 cut"])
def test_a_file_that_is_no_log_is_refused_in_a_sentence(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bad.eval").write_bytes(content)
    done = sociolab(tmp_path, "import", "inspect", "bad.eval", "--name", "bad")
    assert done.returncode == 2
    assert re.fullmatch(r"sociolab: bad\.eval: expected a log of Inspect .*\n", done.stderr)
    assert not (tmp_path / "lab.db").exists()
