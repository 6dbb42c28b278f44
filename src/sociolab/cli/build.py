"""`sociolab build`: a data set made by playing."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from sociolab.app.towns.building import WORLD, Build, Built
from sociolab.app.towns.building import build as build_talks
from sociolab.cli.output import console, say
from sociolab.core.errors import ConfigError

if TYPE_CHECKING:
    from rich.table import Table

PLAIN_EVERY = 10.0


def build(world: str, wanted: Build) -> None:
    """Build it, and print how many of what came of it."""
    if world != WORLD:
        raise ConfigError(f'what can be built is {WORLD}, found "{world}"')
    built = build_talks(wanted, _Progress())
    console().print(_table(built))
    data = built.data
    say(f"{len(data.scenarios)} of {built.candidates} talks that could be frozen, hash {data.hash}")
    where = str(wanted.out) if wanted.out else data.name
    say(f"written to {built.folder}; play them: sociolab run {WORLD} --data {where}")


class _Progress:
    """Where it stands, on stderr: one live line in a terminal, a line now and then elsewhere."""

    def __init__(self) -> None:
        self._told = time.monotonic()
        self._live = sys.stderr.isatty()

    def __call__(self, done: int, total: int, frozen: int) -> None:
        over = done == total
        now = time.monotonic()
        if not self._live and not over and done and now - self._told < PLAIN_EVERY:
            return
        self._told = now
        line = f"{done}/{total} tasks lived, {frozen} talks frozen"
        end = "\r" if self._live and not over else "\n"
        print(line, end=end, file=sys.stderr, flush=True)  # noqa: T201


def _table(built: Built) -> Table:
    from rich.table import Table

    tally = built.tally
    table = Table("type", "task", title=f"{built.data.name}: conversation tasks by seed")
    for head in ("all", *(str(seed) for seed in tally.seeds)):
        table.add_column(head, justify="right")
    for kind, rows in tally.types:
        for row in rows:
            table.add_row(kind, row.task, str(row.count), *map(_count, row.of_seed))
        sums = [sum(column) for column in zip(*(row.of_seed for row in rows), strict=True)]
        whole = sum(row.count for row in rows)
        table.add_row(kind, f"{len(rows)} tasks", str(whole), *map(_count, sums), end_section=True)
    table.add_row("all", f"{len(tally.rows)} tasks", str(tally.count), *map(_count, tally.by_seed))
    return table


def _count(number: int) -> str:
    return str(number) if number else "."
