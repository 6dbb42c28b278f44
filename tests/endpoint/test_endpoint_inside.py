"""Units that are worth a test alone, from inside: endpoint."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, strategies as st

from sociolab.endpoint import FAULTS, Chance, EndpointSettings
from sociolab.endpoint.faults import corrupt_json, draw_fault, truncate_text
from sociolab.prompting.made_up import exact_prose, prose

KEYS = st.binary(min_size=1, max_size=8)


@given(length=st.integers(0, 500), key=KEYS)
def test_prose_is_about_as_long_as_asked_for(length: int, key: bytes) -> None:
    text = prose(Chance(key).stream("x"), length)
    assert length - 15 <= len(text) <= length
    assert not text.startswith(" ")
    exact = exact_prose(Chance(key).stream("x"), length)
    assert len(exact) == length
    assert exact == exact.strip()


@given(
    value=st.recursive(
        st.one_of(st.text(max_size=8), st.integers(), st.booleans()),
        lambda inner: st.dictionaries(st.text(max_size=5), inner, max_size=4),
        max_leaves=6,
    ),
    key=st.binary(min_size=1, max_size=8),
)
def test_nearly_json_is_never_json(value: Any, key: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        json.loads(corrupt_json(json.dumps({"reply": value}), Chance(key)))


@given(text=st.text(min_size=1), key=st.binary(max_size=8))
def test_truncated_text_is_a_proper_beginning(text: str, key: bytes) -> None:
    cut = truncate_text(text, Chance(key))
    assert len(cut) < len(text)
    assert text.startswith(cut)


def test_total_is_spread_over_all_kinds() -> None:
    settings = EndpointSettings.with_faults(total=0.2)
    assert sum(getattr(settings, fault) for fault in FAULTS) == pytest.approx(0.2)
    drawn = Counter(draw_fault(settings, Chance(b"%d" % key)) for key in range(22_000))
    assert set(drawn) == {None, *FAULTS}
    # 22,000 requests, each kind 1/60 of them: 367, with a standard deviation of 19.
    assert all(280 < drawn[fault] < 454 for fault in FAULTS)


def test_rates_of_one_leave_no_good_reply() -> None:
    settings = EndpointSettings(dropped=0.5, empty=0.5)
    drawn = {draw_fault(settings, Chance(b"%d" % key)) for key in range(200)}
    assert drawn == {"dropped", "empty"}
