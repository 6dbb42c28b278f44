"""Sessions that a model writes: what changes, what stays, what is left out, the folder."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from anteval_cases import KNOWN
from fake_models import FakeModel
from sociolab.core.errors import ConfigError, ModelError, ReplyError
from sociolab.core.ports import CallKey, ChatModel
from sociolab.engine.setup import WorldSetup
from sociolab.worlds.anteval import writing
from sociolab.worlds.anteval.kit import load_information
from sociolab.worlds.anteval.session import Character, Fact
from sociolab.worlds.anteval.sessions import FILE
from sociolab.worlds.anteval.settings import InformationSettings, IntentionSettings
from sociolab.worlds.anteval.writing import write_sessions

SMALL = InformationSettings(sessions=3, facts=3, players=2)


class Writers:
    """Stands in for the two writers of the model; fails where it is told to."""

    def __init__(self, *, fails: dict[str, Exception] | None = None) -> None:
        self.keys: list[CallKey] = []
        self.taken: list[Sequence[str]] = []
        self._fails = fails or {}

    async def character(
        self, model: ChatModel, drawn: Character, key: CallKey, taken: Sequence[str]
    ) -> Character:
        self.keys.append(key)
        self.taken.append(tuple(taken))
        if key.trial in self._fails:
            raise self._fails[key.trial]
        name = f"{'ABCD'[len(taken)]}a {key.trial}"
        return drawn.model_copy(update={"name": name, "description": "Written."})

    async def knowledge(
        self, model: ChatModel, situation: str, npc: str, count: int, key: CallKey
    ) -> tuple[Fact, ...]:
        self.keys.append(key)
        assert npc.startswith("Ca")  # as the model called it
        assert npc in situation
        return tuple(
            fact.model_copy(update={"text": f"{fact.text} {key.trial}"}) for fact in KNOWN[:count]
        )


@pytest.fixture
def writers(monkeypatch: pytest.MonkeyPatch) -> Writers:
    return _patched(monkeypatch, Writers())


def _patched(monkeypatch: pytest.MonkeyPatch, writers: Writers) -> Writers:
    monkeypatch.setattr(writing, "write_character", writers.character)
    monkeypatch.setattr(writing, "write_knowledge", writers.knowledge)
    return writers


def test_written_sessions_can_be_played(writers: Writers, tmp_path: Path) -> None:
    drawn = SMALL.drawn(4)
    folder = tmp_path / "new"
    told: list[str] = []
    written = asyncio.run(write_sessions(FakeModel(), folder, drawn, told.append))
    assert written.failures == ()
    assert told == [f"{done} of 3 sessions are done" for done in (1, 2)]
    for one, before in zip(written.sessions, drawn.all(), strict=True):
        assert one.id == before.id
        assert {character.description for character in one.characters} == {"Written."}
        assert [c.flaw for c in one.characters] == [c.flaw for c in before.characters]
        assert one.npc.name in one.situation
    kit = load_information(WorldSetup(folder))
    assert [task.id for task in kit.world.tasks()] == [one.id for one in written.sessions]


def test_the_decoys_are_the_knowledge_of_the_next_session_round_and_round(
    writers: Writers, tmp_path: Path
) -> None:
    found = asyncio.run(write_sessions(FakeModel(), tmp_path, SMALL.drawn(4), print)).sessions
    assert [one.decoys for one in found] == [
        found[1].knowledge,
        found[2].knowledge,
        found[0].knowledge,
    ]


def test_each_call_has_a_key_of_its_own_and_names_are_told_apart(
    writers: Writers, tmp_path: Path
) -> None:
    asyncio.run(write_sessions(FakeModel(), tmp_path, SMALL.drawn(4), print))
    assert len(set(writers.keys)) == len(writers.keys) == 3 * 4
    assert {key.role for key in writers.keys} == {"writer"}
    assert {len(taken) for taken in writers.taken} == {0, 1, 2}


def test_sessions_about_intentions_have_no_knowledge_to_write(
    writers: Writers, tmp_path: Path
) -> None:
    drawn = IntentionSettings(sessions=2, players=2, none=0).drawn(4)
    found = asyncio.run(write_sessions(FakeModel(), tmp_path, drawn, print)).sessions
    assert {key.name for key in writers.keys} == {"character"}
    assert [one.intentions for one in found] == [one.intentions for one in drawn.all()]


def test_a_session_without_a_usable_reply_is_left_out_and_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fails: dict[str, Exception] = {
        "information-4-0000": ReplyError("expected a name, found none", raw=""),
        "information-4-0002": ModelError("no reply in time", cause="timeout"),
    }
    _patched(monkeypatch, Writers(fails=fails))
    written = asyncio.run(write_sessions(FakeModel(), tmp_path, SMALL.drawn(4), print))
    assert [one.id for one in written.sessions] == ["information-4-0001"]
    assert written.failures == (
        "information-4-0000: expected a name, found none",
        "information-4-0002: no reply in time",
    )
    assert written.sessions[0].decoys == SMALL.drawn(4).all()[1].decoys


def test_a_fatal_error_writes_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fatal = ModelError("no key", cause="credentials", fatal=True)
    _patched(monkeypatch, Writers(fails={"information-4-0001": fatal}))
    with pytest.raises(ModelError, match="no key"):
        asyncio.run(write_sessions(FakeModel(), tmp_path, SMALL.drawn(4), print))
    assert not (tmp_path / FILE).exists()


def test_a_folder_that_holds_sessions_is_not_overwritten(writers: Writers, tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("mine")
    with pytest.raises(ConfigError, match=r"sessions\.jsonl is there already"):
        asyncio.run(write_sessions(FakeModel(), tmp_path, SMALL.drawn(4), print))
    assert writers.keys == []
