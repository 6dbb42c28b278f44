"""Virtual DMs: F-scores by hand, baselines, and the linear one."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from sociolab.core import ConfigError, WorldError
from sociolab.worlds import anteval
from sociolab.worlds.anteval.virtual_dm.example import (
    NO_SKILL,
    FScores,
    LastSpeakerMajority,
    macro,
    micro,
)
from sociolab.worlds.anteval.virtual_dm.linear import (
    REACH,
    Features,
    LinearDM,
    PlayReader,
    StemWeights,
    candidate_features,
    masked,
    mentioned,
    stems,
)
from worlds.anteval.small_play import TABLE, evening, example, shared, turn

# ---------- f_c, F_o and F_s, worked by hand


A_STEALTH, A_INSIGHT = anteval.Label("a", "stealth"), anteval.Label("a", "insight")
B_STEALTH, B_NATURE = anteval.Label("b", "stealth"), anteval.Label("b", "nature")


def of_labels(*labels: anteval.Label) -> anteval.Example:
    return anteval.Example("e", "g", (), ("a", "b"), frozenset(labels))


def scored(*pairs: tuple[set[anteval.Label], set[anteval.Label]]) -> tuple[FScores, FScores]:
    """Micro and macro of (predicted, real) pairs."""
    rows = anteval.count_overlaps(
        [guess for guess, _ in pairs], [of_labels(*real) for _, real in pairs]
    )
    return micro(rows), macro(rows)


def test_each_score_compares_its_own_sets() -> None:
    # Predicted a+stealth, a+insight; real a+stealth, b+nature. Characters {a} and {a, b}: 2/3.
    # Tuples share one of two and two: 1/2. Skills {stealth, insight}, {stealth, nature}: 1/2.
    small, large = scored(({A_STEALTH, A_INSIGHT}, {A_STEALTH, B_NATURE}))
    assert small == large == FScores(2 / 3, 0.5, 0.5)


def test_the_right_skill_of_the_wrong_character_counts_in_f_s_only() -> None:
    small, _ = scored(({A_STEALTH}, {B_STEALTH}))
    assert small == FScores(0.0, 0.0, 1.0)


def test_micro_adds_up_before_dividing_and_macro_afterwards() -> None:
    # Tuples: |P & G| 1 + 0, |P| 1 + 1, |G| 1 + 2: micro 2 * 1 / 5; macro (1 + 0) / 2.
    small, large = scored(({A_STEALTH}, {A_STEALTH}), ({A_INSIGHT}, {B_STEALTH, B_NATURE}))
    assert small.f_o == pytest.approx(0.4)
    assert large.f_o == 0.5


def test_an_example_without_labels_that_is_predicted_to_have_none_counts_as_1_in_macro() -> None:
    small, large = scored((set(), set()), ({A_STEALTH}, {B_NATURE}))
    assert large == FScores(0.5, 0.5, 0.5)
    assert small == FScores(0.0, 0.0, 0.0)


def test_a_prediction_too_many_costs_precision_and_one_too_few_recall() -> None:
    assert scored(({A_STEALTH}, set()))[0].f_o == 0.0
    assert scored(({A_STEALTH, B_STEALTH}, {A_STEALTH}))[0].f_o == pytest.approx(2 / 3)
    assert scored(({A_STEALTH}, {A_STEALTH, B_STEALTH}))[0].f_o == pytest.approx(2 / 3)


def test_a_guess_of_nobody_s_skill_is_right_in_f_c_and_counts_as_a_guess_in_f_o() -> None:
    small, _ = scored(({anteval.Label("a", NO_SKILL)}, {A_STEALTH}))
    assert small == FScores(1.0, 0.0, 0.0)


def test_no_examples_have_no_score() -> None:
    assert micro(()) == macro(()) == FScores(None, None, None)


def test_a_prediction_is_needed_for_each_example() -> None:
    with pytest.raises(ValueError, match="found 2 examples and 1 predictions"):
        anteval.count_overlaps([set()], [of_labels(), of_labels()])


labels = st.builds(anteval.Label, st.sampled_from("abc"), st.sampled_from(anteval.SKILLS[:4]))
sets = st.lists(st.tuples(st.sets(labels), st.sets(labels)), min_size=1, max_size=8)


@given(sets)
def test_scores_stay_in_0_to_1_and_do_not_care_which_side_is_which(
    pairs: list[tuple[set[anteval.Label], set[anteval.Label]]],
) -> None:
    one = scored(*pairs)
    other = scored(*[(real, guess) for guess, real in pairs])
    for mine, theirs in zip(one, other, strict=True):
        for a, b in ((mine.f_c, theirs.f_c), (mine.f_o, theirs.f_o), (mine.f_s, theirs.f_s)):
            assert a is not None
            assert 0 <= a <= 1
            assert a == b


@given(sets)
def test_only_the_same_tuples_everywhere_score_1(
    pairs: list[tuple[set[anteval.Label], set[anteval.Label]]],
) -> None:
    assert (scored(*pairs)[0].f_o == 1) == all(guess == real for guess, real in pairs)


# ---------- the linear virtual DM, and what it sees of a play


def renamed(play: anteval.Example, names: dict[str, str]) -> anteval.Example:
    """The same play by characters of other names."""

    def text(said: str) -> str:
        for old, new in names.items():
            said = said.replace(old, new)
        return said

    return replace(
        play,
        turns=tuple(
            anteval.Turn(names.get(one.speaker, one.speaker), text(one.text)) for one in play.turns
        ),
        candidates=tuple(names[name] for name in play.candidates),
        labels=frozenset(
            anteval.Label(names[label.character], label.skill) for label in play.labels
        ),
    )


def fitted(train: list[anteval.Example]) -> LinearDM:
    dm = LinearDM()
    dm.fit(train)
    return dm


def scores(dm: LinearDM | LastSpeakerMajority, test: list[anteval.Example]) -> FScores:
    return micro(anteval.count_overlaps(dm.predict(test), test))


def test_it_learns_who_and_what_from_a_hundred_examples() -> None:
    found = scores(fitted(evening(120, 1)), evening(60, 2))
    assert found.f_c is not None
    assert found.f_o is not None
    assert found.f_c > 0.9
    assert found.f_o > 0.8


def test_the_same_examples_give_the_same_predictions() -> None:
    train, test = evening(40, 1), evening(20, 2)
    assert fitted(train).predict(test, 3) == fitted(train).predict(test, 3)


def test_whoever_shares_a_reader_learns_from_nothing_but_its_own_examples() -> None:
    train, test = evening(40, 1), evening(20, 2)
    reader = PlayReader()
    LinearDM(reader).fit(evening(60, 7))
    shared = LinearDM(reader)
    shared.fit(train)
    LinearDM(reader).fit(evening(60, 8))
    assert shared.predict(test, 3) == fitted(train).predict(test, 3)


def test_what_was_learned_before_is_forgotten() -> None:
    dm = fitted(evening(40, 1))
    dm.fit(evening(40, 5))
    assert dm.predict(evening(20, 2)) == fitted(evening(40, 5)).predict(evening(20, 2))


def test_characters_of_other_names_are_read_alike() -> None:
    names = dict(zip(TABLE, ("Vandrel", "Isolde", "Krummholz"), strict=True))
    named = [
        replace(
            one, turns=(*one.turns, turn(anteval.DM, f"Yes, {sorted(one.labels)[0].character}?"))
        )
        for one in evening(90, 1)
    ]
    dm, test = fitted(named[:60]), named[60:]
    assert dm.predict([renamed(one, names) for one in test]) == tuple(
        frozenset(anteval.Label(names[label.character], label.skill) for label in guess)
        for guess in dm.predict(test)
    )


def test_who_is_named_in_training_teaches_nothing_about_the_name() -> None:
    # Orsa always creeps and says so by name; then somebody else says the same words.
    creeping = [
        replace(
            one,
            turns=(turn("Tilin", "Orsa does it, Orsa"), turn("Orsa", "Now Orsa goes on")),
            labels=frozenset({anteval.Label("Orsa", "stealth")}),
        )
        for one in evening(30, 1)
    ]
    looking = [
        replace(
            one,
            turns=(turn("Orsa", "Brakk does it, Brakk"), turn("Brakk", "Now Brakk goes on")),
            labels=frozenset({anteval.Label("Brakk", "perception")}),
        )
        for one in evening(31, 2)
    ]
    play = example(turn("Tilin", "Orsa does it, Orsa"), turn("Orsa", "Now Orsa goes on"))
    assert fitted([*creeping, *looking]).predict([play]) == (
        frozenset({anteval.Label("Orsa", "perception")}),
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
        replace(one, labels=frozenset(anteval.Label(name, "stealth") for name in TABLE))
        for one in evening(20, 1)
    ]
    guesses = fitted(everybody).predict(evening(5, 2), 3)
    assert {label.skill for guess in guesses for label in guess} == {"stealth"}


def test_a_single_example_is_enough_to_be_fitted() -> None:
    play = example(
        turn("Orsa", "I creep on."), labels=frozenset({anteval.Label("Orsa", "stealth")})
    )
    assert fitted([play]).predict([play]) == (play.labels,)


def test_play_without_turns_can_be_predicted() -> None:
    (guess,) = fitted(evening(20, 1)).predict([example()])
    assert len(guess) == 1


def test_a_training_set_without_labels_or_without_words_is_refused() -> None:
    with pytest.raises(ConfigError, match="at least one label"):
        LinearDM().fit([example(turn("Orsa", "I creep on."))])
    with pytest.raises(ConfigError, match="expected words"):
        LinearDM().fit(
            [example(turn("Orsa", "..."), labels=frozenset({anteval.Label("Orsa", "arcana")}))]
        )


def test_it_must_be_fitted_before_it_predicts() -> None:
    with pytest.raises(WorldError, match="expected a call of fit"):
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


def test_what_is_read_of_a_play_by_hand() -> None:
    """Two plays that begin with a word of Tilin, just within reach of the end and just beyond.

    "creep" is in three turns and kept, "hum" in two and left out. The rows of seats have length 1,
    those of the DM half that square.
    """
    turns = (turn("Orsa", "creep"), turn(anteval.DM, "creep"), turn("Orsa", "hum"))
    near, far = (
        example(turn("Tilin", "creep"), *turns, *[turn("Brakk", "")] * more)
        for more in (REACH - 4, REACH - 3)
    )
    reader = PlayReader()
    found = Features(reader, [near, far], StemWeights(reader, [near, far]))
    assert found.starts == [0, 3]
    assert found.own.toarray().tolist() == [[1], [1], [0], [1], [0], [0]]
    assert found.dm.toarray() == pytest.approx(0.5**0.5)
    assert found.all.toarray().tolist() == [[1], [1]]


def test_training_on_more_checks_than_memory_allows_draws_alike(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    train, test = evening(60, 1), evening(20, 2)
    whole = fitted(train).predict(test)
    monkeypatch.setattr("sociolab.worlds.anteval.virtual_dm.linear._MOST_CHECKS", 6)
    assert fitted(train).predict(test) == fitted(train).predict(test) != whole


def test_the_one_who_spoke_last_has_rank_0() -> None:
    play = example(
        turn("Brakk", "Hm."), turn("Orsa", "Can I look?"), turn(anteval.DM, "Go on, Brakk.")
    )
    orsa, tilin, brakk = candidate_features(play)
    assert orsa["rank 0, dm last True"] == 1.0
    assert orsa["attempt"] == orsa["question"] == orsa["dm after the last"] == 1.0
    assert tilin["rank 4"] == 1.0
    assert brakk["rank 1"] == brakk["named at last by dm"] == 1.0
    assert orsa["others named at last"] == 1.0


def test_on_real_play_it_beats_last_speaker_and_majority_skill() -> None:
    play = anteval.read_examples(shared("crd3_skill_checks.train.jsonl.gz"))
    episodes = sorted({one.group for one in play})
    train = [one for one in play if one.group in episodes[::5]]
    test = [one for one in play if one.group in episodes[1::15]]
    plain = LastSpeakerMajority()
    plain.fit(train)
    linear, simple = scores(fitted(train), test), scores(plain, test)
    assert linear.f_o is not None
    assert simple.f_o is not None
    assert linear.f_o > simple.f_o + 0.04
