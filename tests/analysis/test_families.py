"""One's own model family preferred: computed by hand, and by regression with statsmodels."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from casts import agent as agent_of
from sociolab.analysis import RunValues, Value
from sociolab.analysis.audit import ALL
from sociolab.analysis.self_preference import (
    SelfPreferences,
    TwoJudges,
    contrast,
    family_section,
    model_family,
    self_preferences,
)
from sociolab.core import Agent, JudgeId, Measure

GPT, CLAUDE, LLAMA = "openai/gpt-4o", "lab/claude-3", "lab/llama-3-8b"
JUDGES = ("openai/gpt-x", "lab/claude-x")
MEASURES = {
    "goal": Measure("goal", 0, 10, title="GOAL"),
    "relationship": Measure("relationship", -5, 5, title="REL"),
    "overall": Measure("overall", -30 / 7, 40 / 7, title="Overall"),
}

Scores = Mapping[tuple[str, str, str], tuple[float | None, ...]]
"""By judge, measure and agent: its values on plays of scenarios a, b, c, ..."""


def effects(pair: TwoJudges) -> list[Any]:
    return [*pair.findings]


def run_of(
    scores: Scores, methods: Mapping[str, str] | None = None, *, imported: bool = False
) -> RunValues:
    values = tuple(
        Value(
            "r", "sotopia", f"{agent}-{i}", "t", "abcdefgh"[i], None, 0, "ann", agent, None, judge,
            measure, value,
        )
        for (judge, measure, agent), row in scores.items()
        for i, value in enumerate(row)
    )  # fmt: skip
    judges = {judge: JudgeId(judge, "model", "1") for judge, *_ in scores}
    for judge, method in (methods or {}).items():
        judges[judge] = JudgeId(judge, method, "1")  # type: ignore[arg-type]
    named = {measure for _, measure, _ in scores}
    measures = {k: m for k, m in MEASURES.items() if k in named}
    agents = {
        label: Agent(label, "model", label) if imported else agent_of(label) for *_, label in scores
    }
    return RunValues("r", "sotopia", values, judges, measures, agents=agents)


ONE: Scores = {
    # gpt-x gives its own 2 more than claude-x does, and others 0.5 more: it prefers its own by 1.5.
    (JUDGES[0], "goal", GPT): (7, 9),
    (JUDGES[1], "goal", GPT): (5, 7),
    (JUDGES[0], "goal", LLAMA): (4, 6),
    (JUDGES[1], "goal", LLAMA): (4, 5),
}


@pytest.mark.parametrize(
    ("label", "family"),
    [
        ("gpt-3.5-turbo", "gpt"),
        ("lovestuned", "lovestuned"),
        ("openai/gpt-4o", "gpt"),
        ("openai/gpt4", "gpt"),
        ("lab/claude-3-opus?temperature=0.5", "claude"),
        ("lab/Qwen/Qwen2.5-7B", "qwen"),
        ("lab/meta-llama/Llama-3.1-8B", "llama"),
        ("lab/mistral_large", "mistral"),
        ("lab/gemini", "gemini"),
        ("openai/o3", "o"),
        ("lab/7b", "7b"),
    ],
)
def test_a_family_is_the_models_name_up_to_its_first_digit_or_sign(label: str, family: str) -> None:
    assert model_family(label, model=True) == family


def test_what_is_no_model_has_a_family_only_if_a_users_rule_says_so() -> None:
    for label in ("scripted", "human", "python:my/agent:Echo"):
        assert model_family(label, model=False) is None
    assert model_family("python:agents:Gpt", (("gpt", "*gpt*"),), model=False) == "gpt"
    assert model_family("scripted", (("gpt", "*gpt*"),), model=False) is None


def test_a_users_rule_comes_before_the_name() -> None:
    rules = (("gpt", "*o3*"), ("ours", "lab/GPT-*"))
    assert model_family("openai/o3-mini", rules, model=True) == "gpt"
    assert model_family("lab/gpt-4o", rules, model=True) == "ours"
    assert model_family("openai/gpt-4o", rules, model=True) == "gpt"
    assert model_family("o3-mini", rules, model=True) == "gpt"


def test_the_preference_is_what_two_judges_differ_by_on_own_play_beyond_other_play() -> None:
    found = self_preferences(run_of(ONE))
    (pair,) = found.pairs
    assert (pair.judge, pair.other, pair.family, pair.other_family_episodes) == (*JUDGES, "gpt", 0)
    (one,) = effects(pair)
    assert (one.more["own"].value, one.more["others"].value, one.estimate.value) == (2, 0.5, 1.5)
    # Scenarios a and b hold gaps of own (2, 2) and others (0, 1): sums of the influence are
    # -(0 - 0.5)/2 = 0.25 and -0.25, so se^2 = 2 * 3/2 * 0.125, and t(0.975; 1) = 12.7062.
    assert one.estimate.low == pytest.approx(1.5 - 12.7062 * 0.375**0.5, abs=1e-3)
    assert one.more["verdict"] == "undecided"


@pytest.mark.parametrize(
    ("more", "verdict"),
    [(2, "fails; it prefers its own family"), (0, "passes; it does not prefer its own family")],
)
def test_the_preference_has_a_verdict(more: int, verdict: str) -> None:
    # Beside the other judge own play gets `more` points in each of six scenarios, give or take 0.1.
    small = (0.1, -0.1, 0.1, -0.1, 0.1, -0.1)
    found = self_preferences(
        run_of(
            {
                (JUDGES[0], "goal", GPT): tuple(5 + more + one for one in small),
                (JUDGES[1], "goal", GPT): (5,) * 6,
                (JUDGES[0], "goal", LLAMA): (4,) * 6,
                (JUDGES[1], "goal", LLAMA): (4,) * 6,
            }
        )
    )
    assert f"{JUDGES[0]} vs. {JUDGES[1]}: {verdict}" in family_section(found).sentences[0]


IMPORTED: Scores = {
    # As ONE, with names as other programs store them: no endpoint, no slash.
    ("gpt-4o-mini", "goal", "gpt-3.5-turbo"): (7, 9),
    ("lovestuned", "goal", "gpt-3.5-turbo"): (5, 7),
    ("gpt-4o-mini", "goal", "Mistral"): (4, 6),
    ("lovestuned", "goal", "Mistral"): (4, 5),
}


def test_labels_of_an_imported_run_are_models_without_a_slash() -> None:
    (pair,) = self_preferences(run_of(IMPORTED, imported=True)).pairs
    assert (pair.judge, pair.family, effects(pair)[0].estimate.value) == (
        "gpt-4o-mini",
        "gpt",
        1.5,
    )
    # In a run of our own, such a label is a plugin: no model unless a rule says so.
    own = self_preferences(run_of(IMPORTED))
    assert "agents: gpt-3.5-turbo (no model), Mistral (no model)" in own.why
    (pair,) = self_preferences(run_of(IMPORTED), (("gpt", "*gpt*"),)).pairs
    assert (pair.family, effects(pair)[0].estimate.value) == ("gpt", 1.5)


def test_a_judge_without_a_slash_is_a_model_if_its_method_says_so() -> None:
    one = {key: row for key, row in IMPORTED.items() if key[0] == "lovestuned"}
    assert 'only lovestuned judged "r"' in self_preferences(run_of(one, imported=True)).why


def test_two_judges_that_differ_in_strictness_alone_prefer_nobody() -> None:
    strict = {k: tuple(v - 3 for v in row) for k, row in ONE.items() if k[0] == JUDGES[0]}  # type: ignore[operator]
    kind = {(JUDGES[1], *k[1:]): row for k, row in ONE.items() if k[0] == JUDGES[0]}
    (pair,) = self_preferences(run_of({**strict, **kind})).pairs
    assert effects(pair)[0].estimate.value == 0
    assert effects(pair)[0].estimate.note == "no variation between clusters"


def test_a_play_that_one_of_them_failed_on_is_counted_and_left_out() -> None:
    found = self_preferences(run_of({**ONE, (JUDGES[1], "goal", LLAMA): (4, None)}))
    (one,) = effects(found.pairs[0])
    assert (one.estimate.value, one.more["missing"], one.estimate.n) == (2, 1, 3)


def test_all_measures_together_are_in_percent_without_the_overall() -> None:
    flat: Scores = {
        (judge, measure, agent): (1, 1)
        for judge in JUDGES
        for measure in ("relationship", "overall")
        for agent in (GPT, LLAMA)
    }
    (pair,) = self_preferences(run_of({**ONE, **flat})).pairs
    by = {one.metric.name: one.estimate.value for one in effects(pair)}
    assert by[ALL] == pytest.approx((15 + 0) / 2)
    assert by["overall"] == 0


def test_play_by_the_other_judges_family_is_told() -> None:
    scores: Scores = {
        (judge, "goal", agent): (5, 6) for judge in JUDGES for agent in (GPT, CLAUDE, LLAMA)
    }
    found = self_preferences(run_of(scores))
    assert [(pair.judge, pair.other_family_episodes) for pair in found.pairs] == [
        (JUDGES[0], 2),
        (JUDGES[1], 2),
    ]
    section = family_section(found)
    assert any(
        "2 episodes among the others are by lab/claude-x's own" in c for c in section.cautions
    )


def test_only_the_judge_that_is_audited_is_shown() -> None:
    scores: Scores = {
        (judge, "goal", agent): (5, 6) for judge in JUDGES for agent in (GPT, CLAUDE, LLAMA)
    }
    (pair,) = self_preferences(run_of(scores), judge=JUDGES[1]).pairs
    assert pair.judge == JUDGES[1]
    assert "by nobody as a model are stored" in self_preferences(run_of(scores), judge="nobody").why


def why(found: SelfPreferences) -> str:
    (sentence,) = family_section(found).sentences
    assert found.pairs == ()
    return sentence


def test_what_cannot_be_computed_is_said_plainly() -> None:
    one = {key: row for key, row in ONE.items() if key[0] == JUDGES[0]}
    assert 'only openai/gpt-x judged "r"' in why(self_preferences(run_of(one)))
    assert 'no model judged "r"' in why(self_preferences(run_of(one, {JUDGES[0]: "heuristic"})))
    alone = {key: row for key, row in ONE.items() if key[2] == GPT}
    assert "episodes both of a judge's family and of others" in why(self_preferences(run_of(alone)))
    same = (("family", "*-x"),)
    assert "openai/gpt-x (family), lab/claude-x (family)" in why(
        self_preferences(run_of(ONE), same)
    )


def test_the_interval_of_a_contrast_is_that_of_a_clustered_regression() -> None:
    chance = random.Random(3)
    rows = [(chance.gauss(0, 1) + (i % 3 == 0), f"c{i % 7}", i % 3 == 0) for i in range(40)]
    own = [(value, cluster) for value, cluster, mine in rows if mine]
    others = [(value, cluster) for value, cluster, mine in rows if not mine]
    found = contrast(own, others)
    # The sandwich, in matrices: (X'X)^-1 sum of X_g'e_g e_g'X_g (X'X)^-1, with its correction.
    design = np.array([[1.0, float(mine)] for *_, mine in rows])
    y = np.array([value for value, *_ in rows])
    bread = np.linalg.inv(design.T @ design)
    beta = bread @ design.T @ y
    scores = design * (y - design @ beta)[:, None]
    meat = np.zeros((2, 2))
    for group in {cluster for _, cluster, _ in rows}:
        added = scores[[cluster == group for _, cluster, _ in rows]].sum(axis=0)
        meat += np.outer(added, added)
    error = math.sqrt((bread @ meat @ bread)[1, 1] * 7 / 6 * 39 / 38)
    assert found.value == pytest.approx(beta[1])
    assert found.high == pytest.approx(beta[1] + 2.446912 * error)  # t(0.975; 6)


def test_a_contrast_without_a_group_or_with_one_cluster_has_no_interval() -> None:
    assert contrast([], [(1, "a")]).value is None
    alone = contrast([(3, "a"), (4, "a")], [(1, "a")])
    assert (alone.value, alone.low, alone.note) == (2.5, None, "1 cluster")


def test_a_contrast_with_a_group_of_one_scenario_has_no_interval() -> None:
    others = [(float(i % 3), f"s{i}") for i in range(20)]
    found = contrast([(2.0, "s1"), (2.5, "s1"), (3.0, "s1")], others)
    assert (found.low, found.note) == (None, "1 cluster")
