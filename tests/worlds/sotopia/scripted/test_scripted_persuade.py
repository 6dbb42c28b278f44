from __future__ import annotations

from collections import Counter
from importlib.resources import as_file, files
from itertools import pairwise

import pytest

from sociolab.core.episode import Ended
from sociolab.worlds.sotopia.dataset import load
from sociolab.worlds.sotopia.profiles import Character
from sociolab.worlds.sotopia.scenarios import AskGoal
from sociolab.worlds.sotopia.scene import PACKAGE, Casting
from sociolab.worlds.sotopia.scripted.hearing import heard
from sociolab.worlds.sotopia.scripted.persuade import context_topic
from sociolab.worlds.sotopia.scripted.wording import persuade as words
from sociolab.worlds.sotopia.scripted.wording import shared
from worlds.sotopia.scripted.scripted_castings import (
    Puppet,
    cards,
    casting,
    events,
    firm,
    moves,
    said,
    soft,
)

MINE, THEIRS = cards()


def shipped_cards() -> list[str]:
    """What the goals that come with the package have somebody ask, reason and offer."""
    with as_file(files(PACKAGE) / "data") as folder:
        tasks = load(folder).tasks()
    scenarios = {
        cast.scenario.id: cast.scenario
        for cast in (Casting.model_validate_json(task.content) for task in tasks)
    }
    goals = [goal.facts for scenario in scenarios.values() for goal in scenario.goals]
    asks = [facts for facts in goals if isinstance(facts, AskGoal)]
    return [card for facts in asks for card in (facts.ask, *facts.reasons, facts.middle)]


def test_both_say_what_they_ask_and_then_why() -> None:
    found = events(casting((MINE, THEIRS)))
    for seat, goal in (("mina", MINE), ("tobias", THEIRS)):
        lines = said(found, seat)
        assert goal.ask in lines[0]
        assert any(goal.reasons[0] in line for line in lines[1:])


def test_no_card_is_played_twice() -> None:
    for seed in range(20):
        text = "\n".join(said(events(casting((MINE, THEIRS)), seed)))
        for goal in (MINE, THEIRS):
            for card in (goal.ask, *goal.reasons):
                assert text.count(card) <= 1


def test_the_soft_meet_in_the_middle_and_the_very_firm_often_do_not() -> None:
    def ends(first: Character, second: Character) -> Counter[bool]:
        return Counter(
            any(
                words.TAKE_MIDDLE.spoke(line) or words.YIELD.spoke(line)
                for line in said(events(casting((MINE, THEIRS), (first, second)), seed))
            )
            for seed in range(20)
        )

    assert ends(soft(0), soft(1))[True] == 20
    assert ends(firm(0), firm(1))[False] >= 15


def test_episodes_end_by_leaving_and_by_the_limit() -> None:
    reasons: Counter[str] = Counter()
    for seed in range(40):
        end = events(casting((MINE, THEIRS), (firm(0), firm(1))), seed)[-1]
        assert isinstance(end, Ended)
        reasons[end.reason] += 1
    assert reasons["left"] > 0


def test_a_compromise_of_any_partner_can_be_taken() -> None:
    partner = Puppet(
        "Hello. I need some silence in here, to be honest.",
        "What if we meet halfway: you finish in the hallway and I save your seat?",
        "Great, thank you.",
    )
    cast = casting((MINE, THEIRS), (soft(0), soft(1)))
    lines = said(events(cast, puppets={"tobias": partner}), "mina")
    assert words.TAKE_MIDDLE.spoke(lines[2])


def test_agreement_of_any_partner_closes_the_matter() -> None:
    partner = Puppet("Sure, that works for me!", "Bye.")
    lines = said(events(casting((MINE, THEIRS)), puppets={"tobias": partner}), "mina")
    assert len(lines) <= 2
    assert MINE.reasons[0] not in "\n".join(lines)


@pytest.mark.parametrize("text", [*words.TAKE_MIDDLE.texts, *words.YIELD.texts])
def test_a_scripted_partner_who_gives_in_is_heard_whatever_terms_follow(text: str) -> None:
    partner = Puppet(f"{text} You need not tell me why, and I will not ask.", "Bye.")
    lines = said(events(casting((MINE, THEIRS)), puppets={"tobias": partner}), "mina")
    assert MINE.reasons[0] not in "\n".join(lines)


def test_a_compromise_with_a_condition_is_an_offer_and_no_agreement() -> None:
    middle = "If you whisper until four and then go to the far corner, I can live with that."
    partner = Puppet(f"Let me meet you halfway. {middle}", "Well?")
    cast = casting((MINE, THEIRS), (firm(0), firm(1)))
    lines = said(events(cast, puppets={"tobias": partner}), "mina")
    assert not any(shared.SETTLED.spoke(line) for line in lines)


def test_a_question_how_to_solve_it_is_not_answered_by_another() -> None:
    for seed in range(40):
        lines = said(events(casting((MINE, THEIRS)), seed))
        for line, answer in pairwise(lines):
            assert not (words.ASK_WAY.spoke(line) and words.ASK_WAY.spoke(answer))


def test_no_card_of_our_own_tasks_is_heard_as_agreement_or_farewell() -> None:
    cards = shipped_cards()
    assert len(cards) > 100
    for card in cards:
        assert not heard(card).agrees, card
        assert not heard(card).parts, card


def test_a_partner_who_gives_up_is_not_kept() -> None:
    partner = Puppet("I don't think we're going to agree on this.", "Well, goodbye.")
    found = events(casting((MINE, THEIRS)), puppets={"tobias": partner})
    assert len(moves(found)) <= 5


def test_without_facts_they_talk_about_the_scene_and_never_quote_the_goal() -> None:
    for seed in range(20):
        found = events(casting((None, None)), seed)
        text = "\n".join(said(found))
        assert "charity event" in text or words.TOPIC.spoke(text) or words.VIEW.spoke(text)
        assert "zebrawood" not in text
        assert "plan" not in text


@pytest.mark.parametrize(
    ("context", "topic"),
    [
        ("Two attendees talk at an annual charity event in a hall.", "annual charity event"),
        ("Two friends decide on a movie to watch.", "movie"),
        ("A conversation between two individuals.", ""),
        ("", ""),
    ],
)
def test_the_topic_is_read_off_the_context(context: str, topic: str) -> None:
    assert context_topic(context) == topic


def test_an_appeal_is_made_once_and_then_somebody_goes() -> None:
    stubborn = Puppet(*["No, I don't want that."] * 10)
    cast = casting((MINE, THEIRS), (firm(0), firm(1)))
    lines = said(events(cast, puppets={"tobias": stubborn}), "mina")
    assert sum(words.LAST_APPEAL.spoke(line) for line in lines) <= 1
    assert any(shared.GAVE_UP.spoke(line) for line in lines)


def test_a_card_with_braces_is_said_as_it_is() -> None:
    goal = AskGoal(ask="Say {this} please.", reasons=("One {x}.", "Two {}."), middle="{half}")
    text = "\n".join(said(events(casting((goal, THEIRS)))))
    assert "Say {this} please." in text
