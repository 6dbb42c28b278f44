"""What an estimate of judging says, beside what the judging then takes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from sociolab import JudgeConfig, RunConfig, judge_run, run
from sociolab.app import AuditConfig, ExamConfig, Models, ModelSpec, ValidationConfig, validate
from sociolab.app.audit import audit
from sociolab.app.preflight.judging_estimate import (
    estimate_audit,
    estimate_exam,
    estimate_judging,
    estimate_validation,
)
from sociolab.app.preflight.run_estimate import RunEstimate
from sociolab.app.run.exam import take_exam
from sociolab.core import ConfigError, StoreError
from sociolab.endpoint import EndpointServer, EndpointSettings, start_in_thread
from sociolab.store import Store
from sociolab.store.calls import CallRow

PRICES = '[prices."openai/j"]\ninput = 10.0\noutput = 20.0\n'
NOWHERE = "http://127.0.0.1:9/v1"


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[EndpointServer]:
    """An endpoint that is taken for a model's."""

    async def is_stand_in(models: Models, spec: ModelSpec) -> bool:
        return False

    monkeypatch.setattr(Models, "is_stand_in", is_stand_in)
    with start_in_thread(EndpointSettings(characters=200)) as server:
        yield server


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four episodes of four scenarios."""
    path = tmp_path_factory.mktemp("played") / "s.db"
    run(RunConfig(tasks="bargain", limit=4, name="r", store=path))
    return path


@pytest.fixture
def access(played: Path, tmp_path: Path) -> dict[str, object]:
    """A store with the episodes, and a price."""
    shutil.copy(played, tmp_path / "s.db")
    (tmp_path / "models.toml").write_text(PRICES, "utf-8")
    return {
        "store": tmp_path / "s.db",
        "models": tmp_path / "models.toml",
        "base_url": NOWHERE,
    }


def judging(access: dict[str, object], **more: object) -> JudgeConfig:
    return JudgeConfig.model_validate({"judges": ("openai/j",), "exam": "off", **access, **more})


def auditing(access: dict[str, object], **more: object) -> AuditConfig:
    values = {"run": "r", "judge": "openai/j", "repeats": 2, "kinds": ("repeat", "padding")}
    return AuditConfig.model_validate({**values, **access, **more})


def first_calls(path: object, run: str) -> list[CallRow]:
    """The calls of a run, without those of replies that were asked for again."""
    assert isinstance(path, Path)
    with Store.open(path, create=False) as store:
        return [row for row in store.calls.all(run) if row.call.attempt == 1]


def said(found: RunEstimate) -> str:
    section = found.section()
    notes = (note for table in section.tables for note in table.notes)
    return "\n".join((*section.sentences, *section.cautions, *notes))


def check(found: RunEstimate, calls: list[CallRow]) -> None:
    """Calls are exact; tokens lie in the range, or near it since servers count otherwise."""
    low, high = (case.total for case in found.range)
    assert low.calls == high.calls == len(calls) > 0
    usages = [row.reply.usage for row in calls]
    assert low.prompt == pytest.approx(sum(usage.prompt for usage in usages), rel=0.05)
    assert 0.9 * low.completion <= sum(usage.completion for usage in usages)
    assert sum(usage.completion for usage in usages) <= 1.1 * high.completion


# ------------------------------------------------------------------ calls and tokens


def test_judging_takes_the_calls_that_were_estimated(
    endpoint: EndpointServer, access: dict[str, object]
) -> None:
    found = estimate_judging("r", judging(access), repeats=2)
    assert endpoint.counters.requests == 0
    assert (found.trials, found.done, found.tasks) == (4, 0, 4)
    assert "to be judged: 4 episodes of 4 tasks, in 8 judgings" in said(found)
    judge_run("r", judging(access, base_url=endpoint.url), repeats=2)
    check(found, first_calls(access["store"], "r"))


def test_only_what_is_missing_is_estimated(
    endpoint: EndpointServer, access: dict[str, object]
) -> None:
    """Two of four episodes in the first of two shards, then the rest."""
    here = {**access, "base_url": endpoint.url}
    judge_run("r", judging(here, shard="1/2"), repeats=1)
    rest = estimate_judging("r", judging(here))
    assert (rest.trials, rest.done) == (2, 2)
    assert "2 episodes judged before" in said(rest)
    other = estimate_judging("r", judging(here, shard="2/2"))
    assert (other.trials, other.done) == (2, 0)
    assert other.most.total == rest.most.total
    judge_run("r", judging(here), repeats=1)
    nothing = estimate_judging("r", judging(here))
    assert (nothing.trials, nothing.done, nothing.most.total.calls) == (0, 4, 0)
    assert "no model is called" in said(nothing)
    assert nothing.section().tables == ()


def test_an_audit_takes_the_calls_that_were_estimated(
    endpoint: EndpointServer, access: dict[str, object]
) -> None:
    """Each of three episodes unchanged and twice more, and padded for either seat."""
    config = auditing(access, limit=3)
    found = estimate_audit(config)
    assert "to be judged: 3 episodes of 3 tasks, as they are and changed, in 15 judgings" in said(
        found
    )
    result = audit(config.model_copy(update={"base_url": endpoint.url}))
    assert result.judgings == 15
    with Store.open(config.store, create=False) as store:  # type: ignore[arg-type]
        (name,) = store.runs_keeping("audit", "sotopia")
    check(found, first_calls(config.store, name))


def test_an_audit_pays_for_no_reply_that_the_run_or_an_earlier_audit_has(
    endpoint: EndpointServer, access: dict[str, object]
) -> None:
    here = {**access, "base_url": endpoint.url}
    whole = estimate_audit(auditing(here)).most.total.calls
    judge_run("r", judging(here), repeats=1)
    after = estimate_audit(auditing(here))
    assert whole - after.most.total.calls == 4
    assert "replies that the store has and that cost nothing again: 4" in said(after)
    audit(auditing(here))
    again = estimate_audit(auditing(here))
    assert again.most.total.calls == 0
    assert "no model is called" in said(again)
    elsewhere = estimate_audit(auditing(access))
    assert elsewhere.most.total.calls == whole, "replies from another address are not reused"


def test_an_exam_takes_the_calls_that_were_estimated(
    endpoint: EndpointServer, access: dict[str, object]
) -> None:
    config = ExamConfig.model_validate({"judge": "openai/j", **access, "base_url": endpoint.url})
    found = estimate_exam(config)
    assert "to be sat: 20 cases of the exam of sotopia" in said(found)
    result = take_exam(config)
    check(found, first_calls(config.store, result.run))
    assert estimate_exam(config).most.total.calls == 0


def test_a_judge_that_has_not_sat_its_exam_is_told_what_it_costs(
    endpoint: EndpointServer, access: dict[str, object]
) -> None:
    config = judging({**access, "base_url": endpoint.url}, exam="on")
    found = estimate_judging("r", config)
    assert found.exam is not None
    assert found.exam.total.calls == 20
    judge_run("r", config, repeats=1)
    assert estimate_judging("r", config).exam is None


def test_a_validation_takes_the_calls_that_were_estimated(
    endpoint: EndpointServer, access: dict[str, object], tmp_path: Path
) -> None:
    folder = tmp_path / "labelled"
    folder.mkdir()
    (folder / "set.toml").write_text('world = "anteval-information"\nkind = "facts"\n', "utf-8")
    rows = [
        {
            "statement": f"The bridge has {n} arches.",
            "fact": {"kind": "place", "text": "The bridge has 3 arches."},
            "label": "same" if n == 3 else "not",
        }
        for n in range(2, 6)
    ]
    (folder / "a.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    values = {"judge": "openai/j", "data": folder, "limit": 3, **access, "base_url": endpoint.url}
    config = ValidationConfig.model_validate(values)
    found = estimate_validation(config)
    assert "to be judged: 3 items of labelled" in said(found)
    assert found.range[0].total.calls == 3
    assert validate(config).compared
    with Store.open(config.store, create=False) as store:  # type: ignore[arg-type]
        (name,) = store.runs_keeping("validation", "anteval-information")
    assert len(first_calls(config.store, name)) == 3


# ------------------------------------------------------------------ budgets, time, who is counted


def test_what_a_run_has_cost_counts_against_the_budget_of_its_judging(
    endpoint: EndpointServer, access: dict[str, object]
) -> None:
    """With two of four episodes judged, a budget of what these cost and as much again buys the
    other two; a budget of half as much more buys one."""
    here = {**access, "base_url": endpoint.url}
    judge_run("r", judging(here, shard="1/2"), repeats=1)
    rest = estimate_judging("r", judging(here))
    assert rest.spent > 0
    each = rest.episode_usd
    assert each is not None
    both = estimate_judging("r", judging(here, budget=rest.spent + 2.01 * each))
    assert "covers all 2 episodes" in said(both)
    assert " is spent already" in said(both)
    one = estimate_judging("r", judging(here, budget=rest.spent + 1.5 * each))
    assert "buys about 1 of 2 episodes" in said(one)
    assert one.document()["affordable_trials"] == 1
    assert one.document()["spent_usd"] == rest.spent


def test_time_is_that_of_calls_that_follow_each_other(access: dict[str, object]) -> None:
    """Judgings are made at the same time, the judgings of an episode in an audit one after the
    other; 64 calls are in flight at a time."""
    found = estimate_judging("r", judging(access), repeats=2, latency=3.0)
    assert found.most.seconds == pytest.approx(3.0)
    one_by_one = estimate_judging("r", judging(access, in_flight=1), repeats=2, latency=3.0)
    assert one_by_one.most.seconds == pytest.approx(8 * 3.0)
    audited = estimate_audit(auditing(access, limit=3), latency=3.0)
    assert audited.most.seconds == pytest.approx(5 * 3.0)
    assert "at 3 s per call as given" in said(audited)


def test_rules_are_free_and_own_code_is_not_called(access: dict[str, object]) -> None:
    rules = estimate_judging("r", judging(access, judges=("heuristic",)))
    assert "no model is called" in said(rules)
    own = estimate_judging("r", judging(access, judges=("python:faulty_judges:Moody",)))
    assert "not counted: calls that python:faulty_judges:Moody may make" in said(own)
    assert "no model is called: this is free" not in said(own)
    stored = estimate_audit(auditing(access, judge=None, kinds=("family",)))
    assert "the stored scores are enough" in said(stored)


def test_an_estimate_refuses_what_the_work_would_refuse(access: dict[str, object]) -> None:
    with pytest.raises(StoreError, match="nothere"):
        estimate_judging("nothere", judging(access))
    with pytest.raises(ConfigError, match="expected a judge"):
        estimate_judging("r", judging(access, judges=()))
    with pytest.raises(ConfigError, match="no such variant"):
        estimate_audit(auditing(access, kinds=("odd",)))
    with pytest.raises(ConfigError, match="nowhere"):
        estimate_exam(ExamConfig(judge="openai/j", world="nowhere"))
