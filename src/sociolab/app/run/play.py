"""Play a run that a `RunConfig` describes: `run` anywhere, `run_async` in an event loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from sociolab.app.players.casting import Casting
from sociolab.app.players.models import Models
from sociolab.app.run.config import RunConfig
from sociolab.app.run.exam import Examiner, examiner_of
from sociolab.app.run.session import (
    RunSession,
    Worker,
    models_of,
    note_servers,
    open_session,
    patience_of,
    plan_cautions,
    world_of,
)
from sociolab.app.run_sync import run_sync
from sociolab.core.episode import HUMAN
from sociolab.core.errors import ConfigError, ModelError, StorageError, missing_extra
from sociolab.models.budget import Budget
from sociolab.runner.allowance import Allowance
from sociolab.runner.local import RunContext, play_all
from sociolab.runner.progress import Tally, TurnProgress, Watch
from sociolab.store.overview import episode_rows
from sociolab.store.store import TrialRow

if TYPE_CHECKING:
    from sociolab.app.opened_run import Run

_FEW = 8
"""Concurrent episodes of a run in which every player is rule-based."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a run, as its `on_progress` gets it after each trial.

    `total`, `done` and `failed` count trials; `total` and `done` include earlier parts of the run,
    everything else is of this part. `usd` is in dollars; tokens and cost of `estimated_calls` are
    estimates. `seconds_left` is None until a trial is over.

    >>> from sociolab import RunConfig, run
    >>> seen = []
    >>> config = RunConfig(limit=2, name="first", store=f"{folder}/lab.db")
    >>> result = run(config, on_progress=seen.append)
    >>> [(now.done, now.total, now.usd) for now in seen]
    [(1, 2, 0.0), (2, 2, 0.0)]
    """

    run: str
    total: int
    done: int
    failed: int
    turns: int
    calls: int
    tokens: int
    usd: float
    estimated_calls: int
    seconds: float
    seconds_left: float | None


OnProgress = Callable[[Progress], object]


def run(
    config: RunConfig, watch: Watch | None = None, *, on_progress: OnProgress | None = None
) -> Run:
    """Play a run to its end and return it; works inside a running event loop, too.

    A run of the same name is resumed: trials that are done are not played again. `on_progress` is
    called with a `Progress` after each trial; an exception that it raises ends the run, which can
    be resumed. Errors as in `run_async`.

    >>> from sociolab import RunConfig, run
    >>> first = run(RunConfig(tasks="bargain", limit=2, name="first", store=f"{folder}/lab.db"))
    >>> first.played, first.failed, first.stopped
    (2, 0, '')
    """
    return run_sync(lambda: run_async(config, watch, on_progress=on_progress))


_MEASURED = 5
"""Number of tasks from which the length of replies is estimated."""


def cautions(config: RunConfig) -> tuple[str, ...]:
    """What to know before a run begins: what its plan will not show, and each model whose
    `max_tokens` may be too small for its replies, as estimated from a few tasks."""
    unshown = plan_cautions(config, world_of(config))
    models = Models(config)
    if all(models.options(spec).max_tokens is None for spec in models_of(config)):
        return unshown
    from sociolab.app.preflight.estimate import estimate

    few = {"limit": min(config.limit or _MEASURED, _MEASURED), "repeats": 1}
    return (*unshown, *estimate(config.model_copy(update=few), 1.0).too_short)


INDEXING = 60.0
"""Maximum seconds that a run spends at its end on the full-text index."""


async def run_async(
    config: RunConfig, watch: Watch | None = None, *, on_progress: OnProgress | None = None
) -> Run:
    """Play a run to its end, or until its budget is spent, and return it.

    Failed trials are counted in its result and do not raise; `stopped` says why the run ended
    early, "" if it did not. ConfigError where the description is invalid, StorageError where the
    disk is (nearly) full. When cancelled, everything so far is stored, and the run's name resumes
    it.

    >>> import asyncio
    >>> from sociolab import RunConfig, run_async
    >>> config = RunConfig(limit=1, name="first", store=f"{folder}/lab.db")
    >>> asyncio.run(run_async(config)).result.ends
    {'left': 1}
    """
    if config.on:  # before anything is written
        if HUMAN in config.players:
            raise ConfigError("--on: people play at the machine that they sit at; leave it out")
        if find_spec("ray") is None:
            raise missing_extra("--on ray needs", "ray", "ray")
    with open_session(config) as session:
        if on_progress is not None:
            tally = session.tally
            tally.on_done = lambda: on_progress(_progress(session.name, tally))
        await note_servers(session.store, session.name, models_of(config), session.models)
        error = await play_session(session, watch, examines=True)
        from sociolab.app.opened_run import Run  # imported late, for a quick start
        from sociolab.app.search_index import index_run
        from sociolab.report.result import result_of

        await index_run(session.store.path, session.name, INDEXING)

        result = result_of(session.store, session.name, stopped=str(error) if error else "")
        return Run(session.name, session.store.path, result)


def _progress(run: str, tally: Tally) -> Progress:
    return Progress(
        run,
        tally.total,
        tally.done,
        tally.failed,
        tally.turns,
        tally.calls,
        tally.tokens,
        tally.usd,
        tally.estimated,
        tally.seconds,
        tally.seconds_left,
    )


async def play_session(
    session: RunSession, watch: Watch | None, *, examines: bool = False
) -> ModelError | None:
    """Play what is left of a run, on this machine or on a cluster; returns the error that ended it
    early, if one did. If it `examines`, new judges sit the world's exam first."""
    context = RunContext(
        session.store,
        session.name,
        session.kit.world,
        session.seated.players(),
        session.judges,
        session.replies,
        session.tally,
        session.config.max_failed_turns,
        _time_limits(session),
        await _allowance(session),
        session.models.release,
    )
    rows = session.store.trials(session.name)
    if (shard := session.config.part) is not None:
        own = shard.pick(row.trial.id for row in rows)
        rows = tuple(row for row in rows if row.trial.id in own)
    pending = [row for row in rows if _is_pending(session, row)]
    tally = session.tally
    tally.total, tally.done = len(rows), len(rows) - len(pending)
    tally.done_before = tally.done
    tally.course = _course(session, rows, pending)
    try:
        with watch(session.name, tally) if watch else nullcontext():
            examiner = await _examiner(session) if examines else None
            if examiner and (stopped := await examiner.examine()):
                return stopped
            if session.config.on:
                from sociolab.app.run.on_ray import work_on  # imports Ray's dependencies

                ids = [row.trial.id for row in pending]
                config = session.config.model_copy(update={"name": session.name})
                error = await work_on(config, session.store, session.name, ids, tally, play_part)
            else:
                error = await play_all(context, pending, _concurrency(session))
            if examiner and error is None:
                error = await examiner.examine(session.name)
    finally:
        await session.models.close()
        session.store.add_seconds(session.name, tally.seconds)
    if isinstance(error, StorageError):
        raise error
    return error


