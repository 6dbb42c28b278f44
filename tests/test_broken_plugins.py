"""A mistake of a plugin's author is told in a sentence with its place, and stops no other world."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from sociolab.cli.main import _run
from sociolab.store import Store
from web_serving import served

Capture: TypeAlias = pytest.CaptureFixture[str]

WORLD = """
from dataclasses import dataclass
from pydantic import BaseModel
import sociolab.plugin.api as lab

SAY = lab.ActionKind("say", spoken=True)
SCENE = lab.OpenScene({"a": "You are A.", "b": "You are B."}, lab.ActionSpace((SAY,)), limit=2)

class Asked(BaseModel):
    pass

@dataclass
class World:
    name: str = "clumsy"
    data = lab.DataId("own", "1", "1")
    def tasks(self):
        return [lab.Task("t", ("a", "b"), "t", "{}")]
    def play(self, task, trial, seed):
        return lab.play(SCENE, trial=trial, seed=seed)
    def transcript(self, episode, seat=None):
        return SCENE.transcript("Clumsy", episode, seat)

class Player:
    async def reply(self, request, memory):
        return lab.Reply((lab.Action("say", "Hello."),))

class Judge:
    id = lab.JudgeId("words", "rules")
    async def judge(self, episode, judging=0):
        return (lab.Score(lab.Measure("words", 0, 9), "a", 1),)

def load(setup):
    players, judges = {"scripted": Player()}, {"words": Judge()}
    return lab.WorldKit(World(), players, judges, (), lambda model: Judge())

def imports(wanted, fresh):
    fresh.mkdir()
    return []

def rating():
    return lab.RatingGuide((), lambda episode: None)

def sidebar(episode, judgings):
    return lab.Sidebar()

def remarks(world):
    return []

async def command(context, asked):
    return lab.Findings(())

declared = lab.Declared(cluster="talk")
"""

PLUGIN = """
plugin = lab.WorldPlugin(
    "clumsy", load, declared=declared, importers={"clumsy-data": lab.Importer(imports, "")},
    guides={"dimensions": rating}, sidebar=sidebar, remarks=remarks,
    tools={"clumsy-tool": lambda: lab.Tool(Asked, command)},
)
"""

RAISES = "    return {}['missing']"
PLACE = r"KeyError: 'missing' \(clumsy_world\.py, line \d+, in \w+\)"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package with a world, which can be broken; the module is read afresh each time."""
    folder = tmp_path / "site"
    info = folder / "clumsy_world-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: clumsy-world\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[sociolab.worlds]\nclumsy = clumsy_world:plugin\n")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("SOCIOLAB_HOME", str(tmp_path / "lab"))
    monkeypatch.setenv("SOCIOLAB_STORE", str(tmp_path / "s.db"))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    write(folder, "")
    yield folder
    forget()


def forget() -> None:
    """Have the module read afresh."""
    sys.modules.pop("clumsy_world", None)
    importlib.invalidate_caches()


def write(folder: Path, broken: str) -> None:
    """The package with its mistake: what comes last counts."""
    (folder / "clumsy_world.py").write_text(f"{WORLD}\n{broken}\n{PLUGIN}")
    forget()


