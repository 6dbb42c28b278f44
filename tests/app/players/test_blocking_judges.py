"""A judge of one's own that awaits nothing: told with its line, and no match for Ctrl-C."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

import pytest

from sociolab import JudgeConfig, RunConfig, RunResult, judge_run, open_store, run
from sociolab.core import Episode, JudgeId, Measure, Score, Verdict
from sociolab.runner import Tally, progress

HERE = f"python:{__name__}"
SAID = (Score(Measure("warmth", 0, 10), None, 5.0),)


class Works:
    """Does what the test wishes while it judges, and awaits nothing."""

    id: ClassVar[JudgeId] = JudgeId("works", "rules")
    work: ClassVar[Callable[[Episode], None]] = lambda episode: None

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        type(self).work(episode)
        return SAID


Judged = Callable[[], RunResult]


@pytest.fixture(params=["run", "judge"])
def judged(request: pytest.FixtureRequest, tmp_path: Path) -> Judged:
    """Plays and judges three episodes at once; or judges those that were played before."""
    config = RunConfig(limit=3, name="a", store=tmp_path / "s.db", agent_timeout=5.0)
    if request.param == "run":
        return lambda: run(config.model_copy(update={"judges": (f"{HERE}:Works",)}), watched).result
    run(config.model_copy(update={"judges": ("none",)}))
    own = JudgeConfig(judges=(f"{HERE}:Works",), store=config.store, agent_timeout=5.0)
    return lambda: judge_run("a", own, repeats=1, watch=watched).result


@pytest.fixture
def tallies() -> list[Tally]:
    """The tallies of what is under way."""
    del _tallies[:]
    return _tallies


_tallies: list[Tally] = []


@contextmanager
def watched(name: str, tally: Tally) -> Iterator[None]:
    _tallies.append(tally)
    yield


def test_past_its_time_it_is_told_with_the_line(
    judged: Judged, tallies: list[Tally], monkeypatch: pytest.MonkeyPatch
) -> None:
    passing = iter(range(0, 10**6, 10))
    monkeypatch.setattr(progress, "now", lambda: float(next(passing)))
    said: list[tuple[str, ...]] = []

    def looked_at(episode: Episode) -> None:
        other = threading.Thread(target=lambda: said.append(tallies[0].waits.blocked_sentences()))
        other.start()
        other.join()

    monkeypatch.setattr(Works, "work", looked_at)
    assert judged().failures.scores == {}
    (sentence,) = [one for words in said for one in words]
    assert sentence.startswith("the judge works blocks (test_blocking_judges.py, line ")
    assert "it has worked for more than 5 s without awaiting anything" in sentence


def test_who_held_up_all_others_is_named(
    judged: Judged, tallies: list[Tally], monkeypatch: pytest.MonkeyPatch
) -> None:
    passing = iter(range(10**6))
    monkeypatch.setattr(progress, "now", lambda: float(next(passing)))
    judged()
    (sentence,) = tallies[0].waits.held_up_sentences()
    assert sentence.startswith("the judge works held up all other episodes 3 times, ")


def test_one_ctrl_c_ends_it_in_the_midst_of_it_and_it_can_go_on(
    judged: Judged, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    went_on: list[Episode] = []
    pressed: list[Episode] = []

    def press(episode: Episode) -> None:
        pressed.append(episode)
        signal.raise_signal(signal.SIGINT)
        went_on.append(episode)

    monkeypatch.setattr(Works, "work", press)
    with pytest.raises(KeyboardInterrupt):
        judged()
    assert (len(pressed), went_on) == (1, [])
    monkeypatch.setattr(Works, "work", lambda episode: None)
    assert [one.n for one in judged().scores if one.measure == "warmth" and not one.by] == [3]
    with open_store(tmp_path / "s.db") as store:
        assert all(row.status == "played" for row in store.trials("a"))
