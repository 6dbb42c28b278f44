"""The settings of the web app: which store, at which address, for whom."""

from __future__ import annotations

import ipaddress
import sys
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from sociolab.core.errors import ConfigError

TOKEN_VARIABLE = "SOCIOLAB_ADMIN_TOKEN"
SHORTEST_TOKEN = 16
"""Characters of an admin token; anybody who reaches the app may try to guess it."""
LEAST_VARIETY = 8
"""Different characters of an admin token."""

CONNECTIONS_PER_ADDRESS = 200
"""Enough for a class of thirty behind one address, with several connections per browser."""
REQUEST_SECONDS = 30.0

_THIS_MACHINE = ("127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class WebSettings:
    """What is served, where, and to whom; ConfigError where that would be unsafe.

    Args:
        store: The store file; it is created if there is none.
        host: The address to listen on.
        port: The port to listen on.
        admin_token: What makes a browser the researcher's. None: whoever reaches the app is the
            researcher (`--no-token`), which is allowed on a loopback address only.
        public_url: The address under which others reach the app through a proxy, such as
            "https://lab.example.org".
        trusted_proxies: Addresses or networks of proxies whose `X-Forwarded-For` is believed. None
            given, but a `public_url`: a proxy on this machine.
        connections_per_address: How many connections, and requests at a time, one client address
            may have. A trusted proxy may have any number; its clients are counted instead.
        request_seconds: A request must have arrived whole, head and body, within this time.
    """

    store: Path
    host: str = "127.0.0.1"
    port: int = 8000
    admin_token: str | None = None
    public_url: str = ""
    trusted_proxies: tuple[str, ...] = ()
    connections_per_address: int = CONNECTIONS_PER_ADDRESS
    request_seconds: float = REQUEST_SECONDS

    def __post_init__(self) -> None:
        if self.public_url:
            _check_url(self.public_url)
        for proxy in self.trusted_proxies:
            _check_proxy(proxy)
        if self.admin_token is not None:
            _check_token(self.admin_token)
        elif self.public_url or not is_loopback(self.host):
            where = "--public-url" if self.public_url else f"--host {self.host}"
            raise ConfigError(
                f"{where} lets others reach the app, so it needs an admin token; leave out "
                "--no-token"
            )

    @property
    def secure(self) -> bool:
        """Whether browsers use HTTPS, so that cookies may be restricted to it."""
        return self.public_url.startswith("https://")

    @property
    def address(self) -> str:
        """The app's address, without a trailing slash."""
        if self.public_url:
            return self.public_url.rstrip("/")
        host = "127.0.0.1" if self.host in ("0.0.0.0", "::") else self.host
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"

    @property
    def proxies(self) -> tuple[str, ...]:
        return self.trusted_proxies or (_THIS_MACHINE if self.public_url else ())

    @property
    def most_connections(self) -> int:
        """Connections at a time: half of the files that the process may open (`ulimit -n`). The
        other half is for the store, for models, and for connections that are about to be
        refused."""
        if sys.platform == "win32":
            return 512
        import resource

        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        return 4096 if files == resource.RLIM_INFINITY else min(files // 2, 4096)

    def cookie(self, name: str) -> str:
        """The name of a cookie for all pages.

        Over HTTPS the prefix makes browsers accept it from this host only. Without HTTPS the name
        contains the port, since browsers send the cookies of a host to all its ports.
        """
        return f"__Host-{name}" if self.secure else f"{name}-{self.port}"

    def trusts(self, address: str) -> bool:
        """Whether an address is a proxy's whose `X-Forwarded-For` is believed."""
        try:
            client = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(client in ipaddress.ip_network(proxy) for proxy in self.proxies)

    def serves(self, host: str) -> bool:
        """Whether a request may name this host (its Host header, with or without a port).

        This stops DNS rebinding: a foreign page whose name was pointed at this machine.
        """
        name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
        name = name.strip("[]").casefold()
        if name == "localhost" or is_loopback(name) or name == self.host.casefold():
            return True
        if self.public_url:
            return name == (urlsplit(self.public_url).hostname or "").casefold()
        return not is_loopback(self.host)


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


def _check_proxy(proxy: str) -> None:
    try:
        ipaddress.ip_network(proxy)
    except ValueError as error:
        raise ConfigError(
            "--trusted-proxy: expected an IP address or network such as 192.0.2.7 or "
            f'192.0.2.0/24, found "{proxy}"'
        ) from error


def _check_token(token: str) -> None:
    letters = token.strip()
    weak = f"{len(letters)} characters, {len(set(letters))} of them different"
    if not letters.isprintable():
        weak = "characters that cannot be printed"
    elif len(letters) >= SHORTEST_TOKEN and len(set(letters)) >= LEAST_VARIETY:
        return
    raise ConfigError(
        f"the admin token could be guessed: expected {SHORTEST_TOKEN} characters or more, "
        f"{LEAST_VARIETY} of them different, found {weak}; `openssl rand -hex 24` prints a good "
        "one"
    )
