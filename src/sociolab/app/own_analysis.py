"""An analysis of one's own: a function of a store and the names of runs that returns sections."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import isbuiltin, isfunction

from sociolab.app.registry import python_object
from sociolab.core.errors import ConfigError, SociolabError
from sociolab.core.tracebacks import describe_error
from sociolab.report.section import Section
from sociolab.store.store import Store


def run_own_analysis(spec: str, store: Store, runs: Sequence[str]) -> tuple[Section, ...]:
    """What the function at python:package.module:function concludes of these runs.

    It is called with the open store and the names. ConfigError where there is no such function,
    where it breaks, and where it returns something else than sections.
    """
    path = spec.removeprefix("python:")
    if path == spec or ":" not in path:
        raise ConfigError(f'expected python:package.module:function, found "{spec}"')
    function = python_object(path)
    if not isfunction(function) and not isbuiltin(function):
        raise ConfigError(f"{spec}: expected a function, found {type(function).__name__}")
    for run in runs:
        store.run(run)
    try:
        concluded = function(store, runs)
    except SociolabError:
        raise
    except Exception as error:
        raise ConfigError(f"{spec} broke: {describe_error(error)}") from error
    sections = (concluded,) if isinstance(concluded, Section) else concluded
    if not isinstance(sections, (tuple, list)) or not all(
        isinstance(section, Section) for section in sections
    ):
        raise ConfigError(
            f"{spec}: expected a sociolab.Section or a list of them, found "
            f"{type(concluded).__name__}"
        )
    return tuple(sections)
