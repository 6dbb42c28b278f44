"""`sociolab export --as`: what is written is told, and bad input is one sentence and no file."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from cli.conftest import Sociolab
from training_cases import lines, play


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("examples") / "s.db"
    play(path, "small")
    return path


@pytest.fixture
def store(small: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(small, tmp_path / "s.db"))


def test_counts_come_at_the_end_and_nothing_on_stdout(
    sociolab: Sociolab, store: Path, tmp_path: Path
) -> None:
    done = sociolab(
        "export", "small", "s.jsonl", "--as", "sft", "--metric", "goal", "--min", 7,
        "--store", store,
    )  # fmt: skip
    assert (done.code, done.out) == (0, "")
    assert done.err.splitlines() == [
        "wrote s.jsonl: 4 examples from 2 episodes of 1 run, 2 scenarios",
        "left out: 16 turns of the partner scripted, which --agent would include; 8 turns whose "
        "goal by by-hand is unknown (failed); 6 turns with goal below 7; 2 turns with an "
        "unusable reply",
        "the reward is rule-based: goal by by-hand: rule-based, from the transcript; where it "
        'cannot tell, there is no score; the Python class itself declares that it is "rules"',
    ]
    assert len(lines(tmp_path / "s.jsonl")) == 4


def test_a_heuristic_is_a_reward_only_where_it_is_named(sociolab: Sociolab) -> None:
    sociolab("run", "sotopia", "--tasks", "bargain", "--limit", 4, "--name", "r")
    goals = ("export", "r", "g.jsonl", "--as", "sft", "--metric", "goal")
    refused = sociolab(*goals)
    assert (refused.code, refused.out) == (2, "")
    assert "only a rule-based baseline scored goal (heuristic)" in refused.sentence
    assert "add --by heuristic" in refused.sentence
    done = sociolab(*goals, "--by", "heuristic")
    assert done.code == 0, done.err
    assert "the reward is a rule-based baseline: goal by heuristic: " in done.err
    checked = sociolab("export", "r", "c.jsonl", "--as", "sft", "--metric", "goal_checked")
    assert checked.code == 0, checked.err
    assert "rule-based" not in checked.err, "what is on record is no matter of judging"


def test_several_runs_go_into_one_file(sociolab: Sociolab, store: Path, tmp_path: Path) -> None:
    assert sociolab("export", "small", "run.zip", "--store", store).code == 0
    assert sociolab("import", "run", "run.zip", "--name", "copy", "--store", store).code == 0
    done = sociolab(
        "export", "small", "copy", "t.jsonl", "--as", "turns", "--metric", "goal,mood",
        "--store", store,
    )  # fmt: skip
    assert done.code == 0, done.err
    assert "72 examples from 16 episodes of 2 runs, 2 scenarios" in done.err
    assert {row["run"] for row in lines(tmp_path / "t.jsonl")} == {"small", "copy"}


@pytest.mark.parametrize(
    ("args", "named"),
    [
        (("small", "gone", "x", "--as", "turns"), 'no run "gone"'),
        (("small", "small", "x"), "as examples with --as"),
        (("small", "x", "--min", 3), "--min is for examples: add --as"),
        (("small", "x", "--as", "turns", "--parquet"), "one of the two"),
        (("small", "x", "--as", "sft", "--split", "task:0.1"), "scenario:SHARE"),
        (("small", "no/x", "--as", "turns"), "there is no folder no;"),
        (("small", "--as", "turns"), 'expected RUN... FILE, found "small" alone'),
        (("small",), 'expected RUN... FILE, found "small" alone'),
        (("small", "small", "--as", "turns"), '"small" is the name of a run, and the file to wri'),
        (("small", "small"), '"small" is the name of a run'),
    ],
)
def test_bad_input_is_one_sentence_and_no_file(
    sociolab: Sociolab, store: Path, tmp_path: Path, args: tuple[object, ...], named: str
) -> None:
    done = sociolab("export", *args, "--store", store)
    assert (done.code, done.out) == (2, "")
    assert named in done.sentence
    assert [path.name for path in tmp_path.iterdir() if not path.name.startswith("s.db")] == []


@pytest.mark.parametrize(
    ("args", "written"),
    [
        (("out.zip",), "out.zip"),
        (("out.zip", "--as", "bundle"), "out.zip"),
        (("out.jsonl", "--as", "turns"), "out.jsonl"),
        (("out.jsonl", "--as", "turns", "--split", "scenario:0.5"), "out.heldout.jsonl"),
        (("out", "--parquet"), "out/turns.parquet"),
    ],
)
def test_what_is_there_is_not_written_over_unless_it_is_to_be(
    sociolab: Sociolab, store: Path, tmp_path: Path, args: tuple[object, ...], written: str
) -> None:
    file = tmp_path / written
    file.parent.mkdir(exist_ok=True)
    file.write_text("mine", "utf-8")
    refused = sociolab("export", "small", *args, "--store", store)
    assert refused.code == 2
    assert "is there already; name another file, or remove it first; --replace" in refused.sentence
    assert file.read_text("utf-8") == "mine"
    done = sociolab("export", "small", *args, "--replace", "--store", store)
    assert done.code == 0, done.err
    assert file.read_bytes() != b"mine"
