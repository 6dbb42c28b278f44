"""Have judges sit the exam of their world: at their first use in a run, or by a command."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from contextlib import nullcontext
from dataclasses import dataclass, replace
from textwrap import shorten
from typing import Any, Literal

from sociolab.app.data.sets import load_world
from sociolab.app.players.casting import Casting
from sociolab.app.players.models import Models, ModelSpec, parse
from sociolab.app.registry import world_plugin
from sociolab.app.run.config import EPISODES, ExamConfig, JudgeChoice, JudgeConfig, RunConfig
from sociolab.app.run.session import note_addresses, patience_of
from sociolab.app.run_sync import synchronous
from sociolab.core.codec import compact_json, encode_event, encode_trial
from sociolab.core.errors import ConfigError, ModelError, StorageError
from sociolab.core.exam import ExamCase
from sociolab.core.instructions import STAND_INS
from sociolab.core.ports import Judge
from sociolab.core.score import JudgeId
from sociolab.core.seeding import digest
from sociolab.models.budget import Budget
from sociolab.report.catalogue import Catalogue
from sociolab.report.exam import (
    EXAM,
    REHEARSAL,
    MarkedCase,
    exam_entry,
    latest,
    marked_cases,
    miss_words,
)
from sociolab.report.finding import Count, Finding
from sociolab.report.schema import ExamEntry
from sociolab.report.section import Section
from sociolab.report.words import stand_in_words
from sociolab.runner.judging import JudgingBench, Jury
from sociolab.runner.local import work_all
from sociolab.runner.progress import TalliedReplies, Tally, Watch
from sociolab.store.calls import RunReplies
from sociolab.store.connect import lock_run, run_is_locked, store_path
from sociolab.store.store import Store

SAY = Catalogue("exam")

_LONGEST = 100
"""Maximum length of an answer in the table of missed cases."""


@dataclass(frozen=True, slots=True)
class Examinee:
    """The spec of a judge, or of a reader of outcomes, that is to sit an exam."""

    spec: str
    role: Literal["judge", "reader"] = "judge"

    @property
    def models(self) -> tuple[ModelSpec, ...]:
        """The model to be examined; none if this is no model."""
        spec = parse(self.spec, self.role)
        return (spec,) if isinstance(spec, ModelSpec) else ()

    def judge(self, casting: Casting) -> Judge:
        """Make the judge of this spec; ConfigError if that is impossible."""
        return casting.reader(self.spec) if self.role == "reader" else casting.judge(self.spec)


def exam_cases(world: str) -> tuple[ExamCase, ...]:
    """The cases of a world's exam; empty if the world ships none."""
    make = world_plugin(world).exam
    return tuple(make()) if make is not None else ()


def exam_cases_of(world: str) -> tuple[ExamCase, ...]:
    """The cases of an exam to be sat; ConfigError if the world ships none."""
    if cases := exam_cases(world):
        return cases
    raise ConfigError(f"--world: expected a world with an exam, found {world}")


def exam_name(world: str, cases: Sequence[ExamCase]) -> str:
    """The name of the run that stores these cases; other cases have another run.

    The name depends only on the stored form of the cases, so renaming code does not change it.
    """
    stored = (
        text
        for case in cases
        for text in (
            compact_json(_case_settings(case)),
            encode_trial(case.episode.trial),
            *map(encode_event, case.episode.events),
        )
    )
    return f"{EXAM}-{world}-{digest(*stored)[:8]}"


def _case_settings(case: ExamCase) -> dict[str, Any]:
    """The entry for a case in the settings of an exam's run."""
    return {
        "kind": case.kind,
        "form": case.form,
        "expected": [[each.metric, each.seat, each.low, each.high] for each in case.expected],
    }


def lay_out(store: Store, world: str, cases: Sequence[ExamCase], keeps: str = EXAM) -> str:
    """Store these cases as a played run unless they are stored already; the name of the run, which
    says whether it is a `REHEARSAL`."""
    run = exam_name(world, cases) + ("" if keeps == EXAM else "-stand-in")
    rows: dict[str, Any] = {case.id: _case_settings(case) for case in cases}
    with store.transaction():
        if not store.has_run(run):
            trials = [case.episode.trial for case in cases]
            store.create_run(run, world, {"cases": rows}, trials, keeps=keeps)
            for case in cases:
                for event in case.episode.events:
                    store.append(run, case.id, event)
                store.set_status(run, case.id, "played")
    return run


