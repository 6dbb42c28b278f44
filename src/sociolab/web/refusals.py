"""Why a request is not served, as errors that become a page or JSON (see errors.py)."""

from __future__ import annotations

from sociolab.core.errors import ConfigError, SociolabError


class Missing(ConfigError):  # noqa: N818  a state of affairs
    """What a request asks for is not there."""


class Refused(SociolabError):  # noqa: N818  a state of affairs
    """A request that may not be served, with the status that says why."""

    def __init__(self, message: str, status: int = 403, seconds: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.seconds = seconds


class NeedsLogin(SociolabError):  # noqa: N818  a state of affairs
    """A page for the researcher, asked for by somebody who has not signed in."""
