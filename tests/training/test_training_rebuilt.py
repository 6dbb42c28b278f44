"""What is rebuilt for a scripted player is what a model was sent in that place, to the letter."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from sociolab import RunConfig, run
from sociolab.app import requests_of
from sociolab.core import (
    Answered,
    Completed,
    ConfigError,
    Ended,
    Episode,
    Observation,
    Play,
    Question,
    Reply,
    Request,
    StartRequests,
    Task,
    Trial,
)
from sociolab.endpoint import EndpointServer, EndpointSettings, start_in_thread
from sociolab.store import Store
from sociolab.training import ExportOptions, Rebuilder, Skipped, export_training, read_episodes

WORLDS = {
    "sotopia": {"turns": "6"},
    "anteval-information": {"sessions": "1", "turns": "6"},
    "anteval-intention": {"sessions": "1", "turns": "4"},
    "stss-talk": {},
}


@pytest.fixture(scope="module")
def endpoint() -> Iterator[EndpointServer]:
    with start_in_thread(EndpointSettings(characters=60)) as running:
        yield running


@pytest.mark.parametrize("world", WORLDS)
def test_a_models_turns_rebuilt_are_the_prompts_that_it_was_sent(
    world: str, endpoint: EndpointServer, tmp_path: Path
) -> None:
    store = tmp_path / "s.db"
    run(
        RunConfig(
            world=world,
            agents=("openai/x",),
            judges=("none",),
            settings=WORLDS[world],
            limit=2,
            name="r",
            store=store,
            base_url=endpoint.url,
        )
    )
    compared = 0
    with Store.open(store) as opened:
        rebuilder = Rebuilder(opened.run("r"))
        for played in read_episodes(opened, "r", Skipped()):
            seats = played.episode.trial.task.seats
            made, lost = rebuilder.turns(played.episode, seats)
            assert lost == 0
            usable = [turn for turn in played.turns if turn.usable]
            assert [turn.prompt for turn in made] == [turn.prompt for turn in usable]
            for turn, sent in zip(made, usable, strict=True):
                if (
                    turn.request_name != "act"
                ):  # of an action, what the kind does not take is left out
                    assert json.loads(turn.reply) == json.loads(sent.reply)
                compared += 1
    assert compared > 1


@pytest.mark.parametrize("world", ["sotopia", "anteval-information", "stss-talk"])
def test_scripted_play_is_exported_whole(world: str, tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    run(RunConfig(world=world, settings=WORLDS[world], limit=2, name="r", store=store))
    done = export_training(["r"], tmp_path / "t.jsonl", ExportOptions("turns"), store)
    (file,) = done.files
    assert file.examples == file.rebuilt > 4
    assert done.skipped.sentence() == ""


def test_a_turn_that_no_model_could_have_written_is_not_rebuilt(tmp_path: Path) -> None:
    store = tmp_path / "s.db"
    config = RunConfig(
        agents=("python:training_cases:Muser",),
        judges=("none",),
        settings={"turns": "4"},
        limit=1,
        name="r",
        store=store,
    )
    run(config)
    done = export_training(["r"], tmp_path / "t.jsonl", ExportOptions("turns"), store)
    assert done.files[0].examples == 2
    assert done.skipped.sentence() == "2 turns of a player without a model, which cannot be rebuilt"


class Town:
    """A world that takes replies as they come, as a town does."""

    def play(self, task: Task, trial: str, seed: int) -> Play:
        wanted = Question("plan", "", DayPlan)
        shown = Observation("ann", "Ann", 0, 1, "", (), "", (), None)
        requests = tuple(
            Request(trial, seed, seat, 0, 1, wanted, replace(shown, seat=seat))
            for seat in ("ann", "bob")
        )
        sent = yield StartRequests(requests)
        assert sent is not None
        for came in sent:
            assert isinstance(came, Completed)
            assert isinstance(came.reply, Reply)
            assert isinstance(came.reply.value, DayPlan)
            value = came.reply.value.model_dump(mode="json")
            yield Answered(0, came.request.seat, "plan", value)
        yield Ended("time is up", 0)


class DayPlan(BaseModel):
    hour: int


def test_replies_that_came_in_any_order_are_found_by_what_was_asked() -> None:
    trial = Trial("t", "town", Task("t", ("ann", "bob"), "t", ""), (), 0, 0)
    plans = (Answered(0, "bob", "plan", {"hour": 7}), Answered(0, "ann", "plan", {"hour": 9}))
    town: Any = Town()
    found = requests_of(town, Episode(trial, (*plans, Ended("time is up", 0))))
    assert set(found) == {("ann", 0, "plan", 1), ("bob", 0, "plan", 1)}
    assert requests_of(town, Episode(trial, plans)) == {}, "its end is not on record"
    assert requests_of(town, Episode(trial, (*plans[:1], Ended("time is up", 0)))) == {}


def test_what_cannot_be_played_again_is_left_out_and_counted(small: Path, tmp_path: Path) -> None:
    store = Path(shutil.copy(small, tmp_path / "s.db"))
    with Store.open(store) as opened:
        for row in opened.trials("small"):
            pk = opened.trial_pk("small", row.trial.id)
            last = len(opened.events("small", row.trial.id)) - 1
            opened.write("DELETE FROM events WHERE trial = ? AND n = ?", (pk, last))
            opened.append("small", row.trial.id, Ended("left", 3))
    done = export_training(["small"], tmp_path / "t.jsonl", ExportOptions("turns"), store)
    assert (done.files[0].examples, done.files[0].rebuilt) == (20, 0)
    assert (
        done.skipped.sentence() == "16 turns of a player without a model, which cannot be rebuilt"
    )
    with pytest.raises(ConfigError, match="8 seats of episodes whose prompts are not told"):
        export_training(["small"], tmp_path / "w.jsonl", ExportOptions("sft", whole=True), store)
