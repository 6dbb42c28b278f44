"""A fifth of all replies fails, in every way that the endpoint knows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sociolab import RunConfig, RunResult, run
from sociolab.core import Ended, Event, Moved, Score, ScoreFailure, Unusable, Verdict
from sociolab.endpoint import EndpointProcess, EndpointSettings, start_in_process
from sociolab.store import Store

TASKS = 12


@pytest.fixture(scope="module")
def endpoint() -> Iterator[EndpointProcess]:
    with start_in_process(EndpointSettings.with_faults(0.2, seed=5)) as process:
        yield process


def play(endpoint: EndpointProcess, folder: Path, name: str) -> RunResult:
    models = folder / "models.toml"
    models.write_text(
        f'[endpoints.shaky]\nbase_url = "{endpoint.url}"\ntimeout_s = 1.0\ntries = 8\n', "utf-8"
    )
    return run(
        RunConfig(
            agents=("shaky/x",),
            judges=("shaky/j",),
            limit=TASKS,
            seed=1,
            name=name,
            store=folder / "s.db",
            models=models,
        )
    ).result


def played(folder: Path, name: str) -> dict[str, tuple[tuple[Event, ...], list[Verdict]]]:
    with Store.open(folder / "s.db") as store:
        verdicts: dict[str, list[Verdict]] = {}
        for row in store.verdicts.scores(name):
            if row.judge.name == "shaky/j" and row.trial:
                verdicts.setdefault(row.trial, []).append(row.verdict)
        return {
            row.trial.id: (store.events(name, row.trial.id), verdicts[row.trial.id])
            for row in store.trials(name)
        }


@pytest.fixture(scope="module")
def twice(
    endpoint: EndpointProcess, tmp_path_factory: pytest.TempPathFactory
) -> tuple[RunResult, Path]:
    folder = tmp_path_factory.mktemp("faults")
    result = play(endpoint, folder, "one")
    play(endpoint, folder, "two")
    return result, folder


def test_every_episode_is_played_to_its_end(twice: tuple[RunResult, Path]) -> None:
    result, folder = twice
    assert (result.played, result.failed) == (TASKS, 0)
    for events, _ in played(folder, "one").values():
        assert isinstance(events[-1], Ended)


def test_every_turn_was_either_taken_or_failed_on_record(twice: tuple[RunResult, Path]) -> None:
    for events, _ in played(twice[1], "one").values():
        settled = [e.turn for e in events if isinstance(e, Moved)]
        settled += [e.turn for e in events if isinstance(e, Unusable) and e.final]
        assert [turn for turn in sorted(settled) if turn < 20] == list(range(20))


def test_bad_replies_are_kept_with_cause_and_raw_text(twice: tuple[RunResult, Path]) -> None:
    result, folder = twice
    bad = [e for events, _ in played(folder, "one").values() for e in events
           if isinstance(e, Unusable)]  # fmt: skip
    causes = {event.cause for event in bad}
    assert {"unreadable", "truncated", "content filter"} <= causes
    assert any(event.raw for event in bad)
    assert all(event.problem for event in bad)
    assert result.failures.replies_asked_again == sum(not event.final for event in bad)


def test_no_score_is_a_default(twice: tuple[RunResult, Path]) -> None:
    """Each agent has all eight verdicts, and what was not judged is a failure with its cause."""
    for _, verdicts in played(twice[1], "one").values():
        assert len(verdicts) == 2 * 8
        for verdict in verdicts:
            assert isinstance(verdict, Score | ScoreFailure)
            if isinstance(verdict, Score) and verdict.measure.name != "overall":
                assert verdict.reason
            if isinstance(verdict, ScoreFailure):
                assert verdict.problem


def test_the_same_faults_are_met_again(twice: tuple[RunResult, Path]) -> None:
    assert played(twice[1], "one") == played(twice[1], "two")
