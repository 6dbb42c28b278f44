"""`make test-extras` leaves no extra out."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_every_extra_has_tests_that_make_test_extras_runs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = set(project["optional-dependencies"]) - {"dev"}
    makefile = (ROOT / "Makefile").read_text("utf-8").replace("\\\n", " ")
    named = re.findall(r"^TESTS_([\w-]+) := (.+)", makefile, re.M)
    tests = {extra: files.split() for extra, files in named}
    for constraints in ROOT.glob("constraints-*.txt"):
        extra = constraints.stem.removeprefix("constraints-")
        tests[extra] = [f"tests/extras/{extra}"]
    assert tests.keys() == extras
    assert all((ROOT / file).exists() for files in tests.values() for file in files)
