"""Players that are not ours, kept in bounds: their time, their memory, Ctrl-C that reaches them,
and whose mistake it was.
"""

from __future__ import annotations

import asyncio
import inspect
import signal
import threading
from collections.abc import Awaitable, Coroutine, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import FrameType
from typing import Any

from sociolab.core.episode import ACT, Action, Json
from sociolab.core.errors import ConfigError, ModelError, SociolabError, WorldError
from sociolab.core.ports import NoReply, Player, Reply, Request
from sociolab.core.redaction import redact
from sociolab.core.tracebacks import describe_error
from sociolab.engine.checking import action_problem
from sociolab.runner.progress import Waits

LATE_IN_A_ROW = 3
"""Replies: a player that is late so often in a row will be late to the end of the episode."""

OPTIONAL_SECONDS = 60.0
"""The longest wait for an answer to an optional question, also of a player without a limit."""


@dataclass(slots=True)
class ForeignPlayer:
    """Somebody's player in a seat, asked for at most `seconds` at a time (None: for ever).

    Late, it has given no usable reply, and may be asked again; `LATE_IN_A_ROW` times in a row, it
    is a ModelError with the cause "timeout". Whatever it breaks is a WorldError that names it, its
    seat, the turn, and the line; ModelError passes through. An optional question that it does not
    answer stays unanswered. It writes no acts: those are the built-in players' own.
    """

    player: Player
    label: str
    task: str
    seconds: float | None
    waits: Waits
    _late_so_far: int = 0

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        """What the player replies, in time."""
        with self.waits.until_answered(self.label, f"{self.task}, turn {request.turn + 1}"):
            reply = await self._bounded(request, memory)
        if problem := memory_problem(reply.memory) or _actions_problem(reply):
            raise self._error(request, problem)
        return _without_acts(reply)

    async def _bounded(self, request: Request, memory: Json) -> Reply | NoReply:
        try:
            reply = await self._request_reply(request, memory)
        except (ModelError, ConfigError):
            raise
        except LateError as error:
            return self._gave_none(request, error)
        except (Exception, SystemExit) as error:
            raise self._error(request, _describe_problem(error)) from error
        self._late_so_far = 0
        return reply

    def _gave_none(self, request: Request, error: LateError) -> NoReply:
        """Late once more: no reply this time, or once too often."""
        problem = f"{self.label} gave no reply within {self._seconds(request):g} s"
        if request.optional:
            return NoReply("timeout", problem, again=False)
        self._late_so_far += 1
        if self._late_so_far >= LATE_IN_A_ROW:
            raise ModelError(
                f"{problem}, {LATE_IN_A_ROW} times in a row, as {request.seat} up to turn "
                f"{request.turn + 1}; see --agent-timeout",
                cause="timeout",
                tries=LATE_IN_A_ROW,
            ) from error
        return NoReply("timeout", problem)

    async def _request_reply(self, request: Request, memory: Json) -> Reply | NoReply:
        answer: object = self.player.reply(request, memory)
        if inspect.isawaitable(answer):
            work = answer if inspect.iscoroutine(answer) else _awaiting(answer)
            reply = await Bounds(self.label, self._seconds(request), self.waits).result(work)
        elif inspect.isasyncgen(answer):
            raise _UnlikeReplyError(
                'expected "async def reply(self, request, memory)" that returns a Reply or a '
                'NoReply, found an async generator; write "return" in it instead of "yield"'
            )
        else:
            raise _UnlikeReplyError(
                'expected "async def reply(self, request, memory)", found one without "async", '
                f"which returns {_kind(answer)} at once"
            )
        if not isinstance(reply, Reply | NoReply):
            raise _UnlikeReplyError(f"expected a Reply or a NoReply, found {reply!r:.80}")
        return reply

    def _seconds(self, request: Request) -> float | None:
        if not request.optional:
            return self.seconds
        return OPTIONAL_SECONDS if self.seconds is None else min(self.seconds, OPTIONAL_SECONDS)

    def _error(self, request: Request, problem: str) -> WorldError:
        question = "" if request.name == ACT else f', asked "{request.name}"'
        where = f"{self.label} as {request.seat}, turn {request.turn + 1}{question}"
        return WorldError(f"{where}: {problem}")


