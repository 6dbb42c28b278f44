"""Make the price table that ships, src/sociolab/models/prices.csv, from litellm's.

    python tools/prices.py [WHEEL]

Reads model names, prices and context lengths (facts, no code or prose) out of litellm's wheel,
which is never installed; without WHEEL, pip downloads the latest. Its table is under the MIT
licence.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zipfile import ZipFile

TABLE = Path(__file__).parents[1] / "src/sociolab/models/prices.csv"
SOURCE = "litellm/model_prices_and_context_window_backup.json"
COLUMNS = ("provider", "model", "input", "cached", "into_cache", "output", "context")
PROVIDERS = {
    "anthropic": "anthropic", "cerebras": "cerebras", "cohere_chat": "cohere",
    "deepseek": "deepseek", "fireworks_ai": "fireworks", "gemini": "gemini", "groq": "groq",
    "mistral": "mistral", "moonshot": "moonshot", "openai": "openai", "openrouter": "openrouter",
    "perplexity": "perplexity", "together_ai": "together", "xai": "xai",
}  # fmt: skip
"""litellm's name of a provider, and that in `sociolab.models.prices`."""


def rows(listed: dict[str, dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    """Chat models with a price, as the provider itself calls them; dollars a million tokens."""
    for key, entry in listed.items():
        theirs = entry.get("litellm_provider", "")
        ours = PROVIDERS.get(theirs)
        prefix = f"{theirs}/"
        if ours is None or entry.get("mode") != "chat" or key.startswith("ft:"):
            continue
        if not key.startswith(prefix) and (f"{prefix}{key}" in listed or "/" in key):
            continue  # there under its full name, or for one region
        if theirs == "together_ai" and not key.startswith(prefix):
            continue  # a class of sizes
        read, written = entry.get("input_cost_per_token"), entry.get("output_cost_per_token")
        if not read or not written:
            continue  # 0 may mean that nobody knows
        cached = entry.get("cache_read_input_token_cost")
        into_cache = entry.get("cache_creation_input_token_cost")
        prices = (*map(_dollars, (read, cached, into_cache, written)),)
        context = entry.get("max_input_tokens")
        size = str(context) if isinstance(context, int) else ""
        yield ours, key.removeprefix(prefix), *prices, size


def _dollars(a_token: float | None) -> str:
    return f"{a_token * 1e6:.6g}" if a_token else ""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        if len(sys.argv) > 1:
            wheel = Path(sys.argv[1])
        else:
            command = [
                sys.executable,
                "-m",
                "pip",
                "download",
                "litellm",
                "--no-deps",
                "-d",
                folder,
            ]
            subprocess.run(command, check=True)
            (wheel,) = Path(folder).glob("litellm-*.whl")
        with ZipFile(wheel) as packed:
            found = sorted(set(rows(json.loads(packed.read(SOURCE)))))
    version = wheel.name.split("-")[1]
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        file.write(
            f"# {datetime.now(UTC):%Y-%m-%d}, litellm {version} (MIT); dollars a million tokens\n"
        )
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(found)
    print(f"{TABLE}: {len(found)} models")


if __name__ == "__main__":
    main()
