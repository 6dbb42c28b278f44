"""Run a user's own analysis: a function that takes a store and names of runs, returns sections."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import isbuiltin, isfunction

from sociolab.app.registry import python_object
from sociolab.core.errors import ConfigError, SociolabError
from sociolab.core.tracebacks import describe_error
from sociolab.report.section import Section
from sociolab.store.checking import verify_runs
from sociolab.store.store import Store


def run_own_analysis(spec: str, store: Store, runs: Sequence[str]) -> tuple[Section, ...]:
    """Call the function at `python:package.module:function` with the open store and the runs.

    ConfigError where there is no such function, where it breaks, and where it returns anything but
    sections; StoreError for a run that is not in the store.
    """
    path = spec.removeprefix("python:")
    if path == spec or ":" not in path:
        raise ConfigError(f'expected python:package.module:function, found "{spec}"')
    function = python_object(path)
    if not isfunction(function) and not isbuiltin(function):
        raise ConfigError(f"{spec}: expected a function, found {type(function).__name__}")
    verify_runs(store, *runs)
    try:
        returned = function(store, runs)
    except SociolabError:
        raise
    except Exception as error:
        raise ConfigError(f"{spec} broke: {describe_error(error)}") from error
    sections = (returned,) if isinstance(returned, Section) else returned
    if not isinstance(sections, (tuple, list)) or not all(
        isinstance(section, Section) for section in sections
    ):
        raise ConfigError(
            f"{spec}: expected a sociolab.Section or a list of them, found "
            f"{type(returned).__name__}"
        )
    return tuple(sections)
