"""Figures that are played with the authors' own prompts are set beside the paper's; with others, or
by a stand-in, they are not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sociolab.app import load_world
from sociolab.app.tools import find_tool, run_tool
from sociolab.endpoint import EndpointSettings, start_in_thread
from sociolab.plugin import recipe
from sociolab.prompting import load_set
from sociolab.worlds import stss
from sociolab.worlds.stss.importing.prompts import import_prompts
from sociolab.worlds.stss.world import GENERATIVE_TEMPLATES, PACKAGE
from worlds.stss.importing.test_stss_rendered_prompts import write_own


@pytest.fixture
def theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A set made of a copy of a repository whose hash is known."""
    import_prompts(write_own(tmp_path / "clone"), tmp_path / "set", "theirs")
    manifest = tmp_path / "set" / "manifest.toml"
    text = manifest.read_text("utf-8").replace("unverified", "verified original")
    manifest.write_text(text, "utf-8")
    known = load_set(PACKAGE, str(tmp_path / "set"), GENERATIVE_TEMPLATES).authors_hash
    monkeypatch.setattr("sociolab.prompting.sets.hashes_of_originals", lambda _: {known: "here"})
    return str(tmp_path / "set")


@pytest.mark.parametrize(
    ("settings", "standing"),
    [({}, "verified original"), ({"merge": "importance"}, "modified"), ({"mind": "lean"}, None)],
)
def test_a_prompt_of_ours_for_several_answers_makes_the_set_modified(
    theirs: str, settings: dict[str, str], standing: str | None
) -> None:
    kit = load_world("stss", settings={"prompts": theirs, **settings})
    assert kit.instructions is not None
    assert kit.instructions.prompts.standing == (standing or kit.instructions.prompts.standing)


def small_town(folder: Path) -> Path:
    """One task with three residents."""
    town = stss.own_town(1)
    task = next(one for one in town.tasks if one.type == "appointment")
    some = tuple(dict.fromkeys((task.partner, *task.background)))[:2]
    few = task.model_copy(update={"background": some})
    stss.write_town(folder, replace(town, tasks=(few,)))
    return folder


def test_table_4_asks_whether_the_papers_figure_lies_inside(theirs: str, tmp_path: Path) -> None:
    tool = find_tool("stss-table4", "recipes")
    assert tool is not None
    with start_in_thread(EndpointSettings()) as server:
        config = tool.config(
            agents=("openai/m",), arms=("plain",), beside=("GPT-4",), base_url=server.url,
            town=str(small_town(tmp_path / "town")), store=tmp_path / "s.db",
            settings={"prompts": theirs, "step": "60"},
        )  # fmt: skip
        found = run_tool(tool, config, lambda step: None)
    (result,) = found.results
    assert "stand-in" in " ".join(found.sections[0].all_cautions)
    assert "inside?" not in found.sections[0].tables[0].columns

    real = result.model_copy(update={"settings": {**result.recorded, "stand_ins": []}})
    assert recipe.standing([real], ("openai/m",), "rules", rules=True) == ("", True)
