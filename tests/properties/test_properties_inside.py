"""Units that are worth a test alone, from inside: properties."""

from __future__ import annotations

import shutil
from importlib.resources import as_file, files
from itertools import combinations, permutations

import pytest
from hypothesis import given, strategies as st

from sociolab.prompting import PromptSet, load_set
from sociolab.worlds import sotopia
from sotopia_cases import (
    AGE,
    GENDER,
    GOAL,
    INNER,
    NAMES,
    OCCUPATION,
    PRONOUNS,
    PUBLIC,
    SECRET,
    casting,
)

ALL = tuple(sotopia.RelationshipType)


CLOSE = (
    sotopia.RelationshipType.FRIEND,
    sotopia.RelationshipType.ROMANTIC,
    sotopia.RelationshipType.FAMILY,
)


PARTS = {
    "name": "Noah Berg",
    "occupation": f"{OCCUPATION}1",
    "pronouns": f"{PRONOUNS}1",
    "public information": f"{PUBLIC}1",
    "gender": f"{GENDER}1",
    "age": "32",
    "personality and values": f"{INNER}1",
    "secret": f"{SECRET}1",
}


ACQUAINTED = ("name", "occupation", "pronouns", "public information")


VISIBLE: dict[sotopia.RelationshipType, tuple[str, ...]] = {
    sotopia.RelationshipType.STRANGER: (),
    sotopia.RelationshipType.KNOWN_BY_NAME: ("name",),
    sotopia.RelationshipType.ACQUAINTANCE: ACQUAINTED,
    **dict.fromkeys(CLOSE, (*ACQUAINTED, "gender", "age", "personality and values")),
}


VISIBLE_BY_PACKAGE = {
    **VISIBLE,
    sotopia.RelationshipType.ACQUAINTANCE: (*ACQUAINTED, "gender", "age"),
}
"""The public code shows acquaintances more than section 2.1 says."""


@pytest.fixture(scope="module")
def by_package(tmp_path_factory: pytest.TempPathFactory) -> PromptSet:
    """A set that shows the scene as the public code tells it, and all of that."""
    folder = tmp_path_factory.mktemp("sets") / "theirs"
    with as_file(files(sotopia.PACKAGE) / "prompts" / "paper") as paper_set:
        shutil.copytree(paper_set, folder)
    (folder / "act_head.md").write_text("{{ scene }}\n{{ goal }}", "utf-8")
    return load_set(sotopia.PACKAGE, str(folder), sotopia.REQUIRED_TEMPLATES)


def marks(number: int) -> dict[str, str]:
    """What stands for each part of a person's profile."""
    return {
        part: mark.replace("Noah Berg", " ".join(NAMES[number])).replace("1", str(number))
        for part, mark in PARTS.items()
    } | {"age": str(31 + number)}


ties_of_four = st.fixed_dictionaries(
    {pair: st.sampled_from(ALL) for pair in combinations(range(4), 2)}
)


@given(seats=st.integers(2, 4), ties=ties_of_four)
@pytest.mark.parametrize("rule", ["section 2.1", "the public code"])
def test_each_seat_is_shown_of_each_other_what_the_rule_of_its_prompts_says(
    by_package: PromptSet,
    rule: str,
    seats: int,
    ties: dict[tuple[int, int], sotopia.RelationshipType],
) -> None:
    texts, visible = (
        (sotopia.paper_prompts(), VISIBLE)
        if rule == "section 2.1"
        else (by_package, VISIBLE_BY_PACKAGE)
    )
    cast = casting(seats=seats, kinds=ties)
    for me, other in permutations(range(seats), 2):
        shown = sotopia.SotopiaScene(cast, texts=texts).witness(f"seat{me}").observe(0)
        tie, parts = ties[min(me, other), max(me, other)], marks(other)
        text = f"{shown.head}\n{shown.tail}".casefold()  # the public code has pronouns in capitals
        seen = tuple(part for part, mark in parts.items() if mark.casefold() in text)
        assert seen == visible[tie]
        on_record = tuple(part for part, mark in parts.items() if mark in repr(shown.view))
        assert on_record == VISIBLE[tie], "records follow the paper under any prompts"
        assert f"{GOAL}{other}" not in repr(shown)
        assert AGE not in text
