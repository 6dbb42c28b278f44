"""What a run has done so far in this process: for the progress display and the summary."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from sociolab.core.errors import ModelError
from sociolab.core.ports import CallKey, ChatReply, Prompt
from sociolab.runner.waits import Waits
from sociolab.store.calls import RunReplies


@dataclass(slots=True)
class Tally:
    """Counters that only grow; `total` and `done` count trials, earlier parts of a run included.

    `anew` are trials begun anew, since a plugin's error had ended them. `estimated` are calls whose
    tokens and cost are estimates. `waits` is no counter, but who is waited for; `on_done` is called
    when a trial is over. `judges`: the names of those that judge anew.
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
    on_done: Callable[[], None] | None = None
    judges: tuple[str, ...] = ()

    def one_done(self) -> None:
        """A trial is over: played and judged, or failed."""
        self.done += 1
        if self.on_done is not None:
            self.on_done()

    @property
    def seconds(self) -> float:
        """Since this part of the run began."""
        return time.perf_counter() - self.began

    @property
    def seconds_left(self) -> float | None:
        """At the pace so far; None before anything is done."""
        fresh = self.done - self.done_before
        if fresh <= 0:
            return None
        return self.seconds / fresh * (self.total - self.done)


class TalliedReplies:
    """The replies of a run, counted as they come in; `keep_in` says which run holds them."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._kept: RunReplies | None = None

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
        """A reply that was paid for before: not counted as a call. Without one a call begins."""
        found = self._replies.find(key)
        if found is None:
            self._tally.waits.call_begun()
        return found

    def keep(self, key: str, call: CallKey, model: str, prompt: Prompt, reply: ChatReply) -> None:
        """Count and store."""
        self._tally.waits.call_ended()
        self._tally.calls += 1
        self._tally.estimated += reply.usage.estimated
        self._tally.tokens += reply.usage.prompt + reply.usage.completion
        self._tally.usd += reply.usd or 0.0
        self._replies.keep(key, call, model, prompt, reply)

    def keep_failure(self, call: CallKey, model: str, error: ModelError, seconds: float) -> None:
        """Count and store."""
        self._tally.waits.call_ended()
        self._tally.calls += 1
        self._replies.keep_failure(call, model, error, seconds)
