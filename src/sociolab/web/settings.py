"""How the web app is served: which store, where, for whom."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from sociolab.core.errors import ConfigError

TOKEN_VARIABLE = "SOCIOLAB_ADMIN_TOKEN"
SHORTEST_TOKEN = 20
"""Characters of an admin token; anybody on the network may guess at it."""


@dataclass(frozen=True, slots=True)
class WebSettings:
    """What is served, and where.

    Without `admin_token` whoever is on this machine is the researcher. `public_url` is the address
    by which others reach the app through a proxy, such as "https://lab.example.org".
    """

    store: Path
    host: str = "127.0.0.1"
    port: int = 8000
    admin_token: str | None = None
    public_url: str = ""

    def __post_init__(self) -> None:
        if self.public_url:
            _check_url(self.public_url)
        if self.admin_token is not None and len(self.admin_token) < SHORTEST_TOKEN:
            raise ConfigError(
                f"the admin token must have {SHORTEST_TOKEN} characters or more, found "
                f"{len(self.admin_token)}; `openssl rand -hex 24` makes a good one"
            )
        if self.admin_token is None and (self.public_url or not is_loopback(self.host)):
            where = "--public-url" if self.public_url else f"--host {self.host}"
            raise ConfigError(
                f"{where} lets others reach the app, so it needs an admin token: put one of "
                f"{SHORTEST_TOKEN} characters or more into the variable {TOKEN_VARIABLE} (or a "
                "file, with --admin-token-file)"
            )

    @property
    def secure(self) -> bool:
        """Whether browsers reach the app by HTTPS, so that cookies may be kept to it."""
        return self.public_url.startswith("https://")

    @property
    def address(self) -> str:
        """Where a browser finds the app, without a slash at the end."""
        if self.public_url:
            return self.public_url.rstrip("/")
        host = "127.0.0.1" if self.host in ("0.0.0.0", "::") else self.host
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"

    def serves(self, host: str) -> bool:
        """Whether a request may name this host (its Host header, with or without a port).

        A page elsewhere whose name was pointed at this machine must not be served.
        """
        name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
        name = name.strip("[]").casefold()
        if name == "localhost" or is_loopback(name) or name == self.host.casefold():
            return True
        if self.public_url:
            return name == (urlsplit(self.public_url).hostname or "").casefold()
        return self.admin_token is not None


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine only."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.casefold() == "localhost"


def _check_url(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path not in ("", "/"):
        raise ConfigError(
            f'--public-url: expected an address such as https://lab.example.org, found "{url}"'
        )
