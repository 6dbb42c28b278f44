"""The town of docs/towns.md, file by file: it checks, and two days are played in it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from cli.conftest import Sociolab

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "towns.md").read_text("utf-8")


def write_town(folder: Path) -> None:
    """The page's files: TOML blocks name theirs in their first line, JSON blocks come in order."""
    for text in re.findall(r"```toml\n# (.*?\n.*?)```", PAGE, re.DOTALL):
        name, _, rest = text.partition("\n")
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(rest, "utf-8")
    meta, tasks = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    (folder / "meta.json").write_text(meta, "utf-8")
    (folder / "tasks.jsonl").write_text(tasks, "utf-8")


def test_the_town_of_the_page_is_checked_and_played(sociolab: Sociolab, tmp_path: Path) -> None:
    folder = tmp_path / "orchard"
    write_town(folder)
    checked = sociolab("data", "check", str(folder), "--world", "stss")
    assert checked.code == 0, checked.err
    assert "1 task" in checked.out
    played = sociolab("run", "stss", "--data", str(folder), "--agent", "scripted", "--name", "own")
    assert played.code == 0, played.err


def test_the_town_drawn_in_tiled_is_checked_drawn_and_played(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    folder = tmp_path / "orchard"
    write_town(folder)
    shutil.copytree(DOCS / "examples" / "orchard", folder, dirs_exist_ok=True)
    twice = sociolab("data", "check", str(folder), "--world", "stss")
    assert (twice.code, "found map and map.tmx" in twice.sentence) == (2, True)
    shutil.rmtree(folder / "map")
    checked = sociolab("data", "check", str(folder), "--world", "stss")
    assert checked.code == 0, checked.err
    played = sociolab("run", "stss", "--data", str(folder), "--agent", "scripted", "--name", "own")
    assert played.code == 0, played.err
    picture = tmp_path / "town.png"
    drawn = sociolab("town", "picture", "--data", str(folder / "map.tmx"), "--out", str(picture))
    assert drawn.code == 0, drawn.err
    assert "Orchard, 2 sectors, 3 arenas" in drawn.err
    assert picture.stat().st_size > 1_000


def test_a_check_remarks_what_of_a_tiled_map_is_left_out(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    folder = tmp_path / "orchard"
    write_town(folder)
    shutil.rmtree(folder / "map")
    shutil.copytree(DOCS / "examples" / "orchard", folder, dirs_exist_ok=True)
    drawing = folder / "map.tmx"
    text = drawing.read_text("utf-8").replace('name="Things"', 'name="Decoration"', 1)
    drawing.write_text(text.replace('gid="7"', 'gid="1"'), "utf-8")
    checked = sociolab("data", "check", str(folder), "--world", "stss")
    assert checked.code == 0, checked.err
    assert '1 of class "grass"' in checked.out


def test_all_that_is_wrong_in_a_hand_drawn_town_is_named_with_file_and_line(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    folder = tmp_path / "orchard"
    write_town(folder)
    people, tasks = folder / "residents.toml", folder / "tasks.jsonl"
    people.write_text(people.read_text("utf-8").replace("Village Hall: hall", "Town Hall: hall"))
    tasks.write_text(tasks.read_text("utf-8").replace("{start}", "19:00"))
    done = sociolab("data", "check", str(folder), "--world", "stss")
    assert done.code == 2
    lines = enumerate(people.read_text("utf-8").splitlines(), 1)
    assert re.findall(r"residents.toml, line (\d+): .* found \"Town Hall: hall\"", done.err) == [
        str(number) for number, line in lines if "Town Hall" in line
    ]
    assert 'tasks.jsonl, line 1: task "choir-night": the goal says "19:00"' in done.err
