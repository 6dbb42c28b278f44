"""JSON as no server should write it: for readers that must refuse whatever they cannot read."""

from __future__ import annotations

import json

from hypothesis import strategies as st

_LEAVES = st.sampled_from(
    [
        "null",
        "true",
        "0",
        "-1",
        "12.5",
        "NaN",
        "-Infinity",
        "1e999",
        str(2**62),
        "1" + "0" * 30,
        "9" * 4400,
        '"\\ud83d"',
        "[" * 5000,
        "[" * 150 + "]" * 150,
        '{"a":' * 5000,
        "{",
        "",
    ]
) | st.text().map(json.dumps)

_NAMES = st.sampled_from(
    [
        "choices",
        "message",
        "content",
        "refusal",
        "finish_reason",
        "text",
        "usage",
        "prompt_tokens",
        "completion_tokens",
        "prompt_tokens_details",
        "cached_tokens",
        "error",
        "code",
        "data",
        "id",
        "status",
        "model",
    ]
)


def values() -> st.SearchStrategy[str]:
    """Any value, as text that is nearly always JSON, with the names that wire formats know."""
    return st.recursive(
        _LEAVES,
        lambda inner: (
            st.lists(inner, max_size=3).map(lambda items: f"[{','.join(items)}]")
            | st.dictionaries(_NAMES, inner, max_size=4).map(_object)
        ),
        max_leaves=8,
    )


def bodies() -> st.SearchStrategy[bytes]:
    """Response bodies: anything, and completions with anything in one of their places."""
    places = (
        "%s",
        '{"choices":%s}',
        '{"choices":[{"message":%s}]}',
        '{"choices":[{"message":{"content":%s}}]}',
        '{"choices":[{"message":{"content":"a","reasoning_content":%s}}]}',
        '{"choices":[{"message":{"content":null,"refusal":%s}}]}',
        '{"choices":[{"message":{"content":"a"},"finish_reason":%s}]}',
        '{"choices":[{"message":{"content":"a"}}],"usage":%s}',
        '{"choices":[{"message":{"content":"a"}}],"usage":{"prompt_tokens":%s}}',
        '{"choices":[{"message":{"content":"a"}}],"usage":{"prompt_tokens_details":%s}}',
        '{"error":%s}',
        '{"error":{"message":%s}}',
        '{"data":%s}',
        '{"data":[{"id":"a","model":"m","training_file":"f","status":%s}]}',
    )
    return st.builds(
        lambda place, value: place.replace("%s", value).encode("utf-8", "surrogatepass"),
        st.sampled_from(places),
        values(),
    )


def _object(fields: dict[str, str]) -> str:
    return f"{{{','.join(f'{json.dumps(name)}:{value}' for name, value in fields.items())}}}"
