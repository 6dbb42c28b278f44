"""A prompt in few bytes: what it shares with an earlier one, and the rest.

The prompts of a seat mostly extend one another: each message is kept as the number of leading
characters that it shares with the same message of the prompt before, and what follows them.
"""

from __future__ import annotations

import json
import zlib

from sociolab.core.codec import compact_json
from sociolab.core.errors import StoreError
from sociolab.core.ports import Message, Prompt, Schema
from sociolab.store.surrogates import as_bytes, as_text

_WORTH_PACKING = 512
"""Bytes below which compressing costs more time than it saves space."""


def pack(prompt: Prompt, base: Prompt | None) -> bytes:
    """The prompt without its schema, as a difference from `base`; compressed if that is smaller."""
    before = base.messages if base else ()
    rows: list[tuple[str, int, str]] = []
    for index, message in enumerate(prompt.messages):
        same = shared(before[index].text, message.text) if index < len(before) else 0
        rows.append((message.role, same, message.text[same:]))
    settings: list[object] = [prompt.temperature, prompt.max_tokens, rows]
    if prompt.penalties is not None:
        settings.append(prompt.penalties)
    plain = as_bytes(compact_json(settings))
    if len(plain) < _WORTH_PACKING:
        return plain
    packed = zlib.compress(plain, 1)
    return packed if len(packed) < len(plain) else plain


def unpack(data: bytes, base: Prompt | None, schema: Schema | None) -> Prompt:
    """The prompt that was packed with this base; StoreError if the bytes are damaged."""
    before = base.messages if base else ()
    try:
        plain = data if data.startswith(b"[") else zlib.decompress(data)
        temperature, max_tokens, rows, *penalties = json.loads(as_text(plain))
        messages = tuple(
            Message(role, (before[index].text[:same] if same else "") + rest)
            for index, (role, same, rest) in enumerate(rows)
        )
        return Prompt(messages, schema, temperature, max_tokens, *penalties)
    except (ValueError, TypeError, IndexError, zlib.error) as error:
        raise StoreError(f"a prompt in the store cannot be read ({error})") from error


def shared(old: str, new: str) -> int:
    """How many leading characters two texts have in common; 0 where either is empty."""
    if new.startswith(old):
        return len(old)
    low, high = 0, min(len(old), len(new))
    while low < high:  # the first `low` are the same, and never more than the first `high`
        middle = (low + high + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
