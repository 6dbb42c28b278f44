"""How many conversation tasks a set holds: by task, by type and by seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from sociolab.worlds.stss.talk.scenario import TalkScenario
from sociolab.worlds.stss.task import TASK_TYPES, TaskType


@dataclass(frozen=True, slots=True)
class Row:
    """One social task: how many conversation tasks there are of it, in all and by seed."""

    type: TaskType
    task: str
    of_seed: tuple[int, ...]

    @property
    def count(self) -> int:
        """In all."""
        return sum(self.of_seed)


@dataclass(frozen=True, slots=True)
class Tally:
    """Rows by type, in the order of Table 4, then as the tasks come; `seeds` heads `of_seed`."""

    seeds: tuple[int, ...]
    rows: tuple[Row, ...]

    @property
    def count(self) -> int:
        """How many conversation tasks there are."""
        return sum(row.count for row in self.rows)

    @property
    def types(self) -> tuple[tuple[TaskType, tuple[Row, ...]], ...]:
        """The rows of each type that is present."""
        return tuple((kind, tuple(rows)) for kind, rows in groupby(self.rows, lambda r: r.type))

    @property
    def by_seed(self) -> tuple[int, ...]:
        """How many there are of each seed."""
        return tuple(
            sum(row.of_seed[number] for row in self.rows) for number in range(len(self.seeds))
        )

    def as_markdown(self, title: str) -> str:
        """A page with two tables."""
        kinds = "".join(
            f"| {kind} | {len(rows)} | {sum(row.count for row in rows)} |\n"
            for kind, rows in self.types
        )
        heads = "".join(f" {seed} |" for seed in self.seeds)
        tasks = "".join(
            f"| {row.type} | {row.task} | {row.count} |{_cells(row.of_seed)}\n" for row in self.rows
        )
        return (
            f"# {title}: {self.count} conversation tasks of {len(self.rows)} social tasks\n\n"
            f"| type | social tasks | conversation tasks |\n|---|---:|---:|\n{kinds}"
            f"| all | {len(self.rows)} | {self.count} |\n\n"
            "By social task, in all and by the seed of the town:\n\n"
            f"| type | task | all |{heads}\n|---|---|---:|{'---:|' * len(self.seeds)}\n{tasks}"
            f"| all | | {self.count} |{_cells(self.by_seed)}\n"
        )


def tally(scenarios: Sequence[TalkScenario]) -> Tally:
    """Count the conversation tasks of a set."""
    seeds = tuple(sorted({one.seed for one in scenarios}))
    counts = Counter((one.task.id, one.seed) for one in scenarios)
    types = {one.task.id: one.task.type for one in scenarios}
    rows = [
        Row(kind, task, tuple(counts[task, seed] for seed in seeds)) for task, kind in types.items()
    ]
    return Tally(seeds, tuple(sorted(rows, key=lambda row: TASK_TYPES.index(row.type))))


def _cells(counts: Sequence[int]) -> str:
    return "".join(f" {count} |" for count in counts)
