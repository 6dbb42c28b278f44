"""Held-out scenarios: in no other file, the same each time, and told where there are none."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from sociolab import RunConfig, run
from sociolab.core import ConfigError
from sociolab.training import ExportOptions, export_training
from sociolab.training.examples import share_of
from sociolab.training.export import heldout_of


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


SCENARIOS = [("sotopia", f"s{n}") for n in range(400)]


def test_as_many_are_held_out_as_come_nearest_to_the_share_and_more_share_only_adds() -> None:
    few, more = heldout_of(SCENARIOS, 0.1, 0), heldout_of(SCENARIOS, 0.3, 0)
    assert (len(few), len(more)) == (40, 120)
    assert few < more
    assert few != heldout_of(SCENARIOS, 0.1, 1)
    assert few == heldout_of(SCENARIOS[::-1], 0.1, 0)
    assert sorted(name for _, name in few)[:3] == ["s0", "s107", "s128"], (
        "a split that was published stays"
    )
    sizes = [len(heldout_of(SCENARIOS[:n], 0.3, 0)) for n in (1, 2, 4, 5, 10, 30)]
    assert sizes == [0, 1, 1, 2, 3, 9]


def test_other_scenarios_move_the_cut_and_no_more() -> None:
    before, after = heldout_of(SCENARIOS[:200], 0.3, 0), heldout_of(SCENARIOS, 0.3, 0)
    among = after & set(SCENARIOS[:200])
    assert among <= before or among >= before, "the order stays"


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


@pytest.mark.parametrize("text", ["task:0.1", "scenario", "scenario:", "scenario:2", "0.1"])
def test_a_split_that_is_none_is_a_sentence(text: str) -> None:
    with pytest.raises(ConfigError, match="scenario:SHARE"):
        share_of(text)
