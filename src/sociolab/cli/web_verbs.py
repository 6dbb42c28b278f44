"""The verb that serves the web app; what it does loads when it is called."""

from __future__ import annotations

from typing import Annotated

import typer

from sociolab.cli.options import OptPath, Store, option

verbs = typer.Typer()


@verbs.command(epilog="Example: sociolab web --port 8000")
def web(
    host: Annotated[
        str, option("--host", "HOST", "Where to listen; anywhere but here needs a token.")
    ] = "127.0.0.1",
    port: Annotated[int, option("--port", "N", "On which port.", min=1, max=65535)] = 8000,
    public_url: Annotated[
        str, option("--public-url", "URL", "How others reach it, by a proxy.")
    ] = "",
    token_file: Annotated[
        OptPath, option("--admin-token-file", "FILE", "Else the variable SOCIOLAB_ADMIN_TOKEN.")
    ] = None,
    store: Store = None,
) -> None:
    """Serve the web app: watch what was played, play, rate."""
    from sociolab.cli import web as verb

    verb.web(store, host=host, port=port, public_url=public_url, token_file=token_file)
