"""A stored run to read in a notebook: its result, its tables as data frames, its transcripts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sociolab.analysis.run_comparison import ComparedRuns, compare
from sociolab.app.queries import (
    TranscriptText,
    episodes_table,
    scores_table,
    transcript,
    turns_table,
)
from sociolab.core.errors import ConfigError
from sociolab.report.result import RunResult, result_of
from sociolab.store.connect import store_path
from sociolab.store.store import open_store


@dataclass(frozen=True, slots=True)
class Run:
    """A run in a store. A notebook shows it as its report does: what was played, and the scores.

    `result` is how the run stood when it was played, judged or opened; everything else is read
    from the store at each use. `scores`, `episodes` and `turns` are data frames of pandas or, where
    that is not installed, of polars; docs/python.md explains their columns.

    >>> from sociolab import RunConfig, run
    >>> first = run(RunConfig(tasks="bargain", limit=1, name="first", store=f"{folder}/lab.db"))
    >>> first.played, first.episodes["ended"].to_list()
    (1, ['left'])
    >>> print(str(first.transcript(first.episodes["trial"][0])).splitlines()[0])
    Touring bicycle: Zoran Vukovic and Kaveh Behzadi
    """

    name: str
    store: Path
    result: RunResult

    def __repr__(self) -> str:
        return f"<Run {self.name} in {self.store}: {self.played} of {self.result.trials} played>"

    def _repr_html_(self) -> str:
        from sociolab.report.html import run_fragment  # loads the templates

        return run_fragment(self.result)

    @property
    def played(self) -> int:
        """The number of trials that were played to an end."""
        return self.result.played

    @property
    def failed(self) -> int:
        """The number of trials that failed."""
        return self.result.failed

    @property
    def stopped(self) -> str:
        """Why the run ended early; "" if it did not."""
        return self.result.stopped

    @property
    def scores(self) -> Any:
        """A data frame with a row for each score, failed score or "cannot tell"."""
        with open_store(self.store) as store:
            return scores_table(store, self.name).to_frame()

    @property
    def episodes(self) -> Any:
        """A data frame with a row for each trial of the plan, played or not."""
        with open_store(self.store) as store:
            return episodes_table(store, self.name).to_frame()

    @property
    def turns(self) -> Any:
        """A data frame with a row for each action, answer, unusable reply and end."""
        with open_store(self.store) as store:
            return turns_table(store, self.name).to_frame()

    def transcript(self, episode: str, seat: str | None = None) -> TranscriptText:
        """An episode to read, with its scores; `episode` is an id or its beginning. With a `seat`
        (an id or a name), only what it saw."""
        with open_store(self.store) as store:
            return transcript(store, self.name, episode, seat)

    def compare(
        self,
        *others: Run | str,
        agent: str | None = None,
        other: str | None = None,
        judge: str | None = None,
        measures: Sequence[str] = (),
    ) -> ComparedRuns:
        """This run compared with another of its store, or two agents of it: see
        `sociolab.compare`."""
        for run in others:
            if isinstance(run, Run) and run.store.resolve() != self.store.resolve():
                raise ConfigError(
                    f"expected runs of one store, found {self.store} and {run.store}; "
                    "`sociolab store merge` brings them together"
                )
        names = [self.name, *(run.name if isinstance(run, Run) else run for run in others)]
        with open_store(self.store) as store:
            return compare(store, names, agent=agent, other=other, judge=judge, measures=measures)


def open_run(name: str, store: Path | str | None = None) -> Run:
    """A run of the store at `store` (default: your own), to look at in a notebook.

    StoreError if there is no such store, or no such run in it.

    >>> from sociolab import RunConfig, open_run, run
    >>> result = run(RunConfig(limit=1, judges="none", name="first", store=f"{folder}/lab.db"))
    >>> len(open_run("first", f"{folder}/lab.db").episodes)
    1
    """
    path = store_path(None if store is None else Path(store))
    with open_store(path) as opened:
        return Run(name, path, result_of(opened, name))
