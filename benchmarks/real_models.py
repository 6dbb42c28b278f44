"""Real models in every world: failures by cause, seconds, tokens and transcripts, kept in a folder.

    python benchmarks/real_models.py --model NAME --base-url URL --folder DIR [--tasks 30]

Run it once for each size of a model; a run that is broken off goes on with the same command. With
30 tasks a world it takes hours on a small machine. It judges the plumbing, not the model.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

WORLDS = {"sotopia": "tasks", "stss-talk": "tasks", "anteval-information": "tasks", "stss": "town"}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True)
    parser.add_argument("--base-url", required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--tasks", type=int, default=30)
    parser.add_argument("--town", type=int, default=2)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    print("| world | episodes | failed | calls | failed calls | tokens | s | causes |")
    print("|---|---|---|---|---|---|---|---|")
    for world, share in WORLDS.items():
        count = args.tasks if share == "tasks" else args.town
        if count:
            print(row_of(world, play(args, world, count)), flush=True)


def play(args: argparse.Namespace, world: str, count: int) -> dict[str, object]:
    """The result of a run, and its transcripts beside it."""
    store, name = args.folder / f"{world}.db", f"{world}-{args.model.replace('/', '-')}"
    spec, began = f"openai/{args.model}", time.monotonic()
    options = ["--store", str(store), "--name", name, "--json"]
    words = ["run", world, "--agent", spec, "--judge", spec, "--base-url", args.base_url]
    done = sociolab([*words, "--limit", str(count), *options])
    document: dict[str, object] = json.loads(done)
    document["seconds_here"] = time.monotonic() - began
    (args.folder / f"{name}.json").write_text(json.dumps(document), "utf-8")
    where = ["--run", name, "--store", str(store)]
    listed = json.loads(sociolab(["list", "episodes", *where, "--json"]))
    for episode in listed["episodes"]:
        transcript = sociolab(["show", str(episode["episode"]), *where])
        (args.folder / f"{name}-{episode['episode']}.txt").write_text(transcript, "utf-8")
    return document


def sociolab(words: list[str]) -> str:
    command = [sys.executable, "-m", "sociolab", *words]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False).stdout


def row_of(world: str, result: dict[str, object]) -> str:
    failures = result["failures"]
    assert isinstance(failures, dict)
    causes: Counter[str] = Counter()
    for kind in ("trials", "turns", "questions", "scores", "calls"):
        by_cause = failures.get(kind) or {}
        causes.update({f"{kind}: {cause}": count for cause, count in by_cause.items()})
    tokens = result["tokens"]
    assert isinstance(tokens, dict)
    told = ", ".join(f"{cause} {n}" for cause, n in causes.most_common()) or "none"
    calls = sum((failures.get("calls") or {}).values())
    seconds = f"{result['seconds_here']:.0f}"
    total = f"{tokens['prompt'] + tokens['completion']:,}"
    return (
        f"| {world} | {result['played']} of {result['trials']} | {result['failed']} | "
        f"{result['calls']} | {calls} | {total} | {seconds} | {told} |"
    )


if __name__ == "__main__":
    main()
