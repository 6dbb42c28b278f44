"""A judge that failed its exam is named by every verb that prints its scores, and below the tables
stands how it did."""

from __future__ import annotations

import json
import shutil
from contextlib import ExitStack
from pathlib import Path

import pytest

from cli.conftest import Sociolab
from sociolab import RunConfig, run
from sociolab.app import ExamConfig
from sociolab.app.run.exam import take_exam
from sociolab.core import Measure, RatedBy, Score
from sociolab.endpoint import EndpointSettings, start_in_process
from sociolab.store import Store
from sociolab.studies import people_judge

PARROT = "python:app.run.test_python_api:Parrot"
ALPHA, BETA = (f"python:examinees:Wordy?name={name}" for name in ("alpha", "beta"))
GOAL = Measure("goal", 0, 10, whole=True, title="GOAL")


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of two agents and of one, by two judges of which the first failed its exam, and by
    people."""
    path = tmp_path_factory.mktemp("exam-notes") / "s.db"
    both: tuple[str, ...] = ("scripted", PARROT)
    casts = dict.fromkeys(("first", "second"), both)
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
    "credit": ("credit", "first", "--limit", 2, "--judge", "openai/j"),
}
JUDGES = {
    **dict.fromkeys(
        ("rank", "compare", "compare in full", "compare one", "compare three"), "alpha"
    ),
    **dict.fromkeys(("curve", "hard"), "alpha"),
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
