"""Where tasks were lost, on hand-written traces: who was met, told, and acted."""

from __future__ import annotations

from sociolab.town.residents import Resident
from sociolab.town.trace.records import Talked
from sociolab.worlds.stss.scoring.score import score
from sociolab.worlds.stss.talk.losses import OUTCOMES, Fate, fates, wanted
from sociolab.worlds.stss.task import Errand, SocialTask
from stss_tasks import EVERYBODY, GAME, MEETING, PARTY, PICNIC, task
from trace_cases import ROW, Life, lived, talk

PLACES = tuple(str(place) for place in ROW.places)
INVITATION = (
    "Would you like to come to my harvest party at the Cafe, on the terrace, tomorrow at 18:00?"
)
PEOPLE = tuple(
    Resident(
        id=who,
        name=f"{who.title()} Ashe",
        age=30,
        innate="calm",
        learned="",
        currently="",
        lifestyle="",
        living_area="Home: room",
    )
    for who in ("ada", *EVERYBODY)
)
ERRANDS = task(
    id="errands",
    type="asking for help",
    goal="Have the map fetched and the pills brought on Tuesday.",
    activity="work",
    keywords=(),
    place="",
    start="",
    errands=(
        Errand(what="fetch the map", keywords=("map",), place="Cafe: counter room"),
        Errand(what="bring the pills", keywords=("pills",), place="Clinic: pharmacy"),
    ),
)


def lost(*given: Life | Talked, of: SocialTask = PARTY) -> dict[str, str]:
    lives = {life.who: life for life in map(Life, ("ada", *EVERYBODY))}
    lives |= {one.who: one for one in given if isinstance(one, Life)}
    trajectory = lived(*lives.values(), *(one for one in given if isinstance(one, Talked)))
    found = fates(of, PEOPLE, trajectory, PLACES, score(of, trajectory))
    assert all(isinstance(one, Fate) and one.outcome in OUTCOMES for one in found)
    return {one.of: one.outcome for one in found}


def test_each_cause_of_loss_has_its_case() -> None:
    guest = Life("bea").goes("tue 18:00", "Cafe: terrace", "at the harvest party")
    found = lost(
        guest,
        talk("mon 10:00", "ada", "cid", INVITATION, "Gladly, I will come!"),
        talk("mon 11:00", "ada", "dan", "I am busy preparing a harvest party.", "How nice."),
    )
    assert found == {
        "bea": "done",  # whom nobody invited
        "cid": "conveyed, not acted on",
        "dan": "talk, not conveyed",
        "eve": "no talk",
        "fay": "no talk",
    }


def test_what_several_talks_conveyed_adds_up() -> None:
    found = lost(
        talk(
            "mon 10:00", "ada", "cid", "Would you come to my harvest party?", "Gladly. Where is it?"
        ),
        talk("mon 15:00", "cid", "ada", "Hello.", INVITATION),
    )
    assert found["cid"] == "conveyed, not acted on"


def test_a_talk_after_the_event_met_nobody() -> None:
    assert lost(talk("tue 20:30", "ada", "cid", "The party is over."))["cid"] == "no talk"


def test_of_an_appointment_the_partner_alone_counts() -> None:
    found = lost(talk("mon 10:00", "ada", "cid", "Hello."), of=MEETING)
    assert found == {"bea": "no talk"}


def test_of_help_each_errand_counts_and_one_person_must_have_been_told_all_of_it() -> None:
    asked = "Could you fetch the map from the Cafe, from the counter room, tomorrow?"
    found = lost(
        talk("mon 10:00", "ada", "cid", asked, "Yes, I will."),
        talk("mon 11:00", "ada", "dan", "Could you bring the pills tomorrow?", "Yes."),
        of=ERRANDS,
    )
    assert found == {"errand 1": "conveyed, not acted on", "errand 2": "talk, not conveyed"}


def test_of_help_without_any_talk_nobody_was_met() -> None:
    assert set(lost(of=ERRANDS).values()) == {"no talk"}


def test_who_was_told_by_somebody_else_alone_had_no_talk() -> None:
    found = lost(
        talk("mon 10:00", "ada", "cid", INVITATION, "Gladly, I will come!"),
        talk("mon 11:00", "cid", "dan", "Ada holds a harvest party at the Cafe tomorrow at 18:00."),
    )
    assert found["dan"] == "no talk"


def test_goals_ask_for_a_half_or_third_of_the_background_or_for_all_errands() -> None:
    assert [wanted(one) for one in (PARTY, GAME, PICNIC, MEETING, ERRANDS)] == [3, 3, 2, 1, 2]
