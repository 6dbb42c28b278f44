"""The best answer by enumeration, worked by hand, and cases drawn from the themes."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given, settings as bounded, strategies as st

from decision_cases import ANN, BEN, CLUES, OPTIONS, case, clue
from sociolab.core import ConfigError
from sociolab.engine import WorldSetup
from sociolab.worlds import anteval


def best(*ids: str) -> tuple[str, ...]:
    return anteval.best(OPTIONS, [clue(id_) for id_ in ids])


def test_without_a_clue_all_options_are_even() -> None:
    assert best() == OPTIONS


def test_a_sign_outweighs_nothing_and_is_outweighed_by_what_rules_out() -> None:
    assert best("s1") == ("Bram",)  # 3 against 1 and 1
    assert best("s1", "s2", "p1") == ("Ada", "Cora")  # 21 each, against 9


def test_a_refutation_takes_back_what_was_ruled_out() -> None:
    assert best("f") == ("Bram", "Cora")  # 21 each, against 1
    assert best("f", "r") == ("Bram", "Cora")  # 41 each, against 21: doubt is left
    assert best("f", "r", "p2") == ("Ada",)  # 63 against 41
    assert best("r", "p2") == ("Ada",)  # 63 against 21: nobody has said what it refutes


def test_the_pool_singles_out_the_answer_and_nobody_could_alone() -> None:
    pearls = case()
    assert anteval.best(OPTIONS, pearls.pool) == ("Ada",)
    assert pearls.chance(pearls.clues_of(ANN)) == 0.5  # Ada and Cora: 441 each, against 189
    assert pearls.chance(pearls.clues_of(BEN)) == 0  # Bram: 189 against 3 and 21
    assert anteval.chance_alone(pearls) == 0.25


def test_a_clue_is_critical_if_the_answer_is_lost_without_it() -> None:
    # Without p1 Bram has 369 against 63; without p2 Cora 861 against 441; without r Cora 441
    # against 63. Without the falsehood Ada is only the more probable.
    assert [one.id for one in case().critical()] == ["p1", "p2", "r"]


def test_wrong_options_are_lures_of_the_shared_clues_or_of_a_falsehood() -> None:
    assert case().lures() == {"Bram": "the shared clues", "Cora": "a falsehood"}
    assert case(false=()).lures() == {"Bram": "the shared clues"}


def test_options_that_are_even_are_no_lures() -> None:
    """With nothing but the falsehood, Bram and Cora are even once it rules Ada out."""
    even = case(knows={ANN: ("f",), BEN: (), anteval.NPC: ()})
    assert even.lures() == {}


def test_a_clue_that_nobody_knows_is_in_no_pool() -> None:
    assert "m" not in {one.id for one in case().pool}
    assert [one.id for one in case().private] == ["p1", "p2", "f", "r"]


def test_the_order_of_clues_does_not_matter() -> None:
    some = [clue(id_) for id_ in ("s1", "p1", "p2", "f", "r")]
    assert {anteval.best(OPTIONS, order) for order in permutations(some)} == {("Ada",)}


@given(st.sets(st.sampled_from(CLUES)))
@bounded(max_examples=60, deadline=None)
def test_the_best_is_what_bayes_rule_gives(known: set[anteval.Clue]) -> None:
    """In probabilities: 1/21 that a firm clue is false, and nothing else is uncertain."""

    def likelihood(option: str, firm: list[anteval.Clue], true: frozenset[str]) -> float:
        if not firm:
            return float(
                all(
                    one.id not in true or (one.rules_out != option and one.refutes not in true)
                    for one in known
                )
            )
        head, *rest = firm
        lie = likelihood(option, rest, true) / 21
        return lie + likelihood(option, rest, true | {head.id}) * 20 / 21

    firm = [one for one in known if not one.speaks_for]
    values = {
        option: likelihood(option, firm, frozenset())
        * 3 ** sum(one.speaks_for == option for one in known)
        for option in OPTIONS
    }
    most = max(values.values())
    expected = tuple(option for option, value in values.items() if value > most * (1 - 1e-9))
    assert anteval.best(OPTIONS, tuple(known)) == expected


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"answer": "Zoe"}, 'expected the answer to be one of Ada, Bram, Cora, found "Zoe"'),
        ({"options": ("Ada", "ada ")}, "expected different answers"),
    ],
)
def test_a_case_has_one_right_answer(changes: dict[str, object], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        case(**changes)


# ---------------------------------------------------------------- drawn cases


def drawn(**settings: str) -> tuple[anteval.DecisionCase, ...]:
    setup = WorldSetup(settings=settings, seed=1)
    world = anteval.load_decision(setup).world
    assert isinstance(world, anteval.AntDecision)
    return world.cases.cases


SIZES: dict[str, dict[str, str]] = {
    "default": {},
    "no NPC": {"npc": "no"},
    "two players": {"players": "2", "options": "3", "missing": "0"},
    "nothing false": {"falsehood": "no"},
    "large": {"players": "6", "options": "5", "missing": "3"},
}


@pytest.mark.parametrize("settings", SIZES.values(), ids=SIZES)
def test_drawn_cases_are_hidden_profiles(settings: dict[str, str]) -> None:
    for one in drawn(cases="36", **settings):
        assert anteval.best(one.options, one.pool) == (one.answer,)
        assert anteval.chance_alone(one) == 0
        (lure,) = anteval.best(one.options, [c for c in one.pool if c not in one.private])
        assert one.lures()[lure] == "the shared clues"
        assert len(one.options) == int(settings.get("options", 4))
        assert len(one.pool) == len(one.clues) - int(settings.get("missing", 1))
        assert len(one.false) == (settings.get("falsehood") != "no")
        assert (one.npc is None) == (settings.get("npc") == "no")
        assert one.critical()


def test_all_themes_come_before_one_comes_again() -> None:
    cases = drawn(cases=str(2 * len(anteval.themes())))
    first, second = cases[: len(cases) // 2], cases[len(cases) // 2 :]
    names = {theme.id for theme in anteval.themes()}
    assert {one.theme for one in first} == {one.theme for one in second} == names
    assert len({(one.theme, one.answer, tuple(one.knows)) for one in cases}) > len(names)


def test_ids_and_order_of_clues_give_nothing_away() -> None:
    """Neither the number nor the place of a clue says what kind of clue it is."""
    cases = drawn(cases="60")
    numbers = {one.false[0] for one in cases}
    places = {one.knows[s].index(one.false[0]) for one in cases for s in one.knows
              if one.false[0] in one.knows[s]}  # fmt: skip
    assert len(numbers) == 9
    assert len(places) >= 3


def test_too_many_missing_clues_are_refused() -> None:
    with pytest.raises(ConfigError, match="missing: expected at most 1 here, found 2"):
        drawn(options="3", missing="2")


def test_the_texts_of_a_theme_are_all_different_and_name_their_option() -> None:
    for theme in anteval.themes():
        texts = [
            t for o in theme.option for t in (*o.signs, o.ruled_out, o.falsehood, o.refutation)
        ]
        assert len(set(texts)) == len(texts)
        assert all(text[0].isupper() and text.endswith(".") for text in texts)
        for option in theme.option:
            word = option.name.split()[-1].casefold()
            for text in (*option.signs, option.ruled_out, option.falsehood):
                assert word in text.casefold(), text
