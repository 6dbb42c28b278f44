"""`sociolab reproduce sotopia-pi-human`: public ratings and episodes, without a model."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import Done, Sociolab

DIMENSIONS = ("believability", "relationship", "knowledge", "secret", "social_rules")
NEUTRAL = {f"{name}_{seat}": 0 for name in DIMENSIONS for seat in (1, 2)}
BIO = "is a 40-year-old {} {}. {} pronouns. Likes rain. Personality and values description: Calm. "
PROMPT = (
    "As the judge was told:\nScenario: Two people wait.\nParticipants: Ida Roe and Bo Lund\n"
    f"Ida Roe's background: Ida Roe {BIO.format('female', 'cook', 'She/her')}Ida's secrets: None.\n"
    f"Bo Lund's background: Bo Lund {BIO.format('male', 'smith', 'He/him')}Bo's secrets: None.\n"
    "Ida Roe's goal: Go home.\nBo Lund's goal: Stay.\n"
    'Turn #1\nIda Roe said: "I leave."\nTurn #2\nBo Lund left the conversation,'
)
PARTNER = "gpt-3.5-turbo"
PLAYED = {
    "e1": (PARTNER, "gpt-4", "gpt-4_gpt-3.5-turbo_v0.0.1_clean"),
    "e2": ("gpt-4", PARTNER, "gpt-4_gpt-3.5-turbo_v0.0.1_clean"),
    "e3": ("custom_model", PARTNER, "sft-round-2_checkpoint_improve-0_epoch-20_gpt-3.5-turbo_test"),
}
RATED = [("e1", "ann", 5, 6), ("e1", "bob", 7, 8), ("e2", "ann", 3, 0), ("e2", "ann", 4, 0)]
OTHERS = [("e3", "ann", 2, 9), ("e3", "bob", 3, 9)]
REPOSITORY = Path(__file__).parents[2]
SHARED = Path(os.environ.get("SOCIOLAB_SHARED", REPOSITORY.parent / "shared")) / "data/sotopia"


def write_episodes(folder: Path) -> Path:
    rows = [
        {"pk": pk, "environment": "", "agents": ["a", "b"], "models": ["judge", first, second],
         "tag": tag, "rewards_prompt": PROMPT}
        for pk, (first, second, tag) in PLAYED.items()
    ]  # fmt: skip
    (folder / "episodes.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return folder / "episodes.jsonl"


def write_ratings(file: Path, rows: list[tuple[str, str, int, int]]) -> None:
    file.parent.mkdir(exist_ok=True)
    records: list[dict[str, Any]] = [
        {"": number, "model": "m", "pk": pk, "prolific_id": rater, **NEUTRAL}
        | {"goal_1": first, "goal_reasoning_1": "So, so.", "goal_2": second}
        for number, (pk, rater, first, second) in enumerate(rows)
    ]
    with file.open("w", encoding="utf-8", newline="") as written:
        table = csv.DictWriter(written, [*records[0]])
        table.writeheader()
        table.writerows(records)


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    write_episodes(tmp_path)
    write_ratings(tmp_path / "ratings" / "gpt4.csv", RATED)
    write_ratings(tmp_path / "ratings" / "bc.csv", OTHERS)
    return "ratings", "episodes.jsonl"


def figures(done: Done) -> dict[str, tuple[float, float | None]]:
    """Own and published figures, by model or share."""
    assert done.code == 0, done.err
    rows = done.document["figures"]
    return {row["metric"]: (round(row["value"], 4), row["published"]) for row in rows}


def test_each_models_mean_goal_stands_beside_the_published_one(
    sociolab: Sociolab, files: tuple[str, str]
) -> None:
    done = sociolab("reproduce", "sotopia-pi-human", *files, "--json")
    found = figures(done)
    # gpt-4: (6 + 8) / 2 = 7 and, by one person twice, (3 + 4) / 2 = 3.5; the partner: 6, 0 and 9.
    assert found["gpt-4"] == (5.25, 5.25)
    assert found["BC"] == (2.5, 3.55)
    assert found["gpt-3.5-turbo"] == (5.0, None)
    # Of pairs over all 6 dimensions and 4 seats, the five others agree: 20 of 24; of goals, bins
    # are of 2 points: 5 and 7, 6 and 8, 2 and 3 (one bin), 9 and 9 (one): 22 of 24.
    assert found["binned"] == (round(22 / 24, 4), 0.602)
    assert done.document["cannot_be_repeated"].keys() == {"instructions of agents and judge"}


def test_what_is_in_the_store_is_not_imported_again(
    sociolab: Sociolab, files: tuple[str, str]
) -> None:
    command = ("reproduce", "sotopia-pi-human", *files)
    assert sociolab("import", "sotopia-episodes", files[1], "--name", "mine").code == 0
    first, second = sociolab(*command), sociolab(*command)
    assert second.out == first.out
    assert "stored 0" in second.err
    assert "run mine" in first.err
    assert [row["run"] for row in sociolab("list", "--json").document["runs"]] == ["mine"]


def test_ratings_that_are_refused_leave_no_run_behind(
    sociolab: Sociolab, files: tuple[str, str], tmp_path: Path
) -> None:
    write_ratings(tmp_path / "ratings" / "wrong.csv", [("e1", "cat", 70, 0)])
    done = sociolab("reproduce", "sotopia-pi-human", *files)
    assert done.code == 2
    assert "wrong.csv: 1 error, nothing was imported: line 2: expected" in done.sentence
    assert sociolab("list", "--json").document["runs"] == []


def test_a_folder_without_ratings_is_refused(sociolab: Sociolab, files: tuple[str, str]) -> None:
    done = sociolab("reproduce", "sotopia-pi-human", ".", files[1])
    assert "expected files *.csv in ., found none" in done.sentence


@pytest.mark.skipif(not SHARED.exists(), reason="needs ../shared")
def test_the_public_ratings_of_one_model_are_read_as_they_are(sociolab: Sociolab) -> None:
    files = (SHARED / "ratings", SHARED / "episodes" / "sotopia_pi_human_eval_episodes.jsonl")
    done = sociolab("reproduce", "sotopia-pi-human", *files, "--json")
    # 29 ratings of 14 episodes; in one three people rated, whose mean counts as one.
    assert "read 406 ratings by 11 raters of 28 seats of 14 episodes" in done.err
    assert figures(done)["gpt-3.5-turbo"] == (4.0833, None)
    (row,) = (row for row in done.document["figures"] if row["metric"] == "gpt-3.5-turbo")
    assert row["n"] == 28
