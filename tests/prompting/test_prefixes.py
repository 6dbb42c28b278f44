"""How much of a prompt repeats the beginning of an earlier one."""

from __future__ import annotations

from itertools import takewhile
from typing import TypeAlias

from hypothesis import given, strategies as st

from sociolab.prompting import PromptPrefixes

Prompt: TypeAlias = tuple[str, tuple[tuple[str, str], ...]]


def prompt(*messages: tuple[str, str], schema: str = "") -> Prompt:
    return schema, messages


def user(text: str) -> Prompt:
    return prompt(("user", text))


def test_beginning_shared_with_any_earlier_prompt_counts() -> None:
    prefixes = PromptPrefixes()
    assert prefixes.repeated(*user("abcdef")) == 0
    assert prefixes.repeated(*user("abcxyz")) == 3
    assert prefixes.repeated(*user("zzz")) == 0
    assert prefixes.repeated(*user("abcdeg")) == 5  # with the first, not the latest
    assert prefixes.repeated(*user("abcdef")) == 6  # all of it
    assert prefixes.repeated(*user("abc")) == 3  # as the beginning of a longer one
    assert prefixes.repeated(*user("abcdefgh")) == 6


def test_schema_stands_before_the_messages_and_other_schemas_share_only_their_beginning() -> None:
    prefixes = PromptPrefixes()
    prefixes.repeated(*prompt(("user", "hello"), schema='{"a":1}'))
    assert prefixes.repeated(*prompt(("user", "help"), schema='{"a":1}')) == 7 + 3
    assert prefixes.repeated(*prompt(("user", "hello"), schema='{"a":2}')) == 5
    assert prefixes.repeated(*user("hello")) == 0


def test_same_words_in_another_role_are_no_repetition() -> None:
    prefixes = PromptPrefixes()
    prefixes.repeated(*prompt(("system", "rules"), ("user", "go")))
    assert prefixes.repeated(*prompt(("user", "rules"), ("user", "go"))) == 0
    assert prefixes.repeated(*prompt(("system", "rules"), ("assistant", "go"))) == 5
    assert prefixes.repeated(*prompt(("system", "rules"), ("user", "go on"))) == 7


def test_oldest_prompt_is_forgotten_first() -> None:
    prefixes = PromptPrefixes(most=2)
    for text in ("aaaa", "bbbb", "cccc"):
        prefixes.repeated(*user(text))
    assert prefixes.repeated(*user("bbbx")) == 3
    assert prefixes.repeated(*user("aaax")) == 0


ROLES = st.sampled_from(["system", "user", "assistant"])
PROMPTS = st.builds(
    lambda schema, messages: prompt(*messages, schema=schema),
    st.sampled_from(["", "ä", "äb"]),
    st.lists(st.tuples(ROLES, st.text("aäβ😀é\ud800", max_size=4)), min_size=1, max_size=3),
)


@given(st.lists(PROMPTS, max_size=12))
def test_repeated_is_the_longest_prefix_shared_with_any_earlier_prompt(
    prompts: list[Prompt],
) -> None:
    prefixes = PromptPrefixes()
    earlier: list[list[str]] = []
    for schema, messages in prompts:
        # One item for each character, and one for each border with its role.
        items = list(schema)
        for role, text in messages:
            items += [f"<{role}>", *text]
        alike = [sum(takewhile(bool, map(str.__eq__, items, other))) for other in earlier]
        shared = items[: max(alike, default=0)]
        assert prefixes.repeated(schema, messages) == sum(len(item) == 1 for item in shared)
        earlier.append(items)
