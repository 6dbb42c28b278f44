"""Counters of a run in progress: what it has done, whom it waits for, and who holds it up."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from traceback import extract_stack
from typing import TypeAlias

from sociolab.core.errors import ModelError
from sociolab.core.ports import Attempt, CallKey, ChatReply, Prompt
from sociolab.core.score import JudgeId
from sociolab.core.tracebacks import format_place, is_users_own
from sociolab.store.calls import RunReplies

PATIENCE = 30.0
"""Seconds of waiting after which the display names who is waited for."""

OFTEN = 2
"""Hold-ups from which a player or judge is named: a slow import at the first turn is one."""


@dataclass(frozen=True, slots=True)
class Wait:
    """A player or judge that was asked and has not answered; `since` is a time of `now`."""

    whom: str
    where: str
    since: float


@dataclass(frozen=True, slots=True)
class WorkStep:
    """A player or judge that occupies the event loop, in this thread, since a time of `now`; it
    may take so many `seconds` (None: no limit)."""

    whom: str
    thread: int
    since: float
    seconds: float | None


@dataclass(slots=True)
class HeldUp:
    """How often somebody occupied the event loop for too long, and for how many seconds in all."""

    times: int = 0
    seconds: float = 0.0


@dataclass(slots=True)
class Waits:
    """What a run waits for at the moment; read from another thread while the loop is busy.

    `step` is the player or judge that occupies the loop. `stopping`: the run is being cancelled,
    so no other step may begin.
    """

    held_up: dict[str, HeldUp] = field(default_factory=dict)
    _people: dict[int, Wait] = field(default_factory=dict)
    # By task, since a task waits for one call at a time: neither a timer nor a task of its own.
    _calls: dict[asyncio.Task[object], float] = field(default_factory=dict)
    _last_number: int = 0
    step: WorkStep | None = None
    stopping: bool = False
    _stuck: set[str] = field(default_factory=set)

    @contextmanager
    def until_answered(self, whom: str, where: str) -> Iterator[None]:
        """Count somebody as waited for while this context is open."""
        self._last_number += 1
        number = self._last_number
        self._people[number] = Wait(whom, where, now())
        try:
            yield
        finally:
            del self._people[number]

    def begin_call(self) -> None:
        """Count the current task as waiting for a model."""
        if (task := _current_task()) is not None:
            self._calls[task] = now()

    def end_call(self) -> None:
        if (task := _current_task()) is not None:
            self._calls.pop(task, None)

    def add_hold_up(self, whom: str, seconds: float) -> None:
        """A player or judge kept everything else waiting for so long."""
        held = self.held_up.setdefault(whom, HeldUp())
        held.times += 1
        held.seconds += seconds

    def begin_step(self, whom: str, seconds: float | None) -> None:
        """A player or judge occupies this thread from now on, until it awaits something or is
        done."""
        self.step = WorkStep(whom, threading.get_ident(), now(), seconds)

    def end_step(self) -> float:
        """The step is over; returns how many seconds it took."""
        step, self.step = self.step, None
        return now() - step.since if step is not None else 0.0

    def blocked(self) -> tuple[str, ...]:
        """Who has overrun its time without awaiting anything, and on which line; empty if nobody,
        and for somebody who was reported before."""
        step = self.step
        if step is None or step.seconds is None or now() - step.since <= step.seconds:
            return ()
        if step.whom in self._stuck:
            return ()
        self._stuck.add(step.whom)
        return (
            f"{step.whom} blocks{blocks_at(step.thread)}: it has worked for more than "
            f"{step.seconds:g} s without awaiting anything, so that it cannot be given up and all "
            "others wait",
        )

    def blocked_sentences(self) -> tuple[str, ...]:
        """What `blocked` gives, with how to end a run in a terminal."""
        ended = "Ctrl-C ends the run, which can be resumed"
        return tuple(f"{who}; {ended}" for who in self.blocked())

    def clauses(self) -> tuple[str, ...]:
        """Players, judges and calls that the run has waited for longer than `PATIENCE`, a clause
        for the first of the players and judges and one for all calls; empty if there are none."""
        at = now()
        clauses = []
        late = [wait for wait in list(self._people.values()) if at - wait.since > PATIENCE]
        if late:
            first = min(late, key=lambda wait: wait.since)
            rest = f" and for {len(late) - 1} more" if late[1:] else ""
            waited = at - first.since
            clauses.append(f"waiting {waited:.0f} s for {first.whom} in {first.where}{rest}")
        calls = list(self._calls.items())
        for task, _ in calls:
            if task.done():  # it was cancelled, and ends no call any more
                self._calls.pop(task, None)
        waits = [at - since for task, since in calls if not task.done() and at - since > PATIENCE]
        if waits:
            noun = "call" if len(waits) == 1 else "calls"
            clauses.append(f"{len(waits)} {noun} waiting, the longest for {max(waits):.0f} s")
        return tuple(clauses)

    def held_up_sentences(self) -> tuple[str, ...]:
        """Who held up all others `OFTEN` times or more, and what its author can do about it."""
        return tuple(
            f"{whom} held up all other episodes {held.times} times, {held.seconds:.1f} s in all: "
            "it works on for longer than 0.1 s without awaiting anything; use an asynchronous "
            "client, or `await asyncio.to_thread(...)` around what takes so long"
            for whom, held in list(self.held_up.items())
            if held.times >= OFTEN
        )


def blocks_at(thread: int) -> str:
    """The line of the user's own code at which a thread is, such as " (my_agent.py, line 12, in
    reply)"; "" if it is in none."""
    frame = sys._current_frames().get(thread)
    frames = [entry for entry in extract_stack(frame) if is_users_own(entry)] if frame else []
    return f" ({format_place(frames[-1])})" if frames else ""


