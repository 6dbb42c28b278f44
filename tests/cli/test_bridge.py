"""A program or a service takes a seat: what it is sent, what its calls cost, how it may fail."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from sociolab import Arena
from sociolab.app.players.bridge import code_of_command
from sociolab.cli.main import app
from sociolab.core import ConfigError
from sociolab.core.code_fingerprint import same_code
from sociolab.endpoint import EndpointSettings, start_in_thread
from sociolab.store import Store

CALLER = """
import json, os, sys, urllib.request
open(f"{os.getpid()}.pid", "w").close()
for line in sys.stdin:
    seen = json.loads(line)
    print("thinking about turn", seen["turn"])
    body = {"model": os.environ["SOCIOLAB_MODEL"] or "mine", "messages": seen["messages"]}
    if seen["schema"]:
        schema = {"name": "turn", "schema": seen["schema"]}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    request = urllib.request.Request(
        os.environ["OPENAI_BASE_URL"] + "/chat/completions",
        json.dumps(body).encode(),
        {"authorization": "Bearer " + os.environ["OPENAI_API_KEY"]},
    )
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request) as answer:
        print(json.load(answer)["choices"][0]["message"]["content"], flush=True)
"""

GREETER = """
import json, sys
for line in sys.stdin:
    seen = json.loads(line)
    with open("seen.jsonl", "a") as file:
        file.write(line)
    if seen["turn"] > 2 or seen["asked"] != "act":
        sys.exit("I have had enough")
    print(json.dumps({"action": "speak", "text": f"Turn {seen['turn']}."}), flush=True)
"""


def write(folder: Path, text: str) -> str:
    path = folder / "my_agent.py"
    path.write_text(text, "utf-8")
    return f"bridge:{sys.executable} {path}"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "x")

    def invoke(agent: str, *arguments: str, limit: int = 1, name: str = "b") -> Result:
        return CliRunner().invoke(
            app,
            ["run", "sotopia", "--agent", agent, "--partner", "scripted", "--judge", "none",
             "--limit", str(limit), "--name", name, "--store", "lab.db", *arguments],
        )  # fmt: skip

    return invoke


def test_each_call_of_a_program_is_a_call_of_the_run(run: Any, tmp_path: Path) -> None:
    with start_in_thread(EndpointSettings()) as endpoint:
        agent = write(tmp_path, CALLER) + "?model=openai/m"
        result = run(agent, "--base-url", endpoint.url, limit=2)
        asked = endpoint.counters.requests
    assert result.exit_code == 0, result.output
    with Store.open(tmp_path / "lab.db") as store:
        calls = list(store.calls.all("b"))
        episodes = list(store.episodes("b"))
    moves = sum(
        move.seat == member.seat and member.agent == agent
        for episode in episodes
        for member in episode.trial.cast
        for move in episode.moves
    )
    assert {call.model for call in calls} == {"openai/m"}
    assert asked == len(calls) >= moves > 20
    assert len(list(tmp_path.glob("*.pid"))) == len(episodes) == 4


def test_a_program_may_name_its_model_itself(run: Any, tmp_path: Path) -> None:
    with start_in_thread(EndpointSettings()) as endpoint:
        result = run(write(tmp_path, CALLER), "--base-url", endpoint.url)
    assert result.exit_code == 0, result.output
    with Store.open(tmp_path / "lab.db") as store:
        assert {call.model for call in store.calls.all("b")} == {"openai/mine"}


def test_an_observation_holds_the_prompt_and_what_was_seen(run: Any, tmp_path: Path) -> None:
    result = run(write(tmp_path, GREETER))
    assert result.exit_code == 1
    output = " ".join(result.output.split())
    assert "ended with exit code 1 in place of a reply" in output
    assert "I have had enough" in output
    lines = (tmp_path / "seen.jsonl").read_text("utf-8").splitlines()
    first = next(json.loads(line) for line in lines if '"history": []' in line)
    assert (first["version"], first["turn"], first["asked"], first["attempt"]) == (1, 1, "act", 1)
    assert [one["role"] for one in first["messages"]] == ["system", "user"]
    assert first["schema"]["properties"].keys() == {"action", "text"}
    assert json.loads(lines[-1])["history"][0].keys() == {"turn", "who", "you", "text"}


@pytest.mark.parametrize(
    ("agent", "sentence"),
    [
        ("bridge:", 'expected a command such as "python my_agent.py"'),
        ("bridge:no-such-program x", 'there is no program "no-such-program"'),
        ("bridge:python no_such.py", "there is no file no_such.py"),
        ("bridge:python?model=scripted", "expected ?model=endpoint/model"),
        ("bridge:python x.py --api-key sk-proj-4f8aK2mQ9xT7bW1cVnRz", "the command holds a secret"),
        ("http://ann:hunter2@127.0.0.1:9/act", "an address without a name and password"),
    ],
)
def test_a_bridge_to_nothing_is_refused(run: Any, agent: str, sentence: str) -> None:
    result = run(agent)
    assert isinstance(result.exception, ConfigError)
    assert sentence in str(result.exception)
    assert "hunter2" not in str(result.exception)
    assert "4f8aK2mQ9xT7bW1cVnRz" not in str(result.exception)


CHATTY = """
import json, sys
print("starting {up}")
for line in sys.stdin:
    seen = json.loads(line)
    print(json.dumps({"action": "speak", "text": f"Turn {seen['turn']}."}, indent=1))
    print('{"a": "log line"}', flush=True)
