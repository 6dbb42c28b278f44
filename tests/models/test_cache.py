"""Replies that are kept, priced and paid from a budget."""

from __future__ import annotations

import asyncio
from dataclasses import fields, replace

import pytest

from fake_models import FakeModel
from sociolab.core import (
    Attempt,
    BudgetSpent,
    CallKey,
    ChatModel,
    ChatReply,
    Message,
    ModelError,
    Prompt,
    Schema,
    Usage,
)
from sociolab.models import Budget, CachedModel, NullReplyStore, Price, reply_key
from sociolab.models.budget import estimate_tokens

KEY = CallKey("trial", "agent", "ada", 3, "act", 1)
PROMPT = Prompt((Message("system", "a"), Message("user", "b")), Schema("S", "{}"), 1.0, 50)
PRICE = Price(input=1.0, output=2.0, cached=0.5)
MILLION = Usage(1_000_000, 1_000_000, 400_000)


class Kept:
    """A reply store in memory."""

    def __init__(self) -> None:
        self.replies: dict[str, ChatReply] = {}
        self.failures: list[tuple[CallKey, ModelError]] = []
        self.attempts: list[Attempt] = []

    def find(self, key: str) -> ChatReply | None:
        return self.replies.get(key)

    def keep(self, key: str, call: CallKey, model: str, prompt: Prompt, reply: ChatReply) -> None:
        assert key not in self.replies
        self.replies[key] = reply

    def keep_failure(self, call: CallKey, model: str, error: ModelError, seconds: float) -> None:
        self.failures.append((call, error))

    def begin_attempt(self) -> None:
        pass

    def keep_attempt(self, call: CallKey, model: str, attempt: Attempt) -> None:
        self.attempts.append(attempt)


def complete(model: ChatModel, key: CallKey = KEY, prompt: Prompt = PROMPT) -> ChatReply:
    return asyncio.run(model.complete(prompt, key))


def kept(
    inner: ChatModel, store: Kept, budget: Budget | None = None, price: Price | None = None
) -> CachedModel:
    return CachedModel(inner, "http://x/v1", store, budget or Budget(), price)


# ---------------------------------------------------------------- keys


def test_a_stored_reply_is_found_again_and_not_asked_for() -> None:
    store = Kept()
    first = complete(kept(FakeModel("Hi."), store))
    assert complete(kept(FakeModel(), store)) == first
    assert len(store.replies) == 1


OTHER_KEYS = [
    replace(KEY, trial="other"),
    replace(KEY, role="judge"),
    replace(KEY, seat="ben"),
    replace(KEY, turn=4),
    replace(KEY, name="mood"),
    replace(KEY, attempt=2),
    replace(KEY, index=1),
]


@pytest.mark.parametrize("key", OTHER_KEYS)
def test_another_trial_role_seat_turn_question_attempt_or_repeat_is_another_call(
    key: CallKey,
) -> None:
    store = Kept()
    model = kept(FakeModel("one", "two"), store)
    assert [complete(model).text, complete(model, key).text] == ["one", "two"]


def test_every_part_of_a_call_is_tried_above() -> None:
    changed = {
        f.name for k in OTHER_KEYS for f in fields(k) if getattr(k, f.name) != getattr(KEY, f.name)
    }
    assert changed == {field.name for field in fields(CallKey)}


@pytest.mark.parametrize(
    "prompt",
    [
        replace(PROMPT, messages=(Message("system", "a"), Message("user", "c"))),
        replace(PROMPT, messages=(Message("user", "a"), Message("user", "b"))),
        replace(PROMPT, messages=(Message("system", "ab"), Message("user", ""))),
        replace(PROMPT, messages=(*PROMPT.messages, Message("user", ""))),
        replace(PROMPT, schema=Schema("S", "[]")),
        replace(PROMPT, schema=None),
        replace(PROMPT, temperature=0.0),
        replace(PROMPT, temperature=None),
        replace(PROMPT, max_tokens=51),
        replace(PROMPT, max_tokens=None),
        replace(PROMPT, penalties=0.0),
    ],
)
def test_another_prompt_is_another_call(prompt: Prompt) -> None:
    assert reply_key("u", "m", prompt, KEY) != reply_key("u", "m", PROMPT, KEY)


def test_options_are_a_part_of_the_key_and_none_are_none() -> None:
    plain = reply_key("u", "m", PROMPT, KEY)
    assert reply_key("u", "m", PROMPT, KEY, "") == plain
    others = {reply_key("u", "m", PROMPT, KEY, text) for text in ('{"top_k": 1}', '{"top_k": 2}')}
    assert len({plain, *others}) == 3


