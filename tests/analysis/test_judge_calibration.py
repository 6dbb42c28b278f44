"""Whether a judge follows people, sways with length, and may take a person's place."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from analysis.goal_runs import add_run
from sociolab.analysis import agreements
from sociolab.analysis.judge_by_agent import JudgedByAgent, biases, calibrations
from sociolab.core import JudgeId, Measure, Score
from sociolab.stats import JudgedPlay
from sociolab.store import Store

PEOPLE, JUDGE = JudgeId("people", "people", ""), JudgeId("lab/judge", "model", "j")
SCALE = Measure("goal", 0, 10, title="GOAL")


def judged(
    seed: int, *, slope: float = 1.0, by_length: float = 0.0, for_a: float = 0.0
) -> dict[str, list[JudgedPlay]]:
    """Three agents of 30 plays in 15 scenarios, three of eight raters each; people rise by `slope`
    with what the judge gives, which goes up `by_length` with twice the words."""
    rng = np.random.default_rng(seed)
    severity = rng.normal(0, 1, 8)
    plays: dict[str, list[JudgedPlay]] = {}
    for agent in ("a", "b", "c"):
        own = plays.setdefault(agent, [])
        for play in range(30):
            seen, words = rng.normal(5, 1.5), int(2 ** rng.uniform(5, 9))
            people = 5 + slope * (seen - 5) + rng.normal(0, 0.5)
            given = tuple(
                (f"r{r}", people + severity[r] + rng.normal(0, 0.7))
                for r in rng.choice(8, 3, replace=False)
            )
            score = seen + by_length * (np.log2(words) - 7) + for_a * (agent == "a")
            own.append(JudgedPlay(f"s{play % 15}", float(score), given, words=words))
    return plays


def test_the_slope_of_people_on_the_judge_is_found_whatever_the_raters_severity() -> None:
    (found,) = calibrations("j", {"goal": judged(1, slope=0.6)})
    assert found.slope.value == pytest.approx(0.6, abs=0.1)
    assert found.slope.n == 90
    assert found.follows
    assert found.p is not None
    assert found.p > 0.05


def test_a_judge_that_likes_length_is_named_with_how_much_by() -> None:
    (found,) = calibrations("j", {"goal": judged(2, by_length=0.5)})
    assert found.length.value == pytest.approx(0.5, abs=0.1)
    assert found.p is not None
    assert found.p < 0.001


def test_a_bias_for_one_agent_is_none_by_length_and_moves_nobody_else() -> None:
    plays: JudgedByAgent = {"goal": judged(3, for_a=1.5)}
    (found,) = calibrations("j", plays)
    assert (found.p or 0) > 0.05
    by_agent = {row.agent: row for row in biases("j", plays)}
    assert [name for name, row in by_agent.items() if row.differs] == ["a"]
    assert by_agent["a"].apart == pytest.approx(1.5, abs=0.4)
    assert 0.0 in (by_agent["b"].apart, by_agent["c"].apart)


def test_judges_that_guess_are_seldom_said_to_follow() -> None:
    found = [calibrations("j", {"goal": judged(seed, slope=0.0)})[0] for seed in range(60)]
    assert sum(row.follows for row in found) <= 4  # 1.5 expected: one end of a 95 % interval
    assert not any(row.constant for row in found)


def run_with(store: Store, judge_gives: float | None, for_a: float = 0.0) -> None:
    """Two agents in eight scenarios, rated by four people, and a judge that gives all the same, or
    (None) what people do, and so much more for lab/a."""
    rng = np.random.default_rng(5)
    goals = {}
    for scenario in range(8):
        truth = rng.integers(2, 8, (2, 2))
        goals[f"s{scenario}"] = {
            ("lab/a", "lab/b"): [
                [(float(a + r % 2), float(b + r % 3)) for r in range(4)] for a, b in truth
            ]
        }
    add_run(store, "r", goals, judges=(PEOPLE,), measure=SCALE)
    means: dict[tuple[str, str | None], list[float]] = {}
    for row in store.verdicts.scores("r", PEOPLE):
        means.setdefault((str(row.trial), row.seat), []).append(row.value or 0.0)
    for (trial, seat), given in means.items():
        score = sum(given) / len(given) if judge_gives is None else judge_gives
        score += for_a * (seat == "ann")
        store.verdicts.add("r", JUDGE, [Score(SCALE, str(seat), score)], trial=trial)


def test_a_constant_judge_is_led_by_that_it_does_not_follow(tmp_path: Path) -> None:
    with Store.open(tmp_path / "constant.db") as store:
        run_with(store, 7.0)
        found = agreements(store, ["r"])
    sections = [section for section in found.sections if "lab/judge" in section.title]
    assert len(sections) == 2
    for section in sections:
        assert section.sentences[0].startswith("The judge does not follow people in GOAL")
        assert not any("not shown to differ" in sentence for sentence in section.sentences)
        assert not any("higher or lower" in sentence for sentence in section.sentences)
    (calibration,) = found.document()["by_agent"][0]["calibrations"]
    assert calibration["slope"]["value"] is None


def test_one_that_gives_what_people_give_follows_them(tmp_path: Path) -> None:
    with Store.open(tmp_path / "good.db") as store:
        run_with(store, None)
        found = agreements(store, ["r"])
    text = " ".join(found.sections[0].sentences)
    assert "does not follow" not in text
    assert "not shown to follow" not in text
    row = next(row for row in found.rows() if row["figure"] == "slope")
    assert row["value"] == pytest.approx(1.0, abs=0.2)
    assert "0 of 4 raters rated 30 seats" in text or "may take a crowd worker's place" in text


def test_a_judge_that_favours_an_agent_may_not_take_a_persons_place_between_agents(
    tmp_path: Path,
) -> None:
    # Two points more for lab/a; the raters differ by as much.
    with Store.open(tmp_path / "unfair.db") as store:
        run_with(store, None, for_a=2.0)
        found = agreements(store, ["r"])
    text = " ".join(found.sections[0].sentences)
    assert "in GOAL, but not where agents are compared: it favours some of them (below)." in text
    assert any("bias for lab/a differs" in caution for caution in found.sections[0].cautions)
