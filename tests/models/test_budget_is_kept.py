"""No run spends more than its budget, however long the replies are and however many at once."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import count

import pytest

from sociolab.core import (
    BudgetSpent,
    CallKey,
    ChatReply,
    Message,
    ModelError,
    Prompt,
    Schema,
    Usage,
)
from sociolab.models import Budget, CachedModel, NullReplyStore, Price
from sociolab.models.budget import FIRST, FIRST_REPLY_TOKENS, Forecast, RunningBound, bytes_of
from sociolab.store.calls import Totals

KEY = CallKey("trial", "judge", "", 0, "judge", 1)
PROMPT = Prompt((Message("user", "word " * 800),))
PRICE = Price(input=1.0, output=10.0)


class Wordy:
    """Writes replies of given lengths, after some steps of the loop; knows how many it was asked
    at once."""

    label = "x/wordy"

    def __init__(self, *tokens: int) -> None:
        self.tokens = tokens
        self.calls = self.at_once = self.most_at_once = 0

    async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
        written = self.tokens[self.calls % len(self.tokens)]
        self.calls += 1
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        for _ in range(5):
            await asyncio.sleep(0)
        self.at_once -= 1
        return ChatReply("...", usage=Usage(1000, min(written, prompt.max_tokens or written)))


def spend(model: Wordy, limit: float, prompt: Prompt = PROMPT, workers: int = 64) -> Budget:
    """Call until the budget is used up; the last words of each worker are the same."""
    budget = Budget(limit)
    kept = CachedModel(model, "http://x/v1", NullReplyStore(), budget, PRICE)
    numbers = count()

    async def work() -> str:
        while True:
            try:
                await kept.complete(prompt, replace(KEY, turn=next(numbers)))
            except BudgetSpent as error:
                return str(error)

    async def go() -> None:
        async with asyncio.timeout(20):
            said = await asyncio.gather(*(work() for _ in range(workers)))
        given = f"{limit:.4f}".removesuffix("00")
        assert all(one.startswith(f"the budget of ${given} is used up") for one in said)

    asyncio.run(go())
    return budget


def test_64_calls_at_once_with_replies_far_longer_than_expected_stay_within_the_budget() -> None:
    model = Wordy(5000, 4700, 5300, 4900, 5200)
    assert min(model.tokens) > 2 * FIRST_REPLY_TOKENS
    budget = spend(model, 4.0)
    assert budget.spent <= 4.0
    assert budget.spent > 4.0 - 0.07  # one more call, of at most $0.064, did not fit
    assert model.most_at_once > 20  # and they were not made one by one


@pytest.mark.parametrize(
    "told", [Usage(), Usage(-(10**9), -(10**9)), Usage(10**30, 10**30), Usage(True, True)]
)
def test_a_budget_holds_against_a_provider_that_counts_no_tokens_or_miscounts(told: Usage) -> None:
    class Uncounted(Wordy):
        async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
            self.calls += 1
            assert self.calls < 1000, "nothing ends this"
            return ChatReply("word " * 300, usage=told)

    model = Uncounted()
    budget = spend(model, 0.5, workers=4)
    # 4,000 bytes read at $1 and 1,500 written at $10 a million tokens, three bytes a token.
    assert budget.spent == pytest.approx(model.calls * (1334 * 1 + 500 * 10) / 1e6)
    assert 0.49 < budget.spent <= 0.5


def test_what_is_known_of_no_reply_is_told_by_the_first_few() -> None:
    model = Wordy(9000)
    budget = Budget(100.0)
    kept = CachedModel(model, "http://x/v1", NullReplyStore(), budget, PRICE)

    async def go() -> None:
        calls = [
            asyncio.ensure_future(kept.complete(PROMPT, replace(KEY, turn=n))) for n in range(64)
        ]
        while model.calls < FIRST:
            assert model.at_once <= 1
            await asyncio.sleep(0)
        await asyncio.gather(*calls)

    asyncio.run(go())
    assert model.most_at_once > FIRST


def test_only_the_first_replies_can_pass_a_budget_and_the_sentence_says_by_how_much() -> None:
    budget = Budget(0.03)
    kept = CachedModel(Wordy(9000), "http://x/v1", NullReplyStore(), budget, PRICE)
    asyncio.run(kept.complete(PROMPT, KEY))
    slack = (9000 - FIRST_REPLY_TOKENS) * PRICE.output / 1e6
    assert 0.03 < budget.spent <= 0.03 + slack
    with pytest.raises(BudgetSpent, match=r"\$0\.0910 spent \(\$0\.0610 above it: a reply was"):
        asyncio.run(kept.complete(PROMPT, replace(KEY, turn=1)))


def test_a_limit_on_tokens_bounds_the_first_replies_too() -> None:
    model = Wordy(9000)
    limited = replace(PROMPT, max_tokens=1500)
    budget = spend(model, 1.0, limited)
    assert 0.98 < budget.spent <= 1.0
    assert model.most_at_once > 40  # nobody need wait for the first


def test_a_call_that_fits_only_without_those_in_flight_waits_for_them() -> None:
    model = Wordy(10)
    budget = spend(model, 0.0301, workers=3)  # what three may cost at most, none of them does
    assert 0.001 < budget.spent <= 0.0301
    assert model.calls > 3


def test_a_call_that_fails_or_is_cancelled_makes_room_for_who_waits() -> None:
    gate = asyncio.Event()

    class Failing(Wordy):
        async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
            if key.turn == 2:
                return await super().complete(prompt, key)
            await gate.wait()
            raise ModelError("gone", cause="connection")

    async def go() -> None:
        budget = Budget(0.03)
        kept = CachedModel(Failing(100), "http://x/v1", NullReplyStore(), budget, PRICE)
        calls = [
            asyncio.ensure_future(kept.complete(PROMPT, replace(KEY, turn=n))) for n in range(3)
        ]
        await asyncio.sleep(0)
        calls[1].cancel()  # while it waits
        await asyncio.sleep(0)
        gate.set()
        found = await asyncio.gather(*calls, return_exceptions=True)
        assert [type(one) for one in found] == [ModelError, asyncio.CancelledError, ChatReply]
        assert budget.spent == pytest.approx(0.002)

    asyncio.run(go())


def test_one_who_is_cancelled_as_its_turn_comes_hands_it_on() -> None:
    async def go() -> None:
        budget = Budget(1.0)
        first = await budget.hold(lambda: 1.0)
        second, third = (asyncio.ensure_future(budget.hold(lambda: 1.0)) for _ in range(2))
        await asyncio.sleep(0)
        budget.release(first)  # wakes the second,
        second.cancel()  # which is gone before it can look
        async with asyncio.timeout(20):
            assert await third == 1.0

    asyncio.run(go())


def test_all_who_fit_go_when_there_is_room() -> None:
    async def go() -> None:
        budget = Budget(1.0)
        first = await budget.hold(lambda: 1.0)
        waiting = [asyncio.ensure_future(budget.hold(lambda: 0.4)) for _ in range(3)]
        await asyncio.sleep(0)
        budget.release(first)
        async with asyncio.timeout(20):
            assert await asyncio.gather(*waiting[:2]) == [0.4, 0.4]
        assert not waiting[2].done()
        waiting[2].cancel()

    asyncio.run(go())


def test_who_waits_first_is_served_first_even_if_it_needs_more() -> None:
    order: list[float] = []

    async def go() -> None:
        budget = Budget(1.0)

        async def call(usd: float) -> None:
            held = await budget.hold(lambda: usd)
            order.append(usd)
            await asyncio.sleep(0)
            budget.release(held)

        await asyncio.gather(*(call(usd) for usd in (0.6, 0.9, 0.3, 0.2)))

    asyncio.run(go())
    assert order == [0.6, 0.9, 0.3, 0.2]


def test_replies_of_an_earlier_part_of_the_run_tell_lengths_too() -> None:
    class Resumed(NullReplyStore):
        def find(self, key: str) -> ChatReply | None:
            return ChatReply("...", usage=Usage(1000, 9000))

    model = Wordy(9000)
    kept = CachedModel(model, "http://x/v1", Resumed(), Budget(1.0), PRICE)
    for turn in range(FIRST):
        asyncio.run(kept.complete(PROMPT, replace(KEY, turn=turn)))
    assert model.calls == 0
    assert PRICE.cost_of(kept._forecasts["judge"].most(bytes_of(PROMPT), None)) == pytest.approx(
        0.091
    )


def test_a_budget_below_what_a_run_has_cost_before_says_so() -> None:
    budget = Budget(0.5)
    budget.carry_over(Totals(9, 0, 0, 0, 0, 0, 2.84, 1.0))
    kept = CachedModel(Wordy(50), "http://x/v1", NullReplyStore(), budget, PRICE)
    with pytest.raises(BudgetSpent, match=r"\$2\.8400 of it before; a budget is for the whole run"):
        asyncio.run(kept.complete(PROMPT, KEY))


def test_roles_are_learned_apart() -> None:
    budget = Budget(100.0)
    kept = CachedModel(Wordy(50), "http://x/v1", NullReplyStore(), budget, PRICE)
    for turn in range(FIRST):
        asyncio.run(kept.complete(PROMPT, replace(KEY, turn=turn)))
    assert kept._forecasts.keys() == {"judge"}
    asyncio.run(kept.complete(PROMPT, replace(KEY, role="agent")))
    assert kept._forecasts["judge"].is_ready
    assert not kept._forecasts["agent"].is_ready


# ---------------------------------------------------------------- forecasts


def test_a_length_is_bounded_by_the_longest_and_four_standard_deviations() -> None:
    seen = RunningBound()
    assert seen.bound == 0
    seen.add(10.0)
    assert seen.bound == 10
    for value in (12.0, 14.0):
        seen.add(value)
    assert seen.bound == pytest.approx(14 + 4 * 2)  # 10, 12, 14 have a standard deviation of 2


def test_before_anything_is_known_a_byte_is_a_token() -> None:
    forecast = Forecast()
    size = bytes_of(Prompt((Message("user", "h\xe9!"),), Schema("S", "{}")))
    assert size == 6
    assert forecast.most(size, None) == Usage(6, FIRST_REPLY_TOKENS, estimated=True)
    assert forecast.most(size, 7) == Usage(6, 7, estimated=True)


def test_a_server_that_counts_more_tokens_than_usual_is_believed() -> None:
    forecast = Forecast()
    forecast.learn(4000, Usage(8000, 10))
    assert forecast.most(4000, 10) == Usage(8000, 10, estimated=True)  # from the first on
    for _ in range(FIRST - 1):
        forecast.learn(4000, Usage(8000, 10))
    assert forecast.most(4000, None) == Usage(8000, 10, estimated=True)


def test_a_cap_that_a_server_passed_bounds_nothing_any_more() -> None:
    forecast = Forecast()
    forecast.learn(100, Usage(25, 30_000), cap=400)
    assert forecast.most(100, 400).completion == 30_000
