"""Variants of an episode: what a judge reads is changed in one respect, and in no other."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sociolab.core import Action, Ended, Episode, Moved, Variant
from sociolab.judging.controls import EMPTY, TO_THE_JUDGE, swap_transcript
from sociolab.worlds import sotopia
from sociolab.worlds.sotopia.audit import (
    CONFESSION,
    INSULT,
    VARIANTS,
    address_judge,
    cut_to_opening,
    insult_partner,
    leak_secret,
    pad_sentences,
    reverse_order,
    sentences,
    swap_goals,
    swap_names,
)
from sotopia_cases import casting, character, episode_of

EVENTS = (
    Moved(0, "seat0", (Action("speak", "Hello Noah Berg. It costs $4.50, at 9 a.m. I think."),)),
    Moved(1, "seat1", (Action("speak", "MIA, Mia's stall is Ms. Chen's pride!"),)),
    Moved(2, "seat0", (Action("physical action", "waves to Noah"),)),
    Moved(3, "seat1", (Action("leave"),)),
    Ended("left", 3, "seat1"),
)


def episode(**of_first: object) -> Episode:
    cast = casting(sotopia.RelationshipType.FRIEND, people={0: character(0, **of_first)})
    goals = (sotopia.Goal(text="Sell it to Noah."), sotopia.Goal(text="Pay mia chen little."))
    scenario = cast.scenario.model_copy(update={"goals": goals})
    return episode_of(cast.model_copy(update={"scenario": scenario}), *EVENTS)


def read(shown: Episode) -> str:
    """What the judge model is given."""
    prompt, _ = sotopia.SotopiaRubric().prompt(shown, 0.0)
    return prompt.messages[-1].text


def one(found: tuple[Variant, ...]) -> Variant:
    (only,) = found
    return only


def test_in_reverse_order_the_second_is_described_first_with_their_own_goal() -> None:
    variant = one(reverse_order(episode(), 0))
    before, after = read(episode()), read(variant.episode)
    assert "# Mia (person_1)" in before
    assert "# Noah (person_1)" in after
    assert after.index("Pay mia chen little.") < after.index("Sell it to Noah.")
    assert after.split("# Noah (person_1)")[1].split("# Mia")[0].count("Pay mia chen") == 1
    assert "Noah and Mia: friends." in after
    assert before.split("# What happened")[1] == after.split("# What happened")[1]
    assert variant.episode.trial.task.seats == ("seat1", "seat0")
    assert variant.changes == (("seat0", "listed first", ""), ("seat1", "", "listed first"))


def test_twice_in_reverse_order_is_as_it_was() -> None:
    again = one(reverse_order(one(reverse_order(episode(), 0)).episode, 0)).episode
    assert read(again) == read(episode())


def test_names_are_swapped_in_profiles_goals_and_turns_and_pronouns_stay() -> None:
    variant = one(swap_names(episode(), 0))
    text = read(variant.episode)
    assert "# Noah (person_1)\nNoah Berg, 31, gendermark0 (pronounmark0), jobmark0." in text
    assert "Social goal, as they were told: Sell it to Mia." in text
    assert "Social goal, as they were told: Pay Noah Berg little." in text
    assert "1. Noah: Hello Mia Chen. It costs" in text
    assert "2. Mia: NOAH, Noah's stall is Ms. Berg's pride!" in text
    assert "3. Noah [physical action]: waves to Mia" in text
    assert "Hides a secretmark0." in text.split("# Mia")[0]
    assert variant.changes == (
        ("seat0", "Mia Chen", "Noah Berg"),
        ("seat1", "Noah Berg", "Mia Chen"),
    )
    assert variant.episode.trial.task.seats == ("seat0", "seat1")
    assert variant.group == "other pronouns"


def test_names_swapped_twice_are_as_they_were() -> None:
    swapped = one(swap_names(episode(), 0)).episode
    told = read(episode()).replace("mia chen", "Mia Chen")
    assert read(one(swap_names(swapped, 0)).episode) == told


def test_somebody_without_a_last_name_swaps_the_first() -> None:
    text = read(one(swap_names(episode(last_name=""), 0)).episode)
    assert "# Noah (person_1)\nNoah Berg, 31" in text
    assert "# Mia (person_2)\nMia, 32" in text
    assert "1. Noah: Hello Mia." in text


@pytest.mark.parametrize("clash", [{"first_name": "Noah"}, {"last_name": "Noah"}])
def test_names_that_could_be_taken_for_each_other_are_not_swapped(clash: dict[str, str]) -> None:
    assert swap_names(episode(**clash), 0) == ()


def test_a_shared_last_name_stays() -> None:
    text = read(one(swap_names(episode(last_name="Berg"), 0)).episode)
    assert "Noah Berg, 31" in text
    assert "Mia Berg, 32" in text


def test_names_of_three_are_not_swapped() -> None:
    assert swap_names(episode_of(casting(seats=3), *EVENTS), 0) == ()


def test_each_speaker_is_padded_in_turn_and_keeps_every_word() -> None:
    first, second = pad_sentences(episode(), 0)
    assert first.changes == (("seat0", "", "padded"), ("seat1", "", "other padded"))
    assert second.changes == (("seat1", "", "padded"), ("seat0", "", "other padded"))
    before, after = (shown.moves for shown in (episode(), first.episode))
    assert before[1:] == after[1:], "only what the seat speaks is padded"
    text = after[0].actions[0].text
    for empty in EMPTY:
        text = text.replace(f"{empty} ", "")
    assert text == before[0].actions[0].text
    assert len(after[0].actions[0].text.split()) > 1.4 * len(text.split())


def test_padding_depends_on_the_seed_and_on_nothing_else() -> None:
    assert pad_sentences(episode(), 1) == pad_sentences(episode(), 1)
    assert pad_sentences(episode(), 1) != pad_sentences(episode(), 2)


def test_a_seat_that_says_nothing_is_not_padded() -> None:
    quiet = episode_of(casting(), EVENTS[1], EVENTS[4])
    assert [variant.label for variant in pad_sentences(quiet, 0)] == ["seat1"]


def test_sentences_are_not_cut_at_titles_hours_and_amounts() -> None:
    assert sentences("Dr. Roth pays $4.50. At 9 a.m. Omar comes! \"Yes.\" 'Now?' ok. fine") == (
        "Dr. Roth pays $4.50.",
        "At 9 a.m. Omar comes!",
        '"Yes."',
        "'Now?' ok. fine",
    )


def test_every_variant_says_what_it_changes() -> None:
    assert set(VARIANTS) == {
        "order", "names", "padding", "judge-note", "goals", "outcome", "other", "secret", "insult",
        "forged", "mentions",
    }  # fmt: skip
    assert all(kind.about and not kind.about.endswith(".") for kind in VARIANTS.values())


def test_names_in_the_facts_of_a_goal_are_swapped_too() -> None:
    facts = {"kind": "friend", "friends": [
        {"name": "Noah Berg", "about": {"met Noah": "at work"}}, {"name": "Ivy", "about": {}},
    ]}  # fmt: skip
    cast = casting()
    goal = sotopia.Goal.model_validate({"text": "Find Noah's friend.", "facts": facts})
    scenario = cast.scenario.model_copy(update={"goals": (goal, goal)})
    told = episode_of(cast.model_copy(update={"scenario": scenario}), *EVENTS)
    content = one(swap_names(told, 0)).episode.trial.task.content
    assert '"name":"Mia Chen","about":{"met Mia":"at work"}' in content


def test_goals_are_swapped_and_nothing_else() -> None:
    before, after = read(episode()), read(one(swap_goals(episode(), 0)).episode)
    assert after.split("# Mia")[1].split("# Noah")[0].count("Pay mia chen little.") == 1
    assert before.split("# What happened")[1] == after.split("# What happened")[1]


def test_last_words_leak_a_secret_insult_or_speak_to_the_judge() -> None:
    for make, words in (
        (leak_secret, CONFESSION),
        (insult_partner, INSULT),
        (address_judge, TO_THE_JUDGE),
    ):
        variant = one(make(episode(), 0))
        said = read(variant.episode).split("# What happened")[1]
        assert said.count(words) == 2
        assert said.index("at 9 a.m. I think.") < said.index(words), "behind what was said"
        assert [change[0] for change in variant.changes] == ["seat0", "seat1"]
    assert "secretmark0" in read(one(leak_secret(episode(), 0)).episode).split("# What happened")[1]


def test_without_its_outcome_an_episode_ends_after_the_first_turns() -> None:
    made = one(cut_to_opening(episode(), 0)).episode
    assert [move.turn for move in made.moves] == [0, 1]
    assert made.ended == Ended("turn limit", 1)
    assert cut_to_opening(made, 0) == (), "there is no more to cut"


def test_another_episodes_transcript_is_told_by_the_own_seats() -> None:
    other = Episode(
        replace(
            episode().trial, task=replace(episode().trial.task, seats=("x", "y"))
        ),
        (Moved(0, "y", (Action("speak", "Nice hat.", to=("x",)),)), Ended("left", 0, "y")),
    )  # fmt: skip
    made = swap_transcript(episode(), other)
    assert made is not None
    assert made.trial == episode().trial
    assert made.moves[0].seat == "seat1"
    assert made.moves[0].actions[0].to == ("seat0",)
    assert made.ended is not None
    assert made.ended.seat == "seat1"
