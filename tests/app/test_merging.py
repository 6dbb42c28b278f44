"""Shards of a run, played apart and put together, are the run that one process plays."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bundles import text_of
from sociolab import JudgeConfig, Progress, RunConfig, judge_run, result_of, run
from sociolab.app import config_of, merge
from sociolab.core import (
    Attempt,
    CallKey,
    ChatReply,
    ConfigError,
    Ended,
    Moved,
    Prompt,
    Score,
    Served,
    StoreError,
    Usage,
)
from sociolab.endpoint import EndpointProcess, EndpointSettings, start_in_process
from sociolab.runner import Shard
from sociolab.store import RunReplies, Store, export_run

VARYING = {"created", "seconds"}


@pytest.fixture(scope="module")
def endpoint() -> Iterator[EndpointProcess]:
    with start_in_process(EndpointSettings(leave_rate=0.1, characters=40)) as process:
        yield process


def play(store: Path, shard: str | None = None, **more: Any) -> None:
    given = {"world": "sotopia", "limit": 8, "seed": 1, "name": "big", **more}
    run(RunConfig(store=store, shard=shard, **given))


def shards(folder: Path, count: int, **more: Any) -> list[Path]:
    paths = [folder / f"s{number}.db" for number in range(1, count + 1)]
    for number, path in enumerate(paths, 1):
        play(path, f"{number}/{count}", **more)
    return paths


def document(path: Path) -> dict[str, Any]:
    """The result JSON of the run but for times, and what hangs on the provider's cache."""
    with Store.open(path, create=False) as store:
        found: dict[str, Any] = json.loads(result_of(store, "big").as_json())
    del found["tokens"]["cached"]
    return {key: value for key, value in found.items() if key not in VARYING}


def exported(path: Path, folder: Path) -> str:
    with Store.open(path, create=False) as store:
        export_run(store, "big", folder / "export.zip")
    return text_of(folder / "export.zip")


def test_a_shard_is_the_same_in_whatever_order_its_plan_is_listed(tmp_path: Path) -> None:
    ids = [f"{n:04x}" for n in range(103)]
    assert Shard(3, 16).pick(ids) == Shard(3, 16).pick(reversed(ids))
    other = "python:sociolab.testing.players:AnyPlayer"
    play(tmp_path / "half.db", "1/2", agents=("scripted",), partner=other)
    with Store.open(tmp_path / "half.db", create=False) as store:
        cast = [row.trial.cast for row in store.trials("big") if row.status == "played"]
    first = {members[0].agent for members in cast}
    assert first == {"scripted", other}, "an agent does not gather in one shard"


def test_shards_share_a_plan_to_one_trial() -> None:
    ids = [f"{n:04x}" for n in range(103)]
    parts = [Shard(number, 16).pick(ids) for number in range(1, 17)]
    assert sorted(one for part in parts for one in part) == ids
    assert {len(part) for part in parts} == {6, 7}
    assert Shard.parse("3/16") == Shard(3, 16)


@pytest.mark.parametrize("text", ["0/3", "4/3", "3", "a/b", "1/0", "-1/3", "1/3/2", "²/3"])
def test_what_is_no_shard_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match=r"shard: expected I/N with I from 1 to N"):
        config_of({"shard": text, "name": "x"}, "run")


def test_merged_shards_of_a_model_run_are_the_run_of_one_process(
    tmp_path: Path, endpoint: EndpointProcess
) -> None:
    models: dict[str, Any] = {"agents": ("openai/a", "openai/b"), "judges": ("openai/j",)}
    models |= {"base_url": endpoint.url, "limit": 3}
    play(tmp_path / "one.db", **models)
    parts = shards(tmp_path, 3, **models)
    (found,) = merge(tmp_path / "all.db", parts[::-1])
    assert (found.run.played, found.taken) == (12, 12)
    assert document(tmp_path / "all.db") == document(tmp_path / "one.db")
    judged = JudgeConfig(judges=("openai/k",), base_url=endpoint.url)
    for number, part in enumerate(parts, 1):  # taken out of the whole, and judged apart
        part.unlink()
        merge(part, [tmp_path / "all.db"], shard=Shard(number, 3))
        shard = f"{number}/3"
        judge_run("big", judged.model_copy(update={"store": part, "shard": shard}), repeats=1)
    merge(tmp_path / "all.db", parts)
    judge_run("big", judged.model_copy(update={"store": tmp_path / "one.db"}), repeats=1)
    assert document(tmp_path / "all.db") == document(tmp_path / "one.db")


def test_to_merge_again_changes_nothing(tmp_path: Path) -> None:
    parts = shards(tmp_path, 2)
    merge(tmp_path / "all.db", parts)
    before = exported(tmp_path / "all.db", tmp_path)
    assert [run.taken for run in merge(tmp_path / "all.db", [*parts, parts[0]])] == [0]
    assert exported(tmp_path / "all.db", tmp_path) == before


