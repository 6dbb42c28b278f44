"""What served a run: which prompts were cut, which names are the model that was requested."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from sociolab.core import Served
from sociolab.report.schema import FailedAttempts, ServedEntry
from sociolab.report.served import (
    cut_prompts,
    is_same_model,
    judge_served_apart,
    possible_words,
    served_entries,
    served_warnings,
    served_words,
)
from sociolab.store.calls import ServedCall

X = "openai/x"


def growing(count: int, window: int, bytes_a_token: float = 4.4) -> list[tuple[int, int]]:
    """Prompts that grow by 150 tokens, as a server with this window counts them."""
    chance = random.Random(1)
    sizes = [
        round((300 + 150 * n) * bytes_a_token * chance.uniform(0.95, 1.05)) for n in range(count)
    ]
    return [(min(300 + 150 * n, window), size) for n, size in enumerate(sizes)]


def test_prompts_that_go_on_growing_at_a_ceiling_of_tokens_were_cut() -> None:
    cut = cut_prompts(growing(40, window=4096))
    assert cut is not None
    assert cut.tokens == 4096
    # Of 300 + 150 n tokens, over 4,096 from n = 26 on; the texts themselves vary by 5 %.
    assert cut.positions[0] in (26, 27, 28)
    assert cut.positions == tuple(range(cut.positions[0], 40))


def test_a_window_that_every_prompt_passes_is_noticed_by_usual_bytes_a_token() -> None:
    sizes = [10_000, 11_000, 12_500, 14_000, 16_000]  # 5 and 6 x 2,048 are 10,240 and 12,288
    cut = cut_prompts([(2048, size) for size in sizes])
    assert cut is not None
    assert (cut.tokens, cut.positions) == (2048, (1, 2, 3, 4))
    assert cut_prompts([(2048, size) for size in sizes[:4]]) is None


@pytest.mark.parametrize(
    "prompts",
    [
        [],
        growing(40, window=2**17),
        [(100, size) for size in range(1000, 9000, 100)],
        [(2048, 16_000)] * 20,
        growing(40, 2**17) + [(n, 8 * n) for n in range(5000, 7000, 50)],
        growing(20, 2**17, 8.5),
        [(round(n / 9), 4 * n) for n in range(500, 9000, 50)] + [(9000, 38_000)] * 4,
        [(5000 + n, 41_000 + 4 * n) for n in range(5)],
    ],
    ids=[
        "no calls",
        "a window that is large enough",
        "a server that tells one small number",
        "one prompt again and again",
        "another language beside English",
        "a language of many bytes a token alone",
        "cached tokens that are not counted",
        "long prompts of one length",
    ],
)
def test_what_else_makes_few_tokens_of_many_bytes_is_no_cut(
    prompts: Sequence[tuple[int, int]],
) -> None:
    assert cut_prompts(prompts) is None


@pytest.mark.parametrize(
    ("requested", "returned", "same"),
    [
        ("gpt-x", "gpt-x", True),
        ("gpt-x", "gpt-x-2026-01-01", True),
        ("gpt-x", "GPT-X-0613", True),
        ("gpt-x", "gpt-x-mini", False),
        ("gpt-x", "gpt-xl", False),
        ("gpt-x", "cheap-fallback-3b", False),
        ("gpt-x-2026-01-01", "gpt-x", False),
        ("maker/gpt-x", "gpt-x", True),
        ("gemini-x", "models/gemini-x-001", True),
        ("gemini-x", "gemini-x-preview-05-20", True),
        ("claude-x-latest", "claude-x-20260101", True),
        ("small", "small:latest", True),
        ("small:free", "small", True),
        ("small:0.5b", "small:7b", False),
    ],
)
def test_a_snapshot_of_the_model_that_was_requested_is_no_other_model(
    requested: str, returned: str, same: bool
) -> None:
    assert is_same_model(requested, returned) is same


def call(
    name: str = "x", mark: str = "", left: str = "", role: str = "agent", model: str = X
) -> ServedCall:
    return ServedCall(model, role, name, mark, left, None, 0)


def test_calls_are_counted_by_model_and_role() -> None:
    calls = [
        *[call("x-2026-01-01", "fp_a")] * 2,
        call("cheap-3b", "fp_b"),
        *[call("", left="schema,temperature", role="judge")] * 3,
        call(model="lab/a"),
    ]
    assert served_entries(calls) == (
        ServedEntry(model="lab/a", role="agent", calls=1, returned={"x": 1}),
        ServedEntry(
            model=X,
            role="agent",
            calls=3,
            returned={"x-2026-01-01": 2, "cheap-3b": 1},
            fingerprints={"fp_a": 2, "fp_b": 1},
        ),
        ServedEntry(model=X, role="judge", calls=3, left_out={"schema": 3, "temperature": 3}),
    )


def warned(*calls: ServedCall) -> tuple[str, ...]:
    return tuple(served_warnings(served_entries(calls)))


def test_calls_that_were_served_as_requested_are_warned_of_by_nothing() -> None:
    assert warned(*[call("x-2026-01-01", "fp_a")] * 40, *[call("", role="judge")] * 9) == ()


def test_another_model_and_changes_are_warned_of() -> None:
    assert warned(*[call()] * 37, *[call("cheap-3b\x1b[31m")] * 3) == (
        "openai/x: 3 of 40 calls were answered by cheap-3b\N{REPLACEMENT CHARACTER}[31m",
    )
    assert warned(*[call("x-2026-01-01")] * 30, *[call("x-2026-02-01", role="judge")] * 10) == (
        "the model behind openai/x changed during the run (x-2026-01-01 30 calls, x-2026-02-01 10)",
    )
    prints = [call("x", f"fp_{n}") for n in range(5)]
    assert warned(*prints, prints[0]) == (
        "fingerprint of openai/x changed during the run (fp_0 2 calls, fp_1 1, fp_2 1, 2 more)",
    )


def test_options_that_were_left_out_and_prompts_that_were_cut_are_warned_of() -> None:
    judged = [call(left="temperature", role="judge")] * 21 + [call(role="judge")] * 4
    assert warned(*judged, call()) == ("temperature left out in 21 of 25 judge calls of openai/x",)
    prompts = [ServedCall(X, "agent", "x", "", "", *one) for one in growing(40, 4096)]
    assert warned(*prompts, call(role="judge")) == (
        "prompts cut at 4,096 tokens: 12 of 41 calls of openai/x",
    )


def test_attempts_that_may_have_been_billed_are_told_with_their_amount() -> None:
    assert possible_words(FailedAttempts(count=9, possible=5, possible_usd=0.12)) == (
        "5 attempts may have been billed: ~$0.120, counted at the most that they could cost"
    )
    assert possible_words(FailedAttempts(possible=1)) == "1 attempt may have been billed"


def test_one_call_is_told_in_a_clause() -> None:
    served = Served("x-2026-01-01", "fp_a", ("temperature",), 1024)
    assert served_words(served) == (
        "answered by x-2026-01-01 (fp_a), without temperature, at most 1,024 tokens"
    )
    assert served_words(Served()) == ""


def test_a_judge_that_was_served_otherwise_in_two_runs_is_told() -> None:
    judged = [call("x-1", left="temperature", role="judge")] * 21 + [call("x-1", role="judge")] * 4
    runs = {
        "first": served_entries(judged),
        "second": served_entries([call("x-2", role="judge")] * 30),
        "third": served_entries([call("y")]),
    }
    assert list(judge_served_apart(runs, X)) == [
        "The judge openai/x was called without temperature in 21 of 25 calls in first and 0 of 30 "
        "calls in second.",
        "Calls of the judge openai/x were answered by x-1 in first and x-2 in second.",
    ]
    assert list(judge_served_apart({"first": runs["first"], "again": runs["first"]}, X)) == []
    assert list(judge_served_apart(runs, "openai/other")) == []
