"""The results of judges in the exam of their world, and notes on them.

An exam is a run of its own (its `keeps` is `EXAM`): its episodes are the cases, its settings hold
the right answers, and a judge's answers are stored like any judgings. If another model answers
under a judge's name, the judge sits the exam again, as a further judging of each case.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from textwrap import shorten
from typing import Any

from sociolab.core.exam import MISSES, NEVER, PASSING, SUCCESSES, CaseKind, Form
from sociolab.core.score import JudgeId, Score, ScoreFailure, Unscored, Verdict
from sociolab.report.catalogue import Catalogue
from sociolab.report.finding import Count, Sentence
from sociolab.report.schema import ExamEntry, ExamForm, JudgeEntry, RunResult
from sociolab.report.section import Section, noted
from sociolab.report.words import instructions_notes, notes_of_runs
from sociolab.store.store import Store

SAY = Catalogue("exam")

EXAM = "exam"
"""The `keeps` of an exam's run."""
REHEARSAL = "rehearsal of an exam"
"""The `keeps` of an exam whose answers are the stand-in endpoint's: no judge has sat it."""

_LONGEST, _MOST_NAMED = 80, 3
"""Maximum length of a reason, and maximum number of kinds of misses that a sentence names."""


@dataclass(frozen=True, slots=True)
class ExamAnswer:
    """A judge's answer to a case in one metric; a right score lies within `low` and `high`."""

    metric: str
    seat: str | None
    low: float
    high: float
    verdict: Verdict | None

    @property
    def value(self) -> float | None:
        """The score; None if there is none."""
        return self.verdict.value if isinstance(self.verdict, Score) else None

    @property
    def text(self) -> str:
        """The answer in words: the score with its reason, or why there is none."""
        match self.verdict:
            case Score(value=value, reason=reason):
                return SAY(
                    "answer", value=value, reason=shorten(reason, _LONGEST, placeholder=" ...")
                )
            case ScoreFailure(problem=problem):
                return problem
            case Unscored(why=why):
                return why
        return SAY("nothing_said")

    @property
    def right(self) -> bool:
        return self.value is not None and self.low <= self.value <= self.high


@dataclass(frozen=True, slots=True)
class MarkedCase:
    """The answers of one judge, or one rater, to a case in one sitting (counted from 0)."""

    case: str
    kind: CaseKind
    form: Form
    sitting: int
    answers: tuple[ExamAnswer, ...]

    @property
    def right(self) -> bool:
        """Whether all answers are right."""
        return all(answer.right for answer in self.answers)

    @property
    def miss(self) -> str:
        """What the judge got wrong: the gravest of `miss_in` its answers; "" if no score is
        wrong."""
        wrong = [miss for answer in self.answers if (miss := self.miss_in(answer))]
        return next((kind for kind in (self.kind, "failure") if kind in wrong), "".join(wrong[:1]))

    def miss_in(self, answer: ExamAnswer) -> str:
        """What is wrong with a score: the kind of the case if it is of the leading metric (that of
        the first answer) or the kind is in `NEVER`, else its metric; "" if nothing is, or without
        a score.

        A leading score that is too high in a case of success is a failure taken for a success:
        whoever got it did not succeed as far.
        """
        if answer.value is None or answer.right:
            return ""
        if answer.metric != self.answers[0].metric and self.kind not in NEVER:
            return answer.metric
        too_high = self.kind in SUCCESSES and answer.value > answer.high
        return "failure" if too_high else self.kind


def exam_runs(store: Store, world: str) -> tuple[str, ...]:
    """The exams of a world in a store, the newest first; versions may have different cases."""
    return tuple(reversed(store.runs_keeping(EXAM, world)))


def marked_cases(store: Store, run: str, judge: JudgeId) -> tuple[MarkedCase, ...]:
    """A judge's answers in an exam, without cases for metrics that it does not score.

    A case that it has not sat yet counts as unanswered, so that half an exam cannot be passed. For
    people, who answer one case at a time, only the answered cases count.
    """
    verdicts: dict[tuple[str, int], dict[tuple[str, str | None], Verdict]] = {}
    for row in store.verdicts.judgings(run, judge):
        if row.trial is not None:
            own = verdicts.setdefault((row.trial, row.judging), {})
            own |= {(verdict.measure.name, verdict.seat): verdict for verdict in row.verdicts}
    metrics = {metric for own in verdicts.values() for metric, _ in own}
    settings: Any = store.run(run).settings
    cases: Mapping[str, Any] = settings["cases"]
    if judge.method != "people":
        for sitting in {number for _, number in verdicts}:
            for case in cases:
                verdicts.setdefault((case, sitting), {})
    return tuple(
        MarkedCase(case, spec["kind"], spec["form"], sitting, answers)
        for (case, sitting), own in verdicts.items()
        for spec in [cases[case]]
        if (
            answers := tuple(
                ExamAnswer(metric, seat, low, high, own.get((metric, seat)))
                for metric, seat, low, high in spec["expected"]
                if metric in metrics
            )
        )
    )


def exam_of(
    store: Store, world: str, judge: JudgeId, served: Collection[str] = ()
) -> ExamEntry | None:
    """The result of a judge in the newest exam of a world that it sat; None if it sat none.

    Of several sittings, the last one counts that the models in `served` answered, else the last.
    For people, all sittings count.
    """
    for run in exam_runs(store, world):
        if marked := marked_cases(store, run, judge):
            returned = store.calls.returned(run, judge.name)
            sittings = sorted({case.sitting for case in marked})
            fits = [number for number in sittings if {*served} & {*returned.get(number, ())}]
            if judge.method == "people":
                return exam_entry(marked)
            sitting = (fits or sittings)[-1]
            return exam_entry(
                [m for m in marked if m.sitting == sitting], returned.get(sitting, ())
            )
    return None


