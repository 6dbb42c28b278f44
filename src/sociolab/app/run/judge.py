"""Judge stored episodes with further judges, or again."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path

from sociolab.app.data.sets import load_world
from sociolab.app.opened_run import Run
from sociolab.app.players.casting import NO_JUDGE, Casting
from sociolab.app.players.models import Models
from sociolab.app.registry import world_plugin
from sociolab.app.run.config import EPISODES, JudgeConfig
from sociolab.app.run.exam import examiner_of
from sociolab.app.run.session import Worker, models_of, note_servers, patience_of
from sociolab.app.run_sync import run_sync
from sociolab.core.episode import Episode
from sociolab.core.errors import ConfigError, ModelError, StorageError
from sociolab.core.ports import Judge, World
from sociolab.core.score import JudgeId
from sociolab.judging.credit import build_story, line_words
from sociolab.models.budget import Budget
from sociolab.plugin.shown import RatedLine, RatedPerson, RatedScene, guides_from
from sociolab.plugin.world import RatingGuide
from sociolab.report.result import result_of
from sociolab.runner.judging import JudgingBench, Jury
from sociolab.runner.local import work_all
from sociolab.runner.progress import TalliedReplies, Tally, Watch
from sociolab.store.calls import RunReplies
from sociolab.store.connect import lock_run, store_path
from sociolab.store.store import Store


def judge_run(
    run: str, config: JudgeConfig, *, repeats: int, sheet: str = "", watch: Watch | None = None
) -> Run:
    """Judge every played episode of a stored run with each judge, `repeats` times; returns the
    run.

    Stored scores are kept, failed ones are tried again. The world's own checks are added where they
    are missing, as in imported episodes. A judge that raises, or one of your own that takes longer
    than `agent_timeout`, fails on that episode alone. With a `sheet`, the judges only fill in this
    guide of the world, or one in a TOML file (`plugin.api.guides_from`). Works inside a running
    event loop, too. StoreError if the run is not in the store, ConfigError if `config` names no
    judge.

    >>> from sociolab import JudgeConfig, RunConfig, judge_run, run
    >>> store = f"{folder}/lab.db"
    >>> played = run(RunConfig(tasks="bargain", limit=1, judges="none", name="first", store=store))
    >>> judged = judge_run("first", JudgeConfig(judges="heuristic", store=store), repeats=1)
    >>> judged.result.judges[-1].judge
    'heuristic'
    """
    return run_sync(lambda: judge_run_async(run, config, repeats=repeats, sheet=sheet, watch=watch))


async def judge_run_async(
    run: str, config: JudgeConfig, *, repeats: int, sheet: str = "", watch: Watch | None = None
) -> Run:
    """`judge_run` for code in an event loop.

    >>> import asyncio
    >>> from sociolab import JudgeConfig, RunConfig, judge_run_async, run
    >>> store = f"{folder}/lab.db"
    >>> played = run(RunConfig(tasks="bargain", limit=1, judges="none", name="first", store=store))
    >>> judging = judge_run_async("first", JudgeConfig(judges="heuristic", store=store), repeats=1)
    >>> asyncio.run(judging).result.judges[-1].judge
    'heuristic'
    """
    error = await judge_due(run, config, repeats=repeats, sheet=sheet, watch=watch)
    with Store.open(store_path(config.store), create=False) as store:
        return Run(run, store.path, result_of(store, run, stopped=str(error) if error else ""))


async def judge_due(
    run: str,
    config: JudgeConfig,
    worker: Worker | None = None,
    *,
    repeats: int,
    sheet: str = "",
    watch: Watch | None = None,
) -> ModelError | None:
    """Judge what is missing, on this machine or on a cluster; returns the error that ended it
    early, if one did."""
    if not isinstance(config, JudgeConfig):  # a RunConfig has fields that would be ignored
        raise ConfigError(f"config: expected a JudgeConfig, found {config!r:.80}")
    path = store_path(config.store)
    with Store.open(path, create=False) as store, lock_run(path, run), store.failing_fast():
        row = store.run(run)
        tally, models = Tally(), Models(config, worker.count if worker else 1)
        replies = TalliedReplies(tally)
        replies.keep_in(RunReplies(store, run))
        kit = load_world(row.world, settings=row.world_settings | config.settings)
        budget = worker.budget if worker else Budget(config.budget_share, store.calls.totals(run))
        casting = Casting(
            kit, models, replies, budget, patience_of(config.agent_timeout), tally.waits
        )
        judges = judges_of(config, casting, row.world, sheet)
        if not judges:
            raise no_judges()
        bench = JudgingBench(store, run, Jury(store, run, tally.waits), replies, tally, config.part)
        tally.judges = tuple(judge.id for judge in judges)
        earlier = store.verdicts.judges(run)
        store.verdicts.enter(run, tally.judges)
        new = [check for check in kit.checks if not _was_replaced(check, earlier)]
        pending, began = bench.due(new, 1) + bench.due(judges, repeats), time.perf_counter()
        tally.total = len(pending)
        if worker is None:
            await note_servers(store, run, models_of(config), models)
        try:
            with watch(run, tally) if watch else nullcontext():
                alone = worker is not None or sheet
                examiner = None if alone else await examiner_of(store, run, casting, config, tally)
                if examiner and (stopped := await examiner.examine()):
                    return stopped
                if config.on:
                    from sociolab.app.run.on_ray import work_on  # imports Ray's dependencies

                    ids = list(dict.fromkeys(trial.id for _, trial, _ in pending))
                    part = partial(judge_due, run, repeats=repeats, sheet=sheet)
                    error = await work_on(config, store, run, ids, tally, part, judging=True)
                else:
                    error = await work_all(pending, bench.work, EPISODES, tally.waits)
                if examiner and error is None:
                    error = await examiner.examine(run)
        finally:
            bench.jury.settle()
            await models.close()
            store.add_seconds(run, time.perf_counter() - began)
        if isinstance(error, StorageError):
            raise error
        return error


def judges_of(config: JudgeConfig, casting: Casting, world: str, sheet: str) -> list[Judge]:
    """The judges and readers to ask; with a `sheet`, judges that fill it in."""
    if sheet:
        name, guide = sheet_of(casting.kit.world, world, sheet)
        judges = [casting.observer(text, name, guide) for text in config.judges]
    else:
        judges = [casting.judge(text) for text in config.judges if text != NO_JUDGE]
    judges += [casting.reader(text) for text in config.readers]
    return judges


def no_judges() -> ConfigError:
    return ConfigError("--judge: expected a judge, or a --reader, found none")


def sheet_of(world: World, name: str, sheet: str) -> tuple[str, RatingGuide]:
    """Name and guide of a sheet: one that the world declares, or one in a TOML file. In a world
    without guides, the latter rates transcripts."""
    plugin = world_plugin(name)
    if not sheet.endswith(".toml"):
        return sheet, plugin.guide(sheet)
    guides = guides_from(Path(sheet))
    if plugin.guides:
        return Path(sheet).stem, replace(plugin.guide(), guides=guides, instructions=None)
    return Path(sheet).stem, RatingGuide(guides, partial(read_scene, world))


def read_scene(world: World, episode: Episode) -> RatedScene:
    """An episode as raters see it in a world without a guide: its transcript."""
    transcript = world.transcript(episode)
    story = build_story(transcript, episode.trial.task.seats, ())
    return RatedScene(
        "\n\n".join(f"{heading}\n{text}" for heading, text in transcript.scene),
        tuple(RatedPerson(person.seat, person.name) for person in story.people),
        (),
        tuple(
            RatedLine(line.turn + 1, line.seat, line.who, line_words(line))
            for line in transcript.lines
        ),
    )


def _was_replaced(check: Judge, judges: Sequence[JudgeId]) -> bool:
    """Whether another version of a check, and not this one, has scored the run: the scores of two
    versions must not be mixed."""
    versions = [
        judge
        for judge in judges
        if (judge.label, judge.method) == (check.id.label, check.id.method)
    ]
    return bool(versions) and check.id not in versions
