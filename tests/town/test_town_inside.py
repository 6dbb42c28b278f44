"""Units that are worth a test alone, from inside: town."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given, strategies as st

from sociolab.testing import stock_questions
from sociolab.testing.minds import STOCK_GOAL, STOCK_OBJECTS
from sociolab.town import (
    MindQuestion,
    build_prompt,
)
from sociolab.town.model_mind import prompt_prefix, prompts_hash
from sociolab.town.person import Attention
from sociolab.town.trajectory import (
    Intervals,
    from_step,
    intersect,
    merge_intervals,
    step_reaching,
    total_steps,
)
from sociolab.worlds import stss


def test_the_same_sight_is_noticed_once() -> None:
    attention = Attention()
    assert attention.attend([(1, "reading"), (2, "cooking")]) == [(1, "reading"), (2, "cooking")]
    assert attention.attend([(2, "cooking"), (1, "reading")]) == []
    assert attention.attend([(1, "sleeping"), (2, "cooking")]) == [(1, "sleeping")]


def test_only_the_nearest_within_the_bandwidth_are_attended_to() -> None:
    crowd = [(who, "dancing") for who in range(12)]
    attention = Attention(bandwidth=8)
    assert attention.attend(crowd) == crowd[:8]
    assert attention.attend(crowd) == []
    assert attention.attend(crowd[8:]) == crowd[8:]


def test_what_was_noticed_longer_ago_than_the_retention_is_new_again() -> None:
    attention = Attention(retention=2)
    for who in (1, 2, 3):
        assert attention.attend([(who, "passing")]) == [(who, "passing")]
    assert attention.attend([(2, "passing"), (3, "passing")]) == []
    assert attention.attend([(1, "passing")]) == [(1, "passing")]


def test_what_is_known_stays_known_while_all_around_it_is_new() -> None:
    attention = Attention(retention=2)
    attention.attend([(1, "reading"), (2, "cooking")])
    assert attention.attend([(3, "singing"), (4, "singing"), (1, "reading")]) == [
        (3, "singing"),
        (4, "singing"),
    ]


def test_a_resident_without_retention_never_gets_used_to_anything() -> None:
    attention = Attention(retention=0)
    assert [attention.attend([(1, "reading")]) for _ in range(2)] == [[(1, "reading")]] * 2


STOCK = stock_questions()


def texts(question: MindQuestion[Any]) -> tuple[str, str]:
    """Head and tail."""
    head, tail = build_prompt(question, stss.paper_prompts(), 1.0).messages
    assert (head.role, tail.role) == ("system", "user")
    return head.text, tail.text


def test_the_head_is_long_enough_for_a_provider_to_keep() -> None:
    head, _ = texts(STOCK[0])
    assert len(STOCK_OBJECTS) == 15
    assert 4_096 < len(head) < 7_500, "at least 1,024 tokens of four characters, but not many more"


def test_a_new_place_is_added_at_the_end_of_the_head() -> None:
    me = STOCK[0].me
    more = replace(me, places=(*me.places, "Old Mill Studios: pottery"))
    assert prompt_prefix(more, stss.paper_prompts()).startswith(
        prompt_prefix(me, stss.paper_prompts())
    )
    assert prompt_prefix(more, stss.paper_prompts()).endswith("- Old Mill Studios: pottery")


def test_a_head_follows_what_the_resident_knows_of_places_and_people() -> None:
    me = replace(STOCK[0].me, objects={}, people={}, known_as={})
    assert prompt_prefix(me, stss.paper_prompts()) == prompt_prefix(
        replace(me), stss.paper_prompts()
    )
    me.objects[me.places[0]] = ("cradle",)
    me.people["dan"] = "Dan Rook"
    me.known_as["dan"] = "ferryman"
    assert f"- {me.places[0]} (cradle)\n" in prompt_prefix(me, stss.paper_prompts())
    assert "- Dan Rook, ferryman\n" in prompt_prefix(me, stss.paper_prompts())


def test_the_others_in_town_are_told_with_what_everybody_knows_of_them_and_what_they_are() -> None:
    head = prompt_prefix(STOCK[0].me, stss.paper_prompts())
    assert "- Ben Ashdown, baker at Larkfield Bakery: your old friend" in head
    assert "- Cora Vale\n" in head


def test_ties_to_people_who_are_not_in_this_simulation_are_left_out() -> None:
    alone = prompt_prefix(replace(STOCK[0].me, people={"cora": "Cora Vale"}), stss.paper_prompts())
    assert "- Ben Ashdown" not in alone
    assert "Nobody." in prompt_prefix(replace(STOCK[0].me, people={}), stss.paper_prompts())


def test_what_occupies_others_is_not_told() -> None:
    """A resident's prompts hold its own goal; another's hold it only as far as it was said."""
    for question in STOCK:
        assert STOCK_GOAL in texts(question)[0]
        someone = question.me.resident.model_copy(update={"id": "ben", "currently": "CANARY"})
        theirs = build_prompt(
            replace(question, me=replace(question.me, resident=someone)), stss.paper_prompts(), 1.0
        )
        assert "CANARY" in theirs.messages[0].text
        assert all("CANARY" not in text for text in texts(question))


def test_prompts_have_a_hash() -> None:
    assert prompts_hash(stss.paper_prompts()) == prompts_hash(stss.paper_prompts())


def test_a_resident_knows_how_soon_it_can_talk_with_the_same_person_again() -> None:
    me = stock_questions()[0].me
    told = "for the next 120 minutes"
    for head in ("head", "generative/identity"):
        texts = stss.StssSettings(mind="generative-agents").texts
        assert told not in prompt_prefix(me, texts, head=head)
        assert told in prompt_prefix(replace(me, pause=120), texts, head=head, parts="town")


pieces = st.lists(
    st.tuples(st.integers(0, 30), st.integers(0, 6)).map(lambda p: (p[0], p[0] + p[1])), max_size=6
)


def _steps(intervals: Intervals) -> set[int]:
    return {step for start, end in intervals for step in range(start, end)}


@given(pieces, pieces, st.integers(0, 40))
def test_intervals_are_sets_of_steps(
    one: list[tuple[int, int]], other: list[tuple[int, int]], step: int
) -> None:
    a, b = merge_intervals(one), merge_intervals(other)
    assert _steps(a) == _steps(tuple(one))
    assert _steps(intersect(a, b)) == _steps(a) & _steps(b)
    assert total_steps(a) == len(_steps(a))
    assert _steps(from_step(a, step)) == {s for s in _steps(a) if s >= step}
    assert step_reaching(a, step) == (
        [*sorted(_steps(a)), *[-1] * 50][max(1, step) - 1] + 1 or None
    )
