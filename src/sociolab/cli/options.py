"""Options of the command line: those that several verbs share, those derived from a config model,
how their values are parsed, and their completion in a shell."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import wraps
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, Optional, Union, get_args, get_origin

import typer
from typer.core import TyperCommand

from sociolab.core.errors import ConfigError

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

    from sociolab.analysis.matching import Match
    from sociolab.plugin.options import Flag

# typer reads these at run time, where it does not know `X | None` of every Python it runs on.
OptText = Optional[str]  # noqa: UP045
OptInt = Optional[int]  # noqa: UP045
OptFloat = Optional[float]  # noqa: UP045
OptPath = Optional[Path]  # noqa: UP045
OptTexts = Optional[list[str]]  # noqa: UP045


# ------------------------------------------------------------------ shell completion


_AT_MOST = 200

_FLAGS = {
    "--run": "run", "--agent": "agent", "--with": "agent", "--partner": "agent",
    "--target": "agent", "--metric": "metric", "--task": "task", "--tasks": "task",
}  # fmt: skip


def completer(flags: str, metavar: str) -> Callable[[typer.Context, str], list[str]] | None:
    """A completion of names in the store for an option or, without flags, an argument; None where
    its values are not names of runs, worlds, agents, metrics or tasks."""
    kind = _FLAGS.get(flags.split()[0] if flags else "")
    if kind is None:
        words = metavar.strip("[]").split()
        kind = {"RUN": "run", "WORLD": "world"}.get(words[0]) if words else None
    if kind is None:
        return None

    def complete(ctx: typer.Context, incomplete: str) -> list[str]:
        with suppress(Exception):  # a shell would print a traceback in the middle of the line
            from importlib.metadata import entry_points

            from sociolab.store.connect import names_in, store_path

            path = store_path(ctx.params.get("store"))
            if kind == "world":
                names = sorted(entry_points(group="sociolab.worlds").names)
            else:
                names = names_in(path, kind)
            return [name for name in names if name.startswith(incomplete)][:_AT_MOST]
        return []

    return complete


# ------------------------------------------------------------------ options and arguments


def option(flags: str, metavar: str, help: str, **ends: float) -> Any:
    """An option with a value; `ends` are its `min` and `max`.

    Parsing it raises ConfigError where the value is missing, so that the next option would be taken
    for it, and where the path of a FILE is a folder.
    """

    def check(value: Any) -> Any:
        flag = flags.split()[0]
        for item in value if isinstance(value, list) else [value]:
            if str(item).startswith("--"):
                raise ConfigError(f"{flag}: expected {metavar}, found the option {item}")
            if metavar == "FILE" and item is not None and Path(item).is_dir():
                raise ConfigError(f'{flag}: expected a file name, found the folder "{item}"')
        return value

    return typer.Option(
        *flags.split(),
        metavar=metavar,
        help=help,
        callback=check,
        autocompletion=completer(flags, metavar),
        **ends,  # type: ignore[arg-type]
    )


def argument(metavar: str, help: str) -> Any:
    return typer.Argument(metavar=metavar, help=help, autocompletion=completer("", metavar))


RunName = Annotated[str, argument("RUN", "The run's name.")]
RunNames = Annotated[list[str], argument("RUN", "The runs' names.")]

StoreFile = Annotated[
    OptPath, option("--store", "FILE", "The store; default: $SOCIOLAB_STORE or your own.")
]
Json = Annotated[
    bool, typer.Option("--json", help="Machine-readable result on stdout, progress on stderr.")
]
DryRun = Annotated[
    bool,
    typer.Option("--dry-run", help="Estimate calls, tokens, cost and time, and call no model."),
]
Latency = Annotated[
    OptFloat, option("--latency", "SECONDS", "Seconds per call, for --dry-run.", min=0)
]
Html = Annotated[OptPath, option("--html", "FILE", "Write a page.")]
Full = Annotated[bool, typer.Option("--full", help="Print all tables, not only the overview.")]
Latex = Annotated[OptPath, option("--latex", "FILE", "Write tables for LaTeX (booktabs).")]
Markdown = Annotated[OptPath, option("--markdown", "FILE", "Write Markdown tables.")]
FiguresCsv = Annotated[OptPath, option("--csv", "FILE", "Write all figures with intervals.")]
FigureFile = Annotated[
    OptPath, option("--figure", "FILE", "Write a figure for a paper: .pdf, .svg or .png.")
]
Rename = Annotated[
    OptTexts, option("--rename", "A=B", "Show agent, judge or run A as B. Repeatable.")
]
BySeat = Annotated[bool, typer.Option("--by-seat", help="Also compare by seat, such as buyers.")]
Details = Annotated[
    bool, typer.Option("--details", help="Add an agent-partner matrix of every metric.")
]
TaskFilter = Annotated[
    OptText,
    option("--tasks", "FILTER", "Task ids, tags or scenario=ID; comma: any of them, plus: all."),
]
MainMeasure = Annotated[OptText, option("--metric", "NAME", "Default: the world's main one.")]
OneJudge = Annotated[OptText, option("--judge", "LABEL", "The judge whose scores to use.")]
EpisodeLimit = Annotated[OptInt, option("--limit", "N", "Maximum number of episodes.", min=1)]
Replace = Annotated[bool, typer.Option("--replace", help="Replace an existing one of this name.")]
Sure = Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")]


# ------------------------------------------------------------------ options of a config model


def takes(
    model: type[BaseModel], *fields: str, into: str = "options"
) -> Callable[[Callable[..., None]], Any]:
    """Give a verb the options of a config model, or of these fields of it.

    They replace its parameter `into`, which receives a dict of the values that were set, by field;
    flags, help and bounds come from the fields, and validation is left to the model. A verb may
    take a second model `into` another parameter; none of its options is then required.
    """
    from sociolab.plugin.options import flags_of

    selected = {
        name: flag for name, flag in flags_of(model).items() if name in fields or not fields
    }

    def decorate(verb: Callable[..., None]) -> Callable[..., None]:
        @wraps(verb)
        def called(**arguments: Any) -> None:
            values = {name: arguments.pop(f"{into}_{name}") for name in selected}
            # By identity: 0 equals False, and a budget of 0 is one.
            options = {
                k: value for k, value in values.items() if value is not None and value is not False
            }
            if "settings" in options:
                options["settings"] = named_values(options["settings"], "--set", "NAME=VALUE")
            verb(**arguments, **{into: options})

        parameters: list[inspect.Parameter] = []
        for parameter in inspect.signature(verb, eval_str=True).parameters.values():
            if parameter.name == into:
                parameters += [
                    _parameter(f"{into}_{name}", model.model_fields[name], flag, into == "options")
                    for name, flag in selected.items()
                ]
            else:
                parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
        vars(called)["__signature__"] = inspect.Signature(parameters)
        called.__annotations__ = {each.name: each.annotation for each in parameters}
        return called

    return decorate


def _parameter(name: str, field: FieldInfo, flag: Flag, required: bool) -> inspect.Parameter:
    """A field as a parameter that typer understands; its value is None unless it is set."""
    kind = _option_type(field.annotation)
    if kind is bool and field.default is True:  # so that --name false can switch it off
        kind = str
    if kind is bool:
        return inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=False,
            annotation=Annotated[bool, typer.Option(flag.flags, help=flag.help)],
        )
    if flag.flags.startswith("--"):
        ends = {
            end: getattr(limit, bound)
            for limit in field.metadata
            for end, bound in (("min", "ge"), ("max", "le"))
            if hasattr(limit, bound)
        }
        info = option(flag.flags, flag.metavar, _help_text(field, flag), **ends)
    else:
        info = argument(flag.metavar, flag.help)
    mandatory = required and field.is_required()
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if mandatory else None,
        annotation=Annotated[kind if mandatory else Optional[kind], info],  # noqa: UP045
    )


def _option_type(annotation: Any) -> Any:
    """The type that typer parses for a field: list[str] for tuples and dicts, str for a literal,
    which the model validates."""
    if get_origin(annotation) is Union or NoneType in get_args(annotation):
        (annotation,) = (member for member in get_args(annotation) if member is not NoneType)
    if get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    if get_origin(annotation) in (tuple, dict):
        return list[str]
    return annotation if annotation in (bool, int, float, Path) else str


def _help_text(field: FieldInfo, flag: Flag) -> str:
    if isinstance(field.default, bool) or not isinstance(field.default, int | float | str):
        return flag.help
    return f"{flag.help.removesuffix('.')}; default {field.default}."


# ------------------------------------------------------------------ values


def parse_renames(texts: Sequence[str] | None) -> dict[str, str]:
    """New names of agents, judges and runs, by their old ones."""
    return named_values(texts or (), "--rename", "A=B")


def parse_match(text: str | None) -> Match | None:
    from sociolab.analysis.matching import MATCHES

    match = next((word for word in MATCHES if word == text), None)
    if match is not None or text is None:
        return match
    raise ConfigError(f'--match: expected {", ".join(MATCHES)}, found "{text}"')


def named_values(texts: Sequence[str], flag: str, form: str) -> dict[str, str]:
    """Values by name; ConfigError for a text without name or value, and for a repeated name."""
    values: dict[str, str] = {}
    for text in texts:
        name, value = name_and_value(text, flag, form)
        if name in values:
            raise ConfigError(f'{flag}: "{name}" is given twice')
        values[name] = value
    return values


def refuse_latency(latency: float | None, dry_run: bool) -> None:
    """ConfigError for a time per call where nothing is estimated."""
    if latency is not None and not dry_run:
        raise ConfigError("--latency is for an estimate: say --dry-run too, or leave it out")


def name_and_value(text: str, flag: str, form: str) -> tuple[str, str]:
    """The two sides of the equals sign; ConfigError where one is empty, unless it is the value of
    a setting: `--set NAME=` unsets one that a file sets."""
    name, equals, value = (part.strip() for part in text.partition("="))
    if not name or not equals or not (value or flag == "--set"):
        raise ConfigError(f'{flag}: expected {form}, found "{text}"')
    return name, value


def split_names(texts: Sequence[str] | None) -> list[str] | None:
    """The names in an option that may be repeated and may hold several, separated by commas."""
    if texts is None:
        return None
    return [name.strip() for text in texts for name in text.split(",") if name.strip()]


def refuse(flags: Mapping[str, object], why: str) -> None:
    """ConfigError "FLAG WHY" for the first of these flags that was set."""
    for flag, value in flags.items():
        if value is not None and value is not False and value not in ([], ()):
            raise ConfigError(f"{flag} {why}")


class SpreadCommand(TyperCommand):
    """A verb whose repeatable options take several values at once: `--generated A B`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        flags = {
            flag for param in self.params if getattr(param, "multiple", 0) for flag in param.opts
        }
        return super().parse_args(ctx, spread(args, flags))


def spread(arguments: Sequence[str], flags: Collection[str]) -> list[str]:
    """The arguments with each of these flags before every name that follows it.

    `--generated A B` becomes `--generated A --generated B`, which is what typer reads.
    """
    words: list[str] = []
    flag = ""
    for argument in arguments:
        if argument.startswith("-"):
            flag = argument if argument in flags else ""
        elif flag and words[-1] != flag:
            words.append(flag)
        words.append(argument)
    return words
