from __future__ import annotations

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from sociolab.core.episode import Episode
from sociolab.core.score import Score, Unscored, Verdict
from sociolab.worlds.sotopia.dimensions import DIMENSIONS
from sociolab.worlds.sotopia.heuristic import HeuristicJudge
from sociolab.worlds.sotopia.scenarios import AskGoal, DivisionGoal
from sociolab.worlds.sotopia.scene import Casting
from worlds.sotopia.heuristic_samples import BUYER, SELLER, casting, episode, failed_turn

JUDGE = HeuristicJudge()


def verdict(cast: Casting, played: Episode, measure: str, seat: str = "mina") -> Verdict:
    (found,) = [
        v for v in JUDGE.verdicts(cast, played) if v.measure.name == measure and v.seat == seat
    ]
    return found


def value(measure: str, *lines: str, seat: str = "mina", cast: Casting | None = None) -> float:
    cast = cast or casting()
    found = verdict(cast, episode(cast, *lines), measure, seat)
    assert isinstance(found, Score)
    assert found.reason
    return found.value


def test_the_judge_is_labelled_as_heuristic() -> None:
    assert (JUDGE.id.name, JUDGE.id.method) == ("heuristic", "heuristic")
    assert JUDGE.id.settings == HeuristicJudge().id.settings


def test_there_is_a_verdict_for_each_dimension_and_seat_and_an_overall() -> None:
    cast = casting()
    found = JUDGE.verdicts(cast, episode(cast, "Hello.", "Hi."))
    names = [*(d.name for d in DIMENSIONS), "overall"]
    assert [(v.seat, v.measure.name) for v in found] == [
        (seat, name) for seat in ("mina", "tobias") for name in names
    ]


def test_judging_again_says_the_same() -> None:
    played = episode(casting(), "Hello.", "Thank you, goodbye.")
    first, again = (asyncio.run(JUDGE.judge(played, judging)) for judging in (0, 1))
    assert first == again == JUDGE.verdicts(casting(), played)


def test_believability_falls_with_repeated_and_failed_turns() -> None:
    line = "I really want the blue one."
    assert value("believability", "Hello there, how are you?") == 10
    # two of three lines repeat the first: 10 - 6 x 2/3 = 6
    assert value("believability", line, "Hm.", line, "Hm.", line) == 6
    cast = casting()
    played = episode(cast, "Hello.", "Hi.", extra=[failed_turn(2, "mina")])
    found = verdict(cast, played, "believability")
    # one of two turns failed: 10 - 6 x 1/2 = 7
    assert isinstance(found, Score)
    assert found.value == 7


def test_half_a_point_is_rounded_up() -> None:
    # one of eight lines repeats: 10 - 6 / 8 = 9.25 counts as 9; one of twelve: 9.5 counts as 10
    lines = [word for n in range(11) for word in (f"Line number {'x' * n} is new.", "Hm.")]
    assert value("believability", *lines, "Line number x is new.") == 10


def test_who_took_no_turn_is_not_scored() -> None:
    """Kept secrets and good manners are no merit of a seat whose every turn failed."""
    cast = casting((SELLER, BUYER))
    failed = [failed_turn(turn, "tobias") for turn in (1, 3)]
    for played in (episode(cast, "Hello."), episode(cast, "Hello.", extra=failed)):
        mine = [v for v in JUDGE.verdicts(cast, played) if v.seat == "tobias"]
        assert [v.measure.name for v in mine] == [*(d.name for d in DIMENSIONS), "overall"]
        assert all(v == Unscored(v.measure, "tobias", "this seat took no turn") for v in mine)
    nobody = JUDGE.verdicts(cast, episode(cast, extra=failed))
    assert {type(v) for v in nobody} == {Unscored}


def test_relationship_rises_with_warmth_and_agreement_and_falls_with_insults() -> None:
    plain = ("Is the bus late?", "It is.", "Well.", "Yes.")
    warm = ("Thank you for waiting!", "I'm glad to.", "How lovely.", "That works for me.")
    rude = ("You idiot.", "Shut up.", "Well.", "Yes.")
    assert value("relationship", *plain) == 0
    assert value("relationship", *warm) == 3
    assert value("relationship", *rude) == -4
    # a kind word beside an insult counts for nothing
    assert value("relationship", "Thank you, you idiot.", "How nice.") == -2


def test_relationship_needs_two_who_speak() -> None:
    cast = casting()
    assert isinstance(
        verdict(cast, episode(cast, "Hello?", "", "Hello?"), "relationship"), Unscored
    )


