from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from cli.forking import Forks


@dataclass(frozen=True)
class Done:
    """A finished command."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """What it printed as JSON."""
        return json.loads(self.out)

    @property
    def sentence(self) -> str:
        """Its one sentence of complaint; a traceback or a second line is none."""
        lines = [line for line in self.err.splitlines() if line.strip()]
        assert len(lines) == 1, self.err
        assert lines[0].startswith("sociolab: "), self.err
        return lines[0]


Sociolab = Callable[..., Done]


def environment(home: Path) -> dict[str, str]:
    """The environment of a user who has nothing but this folder."""
    keys = ("PATH", "LANG", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    kept = {key: os.environ[key] for key in keys if key in os.environ}
    return {
        **kept,
        "HOME": str(home),
        "SOCIOLAB_HOME": str(home / "lab"),
        "COLUMNS": "80",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }


@pytest.fixture(scope="session")
def forks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forks]:
    """The process that commands are forked from."""
    with Forks(environment(tmp_path_factory.mktemp("forks"))) as found:
        yield found


@pytest.fixture(scope="session")
def sociolab_in(forks: Forks) -> Callable[[Path], Sociolab]:
    """Runs the command line in any folder, as a user would, only that it starts sooner."""

    def within(folder: Path) -> Sociolab:
        def run(*args: object, stdin: str = "", **variables: str) -> Done:
            assert not any(name.startswith("PYTHON") for name in variables), "Python runs by then"
            with TemporaryDirectory(prefix="sociolab-streams-") as made:
                streams = Path(made)
                (streams / "in").write_text(stdin, "utf-8")
                words = [str(arg) for arg in args]
                code = forks.run(words, folder, {**environment(folder), **variables}, streams)
                out, err = ((streams / name).read_text("utf-8") for name in ("out", "err"))
            return Done(code, out, err)

        return run

    return within


@pytest.fixture
def sociolab(tmp_path: Path, sociolab_in: Callable[[Path], Sociolab]) -> Sociolab:
    """Runs the command line in a fresh folder."""
    return sociolab_in(tmp_path)


@pytest.fixture
def started(tmp_path: Path) -> Sociolab:
    """Runs the command line in a fresh folder, as a user would, from nothing."""

    def run(*args: object, stdin: str = "", **variables: str) -> Done:
        done = subprocess.run(
            [sys.executable, "-m", "sociolab", *(str(arg) for arg in args)],
            cwd=tmp_path,
            env={**environment(tmp_path), **variables},
            input=stdin,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    return run
