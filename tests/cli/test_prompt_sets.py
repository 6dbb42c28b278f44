"""A set of prompts from the command line: played, judged again by another, and named everywhere."""

from __future__ import annotations

import csv
import json
import shutil
from importlib.resources import files
from pathlib import Path

import pytest

from cli.conftest import Sociolab
from small_package import SOURCES
from sociolab import RunConfig
from sociolab.app.run.config import over_prompts
from sociolab.core import Instructions
from sociolab.endpoint import EndpointSettings, start_in_process
from sociolab.store import Store
from sociolab.studies import StudySettings, create_study
from sociolab.worlds import sotopia

OURS = "instructions: paraphrased (not the authors' text)"
MINE = "unverified (not compared with the authors' text)"


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """Ours with one word changed in what the judge and a seat are told."""
    folder = tmp_path / "mine"
    shutil.copytree(Path(str(files(sotopia.PACKAGE))) / "prompts" / "paper", folder)
    for name in ("judge_head.md", "act_tail.md"):
        file = folder / name
        file.write_text(file.read_text("utf-8") + "\nThink twice.\n", "utf-8")
    manifest = folder / "manifest.toml"
    manifest.write_text(manifest.read_text("utf-8").replace("paraphrased", "unverified"), "utf-8")
    return folder


def test_a_set_is_played_and_judged_by_and_stands_below_every_table(
    sociolab: Sociolab, tmp_path: Path, mine: Path
) -> None:
    with start_in_process(EndpointSettings(characters=60)) as endpoint:
        models = (
            "--agent",
            "openai/x",
            "--agent",
            "openai/y",
            "--judge",
            "openai/j",
            "--base-url",
            endpoint.url,
        )
        play = ("run", "sotopia", *models, "--limit", 2, "--set", "turns=2")
        ours = sociolab(*play, "--name", "a", "--json").document
        theirs = sociolab(*play, "--name", "b", "--set", f"prompts={mine}", "--json").document
        refused_too = sociolab("compare", "b", "a", "--agent", "openai/x")
        again_b = ("judge", "b", "--judge", "openai/k", "--base-url", endpoint.url)
        assert sociolab(*again_b, "--set", "prompts=paper").code == 0
        assert sociolab("judge", "a", *again_b[2:]).code == 0
        apart = sociolab("compare", "b", "a", "--agent", "openai/x", "--judge", "openai/k")
        again = ("judge", "a", "--judge", "openai/j", "--base-url", endpoint.url)
        done = sociolab(*again, "--set", f"prompts={mine}", "--json")
        assert done.code == 0, done.err
        refused = sociolab(*again, "--set", "turns=3")
    told = [one["settings"]["instructions"] for one in (ours, theirs)]
    assert [(one["name"], one["standing"]) for one in told] == [
        ("paper", "paraphrased"),
        ("mine", "unverified"),
    ]
    assert ours["data"]["hash"] != theirs["data"]["hash"]
    judges = {one["judge"]: one["prompts"] for one in done.document["judges"]}
    assert {one["standing"] for one in judges.values() if one} == {"paraphrased", "unverified"}
    assert (refused.code, "expected prompts=NAME" in refused.sentence) == (2, True)

    assert "with different prompts or settings" in refused_too.sentence
    assert "The runs differ in instructions: mine, unverified," in " ".join(apart.out.split())
    files = ("--latex", "b.tex", "--csv", "b.csv")
    shown = sociolab("report", "b", "--full", "--judge", "openai/j", *files).out
    assert f"instructions: {MINE}" in " ".join(shown.split())
    assert f"Instructions: {MINE.replace('_', '')}" in (tmp_path / "b.tex").read_text("utf-8")
    rows = list(csv.DictReader((tmp_path / "b.csv").read_text("utf-8").splitlines()))
    assert MINE in {row["instructions"] for row in rows if row["judge"] == "openai/j"}
    mixed = " ".join(sociolab("report", "a", "--full").out.split())
    assert f"of the agents: {OURS.partition(': ')[2]}" in mixed
    first = next(name for name, one in judges.items() if one and one["standing"] == "paraphrased")
    for verb in ("rank", "compare"):
        found = sociolab(verb, "a", "--judge", first)
        assert OURS in " ".join(found.out.split()), found.err


