"""FIREBALL's records: which commands are checks, whose they are, and what was said before."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from sociolab.core.errors import ConfigError
from sociolab.worlds.anteval.importing.dnd import read_examples
from sociolab.worlds.anteval.importing.fireball import (
    CONTEXT,
    checked_skill,
    import_fireball,
    read_session,
    session_files,
)
from sociolab.worlds.anteval.session import SKILLS
from sociolab.worlds.anteval.virtual_dm.example import Example, Turn

BRAMBLE = {"name": "Bramble", "class": "Rogue 3", "hp": "<20/20 HP; Healthy>", "race": "Halfling"}
SORREL = {"name": "Sorrel", "class": "Cleric 3", "effects": ""}
GOBLIN = {"name": "GO1", "class": None, "race": "Goblin"}


def turn(**changes: object) -> dict[str, object]:
    plain: dict[str, object] = {
        "speaker_id": "1052339",
        "before_utterances": ["Bramble slips behind the barrels."],
        "combat_state_before": [BRAMBLE, SORREL, GOBLIN],
        "current_actor": BRAMBLE,
        "commands_norm": ["!check stealth adv", "!a dagger -t GO1"],
        "automation_results": ["Bramble attacked GO1 and hit."],
        "caster_after": BRAMBLE,
        "targets_after": [GOBLIN],
        "combat_state_after": [],
        "after_utterances": ["A knife comes out of nowhere."],
    }
    return plain | changes


def session(folder: Path, *rows: Mapping[str, object], name: str = "164-77.jsonl") -> Path:
    path = folder / name
    text = "".join(json.dumps(row) + "\n" for row in rows).encode()
    path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    return path


def only(folder: Path, *rows: Mapping[str, object]) -> Example:
    (example,) = read_session(session(folder, *rows)).examples
    return example


@pytest.mark.parametrize(
    ("words", "skill"),
    [
        ("stealth", "stealth"),
        ("ste", "stealth"),
        ("perc", "perception"),
        ("Perception", "perception"),
        ("inv", "investigation"),
        ("ins", "insight"),
        ("pers", "persuasion"),
        ("soh", "sleight of hand"),
        ("sleight of hand", "sleight of hand"),
        ("sleightOfHand", "sleight of hand"),
        ("animal", "animal handling"),
        ("per", None),  # perception, performance or persuasion
        ("in", None),
        ("int", None),  # intelligence or intimidation
        ("inti", "intimidation"),
        ("strength", None),
        ("dex", None),
        ("initiative", None),
        ("thieves", None),
    ],
)
def test_a_skill_may_be_shortened_as_long_as_it_is_plain(words: str, skill: str | None) -> None:
    assert checked_skill(words) == skill


def test_every_skill_is_known_by_its_name() -> None:
    assert [checked_skill(skill) for skill in SKILLS] == list(SKILLS)


@pytest.mark.parametrize(
    ("command", "skill"),
    [
        ("!check stealth", "stealth"),
        ("!c perc adv", "perception"),
        ('!check "sleight of hand" -b 2', "sleight of hand"),
        ("!i c ath", "athletics"),
        ("! CHECK Arcana", "arcana"),
        ("!init check acro", "acrobatics"),
    ],
)
def test_a_check_command_labels_its_caster(tmp_path: Path, command: str, skill: str) -> None:
    assert only(tmp_path, turn(commands_norm=[command])).labels == {("Bramble", skill)}


@pytest.mark.parametrize(
    "command", ["!cast shield", "!a dagger", "!save dex", "!mc GO1 stealth", "check stealth", "!c"]
)
def test_other_commands_are_no_checks(tmp_path: Path, command: str) -> None:
    found = read_session(session(tmp_path, turn(commands_norm=[command])))
    assert not found.examples
    assert not found.dropped


def test_a_record_becomes_an_example(tmp_path: Path) -> None:
    assert only(tmp_path, turn()) == Example(
        id="164-77_00001",
        group="164-77",
        turns=(Turn("Bramble", "Bramble slips behind the barrels."),),
        candidates=("Bramble", "Sorrel"),
        labels=frozenset({("Bramble", "stealth")}),  # type: ignore[arg-type]
        strict=True,
    )


def test_two_checks_of_one_turn_are_two_labels(tmp_path: Path) -> None:
    example = only(tmp_path, turn(commands_norm=["!c perc", "!c inv", "!c wis"]))
    assert example.labels == {("Bramble", "perception"), ("Bramble", "investigation")}


def test_the_play_before_is_that_of_the_whole_session(tmp_path: Path) -> None:
    example = only(
        tmp_path,
        turn(commands_norm=["!a dagger"], before_idxs=[3], after_idxs=[7]),
        turn(
            caster_after=SORREL,
            commands_norm=["!check med"],
            before_utterances=["A knife comes out of nowhere.", "  ", "She kneels down."],
            before_idxs=[7, 8, 9],
        ),
    )
    assert example.turns == (
        Turn("Bramble", "Bramble slips behind the barrels."),
        Turn("Bramble", "A knife comes out of nowhere."),
        Turn("Sorrel", "She kneels down."),
    )


def test_a_context_is_limited(tmp_path: Path) -> None:
    words = [f"Word {number}." for number in range(40)]
    example = only(tmp_path, turn(before_utterances=words))
    assert len(example.turns) == CONTEXT
    assert example.turns[-1].text == "Word 39."


def test_a_skill_that_is_named_before_is_not_strict(tmp_path: Path) -> None:
    assert not only(tmp_path, turn(before_utterances=["Time for some stealth."])).strict


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"commands_norm": ["!check strength"]}, "check of no skill"),
        ({"caster_after": GOBLIN}, "not a player's character"),
        ({"caster_after": {"name": "Nobody", "class": "Bard 1"}}, "not a player's character"),
        ({"before_utterances": []}, "nothing said before"),
    ],
)
def test_what_cannot_be_used_is_counted(
    tmp_path: Path, changes: dict[str, object], reason: str
) -> None:
    found = read_session(session(tmp_path, turn(**changes)))
    assert not found.examples
    assert found.dropped == {reason: 1}


def test_a_folder_of_sessions_is_imported(tmp_path: Path) -> None:
    source = tmp_path / "FIREBALL" / "filtered"
    source.mkdir(parents=True)
    session(source, turn(), turn(commands_norm=["!check con"]), name="1.jsonl")
    session(source, turn(caster_after=SORREL), name="2.jsonl.gz")
    lines = import_fireball(tmp_path / "FIREBALL", tmp_path / "set")
    assert lines == (
        "2 examples of 2 episodes (1.0 each), 2 labels, 2 examples strict",
        "read: 2 sessions, 3 records",
        "dropped: 1 check of no skill",
    )
    assert [example.id for example in read_examples(tmp_path / "set")] == ["1_00001", "2_00001"]


def test_a_line_that_is_no_record_is_refused(tmp_path: Path) -> None:
    path = session(tmp_path, turn(), {"commands_norm": []})
    with pytest.raises(ConfigError, match=r"164-77\.jsonl, line 2: before_utterances is missing"):
        import_fireball(path, tmp_path / "set")
    assert not (tmp_path / "set").exists()


def test_a_folder_without_records_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"filtered/\*\.jsonl"):
        session_files(tmp_path)
