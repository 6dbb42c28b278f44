"""Somebody's own classes as agents and judges: made from their spec, or told what is wrong; and
which code they run, as a digest of its source and of what it imports.

Imports are read off the text, never by importing, and followed within the folder in which the
outermost package of the importing module lies (a plain module: the folder in which it lies
itself). Nothing that is installed counts.
"""

from __future__ import annotations

import ast
import inspect
import json
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from inspect import Parameter
from pathlib import Path
from types import FunctionType, MethodType, ModuleType
from typing import Any, get_type_hints
from weakref import WeakKeyDictionary

from pydantic import PydanticUserError, TypeAdapter, ValidationError

from sociolab.app.players.models import PythonSpec
from sociolab.core.code_fingerprint import UNKNOWN
from sociolab.core.episode import Episode
from sociolab.core.errors import ConfigError, ModelError, WorldError
from sociolab.core.ports import Judge
from sociolab.core.reading import first_problem
from sociolab.core.score import JudgeId, Verdict
from sociolab.core.seeding import digest
from sociolab.core.tracebacks import describe_error
from sociolab.runner.guard import Bounds, LateError, QuitError
from sociolab.runner.judging import id_problem
from sociolab.runner.progress import Waits

MODELS = "models"
"""The parameter of a constructor that is given a client for chat models."""


_JUDGE = "async def judge(self, episode, judging=0)"


def built(label: str, obj: Any, args: Mapping[str, Any] | None = None) -> Any:
    """An instance of a class, made with what is given, or the object itself; ConfigError where the
    class cannot be made so."""
    return constructed(label, partial(obj, **(args or {}))) if isinstance(obj, type) else obj


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


def check_async(label: str, instance: object, name: str, arguments: str) -> None:
    """ConfigError where a method is a plain `def`, whose result nobody can await."""
    method = getattr(instance, name)
    function = method.__func__ if isinstance(method, MethodType) else method
    if inspect.isasyncgenfunction(function):
        raise ConfigError(
            f'"{label}": {name} is an async generator: expected "async def {name}({arguments})" '
            'that returns one value, found one with "yield"; write "return"'
        )
    if isinstance(function, FunctionType) and not inspect.iscoroutinefunction(function):
        raise ConfigError(
            f'"{label}": {name} is not async: expected "async def {name}({arguments})", found a '
            'plain "def"'
        )


def own_judge(label: str, instance: Any, code: str, seconds: float, waits: Waits) -> OwnJudge:
    """Somebody's judge, known by its id and its code; ConfigError if it is none.

    It is given up where it has not judged an episode within so many seconds; `waits` is told where
    it blocks.
    """
    known_as = getattr(instance, "id", None)
    if not callable(getattr(instance, "judge", None)) or known_as is None:
        raise ConfigError(
            f'"{label}" is no judge: expected a class with an "id" and "{_JUDGE}"; '
            "see docs/agents.md"
        )
    known_as = checked_id(label, known_as)
    check_async(label, instance, "judge", "self, episode, judging=0")
    try:
        inspect.signature(instance.judge).bind(None, 0)
    except TypeError as error:
        signature = inspect.signature(instance.judge)
        raise ConfigError(f'"{label}": expected "{_JUDGE}", found judge{signature}') from error
    except ValueError:  # one without a signature, such as a builtin's: it will show when called
        pass
    judge_id = replace(known_as, code=code)
    return OwnJudge(label, judge_id, instance, seconds, waits)


def checked_id(label: str, judge_id: object) -> JudgeId:
    """What a judge is known by; ConfigError where it cannot be written down or read again."""
    if problem := id_problem(judge_id):
        raise ConfigError(f'"{label}": {problem}')
    assert isinstance(judge_id, JudgeId)
    return judge_id


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
        who = f"the judge {self.id.label}"
        bounds = Bounds(who, self.seconds, self.waits)
        try:
            verdicts: tuple[Verdict, ...] = await bounds.result(self._ask(episode, judging))
        except LateError as error:
            raise ModelError(
                f"{who} gave no score within {self.seconds:g} s; see --agent-timeout",
                cause="timeout",
            ) from error
        except QuitError as error:
            raise WorldError(f"{who} broke on the episode {episode.trial.id}: {error}") from error
        if isinstance(verdicts, tuple | list) and not verdicts:
            raise WorldError(
                f"{who} gave no score; expected one for each of its measures and seats "
                "(Unscored where it cannot tell)"
            )
        return verdicts

    async def _ask(self, episode: Episode, judging: int) -> tuple[Verdict, ...]:
        return await self.own.judge(episode, judging)


# ------------------------------------------------------------------ arguments of its constructor


