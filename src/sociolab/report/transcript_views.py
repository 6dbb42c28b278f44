"""An episode made ready to be read, and which episodes a figure leads to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from sociolab.core.episode import Episode, Unusable
from sociolab.core.metrics import UNDECLARED, Declared
from sociolab.core.ports import Line, Note, Transcript
from sociolab.core.score import BY_FORMULA, METHODS, Score, ScoreFailure, Verdict
from sociolab.report.result import PlayValue, ScoreDistribution
from sociolab.report.schema import RunResult
from sociolab.report.score_tables import leading_entries
from sociolab.report.words import legend, people_of, person_name, plural, single
from sociolab.store.store import Store
from sociolab.store.verdicts import JudgingRow

TranscriptOf: TypeAlias = Callable[[Episode], Transcript]
_FEW_SEATS = 6
WHOLE = "the episode"
"""Heads the column of what was said of the whole episode, not of a seat."""


@dataclass(frozen=True, slots=True)
class SeatedAgent:
    """A seat: what the transcript calls the character, and which agent played it."""

    id: str
    name: str
    agent: str

    @property
    def called(self) -> str:
        """The name and, in brackets, the id where it is another."""
        return self.name if self.name == self.id else f"{self.name} ({self.id})"


@dataclass(frozen=True, slots=True)
class Remark:
    """What was said of one measure and seat: a value, yes or no, or why there is none; and why.

    `scored`: whether there is a value, so that the reason is of this seat alone.
    """

    value: str
    why: str
    scored: bool = True


@dataclass(frozen=True, slots=True)
class ScoreSheet:
    """One judging: `rows` are a measure each, with a remark or None for each of `columns`; `kind`
    goes behind the judge's label."""

    label: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Remark | None, ...]], ...]
    kind: str = ""

    @property
    def judge(self) -> str:
        """Who judged, as a heading: "openai/gpt-x (LLM judge), judging 2"."""
        return self.label + self.kind


@dataclass(frozen=True, slots=True)
class TranscriptView:
    """An episode to read. `course` holds lines and, where they belong among them, notes; `legend`
    spells out the metrics of the sheets."""

    trial: str
    title: str
    scene: tuple[tuple[str, str], ...]
    course: tuple[Line | Note, ...]
    seats: tuple[SeatedAgent, ...]
    ended: str
    sheets: tuple[ScoreSheet, ...]
    legend: str = ""

    @property
    def cast(self) -> tuple[str, ...]:
        """Who played whom; of more than a few seats of one agent, only the first and how many.

        A seat that answers some questions of another's ("ID.routine") is not counted among many.
        """
        if len(self.seats) <= _FEW_SEATS:
            return tuple(
                f"{seat.called} played by {seat.agent}" if seat.agent else seat.called
                for seat in self.seats
            )
        ids = people_of(seat.id for seat in self.seats)
        people = [seat for seat in self.seats if seat.id in ids]
        lines = []
        for agent in dict.fromkeys(seat.agent for seat in people):
            first, *more = [seat.name for seat in people if seat.agent == agent]
            rest = f" and {len(more)} more" if more else ""
            lines.append(f"{first}{rest} played by {agent}")
        return tuple(lines)


@dataclass(frozen=True, slots=True)
class EpisodeSide:
    """An episode, and what stands above it: whose it is, or where it is from."""

    head: str
    shown: TranscriptView


def transcript_view(
    episode: Episode,
    transcript: Transcript,
    judgings: Iterable[JudgingRow] = (),
    declared: Declared = UNDECLARED,
) -> TranscriptView:
    """An episode with the judgings that are of it and say something (others are passed over).

    `declared` says in the world's words why it ended, and what scripted play is.
    """
    seats = _seats(episode, transcript, declared)
    judged = [row for row in judgings if row.trial == episode.trial.id and row.verdicts]
    judged.sort(key=_place)
    return TranscriptView(
        episode.trial.id,
        transcript.title,
        transcript.scene,
        _course(transcript),
        seats,
        _ended(episode, seats, declared),
        tuple(_sheet(row, seats, judged) for row in judged),
        _legend(judged, declared),
    )


def with_retries(transcript: Transcript, episode: Episode, judges: Mapping[str, int]) -> Transcript:
    """With what no turn shows: replies to a question that is put aside, and of a judge, that could
    not be used. `judges`: how many a judge was asked for again (`Calls.count_judge_retries`)."""
    notes = [
        f"{event.seat}, question {event.name}, attempt {event.attempt}: "
        f"{'not answered' if event.final else 'asked again'} ({event.cause}: {event.problem})"
        for event in episode.events
        if isinstance(event, Unusable) and event.optional
    ]
    notes += [
        f"judge {name}: {'asked again' if count == 1 else f'asked again {count} times'}"
        for name, count in judges.items()
    ]
    retries = tuple(Note(None, note, trouble=True) for note in notes)
    return replace(transcript, notes=(*transcript.notes, *retries))


