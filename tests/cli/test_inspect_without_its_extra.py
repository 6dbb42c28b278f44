"""Logs of Inspect where Inspect is not installed."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from cli.conftest import Sociolab


@pytest.mark.skipif(find_spec("inspect_ai") is not None, reason="inspect_ai is installed")
@pytest.mark.parametrize(
    "command",
    [
        ("import", "inspect", "some.eval", "--name", "some"),
        ("export", "some", "some.eval", "--as", "inspect"),
    ],
)
def test_what_needs_inspect_says_how_to_install_it(
    sociolab: Sociolab, command: tuple[str, ...]
) -> None:
    sociolab("run", "sotopia", "--limit", "1", "--name", "some")
    done = sociolab(*command)
    assert done.code == 2
    assert "make extras EXTRAS=inspect" in done.sentence
