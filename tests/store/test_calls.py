"""Calls are listed by trial, with prompts, failures and totals."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from sociolab.core import (
    Attempt,
    Message,
    ModelError,
    Prompt,
    Role,
    Schema,
    Served,
    StoreError,
    Usage,
)
from sociolab.store import RunReplies, Store
from sociolab.store.calls import (
    CallFailureRow,
    RoleTotals,
    SeatCost,
    Totals,
    common_prefix_length,
    pack,
    unpack,
)

from . import samples


@pytest.fixture
def played(store: Store) -> Store:
    store.create_run("r", "world", {}, samples.plan(3))
    return store


def keep(
    store: Store,
    trial: str,
    turn: int,
    role: Role = "agent",
    usd: float | None = 0.25,
    *,
    estimated: bool = False,
    fault: str = "",
) -> None:
    RunReplies(store, "r").keep(
        f"{trial}/{turn}/{role}",
        samples.call(trial, turn, role),
        "openai/x",
        samples.prompt(f"turn {turn}"),
        replace(samples.reply(usd=usd), usage=Usage(100, 20, 80, estimated=estimated), fault=fault),
    )


def test_calls_are_listed_trial_by_trial_as_they_came(played: Store) -> None:
    before = time.time()
    for trial, turn in (("t2", 0), ("t1", 0), ("t2", 1), ("t1", 1)):
        keep(played, trial, turn)
    rows = list(played.calls.all("r"))
    assert [row.key for row in rows] == ["t1/0/agent", "t1/1/agent", "t2/0/agent", "t2/1/agent"]
    assert [row.key for row in played.calls.all("r", "t2")] == ["t2/0/agent", "t2/1/agent"]
    assert list(played.calls.all("r", "t3")) == []
    assert all(before <= row.at <= time.time() for row in rows)


def test_listing_goes_on_past_a_page(played: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sociolab.store.calls._PAGE", 2)
    for trial in ("t2", "", "t1"):
        for turn in range(3):
            keep(played, trial, turn)
    keys = [(row.call.trial, row.call.turn) for row in played.calls.all("r")]
    assert keys == [(trial, turn) for trial in ("", "t1", "t2") for turn in range(3)]
    assert [row.call.turn for row in played.calls.all("r", "t1")] == [0, 1, 2]


def test_equal_prompts_have_equal_hashes(played: Store) -> None:
    keep(played, "t1", 0)
    keep(played, "t2", 0)
    keep(played, "t3", 1)
    first, second, third = played.calls.all("r")
    assert first.prompt_hash == second.prompt_hash != third.prompt_hash
    assert len(first.prompt_hash) == 32


def test_a_prompt_that_is_damaged_is_not_shown(played: Store) -> None:
    replies = RunReplies(played, "r")
    for turn in range(2):
        call = samples.call(turn=turn)
        replies.keep(f"k{turn}", call, "m", samples.prompt(f"{turn}" * 9), samples.reply())
    first, second = played.calls.all("r")
    played.write("UPDATE calls SET prompt = CAST(replace(prompt, '1', '2') AS BLOB) WHERE pk = 2")
    assert played.calls.prompt(first) == samples.prompt("0" * 9)
    with pytest.raises(StoreError, match=r"the prompt of call 2 in .* is damaged"):
        played.calls.prompt(second)


def test_a_failed_call_is_on_record(played: Store) -> None:
    error = ModelError("no reply in 60 s, 3 times \ud83d", cause="timeout", tries=3)
    RunReplies(played, "r").keep_failure(samples.call(), "openai/x", error, 181.5, at=9.0)
    assert played.calls.failures("r") == (
        CallFailureRow(
            samples.call(), "openai/x", "timeout", "no reply in 60 s, 3 times \ud83d", 3, 181.5, 9.0
        ),
    )


def test_what_was_wrong_with_replies_that_were_used_is_on_record_as_it_came(played: Store) -> None:
    keep(played, "t2", 0, fault="\ud83d -5 prompt tokens", estimated=True)
    keep(played, "t2", 1)
    keep(played, "t1", 0, fault="later")
    assert played.calls.faults("r") == (("t2", "\ud83d -5 prompt tokens"), ("t1", "later"))
    assert [row.reply.usage.estimated for row in played.calls.all("r", "t2")] == [True, False]


def test_totals_add_up_calls_failures_and_all_parts_of_a_run(path: Path) -> None:
    with Store.open(path) as store:
        store.create_run("r", "world", {}, samples.plan(2))
        keep(store, "t1", 0)
        keep(store, "t1", 1, usd=None)
        store.add_seconds("r", 10.0)
    with Store.open(path) as store:
        keep(store, "t2", 0, "judge", usd=0.5, estimated=True)
        error = ModelError("gone", cause="connection")
        RunReplies(store, "r").keep_failure(samples.call(role="judge"), "m", error, 4.0)
        store.add_seconds("r", 5.0)
        assert store.calls.totals("r") == Totals(
            calls=3,
            failed_calls=1,
            estimated_calls=1,
            prompt_tokens=300,
            completion_tokens=60,
            cached_tokens=240,
            usd=0.75,
            seconds=15.0,
            by_role={
                "agent": RoleTotals(2, 0, 0, 200, 40, 160, 0.25, 3.0),
                "judge": RoleTotals(1, 1, 1, 100, 20, 80, 0.5, 5.5),
            },
        )


def test_totals_know_no_price_where_no_call_had_one(played: Store) -> None:
    keep(played, "t1", 0, usd=None)
    assert played.calls.totals("r").usd is None


def test_a_price_of_nothing_is_a_price(played: Store) -> None:
    keep(played, "t1", 0, usd=0.0)
    assert played.calls.totals("r").usd == 0.0


def test_totals_of_a_run_without_calls_are_zero(played: Store) -> None:
    assert played.calls.totals("r") == Totals(0, 0, 0, 0, 0, 0, None, 0.0)


def test_costs_by_trial_and_seat_know_no_price_where_one_is_missing(played: Store) -> None:
    replies = RunReplies(played, "r")
    for n, (trial, role, seat, usd) in enumerate(
        [
            ("t1", "agent", "ann", 0.25),
            ("t1", "agent", "ann", 0.5),
            ("t1", "partner", "bob", 0.0),
            ("t1", "judge", "ann", 8.0),
            ("t2", "agent", "ann", 0.25),
            ("t2", "agent", "ann", None),
        ]
    ):
        call = samples.call(trial, n, role, seat)  # type: ignore[arg-type]
        replies.keep(f"k{n}", call, "m", samples.prompt(f"p{n}"), samples.reply(usd=usd))
    keep(played, "t3", 0, usd=1.0)
    keep(played, "t3", 1, usd=1.0, estimated=True)
    assert played.calls.seat_costs("r") == {
        ("t1", "ann"): SeatCost(0.75, estimated=False),
        ("t1", "bob"): SeatCost(0.0, estimated=False),
        ("t2", "ann"): SeatCost(None, estimated=False),
        ("t3", "ann"): SeatCost(2.0, estimated=True),
    }


def test_what_served_a_call_comes_back_with_its_reply(played: Store) -> None:
    keep(played, "t1", 0)
    (row,) = played.calls.all("r")
    assert row.reply.served == Served("x-2026-01-01", "fp_a", ("temperature", "schema"), 512)
    assert row.reply.reasoned
    assert RunReplies(played, "r").find("t1/0/agent") == row.reply


def test_a_prompt_is_weighed_with_and_without_its_schema_in_bytes(played: Store) -> None:
    replies = RunReplies(played, "r")
    for n, schema in enumerate((Schema("act", '{"é": 1}'), None)):
        prompt = replace(samples.prompt("é \ud83d"), schema=schema)
        replies.keep(f"k{n}", samples.call(turn=n), "m", prompt, samples.reply())
    text = len("You are Ann.") + 2 + 1 + 3
    assert [row.prompt_bytes for row in played.calls.all("r")] == [text + 9, text]
    assert [call.text_bytes for call in played.calls.served("r")] == [text, text]
    assert [call.tokens for call in played.calls.served("r")] == [100, 100]


def test_each_attempt_is_a_row_of_the_ledger(played: Store) -> None:
    replies, call = RunReplies(played, "r"), samples.call("t2")
    replies.keep_attempt(call, "m", samples.attempt("no", None), at=1.0)
    replies.keep_attempt(call, "m", replace(samples.attempt("estimated"), number=2), at=2.0)
    replies.keep("k", call, "m", samples.prompt("Go."), samples.reply(), at=3.0)
    replies.keep_attempt(samples.call("t1"), "m", samples.attempt("possible"), at=9.0)
    rows = list(played.calls.ledger("r"))
    assert [(row.call.trial, row.at, row.attempt.billed) for row in rows] == [
        ("t1", 9.0, "possible"),
        ("t2", 1.0, "no"),
        ("t2", 2.0, "estimated"),
        ("t2", 3.0, "told"),
    ]
    assert rows[1].attempt == samples.attempt("no", None)
    assert rows[2].attempt == replace(samples.attempt("estimated"), number=2)
    assert rows[3].attempt == Attempt(2, 1.5, None, "told", Usage(100, 20, 80), 0.25)


def test_totals_hold_what_failed_attempts_cost(played: Store) -> None:
    keep(played, "t1", 0)
    replies = RunReplies(played, "r")
    for n, (billed, usd) in enumerate(
        (("told", 0.125), ("estimated", 0.25), ("possible", 0.5), ("possible", 1.0), ("no", None))
    ):
        attempt = samples.attempt(billed, usd)  # type: ignore[arg-type]
        replies.keep_attempt(samples.call("t1", n, "judge"), "m", attempt)
    found = played.calls.totals("r")
    assert (found.calls, found.failed_calls, found.estimated_calls) == (1, 0, 0)
    assert (found.usd, found.prompt_tokens, found.completion_tokens) == (2.125, 400, 70)
    assert (found.failed_attempts, found.failed_usd, found.estimated_attempts) == (5, 1.875, 1)
    assert (found.possible_attempts, found.possible_usd, found.estimated) == (2, 1.5, True)
    assert found.by_role["agent"] == RoleTotals(1, 0, 0, 100, 20, 80, 0.25, 1.5)
    assert found.by_role["judge"].usd == 1.875
    assert not found.by_role["agent"].estimated


def test_costs_of_seats_hold_failed_attempts_but_those_that_cost_nothing(played: Store) -> None:
    keep(played, "t1", 0)
    keep(played, "t2", 0)
    replies = RunReplies(played, "r")
    for n, (trial, billed, usd) in enumerate(
        [("t1", "told", 0.5), ("t1", "no", None), ("t2", "possible", 1.0), ("t3", "no", None)]
    ):
        attempt = samples.attempt(billed, usd)  # type: ignore[arg-type]
        replies.keep_attempt(samples.call(trial, n), "m", attempt)
    assert played.calls.seat_costs("r") == {
        ("t1", "ann"): SeatCost(0.75, estimated=False),
        ("t2", "ann"): SeatCost(1.25, estimated=True),
    }


few = st.text(st.sampled_from("ab\ud83dé"), max_size=12)


@given(samples.prompts, st.none() | samples.prompts)
def test_any_prompt_comes_back_whatever_its_base(prompt: Prompt, base: Prompt | None) -> None:
    assert unpack(pack(prompt, base), base, prompt.schema) == prompt


@given(few, few, few)
def test_shared_counts_the_leading_characters_in_common(head: str, a: str, b: str) -> None:
    old, new = head + a, head + b
    count = common_prefix_length(old, new)
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