def test_a_run_under_a_folder_of_prompts_goes_on_from_another_folder(
    sociolab: Sociolab, mine: Path
) -> None:
    """By its whole path, from whatever folder it was named."""
    play = ("run", "sotopia", "--limit", 1, "--name", "a")
    first = sociolab(*play, "--set", "prompts=./mine", "--json").document
    assert first["settings"]["world_settings"] == {"prompts": str(mine.resolve())}
    assert sociolab(*play, "--set", f"prompts={mine}").code == 0
    assert "the path of a folder" in sociolab(*play, "--set", "prompts=mine").sentence


def test_an_imported_set_is_played_judged_and_compared(sociolab: Sociolab, tmp_path: Path) -> None:
    """The stand-in answers by the schemas in the text of its prompts: no turn, no score fails."""
    for name, text in SOURCES.items():
        file = tmp_path / "package" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    assert sociolab("import", "prompts", "sotopia", tmp_path / "package", "--name", "own").code == 0
    with start_in_process(EndpointSettings(characters=60)) as endpoint:
        at = ("--base-url", endpoint.url)
        models = ("--agent", "openai/x", "--judge", "openai/j", "--limit", 2, "--set", "turns=4")
        played = sociolab(
            "run", "sotopia", *models, *at, "--set", "prompts=own", "--name", "a", "--json"
        ).document
        assert (played["failures"]["turns"], played["failures"]["scores"]) == ({}, {})
        scores = [one for one in played["scores"] if one["measure"] == "goal"]
        assert {one["n"] for one in scores if not one["by"]} == {4}
        paper = ("--judge", "openai/j", *at, "--set", "prompts=paper")
        assert sociolab("judge", "a", *paper).code == 0
        found = " ".join(sociolab("compare", "a", "--by", "prompts").out.split())
        assert "This compares two sets of instructions to the judge." in found


def test_runs_of_two_sets_are_compared_by_the_set_that_a_judge_used_in_both(
    sociolab: Sociolab, mine: Path
) -> None:
    """One run is judged under a second set too, and the sets have players at other temperatures."""
    manifest = mine / "manifest.toml"
    text = manifest.read_text("utf-8")
    manifest.write_text(text.replace("agent = 1.0", "agent = 0.5"), "utf-8")
    with start_in_process(EndpointSettings(characters=60)) as endpoint:
        at, by = ("--base-url", endpoint.url), ("--judge", "openai/j")
        play = ("run", "sotopia", "--agent", "openai/x", "--limit", 2, "--set", "turns=2", *at)
        assert sociolab(*play, "--name", "a", *by).code == 0
        own = ("--set", f"prompts={mine}")
        assert sociolab("judge", "a", *by, *at, *own).code == 0
        assert sociolab(*play, "--name", "b", "--judge", "none", *own).code == 0
        assert sociolab("judge", "b", *by, *at, "--set", "prompts=paper").code == 0
    for order in (("a", "b"), ("b", "a")):
        found = sociolab("compare", *order, "--by", "prompts", *by)
        told = " ".join(found.out.split())
        assert found.code == 0, found.err
        assert "This compares two sets of instructions to the players" in told
        assert (
            "the agent, openai/x, at the temperature that each set says, and the judge, openai/j,"
            in told
        )


def test_agreement_says_when_judge_and_raters_had_different_instructions(
    sociolab: Sociolab, tmp_path: Path, mine: Path
) -> None:
    """Raters of a study have the instructions of `paper`; so has the first judge, not the other."""
    with start_in_process(EndpointSettings(characters=60)) as endpoint:
        at = ("--judge", "openai/j", "--base-url", endpoint.url)
        sociolab("run", "sotopia", "--limit", 2, "--name", "a", *at)
        sociolab("judge", "a", *at, "--set", f"prompts={mine}")
    episodes = sociolab("list", "episodes", "--run", "a", "--json").document["episodes"]
    rows = [
        {"episode": e["episode"][:10], "seat": seat, "rater": r, "dimension": "goal", "score": 3}
        for e in episodes
        for seat in e["task"].split(".")[1:]
        for r in ("r1", "r2")
    ]
    file = tmp_path / "r.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    assert sociolab("import", "ratings", file, "--run", "a").code == 0
    assert "different instructions" in (before := " ".join(sociolab("agree", "a").out.split()))
    assert "people had different" not in before  # of imported raters nothing is known
    told = sotopia.rating_guide().instructions
    assert told is not None
    with Store.open(next(tmp_path.rglob("*.db"))) as store:
        study = create_study(
            store, "s", StudySettings.model_validate({"title": "S", "rate": {"run": "a"}})
        )
        assert isinstance(study.settings, dict)
        assert study.settings["rated_by"] == told.as_json()
        store.studies.create("people", "rate", {"rated_by": told.as_json()}, "a")
    after = " ".join(sociolab("agree", "a").out.split())
    assert after.count("and people had different instructions (unverified,") == 1


