"""A model writes a character; what it gets wrong it is told, and a hopeless reply is an error."""

from __future__ import annotations

import asyncio
import json

import pytest

from fake_models import FakeModel
from sociolab.core.errors import ModelError, ReplyError
from sociolab.core.ports import CallKey
from sociolab.worlds.anteval.party.drawing import draw_party
from sociolab.worlds.anteval.session import Character
from sociolab.worlds.anteval.writing import write_character

KEY = CallKey("session-1", "writer", "player-1", 0, "write", 1)
DRAWN = draw_party(0, 0, 1)[0].model_copy(
    update={"race": "Half-Elf", "class_name": "Bard", "pronouns": "she/her"}
)
PROSE = "She is a half-elf bard who once kept a ferry. " + "She hums when it rains at night. " * 6


def writing(
    name: str = "Orsel Quay", look: str = "A tall half-elf.", description: str = PROSE
) -> str:
    return json.dumps({"name": name, "look": look, "description": description})


def written(model: FakeModel, *taken: str) -> Character:
    return asyncio.run(write_character(model, DRAWN, KEY, taken))


def problem_told(model: FakeModel) -> str:
    return model.calls[1][0].messages[-1].text


def test_name_look_and_description_are_the_models_and_the_traits_stay() -> None:
    got = written(FakeModel(writing(name=" Orsel\nQuay ")))
    assert (got.name, got.look, got.description) == (
        "Orsel Quay", "A tall half-elf.", PROSE.strip()
    )  # fmt: skip
    changed = {"name", "look", "description"}
    assert got.model_dump(exclude=changed) == DRAWN.model_dump(exclude=changed)


def test_the_model_reads_every_trait_and_who_is_taken_but_not_the_drawn_name() -> None:
    model = FakeModel(writing())
    written(model, "Bruldin Ironhand", "Tobkin")
    head, sheet = (message.text for message in model.calls[0][0].messages)
    for trait in (*DRAWN.personality, DRAWN.ideal, DRAWN.bond, DRAWN.flaw, DRAWN.goal):
        assert trait in sheet
    assert "first names that are taken: Bruldin, Tobkin" in sheet
    assert DRAWN.first_name not in head + sheet
    assert "90 to 180 words" in head
    assert model.calls[0][1] == KEY


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (writing(name="  "), "name: expected a name, found none"),
        (writing(name="bruldin of Tarn"), 'expected a first name that is not taken, found "brul'),
        (writing(name="Orsel " * 20), "name: expected at most 60 characters, found 119"),
        (writing(look=""), "look: expected one sentence of at most 60 words, found 0"),
        (writing(look="A half-elf. " * 31), "at most 60 words, found 62"),
        (writing(description="She is a half-elf bard."), "expected 40 to 250 words, found 5"),
        (writing(description=PROSE * 6), "expected 40 to 250 words, found 312"),
        (writing(description=PROSE.replace("half-elf", "elf")), 'expected it to have "Half-Elf"'),
        (writing(description=PROSE.replace("bard", "singer")), 'expected it to have "Bard"'),
        (
            writing(description=PROSE.replace("She", "He")),
            "expected it to have the pronouns she/her",
        ),
    ],
)
def test_what_a_reply_lacks_is_told_and_the_next_one_is_taken(reply: str, problem: str) -> None:
    model = FakeModel(reply, writing())
    assert written(model, "Bruldin Ironhand").name == "Orsel Quay"
    assert problem in problem_told(model)


def test_pronouns_of_the_character_count_in_any_form() -> None:
    prose = PROSE.replace("She", "Somebody") + " All this was hers."
    assert written(FakeModel(writing(description=prose))).description == prose


def test_a_reply_that_never_will_do_is_an_error_that_says_what_it_lacks() -> None:
    model = FakeModel(writing(), "no JSON", writing(name=""), writing())
    with pytest.raises(ReplyError, match="name: expected a name, found none") as caught:
        written(model, "Orsel Other")
    assert len(model.calls) == 3
    assert json.loads(caught.value.raw)["name"] == ""


def test_a_call_that_fails_for_good_passes_through() -> None:
    with pytest.raises(ModelError, match="no key"):
        written(FakeModel(ModelError("no key", cause="credentials", fatal=True)))
