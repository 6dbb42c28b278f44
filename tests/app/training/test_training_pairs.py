"""Pairs of the small run: the same prompt, two replies, and the better of them first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sociolab.app.training.export import Exported, export_training
from sociolab.app.training.wanted import Wanted
from sociolab.core.errors import ConfigError
from training_cases import lines


def export(store: Path, file: Path, **wanted: Any) -> tuple[Exported, list[Any]]:
    done = export_training(
        ["small"], file, Wanted("pairs", measures=("goal",), agent="openai/x", **wanted), store
    )
    return done, lines(file)


def test_first_turns_over_repeats_make_pairs(small: Path, tmp_path: Path) -> None:
    done, rows = export(small, tmp_path / "p.jsonl")
    assert len(rows) == 2, "the opening of each task: the only prompt that came twice"
    for row in rows:
        assert [m["role"] for m in row["prompt"]] == ["system", "user"]
        assert row["chosen"] == [
            {"role": "assistant", "content": '{"action": "speak", "text": "Offer 2 at 1."}'}
        ]
        assert "Offer 1 at 1." in row["rejected"][0]["content"]
        about = row["metadata"]
        assert (about["measure"], about["judge"], about["turn"]) == ("goal", "by-hand", 1)
        assert (about["chosen"]["reward"], about["rejected"]["reward"]) == (8, 5)
        (better,), (worse,) = about["chosen"]["episodes"], about["rejected"]["episodes"]
        assert better["trial"] != worse["trial"]
        assert better["agent"] == worse["agent"] == "openai/x"
    assert len({row["metadata"]["scenario"] for row in rows}) == 2
    left = {why.why: count for why, count in done.left.items()}
    assert left["with an unusable reply"] == 4
    assert "whose prompt no other turn had" in left
    lone = left["whose prompt no other turn had"]
    alike = 2 * left.get("with the same reply each time", 0)
    close = 2 * left.get("apart by nothing in goal", 0)
    assert left.get("without goal by by-hand", 0) + lone + alike + close == 20 - 4 - 2 * 2


def test_a_margin_that_is_reached_is_enough_and_one_that_is_not_is_told(
    small: Path, tmp_path: Path
) -> None:
    assert len(export(small, tmp_path / "p.jsonl", margin=3.0)[1]) == 2
    with pytest.raises(ConfigError, match=r"2 pairs of replies apart by less than 3\.5 in goal"):
        export(small, tmp_path / "q.jsonl", margin=3.5)
    assert not (tmp_path / "q.jsonl").exists()


def test_without_a_measure_pairs_go_by_the_worlds_main_one(small: Path, tmp_path: Path) -> None:
    file = tmp_path / "p.jsonl"
    export_training(["small"], file, Wanted("pairs", agent="openai/x"), small)
    assert {row["metadata"]["measure"] for row in lines(file)} == {"goal"}  # type: ignore[index]


def test_one_reply_that_came_more_often_counts_once_with_its_mean_reward(
    small: Path, tmp_path: Path
) -> None:
    file = tmp_path / "p.jsonl"
    export_training(["small"], file, Wanted("pairs", measures=("goal",)), small)
    rows = lines(file)
    prompts: dict[str, set[tuple[str, str]]] = {}
    for row in rows:
        pair = (str(row["chosen"]), str(row["rejected"]))
        known = prompts.setdefault(str(row["prompt"]), set())
        assert pair not in known
        assert pair[::-1] not in known, "no reply is better and worse than another"
        known.add(pair)
    assert any(row["metadata"]["chosen"]["rebuilt"] for row in rows)  # type: ignore[index]
