"""Pairs of the small run: the same prompt, two replies, and the better of them first."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sociolab import RunConfig, run
from sociolab.core import ConfigError, Declared, JudgeId, Measure, Metric, Score
from sociolab.store import Store
from sociolab.training import ExportedFiles, ExportOptions, export_training
from training_cases import lines, play_bargain


def export(store: Path, file: Path, **wanted: Any) -> tuple[ExportedFiles, list[Any]]:
    done = export_training(
        ["small"],
        file,
        ExportOptions("pairs", measures=("goal",), agent="openai/x", **wanted),
        store,
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
    left = {why.why: count for why, count in done.skipped.items()}
    assert left["with an unusable reply"] == 4
    assert "whose prompt no other turn had" in left
    lone = left["whose prompt no other turn had"]
    alike = 2 * left.get("with the same reply each time", 0)
    close = 2 * left.get("apart by nothing in goal", 0)
    assert (
        left["whose goal by by-hand is unknown (failed)"] + lone + alike + close == 20 - 4 - 2 * 2
    )


def test_a_margin_that_is_reached_is_enough_and_one_that_is_not_is_told(
    small: Path, tmp_path: Path
) -> None:
    assert len(export(small, tmp_path / "p.jsonl", margin=3.0)[1]) == 2
    with pytest.raises(ConfigError, match=r"2 pairs of replies apart by less than 3\.5 in goal"):
        export(small, tmp_path / "q.jsonl", margin=3.5)
    assert not (tmp_path / "q.jsonl").exists()


def test_without_a_measure_pairs_go_by_the_worlds_main_one(small: Path, tmp_path: Path) -> None:
    file = tmp_path / "p.jsonl"
    export_training(["small"], file, ExportOptions("pairs", agent="openai/x"), small)
    assert {row["metadata"]["measure"] for row in lines(file)} == {"goal"}


def judged_by(store: Path, folder: Path, *judges: JudgeId) -> Path:
    """A copy of the small run in which these judges gave each seat a charm of 1 or 2, by repeat."""
    path = Path(shutil.copy(store, folder / "judged.db"))
    with Store.open(path, create=False) as opened:
        for row in opened.trials("small"):
            for judge in judges:
                scores = [Score(CHARM, seat, 1 + row.trial.repeat) for seat in row.trial.task.seats]
                opened.verdicts.add("small", judge, scores, trial=row.trial.id)
    return path


CHARM = Measure("charm", 0, 2)
HEURISTIC, STAND_IN = JudgeId("heuristic", "heuristic"), JudgeId("stand-in", "scripted")
MODEL, PEOPLE = JudgeId("openai/j", "model"), JudgeId("people", "people")


@pytest.mark.parametrize("judges", [(HEURISTIC,), (STAND_IN,), (HEURISTIC, STAND_IN)])
def test_baselines_are_no_reward_of_themselves(
    small: Path, tmp_path: Path, judges: tuple[JudgeId, ...]
) -> None:
    store, first = judged_by(small, tmp_path, *judges), judges[0].name
    with pytest.raises(ConfigError, match=rf"only a rule-based .*{first}.* --by {first} to use"):
        export_training(
            ["small"], tmp_path / "p", ExportOptions("pairs", measures=("charm",)), store
        )
    assert not (tmp_path / "p").exists()
    wanted = ExportOptions("pairs", measures=("charm",), by=first)
    done = export_training(["small"], tmp_path / "p", wanted, store)
    assert done.notes[0].startswith(f"the reward is a rule-based baseline: charm by {first}: ")


@pytest.mark.parametrize("judge", [MODEL, PEOPLE])
def test_the_one_judge_that_is_no_baseline_gives_the_reward(
    small: Path, tmp_path: Path, judge: JudgeId
) -> None:
    store = judged_by(small, tmp_path, HEURISTIC, judge)
    wanted = ExportOptions("pairs", measures=("charm",))
    done = export_training(["small"], tmp_path / "p", wanted, store)
    rows: list[Any] = lines(tmp_path / "p")
    assert {row["metadata"]["judge"] for row in rows} == {judge.name}
    assert not any("rule-based" in note for note in done.notes)
    both = judged_by(small, tmp_path, MODEL, replace(MODEL, name="openai/k"))
    with pytest.raises(ConfigError, match="several judges gave charm: openai/j, openai/k"):
        export_training(["small"], tmp_path / "q", wanted, both)


def test_one_reply_that_came_more_often_counts_once_with_its_mean_reward(tmp_path: Path) -> None:
    # Without an endpoint, whose port is a part of who plays, and so of all that is drawn.
    store, file = tmp_path / "s.db", tmp_path / "p.jsonl"
    judge, turns = "python:training_cases:ByHand", {"turns": "4"}
    run(RunConfig(limit=2, repeats=6, judges=(judge,), settings=turns, name="six", store=store))
    options = ExportOptions("pairs", measures=("goal",), agent="scripted")
    export_training(["six"], file, options, store)
    rows = lines(file)
    prompts: dict[str, set[tuple[str, str]]] = {}
    for row in rows:
        pair = (str(row["chosen"]), str(row["rejected"]))
        known = prompts.setdefault(str(row["prompt"]), set())
        assert pair not in known
        assert pair[::-1] not in known, "no reply is better and worse than another"
        known.add(pair)
    assert any(row["metadata"]["chosen"]["rebuilt"] for row in rows)


def test_replies_of_different_agents_or_casts_are_no_pair(tmp_path: Path) -> None:
    """Each run has one reply to the opening prompt, and a better judge of the last one."""
    store, price = tmp_path / "s.db", Measure("goal", 0, 10)
    runs = {"deal": "words=Deal at $220.", "fine": "words=Fine, $220."}
    for value, (name, agent) in enumerate(runs.items()):
        play_bargain(store, name, agent)
        with Store.open(store, create=False) as opened:
            for row in opened.trials(name):
                scores = tuple(Score(price, seat, value) for seat in row.trial.task.seats)
                opened.verdicts.add(name, JudgeId("j", "rules"), scores, trial=row.trial.id)
    for only in (None, "python:training_cases:Buyer"):
        wanted = ExportOptions("pairs", measures=("goal",), agent=only)
        with pytest.raises(ConfigError, match="turns whose prompt no other turn had"):
            export_training([*runs], tmp_path / "p.jsonl", wanted, store)


def test_a_metric_of_which_lower_is_better_is_no_reward(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Declared, "metric", lambda _, name: Metric(name, better="lower"))
    with pytest.raises(ConfigError, match="lower is better for goal, expected a metric where"):
        export(small, tmp_path / "p.jsonl")
    assert not (tmp_path / "p.jsonl").exists()
