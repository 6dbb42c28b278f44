"""Credit for turns: what judges said of single turns, summed up, held against scores, and shown."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from pydantic import ValidationError

from sociolab.analysis.values import RunValues
from sociolab.core.episode import Episode, Trial
from sociolab.core.errors import StoreError
from sociolab.core.ports import Note, Transcript
from sociolab.judging.credit import MEASURES, Cell, Credit, CreditRecord, NoCredit
from sociolab.report.formatting import NOTHING, cell, interval_notes, p_text, plain
from sociolab.report.section import Section, TextTable
from sociolab.report.transcript_view import TranscriptOf
from sociolab.report.words import minus, plural
from sociolab.stats.correlation import Correlation, pearson
from sociolab.stats.intervals import mean
from sociolab.store.database import replaced
from sociolab.store.store import Store

FEWEST = 10
"""Plays from which a correlation is worth a word."""

_MOST_SHOWN = 20
CREDIT = "credit"
"""The attachment; each piece is the JSON text of a `CreditRecord`, the latest last."""


@dataclass(frozen=True, slots=True)
class PlayCredit:
    """What moved one measure of one seat in one episode.

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
        """The turns that were somebody else's."""
        return tuple(turn for turn in self.turns if turn.by != self.seat)


@dataclass(frozen=True, slots=True)
class CreditCheck:
    """Summed credit against what a judge of the run gave the same plays in the same measure.

    `found` is over the plays that have both; `enough` says whether there are `FEWEST` of them.
    """

    judge: str
    measure: str
    found: Correlation

    @property
    def enough(self) -> bool:
        """Whether anything can be concluded."""
        return self.found.n >= FEWEST


def merged(records: Sequence[CreditRecord]) -> tuple[CreditRecord, ...]:
    """One record for each judge by name: of each cell, what the judge said last."""
    found = []
    for judge in dict.fromkeys(record.judge for record in records):
        mine = [record for record in records if record.judge == judge]
        last = {cell: index for index, record in enumerate(mine) for cell in record.asked}
        names = {seat: name for record in mine for seat, name in record.names.items()}
        found.append(
            mine[-1].model_copy(
                update={
                    "names": names,
                    "asked": tuple(last),
                    "credits": tuple(
                        c for i, one in enumerate(mine) for c in one.credits if last[c.cell] == i
                    ),
                    "failures": tuple(
                        f for i, one in enumerate(mine) for f in one.failures if last[f.cell] == i
                    ),
                }
            )
        )
    return tuple(found)


def only(record: CreditRecord, wanted: Sequence[Cell]) -> CreditRecord:
    """What a record says of these cells."""
    kept = {
        "asked": tuple(cell for cell in record.asked if cell in wanted),
        "credits": tuple(one for one in record.credits if one.cell in wanted),
        "failures": tuple(one for one in record.failures if one.cell in wanted),
    }
    return record.model_copy(update=kept)


def play_credits(trial: Trial, record: CreditRecord) -> tuple[PlayCredit, ...]:
    """What moved each cell that was asked about, by seat and measure."""
    failures = {failure.cell: failure for failure in record.failures}
    order = [Cell(seat=s, measure=m) for s in trial.task.seats for m in MEASURES]
    return tuple(
        _play(trial, record, cell, failures.get(cell)) for cell in order if cell in record.asked
    )


def checks(plays: Sequence[PlayCredit], scores: RunValues) -> tuple[CreditCheck, ...]:
    """Each judge of the run that scored a measure of the same name, against the summed credit."""
    found = []
    for measure in MEASURES:
        mine = [play for play in plays if play.measure == measure]
        for judge in scores.judges:
            given = {
                (value.trial, value.seat): value.value
                for value in scores.of(judge).values
                if value.measure == measure
            }
            both = [play for play in mine if (play.trial, play.seat) in given]
            if both:
                totals = [play.total for play in both]
                scored = [given[play.trial, play.seat] for play in both]
                clusters = [play.cluster for play in both]
                found.append(CreditCheck(judge, measure, pearson(totals, scored, clusters)))
    return tuple(found)


def _play(trial: Trial, record: CreditRecord, cell: Cell, failure: NoCredit | None) -> PlayCredit:
    turns = _in_order(credit for credit in record.credits if credit.cell == cell)
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


def _in_order(turns: Iterable[Credit]) -> tuple[Credit, ...]:
    return tuple(sorted(turns, key=lambda one: one.turn))


