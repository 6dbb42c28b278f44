"""Credit for single turns, as judges gave it: summed, correlated with scores, and shown."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import ValidationError

from sociolab.analysis.values import RunValues
from sociolab.core.episode import Episode, Trial
from sociolab.core.errors import StoreError
from sociolab.core.ports import Note, Transcript
from sociolab.core.score import Measure
from sociolab.judging.credit import MEASURES, Cell, Credit, CreditRecord, NoCredit
from sociolab.report.catalogue import Catalogue
from sociolab.report.exam import ExamNotes
from sociolab.report.finding import Count, Finding, episodes_and_seats
from sociolab.report.section import Section
from sociolab.report.transcript_views import TranscriptOf
from sociolab.report.words import counted
from sociolab.stats.correlation import pearson
from sociolab.stats.intervals import mean
from sociolab.store.database import replace_surrogates
from sociolab.store.store import Store

FEWEST = 10
"""Plays from which a correlation is worth a word."""

SAY = Catalogue("credit")
_MOST_SHOWN = 20
_METRICS: Mapping[str, Measure] = {name: Measure(name, -math.inf, math.inf) for name in MEASURES}
CREDIT = "credit"
"""The attachment; each piece is the JSON text of a `CreditRecord`, the latest last."""


@dataclass(frozen=True, slots=True)
class PlayCredit:
    """What moved one metric of one seat in one episode.

    `name` is what the transcript calls the seat. `turns` are those that moved it, in order, and
    `total` is the sum of their amounts: 0 where no turn did, None where the judge failed (`failure`
    says how).
    """

    trial: str
    task: str
    cluster: str
    seat: str
    name: str
    agent: str
    measure: str
    total: int | None
    turns: tuple[Credit, ...] = ()
    failure: NoCredit | None = None

    @property
    def by_others(self) -> tuple[Credit, ...]:
        """The turns that other seats took."""
        return tuple(turn for turn in self.turns if turn.by != self.seat)


def merge_records(records: Sequence[CreditRecord]) -> tuple[CreditRecord, ...]:
    """One record for each judge by name: of each cell, what the judge said last."""
    latest = []
    for judge in dict.fromkeys(record.judge for record in records):
        by_judge = [record for record in records if record.judge == judge]
        last = {cell: index for index, record in enumerate(by_judge) for cell in record.asked}
        names = {seat: name for record in by_judge for seat, name in record.names.items()}
        latest.append(
            by_judge[-1].model_copy(
                update={
                    "names": names,
                    "asked": tuple(last),
                    "credits": tuple(
                        c
                        for i, record in enumerate(by_judge)
                        for c in record.credits
                        if last[c.cell] == i
                    ),
                    "failures": tuple(
                        f
                        for i, record in enumerate(by_judge)
                        for f in record.failures
                        if last[f.cell] == i
                    ),
                }
            )
        )
    return tuple(latest)


def restrict_record(record: CreditRecord, cells: Sequence[Cell]) -> CreditRecord:
    """The record, restricted to these cells."""
    parts = {
        "asked": tuple(cell for cell in record.asked if cell in cells),
        "credits": tuple(credit for credit in record.credits if credit.cell in cells),
        "failures": tuple(failure for failure in record.failures if failure.cell in cells),
    }
    return record.model_copy(update=parts)


def play_credits(trial: Trial, record: CreditRecord) -> tuple[PlayCredit, ...]:
    """The credit in each cell that the judge was asked about, by seat, then metric."""
    failures = {failure.cell: failure for failure in record.failures}
    order = [Cell(seat=s, measure=m) for s in trial.task.seats for m in MEASURES]
    return tuple(
        _play(trial, record, cell, failures.get(cell)) for cell in order if cell in record.asked
    )


def _play(trial: Trial, record: CreditRecord, cell: Cell, failure: NoCredit | None) -> PlayCredit:
    credits = [credit for credit in record.credits if credit.cell == cell]
    turns = tuple(sorted(credits, key=lambda credit: credit.turn))
    return PlayCredit(
        trial=trial.id,
        task=trial.task.id,
        cluster=trial.task.cluster,
        seat=cell.seat,
        name=record.names.get(cell.seat, cell.seat),
        agent=trial.agent(cell.seat),
        measure=cell.measure,
        total=None if failure else sum(turn.amount for turn in turns),
        turns=turns,
        failure=failure,
    )


# ------------------------------------------------------------------ beside a transcript


def with_credit(transcript: Transcript, records: Sequence[CreditRecord]) -> Transcript:
    """The transcript with a note behind each turn that moved something, and the sums at the end."""
    notes = [note for record in records for note in _notes(record)]
    return replace(transcript, notes=(*transcript.notes, *notes))


def _notes(record: CreditRecord) -> Iterator[Note]:
    for credit in record.credits:
        name = record.names.get(credit.cell.seat, credit.cell.seat)
        if credit.cell.measure == "secret":
            what = SAY("secret_given_away", name=name)
        else:
            what = SAY("goal_moved", name=name, amount=float(credit.amount))
        values = {"quote": credit.quote, "reason": credit.reason, "judge": record.judge}
        yield Note(credit.turn, SAY("turn_note", what=what, **values), seat=credit.by)
    yield Note(None, SAY("sums", judge=record.judge, sums=[*_sums(record)]))


def _sums(record: CreditRecord) -> Iterator[str]:
    failed = {failure.cell: failure for failure in record.failures}
    for cell in record.asked:
        what = SAY("whose", metric=cell.measure, name=record.names.get(cell.seat, cell.seat))
        amounts = [credit.amount for credit in record.credits if credit.cell == cell]
        turns = Count("turn", len(amounts))
        if cell in failed:
            yield SAY("sum_failed", what=what, cause=failed[cell].cause)
        elif cell.measure == "secret":
            yield SAY("sum_secret", what=what, turns=turns) if amounts else SAY("kept", what=what)
        elif amounts:
            yield SAY("sum_goal", what=what, sum=float(sum(amounts)), turns=turns)
        else:
            yield SAY("unmoved", what=what)


# ------------------------------------------------------------------ of a run


def credit_findings(plays: Sequence[PlayCredit]) -> tuple[Finding, ...]:
    """Of each agent in each measure: the mean of the sums of its plays, how many turns moved them,
    how many of these were somebody else's, and how many lists of turns are missing."""
    findings = []
    for measure, metric in _METRICS.items():
        of_metric = [play for play in plays if play.measure == measure]
        for agent in dict.fromkeys(play.agent for play in of_metric):
            own = [play for play in of_metric if play.agent == agent]
            scored = [play for play in own if play.total is not None]
            estimate = mean([play.total for play in own], [play.cluster for play in own])
            more = {
                "turns": sum(len(play.turns) for play in own),
                "by_others": sum(len(play.by_others) for play in own),
                "missing": len(own) - len(scored),
            }
            counts = episodes_and_seats((play.trial, play.seat) for play in scored)
            findings.append(Finding(metric, {"agent": agent}, estimate, counts, more=more))
    return tuple(findings)


