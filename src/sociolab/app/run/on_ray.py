"""`--on ray`: play or judge the trials of a run on the machines of a Ray cluster.

The driver, which is the command itself, holds the run's store and is the only process to write to
it. A worker is a Ray task with some of the trials in a temporary store; it sends what happens there
to the driver every second. If a worker is lost, another one continues from the driver's store. The
desk, an actor on the driver's node, holds the shared budget, and queues what workers send.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

from sociolab.app.players.models import Models
from sociolab.app.run.config import JudgeConfig, RunConfig
from sociolab.app.run.session import Worker, models_of
from sociolab.core import __version__
from sociolab.core.codec import decode_event
from sociolab.core.episode import Trial
from sociolab.core.errors import (
    BudgetSpent,
    Cause,
    ConfigError,
    ModelError,
    SociolabError,
    StorageError,
    missing_extra,
)
from sociolab.models.budget import Budget
from sociolab.runner.local import count_event
from sociolab.runner.progress import Tally
from sociolab.store.database import as_text
from sociolab.store.store import RunRow, Store
from sociolab.store.trial_rows import Marks, TrialRows, read_trial, take_trial, trial_states

EVERY = 1.0
"""Seconds between two parcels of a worker: at most this much work is lost with its machine."""

MOST_TRIALS = 200
"""Maximum number of trials in a task."""

LOSSES = 5
"""Number of tasks in a row that may be lost without sending anything; then the run gives up."""

LAST_WORDS = 5.0
"""Seconds that workers have for a last parcel when the run is interrupted."""


PartWork: TypeAlias = Callable[[Any, Worker], Coroutine[Any, Any, ModelError | None]]
"""Plays or judges the trials in a worker's store, and returns the error that ended it early, if one
did. It is pickled: a function of a module, or a partial of one."""


@dataclass(frozen=True, slots=True)
class RayJob:
    """What a task is to do: `work`, on trials with their `rows` in the driver's store. At most
    `workers` tasks run at once."""

    number: int
    config: RunConfig | JudgeConfig
    run: RunRow
    trials: tuple[Trial, ...]
    rows: tuple[TrialRows, ...]
    work: PartWork
    workers: int
    folder: str
    version: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a task ended: the `problem` is the text of the ModelError that ended it early, or ""."""

    problem: str = ""
    cause: Cause = "interrupted"
    fatal: bool = False


# ------------------------------------------------------------------ at the desk


class RayDesk:
    """A Ray actor with the budget of all workers, and their parcels on the way to the driver."""

    def __init__(self, limit: float | None, spent: float) -> None:
        self._budget = Budget(limit)
        self._budget.spend(spent)
        self._held: dict[int, list[float]] = defaultdict(list)
        self._lost: set[int] = set()
        self._parcels: asyncio.Queue[tuple[int, list[TrialRows]]] = asyncio.Queue(100)

    async def hold(self, number: int, usd: float) -> str:
        """Reserve dollars for a call of a task; returns why there are none left, or ""."""
        try:
            await self._budget.hold(lambda: usd)
        except BudgetSpent as error:
            return str(error)
        self._held[number].append(usd)
        return ""

    async def settle(self, number: int, held: float, usd: float, estimated: bool) -> None:
        """A call is over: book its cost and release what was reserved for it, in one step, since
        an actor may handle messages out of order."""
        if number not in self._lost:
            self._budget.spend(usd, estimated=estimated)
            self._held[number].remove(held)
            self._budget.release(held)

    async def put(self, number: int, parcel: list[TrialRows]) -> bool:
        """Queue a parcel of a task; False if the task was given up for lost, and must end."""
        if number not in self._lost:
            await self._parcels.put((number, parcel))
        return number not in self._lost

    async def take(self, seconds: float = 0.5) -> list[tuple[int, list[TrialRows]]]:
        """All queued parcels, after waiting for the first for so many seconds at most."""
        parcels = []
        with suppress(TimeoutError):
            parcels.append(await asyncio.wait_for(self._parcels.get(), seconds))
        while not self._parcels.empty():
            parcels.append(self._parcels.get_nowait())
        return parcels

    async def lose(self, number: int) -> None:
        """Give up a task: its calls in flight count as having cost what was reserved for them."""
        self._lost.add(number)
        for usd in self._held.pop(number, []):
            self._budget.spend(usd, estimated=True)
            self._budget.release(usd)


