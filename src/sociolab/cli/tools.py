"""Commands of installed worlds, with the options that they declare: `sociolab tool`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
import typer.main
from typer.core import TyperGroup

from sociolab.app.tools import ToolKind, run_tool, tool_called, tool_names
from sociolab.cli.options import (
    Html,
    Json,
    Latex,
    Markdown,
    OptPath,
    SpreadCommand,
    option,
    takes,
)
from sociolab.cli.output import Media, VerbResult, say, show_sections
from sociolab.core.errors import WorldError
from sociolab.plugin.options import checked

if TYPE_CHECKING:
    from sociolab.plugin.context import Findings, Tool


class _Tools(TyperGroup):
    """A verb for each command; one that breaks is left out of the list."""

    kind: ToolKind = "tools"

    def list_commands(self, ctx: Any) -> list[str]:
        return list(tool_names(self.kind))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return tool_command(cmd_name, self.kind)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        rows = []
        for name in tool_names(self.kind):
            try:
                rows.append((name, tool_command(name, self.kind).get_short_help_str(1_000)))
            except WorldError as error:
                rows.append((name, f"cannot be used: {error}"))
        with formatter.section("Commands"):
            formatter.write_dl(rows)


tool = typer.Typer(
    cls=_Tools,
    help="Run a command of an installed world; `tool` may be left out.",
    epilog="Example: sociolab tool NAME --help",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@tool.callback()
def _of_worlds() -> None:
    """What holds for all of them."""


class _Recipes(_Tools):
    """A verb for each table of a paper."""

    kind = "recipes"


reproduce = typer.Typer(
    cls=_Recipes,
    help="Reproduce a table of a paper with your own models; without a name: list them.",
    epilog="Example: sociolab reproduce stss-table4 --agent openai/MODEL --dry-run",
    rich_markup_mode=None,
)


@reproduce.callback(invoke_without_command=True)
def _recipes(ctx: typer.Context) -> None:
    """All of them, unless one is named."""
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


def tool_command(name: str, kind: ToolKind = "tools") -> Any:
    """The verb of a command of an installed world; None where none has it."""
    found = tool_called(name, kind)
    if found is None:
        return None
    made = typer.Typer(rich_markup_mode=None, add_completion=False)
    verbs = "reproduce " if kind == "recipes" else ""
    example = f"Example: sociolab {verbs}{name} {found.example}" if found.example else None
    made.command(name, cls=SpreadCommand, epilog=example)(_verb(name, found))
    return typer.main.get_command(made)


def _verb(name: str, tool: Tool) -> Callable[..., None]:
    def with_page(
        *,
        given: dict[str, Any],
        html: Html = None,
        latex: Latex = None,
        markdown: Markdown = None,
        csv: Annotated[OptPath, option("--csv", "FILE", "Write all figures.")] = None,
        json: Json = False,
    ) -> None:
        config = checked(tool.config, given)
        found = run_tool(tool, config, say)
        if html is not None:
            _write_page(getattr(config, "store", None), found, html)
        result = VerbResult((), found.sections, found.document, found.figure_rows)
        written = Media(None, latex, markdown, csv).write_files(result)
        show_sections(found.sections, found.document, as_json=json, written=[html, *written])

    def without(*, given: dict[str, Any], json: Json = False) -> None:
        with_page(given=given, json=json)

    verb = with_page if tool.page else without
    verb.__doc__ = tool.about or tool.run.__doc__
    taken: Callable[..., None] = takes(tool.config)(verb)
    return taken


def _write_page(store: Path | None, found: Findings, html: Path) -> None:
    from sociolab.app.results import write_page
    from sociolab.report.export import write_report
    from sociolab.report.html import section_page
    from sociolab.store.store import open_store

    if not found.results:  # then there may be no store
        write_report(html, section_page(found.sections[0].title, found.sections))
        return
    with open_store(store) as opened:
        write_page(opened, found.results, html, found.sections)
