"""`sociolab town`: draw a town's map, and replay its simulated days."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sociolab.cli.options import OptText, OptTexts, StoreFile, option
from sociolab.core.errors import ConfigError

if TYPE_CHECKING:
    from rich.console import Group

    from sociolab.town.trajectory import Moment, SimulatedDays

town = typer.Typer(
    help="Show a town: its map and its simulated days.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Run = Annotated[OptText, option("--run", "RUN", "The run, if several have the episode.")]
Episode = Annotated[
    str, typer.Argument(metavar="ID", help="The episode's id, or its first characters.")
]
Day = Annotated[int, option("--day", "N", "Day; the event is on the last one.", min=1)]
Start = Annotated[str, option("--from", "HH:MM", "Start time.")]
End = Annotated[str, option("--until", "HH:MM", "End time.")]


@town.command(epilog="Example: sociolab town picture --out town.png")
def picture(
    data: Annotated[
        OptText,
        option(
            "--data",
            "NAME|DIR|FILE",
            "A town, by name or folder, or a map (map.json, .tmx, .tmj); default: Alderbrook.",
        ),
    ] = None,
    out: Annotated[Path, option("--out", "FILE", "The picture to write.")] = Path("town.png"),
    scale: Annotated[int, option("--scale", "N", "Pixels per tile.", min=4, max=32)] = 12,
) -> None:
    """Draw the map as a PNG."""
    from sociolab.app.registry import town_of, worlds_that
    from sociolab.cli.output import say
    from sociolab.core.user_files import find_data_folder
    from sociolab.town.tiled import load_tiled
    from sociolab.town.trajectory import write_picture

    (world, *_) = worlds_that(lambda installed: installed.town is not None)
    if data is not None and data.endswith((".tmx", ".tmj")):
        town_map, remarks = load_tiled(Path(data))
        for remark in remarks:
            say(remark)
    else:
        place = None
        if data is not None:
            place = Path(data) if Path(data).is_file() else find_data_folder(world, data)
        town_map = town_of(world).map(place)
    write_picture(town_map, out, scale)
    say(
        f"wrote {out}: {town_map.name}, {len(town_map.sectors)} sectors, "
        f"{len(town_map.places)} arenas"
    )


@town.command(epilog="Example: sociolab town replay 3f2a91 --day 2 --from 17:00")
def replay(
    episode: Episode,
    day: Day = 1,
    start: Start = "06:00",
    end: End = "23:59",
    every: Annotated[int, option("--every", "MINUTES", "Minutes between moments.", min=1)] = 30,
    follow: Annotated[
        OptTexts, option("--follow", "WHO", "Only this resident. Repeatable.")
    ] = None,
    pause: Annotated[
        float, option("--pause", "SECONDS", "Seconds per moment, in a terminal.", min=0, max=60)
    ] = 0.5,
    run: Run = None,
    store: StoreFile = None,
) -> None:
    """Replay a day in the terminal: who is where, doing and saying what.

    In a terminal, a table that updates; elsewhere, a line for each change.
    """
    from sociolab.town.trajectory import Span, moments

    simulation = _load_simulation(episode, run, store)
    selected = moments(
        simulation, Span(day, start, end, every), [simulation.who(name) for name in follow or []]
    )
    if not sys.stdout.isatty():
        for line in _describe_changes(simulation, selected):
            typer.echo(line)
        return
    from rich.console import Console
    from rich.live import Live

    with Live(console=Console(), auto_refresh=False) as live:
        for moment in selected:
            live.update(_render_moment(simulation, moment), refresh=True)
            time.sleep(pause)


@town.command(epilog="Example: sociolab town strip 3f2a91 --out day.png --every 60")
def strip(
    episode: Episode,
    out: Annotated[Path, option("--out", "FILE", "A .png.")],
    day: Day = 1,
    start: Start = "07:00",
    end: End = "22:00",
    every: Annotated[int, option("--every", "MINUTES", "Minutes between moments.", min=1)] = 180,
    run: Run = None,
    store: StoreFile = None,
) -> None:
    """Draw moments of a day side by side as a PNG."""
    from sociolab.cli.output import say
    from sociolab.town.trajectory import Span, write_filmstrip

    simulation = _load_simulation(episode, run, store)
    write_filmstrip(simulation, Span(day, start, end, every), out)
    say(f"wrote {out}")


@town.command(epilog="Example: sociolab town page 3f2a91 --out town.html")
def page(
    episode: Episode,
    out: Annotated[Path, option("--out", "FILE", "The .html file to write.")] = Path("town.html"),
    url: Annotated[
        OptText, option("--url", "URL", "Where it will be published, for link previews.")
    ] = None,
    run: Run = None,
    store: StoreFile = None,
) -> None:
    """Write the replay as one HTML file that plays without a server.

    With --url, a picture for link previews is written beside it, to be published with it.
    """
    from sociolab.app.queries import find_episode
    from sociolab.app.registry import town_of
    from sociolab.cli.output import say_written
    from sociolab.store.store import open_store
    from sociolab.web.page_files import town_page, write_town_page
    from sociolab.web.town import scripted_note

    if url is not None and not url.startswith(("https://", "http://")):
        raise ConfigError(
            f'--url: expected an address such as https://example.org/town.html, found "{url}"'
        )
    with open_store(store) as opened:
        hit = find_episode(opened, episode, run)
        trial = hit.episode.trial
        replay = town_of(trial.world, f"the episode {trial.id}").replay(opened, hit.run, trial.id)
        content = town_page(replay, scripted_note(opened, hit.run, trial.id), url or "")
    say_written(write_town_page(out, content, beside=url is not None))


def _load_simulation(episode: str, run: str | None, store: Path | None) -> SimulatedDays:
    from sociolab.app.queries import find_episode
    from sociolab.app.registry import town_of
    from sociolab.store.store import open_store

    with open_store(store) as opened:
        record = find_episode(opened, episode, run).episode
        return town_of(record.trial.world, f"the episode {record.trial.id}").lived(record)


def _render_moment(simulation: SimulatedDays, moment: Moment) -> Group:
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    from sociolab.report.words import sanitize

    table = Table(title=moment.label, title_justify="left", expand=True)
    for heading in ("who", "where", "doing"):
        table.add_column(heading)
    for id, place in moment.places.items():
        table.add_row(*(Text(sanitize(t)) for t in (simulation.names[id], place, moment.doing[id])))
    return Group(table, *(Text(line) for line in _describe_talks(simulation, moment)))


def _describe_changes(simulation: SimulatedDays, selected: Iterator[Moment]) -> Iterator[str]:
    from sociolab.report.words import sanitize

    before: dict[str, tuple[str, str]] = {}
    for moment in selected:
        yield moment.label
        for id, place in moment.places.items():
            state = (place, moment.doing[id])
            if before.get(id) != state:
                yield sanitize(f"  {simulation.names[id]}: {state[1]} ({place})")
            before[id] = state
        yield from (f"  {line}" for line in _describe_talks(simulation, moment))


def _describe_talks(simulation: SimulatedDays, moment: Moment) -> Iterator[str]:
    from sociolab.report.words import sanitize

    clock = simulation.trajectory.clock
    for talk in moment.talks:
        who = f"{simulation.names[talk.who]} and {simulation.names[talk.other]}"
        yield sanitize(f"{clock.at(talk.step):%H:%M} {who} talk:")
        for line in talk.lines:
            yield sanitize(f"    {line.name}: {line.text}")
