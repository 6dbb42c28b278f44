"""Options that may be given as often as wanted."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sociolab.core.errors import ConfigError


def settings_of(texts: Sequence[str] | None) -> dict[str, str] | None:
    """The settings by name; None where none were given. ConfigError for one without a value."""
    if not texts:
        return None
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise ConfigError(f'--set: expected NAME=VALUE, found "{text}"')
        if name.strip() in found:
            raise ConfigError(f'--set: "{name.strip()}" is given twice')
        found[name.strip()] = value.strip()
    return found


def several(texts: Sequence[str] | None) -> list[str] | None:
    """The names in options that may be repeated, or hold several with commas between."""
    if texts is None:
        return None
    return [name.strip() for text in texts for name in text.split(",") if name.strip()]


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
