"""Somebody's own classes as agents and judges: what is wrong with one is said in a sentence."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import FunctionType, MethodType
from typing import Any

from sociolab.core.blame import told
from sociolab.core.code_mark import code_in, same_code, with_code, without_code
from sociolab.core.episode import Episode
from sociolab.core.errors import ConfigError, ModelError, WorldError
from sociolab.core.ports import Judge
from sociolab.core.score import JudgeId, Verdict
from sociolab.runner.bounded import Bounds, LateError, QuitError
from sociolab.runner.verdict_checks import id_problem
from sociolab.runner.waits import Waits

_JUDGE = "async def judge(self, episode, judging=0)"


def built(label: str, made: Any, given: Mapping[str, Any] | None = None) -> Any:
    """An instance of a class, made with what is given, or the object itself; ConfigError where the
    class cannot be made so."""
    return constructed(label, partial(made, **(given or {}))) if isinstance(made, type) else made


def constructed(label: str, make: Callable[[], Any]) -> Any:
    """What is made without further arguments; ConfigError where it cannot be."""
    try:
        return make()
    except Exception as error:  # somebody's constructor
        inner = error.__traceback__ and error.__traceback__.tb_next
        if isinstance(error, TypeError) and inner is None:
            raise ConfigError(
                f'"{label}" cannot be made: expected a class that is made without arguments, found '
                f"that {error}; give them in the spec (?name=value) or defaults, or name an "
                "instance"
            ) from error
        raise ConfigError(f'"{label}" cannot be made: {told(error)}') from error


def check_async(label: str, made: object, name: str, arguments: str) -> None:
    """ConfigError where a method is a plain `def`, whose result nobody can await."""
    method = getattr(made, name)
    found = method.__func__ if isinstance(method, MethodType) else method
    if inspect.isasyncgenfunction(found):
        raise ConfigError(
            f'"{label}": {name} is an async generator: expected "async def {name}({arguments})" '
            'that returns one value, found one with "yield"; write "return"'
        )
    if isinstance(found, FunctionType) and not inspect.iscoroutinefunction(found):
        raise ConfigError(
            f'"{label}": {name} is not async: expected "async def {name}({arguments})", found a '
            'plain "def"'
        )


def own_judge(label: str, made: Any, code: str, seconds: float, waits: Waits) -> OwnJudge:
    """Somebody's judge, known by its id and its code; ConfigError if it is none.

    It is given up where it has not judged an episode within so many seconds; `waits` is told where
    it blocks.
    """
    known_as = getattr(made, "id", None)
    if not callable(getattr(made, "judge", None)) or known_as is None:
        raise ConfigError(
            f'"{label}" is no judge: expected a class with an "id" and "{_JUDGE}"; '
            "see docs/agents.md"
        )
    known_as = checked_id(label, known_as)
    check_async(label, made, "judge", "self, episode, judging=0")
    try:
        inspect.signature(made.judge).bind(None, 0)
    except TypeError as error:
        found = inspect.signature(made.judge)
        raise ConfigError(f'"{label}": expected "{_JUDGE}", found judge{found}') from error
    except ValueError:  # one without a signature, such as a builtin's: it will show when called
        pass
    known = replace(known_as, settings=with_code(known_as.settings, code))
    return OwnJudge(label, known, made, seconds, waits)


def as_known(judge: Judge, known: Collection[JudgeId]) -> Judge:
    """The same judge, under the id by which it is `known` from before the code that it imports was
    a part of it: what it judged then it need not judge again."""
    if not isinstance(judge, OwnJudge) or judge.id in known:
        return judge
    return next((replace(judge, id=one) for one in known if _as_then(one, judge.id)), judge)


def _as_then(was: JudgeId, now: JudgeId) -> bool:
    before, after = code_in("", was.settings), code_in("", now.settings)
    if before is None or after is None or not same_code(before, after):
        return False
    return replace(was, settings=without_code(was.settings)) == replace(
        now, settings=without_code(now.settings)
    )


def checked_id(label: str, found: object) -> JudgeId:
    """What a judge is known by; ConfigError where it cannot be written down or read again."""
    if problem := id_problem(found):
        raise ConfigError(f'"{label}": {problem}')
    assert isinstance(found, JudgeId)
    return found


@dataclass(frozen=True, slots=True)
class OwnJudge:
    """Somebody's judge, under the id that its code is a part of, kept to its time in seconds."""

    label: str
    id: JudgeId
    own: Judge
    seconds: float
    waits: Waits

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        """What it says; what it breaks reaches the caller.

        ModelError with the cause "timeout" where it is late, WorldError where it says nothing or
        ends itself.
        """
        who = f"the judge {self.id.name}"
        bounds = Bounds(who, self.seconds, self.waits)
        try:
            said: tuple[Verdict, ...] = await bounds.result(self._said(episode, judging))
        except LateError as error:
            raise ModelError(
                f"{who} gave no verdict within {self.seconds:g} s; see --agent-timeout",
                cause="timeout",
            ) from error
        except QuitError as error:
            raise WorldError(f"{who} broke on the episode {episode.trial.id}: {error}") from error
        if isinstance(said, tuple | list) and not said:
            raise WorldError(
                f"{who} gave no verdict; expected one for each of its measures and seats "
                "(Unscored where it cannot tell)"
            )
        return said

    async def _said(self, episode: Episode, judging: int) -> tuple[Verdict, ...]:
        return await self.own.judge(episode, judging)
