"""Two days of twelve residents with the model mind: a fifth of all replies fails, and worse."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from yarl import URL

from sociolab import run
from sociolab.core import Answered, ConfigError, Ended, Happened, StoreError
from sociolab.endpoint import FAULTS, Fault, start_in_thread
from sociolab.engine import FailurePolicy
from sociolab.models import traffic
from sociolab.store import Store
from sociolab.town import Clock, Did, Remembered, Talked, Walked, WentWithout, chunks_in, read_trace
from sociolab.worlds import stss
from town_runs import Lived, calm, described, killed_twice, left_by, shaky, written

PORT = 28_765
OF_TEXTS: tuple[Fault, ...] = (
    "truncated_text",
    "malformed_json",
    "ignores_schema",
    "content_filter",
    "empty",
)
"""What the town sees of faults; the client answers the others by trying again."""


@pytest.fixture(scope="module", autouse=True)
def _short_pauses() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(traffic, "LONGEST_PAUSE", 0.01)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("town")


@pytest.fixture(scope="module")
def port() -> int:
    """One for all: where a model is served is part of who plays, and so of a trial's chance.

    The same in every session while it is free, so that all of them live the same days.
    """
    for wanted in (PORT, 0):
        with suppress(ConfigError), start_in_thread(calm(), wanted) as endpoint:
            return URL(endpoint.url).port or 0
    raise AssertionError("no port is free")


@pytest.fixture(scope="module")
def undisturbed(folder: Path, port: int) -> Lived:
    """No reply fails, and everybody waits for everybody."""
    with start_in_thread(calm(), port) as endpoint:
        config = described(endpoint, folder, "undisturbed", "lock-step")
        run(config)
        return left_by(config, endpoint.counters)


@pytest.fixture(scope="module")
def shaken(folder: Path, port: int) -> Lived:
    """A fifth of the replies fails."""
    with start_in_thread(shaky(), port) as endpoint:
        config = described(endpoint, folder, "shaken", "lock-step")
        run(config)
        return left_by(config, endpoint.counters)


@pytest.fixture(scope="module")
def killed(folder: Path, port: int, shaken: Lived) -> Lived:
    """The same, killed and resumed twice on the way."""
    with start_in_thread(shaky(), port) as endpoint:
        config = described(endpoint, folder, "killed")
        killed_twice(config, len(shaken.events))
        return left_by(config, endpoint.counters)


# ------------------------------------------------------------------ what must hold


def test_the_town_is_alive(undisturbed: Lived) -> None:
    """Else nothing below would mean much."""
    records = read_trace([json.loads(hour) for hour in undisturbed.trace]).records
    assert sum(isinstance(record, Walked) for record in records) > 50
    assert sum(isinstance(record, Talked) for record in records) > 5
    assert not undisturbed.unusable


def test_a_town_in_which_replies_failed_lives_as_one_in_which_none_did(
    undisturbed: Lived, shaken: Lived
) -> None:
    assert shaken.trace == undisturbed.trace
    assert shaken.verdicts == undisturbed.verdicts


def test_a_town_that_was_killed_twice_lives_as_one_that_was_not(
    undisturbed: Lived, killed: Lived
) -> None:
    assert killed.trace == undisturbed.trace
    assert killed.verdicts == undisturbed.verdicts
    assert killed.events[-1] == undisturbed.events[-1] == Ended("time is up", 2 * 8640)


def test_no_question_is_given_up(shaken: Lived, killed: Lived) -> None:
    for lived in (shaken, killed):
        assert not any(event.final for event in lived.unusable)
        records = read_trace([json.loads(hour) for hour in lived.trace]).records
        assert not any(isinstance(record, WentWithout) for record in records)


def test_residents_go_on_without_an_answer_that_never_came(folder: Path, port: int) -> None:
    """Asked once only: nothing is made up in place of an answer, and the trace says what lacks."""
    with start_in_thread(shaky(), port) as endpoint:
        config = described(endpoint, folder, "once", "lock-step")
        run(config.model_copy(update={"attempts": 1}))
        lived = left_by(config, endpoint.counters)
    records = read_trace([json.loads(hour) for hour in lived.trace]).records
    gone = [(r.step, r.question, r.cause) for r in records if isinstance(r, WentWithout)]
    assert gone
    assert sorted(gone) == sorted((e.turn, e.name, e.cause) for e in lived.unusable)
    assert all(event.final for event in lived.unusable)
    assert lived.events[-1] == Ended("time is up", 2 * 8640)


def test_every_failure_is_on_record(shaken: Lived) -> None:
    """As many as the endpoint counts: texts as events, requests as tries of their calls."""
    met = shaken.counted.by_fault
    assert len(met) >= len(FAULTS) - 2
    assert sum(met.values()) > 0.1 * shaken.counted.requests
    assert len(shaken.unusable) == sum(met.get(fault, 0) for fault in OF_TEXTS)
    limited = met.get("rate_limited", 0)  # which uses up no try
    assert sum(shaken.tries.values()) + limited == shaken.counted.requests
    answers = sum(isinstance(event, Answered) for event in shaken.events)
    assert len(shaken.tries) == answers + len(shaken.unusable)


def test_no_failure_is_lost_or_doubled_by_kills(shaken: Lived, killed: Lived) -> None:
    """Only what was under way when the process died was asked a second time.

    The endpoint fails a request for its first time or two: one that died with the process is past
    that when it is asked again, and takes fewer tries.
    """
    assert killed.unusable == shaken.unusable
    assert killed.tries.keys() == shaken.tries.keys()
    other = {key: killed.tries[key] - tries for key, tries in shaken.tries.items()}
    assert max(other.values()) == 0
    assert sum(map(bool, other.values())) <= 2 * 12
    again = killed.counted.requests - shaken.counted.requests
    assert 0 <= again <= 2 * 12 * max(shaken.tries.values())


def test_events_come_in_another_order_but_are_the_same(shaken: Lived, killed: Lived) -> None:
    assert set(map(repr, killed.events)) == set(map(repr, shaken.events))
    assert len(killed.events) == len(shaken.events)


def test_a_town_whose_provider_broke_down_goes_on_where_it_was(
    folder: Path, port: int, undisturbed: Lived
) -> None:
    with start_in_thread(replace(calm(), server_error=0.01), port) as broken:
        config = described(broken, folder, "broken", "lock-step", tries=1)
        result = run(config)
        assert (result.failed, result.played) == (1, 0)
    assert config.store is not None
    before = written(config.store)
    assert before > 0
    with start_in_thread(calm(), port) as mended:
        run(described(mended, folder, "broken", "lock-step"))
        assert mended.counters.requests < len(undisturbed.tries)
    with Store.open(config.store, create=False) as store:
        (row,) = store.trials("broken")
        events = store.events("broken", row.trial.id)
    hours = [e.value for e in events if isinstance(e, Happened)]
    assert [json.dumps(hour) for hour in hours] == undisturbed.trace


def test_conversations_are_frozen_from_the_days_that_models_lived(
    shaken: Lived, folder: Path, tmp_path: Path
) -> None:
    wanted = stss.TalkBuild(
        run=("shaken",), total=1, out=tmp_path / "talks", store=folder / "shaken.db"
    )
    with Store.open(folder / "shaken.db", create=False) as store:
        built = stss.build_talks(wanted, lambda *_: None, store)
    (one,) = built.data.scenarios
    records = read_trace(chunks_in(shaken.events)).records
    step = Clock(one.task.days[0], 10).step(one.now)
    pair = {one.performer.resident.id, one.other.resident.id}
    talks = [r for r in records if isinstance(r, Talked) and {r.who, r.other} == pair]
    assert min(talk.step for talk in talks) == step
    kept = {r.text for r in records if isinstance(r, Remembered) and r.step <= step}
    deeds = [r for r in records if isinstance(r, Did) and r.step < step]
    acts = {f"own activity: {did.block or did.doing}, at {did.place}" for did in deeds}
    for side in (one.performer, one.other):
        assert {m.text for m in side.memories} <= kept | acts
    assert stss.read_talks(tmp_path / "talks").lived_by == "here/m"


def test_a_record_that_the_world_no_longer_follows_is_not_frozen(
    shaken: Lived, folder: Path
) -> None:
    with Store.open(folder / "shaken.db", create=False) as store:
        (row,) = store.trials("shaken")
        episode = store.episode("shaken", row.trial.id)
    cut = replace(episode, events=episode.events[: len(episode.events) // 2])
    with pytest.raises(StoreError, match="the world's rules have changed since"):
        stss.freeze_episode(cut, stss.StssSettings(), FailurePolicy(12))


def test_of_days_that_are_not_finished_the_full_hours_are_frozen(
    shaken: Lived, folder: Path
) -> None:
    with Store.open(folder / "shaken.db", create=False) as store:
        (row,) = store.trials("shaken")
        episode = store.episode("shaken", row.trial.id)
    policy = FailurePolicy(12)
    (whole, *_) = stss.freeze_episode(episode, stss.StssSettings(), policy)
    hours = [number for number, e in enumerate(episode.events) if isinstance(e, Happened)]
    its_hour = Clock(whole.task.days[0], 10).step(whole.now) // 360 + 1  # the first is a header
    for hour, found in ((its_hour, (whole,)), (its_hour - 1, ())):
        cut = replace(episode, events=episode.events[: hours[hour] + 1])
        begun = stss.freeze_episode(cut, stss.StssSettings(), policy, whole=False)
        assert begun[:1] == found
