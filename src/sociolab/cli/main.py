"""The command line: which verbs there are, and what a failure of one says and exits with.

A verb's module holds its options and what it does. It is imported when the verb is called, and not
for the list of all verbs, whose summaries therefore stand here too.
"""

from __future__ import annotations

import errno
import gc
import os
import signal
import sys
from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib import import_module
from types import FrameType
from typing import Annotated, Any

import typer
import typer.main
from typer.core import TyperGroup

from sociolab import __version__
from sociolab.core.errors import ConfigError, SociolabError
from sociolab.core.redaction import guard_environment, redact

BAD_INPUT = 2
INTERRUPTED = 130
TERMINATED = 143
"""By SIGTERM: what shells, Slurm and systemd take for it."""

GROUPS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "Run, and read episodes": {
        "run": ("run", "Play tasks, judge the episodes, print an overview."),
        "list": ("listing", "List runs, episodes, tasks, task lists, worlds, agents or data."),
        "show": (
            "show",
            "Show the transcript and scores of an episode, or of two side by side.",
        ),
        "town": ("town", "Show a town: its map and its simulated days."),
    },
    "Compare and report": {
        "report": ("results", "Print the tables of runs again, or write them as files."),
        "compare": ("compare", "Compare two agents on the same tasks, or the repeats of one."),
        "table": ("results", "Print a table of agents by world: each world's main metric."),
        "rank": (
            "results",
            "Rank agents by who scores better with the same task, seat and partner.",
        ),
        "realism": ("people", "Compare simulated play with people's on the same tasks."),
        "hard": ("results", "Store the tasks that are hard for one agent as a list to run."),
        "variance": ("results", "Variance components of scores, and sample-size advice."),
        "site": (
            "results",
            "Write a static site: rankings of comparable runs, a page for each run, town replays.",
        ),
        "agree": ("results", "Agreement of human raters and judges."),
        "analyze": ("results", "Run your own analysis on stored runs."),
        "reproduce": (
            "tools",
            "Reproduce a table of a paper with your own models; without a name: list them.",
        ),
    },
    "Judging": {
        "judge": (
            "judge",
            "Judge a run again, validate a judge on labels, or have it sit an exam.",
        ),
        "audit": (
            "judge",
            "Audit a judge: does it notice what it should, and ignore what it should?",
        ),
        "credit": ("judge", "Find which turns advanced a goal or revealed a secret."),
    },
    "Data sets, import and export": {
        "write": ("data", "Have a model write a data set."),
        "import": ("importing", "Import a data set or episodes made elsewhere."),
        "export": ("data", "Write a run to a file, or runs as training examples."),
        "data": ("data", "Check and complete your own characters and tasks."),
    },
    "Manage runs": {
        "rename": ("store", "Rename a run."),
        "tag": ("store", "Tag a run."),
        "note": ("store", "Write, list or delete notes on a run, or on the comparison of two."),
        "delete": ("store", "Delete runs and everything in them."),
        "store": (
            "store",
            "Show the store's size, compact it, check it for damage, copy it, or merge several.",
        ),
    },
    "In the browser, and with people": {
        "web": ("web", "Serve the web app: inspect runs, play, rate."),
        "study": ("study", "Studies with people: set up, invite, collect, export, delete."),
    },
    "Utilities": {
        "mcp": ("mcp", "Serve runs, comparisons and seats to an assistant, over MCP."),
        "serve-env": ("serve_env", "Serve a world to trainers, as an OpenEnv environment."),
        "endpoint": ("try_out", "Serve a local endpoint in place of a model, for tests."),
        "doctor": ("try_out", "Check an agent or judge with one call or a short episode."),
        "prices": ("try_out", "Show the prices of hosted models."),
        "demo": ("try_out", "Play every world offline and write a page."),
        "tool": ("tools", "Run a command of an installed world; `tool` may be left out."),
    },
}
"""Verbs by what they are for, in the order of the help: the module of each, and its summary."""

FAMILIES = ("town", "data", "store", "study", "tool", "reproduce")
"""Verbs that have verbs of their own."""

_HOMES = {name: home for verbs in GROUPS.values() for name, (home, _) in verbs.items()}


