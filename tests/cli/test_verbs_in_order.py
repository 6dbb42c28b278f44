"""The verbs: in one order, described each, and nothing heavy is imported before one is called."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from sociolab.cli import app

ORDER = [
    "run", "list", "show", "town", "report", "compare", "table", "rank", "realism", "hard",
    "variance", "site", "agree", "analyze", "reproduce", "judge", "audit", "credit", "write",
    "import", "export", "data", "rename", "tag", "note", "delete", "store", "web", "study",
    "mcp", "serve-env", "endpoint", "doctor", "prices", "demo", "tool",
]  # fmt: skip
HEAVY = ("numpy", "pydantic", "rich.table", "sqlite3", "aiohttp", "sociolab.app", "sociolab.store")


def test_the_help_names_the_verbs_in_the_order_in_which_one_needs_them() -> None:
    shown = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "80"}).stdout
    named = re.findall(r"(?m)^  ([a-z][a-z-]*)  +[A-Z]", shown.partition("Options:")[2])
    assert named == ORDER
    assert "..." not in shown.partition("Options:")[2]


@pytest.mark.parametrize("family", ["data", "town", "study", "store", "tool"])
def test_no_summary_of_a_family_is_cut_short(family: str) -> None:
    shown = CliRunner().invoke(app, [family, "--help"], env={"COLUMNS": "80"}).stdout
    assert "..." not in shown.partition("Commands:")[2]


def test_a_verb_that_is_not_there_is_told_with_what_is_near() -> None:
    done = CliRunner().invoke(app, ["rnu"])
    assert done.exit_code == 2
    assert "No such command 'rnu'. Did you mean 'run'" in done.stderr


def test_nothing_heavy_is_imported_for_the_list_of_all_verbs() -> None:
    script = (
        "import sys\nfrom sociolab.cli.main import app\napp(['--help'], standalone_mode=False)\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_no_verb_is_imported_for_another() -> None:
    script = (
        "import sys\nfrom sociolab.cli.main import app\n"
        "app(['town', '--help'], standalone_mode=False)\n"
        "print([name for name in sys.modules if name.startswith('sociolab.cli.')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    loaded = {f"sociolab.cli.{name}" for name in ("main", "options", "town")}
    assert set(eval(done.stdout.splitlines()[-1])) == loaded
