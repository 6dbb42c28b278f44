"""Turns in the plain dialect: prompts that ask for lines `kind: text`, and made-up lines."""

from __future__ import annotations

import re

from sociolab.models.endpoint.chat import ChatBody
from sociolab.models.endpoint.sampler import LEAVE, Draw
from sociolab.models.endpoint.sentences import prose

_EXAMPLE = re.compile(r"[Ff]or example:\s*\n(?P<kind>[^\W\d_][\w -]{0,40}): \S")
_ASKED = re.compile(r"\blines?\b[^\n]*\bcolon\b")


def asked_for_a_line(chat: ChatBody) -> str:
    """The kind of action in the example of a prompt that asks for lines `kind: text`; "" if none
    does."""
    for message in reversed(chat.messages):
        example = _EXAMPLE.search(message.text)
        if example and _ASKED.search(message.text, 0, example.start()):
            return example["kind"]
    return ""


def plain_turn(chat: ChatBody, kind: str, draw: Draw) -> str:
    """One line of this kind; "leave" where that is drawn and the prompt speaks of it."""
    if draw.leave and any(LEAVE in message.text for message in chat.messages):
        return LEAVE
    return f"{kind}: {prose(draw.random, draw.characters)}"
