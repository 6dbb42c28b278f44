"""Who gets which item next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from rating_runs import STUDY, build, open_study
from sociolab.store import ParticipantRow, Store
from sociolab.store.studies import AssignmentRow, Progress
from sociolab.studies import assign_next, hold_item
from sociolab.studies.assignment import IDLE, ItemPool, assignment_of, choose_item, has_next

ITEMS = ("a", "b", "c", "d")


def row(who: int, item: str, state: Progress = "done") -> AssignmentRow:
    return AssignmentRow(0, who, item, "", state, 0.0, None)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    build(tmp_path / "store.db")
    with Store.open(tmp_path / "store.db") as opened:
        yield opened


def test_the_item_that_fewest_people_have_comes_first_and_open_ones_count() -> None:
    rows = [row(1, "a"), row(2, "b", "open"), row(3, "c", "given up"), row(4, "d")]
    assert choose_item(ItemPool(ITEMS, 2, 9), rows, 9) == "c"
    assert choose_item(ItemPool(("a", "b"), 1, 9), rows, 9) is None


def test_of_items_that_as_few_people_have_comes_one_of_the_rarest_block_of_a_person() -> None:
    blocks = {f"{agent}{i}": agent for agent in "xyz" for i in range(4)}
    pool = ItemPool(tuple(blocks), 1, 12, blocks=blocks)
    rows: list[AssignmentRow] = []
    for who in (1, 2) * 6:
        item = choose_item(pool, rows, who)
        assert item is not None
        rows.append(row(who, item))
    for who in (1, 2):
        assert Counter(blocks[one.item] for one in rows if one.participant == who) == dict.fromkeys(
            "xyz", 2
        )


def test_what_is_open_already_is_given_again_and_what_is_done_never() -> None:
    assert choose_item(ItemPool(ITEMS, 1, 9), [row(1, "b", "open")], 1) == "b"
    assert choose_item(ItemPool(("b",), 3, 9), [row(1, "b")], 1) is None


def test_nobody_gets_more_than_their_share_or_what_is_barred() -> None:
    assert choose_item(ItemPool(ITEMS, 9, 2), [row(1, "a"), row(1, "b")], 1) is None
    assert choose_item(ItemPool(("a", "b"), 9, 9), [], 1, barred={"a"}) == "b"
    # What was done outside this pile (a test, say) is no part of the share.
    assert choose_item(ItemPool(("a",), 9, 1), [row(1, "z")], 1) == "a"


def test_an_item_in_dispute_goes_to_one_more_person_after_all_others() -> None:
    rows = [row(1, "a"), row(2, "a"), row(1, "b")]
    pile = ItemPool(("a", "b"), 2, 9, more=("a",))
    assert choose_item(pile, rows, 9) == "b"
    assert choose_item(pile, [*rows, row(9, "b")], 9) == "a"
    assert choose_item(pile, [*rows, row(9, "b"), row(8, "a")], 9) is None


@given(st.integers(1, 4), st.integers(1, 6), st.integers(1, 9))
def test_people_who_come_by_turns_leave_the_items_evenly_rated(
    people: int, each: int, raters: int
) -> None:
    pile = ItemPool(ITEMS, people, each)
    rows: list[AssignmentRow] = []
    for _ in range(each + 1):
        for rater in range(raters):
            item = choose_item(pile, rows, rater)
            if item is not None:
                assert row(rater, item) not in rows
                rows.append(row(rater, item))
            counts = Counter(one.item for one in rows)
            tally = [counts[one] for one in ITEMS]
            assert max(tally) <= people
    assert max(tally) - min(tally) <= 1
    assert sum(tally) == min(len(ITEMS) * min(people, raters), raters * min(each, len(ITEMS)))


def test_an_idle_hour_gives_an_item_back_and_words_keep_it(store: Store) -> None:
    first, second, third = open_study(store, people=3)
    pile = ItemPool(("fair00",), 1, 9)
    assert assign_next(store, STUDY, first.pk, pile) == "fair00"
    began = state(store, first).began
    assert assign_next(store, STUDY, second.pk, pile, now=began + IDLE - 1) is None
    store.studies.answer(first.pk, "fair00", "x/goal", {"score": 3})
    assert not has_next(store, STUDY, second.pk, pile, now=began + IDLE - 1)
    said = store.studies.answers(STUDY, first.pk)[0].at
    assert has_next(store, STUDY, second.pk, pile, now=said + IDLE)
    assert state(store, first).state == "open"
    assert assign_next(store, STUDY, second.pk, pile, now=said + IDLE) == "fair00"
    assert state(store, first).state == "given up"
    # Who comes back goes on with something else, or, if nobody else has it, with the same.
    assert assign_next(store, STUDY, first.pk, pile) is None
    assert assign_next(store, STUDY, third.pk, pile) is None


def test_somebody_who_comes_back_after_hours_still_has_what_nobody_else_took(store: Store) -> None:
    first, second = open_study(store)
    pile = ItemPool(("fair00", "fair01"), 2, 9)
    item = assign_next(store, STUDY, first.pk, pile)
    assert item is not None
    store.studies.assign(second.pk, item, "", "done")
    later = state(store, first).began + 5 * IDLE
    assert assign_next(store, STUDY, first.pk, pile, now=later) == item


def test_who_leaves_gives_back_at_once(store: Store) -> None:
    first, second = open_study(store)
    pile = ItemPool(("fair00",), 1, 9)
    assign_next(store, STUDY, first.pk, pile)
    assert assign_next(store, STUDY, second.pk, pile) is None
    store.studies.set_state(first.pk, "left")
    assert assign_next(store, STUDY, second.pk, pile) == "fair00"


def test_what_was_given_back_is_opened_again_and_what_is_done_stays_done(store: Store) -> None:
    (first,) = open_study(store, people=1)
    hold_item(store, STUDY, first.pk, "fair00")
    store.studies.set_progress(state(store, first).pk, "given up")
    hold_item(store, STUDY, first.pk, "fair00")
    assert state(store, first).state == "open"
    store.studies.set_progress(state(store, first).pk, "done")
    hold_item(store, STUDY, first.pk, "fair00")
    assert state(store, first).state == "done"


def state(store: Store, who: ParticipantRow) -> AssignmentRow:
    found = assignment_of(store, STUDY, who.pk, "fair00") or assignment_of(
        store, STUDY, who.pk, "fair01"
    )
    assert found is not None
    return found
