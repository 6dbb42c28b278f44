"""The judges of a run: their scores are checked and stored, and an error of one judge is stored as
a failure of its scores alone.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import TypeAlias, get_args

from sociolab.core.episode import Episode, Trial
from sociolab.core.errors import (
    Cause,
    ModelError,
    SociolabError,
    WorldError,
    cause_of,
    stops_all,
)
from sociolab.core.instructions import Prompts
from sociolab.core.ports import Judge
from sociolab.core.score import (
    UNNAMED_MEASURE,
    JudgeId,
    JudgeRole,
    Measure,
    Method,
    NotKnown,
    Score,
    ScoreFailure,
    Unscored,
    Verdict,
)
from sociolab.core.tracebacks import describe_error
from sociolab.runner.plan import Shard
from sociolab.runner.progress import TalliedReplies, Tally, Waits
from sociolab.store.store import Store

Cells: TypeAlias = tuple[tuple[Measure, int | None], ...]
"""What a judge scores: metrics, each with the index of its seat; None for the whole episode."""


class Jury:
    """Has episodes judged, and stores the scores. Call `settle` when all are judged.

    A judge that breaks has failed in every metric that it scores in other episodes; while these are
    unknown, in `UNNAMED_MEASURE`. Once the code of a judge was fixed, failures of the old code are
    deleted as the new code judges. A fatal ModelError (credentials, budget) and a StoreError pass
    through.
    """

    def __init__(self, store: Store, run: str, waits: Waits) -> None:
        self._store, self._run, self._waits = store, run, waits
        self._cells: dict[JudgeId, Cells] = {}
        self._looked_up: set[JudgeId] = set()
        self._former: dict[JudgeId, tuple[JudgeId, ...]] = {}
        self._unspecified: list[tuple[JudgeId, Episode, int]] = []

    async def judge(self, judge: Judge, episode: Episode, judging: int = 0) -> None:
        verdicts = await self._verdicts(judge, episode, judging)
        self._store.verdicts.add(
            self._run, judge.id, verdicts, trial=episode.trial.id, judging=judging
        )
        if _all_broken(verdicts):
            return
        trial = episode.trial.id
        for former in self._former_codes(judge.id):
            for row in list(self._store.verdicts.judgings(self._run, former, trial)):
                if _all_broken(row.verdicts):
                    self._store.verdicts.delete(self._run, former, trial=trial, judging=row.judging)

    def settle(self) -> None:
        """Turn failures from before a judge's metrics were known into failures of these metrics."""
        for judge, episode, judging in self._unspecified:
            if cells := self._cells.get(judge):
                self._specify_failure(judge, episode, judging, cells)
        self._unspecified.clear()

    async def _verdicts(self, judge: Judge, episode: Episode, judging: int) -> tuple[Verdict, ...]:
        try:
            if judge.id.method == "model":  # the display counts its call among those waited for
                verdicts = await verdicts_of(judge, episode, judging)
            else:
                with self._waits.until_answered(
                    f"the judge {judge.id.label}", episode.trial.task.id
                ):
                    verdicts = await verdicts_of(judge, episode, judging)
        except SociolabError as error:
            if stops_all(error):
                raise
            cells = self._find_cells(judge.id)
            if not cells:
                self._unspecified.append((judge.id, episode, judging))
            return failures_of(error, cells, episode.trial.task.seats)
        if verdicts and judge.id not in self._cells:
            self._cells[judge.id] = cells_of(verdicts, episode.trial.task.seats)
        return verdicts

    def _former_codes(self, judge: JudgeId) -> tuple[JudgeId, ...]:
        """The same judge with other code, as far as it judged in this run."""
        if judge not in self._former:
            codeless = _without_code(judge)
            judges = self._store.verdicts.judges(self._run)
            self._former[judge] = tuple(
                other for other in judges if other != judge and _without_code(other) == codeless
            )
        return self._former[judge]

    def _find_cells(self, judge: JudgeId) -> Cells:
        """What a judge scores in this run, from the store the first time; () while unknown."""
        if judge not in self._cells and judge not in self._looked_up:
            self._looked_up.add(judge)
            if cells := stored_cells(self._store, self._run, judge):
                self._cells[judge] = cells
        return self._cells.get(judge, ())

    def _specify_failure(
        self, judge: JudgeId, episode: Episode, judging: int, cells: Cells
    ) -> None:
        rows = self._store.verdicts.judgings(self._run, judge, episode.trial.id)
        failures = next((row.verdicts for row in rows if row.judging == judging), ())
        if len(failures) != 1 or not isinstance(failure := failures[0], ScoreFailure):
            return
        specific = [
            replace(failure, measure=measure, seat=seat)
            for measure, seat in seated(cells, episode.trial.task.seats)
        ]
        self._store.verdicts.add(
            self._run, judge, specific, trial=episode.trial.id, judging=judging
        )