def test_another_endpoint_or_model_is_another_call() -> None:
    found = {
        reply_key(*names, PROMPT, KEY) for names in [("u", "m"), ("v", "m"), ("u", "n"), ("um", "")]
    }
    assert len(found) == 4


def test_half_a_surrogate_pair_has_a_key_too() -> None:
    odd = replace(PROMPT, messages=(Message("user", "\ud83d"),))
    assert len(reply_key("u", "m", odd, KEY)) == 32


# ---------------------------------------------------------------- money


def nothing_is_held(budget: Budget) -> bool:
    """Whether all that is left may be held by one call."""
    left = (budget.limit or 0.0) - budget.spent
    return asyncio.run(budget.hold(lambda: left)) == left


def test_a_price_counts_what_was_read_afresh_from_the_cache_and_written() -> None:
    assert PRICE.cost_of(MILLION) == pytest.approx(0.6 * 1.0 + 0.4 * 0.5 + 2.0)
    assert Price(1.0, 2.0).cost_of(MILLION) == pytest.approx(3.0)
    assert Price(1.0, 2.0, 0.5).cost_of(Usage(10, 0, 20)) == pytest.approx(10e-6)


def test_tokens_are_a_quarter_of_the_characters() -> None:
    assert estimate_tokens(Prompt((Message("user", "x" * 4000),), Schema("S", "y" * 400))) == 1100


def test_a_call_is_priced_and_booked() -> None:
    store, budget = Kept(), Budget()
    reply = complete(kept(FakeModel(ChatReply("Hi.", usage=MILLION)), store, budget, PRICE))
    assert reply.usd == pytest.approx(2.8)
    assert budget.spent == pytest.approx(2.8)
    assert next(iter(store.replies.values())).usd == reply.usd


def test_without_a_price_the_price_is_unknown_and_not_zero() -> None:
    assert complete(kept(FakeModel("Hi."), Kept())).usd is None


def test_a_call_that_could_pass_the_limit_is_not_made() -> None:
    model, store, budget = FakeModel(), Kept(), Budget(limit=1.0)
    budget.spend(0.9999)
    with pytest.raises(BudgetSpent, match=r"the budget of \$1\.00 is used up: \$0\.9999 spent"):
        complete(kept(model, store, budget, PRICE))
    assert not model.calls
    assert not store.failures


def test_a_budget_that_estimates_have_gone_into_says_about_how_much_is_spent() -> None:
    budget = Budget(limit=0.0002)
    complete(kept(FakeModel(ChatReply("x" * 600)), Kept(), budget, PRICE))
    with pytest.raises(BudgetSpent, match=r": ~\$0\.0004 spent \(~\$0\.0002 above it"):
        complete(kept(FakeModel(), Kept(), budget, PRICE), replace(KEY, turn=4))


def test_a_failed_call_is_kept_costs_nothing_and_lets_its_promise_go() -> None:
    store, budget = Kept(), Budget(limit=1.0)
    gone = ModelError("gone", cause="connection", tries=6)
    with pytest.raises(ModelError, match="gone"):
        complete(kept(FakeModel(gone), store, budget, PRICE))
    assert store.failures == [(KEY, gone)]
    assert not store.replies
    assert nothing_is_held(budget)
    assert budget.spent == 0.0


def test_a_cancelled_call_lets_its_promise_go() -> None:
    budget = Budget(limit=1.0)

    class Stuck:
        label = "stuck"

        async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
            await asyncio.sleep(60)
            raise AssertionError

    async def go() -> None:
        call = asyncio.ensure_future(kept(Stuck(), Kept(), budget, PRICE).complete(PROMPT, KEY))
        await asyncio.sleep(0)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    asyncio.run(go())
    assert nothing_is_held(budget)


def test_an_impossible_usage_of_any_provider_is_kept_as_an_estimate_and_a_fault() -> None:
    store = Kept()
    told = ChatReply("abcdef", usage=Usage(5, -1))
    reply = complete(kept(FakeModel(told), store, price=PRICE))
    assert reply.usage == Usage(2, 2, estimated=True)  # four bytes read, six written
    assert reply.usd == pytest.approx((2 * 1 + 2 * 2) / 1e6)
    assert reply.fault == "expected token counts from 0 to 2^31, found -1 as completion tokens"
    assert list(store.replies.values()) == [reply]


def test_a_store_that_keeps_nothing_finds_nothing() -> None:
    store = NullReplyStore()
    store.keep("k", KEY, "m", PROMPT, ChatReply("Hi."))
    store.keep_failure(KEY, "m", ModelError("x", cause="timeout"), 1.0)
    assert store.find("k") is None
