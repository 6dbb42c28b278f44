"""Errors in the form in which OpenAI's API returns them."""

from __future__ import annotations

import json


class RefusalError(Exception):
    """A request that is answered with an error: the status and the body to send."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        kind: str = "invalid_request_error",
        param: str | None = None,
        code: str | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        error = {"message": message, "type": kind, "param": param, "code": code}
        self.body = json.dumps({"error": error}).encode()


def bad_request(message: str, *, param: str | None = None, code: str | None = None) -> RefusalError:
    """A 400."""
    return RefusalError(400, message, param=param, code=code)


def wrong_key() -> RefusalError:
    """The 401 for a missing or wrong bearer token."""
    return RefusalError(401, "Incorrect API key provided.", code="invalid_api_key")


def unknown_model(model: str) -> RefusalError:
    """The 404 for a model that does not exist."""
    return RefusalError(
        404,
        f"The model `{model}` does not exist or you do not have access to it.",
        param="model",
        code="model_not_found",
    )


def unknown_url(method: str, path: str) -> RefusalError:
    """The 404 for an address that does not exist."""
    return RefusalError(404, f"Invalid URL ({method} {path})", code="unknown_url")


def wrong_method(method: str, path: str) -> RefusalError:
    """The 405 for a method that an address does not take."""
    return RefusalError(405, f"Not allowed to {method} on {path}.", code="method_not_supported")


def rate_limited(model: str, seconds: float) -> RefusalError:
    """The 429 of a full rate limit."""
    return RefusalError(
        429,
        f"Rate limit reached for {model}. Please try again in {seconds:g}s.",
        kind="requests",
        code="rate_limit_exceeded",
    )


def server_error() -> RefusalError:
    """The 500 of a server in trouble."""
    return RefusalError(
        500, "The server had an error while processing your request.", kind="server_error"
    )
