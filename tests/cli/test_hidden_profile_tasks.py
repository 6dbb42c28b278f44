"""Hidden-profile tasks of other authors come in by the command line, and are played and checked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import Sociolab

TASK: dict[str, Any] = {
    "id": 7,
    "name": "picnic",
    "description": "Where does the group have its picnic: in the park, at the beach or on a hill?",
    "shared_information": ["The park has a lake.", "The beach is sunny today."],
    "hidden_information": [
        "The park is closed.",
        "The hill has tables.",
        "The beach has jellyfish.",
    ],
    "possible_answers": ["Park", "Beach", "Hill"],
    "correct_answer": "Hill",
    "rationale": "The others are ruled out.",
}


def test_tasks_of_a_file_are_played_without_an_npc(sociolab: Sociolab, tmp_path: Path) -> None:
    path = tmp_path / "benchmark.json"
    path.write_text(json.dumps([TASK]), "utf-8")
    assert sociolab("import", "hidden-profile", path, "--name", "others").code == 0
    done = sociolab("run", "anteval-decision", "--data", "others", "--judge", "none")
    assert done.code == 0, done.err
    assert "NPC" not in done.out
    whole = sociolab("run", "anteval-decision", "--data", "others", "--judge", "none", "--json")
    scores = {row["measure"]: row for row in whole.document["scores"]}
    assert scores["decision"]["n"] == 3
    assert scores["misled"]["n"] == 0, "clues of others carry no types"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"correct_answer": "Lake"}, "Lake"),
        ({"hidden_information": ["One alone."]}, "hidden_information"),
        ({"possible_answers": None}, "possible_answers"),
    ],
)
def test_a_task_that_cannot_be_played_is_refused_in_a_sentence(
    sociolab: Sociolab, tmp_path: Path, change: dict[str, Any], sentence: str
) -> None:
    path = tmp_path / "benchmark.json"
    path.write_text(json.dumps([TASK | change]), "utf-8")
    refused = sociolab("import", "hidden-profile", path, "--name", "others")
    assert refused.code == 2
    assert sentence in refused.err
    assert "Traceback" not in refused.err
