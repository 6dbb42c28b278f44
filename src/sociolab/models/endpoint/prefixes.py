"""How much of a prompt repeats the beginning of an earlier one."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque

from sociolab.models.endpoint.chat import ROLES, ChatBody

_ROOM = 64_000_000
_MOST = 50_000
_MARKERS = {role: b"\xff%b\xff" % role.encode() for role in ROLES}


class PromptPrefixes:
    """Remembers prompts, and finds the longest beginning that a new one shares with any of them.

    The longest common prefix with any string of a sorted list is that with one of its two
    neighbours there, so one bisection is enough. Prompts are compared as UTF-8: the schema, then
    each message behind a marker of its role (so that equal words in other roles do not match);
    markers are not counted. At most `room` bytes and `most` prompts are remembered; then the
    oldest is forgotten, and only what repeats it alone is missed.
    """

    def __init__(self, room: int = _ROOM, most: int = _MOST) -> None:
        self._room = room
        self._most = most
        self._sorted: list[bytes] = []
        self._by_age: deque[bytes] = deque()
        self._held = 0

    def repeated(self, chat: ChatBody) -> int:
        """Characters at the start of this prompt that an earlier one has too; remembers it."""
        texts = [chat.schema, *[message.text for message in chat.messages]]
        parts = [chat.schema.encode("utf-8", "surrogatepass")]
        for role, text in chat.messages:
            # 0xFF is in no UTF-8, so a marker cannot be mistaken for text.
            parts.append(_MARKERS[role])
            parts.append(text.encode("utf-8", "surrogatepass"))
        prompt = b"".join(parts)
        at = bisect_left(self._sorted, prompt)
        shared = 0
        for neighbour in self._sorted[max(at - 1, 0) : at + 1]:
            shared = _shared_prefix(prompt, neighbour, shared)
        if shared < len(prompt):  # else it is the beginning of one that is remembered
            self._remember(prompt, at)
        return _characters(texts, parts, shared)

    def _remember(self, prompt: bytes, at: int) -> None:
        self._sorted.insert(at, prompt)
        self._by_age.append(prompt)
        self._held += len(prompt)
        while self._held > self._room or len(self._by_age) > self._most:
            oldest = self._by_age.popleft()
            del self._sorted[bisect_left(self._sorted, oldest)]
            self._held -= len(oldest)


def _shared_prefix(one: bytes, other: bytes, least: int) -> int:
    """Length of the common beginning; `least` where it is not longer than that."""
    if not other.startswith(one[: least + 1]):
        return least
    low, high = least, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if other.startswith(one[low:middle], low):
            low = middle
        else:
            high = middle - 1
    return low


def _characters(texts: list[str], parts: list[bytes], shared: int) -> int:
    """Characters of the texts in the first `shared` bytes of the parts, which have markers too."""
    count = 0
    for index, part in enumerate(parts):
        if shared < len(part):
            return count + (0 if index % 2 else _whole_characters(part, shared))
        if index % 2 == 0:
            count += len(texts[index // 2])
        shared -= len(part)
    return count


def _whole_characters(part: bytes, end: int) -> int:
    """Characters that end within the first `end` bytes."""
    while end > 0 and part[end] & 0xC0 == 0x80:
        end -= 1
    return len(part[:end].decode("utf-8", "surrogatepass"))
