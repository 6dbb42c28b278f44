"""The verb that serves the web app; what it does loads when it is called."""

from __future__ import annotations

from typing import Annotated

import typer

from sociolab.cli.options import OptPath, OptTexts, StoreFile, option

verbs = typer.Typer()


@verbs.command(epilog="Example: sociolab web --port 8080")
def web(
    host: Annotated[str, option("--host", "HOST", "The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, option("--port", "N", "The port to listen on.", min=1, max=65535)] = 8000,
    public_url: Annotated[
        str, option("--public-url", "URL", "Where others reach the app, through a proxy.")
    ] = "",
    token_file: Annotated[
        OptPath,
        option(
            "--admin-token-file",
            "FILE",
            "Sign in with this token; default: $SOCIOLAB_ADMIN_TOKEN, or a new one.",
        ),
    ] = None,
    no_token: Annotated[
        bool, typer.Option("--no-token", help="No sign-in, if this machine is yours alone.")
    ] = False,
    trusted_proxy: Annotated[
        OptTexts,
        option(
            "--trusted-proxy",
            "ADDRESS",
            "A proxy that names its clients; default with --public-url: this machine. Repeat it.",
        ),
    ] = None,
    connections_per_address: Annotated[
        int, option("--connections-per-address", "N", "Connections of one client address.", min=8)
    ] = 200,
    request_timeout: Annotated[
        int, option("--request-timeout", "SECONDS", "For a whole request to arrive.", min=1)
    ] = 30,
    store: StoreFile = None,
) -> None:
    """Serve the web app: inspect runs, play, rate.

    It prints a link that signs you in.
    """
    from sociolab.cli import web as verb

    verb.web(
        store,
        host=host,
        port=port,
        public_url=public_url,
        token_file=token_file,
        no_token=no_token,
        trusted_proxies=tuple(trusted_proxy or ()),
        connections_per_address=connections_per_address,
        request_seconds=request_timeout,
    )
