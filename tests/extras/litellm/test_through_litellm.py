"""`litellm/PROVIDER/MODEL`, and both of our dialects through litellm's own proxy.

Run by `make test EXTRAS=litellm`, where litellm is installed.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sociolab import RunConfig, run
from sociolab.app import Models, ModelSpec
from sociolab.app.players.models import parse
from sociolab.core import (
    CallKey,
    Cause,
    ChatReply,
    ConfigError,
    Message,
    ModelError,
    Prompt,
    Schema,
    Usage,
)
from sociolab.endpoint import EndpointServer, EndpointSettings, start_in_thread
from sociolab.models import traffic
from sociolab.store import Store

if importlib.util.find_spec("litellm") is None:
    pytest.skip("litellm is an extra of its own", allow_module_level=True)

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

KEY = CallKey("trial", "agent", "ada", 0, "act", 1)
SCHEMA = Schema(
    "Turn",
    '{"properties":{"text":{"type":"string","maxLength":90}},"required":["text"],"type":"object",'
    '"additionalProperties":false}',
)
PROMPT = Prompt((Message("system", "Be Ada."), Message("user", "Speak.")), SCHEMA, 0.5, 100)
SECRET = "sk-proj-0123456789abcdef"


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(traffic, "LONGEST_PAUSE", 0.001)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.setenv("ANTHROPIC_API_KEY", SECRET)


def write(**options: Any) -> None:
    lines = [f"{name} = {json.dumps(value)}" for name, value in options.items()]
    Path("models.toml").write_text("\n".join(["[endpoints.litellm]", *lines]), "utf-8")


def ask(label: str, prompt: Prompt = PROMPT) -> ChatReply:
    async def go() -> ChatReply:
        models = Models(RunConfig())
        spec = parse(label, "agent")
        assert isinstance(spec, ModelSpec)
        try:
            return await models.open(spec).complete(prompt, KEY)
        finally:
            await models.close()

    return asyncio.run(go())


def test_a_mock_reply_comes_back_with_its_tokens() -> None:
    Path("models.toml").write_text(
        '[options."litellm/openai/gpt-4o"]\nextra = {mock_response = "Hello."}\n', "utf-8"
    )
    reply = ask("litellm/openai/gpt-4o")
    assert (reply.text, reply.finish, reply.tries) == ("Hello.", "stop", 1)
    assert reply.usage == Usage(10, 20)  # litellm's own mock


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_request_reaches_a_provider_under_its_schema(provider: str) -> None:
    with start_in_thread(EndpointSettings(api_key=SECRET)) as server:
        base = server.url if provider == "openai" else server.url.removesuffix("/v1")
        write(base_url=base)
        reply = ask(f"litellm/{provider}/gpt-4o" if provider == "openai"
                    else "litellm/anthropic/claude-haiku-4-5")  # fmt: skip
        assert json.loads(reply.text).keys() == {"text"}
        assert reply.usage.prompt > 0
        assert server.counters.by_status == {"200": 1}


@pytest.mark.parametrize(
    ("settings", "cause", "tries"),
    [
        ({"rate_limited": 1.0, "retry_after": 30.0}, "rate limit", 1),  # longer than total_s
        ({"server_error": 1.0}, "server error", 2),
        ({"dropped": 1.0}, "server error", 2),  # litellm calls it an internal server error
        ({"hang": 1.0}, "timeout", 2),
        ({"api_key": "another"}, "credentials", 1),
        ({"models": ("other",)}, "unknown model", 1),
        ({"context_characters": 3}, "context overflow", 1),
    ],
)
def test_what_goes_wrong_has_its_cause(settings: dict[str, Any], cause: Cause, tries: int) -> None:
    with start_in_thread(EndpointSettings(**settings)) as server:
        write(base_url=server.url, tries=2, timeout_s=1.0, total_s=20.0)
        with pytest.raises(ModelError) as caught:
            ask("litellm/openai/gpt-4o")
        assert server.counters.requests == tries  # litellm itself tries nothing again
    error = caught.value
    assert (error.cause, error.tries) == (cause, tries)
    assert SECRET not in f"{error} {error!r} {error.__cause__} {error.__context__}"
    assert "Traceback" not in str(error)


def test_what_a_server_does_not_take_is_left_out(tmp_path: Path) -> None:
    with start_in_thread(EndpointSettings(no_json_schema=True, fixed_temperature=True)) as server:
        write(base_url=server.url)
        assert ask("litellm/openai/gpt-4o").text
        assert server.counters.by_status == {"200": 1, "400": 4}  # each refused twice


def test_a_missing_key_is_named_before_the_first_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GEMINI_API_KEY", raising=False)
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    with pytest.raises(ConfigError, match=r"litellm/gemini/gemini-2.5-flash.* GEMINI_API_KEY"):
        ask("litellm/gemini/gemini-2.5-flash")


def test_prices_are_those_of_litellms_own_table() -> None:
    spec = parse("litellm/anthropic/claude-haiku-4-5", "agent")
    assert isinstance(spec, ModelSpec)
    price = Models(RunConfig()).price(spec)
    assert price is not None
    assert (price.input, price.output, price.cached, price.into_cache) == pytest.approx(
        (1, 5, 0.1, 1.25)
    )
    unknown = parse("litellm/openai/nobodys", "agent")
    assert isinstance(unknown, ModelSpec)
    assert Models(RunConfig()).price(unknown) is None


def test_a_run_is_counted_priced_kept_and_stops_at_its_budget() -> None:
    with start_in_thread(EndpointSettings(characters=60)) as server:
        write(base_url=server.url, in_flight=4)
        config = RunConfig(
            agents=("litellm/openai/gpt-4o",), judges=("litellm/openai/gpt-4o",), limit=1,
            name="r", store=Path("s.db"), budget=0.05,
        )  # fmt: skip
        stopped = run(config).result
        assert stopped.stopped
        assert 0 < (stopped.cost_usd or 0) <= 0.05
        whole = run(config.model_copy(update={"budget": 5.0})).result
        assert (whole.played, whole.failed) == (1, 0)
        assert server.counters.requests == whole.calls
        assert server.counters.most_in_flight <= 4
    with Store.open(Path("s.db")) as store:
        rows = list(store.calls.all("r"))
        assert all(row.reply.seconds > 0 and row.reply.usd for row in rows)
    assert SECRET.encode() not in Path("s.db").read_bytes()


# ---------------------------------------------------------------- litellm's proxy


MASTER = "sk-4f0c2b9e7a6d5813c4f0c2b9e7a6d581"


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, EndpointServer]]:
    """litellm's proxy in front of mock replies, and of the local endpoint in both dialects."""
    folder = tmp_path_factory.mktemp("proxy")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with start_in_thread(EndpointSettings()) as server:
        base = server.url.removesuffix("/v1")
        models = {
            "mock": {"model": "openai/gpt-4o", "api_key": "x", "mock_response": "Hello."},
            "mock-claude": {"model": "anthropic/claude-haiku-4-5", "api_key": "x",
                            "mock_response": "Hello."},
            "chat": {"model": "hosted_vllm/gpt-4o", "api_key": "x", "api_base": server.url},
            "claude": {"model": "anthropic/claude-haiku-4-5", "api_key": "x", "api_base": base},
        }  # fmt: skip
        rows = [{"model_name": name, "litellm_params": one} for name, one in models.items()]
        (folder / "config.yaml").write_text(json.dumps({"model_list": rows}), "utf-8")
        command = [sys.executable, "-c", "from litellm import run_server; run_server()"]
        arguments = ["--config", "config.yaml", "--host", "127.0.0.1", "--port", str(port)]
        with (folder / "log.txt").open("wb") as log:
            child = subprocess.Popen(
                [*command, *arguments], cwd=folder, stdout=log, stderr=log,
                env={**os.environ, "LITELLM_MASTER_KEY": MASTER},
            )  # fmt: skip
            try:
                _until_up(port, child, folder / "log.txt")
                yield f"http://127.0.0.1:{port}/v1", server
            finally:
                child.kill()
                child.wait()


def _until_up(port: int, child: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(1500):
        assert child.poll() is None, log.read_text("utf-8")[-3000:]
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/health/liveliness", timeout=5)
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
        else:
            return
    raise AssertionError(log.read_text("utf-8")[-3000:])


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
@pytest.mark.parametrize("model", ["mock", "mock-claude", "chat", "claude"])
def test_both_dialects_are_understood_by_litellms_proxy(
    proxy: tuple[str, EndpointServer], provider: str, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, server = proxy
    monkeypatch.setenv("PROXY_KEY", MASTER)
    server.reset()
    Path("models.toml").write_text(
        f'[endpoints.proxy]\nprovider = "{provider}"\nbase_url = "{address}"\ntries = 1\n'
        'key_env = "PROXY_KEY"\n',
        "utf-8",
    )
    mocked = model.startswith("mock")
    prompt = replace(PROMPT, schema=None) if mocked else PROMPT
    reply = ask(f"proxy/{model}", prompt)
    if mocked:
        assert reply.text == "Hello."
    else:
        assert json.loads(reply.text).keys() == {"text"}
        assert server.counters.by_status == {"200": 1}
    assert reply.usage.prompt > 0
    assert not reply.usage.estimated
