"""Players that are not ours, kept in bounds: their time, their memory, and whose mistake it was."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable
from dataclasses import dataclass, replace

from sociolab.core.blame import told
from sociolab.core.episode import ACT, Action, Json
from sociolab.core.errors import ConfigError, ModelError, WorldError
from sociolab.core.ports import NoReply, Player, Reply, Request
from sociolab.engine.checking import action_problem
from sociolab.runner.bounded import Bounds, LateError, QuitError
from sociolab.runner.waits import Waits

LATE_IN_A_ROW = 3
"""Replies: a player that is late so often in a row will be late to the end of the episode."""

OPTIONAL_SECONDS = 60.0
"""The longest wait for an answer to an optional question, also of a player without a limit."""

_DEEPEST = 100
"""Levels of a memory: a deeper one, or one that holds itself, is no JSON."""


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
            given = await self._bounded(request, memory)
        if problem := memory_problem(given.memory) or _actions_problem(given):
            raise self._error(request, problem)
        return _without_acts(given)

    async def _bounded(self, request: Request, memory: Json) -> Reply | NoReply:
        try:
            given = await self._asked(request, memory)
        except (ModelError, ConfigError):
            raise
        except LateError as error:
            return self._gave_none(request, error)
        except (Exception, SystemExit) as error:
            raise self._error(request, _words(error)) from error
        self._late_so_far = 0
        return given

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

    async def _asked(self, request: Request, memory: Json) -> Reply | NoReply:
        given: object = self.player.reply(request, memory)
        if inspect.isawaitable(given):
            work = given if inspect.iscoroutine(given) else _awaiting(given)
            found = await Bounds(self.label, self._seconds(request), self.waits).result(work)
        elif inspect.isasyncgen(given):
            raise _UnlikeReplyError(
                'expected "async def reply(self, request, memory)" that returns a Reply or a '
                'NoReply, found an async generator; write "return" in it instead of "yield"'
            )
        else:
            raise _UnlikeReplyError(
                'expected "async def reply(self, request, memory)", found one without "async", '
                f"which returns {_kind(given)} at once"
            )
        if not isinstance(found, Reply | NoReply):
            raise _UnlikeReplyError(f"expected a Reply or a NoReply, found {found!r:.80}")
        return found

    def _seconds(self, request: Request) -> float | None:
        if not request.optional:
            return self.seconds
        return OPTIONAL_SECONDS if self.seconds is None else min(self.seconds, OPTIONAL_SECONDS)

    def _error(self, request: Request, problem: str) -> WorldError:
        asked = "" if request.name == ACT else f', asked "{request.name}"'
        where = f"{self.label} as {request.seat}, turn {request.turn + 1}{asked}"
        return WorldError(f"{where}: {problem}")


def _without_acts(given: Reply | NoReply) -> Reply | NoReply:
    if isinstance(given, NoReply) or not isinstance(given.value, tuple):
        return given
    if not any(action.acts for action in given.value):
        return given
    return replace(given, value=tuple(replace(action, acts=()) for action in given.value))


def memory_problem(memory: object) -> str:
    """Why a memory cannot be kept and handed back as it is, with the path inside; "" if it can."""
    found = _not_json(memory, "memory", 0)
    if not found:
        return ""
    path, kind = found
    return (
        f"expected a memory of JSON (text, numbers, true, false, null, lists, and objects whose "
        f"keys are text), found {kind} at {path}"
    )


def _not_json(value: object, path: str, depth: int) -> tuple[str, str] | None:
    """The path and the kind of the first part that is no JSON."""
    if value is None or isinstance(value, str | int | float):
        return None
    if depth > _DEEPEST:
        return path[:80], f"more than {_DEEPEST} levels"
    if isinstance(value, list | tuple):
        for i, item in enumerate(value):
            if found := _not_json(item, f"{path}[{i}]", depth + 1):
                return found
        return None
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                return path, f"the key {key!r:.40} ({_kind(key)})"
            if found := _not_json(item, f"{path}[{key[:40]!r}]", depth + 1):
                return found
        return None
    return path, _kind(value)


def _actions_problem(given: Reply | NoReply) -> str:
    """Which action of a reply is malformed, and whom to tell; "" if there is none."""
    if isinstance(given, NoReply) or not isinstance(given.value, tuple):
        return ""
    for action in given.value:
        if isinstance(action, Action) and (problem := action_problem(action)):
            return f"{problem}; mend the player"
    return ""


class _UnlikeReplyError(Exception):
    """What came back is no reply: no line of the player was under way then."""


async def _awaiting(given: Awaitable[object]) -> object:
    return await given


def _words(error: BaseException) -> str:
    if isinstance(error, _UnlikeReplyError | QuitError):
        return str(error)
    said = told(error)
    if isinstance(error, TypeError) and "in 'await' expression" in said:
        return f'{said}; write "async def" before what is awaited there'
    return said


def _kind(value: object) -> str:
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"