"""


def test_a_reply_may_take_lines_and_what_stands_around_it_is_none(run: Any, tmp_path: Path) -> None:
    result = run(write(tmp_path, CHATTY), "--set", "turns=6")
    assert result.exit_code == 0, result.output
    with Store.open(tmp_path / "lab.db") as store:
        said = [a.text for e in store.episodes("b") for m in e.moves for a in m.actions]
    assert {text for text in said if text.startswith("Turn")} == {f"Turn {n}." for n in range(1, 7)}


PARENT = """
import json, os, subprocess, sys
child = subprocess.Popen(["sleep", "600"])
open(f"{child.pid}.pid", "w").close()
for line in sys.stdin:
    print('{"action": "none", "text": ""}', flush=True)
os._exit(0)
"""


def test_what_a_program_starts_ends_with_it(run: Any, tmp_path: Path) -> None:
    assert run(write(tmp_path, PARENT), "--set", "turns=2").exit_code == 0
    pids = [int(path.stem) for path in tmp_path.glob("*.pid")]
    assert len(pids) == 2
    for pid in pids:
        assert _is_gone(pid)


def _is_gone(pid: int) -> bool:
    """Whether a process has ended, or only waits for its parent to notice."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_the_code_of_a_program_is_that_of_its_files(tmp_path: Path) -> None:
    script = tmp_path / "agent.sh"
    script.write_text("one", "utf-8")
    one = code_of_command(str(script))
    script.write_text("two", "utf-8")
    assert code_of_command(str(script)) != one
    assert not same_code(
        code_of_command("python -m my_agent"), code_of_command("python -m my_agent")
    )


def test_a_budget_needs_the_price_of_the_model_behind_a_program(run: Any, tmp_path: Path) -> None:
    agent = write(tmp_path, GREETER)
    for spec in (agent, f"{agent}?model=openai/m"):
        result = run(spec, "--budget", "1", "--base-url", "http://127.0.0.1:9/v1")
        assert isinstance(result.exception, ConfigError)
        assert "price" in str(result.exception)


@contextmanager
def serve(*answers: tuple[int, Any]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A service that gives these answers, the last of them for ever, and what it was sent."""
    sent: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["content-length"])
            sent.append(json.loads(self.rfile.read(length)))
            status, answer = answers[min(len(sent), len(answers)) - 1]
            body = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.send_header("retry-after", "0")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/act", sent
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


LEAVE = {"action": "leave", "text": ""}


def test_a_service_is_posted_each_observation(run: Any, tmp_path: Path) -> None:
    with serve((200, {"action": "speak", "text": "Hello."}), (200, LEAVE)) as (address, sent):
        result = run(address, limit=1)
    assert result.exit_code == 0, result.output
    assert {one["version"] for one in sent} == {1}
    assert "models" not in sent[0]
    with Store.open(tmp_path / "lab.db") as store:
        said = [a.text for e in store.episodes("b") for m in e.moves for a in m.actions]
    assert "Hello." in said


def test_a_busy_service_is_asked_again(run: Any) -> None:
    with serve((503, {}), (200, LEAVE)) as (address, sent):
        result = run(address)
    assert result.exit_code == 0, result.output
    assert len(sent) == 3
    assert any(one == sent[0] for one in sent[1:])


def test_a_bridged_service_is_told_where_it_reaches_models(run: Any) -> None:
    with serve((200, LEAVE)) as (address, sent):
        result = run(f"bridge:{address}?model=openai/m", "--base-url", "http://127.0.0.1:9/v1")
    assert result.exit_code == 0, result.output
    models = sent[0]["models"]
    assert models["sociolab_model"] == "openai/m"
    assert models["openai_base_url"].startswith("http://127.0.0.1:")


def test_a_service_that_answers_nonsense_fails_its_episode(run: Any) -> None:
    with serve((200, ["no", "action"])) as (address, _):
        result = run(address)
    assert result.exit_code == 1
    assert "failed turns 2" in " ".join(result.output.split())


def test_a_service_that_is_a_model_is_told_how_it_is_named(run: Any) -> None:
    with serve((200, {"object": "chat.completion", "choices": []})) as (address, _):
        result = run(address)
    assert result.exit_code == 1
    assert "a server that speaks chat completions is named as a model" in result.output


def test_the_program_of_an_episode_ends_with_it_in_an_arena_too(tmp_path: Path) -> None:
    waits = "import sys, os\nopen(f'{os.getpid()}.pid', 'w').close()\n" + WAITS
    script = tmp_path / "my_agent.py"
    script.write_text(waits.replace("{os", f"{tmp_path}/{{os"), "utf-8")
    with Arena(partner=f"bridge:{sys.executable} {script}", judge="none", seed=1) as arena:
        session = arena.begin(seats=1)
        (pid,) = (int(path.stem) for path in tmp_path.glob("*.pid"))
        os.kill(pid, 0)
        while not session.done:
            session.step({"action": "leave", "text": ""})
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


WAITS = """
for line in sys.stdin:
    print('{"action": "none", "text": ""}', flush=True)
"""
