"""What a run has done so far in this process, whom it waits for, and who makes all others wait: for
the display, for warnings and for the summary.
"""

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
"""Seconds: nobody is named who has been waited for no longer."""

OFTEN = 2
"""Who held others up less often (an import at its first turn) is not named."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Somebody who was asked and has not answered: who, where, and since when (`now`)."""

    whom: str
    where: str
    since: float


@dataclass(frozen=True, slots=True)
class WorkStep:
    """A player or judge that works at the moment, while nothing else can: in which thread, since
    when (`now`), and the seconds that it may take (None: as many as it likes)."""

    whom: str
    thread: int
    since: float
    seconds: float | None


@dataclass(slots=True)
class HeldUp:
    """How often somebody worked on without giving others their turn, and for how many seconds."""

    times: int = 0
    seconds: float = 0.0


@dataclass(slots=True)
class Waits:
    """What a run waits for at the moment; read from another thread while the loop is busy.

    `step` is the player or judge that works at the moment. `stopping`: the run is being cancelled,
    so that nobody is to begin to work.
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
        """Somebody is asked now, and has answered when this is left."""
        self._last_number += 1
        number = self._last_number
        self._people[number] = Wait(whom, where, now())
        try:
            yield
        finally:
            del self._people[number]

    def call_begun(self) -> None:
        """The task that runs now makes a call."""
        if (task := _task()) is not None:
            self._calls[task] = now()

    def call_ended(self) -> None:
        """The call of the task that runs now is over."""
        if (task := _task()) is not None:
            self._calls.pop(task, None)

    def late(self, whom: str, seconds: float) -> None:
        """A player or judge kept everything else waiting for so long."""
        held = self.held_up.setdefault(whom, HeldUp())
        held.times += 1
        held.seconds += seconds

    def step_begins(self, whom: str, seconds: float | None) -> None:
        """A player or judge works from now on in this thread, until it awaits something or is
        done."""
        self.step = WorkStep(whom, threading.get_ident(), now(), seconds)

    def step_ends(self) -> float:
        """It let others go on, after so many seconds."""
        step, self.step = self.step, None
        return now() - step.since if step is not None else 0.0

    def blocked(self) -> tuple[str, ...]:
        """Who works past its time, awaiting nothing, and on which line; each is told of once."""
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

    def blocked_words(self) -> tuple[str, ...]:
        """The same, and how to end a run in a terminal."""
        ended = "Ctrl-C ends the run, which can be resumed"
        return tuple(f"{who}; {ended}" for who in self.blocked())

    def words(self) -> tuple[str, ...]:
        """Whom and what the run has waited for long, in a clause each; empty if nobody."""
        return (*self._for_people(), *self._for_calls())

    def held_up_words(self) -> tuple[str, ...]:
        """Who held up all others, and how to mend it, in a sentence each."""
        return tuple(
            f"{whom} held up all other episodes {held.times} times, {held.seconds:.1f} s in all: "
            "it works on for longer than 0.1 s without awaiting anything; use an asynchronous "
            "client, or `await asyncio.to_thread(...)` around what takes so long"
            for whom, held in list(self.held_up.items())
            if held.times >= OFTEN
        )

    def _for_people(self) -> Iterator[str]:
        at = now()
        late = [wait for wait in list(self._people.values()) if at - wait.since > PATIENCE]
        if late:
            first = min(late, key=lambda wait: wait.since)
            rest = f" and for {len(late) - 1} more" if late[1:] else ""
            waited = at - first.since
            yield f"waiting {waited:.0f} s for {first.whom} in {first.where}{rest}"

    def _for_calls(self) -> Iterator[str]:
        at = now()
        calls = list(self._calls.items())
        for task, _ in calls:
            if task.done():  # it was cancelled, and ends no call any more
                self._calls.pop(task, None)
        late = [at - since for task, since in calls if not task.done() and at - since > PATIENCE]
        if late:
            noun = "call" if len(late) == 1 else "calls"
            yield f"{len(late)} {noun} waiting, the longest since {max(late):.0f} s"


def blocks_at(thread: int) -> str:
    """Where in somebody's own file a thread is, such as " (my_agent.py, line 12, in reply)"; "" if
    it is in none."""
    frame = sys._current_frames().get(thread)
    frames = [entry for entry in extract_stack(frame) if is_users_own(entry)] if frame else []
    return f" ({format_place(frames[-1])})" if frames else ""


def now() -> float:
    """Seconds on the clock that waits are measured by."""
    return time.monotonic()


def _task() -> asyncio.Task[object] | None:
    try:
        return asyncio.current_task()
    except RuntimeError:  # no loop is running
        return None


@dataclass(slots=True)
class Course:
    """How far the episodes of a run are, in turns or in steps of simulated time.

    `lengths` holds the most that each trial may take. `played` counts earlier parts of the run too,
    `fresh` this part alone, `going` the trials that are not over. What these will take is told from
    those that are: `over` turns played of at most `allowed`.
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

    def earlier(self, trial: str, turns: int) -> None:
        """What was played of a trial in earlier parts of the run."""
        self._at[trial] = turns
        self.played += turns
        self.going += turns

    def reached(self, trial: str, turns: int) -> None:
        """A trial has come so far."""
        more = min(turns, self.lengths.get(trial, 0)) - self._at.get(trial, 0)
        if more > 0:
            self._at[trial] = self._at.get(trial, 0) + more
            self.played += more
            self.fresh += more
            self.going += more

    def ended(self, trial: str) -> None:
        """A trial is over, and takes no more; a second time, once it is judged, does nothing."""
        if trial not in self.lengths:
            return
        length = self.lengths.pop(trial)
        self._open -= length
        self.allowed += length
        self.over += self._at.get(trial, 0)
        self.going -= self._at.get(trial, 0)

    @property
    def expected(self) -> int:
        """In all, as far as it can be told; never less than was played."""
        ratio = self.over / self.allowed if self.allowed else 1.0
        return self.over + max(self.going, round(ratio * self._open))


