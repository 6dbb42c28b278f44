"""Whether a run may go on: it must be what it began as, the code of somebody's classes included."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sociolab.app.runs.provenance import BESIDE
from sociolab.core.code_mark import UNKNOWN, code_in, mark, same_code, without_code
from sociolab.core.episode import Json
from sociolab.core.errors import ConfigError
from sociolab.report.words import plural
from sociolab.store.store import RunRow

_ROLES = ("agents", "partner", "judges")


def check_same(run: RunRow, now: dict[str, Json]) -> None:
    """ConfigError unless a run is resumed with the settings, and the code, that it began with."""
    was: Mapping[str, Any] = run.settings if isinstance(run.settings, dict) else {}
    # The same data may lie elsewhere by now.
    compared = {*was, *now} - {"data_source"} - BESIDE
    changed = [
        key for key in sorted(compared) if _but_for_code(key, was) != _but_for_code(key, now)
    ]
    if changed == ["data"] and _named(was) == _named(now):
        raise ConfigError(
            f'the run "{run.name}" cannot go on: this version of sociolab has other prompts or '
            f"data than the one it began with ({was.get('data')}, now {now.get('data')}), so that "
            f"its plays would be of two kinds; {_how_far(run)}; give this run another --name, or "
            "play it to its end with that version"
        )
    if changed:
        told = "; ".join(f"{key} was {was.get(key)}, now {now.get(key)}" for key in changed)
        raise ConfigError(
            f'the run "{run.name}" began with other settings ({told}); give this run another '
            "--name, or the old settings to resume it"
        )
    problems = list(other_code(was, now))
    if problems:
        raise ConfigError(
            f'the run "{run.name}" cannot go on: {"; ".join(problems)}; {_how_far(run)}; give this '
            f"run another --name, or remove the old one by `sociolab delete {run.name}` "
            "(`sociolab list` shows all)"
        )


def _named(settings: Mapping[str, Any]) -> object:
    """Name and version of the data, but for the hash of what is in it."""
    data = settings.get("data")
    return data[:2] if isinstance(data, list) else data


def _how_far(run: RunRow) -> str:
    failed = f" and {run.failed:,} failed" if run.failed else ""
    return f"{run.played:,} of its {plural(run.trials, 'trial')} played{failed}"


def _but_for_code(key: str, settings: Mapping[str, Any]) -> object:
    if key not in _ROLES:
        return settings.get(key)
    return [(label, without_code(hash_)) for label, hash_ in _pairs(key, settings)]


def _pairs(key: str, settings: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Label and settings of those in a role."""
    found = settings.get(key)
    if key == "partner":
        found = [found] if found else []
    return [(str(one[0]), str(one[1])) for one in found or []]


def other_code(was: Mapping[str, Any], now: Mapping[str, Json]) -> Iterator[str]:
    """What is wrong with the code of each that plays or judges, by the settings of a run; nothing
    of what is the same."""
    said: set[tuple[str, str | None]] = set()
    for key in _ROLES:
        for label, old, new in _side_by_side(_pairs(key, was), _pairs(key, now)):
            before, after = code_in(label, old), code_in(label, new)
            who = f"the judge {label}" if key == "judges" else label
            if after is None or (who, before) in said:
                continue
            said.add((who, before))
            if before is None or UNKNOWN in (before, after):
                yield f"nobody can tell whether {who} runs the code that it began with"
            elif not same_code(before, after):
                yield (
                    f"the code of {who} is another one by now ({mark(before)} when it began, "
                    f"{mark(after)} now)"
                )


def _side_by_side(
    was: Sequence[tuple[str, str]], now: Sequence[tuple[str, str]]
) -> Iterator[tuple[str, str, str]]:
    """Each label that is in both, with its settings then and now: place by place, since several
    may share a label; by label where the lists are not of the same."""
    if [label for label, _ in was] == [label for label, _ in now]:
        for (label, old), (_, new) in zip(was, now, strict=True):
            yield label, old, new
        return
    then = dict(was)
    yield from ((label, then[label], new) for label, new in now if label in then)
