"""A whole import: people, the folder that it makes, what it prints, and files it cannot read."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from sociolab.core import ConfigError
from sociolab.worlds import stss
from worlds.stss.importing.small_village import (
    appointment,
    help_wanted,
    put_json,
    task,
    write_clone,
    write_persona,
    write_village,
)

MAZE, BLOCKS = Path("map/maze"), Path("map/special_blocks")
PEOPLE = Path("personas/clipped_the_ville_n25")
TASKS = Path("tasks/tasks.json")


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "imported" / "set"


def test_an_import_is_read_again_as_a_town_with_people_and_tasks(
    tmp_path: Path, target: Path
) -> None:
    source = write_village(tmp_path / "v", [task(), appointment()], [help_wanted()])
    report = stss.import_stss(source, target, "tiny")
    data = stss.read_town(target)
    assert (data.name, data.town.name, len(data.residents)) == ("tiny", "Tinyburg", 4)
    assert [one.id for one in data.tasks] == [
        "stss-01-quilt-fair",
        "stss-02-tune-the-harp",
        "stss-03-fetch-rope",
    ]
    assert report.lines == (
        "2 sectors, 3 arenas, 4 kinds of object, 4 residents, 3 of 3 tasks",
        "walkable tiles that cannot be reached from the town: 36 (map)",
    )


def test_a_resident_keeps_what_the_persona_says(village: Path, target: Path) -> None:
    stss.import_stss(village, target, "tiny")
    ada = stss.read_town(target).residents[0]
    assert (ada.id, ada.name, ada.age, ada.innate) == ("ada-quill", "Ada Quill", 41, "brisk")
    assert (ada.living_area, ada.routine) == ("Mill House: loft", "Opens the shop at 9am.")
    assert ada.knows == ("Mill House: loft", "Mill House: yard", "Duck Inn: bar")


def test_a_resident_knows_their_home_and_no_place_that_is_not_there(
    village: Path, target: Path
) -> None:
    memory: object = {"Tinyburg": {"Duck Inn": {"bar": []}, "Mill House": {"attic": []}}}
    write_persona(village / PEOPLE / "Bo Reed", "Bo Reed", memory)
    report = stss.import_stss(village, target, "tiny")
    assert stss.read_town(target).residents[1].knows == ("Duck Inn: bar", "Mill House: loft")
    assert [(d.kind, d.where) for d in report.defects[1:]] == [
        (stss.DefectKind.UNKNOWN_KNOWLEDGE, "Bo Reed"),
        (stss.DefectKind.HOME_UNKNOWN, "Bo Reed"),
    ]


def test_a_task_adds_to_what_its_cast_or_its_performer_knows(tmp_path: Path, target: Path) -> None:
    little: object = {"Tinyburg": {"Mill House": {"loft": []}}}
    shared = {"Duck Inn": {"bar": ["counter"]}}
    tasks = [task(all_chars=["Ada Quill", "Bo Reed"], shared_spatial_mem=shared)]
    tasks.append(appointment(required_spatial_mem={"Mill House": {"yard": []}}))
    source = write_village(tmp_path / "v", tasks)
    for name in ("Ada Quill", "Bo Reed", "Cy Marsh"):
        write_persona(source / PEOPLE / name, name, little)
    stss.import_stss(source, target, "tiny")
    ada, bo, cy, _ = stss.read_town(target).residents
    assert ada.knows == ("Mill House: loft", "Duck Inn: bar", "Mill House: yard")
    assert bo.knows == ("Mill House: loft", "Duck Inn: bar")
    assert cy.knows == ("Mill House: loft",)


HISTORY = """Name,Whisper
Ada Quill,"Bo Ree is your cousin, and Bo Reed is at home; You met Cy Marsh, your neighbour; \\
You hum to Cy Marshall; You hold a fair at the inn at 3 p.m."
Bo Reed,"You and Cy Marsh are old rivals; Your cousin, Ada Quill and Cy Marsh, and Bo Reed, sing"
Eve Nobody,You live elsewhere
Bo Reed,You paint
"""


@pytest.mark.parametrize("correct", [False, True])
def test_seed_memories_make_ties_and_names_are_put_right(
    village: Path, target: Path, correct: bool
) -> None:
    (village / "personas" / "agent_history_init_n25.csv").write_text(HISTORY.replace("\\\n", ""))
    report = stss.import_stss(village, target, "tinyburg", correct=correct)
    ada, bo, *others = stss.read_town(target).residents
    dated = () if correct else ("You hold a fair at the inn at 3 p.m.",)
    assert ada.memories == (
        "Bo Reed is your cousin, and Bo Reed is at home",
        "You met Cy Marsh, your neighbour",
        "You hum to Cy Marshall",
        *dated,
    )
    assert ada.ties == {
        "Bo Reed": "your cousin, and Bo Reed is at home",
        "Cy Marsh": "your neighbour",
    }
    assert bo.memories[2:] == ("You paint",)
    assert bo.ties == {"Ada Quill": bo.memories[1], "Cy Marsh": "old rivals"}
    assert not any(one.memories or one.ties for one in others)
    found = [(one.kind, one.where, one.found) for one in report.defects]
    assert (stss.DefectKind.MISSPELT_NAME, "Ada Quill", "Bo Ree") in found
    assert (stss.DefectKind.NOBODYS_HISTORY, "Eve Nobody", "agent_history_init_n25.csv") in found


@pytest.mark.parametrize(
    ("text", "words"),
    [("Who,What\n", "line 1: expected the columns"), ("Name,Whisper\nAda Quill\n", "line 2: ")],
)
def test_a_history_that_cannot_be_read_is_told_by_line(
    village: Path, target: Path, text: str, words: str
) -> None:
    (village / "personas" / "agent_history_init_n25.csv").write_text(text)
    with pytest.raises(ConfigError, match=words):
        stss.import_stss(village, target, "tinyburg")
    assert not target.exists()


def test_a_clone_gives_the_same_data_from_the_clipped_personas(
    village: Path, tmp_path: Path, target: Path
) -> None:
    stss.import_stss(village, target, "tiny")
    stss.import_stss(write_clone(tmp_path / "clone"), tmp_path / "other", "tiny")
    assert stss.read_town(tmp_path / "other").hash == stss.read_town(target).hash


def test_the_version_changes_with_the_files_and_with_correction(
    village: Path, tmp_path: Path
) -> None:
    def version(name: str, *, correct: bool = False) -> str:
        stss.import_stss(village, tmp_path / name, "tiny", correct=correct)
        return stss.read_town(tmp_path / name).version

    plain = version("one")
    assert version("two") == plain
    assert version("three", correct=True) != plain
    put_json(village / TASKS, [appointment()])
    assert version("four") != plain


def test_the_report_tells_kinds_in_few_lines_and_the_folder_keeps_every_defect(
    tmp_path: Path, target: Path
) -> None:
    odd = task(performer_choices=["Bo Reed"])
    wrong = [task(aim={"location": "Duck Innn"}), odd, odd]
    source = write_village(tmp_path / "v", wrong, [appointment()])
    report = stss.import_stss(source, target, "tiny")
    assert report.lines == (
        "2 sectors, 3 arenas, 4 kinds of object, 4 residents, 3 of 4 tasks",
        "left out, as nobody could play them: task 1",
        "3 defects of tasks, left as they are; --correct mends what can be mended "
        "(each in about.json)",
        "places that are not on the map: 1 (task 1)",
        "performers who are none of the choices: 2 (task 2, 3)",
        "walkable tiles that cannot be reached from the town: 36 (map)",
    )
    about = json.loads((target / "about.json").read_text("utf-8"))
    assert about["defects"][1] == {
        "kind": "places that are not on the map",
        "where": "task 1",
        "field": "task.goal.0.location",
        "found": "Duck Innn",
        "correction": "Duck Inn",
        "count": 1,
    }
    assert about["left_out"] == [1]


def edited(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


def cells(count: int) -> str:
    return ", ".join(["0"] * count)


# Each: what is done to the files, which file (and line or index) is named, and what is said of it.
BAD: Mapping[str, tuple[Callable[[Path], object], str, str]] = {
    "no folder": (lambda v: v.rename(v.parent / "gone"), "expected a folder", "village"),
    "no matrix": (lambda v: (v / MAZE / "arena_maze.csv").unlink(), "arena_maze.csv", "there is"),
    "no people": (
        lambda v: (v / PEOPLE / "meta.json").unlink(),
        "meta.json",
        "there is none",
    ),
    "no second list": (lambda v: (v / "tasks/tasks_dlc.json").unlink(), "tasks_dlc.json", "none"),
    "no persona": (
        lambda v: (v / PEOPLE / "Bo Reed" / "scratch.json").unlink(),
        "Bo Reed/scratch.json",
        "there is no such file",
    ),
    "broken JSON": (
        lambda v: edited(v / TASKS, '"goal":', '"goal"'),
        "tasks.json, line 3",
        "expected JSON",
    ),
    "too few numbers": (
        lambda v: (v / MAZE / "collision_maze.csv").write_text(cells(95)),
        "collision_maze.csv",
        "expected 12 x 8 = 96 numbers, found 95",
    ),
    "no number": (
        lambda v: edited(v / MAZE / "arena_maze.csv", "0, 0", "0, x"),
        "arena_maze.csv, number 2 (column 1, row 0)",
        "found 'x'",
    ),
    "unknown block": (
        lambda v: edited(v / MAZE / "game_object_maze.csv", " 31,", " 77,"),
        "game_object_maze.csv, number 29 (column 4, row 2)",
        "77 is none of the known",
    ),
    "block without name": (
        lambda v: edited(v / BLOCKS / "arena_blocks.csv", "Duck Inn, bar", "Duck Inn"),
        "arena_blocks.csv, line 1",
        "expected a number and 3 names",
    ),
    "block twice": (
        lambda v: edited(v / BLOCKS / "arena_blocks.csv", "23,", "22,"),
        "arena_blocks.csv, line 3",
        "22 comes a second time",
    ),
    "arena twice": (
        lambda v: edited(v / BLOCKS / "arena_blocks.csv", "yard", "loft"),
        "arena_blocks.csv, line 3",
        "'Mill House: loft' comes a second time",
    ),
    "arena of no sector": (
        lambda v: edited(v / BLOCKS / "arena_blocks.csv", "Duck Inn", "Swan Inn"),
        "arena_blocks.csv, line 1",
        "'Swan Inn'",
    ),
    "matrices disagree": (
        lambda v: edited(v / MAZE / "sector_maze.csv", " 11,", " 12,"),
        "sector_maze.csv: column 2, row 2",
        "'Mill House'",
    ),
    "no world": (
        lambda v: (v / BLOCKS / "world_blocks.csv").write_text("\n"),
        "world_blocks.csv",
        "found none",
    ),
    "no room to sleep": (
        lambda v: edited(v / PEOPLE / "Bo Reed" / "scratch.json", "House:loft", "House:attic"),
        "Bo Reed/scratch.json: living_area",
        "found 'Tinyburg:Mill House:attic'",
    ),
    "name without letters": (
        lambda v: edited(v / PEOPLE / "Bo Reed" / "scratch.json", '"name": "Bo', '"name": "1 Bo'),
        "Bo Reed/scratch.json: id",
        'found "1-bo-reed"',
    ),
    "person twice": (
        lambda v: put_json(v / PEOPLE / "meta.json", {"persona_names": ["Bo Reed", "Bo Reed"]}),
        "meta.json",
        "'Bo Reed' comes a second time",
    ),
    "no list": (lambda v: put_json(v / TASKS, {}), "tasks.json", "expected a list of tasks"),
    "unknown type": (
        lambda v: put_json(v / TASKS, [task(), task(task_type="Duel")]),
        "tasks.json, task 2: task_type",
        'found "Duel"',
    ),
    "help in one part": (
        lambda v: put_json(v / TASKS, [task(task_type="Ask for others")]),
        "tasks.json, task 1: task.goal",
        "expected 2",
    ),
    "party at no time": (
        lambda v: put_json(v / TASKS, [task(aim={"start_time": "N/A"})]),
        "tasks.json, task 1: task.goal.0.start_time",
        "found 'N/A'",
    ),
    "no such date": (
        lambda v: put_json(v / TASKS, [task(aim={"start_time": "2031-02-30 14:00"})]),
        "tasks.json, task 1",
        "'2031-02-30'",
    ),
    "no date": (
        lambda v: put_json(v / TASKS, [appointment(goal="", FPG="Tune the harp")]),
        "tasks.json, task 1",
        'expected a date "YYYY-MM-DD"',
    ),
    "met by nobody": (
        lambda v: put_json(v / TASKS, [task(task_type="Personal appointment")]),
        "tasks.json, task 1: task.target",
        "found 0",
    ),
    "nothing to play": (
        lambda v: put_json(v / TASKS, [task(aim={"location": "Duck In"})]),
        "tasks.json",
        "can be played",
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_what_cannot_be_read_is_told_in_one_sentence_and_leaves_nothing(
    village: Path, target: Path, what: str
) -> None:
    spoil, where, why = BAD[what]
    spoil(village)
    with pytest.raises(ConfigError) as caught:
        stss.import_stss(village, target, "tiny")
    sentence = str(caught.value)
    assert where in sentence
    assert why in sentence
    assert "\n" not in sentence
    assert not target.parent.exists()


def test_a_folder_that_is_there_is_not_written_over(village: Path, target: Path) -> None:
    target.mkdir(parents=True)
    with pytest.raises(ConfigError, match="File exists"):
        stss.import_stss(village, target, "tiny")
    assert list(target.iterdir()) == []