@dataclass(slots=True)
class Tally:
    """Counters that only grow; `total` and `done` count trials, earlier parts of a run included.

    `anew` are trials begun anew, since a plugin's error had ended them. `estimated` are calls whose
    tokens and cost are estimates. `waits` is no counter, but who is waited for; `on_done` is called
    when a trial is over. `judges`: those that judge anew. `course`: how far the
    episodes are, where their world tells how long they get. `exam`: who sits one at the
    moment, and how far.
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
    course: Course | None = None
    exam: tuple[str, Tally] | None = None

    def one_done(self, trial: str) -> None:
        """A trial is over: played and judged, or failed."""
        self.done += 1
        if self.course is not None:
            self.course.ended(trial)
        if self.on_done is not None:
            self.on_done()

    @property
    def seconds(self) -> float:
        """Since this part of the run began."""
        return time.perf_counter() - self.began

    @property
    def share(self) -> float:
        """How much is done, from 0 to 1: of turns where they are told, else of trials."""
        if self.course is not None and self.course.expected:
            return self.course.played / self.course.expected
        return self.done / self.total if self.total else 0.0

    @property
    def seconds_left(self) -> float | None:
        """At the pace so far; None while nobody can tell."""
        if self.course is not None and self.course.fresh:
            remaining = self.course.expected - self.course.played
            if remaining > 0:  # else only judges and the last replies are waited for
                return self.seconds / self.course.fresh * remaining
        fresh = self.done - self.done_before
        return self.seconds / fresh * (self.total - self.done) if fresh > 0 else None


Watch: TypeAlias = Callable[[str, Tally], AbstractContextManager[None]]
"""Shows the progress of a run while its context is open; is given the run's name and its tally."""


class TalliedReplies:
    """The replies of a run, counted as they come in; `keep_in` says which run holds them, and
    `on_cost` hears what each call of a trial cost."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._kept: RunReplies | None = None
        self.on_cost: Callable[[str, float], None] | None = None

    def keep_in(self, replies: RunReplies) -> None:
        """From now on the run is there."""
        self._kept = replies

    @property
    def _replies(self) -> RunReplies:
        assert self._kept is not None, "a call was made before its run was created"
        return self._kept

    def release(self, trial: str) -> None:
        """Forget the prompts of a trial that is over."""
        self._replies.release(trial)

    def find(self, key: str) -> ChatReply | None:
        """A reply that was paid for before: not counted as a call."""
        return self._replies.find(key)

    def begin_attempt(self) -> None:
        """From now on a server is waited for."""
        self._tally.waits.call_begun()

    def keep(self, key: str, call: CallKey, model: str, prompt: Prompt, reply: ChatReply) -> None:
        """Count and store."""
        self._tally.waits.call_ended()
        self._tally.calls += 1
        self._tally.estimated += reply.usage.estimated
        self._tally.tokens += reply.usage.prompt + reply.usage.completion
        self._count_cost(call.trial, reply.usd)
        self._replies.keep(key, call, model, prompt, reply)

    def keep_failure(self, call: CallKey, model: str, error: ModelError, seconds: float) -> None:
        """Count and store."""
        self._tally.waits.call_ended()
        self._tally.calls += 1
        self._replies.keep_failure(call, model, error, seconds)

    def keep_attempt(self, call: CallKey, model: str, attempt: Attempt) -> None:
        """Count what it may have cost, and store."""
        self._tally.waits.call_ended()
        self._count_cost(call.trial, attempt.usd)
        self._tally.tokens += attempt.usage.prompt + attempt.usage.completion
        self._replies.keep_attempt(call, model, attempt)

    def _count_cost(self, trial: str, usd: float | None) -> None:
        self._tally.usd += usd or 0.0
        if usd and self.on_cost is not None:
            self.on_cost(trial, usd)
