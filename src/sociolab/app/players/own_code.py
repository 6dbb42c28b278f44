"""Users' own classes as agents and judges: constructing them from their spec, and a fingerprint of
the code that they run, by its source and that of the modules it imports.

Imports are read from source text, never by importing, and followed within the folder that holds the
outermost package of the importing module (or the module itself, if it is in no package). Installed
packages do not count.
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
"""The parameter of a constructor that receives an `AgentModels`."""


_JUDGE = "async def judge(self, episode, judging=0)"


def instantiate(label: str, obj: Any, args: Mapping[str, Any] | None = None) -> Any:
    """An instance of a class, or the object itself if it is none; ConfigError where the class
    cannot be constructed with these arguments."""
    return construct(label, partial(obj, **(args or {}))) if isinstance(obj, type) else obj


def construct(label: str, make: Callable[[], Any]) -> Any:
    """Call `make`, whose errors become a ConfigError with the label."""
    try:
        return make()
    except Exception as error:  # a bug in a user's constructor
        inner = error.__traceback__ and error.__traceback__.tb_next
        if isinstance(error, TypeError) and inner is None:
            raise ConfigError(
                f'"{label}" cannot be made: expected a class that is made without arguments, found '
                f"that {error}; give them in the spec (?name=value) or defaults, or name an "
                "instance"
            ) from error
        raise ConfigError(f'"{label}" cannot be made: {describe_error(error)}') from error


def check_async(label: str, instance: object, name: str, arguments: str) -> None:
    """ConfigError where a method is a plain `def` or an async generator: neither can be awaited."""
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
    """A user's object as a judge; ConfigError where it is none.

    It fails on an episode for which it takes longer than so many seconds; `waits` records where it
    blocks. `code` becomes a part of its id.
    """
    own_id = getattr(instance, "id", None)
    if not callable(getattr(instance, "judge", None)) or own_id is None:
        raise ConfigError(
            f'"{label}" is no judge: expected a class with an "id" and "{_JUDGE}"; '
            "see docs/agents.md"
        )
    judge_id = replace(checked_id(label, own_id), code=code)
    check_async(label, instance, "judge", "self, episode, judging=0")
    try:
        inspect.signature(instance.judge).bind(None, 0)
    except TypeError as error:
        signature = inspect.signature(instance.judge)
        raise ConfigError(f'"{label}": expected "{_JUDGE}", found judge{signature}') from error
    except ValueError:  # without a signature, as a builtin: a call will show whether it fits
        pass
    return OwnJudge(label, judge_id, instance, seconds, waits)


def checked_id(label: str, judge_id: object) -> JudgeId:
    """The id of a judge; ConfigError where it cannot be stored."""
    if problem := id_problem(judge_id):
        raise ConfigError(f'"{label}": {problem}')
    assert isinstance(judge_id, JudgeId)
    return judge_id


@dataclass(frozen=True, slots=True)
class OwnJudge:
    """A user's judge with a time limit in seconds for each episode; its code is a part of `id`."""

    label: str
    id: JudgeId
    own: Judge
    seconds: float
    waits: Waits

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        """The judge's verdicts; its errors reach the caller.

        ModelError with the cause "timeout" where it is late, WorldError where it returns none,
        calls `sys.exit` or cancels itself.
        """
        who = f"the judge {self.id.label}"
        bounds = Bounds(who, self.seconds, self.waits)
        try:
            verdicts: tuple[Verdict, ...] = await bounds.result(self._call(episode, judging))
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

    async def _call(self, episode: Episode, judging: int) -> tuple[Verdict, ...]:
        # A coroutine whatever the user's `judge` returns, as `Bounds.result` needs it.
        return await self.own.judge(episode, judging)


# ------------------------------------------------------------------ arguments of a constructor


def takes_models(target: Any) -> bool:
    return isinstance(target, type) and MODELS in _parameters(target)


