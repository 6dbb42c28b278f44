"""What the endpoint counts, and how much of each prompt repeats the beginning of an earlier one."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from sociolab.endpoint.chat import ROLES, ChatBody


@dataclass(slots=True)
class Counters:
    """Counts of chat requests since the start or the last reset.

    `by_status` has HTTP statuses, "no reply" (dropped, or hanging until the end) and "client
    gone". `by_fault` has faults and quirks, the faults of calls about fine-tuning among them.
    Prompts are counted once they are read and not refused, whatever fault then befalls them:
    message texts and schema, without role markers; `repeated_characters` is the part at their
    start that an earlier prompt had too. Completions and tokens are what a provider would bill:
    those of every completion that was generated, whatever became of it (dropped, hanging, cut,
    malformed, or its client gone), and of no refusal. A retry is a request whose attempt is above
    1.
    """

    requests: int = 0
    by_status: dict[str, int] = field(default_factory=dict)
    by_fault: dict[str, int] = field(default_factory=dict)
    retries: int = 0
    in_flight: int = 0
    most_in_flight: int = 0
    prompt_characters: int = 0
    repeated_characters: int = 0
    completion_characters: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0

    @property
    def repeated_share(self) -> float:
        """The share of the prompts' characters that repeats an earlier prompt; 0 for none."""
        return self.repeated_characters / max(self.prompt_characters, 1)

    def as_json(self) -> dict[str, Any]:
        """All counts, and the share, for GET /counters."""
        return asdict(self) | {"repeated_share": self.repeated_share}

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Counters:
        """The counts that `as_json` wrote."""
        return cls(**{count.name: row[count.name] for count in fields(cls)})

    def arrived(self) -> None:
        """A request came in."""
        self.requests += 1
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)

    def left(self, status: int | str) -> None:
        """A request is over."""
        self.in_flight -= 1
        self.by_status[str(status)] = self.by_status.get(str(status), 0) + 1

    def happened(self, fault: str) -> None:
        """A fault or a quirk befell a request."""
        self.by_fault[fault] = self.by_fault.get(fault, 0) + 1

    def replied(self, text: str, usage: Mapping[str, Any]) -> None:
        """A text was written as the reply."""
        self.completion_characters += len(text)
        self.prompt_tokens += usage["prompt_tokens"]
        self.completion_tokens += usage["completion_tokens"]
        self.cached_tokens += usage["prompt_tokens_details"]["cached_tokens"]


_MOST = 50_000

_MARKERS = {role: chr(0x80 + number) for number, role in enumerate(sorted(ROLES))}


class PromptPrefixes:
    """Remembers prompts, and finds the longest beginning that a new one shares with any of them.

    The longest common prefix with any string of a sorted list is that with one of its two
    neighbours there, so one bisection is enough. Compared are the schema, then each message behind
    a marker of its role (so that equal words in other roles do not match), a control character
    that is not counted. At most `most` prompts are remembered; then the oldest is
    forgotten, and only what repeats it alone is missed.
    """

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._sorted: list[str] = []
        self._by_age: deque[str] = deque()

    def repeated(self, chat: ChatBody) -> int:
        """Characters at the start of this prompt that an earlier one has too; remembers it."""
        prompt = chat.schema + "".join(_MARKERS[role] + text for role, text in chat.messages)
        at = bisect_left(self._sorted, prompt)
        shared = 0
        for neighbour in self._sorted[max(at - 1, 0) : at + 1]:
            shared = _shared_prefix(prompt, neighbour, shared)
        if shared < len(prompt):  # else it is the beginning of one that is remembered
            self._sorted.insert(at, prompt)
            self._by_age.append(prompt)
            if len(self._by_age) > self._most:
                del self._sorted[bisect_left(self._sorted, self._by_age.popleft())]
        return shared - sum(prompt.count(one, 0, shared) for one in _MARKERS.values())


def _shared_prefix(one: str, other: str, least: int) -> int:
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