def check_findings(plays: Sequence[PlayCredit], scores: RunValues) -> tuple[Finding, ...]:
    """Each judge of the run that scored a metric of the same name: the correlation of its scores
    with the summed credit, over the plays that have both; `enough` says whether there are `FEWEST`
    of them, so that anything can be concluded."""
    findings = []
    for measure, metric in _METRICS.items():
        for judge in scores.judges:
            judged = {
                (value.trial, value.seat): value.value
                for value in scores.by_judge(judge).values
                if value.measure == measure
            }
            shared = [p for p in plays if p.measure == measure and (p.trial, p.seat) in judged]
            if shared:
                totals = [play.total for play in shared]
                scored = [judged[play.trial, play.seat] for play in shared]
                r = pearson(totals, scored, [play.cluster for play in shared])
                counts = (Count("seat", r.n),)
                more = {"enough": r.n >= FEWEST}
                findings.append(Finding(metric, {"judge": judge}, r, counts, p=r.p, more=more))
    return tuple(findings)


def credit_section(
    run: str,
    judge: str,
    plays: Sequence[PlayCredit],
    checks: Sequence[Finding],
    cluster: str,
    exams: ExamNotes,
) -> Section:
    """What moved the plays of a run, as one judge sees it; `cluster` is what intervals go by,
    `exams` are those of the judges that `checks` holds it against."""
    rest = len(plays) - _MOST_SHOWN
    more = [SAY("more", n=rest)] if rest > 0 else []
    tables = (
        SAY.table("by_agent", credit_findings(plays), cluster=cluster),
        SAY.table("checks", map(_check_row, checks), notes=exams.below),
        SAY.table("turns", map(_play_row, plays[:_MOST_SHOWN]), notes=more),
    )
    return Section(
        SAY("title", judge=judge, run=run),
        tuple(_verdicts(plays)),
        tuple(_cautions(plays, checks)),
        tuple(table for table in tables if table.findings),
        warnings=exams.failed,
    )


