"""An endpoint as a child process: prints its URL, and stops when its standard input closes."""

from __future__ import annotations

import argparse
import sys

from sociolab.core.errors import ConfigError
from sociolab.endpoint.server import run_forever, stdin_closed
from sociolab.endpoint.settings import settings_from_json


def main() -> int:
    """Serve until standard input closes; exit code 2 if the settings are wrong."""
    parser = argparse.ArgumentParser(prog="python -m sociolab.endpoint", description=__doc__)
    parser.add_argument("--json-settings", default="{}", metavar="TEXT")
    try:
        settings = settings_from_json(parser.parse_args().json_settings)
        run_forever(settings, announce=_print_line, until=stdin_closed)
    except ConfigError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


def _print_line(url: str) -> None:
    sys.stdout.write(f"{url}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