# ------------------------------------------------------------------ beside a transcript


def with_credit(transcript: Transcript, records: Sequence[CreditRecord]) -> Transcript:
    """The transcript with a note behind each turn that moved something, and the sums at the end."""
    notes = [note for record in records for note in _notes(record)]
    return replace(transcript, notes=(*transcript.notes, *notes))


def _notes(record: CreditRecord) -> Iterator[Note]:
    for credit in record.credits:
        what = _moved(record, credit)
        text = f'{what}: "{credit.quote}" ({credit.reason}) [{record.judge}]'
        yield Note(credit.turn, text, seat=credit.by)
    yield Note(None, f"Credit by {record.judge}: {'; '.join(_sums(record))}")


def _moved(record: CreditRecord, credit: Credit) -> str:
    name = record.names.get(credit.cell.seat, credit.cell.seat)
    if credit.cell.measure == "secret":
        return f"secret of {name} given away"
    return f"goal of {name} {_signed(credit.amount)}"


def _sums(record: CreditRecord) -> Iterator[str]:
    failed = {failure.cell: failure for failure in record.failures}
    for asked in record.asked:
        what = f"{asked.measure} of {record.names.get(asked.seat, asked.seat)}"
        mine = [credit.amount for credit in record.credits if credit.cell == asked]
        if asked in failed:
            yield f"{what} missing ({failed[asked].cause})"
        elif not mine:
            yield f"{what} {'kept' if asked.measure == 'secret' else 'moved by no turn'}"
        elif asked.measure == "secret":
            yield f"{what} given away in {plural(len(mine), 'turn')}"
        else:
            yield f"{what} {_signed(sum(mine))} in {plural(len(mine), 'turn')}"


def _signed(amount: int) -> str:
    return minus(f"{amount:+d}") if amount else "0"


# ------------------------------------------------------------------ of a run


def credit_section(
    run: str, judge: str, plays: Sequence[PlayCredit], checked: Sequence[CreditCheck], cluster: str
) -> Section:
    """What moved the plays of a run, as one judge sees it; `cluster` is what intervals go by."""
    return Section(
        f"Credit for turns by {judge} · run {run}",
        tuple(_said(plays)),
        tuple(_cautions(plays, checked)),
        tuple(filter(None, (_by_agent(plays, cluster), _checks(checked), _by_play(plays)))),
    )


def _said(plays: Sequence[PlayCredit]) -> Iterator[str]:
    goals = [play for play in plays if play.measure == "goal" and play.total is not None]
    if goals:
        turns = [turn for play in goals for turn in play.turns]
        others = sum(len(play.by_others) for play in goals)
        away = sum(turn.amount < 0 for turn in turns)
        yield (
            f"{plural(len(turns), 'turn')} moved the goal in {plural(len(goals), 'episode')}: "
            f"{len(turns) - away} nearer, {away} further away; {others} of them were somebody "
            f"else's turns."
        )
    secrets = [play for play in plays if play.measure == "secret" and play.total is not None]
    if secrets:
        told = sum(bool(play.turns) for play in secrets)
        yield f"The secret was given away in {told} of {plural(len(secrets), 'episode')}."
    if not goals and not secrets:
        yield "No episode was given credit."


def _cautions(plays: Sequence[PlayCredit], checked: Sequence[CreditCheck]) -> Iterator[str]:
    causes = Counter(play.failure.cause for play in plays if play.failure is not None)
    if causes:
        told = ", ".join(f"{count} {cause}" for cause, count in sorted(causes.items()))
        yield (
            f"{causes.total()} of {plural(len(plays), 'list')} of turns are missing ({told}); "
            "they do not count as zero credit."
        )
    yield "Credit is one judge's interpretation: no episode was replayed without a turn."
    for measure in MEASURES:
        due = any(play.measure == measure for play in plays)
        if due and not any(one.measure == measure for one in checked):
            yield (
                f"No judge of these episodes scored {measure}, so the credit for it could not be "
                f"checked against scores."
            )
    for one in checked:
        if not one.enough:
            yield (
                f"Whether credit for {one.measure} agrees with {one.judge} cannot be concluded "
                f"from {plural(one.found.n, 'episode')} that have both; at least {FEWEST} are "
                f"needed."
            )


