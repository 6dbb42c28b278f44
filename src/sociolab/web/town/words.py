"""What the page of a replay says in words: the task, its score, and why, resident by resident."""

from __future__ import annotations

from dataclasses import dataclass

from sociolab.app.towns.town import Outcome, Replay
from sociolab.core.score import Score, ScoreFailure
from sociolab.store.verdicts import ScoreRow
from sociolab.town.clock import Clock
from sociolab.worlds.stss.narrative import spans


@dataclass(frozen=True, slots=True)
class Counted:
    """A row of the table of residents; `at` is the moment that its link leads to, "" for none."""

    who: str
    name: str
    counts: bool
    since: str
    spans: str
    words: str
    at: str


@dataclass(frozen=True, slots=True)
class Said:
    """A row of the table of verdicts."""

    measure: str
    value: str
    judge: str
    reason: str
    failed: bool


@dataclass(frozen=True, slots=True)
class Told:
    """All of it."""

    title: str
    town: str
    performer: str
    performer_id: str
    kind: str
    goal: str
    event: str
    event_at: str
    place: str
    expected: int
    background: int
    lived: str
    score: str
    why: str
    least: int
    other_rules: bool
    counted: tuple[Counted, ...]
    errands: tuple[tuple[str, str], ...]
    verdicts: tuple[Said, ...]


def words_of(replay: Replay) -> Told:
    """The words of a replay."""
    task, names = replay.task, replay.lived.names
    clock = replay.lived.trajectory.clock
    return Told(
        title=task.title,
        town=replay.lived.town.name,
        performer=names.get(task.performer, task.performer),
        performer_id=task.performer,
        kind=task.type,
        goal=task.goal,
        event=_event(replay, clock),
        event_at=address(clock, replay.window[0]),
        place=task.place,
        expected=task.expected,
        background=len(task.background),
        lived=moment(clock, replay.lived.trajectory.trace.steps),
        score=f"{replay.score.goal:.3g}" if replay.score else "",
        why=replay.why,
        least=replay.score.least if replay.score else 0,
        other_rules=replay.other_rules,
        counted=tuple(_counted(one, names, clock) for one in replay.outcomes),
        errands=_errands(replay, clock),
        verdicts=tuple(_said(row) for row in replay.verdicts),
    )


def moment(clock: Clock, step: int) -> str:
    """Such as "Tue 14 May 18:30"."""
    at = clock.at(step)
    return f"{at:%a} {at.day} {at:%b %H:%M}"


def address(clock: Clock, step: int) -> str:
    """A moment as it stands in a link, such as "2024-05-14T18:30:00"."""
    return clock.at(step).isoformat()


def _event(replay: Replay, clock: Clock) -> str:
    start, end = replay.window
    if not replay.task.start:
        return f"{moment(clock, start)[:-6]}, at any time"
    return f"{moment(clock, start)} to {clock.at(end):%H:%M}"


def _counted(one: Outcome, names: dict[str, str], clock: Clock) -> Counted:
    shown = one.when or one.near
    at = one.since if one.since is not None else shown[0][0] if shown else None
    return Counted(
        who=one.who,
        name=names.get(one.who, one.who),
        counts=one.counts,
        since=moment(clock, one.since) if one.since is not None else "",
        spans=f"{moment(clock, shown[0][0])[:-6]} {spans(clock, shown)}" if shown else "",
        words=one.words,
        at=address(clock, at) if at is not None else "",
    )


def _errands(replay: Replay, clock: Clock) -> tuple[tuple[str, str], ...]:
    if replay.score is None:
        return ()
    names = replay.lived.names
    return tuple(
        (
            one.what,
            "nobody who had been told of it"
            if one.step is None
            else f"{names.get(one.who, one.who)}, {moment(clock, one.step)}",
        )
        for one in replay.score.errands
    )


def _said(row: ScoreRow) -> Said:
    verdict = row.verdict
    title = verdict.measure.title or verdict.measure.name
    judge = row.judge.name
    if row.judge.name != row.judge.method:
        judge = f"{judge} ({row.judge.method})"
    if row.judging:
        judge = f"{judge}, judging {row.judging + 1}"
    match verdict:
        case Score():
            return Said(title, f"{verdict.value:.3g}", judge, verdict.reason, failed=False)
        case ScoreFailure():
            shown = f"missing: {verdict.cause}"
            return Said(title, shown, judge, verdict.problem, failed=True)
        case _:
            return Said(title, "not scored", judge, verdict.why, failed=False)
