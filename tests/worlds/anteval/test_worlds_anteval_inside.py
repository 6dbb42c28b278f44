"""Units that are worth a test alone, from inside: worlds/anteval."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from anteval_cases import session
from fake_models import FakeModel
from sociolab import RunConfig, run
from sociolab.core import (
    Labelled,
    Player,
    PointAnswer,
)
from sociolab.engine import Scene
from sociolab.report.words import nature
from sociolab.testing import PlayerContract
from sociolab.worlds import anteval
from sociolab.worlds.anteval.information.model_judge import labelled
from sociolab.worlds.anteval.world import table_casts


class TestScriptedInformation(PlayerContract):
    def player(self) -> Player:
        return anteval.ScriptedPartyPlayer()

    def scene(self) -> Scene:
        one = session(turns=16)
        return anteval.AntScene(
            one, anteval.build_polls(one, anteval.paper_prompts(), controls=True, every=5)
        )


def test_alone_each_agent_plays_the_whole_table_and_with_a_partner_the_players() -> None:
    seats = ("player-1", "player-2", anteval.NPC)
    assert table_casts(["a", "b"], None, seats) == (("a", "a", "a"), ("b", "b", "b"))
    assert table_casts(["a", "b"], "p", seats) == (("a", "a", "p"), ("b", "b", "p"))


def test_a_copy_of_the_scripted_player_has_no_iep_and_a_sentence_names_the_flag(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "copycat.py").write_text(
        "from sociolab.worlds.anteval.scripted import ScriptedPartyPlayer as Copy\n", "utf-8"
    )
    monkeypatch.syspath_prepend(tmp_path)
    agents, settings = ("scripted", "python:copycat:Copy"), {"sessions": "2", "turns": "12"}
    found = run(RunConfig(world="anteval-information", agents=agents, partner="scripted",
                          settings=settings, store=tmp_path / "s.db")).result  # fmt: skip
    iep = {s.agent: (s.n, s.unscored) for s in found.scores if s.measure == "iep" and not s.by}
    assert iep == {"scripted": (6, 0), "python:copycat:Copy": (0, 6)}
    assert "--judge openai/MODEL" in nature(found, "record")


SET = Path(__file__).parents[3] / "validation" / "anteval"


ROWS = [
    json.loads(path.read_text("utf-8").split("\n")[line])
    for path in sorted(SET.glob("*.jsonl"))
    for line in (0, -2)
]
"""The first and the last row of each file."""


def sheet(stated: bool, quote: str) -> str:
    line = {"fact": "f1", "stated": stated, "quote": quote if stated else ""}
    return json.dumps({"facts": [line], "beside": []})


def asked(item: Labelled, *replies: str) -> PointAnswer:
    (answer,) = asyncio.run(item.ask(FakeModel(*replies)))
    return answer


@pytest.mark.parametrize("number", range(len(ROWS)))
def test_whoever_goes_by_the_label_is_right(number: int) -> None:
    row: dict[str, Any] = ROWS[number]
    item = labelled(row, "unnamed")
    same = row["label"] == "same"
    answer = asked(item, sheet(same, row["statement"]))
    assert (answer.text,) == item.points[0].right == ("stated" if same else "not stated",)
    ((score,),) = item.expected
    assert score.measure.name == "recall"
    assert score.value == float(same)  # type: ignore[union-attr]


def test_a_quote_that_is_not_in_the_statement_is_no_answer() -> None:
    invented = sheet(True, "words that nobody wrote there")
    assert asked(labelled(ROWS[0], "x"), *[invented] * 3).text is None


def test_a_row_without_a_known_label_is_told() -> None:
    with pytest.raises(ValidationError, match="'same' or 'not'"):
        labelled(ROWS[0] | {"label": "maybe"}, "x")
