"""`sociolab web`: serve the web app of a store to its owner and to invited people."""

from __future__ import annotations

import os
import secrets
import shlex
import sys
from pathlib import Path
from typing import Annotated
from urllib.parse import urlencode

import typer

from sociolab.cli.options import OptPath, OptTexts, StoreFile, option
from sociolab.core.errors import ConfigError

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
        bool, typer.Option("--no-token", help="No sign-in; only on a machine that is yours alone.")
    ] = False,
    trusted_proxy: Annotated[
        OptTexts,
        option(
            "--trusted-proxy",
            "ADDRESS",
            "A proxy that names its clients; default with --public-url: this machine. Repeatable.",
        ),
    ] = None,
    connections_per_address: Annotated[
        int, option("--connections-per-address", "N", "Connections per client address.", min=8)
    ] = 200,
    request_timeout: Annotated[
        int, option("--request-timeout", "SECONDS", "Time for a whole request to arrive.", min=1)
    ] = 30,
    store: StoreFile = None,
) -> None:
    """Serve the web app: inspect runs, play, rate.

    It prints a link that signs you in.
    """
    from sociolab.store.connect import store_path
    from sociolab.web.server import serve
    from sociolab.web.settings import TOKEN_VARIABLE, WebSettings

    if no_token and token_file is not None:
        raise ConfigError("--no-token and --admin-token-file exclude each other; leave one out")
    supplied = None if no_token else _read_token(token_file, TOKEN_VARIABLE)
    token = supplied
    if token is None and not no_token:
        token = secrets.token_urlsafe(24)
    settings = WebSettings(
        store_path(store),
        host,
        port,
        token,
        public_url,
        tuple(trusted_proxy or ()),
        connections_per_address,
        request_timeout,
    )

    def announce() -> None:
        if _open_to_others(settings.store):
            _say(
                "warning: other users of this machine can read or change the store "
                f"{settings.store}; to keep it to yourself: "
                f"chmod 600 {shlex.quote(str(settings.store))}"
            )
        _say(f"sociolab is at {settings.address} (store {settings.store}); Ctrl-C ends it")
        if token is None:
            _say(
                "warning: --no-token: whoever can connect to this port, every other user of this "
                "machine among them, is the researcher"
            )
        elif supplied is not None:
            _say(f"sign in with the admin token from {token_file or TOKEN_VARIABLE}")
        else:
            _say("open this link to sign in as the researcher; it is new at every start:")
            _say(f"    {settings.address}/?{urlencode({'token': token})}")

    serve(settings, announce)


def _read_token(file: Path | None, variable: str) -> str | None:
    """The token in the file or, without a file, in the environment variable; None if neither is
    set. ConfigError for a file that is unreadable, or open to others."""
    if file is None:
        value = os.environ.get(variable)
        return value.strip() if value else None
    try:
        if _open_to_others(file):
            raise ConfigError(
                f"--admin-token-file: other users of this machine can read or change {file}; to "
                f"keep it to yourself: chmod 600 {shlex.quote(str(file))}"
            )
        return file.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise ConfigError(
            f"--admin-token-file: {file} cannot be read ({error.strerror})"
        ) from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"--admin-token-file: expected text in {file}, found bytes") from error


def _open_to_others(file: Path) -> bool:
    return os.name == "posix" and bool(file.stat().st_mode & 0o066)


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)  # noqa: T201
