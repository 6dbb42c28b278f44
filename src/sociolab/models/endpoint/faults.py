"""What befalls a request: which fault is drawn, and how it spoils a text or a body."""

from __future__ import annotations

import json
from bisect import bisect_right
from itertools import accumulate

from sociolab.models.endpoint.chance import Chance
from sociolab.models.endpoint.settings import FAULTS, EndpointSettings, Fault

HANG_SECONDS = 600.0

_BODIES = (
    (b"<html><head><title>502 Bad Gateway</title></head><body>Bad Gateway</body></html>", "html"),
    (b'{"object":"error","detail":"upstream sent nothing"}', "json"),
    (b'{"id":"chatcmpl-0","object":"chat.completion","choices":[]}', "json"),
    (b'{"id":"chatcmpl-0","object":"chat.completion","choices":[{"index":0}]}', "json"),
    (b'{"choices":' + b'[{"message":' * 10_000, "json"),
    (b'{"choices":[{"message":{"content":' + b"9" * 10_000 + b"}}]}", "json"),
)


class FaultTable:
    """Draws at most one fault for an attempt, by the rates of the settings."""

    def __init__(self, settings: EndpointSettings) -> None:
        rates = [(fault, getattr(settings, fault)) for fault in FAULTS]
        self._faults: tuple[Fault, ...] = tuple(fault for fault, rate in rates if rate > 0)
        self._bounds = tuple(accumulate(rate for _, rate in rates if rate > 0))

    def drawn(self, chance: Chance) -> Fault | None:
        """The fault of this attempt; None for a good one."""
        if not self._faults:
            return None
        at = bisect_right(self._bounds, chance.fraction("fault"))
        return self._faults[at] if at < len(self._faults) else None


def malformed_body(chance: Chance) -> tuple[bytes, str]:
    """A body that is no chat completion, and its content type."""
    body, kind = _BODIES[chance.pick("malformed body", len(_BODIES))]
    return body, "text/html" if kind == "html" else "application/json"


def truncated(text: str, chance: Chance) -> str:
    """The beginning of a text: between a fifth and four fifths of it."""
    return text[: int(len(text) * (0.2 + 0.6 * chance.fraction("cut")))]


def nearly_json(text: str, chance: Chance) -> str:
    """A JSON text with a mistake of the kind that models make; prose gets an open brace."""
    if not text.startswith(("{", "[")):
        return '{"text": "' + text
    mistakes = (
        text[:-1],
        text[:-1] + "," + text[-1],
        text.replace('"', "'"),
        text.replace('": ', '" ', 1),
        text.replace('": "', '": "So-called "', 1),
        f'{text[:1]}"number": {"9" * 5000}, {text[1:]}',  # a loop of digits: too long to be read
    )
    spoilt = mistakes[chance.pick("mistake", len(mistakes))]
    return text[:-1] if _is_json(spoilt) else spoilt


def after_thinking(text: str, thought: str) -> str:
    """A reply behind a <think> block."""
    return f"<think>\n{thought}\n</think>\n\n{text}"


def in_a_fence(text: str) -> str:
    """A JSON reply in a fence with chatter around it; prose stays as it is."""
    if not _is_json(text):
        return text
    return f"Sure, here is my reply:\n\n```json\n{text}\n```\n\nLet me know if you need more."


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
