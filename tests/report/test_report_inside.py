"""Units that are worth a test alone, from inside: report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sociolab import RunResult, result_of
from sociolab.app import world_plugin
from sociolab.core import (
    Metric,
)
from sociolab.core.metrics import COUNTED, UNDECLARED, describe_directions
from sociolab.report import (
    FirstFailure,
    agent_grids,
    run_section,
    summary,
    warnings,
)
from sociolab.report.result import by_main_judge, outline_of
from sociolab.report.run_facts import account
from sociolab.report.schema import Failures, ReadingEntry
from sociolab.store import Store

from .small_run import (
    RUN,
)

WORLDS = ("sotopia", "anteval-information", "anteval-intention", "stss", "stss-talk")


def judged(result: RunResult, count: int) -> RunResult:
    """The run as so many model judges scored it."""
    names = [f"lab/judge-{i}" for i in range(count)]
    (heuristic,) = (one for one in result.judges if one.judge == "heuristic")
    mine = [entry for entry in result.scores if entry.judge == "heuristic"]
    return result.model_copy(
        update={
            "judges": tuple(
                heuristic.model_copy(update={"judge": name, "method": "model"}) for name in names
            ),
            "scores": tuple(
                entry.model_copy(update={"judge": name}) for name in names for entry in mine
            ),
        }
    )


def test_of_many_judges_the_main_one_is_shown_and_named(result: RunResult) -> None:
    seven = judged(result, 7)
    shown = by_main_judge(seven)
    assert {grid.heading.rpartition(": ")[2] for grid in agent_grids(shown)} == {"lab/judge-0"}
    assert summary(shown).endswith(
        "Judges shown: lab/judge-0; others (--judge NAME or all): lab/judge-1, lab/judge-2, "
        "lab/judge-3, lab/judge-4, lab/judge-5, lab/judge-6."
    )
    assert len(run_section(shown).tables) * 4 < len(run_section(seven).tables)
    assert by_main_judge(judged(result, 3)) == judged(result, 3)


@pytest.mark.parametrize("world", WORLDS)
def test_each_metric_of_ours_is_explained_with_its_unit(world: str) -> None:
    metrics = world_plugin(world).declared.metrics
    assert all(len(one.tooltip.split()) > 2 and one.unit for one in (*metrics, *COUNTED))
    main = world_plugin(world).declared
    assert main.metric(main.main[0]).better == "higher"


def test_a_metric_is_explained_with_its_range_and_better_end() -> None:
    lost = Metric("lost", tooltip="Share of people lost", unit="share", better="lower")
    assert lost.describe(0, 1) == "Share of people lost. 0 to 1 (share), lower is better."
    assert Metric("turns", better="").describe(0, float("inf")) == "0 or more."
    assert describe_directions({"lost": lost, "n": Metric("n", better=""), "x": Metric("x")}) == (
        "higher is better; lower is better where marked \N{DOWNWARDS ARROW}; "
        "neither end is better for n"
    )


def test_the_cost_of_calls_that_all_failed_is_not_that_no_model_was_called(store: Store) -> None:
    result = result_of(store, RUN)
    failures = result.failures.model_copy(update={"calls": {"connection": 3}})
    failed = result.model_copy(update={"calls": 0, "failures": failures})
    assert dict(account(failed))["Cost"].startswith("none (no call succeeded)")


def test_what_rests_on_estimates_is_marked_and_counted(store: Store) -> None:
    fault = "expected token counts from 0 to 2^31, found -5 as prompt tokens"
    plain = result_of(store, RUN)
    store.write("UPDATE calls SET estimated = 1, fault = ? WHERE trial = 'lamp-AS'", (fault,))
    result = result_of(store, RUN)
    assert (plain.estimated_calls, plain.failures.usage) == (0, {})
    assert (result.estimated_calls, result.failures.usage) == (1, {"malformed reply": 1})
    assert result.failures.first[-1] == FirstFailure(
        kind="usage", cause="malformed reply", count=1, problem=fault, episode="lamp-AS"
    )
    assert (result.tokens, result.cost_usd) == (plain.tokens, plain.cost_usd)
    assert plain.measure("cost_usd").title == "cost in USD"
    assert result.measure("cost_usd").title == "cost in USD (~)"
    facts = dict(account(result))
    assert facts["Impossible token counts"] == "malformed reply 1"
    assert facts["Tokens"].replace("~", "") == dict(account(plain))["Tokens"]
    assert (facts["Tokens"].count("~"), facts["Cost"].count("~")) == (3, 2)
    said = warnings(result)
    assert f"1 of {result.calls} calls came without a usable token count" in said[-2]
    assert said[-1] == f"malformed reply 1, in episode lamp-AS: {fault}"
    assert "~" not in "".join((*dict(account(plain)).values(), *warnings(plain)))


def test_json_comes_back_as_the_same_result(result: RunResult) -> None:
    printed = result.model_copy(update={"declared": UNDECLARED})  # which is the store's alone
    assert RunResult.model_validate_json(result.as_json()) == printed
    assert json.loads(result.as_json())["schema"] == 1


def test_every_key_is_documented(result: RunResult) -> None:
    page = (Path(__file__).parents[2] / "docs" / "result.md").read_text(encoding="utf-8")
    found = json.loads(result.as_json())
    keys = {*found, *found["failures"], *found["tokens"], *found["scores"][0]}
    keys |= {*found["judges"][0], *found["measures"][0], *found["data"]}
    keys |= {*ReadingEntry.model_fields, *found["failed_attempts"], *found["served"][0]}
    assert {key for key in keys if f"`{key}`" not in page} == set()


def test_the_outline_is_what_is_known_before_an_episode_is_read(store: Store) -> None:
    whole, trials = result_of(store, RUN), store.trials(RUN)
    outline = outline_of(store, RUN, trials)
    assert (outline.scores, outline.measures, outline.ends) == ((), (), {})
    failures = Failures(
        trials=whole.failures.trials,
        problems=whole.failures.problems,
        calls=whole.failures.calls,
    )
    unread = {"scores": (), "measures": (), "ends": {}, "failures": failures}
    assert outline == whole.model_copy(update=unread)
