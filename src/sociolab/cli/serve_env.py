"""`sociolab serve-env`: serve a world to trainers, as an environment of OpenEnv."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from sociolab.app.run.config import ArenaConfig
from sociolab.cli.options import OptText, TaskFilter, argument, option, takes
from sociolab.cli.output import say
from sociolab.core.errors import ConfigError
from sociolab.plugin.options import FIRST_WORLD, checked

verbs = typer.Typer()


@verbs.command(
    "serve-env",
    epilog="Example: sociolab serve-env sotopia --tasks bargain --partner haggler:3",
)
@takes(ArenaConfig)
def serve_env(
    world: Annotated[str, argument("WORLD", "The world to serve.")] = FIRST_WORLD,
    host: Annotated[str, option("--host", "HOST", "The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, option("--port", "N", "0: any free one.", min=0, max=65535)] = 8000,
    sessions: Annotated[int, option("--sessions", "N", "Clients at once.", min=1)] = 64,
    seat: Annotated[
        str, option("--seat", "SEAT", "The seat that clients play: its id, 1, 2... or all.")
    ] = "1",
    partner: Annotated[
        str, option("--partner", "SPEC", "Who plays the other seats, such as haggler:3.")
    ] = "scripted",
    judge: Annotated[
        OptText, option("--judge", "SPEC", "Whose scores are the reward, or none.")
    ] = None,
    reader: Annotated[
        OptText, option("--reader", "SPEC", "A model that reads what was agreed.")
    ] = None,
    metric: Annotated[OptText, option("--metric", "NAME", "The metric used as the reward.")] = None,
    tasks: TaskFilter = None,
    split: Annotated[
        OptText, option("--split", "scenario:SHARE", "Hold out scenarios for the test split.")
    ] = None,
    seed: Annotated[int, option("--seed", "N", "Random seed.")] = 0,
    *,
    options: dict[str, Any],
) -> None:
    """Serve a world to trainers, as an OpenEnv environment.

    Clients play episodes over WebSockets, with tasks in train and test splits.
    """
    from sociolab.training.arena import Arena
    from sociolab.training.examples import parse_share
    from sociolab.web.server import open_listener

    if split is not None:
        parse_share(split)  # whose refusal names the option
    seats = int(seat) - 1 if seat.isascii() and seat.isdecimal() else seat
    with Arena(
        world,
        partner=partner,
        judge=judge,
        reader=reader,
        metric=metric,
        tasks=tasks,
        split_by=split,
        seed=seed,
        config=checked(ArenaConfig, options),
    ) as arena:
        try:
            arena.require_seats(seats)
        except ConfigError as error:
            raise ConfigError(
                f'--seat: expected a seat of every task: its id, 1, 2... or all, found "{seat}"'
            ) from error
        with open_listener(host, port) as listener:
            from sociolab.training.openenv import create_app, serve  # takes seconds to import

            app = create_app(arena, seats=seats, sessions=sessions)
            bound = listener.getsockname()[1]
            address = f"[{host}]" if ":" in host else host
            serve(
                app, listener, lambda: say(f"http://{address}:{bound} serves {world}; Ctrl-C ends")
            )
