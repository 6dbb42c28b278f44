"""What the public start environments tell their performers: a persona's state, zipped."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from sociolab.core.errors import ConfigError
from sociolab.worlds.stss.importing.raw_tasks import Numbered
from sociolab.worlds.stss.importing.reading import RawRecord, json_value, record


class _State(RawRecord):
    currently: str


def told_at_start(zips: Iterable[Path], tasks: Iterable[Numbered]) -> dict[str, str]:
    """The performer's `currently` by the name of the environment; what is not there is left out.

    ConfigError with file for a zip that cannot be read.
    """
    wanted = {(task.raw.env_name, task.raw.performer): task.raw.env_name for task in tasks}
    found: dict[str, str] = {}
    for path in zips:
        try:
            with ZipFile(path) as archive:
                for name in archive.namelist():
                    environment = wanted.get(_whose(name))
                    if environment:
                        place = f"{path}, {name}"
                        text = archive.read(name).decode("utf-8-sig", "replace")
                        found[environment] = record(
                            place, _State, json_value(place, text)
                        ).currently
        except (BadZipFile, OSError) as error:
            raise ConfigError(f"{path} cannot be read ({error}); fetch it again") from error
    return found


def _whose(name: str) -> tuple[str, str]:
    """Environment and persona of ".../ENVIRONMENT/personas/PERSONA/.../scratch.json"."""
    parts = name.split("/")
    if parts[-1] != "scratch.json" or "personas" not in parts[1:-2]:
        return "", ""
    index = parts.index("personas")
    return parts[index - 1], parts[index + 1]
