"""Three chat APIs from the server's side: requests are read into prompts, replies are written back.

A module an API, each with `read`, `write` and `stream`.
"""

from typing import TYPE_CHECKING

from sociolab.core.lazy import load_public_names

if TYPE_CHECKING:
    from sociolab.protocols.request import (
        ChatRequest as ChatRequest,
        InvalidRequestError as InvalidRequestError,
    )
else:
    __getattr__, __dir__ = load_public_names(__name__)