DueJudging: TypeAlias = tuple[Judge, Trial, int]
"""A judge, a trial that was played, and which judging of it this is, from 0."""


@dataclass(slots=True)
class JudgingBench:
    """Has judges score the stored episodes of a run, or of a shard of it."""

    store: Store
    run: str
    jury: Jury
    replies: TalliedReplies
    tally: Tally
    shard: Shard | None

    def due(self, judges: Sequence[Judge], repeats: int) -> list[DueJudging]:
        """The judgings that are missing or failed, repeat by repeat."""
        played = self.played()
        return [
            (judge, trial, number)
            for number in range(repeats)
            for trial in played
            for judge in judges
            if not self.store.verdicts.judged(self.run, judge.id, trial=trial.id, judging=number)
        ]

    def played(self) -> list[Trial]:
        """The trials that were played, of the whole run or of the shard."""
        rows = self.store.trials(self.run)
        ids = [row.trial.id for row in rows]
        own = {*ids} if self.shard is None else self.shard.pick(ids)
        return [row.trial for row in rows if row.status == "played" and row.trial.id in own]

    async def work(self, judging: DueJudging) -> None:
        judge, trial, number = judging
        episode = Episode(trial, self.store.events(self.run, trial.id))
        await self.jury.judge(judge, episode, number)
        self.replies.release(trial.id)
        self.tally.done += 1


