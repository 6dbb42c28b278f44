"""Have stored episodes judged by another judge, or once more."""

from __future__ import annotations

import asyncio
import time
from contextlib import nullcontext

from sociolab.app.anywhere import run_anywhere
from sociolab.app.data_sets.data import load_world
from sociolab.app.players.cast import NO_JUDGE, Casting
from sociolab.app.players.models import Models
from sociolab.app.runs.config import RunConfig
from sociolab.app.runs.play import Watch
from sociolab.app.runs.session import store_path
from sociolab.core.episode import Episode, Json
from sociolab.core.errors import ConfigError, ModelError
from sociolab.core.ports import Judge
from sociolab.models.budget import Budget
from sociolab.report.result import RunResult, result_of
from sociolab.runner.foreign import LONGEST_REPLY
from sociolab.runner.jury import Jury
from sociolab.runner.tally import TalliedReplies, Tally
from sociolab.store.lock import lock_run
from sociolab.store.replies import RunReplies
from sociolab.store.sqlite import Store


def judge_run(
    run: str, config: RunConfig, *, repeats: int, watch: Watch | None = None
) -> RunResult:
    """Judge every played episode of a run with each judge, `repeats` times, and return the result.

    What was judged before is not judged again; an episode that a judge failed on, is. A judge that
    breaks has failed on that episode, and all go on. Of `config`
    only the judges and what they need count. Works inside a running event loop too. ConfigError if
    the run is not there.
    """
    return run_anywhere(lambda: judge_run_async(run, config, repeats=repeats, watch=watch))


async def judge_run_async(
    run: str, config: RunConfig, *, repeats: int, watch: Watch | None = None
) -> RunResult:
    """As `judge_run`, to be awaited."""
    path = store_path(config.store)
    with Store.open(path, create=False) as store, lock_run(path, run):
        row = store.run(run)
        tally = Tally()
        models = Models(config)
        budget = Budget(config.budget, store.totals(run).usd or 0.0)
        replies = TalliedReplies(tally)
        replies.keep_in(RunReplies(store, run))
        kit = load_world(row.world, settings=world_settings(row.settings))
        patience = LONGEST_REPLY if config.agent_timeout is None else config.agent_timeout
        casting = Casting(kit, models, replies, budget, patience)
        judges = [casting.judge(text) for text in config.judges if text != NO_JUDGE]
        if not judges:
            raise ConfigError("--judge: expected a judge, found none")
        work = [
            (judge, trial.trial.id, number)
            for number in range(repeats)
            for trial in store.trials(run)
            if trial.status == "played"
            for judge in judges
            if not store.judged(run, judge.id, trial=trial.trial.id, judging=number)
        ]
        tally.total = len(work)
        trials = {trial.trial.id: trial.trial for trial in store.trials(run)}
        waiting = iter(work)
        jury = Jury(store, run, tally.waits)
        began = time.perf_counter()
        error: ModelError | None = None

        async def one(judge: Judge, trial: str, number: int) -> None:
            episode = Episode(trials[trial], store.events(run, trial))
            await jury.judge(judge, episode, number)
            replies.release(trial)

        async def worker() -> None:
            nonlocal error
            for item in waiting:
                if error is not None:
                    return
                try:
                    await one(*item)
                except ModelError as failure:
                    error = error or failure
                    return
                tally.done += 1

        try:
            with watch(run, tally) if watch else nullcontext():
                await asyncio.gather(*(worker() for _ in range(config.episodes)))
        finally:
            jury.settle()
            await models.close()
            store.add_seconds(run, time.perf_counter() - began)
        return result_of(store, run, stopped=str(error) if error else "")


def world_settings(settings: Json) -> dict[str, str]:
    """The settings that a run's world was played with: its judges may depend on them."""
    found = settings.get("world_settings") if isinstance(settings, dict) else None
    return {k: str(v) for k, v in found.items()} if isinstance(found, dict) else {}
