"""Transcripts that somebody marked by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from sociolab.core.errors import ConfigError
from sociolab.worlds.anteval.importing.dnd import read_examples
from sociolab.worlds.anteval.importing.transcript import CONTEXT, import_transcript, read_transcript
from sociolab.worlds.anteval.virtual_dm.example import DM, Example, Label, Turn

HEAD = """DM: Petra
Players: Ines = Bramble, Otto = Sorrel
Others: Guest
"""

PLAY = """
Petra: The stairs end at a door.
  It is locked.
Otto: I put my ear to it: nothing?
[check: Sorrel, perception]
[Check: bramble, Sleight of Hand]

DM: You hear perception itself.
Guest: Ooh.
bramble: I kick it in.
[check: Otto, perception]
"""


def written(folder: Path, text: str, name: str = "night.txt") -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def test_each_run_of_marks_is_an_example(tmp_path: Path) -> None:
    first, second = read_transcript(written(tmp_path, HEAD + PLAY))
    before = (
        Turn(DM, "The stairs end at a door. It is locked."),
        Turn("Sorrel", "I put my ear to it: nothing?"),
    )
    assert first == Example(
        id="night_00008",
        group="night",
        turns=before,
        candidates=("Bramble", "Sorrel"),
        labels=frozenset({Label("Sorrel", "perception"), Label("Bramble", "sleight of hand")}),
        strict=True,
    )
    assert second.turns[2:] == (
        Turn(DM, "You hear perception itself."),
        Turn("Guest", "Ooh."),
        Turn("Bramble", "I kick it in."),
    )
    assert second.labels == {Label("Sorrel", "perception")}
    assert not second.strict


def test_a_context_is_limited(tmp_path: Path) -> None:
    play = "".join(f"Ines: Step {number}.\n" for number in range(40))
    (example,) = read_transcript(written(tmp_path, f"{HEAD}{play}[check: Bramble, stealth]\n"))
    assert len(example.turns) == CONTEXT
    assert example.turns[-1] == Turn("Bramble", "Step 39.")


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        ("Players: I = B\nI: Hm.", None, 'expected a line "DM: NAME" at the beginning'),
        ("DM: P\nP: Hm.", None, 'expected a line "Players: NAME = CHARACTER, ..."'),
        ("DM:\nPlayers: I = B\n", None, 'expected a line "DM: NAME" at the beginning'),
        ("", None, 'expected a line "DM: NAME" at the beginning'),
        ("DM: P\nPlayers: I, J = B\n", 2, 'expected "NAME = CHARACTER", found "I"'),
        ("DM: P\nPlayers: I = B, J = B\n", None, "expected at least one mark"),
        ("DM: P\nPlayers: I = B, I = C\n", 2, '"I" is the name of two'),
        ("DM: P\nPlayers: P = B\n", 2, '"P" is the name of two'),
        (HEAD + "Nobody: Hm.\n", 4, 'found "Nobody: Hm."'),
        (HEAD + "Just words\n", 4, 'found "Just words"'),
        (HEAD + "  indented\n", 4, "there is none before"),
        (HEAD + "[check: Sorrel, stealth]\n", 4, "before anybody has spoken"),
        (HEAD + "Otto: Hm.\n[chek: Sorrel, stealth]\n", 5, 'expected "[check: CHARACTER, SKILL]"'),
        (HEAD + "Otto: Hm.\n[check: Sorrel]\n", 5, 'expected "[check: CHARACTER, SKILL]"'),
        (HEAD + "Otto: Hm.\n[check: Guest, stealth]\n", 5, '"Guest" is not at the table'),
        (HEAD + "Otto: Hm.\n[check: Petra, stealth]\n", 5, '"Petra" is not at the table'),
        (HEAD + "Otto: Hm.\n[check: Sorrel, juggling]\n", 5, 'no skill "juggling"'),
        (HEAD + "Otto: Hm.\n[check: Sorrel, stealth]\n  more\n", 6, "there is none before"),
        (HEAD + "Otto: Hm.\n", None, "expected at least one mark"),
    ],
)
def test_a_wrong_transcript_is_refused_with_its_line(
    tmp_path: Path, text: str, line: int | None, sentence: str
) -> None:
    path = written(tmp_path, text)
    with pytest.raises(ConfigError) as error:
        read_transcript(path)
    place = f"{path}: " if line is None else f"{path}, line {line}: "
    assert str(error.value).startswith(place)
    assert sentence in str(error.value)


def test_a_folder_of_transcripts_is_imported(tmp_path: Path) -> None:
    nights = tmp_path / "nights"
    nights.mkdir()
    written(nights, HEAD + PLAY, "first.txt")
    written(nights, HEAD + PLAY, "second.txt")
    lines = import_transcript(nights, tmp_path / "set")
    assert lines[0] == "4 examples of 2 episodes (2.0 each), 6 labels, 2 examples strict"
    groups = [example.group for example in read_examples(tmp_path / "set")]
    assert groups == ["first", "first", "second", "second"]


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"expected transcripts \(\*\.txt\)"):
        import_transcript(tmp_path, tmp_path / "set")
