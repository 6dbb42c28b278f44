"""The command line: one file per verb, none imported before it is called."""

from __future__ import annotations

import gc
import os
import sys

from sociolab.cli.verbs import app
from sociolab.core.errors import ConfigError, SociolabError

BAD_INPUT = 2
INTERRUPTED = 130


def main() -> None:
    """Run the command; errors become one sentence on stderr and an exit code."""
    gc.set_threshold(50_000)  # few cycles are made here; at the default, looking takes a tenth
    sys.exit(_run())


def _run() -> int:
    try:
        app(prog_name="sociolab")
    except ConfigError as error:
        return _say(str(error), BAD_INPUT)
    except SociolabError as error:
        return _say(str(error), 1)
    except KeyboardInterrupt:
        return _say("interrupted", INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # whoever read us has gone
        return 1
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else 0
    return 0


def _say(message: str, code: int) -> int:
    print(f"sociolab: {message}", file=sys.stderr)  # noqa: T201
    return code
