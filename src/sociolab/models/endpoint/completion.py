"""The body of a chat completion."""

from __future__ import annotations

import json

from sociolab.models.endpoint.chat import ChatBody
from sociolab.models.endpoint.counters import Usage

_TEMPLATE = (
    '{"id":"chatcmpl-%s","object":"chat.completion","created":0,"model":%s,"choices":[{"index":0,'
    '"message":{"role":"assistant","content":%s,"refusal":null},"logprobs":null,'
    '"finish_reason":"%s"}],"usage":%s}'
)
_USAGE = (
    '{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,'
    '"prompt_tokens_details":{"cached_tokens":%d}}'
)


def usage_of(prompt_characters: int, repeated: int, text: str) -> Usage:
    """Tokens at four characters each: rounded up, the cached ones down."""
    return Usage(-(-prompt_characters // 4), -(-len(text) // 4), repeated // 4)


def completion(chat: ChatBody, text: str, finish_reason: str, usage: str) -> bytes:
    """A completion as JSON; it holds no clock, so that the same request gives the same bytes."""
    body = _TEMPLATE % (
        chat.key.hex(),
        json.dumps(chat.model),
        json.dumps(text),
        finish_reason,
        usage,
    )
    return body.encode()


def usage_json(usage: Usage) -> str:
    """Counts of tokens, as a completion holds them."""
    total = usage.prompt + usage.completion
    return _USAGE % (usage.prompt, usage.completion, total, usage.cached)
