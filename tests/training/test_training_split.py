"""Held-out scenarios: in no other file, the same each time, and told where there are none."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from sociolab import RunConfig, run
from sociolab.core import ConfigError
from sociolab.training import ExportOptions, export_training


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a run of 12 tasks, and 12 scenarios."""
    path = tmp_path_factory.mktemp("split") / "s.db"
    run(RunConfig(limit=12, settings={"turns": "2"}, name="many", store=path, judges=("none",)))
    return path


def read(file: Path) -> list[dict[str, object]]:
    opened = gzip.open if file.suffix == ".gz" else open
    with opened(file, "rt", encoding="utf-8") as text:
        return [json.loads(line) for line in text]


def test_no_scenario_is_in_both_files(many: Path, tmp_path: Path) -> None:
    wanted = ExportOptions("turns", heldout=0.4, seed=1)
    done = export_training(["many"], tmp_path / "t.jsonl", wanted, many)
    assert [one.path.name for one in done.files] == ["t.train.jsonl", "t.heldout.jsonl"]
    train, heldout = ({row["scenario"] for row in read(one.path)} for one in done.files)
    assert train
    assert heldout
    assert not train & heldout
    assert len(train | heldout) == 12
    assert sum(len(read(one.path)) for one in done.files) == 24
    assert sorted(path.name for path in tmp_path.iterdir()) == ["t.heldout.jsonl", "t.train.jsonl"]


def test_compressed_parts_keep_their_ending(many: Path, tmp_path: Path) -> None:
    wanted = ExportOptions("sft", heldout=0.4, seed=1, gzip=True)
    done = export_training(["many"], tmp_path / "t.jsonl", wanted, many)
    assert [one.path.name for one in done.files] == ["t.train.jsonl.gz", "t.heldout.jsonl.gz"]
    again = export_training(
        ["many"], tmp_path / "u.jsonl.gz", ExportOptions("sft", heldout=0.4, seed=1), many
    )
    for one, other in zip(done.files, again.files, strict=True):
        assert one.path.read_bytes() == other.path.read_bytes()
        assert len(read(one.path)) == one.examples
        assert one.path.read_bytes()[4:8] == bytes(4), "no time in the header"


def test_how_many_are_held_out_is_told(many: Path, tmp_path: Path) -> None:
    wanted = ExportOptions("turns", heldout=0.3)
    told = export_training(["many"], tmp_path / "t.jsonl", wanted, many).sentences()
    assert "4 of 12 scenarios held out (33 %)" in told
    assert told[1].startswith(f"wrote {tmp_path / 't.heldout.jsonl'}: 8 examples from 4 episodes")


def test_a_part_that_would_be_empty_is_refused_and_leaves_nothing(
    many: Path, tmp_path: Path
) -> None:
    wanted = ExportOptions("sft", heldout=0.0001)
    with pytest.raises(ConfigError, match="all 12 scenarios with examples go to the other part"):
        export_training(["many"], tmp_path / "t.jsonl", wanted, many)
    assert list(tmp_path.iterdir()) == []
