"""What holds for any trace: against a count step by step, and whatever the order of residents."""

from __future__ import annotations

from hypothesis import given, settings, strategies as st

from sociolab.town import Trajectory
from sociolab.worlds import stss
from stss_tasks import EVERYBODY, GAME, MEDICINE, MEETING, PARTY, PICNIC
from trace_cases import ROW, TWO_DAYS, Life, at, lived

DOINGS = ("the party", "picnic", "manuscript", "play Starfarm", "buy medicine", "rest")
visit = st.tuples(
    st.sampled_from([*map(str, ROW.places)]), st.sampled_from(DOINGS), st.integers(1, 90)
)


@st.composite
def days(draw: st.DrawFn) -> Trajectory:
    """Everybody goes somewhere a few times on Tuesday from 17:30 on."""
    lives = []
    for who in ("ada", *EVERYBODY):
        life, minute = Life(who), 17 * 60 + 30
        for place, doing, stay in draw(st.lists(visit, max_size=3)):
            life.goes(f"tue {minute // 60}:{minute % 60:02}", place, doing)
            minute += stay + 2
        lives.append(life)
    return lived(*lives)


@given(days())
def test_a_longer_least_duration_never_raises_a_score(played: Trajectory) -> None:
    for task in (PARTY, GAME, PICNIC, MEETING, MEDICINE):
        goals = [goal for _, goal in stss.score(task, played).goals]
        assert goals == sorted(goals, reverse=True)
        assert all(0 <= goal <= 1 for goal in goals)


@settings(max_examples=20)
@given(days())
def test_intervals_say_what_a_count_step_by_step_says(played: Trajectory) -> None:
    found = stss.score(PARTY, played)
    for one in found.accounts:
        steps = sum(
            played.place_at(one.who, step).arena == "terrace"
            and (did := played.action_at(one.who, step)) is not None
            and (did.state, did.doing) == ("at it", "the party")
            for step in range(at("tue 18:00"), at("tue 20:00"))
        )
        assert one.minutes == steps / 6


@given(days(), st.permutations(EVERYBODY))
def test_the_order_of_the_residents_changes_nothing(played: Trajectory, order: list[str]) -> None:
    assert played.trace.steps == TWO_DAYS
    for task in (PARTY, GAME, PICNIC, MEETING, MEDICINE):
        other = task.model_copy(update={"background": tuple(order)})
        one, two = stss.score(task, played), stss.score(other, played)
        assert (one.goals, one.ratio, set(one.accounts)) == (
            two.goals,
            two.ratio,
            set(two.accounts),
        )
