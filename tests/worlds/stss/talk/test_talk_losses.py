"""Where tasks were lost, by acts: who was met, told, kept it, and came."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from sociolab.core import Score, Unscored
from sociolab.judging.reader import CannotTell
from sociolab.town import Resident, SpeechAct, Summary, Utterance
from sociolab.worlds import stss
from sociolab.worlds.stss.judges import (
    LOSSES,
    PerformerTalk,
    count_eligible,
    count_required,
    find_outcomes,
    findings_from_acts,
    loss_verdicts,
)
from sociolab.worlds.stss.talk.conditions import Occasion
from stss_tasks import EVERYBODY, GAME, MEDICINE, MEETING, PARTY, PICNIC, meant

PEOPLE = {
    who: Resident(
        id=who, name=f"{who.title()} Ashe", age=30, innate="", learned="", currently="",
        living_area="Home: room",
    )
    for who in ("ada", *EVERYBODY)
}  # fmt: skip
CHAT = meant("ada", "chat")


def spoke(
    other: str,
    *acts: SpeechAct,
    of: stss.SocialTask = PARTY,
    kept: tuple[SpeechAct, ...] | None = None,
) -> PerformerTalk:
    """A conversation of one line an act; the other keeps all of it, or these acts."""
    occasion = Occasion(of, PEOPLE["ada"], PEOPLE[other], datetime(2024, 5, 13, 10), "")
    lines = tuple(Utterance(act.by, act.by, f"words of {act.kind}", (act,)) for act in acts)
    note = Summary(memo="what I keep", importance=5, acts=acts if kept is None else kept)
    return PerformerTalk(other, occasion, lines, note, 0)


def lost(
    *given: PerformerTalk, of: stss.SocialTask = PARTY, came: tuple[str, ...] = ()
) -> dict[str, str]:
    errands = tuple(stss.ErrandDone(one.what, "", None) for one in of.errands)
    score = stss.TaskScore(
        of.type, 0, (), of.expected, (0, 1), came, (), 0, 0, NOT_ASKED, errands=errands
    )
    read = findings_from_acts(given)
    assert not isinstance(read, CannotTell)
    return {one.subject: one.outcome for one in find_outcomes(of, score, read)}


NOT_ASKED = stss.AuthorsGoal(0, ())
WHOLE = meant("ada", "invite", PARTY)


def test_each_step_can_lose_somebody() -> None:
    found = lost(
        spoke("cid", WHOLE),
        spoke("dan", meant("ada", "invite", PARTY, start="")),
        spoke("eve", WHOLE, kept=(meant("ada", "invite", PARTY, place=""),)),
        came=("bea",),
    )
    assert found == {
        "bea": "done",  # whom nobody invited
        "cid": "not acted on",
        "dan": "not conveyed",
        "eve": "not noted",
        "fay": "no conversation",
    }


def test_what_several_conversations_conveyed_adds_up() -> None:
    vague = spoke("cid", meant("ada", "invite", PARTY, start="", place=""))
    rest = spoke("cid", meant("ada", "tell", PARTY))
    assert lost(vague)["cid"] == "not conveyed"
    assert lost(vague, rest)["cid"] == "not acted on"


def test_of_an_appointment_the_partner_alone_counts() -> None:
    assert lost(spoke("cid", CHAT, of=MEETING), of=MEETING) == {"bea": "no conversation"}


def test_of_help_each_errand_counts_and_one_person_must_have_been_told_all_of_it() -> None:
    first, second = MEDICINE.matter.chores
    found = lost(
        spoke("cid", meant("ada", "invite", MEDICINE, chores=(first,)), of=MEDICINE),
        spoke("dan", meant("ada", "invite", MEDICINE, chores=(
            second.model_copy(update={"place": ""}),)), of=MEDICINE),
        of=MEDICINE,
    )  # fmt: skip
    assert found == {"errand 1": "not acted on", "errand 2": "not conveyed"}
    assert set(lost(of=MEDICINE).values()) == {"no conversation"}


def test_shares_are_of_all_who_could_have_taken_part() -> None:
    read = findings_from_acts([spoke("cid", WHOLE)])
    assert not isinstance(read, CannotTell)
    score = stss.TaskScore(PARTY.type, 0, (), 3, (0, 1), ("bea",), (), 0, 0, NOT_ASKED)
    found = {v.measure.name: v for v in loss_verdicts(find_outcomes(PARTY, score, read))}
    values = {name: v.value for name, v in found.items() if isinstance(v, Score)}
    assert values == {
        "lost_no_conversation": pytest.approx(3 / 5),
        "lost_not_conveyed": 0,
        "lost_not_noted": 0,
        "lost_not_acted_on": pytest.approx(1 / 5),
    }


@pytest.mark.parametrize("part", ["line", "note"])
def test_somebody_who_writes_no_acts_leaves_all_of_it_untold(part: str) -> None:
    one = spoke("cid", WHOLE)
    if part == "line":
        one = replace(one, lines=(*one.lines, Utterance("cid", "Cid", "Oh yes!")))
    else:
        one = replace(one, note=Summary(memo="Ada invited me.", importance=5))
    read = findings_from_acts([spoke("dan", WHOLE), one])
    assert isinstance(read, CannotTell)
    found = loss_verdicts(read)
    assert {v.measure for v in found} == set(LOSSES.values())
    assert all(isinstance(v, Unscored) and "--judge openai/MODEL" in v.why for v in found)


def test_goals_ask_for_a_half_or_third_of_the_background_or_for_all_errands() -> None:
    tasks = (PARTY, GAME, PICNIC, MEETING, MEDICINE)
    assert [count_required(one) for one in tasks] == [3, 3, 2, 1, 2]
    assert [count_eligible(one) for one in tasks] == [5, 5, 5, 1, 2]
