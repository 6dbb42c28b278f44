"""What participants are owed: to be told about programs, a contact who answers, and deletion."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from lobby_plays import opened, run
from play_clients import lay_out
from sociolab.cli.main import app
from sociolab.core import ConfigError
from sociolab.store import Store
from sociolab.studies import create_study, open_path, set_open
from sociolab.studies.setup import change_texts
from study_samples import settings

DAY = 24 * 3600


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(tmp_path / "store.db")


@pytest.fixture
def study(store: Store) -> Callable[..., Result]:
    """Run `sociolab study` on the store."""
    return lambda *words: CliRunner().invoke(app, ["study", *words, "--store", str(store.path)])


@pytest.mark.parametrize("plan", [{"limit": 1}, {"limit": 1, "people": 2, "stand_in": "scripted"}])
def test_a_study_whose_partners_may_be_programs_needs_a_debriefing(
    store: Store, plan: dict[str, Any]
) -> None:
    with pytest.raises(ConfigError, match="debriefing: expected a text, since a partner may be"):
        create_study(store, "talks", settings(play=plan, debriefing=""))
    assert store.studies.all() == ()
    create_study(store, "talks", settings(play=plan))
    with pytest.raises(ConfigError, match="debriefing"):
        change_texts(store, "talks", {"debriefing": ""})


def test_people_who_meet_people_only_need_none(store: Store) -> None:
    create_study(store, "talks", settings(play={"limit": 1, "people": 2}, debriefing=""))
    set_open(store, "talks", is_open=True)


@pytest.mark.parametrize(
    "contact",
    ["name@example.org", "lab@uni.example", "A. Nother, a@lab.invalid", "TODO",
     "your-name@uni.edu", "XXX@lab.edu", "you@domain.com"],
)  # fmt: skip
def test_a_contact_that_answers_nobody_is_refused(store: Store, contact: str) -> None:
    create_study(store, "s", settings(contact=contact))
    with pytest.raises(ConfigError, match="an address at which participants reach you"):
        set_open(store, "s", is_open=True)
    change_texts(store, "s", {"contact": "Ruth Todorov, todorov@uni.edu"})
    set_open(store, "s", is_open=True)


def test_the_waiting_room_never_tells_who_comes(tmp_path: Path) -> None:
    plans: list[dict[str, Any]] = [
        {"people": 1},
        {"people": 2},
        {"people": 2, "stand_in": "scripted"},
    ]
    shown = []

    async def wait(path: Path) -> None:
        async with opened(path) as (lobby, _):
            lobby.begin(1)
            screen = lobby.screen(1)
            shown.append(screen.model_dump(exclude={"waited"}))
            assert (screen.phase, screen.waited is None) == ("waiting", False)

    for number, plan in enumerate(plans):
        path = tmp_path / f"{number}.db"
        lay_out(path, limit=1, words_a_minute=60, **plan)
        run(lambda path=path: wait(path))  # type: ignore[misc]
    assert shown[0] == shown[1] == shown[2]


def recruit(store: Store, name: str, days_ago: float) -> str:
    """A participant of the study "s" who came by the open link so many days ago."""
    pk = store.studies.add_participant("s", name, None)
    store.recruits.add("s", pk, f"id-of-{name}", {"PROLIFIC_PID": f"id-of-{name}"})
    store.studies.answer(pk, "", "remarks", f"words of {name}")
    store.write(
        "UPDATE participants SET created = ?1, arrived = ?1, state = 'finished', finished = ?1 "
        "WHERE pk = ?2",
        (time.time() - days_ago * DAY, pk),
    )
    return name


def test_what_is_stored_for_too_long_is_deleted_by_a_command(
    store: Store, study: Callable[..., Result]
) -> None:
    plan = {"places": 2, "ids_days": 10}
    create_study(store, "s", settings(retention_days=100, recruit=plan))
    for name, days in (("p-old", 101), ("p-paid", 11), ("p-new", 9)):
        recruit(store, name, days)
    asked = study("expire")
    assert "s: 1 participant and the ids of 1 others are due" in asked.output
    assert "add --yes" in str(asked.exception)
    assert len(store.studies.participants("s")) == 3
    assert study("expire", "--yes").exit_code == 0
    store.refresh()
    assert [who.id for who in store.studies.participants("s")] == ["p-paid", "p-new"]
    assert [ids["PROLIFIC_PID"] for ids in store.recruits.ids("s").values()] == ["id-of-p-new"]
    data = store.path.read_bytes()
    assert b"words of p-old" not in data
    assert b"id-of-p-paid" not in data
    assert b"words of p-paid" in data
    assert store.recruits.find("s", "id-of-p-paid") is not None, "nobody takes part twice"
    assert "nothing is stored for longer" in study("expire", "s", "--yes").output


def test_without_a_stated_time_nothing_expires(store: Store, study: Callable[..., Result]) -> None:
    create_study(store, "s", settings(recruit={"places": 2}))
    recruit(store, "p-old", 9999)
    assert "nothing is stored for longer" in study("expire", "--yes").output
    assert len(store.studies.participants("s")) == 1
    assert open_path(store.studies.get("s")).startswith("/recruit/")


def test_the_log_says_who_did_what_and_names_no_participant(
    store: Store, study: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("getpass.getuser", lambda: "ruth")
    monkeypatch.setattr("socket.gethostname", lambda: "lab-7")
    create_study(store, "s", settings())
    for words in (("open", "s"), ("invite", "s", "2"), ("export", "s", str(tmp_path / "out"))):
        assert study(*words).exit_code == 0
    who = store.studies.participants("s")[0].id
    for rest in (("forget", "s", who, "--yes"), ("close", "s"), ("delete", "s", "--yes")):
        assert study(*rest).exit_code == 0
    assert study("open", "s").exit_code, "what fails is no deed"
    log = json.loads(study("log", "--json").stdout)["log"]
    assert {entry["who"] for entry in log} == {"ruth@lab-7"}
    assert [entry["action"] for entry in log] == [
        "opened", "made 2 links", "exported the data", "deleted a participant", "closed",
        "deleted the study",
    ]  # fmt: skip
    assert all(entry["study"] == "s" and entry["at"].endswith("Z") for entry in log)
    assert who not in str(log)
    assert "ruth@lab-7" in study("log", "s").stdout
    assert json.loads(study("log", "other", "--json").stdout)["log"] == []
