"""Replies are kept as they are paid for, found again, and on disk soon."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from sociolab.core import CallKey, ChatReply, ModelError, Prompt, ReplyStore, StoreError
from sociolab.store import RunReplies, Store, database

from . import samples


@pytest.fixture
def played(store: Store) -> Store:
    store.create_run("r", "world", {}, samples.plan(3))
    return store


def count(path: Path, table: str) -> int:
    """How many rows another process sees."""
    with Store.open(path, create=False) as reader:
        return int(reader.row(f"SELECT count(*) FROM {table}")[0])


def test_it_is_a_reply_store(played: Store) -> None:
    replies: ReplyStore = RunReplies(played, "r")
    assert replies.find("k") is None


def test_a_kept_reply_is_found_at_once_and_after_a_restart(path: Path) -> None:
    with Store.open(path) as store:
        store.create_run("r", "world", {}, ())
        replies = RunReplies(store, "r")
        replies.keep("k", samples.call(), "m", samples.prompt("Go."), samples.reply("Hi."))
        assert replies.find("k") == samples.reply("Hi.")
        assert replies.find("other") is None
    with Store.open(path) as store:
        assert RunReplies(store, "r").find("k") == samples.reply("Hi.")


def test_another_run_never_finds_it(played: Store) -> None:
    played.create_run("other", "world", {}, ())
    other = RunReplies(played, "other")
    other.keep("mine", samples.call(), "m", samples.prompt("Go."), samples.reply())
    RunReplies(played, "r").keep("k", samples.call(), "m", samples.prompt("Go."), samples.reply())
    assert other.find("k") is None


_names = itertools.count()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(samples.texts, samples.replies, samples.prompts)
def test_any_reply_comes_back_as_it_was(
    store: Store, key: str, reply: ChatReply, prompt: Prompt
) -> None:
    run = f"r{next(_names)}"
    store.create_run(run, "world", {}, ())
    call = CallKey("t\ud83d", "judge", "s\ud83d", 3, "n\ud83d", 2, 1)
    RunReplies(store, run).keep(key, call, "m\ud83d", prompt, reply)
    assert RunReplies(store, run).find(key) == reply
    (row,) = store.calls.all(run)
    assert (row.key, row.call, row.model, row.reply) == (key, call, "m\ud83d", reply)
    assert store.calls.prompt(row) == prompt


keeping = st.tuples(st.sampled_from("ab"), st.sampled_from("xy"), samples.prompts, st.booleans())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(keeping, max_size=8))
def test_every_prompt_is_rebuilt_whatever_came_before(
    store: Store, kept: list[tuple[str, str, Prompt, bool]]
) -> None:
    run = f"p{next(_names)}"
    store.create_run(run, "world", {}, ())
    replies = RunReplies(store, run)
    for number, (trial, seat, prompt, over) in enumerate(kept):
        call = samples.call(trial, number, seat=seat)
        replies.keep(f"k{number}", call, "m", prompt, samples.reply())
        if over:
            replies.release(trial)
    wanted = {f"k{number}": prompt for number, (_, _, prompt, _) in enumerate(kept)}
    assert {row.key: store.calls.prompt(row) for row in store.calls.all(run)} == wanted
    assert {row.key: prompt for row, prompt in store.calls.with_prompts(run)} == wanted


def test_a_growing_history_is_stored_once(played: Store) -> None:
    replies = RunReplies(played, "r")
    lines = [f"Ann said, number {n}, that it was getting rather late." for n in range(40)]
    for turn in range(40):
        prompt = samples.prompt("\n".join([*lines[:turn], "Your move."]))
        replies.keep(f"k{turn}", samples.call(turn=turn), "m", prompt, samples.reply())
    (stored,) = played.row("SELECT sum(length(prompt)) FROM calls")
    assert stored < 3 * len("\n".join(lines))


def test_released_prompts_are_forgotten(played: Store) -> None:
    replies = RunReplies(played, "r")
    for trial in ("t1", "t2"):
        replies.keep(trial, samples.call(trial), "m", samples.prompt("x" * 99), samples.reply())
    replies.release("t1")
    replies.release("never seen")
    assert set(replies._last) == {"t2"}


def test_prompts_that_nobody_releases_do_not_pile_up(
    played: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sociolab.store.calls._MOST_REMEMBERED", 2)
    replies = RunReplies(played, "r")
    for trial in ("t1", "t2", "t3"):
        replies.keep(trial, samples.call(trial), "m", samples.prompt("Go."), samples.reply())
    assert set(replies._last) == {"t2", "t3"}


def test_a_schema_is_stored_once_for_the_run(played: Store, path: Path) -> None:
    for part in range(2):
        replies = RunReplies(played, "r")
        for n, schema in enumerate(("{}", "{}", '{"x":1}')):
            prompt = samples.prompt("Go.", schema)
            replies.keep(f"k{part}{n}", samples.call(turn=n), "m", prompt, samples.reply())
    assert count(path, "schemas") == 2


def test_two_calls_under_one_key_are_refused(played: Store) -> None:
    replies = RunReplies(played, "r")
    replies.keep("k", samples.call(), "m", samples.prompt("Go."), samples.reply())
    with pytest.raises(StoreError, match="two calls of this run have the same key"):
        replies.keep("k", samples.call(), "m", samples.prompt("Go."), samples.reply())


def test_without_an_event_loop_a_reply_is_on_disk_at_once(played: Store, path: Path) -> None:
    replies = RunReplies(played, "r")
    replies.keep("k", samples.call(), "m", samples.prompt("Go."), samples.reply())
    assert count(path, "calls") == 1
    replies.keep_failure(samples.call(), "m", ModelError("gone", cause="timeout"), 1.0)
    assert count(path, "call_failures") == 1


@pytest.fixture
def _no_grouping(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "BETWEEN_COMMITS", 0.0)


@pytest.mark.usefixtures("_no_grouping")
def test_replies_of_one_round_of_the_loop_are_committed_at_its_end(
    played: Store, path: Path
) -> None:
    async def scenario() -> None:
        replies = RunReplies(played, "r")
        for n in range(3):
            replies.keep(f"k{n}", samples.call(), "m", samples.prompt("Go."), samples.reply())
        assert count(path, "calls") == 0
        await asyncio.sleep(0)
        assert count(path, "calls") == 3
        replies.keep_failure(samples.call(), "m", ModelError("gone", cause="timeout"), 1.0)
        assert count(path, "call_failures") == 0
        await asyncio.sleep(0)
        assert count(path, "call_failures") == 1

    asyncio.run(scenario())


def test_replies_that_come_soon_after_a_commit_share_the_next_one(
    played: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "BETWEEN_COMMITS", 0.2)

    async def scenario() -> None:
        replies = RunReplies(played, "r")
        replies.keep("k0", samples.call(), "m", samples.prompt("Go."), samples.reply())
        await asyncio.sleep(0)
        assert count(path, "calls") == 1  # the first waits for nothing
        for n in (1, 2):
            replies.keep(f"k{n}", samples.call(), "m", samples.prompt("Go."), samples.reply())
            played.append("r", "t1", samples.moved(n - 1))
            await asyncio.sleep(0)
        assert (count(path, "calls"), count(path, "events")) == (1, 0)
        await asyncio.sleep(0.25)
        assert (count(path, "calls"), count(path, "events")) == (3, 2)

    asyncio.run(scenario())


def test_a_reply_and_the_event_it_leads_to_are_on_disk_together(played: Store, path: Path) -> None:
    async def scenario() -> None:
        replies = RunReplies(played, "r")
        replies.keep("k", samples.call(), "m", samples.prompt("Go."), samples.reply())
        assert count(path, "calls") == 0
        played.append("r", "t1", samples.moved(0))
        assert (count(path, "calls"), count(path, "events")) == (1, 1)

    asyncio.run(scenario())


def test_a_round_that_never_came_holds_no_later_event_back(played: Store, path: Path) -> None:
    async def stopped() -> None:
        replies = RunReplies(played, "r")
        replies.keep("k", samples.call(), "m", samples.prompt("Go."), samples.reply())
        asyncio.get_running_loop().stop()

    loop = asyncio.new_event_loop()
    task = loop.create_task(stopped())
    with contextlib.suppress(RuntimeError):
        loop.run_forever()
    played.append("r", "t1", samples.moved(0))
    assert (count(path, "calls"), count(path, "events")) == (1, 1)
    loop.close()
    assert task.done()


@pytest.mark.usefixtures("_no_grouping")
def test_a_loop_that_ends_too_soon_loses_nothing_and_the_next_one_commits(
    played: Store, path: Path
) -> None:
    replies = RunReplies(played, "r")

    def keep(key: str) -> None:
        replies.keep(key, samples.call(), "m", samples.prompt("Go."), samples.reply())

    loop = asyncio.new_event_loop()
    loop.call_soon(loop.stop)
    loop.call_soon(keep, "k1")
    loop.run_forever()
    loop.close()
    assert count(path, "calls") == 0

    async def next_one() -> None:
        keep("k2")
        await asyncio.sleep(0)
        assert count(path, "calls") == 2

    asyncio.run(next_one())


def test_a_store_closed_before_the_round_ends_holds_the_reply(path: Path) -> None:
    async def scenario() -> None:
        with Store.open(path) as store:
            store.create_run("r", "world", {}, ())
            replies = RunReplies(store, "r")
            replies.keep("k", samples.call(), "m", samples.prompt("Go."), samples.reply())
        await asyncio.sleep(0)

    asyncio.run(scenario())
    assert count(path, "calls") == 1


def test_a_transaction_that_fails_takes_no_earlier_reply_with_it(played: Store) -> None:
    async def scenario() -> None:
        replies = RunReplies(played, "r")
        replies.keep("k", samples.call(), "m", samples.prompt("Go."), samples.reply())
        with pytest.raises(StoreError, match="already"):
            played.create_run("r", "world", {}, ())
        assert replies.find("k") is not None

    asyncio.run(scenario())


def test_a_commit_that_failed_behind_the_scenes_is_told_to_the_next_who_writes(
    played: Store, path: Path
) -> None:
    async def scenario() -> None:
        replies = RunReplies(played, "r")
        replies.keep("k", samples.call(), "m", samples.prompt("Go."), samples.reply())
        played.execute("PRAGMA defer_foreign_keys = ON")
        played.execute("INSERT INTO events VALUES (777, 0, 'of no trial')")
        await asyncio.sleep(0.02)  # the commit is refused
        with pytest.raises(StoreError, match="FOREIGN KEY"):
            played.append("r", "t1", samples.moved(0))
        played.append("r", "t1", samples.moved(0))

    asyncio.run(scenario())
    assert (count(path, "calls"), count(path, "events")) == (0, 1)
