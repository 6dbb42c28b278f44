"""The data set that docs/data.md writes down can be checked, cast and played as it says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from sociolab.app.data.sets import cast_tasks, check_data_set
from sociolab.core import ConfigError
from sociolab.worlds import sotopia
from sociolab.worlds.sotopia.dataset import FILES, META

PAGE = Path(__file__).parents[3] / "docs" / "data.md"
BLOCKS = re.findall(r"```json\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, block in zip((META, *FILES), BLOCKS, strict=False):
        (tmp_path / name).write_text(block, "utf-8")
    return tmp_path


def test_the_files_of_the_page_are_a_data_set(folder: Path) -> None:
    first, goals, zone = check_data_set(folder, "sotopia").split("\n")
    assert zone.endswith("1 of 1; narrowest: bench, $35.00 to $52.00")
    assert first.startswith("my-office 1 is in order: 2 tasks in 2 scenarios, hash ")
    assert goals == "scenarios with goals that have a formula: 1 (price 1)"


def test_the_facts_of_the_page_can_be_read() -> None:
    reader: TypeAdapter[sotopia.Facts] = TypeAdapter(sotopia.Facts)
    kinds = [reader.validate_python(json.loads(line)).kind for line in BLOCKS[-1].splitlines()]
    assert kinds == ["division", "friend", "option", "ask"]


def test_tasks_are_cast_from_pairs_with_a_row_only(folder: Path) -> None:
    (folder / "tasks.jsonl").unlink()
    with pytest.raises(ConfigError, match=r"fit it in relationships\.jsonl \(strangers need a row"):
        cast_tasks(folder, "sotopia", per_scenario=2, seed=0)
    assert cast_tasks(folder, "sotopia", per_scenario=1, seed=0).endswith("2 tasks")
    assert len(sotopia.load(folder).rows) == 2
