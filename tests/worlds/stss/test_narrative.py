"""The story of a task: a party that one of three told guests came to, and an errand."""

from __future__ import annotations

from sociolab.town import Planned, PlannedBlock, Reminded, Resident
from sociolab.worlds import stss
from stss_tasks import EVERYBODY, MEDICINE, PARTY, PICNIC
from trace_cases import Life, at, lived, talk


def named(who: str) -> Resident:
    home = "Home: room"
    return Resident(
        id=who,
        name=f"{who.title()} Rowe",
        age=30,
        innate="",
        learned="",
        currently="",
        lifestyle="",
        living_area=home,
    )


RESIDENTS = tuple(named(who) for who in ("ada", *EVERYBODY))


def told(of: stss.SocialTask = PARTY, scored: bool = True, host: bool = True) -> dict[str, str]:
    lives = {who: Life(who) for who in ("ada", *EVERYBODY)}
    lives["ada"].records += [
        Reminded(0, "ada", "general plan", "Tell everybody.\nDecorate."),
        Reminded(0, "ada", "talk", "Name the day."),
        Planned(0, "ada", (PlannedBlock(at("mon 08:00"), at("mon 09:00"), "eat.", "Home: room"),)),
        Planned(
            at("mon 10:02"),
            "ada",
            (
                PlannedBlock(at("tue 18:00"), at("tue 20:00"), "hold the party.", "Cafe: terrace"),
                PlannedBlock(at("tue 20:00"), at("tue 21:00"), "read", "Home: room"),
            ),
            "Bea said yes.",
        ),
    ]
    lives["ada"].goes("tue 17:50", "Cafe: terrace" if host else "Park: meadow", "hold the party")
    lives["bea"].goes("tue 18:10", "Cafe: terrace", "the party").goes("tue 19:00", "Home: room")
    lives["bea"].remembers("mon 10:02", "I go to Ada's party tomorrow at six.")
    lives["cid"].remembers("mon 11:02", "Ada asked me to a party.")
    lives["cid"].does("tue 17:00", "mend the fence.")
    lives["eve"].does("tue 18:30", "the party").does("tue 18:40", "rest")
    lives["fay"].goes("tue 10:00", "Clinic: pharmacy", "buy medicine")
    talks = (
        talk("mon 10:00", "ada", "bea", "Nice day.", "It is.", "Come to my party!", "Gladly."),
        talk("mon 11:00", "ada", "cid", "Come to my party!", "I shall try."),
        talk("mon 12:00", "ada", "dan", "Come to my party!", "I am busy."),
        talk("mon 13:00", "bea", "eve", "Ada has a party.", "Has she?"),
        talk("mon 14:00", "ada", "fay", "Could you buy medicine?", "Yes."),
    )
    trajectory = lived(*lives.values(), *talks)
    result = stss.score(of, trajectory) if scored else None
    return dict(stss.story(of, RESIDENTS, trajectory, result))


def test_the_story_names_the_task_and_everybody_in_town() -> None:
    text = told()["The task"]
    assert "Ada Rowe (public activity): Hold a harvest party" in text
    assert "Bea Rowe, Cid Rowe" in text


def test_who_was_invited_when_and_where_in_a_whole_conversation() -> None:
    assert told()["Ada Rowe's conversations about it"].splitlines()[:5] == [
        "Monday 10:00: Ada Rowe spoke to Bea Rowe at Home: room.",
        "    ada: Nice day.",
        "    bea: It is.",
        "    ada: Come to my party!",
        "    bea: Gladly.",
    ]


def test_hearsay_is_told() -> None:
    assert told()["Word of mouth"].splitlines() == [
        "Monday 13:00: Bea Rowe spoke to Eve Rowe at Home: room.",
        "    bea: Ada has a party.",
        "    eve: Has she?",
    ]


def test_what_was_remembered_is_told_in_its_own_words() -> None:
    assert told()["What the others remembered of it"].splitlines() == [
        "Monday 10:02: Bea Rowe: I go to Ada's party tomorrow at six.",
        "Monday 11:02: Cid Rowe: Ada asked me to a party.",
    ]


def test_who_came_for_how_long_and_why_the_others_did_not() -> None:
    parts = told()
    assert parts["Who took part"] == "Bea Rowe: 18:10 to 18:59."
    assert parts["Who did not, and why"].splitlines() == [
        "Cid Rowe remembered a conversation about it, and did not come; "
        "at 18:00 at Home: room: mend the fence.",
        "Dan Rowe was told, and remembered nothing of it; at 18:00 at Home: room: rest.",
        "Eve Rowe did it at the right time, but in another place "
        "(Tuesday 18:30 to 18:40, at Home: room).",
        "Fay Rowe was never told; at 18:00 at Clinic: pharmacy: buy medicine.",
    ]


