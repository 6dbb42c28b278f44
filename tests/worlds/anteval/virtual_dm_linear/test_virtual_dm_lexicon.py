"""The keyword lexicon, and the baselines that read no word."""

from __future__ import annotations

import pytest

from sociolab.core.errors import ConfigError
from sociolab.worlds.anteval.skills import SKILLS
from sociolab.worlds.anteval.virtual_dm.baselines import LastSpeaker, LastSpeakerMajority
from sociolab.worlds.anteval.virtual_dm.example import DM, Label
from sociolab.worlds.anteval.virtual_dm.lexicon import LexiconDM, cue_strengths, cues_in, lexicon
from sociolab.worlds.anteval.virtual_dm.scoring import NO_SKILL
from worlds.anteval.virtual_dm_linear.small_play import example, turn


def test_each_skill_has_at_least_twelve_different_cues() -> None:
    assert tuple(lexicon()) == SKILLS
    for cues in lexicon().values():
        assert len(set(cues)) == len(cues) >= 12


def test_no_cue_names_its_skill() -> None:
    for skill, cues in lexicon().items():
        assert not [cue for cue in cues if skill in " ".join(cue.words)]


@pytest.mark.parametrize(
    ("text", "skill"),
    [
        ("I creep past the guards", "stealth"),
        ("Do I hear anything at the door?", "perception"),
        ("I'll pick the lock", "sleight of hand"),
        ("I pick the rusty old lock", "sleight of hand"),
        ("Is he lying to us?", "insight"),
        ("I rummage through the drawers", "investigation"),
        ("I climb up the cliff", "athletics"),
        ("Tumbling over the table!", "acrobatics"),
        ("I try to calm the horses", "animal handling"),
        ("I\u2019m lying, but he need not know", "deception"),
        ("I bandage the wound", "medicine"),
    ],
)
def test_what_people_say_hints_at_the_skill(text: str, skill: str) -> None:
    assert cues_in(text)[0] == skill


def test_short_words_stand_for_themselves_and_long_ones_for_their_inflections() -> None:
    assert "sleight of hand" not in cues_in("a palmist")
    assert "stealth" in cues_in("SNEAKING")
    assert "stealth" not in cues_in("sneakinesses")  # more than four letters longer
    assert cues_in("godless") == ()  # "god" has three letters


def test_a_gap_is_up_to_three_words_wide() -> None:
    assert "sleight of hand" in cues_in("pick up the very lock")
    assert "sleight of hand" not in cues_in("pick one of the four old locks")


def test_a_phrase_weighs_its_words_and_each_cue_counts_once() -> None:
    assert cue_strengths("I creep, creep and creep") == {"stealth": 1}
    assert cue_strengths("in the shadows")["stealth"] == 4  # the phrase, and "shadow"


def test_plain_talk_hints_at_nothing() -> None:
    assert cues_in("Good morning, pass the bread.") == ()
    assert cues_in("") == ()


def test_the_lexicon_takes_the_strongest_cue_of_late() -> None:
    play = example(
        turn("Orsa", "I creep ahead."),
        turn("Tilin", "I climb the wall."),
        turn(DM, "You search the room and hear footsteps."),
    )
    (best,) = LexiconDM().predict([play])
    assert best == {Label("Tilin", "athletics")}
    (both,) = LexiconDM().predict([play], most=2)
    assert both == {Label("Tilin", "athletics"), Label("Orsa", "stealth")}


def test_without_a_cue_the_last_speaker_makes_the_commonest_check() -> None:
    play = example(turn("Brakk", "Good morning."), turn(DM, "You creep on."))
    assert LexiconDM().predict([play]) == (frozenset({Label("Brakk", "perception")}),)


def test_the_last_speaker_is_the_last_candidate_who_spoke() -> None:
    play = example(turn("Orsa", "Hm."), turn("Tilin", "Yes."), turn(DM, "Well."), turn("Kai", "!"))
    assert LastSpeaker().predict([play]) == (frozenset({Label("Tilin", NO_SKILL)}),)


def test_where_no_candidate_spoke_the_first_at_the_table_is_guessed() -> None:
    assert LastSpeaker().predict([example(turn(DM, "Well."))]) == (
        frozenset({Label("Orsa", NO_SKILL)}),
    )


def test_the_majority_skill_comes_from_the_training_set() -> None:
    train = [
        example(labels=frozenset({Label("Orsa", "stealth"), Label("Brakk", "stealth")})),
        example(labels=frozenset({Label("Orsa", "arcana")})),
    ]
    dm = LastSpeakerMajority()
    dm.fit(train)
    assert dm.predict([example(turn("Tilin", "Yes."))]) == (frozenset({Label("Tilin", "stealth")}),)


def test_of_skills_alike_often_the_first_by_name_is_the_majority() -> None:
    dm = LastSpeakerMajority()
    dm.fit([example(labels=frozenset({Label("Orsa", "stealth"), Label("Orsa", "arcana")}))])
    assert dm.predict([example(turn("Orsa", "Yes."))]) == (frozenset({Label("Orsa", "arcana")}),)


def test_a_training_set_without_labels_is_refused() -> None:
    with pytest.raises(ConfigError, match="at least one label"):
        LastSpeakerMajority().fit([example()])
