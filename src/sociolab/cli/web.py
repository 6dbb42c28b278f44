"""`sociolab web`: serve the app of a store."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from sociolab.core.errors import ConfigError
from sociolab.store.place import store_path
from sociolab.web.server import serve
from sociolab.web.settings import TOKEN_VARIABLE, WebSettings


def web(
    store: Path | None, *, host: str, port: int, public_url: str, token_file: Path | None
) -> None:
    """Say where the app is, and serve until interrupted."""
    token = _token(token_file)
    settings = WebSettings(store_path(store), host, port, token, public_url)
    _say(f"sociolab is at {settings.address} (store {settings.store}); Ctrl-C ends it")
    if token is None:
        _say("only this machine can reach it, and whoever uses this machine is the researcher")
    else:
        _say("the researcher's pages ask for the admin token; participants need only their link")
    serve(settings)


def _token(file: Path | None) -> str | None:
    if file is None:
        return os.environ.get(TOKEN_VARIABLE) or None
    try:
        return file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"--admin-token-file: {file} cannot be read ({error})") from error


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)  # noqa: T201
