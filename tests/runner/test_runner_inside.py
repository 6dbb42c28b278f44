"""Units that are worth a test alone, from inside: runner."""

from __future__ import annotations

import asyncio

import pytest

from sociolab.cli.progress import watch
from sociolab.core import (
    BudgetSpent,
    JudgeId,
    ModelError,
    StorageError,
)
from sociolab.runner import Tally, Waits, progress
from sociolab.runner.judging import id_problem
from sociolab.runner.local import work_all


def test_when_one_work_breaks_the_others_end_before_its_error_is_told() -> None:
    ended: list[int] = []

    async def work(number: int) -> None:
        if number == 1:
            await asyncio.sleep(0)
            raise KeyError("a bug")
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(number)

    with pytest.raises(KeyError, match="a bug"):
        asyncio.run(work_all(range(4), work, 3, Waits()))
    assert sorted(ended) == [0, 2], "the fourth was never begun"


@pytest.mark.parametrize(
    ("error", "to_their_end"),
    [
        (BudgetSpent("spent"), True),
        (StorageError("full"), True),
        (ModelError("no key", cause="credentials", fatal=True), False),
    ],
)
def test_what_is_paid_for_already_comes_back_when_the_budget_is_spent(
    error: ModelError | StorageError, to_their_end: bool
) -> None:
    done: list[int] = []

    async def work(number: int) -> None:
        await asyncio.sleep(0)
        if number == 0:
            raise error
        await asyncio.sleep(0)
        done.append(number)

    assert asyncio.run(work_all(range(9), work, 3, Waits())) is error
    assert done == ([1, 2] if to_their_end else [])


def test_the_progress_tells_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tally = Tally()
    tally.waits.begin_step("a", 0.0)
    monkeypatch.setattr(progress, "now", lambda: float("inf"))
    with watch(lambda name: None, plain=True)("r", tally):
        pass
    assert capsys.readouterr().err.count("r: a blocks") == 1


@pytest.mark.parametrize(
    ("known_as", "found"),
    [
        ("me", "expected id = JudgeId(name, method, settings), found 'me'"),
        (
            JudgeId("a", "magic"),  # type: ignore[arg-type]
            "one of model, rules, scripted, heuristic, people, formula, reported, found 'magic'",
        ),
        (JudgeId(3, "rules"), "whose name is a str, found 3"),  # type: ignore[arg-type]
        (JudgeId("a", "rules", 2), "whose settings is a str, found 2"),  # type: ignore[arg-type]
        (JudgeId("a", ["rules"]), "found ['rules']"),  # type: ignore[arg-type]
        (JudgeId(" ", "rules"), "expected an id with a name"),
    ],
)
def test_an_id_that_cannot_be_read_again_is_told(known_as: object, found: str) -> None:
    problem = id_problem(known_as)
    assert problem.startswith("expected ")
    assert found in problem


def test_a_good_id_has_no_problem() -> None:
    assert id_problem(JudgeId("a", "rules", "1")) == ""
