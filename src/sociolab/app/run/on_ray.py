"""`--on ray`: trials of a run are played, or judged, on the machines of a Ray cluster.

The driver, which is the command itself, holds the run's store and is the only one to write to it. A
worker is a Ray task with some trials in a store of its own, which lasts as long as the task; what
happens there it sends to the driver every second. Where a worker is lost, the driver has another
begin where the store stands. The desk, an actor on the driver's own node, holds the budget of all,
and what workers sent until the driver takes it.
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
"""Seconds between two sendings of a worker: what it did since the last is lost with its machine."""

MOST_TRIALS = 200
"""Of a task."""

LOSSES = 5
"""Tasks in a row that may be lost with nothing new from any of them; then the cluster is broken."""

LAST_WORDS = 5.0
"""Seconds that workers have to send what they did, when the run is interrupted."""


PartWork: TypeAlias = Callable[[Any, Worker], Coroutine[Any, Any, ModelError | None]]
"""Plays or judges what a worker's store holds, and says why it ended early, if it did. A function
of a module, with arguments at most: it goes to other machines."""


@dataclass(frozen=True, slots=True)
class RayJob:
    """What a task is to do: `work`, on trials as they stand in the driver's store. `workers` may be
    at work at once."""

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
    """Why a task ended before its trials were done, as a ModelError has it; "" if it did not."""

    problem: str = ""
    cause: Cause = "interrupted"
    fatal: bool = False


# ------------------------------------------------------------------ at the desk


class RayDesk:
    """An actor: the budget of all workers, and their parcels on the way to the driver."""

    def __init__(self, limit: float | None, spent: float) -> None:
        self._budget = Budget(limit)
        self._budget.spend(spent)
        self._held: dict[int, list[float]] = defaultdict(list)
        self._lost: set[int] = set()
        self._parcels: asyncio.Queue[tuple[int, list[TrialRows]]] = asyncio.Queue(100)

    async def hold(self, number: int, usd: float) -> str:
        """Hold dollars for a call of a task; why there are none, or ""."""
        try:
            await self._budget.hold(lambda: usd)
        except BudgetSpent as error:
            return str(error)
        self._held[number].append(usd)
        return ""

    async def settle(self, number: int, held: float, usd: float, estimated: bool) -> None:
        """A call is over: book its cost, and let go of what was held for it, in one step, since
        an actor may take messages out of their order."""
        if number not in self._lost:
            self._budget.spend(usd, estimated=estimated)
            self._held[number].remove(held)
            self._budget.release(held)

    async def put(self, number: int, parcel: list[TrialRows]) -> bool:
        """Hand in what a task did; False if it was given up for lost, and must end."""
        if number not in self._lost:
            await self._parcels.put((number, parcel))
        return number not in self._lost

    async def take(self, seconds: float = 0.5) -> list[tuple[int, list[TrialRows]]]:
        """What was handed in, once there is anything, but for no longer than this."""
        parcels = []
        with suppress(TimeoutError):
            parcels.append(await asyncio.wait_for(self._parcels.get(), seconds))
        while not self._parcels.empty():
            parcels.append(self._parcels.get_nowait())
        return parcels

    async def lose(self, number: int) -> None:
        """Give up a task: its calls under way are taken to have cost what was held for them."""
        self._lost.add(number)
        for usd in self._held.pop(number, []):
            self._budget.spend(usd, estimated=True)
            self._budget.release(usd)


class SharedBudget(Budget):
    """The budget at the desk, as a worker sees it."""

    def __init__(self, limit: float | None, desk: Any, number: int) -> None:
        super().__init__(limit)
        self._desk, self._number = desk, number
        self._booked, self._estimated_too = 0.0, False

    async def hold(self, most: Callable[[], float]) -> float:
        """As `Budget.hold`, for the calls of all workers together."""
        usd = most()
        if problem := await self._desk.hold.remote(self._number, usd):
            raise BudgetSpent(problem)
        return usd

    def release(self, usd: float) -> None:
        """A call is over; what was booked since the last goes with it."""
        self._desk.settle.remote(self._number, usd, self._booked, self._estimated_too)
        self._booked, self._estimated_too = 0.0, False

    def spend(self, usd: float, *, estimated: bool = False) -> None:
        """Book what a call did cost."""
        self._booked += usd
        self._estimated_too |= estimated


# ------------------------------------------------------------------ a worker


def do_job(job: RayJob, desk: Any) -> Outcome:
    """The task: work in a store that is gone afterwards, and send what happens."""
    if job.version != __version__:
        raise ConfigError(
            f"--on: expected sociolab {job.version} on every machine, found {__version__}"
        )
    if Path(job.folder).is_dir():  # agents of one's own, and files, are found from where it began
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
        return asyncio.run(_worked(config, job, desk))


async def _worked(config: RunConfig | JudgeConfig, job: RayJob, desk: Any) -> Outcome:
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
    """What a worker did, on its way to the desk."""

    def __init__(self, store: Store, run: str, desk: Any, number: int) -> None:
        self._store, self._run, self._desk, self._number = store, run, desk, number
        self._sent = trial_states(store, run)
        self._marks: dict[str, Marks] = {
            trial: read_trial(store, run, trial)[1] for trial in self._sent
        }

    async def keep_sending(self) -> None:
        """Send every second; ends where this worker was given up."""
        while True:
            await asyncio.sleep(EVERY)
            if not await self.send():
                raise ConfigError("this task was given up by its driver")

    async def send(self) -> bool:
        """Send what is new; whether the desk still wants it."""
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
    """Have these trials played, or judged if it is `judging`, on the cluster; why that ended early,
    if it did. Cancelled, it takes in what workers have done.

    ConfigError where Ray is not installed or cannot be reached, and where a worker's machine is
    not as the run wants it.
    """
    if not trials:
        return None
    before = signal.getsignal(signal.SIGTERM)
    ray, ours = await asyncio.to_thread(_connected, config)
    if threading.current_thread() is threading.main_thread():  # Ray aborts the process on it
        signal.signal(signal.SIGTERM, before)
    try:
        return await _Driver(ray, config, store, run, tally, work, judging).work(trials)
    finally:
        if ours:
            await asyncio.to_thread(ray.shutdown)


def _connected(config: RunConfig | JudgeConfig) -> tuple[Any, bool]:
    """Ray, and whether the connection to the cluster is ours; one that is there is used."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # it would tell its makers
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
    """Hands out trials, takes in what comes of them, and is the only one to write."""

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

        # A worker's machine may go; with the driver's own, all goes.
        node = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
        desk = ray.remote(num_cpus=0, max_concurrency=10_000, scheduling_strategy=node)(RayDesk)
        self._desk = desk.remote(config.budget_share, spent)
        self._task = ray.remote(num_cpus=1, max_retries=0)(do_job)

    async def work(self, trials: Sequence[str]) -> ModelError | None:
        """All of it, in tasks of some trials each, two for each worker if that is not too much."""
        size = min(MOST_TRIALS, ceil(len(trials) / (2 * self._workers)))
        waiting = deque(trials[at : at + size] for at in range(0, len(trials), size))
        error: ModelError | None = None
        taking = asyncio.ensure_future(self._got(self._desk.take.remote()))
        try:
            while self._jobs or (waiting and error is None):
                while waiting and error is None and len(self._jobs) < self._workers:
                    self._begin(waiting.popleft())
                done, _ = await asyncio.wait(
                    {taking, *self._jobs}, return_when=asyncio.FIRST_COMPLETED
                )
                if taking in done:
                    self._take(await taking)
                    taking = asyncio.ensure_future(self._got(self._desk.take.remote()))
                for job in done & {*self._jobs}:
                    self._take(await self._got(self._desk.take.remote(0.01)))
                    ended = await self._ended(job, waiting)
                    if ended is not None:
                        error = error or ended
                        if ended.fatal and ended.cause != "budget":
                            self._cancel()
            self._take(await taking)
            self._take(await self._got(self._desk.take.remote(0.01)))
            return error
        except self._ray.exceptions.RayActorError as lost:
            raise ConfigError(
                "--on: the machine of the cluster that the driver is connected to was lost; "
                "everything that came in is stored, and the same command resumes"
            ) from lost
        finally:
            taking.cancel()
            if self._jobs:
                await self._interrupted()
            self._ray.kill(self._desk)

    def _in_flight(self) -> int:
        """How many calls may be in flight at the endpoint that takes the fewest: so many workers at
        most, since each has one."""
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
        self._jobs[asyncio.ensure_future(self._got(ref))] = (job.number, ref, trials)

    async def _ended(
        self, job: asyncio.Task[Outcome], waiting: deque[Sequence[str]]
    ) -> ModelError | None:
        """What a task came to; what was lost of it waits again."""
        number, _, trials = self._jobs.pop(job)
        try:
            outcome = job.result()
        except self._ray.exceptions.RayTaskError as error:  # it was raised by our own code there
            cause = error.cause if isinstance(error.cause, SociolabError) else error
            if isinstance(cause, SociolabError):
                raise cause from None
            raise
        except self._ray.exceptions.RayError as error:
            await self._got(self._desk.lose.remote(number))
            self._take(await self._got(self._desk.take.remote(0.01)))
            self._losses += 1
            if self._losses > LOSSES:
                raise ConfigError(
                    f"--on: {self._losses} tasks in a row were lost, and nothing came of them "
                    f"({type(error).__name__}); see the logs of Ray; the same command resumes"
                ) from error
            waiting.append(trials)  # what is done is found so: a played one may lack scores
            return None
        if not outcome.problem:
            return None
        return ModelError(outcome.problem, cause=outcome.cause, fatal=outcome.fatal)

    def _take(self, parcels: Sequence[tuple[int, list[TrialRows]]]) -> None:
        """Store what workers sent, and count it."""
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
            tally.one_done(rows.id)

    def _cancel(self) -> None:
        for _, ref, _ in self._jobs.values():
            self._ray.cancel(ref)

    async def _interrupted(self) -> None:
        """Have the workers end, and take in what they send meanwhile."""
        self._cancel()
        until = asyncio.get_running_loop().time() + LAST_WORDS
        try:
            with suppress(self._ray.exceptions.RayError, ConnectionError):  # the cluster is gone
                while asyncio.get_running_loop().time() < until:
                    over = all(job.done() for job in self._jobs)
                    self._take(await self._got(self._desk.take.remote(0.2)))
                    if over:
                        break
        finally:
            for job in self._jobs:
                job.cancel()
            await asyncio.gather(*self._jobs, return_exceptions=True)

    async def _got(self, ref: Any) -> Any:
        return await asyncio.wrap_future(ref.future())
