"""Which modules of one's own a module imports: read off its text, and never by importing it.

One's own are the modules in the folder in which the outermost package of the importing module lies
(a plain module: the folder in which it lies itself). Nothing that is installed is.
"""

from __future__ import annotations

import ast
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

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
    seen = {one.name for one in waiting}
    found: dict[str, bytes] = {}
    while waiting:
        for one in _imports(waiting.popleft()):
            if one.name not in seen and len(found) < MOST:
                seen.add(one.name)
                found[one.name] = _text(one.file)
                waiting.append(one)
    return found


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
            found = (_of_ones_own(name, module.folder) for name in names)
            if (one := next(filter(None, found), None)) is not None:
                yield one


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
    at = next((one for one in own if not _INSTALLED & set(one.relative_to(folder).parts)), None)
    return None if at is None else _Module(name, at, folder)


def _text(file: Path) -> bytes:
    """Nothing of a file that may not be read."""
    try:
        return file.read_bytes()
    except OSError:
        return b""
