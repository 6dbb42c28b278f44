"""How much of each prompt repeats the start of an earlier one, and may come from a cache."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Iterable

ROLES = frozenset(("system", "developer", "user", "assistant", "tool"))

_MOST = 50_000

_MARKERS = {role: chr(0x80 + number) for number, role in enumerate(sorted(ROLES))}


class PromptPrefixes:
    """Remembers prompts, and finds the longest prefix that a new one shares with any of them.

    The longest common prefix with any string of a sorted list is that with one of its two
    neighbours there, so one bisection is enough. A prompt is compared as its schema, then each
    message after a control character for its role, so that equal texts in other roles do not match;
    these characters are not counted. At most `most` prompts are remembered; the oldest is dropped
    first.
    """

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._sorted: list[str] = []
        self._by_age: deque[str] = deque()

    def repeated(self, schema: str, messages: Iterable[tuple[str, str]]) -> int:
        """Remember a prompt, and count the characters of its prefix that an earlier one has too.

        `messages` are pairs of a role and a text.
        """
        prompt = schema + "".join(_MARKERS[role] + text for role, text in messages)
        at = bisect_left(self._sorted, prompt)
        shared = 0
        for neighbour in self._sorted[max(at - 1, 0) : at + 1]:
            shared = _shared_prefix(prompt, neighbour, shared)
        if shared < len(prompt):  # else it is a prefix of one that is remembered
            self._sorted.insert(at, prompt)
            self._by_age.append(prompt)
            if len(self._by_age) > self._most:
                del self._sorted[bisect_left(self._sorted, self._by_age.popleft())]
        return shared - sum(prompt.count(marker, 0, shared) for marker in _MARKERS.values())


def _shared_prefix(prompt: str, other: str, least: int) -> int:
    """Length of the common prefix, or `least` if that is longer."""
    if not other.startswith(prompt[: least + 1]):
        return least
    low, high = least, min(len(prompt), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if other.startswith(prompt[low:middle], low):
            low = middle
        else:
            high = middle - 1
    return low
