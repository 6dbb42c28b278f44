"""Estimate judging, audits, exams and validations of judges without calling a model.

Prompts are those of the stored episodes, or of the cases; the work is planned by the code that does
it, and a reply that the store has costs nothing again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial

from sociolab.analysis.panel import build_panel
from sociolab.analysis.values import values_of
from sociolab.app import audit
from sociolab.app.data.sets import load_world
from sociolab.app.players.casting import NO_JUDGE, Casting
from sociolab.app.players.own_code import OwnJudge
from sociolab.app.preflight.measuring import (
    LONG_TEXT,
    SHORT_TEXT,
    MeasuringModels,
    estimate_exams,
    price_and_time,
)
from sociolab.app.preflight.run_estimate import Case, RunEstimate
from sociolab.app.run import validate
from sociolab.app.run.config import (
    EPISODES,
    AuditConfig,
    ExamConfig,
    JudgeConfig,
    ValidationConfig,
)
from sociolab.app.run.exam import Examinee, exam_cases_of, sat_cases
from sociolab.app.run.judge import judges_of, no_judges
from sociolab.app.run.session import patience_of, run_name_for_replies
from sociolab.app.run_sync import synchronous
from sociolab.core.episode import Episode, Trial
from sociolab.core.ports import ChatReply, Judge, WorldKit
from sociolab.models.budget import Budget
from sociolab.models.cache import NullReplyStore
from sociolab.report.catalogue import Catalogue
from sociolab.report.finding import Count, Sentence
from sociolab.report.result import run_of_episodes
from sociolab.runner.judging import JudgingBench, Jury
from sociolab.runner.progress import TalliedReplies, Tally, Waits
from sociolab.store.calls import RunReplies
from sociolab.store.connect import store_path
from sociolab.store.store import Store

SAY = Catalogue("dry_run")


class _StoredReplies(NullReplyStore):
    """Replies that runs have stored; nothing is added to them. `found` counts those reused."""

    def __init__(self, store: Store | None, *runs: str) -> None:
        stored = [run for run in runs if store is not None and store.has_run(run)]
        self._runs = [RunReplies(store, run) for run in stored if store is not None]
        self.found = 0

    def find(self, key: str) -> ChatReply | None:
        for run in self._runs:
            if (reply := run.find(key)) is not None:
                self.found += 1
                return reply
        return None


@synchronous
async def estimate_judging(
    run: str,
    config: JudgeConfig,
    *,
    repeats: int = 1,
    sheet: str = "",
    latency: float | None = None,
) -> RunEstimate:
    """Estimate `judge_run`; raises the errors that it would raise. `latency` is the seconds per
    call, by default as last measured in the store at each model's address."""
    with Store.open(store_path(config.store), create=False) as store:
        if not ({*config.judges} - {NO_JUDGE} or config.readers):
            raise no_judges()
        return await estimate_judging_in(store, run, config, repeats, sheet, latency)