class SharedBudget(Budget):
    """A worker's view of the budget at the desk."""

    def __init__(self, limit: float | None, desk: Any, number: int) -> None:
        super().__init__(limit)
        self._desk, self._number = desk, number
        self._booked, self._estimated_too = 0.0, False

    async def hold(self, most: Callable[[], float]) -> float:
        usd = most()
        if problem := await self._desk.hold.remote(self._number, usd):
            raise BudgetSpent(problem)
        return usd

    def release(self, usd: float) -> None:
        """A call is over; sends what `spend` has booked since the last call with it."""
        self._desk.settle.remote(self._number, usd, self._booked, self._estimated_too)
        self._booked, self._estimated_too = 0.0, False

    def spend(self, usd: float, *, estimated: bool = False) -> None:
        self._booked += usd
        self._estimated_too |= estimated


# ------------------------------------------------------------------ a worker


def do_job(job: RayJob, desk: Any) -> Outcome:
    """The Ray task: work in a temporary store, and send what happens to the desk."""
    if job.version != __version__:
        raise ConfigError(
            f"--on: expected sociolab {job.version} on every machine, found {__version__}"
        )
    if Path(job.folder).is_dir():  # users' own agents and files are found relative to it
        os.chdir(job.folder)
        sys.path.append(job.folder)
    with TemporaryDirectory(prefix="sociolab-worker-") as folder:
        local = {"store": Path(folder) / "part.db", "shard": None, "on": None}
        config = job.config.model_copy(update=local)
        with Store.open(Path(folder) / "part.db") as store:
            run = job.run
            store.create_run(run.name, run.world, run.settings, job.trials, run.declared)
            with store.transaction():
                for rows in job.rows:
                    take_trial(store, run.name, rows)
        return asyncio.run(_work_and_send(config, job, desk))


async def _work_and_send(config: RunConfig | JudgeConfig, job: RayJob, desk: Any) -> Outcome:
    assigned = Worker(SharedBudget(config.budget_share, desk, job.number), job.workers)
    assert config.store is not None
    with Store.open(config.store) as store:
        outbox = _Outbox(store, job.run.name, desk, job.number)
        sending = asyncio.create_task(outbox.keep_sending())
        working = asyncio.create_task(job.work(config, assigned))
        try:
            await asyncio.wait({sending, working}, return_when=asyncio.FIRST_COMPLETED)
            if not working.done():
                sending.result()
            error = await working
        finally:
            for task in (sending, working):
                task.cancel()
            await asyncio.gather(sending, working, return_exceptions=True)
            await outbox.send()
    return Outcome() if error is None else Outcome(str(error), error.cause, error.fatal)


class _Outbox:
    """Sends what is new in a worker's store to the desk."""

    def __init__(self, store: Store, run: str, desk: Any, number: int) -> None:
        self._store, self._run, self._desk, self._number = store, run, desk, number
        self._sent = trial_states(store, run)
        self._marks: dict[str, Marks] = {
            trial: read_trial(store, run, trial)[1] for trial in self._sent
        }

    async def keep_sending(self) -> None:
        """Send every second; ConfigError once the driver has given this worker up."""
        while True:
            await asyncio.sleep(EVERY)
            if not await self.send():
                raise ConfigError("this task was given up by its driver")

    async def send(self) -> bool:
        """Send what is new; returns whether the driver still counts on this worker."""
        states, parcel = trial_states(self._store, self._run), list[TrialRows]()
        for trial, state in states.items():
            if state != self._sent[trial]:
                rows, self._marks[trial] = read_trial(
                    self._store, self._run, trial, self._marks[trial]
                )
                parcel.append(rows)
        self._sent = states
        return not parcel or bool(await self._desk.put.remote(self._number, parcel))


# ------------------------------------------------------------------ the driver