@dataclass(frozen=True, slots=True)
class Examiner:
    """Has judges sit the exam of a world; `casting` is that of the run that they judge.

    While another process holds the same exam, an examiner that `yields` leaves it to that process;
    any other raises StoreError. `keeps` says whether the exam is a `REHEARSAL`.
    """

    store: Store
    casting: Casting
    world: str
    examinees: Sequence[Examinee]
    tally: Tally
    yields: bool = True
    keeps: str = EXAM

    async def examine(self, judged: str = "") -> ModelError | None:
        """Have each judge sit the cases that it has not sat; the error that ended this early, or
        None.

        `judged` is a run whose calls show which models answer for these judges now.
        """
        path = self.store.path
        if not (cases := exam_cases(self.world)):
            return None
        run = lay_out(self.store, self.world, cases, self.keeps)
        if self.yields and run_is_locked(path, run):
            return None
        replies, waits = TalliedReplies(self.tally), self.tally.waits
        replies.keep_in(RunReplies(self.store, run))
        casting = replace(self.casting, replies=replies)
        jury = Jury(self.store, run, waits)
        specs = [spec for examinee in self.examinees for spec in examinee.models]
        with lock_run(path, run):
            await note_addresses(self.store, run, specs, casting.models)
            for judge in (examinee.judge(casting) for examinee in self.examinees):
                sitting = self._sitting(run, judge.id, judged)
                pending = [
                    (judge, case.episode.trial, sitting)
                    for case in cases
                    if not self.store.verdicts.judged(run, judge.id, trial=case.id, judging=sitting)
                ]
                if not pending:
                    continue
                bench = JudgingBench(self.store, run, jury, replies, Tally(len(pending)), None)
                self.tally.exam = judge.id.label, bench.tally
                error = await work_all(pending, bench.work, EPISODES, waits)
                jury.settle()
                if isinstance(error, StorageError):
                    raise error
                if error is not None:
                    return error
        return None

    def _sitting(self, run: str, judge: JudgeId, judged: str) -> int:
        """The number of the sitting to hold: the last one, or a new one if the models that answer
        now answered in no sitting before."""
        last = max((case.sitting for case in marked_cases(self.store, run, judge)), default=0)
        before, current = (
            {name for names in returned.values() for name in names}
            for returned in (
                self.store.calls.returned(run, judge.name),
                self.store.calls.returned(judged, judge.name) if judged else {},
            )
        )
        return last + 1 if before and current and not before & current else last


async def examiner_of(
    store: Store,
    run: str,
    casting: Casting,
    config: RunConfig | JudgeConfig,
    tally: Tally,
) -> Examiner | None:
    """The examiner for the judges of a run; None if no judge is to sit an exam.

    Of a run in parts, only the first part holds exams. Models that the stand-in endpoint serves sit
    none.
    """
    if config.part is not None and config.part.number != 1:
        return None
    examinees = await models_to_examine(config, casting.models)
    return Examiner(store, casting, store.run(run).world, examinees, tally) if examinees else None


async def models_to_examine(config: JudgeChoice, models: Models) -> list[Examinee]:
    """The models among the chosen judges and readers, except those that the stand-in endpoint
    serves; none if the exam is off."""
    if config.exam == "off":
        return []
    examinees = [*map(Examinee, config.judges)]
    examinees += [Examinee(reader, "reader") for reader in config.readers]
    served = await models.stand_ins(spec for each in examinees for spec in each.models)
    return [
        examinee
        for examinee in examinees
        if any(spec.label not in served for spec in examinee.models)
    ]


def sat_cases(
    store: Store, world: str, cases: Sequence[ExamCase], judge: JudgeId
) -> Set[str | None]:
    """The cases that a judge has sat, with or without usable answers."""
    run = exam_name(world, cases)
    rows = store.verdicts.judgings(run, judge) if store.has_run(run) else ()
    return {row.trial for row in rows}


# ------------------------------------------------------------------ exams by a command


