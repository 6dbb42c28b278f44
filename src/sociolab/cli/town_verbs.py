"""`sociolab town`: what its verbs do is imported only when they are called."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sociolab.cli.options import Html, OptText, OptTexts, Store

town = typer.Typer(
    help="Look at a town: its map, and days that were lived there.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Run = Annotated[
    OptText,
    typer.Option("--run", help="The run, if several have the episode."),
]
Episode = Annotated[str, typer.Argument(help="The episode's id, or the beginning of it.")]
Day = Annotated[int, typer.Option("--day", min=1, help="Which day; the event is on the last.")]
Start = Annotated[str, typer.Option("--from", metavar="HH:MM")]
End = Annotated[str, typer.Option("--until", metavar="HH:MM")]


@town.command()
def picture(
    data: Annotated[
        OptText,
        typer.Option("--data", metavar="NAME|DIR", help="An imported town; default: Alderbrook."),
    ] = None,
    out: Annotated[Path, typer.Option("--out", metavar="FILE")] = Path("town.png"),
    scale: Annotated[int, typer.Option("--scale", min=4, max=32, help="Pixels a tile.")] = 12,
) -> None:
    """Draw the map as a PNG."""
    from sociolab.cli import town as verb

    verb.picture(data, out, scale)


@town.command()
def replay(
    episode: Episode,
    day: Day = 1,
    start: Start = "06:00",
    end: End = "23:59",
    every: Annotated[int, typer.Option("--every", min=1, help="Minutes between moments.")] = 30,
    follow: Annotated[
        OptTexts,
        typer.Option("--follow", metavar="WHO", help="Only this resident. Repeat it."),
    ] = None,
    pause: Annotated[
        float, typer.Option("--pause", min=0, max=60, help="Seconds a moment, in a terminal.")
    ] = 0.5,
    run: Run = None,
    store: Store = None,
) -> None:
    """Play a day again in the terminal: who is where, does what, and says what."""
    from sociolab.app.towns.town import Span
    from sociolab.cli import town as verb

    verb.replay(episode, Span(day, start, end, every), follow or [], pause, run, store)


@town.command()
def strip(
    episode: Episode,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="A .png or a .gif.")],
    day: Day = 1,
    start: Start = "07:00",
    end: End = "22:00",
    every: Annotated[int, typer.Option("--every", min=1, help="Minutes between moments.")] = 180,
    run: Run = None,
    store: Store = None,
) -> None:
    """Draw moments of a day: side by side as PNG, one after the other as GIF."""
    from sociolab.app.towns.town import Span
    from sociolab.cli import town as verb

    verb.strip(episode, Span(day, start, end, every), out, run, store)


@town.command("levels")
def levels_(
    talk: Annotated[str, typer.Option("--talk", metavar="RUN", help="A run of stss-talk.")],
    action: Annotated[str, typer.Option("--action", metavar="RUN", help="A run of stss.")],
    html: Html = None,
    store: Store = None,
    json: Annotated[bool, typer.Option("--json", help="As a JSON object.")] = False,
) -> None:
    """An agent's talks beside what came of its tasks in the town, and where these were lost."""
    from sociolab.cli import levels as verb

    verb.show_levels(talk, action, html=html, store=store, as_json=json)
