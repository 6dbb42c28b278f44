"""How good CRD3's labels are: every example of two episodes, read and judged by hand.

`crd3_hand_check.json` has a verdict for each label: `first` are those of the rules as they stood
when the two episodes were read for the first time. Three of these examples were wrong; the rules
that now keep them out are no evidence that the next hundred are right, so the first count stands.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from sociolab.worlds.anteval.importing.crd3 import (
    CONTEXT,
    HAND_CHECK,
    NEAR,
    Extracted,
    extract,
    hand_checked,
)
from sociolab.worlds.anteval.importing.crd3_speech import checked_skills, read_episode
from sociolab.worlds.anteval.importing.dnd import read_examples
from sociolab.worlds.anteval.virtual_dm.example import Example, Label, names_skill

BUILT_ON = ("C1E037", "C2E002")
CHECKED_ON = ("C1E049", "C2E012")


class Verdict(NamedTuple):
    id: str
    label: Label
    right: bool
    first: bool


def verdicts() -> tuple[Verdict, ...]:
    rows = json.loads((Path(__file__).parent / "crd3_hand_check.json").read_text("utf-8"))
    return tuple(
        Verdict(row["id"], Label(*row["label"]), row["right"], row["first"]) for row in rows
    )


@cache
def of_episode(folder: Path, name: str) -> Extracted:
    return extract(read_episode(folder / "raw" / f"{name}.json.gz"))


def test_the_precision_that_is_printed_is_what_the_reader_found() -> None:
    read = {verdict.id for verdict in verdicts() if verdict.first}
    wrong = {verdict.id for verdict in verdicts() if verdict.first and not verdict.right}
    assert (len(read) - len(wrong), len(read)) == HAND_CHECK
    assert f"{len(read) - len(wrong)} of {len(read)} examples" in hand_checked()


def test_the_interval_that_is_printed_is_wilsons() -> None:
    # 85 of 88 by Wilson's formula: (.9659 + .0218) / 1.0437 -+ .0438 / 1.0437 = .9464 -+ .0419.
    assert "96.6%, 95 % interval 90.5% to 98.8%" in hand_checked()


def test_every_label_of_the_checked_episodes_was_read_and_is_right(shared_play: Path) -> None:
    right = {(verdict.id, verdict.label) for verdict in verdicts() if verdict.right}
    for name in CHECKED_ON:
        for example in of_episode(shared_play, name).examples:
            for label in example.labels:
                assert (example.id, label) in right


@pytest.mark.parametrize(
    ("name", "examples", "strict", "exchanges"),
    [
        ("C1E037", 38, 32, 45),
        ("C2E002", 41, 36, 45),
        ("C1E049", 37, 32, 42),
        ("C2E012", 48, 39, 62),
    ],
)
def test_the_yield_of_the_sample_episodes(
    shared_play: Path, name: str, examples: int, strict: int, exchanges: int
) -> None:
    found = of_episode(shared_play, name)
    assert len(found.examples) == examples
    assert sum(example.strict for example in found.examples) == strict
    assert len(found.examples) + sum(found.dropped.values()) == exchanges


@pytest.mark.parametrize("name", BUILT_ON + CHECKED_ON)
def test_contexts_end_before_the_skill_is_named(shared_play: Path, name: str) -> None:
    for example in of_episode(shared_play, name).examples:
        (skill,) = {label.skill for label in example.labels}
        said = [turn.text.casefold() for turn in example.turns]
        assert not any(skill in checked_skills(text) for text in said[-NEAR:])
        if example.strict:
            assert not names_skill(example.turns, [skill])
        assert len(said) <= CONTEXT
        assert {label.character for label in example.labels} <= set(example.candidates)


def test_labels_agree_with_those_that_somebody_else_made(shared_play: Path) -> None:
    shared = read_examples(shared_play / "crd3_skill_checks.train.jsonl.gz")
    for name in CHECKED_ON:
        others = [example for example in shared if example.group == name]
        pairs = same_checks(of_episode(shared_play, name).examples, others)
        assert len(pairs) >= 0.85 * len(others)
        assert all(own.labels & other.labels for own, other in pairs)
        alike = sum(own.labels == other.labels for own, other in pairs)
        assert alike >= 0.9 * len(pairs)


def same_checks(own: tuple[Example, ...], others: list[Example]) -> list[tuple[Example, Example]]:
    """Pairs of examples of one check: the requests at most 8 turns apart, one skill."""
    pairs = []
    left = {turn_of(other): other for other in others}
    for example in own:
        (skill,) = {label.skill for label in example.labels}
        near = [
            turn
            for turn, other in left.items()
            if abs(turn - turn_of(example)) <= 8 and skill in {la.skill for la in other.labels}
        ]
        if near:
            pairs.append((example, left.pop(min(near, key=lambda t: abs(t - turn_of(example))))))
    return pairs


def turn_of(example: Example) -> int:
    return int(example.id.split("_")[1])
