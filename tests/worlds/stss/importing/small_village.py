"""A village of our own in the form of the public files of STSS, for tests."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

PLAN = (
    "~~~~~~~~~~~~",
    "~##########~",
    "~#aaA#bbW#V~",
    "~#aaa#bbb##~",
    "~##.####.##~",
    "~#....ccC.#~",
    "~##########~",
    "~~~~~~~~~~~~",
)
"""~ open ground around, # wall, . street, a bar, b loft, c yard; W and V: walls of the loft with
things on them, V out of reach; A and C: things on floors."""

WIDTH, HEIGHT = len(PLAN[0]), len(PLAN)
SECTORS = ("11, Tinyburg, Duck Inn ", "12, Tinyburg, Mill House")
ARENAS = (
    "21, Tinyburg, Duck Inn, bar",
    "22, Tinyburg, Mill House, loft",
    "23, Tinyburg, Mill House, yard",
)
THINGS = (
    "31, Tinyburg, <all>, counter",
    "32, Tinyburg, <all>, wardrobe",
    "33, Tinyburg, <all>, bell",
    "34, Tinyburg, <all>, well",
)
NAMES = ("Ada Quill", "Bo Reed", "Cy Marsh", "Di Fenn")
DAY = "2031-05-02"

_CODES = {
    "collision": {"#": 9, "W": 9, "V": 9},
    "sector": {"a": 11, "A": 11} | dict.fromkeys("bWVcC", 12),
    "arena": {"a": 21, "A": 21, "c": 23, "C": 23} | dict.fromkeys("bWV", 22),
    "game_object": {"A": 31, "W": 32, "V": 33, "C": 34},
}


def matrix(what: str) -> list[int]:
    """The public form: one row of numbers, from the north-western tile on."""
    return [_CODES[what].get(sign, 0) for row in PLAN for sign in row]


def task(**changes: Any) -> dict[str, Any]:
    """A faultless task, a fair; `aim` changes the thing to be done in it."""
    aim = {
        "keyword": "quilt fair",
        "alter_kwd": ["Quilt", "quilt fair"],
        "start_time": f"{DAY} 14:00",
        "duration_in_minutes": 90,
        "location": "Duck Inn",
    }
    aim.update(changes.pop("aim", {}))
    fields: dict[str, Any] = {
        "goal": f"Hold a quilt fair at Duck Inn at {DAY} 14:00",
        "FPG": f"Ada Quill wants to hold a quilt fair at Duck Inn at {DAY} 14:00",
        "Description": f"Have 2 people come to the quilt fair at Duck Inn at {DAY} 14:00.",
        "task_type": "Party",
        "task": {"target": [], "target_num": 3, "goal": [aim]},
        "performer": "Ada Quill",
        "all_chars": list(NAMES),
    }
    return fields | changes


def appointment(**changes: Any) -> dict[str, Any]:
    """A faultless appointment of Ada Quill with Bo Reed."""
    aim = {
        "keyword": "tune the harp",
        "alter_kwd": ["harp"],
        "start_time": "N/A",
        "duration_in_minutes": 30,
        "location": "N/A",
    }
    told = f"Ada Quill wants to meet Bo Reed to tune the harp on {DAY}"
    return (
        task(
            goal=told,
            FPG=told,
            Description="Be with Bo Reed and tune the harp.",
            task_type="Personal appointment",
            task={"target": ["Bo Reed"], "target_num": 2, "goal": [aim]},
        )
        | changes
    )


def help_wanted(**changes: Any) -> dict[str, Any]:
    """A faultless request: fetch rope at the inn, bring it to the yard."""
    told = f"Ada Quill wants somebody to fetch rope on {DAY}."
    parts = [
        {
            "keyword": f"{verb} rope",
            "alter_kwd": ["rope"],
            "start_time": "N/A",
            "duration_in_minutes": 5,
            "location": place,
        }
        for verb, place in (("fetch", "duck inn"), ("bring", "Mill House:yard"))
    ]
    return (
        task(
            goal=told,
            FPG=told,
            Description="Rope goes from Duck Inn to Mill House:yard.",
            task_type="Ask for others",
            task={"target": [], "target_num": 1, "goal": parts},
        )
        | changes
    )


def persona(name: str, **changes: Any) -> dict[str, Any]:
    """What a persona's file says."""
    fields = {
        "name": name,
        "age": 41,
        "innate": "brisk",
        "learned": f"{name} mends clocks.",
        "currently": f"{name} looks for a spring.",
        "lifestyle": "Up at 6am, in bed at 10pm.",
        "living_area": "Tinyburg:Mill House:loft",
        "daily_plan_req": "Opens the shop at 9am. ",
        "vision_r": 8,
    }
    return fields | changes


MEMORY = {"Tinyburg": {"Mill House": {"loft": ["wardrobe"], "yard": []}, "Duck Inn": {"bar": []}}}


def write_village(
    folder: Path,
    tasks: Sequence[Mapping[str, Any]] | None = None,
    more_tasks: Sequence[Mapping[str, Any]] = (),
) -> Path:
    """The village in the layout of the shared folder."""
    _write_map(folder / "map")
    people = folder / "personas" / "clipped_the_ville_n25"
    put_json(people / "meta.json", {"persona_names": NAMES, "step": 0})
    for name in NAMES:
        write_persona(people / name, name)
    put_json(folder / "tasks" / "tasks.json", [task()] if tasks is None else list(tasks))
    put_json(folder / "tasks" / "tasks_dlc.json", list(more_tasks))
    return folder


def write_clone(folder: Path) -> Path:
    """The village in the layout of a clone, with the other base and a hidden folder beside it."""
    storage = folder / "environment" / "frontend_server" / "storage"
    _write_map(folder / "environment" / "frontend_server" / "static" / "the_ville" / "matrix")
    for base, first in (("base_the_ville_n25", "somebody else"), ("clipped_the_ville_n25", "")):
        put_json(storage / base / "reverie" / "meta.json", {"persona_names": NAMES})
        for name in NAMES:
            inside = storage / base / "personas" / name / "bootstrap_memory"
            write_persona(inside, name, learned=first or f"{name} mends clocks.")
    put_json(folder / ".git" / "tasks.json", "not to be read")
    put_json(folder / "environment" / "data" / "task_1" / "tasks.json", [task()])
    put_json(folder / "environment" / "data" / "task_1" / "tasks_dlc.json", [])
    return folder


def write_persona(folder: Path, name: str, memory: Any = MEMORY, **changes: Any) -> None:
    """The two files of a persona."""
    put_json(folder / "scratch.json", persona(name, **changes))
    put_json(folder / "spatial_memory.json", memory)


def put_json(path: Path, value: Any) -> None:
    """A JSON file, its folders made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1), "utf-8")


def _write_map(folder: Path) -> None:
    put_json(folder / "maze_meta_info.json", {"maze_width": WIDTH, "maze_height": HEIGHT})
    lists = {
        "world": ("10, Tinyburg",),
        "sector": SECTORS,
        "arena": ARENAS,
        "game_object": THINGS,
    }
    for what, lines in lists.items():
        path = folder / "special_blocks" / f"{what}_blocks.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines), "utf-8")
    for what in _CODES:
        path = folder / "maze" / f"{what}_maze.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(", ".join(str(number) for number in matrix(what)), "utf-8")