def memory_problem(memory: object) -> str:
    """Why a memory cannot be kept and handed back as it is, with the path inside; "" if it can."""
    part = _not_json(memory, "memory", 0)
    if not part:
        return ""
    path, kind = part
    return (
        f"expected a memory of JSON (text, numbers, true, false, null, lists, and objects whose "
        f"keys are text), found {kind} at {path}"
    )


class Interrupted(KeyboardInterrupt):
    """Ctrl-C while a player or judge blocked: the run is being cancelled, and only this one is in
    its way."""


@contextmanager
def interruptible(waits: Waits) -> Iterator[None]:
    """While this is open in a task, the first Ctrl-C reaches a player or judge that blocks, too.

    asyncio's own handler cancels the task, which happens once the loop goes on: with code that
    awaits nothing, never. So nobody else begins to work from then on, and `Interrupted` is raised
    in the midst of whoever is at work. Other threads get no signals.
    """
    task = asyncio.current_task()
    former = signal.getsignal(signal.SIGINT)
    ours = threading.current_thread() is threading.main_thread()
    if not ours or not callable(former):
        yield
        return

    def handle(number: int, frame: FrameType | None) -> None:
        former(number, frame)
        waits.stopping = task is not None and task.cancelling() > 0
        if waits.stopping and waits.step is not None:
            raise Interrupted

    signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, former)


LONGEST_REPLY = 600.0
"""Seconds until what is not ours is given up, unless a run says otherwise."""

LONGEST_STEP = 0.1
"""Seconds: who works on for longer, awaiting nothing, makes all others wait."""

LAST_WORDS = 5.0
"""Seconds that it may take to put its things in order, once it was given up."""


class LateError(Exception):
    """It was given up: its time was over."""


class QuitError(Exception):
    """It ended itself, by `sys.exit` or by a cancellation of its own, and nothing else."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Within which somebody's player or judge works: `whom` says who it is, `seconds` how long it
    may take each time (None: for ever), and `waits` is told where it blocks."""

    whom: str
    seconds: float | None
    waits: Waits

    async def result(self, work: Coroutine[Any, Any, Any]) -> Any:
        """What it returns; LateError or QuitError, or whatever else it raises.

        Whoever catches the cancellation and goes on is let go `LAST_WORDS` seconds later. Whoever
        blocks, awaiting nothing, cannot be given up; Ctrl-C reaches it.
        """
        limit = asyncio.timeout(self.seconds)
        try:
            async with limit:
                return await _Stepped(work, self)
        except Interrupted:  # Ctrl-C in its midst: this run stops, as soon as it can go on
            await asyncio.Event().wait()
            raise
        except TimeoutError as error:
            if not limit.expired():  # one of its own
                raise
            raise LateError from error
        except SociolabError as error:  # raised by its own hand, with whatever text
            error.args = (redact(str(error), lookalikes=True),)
            raise
        except SystemExit as error:
            raise QuitError(describe_error(error)) from error
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is None or task.cancelling():  # it is this run that stops
                raise
            raise QuitError(describe_error(error)) from error


