"""OpenAI's Responses API on the local endpoint, by way of a chat completion."""

from __future__ import annotations

import json

from sociolab.endpoint.chat import ChatBody, bad_request, build_chat, request_key
from sociolab.models.wire import Quirks, body_of
from sociolab.protocols import responses
from sociolab.protocols.request import InvalidRequestError


def read_response(raw: bytes, seed: int = 0, call: str = "") -> ChatBody:
    """Parse a request into that of a chat completion; RefusalError (400) if it is invalid."""
    try:
        request = responses.read(raw)
    except InvalidRequestError as error:
        raise bad_request(f"{error.param}: {error}", param=error.param) from error
    fields = json.loads(body_of(request.model, request.prompt, Quirks()))
    key = request_key(raw, seed, call if request.prompt.temperature != 0 else "")
    return build_chat({**fields, "stream": request.stream}, key)
