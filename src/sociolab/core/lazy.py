"""Names that are loaded when they are first used, so that importing a package stays cheap."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any


def load_public_names(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """A package's `__getattr__` and `__dir__` (PEP 562): its public names, imported at first use.

    They are the names that the package's `__init__.py` imports under `if TYPE_CHECKING:`, where
    type checkers read them; call this in the `else`, or a checker takes any name for one of them.
    `__all__` lists them.
    """

    def load(name: str) -> Any:
        homes = _public_homes(package)
        if name == "__all__":
            return sorted(homes)
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(homes[name]), name)

    def offered() -> list[str]:
        own = [name for name in vars(sys.modules[package]) if name not in _HELPERS]
        return sorted({*own, *_public_homes(package)})

    return load, offered


_HELPERS = {"TYPE_CHECKING", "load_public_names"}
"""What every such `__init__.py` imports for itself."""


@cache
def _public_homes(package: str) -> dict[str, str]:
    """By public name the module that defines it, read off the package's own source."""
    import ast

    source = Path(sys.modules[package].__file__ or "").read_text("utf-8")
    return {
        imported.name: statement.module or ""
        for block in ast.parse(source).body
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for statement in block.body
        if isinstance(statement, ast.ImportFrom)
        for imported in statement.names
    }


def import_on_call(path: str) -> Callable[..., Any]:
    """The function, or class, at "package.module:name", imported when it is first called.

    >>> import_on_call("math:sqrt")(9)
    3.0
    """
    module, _, name = path.partition(":")

    def call(*args: Any) -> Any:
        return getattr(import_module(module), name)(*args)

    return call
