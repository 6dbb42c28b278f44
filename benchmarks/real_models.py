"""Every world with a real model in its seats and as its judge: what fails, how long it takes.

    python benchmarks/real_models.py play FOLDER --model NAME --base-url URL
    python benchmarks/real_models.py table FOLDER

`play` takes hours; stopped, or killed, the same command goes on. Use one folder for all sizes of
model, and `play` once for each. It holds, by model, the store, each run's result as JSON and every
transcript with its scores as text. `table` prints all models of the folder.

Tasks: 30 of sotopia, stss-talk and each AntEval world, 2 of stss. `--worlds` and `--tasks` play a
part of them: the same command without them goes on with the rest, in runs of their own. What stands
behind `--` are further options of `sociolab run`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from sociolab import open_store, transcript

SOURCE = Path(__file__).parent.parent / "src"
TASKS = {
    "sotopia": 30,
    "stss-talk": 30,
    "anteval-information": 30,
    "anteval-intention": 30,
    "anteval-decision": 30,
    "stss": 2,
}
COLUMNS = (
    "model", "world", "trials", "played", "seconds", "calls", "tokens in", "tokens out",
    "asked again", "failed requests", "failures",
)  # fmt: skip


def play(options: argparse.Namespace) -> int:
    """0 when all worlds are done; 2 when one was stopped, as its message says."""
    folder = options.folder / options.model.replace("/", "_").replace(":", "_")
    folder.mkdir(parents=True, exist_ok=True)
    for world in options.worlds:
        count = min(TASKS[world], options.tasks or TASKS[world])
        run = f"{world}-{count}"
        model = f"openai/{options.model}"
        words = (
            "run", world, "--agent", model, "--judge", model, "--base-url", options.base_url,
            "--limit", str(count), "--seed", "1", "--name", run, "--store", "runs.db", "--json",
        )  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-m", "sociolab", *words, *options.more],
            cwd=folder, env={**os.environ, "PYTHONPATH": str(SOURCE)},
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        if done.returncode not in (0, 1):  # 1: trials or scores failed, which is what is looked for
            return done.returncode
        (folder / f"{run}.json").write_text(done.stdout, "utf-8")
        write_transcripts(folder, run)
    return 0


def write_transcripts(folder: Path, run: str) -> None:
    texts = folder / "transcripts" / run
    texts.mkdir(parents=True, exist_ok=True)
    with open_store(folder / "runs.db") as store:
        for row in store.trials(run):
            text = transcript(store, run, row.trial.id)
            (texts / f"{row.trial.id}.txt").write_text(text, "utf-8")


def failures_in(result: Any) -> str:
    """All failures by kind and cause, such as "scores: unreadable 12"."""
    kinds = ("trials", "turns", "questions", "scores", "calls", "usage")
    causes = {kind: result["failures"][kind] for kind in kinds}
    return "; ".join(
        f"{kind}: " + ", ".join(f"{cause} {count}" for cause, count in by_cause.items())
        for kind, by_cause in causes.items()
        if by_cause
    )


def rows_of(folder: Path) -> Iterable[tuple[object, ...]]:
    for path in sorted(folder.glob("*/*.json")):
        result = json.loads(path.read_text("utf-8"))
        yield (
            path.parent.name, result["world"], result["trials"], result["played"],
            round(result["seconds"]), result["calls"], result["tokens"]["prompt"],
            result["tokens"]["completion"], result["failures"]["replies_asked_again"],
            result["failed_attempts"]["count"], failures_in(result),
        )  # fmt: skip


def print_table(folder: Path) -> None:
    for row in (COLUMNS, ("---",) * len(COLUMNS), *rows_of(folder)):
        print(f"| {' | '.join(map(str, row))} |")


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    actions = parser.add_subparsers(dest="action", required=True)
    playing = actions.add_parser("play")
    playing.add_argument("folder", type=Path)
    playing.add_argument("--model", required=True)
    playing.add_argument("--base-url", required=True)
    playing.add_argument("--worlds", nargs="+", choices=TASKS, default=list(TASKS))
    playing.add_argument("--tasks", type=int, help="at most so many of each world")
    actions.add_parser("table").add_argument("folder", type=Path)
    cut = words.index("--") if "--" in words else len(words)
    options = parser.parse_args(words[:cut], argparse.Namespace(more=words[cut + 1 :]))
    code = play(options) if options.action == "play" else 0
    print_table(options.folder)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
