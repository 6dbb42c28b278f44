"""A player that awaits nothing past its time: told with its line, and no match for Ctrl-C."""

from __future__ import annotations

import signal
import threading
from dataclasses import dataclass
from pathlib import Path

import pytest

from sociolab.cli.progress import watch
from sociolab.core import Action, Json, NoReply, Reply, Request
from sociolab.runner import Tally, Waits, progress
from sociolab.store import Store
from tiny_runs import Speaker, play_run, statuses, table

SAID = Reply((Action("speak", "hello"),))


@dataclass
class Looks:
    """A player that has somebody else look at what is said of it while it works."""

    said: list[tuple[str, ...]]
    waits: Waits | None = None

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        other = threading.Thread(target=self._look)
        other.start()
        other.join()
        return SAID

    def _look(self) -> None:
        assert self.waits is not None
        self.said.append(self.waits.blocked_sentences())


def looked_at(store: Store, seconds: float | None) -> list[tuple[str, ...]]:
    player = Looks([])
    made = table(store, player, foreign={"a": seconds})
    player.waits = made.tally.waits
    play_run(made, episodes=1)
    assert made.tally.waits.step is None
    return player.said


def test_past_its_time_it_is_told_once_with_the_line(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    passing = iter(range(0, 10**6, 10))
    monkeypatch.setattr(progress, "now", lambda: float(next(passing)))
    first, *others = looked_at(store, 5.0)
    (sentence,) = first
    assert sentence.startswith("a blocks (test_blocking_players.py, line ")
    assert "in reply): it has worked for more than 5 s without awaiting anything" in sentence
    assert "Ctrl-C ends the run" in sentence
    assert set(others) == {()}


@pytest.mark.parametrize("seconds", [600.0, None])
def test_in_time_nothing_is_told_of_it(store: Store, seconds: float | None) -> None:
    assert set(looked_at(store, seconds)) == {()}


def test_the_progress_tells_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tally = Tally()
    tally.waits.begin_step("a", 0.0)
    monkeypatch.setattr(progress, "now", lambda: float("inf"))
    with watch(lambda name: None, plain=True)("r", tally):
        pass
    assert capsys.readouterr().err.count("r: a blocks") == 1


def test_one_ctrl_c_ends_the_run_in_the_midst_of_it(store: Store) -> None:
    before = signal.getsignal(signal.SIGINT)
    went_on = []

    def press(request: Request) -> None:
        signal.raise_signal(signal.SIGINT)
        went_on.append(request)

    player = Speaker(press)
    made = table(store, player, foreign={"a": 5.0})
    with pytest.raises(KeyboardInterrupt):
        play_run(made, episodes=1)
    assert went_on == []
    assert statuses(store) == ["playing", *["planned"] * 4]
    assert signal.getsignal(signal.SIGINT) is before
    play_run(table(store, Speaker(), foreign={"a": 5.0}))
    assert statuses(store) == ["played"] * 5


def test_no_other_player_goes_on_to_block_before_the_run_has_ended(store: Store) -> None:
    worked = []

    class Presses:
        async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
            worked.append(request.trial)
            signal.raise_signal(signal.SIGINT)
            return SAID

    made = table(store, Presses(), foreign={"a": 5.0})
    with pytest.raises(KeyboardInterrupt):
        play_run(made, episodes=5)
    assert worked == ["t0"]


def test_ctrl_c_elsewhere_ends_it_as_ever(store: Store, tmp_path: Path) -> None:
    made = table(store, Speaker(lambda request: signal.raise_signal(signal.SIGINT)))
    with pytest.raises(KeyboardInterrupt):
        play_run(made, episodes=1)
    assert statuses(store)[4] == "planned"