async def work_on(
    config: RunConfig | JudgeConfig,
    store: Store,
    run: str,
    trials: Sequence[str],
    tally: Tally,
    work: PartWork,
    *,
    judging: bool = False,
) -> ModelError | StorageError | None:
    """Have these trials played (or judged, if `judging`) on the cluster; returns the error that
    ended it early, if one did. When cancelled, it still stores what workers have done.

    ConfigError where Ray is not installed or cannot be reached, and where a worker's machine has
    another version of sociolab or cannot run the work.
    """
    if not trials:
        return None
    before = signal.getsignal(signal.SIGTERM)
    ray, connected_here = await asyncio.to_thread(_connect, config)
    if threading.current_thread() is threading.main_thread():  # Ray's handler aborts the process
        signal.signal(signal.SIGTERM, before)
    try:
        return await _Driver(ray, config, store, run, tally, work, judging).work(trials)
    finally:
        if connected_here:
            await asyncio.to_thread(ray.shutdown)


def _connect(config: RunConfig | JudgeConfig) -> tuple[Any, bool]:
    """The module ray, and whether this call connected it; an existing connection is used."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # no telemetry
    try:
        import ray
    except ImportError as error:
        raise missing_extra("--on ray needs", "ray", "ray") from error
    if ray.is_initialized():
        return ray, False
    assert config.on is not None
    address = config.on if "://" in config.on else os.environ.get("RAY_ADDRESS", "local")
    local: dict[str, Any] = {"include_dashboard": False, "object_store_memory": 200_000_000}
    options = local if address == "local" else {}
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **options)
    except (ConnectionError, ImportError, RuntimeError, ValueError) as error:
        reason = " ".join(str(error).split())[:200]
        raise ConfigError(
            f"--on {config.on}: expected a Ray cluster at {address}, found none ({reason}); start "
            "one by `ray start --head`, see docs/cluster.md"
        ) from error
    return ray, True


class _Driver:
    """Distributes trials to tasks, and stores what their workers send."""

    def __init__(
        self,
        ray: Any,
        config: RunConfig | JudgeConfig,
        store: Store,
        run: str,
        tally: Tally,
        work: PartWork,
        judging: bool,
    ) -> None:
        self._ray, self._config, self._store, self._run = ray, config, store, run
        self._tally, self._part, self._judging = tally, work, judging
        self._over = {id for status in ("played", "failed") for id in store.trial_ids(run, status)}
        before = store.verdicts.judgings(run) if judging else ()
        self._judged = {(row.trial, row.judge, row.judging) for row in before}
        self._calls: set[str] = set()
        self._jobs: dict[asyncio.Task[Outcome], tuple[int, Any, Sequence[str]]] = {}
        self._number = self._losses = 0
        self._workers = min(max(1, int(ray.cluster_resources().get("CPU", 1))), self._in_flight())
        spent = store.calls.totals(run).usd or 0.0
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        # The desk is on the driver's node: if that is lost, the run ends anyway.
        node = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
        desk = ray.remote(num_cpus=0, max_concurrency=10_000, scheduling_strategy=node)(RayDesk)
        self._desk = desk.remote(config.budget_share, spent)
        self._task = ray.remote(num_cpus=1, max_retries=0)(do_job)

    async def work(self, trials: Sequence[str]) -> ModelError | None:
        """Work on all trials, in about two tasks for each worker, of `MOST_TRIALS` at most."""
        size = min(MOST_TRIALS, ceil(len(trials) / (2 * self._workers)))
        waiting = deque(trials[at : at + size] for at in range(0, len(trials), size))
        error: ModelError | None = None
        taking = asyncio.ensure_future(self._result(self._desk.take.remote()))
        try:
            while self._jobs or (waiting and error is None):
                while waiting and error is None and len(self._jobs) < self._workers:
                    self._begin(waiting.popleft())
                done, _ = await asyncio.wait(
                    {taking, *self._jobs}, return_when=asyncio.FIRST_COMPLETED
                )
                if taking in done:
                    self._store_parcels(await taking)
                    taking = asyncio.ensure_future(self._result(self._desk.take.remote()))
                for job in done & {*self._jobs}:
                    self._store_parcels(await self._result(self._desk.take.remote(0.01)))
                    job_error = await self._finish(job, waiting)
                    if job_error is not None:
                        error = error or job_error
                        if job_error.fatal and job_error.cause != "budget":
                            self._cancel()
            self._store_parcels(await taking)
            self._store_parcels(await self._result(self._desk.take.remote(0.01)))
            return error
        except self._ray.exceptions.RayActorError as lost:
            raise ConfigError(
                "--on: the machine of the cluster that the driver is connected to was lost; "
                "everything that came in is stored, and the same command resumes"
            ) from lost
        finally:
            taking.cancel()
            if self._jobs:
                await self._stop_workers()
            self._ray.kill(self._desk)

    def _in_flight(self) -> int:
        """The lowest limit of calls in flight among the endpoints: the maximum number of workers,
        since each makes at least one call at a time."""
        models = Models(self._config)
        room = (models.endpoint(spec).in_flight for spec in models_of(self._config))
        return min(room, default=sys.maxsize)

    def _begin(self, trials: Sequence[str]) -> None:
        self._number += 1
        job = RayJob(
            self._number,
            self._config,
            self._store.run(self._run),
            tuple(self._store.episode(self._run, trial).trial for trial in trials),
            tuple(read_trial(self._store, self._run, trial)[0] for trial in trials),
            self._part,
            self._workers,
            os.getcwd(),
            __version__,
        )
        ref = self._task.remote(job, self._desk)
        self._jobs[asyncio.ensure_future(self._result(ref))] = (job.number, ref, trials)

    async def _finish(
        self, job: asyncio.Task[Outcome], waiting: deque[Sequence[str]]
    ) -> ModelError | None:
        """The error that ended a task early, if one did; the trials of a lost task wait again."""
        number, _, trials = self._jobs.pop(job)
        try:
            outcome = job.result()
        except self._ray.exceptions.RayTaskError as error:  # raised by sociolab in the worker
            cause = error.cause if isinstance(error.cause, SociolabError) else error
            if isinstance(cause, SociolabError):
                raise cause from None
            raise
        except self._ray.exceptions.RayError as error:
            await self._result(self._desk.lose.remote(number))
            self._store_parcels(await self._result(self._desk.take.remote(0.01)))
            self._losses += 1
            if self._losses > LOSSES:
                raise ConfigError(
                    f"--on: {self._losses} tasks in a row were lost, and nothing came of them "
                    f"({type(error).__name__}); see the logs of Ray; the same command resumes"
                ) from error
            waiting.append(trials)  # even those that were played, since they may lack scores
            return None
        if not outcome.problem:
            return None
        return ModelError(outcome.problem, cause=outcome.cause, fatal=outcome.fatal)

    def _store_parcels(self, parcels: Sequence[tuple[int, list[TrialRows]]]) -> None:
        if not parcels:
            return
        self._losses = 0
        with self._store.transaction():
            for _, parcel in parcels:
                for rows in parcel:
                    take_trial(self._store, self._run, rows)
        for _, parcel in parcels:
            for rows in parcel:
                self._count(rows)

    def _count(self, rows: TrialRows) -> None:
        tally = self._tally
        for call in rows.calls:
            if call[11] not in self._calls:
                self._calls.add(call[11])
                tally.calls += 1
                tally.tokens += call[12] + call[13]
                tally.estimated += call[15]
                tally.usd += call[16] or 0.0
        tally.calls += len(rows.failures)
        for attempt in rows.attempts:
            tally.tokens += attempt[13] + attempt[14]
            tally.usd += attempt[16] or 0.0
        if self._judging:
            judged = {(row.trial, row.judge, row.judging) for row in rows.judgings}
            new = judged - self._judged
            self._judged |= new
            tally.done += len(new)
            return
        for event in rows.events:
            count_event(tally, rows.id, decode_event(as_text(event)))
        if rows.status in ("played", "failed") and rows.id not in self._over:
            self._over.add(rows.id)
            tally.failed += rows.status == "failed"
            tally.finish(rows.id)

    def _cancel(self) -> None:
        for _, ref, _ in self._jobs.values():
            self._ray.cancel(ref)

    async def _stop_workers(self) -> None:
        """Cancel the workers, and store what they send meanwhile."""
        self._cancel()
        until = asyncio.get_running_loop().time() + LAST_WORDS
        try:
            with suppress(self._ray.exceptions.RayError, ConnectionError):  # the cluster is gone
                while asyncio.get_running_loop().time() < until:
                    over = all(job.done() for job in self._jobs)
                    self._store_parcels(await self._result(self._desk.take.remote(0.2)))
                    if over:
                        break
        finally:
            for job in self._jobs:
                job.cancel()
            await asyncio.gather(*self._jobs, return_exceptions=True)

    async def _result(self, ref: Any) -> Any:
        return await asyncio.wrap_future(ref.future())
