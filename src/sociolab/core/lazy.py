"""Lazy imports, so that importing a package stays cheap."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_getattr(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """A module-level `__getattr__` (PEP 562); `homes` maps each public name to its module."""

    def getattr_(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(homes[name]), name)

    return getattr_


def import_on_call(path: str) -> Callable[..., Any]:
    """The function or class at "package.module:name", imported on its first call.

    >>> import_on_call("math:sqrt")(9)
    3.0
    """
    module, _, name = path.partition(":")

    def call(*args: Any) -> Any:
        return getattr(import_module(module), name)(*args)

    return call
