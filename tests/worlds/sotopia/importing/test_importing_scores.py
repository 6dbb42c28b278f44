"""Scores that a judge stored with public episodes: a judging of their own, as the log has them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sociolab.app import Import, import_anything
from sociolab.core import ConfigError, Score, ScoreFailure
from sociolab.store import Store
from sociolab.worlds import sotopia

BIO = "is a 40-year-old {} {}. {} pronouns. Likes rain. Personality and values description: Calm. "
ROE = "Ida Roe " + BIO.format("female", "cook", "She/her") + "Ida's secrets: None."
LUND = "Bo Lund " + BIO.format("male", "smith", "He/him") + "Bo's secrets: None."
STAGE = """As the judge was told:
Scenario: Two people wait.
Participants: Ida Roe and Bo Lund
Ida Roe's background: {}
Bo Lund's background: {}
Ida Roe's goal: {}
Bo Lund's goal: {}
"""
PROMPT = STAGE.format(ROE, LUND, "Go home.", "Stay.") + (
    'Turn #1\nIda Roe said: "I leave."\nTurn #2\nBo Lund left the conversation,'
)
SCORES = {
    "believability": 9, "relationship": -2, "knowledge": 3, "secret": 0, "social_rules": -1,
    "financial_and_material_benefits": 1, "goal": 4, "overall_score": 2.0,
}  # fmt: skip
REASONS = "Agent {} comments:\nbelievability: Natural.\nBoth: at ease.\ngoal: Half of it.\n"


def log(**changes: Any) -> dict[str, Any]:
    """A line as the public package logs it."""
    return {
        "pk": "e1",
        "environment": "",
        "agents": ["a", "b"],
        "models": ["openai/old-judge", "m1", "m2"],
        "rewards_prompt": PROMPT,
        "rewards": [[2.0, SCORES], [2.0, SCORES | {"goal": 10, "overall_score": 20 / 7}]],
        "reasoning": "Environment comments: terminated: Agent 2 is leaving; \n"
        + REASONS.format(1)
        + REASONS.format(2),
    } | changes


def written(folder: Path, *lines: dict[str, Any]) -> Path:
    file = folder / "episodes.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    return file


def test_stored_scores_and_reasons_are_a_judging_by_the_judge_that_is_named(tmp_path: Path) -> None:
    (found,) = sotopia.import_episodes(written(tmp_path, log())).judgings
    assert (found.trial, found.judge.name, found.judge.method) == (
        "e1",
        "openai/old-judge",
        "model",
    )
    scores = {(v.seat, v.measure.name): v for v in found.verdicts if isinstance(v, Score)}
    assert len(scores) == 16  # seven dimensions and the overall, of each of two
    assert scores["a", "believability"].reason == "Natural.\nBoth: at ease."
    assert scores["a", "goal"].reason == "Half of it."
    assert scores["b", "financial"].value == 1
    # 9 - 2 + 3 + 0 - 1 + 1 + 4 = 14, and 20 with a goal of 10: of seven.
    assert scores["a", "overall"].value == 2.0
    assert scores["b", "overall"].value == pytest.approx(20 / 7)


def test_a_score_that_is_missing_or_out_of_range_is_a_failure_and_not_zero(tmp_path: Path) -> None:
    broken = {k: v for k, v in SCORES.items() if k != "secret"} | {"goal": 12, "style": 3}
    found = sotopia.import_episodes(written(tmp_path, log(rewards=[[1.0, broken], [2.0, SCORES]])))
    (judging,) = found.judgings
    failed = {(v.seat, v.measure.name) for v in judging.verdicts if isinstance(v, ScoreFailure)}
    assert failed == {("a", name) for name in ("secret", "goal", "overall")}
    assert [line.rpartition(": ")[2] for line in found.lines if "scores" in line] == ["2", "1"]


def test_a_bare_number_is_no_score_of_a_dimension(tmp_path: Path) -> None:
    # The public code of 2025 writes 0 for everything.
    found = sotopia.import_episodes(written(tmp_path, log(rewards=[0.0, 0.0])))
    assert found.judgings == ()
    assert found.lines[-1] == (
        "episodes whose stored scores are a bare number, which says of no dimension: 1"
    )
    with pytest.raises(ConfigError, match="expected rewards of 2 agents, found 3"):
        sotopia.import_episodes(written(tmp_path, log(rewards=[[1.0, SCORES]] * 3)))


@pytest.mark.parametrize(("first", "second", "kept"), [(True, False, "a"), (False, True, "b")])
def test_a_bare_number_beside_scores_is_left_out_and_told(
    tmp_path: Path, first: bool, second: bool, kept: str
) -> None:
    rewards = [[1.0, SCORES] if whole else 0.0 for whole in (first, second)]
    found = sotopia.import_episodes(written(tmp_path, log(rewards=rewards)))
    (judging,) = found.judgings
    assert {verdict.seat for verdict in judging.verdicts} == {kept}
    assert len(judging.verdicts) == 8
    assert found.lines[-1] == (
        "agents with a bare number beside another agent's scores by dimension, left out: 1"
    )


def test_a_log_without_its_judges_prompt_is_read_from_its_messages(tmp_path: Path) -> None:
    ida = STAGE.format(ROE, "Unknown", "Go home.", "Unknown") + "Conversation Starts:\n"
    bo = STAGE.format("Unknown", LUND, "Unknown", "Stay.") + "Conversation Starts:\n"
    stage = "Environment"
    messages = [
        [(stage, "Ida Roe", ida), (stage, "Bo Lund", bo)],
        [
            (stage, "Bo Lund", 'Turn #0: Ida Roe said: "I leave."'),
            ("Ida Roe", stage, 'said: "I leave."'),
            ("Bo Lund", stage, "did nothing"),
        ],
        [("Ida Roe", stage, "did nothing"), ("Bo Lund", stage, "left the conversation")],
    ]
    wanted = sotopia.import_episodes(written(tmp_path, log()))
    found = sotopia.import_episodes(written(tmp_path, log(rewards_prompt="TBD", messages=messages)))
    assert found.episodes == wanted.episodes
    assert found.judgings == wanted.judgings


def test_who_acts_at_once_acts_one_after_the_other_and_no_words_are_lost(tmp_path: Path) -> None:
    stage, both = "Environment", STAGE.format(ROE, LUND, "Go home.", "Stay.")
    messages = [
        [(stage, "Ida Roe", both), (stage, "Bo Lund", both)],
        [("Ida Roe", stage, "said: we did nothing"), ("Bo Lund", stage, 'said: "Oh."')],
        [("Ida Roe", stage, "did nothing"), ("Bo Lund", stage, "left the conversation")],
    ]
    found = sotopia.import_episodes(written(tmp_path, log(rewards_prompt="TBD", messages=messages)))
    moves = [(move.seat, move.actions[0].text) for move in found.episodes[0].moves]
    assert moves == [("a", "we did nothing"), ("b", "Oh."), ("b", "")]


def test_the_imported_run_holds_the_scores(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    source = written(tmp_path, log())
    said = import_anything("sotopia-episodes", Import(source, "old", False, store))
    assert "1 stored judging by openai/old-judge" in said
    with Store.open(store) as opened:
        (row,) = opened.verdicts.judgings("old")
    assert (row.judge.name, row.trial, len(row.verdicts)) == ("openai/old-judge", "e1", 16)