async def verdicts_of(judge: Judge, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
    """Have a judge score an episode, and check what it returns.

    A bug in the judge is a WorldError that names it; ModelError and other errors of sociolab pass
    through.
    """
    if problem := id_problem(judge.id):
        raise WorldError(f"the judge {type(judge).__name__}: {problem}")
    who = f"the judge {judge.id.label}"
    try:
        awaitable: object = judge.judge(episode, judging)
    except TypeError as error:
        if error.__traceback__ is not None and error.__traceback__.tb_next is None:
            raise WorldError(f"{who}: {EXPECTED}, found that {describe_error(error)}") from error
        raise _broke(who, episode, error) from error
    except SociolabError:
        raise
    except Exception as error:  # a bug in somebody's judge
        raise _broke(who, episode, error) from error
    if not inspect.isawaitable(awaitable):
        raise WorldError(f'{who}: {EXPECTED}, found one without "async"')
    try:
        verdicts: object = await awaitable
    except SociolabError:
        raise
    except Exception as error:
        raise _broke(who, episode, error) from error
    return checked_verdicts(who, verdicts, episode)


def cells_of(verdicts: Sequence[Verdict], seats: Sequence[str]) -> Cells:
    return tuple(
        (verdict.measure, None if verdict.seat is None else seats.index(verdict.seat))
        for verdict in verdicts
    )


def stored_cells(store: Store, run: str, judge: JudgeId) -> Cells:
    """What a judge scored in the first episode of a run that it did not break on; () if in none."""
    seats: Mapping[str, Sequence[str]] | None = None
    for row in store.verdicts.judgings(run, judge):
        verdicts = [verdict for verdict in row.verdicts if verdict.measure != UNNAMED_MEASURE]
        if row.trial is not None and verdicts:
            if seats is None:
                seats = {
                    trial_row.trial.id: trial_row.trial.task.seats
                    for trial_row in store.trials(run)
                }
            return cells_of(verdicts, seats[row.trial])
    return ()


def failures_of(
    error: SociolabError, cells: Cells, seats: Sequence[str]
) -> tuple[ScoreFailure, ...]:
    """An error of a judge as a failure in everything that it scores, see `seated`."""
    tries = error.tries if isinstance(error, ModelError) else 1
    problem = str(error)
    return tuple(
        ScoreFailure(measure, seat, cause_of(error), problem, "", tries)
        for measure, seat in seated(cells, seats)
    )


def seated(cells: Cells, seats: Sequence[str]) -> tuple[tuple[Measure, str | None], ...]:
    """The metrics and seats that a judge scores in an episode; `UNNAMED_MEASURE` without cells."""
    if not cells:
        return ((UNNAMED_MEASURE, None),)
    return tuple(
        (measure, None if place is None else seats[place])
        for measure, place in cells
        if place is None or place < len(seats)
    )


def _all_broken(verdicts: Sequence[Verdict]) -> bool:
    """Whether a judging holds nothing but errors of the judge's own code, or timeouts."""
    return bool(verdicts) and all(
        isinstance(verdict, ScoreFailure) and verdict.cause in ("plugin", "timeout")
        for verdict in verdicts
    )


def _without_code(judge: JudgeId) -> JudgeId:
    return replace(judge, code=None)


def _broke(who: str, episode: Episode, error: Exception) -> WorldError:
    return WorldError(f"{who} broke on the episode {episode.trial.id}: {describe_error(error)}")


EXPECTED = (
    'expected "async def judge(self, episode, judging)" that returns a tuple with a Score, a '
    "ScoreFailure or an Unscored for each of its measures and seats"
)


def id_problem(judge_id: object) -> str:
    """Why this cannot identify a judge, as "expected ..., found ..."; "" if it can."""
    if not isinstance(judge_id, JudgeId):
        return f"expected id = JudgeId(name, method, settings), found {judge_id!r:.80}"
    texts = {"name": judge_id.name, "settings": judge_id.settings, "sheet": judge_id.sheet}
    for part, value in texts.items():
        if not isinstance(value, str):
            return f"expected an id whose {part} is a str, found {value!r:.80} in {judge_id!r:.120}"
    if not judge_id.name.strip():
        return f"expected an id with a name, found {judge_id!r:.120}"
    for part, value, choices in (
        ("method", judge_id.method, get_args(Method)),
        ("role", judge_id.role, get_args(JudgeRole)),
    ):
        if value not in choices:
            return f"expected an id whose {part} is one of {', '.join(choices)}, found {value!r}"
    if not isinstance(judge_id.prompts, Prompts | None):
        return f"expected an id whose prompts are Prompts or None, found {judge_id.prompts!r:.80}"
    return ""


def checked_verdicts(who: str, verdicts: object, episode: Episode) -> tuple[Verdict, ...]:
    """The verdicts, with values as plain Python numbers; WorldError for one that is malformed."""
    if not isinstance(verdicts, tuple | list):
        raise WorldError(f"{who}: {EXPECTED}, found {verdicts!r:.80}")
    seats = episode.trial.task.seats
    for verdict in verdicts:
        if problem := _verdict_problem(verdict, seats):
            raise WorldError(f"{who}: {problem}")
    _check_once(who, verdicts)
    return tuple(map(_with_plain_number, verdicts))


def _verdict_problem(verdict: object, seats: Sequence[str]) -> str:
    """Why something is no verdict on this episode; "" if it is one."""
    if not isinstance(verdict, Score | ScoreFailure | Unscored):
        return f"{EXPECTED}, found {verdict!r:.80} among them"
    if not isinstance(verdict.measure, Measure):
        return f"expected a Measure in every verdict, found {verdict.measure!r:.80}"
    of = f"the {type(verdict).__name__} of {verdict.measure.name}"
    if verdict.seat is not None and verdict.seat not in seats:
        return (
            f"expected verdicts on the seats {', '.join(seats)}, or None for the whole "
            f"episode, found one on {verdict.seat!r:.80}"
        )
    if not isinstance(verdict, ScoreFailure) and verdict.rated_by is not None:
        return f"expected {of} without rated_by, which is of people's ratings"
    if isinstance(verdict, Score):
        if not isinstance(verdict.value, Real):
            return f"expected {of} with a value that is a number, found {verdict.value!r:.80}"
        return _no_text(of, reason=verdict.reason)
    if isinstance(verdict, Unscored):
        if verdict.kind not in get_args(NotKnown):
            kinds = ", ".join(get_args(NotKnown))
            return f"expected {of} with a kind out of {kinds}, found {verdict.kind!r:.80}"
        return _no_text(of, why=verdict.why)
    return _failure_problem(of, verdict)


def _failure_problem(of: str, failure: ScoreFailure) -> str:
    causes: Collection[str] = get_args(Cause)
    if failure.cause not in causes:
        return f"expected {of} with a cause out of {', '.join(causes)}, found {failure.cause!r:.80}"
    if not isinstance(failure.attempts, int):
        return f"expected {of} with attempts that are counted, found {failure.attempts!r:.80}"
    return _no_text(of, problem=failure.problem, raw=failure.raw)


def _no_text(of: str, **parts: object) -> str:
    for name, value in parts.items():
        if not isinstance(value, str):
            return f"expected {of} with a {name} that is a str, found {value!r:.80}"
    return ""


def _check_once(who: str, verdicts: Sequence[Verdict]) -> None:
    cells = [(verdict.measure, verdict.seat) for verdict in verdicts]
    if len(set(cells)) == len(cells):
        return
    measure, seat = next(cell for cell in cells if cells.count(cell) > 1)
    where = "the whole episode" if seat is None else seat
    raise WorldError(
        f"{who}: expected one verdict of {measure.name} on {where}, found "
        f"{cells.count((measure, seat))}"
    )


def _with_plain_number(verdict: Verdict) -> Verdict:
    """Turn a value such as numpy's float32, which JSON cannot hold, into a float."""
    if not isinstance(verdict, Score) or type(verdict.value) in (int, float):
        return verdict
    return replace(verdict, value=float(verdict.value))
