"""Views of episodes for readers, and the episodes to show beside a figure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TypeAlias

from sociolab.core.episode import Episode, Unusable
from sociolab.core.metrics import UNDECLARED, Declared
from sociolab.core.ports import Line, Note, Transcript
from sociolab.core.score import BY_FORMULA, METHODS, JudgeId, Score, ScoreFailure, Verdict
from sociolab.report.exam import exams_by_judge
from sociolab.report.result import PlayValue, ScoreDistribution
from sociolab.report.schema import ExamEntry, RunResult
from sociolab.report.score_tables import leading_entries
from sociolab.report.words import legend, people_of, person_name, plural, single
from sociolab.store.store import Store
from sociolab.store.verdicts import JudgingRow

TranscriptOf: TypeAlias = Callable[[Episode], Transcript]
_FEW_SEATS = 6
WHOLE = "the episode"
"""Heading of the column with scores of the whole episode rather than of a seat."""


@dataclass(frozen=True, slots=True)
class SeatedAgent:
    """A seat, with the character's name in the transcript and the agent that played it."""

    id: str
    name: str
    agent: str

    @property
    def called(self) -> str:
        """The name, followed by the id in brackets if it is different."""
        return self.name if self.name == self.id else f"{self.name} ({self.id})"


@dataclass(frozen=True, slots=True)
class Remark:
    """A score in words, or why there is none (`scored` is False), with the judge's reason."""

    value: str
    why: str
    scored: bool = True


@dataclass(frozen=True, slots=True)
class ScoreSheet:
    """The scores of one judging: a row for each metric, with a remark or None for each of
    `columns`. `kind` is appended to the judge's label."""

    label: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Remark | None, ...]], ...]
    kind: str = ""

    @property
    def judge(self) -> str:
        """A heading such as "openai/gpt-x (LLM judge), judging 2"."""
        return self.label + self.kind


@dataclass(frozen=True, slots=True)
class TranscriptView:
    """An episode for readers. `course` holds the lines, with notes in place; `legend` spells out
    the metrics of the sheets."""

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
        """Who played whom. Of more than a few seats, each agent's first is named, and the others
        are counted. A seat that answers some questions for another ("ID.routine") is named where
        there are few, and another agent answers them."""
        ids = people_of(seat.id for seat in self.seats)
        people = [seat for seat in self.seats if seat.id in ids]
        if len(self.seats) <= _FEW_SEATS:
            answered = {(seat.id, seat.agent) for seat in people}
            return tuple(
                f"{seat.called} played by {seat.agent}" if seat.agent else seat.called
                for seat in self.seats
                if seat in people or (seat.id.rpartition(".")[0], seat.agent) not in answered
            )
        lines = []
        for agent in dict.fromkeys(seat.agent for seat in people):
            first, *more = [seat.name for seat in people if seat.agent == agent]
            rest = f" and {len(more)} more" if more else ""
            lines.append(f"{first}{rest} played by {agent}")
        return tuple(lines)


@dataclass(frozen=True, slots=True)
class EpisodeSide:
    """An episode under a heading, such as its agent or its run."""

    head: str
    view: TranscriptView


def transcript_view(
    episode: Episode,
    transcript: Transcript,
    judgings: Iterable[JudgingRow] = (),
    declared: Declared = UNDECLARED,
    exams: Mapping[JudgeId, ExamEntry] = MappingProxyType({}),
) -> TranscriptView:
    """The view of an episode with those judgings that are of it and not empty.

    `declared` has the world's words for ends of episodes and for rule-based play, `exams` how the
    judges did in theirs.
    """
    seats = _seats(episode, transcript, declared)
    judged = [row for row in judgings if row.trial == episode.trial.id and row.verdicts]
    judged.sort(key=_rank)
    return TranscriptView(
        episode.trial.id,
        transcript.title,
        transcript.scene,
        _course(transcript),
        seats,
        _ended(episode, seats, declared),
        tuple(_sheet(row, seats, judged, exams.get(row.judge)) for row in judged),
        _legend(judged, declared),
    )


def with_retries(transcript: Transcript, episode: Episode, judges: Mapping[str, int]) -> Transcript:
    """The transcript with notes on unusable replies that no turn shows: to optional questions, and
    of judges. `judges` counts retries by judge (`Calls.count_judge_retries`)."""
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
    metrics = dict.fromkeys(verdict.measure for row in judgings for verdict in row.verdicts)
    return legend((m.title or m.name, m.low, m.high, declared.metric(m.name)) for m in metrics)