def wants_models(target: Any) -> bool:
    """Whether a class has a constructor with a parameter for chat models."""
    return isinstance(target, type) and MODELS in _parameters(target)


def keyword_arguments(spec: PythonSpec, target: Any) -> dict[str, Any]:
    """What a class is made with, of the types that its constructor names; ConfigError where a name
    or a value does not fit.

    A parameter without a type takes a number, true or false for what it looks like, else text.
    """
    if not spec.arguments:
        return {}
    if not isinstance(target, type):
        raise ConfigError(f'"{spec.label}" names an object, not a class: it takes no arguments')
    parameters, hints = _parameters(target), _hints(target)
    rest = (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL)
    names = [name for name in parameters if name != MODELS and parameters[name].kind not in rest]
    open_ended = any(parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters.values())
    values: dict[str, Any] = {}
    for name, text in spec.arguments:
        if name not in names and (name == MODELS or not open_ended):
            raise ConfigError(
                f'"{spec.label}": its constructor takes no "{name}"; '
                f"it takes {', '.join(names) or 'nothing'}"
            )
        values[name] = _typed(f'"{spec.label}": {name}', text, hints.get(name, Any))
    return values


def _parameters(cls: type) -> dict[str, Parameter]:
    try:
        return dict(inspect.signature(cls).parameters)
    except (TypeError, ValueError):  # a constructor without a signature
        return {}


def _hints(cls: type) -> dict[str, Any]:
    make: Callable[..., Any] = cls.__init__  # type: ignore[misc]  # that of this very class
    try:
        return get_type_hints(make)
    except (NameError, TypeError):  # names that only a type checker sees
        return {}


def _typed(where: str, text: str, annotation: Any) -> Any:
    if annotation is Any:
        return _as_it_looks(text)
    try:
        adapter = TypeAdapter(annotation)
    except PydanticUserError as error:
        raise ConfigError(f"{where}: no text can be made a {annotation}") from error
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


# ------------------------------------------------------------------ which code it runs


_SHELL = "__main__"
"""The module of a script that was started, of a notebook and of Python's shell."""

_MADE_BY_PYTHON = ("__module__", "__dict__", "__weakref__", "__annotations__")

_read: WeakKeyDictionary[type, tuple[str, dict[str, str]]] = WeakKeyDictionary()
"""By class: a file that is edited afterwards is not what the class was made of."""


def code_of(module: str, target: Any) -> str:
    """A mark, as in `core.code_fingerprint`, that changes with the source of a class, or `UNKNOWN`.

    Counted are the source files of the modules of the class and of its bases (those of Python
    and of this package apart), and what `imported_code` finds from there. Of a class in a script or
    notebook it is the class alone. Of an object also the file of `module`, where it is made; in a
    script or notebook what it holds. What else a class reads is not counted.
    """
    kind = target if isinstance(target, type) else type(target)
    own, imports = _code_of_class(kind)
    parts = [own]
    if kind is not target and module == _SHELL:
        parts.append(_held(target))
    elif kind is not target:
        maker = sys.modules.get(module)
        parts.append(_of_module(maker))
        imports = imports if maker is None else {**imports, **_imported(maker)}
    if UNKNOWN in parts:
        return UNKNOWN
    if not imports:
        return digest(*parts)
    named = (f"{name}:{code}" for name, code in sorted(imports.items()))
    return f"{digest(*parts)}+{digest(*named)}"


def _code_of_class(kind: type) -> tuple[str, dict[str, str]]:
    """The code of a class itself, and by name that of what it imports."""
    if kind not in _read:
        kinds = (kind, *(base for base in kind.__mro__[1:] if _is_somebodys(base)))
        parts = [_of_class(cls) for cls in kinds]
        modules = {cls.__module__ for cls in kinds} - {_SHELL}
        roots = [sys.modules[name] for name in sorted(modules) if name in sys.modules]
        own = UNKNOWN if UNKNOWN in parts else digest(*parts)
        _read[kind] = own, _imported(*roots)
    return _read[kind]


def _imported(*roots: ModuleType) -> dict[str, str]:
    return {name: digest(text.hex()) for name, text in imported_code(roots).items()}


def _is_somebodys(base: type) -> bool:
    package = base.__module__.partition(".")[0]
    return package != "sociolab" and package not in sys.stdlib_module_names


def _of_class(kind: type) -> str:
    if kind.__module__ != _SHELL:
        return _of_module(sys.modules.get(kind.__module__))
    try:
        return inspect.getsource(kind)
    except (OSError, TypeError):
        return _of_parts(kind)


