"""What hosted models cost: the dated table that ships (made by tools/prices.py), by provider."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from urllib.parse import urlsplit

from sociolab.models.budget import Price

PROVIDERS: Mapping[str, str] = {
    "api.anthropic.com": "anthropic",
    "api.cerebras.ai": "cerebras",
    "api.cohere.ai": "cohere",
    "api.cohere.com": "cohere",
    "api.deepseek.com": "deepseek",
    "api.fireworks.ai": "fireworks",
    "generativelanguage.googleapis.com": "gemini",
    "api.groq.com": "groq",
    "api.mistral.ai": "mistral",
    "api.moonshot.ai": "moonshot",
    "api.openai.com": "openai",
    "openrouter.ai": "openrouter",
    "api.perplexity.ai": "perplexity",
    "api.together.ai": "together",
    "api.together.xyz": "together",
    "api.x.ai": "xai",
}
"""Who answers at a host. A deployment at Azure may have any name, so that none is priced there."""


@dataclass(frozen=True, slots=True)
class ListedPrice:
    """A row of the table: dollars per million tokens, and the context length if it is known."""

    provider: str
    model: str
    price: Price
    context: int | None


@dataclass(frozen=True, slots=True)
class PriceTable:
    """The table that ships. `about`: its date, and where its figures are from."""

    about: str
    rows: Mapping[tuple[str, str], ListedPrice]

    def price(self, base_url: str, model: str) -> Price | None:
        """The price of a model of this very name, of the provider whose host this is."""
        row = self.rows.get((_provider(base_url), model))
        return row.price if row else None

    def elsewhere(self, provider: str, base_url: str, model: str) -> Price | None:
        """What this provider itself charges for a model that is served at another address."""
        row = self.rows.get((provider, model)) if _provider(base_url) != provider else None
        return row.price if row else None

    def near(self, base_url: str, model: str) -> tuple[str, ...]:
        """Models of that provider whose names are like this one."""
        provider = _provider(base_url)
        names = [name for vendor, name in self.rows if vendor == provider]
        return tuple(get_close_matches(model, names, 3))


def _provider(base_url: str) -> str:
    return PROVIDERS.get(urlsplit(base_url).hostname or "", "")


def is_hosted(base_url: str) -> bool:
    """Whether a provider of the table, or Azure, answers at an address."""
    host = urlsplit(base_url).hostname or ""
    return bool(_provider(base_url)) or host.endswith(".azure.com")


@cache
def shipped_prices() -> PriceTable:
    """The table, read once."""
    text = files("sociolab.models").joinpath("prices.csv").read_text("utf-8")
    about, _, table = text.partition("\n")
    rows = {}
    for row in csv.DictReader(table.splitlines()):
        cached = float(row["cached"]) if row["cached"] else None
        into_cache = float(row["into_cache"]) if row["into_cache"] else None
        price = Price(float(row["input"]), float(row["output"]), cached, into_cache)
        context = int(row["context"]) if row["context"] else None
        rows[row["provider"], row["model"]] = ListedPrice(
            row["provider"], row["model"], price, context
        )
    return PriceTable(about.removeprefix("# "), rows)
