"""Contexts and goals as sentences."""

from __future__ import annotations

import pytest

from sociolab.worlds.sotopia.importing.goals import (
    GoalReader,
    composed,
    context,
    mended,
    untagged,
    without_agent_names,
)
from sociolab.worlds.sotopia.importing.reading import Quirk, Quirks

READER = GoalReader(2, "here")
INFORMED = "win  (<extra_info>Extra information:you are tired</extra_info>)"
HINTED = (
    "Win (<extra_info>Extra information: it is late "
    "<strategy_hint>Hint: yawn</strategy_hint></extra_info>)"
)


def read(raw: str, seat: int = 0, *, strategy_hints: bool = True) -> str:
    return GoalReader(2, "here", strategy_hints).goal(raw, seat, (), Quirks())


def test_information_follows_the_goal_without_brackets() -> None:
    assert read(INFORMED) == "Win. Extra information: you are tired."


def test_hints_are_sentences_of_their_own() -> None:
    assert read(HINTED) == "Win. Extra information: it is late. Hint: yawn."


def test_strategy_hints_can_be_left_out_and_are_counted() -> None:
    quirks = Quirks()
    goal = GoalReader(2, "here", strategy_hints=False).goal(HINTED, 0, (), quirks)
    assert goal == "Win. Extra information: it is late."
    assert quirks[Quirk.STRATEGY_HINT_DROPPED] == 1
    assert quirks[Quirk.STRATEGY_HINT] == 0


def test_clarification_hints_stay_when_strategy_hints_go() -> None:
    raw = "Win (<clarification_hint>Hint: it is no race</clarification_hint>)"
    assert read(raw, strategy_hints=False) == "Win. Hint: it is no race."


def test_brackets_that_hold_words_stay() -> None:
    raw = "Sell (or lend) it (<extra_info>Extra information: (it leaks)</extra_info>)"
    assert read(raw) == "Sell (or lend) it. Extra information: (it leaks)."


def test_information_without_its_label_is_a_sentence() -> None:
    assert read("Go home.<extra_info> it rains </extra_info>") == "Go home. It rains."


def test_a_list_keeps_its_lines() -> None:
    friends = "Ida: Hobby: Chess  Job: Cook, baker \n Bo: Job: Smith \n"
    raw = f"Ask.\n<extra_info> You know \n {friends}</extra_info>"
    assert read(raw) == "Ask.\nYou know:\n- Ida: Hobby: Chess; Job: Cook, baker\n- Bo: Job: Smith"


def test_a_part_of_a_goal_for_another_viewer_is_left_out() -> None:
    raw = "Ask. <p viewer='agent_0'>Twice.</p> <p viewer='agent_1'>Never.</p>"
    quirks = Quirks()
    assert READER.goal(raw, 0, (), quirks) == "Ask. Twice."
    assert quirks[Quirk.FOREIGN_PART] == 1


def test_what_a_seat_alone_knows_of_the_scene_comes_last() -> None:
    assert READER.goal("Go.", 0, ("It rains.", "It is cold."), Quirks()) == (
        "Go.\nYou know: It rains. It is cold."
    )


def test_a_context_is_parted_among_those_whom_it_is_for() -> None:
    raw = (
        "two people <p viewer='agent_1'>one is late</p>wait "
        '<p viewer="environment">for nothing</p>\n'
    )
    quirks = Quirks()
    told = context(raw, 2, "here", quirks)
    assert told.text == "Two people wait."
    assert told.seats == ((), ("One is late.",))
    assert told.environment == "for nothing"
    assert quirks[Quirk.ENVIRONMENT_PART] == 1
    assert quirks[Quirk.SEAT_PART] == 1


def test_a_context_that_ends_in_a_quotation_gets_no_second_stop() -> None:
    assert context('They say: "Go."', 2, "here", Quirks()).text == 'They say: "Go."'


def test_escaped_quotation_marks_and_glued_sentences_are_mended_and_counted() -> None:
    quirks = Quirks()
    assert mended(r"Here\'s \"it\".", quirks) == 'Here\'s "it".'
    assert mended("It rains.Take a coat.", quirks) == "It rains. Take a coat."
    assert mended("Ask J.M. Smith of U.S. Steel.", quirks) == "Ask J.M. Smith of U.S. Steel."
    assert quirks == {Quirk.ESCAPED_QUOTE: 1, Quirk.GLUED_SENTENCES: 1}


@pytest.mark.parametrize(
    ("text", "seat", "expected"),
    [
        ("Get a coin from Agent2.", 0, "Get a coin from the other person."),
        ("Get a coin from agent 1.", 1, "Get a coin from the other person."),
        ("Agent_1's coin is lost.", 0, "Your coin is lost."),
        ("Have Agent2 give it to Agent1.", 0, "Have the other person give it to you."),
        ("Win. Agent2 knows it.", 0, "Win. The other person knows it."),
        ("Agent1 must win.", 0, "You must win."),
    ],
)
def test_agents_are_named_as_their_player_would_say(text: str, seat: int, expected: str) -> None:
    quirks = Quirks()
    assert without_agent_names(text, seat, 2, quirks) == expected
    assert quirks == {Quirk.AGENT_NAMED: 1}


@pytest.mark.parametrize(
    ("text", "seats"),
    [
        ("Agent1 wants a coin from Agent2.", 2),  # "you wants"
        ("Ask Agent3.", 2),
        ("Ask Agent2.", 3),  # which of the two others?
    ],
)
def test_a_goal_that_cannot_be_rewritten_safely_stays_and_is_counted(text: str, seats: int) -> None:
    quirks = Quirks()
    assert without_agent_names(text, 0, seats, quirks) == text
    assert quirks == {Quirk.AGENT_NAME_LEFT: 1}


def test_a_goal_whose_tags_are_gone_reads_as_the_tagged_one() -> None:
    bare = HINTED.replace("<extra_info>", "").replace("</extra_info>", "")
    bare = bare.replace("<strategy_hint>", "").replace("</strategy_hint>", "")
    assert composed(untagged(bare)) == read(HINTED)
    assert composed(untagged("Just win (fairly)")) == "Just win (fairly)."
