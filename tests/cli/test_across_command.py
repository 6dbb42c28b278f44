"""`sociolab table`: agents by worlds."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from analysis.stored.comparing_runs import add_run
from cli.conftest import Sociolab
from sociolab import RunConfig, run
from sociolab.core import JudgeId, Measure
from sociolab.store import Store

OVERALL = Measure("overall", 0, 1, title="overall")


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("table") / "s.db"
    run(RunConfig(world="stss-talk", limit=2, name="talk", store=path))
    with Store.open(path) as store:
        add_run(store, "goal", "openai/x", {"t1": (2,), "t2": (4,)}, seed=3)
        judge = JudgeId("rules", "rules", "r1")
        add_run(store, "town", "openai/x", {"t1": (0.5,)}, world="stss", measure=OVERALL,
                judge=judge)  # fmt: skip
    return path


@pytest.fixture
def played(sociolab: Sociolab, stored: Path, tmp_path: Path) -> Sociolab:
    shutil.copy(stored, tmp_path / "s.db")
    return sociolab


def test_the_table_is_printed_and_written_as_a_page(played: Sociolab, tmp_path: Path) -> None:
    done = played("table", "talk", "--store", "s.db", "--html", "page.html")
    assert done.code == 0, done.err
    text = " ".join(done.out.split())
    assert "1 agent in 1 world (stss-talk)" in text
    assert "scripted is a baseline (smoke test: rule-based residents)" in text
    assert "Across worlds" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_the_table_as_a_document(played: Sociolab) -> None:
    document = played("table", "goal", "town", "--store", "s.db", "--json").document
    first, second = document["columns"]
    assert first["agents"]["openai/x"]["value"] == 3
    assert (second["world"], second["judge"]) == ("stss", "rules")
    assert document["between_worlds"] == []
    assert "1 agent in 2 worlds (sotopia and stss)" in document["said"][0]


def test_a_judge_is_named_by_world(played: Sociolab) -> None:
    for text in ("rules", "=rules", "stss="):
        refused = played("table", "goal", "--store", "s.db", "--judge", text)
        assert f'--judge: expected WORLD=LABEL, found "{text}"' in refused.sentence
    done = played("table", "goal", "--store", "s.db", "--judge", "sotopia=nobody")
    assert done.code == 2
    assert 'no judge "nobody" scored sotopia' in done.sentence
