"""Runs that clients of `sociolab mcp` start, each in a thread of its own, stored like any other."""

from __future__ import annotations

import concurrent.futures
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from pydantic import BaseModel, Field

from sociolab.app.preflight.estimate import estimate
from sociolab.app.preflight.run_estimate import RunEstimate
from sociolab.app.run.config import RunConfig, run_toml
from sociolab.app.run.play import cautions, run_async
from sociolab.app.run_sync import LoopThread
from sociolab.cli.mcp.limits import ClientLimits, Grant, Left
from sociolab.core.errors import ConfigError, SociolabError
from sociolab.core.tracebacks import describe_error
from sociolab.report.result import run_of_episodes
from sociolab.runner.progress import Tally
from sociolab.store.connect import store_path
from sociolab.store.store import Store, open_store

State: TypeAlias = Literal["running", "done", "stopped"]


class RunState(BaseModel):
    """How far a run is."""

    run: str
    state: State = Field(
        description="stopped: episodes are left; start_run with its plan and name resumes it"
    )
    episodes: int
    done: int = Field(description="Episodes that are over, failed ones included")
    failed: int
    usd: float | None = Field(description="Dollars spent on this run; null if unknown")
    seconds_left: float | None = None
    why: str = Field("", description="Why it stopped early")
    left: Left


class StartedRun(RunState):
    """A run that has begun, or is over already."""

    cautions: list[str] = Field(description="What the plan will not show")
    file: str = Field(description="The run as a TOML file for `sociolab run --file FILE`")


@dataclass
class _Work:
    """A run under way, or one that is over."""

    grant: Grant
    thread: LoopThread = field(default_factory=LoopThread)
    begun: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)
    name: str = ""
    tally: Tally = field(default_factory=Tally)
    stopped: str = ""
    error: Exception | None = None

    def play(self, config: RunConfig, limits: ClientLimits) -> None:
        @contextmanager
        def watch(name: str, tally: Tally) -> Iterator[None]:
            self.name, self.tally = name, tally
            self.begun.set()
            yield

        try:
            self.stopped = self.thread.run(run_async(config, watch)).stopped
        except concurrent.futures.CancelledError:
            pass  # the server ends
        except Exception as error:  # noqa: BLE001  told to the client
            self.error = error
        finally:
            self.thread.close()
            tally = self.tally
            limits.settle(self.grant, tally.usd, tally.done - tally.done_before)
            self.begun.set()
            self.over.set()

    def state(self, state: State, left: Left) -> RunState:
        tally = self.tally
        return RunState(
            run=self.name,
            state=state,
            episodes=tally.total,
            done=tally.done,
            failed=tally.failed,
            usd=tally.usd,
            seconds_left=tally.seconds_left,
            left=left,
        )

    @property
    def why(self) -> str:
        if self.error is not None:
            ours = isinstance(self.error, SociolabError)
            return str(self.error) if ours else describe_error(self.error)
        return self.stopped


class Runs:
    """The runs of a server; `close` stops those under way, which can be resumed."""

    def __init__(self, limits: ClientLimits, store: Path | None) -> None:
        self._limits = limits
        self._store = store
        self._work: dict[str, _Work] = {}
        self._starting = threading.Lock()  # clients call from several threads

    def price(self, config: RunConfig) -> RunEstimate:
        """What a run takes; ConfigError where no client may start it."""
        self._limits.check(config, config.specs)
        return estimate(config)

    def start(self, config: RunConfig) -> StartedRun:
        """Start or resume a run, and return once it is in the store.

        ConfigError where the description is wrong, or the budget does not reach.
        """
        with self._starting:
            return self._start(config)

    def _start(self, config: RunConfig) -> StartedRun:
        if config.name and (work := self._work.get(config.name)) and not work.over.is_set():
            raise ConfigError(f'the run "{config.name}" is under way; run_progress follows it')
        expected = self.price(config)
        share, spent = 1.0, 0.0
        if earlier := _stored_state(config, self._limits.left):
            played = earlier.done - earlier.failed  # failed ones may be played again
            share = 1 - played / (earlier.episodes or 1)
            spent = earlier.usd or 0.0
        low, _ = usd_range(expected)
        free = not expected.prices and not expected.uncounted
        least = None if low is None else low * share
        asked = 0.0 if free else config.budget
        grant = self._limits.hold(asked, round(expected.trials * share), least)
        if not free:  # a budget is for the whole run, with what earlier parts have spent
            config = config.model_copy(update={"budget": spent + grant.usd})
        work = _Work(grant)
        threading.Thread(target=work.play, args=(config, self._limits), daemon=True).start()
        work.begun.wait()
        if not work.name and work.error is not None:
            raise work.error
        self._work[work.name] = work
        named = config.model_copy(update={"name": work.name})
        state = self.state(work.name)
        return StartedRun(
            **state.model_dump(), cautions=list(cautions(config)), file=run_toml(named)
        )

    def state(self, run: str, wait: float = 0.0) -> RunState:
        """How far a run is, after at most so many seconds, or once it is over."""
        work = self._work.get(run)
        if work is not None and not work.over.wait(wait):
            return work.state("running", self._limits.left)
        with open_store(self._store) as store:
            stored = _state(store, run, self._limits.left)
        return stored.model_copy(update={"why": work.why}) if work else stored

    def close(self) -> tuple[RunState, ...]:
        """Stop the runs under way; what they have played is stored."""
        under_way = [work for work in self._work.values() if not work.over.is_set()]
        for work in under_way:
            work.thread.close()
        return tuple(work.state("stopped", self._limits.left) for work in under_way)


def usd_range(expected: RunEstimate) -> tuple[float | None, float | None]:
    """The low and the high end of the cost, exams included; None where a price is unknown."""
    exam = expected.exam
    low, high = (expected.usd(case.with_all(exam) if exam else case) for case in expected.range)
    return low, high


def _stored_state(config: RunConfig, left: Left) -> RunState | None:
    """The state of the run that this would resume; None if it is new."""
    path = store_path(config.store)
    if config.name is None or not path.is_file():
        return None
    with Store.open(path, create=False) as store:
        return _state(store, config.name, left) if store.has_run(config.name) else None


def _state(store: Store, run: str, left: Left) -> RunState:
    row, totals = run_of_episodes(store, run), store.calls.totals(run)
    over = row.played + row.failed
    return RunState(
        run=row.name,
        state="done" if over == row.trials else "stopped",
        episodes=row.trials,
        done=over,
        failed=row.failed,
        usd=totals.usd if totals.calls else 0.0,
        left=left,
    )