class _Stepped:
    """Awaits a coroutine step by step, tells of each step that took too long, and lets go of it
    where it goes on although it was told to end."""

    __slots__ = ("_bounds", "_coroutine", "_insists", "_task", "_timer")

    def __init__(self, coroutine: Coroutine[Any, Any, Any], bounds: Bounds) -> None:
        self._coroutine = coroutine
        self._bounds = bounds
        self._insists = False
        self._task = asyncio.current_task()
        self._timer: asyncio.TimerHandle | None = None

    def __await__(self) -> Generator[Any, Any, Any]:
        try:
            return (yield from self._steps())
        finally:
            if self._timer is not None:
                self._timer.cancel()

    def _steps(self) -> Generator[Any, Any, Any]:
        coroutine, bounds = self._coroutine, self._bounds
        waits = bounds.waits
        sent: Any = None
        thrown: BaseException | None = None
        while True:
            while waits.stopping and thrown is None:  # begun now, nothing could end it
                try:
                    yield
                except GeneratorExit:
                    coroutine.close()
                    raise
                except BaseException as error:  # noqa: BLE001  the coroutine's to handle
                    thrown = error
            waits.step_begins(bounds.whom, bounds.seconds)
            try:
                waits_for = coroutine.send(sent) if thrown is None else coroutine.throw(thrown)
            except StopIteration as end:
                return end.value
            finally:
                took = waits.step_ends()
                if took > LONGEST_STEP:
                    waits.late(bounds.whom, took)
            sent = thrown = None
            try:
                sent = yield waits_for
            except GeneratorExit:
                coroutine.close()
                raise
            except asyncio.CancelledError as error:
                self._check_ends()
                thrown = error
            except BaseException as error:  # noqa: BLE001  the coroutine's to handle
                thrown = error

    def _check_ends(self) -> None:
        """The first time it is told to end, it may; the CancelledError at hand goes on where it
        did not."""
        task = self._task
        if task is None:
            return
        if self._insists:
            task.uncancel()
            self._let_go()
            raise asyncio.CancelledError
        if self._timer is None or self._timer.when() <= task.get_loop().time():
            self._timer = task.get_loop().call_later(LAST_WORDS, self._insist)

    def _insist(self) -> None:
        """Unless it was its own time limit that was over, for something that it awaits."""
        if self._task is not None and self._task.cancelling():
            self._insists = True
            self._task.cancel()

    def _let_go(self) -> None:
        try:
            self._coroutine.close()
        except RuntimeError:  # it goes on in spite of that, too; nobody listens any more
            return


_DEEPEST = 100
"""Levels of a memory: a deeper one, or one that holds itself, is no JSON."""


def _without_acts(reply: Reply | NoReply) -> Reply | NoReply:
    if isinstance(reply, NoReply) or not isinstance(reply.value, tuple):
        return reply
    if not any(action.acts for action in reply.value):
        return reply
    return replace(reply, value=tuple(replace(action, acts=()) for action in reply.value))


def _not_json(value: object, path: str, depth: int) -> tuple[str, str] | None:
    """The path and the kind of the first part that is no JSON."""
    if value is None or isinstance(value, str | int | float):
        return None
    if depth > _DEEPEST:
        return path[:80], f"more than {_DEEPEST} levels"
    if isinstance(value, list | tuple):
        for i, item in enumerate(value):
            if part := _not_json(item, f"{path}[{i}]", depth + 1):
                return part
        return None
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                return path, f"the key {key!r:.40} ({_kind(key)})"
            if part := _not_json(item, f"{path}[{key[:40]!r}]", depth + 1):
                return part
        return None
    return path, _kind(value)


def _actions_problem(reply: Reply | NoReply) -> str:
    """Which action of a reply is malformed, and whom to tell; "" if there is none."""
    if isinstance(reply, NoReply) or not isinstance(reply.value, tuple):
        return ""
    for action in reply.value:
        if isinstance(action, Action) and (problem := action_problem(action)):
            return f"{problem}; mend the player"
    return ""


class _UnlikeReplyError(Exception):
    """What came back is no reply: no line of the player was under way then."""


async def _awaiting(awaitable: Awaitable[object]) -> object:
    return await awaitable


def _describe_problem(error: BaseException) -> str:
    if isinstance(error, _UnlikeReplyError | QuitError):
        return str(error)
    description = describe_error(error)
    if isinstance(error, TypeError) and "in 'await' expression" in description:
        return f'{description}; write "async def" before what is awaited there'
    return description


def _kind(value: object) -> str:
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"
