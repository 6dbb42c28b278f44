"""People of a condition meet its partners only, and only people of the same condition."""

from __future__ import annotations

from pathlib import Path

import pytest

from lobby_plays import opened, run
from play_clients import AT_ONCE
from sociolab.store import Store
from sociolab.studies import create_study, set_open
from study_samples import settings

PARTNERS = ["scripted", "haggler:1"]
CONDITIONS = [
    {"name": "rules", "partners": ["scripted"]},
    {"name": "haggler", "partners": ["haggler:1"]},
]


def lay_out(path: Path, conditions: list[str], **plan: object) -> list[int]:
    """An open study "chat" with a participant of each of these conditions; their keys."""
    with Store.open(path) as store:
        play = {**AT_ONCE, "each": 2, "tasks": "bargain", **plan}
        create_study(store, "chat", settings(play=play, conditions=CONDITIONS))
        set_open(store, "chat", is_open=True)
        keys = []
        for number, condition in enumerate(conditions):
            keys.append(store.studies.add_participant("chat", f"p{number}", None))
            store.studies.answer(keys[-1], "", "frame.condition", condition)
    return keys


def test_people_meet_the_partners_of_their_condition(tmp_path: Path) -> None:
    keys = lay_out(tmp_path / "s.db", ["rules", "haggler"] * 2, limit=2, partners=PARTNERS)

    async def play() -> None:
        async with opened(tmp_path / "s.db") as (lobby, store):
            for key in keys:
                lobby.begin(key)
            casts = {row.trial.id: row.trial.cast for row in store.trials("chat")}
            met = {
                each.participant: {m.agent for m in casts[each.item]} - {"human"}
                for each in store.studies.assignments("chat")
            }
            assert [met[key] for key in keys] == [{"scripted"}, {"haggler:1"}] * 2

    run(play)


def test_who_finds_the_partners_of_the_condition_taken_is_done(tmp_path: Path) -> None:
    keys = lay_out(tmp_path / "s.db", ["rules"] * 3, limit=1, partners=PARTNERS)

    async def play() -> None:
        async with opened(tmp_path / "s.db") as (lobby, _):
            for key in keys[:2]:
                lobby.begin(key)
                assert lobby.screen(key).phase == "playing"
            assert lobby.screen(keys[2]).phase == "done", "what is left is for the other condition"

    run(play)


@pytest.mark.parametrize(("second", "phase"), [("rules", "playing"), ("haggler", "waiting")])
def test_people_of_two_conditions_never_meet(tmp_path: Path, second: str, phase: str) -> None:
    keys = lay_out(tmp_path / "s.db", ["rules", second], limit=1, people=2, partners=PARTNERS)

    async def play() -> None:
        async with opened(tmp_path / "s.db") as (lobby, _):
            for key in keys:
                lobby.begin(key)
            assert [lobby.screen(key).phase for key in keys] == [phase, phase]

    run(play)
