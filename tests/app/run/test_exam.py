"""Exams: who passes, who does not and for what; taken once for each judge, prompts and model."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from exam_marking import KINDS
from examinees import cases_of
from sociolab import JudgeConfig, RunConfig, RunResult, judge_run, run
from sociolab.app import ExamConfig, Models, ModelSpec, world_plugin
from sociolab.app.registry import worlds_that
from sociolab.app.run.exam import ExamResult, document, exam_name, section, take_exam
from sociolab.cli import app
from sociolab.core import (
    CaseKind,
    ConfigError,
    ExamCase,
    Form,
    JudgeId,
    Measure,
    Score,
    ScoreFailure,
    Verdict,
)
from sociolab.core.exam import NEVER, SUCCESSES
from sociolab.endpoint import EndpointServer, EndpointSettings, start_in_thread
from sociolab.report.exam import (
    ExamAnswer,
    JudgeExam,
    MarkedCase,
    exam_entry,
    exam_notes,
    exam_of,
    exam_runs,
)
from sociolab.report.schema import ExamEntry
from sociolab.store import Store

WORLDS = worlds_that(lambda plugin: plugin.exam is not None)


def sits(tmp_path: Path, judge: str, world: str = "sotopia", **more: object) -> ExamEntry:
    config = ExamConfig(
        judge=f"python:examinees:{judge}", world=world, store=tmp_path / "exam.db", **more
    )
    result = take_exam(config)
    assert result.entry is not None
    assert not result.stopped
    return result.entry


# ------------------------------------------------------------------ who passes


@pytest.mark.parametrize("world", WORLDS)
def test_who_knows_passes_and_nobody_who_does_not_read(tmp_path: Path, world: str) -> None:
    whole = sits(tmp_path, f"Knowing?world={world}", world)
    assert whole.passed
    assert whole.right == whole.cases
    assert not whole.misses
    for other in ("Constant", "YesSayer"):
        assert not sits(tmp_path, f"{other}?world={world}", world).passed
    for seed in (1, 2, 3):
        assert not sits(tmp_path, f"Shuffled?world={world}&seed={seed}", world).passed


@pytest.mark.parametrize("world", WORLDS)
def test_both_forms_hold_the_same_kinds(world: str) -> None:
    made = world_plugin(world).exam
    assert made is not None
    cases = made()
    kinds = {form: Counter(one.kind for one in cases if one.form == form) for form in ("A", "B")}
    assert kinds["A"] == kinds["B"] == KINDS
    assert len({one.id for one in cases}) == len(cases) == 20


def test_a_yes_sayer_fails_for_small_talk_and_orders(tmp_path: Path) -> None:
    found = sits(tmp_path, "YesSayer")
    assert {"small talk", "order", "empty", "failure"} <= found.misses.keys()
    assert found.unanswered == 0


@pytest.mark.parametrize("world", WORLDS)
def test_a_yes_sayer_misses_no_success(tmp_path: Path, world: str) -> None:
    """Where one of two got what was wanted, it takes the other's failure for a success."""
    found = sits(tmp_path, f"YesSayer?world={world}", world)
    assert not found.misses.keys() & SUCCESSES
    assert {"failure", "small talk"} <= found.misses.keys()


def marks(*right: bool | None, kind: CaseKind = "success", form: Form = "A") -> list[MarkedCase]:
    """Cases that were answered rightly, wrongly, or not (None)."""
    goal, why = Measure("goal", 0, 10), "so it is"
    said: dict[bool | None, Verdict] = {
        True: Score(goal, "ann", 8, why),
        False: Score(goal, "ann", 2, why),
        None: ScoreFailure(goal, "ann", "unreadable", "no JSON"),
    }
    answers = [(ExamAnswer("goal", "ann", 7, 10, said[one]),) for one in right]
    return [MarkedCase(f"{kind} {n}", kind, form, 0, one) for n, one in enumerate(answers)]


