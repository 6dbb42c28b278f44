"""The verbs: in one order, described each, and nothing heavy is imported before one is called."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.conftest import Sociolab
from sociolab.cli import app
from sociolab.cli.main import GROUPS, command

ORDER = [
    "run", "list", "show", "town", "report", "compare", "table", "rank", "hard", "variance",
    "site", "agree", "analyze", "reproduce", "judge", "audit", "credit", "write", "import",
    "export", "data", "rename", "tag", "delete", "store", "web", "study", "endpoint", "doctor",
    "prices", "demo", "tool",
]  # fmt: skip
HEAVY = ("numpy", "pydantic", "rich.table", "sqlite3", "aiohttp", "sociolab.app", "sociolab.store")


def every_verb() -> dict[str, Any]:
    """All verbs by what is typed, those of a family with its name before theirs."""
    found: dict[str, Any] = {}
    for name in ORDER:
        made = command(name)
        own = getattr(made, "commands", {})
        found |= {f"{name} {one}": verb for one, verb in own.items()} or {name: made}
    return found


def test_the_help_names_the_verbs_in_the_order_in_which_one_needs_them() -> None:
    shown = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "80"}).stdout
    named = re.findall(r"(?m)^  ([a-z]+)  +[A-Z]", shown.partition("Options:")[2])
    assert named == ORDER
    assert "..." not in shown.partition("Options:")[2]


@pytest.mark.parametrize("family", ["data", "town", "study", "store", "tool"])
def test_no_summary_of_a_family_is_cut_short(family: str) -> None:
    shown = CliRunner().invoke(app, [family, "--help"], env={"COLUMNS": "80"}).stdout
    assert "..." not in shown.partition("Commands:")[2]


def test_every_verb_and_all_that_it_takes_is_described() -> None:
    for name, verb in every_verb().items():
        assert verb.help, name
        for param in verb.params:
            assert param.help, (name, param.opts)
            assert param.metavar or getattr(param, "is_flag", False), (name, param.opts)


def test_an_option_that_several_verbs_share_has_one_text() -> None:
    shared = {"--store", "--json", "--budget", "--in-flight", "--base-url", "--key-env", "--models"}
    texts = {
        (option.opts[0], option.help)
        for verb in every_verb().values()
        for option in verb.params
        if option.opts[0] in shared
    }
    assert sorted(option for option, _ in texts) == sorted(shared)


def test_the_example_of_every_verb_is_of_that_verb_and_can_be_read() -> None:
    for name, verb in every_verb().items():
        program, *words = shlex.split(verb.epilog.removeprefix("Example: "))
        assert len(verb.epilog) <= 76, "one line of a terminal, to copy"
        assert (program, words[: len(name.split())]) == ("sociolab", name.split())
        assert verb.make_context(name, words[len(name.split()) :]).command is verb


def test_the_examples_that_need_no_model_work_one_after_the_other(sociolab: Sociolab) -> None:
    verbs = (
        "run", "list", "show", "report", "variance", "export", "tag", "rename", "delete",
        "store size", "town picture", "study example", "study list",
    )  # fmt: skip
    sociolab("run", "sotopia", "--limit", 2, "--name", "second")
    for name in verbs:
        _, *words = shlex.split(every_verb()[name].epilog.removeprefix("Example: "))
        gone = [{"first": "baseline"}.get(word, word) for word in words]
        done = sociolab(*(gone if name == "delete" else words), stdin="y\n")
        assert done.code == 0, (name, done.err)


def test_the_summary_in_the_list_of_all_verbs_is_that_of_the_verb() -> None:
    for verbs in GROUPS.values():
        for name, (_, summary) in verbs.items():
            assert command(name).get_short_help_str(1_000) == summary, name


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
