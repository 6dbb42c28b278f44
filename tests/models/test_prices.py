"""Prices: the table that ships, what of a user's goes over it, and to whom it does not apply."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sociolab import RunConfig, estimate
from sociolab.app import Models, ModelSpec
from sociolab.app.players.models import parse
from sociolab.cli import app
from sociolab.core import ConfigError
from sociolab.models import Budget, NullReplyStore, Price, shipped_prices

OWN = """
[endpoints.lab]
base_url = "https://api.groq.com/openai/v1"
[endpoints.groq]
base_url = "http://127.0.0.1:9/v1"
[prices."openai/gpt-4o"]
input = 7.0
output = 8.0
"""


def price(label: str, **access: object) -> Price | None:
    spec = parse(label, "agent")
    assert isinstance(spec, ModelSpec)
    return Models(RunConfig.model_validate(access)).price(spec)


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOCIOLAB_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def test_the_table_says_its_date_and_source_and_holds_sane_figures() -> None:
    table = shipped_prices()
    assert re.match(r"20\d\d-\d\d-\d\d, litellm [\d.]+ \(MIT\)", table.about)
    assert len(table.rows) > 300
    for row in table.rows.values():
        assert 0 < row.price.input <= 1000, row
        assert 0 < row.price.output <= 1000, row
        assert row.price.cached is None or 0 < row.price.cached <= row.price.input, row


def test_a_model_is_priced_by_its_very_name_and_whose_host_serves_it(tmp_path: Path) -> None:
    listed = price("openai/gpt-4o")
    assert listed is not None
    assert (listed.input, listed.cached, listed.output) == (2.5, 1.25, 10)
    assert price("openai/gpt-4o?temperature=0.5") == listed
    assert price("openai/gpt-4o-of-mine") is None
    assert price("openai/gpt-4o", base_url="http://127.0.0.1:9/v1") is None
    assert price("openai/gpt-4o", base_url="https://api.groq.com/openai/v1") is None
    (tmp_path / "models.toml").write_text(OWN, "utf-8")
    assert price("openai/gpt-4o") == Price(7, 8)  # the user's own goes first
    assert (
        price("lab/openai/gpt-oss-120b")
        == shipped_prices().rows["groq", "openai/gpt-oss-120b"].price
    )  # whatever the endpoint is called
    assert price("groq/openai/gpt-oss-120b") is None  # a server here, whatever it is called


def test_a_budget_refuses_a_model_without_a_price_and_names_those_that_are_like_it() -> None:
    spec = parse("openai/gpt-4omni", "agent")
    assert isinstance(spec, ModelSpec)
    with pytest.raises(ConfigError, match=r"--budget: no price is known for .*has gpt-4o"):
        Models(RunConfig()).cached(spec, NullReplyStore(), Budget(1.0))


def test_a_model_at_another_address_is_told_with_what_its_provider_charges() -> None:
    config = RunConfig(
        agents=("openai/gpt-4o",),
        judges=("openai/gpt-4o-mini",),
        base_url="http://127.0.0.1:9/v1",
        limit=1,
    )
    (cautions,) = (one for one in estimate(config).section().cautions if "no price" in one)
    assert '"openai/gpt-4o" (openai itself charges 2.5 and 10)' in cautions
    assert '"openai/gpt-4o-mini" (openai itself charges 0.15 and 0.6)' in cautions


def test_prices_are_shown_with_those_of_the_user_over_them(tmp_path: Path) -> None:
    (tmp_path / "models.toml").write_text(OWN, "utf-8")
    shown = CliRunner().invoke(app, ["prices", "GPT-4o", "--json"])
    rows = {row["model"]: row for row in json.loads(shown.stdout)["prices"]}
    assert rows["openai/gpt-4o"] == {
        "model": "openai/gpt-4o", "input": 7, "output": 8, "cached": None, "context": None,
        "into_cache": None,
        "source": "models.toml",
    }  # fmt: skip
    assert rows["openai/gpt-4o-mini"]["source"] == "shipped"
    for_people = CliRunner().invoke(app, ["prices", "gpt-4o-mini"]).stdout
    assert "0.15" in for_people
    assert "litellm" in for_people


def test_a_search_in_vain_names_what_is_near() -> None:
    result = CliRunner().invoke(app, ["prices", "gtp-4o"])
    assert isinstance(result.exception, ConfigError)
    assert "did you mean gpt-4o" in str(result.exception)
