"""Names that are loaded when they are first used, so that importing a package stays cheap."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def loaded_when_used(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """A module's `__getattr__` (PEP 562): `homes` says in which module each public name stands."""

    def getattr_(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(homes[name]), name)

    return getattr_


def later(path: str) -> Callable[..., Any]:
    """The function, or class, at "package.module:name", imported when it is first called.

    >>> later("math:sqrt")(9)
    3.0
    """
    module, _, name = path.partition(":")

    def call(*args: Any) -> Any:
        return getattr(import_module(module), name)(*args)

    return call
