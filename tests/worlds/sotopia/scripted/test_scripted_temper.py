from __future__ import annotations

import pytest

from sociolab.worlds.sotopia.profiles import Character
from sociolab.worlds.sotopia.scripted.temper import temper
from worlds.sotopia.scripted.scripted_castings import character, firm, soft


def test_the_disagreeable_conscientious_and_calm_are_firm() -> None:
    # 0.5 + 0.05 (analytical) + 0.2 + 0.1 + 0.1 is cut at 0.9; the soft one is 0.55 - 0.4
    assert temper(firm(0)).firmness == pytest.approx(0.9)
    assert temper(soft(0)).firmness == pytest.approx(0.15)


def test_an_average_character_lies_in_the_middle() -> None:
    found = temper(character(0))
    assert found.firmness == pytest.approx(0.55)
    assert found.tone == "plain"


def test_agreeableness_sets_the_tone() -> None:
    assert temper(character(0, agreeableness="high")).tone == "warm"
    assert temper(character(0, agreeableness="low")).tone == "cool"


def test_extraverts_say_more_and_the_neurotic_worry_more() -> None:
    quiet, chatty = (character(0, extraversion=level) for level in ("low", "high"))
    calm, anxious = (character(0, neuroticism=level) for level in ("low", "high"))
    assert temper(quiet).talk < temper(chatty).talk
    assert temper(calm).worry < temper(anxious).worry


def test_a_character_without_traits_has_an_average_temper() -> None:
    bare = Character(
        id="x", first_name="X", gender="woman", pronouns="she/her", age=30, occupation="cook"
    )
    assert temper(bare).firmness == 0.5
    assert temper(bare).tone == "plain"