def _legend(judgings: Sequence[JudgingRow], declared: Declared) -> str:
    """What the titles of these measures stand for, in a line."""
    metrics = dict.fromkeys(verdict.measure for row in judgings for verdict in row.verdicts)
    return legend((m.title or m.name, m.low, m.high, declared.metric(m.name)) for m in metrics)


def _place(row: JudgingRow) -> int:
    """What rests on an outcome comes first, and of that what was read, as in the tables."""
    return 0 if row.judge.role == "reader" else 1 if row.judge.method in BY_FORMULA else 2


def _seats(episode: Episode, transcript: Transcript, declared: Declared) -> tuple[SeatedAgent, ...]:
    """The seats, named as in the transcript's lines: these match the moves one by one."""
    names = {}
    if len(transcript.lines) == len(episode.moves):
        pairs = zip(episode.moves, transcript.lines, strict=True)
        names = {move.seat: line.who for move, line in pairs}
    return tuple(
        SeatedAgent(m.seat, names.get(m.seat, person_name(m.seat)), _agent(m.agent, declared))
        for m in episode.trial.cast
    )


def _agent(label: str, declared: Declared) -> str:
    smoke = declared.scripted if declared.agents.get(label) == "rules" else ""
    return f"{label} ({smoke})" if smoke else label


def _course(transcript: Transcript) -> tuple[Line | Note, ...]:
    """The lines with the notes among them.

    Trouble stands before the first line of its turn or later, so that an attempt that failed comes
    before the line that was spoken in the end, and a turn that failed for good stands where its
    line would. Other notes stand behind the line of their turn and seat, where they name one, else
    behind all lines of their turn, and those on the whole come last.
    """
    course: list[Line | Note] = []
    waiting = [note for note in transcript.notes if note.turn is not None]
    for line in transcript.lines:
        before = [note for note in waiting if _is_due(note, line.turn)]
        waiting = [note for note in waiting if note not in before]
        after = [
            note for note in waiting if (note.turn, note.seat) == (line.turn, line.seat or None)
        ]
        waiting = [note for note in waiting if note not in after]
        course += [*before, line, *after]
    return (*course, *waiting, *(note for note in transcript.notes if note.turn is None))


def _is_due(note: Note, turn: int) -> bool:
    """Whether a note stands before the line of this turn."""
    assert note.turn is not None
    return note.turn <= turn if note.trouble else note.turn < turn


def _ended(episode: Episode, seats: Sequence[SeatedAgent], declared: Declared) -> str:
    ended = episode.ended
    if ended is None:
        return "not finished"
    who = [seat.name for seat in seats if seat.id == ended.seat]
    by = f" ({who[0]})" if who else ""
    if ended.reason == "time is up":
        return ended.reason
    # The turn of what failed, or of who was silent, is not one that was taken.
    turns = ended.turn + (ended.reason not in ("failed turn", "silence"))
    why = declared.ends.get(ended.reason, ended.reason)
    return f"{why}{by}, after {plural(turns, 'turn')}"


def _sheet(row: JudgingRow, seats: Sequence[SeatedAgent], rows: Sequence[JudgingRow]) -> ScoreSheet:
    again = any(other.judging for other in rows if other.judge == row.judge)
    verdicts = {(v.measure.name, v.seat): v for v in row.verdicts}
    titles = {v.measure.name: v.measure.title or v.measure.name for v in row.verdicts}
    columns = [seat.id for seat in seats if any(at == seat.id for _, at in verdicts)]
    overall = [None] if any(at is None for _, at in verdicts) else []
    return ScoreSheet(
        row.judge.label,
        (*(seat.name for seat in seats if seat.id in columns), *([WHOLE] if overall else [])),
        tuple(
            (title, tuple(_remark(verdicts.get((name, at))) for at in (*columns, *overall)))
            for name, title in titles.items()
        ),
        f" ({METHODS[row.judge.method]})" + f", judging {row.judging + 1}" * again,
    )


def _remark(verdict: Verdict | None) -> Remark | None:
    match verdict:
        case None:
            return None
        case Score(measure=measure, value=value, reason=reason, rated_by=rated_by):
            return Remark(single(value, measure), rated_by.sign(reason) if rated_by else reason)
        case ScoreFailure(cause=cause, problem=problem):
            return Remark(f"missing ({cause})", problem, scored=False)
        case _:
            why = verdict.rated_by.sign(verdict.why) if verdict.rated_by else verdict.why
            return Remark(verdict.kind, why, scored=False)


