"""Somebody's own classes as agents and judges: made from their spec, or told what is wrong."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from inspect import Parameter
from types import FunctionType, MethodType
from typing import Any, get_type_hints

from pydantic import PydanticUserError, TypeAdapter, ValidationError

from sociolab.app.players.models import PythonSpec
from sociolab.core.code_fingerprint import with_code
from sociolab.core.episode import Episode
from sociolab.core.errors import ConfigError, ModelError, WorldError
from sociolab.core.ports import Judge
from sociolab.core.reading import first_problem
from sociolab.core.score import JudgeId, Verdict
from sociolab.core.tracebacks import describe_error
from sociolab.runner.guard import Bounds, LateError, QuitError
from sociolab.runner.judging import id_problem
from sociolab.runner.progress import Waits

MODELS = "models"
"""The parameter of a constructor that is given a client for chat models."""


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
        raise ConfigError(f'"{label}" cannot be made: {describe_error(error)}') from error


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
                f"{who} gave no score within {self.seconds:g} s; see --agent-timeout",
                cause="timeout",
            ) from error
        except QuitError as error:
            raise WorldError(f"{who} broke on the episode {episode.trial.id}: {error}") from error
        if isinstance(said, tuple | list) and not said:
            raise WorldError(
                f"{who} gave no score; expected one for each of its measures and seats "
                "(Unscored where it cannot tell)"
            )
        return said

    async def _said(self, episode: Episode, judging: int) -> tuple[Verdict, ...]:
        return await self.own.judge(episode, judging)


# ------------------------------------------------------------------ arguments of its constructor


def wants_models(made: Any) -> bool:
    """Whether a class has a constructor with a parameter for chat models."""
    return isinstance(made, type) and MODELS in _parameters(made)


def keyword_arguments(spec: PythonSpec, made: Any) -> dict[str, Any]:
    """What a class is made with, of the types that its constructor names; ConfigError where a name
    or a value does not fit.

    A parameter without a type takes a number, true or false for what it looks like, else text.
    """
    if not spec.arguments:
        return {}
    if not isinstance(made, type):
        raise ConfigError(f'"{spec.label}" names an object, not a class: it takes no arguments')
    known, hints = _parameters(made), _hints(made)
    rest = (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL)
    names = [name for name in known if name != MODELS and known[name].kind not in rest]
    open_ended = any(one.kind is Parameter.VAR_KEYWORD for one in known.values())
    given: dict[str, Any] = {}
    for name, text in spec.arguments:
        if name not in names and (name == MODELS or not open_ended):
            raise ConfigError(
                f'"{spec.label}": its constructor takes no "{name}"; '
                f"it takes {', '.join(names) or 'nothing'}"
            )
        given[name] = _typed(f'"{spec.label}": {name}', text, hints.get(name, Any))
    return given


def _parameters(made: type) -> dict[str, Parameter]:
    try:
        return dict(inspect.signature(made).parameters)
    except (TypeError, ValueError):  # a constructor without a signature
        return {}


def _hints(made: type) -> dict[str, Any]:
    make: Callable[..., Any] = made.__init__  # type: ignore[misc]  # that of this very class
    try:
        return get_type_hints(make)
    except (NameError, TypeError):  # names that only a type checker sees
        return {}


def _typed(where: str, text: str, wanted: Any) -> Any:
    if wanted is Any:
        return _as_it_looks(text)
    try:
        adapter = TypeAdapter(wanted)
    except PydanticUserError as error:
        raise ConfigError(f"{where}: no text can be made a {wanted}") from error
    try:
        return adapter.validate_strings(text)
    except ValidationError as error:
        try:
            return adapter.validate_json(text)
        except ValidationError:
            raise ConfigError(f"{where}: {first_problem(error)}") from error


def _as_it_looks(text: str) -> Any:
    try:
        value = json.loads(text)
    except ValueError:
        return _number(text)
    return value if isinstance(value, bool | int | float) else text


def _number(text: str) -> float | str:
    """Such as ".5", which is no JSON."""
    try:
        return float(text) if text[:1] in ".-+" and text[-1:].isdigit() else text
    except ValueError:
        return text