def keyword_arguments(spec: PythonSpec, target: Any) -> dict[str, Any]:
    """The arguments of a spec, converted to the types of the constructor's annotations; ConfigError
    where a name or a value does not fit.

    For a parameter without annotation, numbers, true and false are recognized; all else is text.
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
        values[name] = _parse_argument(f'"{spec.label}": {name}', text, hints.get(name, Any))
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
    except (NameError, TypeError):  # names imported under TYPE_CHECKING alone
        return {}


def _parse_argument(where: str, text: str, annotation: Any) -> Any:
    if annotation is Any:
        return _guess_value(text)
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


def _guess_value(text: str) -> Any:
    try:
        value = json.loads(text)
    except ValueError:
        if text[:1] not in ".-+" or not text[-1:].isdigit():
            return text
        try:
            return float(text)  # such as ".5", which is no JSON
        except ValueError:
            return text
    return value if isinstance(value, bool | int | float) else text


# ------------------------------------------------------------------ fingerprint of the code


_SHELL = "__main__"
"""The module of a script that was started, of a notebook and of Python's shell."""

_MADE_BY_PYTHON = ("__module__", "__dict__", "__weakref__", "__annotations__")

_code_by_class: WeakKeyDictionary[type, tuple[str, dict[str, str]]] = WeakKeyDictionary()
"""Cached, since a file that was edited later is not what the class was made of."""


def code_of(module: str, target: Any) -> str:
    """A fingerprint, as in `core.code_fingerprint`, of the source of a class, or `UNKNOWN`.

    It covers the modules of the class and of its bases (apart from those of Python and sociolab),
    and what `imported_code` finds from there; of a class in a script or notebook, the class alone.
    For an object it also covers the `module` that created it or, in a script or notebook, the
    object's attributes. Other files that a class reads are not covered.
    """
    kind = target if isinstance(target, type) else type(target)
    own, imports = _class_code(kind)
    parts = [own]
    if kind is not target and module == _SHELL:
        parts.append(_attributes_as_json(target))
    elif kind is not target:
        maker = sys.modules.get(module)
        parts.append(_module_source(maker))
        imports = imports if maker is None else {**imports, **_imported(maker)}
    if UNKNOWN in parts:
        return UNKNOWN
    if not imports:
        return digest(*parts)
    imported = (f"{name}:{code}" for name, code in sorted(imports.items()))
    return f"{digest(*parts)}+{digest(*imported)}"


def _class_code(kind: type) -> tuple[str, dict[str, str]]:
    """Fingerprints of a class with its bases and, by name, of the modules that it imports."""
    if kind not in _code_by_class:
        kinds = (kind, *(base for base in kind.__mro__[1:] if _is_user_class(base)))
        parts = [_class_source(cls) for cls in kinds]
        modules = {cls.__module__ for cls in kinds} - {_SHELL}
        roots = [sys.modules[name] for name in sorted(modules) if name in sys.modules]
        own = UNKNOWN if UNKNOWN in parts else digest(*parts)
        _code_by_class[kind] = own, _imported(*roots)
    return _code_by_class[kind]


def _imported(*roots: ModuleType) -> dict[str, str]:
    return {name: digest(text.hex()) for name, text in imported_code(roots).items()}


def _is_user_class(base: type) -> bool:
    package = base.__module__.partition(".")[0]
    return package != "sociolab" and package not in sys.stdlib_module_names


def _class_source(kind: type) -> str:
    if kind.__module__ != _SHELL:
        return _module_source(sys.modules.get(kind.__module__))
    try:
        return inspect.getsource(kind)
    except (OSError, TypeError):
        return _member_sources(kind)


