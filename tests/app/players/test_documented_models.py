"""docs/models.md: every TOML example is a file that loads, and its endpoints can be named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sociolab import RunConfig
from sociolab.app import Models, ModelSpec, load_models, ready_endpoints
from sociolab.app.players.models import parse

TEXT = (Path(__file__).parents[3] / "docs" / "models.md").read_text("utf-8")
EXAMPLES = re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_every_example_is_read(number: int, tmp_path: Path) -> None:
    file = tmp_path / "models.toml"
    file.write_text(EXAMPLES[number], "utf-8")
    assert load_models(file).endpoints


def test_the_usual_providers_are_found_and_priced_where_the_host_is_theirs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "https://lab.openai.azure.com")
    models = Models(RunConfig())
    priced = {}
    for label in (
        "openai/gpt-4o", "anthropic/claude-sonnet-5", "gemini/gemini-2.5-flash",
        "groq/openai/gpt-oss-120b", "together/Qwen/Qwen2.5-72B-Instruct-Turbo",
        "azure/gpt-4o", "ollama/llama3.1:8b", "vllm/Qwen/Qwen2.5-7B-Instruct",
    ):  # fmt: skip
        spec = parse(label, "agent")
        assert isinstance(spec, ModelSpec)
        assert f"`{label}`" in TEXT.replace("azure/DEPLOYMENT", "azure/gpt-4o")
        priced[spec.endpoint] = models.price(spec) is not None
    assert ready_endpoints().keys() <= set(re.findall(r"`(\w+)/", TEXT))
    assert {name for name, known in priced.items() if not known} == {"azure", "ollama", "vllm"}
