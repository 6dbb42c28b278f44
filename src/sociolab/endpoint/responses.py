"""OpenAI's Responses API on the local endpoint, by way of a chat completion."""

from __future__ import annotations

import json

from sociolab.endpoint.chat import ChatBody, build_chat, request_key
from sociolab.models.wire import Quirks, body_of
from sociolab.protocols import responses


def read_response(raw: bytes, seed: int = 0, call: str = "") -> ChatBody:
    """Parse a request into that of a chat completion; InvalidRequestError if it is invalid."""
    request = responses.read(raw)
    fields = json.loads(body_of(request.model, request.prompt, Quirks()))
    key = request_key(raw, seed, call if request.prompt.temperature != 0 else "")
    return build_chat({**fields, "stream": request.stream}, key)
