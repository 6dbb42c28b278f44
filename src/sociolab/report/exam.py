"""How did a judge do in the exam of its world, and what is to be said of that?

An exam is a run of its own (`keeps` says so): its episodes are the cases, its settings say what is
right, and what a judge said of them are judgings like any. A judge sits it again, as a further
judging of each case, where another model answers by its name.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import shorten
from typing import Any

from sociolab.core.exam import MISSES, NEVER, PASSING, CaseKind, Form
from sociolab.core.score import JudgeId, Score, ScoreFailure, Unscored, Verdict
from sociolab.report.catalogue import Catalogue
from sociolab.report.finding import Count, Sentence
from sociolab.report.schema import ExamEntry, ExamForm, JudgeEntry, RunResult
from sociolab.report.words import instructions_notes
from sociolab.store.store import Store

SAY = Catalogue("exam")

EXAM = "exam"
"""What such a run keeps."""

_LONGEST, _MOST_NAMED = 80, 3
"""Characters of a reason that are shown, and kinds of misses that a sentence names."""


@dataclass(frozen=True, slots=True)
class ExamAnswer:
    """What a judge said of one case in one metric, and what would have been right."""

    metric: str
    seat: str | None
    low: float
    high: float
    verdict: Verdict | None

    @property
    def value(self) -> float | None:
        """None where there is no score."""
        return self.verdict.value if isinstance(self.verdict, Score) else None

    @property
    def shown(self) -> str:
        """What was said, in words: the score with its reason, or why there is none."""
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
        """Whether there is a score, and it is right."""
        return self.value is not None and self.low <= self.value <= self.high


@dataclass(frozen=True, slots=True)
class MarkedCase:
    """A case as one judge, or one rater, answered it once (`sitting` counts from 0)."""

    case: str
    kind: CaseKind
    form: Form
    sitting: int
    answers: tuple[ExamAnswer, ...]

    @property
    def right(self) -> bool:
        """Whether all answers are."""
        return all(answer.right for answer in self.answers)

    @property
    def miss(self) -> str:
        """What it is missed for: its kind, if its leading metric (that of its first answer) has a
        wrong score, else a metric that has; "" where no score is wrong."""
        wrong = [one.metric for one in self.answers if one.value is not None and not one.right]
        return self.kind if self.answers[0].metric in wrong else next(iter(wrong), "")


def exam_runs(store: Store, world: str) -> tuple[str, ...]:
    """The exams of a world in a store, the newest first: a later version may have other cases."""
    return tuple(reversed(store.keeping(EXAM, world)))


def marked_cases(store: Store, run: str, judge: JudgeId) -> tuple[MarkedCase, ...]:
    """What a judge answered in an exam; cases in which nothing is expected of it are left out."""
    given: dict[tuple[str, int], dict[tuple[str, str | None], Verdict]] = {}
    for row in store.verdicts.judgings(run, judge):
        if row.trial is not None:
            own = given.setdefault((row.trial, row.judging), {})
            own |= {(one.measure.name, one.seat): one for one in row.verdicts}
    metrics = {metric for own in given.values() for metric, _ in own}
    settings: Any = store.run(run).settings
    cases: Mapping[str, Any] = settings["cases"]
    return tuple(
        MarkedCase(case, told["kind"], told["form"], sitting, answers)
        for (case, sitting), own in given.items()
        for told in [cases[case]]
        if (
            answers := tuple(
                ExamAnswer(metric, seat, low, high, own.get((metric, seat)))
                for metric, seat, low, high in told["expected"]
                if metric in metrics
            )
        )
    )


def exam_of(
    store: Store, world: str, judge: JudgeId, served: Collection[str] = ()
) -> ExamEntry | None:
    """How a judge did in the exam of a world, by the models that `served` it if it sat several
    times, else the last time; None where it sat none. Of people all count."""
    for run in exam_runs(store, world):
        if marked := marked_cases(store, run, judge):
            returned = store.calls.returned(run, judge.name)
            sittings = sorted({one.sitting for one in marked})
            fits = [one for one in sittings if {*served} & {*returned.get(one, ())}]
            if judge.method == "people":
                return exam_entry(marked)
            sitting = (fits or sittings)[-1]
            return exam_entry(
                [m for m in marked if m.sitting == sitting], returned.get(sitting, ())
            )
    return None


def latest(marked: Sequence[MarkedCase]) -> tuple[MarkedCase, ...]:
    """The answers of the last sitting."""
    last = max((one.sitting for one in marked), default=0)
    return tuple(one for one in marked if one.sitting == last)


def exam_entry(marked: Sequence[MarkedCase], served: Iterable[str] = ()) -> ExamEntry:
    """What the answers to these cases come to."""
    by_form: dict[Form, list[MarkedCase]] = defaultdict(list)
    for one in marked:
        by_form[one.form].append(one)
    forms = tuple(
        ExamForm(form=form, right=sum(one.right for one in some), cases=len(some))
        for form, some in sorted(by_form.items())
    )
    misses = Counter(one.miss for one in marked if one.miss)
    enough = all(form.right >= PASSING * form.cases for form in forms)
    return ExamEntry(
        forms=forms,
        misses=dict(sorted(misses.items(), key=lambda one: (-one[1], one[0]))),
        unanswered=sum(not one.right and not one.miss for one in marked),
        passed=enough and not NEVER & misses.keys(),
        served=tuple(served),
    )


# ------------------------------------------------------------------ in words


def judge_notes(result: RunResult, judges: Iterable[str] = ()) -> tuple[str, ...]:
    """What stands below every table with figures of these judges: from whose instructions they
    come, and how their judges did in the exam."""
    own = {*judges}
    exams = exam_notes(one for one in result.judges if one.judge in own)
    return (*instructions_notes(result, own), *exams)


def exam_notes(judges: Iterable[JudgeEntry]) -> Iterator[Sentence]:
    """How these judges did, a note each; nothing of one that sat none."""
    for one in judges:
        if one.exam is not None:
            yield exam_note(one.judge, one.exam)
            apart = one.exam.served and one.served and not {*one.exam.served} & {*one.served}
            if apart:
                yield SAY(
                    "served_apart", judge=one.judge, examined=one.exam.served, served=one.served
                )


def exam_note(judge: str, exam: ExamEntry) -> Sentence:
    """Such as "exam of openai/x: 18 of 20; misses: success inferred from small talk (2)"."""
    if not (misses := _misses(exam)):
        return SAY("whole", judge=judge, right=exam.right, cases=exam.cases)
    return SAY("with_misses", judge=judge, right=exam.right, cases=exam.cases, misses=misses)


def failed_exams(results: Iterable[RunResult], judges: Iterable[str] = ()) -> Iterator[Sentence]:
    """Which judges of these runs failed their exam, of these labels if any are given."""
    wanted = {*judges}
    exams = {one.judge: one.exam for result in results for one in result.judges}
    yield from exam_warnings(
        {judge: exam for judge, exam in exams.items() if not wanted or judge in wanted}
    )


def exam_warnings(exams: Mapping[str, ExamEntry | None]) -> Iterator[Sentence]:
    """Which of these judges, by label, failed their exam, a sentence each."""
    for judge, exam in exams.items():
        if exam is not None and not exam.passed:
            cases = Count("case", exam.cases)
            yield SAY("failed", judge=judge, right=exam.right, cases=cases, misses=_misses(exam))


def _misses(exam: ExamEntry) -> list[Sentence]:
    """The kinds of what was missed, the gravest first, a few by name."""
    kinds = sorted(exam.misses.items(), key=lambda one: one[0] not in NEVER)
    misses = [SAY("miss", what=miss_words(kind), n=n) for kind, n in kinds[:_MOST_NAMED]]
    if more := sum(n for _, n in kinds[_MOST_NAMED:]):
        misses.append(SAY("other_misses", n=more))
    return [*misses, *([SAY("unanswered", n=exam.unanswered)] if exam.unanswered else [])]


def miss_words(miss: str) -> str:
    """What a miss is called: that of a kind of case, or of a metric beside the leading one."""
    return MISSES[miss] if miss in MISSES else SAY("misread", metric=miss)
