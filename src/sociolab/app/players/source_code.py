"""Which code somebody's class runs: a digest of the source that it was made of."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any
from weakref import WeakKeyDictionary

from sociolab.app.players.imported_code import imported_code
from sociolab.core.code_mark import UNKNOWN
from sociolab.core.seeding import digest

_SHELL = "__main__"
"""The module of a script that was started, of a notebook and of Python's shell."""

_MADE_BY_PYTHON = ("__module__", "__dict__", "__weakref__", "__annotations__")

_read: WeakKeyDictionary[type, tuple[str, dict[str, str]]] = WeakKeyDictionary()
"""By class: a file that is edited afterwards is not what the class was made of."""


def code_of(module: str, made: Any) -> str:
    """A code, as `core.code_mark` has it, that changes with the source of a class, or `UNKNOWN`.

    Counted are the source files of the modules of the class and of its bases (those of Python
    and of this package apart), and what `imported_code` finds from there. Of a class in a script or
    notebook it is the class alone. Of an object also the file of `module`, where it is made; in a
    script or notebook what it holds. What else a class reads is not counted.
    """
    kind = made if isinstance(made, type) else type(made)
    own, imports = _code_of_class(kind)
    parts = [own]
    if kind is not made and module == _SHELL:
        parts.append(_held(made))
    elif kind is not made:
        maker = sys.modules.get(module)
        parts.append(_of_module(maker))
        imports = imports if maker is None else {**imports, **_imported(maker)}
    if UNKNOWN in parts:
        return UNKNOWN
    return "+".join((digest(*parts), *([_of_imports(imports)] if imports else [])))


def _code_of_class(kind: type) -> tuple[str, dict[str, str]]:
    """The code of a class itself, and by name that of what it imports."""
    if kind not in _read:
        kinds = (kind, *(base for base in kind.__mro__[1:] if _is_somebodys(base)))
        parts = [_of_class(one) for one in kinds]
        modules = {one.__module__ for one in kinds} - {_SHELL}
        roots = [sys.modules[name] for name in sorted(modules) if name in sys.modules]
        own = UNKNOWN if UNKNOWN in parts else digest(*parts)
        _read[kind] = own, _imported(*roots)
    return _read[kind]


def _imported(*roots: ModuleType) -> dict[str, str]:
    return {name: digest(text.hex()) for name, text in imported_code(roots).items()}


def _of_imports(imports: Mapping[str, str]) -> str:
    return digest(*(f"{name}:{code}" for name, code in sorted(imports.items())))


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
            told = inspect.getsource(value) if is_code else json.dumps(value)
        except (OSError, TypeError, ValueError):
            return UNKNOWN
        parts += [name, told]
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


def _held(made: Any) -> str:
    """What an object was given, as far as that is plain."""
    try:
        return json.dumps(vars(made), sort_keys=True)
    except (TypeError, ValueError):
        return UNKNOWN
