"""The command line: `app` is its Typer application, one module a group of verbs."""

from typing import TYPE_CHECKING

from sociolab.core.lazy import load_public_names

if TYPE_CHECKING:
    from sociolab.cli.main import app as app
else:
    __getattr__, __dir__ = load_public_names(__name__)
