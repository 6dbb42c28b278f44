"""`sociolab mcp`: serve runs, comparisons and seats to an assistant, over MCP."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Any

import typer

from sociolab.cli.options import OptInt, OptTexts, option, takes
from sociolab.cli.output import say
from sociolab.plugin.options import ModelAccess, checked

verbs = typer.Typer()

_HOST = "127.0.0.1"


@verbs.command("mcp", epilog="Example: sociolab mcp --budget 5 --episodes 200")
@takes(ModelAccess)
def mcp(
    episodes: Annotated[
        int, option("--episodes", "N", "Most episodes that clients may play.", min=0)
    ] = 1000,
    allow: Annotated[
        OptTexts,
        option("--allow", "SPEC", "Code or a service of your own that may play. Repeatable."),
    ] = None,
    http: Annotated[
        OptInt,
        option(
            "--http", "PORT", f"Serve {_HOST} instead of stdin; 0: any free one.", min=0, max=65535
        ),
    ] = None,
    *,
    options: dict[str, Any],
) -> None:
    """Serve runs, comparisons and seats to an assistant, over MCP.

    Without --budget, only what costs nothing can be played.
    """
    from sociolab.cli.mcp.limits import ClientLimits
    from sociolab.cli.mcp.server import Tools, create_server

    access = checked(ModelAccess, options)
    tools = Tools(access, ClientLimits(access.budget or 0.0, episodes, tuple(allow or ())))
    server = create_server(tools)
    try:
        with suppress(KeyboardInterrupt):
            if http is None:
                server.run("stdio")
            else:
                _serve_http(server, http)
    finally:
        for run in tools.close():
            say(
                f"{run.run} stopped at {run.done:,} of {run.episodes:,} episodes; the same plan "
                "and name resume it"
            )


def _serve_http(server: Any, port: int) -> None:
    import uvicorn

    from sociolab.web.server import open_listener

    with open_listener(_HOST, port) as listener:
        app = server.streamable_http_app(host=_HOST)
        # Clients keep a stream open, for which Ctrl-C does not wait.
        config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)
        say(f"http://{_HOST}:{listener.getsockname()[1]}/mcp serves MCP; Ctrl-C ends")
        uvicorn.Server(config).run(sockets=[listener])