def _by_agent(plays: Sequence[PlayCredit], cluster: str) -> TextTable | None:
    rows, estimates = [], []
    for measure in MEASURES:
        mine = [play for play in plays if play.measure == measure]
        for agent in dict.fromkeys(play.agent for play in mine):
            own = [play for play in mine if play.agent == agent]
            estimate = mean([play.total for play in own], [play.cluster for play in own])
            estimates.append(estimate)
            turns = sum(len(play.turns) for play in own)
            others = sum(len(play.by_others) for play in own)
            missing = str(len(own) - estimate.n) if estimate.n < len(own) else ""
            shown = (cell(estimate, sign=True), str(turns), str(others), missing)
            rows.append((f"{agent}, {measure}", str(estimate.n), *shown))
    if not rows:
        return None
    columns = ("agent, metric", "plays", "mean sum", "turns", "by others", "missing")
    notes = interval_notes(estimates, cluster)
    return TextTable("Credit by agent", columns, tuple(rows), notes)


def _checks(checked: Sequence[CreditCheck]) -> TextTable | None:
    if not checked:
        return None
    rows = tuple(
        (f"{one.measure}, {one.judge}", str(one.found.n), *_figures(one)) for one in checked
    )
    notes = (
        "r: Pearson's, over episodes that have both; its interval leaves out one cluster at a time",
        "r below 0: the sums contradict the scores",
    )
    columns = ("metric, judge", "n", "r", "95 % interval", "p")
    return TextTable("Summed credit against the scores of the run", columns, rows, notes)


def _figures(one: CreditCheck) -> tuple[str, str, str]:
    if not one.enough:
        return NOTHING, "too few episodes", NOTHING
    found = one.found
    return plain(found.value, sign=True), _interval(found), p_text(found.p)


def _interval(found: Correlation) -> str:
    if found.low is None or found.high is None:
        return found.note
    return f"[{plain(found.low, sign=True)}, {plain(found.high, sign=True)}]"


def _by_play(plays: Sequence[PlayCredit]) -> TextTable | None:
    rows = tuple(
        (play.trial, f"{play.name}, {play.measure}", _total(play), _turns(play))
        for play in plays[:_MOST_SHOWN]
    )
    left = len(plays) - len(rows)
    more = (f"{left} more: --json lists all of them",) if left else ()
    notes = ("turn numbers as in the transcript; * marks somebody else's turn", *more)
    columns = ("episode", "whose", "sum", "turns")
    words = (1, 3)
    return TextTable("Credited turns", columns, rows, notes, words) if rows else None


def _total(play: PlayCredit) -> str:
    return "missing" if play.total is None else _signed(play.total)


def _turns(play: PlayCredit) -> str:
    if play.failure is not None:
        return f"({play.failure.cause})"
    return ", ".join(
        f"{turn.turn + 1}{'' if turn.by == play.seat else '*'} {_signed(turn.amount)}"
        for turn in play.turns
    )


def keep_credit(store: Store, run: str, trial: str, record: CreditRecord) -> None:
    """Add a judging to what the trial has; one that says nothing new is not added again."""
    piece = replaced(json.dumps(record.model_dump(), ensure_ascii=False)).encode()
    *_, last = (b"", *store.attachment(run, trial, CREDIT))
    if piece != last:
        store.attach(run, trial, CREDIT, piece)


def credit_of(store: Store, run: str, trial: str) -> tuple[CreditRecord, ...]:
    """What each judge said last of a trial's turns; nothing where none was asked."""
    return merged(judgings_of(store, run, trial))


def judgings_of(store: Store, run: str, trial: str) -> tuple[CreditRecord, ...]:
    """All that judges said of a trial's turns, in this order."""
    try:
        pieces = store.attachment(run, trial, CREDIT)
        return tuple(CreditRecord.model_validate_json(piece) for piece in pieces)
    except ValidationError as error:
        raise StoreError(
            f"the credit for turns of {trial} was written in another form than this sociolab "
            "reads; use the version that wrote it"
        ) from error


def credited(
    store: Store, run: str, transcript_of: TranscriptOf, called: Callable[[str], str] = str
) -> TranscriptOf:
    """Transcripts of a run's episodes, with the credit that is kept of them as notes; `called` is
    what a judge is called."""

    def transcript(episode: Episode) -> Transcript:
        records = credit_of(store, run, episode.trial.id)
        named = [one.model_copy(update={"judge": called(one.judge)}) for one in records]
        return with_credit(transcript_of(episode), named)

    return transcript
