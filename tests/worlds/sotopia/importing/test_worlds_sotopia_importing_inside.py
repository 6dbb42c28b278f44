"""Units that are worth a test alone, from inside: worlds/sotopia/importing."""

from __future__ import annotations

import pytest

from sociolab.core import Action, ConfigError
from sociolab.worlds import sotopia
from sociolab.worlds.sotopia.importing.episode_text import parse_judge_prompt
from sociolab.worlds.sotopia.importing.episodes import collect_characters, model_labels

HEAD = """Here is the context of this interaction:
Scenario: Two people wait.
It rains.
Participants: Ida Roe and Bo Lund
Ida Roe's background: Ida Roe is a cook.
Ida Roe's goals are many.
Bo Lund's background: Bo Lund is a smith.
Ida Roe's goal: Go home.
Soon.
Bo Lund's goal: Stay.
"""


def turns(text: str, quirks: sotopia.Quirks | None = None) -> list[tuple[int, Action]]:
    found = parse_judge_prompt(HEAD + text, "here", sotopia.Quirks() if quirks is None else quirks)
    return [(turn.who, turn.action) for turn in found.turns]


def test_the_head_is_read_in_the_order_of_the_participants() -> None:
    found = parse_judge_prompt(
        HEAD + "Turn #1\nIda Roe left the conversation,", "here", sotopia.Quirks()
    )
    assert found.scenario == "Two people wait.\nIt rains."
    assert found.names == ("Ida Roe", "Bo Lund")
    assert found.backgrounds == (
        "Ida Roe is a cook.\nIda Roe's goals are many.",
        "Bo Lund is a smith.",
    )
    assert found.goals == ("Go home.\nSoon.", "Stay.")


def test_a_heading_before_the_first_turn_belongs_to_no_goal() -> None:
    text = HEAD + "Conversation Starts:\n\nTurn #0: Ida Roe left the conversation,"
    assert parse_judge_prompt(text, "here", sotopia.Quirks()).goals[1] == "Stay."


def test_every_kind_of_action_is_read() -> None:
    quirks = sotopia.Quirks()
    text = """Turn #1
Ida Roe said: "It is "late"."
Turn #2
Bo Lund [non-verbal communication] nods
Turn #3
Ida Roe [action] [action] [non-verbal communication] opens the door
Turn #4
Bo Lund [physical action] sits down
Turn #5
Ida Roe did nothing
Turn #6

Turn #7
Ida Roe [non-verbal communication]
Turn #8
Bo Lund said: ""
Turn #9
Ida Roe left the conversation,"""
    assert turns(text, quirks) == [
        (0, Action("speak", 'It is "late".')),
        (1, Action("non-verbal communication", "nods")),
        (0, Action("physical action", "opens the door")),
        (1, Action("physical action", "sits down")),
        (0, Action("none")),
        (1, Action("none")),
        (0, Action("none")),
        (1, Action("none")),
        (0, Action("leave")),
    ]
    assert quirks == {
        sotopia.Quirk.REPEATED_LABEL: 1,
        sotopia.Quirk.EMPTY_TURN: 1,
        sotopia.Quirk.EMPTY_ACT: 2,
    }


def test_turns_may_be_numbered_from_0_on_the_same_line() -> None:
    text = 'Turn #0: Ida Roe said: "A."\n\nTurn #1: \nTurn #2: Ida Roe left the conversation,\n'
    assert turns(text) == [(0, Action("speak", "A.")), (1, Action("none")), (0, Action("leave"))]


def test_a_last_turn_may_be_empty_in_either_layout() -> None:
    assert turns('Turn #1\nIda Roe said: "A."\nTurn #2,')[-1] == (1, Action("none"))
    assert turns('Turn #0: Ida Roe said: "A."\nTurn #1: \n')[-1] == (1, Action("none"))


@pytest.mark.parametrize(
    "words",
    [
        'Look:\n\nTurn #2: Bo Lund said: "Yes."\nTurn #0: none',  # the other layout
        "Turn #7\nis what you mean",  # not the next number
        "Turn #2 comes next",  # not alone on its line
    ],
)
def test_a_header_that_somebody_quotes_begins_no_turn(words: str) -> None:
    text = f'Turn #1\nIda Roe said: "{words}"\nTurn #2\nBo Lund left the conversation,'
    assert turns(text) == [(0, Action("speak", words)), (1, Action("leave"))]


def test_what_ends_in_a_comma_of_its_own_keeps_it_unless_it_is_last() -> None:
    text = "Turn #1\nIda Roe [action] waves,\nTurn #2\nBo Lund [action] waves,,"
    assert [action.text for _, action in turns(text)] == ["waves,", "waves,"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD, 'here: rewards_prompt holds no "Turn #"'),
        ("Turn #1\nIda Roe left the conversation,", 'here: rewards_prompt holds no "Scenario:"'),
        (HEAD.replace(" and Bo Lund", "") + "Turn #1\n", "here: expected two or more participants"),
        (
            HEAD.replace("Bo Lund's goal", "Bo's goal") + "Turn #1\n",
            'here: rewards_prompt holds no "Bo Lund\'s goal:"',
        ),
        (HEAD + "Turn #1\nKim said: 'A.'", "here: turn 1 of rewards_prompt has no known form"),
        (HEAD + "Turn #1\nIda Roe hums", "here: turn 1 of rewards_prompt has no known form"),
        (HEAD + "Turn #1 Ida Roe hums", "here: the first turn of rewards_prompt has no known form"),
    ],
)
def test_a_prompt_that_cannot_be_read_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_judge_prompt(text, "here", sotopia.Quirks())
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("models", "setting", "tag", "expected"),
    [
        (("judge", "gpt-4", "gpt-3.5-turbo"), "GPT3.5-GPT4", "t", ("gpt-4", "gpt-3.5-turbo")),
        (("judge", "gpt-3.5-turbo", "custom_model"), "GPT3.5-BC", "t", ("gpt-3.5-turbo", "BC")),
        (("judge", "custom_model", "gpt-3.5-turbo"), "GPT3.5-A-B", "t", ("A-B", "gpt-3.5-turbo")),
        (("judge", "custom_model", "m-2"), "GPT3.5-BC", "mist_m-2_test", ("mist", "m-2")),
        (("judge", "custom_model", "m-2"), "", "a_tag", ("a_tag", "m-2")),
        (("judge", "custom_model", "m-2"), "", "", ("custom_model", "m-2")),
        ((), "GPT3.5-BC", "t", ("unknown model", "unknown model")),
        (("a", "b"), "", "", ("unknown model", "unknown model")),
    ],
)
def test_models_are_named_after_the_judge_in_the_order_of_the_seats(
    models: tuple[str, ...], setting: str, tag: str, expected: tuple[str, ...]
) -> None:
    assert model_labels(models, setting, tag, 2, sotopia.Quirks()) == expected


def test_what_is_guessed_or_unknown_is_counted() -> None:
    quirks = sotopia.Quirks()
    model_labels(("judge", "custom_model", "m"), "", "", 2, quirks)
    model_labels((), "", "", 3, quirks)
    assert quirks == {sotopia.Quirk.CUSTOM_MODEL: 1, sotopia.Quirk.UNKNOWN_MODEL: 3}


def test_a_background_that_nobody_can_read_is_refused() -> None:
    told = [("played.jsonl, line 3", "Ida Roe", "Ida Roe likes tea.", "")]
    with pytest.raises(ConfigError, match=r"^played\.jsonl, line 3: the background of Ida Roe"):
        collect_characters(told, {}, sotopia.Quirks())