async def estimate_judging_in(
    store: Store,
    run: str,
    config: JudgeConfig,
    repeats: int = 1,
    sheet: str = "",
    latency: float | None = None,
) -> RunEstimate:
    """`estimate_judging` in an open store. The trials are the episodes that lack a score of one of
    these judges, and `done` counts the others; without judges, all of them."""
    row = store.run(run)
    kit = load_world(row.world, settings=row.world_settings | config.settings)
    models, replies = MeasuringModels(config), _StoredReplies(store, run)
    casting = Casting(kit, models, replies, Budget())
    judges = judges_of(config, casting, row.world, sheet)
    models.readers = {judge.id.label for judge in judges if judge.id.role == "reader"}
    tally = Tally()
    jury = Jury(store, run, tally.waits)
    bench = JudgingBench(store, run, jury, TalliedReplies(tally), tally, config.part)
    due = bench.due(judges, repeats)
    trials = {trial.id: trial for _, trial, _ in due}
    calling = _calling(judges, kit)
    judgings = [
        partial(_judge, store, run, judge, trial, number)
        for judge, trial, number in due
        if judge in calling
    ]
    cases = await _range(models, judgings)
    reused = replies.found // len(cases)
    unstored = replace(casting, replies=NullReplyStore())
    exams = () if sheet else await estimate_exams(store, row.world, config, unstored, models)
    tasks, done = _count_tasks([*trials.values()]), len(bench.played()) - len(trials)
    estimated = RunEstimate(
        len(trials),
        tasks,
        tasks,
        cases,
        {},
        about=_about(),
        uncounted=_own(judges),
        limits=models.limits((), config.judges, config.readers),
        budget=config.budget_share,
        exams=exams,
        work=(
            *_plan("judging", Count("judging", len(due)), len(trials), tasks),
            *((SAY("done", episodes=Count("episode", done)),) if done else ()),
            *_reused(reused),
        ),
        done=done,
        spent=store.calls.totals(run).usd or 0.0,
    )
    return await price_and_time(estimated, models, store.path, min(EPISODES, len(due)), latency)


