"""A world in a package of its own gets everything without a change in ours: an ultimatum game."""

from __future__ import annotations

import asyncio
import importlib
import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from urllib.request import urlopen

import pytest
from typer.testing import CliRunner

from fake_models import FakeModel
from sociolab import RunConfig, result_of, run, transcript
from sociolab.analysis import CompareRequest, compare_runs, rank_runs
from sociolab.app import (
    AuditConfig,
    Import,
    import_anything,
    load_world,
    registry,
    world_names,
    world_plugin,
)
from sociolab.app.audit import audit
from sociolab.app.data.sets import check_data_set
from sociolab.cli import app
from sociolab.core import (
    ConfigError,
    Declared,
    Episode,
    Judge,
    Measure,
    Metric,
    Player,
    Score,
    ScoreFailure,
    World,
    WorldError,
)
from sociolab.report import agent_grids, make_boards, run_facts
from sociolab.report.words import agent_kind
from sociolab.store import Store
from sociolab.studies.rating_rules import guide_of, rated_measures
from sociolab.testing import JudgeContract, PlayerContract, WorldContract, play_task
from sociolab.web.watch.episode import in_town
from ultimatum_installed import PACKAGE, ultimatum
from web_serving import served

OTHER = "python:ultimatum:Scripted"


@pytest.fixture(autouse=True)
def installed(tmp_path: Path) -> Iterator[None]:
    with ultimatum(tmp_path / "lab"):
        yield


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
    assert agent_kind(result, OTHER) == "Python class"


def test_a_store_is_read_where_the_package_is_not_installed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [one for one in sys.path if one != str(PACKAGE)])
    assert "ultimatum" not in world_names()
    with Store.open(path) as store:
        result = result_of(store, "first")
        assert result.declared.main == ("payoff",)
        assert result.declared.cluster == "game"
        assert list(make_boards([result]))
        assert not in_town("ultimatum")


def test_its_agents_are_compared_and_ranked_by_its_main_metric(path: Path) -> None:
    with Store.open(path) as store:
        wanted = CompareRequest(("first",), "scripted", OTHER)
        said = json.dumps(compare_runs(store, wanted).document())
        assert "payoff" in said
        assert "clustered by game" in said
        (board, *_) = make_boards([result_of(store, "first")])
        assert board.terms.measure == "payoff"


def test_people_rate_it_by_its_own_guide(path: Path) -> None:
    with Store.open(path) as store:
        assert set(rated_measures(store, "first")) == {"fairness"}
        shown = guide_of(store, "first").rated_scene(next(store.episodes("first")))
    assert [line.text for line in shown.lines][:2] == [
        "offer (points: 40): Take it.",
        "decline",
    ]


def test_its_formats_are_imported(path: Path, tmp_path: Path) -> None:
    games, played = tmp_path / "games.json", tmp_path / "played.json"
    games.write_text('["x", "y"]')
    played.write_text("[10, 50]")
    assert "2 games" in import_anything("games", Import(games, "two", False, path))
    again = run(
        RunConfig(world="ultimatum", data="two", judges=("payoffs",), store=path, name="data")
    ).result
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


def test_its_judge_can_be_audited_by_variants_of_its_own(path: Path) -> None:
    found = audit(AuditConfig(run="first", judge="payoffs", kinds=("repeat", "louder"), store=path))
    told = str(found.sections)
    assert "payoff" in told
    assert "offers are written in capitals" in told


def test_a_model_judges_by_the_guide_that_people_have(path: Path) -> None:
    sheets = [{"fairness": {"reasoning": "took half", "score": score}} for score in (7, 11)]
    text = json.dumps({"person_1": sheets[0], "person_2": sheets[1]})
    model = FakeModel(text, text, text)
    with Store.open(path) as store:
        episode = next(store.episodes("first"))
    judge = load_world("ultimatum").model_judge(model)
    proposer, responder = asyncio.run(judge.judge(episode))
    assert isinstance(proposer, Score)
    assert (proposer.seat, proposer.value, proposer.reason) == ("proposer", 7, "took half")
    assert isinstance(responder, ScoreFailure)
    wrong = "fairness of Responder: expected a whole number from 0 to 10, found 11"
    assert responder.problem == wrong
    assert wrong in model.calls[1][0].messages[-1].text, "asked again, it is told which"
    shown = model.calls[0][0].messages[0].text
    assert "How fair was this player?" in shown
    assert "1. Proposer: offer (points: 40): Take it." in shown
    assert "found 11" in model.calls[1][0].messages[-1].text, "asked again, with the problem"


def test_its_figures_stand_by_role_with_their_direction(path: Path) -> None:
    with Store.open(path) as store:
        result = result_of(store, "first")
    (grid,) = [one for one in agent_grids(result) if one.corner == "agent and role"]
    assert [row.label for row in grid.rows][:2] == ["scripted as Proposer", "scripted as Responder"]
    assert result.declared.metric("payoff").better == "higher"
    assert {tuple(entry.by) for entry in result.scores} >= {("role",)}