def _rank(row: JudgingRow) -> int:
    """Readers first, then formulas, then all others, as in the tables."""
    return 0 if row.judge.role == "reader" else 1 if row.judge.method in BY_FORMULA else 2


def _seats(episode: Episode, transcript: Transcript, declared: Declared) -> tuple[SeatedAgent, ...]:
    """The seats, with the names in the transcript if its lines match the moves one by one."""
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
    """The lines, with the notes in place.

    A note on trouble precedes the first line of its turn or of a later one: a failed attempt comes
    before the line that was spoken in the end, and a failed turn stands where its line would be.
    Other notes follow the line of their turn and seat or, if they name no seat, all lines of their
    turn. Notes without a turn come last.
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
    # After a failure or silence, the last turn was not taken, and does not count.
    turns = ended.turn + (ended.reason not in ("failed turn", "silence"))
    why = declared.ends.get(ended.reason, ended.reason)
    return f"{why}{by}, after {plural(turns, 'turn')}"


def _sheet(
    row: JudgingRow,
    seats: Sequence[SeatedAgent],
    rows: Sequence[JudgingRow],
    exam: ExamEntry | None,
) -> ScoreSheet:
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
        f" ({METHODS[row.judge.method]}{_in_exam(exam)})" + f", judging {row.judging + 1}" * again,
    )


def _in_exam(exam: ExamEntry | None) -> str:
    if exam is None:
        return ""
    return f"; exam: {exam.right} of {exam.cases}" + ", failed" * (not exam.passed)


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
    """A paragraph of the scene in two parts: the public one, and all from its secret or goal on."""
    return _parted(text, "Private:", "Secret:", "Goal:", "Intention:")


def goal_part(text: str) -> str:
    """The goal in a paragraph of a scene, without what is private beside it; "" if it has none."""
    return _parted(_parted(text, "Goal:")[1], "Private:", "Secret:")[0]


def _parted(text: str, *marks: str) -> tuple[str, str]:
    lines = text.split("\n")
    for i, line in enumerate(lines):
        if line.startswith(marks):
            return "\n".join(lines[:i]), "\n".join(lines[i:])
    return text, ""


# ------------------------------------------------------------------ chosen episodes


def evenly_chosen(store: Store, run: str, count: int) -> tuple[str, ...]:
    """Up to `count` played trials, evenly spaced in the plan, including the first and the last."""
    played = store.trial_ids(run, "played")
    if len(played) <= count:
        return tuple(played)
    return tuple(played[i * (len(played) - 1) // max(count - 1, 1)] for i in range(count))


def views_of(
    store: Store, run: str, transcript_of: TranscriptOf, trials: Iterable[str]
) -> tuple[TranscriptView, ...]:
    """The views of these trials' episodes with their scores, in this order."""
    views = []
    for trial in dict.fromkeys(trials):
        episode = store.episode(run, trial)
        judgings = tuple(store.verdicts.judgings(run, trial=trial))
        views.append(
            transcript_view(
                episode,
                transcript_of(episode),
                judgings,
                store.run(run).declared,
                exams_by_judge(store, run, (row.judge for row in judgings)),
            )
        )
    return tuple(views)


# ------------------------------------------------------------------ episodes behind a figure


@dataclass(frozen=True, slots=True)
class Extreme:
    """The lowest and the highest score of an agent in a metric."""

    agent: str
    lowest: PlayValue
    highest: PlayValue


@dataclass(frozen=True, slots=True)
class EpisodeLink:
    """An episode on a page: the anchor of its transcript, its scores by seat, and remarks such as
    "lowest of openai/x"."""

    anchor: str
    view: TranscriptView
    scores: tuple[tuple[str, str], ...]
    remarks: tuple[str, ...]


def leading(
    result: RunResult, spreads: Sequence[ScoreDistribution]
) -> tuple[ScoreDistribution, ...]:
    """The distributions of the main metric by the main judge (see
    `score_tables.leading_entries`)."""
    main = {(entry.judge, entry.measure) for entry in leading_entries(result)}
    return tuple(s for s in spreads if s.points and (s.judge, s.measure) in main)


def titled(result: RunResult, spreads: Sequence[ScoreDistribution]) -> str:
    """The metric of these distributions and its judge, in words; "" without any."""
    return f"{result.measure(spreads[0].measure).title}, by {spreads[0].judge}" if spreads else ""


def extremes(spreads: Sequence[ScoreDistribution]) -> tuple[Extreme, ...]:
    """The lowest and the highest score of each agent, the first of equals; nothing for an agent
    whose scores are all equal."""
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
    """The episodes with their scores in the main metric; `anchors` is the prefix of their
    anchors."""
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