@dataclass(frozen=True, slots=True)
class JudgeExam:
    """The exam result of a judge, by label, and the models that `served` the judge in a run."""

    judge: str
    exam: ExamEntry
    served: tuple[str, ...] = ()


def exams_of(
    store: Store, run: str, world: str, labels: Mapping[JudgeId, str]
) -> tuple[JudgeExam, ...]:
    """The exam results of these judges of a run; a judge that sat none is left out."""
    exams = []
    for judge, label in labels.items() if exam_runs(store, world) else ():
        by_judging = store.calls.returned(run, judge.name) if judge.method == "model" else {}
        served = tuple(sorted({name for names in by_judging.values() for name in names}))
        if (exam := exam_of(store, world, judge, served)) is not None:
            exams.append(JudgeExam(label, exam, served))
    return tuple(exams)


def exams_by_judge(
    store: Store, run: str, judges: Iterable[JudgeId]
) -> Mapping[JudgeId, ExamEntry]:
    """The exam results of these judges of a run; a judge that sat none is left out."""
    world = store.run(run).world
    return {
        judge: row.exam
        for judge in dict.fromkeys(judges)
        for row in exams_of(store, run, world, {judge: judge.label})
    }


def latest(marked: Sequence[MarkedCase]) -> tuple[MarkedCase, ...]:
    """The answers of the last sitting."""
    last = max((case.sitting for case in marked), default=0)
    return tuple(case for case in marked if case.sitting == last)


def exam_entry(marked: Sequence[MarkedCase], served: Iterable[str] = ()) -> ExamEntry:
    """The result of these cases."""
    by_form: dict[Form, list[MarkedCase]] = defaultdict(list)
    for case in marked:
        by_form[case.form].append(case)
    forms = tuple(
        ExamForm(form=form, right=sum(case.right for case in some), cases=len(some))
        for form, some in sorted(by_form.items())
    )
    misses = Counter(case.miss for case in marked if case.miss)
    enough = all(form.right >= PASSING * form.cases for form in forms)
    return ExamEntry(
        forms=forms,
        misses=dict(sorted(misses.items(), key=lambda item: (-item[1], item[0]))),
        unanswered=sum(not case.right and not case.miss for case in marked),
        passed=enough and not NEVER & misses.keys(),
        served=tuple(served),
    )


# ------------------------------------------------------------------ notes


@dataclass(frozen=True, slots=True)
class ExamNotes:
    """Notes on the exams of the judges behind some figures: warnings on those who failed, and notes
    on all, to stand `below` a table."""

    failed: tuple[str, ...] = ()
    below: tuple[str, ...] = ()

    def after(self, warnings: Iterable[str]) -> ExamNotes:
        """These notes, with other warnings before them."""
        return replace(self, failed=(*warnings, *self.failed))

    def on(self, section: Section) -> Section:
        """The section with who failed above its findings, the rest below each table."""
        return noted(replace(section, warnings=(*self.failed, *section.warnings)), self.below)


def exam_notes(
    exams: Mapping[str, Sequence[JudgeExam | JudgeEntry]], judges: Collection[str] | None = None
) -> ExamNotes:
    """The notes on exams, given by run, of these judges (None: of all)."""
    own = {
        run: [exam for exam in some if judges is None or exam.judge in judges]
        for run, some in exams.items()
    }
    failed = dict.fromkeys(
        _failed_sentence(row.judge, row.exam)
        for some in own.values()
        for row in some
        if row.exam and not row.exam.passed
    )
    below = {run: [note for row in some for note in _notes(row)] for run, some in own.items()}
    return ExamNotes(tuple(failed), notes_of_runs(below))


def judge_notes(result: RunResult, judges: Collection[str] = ()) -> tuple[str, ...]:
    """The notes below a table with figures of these judges: whose instructions they got, and their
    results in the exam."""
    exams = exam_notes({result.run: result.judges}, judges)
    return (*instructions_notes(result, judges), *exams.below)


def _notes(row: JudgeExam | JudgeEntry) -> Iterator[Sentence]:
    """Such as "exam of openai/x: 18 of 20; misses: success inferred from small talk (2)"."""
    if (exam := row.exam) is None:
        return
    say, misses = partial(SAY, judge=row.judge, right=exam.right, cases=exam.cases), _misses(exam)
    yield say("with_misses", misses=misses) if misses else say("whole")
    if exam.served and row.served and not {*exam.served} & {*row.served}:
        yield SAY("served_apart", judge=row.judge, examined=exam.served, served=row.served)


def _failed_sentence(judge: str, exam: ExamEntry) -> Sentence:
    cases = Count("case", exam.cases)
    return SAY("failed", judge=judge, right=exam.right, cases=cases, misses=_misses(exam))


def _misses(exam: ExamEntry) -> list[Sentence]:
    """The kinds of misses, the gravest first; only a few are named."""
    kinds = sorted(exam.misses.items(), key=lambda item: item[0] not in NEVER)
    misses = [SAY("miss", what=miss_words(kind), n=n) for kind, n in kinds[:_MOST_NAMED]]
    if more := sum(n for _, n in kinds[_MOST_NAMED:]):
        misses.append(SAY("other_misses", n=more))
    return [*misses, *([SAY("unanswered", n=exam.unanswered)] if exam.unanswered else [])]


def miss_words(miss: str) -> str:
    """A miss (see `MarkedCase.miss`) in words."""
    return MISSES[miss] if miss in MISSES else SAY("misread", metric=miss)