def test_nine_of_ten_of_each_form_are_needed() -> None:
    most = (True,) * 9
    assert exam_entry([*marks(*most, False), *marks(*most, None, form="B")]).passed
    both = exam_entry([*marks(*most, False), *marks(*most[:8], False, None, form="B")])
    assert not both.passed
    assert [(one.form, one.right, one.cases) for one in both.forms] == [("A", 9, 10), ("B", 8, 10)]
    assert (both.misses, both.unanswered) == ({"success": 2}, 1)


def answered(
    case: str, kind: CaseKind, *answers: tuple[str, str, float, float, float]
) -> MarkedCase:
    """A case with metric, seat, lowest and highest right score, and what was said."""
    made = [
        ExamAnswer(name, seat, low, high, Score(Measure(name, -10, 10), seat, said, "so it is"))
        for name, seat, low, high, said in answers
    ]
    return MarkedCase(case, kind, "A", 0, tuple(made))


def test_a_seat_without_success_that_is_scored_too_high_is_a_failure_taken_for_a_success() -> None:
    high = ("goal", "sam", 0, 4, 8)
    assert answered("whales", "success", ("goal", "priya", 8, 10, 9), high).miss == "failure"
    assert answered("whales", "success", ("goal", "priya", 8, 10, 4), high).miss == "success"
    assert answered("kayak", "near miss", ("goal", "rob", 0, 5, 8)).miss == "near miss"


def test_each_missed_answer_is_named_by_itself() -> None:
    case = answered(
        "whales", "success",
        ("goal", "priya", 8, 10, 4), ("goal", "sam", 0, 4, 8), ("secret", "sam", -2, 0, -9),
    )  # fmt: skip
    assert [*map(case.miss_in, case.answers)] == ["success", "failure", "secret"]


def test_a_long_answer_is_cut_in_the_table_of_missed_cases() -> None:
    goal = Measure("goal", 0, 10)
    problem = "goal: expected a whole number from 0 to 10, found " + "very " * 40
    answer = ExamAnswer("goal", "ann", 7, 10, ScoreFailure(goal, "ann", "unreadable", problem))
    case = MarkedCase("guitar-sold", "success", "A", 0, (answer,))
    result = ExamResult(JudgeId("j", "model", "1"), "sotopia", "e", (case,), exam_entry([case]))
    (row,) = section(result).tables[1].rows
    assert row[2] == "no usable answer"
    assert row[-1].endswith(" ...")
    assert len(row[-1]) <= 100
    assert document(result)["cases"][0]["answers"][0]["shown"] == problem


def test_a_side_metric_that_is_misread_is_called_so() -> None:
    goal, secret = Measure("goal", 0, 10), Measure("secret", -10, 0)
    answers = (
        ExamAnswer("goal", "ann", 0, 5, Score(goal, "ann", 3, "so it is")),
        ExamAnswer("secret", "ann", -10, -5, Score(secret, "ann", 0, "kept")),
    )
    small_talk = MarkedCase("lamp", "small talk", "A", 0, answers)
    assert small_talk.miss == "small talk"  # where no success may be seen in anything
    entry = exam_entry([MarkedCase("kayak", "near miss", "A", 0, answers)])
    assert entry.misses == {"secret": 1}
    (judged,) = exam_notes({"r": [JudgeExam("openai/x", entry)]}).failed
    assert "secret misread (1)" in judged


@pytest.mark.parametrize("kind", sorted(NEVER))
def test_one_wrong_answer_to_small_talk_or_an_order_is_too_many(kind: CaseKind) -> None:
    others = [*marks(*(True,) * 9), *marks(*(True,) * 10, form="B")]
    assert not exam_entry([*others, *marks(False, kind=kind)]).passed
    assert exam_entry([*others, *marks(None, kind=kind)]).passed  # it said nothing wrong


