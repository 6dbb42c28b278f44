"""Prices of hosted models: the dated table that ships, made by tools/prices.py."""

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
"""Providers by host. Azure is missing, since a deployment there may have any name."""


@dataclass(frozen=True, slots=True)
class ListedPrice:
    """A row of the table; `context` is the model's context length in tokens, if known."""

    provider: str
    model: str
    price: Price
    context: int | None


@dataclass(frozen=True, slots=True)
class PriceTable:
    """Prices by provider and model; `about` is the table's date and source."""

    about: str
    rows: Mapping[tuple[str, str], ListedPrice]

    def price(self, base_url: str, model: str) -> Price | None:
        """The price of a model of exactly this name at the provider of this host, if listed."""
        row = self.rows.get((_provider(base_url), model))
        return row.price if row else None

    def vendor_price(self, provider: str, base_url: str, model: str) -> Price | None:
        """What a provider itself charges for a model that is served at another's address."""
        row = self.rows.get((provider, model)) if _provider(base_url) != provider else None
        return row.price if row else None

    def similar_names(self, base_url: str, model: str) -> tuple[str, ...]:
        """Up to three models of the host's provider with similar names."""
        provider = _provider(base_url)
        names = [name for vendor, name in self.rows if vendor == provider]
        return tuple(get_close_matches(model, names, 3))


def _provider(base_url: str) -> str:
    return PROVIDERS.get(urlsplit(base_url).hostname or "", "")


def is_hosted(base_url: str) -> bool:
    """Whether an address belongs to a provider of the table or to Azure."""
    host = urlsplit(base_url).hostname or ""
    return bool(_provider(base_url)) or host.endswith(".azure.com")


@cache
def shipped_prices() -> PriceTable:
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
