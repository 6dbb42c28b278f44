"""A world in a package of its own gets everything without a change in ours: an ultimatum game."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest

from sociolab import RunConfig, run
from sociolab.analysis.compare_runs import CompareRequest, compare_runs
from sociolab.app import registry
from sociolab.app.audit import audit
from sociolab.app.data.importing import Import, import_anything
from sociolab.app.data.sets import world_names
from sociolab.app.registry import world_plugin
from sociolab.app.run.config import AuditConfig
from sociolab.core.errors import ConfigError, WorldError
from sociolab.core.metrics import Declared
from sociolab.engine.setup import WorldSetup
from sociolab.plugin.world import WorldPlugin
from sociolab.report.leaderboard import boards
from sociolab.report.result import result_of
from sociolab.report.words import agent_kind
from sociolab.store.store import Store
from sociolab.studies.rating_rules import guide_of, rated_measures
from sociolab.web.watch.episode import in_town
from web_serving import served

PACKAGE = Path(__file__).parent / "ultimatum_package"
OTHER = "python:ultimatum:Scripted"


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """The package on the path, with its entry point."""
    monkeypatch.syspath_prepend(str(PACKAGE))
    monkeypatch.setenv("SOCIOLAB_HOME", str(tmp_path / "lab"))
    forget()
    yield
    forget()
    sys.modules.pop("ultimatum", None)


def forget() -> None:
    registry._points.cache_clear()
    importlib.invalidate_caches()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with a run of two agents and a partner."""
    made = tmp_path / "s.db"
    run(
        RunConfig(
            world="ultimatum",
            agents=("scripted", OTHER),
            partner="scripted",
            judges=("payoffs",),
            store=made,
            name="first",
        )
    )
    return made


def test_it_is_listed_beside_the_others() -> None:
    assert "ultimatum" in world_names()
    assert world_plugin("ultimatum").declared.cluster == "game"


def test_it_is_played_to_an_end_of_its_own_and_scored_by_seat(path: Path) -> None:
    with Store.open(path) as store:
        result = result_of(store, "first")
    assert (result.played, result.failed) == (result.trials, 0)
    assert result.ends == {"deal": result.trials}
    assert {entry.value for entry in result.scores if entry.measure == "payoff"} == {50.0}
    assert agent_kind(result, "scripted") == "rule-based, no model"
    assert agent_kind(result, OTHER) == "a Python class"


def test_a_store_is_read_where_the_package_is_not_installed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [one for one in sys.path if one != str(PACKAGE)])
    forget()
    assert "ultimatum" not in world_names()
    with Store.open(path) as store:
        result = result_of(store, "first")
        assert result.declared.main == ("payoff",)
        assert result.declared.cluster == "game"
        assert list(boards([result]))
        assert not in_town("ultimatum")


def test_its_agents_are_compared_and_ranked_by_its_main_metric(path: Path) -> None:
    with Store.open(path) as store:
        wanted = CompareRequest(("first",), "scripted", OTHER)
        said = json.dumps(compare_runs(store, wanted).document())
        assert "payoff" in said
        assert "each game as one observation" in said
        (board, *_) = boards([result_of(store, "first")])
        assert board.terms.measure == "payoff"


def test_people_rate_it_by_its_own_guide(path: Path) -> None:
    with Store.open(path) as store:
        assert set(rated_measures(store, "first")) == {"fairness"}
        shown = guide_of(store, "first").shown(next(store.episodes("first")))
    assert [line.text for line in shown.lines][:2] == [
        "Proposer: offer (points: 40): Take it.",
        "Responder: decline",
    ]


def test_its_formats_are_imported(path: Path, tmp_path: Path) -> None:
    games, played = tmp_path / "games.json", tmp_path / "played.json"
    games.write_text('["x", "y"]')
    played.write_text("[10, 50]")
    assert "2 games" in import_anything("games", Import(games, "two", False, path))
    again = run(
        RunConfig(world="ultimatum", data="two", judges=("payoffs",), store=path, name="data")
    )
    assert again.trials == 2
    import_anything("games-played", Import(played, "elsewhere", False, path))
    with Store.open(path) as store:
        found = result_of(store, "elsewhere")
    assert found.ends == {"deal": 2}
    assert agent_kind(found, "somebody") == "imported"


def test_its_episodes_have_pages(path: Path) -> None:
    with Store.open(path) as store:
        trial = store.trial_ids("first")[0]
    with served(path) as address:
        for page in ("/runs/first", f"/runs/first/episodes/{trial}"):
            with urlopen(address + page, timeout=30) as answer:
                text = answer.read().decode()
            assert "ultimatum" in text or "offer (points: 40): Take it." in text


def test_its_judge_can_be_audited(path: Path) -> None:
    found = audit(AuditConfig(run="first", judge="payoffs", kinds=("repeat", "louder"), store=path))
    assert any("payoff" in str(section) for section in found.sections)


def test_an_edit_of_its_code_is_another_world(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sociolab.plugin.world.code_of", lambda plugin: "edited")
    with pytest.raises(ConfigError, match="first"):
        run(
            RunConfig(
                world="ultimatum",
                agents=("scripted", OTHER),
                partner="scripted",
                judges=("payoffs",),
                store=path,
                name="first",
            )
        )


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("raise ValueError('no')", "cannot be loaded: ValueError"),
        ("plugin = 3", "is no world"),
        ("", "cannot be loaded: AttributeError"),
    ],
)
def test_a_mistake_of_an_author_is_told_in_a_sentence_and_stops_no_other_world(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, said: str
) -> None:
    (tmp_path / "broken_world.py").write_text(code)
    info = tmp_path / "broken_world-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-world\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[sociolab.worlds]\nbroken = broken_world:plugin\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "broken_world", raising=False)
    forget()
    with pytest.raises(WorldError, match=said):
        world_plugin("broken")
    offering = registry.worlds_that(lambda one: one.declared != Declared())
    assert {"ultimatum", "sotopia"} <= set(offering)
    sys.modules.pop("broken_world", None)


def test_its_author_needs_at_most_200_lines() -> None:
    lines = sum(len(file.read_text().splitlines()) for file in PACKAGE.rglob("*.py"))
    assert lines <= 200


def test_a_mistake_when_it_is_set_up_is_told_with_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "clumsy_world.py").write_text("def load(setup):\n    return 1 / 0\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    load = importlib.import_module("clumsy_world").load
    said = r'the world "clumsy" cannot be set up: ZeroDivisionError: .*clumsy_world\.py, line 2'
    with pytest.raises(WorldError, match=said):
        WorldPlugin("clumsy", load)(WorldSetup())
    sys.modules.pop("clumsy_world", None)
