"""A prompt is rebuilt to the letter from what it shares with an earlier one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolab.core.errors import StoreError
from sociolab.core.ports import Message, Prompt, Schema
from sociolab.store.calls import pack, shared, unpack

from . import samples

few = st.text(st.sampled_from("ab\ud83dé"), max_size=12)


@given(samples.prompts, st.none() | samples.prompts)
def test_any_prompt_comes_back_whatever_its_base(prompt: Prompt, base: Prompt | None) -> None:
    assert unpack(pack(prompt, base), base, prompt.schema) == prompt


@given(few, few, few)
def test_shared_counts_the_leading_characters_in_common(head: str, a: str, b: str) -> None:
    old, new = head + a, head + b
    count = shared(old, new)
    assert count >= len(head)
    assert old[:count] == new[:count]
    assert count == min(len(old), len(new)) or old[count] != new[count]


def test_a_prompt_that_grows_costs_little_more_than_what_is_new() -> None:
    history = "".join(f"Ann said, number {n}, that it was late. " for n in range(100))
    base = samples.prompt(f"{history}\nYour move.")
    grown = samples.prompt(f"{history}Bob left.\nYour move.")
    assert len(history) > 3000
    assert len(pack(grown, base)) < 100


def test_a_long_text_is_compressed() -> None:
    assert len(pack(samples.prompt("the same words again " * 200), None)) < 500


def test_damaged_bytes_are_a_sentence() -> None:
    packed = pack(samples.prompt("the same words again " * 200), None)
    for damaged in (packed[:-9], b"[1.0,null,[[", b"[1]", b"", b'[1,null,[["user",3,"x"]]]'):
        with pytest.raises(StoreError, match="a prompt in the store cannot be read"):
            unpack(damaged, None, None)


def test_the_hash_is_of_messages_and_schema_and_knows_their_borders() -> None:
    prompt = Prompt((Message("user", "ab"), Message("user", "c")), Schema("s", "{}"), 0.5)
    different = (
        replace(prompt, messages=(Message("user", "a"), Message("user", "bc"))),
        replace(prompt, messages=(Message("system", "ab"), Message("user", "c"))),
        replace(prompt, messages=prompt.messages[:1]),
        replace(prompt, schema=Schema("s", "[]")),
        replace(prompt, schema=None),
    )
    hashes = {prompt.fingerprint, *(other.fingerprint for other in different)}
    assert len(hashes) == 1 + len(different)
    assert replace(prompt, temperature=1.0).fingerprint == prompt.fingerprint
