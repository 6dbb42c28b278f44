"""The store fails when a play is to begin: everybody goes on from what is on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from lobby_plays import asked, run, until
from play_clients import lay_out
from sociolab.core import StoreError
from sociolab.store import Store
from sociolab.store.studies import Studies
from sociolab.studies import LiveStudies, Lobby, NotPlayable, play_plan as pace
from sociolab.studies.lobby import NOT_STORED


@pytest.fixture
def refusals(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """As many assignments as this holds cannot be written."""
    left: list[str] = []
    assign = Studies.assign

    def refusing(studies: Studies, *values: object) -> int:
        if left:
            raise StoreError(left.pop())
        return assign(studies, *values)  # type: ignore[arg-type]

    monkeypatch.setattr(Studies, "assign", refusing)
    return left


async def closed(lobby: Lobby) -> None:
    with lobby.listening(1) as changed:
        while not lobby.closed:
            await changed.wait()
            changed.clear()


def test_a_play_that_could_not_be_begun_is_begun_again(tmp_path: Path, refusals: list[str]) -> None:
    path = tmp_path / "store.db"
    lay_out(path, limit=1)

    async def play() -> None:
        with Store.open(path) as store:
            async with LiveStudies(store) as floor:
                lobby = await floor.lobby(store.studies.get("chat"))
                refusals.append("the disk is full")
                with pytest.raises(StoreError):
                    lobby.begin(1)
                await closed(lobby)
                again = await floor.lobby(store.studies.get("chat"))
                assert again.screen(1).phase == "ready"
                first = store.trials("chat")[0].trial.id
                again.begin(1)
                assert asked(await until(again, 1, asked))
                assert store.studies.assignments("chat")[0].item == first, "as if nothing had been"

    run(play)


def test_what_fails_while_nobody_asks_is_told_in_a_line_of_the_log(
    tmp_path: Path,
    refusals: list[str],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(pace, "ARRIVING", (0.01, 0.02))
    path = tmp_path / "store.db"
    lay_out(path, limit=1, words_a_minute=1000)

    async def play() -> None:
        with Store.open(path) as store:
            async with LiveStudies(store) as floor:
                lobby = await floor.lobby(store.studies.get("chat"))
                refusals.append("the disk is full")
                lobby.begin(1)
                await closed(lobby)

    run(play)
    (record,) = caplog.records
    assert record.getMessage() == "study chat: the disk is full"
    assert record.exc_info is None


def test_plays_that_stop_again_and_again_rest_before_they_go_on(
    tmp_path: Path, refusals: list[str]
) -> None:
    path = tmp_path / "store.db"
    lay_out(path, limit=1)

    async def play() -> None:
        with Store.open(path) as store:
            async with LiveStudies(store) as floor:
                for _ in range(2):
                    lobby = await floor.lobby(store.studies.get("chat"))
                    refusals.append("the disk is full")
                    with pytest.raises(StoreError):
                        lobby.begin(1)
                    await closed(lobby)
                with pytest.raises(NotPlayable, match="cannot be saved") as found:
                    await floor.lobby(store.studies.get("chat"))
                assert (str(found.value), found.value.soon) == (NOT_STORED, True)

    run(play)
