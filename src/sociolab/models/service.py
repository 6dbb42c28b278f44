"""An agent behind an HTTP address: the observation is posted, and the action comes back.

It is called as a model is: with its limits, time limits and retries, and each reply is stored.
"""

from __future__ import annotations

from sociolab.core.ports import ChatReply, Prompt, Usage
from sociolab.models.wire import Dialect


def read_action(data: bytes, prompt: Prompt, seconds: float, tries: int) -> ChatReply:
    """The body as the text of a reply: whether that is an action, its reader says."""
    return ChatReply(data.decode(errors="replace"), "stop", Usage(), seconds, tries)


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
