"""A copy of the templates of Generative Agents becomes a set; the texts here are made up."""

from __future__ import annotations

from pathlib import Path

import pytest

from sociolab.core import ConfigError
from sociolab.prompting import load_set
from sociolab.worlds.stss.importing.prompts import TEMPLATES, import_prompts
from sociolab.worlds.stss.world import GENERATIVE_TEMPLATES

HEAD = "Variables: !<INPUT 0>! -- explained\n<commentblockmarker>###</commentblockmarker>\n"


def written(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        version, _, stem = name.partition("__")
        (folder / version).mkdir(parents=True, exist_ok=True)
        (folder / version / f"{stem}.txt").write_text(HEAD + text, "utf-8")
    return folder


def test_inputs_become_variables_and_the_form_of_the_reply_is_ours(tmp_path: Path) -> None:
    source = written(
        tmp_path / "theirs",
        v2__wake_up_hour_v1="!<INPUT 0>! / !<INPUT 1>! / !<INPUT 2>!: {when}?",
        v1__action_location_sector_v1="!<INPUT 0>! of <!<INPUT 1>!> goes to {!<INPUT 7>!}",
        v1__wake_up_hour_v1="the older one: !<INPUT 0>!",
        v2__get_keywords_v1="!<INPUT 0>!",
    )
    told = import_prompts(source, tmp_path / "set", "theirs")
    texts = load_set("sociolab.worlds.stss", str(tmp_path / "set"), GENERATIVE_TEMPLATES)
    values = {"identity": "I", "lifestyle": "L", "first_name": "Ada"}
    shown = texts["generative/wake_up_hour"].render(
        dict.fromkeys(GENERATIVE_TEMPLATES["generative/wake_up_hour"].split(), "") | values
    )
    assert shown == 'I / L / Ada: {when}?\n\nAnswer with {"wake": "HH:MM", "bed": "HH:MM"}.'
    assert "{{ name }} of <{{ home }}> goes to" in texts["generative/choose_sector"].source
    assert texts.standing == "unverified"
    assert "v1/action_location_sector_v1.txt -> generative/choose_sector" in told
    assert "asked nowhere here: get_keywords_v1" in told
    (missing,) = [line for line in told if line.startswith("no template found for: ")]
    assert "daily_plan" in missing
    assert "choose_sector" not in missing


def test_every_known_template_fits_the_variables_of_its_question(tmp_path: Path) -> None:
    names = {
        one.replace("/", "__"): " ".join(f"!<INPUT {n}>!" for n in range(len(inputs)))
        for one, (_, inputs) in TEMPLATES.items()
    }
    import_prompts(written(tmp_path / "all", **names), tmp_path / "set", "all")
    texts = load_set("sociolab.worlds.stss", str(tmp_path / "set"), GENERATIVE_TEMPLATES)
    rated = texts["generative/importance"].source
    assert rated.count("{{ identity }}") == 3
    assert 'kind == "thought"' in rated


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("v1__action_object_v2", "!<INPUT 5>!", "expected inputs 0 to 1, found <INPUT 5>"),
        ("v1__something", "!<INPUT 0>!", "expected a folder with templates of Generative Agents"),
    ],
)
def test_what_is_not_theirs_is_refused(tmp_path: Path, name: str, text: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=problem):
        import_prompts(written(tmp_path / "one", **{name: text}), tmp_path / "set", "one")
    assert not (tmp_path / "set").exists()
