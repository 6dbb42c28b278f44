"""A model that reads what the keyword filter cannot: actions from a list, words with quotes."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest

from casts import seated
from fake_models import FakeModel
from sociolab.core import (
    Answered,
    Episode,
    Json,
    ModelError,
    Score,
    ScoreFailure,
    Unscored,
    Verdict,
)
from sociolab.worlds import stss
from stss_tasks import GAME, MEDICINE, PARTY, task
from trace_cases import Life, talk, trace
from worlds.stss.test_stss_rules_judge import OVER, episode, lives


def goes(who: str, doing: str) -> Life:
    return Life(who).goes("tue 18:00", "Cafe: terrace", doing).does("tue 19:00", "rest")


NOT_MET = json.dumps({f"statement_{n}": {"quote": "", "met": False} for n in (1, 2, 3)})
PARTIED = episode(
    PARTY,
    trace(
        *lives(
            goes("bea", "dancing to the band"),
            goes("cid", "skipping the party"),
            goes("dan", "at the party"),
        )
    ),
    OVER,
)
"""Bea takes part in other words, cid does not in these words, dan does; eve and fay stay away."""


def taking(*numbers: int) -> str:
    return json.dumps({"taking_part": numbers})


def judged(model: FakeModel, of: Episode = PARTIED) -> dict[str, Verdict]:
    found = asyncio.run(stss.StssModelJudge(model).judge(of))
    assert [one.measure for one in found] == [*stss.READ_METRICS]
    return {verdict.measure.name: verdict for verdict in found}


def values(found: dict[str, Verdict]) -> dict[str, float]:
    return {name: one.value for name, one in found.items() if isinstance(one, Score)}


def listed(model: FakeModel, call: int = 0) -> list[str]:
    body = model.calls[call][0].messages[-1].text
    return [line.partition(". ")[2] for line in body.splitlines() if line[:1].isdigit()]


def test_the_actions_of_who_was_there_in_time_are_listed_and_what_is_chosen_counts() -> None:
    """Three are expected. By the filter cid and dan came, as the model reads it bea and dan."""
    model = FakeModel(taking(2))
    found = judged(model)
    assert listed(model) == [
        "Ada, 18:00 to 20:00: rest",
        "Bea, 18:00 to 19:00: dancing to the band",
        "Bea, 19:00 to 20:00: rest",
        "Cid, 18:00 to 19:00: skipping the party",
        "Cid, 19:00 to 20:00: rest",
        "Dan, 18:00 to 19:00: at the party",
        "Dan, 19:00 to 20:00: rest",
    ]
    assert values(found)["goal_read"] == pytest.approx(1 / 3)
    found = judged(FakeModel(taking(2, 6)))
    assert values(found)["goal_read"] == pytest.approx(2 / 3)
    assert values(found)["took_part_by_filter"] == pytest.approx(2 / 3)
    assert values(found)["took_part_read"] == pytest.approx(2 / 3)
    assert values(found)["filter_agreement"] == pytest.approx(1 / 3)  # on dan alone
    agreement = found["filter_agreement"]
    assert isinstance(agreement, Score)
    assert "Bea by the model only, Cid by the filter only" in agreement.reason


def test_a_number_that_is_not_on_the_list_is_asked_for_again_and_then_fails() -> None:
    assert values(judged(FakeModel(taking(9), taking(2, 6))))["goal_read"] == pytest.approx(2 / 3)
    found = judged(FakeModel(taking(9), taking(8), taking(0)))
    for name in ("goal_read", "took_part_by_filter", "took_part_read", "filter_agreement"):
        assert isinstance(found[name], ScoreFailure)
    assert "lost_no_conversation" in values(found)


def test_nobody_there_is_no_call_and_no_agreement() -> None:
    model = FakeModel()
    nobody = episode(task(place="Park: meadow"), trace(*lives()), OVER)
    found = judged(model, nobody)
    assert not model.calls
    assert values(found)["goal_read"] == 0
    assert isinstance(found["filter_agreement"], Unscored)


def test_an_online_activity_is_read_wherever_one_is() -> None:
    plays = Life("eve").does("tue 18:00", "at Starfarm")
    model = FakeModel(taking(1))
    judged(model, episode(GAME, trace(*lives(plays)), OVER))
    assert any(line.startswith("Eve") and "at Starfarm" in line for line in listed(model))


def test_each_errand_is_asked_for_apart() -> None:
    bought = (
        Life("bea")
        .goes("tue 09:00", "Clinic: pharmacy", "getting the pills")
        .goes("tue 11:00", "Cottage: room", "handing them over")
    )
    asked = talk("mon 10:00", "ada", "bea", "Could you buy medicine and bring medicine?", "Yes.")
    model = FakeModel(taking(1), taking(1), *[json.dumps(
        {f"statement_{n}": {"quote": "", "met": False} for n in range(1, 5)}
    )])  # fmt: skip
    found = judged(model, episode(MEDICINE, trace(*lives(bought), asked), OVER))
    assert values(found)["goal_read"] == 1
    assert [key.name for _, key in model.calls] == ["attendance-1", "attendance-2", "talk"]


def test_what_conversations_and_notes_conveyed_is_read_with_quotes() -> None:
    words = "Come to my party on the terrace of the Cafe tomorrow at 18:00!"
    told = talk("mon 10:00", "ada", "eve", words, "Oh.")
    memo: Json = {"memo": "Ada told me of a party.", "importance": 4}
    noted = Answered(told.end, "eve", "summarise", memo)
    invited = episode(PARTY, trace(*lives(), told), noted, OVER)
    all_met = json.dumps(
        {f"statement_{n}": {"quote": "Come to my party", "met": True} for n in (1, 2, 3)}
    )
    first_met = json.dumps({
        "statement_1": {"quote": "Ada told me", "met": True},
        "statement_2": {"quote": "", "met": False},
        "statement_3": {"quote": "", "met": False},
    })  # fmt: skip
    model = FakeModel(taking(), all_met, first_met)
    found = values(judged(model, invited))
    assert found["lost_not_noted"] == pytest.approx(1 / 5)
    assert found["lost_no_conversation"] == pytest.approx(4 / 5)
    assert [(key.name, key.seat) for _, key in model.calls][1:] == [
        ("talk", "eve"),
        ("note", "eve"),
    ]
    assert values(judged(FakeModel(taking(), NOT_MET, NOT_MET), invited))[
        "lost_not_conveyed"
    ] == pytest.approx(1 / 5)


def test_a_call_that_fails_is_a_failure_and_a_fatal_one_stops_the_run() -> None:
    lost = judged(FakeModel(ModelError("gone", cause="connection")))
    assert isinstance(lost["goal_read"], ScoreFailure)
    with pytest.raises(ModelError):
        judged(FakeModel(ModelError("no key", cause="credentials", fatal=True)))


def test_what_fails_cuts_no_other_question_short_so_that_a_dry_run_counts_them_all() -> None:
    told = [
        talk(f"mon 1{n}:00", "ada", who, "Come!", "Oh.") for n, who in enumerate(("bea", "cid"))
    ]
    model = FakeModel(*["no JSON"] * 9)
    found = judged(model, episode(PARTY, trace(*lives(goes("dan", "dancing")), *told), OVER))
    assert all(isinstance(one, ScoreFailure) for one in found.values())
    seats = [(key.name, key.seat) for _, key in model.calls]
    assert list(dict.fromkeys(seats)) == [("attendance", ""), ("talk", "bea"), ("talk", "cid")]


def test_nothing_of_a_smoke_test_is_read() -> None:
    cast = (seated("ada", "openai/x"), seated("bea", "scripted"))
    model = FakeModel()
    found = judged(model, replace(PARTIED, trial=replace(PARTIED.trial, cast=cast)))
    assert not model.calls
    assert all(isinstance(one, Unscored) for one in found.values())


def test_what_was_not_lived_is_a_failure() -> None:
    found = judged(FakeModel(), replace(PARTIED, events=()))
    assert all(isinstance(one, ScoreFailure) for one in found.values())
