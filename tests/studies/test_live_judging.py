"""A judge that fails on a play by people is on record, and a later success takes its place."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from faulty_judges import Moody, no_credit
from lobby_plays import opened, play_out, run
from play_clients import lay_out
from sociolab import JudgeConfig, judge_run_async, result_of
from sociolab.core import ScoreFailure
from sociolab.endpoint import EndpointSettings, start_in_thread
from sociolab.store import Store
from sociolab.studies import Lobby, progress_of

MOODY = "python:faulty_judges:Moody"


@pytest.fixture(autouse=True)
def good_mood() -> Iterator[None]:
    yield
    Moody.down = None


async def judged(lobby: Lobby) -> None:
    """Everything that was begun in the background is done."""
    while lobby._live._tasks:
        await asyncio.gather(*lobby._live._tasks)


def played(path: Path, person: int = 1) -> None:
    """Somebody plays all that is theirs, and the judges have their say."""

    async def play() -> None:
        async with opened(path) as (lobby, _):
            lobby.begin(person)
            await play_out(lobby, person)
            await judged(lobby)

    run(play)


def again(path: Path) -> None:
    """The study is opened anew."""

    async def open_it() -> None:
        async with opened(path) as (lobby, _):
            await judged(lobby)

    run(open_it)


def failures(path: Path) -> list[tuple[str, str | None, str, str]]:
    with Store.open(path) as store:
        return [
            (row.verdict.measure.name, row.verdict.seat, row.verdict.cause, row.verdict.problem)
            for row in store.verdicts.scores("chat")
            if isinstance(row.verdict, ScoreFailure)
        ]


def trouble(path: Path) -> str:
    with Store.open(path) as store:
        return " ".join(progress_of(store, "chat").troubles)


def test_a_judge_whose_endpoint_refuses_all_calls_has_failed_with_the_cause(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path, models = tmp_path / "store.db", tmp_path / "models.toml"
    with start_in_thread(EndpointSettings()) as endpoint:
        models.write_text(f'[endpoints.here]\nbase_url = "{endpoint.url}/nowhere"\n')
        lay_out(path, limit=1, judges=["here/any"])
        played(path)
        causes = {cause for _, _, cause, _ in failures(path)}
        assert causes == {"unknown model", "incomplete"}  # the overall is made of the others
        with Store.open(path) as store:
            result = result_of(store, "chat")
        goal = next(e for e in result.scores if e.measure == "goal" and e.agent == "human")
        assert (goal.value, goal.n, goal.failures) == (None, 0, 1)
        assert trouble(path).startswith("1 of 1 episode could not be judged: unknown model 1 ")
        assert "`sociolab judge chat --judge here/any` judges them again" in trouble(path)
        models.write_text(f'[endpoints.here]\nbase_url = "{endpoint.url}"\n')
        again(path)
    assert failures(path) == []
    assert trouble(path) == ""


def test_a_judge_that_breaks_fails_what_it_gave_of_other_plays(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    lay_out(path, participants=2, limit=1, judges=[MOODY])
    played(path, 1)
    Moody.down = ValueError("out of order")
    played(path, 2)
    with Store.open(path) as store:
        second = store.trials("chat")[1].trial
        assert [(name, seat, cause) for name, seat, cause, _ in failures(path)] == [
            ("warmth", seat, "plugin") for seat in second.task.seats
        ]
        (entry,) = [e for e in result_of(store, "chat").scores
                    if e.measure == "warmth" and e.agent == "human" and not e.by]  # fmt: skip
        assert (entry.n, entry.failures) == (1, 1)
    assert "out of order" in trouble(path)


@pytest.mark.parametrize("how", ["opened anew", "by the command"])
def test_a_judge_that_never_told_what_it_measures_fails_too_and_its_success_replaces_that(
    tmp_path: Path, how: str
) -> None:
    path = tmp_path / "store.db"
    lay_out(path, limit=1, judges=[MOODY])
    Moody.down = no_credit()
    played(path)
    assert [(name, cause) for name, _, cause, _ in failures(path)] == [("judging", "refused")]
    again(path)
    assert len(failures(path)) == 1, "failed again, it is the same failure"
    assert trouble(path).startswith(
        "1 of 1 episode could not be judged: refused 1 (the first: Moody:"
    )
    Moody.down = None
    if how == "opened anew":
        again(path)
    else:
        config = JudgeConfig(judges=(MOODY,), store=path)
        asyncio.run(judge_run_async("chat", config, repeats=1))
    assert failures(path) == []
    assert trouble(path) == ""
    with Store.open(path) as store:
        assert {row.verdict.measure.name for row in store.verdicts.scores("chat")} >= {"warmth"}


def test_while_a_study_is_open_its_page_says_to_close_it_first(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    lay_out(path, limit=1, judges=[MOODY])
    Moody.down = no_credit()
    played(path)
    assert "; close the study, then `sociolab judge chat --judge" in trouble(path)
    with Store.open(path) as store:
        store.studies.change("chat", open=False)
    assert "close the study" not in trouble(path)


def test_the_words_of_an_episode_are_found_as_soon_as_it_is_over(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    lay_out(path, limit=1)
    played(path)
    with Store.open(path) as store:
        assert store.search.unindexed(1) == ()
        assert store.search.indexed_share()[1] > 0
