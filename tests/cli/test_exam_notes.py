"""A judge that failed its exam is named by every verb that prints its scores, and below the tables
stands how it did."""

from __future__ import annotations

import json
import shutil
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from cli.conftest import Sociolab
from cli.test_reproduce_command import with_people
from rating_runs import MODEL
from sociolab import RunConfig, run
from sociolab.app import ExamConfig
from sociolab.app.run.exam import take_exam
from sociolab.core import Measure, RatedBy, Score
from sociolab.endpoint import EndpointSettings, start_in_process
from sociolab.store import Store
from sociolab.studies import people_judge
from sociolab.worlds import stss
from worlds.stss.levels.levels_runs import TALK, TOWN, build

PARROT = "python:app.run.test_python_api:Parrot"
ALPHA, BETA = (f"python:examinees:Wordy?name={name}" for name in ("alpha", "beta"))
GOAL = Measure("goal", 0, 10, whole=True, title="GOAL")


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of two agents and of one, by two judges of which the first failed its exam, and by
    people."""
    path = tmp_path_factory.mktemp("exam-notes") / "s.db"
    both: tuple[str, ...] = ("scripted", PARROT)
    casts = dict.fromkeys(("first", "second", "third"), both)
    casts |= dict.fromkeys(("own", "again", "last"), (PARROT,))
    for seed, (name, agents) in enumerate(casts.items()):
        config = RunConfig(
            world="sotopia", agents=agents, judges=(ALPHA, BETA), limit=8, seed=seed, name=name,
            store=path, settings={"turns": "6"}, repeats=1 if len(agents) > 1 else 2,
        )  # fmt: skip
        run(config)
    result = take_exam(ExamConfig(judge=ALPHA, store=path))
    assert result.entry is not None
    assert not result.entry.passed
    with Store.open(path) as store:
        for number, row in enumerate(store.trials("first")):
            for rater in ("r1", "r2"):
                scores = [
                    Score(GOAL, seat, (number + len(rater)) % 11, "", RatedBy(rater))
                    for seat in row.trial.task.seats
                ]
                judging = int(rater[1:]) - 1
                store.verdicts.add(
                    "first", people_judge("people"), scores, trial=row.trial.id, judging=judging
                )
    return path


VERBS = {
    "report": ("report", "first"),
    "report in full": ("report", "first", "--full"),
    "rank": ("rank", "first"),
    "compare": ("compare", "first"),
    "compare in full": ("compare", "first", "second", "--agent", PARROT, "--full", "--all"),
    "compare one": ("compare", "own", "--threshold", 5),
    "compare three": ("compare", "own", "again", "last"),
    "curve": ("compare", "first", "second", "--curve", "--agent", PARROT),
    "hard": ("hard", "first", "--target", PARROT, "--name", "hard-for-parrot", "--most", 2),
    "variance": ("variance", "first"),
    "table": ("table", "first"),
    "agree": ("agree", "first"),
    "audit": ("audit", "first", "--kind", "repeat", "--limit", 2),
    "audit of length": ("audit", "first", "--kind", "length"),
    "audit of families": ("audit", "first", "--kind", "family", "--family", f"alpha={PARROT}"),
    "panel": ("audit", "first", "--panel", "alpha,beta"),
    "compare one of several": ("compare", "first", "second", "third", "--agent", PARROT),
    "credit": ("credit", "first", "--limit", 6, "--judge", "openai/j"),
}
JUDGES = {
    **dict.fromkeys(
        ("rank", "compare", "compare in full", "compare one", "compare three"), "alpha"
    ),
    **dict.fromkeys(("compare one of several", "curve", "hard"), "alpha"),
    "audit": ALPHA,
}


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_says_below_its_tables_how_the_judge_did(
    sociolab: Sociolab, stored: Path, tmp_path: Path, verb: str
) -> None:
    shutil.copy(stored, tmp_path / "s.db")
    command = (*VERBS[verb], "--store", "s.db")
    if verb in JUDGES:
        command += ("--judge", JUDGES[verb])
    with ExitStack() as stack:
        if verb == "credit":
            server = start_in_process(EndpointSettings(characters=60))
            command += ("--base-url", stack.enter_context(server).url)
        shown = sociolab(*command)
        assert shown.code == 0, shown.err
        again = ("--replace",) if verb == "hard" else ()
        document = sociolab(*command, *again, "--json").document
    text = " ".join(shown.out.split())
    assert "exam of alpha: " in text
    assert "alpha failed its exam, " in text
    told = json.dumps(document)
    if not verb.startswith("report"):
        assert "alpha failed its exam, " in told
    if verb in ("audit", "panel") or verb.startswith("audit of"):
        tables = [table for section in document["sections"] for table in section["tables"]]
        assert all("exam of alpha: " in " ".join(table["notes"]) for table in tables)
    assert "exam of beta" not in text + told


@pytest.mark.parametrize("verb", ["rank", "compare", "table", "agree", "variance", "hard"])
def test_a_judge_that_failed_is_named_before_anything_is_found(
    sociolab: Sociolab, stored: Path, tmp_path: Path, verb: str
) -> None:
    shutil.copy(stored, tmp_path / "s.db")
    command = (*VERBS[verb], "--store", "s.db")
    if verb in JUDGES:
        command += ("--judge", JUDGES[verb])
    if verb == "hard":
        command = tuple("hard-again" if word == "hard-for-parrot" else word for word in command)
    shown = sociolab(*command)
    lines = shown.out.splitlines()
    if verb in ("rank", "compare"):  # which begin with their verdict
        assert "By a judge that failed its exam: " in lines[1]
        rule = "\N{BOX DRAWINGS LIGHT HORIZONTAL}" * 2
        lines = ["", *(line for line in lines if line.startswith(("! ", rule)))]
    assert lines[1].startswith("! alpha failed its exam, ")


def test_an_episode_shows_beside_each_judge_how_it_did(sociolab: Sociolab, stored: Path) -> None:
    with Store.open(stored) as store:
        trial = store.trials("first")[0].trial.id
    for form in ((), ("--markdown",)):
        shown = sociolab("show", trial, "--run", "first", "--store", stored, *form)
        assert shown.code == 0, shown.err
        assert "Scores by alpha (LLM judge; exam: " in shown.out
        assert " of 20, failed)" in shown.out
        assert "Scores by beta (LLM judge)" in shown.out


GATES = {
    "report": ("report", "first", "--fail-if", "goal>9.9"),
    "compare": ("compare", "first", "second", "--agent", PARROT, "--fail-if", "goal<-9"),
}


@pytest.mark.parametrize("verb", GATES)
def test_no_gate_passes_by_a_judge_that_failed_its_exam_unless_that_is_accepted(
    sociolab: Sociolab, stored: Path, tmp_path: Path, verb: str
) -> None:
    command = (*GATES[verb], "--store", stored, "--junit", "gates.xml")
    held = sociolab(*command, "--judge", "alpha")
    assert held.code == 2
    assert "CANNOT TELL for " in held.err
    assert "alpha failed its exam, " in held.err
    assert "passed;" not in held.err
    suite = ElementTree.parse(tmp_path / "gates.xml").getroot()
    undecided = [case.find("error") for case in suite.iter("testcase")]
    assert len(undecided) == int(suite.get("errors", "0")) > 0
    assert suite.get("failures") == "0"
    assert all("alpha failed its exam" in error.get("message", "") for error in undecided)  # type: ignore[union-attr]

    accepted = sociolab(*command, "--judge", "alpha", "--accept-failed-exam")
    assert accepted.code == 0, accepted.err
    assert "alpha failed its exam, " in accepted.err
    assert "passed;" in accepted.err

    other = sociolab(*command, "--judge", "beta")
    assert other.code == 0, other.err
    assert "failed its exam" not in other.err


def test_json_says_that_a_gate_is_undecided(sociolab: Sociolab, stored: Path) -> None:
    command = (*GATES["compare"], "--store", stored, "--json")
    held = sociolab(*command, "--judge", "alpha")
    (gate,) = held.document["gates"]
    assert (held.code, gate["failed"]) == (2, False)
    assert gate["undecided"].startswith("--fail-if goal<-9: CANNOT TELL for A ")
    (decided,) = sociolab(*command, "--judge", "beta").document["gates"]
    assert decided["undecided"] is None


def test_accepting_an_exam_is_for_gates(sociolab: Sociolab, stored: Path) -> None:
    done = sociolab("report", "first", "--accept-failed-exam", "--store", stored)
    assert done.code == 2
    assert "--accept-failed-exam is for gates: say --fail-if too" in done.sentence


CONSTANT = "python:examinees:Constant"


def notes_by_table(page: Path, section: str = "") -> dict[str, str]:
    """What stands below the heading of each table, in the first section of this heading."""
    parts = page.read_text("utf-8").split("\n## ")
    part = next(part for part in parts if section in part.partition("\n")[0])
    tables = (table.partition("\n") for table in part.split("\n### ")[1:])
    return {heading: text for heading, _, text in tables}


def add_examined_judge(path: Path, world: str, run: str, spec: str, score: Score) -> None:
    """A judge that fails the exam of a world, and its score of each episode of a run."""
    result = take_exam(ExamConfig(judge=spec, world=world, store=path))
    assert result.entry is not None
    assert not result.entry.passed
    with Store.open(path) as store:
        for row in store.trials(run):
            seats = row.trial.task.seats if score.seat else (None,)
            scores = [replace(score, seat=seat) for seat in seats]
            store.verdicts.add(run, result.judge, scores, trial=row.trial.id)


def test_the_t_tests_of_people_and_a_model_say_how_their_judge_did(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    path = tmp_path / "s.db"
    with_people(path)
    add_examined_judge(path, "sotopia", "people", ALPHA, Score(GOAL, "seat", 5))
    command = ("reproduce", "sotopia-table3", "--run", "people", "--store", path)
    done = sociolab(*command, "--markdown", "f.md")
    assert done.code == 0, done.err
    assert "alpha failed its exam, " in " ".join(done.out.split())
    notes = notes_by_table(tmp_path / "f.md")
    tests = [heading for heading in notes if heading.startswith("People less")]
    assert len(tests) == 3
    assert [heading for heading in tests if "exam of alpha: " in notes[heading]] == [
        f"People less {MODEL} with people, by a judge (alpha)"
    ]


def test_the_levels_of_stss_say_how_the_judge_of_the_conversations_did(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    path = tmp_path / "s.db"
    build(path)
    spec = f"{CONSTANT}?world=stss-talk&score=1"
    add_examined_judge(path, "stss-talk", TALK, spec, Score(stss.CONVERSATION_GCSR, None, 1))
    done = sociolab(
        "levels", "--talk", TALK, "--action", TOWN, "--store", path, "--markdown", "f.md"
    )
    assert done.code == 0, done.err
    assert "constant failed its exam, " in " ".join(done.out.split())
    of_judge = notes_by_table(tmp_path / "f.md", "judge: constant")
    assert [heading for heading, text in of_judge.items() if "exam of constant: " in text] == [
        f"Conversations ({TALK})",
        f"What listeners remember (summary level) ({TALK})",
    ]
    assert len(of_judge) == 4
    overview = notes_by_table(tmp_path / "f.md", "")
    assert all("exam of constant: " in text for text in overview.values())