@dataclass(frozen=True, slots=True)
class ExamResult:
    """The result of an exam. `entry` is None if no case is about the metrics of this judge;
    `stopped` says why the exam ended early ("" if it did not). `stand_ins` has the judge's label if
    the stand-in endpoint answered: such an exam is a rehearsal, and no report shows it."""

    judge: JudgeId
    world: str
    run: str
    marked: tuple[MarkedCase, ...]
    entry: ExamEntry | None
    stopped: str = ""
    stand_ins: tuple[str, ...] = ()


@synchronous
async def take_exam(config: ExamConfig, watch: Watch | None = None) -> ExamResult:
    """Have a judge sit the cases of a world's exam that it has not sat; works inside a running
    event loop, too. ConfigError if the world ships no exam, or for a judge that cannot be made."""
    kit = load_world(config.world, settings=config.settings)
    cases = exam_cases_of(config.world)
    tally, models, path = Tally(), Models(config), store_path(config.store)
    patience = patience_of(config.agent_timeout)
    casting = Casting(kit, models, TalliedReplies(tally), Budget(config.budget), patience)
    examinee = Examinee(config.judge, config.role)
    judge = examinee.judge(casting).id
    with Store.open(path) as store:
        try:
            served = await models.stand_ins(examinee.models)
            keeps = REHEARSAL if served else EXAM
            examiner = Examiner(store, casting, config.world, [examinee], tally, False, keeps)
            run = lay_out(store, config.world, cases, keeps)
            with watch(run, tally) if watch else nullcontext():
                error = await examiner.examine()
        finally:
            await models.close()
        marked = latest(marked_cases(store, run, judge))
        entry = exam_entry(marked) if marked else None
        stopped = str(error) if error else ""
        return ExamResult(judge, config.world, run, marked, entry, stopped, served)


def section(result: ExamResult) -> Section:
    """A section with a judge's results by form, and the cases that it missed."""
    judge, entry = result.judge.label, result.entry
    title = SAY("title", judge=judge, world=result.world)
    warnings = tuple(stand_in_words({STAND_INS: result.stand_ins}))
    if entry is None:
        nothing = SAY("nothing_bound", judge=judge, world=result.world)
        return Section(title, (), (nothing,), warnings=warnings)
    how, cases = "passed_alone" if entry.passed else "failed_alone", Count("case", entry.cases)
    forms = [Finding(more=form.model_dump()) for form in entry.forms]
    tables = [SAY.table("forms", forms)]
    if missed := [*_missed(result.marked)]:
        tables.append(SAY.table("misses", missed, run=result.run))
    marks = SAY(how, judge=judge, right=entry.right, cases=cases)
    return Section(title, (marks,), (), tuple(tables), warnings=warnings)


def _missed(marked: Sequence[MarkedCase]) -> Iterator[Finding]:
    for case in marked:
        for answer in case.answers:
            if not answer.right:
                yield Finding(
                    about={"seat": answer.seat or ""},
                    more={
                        "case": case.case,
                        "form": case.form,
                        "what": miss_words(miss)
                        if (miss := case.miss_in(answer))
                        else SAY("no_answer"),
                        "metric_name": answer.metric,
                        "expected": SAY("range", low=answer.low, high=answer.high),
                        "answer": shorten(answer.text, _LONGEST, placeholder=" ..."),
                    },
                )


def document(result: ExamResult) -> dict[str, Any]:
    """The result as the JSON object that docs/validation.md describes."""
    return {
        "schema": 1,
        "kind": "exam",
        "judge": result.judge.as_document(),
        "world": result.world,
        "run": result.run,
        "stopped": result.stopped,
        "stand_ins": list(result.stand_ins),
        "exam": result.entry and result.entry.model_dump(),
        "cases": [
            {
                "case": case.case,
                "kind": case.kind,
                "form": case.form,
                "right": case.right,
                "answers": [
                    {
                        "metric": answer.metric,
                        "seat": answer.seat,
                        "low": answer.low,
                        "high": answer.high,
                        "value": answer.value,
                        "shown": answer.text,
                    }
                    for answer in case.answers
                ],
            }
            for case in result.marked
        ],
    }
