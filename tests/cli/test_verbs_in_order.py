"""The verbs: in one order, described each, and nothing heavy is imported before one is called."""

from __future__ import annotations

import subprocess
import sys

import typer.main

from sociolab.cli.verbs import app, app_for

ORDER = [
    "run", "list", "show", "report", "compare", "table", "rank", "hard", "variance", "site",
    "agree", "judge", "audit", "credit", "gap", "write", "build", "import", "export", "rename",
    "tag", "delete", "endpoint", "doctor", "demo", "data", "town", "store",
]  # fmt: skip
HEAVY = ("numpy", "pydantic", "rich.table", "sqlite3", "aiohttp", "sociolab.app", "sociolab.store")


def test_the_help_names_the_verbs_in_the_order_in_which_one_needs_them() -> None:
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    assert [name for name in commands if name in ORDER] == ORDER


def test_every_verb_and_every_option_that_takes_a_value_is_described() -> None:
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    for name, command in commands.items():
        assert command.help, name
    shared = {"--store", "--json", "--budget", "--in-flight", "--base-url", "--key-env", "--models"}
    texts = {
        (option.opts[0], option.help)
        for command in commands.values()
        for option in command.params
        if option.opts[0] in shared
    }
    assert sorted(option for option, _ in texts) == sorted(shared), "one text for each"


def test_a_verb_is_made_alone_as_it_is_among_all() -> None:
    every = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    for name, command in every.items():
        (alone,) = typer.main.get_command(app_for(name)).commands.items()  # type: ignore[attr-defined]
        told = [(option.opts, option.help) for option in command.params]
        assert alone[0] == name
        assert [(option.opts, option.help) for option in alone[1].params] == told


def test_all_verbs_are_made_where_there_is_none_of_that_name() -> None:
    assert app_for("rnu") is app
    assert app_for("") is app


def test_nothing_heavy_is_imported_for_help() -> None:
    script = (
        "import sys\nimport sociolab.cli.main\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