def test_instructions_are_one_by_their_hash() -> None:
    assert Instructions("a", "paraphrased", "1").note == OURS


# ------------------------------------------------------------------ sets as a factor


@pytest.fixture
def three(tmp_path: Path) -> list[str]:
    """Paths of three sets that differ in what a seat is told."""
    paths = []
    for name in ("one", "two", "three"):
        folder = tmp_path / name
        shutil.copytree(Path(str(files(sotopia.PACKAGE))) / "prompts" / "paper", folder)
        with (folder / "act_head.md").open("a", encoding="utf-8") as file:
            file.write(f"\nThis is set {name}.\n")
        paths.append(str(folder))
    return paths


def test_several_sets_are_played_as_a_run_each_and_count_as_a_source_of_error(
    sociolab: Sociolab, three: list[str]
) -> None:
    with start_in_process(EndpointSettings(characters=60)) as endpoint:
        models = ("--agent", "openai/x", "--agent", "openai/y", "--judge", "openai/j")
        there = ("--base-url", endpoint.url, "--exam", "off", "--partner", "scripted")
        play = ("run", "sotopia", *models, *there, "--limit", 3, "--set", "turns=2", "--name", "r")
        played = sociolab(*play, "--set", f"prompts={','.join(three)}")
        again = sociolab(*play, "--set", f"prompts={','.join(three)}")
    runs = ("r-one", "r-two", "r-three")
    assert played.code == 0, played.err
    assert again.code == 0, again.err
    assert f"sociolab variance {' '.join(runs)}" in played.err
    (first, *_) = sociolab("variance", *runs, "--metric", "goal", "--json").document["agents"]
    levels = {part["factor"]: part["levels"] for part in first["components"]}
    assert levels["prompts"] == 3
    compared = sociolab("compare", *runs, "--over", "prompts", "--metric", "goal", "--json")
    goal = compared.document["comparison"]["measures"]["goal"]
    one = sociolab("compare", "r-one", "--metric", "goal", "--json").document
    assert goal["pairs"] == 3 * one["comparison"]["measures"]["goal"]["pairs"]
    assert goal["difference"]["method"] == "model"


def test_a_mistake_in_the_last_set_stops_before_the_first_is_played(
    sociolab: Sociolab, three: list[str]
) -> None:
    (Path(three[-1]) / "act_tail.md").unlink()
    play = ("run", "sotopia", "--limit", 1, "--set", f"prompts={','.join(three)}", "--name", "r")
    done = sociolab(*play)
    assert done.code == 2
    assert "act_tail.md" in done.sentence
    assert sociolab("report", "r-one").code == 2


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (("--set", "prompts=a,b"), "expected --name and sets of different names"),
        (("--set", "prompts=x/a,y/a", "--name", "r"), "found a, a"),
        (("--set", "prompts=a,", "--name", "r"), "sets of different names"),
        (("--set", "prompts=a,b", "--name", "r", "--json"), "--json: expected one prompt set"),
    ],
)
def test_sets_that_make_no_runs_are_refused(
    sociolab: Sociolab, flags: tuple[str, ...], sentence: str
) -> None:
    done = sociolab("run", "sotopia", *flags)
    assert done.code == 2
    assert sentence in done.sentence


def test_each_set_has_an_estimate(sociolab: Sociolab, three: list[str]) -> None:
    sets = ("--set", f"prompts={','.join(three)}", "--name", "r")
    done = sociolab("run", "sotopia", "--limit", 1, *sets, "--dry-run")
    assert done.code == 0, done.err
    assert [name in done.out for name in ("r-one", "r-two", "r-three")] == [True] * 3


def test_a_budget_is_shared_by_the_sets(three: list[str]) -> None:
    config = RunConfig(name="r", budget=3, settings={"prompts": ",".join(three)})
    assert [(each.name, each.budget) for each in over_prompts(config)] == [
        ("r-one", 1),
        ("r-two", 1),
        ("r-three", 1),
    ]
