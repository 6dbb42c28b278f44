"""The exam of SOTOPIA: fair to a good judge, hard on one that always says the same.

What each case came to, and the lines that show it, are read off by hand here; the file of cases
holds the scores.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

import pytest

from exam_marking import marked, shifted
from fake_models import FakeModel
from sociolab.app import world_plugin
from sociolab.core import ExamCase, ExpectedScore, Score
from sociolab.engine import WorldSetup
from sociolab.worlds import sotopia

load = world_plugin("sotopia")
assert load.exam is not None
assert load.guide is not None
EXAM = tuple(load.exam())
KIT = load(WorldSetup())

AGREED: dict[str, tuple[object, str, str]] = {
    "guitar-sold": (225.0, "Let's meet in the middle. $225?", "All right, $225"),
    "whales-tonight": (
        "the whale documentary",
        "Let's watch the whale documentary for once",
        "we'll watch the whale documentary tonight",
    ),
    "comics-filled-in": (
        {"comics": 4, "posters": 0},
        "I take all four comic books, and you take both posters",
        "Deal! The posters are all I want",
    ),
    "friend-at-once": ("Walter Field", "do you know Walter Field", "he's a good friend of mine"),
    "birthday-dinner": (
        "the Lakeside Grill",
        "we should have Dad's birthday dinner at the Lakeside Grill",
        "Dad's dinner at the Lakeside Grill, I'm all for it",
    ),
    "record-player-sold": (110.0, "Make it $110 and I'll throw in", "You've got a deal"),
    "window-paid": (
        "Dan pays for it",
        "A new one costs $240, and you should pay for it",
        "I'll pay for it, all $240",
    ),
    "roses-zero-points": (
        {"roses": 3, "tomatoes": 0},
        "Can I have all five tomato plants",
        "Yes, that's perfect",
    ),
    "sewing-machine-first": (90.0, "I'll pay you $90 in cash", "Sold, for $90!"),
    "friend-in-one-breath": (
        "Gloria Stone",
        "it must be Gloria we both know",
        "It's Gloria, then!",
    ),
}
"""Terms, offer and acceptance; of a division what the first person gets. Else nothing is agreed."""


def sheets(case: ExamCase, value: Callable[[ExpectedScore | None, float, float], float]) -> str:
    """A judge's reply: of each seat and dimension what `value` makes of what is expected, and of
    the range."""
    expected = {(one.seat, one.metric): one for one in case.expected}
    reply = {
        f"person_{number}": {
            metric.name: {
                "reason": "so it seems",
                "score": value(expected.get((seat, metric.name)), metric.low, metric.high),
            }
            for metric in sotopia.DIMENSIONS
        }
        for number, seat in enumerate(case.episode.trial.task.seats, 1)
    }
    return json.dumps(reply)


def middle(expected: ExpectedScore | None, low: float, high: float) -> float:
    return round((expected.low + expected.high) / 2) if expected else low


def reading(case: ExamCase) -> str:
    """A reader's reply, as read off by hand."""
    goal = next(
        iter(sotopia.goals_of(sotopia.casting_from(case.episode.trial.task.content)).values())
    )
    reply: dict[str, object] = {"in_words": "", "offer": "", "acceptance": ""}
    names = tuple(goal.counts) if goal.kind == "division" else (goal.kind,)
    if case.id not in AGREED:
        return json.dumps(reply | dict.fromkeys(names) | {"outcome": "nothing"})
    terms, offer, acceptance = AGREED[case.id]
    reply |= terms if isinstance(terms, dict) else {goal.kind: terms}
    return json.dumps(reply | {"offer": offer, "acceptance": acceptance, "outcome": "agreed"})


def judged(reply: Callable[[ExamCase], str]) -> dict[str, int]:
    """How many cases of each form a model judge that replies so has right."""
    return marked(EXAM, lambda case: KIT.model_judge(FakeModel(reply(case))))


def read(reply: Callable[[ExamCase], str]) -> dict[str, int]:
    """How many cases of each form a reader that replies so has right."""
    reader = KIT.reader
    assert reader is not None
    return marked(EXAM, lambda case: reader(FakeModel(*[reply(case)] * 3)))


@pytest.mark.parametrize("case", EXAM, ids=lambda case: case.id)
def test_whoever_sits_it_can_read_a_case(case: ExamCase) -> None:
    seats = case.episode.trial.task.seats
    transcript, rated = KIT.world.transcript(case.episode), load.guide().rated_scene(case.episode)
    assert len(transcript.lines) == len(rated.lines) == len(case.episode.moves)
    assert {one.seat for one in case.expected} == set(seats)
    assert {"goal", "goal_checked"} <= {one.metric for one in case.expected}
    text = [action.text for move in case.episode.moves for action in move.actions]
    for make in (KIT.model_judge, KIT.reader):
        assert make is not None
        model = FakeModel(sheets(case, middle), *[reading(case)] * 3)
        asyncio.run(make(model).judge(case.episode))
        assert all(line in model.calls[0][0].messages[-1].text for line in text)


def test_a_fair_judge_and_a_fair_reader_pass() -> None:
    assert judged(lambda case: sheets(case, middle)) == {"A": 10, "B": 10}
    assert read(reading) == {"A": 10, "B": 10}


@pytest.mark.parametrize("constant", range(11))
def test_a_judge_that_always_gives_the_same_goal_fails(constant: int) -> None:
    def value(expected: ExpectedScore | None, low: float, high: float) -> float:
        goal = expected is not None and expected.metric == "goal"
        return constant if goal else middle(expected, low, high)

    assert max(judged(lambda case: sheets(case, value)).values(), default=0) <= 5


@pytest.mark.parametrize("shift", range(1, 10))
def test_answers_to_other_cases_fail(shift: int) -> None:
    assert max(judged(lambda case: sheets(shifted(EXAM, case, shift), middle)).values()) <= 7
    assert max(read(lambda case: reading(shifted(EXAM, case, shift))).values(), default=0) <= 7


def test_a_judge_that_says_yes_to_everything_fails() -> None:
    assert judged(lambda case: sheets(case, lambda _, low, high: high)) == {"A": 4, "B": 4}


def test_a_reader_that_never_sees_an_agreement_fails() -> None:
    def nothing(case: ExamCase) -> str:
        return json.dumps(json.loads(reading(case)) | {"outcome": "nothing"})

    assert read(nothing) == {"A": 5, "B": 5}


@pytest.mark.parametrize("case", EXAM, ids=lambda case: case.id)
def test_the_formula_agrees_with_what_is_expected(case: ExamCase) -> None:
    casting = sotopia.casting_from(case.episode.trial.task.content)
    terms = AGREED[case.id][0] if case.id in AGREED else None
    if isinstance(terms, dict):
        terms = sotopia.divide_shares(casting, case.episode.trial.task.seats[0], terms)
    outcome = sotopia.Established(terms, "by hand")  # type: ignore[arg-type]
    computed = {v.seat: v for v in sotopia.score_outcome(casting, outcome)}
    for one in case.expected:
        if one.metric == "goal_checked":
            verdict = computed[str(one.seat)]
            assert isinstance(verdict, Score)
            assert one.low <= verdict.value <= one.high
