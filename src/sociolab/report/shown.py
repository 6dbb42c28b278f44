"""An episode made ready to be read: who sat where, what happened in order, what judges said."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sociolab.core.episode import Episode
from sociolab.core.ports import Line, Note, Transcript
from sociolab.core.score import READER, Score, ScoreFailure, Verdict
from sociolab.report.words import plural
from sociolab.store.scores import JudgingRow
from sociolab.store.sqlite import Store

TranscriptOf: TypeAlias = Callable[[Episode], Transcript]

_FEW_SEATS = 6
WHOLE = "the episode"
"""Heads the column of what was said of the whole episode, not of a seat."""


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat: what the transcript calls the character, and which agent played it."""

    id: str
    name: str
    agent: str


UNSCORED = "-"
"""Stands where a judge cannot tell."""


@dataclass(frozen=True, slots=True)
class Remark:
    """What was said of one measure and seat: a value, "missing" or "-", and why."""

    value: str
    why: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """One judging: `rows` are a measure each, with a remark or None for each of `columns`."""

    judge: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Remark | None, ...]], ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """An episode to read. `course` holds lines and, where they belong among them, notes."""

    trial: str
    title: str
    scene: tuple[tuple[str, str], ...]
    course: tuple[Line | Note, ...]
    seats: tuple[Seat, ...]
    ended: str
    sheets: tuple[Sheet, ...]

    @property
    def cast(self) -> tuple[str, ...]:
        """Who played whom; of more than a few seats of one agent, only the first and how many."""
        if len(self.seats) <= _FEW_SEATS:
            return tuple(f"{seat.name} played by {seat.agent}" for seat in self.seats)
        found = []
        for agent in dict.fromkeys(seat.agent for seat in self.seats):
            first, *more = [seat.name for seat in self.seats if seat.agent == agent]
            others = f" and {len(more)} more" if more else ""
            found.append(f"{first}{others} played by {agent}")
        return tuple(found)


def shown(episode: Episode, transcript: Transcript, judgings: Iterable[JudgingRow] = ()) -> Shown:
    """An episode with the judgings that are of it and say something (others are passed over)."""
    seats = _seats(episode, transcript)
    mine = [row for row in judgings if row.trial == episode.trial.id and row.verdicts]
    mine.sort(key=_place)
    return Shown(
        episode.trial.id,
        transcript.title,
        transcript.scene,
        _course(transcript),
        seats,
        _ended(episode, seats),
        tuple(_sheet(row, seats, mine) for row in mine if row.verdicts),
    )


def _place(row: JudgingRow) -> int:
    """What rests on an outcome comes first, and of that what was read, as in the tables."""
    return 0 if row.judge.name.startswith(READER) else 1 if row.judge.method == "formula" else 2


def chosen(store: Store, run: str, transcript_of: TranscriptOf, count: int) -> tuple[Shown, ...]:
    """Up to `count` played episodes, evenly over the plan, the first and the last among them."""
    return shown_trials(store, run, transcript_of, evenly_chosen(store, run, count))


def evenly_chosen(store: Store, run: str, count: int) -> tuple[str, ...]:
    """The ids of up to `count` played trials, as `chosen` takes them."""
    played = store.trial_ids(run, "played")
    return tuple(played[i] for i in _evenly(len(played), count))


def shown_trials(
    store: Store, run: str, transcript_of: TranscriptOf, trials: Iterable[str]
) -> tuple[Shown, ...]:
    """The episodes of these trials, with what judges said of them, in this order."""
    found = []
    for trial in dict.fromkeys(trials):
        episode = store.episode(run, trial)
        found.append(shown(episode, transcript_of(episode), store.judgings(run, trial=trial)))
    return tuple(found)


def _evenly(total: int, count: int) -> Sequence[int]:
    if total <= count:
        return range(total)
    if count < 2:
        return range(count)
    return [i * (total - 1) // (count - 1) for i in range(count)]


def _seats(episode: Episode, transcript: Transcript) -> tuple[Seat, ...]:
    """The seats, named as in the transcript's lines: these match the moves one by one."""
    names = {}
    if len(transcript.lines) == len(episode.moves):
        pairs = zip(episode.moves, transcript.lines, strict=True)
        names = {move.seat: line.who for move, line in pairs}
    return tuple(Seat(m.seat, names.get(m.seat, m.seat), m.agent) for m in episode.trial.cast)


def _course(transcript: Transcript) -> tuple[Line | Note, ...]:
    """The lines with the notes among them.

    Trouble stands before the first line of its turn or later, so that an attempt that failed comes
    before the line that was spoken in the end, and a turn that failed for good stands where its
    line would. Other notes stand behind the line of their turn, and those on the whole come last.
    """
    course: list[Line | Note] = []
    waiting = [note for note in transcript.notes if note.turn is not None]
    for line in transcript.lines:
        due = [note for note in waiting if _is_due(note, line.turn)]
        waiting = [note for note in waiting if note not in due]
        course += [*due, line]
    return (*course, *waiting, *(note for note in transcript.notes if note.turn is None))


def _is_due(note: Note, turn: int) -> bool:
    """Whether a note stands before the line of this turn."""
    assert note.turn is not None
    return note.turn <= turn if note.trouble else note.turn < turn


def _ended(episode: Episode, seats: Sequence[Seat]) -> str:
    ended = episode.ended
    if ended is None:
        return "no end on record"
    who = [seat.name for seat in seats if seat.id == ended.seat]
    by = f" ({who[0]})" if who else ""
    if ended.reason == "time is up":
        return ended.reason
    # The turn of what failed, or of who was silent, is not one that was taken.
    taken = ended.turn + (ended.reason not in ("failed turn", "silence"))
    return f"{ended.reason}{by}, after {plural(taken, 'turn')}"


def _sheet(row: JudgingRow, seats: Sequence[Seat], rows: Sequence[JudgingRow]) -> Sheet:
    again = any(other.judging for other in rows if other.judge == row.judge)
    judge = f"{row.judge.name} ({row.judge.method})"
    said = {(v.measure.name, v.seat): v for v in row.verdicts}
    titles = {v.measure.name: v.measure.title or v.measure.name for v in row.verdicts}
    columns = [seat.id for seat in seats if any(at == seat.id for _, at in said)]
    whole = [None] if any(at is None for _, at in said) else []
    return Sheet(
        f"{judge}, judging {row.judging + 1}" if again else judge,
        (*(seat.name for seat in seats if seat.id in columns), *([WHOLE] if whole else [])),
        tuple(
            (title, tuple(_remark(said.get((name, at))) for at in (*columns, *whole)))
            for name, title in titles.items()
        ),
    )


def _remark(verdict: Verdict | None) -> Remark | None:
    match verdict:
        case None:
            return None
        case Score(value=value, reason=reason):
            return Remark(f"{value:z.2f}".rstrip("0").rstrip("."), reason)
        case ScoreFailure(cause=cause, problem=problem):
            return Remark(f"missing ({cause})", problem)
        case _:
            return Remark(UNSCORED, verdict.why)
