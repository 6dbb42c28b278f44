"""Rules such as "goal<-0.5", held against the interval of a difference."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import pytest

from analysis.stored.comparing_runs import GOAL, JUDGE, add_run
from sociolab import result_of
from sociolab.analysis import ComparedAgents, CompareRequest, compare_runs
from sociolab.analysis.gates import (
    Gate,
    difference_gates,
    junit,
    order_notes,
    parse_rule,
    score_gates,
)
from sociolab.analysis.values import why_not_compared
from sociolab.core import ConfigError, JudgeId, Measure, Score, Unscored
from sociolab.report import details_of
from sociolab.store import Store

CHARM = Measure("charm", 0, 10, title="CHARM")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "s.db") as opened:
        add_run(opened, "old", "x", {f"t{i}": (5,) for i in range(9)}, partner="p", seed=1)
        add_run(opened, "new", "y", {f"t{i}": (4 - i % 2,) for i in range(9)}, partner="p")
        add_run(opened, "even", "y", {f"t{i}": (4,) for i in range(9)}, partner="p", seed=2)
        add_run(opened, "five", "y", {f"t{i}": (4,) for i in range(5)}, partner="p", seed=4)
        add_run(opened, "single", "y", {"t0": (4,)}, partner="p", seed=3)
        yield opened


def found(store: Store, new: str = "new") -> ComparedAgents:
    comparison = compare_runs(store, CompareRequest((new, "old"), judge=JUDGE.name)).comparison
    assert comparison is not None
    return comparison


def gate(store: Store, rule: str, new: str = "new") -> Gate:
    (one,) = difference_gates(found(store, new), [parse_rule(rule)])
    return one


def test_a_rule_fails_only_where_the_whole_interval_lies_beyond(store: Store) -> None:
    """Differences of 1 and 2 in five and four of nine tasks: the interval lies around -1.44."""
    ends = found(store).metrics["goal"].test.difference
    assert ends.low is not None
    assert ends.high is not None
    assert ends.low < -1.44 < ends.high
    assert gate(store, f"goal<{ends.high + 0.001}").failed
    assert not gate(store, f"goal<{ends.high - 0.001}").failed
    assert gate(store, f"goal>{ends.low - 0.001}").failed
    assert not gate(store, f"goal>{ends.low + 0.001}").failed
    assert not gate(store, "goal<-1.44").failed  # the mean lies below, the interval around it


def test_where_all_clusters_differ_by_the_same_the_difference_decides(store: Store) -> None:
    failed = gate(store, "goal<-0.5", "even")
    assert (failed.failed, failed.low, failed.high) == (True, -1, -1)
    assert "in every cluster" in failed.sentence
    assert not gate(store, "goal<-1", "even").failed


def test_fewer_than_six_clusters_that_differ_by_the_same_are_not_sure(store: Store) -> None:
    # All five on one side: 2 of 2^5 = .0625 by chance; of six 2 of 2^6 = .03, one in 64 on each.
    few = gate(store, "goal<-0.5", "five")
    assert not few.failed
    assert "in every cluster, but it takes 6 to be sure" in few.sentence


def test_planned_looks_share_the_level(store: Store) -> None:
    alone = found(store).metrics["goal"].test.difference
    wanted = CompareRequest(("new", "old"), judge=JUDGE.name, looks=5)
    comparison = compare_runs(store, wanted).comparison
    assert comparison is not None
    (gate,) = difference_gates(comparison, [parse_rule("goal<0")])
    # t(8) at 99 % is 3.355387, at 95 % 2.306004.
    assert alone.value is not None
    assert alone.high is not None
    reach = (alone.high - alone.value) * 3.355387 / 2.306004
    assert gate.high == pytest.approx(alone.value + reach, abs=1e-5)
    assert "99 % interval" in gate.sentence


def test_a_measure_may_be_called_as_tables_call_it(store: Store) -> None:
    assert gate(store, "GOAL<-0.5", "even").failed


def test_what_cannot_be_decided_is_no_pass(store: Store) -> None:
    with pytest.raises(ConfigError, match=r"goal<0 cannot be decided: .* no interval .1 cluster"):
        gate(store, "goal<0", "single")
    with pytest.raises(ConfigError, match='"charm" is not compared; these are: goal'):
        gate(store, "charm<0")


@pytest.mark.parametrize("text", ["", "goal", "goal<", "<3", "goal<=3", "goal<x", "goal<1e", " <1"])
def test_a_rule_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="--fail-if: expected a metric, < or > and a number"):
        parse_rule(text)


def test_a_rule_is_read_as_it_is_written() -> None:
    read = parse_rule(" goal_checked > +.5 ")
    assert (read.measure, read.below, read.limit) == ("goal_checked", False, 0.5)
    assert parse_rule("goal<-0.5").text == "goal<-0.5"


# ------------------------------------------------------------------ of a run alone


def test_a_mean_is_held_against_a_limit_with_its_whole_interval(store: Store) -> None:
    """Of "new": 4 and 3 in five and four of nine tasks, so 3.56 with an interval around it."""
    result = result_of(store, "new")
    (entry,) = (one for one in result.scores if one.measure == "goal" and not one.by)
    assert entry.low is not None
    assert entry.high is not None
    rules = [f"goal<{entry.high + 0.01}", f"goal<{entry.high - 0.01}", f"goal>{entry.low - 0.01}"]
    gates = score_gates(result, [parse_rule(rule) for rule in rules])
    assert [one.failed for one in gates] == [True, False, True]
    assert "y in new is 3.56" in gates[0].sentence
    (even,) = score_gates(result_of(store, "even"), [parse_rule("goal<4.1")])
    assert (even.failed, even.low, even.high) == (True, 4, 4)
    with pytest.raises(ConfigError, match=r"cannot be decided: the mean has no interval"):
        score_gates(result_of(store, "single"), [parse_rule("goal<0")])
    with pytest.raises(ConfigError, match='new has no scores of "charm"; it has scores of: goal'):
        score_gates(result, [parse_rule("charm<0")])
    with pytest.raises(ConfigError, match=r"goal<60: .* scale of the mean, from 0 to 10, found 60"):
        score_gates(result, [parse_rule("goal<60")])


def test_the_partner_of_a_run_is_held_against_no_limit(store: Store) -> None:
    """Bob, played by the partner p, earns 0 in all tasks, and would fail."""
    for trial in store.trials("new"):
        store.verdicts.add("new", JUDGE, [Score(GOAL, "bob", 0)], trial=trial.trial.id)
    result = result_of(store, "new")
    assert {one.agent for one in result.scores if not one.by} == {"y", "p"}
    (gate,) = score_gates(result, [parse_rule("goal<2")])
    assert (gate.of, gate.failed) == ("y in new", False)


def test_where_no_episode_has_a_score_the_judge_is_named_and_not_the_number_of_tasks(
    store: Store,
) -> None:
    for trial in store.trials("new"):
        store.verdicts.add(
            "new", JUDGE, [Unscored(CHARM, "ann", "nobody was asked")], trial=trial.trial.id
        )
    with pytest.raises(ConfigError) as refused:
        score_gates(result_of(store, "new"), [parse_rule("charm<2")])
    assert str(refused.value) == (
        "--fail-if charm<2 cannot be decided: no episode of y in new has a score: openai/judge "
        "cannot tell in 9; `sociolab show EPISODE --run new` says why"
    )


def test_a_metric_that_is_misspelled_is_named_as_it_is_spelled(store: Store) -> None:
    with pytest.raises(ConfigError, match=r'"Gaol" \(did you mean goal\?\); it has'):
        score_gates(result_of(store, "new"), [parse_rule("Gaol<0")])
    with pytest.raises(ConfigError, match=r'"gaol" is not compared \(did you mean goal\?\); '):
        gate(store, "gaol<0")


def test_why_a_metric_is_not_compared_and_what_to_do(store: Store) -> None:
    def judged(run: str, judge: str, verdict: Score | Unscored) -> None:
        for trial in store.trials(run):
            store.verdicts.add(run, JudgeId(judge, "people", ""), [verdict], trial=trial.trial.id)

    def refused() -> str:
        with pytest.raises(ConfigError) as error:
            difference_gates(
                found(store),
                [parse_rule("CHARM<0")],
                partial(why_not_compared, store, ["new", "old"]),
            )
        return str(error.value).removeprefix('--fail-if: "CHARM" is not compared; these are: goal')

    assert refused() == ""
    judged("new", "raters", Score(CHARM, "ann", 5))
    assert refused() == "; no judge scored it in old: sociolab judge old --judge JUDGE"
    judged("old", "readers", Unscored(CHARM, "ann", "nobody was asked"))
    assert refused() == (
        "; readers was to score it; 9 episodes could not be scored: name another --judge"
    )
    judged("old", "raters", Score(CHARM, "ann", 5))
    assert refused() == "; compare by another judge: --judge raters"


def test_an_older_first_run_is_told(store: Store) -> None:
    new, old = (result_of(store, name) for name in ("new", "old"))
    late = new.model_copy(update={"created": "2026-02-02T10:00:00Z"})
    early = old.model_copy(update={"created": "2026-02-01T10:00:00Z"})
    assert order_notes([late, early]) == order_notes([new, new]) == ()
    assert order_notes([early, late]) == (
        "! old is older than new: a gate tests A \N{MINUS SIGN} B, so name the new run first",
    )


def test_gates_are_junit_xml_with_a_failure_for_each_that_failed(store: Store) -> None:
    rules = [parse_rule("goal<-0.5"), parse_rule("goal>3")]
    suite = ElementTree.fromstring(junit('compare "a" <b>', difference_gates(found(store), rules)))
    assert suite.attrib == {
        "name": 'compare "a" <b>', "tests": "2", "failures": "1", "errors": "0",
    }  # fmt: skip
    first, second = suite.findall("testcase")
    failure = first.find("failure")
    assert failure is not None
    assert "goal<-0.5: FAILED" in failure.attrib["message"]
    assert second.find("failure") is None
    # Nine tasks: 4 - i % 2 against 5 each time, so -2 in t1, t3, t5, t7, then -1 in the others.
    lines = (failure.text or "").splitlines()
    assert [re.findall(r"([\d.]+) in (t\d)", line)[0] for line in lines] == [
        *(("2.00", f"t{i}") for i in (1, 3, 5, 7)),
        *(("1.00", f"t{i}") for i in (0, 2, 4, 6, 8)),
    ]
    pair = found(store).pairs("goal")[1]
    assert any(line.endswith(f": sociolab show {pair.a.trial} {pair.b.trial}") for line in lines)


def test_a_floor_names_the_episodes_below_it_the_lowest_first(store: Store) -> None:
    details = details_of(store, "new")
    rule = parse_rule("goal<3.97")  # the interval ends at 3.961
    (failed,) = score_gates(details.result, [rule], details.columns)
    assert failed.failed
    scores = [re.findall(r"^[\d.]+", one)[0] for one in failed.transcripts]
    assert scores == ["3.00"] * 4  # and not the five of 4
    (passed,) = score_gates(details.result, [parse_rule("goal<1")], details.columns)
    assert passed.transcripts == ()
