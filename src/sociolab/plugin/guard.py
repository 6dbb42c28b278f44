"""What a plugin from outside breaks is told in a sentence, with the file and the line."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine, Generator, Sequence
from pathlib import Path
from typing import Any

from sociolab.core.episode import Ended, Episode, Task
from sociolab.core.errors import SociolabError, WorldError
from sociolab.core.ports import DataId, Play, Transcript, World
from sociolab.core.tracebacks import describe_error, in_users_file


def guarded(world: str, what: str, call: Callable[..., Any], gives: Any = object) -> Any:
    """The function of a plugin; whatever it raises that is no error of ours is a WorldError, and so
    is a value that is none of the type that it `gives`."""

    def calling(*given: Any, **named: Any) -> Any:
        try:
            found = call(*map(_unwrapped, given), **named)
        except Exception as error:  # somebody's code
            raise _broke(world, what, error, call) from error
        if inspect.iscoroutine(found):
            return _awaited(world, what, found)
        return checked_type(world, what, found, gives, call)

    return calling


def checked_type(world: str, what: str, found: Any, gives: Any, call: object = None) -> Any:
    """What a plugin gave; WorldError, with the place of what gave it, where it is none of this
    type."""
    if isinstance(found, gives):
        return found
    raise WorldError(
        f'the world "{world}": expected the type {gives.__name__} for its {what}, found '
        f"{found!r:.80}{_place(call)}"
    )


async def _awaited(world: str, what: str, found: Coroutine[Any, Any, Any]) -> Any:
    try:
        return await found
    except Exception as error:  # as above
        raise _broke(world, what, error) from error


def _broke(world: str, what: str, error: Exception, call: object = None) -> Exception:
    if isinstance(error, SociolabError):
        return error
    told = describe_error(error)
    # What was called in a wrong way never began, and is in no traceback.
    place = "" if in_users_file(error) else _place(call)
    return WorldError(f'the world "{world}" breaks in its {what}: {told}{place}')


def _place(call: object) -> str:
    code = getattr(call, "__code__", None)
    return f" ({Path(code.co_filename).name}, line {code.co_firstlineno})" if code else ""


def _unwrapped(value: Any) -> Any:
    return value.inner if isinstance(value, GuardedWorld) else value


class GuardedWorld:
    """A world from outside. `inner` is the author's own object."""

    def __init__(self, inner: World, name: str) -> None:
        self.inner = inner
        self.name = name
        self.tasks: Callable[[], Sequence[Task]] = guarded(name, "tasks", inner.tasks, Sequence)
        self._transcript = guarded(name, "transcript", inner.transcript, Transcript)

    @property
    def data(self) -> DataId:
        """The author's."""
        found: DataId = guarded(self.name, "data", lambda: self.inner.data, DataId)()
        return found

    def transcript(self, episode: Episode, seat: str | None = None) -> Transcript:
        """The author's."""
        found: Transcript = self._transcript(episode, seat)
        return found

    def play(self, task: Task, trial: str, seed: int) -> Play:
        """The author's; WorldError where it ends without saying why."""
        last, sent, over = None, None, False
        play = guarded(self.name, "play", self.inner.play, Generator)(task, trial, seed)
        while not over:
            try:
                last = play.send(sent)
            except StopIteration:
                over = True
            except Exception as error:  # as above
                raise _broke(self.name, "play", error, self.inner.play) from error
            else:
                sent = yield last
        checked_type(self.name, "last event of a play", last, Ended, self.inner.play)
