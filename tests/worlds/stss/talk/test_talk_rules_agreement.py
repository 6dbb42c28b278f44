"""The rules beside people's labels, and what holds for every text."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sociolab.worlds.stss.talk.findings import Finding
from sociolab.worlds.stss.talk.rules.agreement import Negotiation
from sociolab.worlds.stss.talk.rules.conversation import findings_in_talk
from sociolab.worlds.stss.talk.rules.note import findings_in_note
from sociolab.worlds.stss.task import SocialTask
from worlds.stss.talk.labelled_talks import TALKS, LabelledTalk, labelled_talks
from worlds.stss.talk.talk_rule_cases import (
    BOOKS,
    HONEY,
    KITES,
    PORTRAIT,
    TEA,
    lines_of,
    occasion,
    talked,
)

AT_LEAST = 0.96
# The rules have been written with all of these at hand: talks/README.md has the first readings.
FILES = (
    "dev.jsonl",
    "fresh.jsonl",
    "later.jsonl",
    "more.jsonl",
    "plain.jsonl",
    "plain-again.jsonl",
)
UNREAD = "unread.jsonl"
"""The set whose errors nobody has looked at: what the rules do with talks that they do not know."""
TALKS_OF = {name: labelled_talks(TALKS / name) for name in (*FILES, UNREAD)}
DEV = TALKS_OF["dev.jsonl"]


@cache
def _readings(name: str, kind_of_text: str) -> tuple[tuple[LabelledTalk, Finding], ...]:
    """Each condition of each talk or note of a file, as the rules find it."""
    return tuple(
        (case, found)
        for case in TALKS_OF[name]
        for found in (
            findings_in_talk(case.occasion, case.lines)
            if kind_of_text == "talk"
            else findings_in_note(case.occasion, case.note)
        )
    )


def _shares(name: str, kind_of_text: str) -> dict[str, float]:
    asked: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for case, found in _readings(name, kind_of_text):
        labels = case.labels if kind_of_text == "talk" else case.note_labels
        asked[found.condition.kind] += 1
        right[found.condition.kind] += found.met == labels[found.condition.id]
    return {kind: right[kind] / n for kind, n in asked.items()}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("kind_of_text", ["talk", "note"])
def test_rules_agree_with_people_on_every_kind_of_condition(name: str, kind_of_text: str) -> None:
    shares = _shares(name, kind_of_text)
    assert len(shares) == 7
    assert all(share >= AT_LEAST for share in shares.values()), shares


def test_rules_read_talks_that_they_were_not_made_with_nearly_as_often() -> None:
    right = total = 0
    for kind_of_text in ("talk", "note"):
        for case, found in _readings(UNREAD, kind_of_text):
            labels = case.labels if kind_of_text == "talk" else case.note_labels
            total += 1
            right += found.met == labels[found.condition.id]
    assert total == 960
    assert right / total >= 0.925  # .935 when version 7 first read them


@pytest.mark.parametrize("name", TALKS_OF)
def test_every_file_holds_as_many_talks_under_names_of_their_own(name: str) -> None:
    assert len({case.id for case in TALKS_OF[name]}) == 160


@pytest.mark.parametrize("name", TALKS_OF)
def test_quotes_are_word_for_word_and_only_for_what_is_met(name: str) -> None:
    for case, found in _readings(name, "talk"):
        assert bool(found.quote) == found.met
        assert any(found.quote in line.text for line in case.lines)
    for case, found in _readings(name, "note"):
        assert bool(found.quote) == found.met
        assert found.quote in case.note


def test_findings_come_in_the_order_of_the_conditions() -> None:
    for case in DEV[:20]:
        for found in (
            findings_in_talk(case.occasion, case.lines),
            findings_in_note(case.occasion, case.note),
        ):
            assert tuple(one.condition for one in found) == case.occasion.conditions


def test_without_words_nothing_is_met() -> None:
    for task in (KITES, BOOKS, TEA, PORTRAIT, HONEY):
        assert not any(one.met for one in findings_in_talk(occasion(task), ()))
        assert not any(one.met for one in findings_in_note(occasion(task), ""))


def test_tomorrow_is_right_only_on_the_eve() -> None:
    talk = "P: Come to the kite evening tomorrow at five on the meadow in Heron Park!"
    held = occasion(KITES)
    later = occasion(KITES, held.now + timedelta(days=1))
    assert [one.met for one in findings_in_talk(held, lines_of(KITES, talk))] == [True] * 3
    assert [one.met for one in findings_in_talk(later, lines_of(KITES, talk))] == [
        True,
        True,
        False,
    ]


@settings(max_examples=40, deadline=None)
@given(st.sampled_from((KITES, BOOKS, TEA, PORTRAIT, HONEY)), st.lists(st.text(max_size=80)))
def test_any_text_can_be_read(task: SocialTask, texts: list[str]) -> None:
    talk = "\n".join(f"P: {' '.join(text.split())}" for text in texts)
    lines = lines_of(task, talk) if texts else ()
    for one in findings_in_talk(occasion(task), lines):
        assert not one.met or any(one.quote in line.text for line in lines)


def test_an_offer_is_agreed_when_the_other_says_yes() -> None:
    table: Negotiation[int] = Negotiation()
    table.offer("P", 5, "Five?")
    table.accept("P", "Yes.")
    assert table.agreed is None
    table.accept("O", "Yes.")
    assert table.agreed is not None
    assert table.agreed.value == 5


def test_a_counter_offer_reopens_what_was_agreed() -> None:
    table: Negotiation[int] = Negotiation()
    table.offer("P", 5, "Five?")
    table.accept("O", "Yes.")
    table.offer("O", 6, "Six rather?")
    assert table.agreed is None
    table.offer("P", 6, "Six.")
    assert table.agreed is not None
    assert table.agreed.value == 6


def test_a_yes_to_something_else_is_none_to_an_offer_that_got_no_answer() -> None:
    unanswered = """P: Would you come to a strawberry tea at the bandstand tomorrow at four?
    O: Have you seen my cat? She has been gone since Friday.
    P: How awful! Is she the grey one?
    O: Yes, exactly."""
    assert talked(TEA, unanswered) == "invited place"


def test_a_helper_who_only_hears_of_a_burden_is_not_asked() -> None:
    burden = """P: Could you tell me whether it will rain? The cakes won't bake themselves.
    O: It looks like it.
    P: And somebody has to buy six jars of honey at Greengage Market."""
    assert "request" not in talked(HONEY, burden)
