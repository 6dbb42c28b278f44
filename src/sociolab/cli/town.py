"""`sociolab town`: pictures and replays of a town."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import typer
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from sociolab.app.queries import find_episode, open_store
from sociolab.app.towns.town import (
    Lived,
    Moment,
    Span,
    lived,
    map_of,
    moments,
    write_picture,
    write_strip,
)
from sociolab.cli.output import say
from sociolab.report.words import sanitize


def picture(data: str | None, out: Path, scale: int) -> None:
    """Draw the map of a town."""
    town = map_of(data)
    write_picture(town, out, scale)
    say(f"wrote {out}: {town.name}, {len(town.sectors)} sectors, {len(town.places)} arenas")


def strip(episode: str, span: Span, out: Path, run: str | None, store: Path | None) -> None:
    """Draw moments of a day."""
    write_strip(_lived(episode, run, store), span, out)
    say(f"wrote {out}")


def replay(
    episode: str,
    span: Span,
    follow: Sequence[str],
    pause: float,
    run: str | None,
    store: Path | None,
) -> None:
    """Play a day again: a table that changes in a terminal, elsewhere lines of what changes."""
    found = _lived(episode, run, store)
    shown = moments(found, span, [found.who(one) for one in follow])
    if sys.stdout.isatty():
        with Live(console=Console(), auto_refresh=False) as live:
            for moment in shown:
                live.update(_page(found, moment), refresh=True)
                time.sleep(pause)
        return
    for line in _changes(found, shown):
        typer.echo(line)


def _lived(episode: str, run: str | None, store: Path | None) -> Lived:
    with open_store(store) as opened:
        return lived(find_episode(opened, episode, run).episode)


def _page(found: Lived, moment: Moment) -> Group:
    table = Table(title=moment.label, title_justify="left", expand=True)
    for heading in ("who", "where", "doing"):
        table.add_column(heading)
    for id, place in moment.places.items():
        table.add_row(*(Text(sanitize(t)) for t in (found.names[id], place, moment.doing[id])))
    return Group(table, *(Text(line) for line in _talks(found, moment)))


def _changes(found: Lived, shown: Iterator[Moment]) -> Iterator[str]:
    before: dict[str, tuple[str, str]] = {}
    for moment in shown:
        yield moment.label
        for id, place in moment.places.items():
            now = (place, moment.doing[id])
            if before.get(id) != now:
                yield sanitize(f"  {found.names[id]}: {now[1]} ({place})")
            before[id] = now
        yield from (f"  {line}" for line in _talks(found, moment))


def _talks(found: Lived, moment: Moment) -> Iterator[str]:
    clock = found.trajectory.clock
    for talk in moment.talks:
        who = f"{found.names[talk.who]} and {found.names[talk.other]}"
        yield sanitize(f"{clock.at(talk.step):%H:%M} {who} talk:")
        for line in talk.lines:
            yield sanitize(f"    {line.name}: {line.text}")
