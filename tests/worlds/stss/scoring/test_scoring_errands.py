"""Asking for help: buy medicine at the Clinic, then bring it to the Cottage; 5 minutes each."""

from __future__ import annotations

from sociolab.town import Talked
from sociolab.worlds import stss
from stss_tasks import EVERYBODY, MEDICINE
from trace_cases import Life, at, lived, talk

ASKED = talk("mon 10:00", "ada", "bea", "Could you buy medicine for me?", "Sure.")
CLINIC, COTTAGE = "Clinic: pharmacy", "Cottage: room"


def scored(*given: Life | Talked) -> stss.TaskScore:
    lives = {life.who: life for life in map(Life, ("ada", *EVERYBODY))}
    lives |= {one.who: one for one in given if isinstance(one, Life)}
    talks = [one for one in given if isinstance(one, Talked)]
    return stss.score(MEDICINE, lived(*lives.values(), *talks))


def buys(who: str, when: str = "tue 10:00", until: str = "tue 10:10") -> Life:
    return Life(who).goes(when, CLINIC, "buy medicine").does(until, "rest")


def helper(who: str) -> Life:
    return buys(who).goes("tue 11:00", COTTAGE, "bring medicine").does("tue 11:05", "rest")


def test_both_errands_in_order_by_one_who_was_asked_score_one() -> None:
    found = scored(ASKED, helper("bea"))
    assert (found.goal, found.goal_any_helper, found.participants) == (1.0, 1.0, ("bea",))
    assert found.errands == (
        stss.ErrandDone("buy medicine", "bea", at("tue 10:05")),
        stss.ErrandDone("bring medicine", "bea", at("tue 11:05")),
    )
    why = stss.explain_score(MEDICINE, found, str.title)
    assert why == (
        "buy medicine: done by Bea (at least 5 min); bring medicine: done by Bea (at least 5 min)."
    )


def test_one_errand_scores_half() -> None:
    found = scored(ASKED, buys("bea"))
    assert (found.goal, found.goal_any_helper) == (0.5, 0.5)


def test_a_stranger_who_was_never_asked_is_no_helper() -> None:
    found = scored(helper("cid"))
    assert (found.goal, found.goal_any_helper, found.participants) == (0.0, 1.0, ())
    assert [one.fate for one in found.accounts][:2] == ["never told", "was not asked"]


def test_an_errand_of_the_performer_itself_is_no_help() -> None:
    found = scored(ASKED, helper("ada"))
    assert (found.goal, found.goal_any_helper) == (0.0, 0.0)


def test_errands_in_the_wrong_order_score_half() -> None:
    wrong = Life("bea").goes("tue 10:00", COTTAGE, "bring medicine").does("tue 10:10", "rest")
    wrong.goes("tue 11:00", CLINIC, "buy medicine").does("tue 11:10", "rest")
    found = scored(ASKED, wrong)
    assert found.goal == 0.5
    assert "wrong order" in stss.explain_score(MEDICINE, found, str)


def test_two_helpers_may_share_the_errands() -> None:
    brings = Life("cid").goes("tue 11:00", COTTAGE, "bring medicine").does("tue 11:10", "rest")
    asked = talk("mon 12:00", "cid", "ada", "Hello!", "Could you bring medicine to me?")
    assert scored(ASKED, asked, buys("bea"), brings).goal == 1.0
    assert scored(ASKED, buys("bea"), brings).goal == 0.5


def test_either_may_have_begun_the_talk_and_said_it() -> None:
    offered = talk("mon 10:00", "bea", "ada", "Shall I buy medicine for you?", "Please.")
    assert scored(offered, helper("bea")).goal == 1.0


def test_a_talk_about_something_else_does_not_make_a_helper() -> None:
    other = talk("mon 10:00", "ada", "bea", "Nice weather.", "Yes.")
    found = scored(other, helper("bea"))
    assert (found.goal, found.goal_any_helper) == (0.0, 1.0)


def test_only_what_is_done_after_the_asking_is_help() -> None:
    """Bea is asked at 10:30, when she has bought it and not yet brought it."""
    late = talk("tue 10:30", "ada", "bea", "Could you buy medicine for me?", "I just did!")
    found = scored(late, helper("bea"))
    assert (found.goal, found.goal_any_helper) == (0.5, 1.0)
    assert [one.who for one in found.errands] == ["", "bea"]


def test_the_errand_in_another_place_does_not_count() -> None:
    online = Life("bea").goes("tue 10:00", "Cafe: terrace", "buy medicine")
    assert scored(ASKED, online).goal == 0


def test_on_the_day_before_does_not_count() -> None:
    early = Life("bea").goes("mon 12:00", CLINIC, "buy medicine").does("mon 12:10", "rest")
    found = scored(ASKED, early)
    assert (found.goal, found.goal_any_helper) == (0.0, 0.0)


def test_exactly_five_minutes_are_enough_and_fifteen_are_never_asked_of_a_short_errand() -> None:
    found = scored(ASKED, buys("bea", "tue 10:00", "tue 10:05"))
    assert found.goals == ((0, 0.5), (5, 0.5), (15, 0.5))
    less = scored(ASKED, buys("bea", "tue 10:00", "tue 10:04:50"))
    assert less.goals == ((0, 0.5), (5, 0.0), (15, 0.0))
    assert less.accounts[0].fate == "left too soon"


def test_help_has_no_conversation_ratio() -> None:
    found = scored(ASKED)
    assert (found.ratio, found.ratio_both) == (None, None)
    assert found.accounts[0].fate == "did not run it"


def test_who_does_an_errand_that_was_done_before_did_the_same_errand_later() -> None:
    also = talk("mon 12:00", "ada", "cid", "Could you buy medicine?", "Yes.")
    late = buys("cid", "tue 12:00", "tue 12:10")
    accounts = scored(ASKED, also, helper("bea"), late).accounts
    assert [(one.fate, one.words) for one in accounts[:2]] == [
        ("took part", "took part"),
        ("same errand", "did the same errand later"),
    ]


def test_who_brings_what_was_not_yet_bought_did_the_same_errand_earlier() -> None:
    also = talk("mon 12:00", "ada", "cid", "Could you bring medicine?", "Yes.")
    early = Life("cid").goes("tue 09:00", COTTAGE, "bring medicine").does("tue 09:10", "rest")
    one = scored(ASKED, also, helper("bea"), early).accounts[1]
    assert one.words == "did the same errand earlier"


def test_who_did_all_of_it_before_being_asked_did_not_leave_too_soon() -> None:
    late = talk("tue 10:30", "ada", "bea", "Could you buy medicine for me?", "I just did!")
    assert scored(late, buys("bea")).accounts[0].fate == "before asked"


def test_a_reason_names_the_minutes_that_an_errand_takes_at_most() -> None:
    """An errand of five minutes takes no ten."""
    lives = [Life("ada"), helper("bea"), *map(Life, EVERYBODY[1:])]
    found = stss.score(MEDICINE, lived(*lives, ASKED), stss.ScoreSettings(least=10))
    assert stss.explain_score(MEDICINE, found, str.title).count("(at least 5 min)") == 2


def test_an_invitation_to_where_the_performer_is_asks_for_no_help() -> None:
    placed = MEDICINE.model_copy(update={"place": "Cafe"})
    invited = talk("mon 10:00", "ada", "bea", "Come to the Cafe!")
    lives = [Life("ada"), helper("bea"), *map(Life, EVERYBODY[1:])]
    assert stss.score(placed, lived(*lives, invited)).goal == 0
