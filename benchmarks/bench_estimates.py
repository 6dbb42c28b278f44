"""Whether a dry run's range holds what a run then costs, over 20 seeded runs of each kind.

    PYTHONPATH=src python benchmarks/bench_estimates.py ["sotopia" "stss" ...] [--runs 20]

The models are stand-ins that talk as long as models did in 154 public SOTOPIA episodes: the length
of each text is drawn from their utterances, and a conversation ends at a turn with the share of
those that had come so far and ended there. Everything else in a reply is drawn at random from its
schema. Prices are those of a model at $2.50 and $10.00 a million tokens. In a town the seed draws
the tasks.

Where nobody ever leaves, no range is held against the cost but the bound that is printed beside it:
the cost must lie at or below it, and above the bound over 1.3.

Of a town, what is expected is printed, too: it is right within half if the cost is neither more
than 1.5 times as much nor less than 1 / 1.5.

The exit code is 1 if fewer than 19 of 20 hold the truth, or a range is wider than allowed.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from math import inf
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from sociolab import RunConfig, estimate, run
from sociolab.endpoint.chat import ChatBody
from sociolab.endpoint.replies import Replies
from sociolab.endpoint.server import start_in_thread
from sociolab.endpoint.settings import EndpointSettings
from sociolab.worlds.stss.dataset import own_town

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
CONVERSATIONS = {"world": "sotopia", "judges": ("openai/j",)}
TOWN = {"world": "stss", "judges": ("rules",)}


@dataclass(frozen=True)
class Kind:
    """Runs of one kind: how described, of how many tasks by their seed, and how wide their range
    may be."""

    described: Mapping[str, Any]
    tasks: Callable[[int], int] = lambda seed: 5 + seed
    widest: float = 2.0
    leaves: bool = True


KINDS = {
    "sotopia": Kind(CONVERSATIONS),
    "sotopia, no judge": Kind({"world": "sotopia", "judges": ("none",)}),
    "sotopia, nobody leaves": Kind(CONVERSATIONS, widest=1.3, leaves=False),
    "stss-talk": Kind({"world": "stss-talk", "judges": ("openai/j",)}),
    "anteval-information": Kind({"world": "anteval-information", "judges": ("none",)}),
    "anteval-intention": Kind({"world": "anteval-intention", "judges": ("none",)}),
    "stss": Kind(TOWN, lambda seed: 1 + seed % 2, 3.0),
    "stss, scripted background": Kind(
        TOWN | {"partner": "scripted"}, lambda seed: 7 + seed % 3, 3.0
    ),
    "stss, scripted background, few tasks": Kind(
        TOWN | {"partner": "scripted"}, lambda seed: 1 + seed % 3, inf
    ),
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
        text: str = self._made(random.choice(TEXTS), float(leaves)).valid(asked)
        reply = json.loads(text) if text.startswith("{") else {}
        return json.dumps(reply | {"ends": leaves}) if "ends" in reply else text


def turn_of(asked: ChatBody) -> int | None:
    """The number of the turn, from 0, as the prompt says; None where none is taken."""
    last = asked.messages[-1].text
    if found := re.search(r"Turn (\d+) of \d+ is yours", last):
        return int(found[1]) - 1
    if found := re.search(r"You can still speak (\d+) times", last):
        return 2 * (8 - int(found[1]))
    return None


@cache
def ending(turn: int) -> float:
    """The share of the episodes that had a turn of this number in which it was the last."""
    alive = [lengths for lengths in EPISODES if len(lengths) > turn]
    return sum(len(lengths) == turn + 1 for lengths in alive) / max(len(alive), 1)


def one(kind: Kind, seed: int, folder: Path) -> tuple[tuple[float, float, float, float], ...]:
    """Range, truth and what was expected (0: not told) in dollars, without the provider's cache
    and with it."""
    models = folder / "models.toml"
    models.write_text(PRICES, "utf-8")
    described: dict[str, Any] = {
        "agents": ("openai/a",), "partner": "openai/b", "seed": seed, "models": models,
        "store": folder / "s.db", "name": "r", **kind.described,
    }  # fmt: skip
    if kind.described["world"] == "stss":
        known = sorted(task.id for task in own_town(seed).tasks)
        described["tasks"] = ",".join(Random(seed).sample(known, kind.tasks(seed)))
    else:
        described["limit"] = kind.tasks(seed)
    settings = EndpointSettings(responder=Talking(seed, leaves=kind.leaves))
    with start_in_thread(settings) as server:
        config = RunConfig.model_validate({**described, "base_url": server.url})
        found = estimate(config)
        result = run(config).result
    tokens = result.tokens
    whole = (tokens.prompt * INPUT + tokens.completion * OUTPUT) / 1e6
    rows = []
    for cached, truth in ((False, whole), (True, result.cost_usd or 0.0)):
        low, high = (found.usd(case, cached=cached) or 0.0 for case in found.range)
        if not kind.leaves:
            high = found.usd(found.most, cached=cached) or 0.0
            low = high / kind.widest
        middle = (found.usd(found.expected, cached=cached) or 0.0) if found.expected else 0.0
        rows.append((low, high, truth, middle))
    return tuple(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", default=list(KINDS))
    parser.add_argument("--runs", type=int, default=20)
    given = parser.parse_args()
    missed = False
    for name in given.kinds:
        kind, rows = KINDS[name], []
        for seed in range(1, given.runs + 1):
            with tempfile.TemporaryDirectory() as folder:
                rows.append(one(kind, seed, Path(folder)))
        for column, found in zip(("cost", "if cached"), zip(*rows, strict=True), strict=True):
            held = sum(low <= truth <= high for low, high, truth, _ in found)
            widths = [high / low for low, high, _, _ in found]
            lows = [truth / low for low, _, truth, _ in found]
            highs = [truth / high for _, high, truth, _ in found]
            good = held >= 0.95 * given.runs and max(widths) <= kind.widest * 1.01
            missed = missed or not good
            ratios = sorted(truth / middle for _, _, truth, middle in found if middle)
            if ratios:
                within = sum(1 / 1.5 <= ratio <= 1.5 for ratio in ratios)
                print(
                    f"{name}, {column}: {within} of {len(ratios)} within half of what was expected;"
                    f" truth over it {ratios[0]:.2f} to {ratios[-1]:.2f}, median "
                    f"{median(ratios):.2f}",
                    flush=True,
                )
            print(
                f"{name}, {column}: {held} of {given.runs} held; width {min(widths):.2f} to "
                f"{max(widths):.2f} (at most {kind.widest:g}); truth {min(lows):.2f} to "
                f"{max(lows):.2f} times the low end, {min(highs):.2f} to {max(highs):.2f} times "
                f"the {'high end' if kind.leaves else 'bound'}: {'ok' if good else 'MISSED'}",
                flush=True,
            )
    sys.exit(missed)


if __name__ == "__main__":
    main()