def now() -> float:
    """Monotonic seconds; a function of its own so that tests can set the clock."""
    return time.monotonic()


def _current_task() -> asyncio.Task[object] | None:
    try:
        return asyncio.current_task()
    except RuntimeError:  # no loop is running
        return None


@dataclass(slots=True)
class TurnProgress:
    """How far the episodes of a run are, in turns or in steps of simulated time.

    `lengths` holds the maximum of each trial. `played` counts earlier parts of the run, too,
    `fresh` this part alone, and `going` the trials under way. What these will take is extrapolated
    from those that ended: `over` turns played of at most `allowed`.
    """

    lengths: dict[str, int]
    unit: str = "turns"
    per: int = 1
    played: int = 0
    fresh: int = 0
    over: int = 0
    allowed: int = 0
    going: int = 0
    _at: dict[str, int] = field(default_factory=dict)
    _open: int = 0

    def __post_init__(self) -> None:
        self._open = sum(self.lengths.values())

    def add_earlier(self, trial: str, turns: int) -> None:
        """Turns of a trial that were played in earlier parts of the run."""
        self._at[trial] = turns
        self.played += turns
        self.going += turns

    def advance(self, trial: str, turns: int) -> None:
        """A trial has so many turns now, in all."""
        more = min(turns, self.lengths.get(trial, 0)) - self._at.get(trial, 0)
        if more > 0:
            self._at[trial] = self._at.get(trial, 0) + more
            self.played += more
            self.fresh += more
            self.going += more

    def end(self, trial: str) -> None:
        """A trial is over; calling this again, once it is judged, does nothing."""
        if trial not in self.lengths:
            return
        length = self.lengths.pop(trial)
        self._open -= length
        self.allowed += length
        self.over += self._at.get(trial, 0)
        self.going -= self._at.get(trial, 0)

    @property
    def expected(self) -> int:
        """Estimated length of all trials together; never less than was played."""
        ratio = self.over / self.allowed if self.allowed else 1.0
        return self.over + max(self.going, round(ratio * self._open))


