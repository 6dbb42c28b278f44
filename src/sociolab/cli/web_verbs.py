"""The verb that serves the web app; what it does loads when it is called."""

from __future__ import annotations

from typing import Annotated

import typer

from sociolab.cli.options import OptPath, Store

verbs = typer.Typer()


@verbs.command()
def web(
    host: Annotated[
        str, typer.Option("--host", help="Where to listen; anywhere but here needs a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=1, max=65535)] = 8000,
    public_url: Annotated[
        str, typer.Option("--public-url", metavar="URL", help="How others reach it, by a proxy.")
    ] = "",
    token_file: Annotated[
        OptPath,
        typer.Option(
            "--admin-token-file", metavar="FILE", help="Else the variable SOCIOLAB_ADMIN_TOKEN."
        ),
    ] = None,
    store: Store = None,
) -> None:
    """Serve the web app: watch what was played, play, rate."""
    from sociolab.cli import web as verb

    verb.web(store, host=host, port=port, public_url=public_url, token_file=token_file)
