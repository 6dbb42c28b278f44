"""The command line: one file per verb, none imported before it is called."""

from __future__ import annotations

import errno
import gc
import os
import sys
from collections.abc import Callable
from functools import partial

from sociolab.cli.settings import spread
from sociolab.cli.verbs import app_for
from sociolab.core.errors import ConfigError, SociolabError
from sociolab.core.redaction import guard_environment, redacted

BAD_INPUT = 2
INTERRUPTED = 130
SEVERAL = ("--generated", "--information")
"""Flags that may have several names behind them."""


def main() -> None:
    """Run the command; errors become one sentence on stderr and an exit code."""
    sys.path.append(os.getcwd())  # so that python:my_agent:Class is found beside the user
    collect_rarely()
    keep_secrets()
    sys.exit(_run())


def collect_rarely() -> None:
    """Look for cycles less often: a run makes few, and at the default looking takes a tenth."""
    gc.set_threshold(300_000)


def keep_secrets() -> None:
    """Black keys and passwords out of all that is printed, logs and tracebacks included."""
    guard_environment()
    for stream in (sys.stdout, sys.stderr):
        write = stream.write
        stream.write = partial(_write, write)  # type: ignore[method-assign]


def _write(write: Callable[[str], int], text: str) -> int:
    write(redacted(text))
    return len(text)


def _run() -> int:
    try:
        arguments = spread(sys.argv[1:], SEVERAL)
        app_for(arguments[0] if arguments else "")(arguments, prog_name="sociolab")
    except ConfigError as error:
        return _say(str(error), BAD_INPUT)
    except SociolabError as error:
        return _say(str(error), 1)
    except KeyboardInterrupt:
        return _say("interrupted", INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # whoever read us has gone
        return 1
    except OSError as error:
        # Even to ask whether there is such a file is refused, so that any use of a path may end so.
        if error.errno != errno.ENAMETOOLONG:
            raise
        return _say(
            f'"{str(error.filename)[:40]}...": expected a path whose parts have 255 bytes at most, '
            "found a longer one; choose a shorter name",
            BAD_INPUT,
        )
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else 0
    return 0


def _say(message: str, code: int) -> int:
    print(f"sociolab: {message}", file=sys.stderr)  # noqa: T201
    return code
