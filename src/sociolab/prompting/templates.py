"""Prompts as strict Jinja2 templates: one of a package, or one of a set (`prompting.sets`)."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from functools import cache
from importlib.resources import files
from typing import Any

import jinja2
from jinja2 import meta
from jinja2.sandbox import ImmutableSandboxedEnvironment

from sociolab.core.errors import ConfigError, WorldError


class PromptFile:
    """One template. Of `known` variables it may leave some out; without them it uses all that it is
    given, or `render` fails.

    `place` names it in errors. ConfigError where it does not parse, or uses an unknown variable.
    """

    def __init__(
        self, name: str, source: str, known: Collection[str] | None = None, place: str = ""
    ) -> None:
        self.name, self.source = name, source
        place, environment = place or f"prompt {name}", _environment()
        try:
            self._used = meta.find_undeclared_variables(environment.parse(source))
            self._template = environment.from_string(source)
        except jinja2.TemplateError as error:
            line = getattr(error, "lineno", None)
            where = f"{place}, line {line}" if line else place
            raise ConfigError(f"{where}: expected a Jinja2 template ({error})") from error
        self._known = self._used if known is None else frozenset(known)
        if unknown := sorted(self._used - self._known):
            raise ConfigError(
                f"{place}: expected variables among {', '.join(sorted(self._known)) or 'none'}, "
                f'found "{unknown[0]}"'
            )

    @property
    def hash(self) -> str:
        """Identifies this version of the file."""
        return hashlib.blake2b(self.source.encode(), digest_size=8).hexdigest()

    def render(self, values: dict[str, Any]) -> str:
        """The text; WorldError where a variable is missing or a value is not known."""
        missing, unused = self._known - set(values), set(values) - self._known
        if missing or unused:
            raise WorldError(
                f"prompt {self.name}: the template wants {sorted(self._known)}; "
                f"missing {sorted(missing)}, unused {sorted(unused)}"
            )
        try:
            return self._template.render(values).strip()
        except jinja2.TemplateError as error:
            raise WorldError(f"prompt {self.name}: {error}") from error


@cache
def prompt(package: str, name: str) -> PromptFile:
    """The prompt file of a package, `prompts/<name>.md`, parsed once a process."""
    source = files(package).joinpath("prompts", f"{name}.md").read_text("utf-8")
    return PromptFile(name, source)


@cache
def _environment() -> jinja2.Environment:
    # Sandboxed: a set may come from somebody else, and is data. Not HTML: prompts are plain text,
    # and escaping would change what a model reads.
    return ImmutableSandboxedEnvironment(
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
    )
