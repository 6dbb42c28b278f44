"""Sets of prompts: found by name or folder, checked when they are loaded, known by a hash."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

import pytest

from sociolab.app import load_world
from sociolab.core import ConfigError
from sociolab.engine import WorldSetup
from sociolab.prompting import PromptSet, load_set
from sociolab.worlds import sotopia

SHIPPED = {
    "sotopia": "paper",
    "anteval-decision": "ours",
    "anteval-information": "paper",
    "anteval-intention": "paper",
    "stss": "paper",
    "stss-talk": "paper",
}


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A copy of ours, to be changed."""
    folder = tmp_path / "mine"
    shutil.copytree(Path(str(files(sotopia.PACKAGE))) / "prompts" / "paper", folder)
    return folder


def loaded(folder: Path) -> PromptSet:
    return load_set(sotopia.PACKAGE, str(folder), sotopia.REQUIRED_TEMPLATES)


def refused(folder: Path) -> str:
    with pytest.raises(ConfigError) as error:
        loaded(folder)
    return str(error.value)


@pytest.mark.parametrize("world", SHIPPED)
def test_each_world_has_a_set_of_ours_and_names_it(world: str) -> None:
    kit = load_world(world)
    told = kit.instructions
    assert told is not None
    of_paper = SHIPPED[world] == "paper"
    assert (told.name, told.standing) == (SHIPPED[world], "paraphrased" if of_paper else "own")
    assert told.note == (
        "instructions: paraphrased (not the authors' text)"
        if of_paper
        else "instructions: sociolab's own (the world is in no paper)"
    )
    with pytest.raises(
        ConfigError, match=f"prompts: expected {SHIPPED[world]}, or the path of a folder"
    ):
        load_world(world, settings={"prompts": "nowhere"})


def test_a_copy_is_the_same_by_its_texts_and_another_by_its_name(mine: Path) -> None:
    ours, copy = load_set(sotopia.PACKAGE, "paper", sotopia.REQUIRED_TEMPLATES), loaded(mine)
    assert (copy.name, copy.hash) == ("mine", ours.hash)
    (mine / "act_tail.md").write_text("Turn {{ turn }}.")
    changed = loaded(mine)
    assert changed.hash != ours.hash
    assert changed.hash_of("judge_head") == ours.hash_of("judge_head")
    assert (
        changed["act_tail"].render({"turn": 3, "limit": 20, "name": "Ann", "agent": "Ann Day"})
        == "Turn 3."
    )


def test_what_a_manifest_says_of_itself_is_no_part_of_the_hash_and_all_else_is(mine: Path) -> None:
    before = loaded(mine).hash
    text = (mine / "manifest.toml").read_text()
    (mine / "manifest.toml").write_text(text.replace('"paraphrased"', '"modified"'))
    assert loaded(mine).hash == before
    (mine / "manifest.toml").write_text(text.replace("agent = 1.0", "agent = 0.7"))
    assert loaded(mine).hash != before


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("[settings]", 'colour = "red"\n[settings]', 'unknown field "temperature.colour"'),
        ('"paraphrased"', '"original"', "instructions: "),
        ("agent = 1.0", "agent = 9", "temperature.agent: "),
        ("[settings]", '[layout]\nmessages = "three"\n[settings]', "layout.messages: "),
        (
            "[settings]",
            '[lines]\nspeak = "{who}"\n[settings]',
            "lines.speak: expected a format string",
        ),
        ("[settings]", "[settings", "manifest.toml is not valid TOML"),
    ],
)
def test_a_wrong_manifest_is_refused_in_a_sentence(
    mine: Path, old: str, new: str, told: str
) -> None:
    file = mine / "manifest.toml"
    file.write_text(file.read_text().replace(old, new))
    assert told in refused(mine)


def test_a_missing_or_unreadable_file_is_named(mine: Path) -> None:
    (mine / "act_head.md").write_bytes(b"\xff\xfe")
    assert "act_head.md, line 1: expected UTF-8" in refused(mine)
    (mine / "act_head.md").unlink()
    assert "act_head.md cannot be read: there is no such file" in refused(mine)


def test_a_template_that_only_python_finds_wrong_is_refused_before_anything_is_played(
    mine: Path,
) -> None:
    (mine / "act_head.md").write_text("{{ name(who=1, who=2) }}")
    assert "act_head.md: expected a Jinja2 template (keyword argument repeated: who)" in refused(
        mine
    )


def settings(given: Mapping[str, str]) -> sotopia.Settings:
    return WorldSetup(settings=given).read("sotopia", sotopia.Settings)


def test_settings_of_the_set_lie_below_those_that_are_given(mine: Path) -> None:
    file = mine / "manifest.toml"
    file.write_text(file.read_text().replace('"hidden"', '"shown"').replace("true", "false"))
    theirs = settings({"prompts": str(mine)})
    assert (theirs.names, theirs.closing_question) == ("shown", False)
    given = settings({"prompts": str(mine), "names": "hidden"})
    assert (given.names, given.closing_question) == ("hidden", False)
    ours = settings({})
    assert (ours.prompts, ours.names, ours.closing_question) == ("paper", "hidden", True)
    file.write_text(file.read_text().replace("names", "nammes"))
    with pytest.raises(ConfigError, match='there is no setting "nammes"; expected some of'):
        settings({"prompts": str(mine)})
