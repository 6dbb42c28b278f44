"""People of a condition meet its partners only, and only people of the same condition."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Sequence
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from lobby_plays import opened, play_out, run, time_is_up, until
from play_clients import AT_ONCE
from sociolab.core import ConfigError
from sociolab.store import Store
from sociolab.studies import create_study, describe_capacity, export_study, set_open
from study_samples import settings

DOCUMENTED = Path(__file__).parents[2] / "docs/web/studies.md"

PARTNERS = ["scripted", "haggler:1"]
CONDITIONS = [
    {"name": "rules", "partners": ["scripted"]},
    {"name": "haggler", "partners": ["haggler:1"]},
]


def lay_out(
    path: Path, conditions: list[str], made: Sequence[Any] = CONDITIONS, **plan: object
) -> list[int]:
    """An open study "chat" with a participant of each of these conditions; their keys."""
    with Store.open(path) as store:
        play = {**AT_ONCE, "each": 2, "tasks": "bargain", **plan}
        create_study(store, "chat", settings(play=play, conditions=made))
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


def documented() -> dict[str, Any]:
    """The study of both kinds of partners in the documents, with a scripted one as the model."""
    section = DOCUMENTED.read_text("utf-8").split("## People who meet people, or a model")[1]
    lines = section[section.index("    [play]") : section.index("Everybody gets")]
    return tomllib.loads(dedent(lines).replace("openai/MODEL", "scripted"))


def lay_out_both(path: Path, conditions: list[str], **plan: object) -> list[int]:
    found = documented()
    return lay_out(path, conditions, found["conditions"], **{**found["play"], "each": 1, **plan})


def test_in_one_study_people_meet_people_or_a_program_by_their_condition(tmp_path: Path) -> None:
    """Those who meet a program begin beside a person who waits, and never with them."""
    path, two = tmp_path / "s.db", {"turns": "2", "closing_question": "off"}
    keys = lay_out_both(path, ["person", "model", "model", "person"], limit=1, settings=two)
    first, alone, other, second = keys

    async def play() -> None:
        async with opened(path) as (lobby, store):
            for key in (first, alone, other):
                lobby.begin(key)
            assert [lobby.screen(key).phase for key in keys] == [
                "waiting", "playing", "playing", "ready",
            ]  # fmt: skip
            lobby.begin(second)
            assert [lobby.screen(key).phase for key in keys] == ["playing"] * 4
            for key in (alone, other):
                await play_out(lobby, key)
            cast = {row.trial.id: [m.agent for m in row.trial.cast] for row in store.trials("chat")}
            who = {a.participant: cast[a.item] for a in store.studies.assignments("chat")}
            assert who[first] == who[second] == ["human", "human"]
            assert sorted(who[alone]) == sorted(who[other]) == ["human", "scripted"]
            assert who[alone] != who[other]  # in either seat

    run(play)
    with Store.open(path) as store:
        export_study(store, "chat", tmp_path / "out")
    with (tmp_path / "out/episodes.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["participants"]]
    assert sorted((row["condition"], row["partner"]) for row in rows) == [
        ("model", "scripted"), ("model", "scripted"), ("person", ""),
    ]  # fmt: skip


def test_where_somebody_drops_out_the_condition_keeps_its_episodes(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    (key,) = lay_out_both(path, ["model"], limit=1, missed=1)

    async def play() -> None:
        async with opened(path) as (lobby, store):
            lobby.begin(key)
            await until(lobby, key, lambda one: one.asking is not None)
            time_is_up(lobby, key)
            await until(lobby, key, lambda one: one.phase != "playing")
            people = [sum(m.agent == "human" for m in row.trial.cast)
                      for row in store.trials("chat") if row.status == "planned"]  # fmt: skip
            assert sorted(people) == [1, 1, 2]

    run(play)


@pytest.mark.parametrize(
    ("partners", "people", "found"),
    [
        (["scripted"], 24, 24),  # 6 bargains, 2 seats with people, 2 x 1 with the program
        (["scripted", "haggler:1"], 24, 36),  # as many conditions as the smaller has seats
    ],
)
def test_a_study_has_room_until_its_smaller_condition_is_full(
    tmp_path: Path, partners: list[str], people: int, found: int
) -> None:
    path = tmp_path / "s.db"
    lay_out_both(path, [], limit=6, partners=partners)
    with Store.open(path) as store:
        assert f"room for {people} people" in describe_capacity(store, store.studies.get("chat"))
        seats = [sum(m.agent == "human" for m in row.trial.cast) for row in store.trials("chat")]
        assert sum(seats) == found


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"play": {"people": 2, "stand_in": "scripted"}}, "stand_in: expected none, since in some"),
        ({"play": {"people": 1, "partners": []}}, "seats of .* are left for a partner"),
        ({"play": {"people": 3}}, "3 people cannot sit in"),
        ({"review": {}, "play": None}, "people: expected a study in which people play, found rev"),
    ],
)
def test_what_no_condition_can_have_is_refused(
    tmp_path: Path, changed: dict[str, Any], problem: str
) -> None:
    values: dict[str, Any] = {"play": {"tasks": "bargain", "limit": 1}, **changed}
    made = [{"name": "person"}, {"name": "alone", "people": 1}]
    with (
        Store.open(tmp_path / "s.db") as store,
        pytest.raises((ConfigError, ValueError), match=problem),
    ):
        create_study(store, "s", settings(conditions=made, **values))
