"""`make test-realmodel` where there is no real model."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def output_of(*words: str, **variables: str) -> tuple[int, str]:
    kept = {name: value for name, value in os.environ.items() if "SOCIOLAB_REAL" not in name}
    done = subprocess.run(
        [sys.executable, *words],
        cwd=ROOT, env={**kept, **variables}, capture_output=True, text=True,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        ({}, "SOCIOLAB_REAL_MODEL_URL is not set (docs/models.md)."),
        (
            {"SOCIOLAB_REAL_MODEL_URL": "http://127.0.0.1:1/v1"},
            "http://127.0.0.1:1/v1/models: <urlopen error [Errno 111] Connection refused>.",
        ),
    ],
)
def test_without_a_real_model_its_tests_end_in_one_sentence_and_exit_code_0(
    variables: dict[str, str], sentence: str
) -> None:
    ended = output_of("tests/realmodel/run.py", **variables)
    assert ended == (0, f"No real model to test with: {sentence}\n")


def test_ordinary_tests_do_not_collect_those_of_a_real_model(tmp_path: Path) -> None:
    test = "def test_of_a_folder() -> None: ...\n"
    for folder in ("ordinary", "realmodel"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"test_{folder}.py").write_text(test, "utf-8")
    collect = ("-m", "pytest", "-c", str(ROOT / "pyproject.toml"), "--collect-only", str(tmp_path))
    code, output = output_of(*collect)
    assert code == 0
    assert "test_ordinary.py" in output
    assert "test_realmodel.py" not in output
