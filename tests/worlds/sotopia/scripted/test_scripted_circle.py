from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolab.worlds.sotopia.scenarios import Friend
from sociolab.worlds.sotopia.scripted.circle import circle, clause, told
from sociolab.worlds.sotopia.scripted.wording import friends as words

OWN = circle(
    (
        Friend(name="Ulrike", about={"school": "Fernley", "hobby": "chess", "work": "Kite Radio"}),
        Friend(name="John", about={"school": "College of Arden at Wexcombe", "city": "Arden"}),
        Friend(name="Virginia", about={"school": "St. Osyth's College", "work": "B. M. Rook Ltd"}),
    )
)
KINDS = (
    "school",
    "employer",
    "hobby",
    "neighbourhood",
    "hometown",
    "major",
    "job",
    "time preference",
    "location preference",
    "shoe size",
)


@pytest.mark.parametrize("ask", words.ASK.texts)
@pytest.mark.parametrize("kind", KINDS)
def test_what_a_question_tells_is_read_in_each_wording(ask: str, kind: str) -> None:
    own = circle((Friend(name="Ulrike", about={kind: "Otter Row", "pet": "Newt"}),))
    known = told(ask.format(whom=clause(kind, "Otter Row")), own)
    assert (known.values, known.strange) == (("Otter Row",), False)
    partly = told(ask.format(whom=f"{clause(kind, 'Otter Row')} and is into zithers"), own)
    assert (partly.values, partly.strange) == (("Otter Row",), True)


@pytest.mark.parametrize(
    ("text", "values", "strange"),
    [
        ("Do you know anybody who works at Kite Radio?", ("Kite Radio",), False),
        ("Do you know anybody who works at Kite Radio and lives in Moor?", ("Kite Radio",), True),
        ("Do you know anyone from Moor who works at Kite Radio?", ("Kite Radio",), True),
        ("My cousin works at the harbour. Do you know anybody into chess?", ("chess",), False),
        ("No, nobody at Kite Radio. Have you got a friend who is into chess?", ("chess",), False),
        ("I know a chess player at Kite Radio. Do you?", ("chess", "Kite Radio"), False),
        ("Who went to College of Arden at Wexcombe?", ("College of Arden at Wexcombe",), False),
        ("Is there one who went to College of Arden?", (), True),
        ("Is there one who went to St. Osyth's College?", ("St. Osyth's College",), False),
        ("Is there one who works at B. M. Rook Ltd?", ("B. M. Rook Ltd",), False),
        ("Have you got a friend who lives in Arden?", ("Arden",), False),
    ],
)
def test_what_is_told_of_somebody(text: str, values: tuple[str, ...], strange: bool) -> None:
    found = told(text, OWN)
    assert (found.values, found.strange) == (values, strange)


@pytest.mark.parametrize(
    ("text", "stranger"),
    [
        ("Hello! Do you know Bartholomew?", "Bartholomew"),
        ("Is it Elif, perhaps?", "Elif"),
        ("Do you know Ulrike?", None),
        ("Is there somebody who went to University of Wexcombe at Moor?", None),
        ("Does the name of Kite Radio mean anything to you, or is it Arden?", None),
    ],
)
def test_a_place_is_not_taken_for_a_name(text: str, stranger: str | None) -> None:
    assert told(text, OWN).stranger == stranger


def test_a_name_within_the_name_of_a_school_is_nobody() -> None:
    assert told("Do you know one who went to University of Virginia?", OWN).names == ()
    assert told("I went to Johnstown. Is it Virginia or Ulrike?", OWN).names == (
        "Virginia",
        "Ulrike",
    )


def test_a_greeting_is_left_out_and_an_answer_after_it_is_kept() -> None:
    line = told("I'm Golnaz. Hello, Mina. No, nobody like that. Is it Ulrike?", OWN)
    assert line.text == "No, nobody like that. Is it Ulrike?"
    assert told("I'm afraid I know no Elif.", OWN).text == "I'm afraid I know no Elif."


def test_a_trade_has_its_article() -> None:
    assert clause("job", "baker") == "works as a baker"
    assert clause("job", "engineer") == "works as an engineer"


@given(st.text(max_size=120))
def test_any_text_can_be_read(text: str) -> None:
    told(text, OWN)
    told(f"Do you know anybody who works at {text}?", OWN)
