"""What options hold: several values, names with values, flags that do not go together."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from sociolab.core.errors import ConfigError


def settings_of(texts: Sequence[str] | None) -> dict[str, str] | None:
    """The settings of a world by name; None where none were given."""
    return named_values(texts or (), "--set", "NAME=VALUE") or None


def named_values(texts: Sequence[str], flag: str, form: str) -> dict[str, str]:
    """Values by name; ConfigError for one without name or value, and for a name given twice."""
    found: dict[str, str] = {}
    for text in texts:
        name, value = name_and_value(text, flag, form)
        if name in found:
            raise ConfigError(f'{flag}: "{name}" is given twice')
        found[name] = value
    return found


def name_and_value(text: str, flag: str, form: str) -> tuple[str, str]:
    """What stands before and behind the equals sign; ConfigError where either is missing."""
    name, _, value = (part.strip() for part in text.partition("="))
    if not name or not value:
        raise ConfigError(f'{flag}: expected {form}, found "{text}"')
    return name, value


def several(texts: Sequence[str] | None) -> list[str] | None:
    """The names in options that may be repeated, or hold several with commas between."""
    if texts is None:
        return None
    return [name.strip() for text in texts for name in text.split(",") if name.strip()]


def refuse(flags: Mapping[str, object], why: str) -> None:
    """ConfigError where one of these flags, which do not go with the others, was given."""
    for flag, value in flags.items():
        if value is not None and value is not False and value not in ([], ()):
            raise ConfigError(f"{flag} {why}")


def spread(arguments: Sequence[str], flags: Collection[str]) -> list[str]:
    """The arguments with each of these flags before every name that follows it.

    `--generated A B` becomes `--generated A --generated B`, which is what typer reads.
    """
    found: list[str] = []
    flag = ""
    for argument in arguments:
        if argument.startswith("-"):
            flag = argument if argument in flags else ""
        elif flag and found[-1] != flag:
            found.append(flag)
        found.append(argument)
    return found
