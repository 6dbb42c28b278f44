"""Prompt files: strict Jinja2 templates where a missing or an unused variable is an error."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from typing import Any

import jinja2
from jinja2 import meta

from sociolab.core.errors import WorldError


class PromptFile:
    """One prompt of a package: `prompts/<name>.md`, read once."""

    def __init__(self, package: str, name: str) -> None:
        self.name = name
        self.source = files(package).joinpath("prompts", f"{name}.md").read_text("utf-8")
        environment = _environment()
        self._variables = meta.find_undeclared_variables(environment.parse(self.source))
        self._template = environment.from_string(self.source)

    @property
    def hash(self) -> str:
        """Identifies this version of the file."""
        return hashlib.blake2b(self.source.encode(), digest_size=8).hexdigest()

    def render(self, values: dict[str, Any]) -> str:
        """The text; WorldError where a variable is missing or a value is not used."""
        missing, unused = self._variables - set(values), set(values) - self._variables
        if missing or unused:
            raise WorldError(
                f"prompt {self.name}: the template wants {sorted(self._variables)}; "
                f"missing {sorted(missing)}, unused {sorted(unused)}"
            )
        try:
            return self._template.render(values).strip()
        except jinja2.UndefinedError as error:
            raise WorldError(f"prompt {self.name}: {error}") from error


@cache
def prompt(package: str, name: str) -> PromptFile:
    """The prompt file of a package, parsed once a process."""
    return PromptFile(package, name)


@cache
def _environment() -> jinja2.Environment:
    # Not HTML: prompts are plain text, and escaping would change what a model reads.
    return jinja2.Environment(
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
    )