def test_its_end_is_told_in_its_own_words(path: Path) -> None:
    with Store.open(path) as store:
        result, trial = result_of(store, "first"), store.trial_ids("first")[0]
        told = transcript(store, "first", trial)
    assert ("Ended by", "they agreed 12") in run_facts.course(result)
    assert "they agreed (Responder), after 4 turns" in told
    assert "1 Proposer: offer (points: 40): Take it." in told


def test_words_are_those_of_the_act_that_it_calls_speech(path: Path) -> None:
    with Store.open(path) as store:
        scores = result_of(store, "first").scores
    words = {e.by["role"]: e.value for e in scores
             if e.measure == "words_per_turn" and e.by.keys() == {"role"}}  # fmt: skip
    assert words == {"Proposer": 2.0, "Responder": None}


def test_its_command_is_run_by_name_and_is_part_of_the_demonstration(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = CliRunner().invoke(app, ["offers", "--run", "first", "--store", str(path)])
    assert made.exit_code == 0
    assert re.search(r"a +40, 50", made.stdout)
    monkeypatch.setattr("sociolab.app.data.sets.world_names", lambda: ("ultimatum",))
    monkeypatch.setattr("sociolab.cli.try_out.RunConfig", partial(RunConfig, world="ultimatum"))
    page = tmp_path / "my demo.html"
    default = tmp_path / "default.db"
    monkeypatch.setenv("SOCIOLAB_STORE", str(default))
    shown = CliRunner().invoke(app, ["demo", "--html", str(page)])
    assert shown.exit_code == 0, shown.output
    # Unasked, it writes nothing into the store of the user.
    assert not default.exists()
    store = page.with_name("my demo.db")
    assert f"sociolab web --store '{store}'" in shown.output
    with Store.open(store, create=False) as opened:
        assert opened.has_run("demo-ultimatum")
    tables = page.with_name("my demo-tables.html")  # the front page links to it
    assert "points for the responder" in tables.read_text("utf-8")


def test_its_data_are_checked_with_its_own_remarks(tmp_path: Path) -> None:
    (tmp_path / "games.json").write_text('["x", "y"]')
    told = check_data_set(tmp_path, "ultimatum")
    assert "2 tasks in 2 games" in told
    assert "an interval wants at least 10 games" in told


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
    with pytest.raises(WorldError, match=said):
        world_plugin("broken")
    offering = registry.worlds_that(lambda one: one.declared != Declared())
    assert {"ultimatum", "sotopia"} <= set(offering)
    sys.modules.pop("broken_world", None)


def test_its_author_needs_at_most_200_lines() -> None:
    lines = sum(len(file.read_text().splitlines()) for file in PACKAGE.rglob("*.py"))
    assert lines <= 200


class TestItsWorldKeepsTheContract(WorldContract):
    def world(self) -> World:
        return load_world("ultimatum").world


class TestItsPlayerKeepsTheContract(PlayerContract):
    def world(self) -> World:
        return load_world("ultimatum").world

    def player(self) -> Player:
        return load_world("ultimatum").players["scripted"]


class TestItsJudgeKeepsTheContract(JudgeContract):
    def judge(self) -> Judge:
        return load_world("ultimatum").judges["payoffs"]

    def episodes(self) -> Sequence[Episode]:
        kit = load_world("ultimatum")
        return [play_task(kit.world, task, dict.fromkeys(task.seats, kit.players["scripted"]))
                for task in kit.world.tasks()]  # fmt: skip

    def measures(self) -> Sequence[Measure]:
        return (Measure("payoff", 0, 100, title="payoff"),)


GREEDY = """
from ultimatum import Points, Scripted
import sociolab.plugin.api as lab


class Greedy(Scripted):
    async def reply(self, request, memory):
        if request.seat == "proposer":
            return await super().reply(request, memory)
        return lab.Reply((lab.Action("accept"),))
"""


def test_where_lower_is_better_the_lowest_agent_is_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who takes the first offer, of 40, gets less than who waits for 50: here that is better."""
    package = importlib.import_module("ultimatum")
    lower = Declared((Metric("payoff", better="lower"),), main=("payoff",), cluster="game")
    monkeypatch.setattr(package, "plugin", replace(package.plugin, declared=lower))
    (tmp_path / "greedy_player.py").write_text(GREEDY, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    path, greedy = tmp_path / "low.db", "python:greedy_player:Greedy"
    agents = ("scripted", greedy)
    run(RunConfig(world="ultimatum", agents=agents, partner="scripted", store=path, name="low"))
    with Store.open(path) as store:
        ranked = rank_runs(store, ["low"])
        assert ranked.records[greedy, "scripted"].won == 4
        assert ranked.records[greedy, "scripted"].lost == 0
        found = compare_runs(store, CompareRequest(("low",), greedy, "scripted", seats=True))
        assert found.comparison is not None
        mean = found.comparison.metrics["payoff"].test.difference.value
        # 50 as the proposer like the other, 40 and not 50 as the responder.
        assert mean == -5.0
        assert list(found.seats) == ["proposer", "responder"]
        assert found.seats["responder"].metrics["payoff"].test.difference.value == -10.0
        (board,) = make_boards([result_of(store, "low")])
        assert "lower is better" in " ".join(board.notes)