def test_a_host_who_held_it_elsewhere_is_told_of_first() -> None:
    parts = told(host=False)
    assert parts["Who did not, and why"].splitlines()[0] == (
        "The host, Ada Rowe, was not at Cafe: terrace during the event; "
        "at 18:00 at Park: meadow: hold the party."
    )
    lines = parts["The score"].splitlines()
    assert lines[1].startswith("0.25 at 5 min, since 1 of 3 expected took part")
    assert lines[1].endswith("(at least 5 min) and counts as one more no-show.")
    assert lines[3] == "0.333: By the rule of the authors' code: Bea Rowe."
    assert lines[4] == "Without requiring the host's presence: 0.333."


def test_the_performers_plans_and_reminders_are_told() -> None:
    assert told()["What Ada Rowe had in mind"].splitlines() == [
        "Monday 00:00: general plan: Tell everybody. / Decorate.",
        "Monday 00:00: checklist for conversations: Name the day.",
        "Monday 00:00: plan: 08:00 eat.",
        "Monday 10:02: new plan (Bea said yes): 18:00 hold the party.",
    ]


def test_the_score_comes_last_and_is_left_out_where_there_is_none() -> None:
    lines = told()["The score"].splitlines()
    assert lines[:2] == [
        "Goal by minimum attendance: 0.333 at 0 min, 0.333 at 5 min, 0.333 at 15 min.",
        "0.333 at 5 min, since 1 of 3 expected took part (at least 5 min): Bea Rowe.",
    ]
    assert lines[2] == "Conversation ratio 1 (1 with conversations that others began)."
    assert list(told()) == [
        "The task",
        "What Ada Rowe had in mind",
        "Ada Rowe's conversations about it",
        "Word of mouth",
        "What the others remembered of it",
        "Who took part",
        "Who did not, and why",
        "The score",
    ]
    assert "The score" not in told(scored=False)


def test_help_tells_who_ran_which_errand() -> None:
    parts = told(MEDICINE)
    assert parts["Who took part"].splitlines() == [
        "Fay Rowe did this, by Tuesday 10:05: buy medicine.",
        "Nobody who was asked did this: bring medicine.",
    ]
    assert "With any helper counted: 0.5." in parts["The score"]


def test_where_the_time_is_open_it_is_told_what_others_did_when_most_took_part() -> None:
    """Ada picnics from 12:00 to 14:00, bea from 12:00, and cid joins them at 13:00."""
    lives = {who: Life(who) for who in ("ada", *EVERYBODY)}
    for who, come in (("ada", "12:00"), ("bea", "12:00"), ("cid", "13:00")):
        lives[who].goes(f"tue {come}", "Park: meadow", "picnic").does("tue 14:00", "rest")
    lives["dan"].does("tue 12:00", "nap").does("tue 12:30", "paint").does("tue 15:00", "cook")
    played = lived(*lives.values())
    parts = dict(stss.story(PICNIC, RESIDENTS, played, stss.score(PICNIC, played)))
    away = parts["Who did not, and why"].splitlines()
    assert away[0] == "Dan Rowe was never told; at 13:00 at Home: room: paint."


def test_where_the_time_is_open_and_nobody_came_no_time_is_named() -> None:
    played = lived(*(Life(who) for who in ("ada", *EVERYBODY)))
    parts = dict(stss.story(PICNIC, RESIDENTS, played, stss.score(PICNIC, played)))
    assert parts["Who did not, and why"].splitlines()[0] == "Bea Rowe was never told."


def test_who_took_part_is_told_of_alike_however_long_a_run_wants_it_to_be() -> None:
    """Bea is there for 4 minutes: a run may count that, and the story says how long it was."""
    lives = {who: Life(who) for who in ("ada", *EVERYBODY)}
    lives["bea"].goes("tue 18:10", "Cafe: terrace", "the party").does("tue 18:14", "rest")
    played = lived(*lives.values())
    whole, any_moment = (
        dict(
            stss.story(
                PARTY, RESIDENTS, played, stss.score(PARTY, played, stss.ScoreSettings(least=least))
            )
        )
        for least in (5, 0)
    )
    assert whole["Who took part"] == "Bea Rowe: 18:10 to 18:14."
    assert {"Who took part", "Who did not, and why"} <= whole.keys()
    for part in ("Who took part", "Who did not, and why"):
        assert whole[part] == any_moment[part]