def test_knowledge_counts_what_was_new() -> None:
    cast = casting(goals=("You want to talk.", "You need an accordion, a trumpet and a tuba."))
    lines = ("Hello.", "I'm Tobias. I need 2 trumpets, 3 tubas and an accordion.")
    # a name, two numbers at 1/2, three private words at 1/3
    assert value("knowledge", *lines, cast=cast) == 3
    assert value("knowledge", *lines, cast=cast, seat="tobias") == 0


def test_secret_is_kept_or_told() -> None:
    assert value("secret", "I like rain.", "Me too.") == 0
    assert value("secret", "I like poker.", "Me too.") == 0
    assert value("secret", "I pawned it after poker losses.", "Oh.") == -6
    assert value("secret", "It went to cover poker losses.", "Oh.") == -8
    assert value("secret", "I like rain.", "I pawned a wristwatch!", seat="tobias") == 0


def test_social_rules_count_insults_and_threats() -> None:
    assert value("social_rules", "Good day.") == 0
    assert value("social_rules", "You fool, you will regret this.") == -6
    assert value("social_rules", "You fool! " * 9) == -10
    assert value("social_rules", "You fool.", "Pardon?", seat="tobias") == 0


def test_goal_and_money_of_a_bargain_come_from_the_agreed_price() -> None:
    cast = casting((SELLER, BUYER))
    lines = ("It is $200.", "I offer $156.", "Deal, $156.", "Great.")
    # seller: 6 + 6 / 7.5 = 6.8; buyer: 6 + 4 / 8 = 6.5
    assert value("goal", *lines, cast=cast) == 7
    assert value("goal", *lines, cast=cast, seat="tobias") == 7
    # (6.8 - 6) x 5 / 4 = 1; (6.5 - 6) x 5 / 4 = 0.6
    assert value("financial", *lines, cast=cast) == 1
    assert value("financial", *lines, cast=cast, seat="tobias") == 1


def test_no_deal_changes_nothing_and_a_bad_one_costs() -> None:
    cast = casting((SELLER, BUYER))
    assert value("financial", "It is $200.", "No.", "Goodbye.", cast=cast) == 0
    assert value("goal", "It is $200.", "No.", "Goodbye.", cast=cast) == 0
    lines = ("It is $200.", "I offer $90.", "Deal, $90.", "Great.")
    assert value("goal", *lines, cast=cast) == 0
    assert value("financial", *lines, cast=cast) == -5


def test_goods_count_against_half_of_their_worth() -> None:
    goal = DivisionGoal(counts={"hats": 4}, values={"hats": 1})
    cast = casting((goal, goal))
    lines = ("I take three hats, and you get one hat.", "Agreed, you take three hats.", "Good.")
    assert value("financial", *lines, cast=cast) == 3  # 7.5 - 5 = 2.5, half a point up
    assert value("financial", *lines, cast=cast, seat="tobias") == -2


def test_where_money_is_named_but_not_checked_there_is_no_financial_score() -> None:
    cast = casting()
    played = episode(cast, "I lent you $450.", "I will pay.")
    found = verdict(cast, played, "financial")
    assert isinstance(found, Unscored)
    assert "money is named" in found.why
    assert value("financial", "Nice weather.", "It is.") == 0


def test_a_goal_without_facts_has_no_score_and_so_no_overall() -> None:
    ask = AskGoal(ask="Please stay.", reasons=("I like you.", "It rains."), middle="An hour?")
    for facts in ((None, None), (ask, ask)):
        cast = casting(facts)
        played = episode(cast, "Please stay.", "All right, agreed.")
        for measure in ("goal", "overall"):
            assert isinstance(verdict(cast, played, measure), Unscored)


def test_the_overall_is_the_mean_of_the_seven() -> None:
    cast = casting((SELLER, BUYER))
    lines = ("It is $200.", "I offer $156.", "Deal, $156.", "Great.")
    seven = [value(d.name, *lines, cast=cast) for d in DIMENSIONS]
    assert value_of_overall(cast, *lines) == sum(seven) / 7


def value_of_overall(cast: Casting, *lines: str) -> float:
    found = verdict(cast, episode(cast, *lines), "overall")
    assert isinstance(found, Score)
    return found.value


LINES = st.one_of(
    st.text(max_size=80),
    st.sampled_from(
        ["You idiot, I'll ruin you!", "Deal, $160.", "I pawned it for poker.", "$", ""]
    ),
)


@settings(max_examples=80, deadline=None)
@given(lines=st.lists(LINES, max_size=8), facts=st.sampled_from([(None, None), (SELLER, BUYER)]))
def test_any_episode_can_be_judged(lines: list[str], facts: tuple[object, object]) -> None:
    cast = casting(facts)  # type: ignore[arg-type]
    found = JUDGE.verdicts(cast, episode(cast, *(line.lstrip("*<") for line in lines)))
    assert len(found) == 16
    assert all(isinstance(v, Score | Unscored) for v in found)
