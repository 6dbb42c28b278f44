"""Events and trials as text, and back."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given

from casts import seated
from event_strategies import events
from sociolab.core import (
    Action,
    Event,
    Moved,
    StoreError,
    Task,
    Trial,
    decode_event,
    decode_trial,
    encode_event,
    encode_trial,
)
from sociolab.testing import STOCK_ACTIONS

TRIAL = Trial(
    "0a1b",
    "sotopia",
    Task("t1", ("a", "b"), "scenario 1", '{"x": "\\u00e9"}', ("hard", "bargain")),
    (seated("a", "openai/x", "s1"), seated("b", "scripted")),
    repeat=2,
    seed=7,
)


@given(events(STOCK_ACTIONS, ("a", "b", "c")))
def test_any_event_comes_back_as_it_was(event: Event) -> None:
    text = encode_event(event)
    assert decode_event(text) == event
    assert "\n" not in text


def test_an_event_is_a_short_array() -> None:
    move = Moved(3, "a", (Action("speak", "Hé.", ("b",)),), 2, {"n": 1})
    assert encode_event(move) == '["moved",3,"a",[["speak","Hé.",["b"]]],2,{"n":1}]'


def test_a_trial_comes_back_as_it_was() -> None:
    assert decode_trial(encode_trial(TRIAL)) == TRIAL
    bare = encode_trial(replace(TRIAL, task=Task("", (), "", "")))
    assert decode_trial(bare, TRIAL.task) == TRIAL


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        "7",
        "{}",
        '["flew",1]',
        '["moved",1,"a"]',
        '["moved",1,"a",[[]],1,null]',
        '["answered",1]',
        '["unusable"]',
        '["ended",1,2,3,4]',
    ],
)
def test_what_is_no_event_is_a_store_error(text: str) -> None:
    with pytest.raises(StoreError, match="an event in the store"):
        decode_event(text)


@pytest.mark.parametrize("field", ["id", "task", "cast", "seed"])
def test_what_is_no_trial_is_a_store_error(field: str) -> None:
    row = json.loads(encode_trial(TRIAL))
    del row[field]
    with pytest.raises(StoreError, match="a trial in the store"):
        decode_trial(json.dumps(row))


@pytest.mark.parametrize("text", ["", "[]", "7", '{"task": 1}'])
def test_other_text_is_no_trial(text: str) -> None:
    with pytest.raises(StoreError):
        decode_trial(text)