async def _examiner(session: RunSession) -> Examiner | None:
    """None where no model judges, and with `--exam off`."""
    config, budget = session.config, session.budget or Budget()
    casting = Casting(session.kit, session.models, session.replies, budget)
    return await examiner_of(session.store, session.name, casting, config, session.tally)


async def play_part(config: RunConfig, worker: Worker) -> ModelError | None:
    """Play the trials in a worker's store; returns the error that ended it early, if one did."""
    with open_session(config, worker) as session:
        return await play_session(session, None)


async def _allowance(session: RunSession) -> Allowance | None:
    """The allowance of a run with a budget, by the estimated cost of an episode; None without."""
    budget = session.budget
    if budget is None or budget.limit is None:
        return None
    from sociolab.app.preflight.estimate import estimate_run  # needed with a budget only

    allowance = Allowance(budget, (await estimate_run(session.config)).episode_usd)
    session.replies.on_cost = allowance.pay
    return allowance


def _course(
    session: RunSession, rows: Sequence[TrialRow], pending: Sequence[TrialRow]
) -> TurnProgress | None:
    """The turns played so far, earlier parts of the run included; None where the world does not say
    how long its episodes can get."""
    pace = session.kit.pace
    if pace is None:
        return None
    lengths = {row.trial.id: pace.length(row.trial.task) for row in rows}
    course = TurnProgress(dict(lengths), pace.unit, pace.per)
    pending_ids = {row.trial.id for row in pending}
    if all(row.status == "planned" for row in rows):
        return course
    for row in episode_rows(session.store, session.name):
        if row.trial not in lengths:  # of another shard
            continue
        over = row.status == "played" or row.trial not in pending_ids
        turns = row.turns or row.answers
        if pace.per > 1:  # steps of simulated time: an episode that is over has had all of them
            turns = lengths[row.trial] if over else 0
        course.add_earlier(row.trial, min(turns, lengths[row.trial]))
        if over:
            course.end(row.trial)
    return course


def _is_pending(session: RunSession, row: TrialRow) -> bool:
    if row.status == "played":
        judged = session.store.verdicts.judged
        return not all(judged(session.name, j.id, trial=row.trial.id) for j in session.judges)
    # The replies of failed turns are stored: another try would read the same ones.
    return (row.status, row.cause) != ("failed", "failed turns")


def _time_limits(session: RunSession) -> dict[str, float | None]:
    """The seconds that each user's own agent, and with `--agent-timeout` a person, may take."""
    limit = session.config.agent_timeout
    limits: dict[str, float | None] = {}
    for seatable in session.seated.all:
        if seatable.own and (seatable.id.kind != "person" or limit is not None):
            limits[seatable.id.label] = patience_of(limit)
    return limits


def _concurrency(session: RunSession) -> int:
    """Number of concurrent episodes. Rule-based players never wait, so that more than a few would
    save no time, and leave more unfinished episodes if the run is stopped."""
    by_rules = all(seatable.id.kind == "rules" for seatable in session.seated.all)
    return min(session.config.episodes, _FEW) if by_rules else session.config.episodes
