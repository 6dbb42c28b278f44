"""What the endpoint counts, and how much of each prompt repeats the beginning of an earlier one."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from sociolab.endpoint.chat import ROLES, ChatBody, TokenCounts


@dataclass(frozen=True, slots=True)
class Counters:
    """Counts of chat requests since the start or the last reset.

    `by_status` has HTTP statuses, "no reply" (dropped, or hanging until the end) and "client
    gone". `by_fault` has faults and quirks, the faults of calls about fine-tuning among them.
    Prompts are counted once they are read and not refused, whatever fault then befalls them:
    message texts and schema, without role markers; `repeated_characters` is the part at their
    start that an earlier prompt had too. Completions and tokens are counted as in the `usage` of
    the replies. A retry is a request whose attempt is above 1.
    """

    requests: int = 0
    by_status: Mapping[str, int] = field(default_factory=dict)
    by_fault: Mapping[str, int] = field(default_factory=dict)
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


class RequestTally:
    """Counts while the endpoint runs."""

    def __init__(self) -> None:
        self._in_flight = 0
        self.reset()

    def reset(self) -> None:
        """Start again from zero and forget all prompts; requests in flight stay in flight."""
        self._requests = 0
        self._by_status: Counter[str] = Counter()
        self._by_fault: Counter[str] = Counter()
        self._retries = 0
        self._most_in_flight = self._in_flight
        self._prompt_characters = 0
        self._repeated_characters = 0
        self._completion_characters = 0
        self._tokens = TokenCounts(0, 0, 0)
        self._prefixes = PromptPrefixes()

    def arrived(self) -> None:
        """A request came in."""
        self._requests += 1
        self._in_flight += 1
        self._most_in_flight = max(self._most_in_flight, self._in_flight)

    def left(self, status: int | str) -> None:
        """A request is over."""
        self._in_flight -= 1
        self._by_status[str(status)] += 1

    def read(self, chat: ChatBody, attempt: int) -> tuple[int, int]:
        """A prompt was read; its characters, and how many of them repeat an earlier prompt."""
        characters = chat.prompt_characters
        repeated = self._prefixes.repeated(chat)
        self._prompt_characters += characters
        self._repeated_characters += repeated
        self._retries += attempt > 1
        return characters, repeated

    def happened(self, fault: str) -> None:
        """A fault or a quirk befell a request."""
        self._by_fault[fault] += 1

    def replied(self, text: str, usage: TokenCounts) -> None:
        """A text was written as the reply."""
        old = self._tokens
        self._completion_characters += len(text)
        self._tokens = TokenCounts(
            old.prompt + usage.prompt,
            old.completion + usage.completion,
            old.cached + usage.cached,
        )

    @property
    def counters(self) -> Counters:
        """The counts as of now."""
        return Counters(
            requests=self._requests,
            by_status=dict(sorted(self._by_status.items())),
            by_fault=dict(sorted(self._by_fault.items())),
            retries=self._retries,
            in_flight=self._in_flight,
            most_in_flight=self._most_in_flight,
            prompt_characters=self._prompt_characters,
            repeated_characters=self._repeated_characters,
            completion_characters=self._completion_characters,
            prompt_tokens=self._tokens.prompt,
            completion_tokens=self._tokens.completion,
            cached_tokens=self._tokens.cached,
        )


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