class _Verbs(TyperGroup):
    """Names its verbs by group, each with its whole summary; imports the one that is called."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = dict.fromkeys(_HOMES)  # type: ignore[assignment]  # what typos are near to

    def list_commands(self, ctx: Any) -> list[str]:
        return list(_HOMES)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name in _HOMES:
            return command(cmd_name)
        from sociolab.cli.tools import tool_command

        return tool_command(cmd_name)

    def invoke(self, ctx: Any) -> Any:
        """Runs the verb; ConfigError where one of its options has a value of another type."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            from pydantic import ValidationError

            from sociolab.core.reading import first_problem

            wrong = error.__cause__
            if error.param is None or not isinstance(wrong, ValidationError):
                raise
            raise ConfigError(f"{error.param.opts[0]}: {first_problem(wrong)}") from error

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        for title, verbs in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name, summary) for name, (_, summary) in verbs.items()])


@cache
def command(name: str) -> Any:
    """The click command of a verb, or of a family of verbs; imports its module."""
    module = import_module(f"sociolab.cli.{_HOMES[name]}")
    if name in FAMILIES:
        verb_app = getattr(module, name)
        verb_app._add_completion = False
    else:
        verb_app = typer.Typer(rich_markup_mode=None, add_completion=False)
        verb_app.registered_commands += [
            verb
            for verb in module.verbs.registered_commands
            if name == (verb.name or verb.callback.__name__)
        ]
    click_command = typer.main.get_command(verb_app)
    click_command.name = name
    return click_command


def _print_version(requested: bool) -> None:
    if requested:
        typer.echo(f"sociolab {__version__}")
        raise typer.Exit


app = typer.Typer(
    name="sociolab",
    cls=_Verbs,
    help="A laboratory for the social intelligence of language agents.",
    epilog="`sociolab COMMAND --help` shows a command's options, and an example.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def _common(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Options that stand before the verb."""


def main() -> None:
    """Run the command; errors become one sentence on stderr and an exit code."""
    sys.path.append(os.getcwd())  # so that python:my_agent:Class is found beside the user
    collect_rarely()
    redact_output()
    terminated = heed_sigterm()
    code = _run()
    sys.exit(TERMINATED if terminated and code == INTERRUPTED else code)


def heed_sigterm() -> list[int]:
    """Have SIGTERM, which schedulers and service managers send, end the command as Ctrl-C does.

    The list that is returned is empty until a signal arrives, and then holds its number.
    """
    received: list[int] = []

    def handle(number: int, frame: FrameType | None) -> None:
        received.append(number)
        if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # begun in a script's background
            signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.raise_signal(signal.SIGINT)

    signal.signal(signal.SIGTERM, handle)
    return received


def collect_rarely() -> None:
    """Look for cycles less often: a run makes few, and at the default looking takes a tenth."""
    gc.set_threshold(300_000)


def redact_output() -> None:
    """Redact keys and passwords in everything printed, logs and tracebacks included."""
    guard_environment()
    for stream in (sys.stdout, sys.stderr):
        write = stream.write
        stream.write = partial(_write_redacted, write)  # type: ignore[method-assign]


def _write_redacted(write: Callable[[str], int], text: str) -> int:
    write(redact(text))
    return len(text)


def _run() -> int:
    try:
        app(prog_name="sociolab")
    except ConfigError as error:
        return _print_error(str(error), BAD_INPUT)
    except SociolabError as error:
        return _print_error(str(error), 1)
    except KeyboardInterrupt:
        return _print_error("interrupted", INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # whoever read us has gone
        return 1
    except OSError as error:
        # Even to ask whether there is such a file is refused, so that any use of a path may end so.
        if error.errno != errno.ENAMETOOLONG:
            raise
        return _print_error(
            f'"{str(error.filename)[:40]}...": expected a path whose parts have 255 bytes at most, '
            "found a longer one; choose a shorter name",
            BAD_INPUT,
        )
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else 0
    return 0


def _print_error(message: str, code: int) -> int:
    print(f"sociolab: {message}", file=sys.stderr)  # noqa: T201
    return code