def sociolab(capsys: Capture, *words: str) -> tuple[int, str]:
    """The exit code of a command, and what it prints, as one line; a traceback is no answer."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sys, "argv", ["sociolab", *words])
        code = _run()
    printed = capsys.readouterr()
    told = " ".join(f"{printed.out} {printed.err}".split())
    assert "Traceback" not in told
    return code, told


@pytest.mark.parametrize(
    ("broken", "words", "told"),
    [
        ("raise ValueError('no')", ("run", "clumsy"), r"cannot be loaded: ValueError: no"),
        (
            "declared = 3",
            ("run", "clumsy"),
            r"expected the type Declared for its declared, found 3 \(clumsy_world",
        ),
        (
            "def load(setup): return None",
            ("run", "clumsy"),
            r"expected the type WorldKit for its set-up, found None \(clumsy_world\.py, line \d+\)",
        ),
        (
            "def load(): return None",
            ("run", "clumsy"),
            r"breaks in its set-up: TypeError: load\(\) .* \(clumsy_world\.py, line \d+\)",
        ),
        (f"def load(setup):\n{RAISES}", ("run", "clumsy"), rf"breaks in its set-up: {PLACE}"),
        (f"def tasks(self):\n{RAISES}\nWorld.tasks = tasks", ("run", "clumsy"), rf"tasks: {PLACE}"),
        (
            "World.tasks = lambda self: None",
            ("run", "clumsy"),
            r"expected the type Sequence for its tasks, found None \(clumsy_world\.py, line",
        ),
        (f"def data(self):\n{RAISES}\nWorld.data = property(data)", ("run", "clumsy"), PLACE),
        (
            f"def remarks(world):\n{RAISES}",
            ("data", "check", ".", "--world", "clumsy"),
            rf"remarks: {PLACE}",
        ),
        (
            f"def imports(wanted, fresh):\n{RAISES}",
            ("import", "clumsy-data", "x", "--name", "n"),
            rf"breaks in its importer clumsy-data: {PLACE}",
        ),
        (
            f"async def command(context, asked):\n{RAISES}",
            ("clumsy-tool",),
            rf"breaks in its command clumsy-tool: {PLACE}",
        ),
    ],
)
def test_a_mistake_is_one_sentence_with_its_place(
    package: Path, broken: str, words: tuple[str, ...], told: str, capsys: Capture
) -> None:
    write(package, broken)
    code, said = sociolab(capsys, *words)
    assert code == 1, said
    assert re.search(told, said), said


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        (
            "def play(self, task, trial, seed):\n    yield {}['missing']\nWorld.play = play",
            PLACE,
        ),
        (f"def play(self, task, trial, seed):\n{RAISES}\nWorld.play = play", PLACE),
        (
            "def play(self, task, trial, seed):\n    yield from ()\nWorld.play = play",
            r"expected the type Ended for its last event of a play, found None \(clumsy_world",
        ),
    ],
)
def test_a_play_that_breaks_is_a_failed_episode(
    package: Path, broken: str, told: str, capsys: Capture
) -> None:
    write(package, broken)
    code, said = sociolab(capsys, "run", "clumsy", "--name", "first")
    assert code == 1, said
    assert re.search(told, said), said


def test_a_transcript_that_breaks_hides_no_figure_and_no_other_page(
    package: Path, capsys: Capture
) -> None:
    write(package, "")
    for world in ("clumsy", "ours"):
        asked = ("clumsy",) if world == "clumsy" else ("sotopia", "--limit", "1")
        judge = "words" if world == "clumsy" else "heuristic"
        sociolab(capsys, "run", *asked, "--judge", judge, "--name", world)
    with Store.open(package.parent / "s.db") as store:
        trials = {run: store.trial_ids(run)[0] for run in ("clumsy", "ours")}
    for broken in (
        f"def transcript(self, episode, seat=None):\n{RAISES}\nWorld.transcript = transcript",
        f"def sidebar(episode, judgings):\n{RAISES}",
        "raise ValueError('no')",
    ):
        write(package, broken)
        code, said = sociolab(capsys, "show", trials["clumsy"])
        assert "sidebar" in broken or (code == 1 and "clumsy" in said), said
        for words in (("report", "clumsy"), ("report", "ours"), ("show", trials["ours"])):
            assert sociolab(capsys, *words)[0] == 0, words
        for words in (("list", "worlds"), ("list", "runs"), ("list", "data")):
            assert sociolab(capsys, *words)[0] == 0
        with served(package.parent / "s.db") as address:
            for run, trial in trials.items():
                assert page(f"{address}/runs/{run}")[0] == 200
                status, text = page(f"{address}/runs/{run}/episodes/{trial}")
                assert status == 200 or run == "clumsy"
                assert "Traceback" not in text
            status, text = page(f"{address}/runs/clumsy/episodes/{trials['clumsy']}")
            assert status == 200 or "clumsy" in text, text
            assert page(f"{address}/studies/new")[0] in (200, 404)


def test_two_packages_with_a_world_of_one_name_stop_only_that_world(
    package: Path, capsys: Capture
) -> None:
    info = package / "other-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[sociolab.worlds]\nclumsy = other:plugin\n")
    forget()
    code, said = sociolab(capsys, "run", "clumsy")
    assert (code, "two plugins are called" in said) == (2, True)
    assert sociolab(capsys, "run", "sotopia", "--limit", "1", "--judge", "heuristic")[0] == 0


def page(address: str) -> tuple[int, str]:
    """The status of a page, and what stands on it."""
    try:
        with urlopen(address, timeout=30) as answer:
            return answer.status, answer.read().decode()
    except HTTPError as error:
        return error.code, error.read().decode()
