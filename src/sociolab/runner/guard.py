"""Bounds for players and judges written by users: time limits, valid memory, Ctrl-C that reaches
them, and errors that name whose code failed.
"""

from __future__ import annotations

import asyncio
import inspect
import signal
import threading
from collections.abc import Awaitable, Coroutine, Generator, Iterator
from contextlib import contextmanager, suppress
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
"""Late replies in a row after which a player is given up for the rest of the episode."""

OPTIONAL_SECONDS = 60.0
"""Longest wait for the answer to an optional question, even of a player without a limit."""


@dataclass(slots=True)
class ForeignPlayer:
    """A user's player in a seat, which may take `seconds` for each reply (None: no limit).

    A late reply counts as unusable, and may be asked for again; `LATE_IN_A_ROW` late replies in a
    row raise ModelError with the cause "timeout". Any other error of the player's code becomes a
    WorldError that names the player, its seat, the turn and the line; ModelError passes through.
    A late answer to an optional question is not asked for again. Acts are removed from its
    actions: only built-in players may set them.
    """

    player: Player
    label: str
    task: str
    seconds: float | None
    waits: Waits
    _late_so_far: int = 0

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        with self.waits.until_answered(self.label, f"{self.task}, turn {request.turn + 1}"):
            try:
                reply = await self._request_reply(request, memory)
            except (ModelError, ConfigError):
                raise
            except LateError as error:
                reply = self._count_late(request, error)
            except (Exception, SystemExit) as error:
                raise self._error(request, _describe_problem(error)) from error
            else:
                self._late_so_far = 0
        if problem := memory_problem(reply.memory) or _actions_problem(reply):
            raise self._error(request, problem)
        return _without_acts(reply)

    def _count_late(self, request: Request, error: LateError) -> NoReply:
        """What stands for a late reply; ModelError once there were too many in a row."""
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
    """Why a memory cannot be stored as JSON, with the path of the offending part; "" if it can."""
    part = _not_json(memory, "memory", 0)
    if not part:
        return ""
    path, kind = part
    return (
        f"expected a memory of JSON (text, numbers, true, false, null, lists, and objects whose "
        f"keys are text), found {kind} at {path}"
    )


class Interrupted(KeyboardInterrupt):
    """Ctrl-C while a player or judge blocks the event loop, raised within its code."""


@contextmanager
def interruptible(waits: Waits) -> Iterator[None]:
    """While this is open in a task, the first Ctrl-C reaches a player or judge that blocks, too.

    asyncio's own handler cancels the task, which takes effect once the loop runs again: never, with
    code that awaits nothing. So no other step begins from then on, and `Interrupted` is raised in
    the midst of the code at work. Does nothing outside the main thread, which gets no signals.
    """
    task = asyncio.current_task()
    former = signal.getsignal(signal.SIGINT)
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not in_main_thread or not callable(former):
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
"""Default time limit in seconds for a reply of a user's player or a judging of a user's judge."""

LONGEST_STEP = 0.1
"""Seconds without an await from which a step counts as holding up all other episodes."""

LAST_WORDS = 5.0
"""Seconds that code which was cancelled has for its cleanup before it is abandoned."""


class LateError(Exception):
    """A player or judge was cancelled because its time was over."""


class QuitError(Exception):
    """A player or judge called `sys.exit`, or was cancelled by its own code."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits of a user's player or judge, called `whom`: `seconds` for each piece of work
    (None: no limit); `waits` records where it blocks."""

    whom: str
    seconds: float | None
    waits: Waits

    async def result(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Await the work; LateError, QuitError, or whatever else it raises.

        Work that swallows its cancellation is abandoned `LAST_WORDS` seconds later. Work that
        blocks, awaiting nothing, cannot be given up; Ctrl-C reaches it.
        """
        limit = asyncio.timeout(self.seconds)
        try:
            async with limit:
                return await _Stepped(work, self)
        except Interrupted:  # the run is being cancelled: wait for that, once the loop runs again
            await asyncio.Event().wait()
            raise
        except TimeoutError as error:
            if not limit.expired():  # the user's code raised this one
                raise
            raise LateError from error
        except SociolabError as error:  # raised by the user's code, so the text may hold secrets
            error.args = (redact(str(error), lookalikes=True),)
            raise
        except SystemExit as error:
            raise QuitError(describe_error(error)) from error
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is None or task.cancelling():  # the run itself is being cancelled
                raise
            raise QuitError(describe_error(error)) from error


class _Stepped:
    """Awaits a coroutine step by step, reports each step that took too long, and abandons the
    coroutine if it goes on after its cancellation."""

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
            while waits.stopping and thrown is None:  # a step begun now could not be ended
                try:
                    yield
                except GeneratorExit:
                    coroutine.close()
                    raise
                except BaseException as error:  # noqa: BLE001  the coroutine's to handle
                    thrown = error
            waits.begin_step(bounds.whom, bounds.seconds)
            try:
                waits_for = coroutine.send(sent) if thrown is None else coroutine.throw(thrown)
            except StopIteration as end:
                return end.value
            finally:
                took = waits.end_step()
                if took > LONGEST_STEP:
                    waits.add_hold_up(bounds.whom, took)
            sent = thrown = None
            try:
                sent = yield waits_for
            except GeneratorExit:
                coroutine.close()
                raise
            except asyncio.CancelledError as error:
                self._on_cancelled()
                thrown = error
            except BaseException as error:  # noqa: BLE001  the coroutine's to handle
                thrown = error

    def _on_cancelled(self) -> None:
        """At the first cancellation, give the coroutine `LAST_WORDS` seconds; at the second, which
        `_insist` causes, abandon it."""
        task = self._task
        if task is None:
            return
        if self._insists:
            task.uncancel()
            with suppress(RuntimeError):  # it ignores this as well; nobody listens any more
                self._coroutine.close()
            raise asyncio.CancelledError
        if self._timer is None or self._timer.when() <= task.get_loop().time():
            self._timer = task.get_loop().call_later(LAST_WORDS, self._insist)

    def _insist(self) -> None:
        # A task that is not being cancelled any more was cancelled by a time limit within the
        # coroutine's own code, which has handled it.
        if self._task is not None and self._task.cancelling():
            self._insists = True
            self._task.cancel()


_DEEPEST = 100
"""Maximum depth of a memory; one that contains itself is deeper."""


def _without_acts(reply: Reply | NoReply) -> Reply | NoReply:
    if isinstance(reply, NoReply) or not isinstance(reply.value, tuple):
        return reply
    if not any(action.acts for action in reply.value):
        return reply
    return replace(reply, value=tuple(replace(action, acts=()) for action in reply.value))


def _not_json(value: object, path: str, depth: int) -> tuple[str, str] | None:
    """Path and type of the first part that is no JSON; None if there is none."""
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
    """What is wrong with the first malformed action of a reply; "" if there is none."""
    if isinstance(reply, NoReply) or not isinstance(reply.value, tuple):
        return ""
    for action in reply.value:
        if isinstance(action, Action) and (problem := action_problem(action)):
            return f"{problem}; mend the player"
    return ""


class _UnlikeReplyError(Exception):
    """A player returned something other than a reply, so there is no line to name."""


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
