"""`sociolab town`: what its verbs do is imported only when they are called."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sociolab.cli.options import Html, Json, OptText, OptTexts, Store, option

town = typer.Typer(
    help="Look at a town: its map, and days that were lived there.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Run = Annotated[OptText, option("--run", "RUN", "The run, if several have the episode.")]
Episode = Annotated[
    str, typer.Argument(metavar="ID", help="The episode's id, or the beginning of it.")
]
Day = Annotated[int, option("--day", "N", "Which day; the event is on the last.", min=1)]
Start = Annotated[str, option("--from", "HH:MM", "From what time of the day.")]
End = Annotated[str, option("--until", "HH:MM", "Until what time.")]


@town.command(epilog="Example: sociolab town picture --out town.png")
def picture(
    data: Annotated[
        OptText, option("--data", "NAME|DIR", "An imported town; default: Alderbrook.")
    ] = None,
    out: Annotated[Path, option("--out", "FILE", "The picture to write.")] = Path("town.png"),
    scale: Annotated[int, option("--scale", "N", "Pixels a tile.", min=4, max=32)] = 12,
) -> None:
    """Draw the map as a PNG."""
    from sociolab.cli import town as verb

    verb.picture(data, out, scale)


@town.command(epilog="Example: sociolab town replay 3f2a91 --day 2 --from 17:00")
def replay(
    episode: Episode,
    day: Day = 1,
    start: Start = "06:00",
    end: End = "23:59",
    every: Annotated[int, option("--every", "MINUTES", "Minutes between moments.", min=1)] = 30,
    follow: Annotated[OptTexts, option("--follow", "WHO", "Only this resident. Repeat it.")] = None,
    pause: Annotated[
        float, option("--pause", "SECONDS", "Seconds a moment, in a terminal.", min=0, max=60)
    ] = 0.5,
    run: Run = None,
    store: Store = None,
) -> None:
    """Play a day again in the terminal: who is where, does and says what."""
    from sociolab.app.towns.town import Span
    from sociolab.cli import town as verb

    verb.replay(episode, Span(day, start, end, every), follow or [], pause, run, store)


@town.command(epilog="Example: sociolab town strip 3f2a91 --out day.gif --every 60")
def strip(
    episode: Episode,
    out: Annotated[Path, option("--out", "FILE", "A .png or a .gif.")],
    day: Day = 1,
    start: Start = "07:00",
    end: End = "22:00",
    every: Annotated[int, option("--every", "MINUTES", "Minutes between moments.", min=1)] = 180,
    run: Run = None,
    store: Store = None,
) -> None:
    """Draw moments of a day as a PNG or GIF.

    Side by side as PNG, one after the other as GIF.
    """
    from sociolab.app.towns.town import Span
    from sociolab.cli import town as verb

    verb.strip(episode, Span(day, start, end, every), out, run, store)


@town.command("levels", epilog="Example: sociolab town levels --talk talks --action town")
def levels_(
    talk: Annotated[str, option("--talk", "RUN", "A run of stss-talk.")],
    action: Annotated[str, option("--action", "RUN", "A run of stss.")],
    html: Html = None,
    store: Store = None,
    json: Json = False,
) -> None:
    """Print an agent's talks beside what came of its tasks in the town.

    Says, too, where these were lost.
    """
    from sociolab.cli import levels as verb

    verb.show_levels(talk, action, html=html, store=store, as_json=json)
