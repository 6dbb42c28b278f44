"""A store with the days of a small town for tests of their replay: whole, cut short, and hostile.

The days are lived by rules, once for all tests that ask; what is cut short or hostile is made of
the events of whole days.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from declared_worlds import declared
from sociolab import RunConfig, run
from sociolab.core import Episode, Event, Happened
from sociolab.store import Store
from sociolab.town import TRACE

WHOLE, CUT, HOSTILE = "whole", "cut", "hostile"
HOURS = 20
"""Of the day that is cut short."""

BAD = (
    '<img src=x onerror="document.title=1"><script>document.title=1</script>',
    "</script><b>bold\u202eturned around\u2066",
    "null \x00, escape \x1b[31m, half a pair \ud83d",
    "a long word " + "x" * 5000,
)
"""What a model may write."""


@cache
def _lived() -> TemporaryDirectory[str]:
    """A folder with a store in which a task was lived for two days, with target-driven planning."""
    made = TemporaryDirectory(prefix="sociolab-town-")
    folder = Path(made.name)
    run(
        RunConfig(
            world="stss",
            agents=("scripted",),
            limit=1,
            seed=1,
            name=WHOLE,
            store=folder / "town.db",
            settings={"tdp": "true"},
        )
    )
    with Store.open(folder / "town.db") as store:
        episode = store.episode(WHOLE, store.trial_ids(WHOLE)[0])
        _put(store, CUT, episode, cut(episode))
        _put(store, HOSTILE, episode, hostile(episode))
    return made


def town_store(folder: Path) -> Path:
    """A copy of the store, to be served."""
    return Path(shutil.copy(Path(_lived().name) / "town.db", folder / "store.db"))


def first_trial(store: Path, run_name: str = WHOLE) -> str:
    """The id of the first episode of a run."""
    with Store.open(store) as found:
        return found.trial_ids(run_name)[0]


def cut(episode: Episode) -> tuple[Event, ...]:
    """What was on record after some hours."""
    events = list(episode.events)
    traced = [n for n, one in enumerate(events) if isinstance(one, Happened) and one.what == TRACE]
    return tuple(events[: traced[HOURS] + 1])


def hostile(episode: Episode) -> tuple[Event, ...]:
    """The same days with bad texts as thoughts, talk, plan, notes, reminders and actions."""
    performer, other = episode.trial.task.seats[0], episode.trial.task.seats[-1]

    def worse(rows: Sequence[Any]) -> list[Any]:
        step = rows[0][1] if rows else 0
        added: list[Any] = []
        for text in BAD:
            said = [[performer, BAD[0], text], [other, "B", text]]
            added += [
                ["m", step, performer, "thought", text, 9],
                ["m", step, performer, BAD[0], text, 0],
                ["t", step, step + 2, performer, other, said, "g"],
                ["p", step, performer, [[step, step + 60, text, text]], text],
                ["r", step, performer, "t", text],
                ["x", step, performer, text, text, text],
                ["d", step, performer, text, text, text, text, "a"],
            ]
        return [*added, *rows]

    return tuple(_changed(episode.events, worse))


def _changed(events: Sequence[Event], change: Callable[[Sequence[Any]], list[Any]]) -> list[Event]:
    """The events with the rows of the ninth hour changed."""
    found: list[Event] = []
    for event in events:
        value = event.value if isinstance(event, Happened) and event.what == TRACE else None
        if isinstance(value, list) and value[0] == "lived" and value[1] == 9 * 360:
            assert isinstance(value[2], list)
            assert isinstance(event, Happened)
            found.append(replace(event, value=[*value[:2], change(value[2])]))
        else:
            found.append(event)
    return found


def _put(store: Store, name: str, episode: Episode, events: Sequence[Event]) -> None:
    settings: Any = store.run(WHOLE).settings
    store.create_run(name, "stss", settings, [episode.trial], declared("stss", [episode.trial]))
    for event in events:
        store.append(name, episode.trial.id, event)