@dataclass(slots=True)
class Tally:
    """Counters that only grow; `total` and `done` count trials, earlier parts of a run included.

    `anew` are trials replayed because a plugin's error had ended them. `estimated` are calls whose
    tokens and cost are estimates. `on_done` is called when a trial is over. `judges` are those that
    score a stored run again. `course` is None where the world does not say how long its episodes
    can get. `exam` names who sits one at the moment, with a tally of its cases.
    """

    total: int = 0
    done: int = 0
    failed: int = 0
    turns: int = 0
    answers: int = 0
    calls: int = 0
    estimated: int = 0
    tokens: int = 0
    usd: float = 0.0
    done_before: int = 0
    anew: int = 0
    waits: Waits = field(default_factory=Waits)
    began: float = field(default_factory=time.perf_counter)
    on_done: Callable[[], object] | None = None
    judges: tuple[JudgeId, ...] = ()
    course: TurnProgress | None = None
    exam: tuple[str, Tally] | None = None

    def finish(self, trial: str) -> None:
        """A trial is over: played and judged, or failed."""
        self.done += 1
        if self.course is not None:
            self.course.end(trial)
        if self.on_done is not None:
            self.on_done()

    @property
    def seconds(self) -> float:
        """Wall time of this part of the run."""
        return time.perf_counter() - self.began

    @property
    def share(self) -> float:
        """How much is done, from 0 to 1: of turns if there is a `course`, else of trials."""
        if self.course is not None and self.course.expected:
            return self.course.played / self.course.expected
        return self.done / self.total if self.total else 0.0

    @property
    def seconds_left(self) -> float | None:
        """At the pace so far; None until a turn or a trial of this part is done."""
        if self.course is not None and self.course.fresh:
            remaining = self.course.expected - self.course.played
            if remaining > 0:  # else only judges and last replies are outstanding
                return self.seconds / self.course.fresh * remaining
        fresh = self.done - self.done_before
        return self.seconds / fresh * (self.total - self.done) if fresh > 0 else None


Watch: TypeAlias = Callable[[str, Tally], AbstractContextManager[None]]
"""Called with a run's name and tally; shows its progress while the context is open."""


class TalliedReplies:
    """The replies of a run, counted as they come in.

    `keep_in` must name the run before the first call; `on_cost` hears what each call of a trial
    cost, in dollars.
    """

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._stored: RunReplies | None = None
        self.on_cost: Callable[[str, float], None] | None = None

    def keep_in(self, replies: RunReplies) -> None:
        self._stored = replies

    @property
    def _replies(self) -> RunReplies:
        assert self._stored is not None, "a call was made before its run was created"
        return self._stored

    def release(self, trial: str) -> None:
        """Free the prompts of a trial that is over."""
        self._replies.release(trial)

    def find(self, key: str) -> ChatReply | None:
        """A reply that was paid for before; it does not count as a call."""
        return self._replies.find(key)

    def begin_attempt(self) -> None:
        self._tally.waits.begin_call()

    def keep(self, key: str, call: CallKey, model: str, prompt: Prompt, reply: ChatReply) -> None:
        self._tally.waits.end_call()
        self._tally.calls += 1
        self._tally.estimated += reply.usage.estimated
        self._tally.tokens += reply.usage.prompt + reply.usage.completion
        self._count_cost(call.trial, reply.usd)
        self._replies.keep(key, call, model, prompt, reply)

    def keep_failure(self, call: CallKey, model: str, error: ModelError, seconds: float) -> None:
        self._tally.waits.end_call()
        self._tally.calls += 1
        self._replies.keep_failure(call, model, error, seconds)

    def keep_attempt(self, call: CallKey, model: str, attempt: Attempt) -> None:
        """Store an attempt that was retried; it may have cost something, but is no call."""
        self._tally.waits.end_call()
        self._count_cost(call.trial, attempt.usd)
        self._tally.tokens += attempt.usage.prompt + attempt.usage.completion
        self._replies.keep_attempt(call, model, attempt)

    def _count_cost(self, trial: str, usd: float | None) -> None:
        self._tally.usd += usd or 0.0
        if usd and self.on_cost is not None:
            self.on_cost(trial, usd)
