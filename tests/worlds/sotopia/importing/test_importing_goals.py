"""Public contexts and goals: tags, plain sentences, and the facts read off them."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from sociolab.core import ConfigError
from sociolab.worlds import sotopia
from sociolab.worlds.sotopia.importing.goals import (
    GoalReader,
    TaggedPart,
    compose_goal,
    family_of,
    read_context,
    read_facts,
    repair_text,
    replace_agent_names,
    split_parts,
    split_untagged,
    strip_tags,
)

# ------------------------------------------------------------------ tagged text in parts


def test_both_kinds_of_quotation_marks_name_a_viewer() -> None:
    text = """Rain. <p viewer='agent_0'>A</p><p viewer="agent_1">B</p>"""
    assert split_parts(text, 2, "here") == (
        TaggedPart("Rain. "),
        TaggedPart("A", viewers=("agent_0",)),
        TaggedPart("B", viewers=("agent_1",)),
    )


def test_a_hint_inside_information_is_a_part_of_its_own() -> None:
    text = "Goal (<extra_info>E <strategy_hint>S</strategy_hint> F</extra_info>)"
    assert [(part.kind, part.text) for part in split_parts(text, 2, "here")] == [
        ("plain", "Goal ("),
        ("extra_info", "E "),
        ("strategy_hint", "S"),
        ("extra_info", " F"),
        ("plain", ")"),
    ]


def test_a_part_for_one_seat_inside_a_part_for_another_is_for_nobody() -> None:
    nested = "<p viewer='agent_0'><p viewer='agent_1'>x</p></p>"
    (part,) = split_parts(nested, 2, "here")
    assert not part.is_for(0)
    assert not part.is_for(1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a <p viewer='agent_2'>b</p>", "here: the viewer 'agent_2' is not known here"),
        ("a <p>b</p>", "here: the tag <p> is not known"),
        ("a <secret>b</secret>", "here: the tag <secret> is not known"),
        ("a <extra_info>b", "here: <extra_info> is opened and never closed"),
        ("a</p>", "here: </p> closes nothing that is open"),
        ("<extra_info>a</strategy_hint>", "here: </strategy_hint> closes nothing that is open"),
    ],
)
def test_a_tag_that_is_not_understood_is_refused_rather_than_shown(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match="here: ") as caught:
        split_parts(text, 2, "here")
    assert str(caught.value).startswith(message)


def test_a_smaller_than_sign_is_no_tag() -> None:
    assert split_parts("3 < 5 and a<3", 2, "here") == (TaggedPart("3 < 5 and a<3"),)


WORDS = st.text("ab (.)\n", max_size=8)
TAGGED = st.recursive(
    WORDS,
    lambda inner: st.builds(
        lambda before, tag, text, after: f"{before}<{tag}>{text}</{tag.split()[0]}>{after}",
        WORDS,
        st.sampled_from(
            ["extra_info", "strategy_hint", "p viewer='agent_0'", 'p viewer="agent_1"']
        ),
        inner,
        WORDS,
    ),
    max_leaves=6,
)


@given(TAGGED)
def test_parts_hold_all_of_the_text_and_nothing_of_the_tags(text: str) -> None:
    found = split_parts(text, 2, "here")
    assert "".join(part.text for part in found) == strip_tags(text)
    assert not any("<" in part.text or ">" in part.text for part in found)


# ------------------------------------------------------------------ contexts and goals as sentences


READER = GoalReader(2, "here")
INFORMED = "win  (<extra_info>Extra information:you are tired</extra_info>)"
HINTED = (
    "Win (<extra_info>Extra information: it is late "
    "<strategy_hint>Hint: yawn</strategy_hint></extra_info>)"
)


def read(raw: str, seat: int = 0, *, strategy_hints: bool = True) -> str:
    return GoalReader(2, "here", strategy_hints).goal(raw, seat, (), sotopia.Quirks())


def test_information_follows_the_goal_without_brackets() -> None:
    assert read(INFORMED) == "Win. Extra information: you are tired."


def test_hints_are_sentences_of_their_own() -> None:
    assert read(HINTED) == "Win. Extra information: it is late. Hint: yawn."


def test_strategy_hints_can_be_left_out_and_are_counted() -> None:
    quirks = sotopia.Quirks()
    goal = GoalReader(2, "here", strategy_hints=False).goal(HINTED, 0, (), quirks)
    assert goal == "Win. Extra information: it is late."
    assert quirks[sotopia.Quirk.STRATEGY_HINT_DROPPED] == 1
    assert quirks[sotopia.Quirk.STRATEGY_HINT] == 0


def test_clarification_hints_stay_when_strategy_hints_go() -> None:
    raw = "Win (<clarification_hint>Hint: it is no race</clarification_hint>)"
    assert read(raw, strategy_hints=False) == "Win. Hint: it is no race."


def test_brackets_that_hold_words_stay() -> None:
    raw = "Sell (or lend) it (<extra_info>Extra information: (it leaks)</extra_info>)"
    assert read(raw) == "Sell (or lend) it. Extra information: (it leaks)."


def test_information_without_its_label_is_a_sentence() -> None:
    assert read("Go home.<extra_info> it rains </extra_info>") == "Go home. It rains."


def test_a_list_keeps_its_lines() -> None:
    friends = "Ida: Hobby: Chess  Job: Cook, baker \n Bo: Job: Smith \n"
    raw = f"Ask.\n<extra_info> You know \n {friends}</extra_info>"
    assert read(raw) == "Ask.\nYou know:\n- Ida: Hobby: Chess; Job: Cook, baker\n- Bo: Job: Smith"


def test_a_part_of_a_goal_for_another_viewer_is_left_out() -> None:
    raw = "Ask. <p viewer='agent_0'>Twice.</p> <p viewer='agent_1'>Never.</p>"
    quirks = sotopia.Quirks()
    assert READER.goal(raw, 0, (), quirks) == "Ask. Twice."
    assert quirks[sotopia.Quirk.FOREIGN_PART] == 1


def test_what_a_seat_alone_knows_of_the_scene_comes_last() -> None:
    assert READER.goal("Go.", 0, ("It rains.", "It is cold."), sotopia.Quirks()) == (
        "Go.\nYou know: It rains. It is cold."
    )


def test_a_context_is_parted_among_those_whom_it_is_for() -> None:
    raw = (
        "two people <p viewer='agent_1'>one is late</p>wait "
        '<p viewer="environment">for nothing</p>\n'
    )
    quirks = sotopia.Quirks()
    told = read_context(raw, 2, "here", quirks)
    assert told.text == "Two people wait."
    assert told.seats == ((), ("One is late.",))
    assert told.environment == "for nothing"
    assert quirks[sotopia.Quirk.ENVIRONMENT_PART] == 1
    assert quirks[sotopia.Quirk.SEAT_PART] == 1


def test_a_context_that_ends_in_a_quotation_gets_no_second_stop() -> None:
    assert read_context('They say: "Go."', 2, "here", sotopia.Quirks()).text == 'They say: "Go."'


def test_escaped_quotation_marks_and_glued_sentences_are_mended_and_counted() -> None:
    quirks = sotopia.Quirks()
    assert repair_text(r"Here\'s \"it\".", quirks) == 'Here\'s "it".'
    assert repair_text("It rains.Take a coat.", quirks) == "It rains. Take a coat."
    assert repair_text("Ask J.M. Smith of U.S. Steel.", quirks) == "Ask J.M. Smith of U.S. Steel."
    assert quirks == {sotopia.Quirk.ESCAPED_QUOTE: 1, sotopia.Quirk.GLUED_SENTENCES: 1}


@pytest.mark.parametrize(
    ("text", "seat", "expected"),
    [
        ("Get a coin from Agent2.", 0, "Get a coin from the other person."),
        ("Get a coin from agent 1.", 1, "Get a coin from the other person."),
        ("Agent_1's coin is lost.", 0, "Your coin is lost."),
        ("Have Agent2 give it to Agent1.", 0, "Have the other person give it to you."),
        ("Win. Agent2 knows it.", 0, "Win. The other person knows it."),
        ("Agent1 must win.", 0, "You must win."),
    ],
)
def test_agents_are_named_as_their_player_would_say(text: str, seat: int, expected: str) -> None:
    quirks = sotopia.Quirks()
    assert replace_agent_names(text, seat, 2, quirks) == expected
    assert quirks == {sotopia.Quirk.AGENT_NAMED: 1}


@pytest.mark.parametrize(
    ("text", "seats"),
    [
        ("Agent1 wants a coin from Agent2.", 2),  # "you wants"
        ("Ask Agent3.", 2),
        ("Ask Agent2.", 3),  # which of the two others?
    ],
)
def test_a_goal_that_cannot_be_rewritten_safely_stays_and_is_counted(text: str, seats: int) -> None:
    quirks = sotopia.Quirks()
    assert replace_agent_names(text, 0, seats, quirks) == text
    assert quirks == {sotopia.Quirk.AGENT_NAME_LEFT: 1}


def test_a_goal_whose_tags_are_gone_reads_as_the_tagged_one() -> None:
    bare = HINTED.replace("<extra_info>", "").replace("</extra_info>", "")
    bare = bare.replace("<strategy_hint>", "").replace("</strategy_hint>", "")
    assert compose_goal(split_untagged(bare)) == read(HINTED)
    assert compose_goal(split_untagged("Just win (fairly)")) == "Just win (fairly)."


# ---------- the facts of goals with a formula in public texts, and what must not be guessed


OFFER = "One person is offering a brass lamp for a price of $1,250.50, and another one wants it."
BUYER = "You are the buyer and your target price is $1,000. Paying more costs you."
SELLER = "As the seller, your target price is set at $1,100.0. Selling for less costs you."
GOODS = "Two people divide 3 saws, 2 planes and 1 vice."
EACH = "A saw is worth 1 point, planes are worth 2 points each, and the vice equals 3 points."


def test_a_bargain_is_read_with_its_item_and_listed_price() -> None:
    assert read_facts("bargain", OFFER, (BUYER, SELLER)) == (
        sotopia.PriceGoal(role="buyer", item="a brass lamp", listed=1250.5, target=1000),
        sotopia.PriceGoal(role="seller", item="a brass lamp", listed=1250.5, target=1100),
    )


@pytest.mark.parametrize(
    ("context", "item", "listed"),
    [
        ("One person is selling their lamp for $20, another ...", "the lamp", 20),
        ("One person has put up a lamp for sale at $20.00.", "a lamp", 20),
        (
            "One person is offering a bed, a table, and lamps for $7.",
            "a bed, a table, and lamps",
            7,
        ),
    ],
)
def test_offers_come_in_several_wordings(context: str, item: str, listed: float) -> None:
    facts = read_facts("bargain", context, (BUYER, SELLER))
    assert facts is not None
    assert isinstance(facts[0], sotopia.PriceGoal)
    assert (facts[0].item, facts[0].listed) == (item, listed)


@pytest.mark.parametrize(
    ("context", "buyer"),
    [
        ("Two people talk about a lamp.", BUYER),
        (OFFER, "You are the buyer and your target price is low."),
        (OFFER, "You are the buyer; your target is $10, or $12 with the shade."),
        (OFFER, "You want the seller to meet you, the buyer, at $10."),
        (OFFER, SELLER),
    ],
)
def test_a_bargain_with_anything_unsure_is_not_read(context: str, buyer: str) -> None:
    assert read_facts("bargain", context, (buyer, SELLER)) is None


def test_goods_are_read_with_their_worth_for_one() -> None:
    goal = sotopia.DivisionGoal(
        counts={"saws": 3, "planes": 2, "vices": 1}, values={"saws": 1, "planes": 2, "vices": 3}
    )
    assert read_facts("division", GOODS, (EACH, EACH)) == (goal, goal)


@pytest.mark.parametrize(
    "goal",
    [
        "You value each saw as 5 points, each plane as 3 points, and the vice as 7 points.",
        "Saws give you 5 points each, planes give you 3 points each, the vice gives you 7 points.",
        "For you, 1 saw = 5 points, 1 plane equals 3 points, 1 vice = 7 points",
        "You value the saws at 5 points each, a plane is 3 points, and the vice at 7 points.",
    ],
)
def test_worth_comes_in_several_wordings(goal: str) -> None:
    facts = read_facts("division", GOODS, (goal, EACH))
    assert facts is not None
    assert isinstance(facts[0], sotopia.DivisionGoal)
    assert facts[0].values == {"saws": 5, "planes": 3, "vices": 7}


@pytest.mark.parametrize(
    "goal",
    [
        "Saws are worth 5 points, a plane is 3 points, the vice is 7 points.",  # each, or together?
        "A saw is worth 5 points and a plane 3 points.",  # nothing on the vice
        "A saw is 5 points, a saw is 4 points, a plane is 3 points, the vice is 7 points.",
        "A saw is 5 points, a plane is 3 points, the vice is 7 points; all of them 50 points more.",
        "A saw, a plane or the vice is 5 points.",
    ],
)
def test_worth_that_is_not_plain_is_not_read(goal: str) -> None:
    assert read_facts("division", GOODS, (goal, EACH)) is None


def test_goods_named_twice_or_alone_are_not_read() -> None:
    assert read_facts("division", "They have 3 saws here and 2 saws there.", (EACH, EACH)) is None
    assert read_facts("division", "They have 3 saws.", ("A saw is 1 point.",) * 2) is None


def test_friends_are_read_with_what_is_known_of_them() -> None:
    mine = "Ask.\nYou know:\n- Ida: Hobby: Chess; Job: Cook, baker\n- Bo: Hobby: Golf; Job: Smith"
    yours = "Ask.\nYou know:\n- Ida: Hobby: Chess; Job: Cook, baker\n- Kim: Hobby: Go; Job: Smith"
    facts = read_facts("mutual-friend", "A party.", (mine, yours))
    assert facts is not None
    assert isinstance(facts[0], sotopia.FriendGoal)
    assert facts[0].friends[0].name == "Ida"
    assert facts[0].friends[0].about == {"hobby": "Chess", "job": "Cook, baker"}


@pytest.mark.parametrize(
    "yours",
    [
        "Ask.\n- Ida: Hobby: Chess",  # one is no list
        "Ask.\n- Kim: Hobby: Go\n- Jo: Hobby: Go",  # nobody in common
        "Ask.\n- Ida: Hobby: Go\n- Bo: Hobby: Go",  # two in common
        "Ask.\n- Ida: Hobby: Chess\n- Kim plays chess",  # a line without attributes
    ],
)
def test_lists_without_one_friend_in_common_are_not_read(yours: str) -> None:
    mine = "Ask.\n- Ida: Hobby: Chess\n- Bo: Hobby: Golf"
    assert read_facts("mutual-friend", "A party.", (mine, yours)) is None


def test_a_family_shows_in_what_can_be_read() -> None:
    assert family_of(OFFER, (BUYER, SELLER)) == "bargain"
    assert family_of(GOODS, (EACH, EACH)) == "division"
    assert family_of(GOODS, ("Take all.", EACH)) == "other"
    assert read_facts("norms", OFFER, (BUYER, SELLER)) is None


def test_what_would_be_no_facts_of_ours_is_left_unread() -> None:
    free = OFFER.replace("$1,250.50", "$0")
    assert read_facts("bargain", free, (BUYER, SELLER)) is None
    assert read_facts("division", GOODS.replace("3 saws", "3000 saws"), (EACH, EACH)) is None
    nothing = EACH.replace("1 point,", "0 points,").replace("2 points", "0 points")
    nothing = nothing.replace("3 points", "0 points")
    assert read_facts("division", GOODS, (EACH, nothing)) is None
    assert read_facts("division", GOODS, (EACH, EACH, EACH)) is None
