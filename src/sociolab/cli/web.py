"""`sociolab web`: serve the app of a store."""

from __future__ import annotations

import os
import secrets
import shlex
import sys
from pathlib import Path
from urllib.parse import urlencode

from sociolab.core.errors import ConfigError
from sociolab.store.connect import store_path
from sociolab.web.server import serve
from sociolab.web.settings import TOKEN_VARIABLE, WebSettings


def web(
    store: Path | None,
    *,
    host: str,
    port: int,
    public_url: str,
    token_file: Path | None,
    no_token: bool,
    trusted_proxies: tuple[str, ...],
    connections_per_address: int,
    request_seconds: float,
) -> None:
    """Serve until interrupted; when the app can be reached, say where, and how to sign in."""
    if no_token and token_file is not None:
        raise ConfigError("--no-token and --admin-token-file exclude each other; leave one out")
    given = None if no_token else _given_token(token_file)
    token = given
    if token is None and not no_token:
        token = secrets.token_urlsafe(24)
    settings = WebSettings(
        store_path(store),
        host,
        port,
        token,
        public_url,
        trusted_proxies,
        connections_per_address,
        request_seconds,
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
        elif given is not None:
            _say(f"sign in with the admin token from {token_file or TOKEN_VARIABLE}")
        else:
            _say("open this link to sign in as the researcher; it is new at every start:")
            _say(f"    {settings.address}/?{urlencode({'token': token})}")

    serve(settings, announce)


def _given_token(file: Path | None) -> str | None:
    """The token of the file, or else of the variable; None if neither is given."""
    if file is None:
        found = os.environ.get(TOKEN_VARIABLE)
        return found.strip() if found else None
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
