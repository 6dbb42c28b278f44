"""What the package offers for conversation tasks: players, casts, judges, the temperature."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from fake_models import FakeModel
from sociolab import RunResult, run
from sociolab.app import Casting, Models, config_of
from sociolab.app.registry import plugin
from sociolab.core import ChatModel, ConfigError, Player, Reply, Role, WorldKit
from sociolab.engine import WorldSetup
from sociolab.models import Budget, NullReplyStore
from sociolab.report.words import agent_kind
from sociolab.worlds import stss
from worlds.stss.talk.talk_plays import POLICY
from worlds.stss.talk.talk_scenarios import PUBLIC, scenario, scenarios

BASE = {"world": "stss-talk", "agents": ["openai/x"], "base_url": "http://127.0.0.1:9/v1"}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("talks")
    stss.write_talks(folder, stss.TalkData("five-talks", "1", scenarios()), "by hand")
    return folder


def kit(data: Path) -> WorldKit:
    found: WorldKit = plugin("sociolab.worlds", "stss-talk")(WorldSetup(folder=data))
    return found


def test_the_world_is_registered_with_two_scripted_performers_and_judges(data: Path) -> None:
    offered = kit(data)
    assert offered.world.name == "stss-talk"
    assert set(offered.players) == {"scripted", "scripted-complete"}
    assert set(offered.judges) == {"recorded"}
    assert offered.model_judge(FakeModel()).id.method == "model"


def test_the_agent_performs_and_the_partner_is_the_other(data: Path) -> None:
    casts = kit(data).casts
    assert casts is not None
    assert casts(("a", "b"), "p", ("huw", "sefina")) == (("a", "p"), ("b", "p"))
    assert casts(("a",), None, ("huw", "sefina")) == (("a", "a"),)


@pytest.mark.parametrize(
    ("world", "spec", "asked"),
    [
        ("stss-talk", "openai/x", 0.0),
        ("stss-talk", "openai/x?temperature=0.7", 0.7),
        ("stss", "openai/x", 1.0),
    ],
)
def test_a_model_is_asked_at_its_specs_temperature_or_its_worlds(
    data: Path, world: str, spec: str, asked: float
) -> None:
    given: list[tuple[float, str]] = []

    def player(model: ChatModel, role: Role, temperature: float, dialect: str) -> Player:
        given.append((temperature, dialect))
        return offered.players["scripted"]

    folder = data if world == "stss-talk" else None
    offered: WorldKit = plugin("sociolab.worlds", world)(WorldSetup(folder=folder))
    watched = replace(offered, model_player=player)
    Casting(watched, Models(config_of(BASE, "test")), NullReplyStore(), Budget()).agent(
        spec, "agent"
    )
    assert given == [(asked, "json")]


@pytest.mark.parametrize("dialect", ["json", "plain"])
def test_a_model_speaks_in_either_dialect_at_temperature_and_penalties_zero(
    data: Path, dialect: str
) -> None:
    makes = kit(data).model_player
    assert makes is not None
    model = FakeModel(*(['{"text": "Hello.", "ends": true}'] if dialect == "json" else ["Hello."]))
    performer = makes(model, "agent", 0.0, dialect)
    play = stss.play_talk(scenario(PUBLIC), stss.TalkSettings(), POLICY, "trial", 0)
    (request,) = play.send(None)  # type: ignore[misc]
    reply = asyncio.run(performer.reply(request, None))
    assert isinstance(reply, Reply)
    ((prompt, _),) = model.calls
    assert (prompt.temperature, prompt.penalties) == (0.0, 0.0)
    assert (prompt.schema is None) == (dialect == "plain")


def test_an_unknown_setting_is_refused_in_a_sentence(data: Path) -> None:
    with pytest.raises(ConfigError, match='stss-talk has no setting "step"'):
        plugin("sociolab.worlds", "stss-talk")(WorldSetup(folder=data, settings={"step": "10"}))


def test_a_run_is_played_and_judged_at_both_levels(data: Path, tmp_path: Path) -> None:
    described = {
        "world": "stss-talk",
        "data": str(data),
        "agents": ["scripted-complete"],
        "partner": "scripted",
        "judges": ["recorded"],
        "settings": {"tdp": "true"},
        "store": str(tmp_path / "s.db"),
        "name": "talks",
    }
    result = run(config_of(described, "test")).result
    assert isinstance(result, RunResult)
    assert (result.played, result.failed) == (5, 0)
    names = {entry.measure for entry in result.measures}
    assert {measure.name for measure in stss.MEASURES} <= names
    assert agent_kind(result, "scripted-complete") == "smoke test: rule-based residents"


def test_the_complete_performer_is_offered_in_the_town_too() -> None:
    assert "scripted-complete" in plugin("sociolab.worlds", "stss")(WorldSetup()).players
