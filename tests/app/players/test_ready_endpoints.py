"""Endpoints that ship: used by name, with nothing but their keys in the environment."""

from __future__ import annotations

import asyncio
import importlib.util
from pathlib import Path

import pytest

from sociolab import RunConfig
from sociolab.app import Models, ModelSpec, ready_endpoints
from sociolab.app.players.models import parse
from sociolab.core import ConfigError

SECRET = "a-key-that-0nly-tests-know"
KEYS = {
    "anthropic": "ANTHROPIC_API_KEY", "azure": "AZURE_OPENAI_API_KEY",
    "cerebras": "CEREBRAS_API_KEY", "deepseek": "DEEPSEEK_API_KEY",
    "fireworks": "FIREWORKS_API_KEY", "gemini": "GEMINI_API_KEY", "groq": "GROQ_API_KEY",
    "mistral": "MISTRAL_API_KEY", "moonshot": "MOONSHOT_API_KEY",
    "openrouter": "OPENROUTER_API_KEY", "together": "TOGETHER_API_KEY", "xai": "XAI_API_KEY",
}  # fmt: skip


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in KEYS.values():
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "https://lab.openai.azure.com/")


def spec(label: str) -> ModelSpec:
    found = parse(label, "agent")
    assert isinstance(found, ModelSpec)
    return found


def opened(label: str) -> None:
    async def go() -> None:
        models = Models(RunConfig())
        models.open(spec(label))
        await models.close()

    asyncio.run(go())


@pytest.mark.parametrize("name", KEYS)
def test_an_endpoint_needs_its_key_and_nothing_else(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ConfigError, match=f'"{name}" takes .*{KEYS[name]}, which is not set'):
        opened(f"{name}/m")
    monkeypatch.setenv(KEYS[name], SECRET)
    opened(f"{name}/m")
    assert Models(RunConfig()).endpoint(spec(f"{name}/m")).base_url.startswith("https://")


@pytest.mark.parametrize("name", ["ollama", "vllm"])
def test_one_on_this_machine_needs_no_key(name: str) -> None:
    opened(f"{name}/m")


def test_every_endpoint_that_ships_is_looked_at_here() -> None:
    assert ready_endpoints().keys() == {*KEYS, "ollama", "vllm", "litellm", "inspect"}


def test_an_address_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Models(RunConfig()).endpoint(spec("azure/gpt"))
    assert found.base_url == "https://lab.openai.azure.com/openai/v1"
    monkeypatch.delenv("AZURE_OPENAI_ENDPOINT")
    with pytest.raises(ConfigError, match="environment variable AZURE_OPENAI_ENDPOINT: expected"):
        Models(RunConfig()).endpoint(spec("azure/gpt"))


def test_a_file_changes_single_fields_of_an_endpoint() -> None:
    Path("models.toml").write_text("[endpoints.gemini]\nin_flight = 3\n", "utf-8")
    found = Models(RunConfig()).endpoint(spec("gemini/m"))
    assert (found.in_flight, found.key_env) == (3, "GEMINI_API_KEY")
    assert "googleapis" in found.base_url


def test_no_key_goes_to_another_address_than_the_one_it_is_for() -> None:
    Path("models.toml").write_text(
        '[endpoints.anthropic]\nbase_url = "http://127.0.0.1:9/v1"\n'
        '[endpoints.azure]\nbase_url = "http://127.0.0.1:9/v1"\n',
        "utf-8",
    )
    models = Models(RunConfig())
    for name in ("anthropic", "azure"):
        found = models.endpoint(spec(f"{name}/m"))
        assert (found.key_env, found.headers) == (None, {})
    assert models.file.endpoints["anthropic"].provider == "anthropic"


def test_a_name_that_is_nearly_one_is_told() -> None:
    with pytest.raises(ConfigError, match=r'no endpoint called "antropic" \(did you mean anthro'):
        Models(RunConfig()).endpoint(spec("antropic/m"))


@pytest.mark.skipif(
    importlib.util.find_spec("litellm") is not None, reason="litellm is installed here"
)
def test_an_extra_that_is_not_installed_says_how_to_get_it() -> None:
    with pytest.raises(ConfigError, match="make extras EXTRAS=litellm"):
        opened("litellm/gemini/m")


def test_prices_of_claude_include_what_its_cache_costs() -> None:
    price = Models(RunConfig()).price(spec("anthropic/claude-sonnet-5"))
    assert price is not None
    assert price.into_cache == pytest.approx(1.25 * price.input)
    assert price.cached == pytest.approx(0.1 * price.input)
