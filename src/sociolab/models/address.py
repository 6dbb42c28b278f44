"""Where requests go: a base URL taken apart, and the unchanging head of each request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import SplitResult, quote, urlsplit

_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Address:
    """The parts of an HTTP address; `target` is path and query as they are sent."""

    secure: bool
    host: str
    port: int
    target: str

    @classmethod
    def of(cls, url: str) -> Address:
        """ValueError if `url` is no address of a web server."""
        parts = urlsplit(url)
        if parts.scheme not in _PORTS or not parts.hostname:
            raise ValueError(f"not an address of a web server: {url}")
        host = parts.hostname
        if not host.isascii():
            host = host.encode("idna").decode("ascii")
        port = parts.port or _PORTS[parts.scheme]
        return cls(parts.scheme == "https", host, port, _target(parts))

    @property
    def authority(self) -> str:
        """As the `host` header wants it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        usual = self.port == _PORTS["https" if self.secure else "http"]
        return host if usual else f"{host}:{self.port}"

    def head(self, headers: Mapping[str, str]) -> bytes:
        """The first lines of every POST to this address, up to where its own headers follow."""
        given = {"host": self.authority, **headers}
        lines = (f"{name}: {value}\r\n" for name, value in given.items())
        return f"POST {self.target} HTTP/1.1\r\n{''.join(lines)}".encode("ascii")


def _target(parts: SplitResult) -> str:
    """What is no part of an address (spaces, other letters) is percent-encoded, the rest kept."""
    path = quote(parts.path, safe="/%:@!$&'()*+,;=~") or "/"
    return f"{path}?{quote(parts.query, safe='/%:@!$&()*+,;=~?')}" if parts.query else path