def _verdicts(plays: Sequence[PlayCredit]) -> Iterator[str]:
    goals = [play for play in plays if play.measure == "goal" and play.total is not None]
    if goals:
        turns = [turn for play in goals for turn in play.turns]
        away = sum(turn.amount < 0 for turn in turns)
        yield SAY(
            "goals",
            turns=Count("turn", len(turns)),
            seats=Count("seat", len(goals)),
            episodes=Count("episode", len({play.trial for play in goals})),
            nearer=len(turns) - away,
            away=away,
            others=sum(len(play.by_others) for play in goals),
        )
    secrets = [play for play in plays if play.measure == "secret" and play.total is not None]
    if secrets:
        n = sum(bool(play.turns) for play in secrets)
        yield SAY("secrets", n=n, seats=Count("seat", len(secrets)))
    if not goals and not secrets:
        yield SAY("nothing")


def _cautions(plays: Sequence[PlayCredit], checks: Sequence[Finding]) -> Iterator[str]:
    causes: Counter[str] = Counter(play.failure.cause for play in plays if play.failure is not None)
    if causes:
        lists = Count("list", len(plays))
        yield SAY("missing", n=causes.total(), lists=lists, causes=counted(causes))
    yield SAY("interpretation")
    for measure, metric in _METRICS.items():
        scored = any(play.measure == measure for play in plays)
        if scored and not any(check.metric == metric for check in checks):
            yield SAY("unchecked", metric=metric)
    for check in checks:
        if not check.more["enough"]:
            seats, judge = check.counts[0], check.about["judge"]
            yield SAY("too_few", metric=check.metric, judge=judge, seats=seats, fewest=FEWEST)


def _check_row(check: Finding) -> Finding:
    """The row of a correlation: without figures where there are too few episodes."""
    r = check.estimate
    if not check.more["enough"] or r is None:
        return replace(check, estimate=None, p=None, more={"interval": SAY("too_few_episodes")})
    return replace(check, more={"interval": r.note if r.low is None else r})


def _play_row(play: PlayCredit) -> Finding:
    turns = [
        SAY(
            "turn" if turn.by == play.seat else "turn_of_other",
            n=turn.turn + 1,
            amount=float(turn.amount),
        )
        for turn in play.turns
    ]
    more = {
        "sum": SAY("no_sum") if play.total is None else float(play.total),
        "turns": turns if play.failure is None else SAY("cause", cause=play.failure.cause),
    }
    return Finding(_METRICS[play.measure], {"episode": play.trial, "name": play.name}, more=more)


# ------------------------------------------------------------------ in the store


def keep_credit(store: Store, run: str, trial: str, record: CreditRecord) -> None:
    """Add a judging to what the trial has; one that says nothing new is not added again."""
    piece = replace_surrogates(json.dumps(record.model_dump(), ensure_ascii=False)).encode()
    *_, last = (b"", *store.attachment(run, trial, CREDIT))
    if piece != last:
        store.attach(run, trial, CREDIT, piece)


def load_credit(store: Store, run: str, trial: str) -> tuple[CreditRecord, ...]:
    """What each judge said last of a trial's turns; nothing where none was asked."""
    return merge_records(load_credit_judgings(store, run, trial))


def load_credit_judgings(store: Store, run: str, trial: str) -> tuple[CreditRecord, ...]:
    """All that judges said of a trial's turns, in this order."""
    try:
        pieces = store.attachment(run, trial, CREDIT)
        return tuple(CreditRecord.model_validate_json(piece) for piece in pieces)
    except ValidationError as error:
        raise StoreError(
            f"the credit for turns of {trial} was written in another form than this sociolab "
            "reads; use the version that wrote it"
        ) from error


def add_credit(
    store: Store, run: str, transcript_of: TranscriptOf, called: Callable[[str], str] = str
) -> TranscriptOf:
    """Transcripts of a run's episodes, with the credit that is kept of them as notes; `called` is
    what a judge is called."""

    def transcript(episode: Episode) -> Transcript:
        records = load_credit(store, run, episode.trial.id)
        named = [record.model_copy(update={"judge": called(record.judge)}) for record in records]
        return with_credit(transcript_of(episode), named)

    return transcript
