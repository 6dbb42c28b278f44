"""An agent behind an HTTP address: the observation is posted, and the action comes back.

It is called as a model is: with its limits, time limits and retries, and each reply is stored.
"""

from __future__ import annotations

import json

from sociolab.core.errors import ModelError
from sociolab.core.ports import ChatReply, Prompt, Usage
from sociolab.models.wire import Dialect


def read_action(data: bytes, prompt: Prompt, seconds: float, tries: int) -> ChatReply:
    """The body as the text of a reply: whether that is an action, its reader says.

    ModelError for a chat completion: its server is a model, not a service.
    """
    if _is_completion(data):
        raise ModelError(
            "expected an action from this service, found a chat completion; a server that speaks "
            "chat completions is named as a model: openai/NAME with --base-url, or with "
            "[endpoints.MINE] in models.toml",
            cause="malformed reply",
            fatal=True,
        )
    return ChatReply(data.decode(errors="replace"), "stop", Usage(), seconds, tries)


def _is_completion(data: bytes) -> bool:
    try:
        document = json.loads(data)
    except ValueError:
        return False
    return isinstance(document, dict) and document.get("object") == "chat.completion"


SERVICE = Dialect(
    "",
    lambda key: {"authorization": f"Bearer {key}"} if key else {},
    lambda prompt, quirks, options: None,
    lambda model, prompt, quirks, options: dict(prompt.options)["observation"].encode(),
    read_action,
    lambda data, prompt: None,
    lambda quirks, status, data: None,
    {},
)
"""The wire format of `agents.observation`."""
