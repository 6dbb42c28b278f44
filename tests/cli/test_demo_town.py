"""The demo begins with a day in town, before the other worlds are played."""

from __future__ import annotations

import webbrowser
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sociolab import RunConfig, run
from sociolab.cli.main import app


def test_a_day_in_town_is_there_before_all_else_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sociolab.app.data.sets.world_names", lambda: ("stss",))
    monkeypatch.setattr("sociolab.cli.try_out.RunConfig", partial(RunConfig, limit=1))
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setenv("DISPLAY", ":0")
    page = tmp_path / "demo.html"
    shown = CliRunner().invoke(app, ["demo", "--html", str(page)])
    assert shown.exit_code == 0, shown.output
    town = page.with_name("demo-town.html")
    meanwhile, later = shown.output.index(town.as_uri()), shown.output.index("demo-sotopia")
    assert meanwhile < later
    assert "<canvas" in town.read_text("utf-8")
    assert opened == []  # no terminal, so nobody sits there
    assert {file.name for file in tmp_path.iterdir()} >= {"demo.db", "demo.html", town.name}


def test_without_scikit_learn_a_sentence_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sociolab.worlds.anteval.virtual_dm.linear.find_spec", lambda package: None)
    store, few = tmp_path / "s.db", {"sessions": "2", "turns": "4"}
    run(RunConfig(world="anteval-intention", settings=few, name="x", store=store))
    words = ["gap", "--real", "sample", "--generated", "x", "--store", str(store)]
    told = CliRunner().invoke(app, words)
    assert told.exit_code != 0
    assert "the virtual DM 'linear' needs scikit-learn, which is not installed" in str(
        told.output or told.exception
    )
