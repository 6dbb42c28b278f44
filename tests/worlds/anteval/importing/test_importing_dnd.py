"""Our open format of labelled play, and what an import keeps of a source."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from sociolab.app import Import, import_anything
from sociolab.app.data.importing import world_formats
from sociolab.core import ConfigError, StoreError
from sociolab.core.user_files import imported_folder, imported_names
from sociolab.worlds import anteval
from sociolab.worlds.anteval.importing.crd3 import HAND_CHECK, hand_checked
from sociolab.worlds.anteval.importing.dnd import import_dnd, json_line

# ---------- our open format of labelled play: what is read, written and refused


TABLE = [{"player": "Ines", "character": "Bramble"}, {"player": "Otto", "character": "Sorrel"}]
TALK = [
    {"speaker": "Petra", "text": "The stairs end at a door.", "turn": 7},
    {"speaker": "Otto", "text": "I put my ear to it.", "partial": True},
    {"speaker": "Petra", "text": "All right."},
    {"speaker": "Guest", "text": "Ooh."},
]


def row(**changes: object) -> dict[str, object]:
    plain: dict[str, object] = {
        "id": "one",
        "episode": "night-1",
        "candidates": TABLE,
        "context_turns": TALK,
        "labels": [{"player": "Otto", "character": "Sorrel", "skill": "perception"}],
        "evidence": {"whatever": [1, 2]},
    }
    return {name: value for name, value in (plain | changes).items() if value is not None}


def written(folder: Path, *rows: Mapping[str, object]) -> Path:
    path = folder / "play.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in rows), "utf-8")
    return path


def only(folder: Path, **changes: object) -> anteval.Example:
    (example,) = anteval.read_examples(written(folder, row(**changes)))
    return example


def test_players_become_characters_and_who_speaks_most_beside_them_is_the_dm(
    tmp_path: Path,
) -> None:
    assert only(tmp_path) == anteval.Example(
        id="one",
        group="night-1",
        turns=(
            anteval.Turn(anteval.DM, "The stairs end at a door."),
            anteval.Turn("Sorrel", "I put my ear to it."),
            anteval.Turn(anteval.DM, "All right."),
            anteval.Turn("Guest", "Ooh."),
        ),
        candidates=("Bramble", "Sorrel"),
        labels=frozenset({anteval.Label("Sorrel", "perception")}),
        strict=True,
    )


def test_who_is_the_dm_is_told_by_the_whole_episode(tmp_path: Path) -> None:
    guest = [{"speaker": "Guest", "text": "Me!"}, {"speaker": "Ines", "text": "Hush."}]
    other = [{"speaker": "Guest", "text": "I am the one who runs this."}]
    path = written(
        tmp_path,
        row(),
        row(id="two", context_turns=guest),
        row(id="three", episode="night-2", context_turns=other),
    )
    one, two, three = anteval.read_examples(path)
    assert [turn.speaker for turn in one.turns] == [anteval.DM, "Sorrel", anteval.DM, "Guest"]
    assert [turn.speaker for turn in two.turns] == ["Guest", "Bramble"]
    assert [turn.speaker for turn in three.turns] == [anteval.DM]


def test_play_after_the_checks_is_read_and_written(tmp_path: Path) -> None:
    after = [{"speaker": "Petra", "text": "It is locked."}, {"speaker": "Otto", "text": "Bah."}]
    found = only(tmp_path, after_turns=after)
    assert found.after == (
        anteval.Turn(anteval.DM, "It is locked."),
        anteval.Turn("Sorrel", "Bah."),
    )
    assert anteval.read_examples(written(tmp_path, json.loads(json_line(found)))) == (found,)
    assert "after_turns" not in json_line(only(tmp_path))


def test_a_row_may_name_its_dm(tmp_path: Path) -> None:
    speakers = [turn.speaker for turn in only(tmp_path, dm="Guest").turns]
    assert speakers == ["Petra", "Sorrel", "Petra", anteval.DM]


def test_somebody_called_dm_is_the_dm(tmp_path: Path) -> None:
    talk = [*TALK, {"speaker": "DM", "text": "Roll."}]
    speakers = [turn.speaker for turn in only(tmp_path, context_turns=talk).turns]
    assert speakers == ["Petra", "Sorrel", "Petra", "Guest", anteval.DM]


def test_a_candidate_without_a_character_goes_by_the_player(tmp_path: Path) -> None:
    example = only(
        tmp_path,
        candidates=[{"player": "Ines", "character": None}, {"character": "Sorrel"}],
        labels=[{"player": "Ines", "character": None, "skill": "Sleight of Hand"}],
    )
    assert example.candidates == ("Ines", "Sorrel")
    assert example.labels == {anteval.Label("Ines", "sleight of hand")}


def test_a_player_of_two_characters_speaks_under_the_own_name(tmp_path: Path) -> None:
    example = only(
        tmp_path, dm="Petra", candidates=[*TABLE, {"player": "Otto", "character": "Bear"}]
    )
    assert example.turns[1].speaker == "Otto"
    assert example.labels == {anteval.Label("Sorrel", "perception")}


@pytest.mark.parametrize(
    ("said", "strict"),
    [
        ("I make a Perception check.", False),
        ("My perceptions differ.", True),
        ("With athletics?", True),
    ],
)
def test_a_row_is_strict_where_its_skill_is_not_named(
    tmp_path: Path, said: str, strict: bool
) -> None:
    talk = [{"speaker": "Ines", "text": said}]
    assert only(tmp_path, context_turns=talk).strict is strict
    assert only(tmp_path, context_turns=talk, strict=not strict).strict is not strict


def test_a_skill_of_several_words_is_found_across_a_line_break(tmp_path: Path) -> None:
    talk = [{"speaker": "Ines", "text": "A bit of sleight\nof hand."}]
    labels = [{"character": "Bramble", "skill": "sleight of hand"}]
    assert not only(tmp_path, context_turns=talk, labels=labels).strict


def test_gzipped_files_and_blank_lines_and_byte_order_marks_are_read(tmp_path: Path) -> None:
    text = "\ufeff\n" + json.dumps(row()) + "\r\n\n"
    packed = tmp_path / "play.jsonl.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    plain = tmp_path / "play.jsonl"
    plain.write_bytes(text.encode())
    assert anteval.read_examples(packed) == anteval.read_examples(plain) == (only(tmp_path),)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"labels": [{"character": "Sorrel", "skill": "juggling"}]}, 'no skill "juggling"'),
        (
            {"labels": [{"character": "Nobody", "skill": "stealth"}]},
            '"Nobody" is not one character',
        ),
        ({"labels": [{"skill": "stealth"}]}, "is not one character at the table"),
        (
            {"labels": [{"player": "Ines", "character": "Sorrel", "skill": "stealth"}]},
            '"Sorrel" is not one character',
        ),
        ({"labels": []}, "labels: expected at least 1 item"),
        ({"context_turns": []}, "context_turns: expected at least 1 item"),
        ({"candidates": []}, "candidates: expected at least 1 item"),
        ({"candidates": [*TABLE, {}]}, "expected a character or a player in each"),
        ({"candidates": [*TABLE, TABLE[0]]}, 'found "Bramble"'),
        ({"candidates": [*TABLE, {"character": "DM"}]}, 'found "DM"'),
        ({"episode": None}, "episode is missing"),
        ({"id": 7}, "id: expected a string, found 7"),
        ({"strict": "perhaps"}, 'strict: expected true or false, found "perhaps"'),
        ({"dm": "Ines"}, 'dm: expected a name outside candidates, found "Ines"'),
        ({"id": "one"}, "line 2: the id 'one' occurs twice"),
    ],
)
def test_a_wrong_row_is_refused_with_file_and_line(
    tmp_path: Path, changes: dict[str, object], sentence: str
) -> None:
    fields = row(id="two") | changes
    path = written(
        tmp_path, row(), {name: value for name, value in fields.items() if value is not None}
    )
    with pytest.raises(ConfigError) as error:
        anteval.read_examples(path)
    assert str(error.value).startswith(f"{path}, line 2: ")
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


def test_a_broken_line_is_refused_with_its_number(tmp_path: Path) -> None:
    path = tmp_path / "play.jsonl"
    path.write_text(json.dumps(row()) + '\n\n{"id": "two", \n')
    with pytest.raises(ConfigError, match=r"play\.jsonl, line 3: expected JSON, found"):
        anteval.read_examples(path)


def test_files_without_rows_or_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_text("\n \n")
    odd = tmp_path / "odd.jsonl"
    odd.write_bytes(b"\xff\xfe\x00")
    torn = tmp_path / "torn.jsonl.gz"
    torn.write_bytes(gzip.compress(json.dumps(row()).encode())[:-12])
    unpacked = tmp_path / "unpacked.jsonl.gz"
    unpacked.write_text(json.dumps(row()))
    for path, sentence in (
        (empty, "is empty; expected JSON lines"),
        (odd, "expected UTF-8"),
        (torn, "cannot be read"),
        (unpacked, "cannot be read"),
        (tmp_path / "absent.jsonl", "there is no such file"),
    ):
        with pytest.raises(ConfigError, match=sentence):
            anteval.read_examples(path)


def test_a_line_that_nests_too_deeply_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "deep.jsonl"
    path.write_text("[" * 200_000)
    with pytest.raises(ConfigError, match="line 1: expected JSON"):
        anteval.read_examples(path)


_names = st.text("abcDM é'", min_size=1, max_size=6).filter(lambda name: name != anteval.DM)
_texts = st.text(max_size=20)


@st.composite
def examples(draw: st.DrawFn) -> anteval.Example:
    seats = draw(st.lists(_names, min_size=1, max_size=4, unique=True))
    speakers = st.one_of(st.sampled_from([*seats, anteval.DM]), _names)
    turns = draw(st.lists(st.builds(anteval.Turn, speakers, _texts), min_size=1, max_size=5))
    labels = st.builds(anteval.Label, st.sampled_from(seats), st.sampled_from(anteval.SKILLS))
    return anteval.Example(
        id=draw(_names),
        group=draw(_names),
        turns=tuple(turns),
        candidates=tuple(seats),
        labels=draw(st.frozensets(labels, min_size=1, max_size=3)),
        strict=draw(st.booleans()),
    )


@given(some=st.lists(examples(), min_size=1, max_size=3, unique_by=lambda one: one.id))
def test_what_is_written_reads_back_the_same(
    tmp_path_factory: pytest.TempPathFactory, some: list[anteval.Example]
) -> None:
    path = tmp_path_factory.mktemp("round") / "play.jsonl"
    path.write_text("".join(map(json_line, some)), "utf-8")
    assert anteval.read_examples(path) == tuple(some)


def test_an_example_is_one_line(tmp_path: Path) -> None:
    line = json_line(only(tmp_path))
    assert line.count("\n") == 1
    assert list(json.loads(line)) == [
        "id",
        "episode",
        "dm",
        "candidates",
        "context_turns",
        "labels",
        "strict",
    ]


def test_an_import_keeps_the_examples_and_what_is_known_about_them(tmp_path: Path) -> None:
    source = written(tmp_path, row(), row(id="two", episode="night-2", strict=False))
    target = tmp_path / "home" / "nights"
    lines = import_dnd(source, target)
    assert lines == (
        "2 examples from 2 episodes (1.0 each), 2 labels, 1 strict example",
        "read: 2 rows",
    )
    assert sorted(each.name for each in target.iterdir()) == ["about.json", "examples.jsonl"]
    assert anteval.read_examples(target) == anteval.read_examples(source)
    about = json.loads((target / "about.json").read_text())
    assert about["source"] == "play.jsonl"
    assert str(tmp_path) not in (target / "about.json").read_text()
    assert (about["examples"], about["episodes"], about["strict"]) == (2, 2, 1)
    assert about["skills"] == {"perception": 2}
    assert len(about["sha256"]) == 64


def test_a_failed_import_leaves_nothing_behind(tmp_path: Path) -> None:
    source = written(tmp_path, row(), row())
    with pytest.raises(ConfigError, match="occurs twice"):
        import_dnd(source, tmp_path / "home" / "nights")
    assert [each.name for each in tmp_path.iterdir()] == ["play.jsonl"]


def test_an_import_never_writes_over_a_data_set(tmp_path: Path) -> None:
    source = written(tmp_path, row())
    import_dnd(source, tmp_path / "nights")
    with pytest.raises(ConfigError, match="File exists"):
        import_dnd(source, tmp_path / "nights")


def test_an_imported_folder_can_be_imported_again(tmp_path: Path) -> None:
    import_dnd(written(tmp_path, row()), tmp_path / "first")
    import_dnd(tmp_path / "first", tmp_path / "second")
    assert anteval.read_examples(tmp_path / "first") == anteval.read_examples(tmp_path / "second")


def test_the_shared_files_are_read_whole(shared_play: Path) -> None:
    train = anteval.read_examples(shared_play / "crd3_skill_checks.train.jsonl.gz")
    assert len(train) == 2192
    assert sum(len(example.labels) for example in train) == 2911
    assert sum(example.strict for example in train) == 1761
    assert len({example.group for example in train}) == 111
    speakers = [turn.speaker for example in train for turn in example.turns]
    assert "MATT" not in speakers
    assert speakers.count(anteval.DM) == 19073


def test_a_number_of_thousands_of_digits_is_no_traceback(tmp_path: Path) -> None:
    path = tmp_path / "big.jsonl"
    path.write_text('{"strict": ' + "9" * 6000 + "}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"big\.jsonl, line 1"):
        anteval.read_examples(path)


# ---------- `sociolab import` of real play: where it goes, and that a name is not taken twice


@pytest.fixture
def wanted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Import:
    monkeypatch.setenv("SOCIOLAB_HOME", str(tmp_path / "home"))
    return Import(written(tmp_path, row()), "nights", replace=False, store=None)


def test_real_play_comes_in_two_formats() -> None:
    assert {"dnd", "crd3"} <= set(world_formats())


def test_an_import_is_found_by_its_name(wanted: Import) -> None:
    lines = import_anything("dnd", wanted)
    assert lines[-1] == "train on it: sociolab gap --real nights --generated RUN"
    assert imported_names("dnd") == ("nights",)
    (example,) = anteval.read_examples(imported_folder("dnd", "nights"))
    assert example.labels == {("Sorrel", "perception")}


def test_an_import_may_be_imported_under_another_name(wanted: Import) -> None:
    import_anything("dnd", wanted)
    folder = imported_folder("dnd", "nights")
    import_anything("dnd", replace(wanted, path=folder, name="again"))
    assert imported_names("dnd") == ("again", "nights")


def test_a_name_is_not_taken_twice_without_replace(wanted: Import) -> None:
    import_anything("dnd", wanted)
    with pytest.raises(ConfigError, match="add --replace"):
        import_anything("dnd", wanted)
    import_anything("dnd", replace(wanted, replace=True))


def test_a_failed_replacement_keeps_what_was_there(wanted: Import) -> None:
    import_anything("dnd", wanted)
    written(wanted.path.parent, row(labels=[]))
    with pytest.raises(ConfigError, match="labels"):
        import_anything("dnd", replace(wanted, replace=True))
    assert len(anteval.read_examples(imported_folder("dnd", "nights"))) == 1
    assert imported_names("dnd") == ("nights",)


def test_a_name_that_is_no_file_name_is_refused(wanted: Import) -> None:
    with pytest.raises(StoreError, match="1 to 80 letters"):
        import_anything("dnd", replace(wanted, name="../nights"))


# ---------- what docs/import-dnd.md shows can be read, and its figures are those of the code


PAGE = (Path(__file__).parents[4] / "docs" / "import-dnd.md").read_text("utf-8")


def block(after: str) -> str:
    """The first block of code after a heading."""
    found = re.search(r"```\w*\n(.*?)```", PAGE[PAGE.index(after) :], re.DOTALL)
    assert found is not None
    return found[1]


def test_what_the_page_shows_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "play.jsonl"
    path.write_text(block("## The open format"))
    (example,) = anteval.read_examples(path)
    assert example.labels == {("Sorrel", "perception")}
    assert example.turns[0].speaker == anteval.DM
    assert example.strict


def test_the_page_tells_the_precision_of_the_hand_check() -> None:
    right, read = HAND_CHECK
    page = " ".join(PAGE.split())
    assert f"{right} of {read} examples have no wrong label" in page
    share, low, high = re.findall(r"([0-9.]+) %", hand_checked().replace("95 % interval", ""))
    assert f"{share} %" in page
    assert f"{low} to {high} %" in page
