"""What a seat is shown: heads, lines, names."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sociolab.core import Action, Moved
from sociolab.worlds import sotopia
from sociolab.worlds.sotopia.scene import SotopiaWitness, describe_ties
from sociolab.worlds.sotopia.visibility import (
    describe_inner_life,
    describe_known,
    describe_self,
    distinct_names,
    find_spoken_name,
    replace_name,
    reveal_character,
)
from sotopia_cases import casting, character, episode_of


def witness(cast: sotopia.SceneCast, *moves: Moved, seat: str = "seat0") -> SotopiaWitness:
    found = sotopia.SotopiaScene(cast).witness(seat)
    for move in moves:
        found.see(move)
    return found


def did(turn: int, seat: int, kind: str, text: str = "", *to: str) -> Moved:
    return Moved(turn, f"seat{seat}", (Action(kind, text, to),))


def lines(found: SotopiaWitness) -> list[str]:
    return [line.text for line in found.observe(0).history]


# ---------------------------------------------------------------- heads


def test_the_head_of_a_stranger_reads_like_this() -> None:
    head = sotopia.SotopiaScene(casting()).witness("seat0").observe(0).head
    assert head.endswith(
        "# You\n"
        "Mia Chen, 31, gendermark0 (pronounmark0), jobmark0.\n"
        "Has a publicmark0.\n"
        "Curious and reserved. What matters most: innermark0.\n"
        "Secret: Hides a secretmark0.\n"
        "\n"
        "# The other person\n"
        "A stranger: you know nothing about them beyond what the scene says.\n"
        "\n"
        "# The scene\n"
        "Some people meet at a market stall.\n"
        "\n"
        "# Your social goal\n"
        "Get the goalmark0."
    )


def test_the_head_begins_alike_for_everybody() -> None:
    heads = [
        sotopia.SotopiaScene(casting(seats=5)).witness(f"seat{n}").observe(0).head for n in range(5)
    ]
    assert len({head.split("# You")[0] for head in heads}) == 1


def test_a_friend_is_described_in_full_but_for_the_secret() -> None:
    text = describe_known(reveal_character(character(1), sotopia.RelationshipType.FRIEND))
    assert text == (
        "Relationship: friends.\njobmark1, 32, gendermark1 (pronounmark1).\n"
        "Has a publicmark1.\n"
        "Curious and reserved. What matters most: innermark1."
    )


def test_an_acquaintance_is_described_by_pronouns_occupation_and_public_information() -> None:
    text = describe_known(reveal_character(character(1), sotopia.RelationshipType.ACQUAINTANCE))
    assert text == "Relationship: acquaintances.\njobmark1, pronounmark1.\nHas a publicmark1."


def test_a_tie_is_told_to_family() -> None:
    cast = casting(sotopia.RelationshipType.FAMILY)
    tie = sotopia.Relationship(
        a="seat0", b="seat1", type=sotopia.RelationshipType.FAMILY, tie="siblings"
    )
    cast = cast.model_copy(update={"relationships": (tie,)})
    assert (
        "Relationship: siblings.\n" in sotopia.SotopiaScene(cast).witness("seat1").observe(0).head
    )


def test_of_unlike_parts_of_a_tie_everybody_is_told_who_is_which() -> None:
    cast = casting(sotopia.RelationshipType.FAMILY)
    tie = sotopia.Relationship(
        a="seat1", b="seat0", type=sotopia.RelationshipType.FAMILY, tie="uncle and niece"
    )
    cast = cast.model_copy(update={"relationships": (tie,)})
    scene = sotopia.SotopiaScene(cast)
    told = "Relationship: uncle and niece; {} is the {}.\n"
    assert told.format("Noah", "uncle") in scene.witness("seat0").observe(0).head
    assert told.format("Mia", "niece") in scene.witness("seat1").observe(0).head
    assert describe_ties(cast) == ("Mia and Noah: uncle and niece; Noah is the uncle.",)


def test_the_tail_counts_turns_from_one() -> None:
    tail = sotopia.SotopiaScene(casting()).witness("seat0").observe(4).tail
    assert tail == "It is your turn: turn 5 of at most 20, counting everyone's turns."


def test_the_view_holds_records_and_no_more_than_the_text() -> None:
    view = witness(casting(sotopia.RelationshipType.ACQUAINTANCE)).observe(0).view
    assert view.me.secret
    assert set(view.others) == {"Noah"}
    assert view.others["Noah"].inner == ""
    assert view.goal.text == "Get the goalmark0."


def test_a_personality_in_prose_stands_for_itself() -> None:
    assert describe_inner_life(character(0, personality="Stern but kind.")) == "Stern but kind."
    assert describe_inner_life(character(0, big_five=None, moral_values=())) == ""
    assert describe_inner_life(
        character(0, big_five=None, moral_values=(), decision_style="Analytical")
    ) == ("Weighs the facts before deciding.")


def test_without_a_secret_there_is_no_such_line() -> None:
    assert "Secret" not in describe_self(character(0, secret=""))


# ---------------------------------------------------------------- lines


def test_each_kind_of_action_has_its_line() -> None:
    cast = casting(sotopia.RelationshipType.FRIEND)
    found = witness(
        cast,
        did(0, 0, sotopia.SPEAK, "Hello."),
        did(1, 1, sotopia.SPEAK, "Hi."),
        did(2, 0, sotopia.NON_VERBAL, "smiles"),
        did(3, 1, sotopia.PHYSICAL, "opens the\nwindow"),
        did(4, 0, sotopia.NONE),
        did(5, 1, sotopia.NONE),
        did(6, 0, sotopia.LEAVE),
        did(7, 1, sotopia.LEAVE),
    )
    assert lines(found) == [
        "You: Hello.",
        "Noah: Hi.",
        "You [non-verbal communication]: smiles",
        "Noah [physical action]: opens the window",
        "You do nothing.",
        "Noah does nothing.",
        "You leave.",
        "Noah leaves.",
    ]


def test_a_line_knows_who_acted() -> None:
    history = (
        witness(casting(), did(0, 0, sotopia.SPEAK, "Hello."), did(1, 1, sotopia.NONE))
        .observe(2)
        .history
    )
    assert [(line.turn, line.who, line.you) for line in history] == [
        (0, "Mia", True),
        (1, sotopia.STRANGER_LABEL, False),
    ]


def test_words_for_some_show_names_and_never_seats() -> None:
    cast = casting(sotopia.RelationshipType.FRIEND, 3)
    found = witness(cast, did(0, 1, sotopia.SPEAK, "Psst.", "seat0", "seat2"))
    line = found.observe(1).history[0]
    assert line.text == "Noah (to you, Ivy only): Psst."
    assert line.actions[0].to == ("Mia", "Ivy")


LEARNS = "Everybody else learns of every action, whatever the scene"
ASIDE = f"{LEARNS}, unless you name those it is meant for: then nobody but they learn of it"


@pytest.mark.parametrize(("seats", "told"), [(2, f"{LEARNS}. What"), (3, f"{ASIDE}. What")])
def test_a_seat_is_told_who_learns_of_what_it_does(seats: int, told: str) -> None:
    assert told in sotopia.SotopiaScene(casting(seats=seats)).witness("seat0").observe(0).head


def test_words_for_some_say_so_in_any_set_of_prompts() -> None:
    lines = {sotopia.SPEAK: "{name} said: {text}"}
    own = sotopia.paper_prompts().manifest.model_copy(update={"lines": lines})
    texts = replace(sotopia.paper_prompts(), manifest=own)
    cast = casting(sotopia.RelationshipType.FRIEND, 3)
    moves = did(0, 1, sotopia.SPEAK, "Hello."), did(1, 1, sotopia.SPEAK, "Psst.", "seat0")
    found = sotopia.SotopiaScene(cast, texts=texts).witness("seat0")
    for move in moves:
        found.see(move)
    assert [line.text for line in found.observe(2).history] == [
        "Noah said: Hello.",
        "Noah (to you only): Psst.",
    ]
    prompt, _ = sotopia.SotopiaRubric(texts).prompt(episode_of(cast, *moves), 0.0)
    text = prompt.messages[1].text
    assert '"(to Name only)" marks what nobody but that person learned of.' in text
    assert "\nNoah said: Hello.\n2. Noah (to Mia only): Psst." in text


def test_one_who_has_left_can_no_longer_be_spoken_to() -> None:
    cast = casting(sotopia.RelationshipType.FRIEND, 3)
    found = witness(cast, did(0, 1, sotopia.LEAVE))
    assert found.observe(1).others == ("Ivy",)
    assert set(found.observe(1).view.others) == {"Noah", "Ivy"}


# ---------------------------------------------------------------- names


def test_a_stranger_who_says_their_name_is_known_by_it_and_keeps_one_label() -> None:
    found = witness(
        casting(),
        did(0, 0, sotopia.SPEAK, "Who are you?"),
        did(1, 1, sotopia.SPEAK, "I am Noah."),
        did(2, 1, sotopia.PHYSICAL, "Noah bows"),
    )
    assert lines(found) == [
        "You: Who are you?",
        "The other person: I am Noah.",
        "The other person [physical action]: the other person bows",
    ]
    shown = found.observe(3)
    assert shown.others == (sotopia.STRANGER_LABEL,)
    assert shown.view.others[sotopia.STRANGER_LABEL].name == "Noah"
    assert "The other person" in shown.head


def test_names_of_strangers_may_be_shown_and_nothing_else_of_them() -> None:
    """As in the public code, whose history prints names; section 2.1 hides them."""
    named = sotopia.SotopiaScene(casting(), named=True).witness("seat0")
    named.see(did(0, 1, sotopia.SPEAK, "Good morning."))
    assert lines(named) == ["Noah: Good morning."]
    assert named.observe(1).others == ("Noah",)
    assert (
        "# Noah Berg\nA stranger: you know nothing else about them beyond what the scene says.\n"
        in named.observe(1).head
    )
    assert "mark1" not in repr(named.observe(1).view.others)


def test_a_full_name_that_is_spoken_is_known_in_full() -> None:
    found = witness(casting(), did(1, 1, sotopia.SPEAK, "Noah Berg, at your service."))
    assert found.observe(2).view.others[sotopia.STRANGER_LABEL].name == "Noah Berg"
    assert found.seat_called("noah berg") == "seat1"
    assert found.seat_called("Noah") == "seat1"


def test_a_name_is_the_same_in_both_unicode_forms() -> None:
    zoe = character(1, first_name="Zo\u00eb")
    scene = sotopia.SotopiaScene(casting(people={1: zoe}), named=True)
    assert scene.witness("seat0").seat_called("ZOE\u0308") == "seat1"


def test_a_first_name_that_is_spoken_does_not_tell_the_last() -> None:
    found = witness(
        casting(),
        did(1, 1, sotopia.SPEAK, "I am Noah."),
        did(3, 1, sotopia.PHYSICAL, "Noah Berg bows. Berg!"),
    )
    assert "Berg" not in lines(found)[1]
    found.see(did(5, 1, sotopia.SPEAK, "Noah Berg, to be precise."))
    found.see(did(7, 1, sotopia.PHYSICAL, "Berg bows"))
    assert found.observe(8).view.others[sotopia.STRANGER_LABEL].name == "Noah Berg"
    assert lines(found)[3] == "The other person [physical action]: Berg bows"


def test_what_one_says_oneself_teaches_no_name() -> None:
    found = witness(casting(), did(0, 0, sotopia.SPEAK, "Are you Noah?"))
    assert found.observe(1).others == (sotopia.STRANGER_LABEL,)


def test_a_third_who_says_a_name_makes_it_known_to_all_who_hear() -> None:
    found = witness(casting(seats=3), did(2, 2, sotopia.SPEAK, "Look, Noah is here!"))
    assert found.observe(3).view.others["stranger 1"].name == "Noah"


def test_a_deed_is_told_without_the_names_that_the_watcher_does_not_know() -> None:
    found = witness(
        casting(), did(1, 1, sotopia.PHYSICAL, "Noah Berg and NOAH and berg: Noah's hat")
    )
    assert lines(found) == [
        "The other person [physical action]: the other person and the other person and berg: "
        "the other person's hat"
    ]


def test_a_deed_shows_names_that_are_known() -> None:
    found = witness(
        casting(sotopia.RelationshipType.FRIEND), did(1, 1, sotopia.PHYSICAL, "Noah bows")
    )
    assert lines(found) == ["Noah [physical action]: Noah bows"]


def test_a_stranger_with_ones_own_name_keeps_the_label() -> None:
    twin = character(1, first_name="Mia", last_name="Berg")
    found = witness(casting(people={1: twin}), did(1, 1, sotopia.SPEAK, "I am Mia."))
    assert found.observe(2).others == (sotopia.STRANGER_LABEL,)
    assert found.observe(2).view.others[sotopia.STRANGER_LABEL].name == "Mia"


def test_people_of_one_first_name_are_called_by_their_full_names() -> None:
    other = character(2, first_name="Noah", last_name="Okoye")
    cast = casting(sotopia.RelationshipType.FRIEND, 3, people={2: other})
    assert witness(cast).observe(0).others == ("Noah Berg", "Noah Okoye")


def test_people_of_one_full_name_are_still_told_apart() -> None:
    twins = [character(0), character(1, first_name="Mia", last_name="Chen")]
    assert distinct_names(twins) == {"seat0": "Mia Chen (seat0)", "seat1": "Mia Chen (seat1)"}


def test_nobody_is_called_by_a_name_that_is_not_known() -> None:
    found = witness(casting())
    assert found.seat_called("Noah") is None
    assert found.seat_called("The other person ") == "seat1"
    assert found.seat_called("Mia") is None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("I am Will.", "Will"),
        ("Will Stone, hello", "Will Stone"),
        ("will you come?", None),
        ("Willow", None),
        ("WILL!", "Will"),
        ("Will's", "Will"),
    ],
)
def test_a_name_is_spoken_as_a_word_of_its_own_and_not_in_small_letters(
    text: str, name: str | None
) -> None:
    assert find_spoken_name(text, character(1, first_name="Will", last_name="Stone")) == name


def test_common_words_in_small_letters_stay_in_a_deed() -> None:
    person = character(1, first_name="Will", last_name="Long")
    assert replace_name("will long takes a long look", person, "X") == "X takes a long look"
    assert replace_name("Will takes a long look", person, "X") == "X takes a long look"


def test_a_name_with_a_full_stop_at_its_end_is_found() -> None:
    person = character(1, first_name="Sam", last_name="Jr.")
    assert replace_name("Sam Jr. nods. Jr. smiles", person, "X") == "X nods. X smiles"


def test_a_label_is_put_in_literally() -> None:
    assert replace_name("Noah nods", character(1), r"\1 \g<0>") == r"\1 \g<0> nods"