# ------------------------------------------------------------------ when it is taken


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[EndpointServer]:
    """An endpoint of a model, which is none that passes."""

    async def is_stand_in(models: Models, spec: ModelSpec) -> bool:
        return False

    monkeypatch.setattr(Models, "is_stand_in", is_stand_in)
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    with start_in_thread(EndpointSettings(characters=40)) as server:
        yield server


def play(endpoint: EndpointServer, tmp_path: Path, name: str, **more: object) -> RunResult:
    config = {
        "world": "sotopia",
        "limit": 1,
        "agents": ("scripted",),
        "judges": ("openai/j",),
        "base_url": endpoint.url,
        "store": tmp_path / "runs.db",
        "name": name,
    }
    return run(RunConfig.model_validate(config | more)).result


def exam_calls(tmp_path: Path) -> int:
    with Store.open(tmp_path / "runs.db") as store:
        return sum(store.calls.totals(one).calls for one in exam_runs(store, "sotopia"))


def examined(result: RunResult, judge: str = "openai/j") -> ExamEntry | None:
    return next(one.exam for one in result.judges if one.judge == judge)


def test_a_judge_sits_it_at_its_first_use_and_once(
    endpoint: EndpointServer, tmp_path: Path
) -> None:
    first = examined(play(endpoint, tmp_path, "first"))
    assert first is not None
    assert not first.passed
    assert first.cases == 20
    calls = exam_calls(tmp_path)
    assert calls >= 20
    assert examined(play(endpoint, tmp_path, "second")) == first
    assert exam_calls(tmp_path) == calls


def test_a_reader_sits_the_same_cases(endpoint: EndpointServer, tmp_path: Path) -> None:
    result = play(endpoint, tmp_path, "read", judges=(), readers=("openai/j",))
    found = examined(result, "reader:openai/j")
    assert found is not None
    assert 12 <= found.cases <= 20
    assert not found.passed


def test_a_reader_is_sent_alone_by_its_spelling_on_the_command_line(
    endpoint: EndpointServer, tmp_path: Path
) -> None:
    command = ["judge", "--exam", "reader:openai/j", "--base-url", endpoint.url, "--json"]
    done = CliRunner().invoke(app, [*command, "--store", str(tmp_path / "runs.db")])
    record = json.loads(done.stdout)
    assert (record["judge"]["name"], record["judge"]["role"]) == ("reader:openai/j", "reader")
    assert done.exit_code == 1
    play(endpoint, tmp_path, "read", judges=(), readers=("openai/j",))
    assert exam_calls(tmp_path) >= 20
    with Store.open(tmp_path / "runs.db") as store:
        (exam,) = exam_runs(store, "sotopia")
        assert {judge.label for judge in store.verdicts.judges(exam)} == {"reader:openai/j"}


def test_it_can_be_left_out_and_taken_later(endpoint: EndpointServer, tmp_path: Path) -> None:
    assert examined(play(endpoint, tmp_path, "first", exam="off")) is None
    config = JudgeConfig(judges=("openai/j",), base_url=endpoint.url, store=tmp_path / "runs.db")
    assert examined(judge_run("first", config, repeats=1).result) is not None


