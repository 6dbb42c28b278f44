"""Runs of a store taken together, if they may be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sociolab.analysis.values import RunValues, values_of
from sociolab.core.episode import Json
from sociolab.core.errors import ConfigError
from sociolab.store.store import Store


def run_values(store: Store, runs: Sequence[str]) -> tuple[RunValues, ...]:
    """The values of each run; ConfigError for one named twice, or different data sets.

    Runs whose data are not known (imported ones) pass: their tasks carry their own ids.
    """
    names = each_once(runs)
    found = {name: data_of(store.run(name).settings) for name in names}
    known = {name: data for name, data in found.items() if data is not None}
    if len({data[2] for data in known.values()}) > 1:
        told = ", ".join(f"{run} {data[0]} {data[1]} ({data[2]})" for run, data in known.items())
        raise ConfigError(
            f"expected runs that played the same data, found {told}; tasks of one id may differ"
        )
    return tuple(values_of(store, name) for name in names)


def each_once(runs: Sequence[str]) -> tuple[str, ...]:
    """The runs as they are named; ConfigError for one that is named twice."""
    twice = [run for run, count in Counter(runs).items() if count > 1]
    if twice:
        raise ConfigError(
            f"expected each run once, found {' and '.join(twice)} more than once; a run counts "
            "once, name it once"
        )
    return tuple(runs)


def data_of(settings: Json) -> tuple[str, str, str] | None:
    """Name, version and hash of the data set that a run played; None where it is not known."""
    data = settings.get("data") if isinstance(settings, dict) else None
    if isinstance(data, list) and len(data) == 3:
        return str(data[0]), str(data[1]), str(data[2])
    return None


def agent_settings(store: Store, runs: Sequence[str]) -> dict[str, dict[str, str]]:
    """By run and agent, the hash of the settings that it played with, as far as known."""
    return {name: recorded_agents(store.run(name).settings) for name in dict.fromkeys(runs)}


def recorded_agents(settings: Json) -> dict[str, str]:
    """The hash of each agent's and the partner's settings by label; empty for imported runs."""
    if not isinstance(settings, dict):
        return {}
    agents = settings.get("agents")
    named = [*(agents if isinstance(agents, list) else []), settings.get("partner")]
    pairs = [one for one in named if isinstance(one, list) and len(one) == 2]
    return {str(label): str(hash_) for label, hash_ in reversed(pairs)}
