"""What somebody is called never decides what they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from casts import agent, seated
from own_code import AGENT, writer
from sociolab import RunConfig, open_store, result_of, run
from sociolab.analysis import agent_names
from sociolab.app.data.importing import store_episodes
from sociolab.core import Agent, CastMember, Ended, Episode, Task, Trial
from sociolab.report import stand_ins, warnings
from sociolab.report.words import agent_kind, by_rules
from sociolab.store import Store
from sociolab.worlds.sotopia.outcome import has_independent_seats

SPOOFED = ("human-like", "python:x", "scripted", "openai/m@abcd", "stand-in:gpt", "rules?x")


def episode(*agents: Agent) -> Episode:
    seats = tuple(f"seat-{number}" for number, _ in enumerate(agents))
    cast = tuple(map(CastMember, seats, agents))
    return Episode(
        Trial("t", "sotopia", Task("t", seats, "s", "{}"), cast, 0, 0), (Ended("left", 0),)
    )


@pytest.mark.parametrize("label", SPOOFED)
def test_an_imported_model_is_one_by_any_name(tmp_path: Path, label: str) -> None:
    with Store.open(tmp_path / "s.db") as store:
        store_episodes(store, "r", "sotopia", (episode(Agent(label, "model", label)),))
        assert store.run("r").agents[label].kind == "model"
        result = result_of(store, "r")
        assert (agent_kind(result, label), by_rules(result, label)) == ("model", False)
        assert not agent_names(store, ["r"]).renamed
        (found,) = store.episodes("r")
        assert found.trial.cast[0].identity == Agent(label, "model", label)


def test_a_tag_makes_nobody_a_stand_in(tmp_path: Path) -> None:
    config = RunConfig(
        agents=("scripted",), limit=1, tags=("stand-in:scripted",), store=tmp_path / "s.db"
    )
    result = run(config).result
    assert stand_ins(result.settings) == ()
    assert not [words for words in warnings(result) if "stand-in" in words]


@pytest.mark.parametrize("name", ["human", "scripted", "model"])
def test_a_class_by_the_name_of_somebody_else_is_ones_own_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    text = AGENT.format(words="Hello.").replace("class Mine", f"class {name}")
    spec = f"{writer(tmp_path)(f'spoofs_{name}', text)}:{name}"
    run(RunConfig(agents=(spec,), partner="scripted", limit=1, store=tmp_path / "s.db", name="r"))
    with open_store(tmp_path / "s.db") as store:
        found = store.run("r").agents[spec]
        assert (found.kind, found.name) == ("own code", spec.removeprefix("python:"))
        assert found.code is not None
        assert store.run("r").agents["scripted"].kind == "rules"


def test_who_may_be_taken_at_their_word_is_told_by_who_they_are() -> None:
    model, other = agent("openai/m"), agent("openai/m?temperature=0")
    assert not has_independent_seats(episode(model, other))
    assert not has_independent_seats(
        episode(Agent("one", "model", "m", "a"), Agent("two", "model", "m", "a"))
    )
    assert has_independent_seats(episode(model, agent("lab/m")))
    assert has_independent_seats(
        episode(Agent("m?a", "model", "m?a"), Agent("m?b", "model", "m?b"))
    )
    assert has_independent_seats(episode(agent("human"), agent("human")))
    assert not has_independent_seats(
        episode(Agent("human", "model", "m"), Agent("human", "model", "m"))
    )


def test_a_seat_is_told_of_by_its_agent() -> None:
    assert seated("ann", "openai/m@abcd").identity.code is None
    assert seated("ann", "openai/m@abcd").agent == "openai/m@abcd"
