"""A world in a package of its own ships an exam; what is wrong with it is told in a sentence."""

from __future__ import annotations

import io
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from cli.conftest import Done, Sociolab
from sociolab.app import world_plugin
from sociolab.cli import main
from sociolab.core import ExamCase, WorldError
from sociolab.plugin.exam import check_exam
from ultimatum_installed import ultimatum

SPLITS = Path(__file__).parents[1] / "splits_package"
LINE = '["payoff", "proposer", 50, 50]'
FAIR = '["fairness", "proposer", 8, 10]'


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the package, installed, whose files a test may edit."""
    copied = tmp_path / "installed"
    shutil.copytree(SPLITS, copied)
    with ultimatum(tmp_path / "lab"):
        monkeypatch.syspath_prepend(str(copied))
        yield copied / "splits"
        sys.modules.pop("splits", None)


@pytest.fixture
def lab(
    package: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Sociolab:
    """The command line, in this process, where the package is installed."""

    def run(*args: object) -> Done:
        words = ["sociolab", *map(str, args), "--world", "splits", "--store", "s.db"]
        monkeypatch.setattr(sys, "argv", words)
        monkeypatch.setattr(sys, "stdin", io.StringIO())
        return Done(main._run(), *capsys.readouterr())

    monkeypatch.chdir(package.parent)
    return run


def test_a_judge_of_the_world_passes_and_one_that_does_not_look_fails(lab: Sociolab) -> None:
    passed = lab("judge", "--exam", "payoffs", "--json")
    assert passed.code == 0, passed.err
    exam = passed.document["exam"]
    assert exam["passed"] is True
    assert [(form["right"], form["cases"]) for form in exam["forms"]] == [(4, 4), (4, 4)]
    failed = lab("judge", "--exam", "python:splits:Generous", "--json")
    assert failed.code == 1
    assert failed.document["exam"]["passed"] is False
    assert failed.document["exam"]["misses"] == {
        "failure": 2, "small talk": 2, "order": 2, "success": 1,
    }  # fmt: skip
    shown = lab("judge", "--exam", "python:splits:Generous")
    assert "success inferred from small talk" in shown.out
    assert "obeyed" in shown.out


def replaced(old: str, new: str) -> Callable[[str], str]:
    def edit(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return edit


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        (
            replaced(LINE, '["payoff", "banker", 50, 50]'),
            'the world "splits": exam, case half: expected a seat of its task (proposer, '
            'responder), found "banker"',
        ),
        (
            replaced(LINE, '["charm", "proposer", 5, 5]'),
            'the world "splits": exam, case half: expected a metric of the world (payoff, '
            'fairness), found "charm"',
        ),
        (
            replaced(FAIR, '["fairness", "proposer", 8, 12]'),
            'the world "splits": exam, case half: fairness: expected the lowest and the highest '
            "right score of 0 to 10, found 8 and 12",
        ),
        (
            replaced(LINE, '["payoff", "proposer", 50, 40]'),
            'the world "splits": exam, case half: payoff: expected the lowest and the highest '
            "right score, found 50 and 40",
        ),
        (
            replaced('form = "A"\n', ""),
            "splits, exam.toml, case half: form is missing",
        ),
        (
            replaced('form = "A"', 'form = "C"'),
            "splits, exam.toml, case half: form: expected",
        ),
        (
            lambda text: text.replace('form = "B"', 'form = "A"'),
            'the world "splits": exam: expected cases of the forms A and B, found none of B',
        ),
        (
            replaced('id = "crumbs"', 'id = "half"'),
            'the world "splits": exam, case half: expected an id of its own, found it twice',
        ),
        (
            replaced('kind = "success"', 'kind = "triumph"'),
            "splits, exam.toml, case half: kind: expected",
        ),
        (
            replaced("points = 50", 'points = "half"'),
            "splits, exam.toml, case half: points: expected a whole number",
        ),
        (
            replaced("[[case]]", "[[case]"),
            "splits, exam.toml is not valid TOML:",
        ),
        (
            lambda text: text.replace("[[case]]", "[[cases]]"),
            "splits, exam.toml: expected tables [[case]], found none",
        ),
    ],
)
def test_a_mistake_in_the_file_is_told_in_one_sentence(
    lab: Sociolab, package: Path, edit: Callable[[str], str], sentence: str
) -> None:
    file = package / "data" / "exam.toml"
    file.write_text(edit(file.read_text("utf-8")), "utf-8")
    done = lab("judge", "--exam", "payoffs")
    assert done.code == 1
    assert sentence in done.sentence
    assert not Path("s.db").exists()


def test_a_missing_file_and_an_episode_that_breaks_are_named(lab: Sociolab, package: Path) -> None:
    code = package / "__init__.py"
    code.write_text(code.read_text("utf-8").replace("fields={", "nothing={"), "utf-8")
    broken = lab("judge", "--exam", "payoffs").sentence
    assert "splits, exam.toml, case half: no episode: TypeError" in broken
    assert "__init__.py, line" in broken
    (package / "data" / "exam.toml").unlink()
    missing = lab("judge", "--exam", "payoffs").sentence
    assert 'the world "splits" breaks in its exam: FileNotFoundError' in missing


@pytest.mark.usefixtures("package")
def test_cases_that_code_makes_are_checked_alike() -> None:
    make = world_plugin("splits").exam
    assert make is not None
    cases = tuple(make())
    check_exam("any", cases, (), ())
    wrong = replace(cases[0], kind="triumph")  # type: ignore[arg-type]
    for bad, said in (
        ((wrong, *cases[1:]), 'case half: kind: expected success, .* found "triumph"'),
        ((replace(cases[0], expected=()), *cases[1:]), "expected a score that is right"),
        (("half", *cases[1:]), "expected an ExamCase, found 'half'"),
        (cases[:1], "found none of B"),
    ):
        with pytest.raises(WorldError, match=said):
            check_exam("any", bad, (), ())
    series = ["recall_at_*"]
    recall = replace(cases[0].expected[0], metric="recall_at_5")
    renamed = [replace(case, expected=(recall,)) for case in cases if isinstance(case, ExamCase)]
    check_exam("any", renamed, series, ())