def test_rules_and_own_code_sit_none_unless_they_are_sent(tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    judge = "python:examinees:Constant"
    config = RunConfig(world="sotopia", limit=1, store=store, name="first")
    assert {one.exam for one in run(config).result.judges} == {None}
    with Store.open(store) as opened:
        assert exam_runs(opened, "sotopia") == ()
    entry = take_exam(ExamConfig(judge=judge, store=store)).entry
    assert entry is not None
    assert not entry.passed


def test_a_stand_in_sits_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    with start_in_thread(EndpointSettings(characters=40)) as server:
        assert examined(play(server, tmp_path, "first")) is None


def test_another_model_behind_the_name_sits_it_again(
    endpoint: EndpointServer, tmp_path: Path
) -> None:
    play(endpoint, tmp_path, "first")
    calls = exam_calls(tmp_path)
    with Store.open(tmp_path / "runs.db") as store:
        (exam,) = exam_runs(store, "sotopia")
        store.write("UPDATE calls SET served_model = 'older' WHERE run = ?", (store.run_pk(exam),))
    again = examined(play(endpoint, tmp_path, "second"))
    assert exam_calls(tmp_path) == 2 * calls
    assert again is not None
    assert again.served != ("older",)


def test_the_prompts_of_a_judge_are_examined_too(endpoint: EndpointServer, tmp_path: Path) -> None:
    def taken(**more: object) -> JudgeId:
        config = {"judge": "openai/j", "base_url": endpoint.url, "store": tmp_path / "runs.db"}
        return take_exam(ExamConfig.model_validate(config | more)).judge

    taken()
    calls = exam_calls(tmp_path)
    taken()
    assert exam_calls(tmp_path) == calls


class Respelt(ExamCase):
    """A case whose fields are called otherwise where it is printed."""

    def __repr__(self) -> str:
        return f"Respelt(sort={self.kind!r})"


def test_an_exam_is_the_same_for_the_same_cases_and_another_for_others() -> None:
    """What counts is what is stored of the cases, not how the code calls it."""
    cases = cases_of("sotopia")
    first, *others = cases
    name = exam_name("sotopia", cases)
    respelt = Respelt(first.kind, first.form, first.episode, first.expected)
    assert exam_name("sotopia", [respelt, *others]) == name
    label = replace(first.expected[0], low=first.expected[0].low - 1)
    longer = replace(first.episode, events=(*first.episode.events, first.episode.events[0]))
    renamed = replace(first.episode, trial=replace(first.episode.trial, id="guitar-kept"))
    changed = [
        replace(first, kind="padding"),
        replace(first, form="B"),
        replace(first, expected=(label, *first.expected[1:])),
        replace(first, episode=longer),
        replace(first, episode=renamed),
    ]
    names = {exam_name("sotopia", [one, *others]) for one in changed}
    assert len(names | {name}) == len(changed) + 1


# ------------------------------------------------------------------ what is told


def test_the_misses_are_named_and_can_be_looked_up(tmp_path: Path) -> None:
    config = ExamConfig(
        judge="python:examinees:Knowing?wrong=guitar-sold", store=tmp_path / "exam.db"
    )
    result = take_exam(config)
    told = section(result)
    assert told.sentences == ("knowing passes: 19 of 20 cases right.",)
    rows = told.tables[1].rows
    assert {row[0] for row in rows} == {"guitar-sold"}
    assert {(row[3], row[2]) for row in rows} == {
        ("goal", "a success missed"),
        ("goal_checked", "goal_checked misread"),
        ("secret", "secret misread"),
    }
    record = document(result)
    assert record["exam"]["misses"] == {"success": 1}
    missed = next(one for one in record["cases"] if not one["right"])
    assert (missed["case"], missed["kind"], missed["form"]) == ("guitar-sold", "success", "A")


def test_a_world_without_an_exam_says_so(tmp_path: Path) -> None:
    config = ExamConfig(judge="openai/j", world="nowhere", store=tmp_path / "exam.db")
    with pytest.raises(ConfigError, match="nowhere"):
        take_exam(config)


def test_half_an_exam_is_no_exam_passed(tmp_path: Path) -> None:
    config = ExamConfig(judge="python:examinees:Knowing", store=tmp_path / "runs.db")
    result = take_exam(config)
    with Store.open(tmp_path / "runs.db") as store:
        for case in result.marked[3:]:
            store.verdicts.delete(result.run, result.judge, trial=case.case)
        half = exam_of(store, "sotopia", result.judge)
    assert half is not None
    assert (half.right, half.cases, half.unanswered) == (3, 20, 17)
    assert not half.passed