@synchronous
async def estimate_audit(config: AuditConfig, latency: float | None = None) -> RunEstimate:
    """Estimate `audit`; raises the errors that it would raise. `latency` as in
    `estimate_judging`."""
    with Store.open(store_path(config.store), create=False) as store:
        row = run_of_episodes(store, config.run)
        kit = load_world(row.world, settings=row.world_settings)
        kinds = audit.audit_kinds(config, kit)
        if config.panel:
            build_panel(values_of(store, row.name), config.panel)
        about = audit.replies_of(config)
        name = run_name_for_replies(about)
        models, replies = MeasuringModels(config), _StoredReplies(store, name, config.run)
        if config.judge is None:
            return _free(SAY("stored_scores"))
        casting = Casting(kit, models, replies, Budget(), patience_of(config.agent_timeout))
        judge = casting.judge(config.judge)
        if {*kinds} <= audit.STORED:
            return _free(SAY("stored_scores"))
        trials, work = audit.plan_audit(store, config, kit, kinds, judge)
        judged = 0

        async def audit_one(trial: Trial) -> None:
            nonlocal judged
            judged += len((await audit.audit_trial(store, row.name, trial, trials, work)).judgings)

        calling = _calling([judge], kit)
        cases = await _range(models, [partial(audit_one, trial) for trial in trials if calling])
        tasks, count = _count_tasks(trials), Count("judging", judged // len(cases))
        estimated = RunEstimate(
            len(trials),
            tasks,
            tasks,
            cases,
            {},
            about=_about(),
            uncounted=_own([judge]),
            limits=models.limits((), [config.judge], ()),
            budget=config.budget,
            work=(
                *_plan("auditing", count, len(trials), tasks),
                *_reused(replies.found // len(cases)),
            ),
            spent=store.calls.totals(name).usd or 0.0 if store.has_run(name) else 0.0,
        )
        at_once = min(audit.AT_ONCE, len(trials))
        return await price_and_time(estimated, models, store.path, at_once, latency)


@synchronous
async def estimate_exam(config: ExamConfig, latency: float | None = None) -> RunEstimate:
    """Estimate `take_exam`; raises the errors that it would raise. `latency` as in
    `estimate_judging`."""
    kit, models = load_world(config.world, settings=config.settings), MeasuringModels(config)
    cases, path = exam_cases_of(config.world), store_path(config.store)
    examinee = Examinee(config.judge, config.role)
    judge = examinee.judge(Casting(kit, models, NullReplyStore(), Budget()))
    with Store.open(path, create=False) if path.is_file() else nullcontext() as store:
        sat = sat_cases(store, config.world, cases, judge.id) if store else frozenset()
    pending = [case.episode for case in cases if case.id not in sat] if examinee.models else []
    ends = await _range(models, [partial(judge.judge, episode) for episode in pending])
    by_role = {config.role: [config.judge]}
    count = len(pending) if examinee.models else len(cases)
    estimated = RunEstimate(
        count,
        count,
        count,
        ends,
        {},
        about=_about(),
        uncounted=_own([judge]),
        limits=models.limits((), by_role.get("judge", ()), by_role.get("reader", ())),
        budget=config.budget,
        work=(SAY("examining", cases=Count("case", count), world=config.world), SAY("unpaid")),
        unit="case",
    )
    return await price_and_time(estimated, models, path, min(EPISODES, count), latency)


@synchronous
async def estimate_validation(
    config: ValidationConfig, latency: float | None = None
) -> RunEstimate:
    """Estimate `validate`; raises the errors that it would raise. `latency` as in
    `estimate_judging`."""
    models, path = MeasuringModels(config), store_path(config.store)
    with Store.open(path, create=False) if path.is_file() else nullcontext() as store:
        unstored = validate.plan_validation(config, models, NullReplyStore(), Budget(), Waits())
        name = run_name_for_replies(unstored.about)
        replies = _StoredReplies(store, name)
        work = validate.plan_validation(config, models, replies, Budget(), Waits())
        items = work.items if models.specs else []
        ends = await _range(models, [partial(work.ask, item) for item in items])
        has_run = store is not None and store.has_run(name)
        spent = store.calls.totals(name).usd or 0.0 if store and has_run else 0.0
    count = len(work.items)
    estimated = RunEstimate(
        count,
        count,
        count,
        ends,
        {},
        about=_about(),
        uncounted=(work.own,) if work.own else (),
        limits=models.limits((), [config.judge] if models.specs else [], ()),
        budget=config.budget,
        work=(
            SAY("validating", items=Count("item", count), data=config.data.name),
            SAY("unpaid"),
            *_reused(replies.found // len(ends)),
        ),
        spent=spent,
        unit="item",
    )
    return await price_and_time(estimated, models, path, min(validate.AT_ONCE, count), latency)


# ------------------------------------------------------------------ what they share


async def _range(
    models: MeasuringModels, work: Sequence[Callable[[], Awaitable[object]]]
) -> tuple[Case, Case]:
    """Both ends of a range: the calls of these pieces of work with short texts in the replies, and
    with long ones. The calls of a piece follow each other."""
    low, high = Case("low"), Case("high")
    for case, characters in ((low, SHORT_TEXT), (high, LONG_TEXT)):
        models.characters = characters
        models.prefixes.clear()
        for piece in work:
            await piece()
            case.add_trials(models.take_parts())
    return low, high


async def _judge(store: Store, run: str, judge: Judge, trial: Trial, number: int) -> None:
    await judge.judge(Episode(trial, store.events(run, trial.id)), number)


def _calling(judges: Sequence[Judge], kit: WorldKit) -> list[Judge]:
    """The judges that are models: others call none, or are the user's own code."""
    by_rules = (*kit.checks, *kit.judges.values())
    return [each for each in judges if each not in by_rules and not isinstance(each, OwnJudge)]


def _own(judges: Sequence[Judge]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(judge.label for judge in judges if isinstance(judge, OwnJudge)))


def _count_tasks(trials: Sequence[Trial]) -> int:
    return len({trial.task.id for trial in trials})


def _about() -> Sentence:
    return SAY("stored", short=SHORT_TEXT, long=LONG_TEXT)


def _plan(key: str, judgings: Count, episodes: int, tasks: int) -> tuple[Sentence, ...]:
    counted, of_tasks = Count("episode", episodes), Count("task", tasks)
    return SAY(key, judgings=judgings, episodes=counted, tasks=of_tasks), SAY("unpaid")


def _reused(replies: int) -> tuple[Sentence, ...]:
    return (SAY("reused", n=replies),) if replies else ()


def _free(*work: Sentence) -> RunEstimate:
    return RunEstimate(0, 0, 0, (Case("low"),), {}, work=work)
