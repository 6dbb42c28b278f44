"""Whether a dry run's range holds what a run then costs, over 20 seeded runs of each world.

    PYTHONPATH=src python benchmarks/bench_estimates.py [sotopia stss-talk ...] [--runs 20]

The models are stand-ins that talk as long as models did in 154 public SOTOPIA episodes: the length
of each text is drawn from their utterances, and a conversation ends at a turn with the share of
those that had come so far and ended there. Everything else in a reply is drawn at random from its
schema. Prices are those of a model at $2.50 and $10.00 a million tokens.

The exit code is 1 if fewer than 19 of 20 ranges hold the truth, or one is wider than allowed.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from sociolab import RunConfig, estimate, run
from sociolab.endpoint.chat import ChatBody
from sociolab.endpoint.replies import Replies
from sociolab.endpoint.server import start_in_thread
from sociolab.endpoint.settings import EndpointSettings

INPUT, CACHED, OUTPUT = 2.5, 1.25, 10.0
PRICES = "".join(
    f'[prices."openai/{name}"]\ninput = {INPUT}\ncached = {CACHED}\noutput = {OUTPUT}\n'
    for name in "abj"
)
EPISODES = [
    [int(length) for length in line.split()]
    for line in Path(__file__).with_name("sotopia_lengths.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
]
TEXTS = [length for lengths in EPISODES for length in lengths if length]
KINDS: dict[str, dict[str, Any]] = {
    "sotopia": {"world": "sotopia", "judges": ("openai/j",)},
    "sotopia, no judge": {"world": "sotopia", "judges": ("none",)},
    "sotopia, nobody leaves": {"world": "sotopia", "judges": ("openai/j",)},
    "stss-talk": {"world": "stss-talk", "judges": ("openai/j",)},
    "anteval-information": {"world": "anteval-information", "judges": ("none",)},
    "anteval-intention": {"world": "anteval-intention", "judges": ("none",)},
    "stss": {"world": "stss", "judges": ("rules",), "partner": "openai/b"},
    "stss, scripted background": {"world": "stss", "judges": ("rules",), "partner": "scripted"},
}


class Talking:
    """Replies as long as those of the episodes."""

    def __init__(self, seed: int, *, leaves: bool) -> None:
        self._seed, self._leaves = seed, leaves
        self._made = cache(
            lambda length, rate: Replies(EndpointSettings(characters=length, leave_rate=rate))
        )

    def __call__(self, asked: ChatBody) -> str:
        random = Random(f"{self._seed} {asked.key!r}")
        turn = turn_of(asked)
        leaves = turn is not None and self._leaves and random.random() < ending(turn)
        text: str = self._made(random.choice(TEXTS), float(leaves)).good(asked)
        reply = json.loads(text) if text.startswith("{") else {}
        return json.dumps(reply | {"ends": leaves}) if "ends" in reply else text


def turn_of(asked: ChatBody) -> int | None:
    """The number of the turn, from 0, as the prompt says; None where none is taken."""
    last = asked.messages[-1].text
    if found := re.search(r"Turn (\d+) of \d+ is yours", last):
        return int(found[1]) - 1
    if found := re.search(r"You can speak (\d+) more times", last):
        return 2 * (8 - int(found[1]))
    return None


@cache
def ending(turn: int) -> float:
    """The share of the episodes that had a turn of this number in which it was the last."""
    alive = [lengths for lengths in EPISODES if len(lengths) > turn]
    return sum(len(lengths) == turn + 1 for lengths in alive) / max(len(alive), 1)


def one(kind: str, seed: int, folder: Path) -> tuple[tuple[float, float, float], ...]:
    """Range and truth in dollars, without the provider's cache and with it."""
    town = KINDS[kind]["world"] == "stss"
    models = folder / "models.toml"
    models.write_text(PRICES, "utf-8")
    described: dict[str, Any] = {
        "agents": ("openai/a",), "partner": "openai/b", "seed": seed, "models": models,
        "limit": 1 + seed % 2 if town else 5 + seed, "store": folder / "s.db", **KINDS[kind],
    }  # fmt: skip
    settings = EndpointSettings(responder=Talking(seed, leaves="nobody leaves" not in kind))
    with start_in_thread(settings) as server:
        config = RunConfig.model_validate({**described, "base_url": server.url, "name": "r"})
        found = estimate(config)
        result = run(config)
    tokens = result.tokens
    whole = (tokens.prompt * INPUT + tokens.completion * OUTPUT) / 1e6
    rows = []
    for cached, truth in ((False, whole), (True, result.cost_usd or 0.0)):
        low, high = (found.usd(case, cached=cached) or 0.0 for case in found.range)
        rows.append((low, high, truth))
    return tuple(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", default=list(KINDS))
    parser.add_argument("--runs", type=int, default=20)
    given = parser.parse_args()
    missed = False
    for kind in given.kinds:
        most = 3.0 if KINDS[kind]["world"] == "stss" else 2.0
        rows = []
        for seed in range(1, given.runs + 1):
            with tempfile.TemporaryDirectory() as folder:
                rows.append(one(kind, seed, Path(folder)))
        for column, found in zip(("cost", "if cached"), zip(*rows, strict=True), strict=True):
            held = sum(low <= truth <= high for low, high, truth in found)
            widest = max(high / low for low, high, _ in found)
            places = [truth / low for low, _, truth in found]
            good = held >= 0.95 * given.runs and widest <= most * 1.01
            missed = missed or not good
            print(
                f"{kind}, {column}: {held} of {given.runs} held; widest {widest:.2f} (at most "
                f"{most:g}); truth {min(places):.2f} to {max(places):.2f} times the low end: "
                f"{'ok' if good else 'MISSED'}",
                flush=True,
            )
    sys.exit(missed)


if __name__ == "__main__":
    main()