def _of_parts(kind: type) -> str:
    """A notebook's class has no file, but its methods have a source; what else it holds must be
    plain."""
    parts = []
    for name, held in vars(kind).items():
        if name in _MADE_BY_PYTHON:
            continue
        value = held.__func__ if isinstance(held, staticmethod | classmethod) else held
        try:
            is_code = isinstance(value, FunctionType)
            text = inspect.getsource(value) if is_code else json.dumps(value)
        except (OSError, TypeError, ValueError):
            return UNKNOWN
        parts += [name, text]
    return digest(*parts)


def _of_module(module: ModuleType | None) -> str:
    """Its source; that of a module in an archive comes from its loader."""
    if module is None:
        return UNKNOWN
    try:
        file = inspect.getsourcefile(module)
        if file is not None and Path(file).is_file():
            return Path(file).read_bytes().hex()
        return inspect.getsource(module)
    except (OSError, TypeError):
        return UNKNOWN


def _held(instance: Any) -> str:
    """What an object was given, as far as that is plain."""
    try:
        return json.dumps(vars(instance), sort_keys=True)
    except (TypeError, ValueError):
        return UNKNOWN


# ------------------------------------------------------------------ what it imports

MOST = 256
"""Modules that are read; those that are fewer imports away come first."""

_INSTALLED = frozenset(("site-packages", "dist-packages"))


@dataclass(frozen=True, slots=True)
class _Module:
    """A module, as a file: `folder` is the one in which one's own modules lie."""

    name: str
    file: Path
    folder: Path

    @property
    def package(self) -> tuple[str, ...]:
        """The package that its relative imports begin at."""
        parts = tuple(self.name.split("."))
        return parts if self.file.name == "__init__.py" else parts[:-1]


def imported_code(roots: Sequence[ModuleType]) -> dict[str, bytes]:
    """By name, the text of all modules of one's own that these import, or that those import.

    Imports inside functions count; what is imported by a name that is made up at run time, and
    other files that are read, cannot be seen. The roots are not among them.
    """
    waiting = deque(filter(None, map(_root, roots)))
    seen = {module.name for module in waiting}
    texts: dict[str, bytes] = {}
    while waiting:
        for imported in _imports(waiting.popleft()):
            if imported.name not in seen and len(texts) < MOST:
                seen.add(imported.name)
                texts[imported.name] = _text(imported.file)
                waiting.append(imported)
    return texts


def _root(module: ModuleType) -> _Module | None:
    """None for a module that is no file, or is installed."""
    name, file = module.__name__, Path(getattr(module, "__file__", None) or "")
    if file.suffix != ".py" or not file.is_file():
        return None
    stem = (file.parent if file.name == "__init__.py" else file.with_suffix("")).absolute()
    parts = tuple(name.split("."))
    usual = stem.parts[-len(parts) :] == parts
    folder = stem.parents[len(parts) - 1] if usual else stem.parent
    return None if _INSTALLED & set(folder.parts) else _Module(name, file, folder)


def _imports(module: _Module) -> Iterator[_Module]:
    """What a module imports of one's own; nothing of a text that is no Python."""
    try:
        tree = ast.parse(_text(module.file))
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        for names in _names(node, module.package):
            candidates = (_of_ones_own(name, module.folder) for name in names)
            if (imported := next(filter(None, candidates), None)) is not None:
                yield imported


def _names(node: ast.AST, package: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """What a statement imports, each by the names that it may have: of `from a import b` it is the
    module a.b, or else something inside a."""
    if isinstance(node, ast.Import):
        yield from ((alias.name,) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        above = package[: len(package) - node.level + 1] if node.level else ()
        base = ".".join((*above, *([node.module] if node.module else ())))
        yield from ((f"{base}.{alias.name}", base) for alias in node.names)


def _of_ones_own(name: str, folder: Path) -> _Module | None:
    """A module by its name, loaded or not; None where it is not one's own, or not there."""
    parts = name.split(".")
    if parts[0] == "sociolab" or not all(parts):
        return None
    if (loaded := sys.modules.get(name)) is not None:
        places = [Path(file).absolute()] if (file := getattr(loaded, "__file__", None)) else []
    elif parts[0] in sys.stdlib_module_names:
        return None
    else:
        stem = folder.joinpath(*parts)
        places = [stem / "__init__.py", stem.with_name(f"{stem.name}.py")]
    own = (place for place in places if place.is_relative_to(folder) and place.is_file())
    at = next(
        (
            candidate
            for candidate in own
            if not _INSTALLED & set(candidate.relative_to(folder).parts)
        ),
        None,
    )
    return None if at is None else _Module(name, at, folder)


def _text(file: Path) -> bytes:
    """Nothing of a file that may not be read."""
    try:
        return file.read_bytes()
    except OSError:
        return b""
