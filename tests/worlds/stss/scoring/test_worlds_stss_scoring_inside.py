"""Units that are worth a test alone, from inside: worlds/stss/scoring."""

from __future__ import annotations

from sociolab.town import Talked
from sociolab.worlds import stss
from sociolab.worlds.stss.scoring import explain_ratio
from sociolab.worlds.stss.task import spoken_place
from stss_tasks import EVERYBODY, PARTY
from trace_cases import Life, lived, talk


def scored(*given: Life | Talked, of: stss.SocialTask = PARTY) -> stss.TaskScore:
    lives = {life.who: life for life in map(Life, ("ada", *EVERYBODY))}
    lives |= {one.who: one for one in given if isinstance(one, Life)}
    return stss.score(
        of, lived(*lives.values(), *(one for one in given if isinstance(one, Talked)))
    )


def test_the_reason_of_a_ratio_names_the_talks() -> None:
    found = scored(
        talk("mon 10:00", "ada", "bea", "Come to my party!"),
        talk("mon 11:00", "ada", "bea", "Do not forget the party!"),
        talk("mon 12:00", "cid", "ada", "Have you heard of the party?"),
        talk("mon 13:00", "ada", "cid", "About the party..."),
        talk("mon 14:00", "dan", "ada", "What party?"),
    )
    assert explain_ratio(PARTY, found, str.title, both=False) == (
        "Ada began to speak of it in time with 2 (3 expected): "
        "Bea (Monday 10:00), Cid (Monday 13:00)."
    )
    assert explain_ratio(PARTY, found, str.title, both=True) == (
        "Ada spoke of it in time with 3 (3 expected): "
        "Bea (Monday 10:00), Cid (Monday 12:00, began it), Dan (Monday 14:00, began it)."
    )
    nobody = explain_ratio(PARTY, scored(), str.title, both=True)
    assert nobody == "Ada spoke of it in time with 0 (3 expected): nobody."


def test_a_place_is_called_by_its_sector() -> None:
    assert spoken_place("Cafe: terrace") == "Cafe"
    assert spoken_place("Cafe") == "Cafe"