def test_what_attempts_cost_and_what_served_calls_is_merged_once(tmp_path: Path) -> None:
    parts = shards(tmp_path, 2)
    served = Served("x-2026-01-01", "fp_a", ("temperature",), 512)
    for path in parts:
        with Store.open(path) as part:
            played, *_ = part.trial_ids("big", "played")
            replies = RunReplies(part, "big")
            for trial in (played, f"of no plan, {path.name}"):
                call = CallKey(trial, "agent", "ann", 0, "act", 1)
                for usd, at in ((0.25, 1.0), (0.5, 2.0)):
                    attempt = Attempt(1, 0.5, "timeout", "possible", Usage(10, 2), usd)
                    replies.keep_attempt(call, "openai/x", attempt, at=at)
                reply = ChatReply("Hi.", usage=Usage(10, 2), served=served, reasoned=True)
                replies.keep(f"{path}{trial}", call, "openai/x", Prompt(()), reply, at=3.0)
    merge(tmp_path / "all.db", [*parts, parts[0]])
    assert [run.taken for run in merge(tmp_path / "all.db", parts)] == [0]
    with Store.open(tmp_path / "all.db") as store:
        totals, ledger = store.calls.totals("big"), list(store.calls.ledger("big"))
        assert (totals.possible_attempts, totals.possible_usd) == (8, 3.0)
        assert [row.attempt.billed for row in ledger].count("told") == 4
        assert len(ledger) == 12
        assert {row.reply.served for row in store.calls.all("big")} == {served}
        assert all(row.reply.reasoned for row in store.calls.all("big"))


def test_a_shard_that_was_cut_off_is_merged_as_far_as_it_came_and_again_when_it_is_done(
    tmp_path: Path, endpoint: EndpointProcess
) -> None:
    models: dict[str, Any] = {"agents": ("openai/a",), "judges": ("openai/j",)}
    models["base_url"] = endpoint.url
    config = RunConfig(
        store=tmp_path / "s1.db", name="big", seed=1, limit=8, shard="1/2", episodes=2, **models
    )

    def stop(progress: Progress) -> None:
        if progress.done == 2:
            raise RuntimeError("cut off")

    with pytest.raises(RuntimeError, match="cut off"):
        run(config, on_progress=stop)
    play(tmp_path / "s2.db", "2/2", **models)
    parts = [tmp_path / "s1.db", tmp_path / "s2.db"]
    assert merge(tmp_path / "all.db", parts)[0].run.played < 8
    run(config)
    merge(tmp_path / "all.db", parts)
    play(tmp_path / "one.db", **models)
    whole, one = document(tmp_path / "all.db"), document(tmp_path / "one.db")
    # The requests under way when it was cut off may have been billed.
    assert whole["failed_attempts"]["possible"] == whole["failed_attempts"]["count"] > 0
    for paid in ("failed_attempts", "tokens"):
        del whole[paid], one[paid]
    assert whole == one


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ({"seed": 2}, "seed 1, in .*t.db 2"),
        ({"limit": 7}, "limit 8, in .*t.db 7"),
        ({"world": "stss-talk"}, "world sotopia, in .*t.db stss-talk"),
    ],
)
def test_a_part_of_another_run_is_refused_with_what_differs_and_nothing_is_made(
    tmp_path: Path, other: dict[str, Any], told: str
) -> None:
    play(tmp_path / "s1.db", "1/2")
    play(tmp_path / "t.db", "2/2", **other)
    with pytest.raises(ConfigError, match=told):
        merge(tmp_path / "all.db", [tmp_path / "s1.db", tmp_path / "t.db"])
    assert not (tmp_path / "all.db").exists()


def test_parts_that_are_not_there_or_empty_are_refused(tmp_path: Path) -> None:
    play(tmp_path / "s1.db", "1/2")
    Store.open(tmp_path / "empty.db").close()
    with pytest.raises(ConfigError, match=r"empty\.db holds no run"):
        merge(tmp_path / "all.db", [tmp_path / "s1.db", tmp_path / "empty.db"])
    with pytest.raises(StoreError, match="there is no store at"):
        merge(tmp_path / "all.db", [tmp_path / "s1.db", tmp_path / "gone.db"])
    assert not (tmp_path / "all.db").exists()


def test_an_episode_that_was_played_in_two_ways_is_named_and_nothing_is_taken(
    tmp_path: Path,
) -> None:
    parts = shards(tmp_path, 2)
    merge(tmp_path / "all.db", parts)
    with Store.open(parts[0]) as part:
        trial = part.trial_ids("big", "played")[0]
        events = part.events("big", trial)
        part.play_anew("big", trial)
        for event in events:
            if not isinstance(event, Moved | Ended):
                part.append("big", trial, event)
        part.set_status("big", trial, "played")
    before = exported(tmp_path / "all.db", tmp_path)
    with pytest.raises(ConfigError, match=f"the episode {trial} was played in both"):
        merge(tmp_path / "all.db", parts)
    assert exported(tmp_path / "all.db", tmp_path) == before


def test_scores_that_contradict_each_other_are_named(tmp_path: Path) -> None:
    parts = shards(tmp_path, 2)
    merge(tmp_path / "all.db", parts)
    with Store.open(parts[0]) as part:
        row = next(one for one in part.verdicts.judgings("big") if one.verdicts)
        assert row.trial is not None
        part.verdicts.delete("big", row.judge, trial=row.trial, judging=row.judging)
        first = row.verdicts[0]
        changed = Score(first.measure, first.seat, first.measure.high, "another")
        part.verdicts.add("big", row.judge, [changed], trial=row.trial, judging=row.judging)
    with pytest.raises(ConfigError, match=f"judged by {row.judge.name} in both"):
        merge(tmp_path / "all.db", parts)


def test_the_budget_of_a_shard_is_its_share() -> None:
    assert RunConfig(budget=8.0, shard="3/16").budget_share == 0.5
    assert RunConfig(budget=8.0).budget_share == 8.0
    assert RunConfig(shard="3/16").budget_share is None


def test_a_shard_needs_the_name_of_its_run(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="--shard: expected --name, too"):
        play(tmp_path / "s.db", "1/2", name=None)
