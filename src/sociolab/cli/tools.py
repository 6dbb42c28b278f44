"""Commands of installed worlds, with the options that they declare: `sociolab tool`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
import typer.main
from typer.core import TyperGroup

from sociolab.app.tools import ToolKind, find_tool, run_tool, tool_names
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
    """A verb for each command of a world; the list says of a broken one why it cannot be used."""

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
def _group_tools() -> None:
    """Without a callback typer makes no group of an app that registers no command itself."""


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
def _list_recipes(ctx: typer.Context) -> None:
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


def tool_command(name: str, kind: ToolKind = "tools") -> Any:
    """The click command for a world's command of this name; None where no world has it."""
    world_tool = find_tool(name, kind)
    if world_tool is None:
        return None
    app = typer.Typer(rich_markup_mode=None, add_completion=False)
    verbs = "reproduce " if kind == "recipes" else ""
    example = (
        f"Example: sociolab {verbs}{name} {world_tool.example}" if world_tool.example else None
    )
    app.command(name, cls=SpreadCommand, epilog=example)(_verb(name, world_tool))
    return typer.main.get_command(app)


def _verb(name: str, tool: Tool) -> Callable[..., None]:
    def with_page(
        *,
        options: dict[str, Any],
        html: Html = None,
        latex: Latex = None,
        markdown: Markdown = None,
        csv: Annotated[OptPath, option("--csv", "FILE", "Write all figures.")] = None,
        json: Json = False,
    ) -> None:
        from sociolab.cli.importing import import_ratings_file

        config = checked(tool.config, options)
        findings = run_tool(tool, config, say, readers={"ratings": import_ratings_file})
        if html is not None:
            _write_page(getattr(config, "store", None), findings, html)
        result = VerbResult((), findings.sections, findings.document, findings.figure_rows)
        written = Media(None, latex, markdown, csv).write_files(result)
        show_sections(findings.sections, findings.document, as_json=json, written=[html, *written])

    def without(*, options: dict[str, Any], json: Json = False) -> None:
        with_page(options=options, json=json)

    verb = with_page if tool.page else without
    verb.__doc__ = tool.about or tool.run.__doc__
    command: Callable[..., None] = takes(tool.config)(verb)
    return command


def _write_page(store: Path | None, findings: Findings, html: Path) -> None:
    from sociolab.app.results import write_page
    from sociolab.report.export import write_report
    from sociolab.report.html import section_page
    from sociolab.store.store import open_store

    if not findings.results:  # then there may be no store
        write_report(html, section_page(findings.sections[0].title, findings.sections))
        return
    with open_store(store) as opened:
        write_page(opened, findings.results, html, findings.sections)
