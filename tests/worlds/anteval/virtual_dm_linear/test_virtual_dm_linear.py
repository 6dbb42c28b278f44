"""The linear virtual DM, and what it sees of a play."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

from sociolab.core.errors import ConfigError, WorldError
from sociolab.worlds.anteval.importing.dnd import read_examples
from sociolab.worlds.anteval.virtual_dm.baselines import LastSpeakerMajority
from sociolab.worlds.anteval.virtual_dm.example import DM, Example, Label, Turn
from sociolab.worlds.anteval.virtual_dm.features import (
    candidate_features,
    masked,
    mentioned,
    stems,
)
from sociolab.worlds.anteval.virtual_dm.linear import LinearDM
from sociolab.worlds.anteval.virtual_dm.scoring import FScores, micro, overlaps
from worlds.anteval.virtual_dm_linear.small_play import TABLE, evening, example, shared, turn


def renamed(play: Example, names: dict[str, str]) -> Example:
    """The same play by characters of other names."""

    def text(said: str) -> str:
        for old, new in names.items():
            said = said.replace(old, new)
        return said

    return replace(
        play,
        turns=tuple(
            Turn(names.get(one.speaker, one.speaker), text(one.text)) for one in play.turns
        ),
        candidates=tuple(names[name] for name in play.candidates),
        labels=frozenset(Label(names[label.character], label.skill) for label in play.labels),
    )


def fitted(train: list[Example]) -> LinearDM:
    dm = LinearDM()
    dm.fit(train)
    return dm


def scores(dm: LinearDM | LastSpeakerMajority, test: list[Example]) -> FScores:
    return micro(overlaps(dm.predict(test), test))


def test_it_learns_who_and_what_from_a_hundred_examples() -> None:
    found = scores(fitted(evening(120, 1)), evening(60, 2))
    assert found.f_c is not None
    assert found.f_o is not None
    assert found.f_c > 0.9
    assert found.f_o > 0.8


def test_the_same_examples_give_the_same_predictions() -> None:
    train, test = evening(40, 1), evening(20, 2)
    assert fitted(train).predict(test, 3) == fitted(train).predict(test, 3)


def test_what_was_learned_before_is_forgotten() -> None:
    dm = fitted(evening(40, 1))
    dm.fit(evening(40, 5))
    assert dm.predict(evening(20, 2)) == fitted(evening(40, 5)).predict(evening(20, 2))


def test_characters_of_other_names_are_read_alike() -> None:
    names = dict(zip(TABLE, ("Vandrel", "Isolde", "Krummholz"), strict=True))
    named = [
        replace(one, turns=(*one.turns, turn(DM, f"Yes, {sorted(one.labels)[0].character}?")))
        for one in evening(90, 1)
    ]
    dm, test = fitted(named[:60]), named[60:]
    assert dm.predict([renamed(one, names) for one in test]) == tuple(
        frozenset(Label(names[label.character], label.skill) for label in guess)
        for guess in dm.predict(test)
    )


def test_who_is_named_in_training_teaches_nothing_about_the_name() -> None:
    # Orsa always creeps and says so by name; then somebody else says the same words.
    creeping = [
        replace(
            one,
            turns=(turn("Tilin", "Orsa does it, Orsa"), turn("Orsa", "Now Orsa goes on")),
            labels=frozenset({Label("Orsa", "stealth")}),
        )
        for one in evening(30, 1)
    ]
    looking = [
        replace(
            one,
            turns=(turn("Orsa", "Brakk does it, Brakk"), turn("Brakk", "Now Brakk goes on")),
            labels=frozenset({Label("Brakk", "perception")}),
        )
        for one in evening(31, 2)
    ]
    play = example(turn("Tilin", "Orsa does it, Orsa"), turn("Orsa", "Now Orsa goes on"))
    assert fitted([*creeping, *looking]).predict([play]) == (
        frozenset({Label("Orsa", "perception")}),
    )


def test_as_many_guesses_as_asked_for_and_the_best_ones_first() -> None:
    dm, test = fitted(evening(60, 1)), evening(20, 2)
    one, three = dm.predict(test), dm.predict(test, 3)
    assert {len(guess) for guess in one} == {1}
    assert {len(guess) for guess in three} == {3}
    assert all(first < more for first, more in zip(one, three, strict=True))


def test_other_examples_beside_it_do_not_change_a_prediction() -> None:
    dm, test = fitted(evening(60, 1)), evening(20, 2)
    assert tuple(dm.predict([one])[0] for one in test) == dm.predict(test)


def test_no_examples_have_no_predictions() -> None:
    assert fitted(evening(20, 1)).predict([]) == ()


def test_examples_without_a_check_teach_who_does_not_make_one() -> None:
    idle = [replace(one, labels=frozenset()) for one in evening(20, 3, prefix="idle")]
    assert scores(fitted([*evening(120, 1), *idle]), evening(60, 2)).f_o is not None


def test_where_everybody_always_checks_any_candidate_may_be_guessed() -> None:
    everybody = [
        replace(one, labels=frozenset(Label(name, "stealth") for name in TABLE))
        for one in evening(20, 1)
    ]
    guesses = fitted(everybody).predict(evening(5, 2), 3)
    assert {label.skill for guess in guesses for label in guess} == {"stealth"}


def test_a_single_example_is_enough_to_be_fitted() -> None:
    play = example(turn("Orsa", "I creep on."), labels=frozenset({Label("Orsa", "stealth")}))
    assert fitted([play]).predict([play]) == (play.labels,)


def test_play_without_turns_can_be_predicted() -> None:
    (guess,) = fitted(evening(20, 1)).predict([example()])
    assert len(guess) == 1


def test_a_training_set_without_labels_or_without_words_is_refused() -> None:
    with pytest.raises(ConfigError, match="at least one label"):
        LinearDM().fit([example(turn("Orsa", "I creep on."))])
    with pytest.raises(ConfigError, match="expected words"):
        LinearDM().fit([example(turn("Orsa", "..."), labels=frozenset({Label("Orsa", "arcana")}))])


def test_it_must_be_fitted_before_it_predicts() -> None:
    with pytest.raises(WorldError, match="expected to be fitted"):
        LinearDM().predict([example()])


def test_importing_it_does_not_import_scikit_learn() -> None:
    code = (
        "import sys; import sociolab.worlds.anteval.virtual_dm.linear; "
        "sys.exit('sklearn' in sys.modules or 'scipy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_nickname_is_the_beginning_of_a_name() -> None:
    names = ("Orsa Vell", "T'lin", "Brakkenfeld")
    assert mentioned("Brakk, and Orsa! The orsa.", names) == ("Brakkenfeld", "Orsa Vell")
    assert mentioned("Go on, Brakk's turn", names) == ("Brakkenfeld",)


def test_names_are_masked_and_other_words_are_not() -> None:
    assert masked("Give it to Orsa, Hendrik.", ("Orsa Vell",)) == "Give it to someone, Hendrik."


def test_words_are_cut_to_stems() -> None:
    assert stems("I'm SNEAKING by, 15?") == ["i'm", "sneak", "by", "15", "?"]


def test_the_one_who_spoke_last_has_rank_0() -> None:
    play = example(turn("Brakk", "Hm."), turn("Orsa", "Can I look?"), turn(DM, "Go on, Brakk."))
    orsa, tilin, brakk = candidate_features(play)
    assert orsa["rank 0, dm last True"] == 1.0
    assert orsa["attempt"] == orsa["question"] == orsa["dm after the last"] == 1.0
    assert tilin["rank 4"] == 1.0
    assert brakk["rank 1"] == brakk["named at last by dm"] == 1.0
    assert orsa["others named at last"] == 1.0


def test_on_real_play_it_beats_last_speaker_and_majority_skill() -> None:
    play = read_examples(shared("crd3_skill_checks.train.jsonl.gz"))
    episodes = sorted({one.group for one in play})
    train = [one for one in play if one.group in episodes[::5]]
    test = [one for one in play if one.group in episodes[1::15]]
    plain = LastSpeakerMajority()
    plain.fit(train)
    linear, simple = scores(fitted(train), test), scores(plain, test)
    assert linear.f_o is not None
    assert simple.f_o is not None
    assert linear.f_o > simple.f_o + 0.04
