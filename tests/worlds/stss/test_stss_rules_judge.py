"""The judge of social tasks: verdicts by type, failures where a day is missing, its contract."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from casts import seated
from sociolab.core import (
    Ended,
    Episode,
    Event,
    Happened,
    Judge,
    Measure,
    Score,
    ScoreFailure,
    Task,
    Trial,
    Unscored,
    Verdict,
)
from sociolab.testing import JudgeContract
from sociolab.town import Resident, Trace, make_chunk, make_header
from sociolab.worlds import stss
from stss_tasks import EVERYBODY, MEDICINE, MEETING, PARTY, meant
from trace_cases import ROW, Life, at, talk, trace

TOWN = stss.pack_map(ROW)
OVER = Ended("turn limit", 2)


def resident(who: str) -> Resident:
    return Resident(
        id=who,
        name=who.title(),
        age=30,
        innate="",
        learned="",
        currently="",
        lifestyle="",
        living_area="Home: room",
    )


def episode(of: stss.SocialTask, told: Trace, *last: Event) -> Episode:
    residents = tuple(resident(who) for who in (of.performer, *of.background))
    content = stss.Content(task=of, residents=residents, town=TOWN).model_dump_json()
    trial = Trial(
        "trial", "stss", Task(of.id, ("performer",), of.id, content), SEATED, repeat=0, seed=0
    )
    return Episode(trial, (*events(told), *last))


def events(told: Trace) -> tuple[Event, ...]:
    noon = at("mon 12:00")
    early = [record for record in told.records if record.step < noon]
    late = [record for record in told.records if record.step >= noon]
    begins = make_header(told.first, told.seconds, told.residents)
    values = (begins, make_chunk(min(noon, told.steps), early), make_chunk(told.steps, late))
    return tuple(Happened(0, "", "trace", value) for value in values)


SEATED = (seated("performer", "tested"),)


def lives(*changed: Life) -> tuple[Life, ...]:
    host = Life("ada", "Cafe: terrace")
    given = {life.who: life for life in (host, *map(Life, EVERYBODY), *changed)}
    return tuple(given.values())


def guest(who: str) -> Life:
    return Life(who).goes("tue 18:00", "Cafe: terrace", "the party").does("tue 18:10", "rest")


INVITED = talk("mon 10:00", "ada", "bea", "A party!", "I shall come.")
AT_PARTY = episode(PARTY, trace(*lives(guest("bea")), INVITED), OVER)
MET = episode(MEETING, trace(*lives()), OVER)
HELPED = episode(
    MEDICINE,
    trace(*lives(Life("bea").goes("tue 09:00", "Clinic: pharmacy", "buy medicine"))),
    OVER,
)


def judged(episode: Episode) -> dict[str, Verdict]:
    found = asyncio.run(stss.StssRulesJudge().judge(episode))
    assert {verdict.seat for verdict in found} == {None}
    return {verdict.measure.name: verdict for verdict in found}


def values(episode: Episode) -> dict[str, float]:
    return {
        name: verdict.value
        for name, verdict in judged(episode).items()
        if isinstance(verdict, Score)
    }


def test_a_public_activity_has_its_type_the_thresholds_and_the_ratios() -> None:
    third = pytest.approx(1 / 3)
    assert values(AT_PARTY) == {
        "public_activity": third,
        "overall": third,
        "goal_authors": 0,  # the walk there began before 18:00
        "goal_by_word": third,
        "goal_0_min": third,
        "goal_15_min": 0,
        "goal_any_host": third,
        "conversation_ratio": third,
        "conversation_ratio_both": third,
    }
    verdict = judged(AT_PARTY)["overall"]
    assert isinstance(verdict, Score)
    assert verdict.reason == "1 of 3 expected took part (at least 5 min): Bea."


def test_by_word_cannot_tell_of_words_that_do_not_name_the_task() -> None:
    vague = talk("mon 10:00", "ada", "bea", "Come to the terrace!", "I shall.")
    party = judged(episode(PARTY, trace(*lives(guest("bea")), vague), OVER))
    assert isinstance(party["overall"], Score)
    found = party["goal_by_word"]
    assert isinstance(found, Unscored)
    assert "spoke with the performer in words that do not name the task" in found.why


def test_a_placard_is_flagged_in_the_reasons() -> None:
    text = "Come to my harvest party at the Cafe on Tuesday at 18:00!"
    ada = Life("ada", "Cafe: terrace").does("mon 09:00", text)
    party = judged(episode(PARTY, trace(*lives(guest("bea"), ada)), OVER))
    overall, by_word = party["overall"], party["goal_by_word"]
    assert isinstance(overall, Score)
    assert isinstance(by_word, Score)
    assert "1 placard could be read" in overall.reason
    assert (by_word.value, f'Ada, Monday 09:00: "{text}"' in by_word.reason) == (0, True)


def test_a_host_who_is_elsewhere_is_told_of_in_the_reason_and_costs_a_share() -> None:
    party = episode(PARTY, trace(*lives(guest("bea"), Life("ada")), INVITED), OVER)
    assert values(party)["public_activity"] == values(party)["overall"] == 0.25
    assert values(party)["goal_any_host"] == pytest.approx(1 / 3)
    verdict = judged(party)["public_activity"]
    assert isinstance(verdict, Score)
    assert "The host, Ada, was not at Cafe: terrace" in verdict.reason


def test_help_has_no_ratio_but_the_score_with_any_helper() -> None:
    assert values(HELPED) == {
        "asking_for_help": 0,
        "overall": 0,
        "goal_authors": 0.5,  # one errand, by somebody who was not asked
        "goal_by_word": 0,
        "goal_0_min": 0,
        "goal_15_min": 0,
        "goal_any_helper": 0.5,
        "lost_no_conversation": 1,
        "lost_not_conveyed": 0,
        "lost_not_noted": 0,
        "lost_not_acted_on": 0,
    }


def test_who_is_told_when_it_is_over_was_not_met() -> None:
    acts = [meant("ada", "invite", PARTY), meant("bea", "chat")]
    late = talk("tue 21:00", "ada", "bea", "Come to my party!", "Oh.", acts=acts)
    assert values(episode(PARTY, trace(*lives(), late), OVER))["lost_no_conversation"] == 1


def test_where_somebody_wrote_no_acts_it_cannot_tell_where_a_task_was_lost() -> None:
    lost = {n: v for n, v in judged(AT_PARTY).items() if n.startswith("lost_")}
    assert len(lost) == 4
    for verdict in lost.values():
        assert isinstance(verdict, Unscored)
        assert "--judge openai/MODEL" in verdict.why


def test_where_all_write_acts_it_says_where_a_task_was_lost() -> None:
    acts = (meant("ada", "invite", PARTY), meant("bea", "accept", PARTY))
    told = talk("mon 10:00", "ada", "cid", "A party!", "Yes.", acts=acts)
    happened = episode(PARTY, trace(*lives(guest("bea")), told), OVER)
    assert {n: v for n, v in values(happened).items() if n.startswith("lost_")} == {
        "lost_no_conversation": pytest.approx(3 / 5),
        "lost_not_conveyed": 0,
        "lost_not_noted": pytest.approx(1 / 5),  # cid kept no note of it
        "lost_not_acted_on": 0,
    }


@pytest.mark.parametrize("performer", ["openai/x", "python:mine:Mind"])
def test_nothing_is_scored_of_another_performer_among_scripted_residents(performer: str) -> None:
    cast = (seated("ada", performer), seated("bea", "scripted"))
    smoke = replace(AT_PARTY, trial=replace(AT_PARTY.trial, cast=cast))
    for verdict in judged(smoke).values():
        assert isinstance(verdict, Unscored)
        assert "--background openai/MODEL" in verdict.why
    real = seated("bea", "openai/y")
    assert values(replace(AT_PARTY, trial=replace(AT_PARTY.trial, cast=(cast[0], real))))
    among_models = (seated("ada", "scripted"), real)
    assert values(replace(AT_PARTY, trial=replace(AT_PARTY.trial, cast=among_models)))


@pytest.mark.parametrize(
    "broken",
    [
        replace(AT_PARTY, events=()),
        replace(AT_PARTY, events=AT_PARTY.events[:-1]),
        replace(AT_PARTY, events=(OVER,)),
        replace(AT_PARTY, events=(*AT_PARTY.events[1:3], OVER)),
        episode(PARTY, trace(*lives(guest("bea")), steps=at("tue 19:00")), OVER),
    ],
    ids=["nothing", "not ended", "no trace", "no header", "ends in mid-event"],
)
def test_what_was_not_lived_to_the_end_is_a_failure_and_never_a_zero(broken: Episode) -> None:
    verdicts = judged(broken).values()
    assert len(verdicts) == 13
    for verdict in verdicts:
        assert isinstance(verdict, ScoreFailure)
        assert verdict.cause == "incomplete"


def test_other_settings_are_another_judge() -> None:
    assert stss.StssRulesJudge().id != stss.StssRulesJudge(stss.ScoreSettings(least=10)).id


class TestRulesJudgeContract(JudgeContract):
    def judge(self) -> Judge:
        return stss.StssRulesJudge()

    def episodes(self) -> Sequence[Episode]:
        return (AT_PARTY, MET, HELPED)

    def measures(self) -> Sequence[Measure]:
        named = {m.name: m for kind in stss.TASK_TYPES for m in stss.measures_of(kind, (0, 15))}
        return tuple(named.values())


def test_ratios_say_with_whom_the_performer_spoke_and_when() -> None:
    for name in ("conversation_ratio", "conversation_ratio_both"):
        verdict = judged(AT_PARTY)[name]
        assert isinstance(verdict, Score)
        assert "1 (3 expected): Bea (Monday 10:00)." in verdict.reason


@pytest.mark.parametrize(
    ("least", "beside", "named"),
    [
        (10, ["goal_0_min", "goal_15_min"], "(at least 10 min)"),
        (0, ["goal_15_min"], "(for any moment)"),
        (15, ["goal_0_min"], "(at least 15 min)"),
    ],
)
def test_the_least_duration_is_named_and_no_figure_stands_there_twice(
    least: int, beside: list[str], named: str
) -> None:
    found = asyncio.run(stss.StssRulesJudge(stss.ScoreSettings(least)).judge(AT_PARTY))
    assert [one.measure.name for one in found if one.measure.name.endswith("_min")] == beside
    assert isinstance(found[0], Score)
    assert named in found[0].reason


def test_a_goal_beside_the_goal_says_what_it_would_be_and_not_why_the_goal_is_as_it_is() -> None:
    reasons = {name: v.reason for name, v in judged(HELPED).items() if isinstance(v, Score)}
    assert reasons["goal_0_min"] == "The goal if any moment of taking part counted."
    assert reasons["goal_15_min"] == "The goal if taking part had to last at least 15 min."
    assert reasons["goal_any_helper"] == "The goal if a helper need not have been asked."
    assert reasons["overall"] == reasons["asking_for_help"]