def private_part(text: str) -> tuple[str, str]:
    """A paragraph of the scene in two: what may lie open, and from its secret or goal on."""
    return _parted(text, "Private:", "Secret:", "Goal:", "Intention:")


def goal_part(text: str) -> str:
    """A paragraph of the scene from its goal on; "" if it has none."""
    return _parted(text, "Goal:")[1]


def _parted(text: str, *marks: str) -> tuple[str, str]:
    lines = text.split("\n")
    for i, line in enumerate(lines):
        if line.startswith(marks):
            return "\n".join(lines[:i]), "\n".join(lines[i:])
    return text, ""


# ------------------------------------------------------------------ chosen episodes


def evenly_chosen(store: Store, run: str, count: int) -> tuple[str, ...]:
    """Up to `count` played trials, evenly over the plan, the first and the last among them."""
    played = store.trial_ids(run, "played")
    if len(played) <= count:
        return tuple(played)
    return tuple(played[i * (len(played) - 1) // max(count - 1, 1)] for i in range(count))


def views_of(
    store: Store, run: str, transcript_of: TranscriptOf, trials: Iterable[str]
) -> tuple[TranscriptView, ...]:
    """The episodes of these trials, with what judges said of them, in this order."""
    views = []
    for trial in dict.fromkeys(trials):
        episode = store.episode(run, trial)
        views.append(
            transcript_view(
                episode,
                transcript_of(episode),
                store.verdicts.judgings(run, trial=trial),
                store.run(run).declared,
            )
        )
    return tuple(views)


# ------------------------------------------------------------------ episodes behind a figure


@dataclass(frozen=True, slots=True)
class Extreme:
    """Where an agent's play came out lowest and highest in a measure."""

    agent: str
    lowest: PlayValue
    highest: PlayValue


@dataclass(frozen=True, slots=True)
class EpisodeLink:
    """An episode of the page: the anchor of its transcript, and what was scored, by seat."""

    anchor: str
    shown: TranscriptView
    scores: tuple[tuple[str, str], ...]
    remarks: tuple[str, ...]


def leading(
    result: RunResult, spreads: Sequence[ScoreDistribution]
) -> tuple[ScoreDistribution, ...]:
    """The spreads of the main measure by the main judge (see `score_tables.leading_entries`)."""
    led = {(entry.judge, entry.measure) for entry in leading_entries(result)}
    return tuple(s for s in spreads if s.points and (s.judge, s.measure) in led)


def titled(result: RunResult, spreads: Sequence[ScoreDistribution]) -> str:
    """The measure of these spreads and who judged, to read; "" without any."""
    return f"{result.measure(spreads[0].measure).title}, by {spreads[0].judge}" if spreads else ""


def extremes(spreads: Sequence[ScoreDistribution]) -> tuple[Extreme, ...]:
    """The lowest and highest play of each agent, the first of equals; none where all are equal."""
    pairs = []
    for spread in spreads:
        lowest = min(spread.points, key=lambda point: point.value)
        highest = max(spread.points, key=lambda point: point.value)
        if lowest.value < highest.value:
            pairs.append(Extreme(spread.agent, lowest, highest))
    return tuple(pairs)


def list_episodes(
    result: RunResult,
    episodes: Sequence[TranscriptView],
    spreads: Sequence[ScoreDistribution],
    anchors: str,
) -> tuple[EpisodeLink, ...]:
    """The episodes with the main measure's values; `anchors` is what their anchors begin with."""
    main = leading(result, spreads)
    ends = extremes(main)
    return tuple(
        EpisodeLink(
            f"{anchors}-{i}",
            episode,
            _list_scores(result, episode, main),
            _remarks(episode, ends),
        )
        for i, episode in enumerate(episodes, 1)
    )


def _list_scores(
    result: RunResult, episode: TranscriptView, main: Sequence[ScoreDistribution]
) -> tuple[tuple[str, str], ...]:
    names = {seat.id: seat.name for seat in episode.seats}
    scores = []
    for spread in main:
        measure = result.measure(spread.measure)
        scores += [
            (names.get(point.seat or "", spread.agent), single(point.value, measure))
            for point in spread.points
            if point.trial == episode.trial
        ]
    return tuple(scores)


def _remarks(episode: TranscriptView, ends: Sequence[Extreme]) -> tuple[str, ...]:
    low = [f"lowest of {end.agent}" for end in ends if end.lowest.trial == episode.trial]
    high = [f"highest of {end.agent}" for end in ends if end.highest.trial == episode.trial]
    return (*low, *high)
