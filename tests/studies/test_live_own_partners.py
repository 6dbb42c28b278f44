"""Partners of one's own that never answer, end themselves, or block: the person is told, and the
cause is on record."""

from __future__ import annotations

import asyncio
import importlib
import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import pytest

from lobby_plays import opened, play_out, run
from own_code import AGENT, writer
from play_clients import lay_out
from sociolab.core import Action, Json, NoReply, Reply, Request
from sociolab.runner import Waits, guard, progress
from sociolab.store import Store, TrialRow
from sociolab.studies import (
    PARTNER_LOST,
    TypingPace,
    live_episodes as blocked,
    live_episodes as tables,
)
from sociolab.studies.live_episodes import log_blocked

HERE = f"python:{__name__}"
SAID = Reply((Action("speak", "Well."),))


class Silent:
    """Never answers."""

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        await asyncio.Event().wait()
        return SAID


class GoesOn:
    """Never answers, and catches whatever would end that."""

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        while True:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                continue


class Quits:
    """Ends itself: the server, nearly."""

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        raise SystemExit(3)


class CancelsItself:
    """Ends itself as if the play were being stopped."""

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        raise asyncio.CancelledError


class Words:
    """Replies with what is no reply."""

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        return "Hello"  # type: ignore[return-value]


class Works:
    """Does what the test wishes, awaiting nothing."""

    work: ClassVar[Callable[[], object]] = lambda: None

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        type(self).work()
        return SAID


def played(path: Path, partner: str) -> tuple[str, TrialRow]:
    """Why it ended, in the words for the person, and what is on record."""
    lay_out(path, limit=1, missed=2, partners=[f"{HERE}:{partner}"])
    ends = []

    async def play() -> None:
        async with opened(path) as (lobby, _):
            lobby.begin(1)
            screen = await play_out(lobby, 1)
            assert screen.last is not None
            ends.append(screen.last.why)

    run(play)
    with Store.open(path) as store:
        return ends[0], next(row for row in store.trials("chat") if row.status != "planned")


@pytest.mark.parametrize("partner", ["Silent", "GoesOn"])
def test_a_partner_that_never_answers_lets_its_turns_go_by_and_has_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, partner: str
) -> None:
    # A partner has a hundredth of a second for a turn; a person has their usual time.
    monkeypatch.setattr(
        tables, "TypingPace", lambda words, seconds, seed: TypingPace(words, 0.01, seed)
    )
    monkeypatch.setattr(guard, "LAST_WORDS", 0.01)
    why, row = played(tmp_path / "store.db", partner)
    assert why == PARTNER_LOST
    assert (row.status, row.cause) == ("failed", "timeout")
    assert "let 2 turns go by" in row.problem


@pytest.mark.parametrize(
    ("partner", "said"),
    [
        ("Quits", "SystemExit: 3 (test_live_own_partners.py, line "),
        ("CancelsItself", "CancelledError (test_live_own_partners.py, line "),
        ("Words", "expected a Reply or a NoReply, found 'Hello'"),
    ],
)
def test_a_partner_that_ends_itself_ends_its_play_and_nothing_else(
    tmp_path: Path, partner: str, said: str
) -> None:
    why, row = played(tmp_path / "store.db", partner)
    assert "for a technical reason" in why
    assert (row.status, row.cause) == ("failed", "plugin")
    assert row.problem.startswith(f"{HERE}:{partner} as ")
    assert said in row.problem


def test_who_blocks_the_server_is_in_its_log_while_it_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    told, at = threading.Event(), iter(range(0, 10**9, 1000))
    monkeypatch.setattr(progress, "now", lambda: float(next(at)))
    monkeypatch.setattr(blocked, "EVERY", 0.001)
    monkeypatch.setattr(Works, "work", lambda: told.wait(10))

    class Heard(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            told.set()

    handler = Heard()
    blocked.log.addHandler(handler)
    try:
        played(tmp_path / "store.db", "Works")
    finally:
        blocked.log.removeHandler(handler)
    (line,) = [one.getMessage() for one in caplog.records if " blocks " in one.getMessage()]
    assert line.startswith(f"study chat: {HERE}:Works blocks (test_live_own_partners.py, line ")
    assert "more than 180 s without awaiting anything" in line
    assert "kill the server, mend this code, and start the server again" in line


def test_who_blocks_is_told_of_once(caplog: pytest.LogCaptureFixture) -> None:
    seen = Waits()
    seen.begin_step("a", -1.0)
    log_blocked("chat", seen)
    log_blocked("chat", seen)
    seen.end_step()
    log_blocked("chat", seen)
    assert [one.getMessage().startswith("study chat: a blocks") for one in caplog.records] == [True]


def test_who_held_up_others_now_and_then_is_told_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    passing = iter(range(10**6))
    monkeypatch.setattr(progress, "now", lambda: float(next(passing)))
    played(tmp_path / "store.db", "Works")
    assert any(f"{HERE}:Works held up all other" in one.getMessage() for one in caplog.records)


def test_nobody_looks_where_only_ours_play(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    lay_out(path, limit=1, partners=["scripted"])

    async def look() -> None:
        async with opened(path):
            assert "blocked" not in {one.name for one in threading.enumerate()}

    run(look)


def test_other_code_than_a_study_was_laid_out_with_is_in_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    write, path = writer(tmp_path), tmp_path / "store.db"
    spec = f"{write('polite', AGENT.format(words='Hello.'))}:Mine"
    lay_out(path, limit=1, partners=[spec])

    def warned() -> str:
        async def look() -> None:
            async with opened(path):
                pass

        caplog.clear()
        importlib.invalidate_caches()
        run(look)
        return caplog.text

    assert spec not in warned()
    write("polite", AGENT.format(words="Go away."))
    assert f"study chat: the code of {spec} is another one by now" in warned()