def _member_sources(kind: type) -> str:
    """A digest of a notebook's class, which has no file: of the source of its methods, and of its
    other attributes as JSON; `UNKNOWN` where one cannot be written as such."""
    parts = []
    for name, member in vars(kind).items():
        if name in _MADE_BY_PYTHON:
            continue
        value = member.__func__ if isinstance(member, staticmethod | classmethod) else member
        try:
            is_code = isinstance(value, FunctionType)
            text = inspect.getsource(value) if is_code else json.dumps(value)
        except (OSError, TypeError, ValueError):
            return UNKNOWN
        parts += [name, text]
    return digest(*parts)


def _module_source(module: ModuleType | None) -> str:
    """The bytes of the source file in hex, or the text that the loader of an archive gives."""
    if module is None:
        return UNKNOWN
    try:
        file = inspect.getsourcefile(module)
        if file is not None and Path(file).is_file():
            return Path(file).read_bytes().hex()
        return inspect.getsource(module)
    except (OSError, TypeError):
        return UNKNOWN


def _attributes_as_json(instance: Any) -> str:
    try:
        return json.dumps(vars(instance), sort_keys=True)
    except (TypeError, ValueError):
        return UNKNOWN


# ------------------------------------------------------------------ imported modules

MOST = 256
"""Maximum number of modules that are read, breadth first."""

_INSTALLED = frozenset(("site-packages", "dist-packages"))


@dataclass(frozen=True, slots=True)
class _Module:
    """A user's module; imports are followed within `folder`."""

    name: str
    file: Path
    folder: Path

    @property
    def package(self) -> tuple[str, ...]:
        """The package to which its relative imports refer."""
        parts = tuple(self.name.split("."))
        return parts if self.file.name == "__init__.py" else parts[:-1]


def imported_code(roots: Sequence[ModuleType]) -> dict[str, bytes]:
    """By name, the source of the user's modules that these modules import, directly or not.

    The roots themselves are not included. Imports inside functions count; imports by a name that is
    computed at run time, and other files that are read, are not seen.
    """
    waiting = deque(filter(None, map(_root_module, roots)))
    seen = {module.name for module in waiting}
    texts: dict[str, bytes] = {}
    while waiting:
        for imported in _imported_modules(waiting.popleft()):
            if imported.name not in seen and len(texts) < MOST:
                seen.add(imported.name)
                texts[imported.name] = _read_bytes(imported.file)
                waiting.append(imported)
    return texts


def _root_module(module: ModuleType) -> _Module | None:
    """None for a module that has no source file, or is installed."""
    name, file = module.__name__, Path(getattr(module, "__file__", None) or "")
    if file.suffix != ".py" or not file.is_file():
        return None
    stem = (file.parent if file.name == "__init__.py" else file.with_suffix("")).absolute()
    parts = tuple(name.split("."))
    usual = stem.parts[-len(parts) :] == parts
    folder = stem.parents[len(parts) - 1] if usual else stem.parent
    return None if _INSTALLED & set(folder.parts) else _Module(name, file, folder)


def _imported_modules(module: _Module) -> Iterator[_Module]:
    """The user's modules that a module imports; none if its text is no Python."""
    try:
        tree = ast.parse(_read_bytes(module.file))
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        for names in _imported_names(node, module.package):
            candidates = (_find_user_module(name, module.folder) for name in names)
            if (imported := next(filter(None, candidates), None)) is not None:
                yield imported


def _imported_names(node: ast.AST, package: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """For each import of a statement, the modules that it may name: `from a import b` names the
    module a.b or else, if b is something inside it, the module a."""
    if isinstance(node, ast.Import):
        yield from ((alias.name,) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        above = package[: len(package) - node.level + 1] if node.level else ()
        base = ".".join((*above, *([node.module] if node.module else ())))
        yield from ((f"{base}.{alias.name}", base) for alias in node.names)


def _find_user_module(name: str, folder: Path) -> _Module | None:
    """A module by its name, loaded or not; None where it is not the user's, or does not exist."""
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


def _read_bytes(file: Path) -> bytes:
    """The contents of a file; nothing if it cannot be read."""
    try:
        return file.read_bytes()
    except OSError:
        return b""
